"""policy/version-source: a server that reports its library's version, or one that its project left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_governor.policy.version_source import check_source
from mcp_governor.surface import build_surface
from mcp_governor.version_sources import suggesting

PYPROJECT = '[project]\nname = "codetree"\nversion = "0.2.0"\n'
LOCK = '[[package]]\nname = "fastmcp"\nversion = "4.1.2"\n'


@pytest.mark.parametrize(
    ("reported", "files", "message", "fix"),
    [
        ("0.2.0", {"pyproject.toml": PYPROJECT}, None, None),
        ("4.1.2", {}, None, None),
        (None, {"pyproject.toml": PYPROJECT}, None, None),  # version-missing says so
        ("rolling", {}, None, None),
        (
            "4.1.2",
            {"pyproject.toml": PYPROJECT, "uv.lock": LOCK},
            "The server reports 4.1.2, the version of FastMCP.",
            "Take the version from the project: mcp-governor schema-version pyproject.toml",
        ),
        (
            "0.1.0",
            {"package.json": '{"version": "2026.8.31"}'},
            "The server reports 0.1.0, and package.json line 1 says 2026.8.31.",
            "Take the version from the project: mcp-governor schema-version package.json",
        ),
        (
            "4.1.2",
            {"uv.lock": LOCK},
            "The server reports 4.1.2, the version of FastMCP.",
            'Give the server a version of its own: version="0.1.0" where it is made.',
        ),
    ],
)
def test_the_reason_and_the_way_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reported: str | None,
    files: dict[str, str],
    message: str | None,
    fix: str | None,
) -> None:
    monkeypatch.setattr(suggesting, "own_environment", lambda: ())
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    surface = build_surface({"serverInfo": {"version": reported} if reported else {}})
    found = list(check_source(surface, tmp_path))
    assert [(one.rule, one.severity, one.message, one.fix) for one in found] == (
        [] if message is None else [("policy/version-source", "warning", message, fix)]
    )


def test_the_source_of_the_project_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggesting, "own_environment", lambda: ())
    (tmp_path / "server.py").write_text('from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP("notes")\n')
    surface = build_surface({"serverInfo": {"version": "4.1.2"}})
    assert "server.py" in suggesting.suggest_source(surface, tmp_path).reason
    assert list(check_source(surface, tmp_path)) == [], "every check would read up to a hundred files"
