"""``examples/``: what ``init`` and releases write around a small server, green as it is and red where it breaks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli
from commandline import governor
from journeys import environment
from support import REPO

FOLDER = REPO / "examples"
ENV = environment({})


@dataclass(frozen=True)
class Example:
    """One folder.

    Attributes:
        name: of the folder.
        server: the module.
        profile: of its configuration.
        version: its latest.
        called: tools that only read.
        written: tools that write.
        others: files and folders that the author wrote besides the server.
    """

    name: str
    server: str
    profile: str
    version: str
    called: int
    written: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def root(self) -> Path:
        return FOLDER / self.name

    @property
    def config(self) -> dict[str, Any]:
        return tomli.loads((self.root / "mcp-governor.toml").read_text("utf-8"))


FERRIES = Example("fastmcp-ferries", "ferries.py", "charter", "1.2.0", 3, (), ())
NOTES = Example("sdk-notes", "notes_server.py", "recommended", "0.3.0", 2, ("add_note",), ("notes",))
EXAMPLES = (FERRIES, NOTES)
of_each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


@pytest.fixture
def copied(tmp_path: Path, example: Example) -> Path:
    """The example as somebody copies it: outside of this repository."""
    return Path(shutil.copytree(example.root, tmp_path / example.name))


def check(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """What ``mcp-governor check`` says in a folder."""
    outcome = governor("check", *options, "--format", "json", cwd=folder, env=ENV)
    assert outcome.stdout, outcome.err
    assert outcome.left == []
    return outcome.code, outcome.report


@cache
def as_it_is(example: Example) -> tuple[int, dict[str, Any], set[Path]]:
    """What ``check`` says of a copy that nobody has touched, and the files that are there afterwards."""
    with tempfile.TemporaryDirectory() as parent:
        copied = Path(shutil.copytree(example.root, Path(parent) / example.name))
        code, report = check(copied)
        return code, report, {path.relative_to(copied) for path in copied.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="module", autouse=True)
def _checked() -> None:
    """The cost is that of the module, not of the first test that looks."""
    for example in EXAMPLES:
        as_it_is(example)


def files(root: Path) -> set[str]:
    """The files below a folder, without those of git and Python."""
    held = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return {path.as_posix() for path in held if not {".git", "__pycache__"} & set(path.parts)}


def test_each_folder_is_tested() -> None:
    # tests/fleet/test_fleet_examples.py reads those of `fleet`.
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == {"fleet", *(one.name for one in EXAMPLES)}
    page = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"]({example.name}/README.md)" in page for example in EXAMPLES)


@of_each
class TestAsItIs:
    def test_nothing_is_suppressed(self, example: Example) -> None:
        config = example.config
        assert config["profile"] == example.profile
        assert not config.keys() & {"accept", "fail-on", "level"}
        assert not config.get("lint", {}).keys() & {"ignore", "severity", "options", "per-tool-ignores", "baseline"}
        assert config["policy"] == {"gate": "release"}

    def test_it_has_no_findings(self, example: Example) -> None:
        code, report, _ = as_it_is(example)
        assert (code, report["verdict"], report["findings"], report["changes"]) == (0, "pass", [], [])
        assert report["server"]["version"] == example.version
        assert report["summary"]["accepted"] == 0

    def test_each_tool_that_only_reads_is_called(self, example: Example) -> None:
        _, report, _ = as_it_is(example)
        # A tool that writes has a configured call; the others one good and one bad call at least.
        everything = example.called + len(example.written)
        assert report["calls"] == {
            **report["calls"],
            "mode": "safe",
            "tools": everything,
            "seen": everything,
            "unseen": [],
        }
        assert report["summary"]["good_calls"]["tools_without_success"] == []
        assert report["summary"]["calls"] >= 2 * example.called

    def test_it_leaves_nothing_behind(self, example: Example) -> None:
        _, _, made = as_it_is(example)
        assert made == {
            path.relative_to(example.root) for path in example.root.rglob("*") if "__pycache__" not in path.parts
        }

    def test_its_history_is_real(self, example: Example, copied: Path) -> None:
        """Three releases, each recorded, and the changelog says of each step what changed."""
        text = (copied / "docs" / "mcp-schema-changelog.md").read_text("utf-8")
        versions = re.findall(r"^## (\S+)", text, re.MULTILINE)
        assert len(versions) == 3
        assert versions[0] == example.version
        recorded = {path.stem: json.loads(path.read_text("utf-8")) for path in (copied / "docs/mcp-surface").iterdir()}
        assert sorted(recorded) == sorted(versions)
        stated = dict(zip(versions, re.findall(r"^Fingerprint: `(\S+)`", text, re.MULTILINE), strict=True))
        assert stated == {version: surface["fingerprint"] for version, surface in recorded.items()}
        assert json.loads((copied / "mcp-surface.json").read_text("utf-8")) == recorded[example.version]
        for old, new in zip(versions[1:], versions, strict=False):
            places = [f"docs/mcp-surface/{version}.json" for version in (old, new)]
            assert governor("diff", *places, cwd=copied, env=ENV).code == 0
            missing = governor("changelog", "check", places[1], "--against", places[0], cwd=copied, env=ENV)
            assert "missing-entry" not in missing.out

    def test_it_passes_at_its_release_and_ci_would_see_it(self, example: Example, copied: Path) -> None:
        for command in (
            ("init", "-q", "-b", "main"),
            ("add", "-A"),
            ("commit", "-q", "-m", "release"),
            ("tag", f"v{example.version}"),
        ):
            subprocess.run(["git", *command], cwd=copied, env=ENV, check=True)
        code, report = check(copied)
        assert (code, report["findings"]) == (0, [])
        assert report["stage"]["at_release"] is True

    def test_init_writes_the_same_around_the_server(self, example: Example, tmp_path: Path) -> None:
        """Only the server, its requirements and its data, and then ``init``: the same files, and nothing to repair."""
        fresh = tmp_path / "fresh"
        fresh.mkdir()
        for name in (example.server, "requirements.txt"):
            shutil.copy(example.root / name, fresh)
        for name in example.others:
            shutil.copytree(example.root / name, fresh / name)
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=fresh, env=ENV, check=True)
        done = governor("init", "--", "python", example.server, cwd=fresh, env=ENV)
        assert done.code == 0, done.err
        mine = files(example.root)
        releases = {name for name in mine if name.startswith("docs/mcp-surface/")}
        assert mine - files(fresh) == {"README.md", *releases} - {f"docs/mcp-surface/{example.version}.json"}
        assert files(fresh) <= mine
        for name in (".pre-commit-config.yaml", ".github/workflows/mcp-governor.yml"):
            texts = [(root / name).read_text("utf-8") for root in (fresh, example.root)]
            # The workflow asks for the Python that made it.
            assert len({re.sub(r'"3\.\d+"', '"3"', text) for text in texts}) == 1
        written = (fresh / "mcp-governor.toml").read_text("utf-8").splitlines()
        assert set(written) <= set((example.root / "mcp-governor.toml").read_text("utf-8").splitlines())
        surfaces = [json.loads((root / "mcp-surface.json").read_text("utf-8")) for root in (fresh, example.root)]
        assert surfaces[0]["tools"] == surfaces[1]["tools"]
        assert governor("check", cwd=fresh, env=ENV).code == 0
