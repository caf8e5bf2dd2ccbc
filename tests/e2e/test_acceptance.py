"""The story that the tool is for: record a surface, check it, make an argument required, be told."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from commandline import PYTHON, contents, governor

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.surface import fingerprint, load_surface

DEMO = ("--", PYTHON, "-m", "mcp_governor.demo.server", "--release", "1")
# The packaged server with one argument made required and nothing else touched, its version included.
CHANGED = """
from mcp_governor.demo import server

reserve = server.RELEASES[1]["tools"][2]
reserve["inputSchema"]["required"].append("branch")
server.main()
"""
POINTER = "/inputSchema/properties/branch"
CHANGELOG = """# Changelog

## 1.0.0 (current)

Fingerprint: `{fingerprint}`

### Added

- `search_books`, `get_book`, `reserve_copy`.
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A folder with a recorded baseline and a changelog that tells it, and the changed server beside them."""
    outcome = governor("snapshot", *DEMO, cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    (tmp_path / "changed.py").write_text(CHANGED)
    (tmp_path / "docs").mkdir()
    digest = fingerprint(load_surface(tmp_path / "mcp-surface.json"))
    # Text shows twelve digits of a fingerprint.
    assert f" {digest[: len('v1:sha256:') + 12]}\n" in outcome.out
    (tmp_path / "docs" / "mcp-schema-changelog.md").write_text(CHANGELOG.format(fingerprint=digest))
    return tmp_path


def test_what_was_recorded_passes(repo: Path) -> None:
    before = contents(repo)
    outcome = governor("check", *DEMO, cwd=repo)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("\nPASS\n")
    assert "required bump: none" in outcome.out
    assert contents(repo) == before, "a check writes nothing"
    again = governor("snapshot", *DEMO, cwd=repo)
    assert again.code == 0
    assert contents(repo) == before, "the same surface gives the same bytes"


def test_an_argument_made_required_is_reported_in_json(repo: Path) -> None:
    outcome = governor("check", "--format", "json", "--", PYTHON, "changed.py", cwd=repo)
    assert (outcome.code, outcome.err) == (1, "")
    report = outcome.report
    jsonschema.Draft202012Validator(DOCUMENT_FORMATS["report"].schema()).validate(report)
    [change] = report["changes"]
    assert (change["kind"], change["tool"], change["path"]) == ("argument-required", "reserve_copy", POINTER)
    assert (change["side"], change["verdict"], change["bump"]) == ("input", "breaking", "major")
    assert (report["required_bump"], report["declared_bump"], report["verdict"]) == ("major", "none", "fail")
    assert report["summary"]["forcing"] == [change["id"]]
    schemas = {
        tool["name"]: tool["inputSchema"] for tool in json.loads((repo / "mcp-surface.json").read_text())["tools"]
    }
    old = schemas["reserve_copy"]
    new = {**old, "required": ["isbn", "branch"]}
    assert jsonschema.Draft202012Validator(old).is_valid(change["witness"])
    assert not jsonschema.Draft202012Validator(new).is_valid(change["witness"])
    by_rule = {finding["rule"]: finding for finding in report["findings"]}
    assert "- `reserve_copy` now requires `branch`." in by_rule["changelog/missing-entry"]["fix"]
    assert "2.0.0" in by_rule["policy/bump-too-small"]["fix"]
    assert report["fingerprint"] in by_rule["changelog/fingerprint-stale"]["fix"]
