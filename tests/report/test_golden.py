"""What people read, whole: each file in ``tests/golden`` was read by a person before it was committed."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface, fingerprint

CHANGELOG = """# Changelog

## 1.0.0 (current)

Fingerprint: `{fingerprint}`

### Added

- `search_books`, `get_book`, `reserve_copy`.
"""
ACCEPTED = """
baseline = "old.json"

[tiers]
advanced = ["list_*"]

[[accept]]
finding = "{finding}"
reason = "the one client was asked"
"""


def new_release() -> dict:
    """The packaged server's second release, with an answer that promises less and a shape nobody can decide."""
    release = copy.deepcopy(RELEASES[2])
    search = release["tools"][0]
    search["outputSchema"]["properties"]["titles"]["items"]["required"] = ["isbn"]
    release["tools"].append({"inputSchema": {"type": "object"}})
    return release


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    old, new = build_surface(RELEASES[1]), build_surface(new_release())
    (tmp_path / "old.json").write_text(dump_surface(old))
    (tmp_path / "new.json").write_text(dump_surface(new))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mcp-schema-changelog.md").write_text(CHANGELOG.format(fingerprint=fingerprint(old)))
    (tmp_path / "mcp-governor.toml").write_text(ACCEPTED.format(finding="none:-:/:00000000"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def accept_first(folder: Path, rule: str, capsys) -> None:
    report = governor_here("check", "new.json", "--format", "json", capsys=capsys).report
    found = next(finding["id"] for finding in report["findings"] if finding["rule"] == rule)
    (folder / "mcp-governor.toml").write_text(ACCEPTED.format(finding=found))


LINTED = ["--select", "charter/use-this-when", "--select", "charter/disambiguation", "--select", "spec/tool-name"]
CASES = {
    "check-pass.txt": (0, ["check", "old.json"]),
    "check.txt": (1, ["check", "new.json"]),
    "check-verbose.txt": (1, ["check", "new.json", "-v"]),
    "check-quiet.txt": (1, ["check", "new.json", "-q"]),
    "check.md": (1, ["check", "new.json", "--format", "markdown"]),
    "diff.txt": (1, ["diff", "old.json", "new.json"]),
    "diff-stat.txt": (1, ["diff", "old.json", "new.json", "--stat"]),
    "diff-same.txt": (0, ["diff", "old.json", "old.json"]),
    "diff.md": (1, ["diff", "old.json", "new.json", "--format", "markdown"]),
    "lint.txt": (1, ["lint", "new.json", *LINTED]),
    "rule.txt": (0, ["rule", "charter/use-this-when"]),
    "fingerprint.txt": (0, ["fingerprint", "old.json", "--tools"]),
}


@pytest.mark.parametrize("name", CASES)
def test_text(name: str, folder: Path, capsys, golden) -> None:
    code, arguments = CASES[name]
    if name == "check-pass.txt":
        (folder / "mcp-governor.toml").write_text('baseline = "old.json"\n')
    elif name.startswith("check"):
        accept_first(folder, "policy/bump-too-small", capsys)
    outcome = governor_here(*arguments, capsys=capsys)
    assert (outcome.code, outcome.err) == (code, "")
    assert not re.search(r"[ \t]$", outcome.out, re.MULTILINE), "a line ends in spaces"
    assert "\n\n\n" not in outcome.out
    golden(name, re.sub(r"\b\d+ rules\b", "N rules", outcome.out))


def test_the_catalogue_lines_up(folder: Path, capsys) -> None:
    outcome = governor_here("rules", capsys=capsys)
    rows = [re.fullmatch(r"(\S+) +(error|warning|info) +(\S.*)", row) for row in outcome.out.splitlines()]
    assert all(rows)
    assert len({row.start(2) for row in rows if row}) == len({row.start(3) for row in rows if row}) == 1
    ids = [row[1] for row in rows if row]
    assert ids == sorted(set(ids))
    listed = json.loads(governor_here("rules", "--format", "json", capsys=capsys).stdout)
    assert [rule["id"] for rule in listed] == ids


def test_style_is_only_added_where_it_is_asked_for(folder: Path, capsys) -> None:
    plain = governor_here("diff", "old.json", "new.json", capsys=capsys).out
    styled = governor_here("diff", "old.json", "new.json", "--color", "always", capsys=capsys).out
    assert "\x1b[" not in plain
    assert "\x1b[" in styled
    words = re.sub(r"\x1b\[[0-9;]*m", "", styled)
    assert words.split() == plain.split()
