"""A maintainer who follows the surface governance to the letter: every step is green, and red if one is skipped.

1.0.0 → 1.0.1 (a patch) → 1.1.0 (deprecate, announce) → 1.2.0 (an advanced tool breaks) → 2.0.0 (remove, lower), under
both gates, in a git repository with a server that filters its list and takes its version from a constant.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from living import Repository, once

SERVER = """
import json, sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, "src")
from notes.version import SCHEMA_VERSION

TOOLS = json.loads(Path("tools.json").read_text())["tools"]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    params = asked.get("params") or {}
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "notes", "version": SCHEMA_VERSION}}
    elif asked["method"] == "tools/list":
        wanted = {params["tier"]} if "tier" in params else {"facade", "standard"}
        listed = [tool for tool in TOOLS if tool["_meta"].get("list", tool["_meta"]["tier"]) in wanted]
        answer["result"] = {"tools": [tool for tool in listed if tool["_meta"]["tier"] != "internal"]}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
"""
CONFIG = """
target = "notes"
profile = ["surface"]
changelog = "docs/mcp-schema-changelog.md"
schema-version = "notes.version:SCHEMA_VERSION"

[policy]
gate = "{gate}"

[servers.notes]
command = [{python}, "-S", "server.py"]
list-params = [{{ tier = "advanced" }}]
"""
FIXED = "**Fixed**\n\n- `find` accepts an empty query again.\n\n"
ANNOUNCED = (
    "- `listing` moves from standard to advanced in 2.0.0.\n- The argument `mode` of `rebuild` changes in 1.2.0.\n"
)


class Governed(Repository):
    """A repository as the document describes it."""

    def __init__(self, root: Path, gate: str) -> None:
        super().__init__(root)
        self.gate = gate
        (root / "src" / "notes").mkdir(parents=True)
        (root / "src" / "notes" / "__init__.py").write_text("")
        (root / "server.py").write_text(SERVER)
        (root / "mcp-governor.toml").write_text(CONFIG.format(gate=gate, python=json.dumps(sys.executable)))
        for name, tier in (
            ("search", "facade"),
            ("front", "facade"),
            ("find", "standard"),
            ("listing", "standard"),
            ("keep", "standard"),
        ):
            self.of_tier(name, tier)
        self.of_tier("rebuild", "advanced", "mode")
        self.of_tier("scan", "advanced")
        self.of_tier("probe", "internal")

    def of_tier(self, name: str, tier: str, *optional: str) -> None:
        self.tool(name, "query", *optional, _meta={"tier": tier})

    def deprecate(self, name: str) -> None:
        self.tools[name]["_meta"]["deprecated"] = {"since": "1.1.0", "replacement": "search"}

    def set_version(self, version: str) -> None:
        self.version = version
        (self.root / "src" / "notes" / "version.py").write_text(f'SCHEMA_VERSION = "{version}"\n')

    def rules(self) -> list[str]:
        """Rules of packs policy, changelog and surface that `check` names as errors."""
        done = self.run("check", "--format", "json")
        assert done.stdout, done.err
        found = done.report["findings"]
        return sorted({one["rule"] for one in found if one["severity"] == "error"})

    def edit(self, old: str, new: str) -> None:
        text = self.log
        assert old in text, text
        self.path.write_text(text.replace(old, new, 1))

    def add(self, text: str, label: str = "") -> None:
        """Write something into the section of the next release: below its heading, or below one of its labels."""
        if label:
            self.edit(f"**{label}**\n\n", f"**{label}**\n\n{text}")
        elif self.gate == "change":
            line = next(line for line in self.log.splitlines() if line.startswith("Fingerprint: "))
            self.edit(f"{line}\n\n", f"{line}\n\n{text}")
        elif self.log.split("\n## ")[1].startswith("Unreleased"):
            self.edit("## Unreleased\n\n", f"## Unreleased\n\n{text}")
        else:
            self.edit("\n## ", f"\n## Unreleased\n\n{text}## ")

    def published(self, version: str) -> None:
        """Draft, check, release, check, commit, tag, check at the tag and behind it: every step goes through."""
        self.set_version(version)
        for arguments in (["changelog", "draft"], ["check"], ["changelog", "release", version], ["check"]):
            done = self.run(*arguments)
            assert done.code == 0, (arguments, done.out, done.err)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", version)
        self.git("tag", f"v{version}")
        assert self.rules() == [], "at the tag"
        self.git("commit", "-q", "--allow-empty", "-m", "go on")
        assert self.rules() == [], "behind the tag"


@pytest.fixture(params=["change", "release"])
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Governed:
    return Governed(tmp_path, request.param)


def refused(life: Governed, version: str) -> str:
    """Why `changelog release` refuses a version whose entries are drafted; nothing is written."""
    before = life.log
    done = life.run("changelog", "release", version)
    assert done.code == 1, (done.out, done.err)
    assert life.log == before
    return done.out.partition("failed by: ")[2].splitlines()[0]


def to_1_0_0(life: Governed) -> None:
    once(life, lambda: life.published("1.0.0"), "1.0.0", life.gate)


def to_1_1_0(life: Governed) -> None:
    once(life, lambda: _to_1_1_0(life), "1.1.0", life.gate)


def _to_1_1_0(life: Governed) -> None:
    to_1_0_0(life)
    life.deprecate("find")
    life.deprecate("scan")
    life.set_version("1.1.0")
    assert life.run("changelog", "draft").code == 0
    life.add(ANNOUNCED, "Deprecated")
    life.published("1.1.0")


def to_1_2_0(life: Governed) -> None:
    once(life, lambda: _to_1_2_0(life), "1.2.0", life.gate)


def _to_1_2_0(life: Governed) -> None:
    to_1_1_0(life)
    life.tools["rebuild"]["inputSchema"]["required"] = ["mode"]
    life.published("1.2.0")


def test_the_letter_is_green(life: Governed) -> None:
    life.published("1.0.0")
    assert "probe" not in life.log
    life.set_version("1.0.1")
    if life.gate == "change":
        assert life.run("changelog", "draft").code == 0
        assert life.rules() == ["surface/release-entry"]
    life.add(FIXED)
    life.tools["probe"]["inputSchema"] = {"type": "object"}  # internal: no guarantees
    life.published("1.0.1")

    life.deprecate("find")
    life.deprecate("scan")
    life.set_version("1.1.0")
    assert life.run("changelog", "draft").code == 0
    life.add(ANNOUNCED, "Deprecated")
    life.published("1.1.0")

    life.tools["rebuild"]["inputSchema"]["required"] = ["mode"]
    life.published("1.2.0")
    assert "**Changed**\n\n- `rebuild` now requires `mode`.\n" in life.log

    del life.tools["find"], life.tools["scan"]
    life.tools["listing"]["_meta"]["tier"] = "advanced"
    life.set_version("2.0.0")
    assert life.run("changelog", "draft").code == 0
    assert refused(life, "2.0.0") == "surface/migration-guide"
    (life.root / "docs" / "migrating-to-2.0.0.md").write_text("# Migrating to 2.0.0\n")
    life.add("Migration guide: [Migrating to 2.0.0](migrating-to-2.0.0.md)\n\n")
    life.published("2.0.0")
    assert "**Removed**\n\n- `find` and `scan` are gone; use `search` instead.\n" in life.log

    # The marker may go once the version has shipped, and comes with the next one.
    life.edit("## 2.0.0 (current)", "## 2.0.0")
    assert life.rules() == []
    life.of_tier("late", "standard")
    life.published("2.1.0")
    assert life.log.count("(current)") == 1


def test_a_patch_that_says_nothing_is_not_released(life: Governed) -> None:
    to_1_0_0(life)
    life.set_version("1.0.1")
    done = life.run("changelog", "release", "1.0.1")
    assert (done.code, "surface/release-entry" in done.out) == (1, True)
    assert "1.0.1 was not released because the check fails; nothing was written." in done.out + done.err


def test_what_only_the_list_shows(life: Governed) -> None:
    """Tools that move between lists and keep the tier that they declare."""
    to_1_2_0(life)
    life.tools["keep"]["_meta"]["list"] = "advanced"
    life.set_version("2.0.0")
    assert {"policy/tier-lowered-early", "surface/tier-agrees"} <= set(life.rules())
    del life.tools["keep"]["_meta"]["list"]
    life.tools["rebuild"]["_meta"]["list"] = "standard"
    assert "surface/default-list" in life.rules()


def test_a_deprecation_is_said_in_both_places(life: Governed) -> None:
    to_1_0_0(life)
    life.deprecate("find")
    life.set_version("1.1.0")
    assert "changelog/missing-entry" in life.rules()
    del life.tools["find"]["_meta"]["deprecated"]
    if life.gate == "change":
        assert life.run("changelog", "draft").code == 0
    life.add("**Deprecated**\n\n- `find` is deprecated; use `search` instead.\n\n")
    done = life.run("check", "--format", "json")
    assert [one["rule"] for one in done.report["findings"] if one["tool"] == "find"] == ["surface/deprecation-unmarked"]


def test_a_constant_that_the_server_does_not_report(life: Governed) -> None:
    to_1_0_0(life)
    server = life.root / "server.py"
    server.write_text(server.read_text().replace('"version": SCHEMA_VERSION', '"version": "0.9.0"'))
    assert life.rules() == ["surface/server-version"]
