"""A pull request is compared with what it started from: what the base branch got since is not for it to remove."""

from __future__ import annotations

import pytest
from projects import committed, git, repository, surface_text, tool, write

from mcp_governor.checking.model import Asked
from mcp_governor.checking.run import check_as_asked
from mcp_governor.config import load_config

SHELF, ROOMS, FLOORS = tool("find_shelf"), tool("list_rooms"), tool("count_floors", "storey")
CONFIG = 'target = "mcp-surface.json"\n[policy]\ngate = "{}"\n'


def moved_ahead(folder, ours, *, gate="change", start=(SHELF,), main=(SHELF, FLOORS)):
    """A branch from ``start`` that publishes ``ours``, while ``main`` got other tools."""
    files = {"mcp-governor.toml": CONFIG.format(gate), "mcp-surface.json": surface_text(*start) if start else None}
    root = repository(folder, {name: text for name, text in files.items() if text is not None})
    git(root, "tag", "v1.0.0")
    git(root, "checkout", "-q", "-b", "topic")
    write(root, {"mcp-surface.json": surface_text(*ours)})
    committed(root, "ours")
    git(root, "checkout", "-q", "main")
    write(root, {"mcp-surface.json": surface_text(*main)})
    committed(root, "theirs")
    git(root, "checkout", "-q", "topic")
    return root


def checked(root, monkeypatch, *, only=False, approval=""):
    monkeypatch.chdir(root)
    asked = Asked(base="main", approval=approval, offline=True, only_breaking=only)
    return check_as_asked(asked, load_config())


def changes(report):
    return {(change.kind, change.tool) for change in report.changes}


@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("gate", ["change", "release"])
def test_what_the_base_got_since_is_not_removed(tmp_path, monkeypatch, gate, only):
    report = checked(moved_ahead(tmp_path, (SHELF, ROOMS), gate=gate), monkeypatch, only=only)
    assert [change.tool for change in report.changes if change.verdict != "compatible"] == []
    assert not any(one.rule == "policy/comparison-changed" for one in report.findings), "the recording is not worse"


def test_what_the_branch_itself_removes_is_removed(tmp_path, monkeypatch):
    report = checked(moved_ahead(tmp_path, (ROOMS,)), monkeypatch, approval="required")
    assert changes(report) == {("tool-added", "list_rooms"), ("tool-removed", "find_shelf")}
    assert report.verdict == "fail"
    assert report.baseline.source == "git:main...:mcp-surface.json"


def test_a_merge_that_drops_what_the_base_got_removes_it(tmp_path, monkeypatch):
    root = moved_ahead(tmp_path, (SHELF, ROOMS))
    git(root, "merge", "-q", "-s", "ours", "--no-edit", "main")
    report = checked(root, monkeypatch)
    assert ("tool-removed", "count_floors") in changes(report)
    assert report.baseline.source == "git:main:mcp-surface.json"


@pytest.mark.parametrize("cut", [False, True])
def test_where_the_start_is_unknown_the_base_itself_is_the_stricter_choice(tmp_path, monkeypatch, cut):
    root = moved_ahead(tmp_path, (SHELF, ROOMS), start=(SHELF,) if cut else ())
    if cut:
        ends = [git(root, "rev-parse", ref).stdout.strip() for ref in ("topic", "main")]
        (root / ".git" / "shallow").write_text("".join(f"{end}\n" for end in ends))
    report = checked(root, monkeypatch)
    assert ("tool-removed", "count_floors") in changes(report)
