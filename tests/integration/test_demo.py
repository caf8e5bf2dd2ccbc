"""``demo``: the story ends as it is told, with nothing but the core installed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from projects import contents, governor, governor_process, write

BLOCKED = ("mcp", "mcp_types", "fastmcp", "httpx2", "pytest")
"""What an installation without extras does not have, or has no need of here."""


@pytest.fixture
def reported(tmp_path):
    """What the demo says where no SDK can be imported."""
    write(tmp_path, {f"blocked/{name}.py": f"raise ImportError('{name} is not here')\n" for name in BLOCKED})
    done = governor_process(tmp_path, "demo", PYTHONPATH=str(tmp_path / "blocked"), NO_COLOR="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_it_reports_the_break_its_proof_and_what_to_do(reported):
    for words in (
        "$ mcp-governor init",
        "✗ argument-required  reserve_copy /inputSchema/",
        "valid before, invalid now: {",
        "+## Unreleased",
        "policy/bump-too-small",
        "pending: major, release as 2.0.0",
        "Release it as 2.0.0",
        "$ mcp-governor changelog draft --diff",
        "+- `reserve_copy` now requires `branch`.",
    ):
        assert words in reported, words
    # the baseline passes, the hurried release does not
    init, check, hurried, draft = (part for part in reported.split("$ mcp-governor ")[1:])
    assert "(exit code 0)" in init
    assert "PASS" in check
    assert "(exit code 0)" in check
    assert "FAIL" in hurried
    assert "(exit code 1)" in hurried
    assert "(exit code 0)" in draft
    assert "Traceback" not in reported


def test_it_leaves_nothing_behind_unless_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    here = Path.cwd()
    assert governor(tmp_path, "demo").returncode == 0
    assert list(tmp_path.iterdir()) == []
    done = governor(tmp_path, "demo", "--keep")
    (kept,) = tmp_path.iterdir()
    assert str(kept) in done.stdout
    assert {"mcp-governor.toml", "mcp-surface.json", "docs/mcp-schema-changelog.md"} <= set(contents(kept))
    assert Path.cwd() == here
