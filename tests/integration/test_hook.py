"""What the hook says: an old recording is told as that, and tools that nobody touched are not talked about."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from projects import committed, git, governor, repository, surface_text, tool, write

from mcp_governor.changelog.editing import first_changelog
from mcp_governor.cli.init_files import hook_offer
from mcp_governor.surface import load_surface, parse_surface

CHANGELOG = "docs/mcp-schema-changelog.md"
OLD = surface_text(tool("find_stock"))
NEW = surface_text(tool("find_stock"), tool("count_stock"), version="1.1.0")
TERSE = tool("old_one") | {"description": ""}
STALE = "policy/stale-record"


@pytest.fixture
def root(tmp_path):
    """Release 1.0.0 with its tag."""
    root = repository(tmp_path / "shop", {"mcp-governor.toml": f'changelog = "{CHANGELOG}"\n', "mcp-surface.json": OLD})
    write(root, {CHANGELOG: first_changelog(load_surface(root / "mcp-surface.json"), "1.0.0")})
    committed(root, "release 1.0.0")
    git(root, "tag", "v1.0.0")
    return root


def section(surface: str, version: str, entry: str) -> str:
    from mcp_governor.surface import fingerprint

    line = f"Fingerprint: `{fingerprint(parse_surface(surface.encode(), 'x'))}`"
    return f"## {version} (current)\n\n{line}\n\n**Added**\n\n- {entry}\n\n## 1.0.0\n"


def announce(root, surface=NEW, version="1.1.0", entry="`count_stock` is a new tool."):
    """What `changelog draft` writes from the server, with the recording left as it is."""
    path = root / CHANGELOG
    path.write_text(path.read_text().replace("## 1.0.0 (current)\n", section(surface, version, entry)))


def hook(root, *more):
    done = governor(root, "check", "--offline", "--new-only", "--format", "json", *more)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def rules(report):
    return [finding["rule"] for finding in report["findings"]]


def test_a_changelog_of_a_later_surface_says_that_the_recording_is_old(root):
    announce(root)
    reported = hook(root)
    assert reported["verdict"] == "fail"
    (found,) = reported["findings"]
    assert found["rule"] == STALE
    assert found["message"] == (
        "mcp-surface.json was not recorded again: it has not changed since v1.0.0, "
        f"but {CHANGELOG} describes a later surface."
    )
    assert "mcp-governor snapshot" in found["fix"]
    # The remedy is the whole remedy.
    write(root, {"mcp-surface.json": NEW})
    assert hook(root)["verdict"] == "pass"


def test_a_recording_that_is_new_is_judged_as_it_is(root):
    write(root, {"mcp-surface.json": NEW})
    reported = hook(root)
    assert STALE not in rules(reported)
    assert "changelog/version-mismatch" in rules(reported)


def test_a_slip_of_the_pen_is_not_a_sign(root):
    path = root / CHANGELOG
    entry = "## Unreleased\n\n**Fixed**\n\n- `find_stok` counts right.\n\n## 1.0.0 (current)\n"
    path.write_text(path.read_text().replace("## 1.0.0 (current)\n", entry))
    write(root, {"mcp-governor.toml": f'changelog = "{CHANGELOG}"\n[policy]\ngate = "release"\n'})
    assert rules(hook(root)) == ["changelog/unknown-name"]
    # A name that is nothing like one of the surface may be of the surface that was not recorded.
    path.write_text(path.read_text().replace("find_stok", "weigh"))
    assert rules(hook(root)) == [STALE]
    # So may a parameter of a tool that is there.
    path.write_text(path.read_text().replace("`weigh` counts right", "`find_stock` takes an optional `page`"))
    assert rules(hook(root)) == [STALE]
    path.write_text(path.read_text().replace("`page`", "`descripton`"))
    assert rules(hook(root)) == ["changelog/unknown-name"]


def test_a_finding_that_is_let_pass_replaces_no_other(root):
    announce(root)
    write(root, {"mcp-governor.toml": f'changelog = "{CHANGELOG}"\n[lint]\nignore = ["{STALE}"]\n'})
    reported = hook(root)
    assert reported["verdict"] == "fail"
    assert "changelog/version-mismatch" in rules(reported)


def test_tools_that_nobody_touched_are_not_talked_about(root):
    write(root, {"mcp-surface.json": surface_text(tool("find_stock"), TERSE)})
    write(root, {CHANGELOG: first_changelog(load_surface(root / "mcp-surface.json"), "1.0.0")})
    committed(root, "with a terse one")
    git(root, "tag", "-f", "v1.0.0")
    everything = json.loads(governor(root, "check", "--offline", "--format", "json").stdout)
    # None is the server: no tool of it says what it writes.
    assert {finding["tool"] for finding in everything["findings"]} == {"old_one", None}
    assert hook(root)["findings"] == []

    # A new one is, and what a suppression of the old one is for is no stale suppression.
    new = tool("count_shelves") | {"description": ""}
    surface = surface_text(tool("find_stock"), TERSE, new, version="1.1.0")
    write(root, {"mcp-surface.json": surface})
    announce(root, surface, entry="`count_shelves` is a new tool.")
    ignores = '[lint.per-tool-ignores]\nold_one = ["clarity/length"]\n'
    write(root, {"mcp-governor.toml": f'changelog = "{CHANGELOG}"\n{ignores}'})
    reported = hook(root)
    assert {finding["tool"] for finding in reported["findings"]} == {"count_shelves"}
    assert "clarity/length" in rules(reported)


def test_new_only_hides_no_break_no_policy_and_no_changelog_finding(root):
    """The change is only in what is not the linter's: all of it is said, whether or not old lint is asked for."""
    broken = tool("find_stock", "branch")
    write(root, {"old.json": surface_text(tool("find_stock"), TERSE), "new.json": surface_text(broken, TERSE)})
    arguments = ("check", "new.json", "--against", "old.json", "--format", "json")
    everything, fresh = (json.loads(governor(root, *arguments, *more).stdout) for more in ((), ("--new-only",)))
    assert fresh["changes"] == everything["changes"]
    assert any(change["verdict"] == "breaking" for change in fresh["changes"])
    governing = [found for found in everything["findings"] if found["rule"].startswith(("policy/", "changelog/"))]
    assert governing
    assert [found for found in fresh["findings"] if found["rule"].startswith(("policy/", "changelog/"))] == governing
    assert fresh["summary"]["old_findings"] == len(everything["findings"]) - len(fresh["findings"]) > 0
    reported = governor(root, *arguments[:-2], "--new-only").stdout
    assert f"{fresh['summary']['old_findings']} finding" in reported


def test_the_hook_of_init_says_that_it_does_not_run_for_sources_and_holds_the_one_that_does(tmp_path):
    (tmp_path / ".git").mkdir()
    offer = hook_offer(tmp_path)
    assert "does not run when only sources change" in offer.text
    [entry] = yaml.safe_load(offer.text)["repos"]
    [hook] = entry["hooks"]
    assert not re.search(hook["files"], "src/shop/server.py")
    [entry] = yaml.safe_load(re.sub(r"^( +)#(?=[- ] )", r"\1", offer.text, flags=re.M))["repos"]
    snapshot = entry["hooks"][1]
    assert (snapshot["id"], snapshot["entry"]) == ("mcp-governor-snapshot", "mcp-governor snapshot --check")
    for source in ("src/shop/server.py", "index.ts", "cmd/main.go"):
        assert re.search(snapshot["files"], source)
    assert not re.search(snapshot["files"], "README.md")
