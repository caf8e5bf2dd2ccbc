"""Files in reports for code hosts are named as in a repository, on Windows too (which is played here)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_governor.checking import places


def test_backslashes_of_windows_become_slashes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(places, "_SEPARATOR", "\\")
    monkeypatch.setattr(places.os.path, "relpath", lambda path: f"docs\\{Path(path).name}")
    assert places._from_here(tmp_path / "surface.json") == "docs/surface.json"


def test_elsewhere_a_backslash_is_part_of_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert places._from_here(tmp_path / "docs" / "a\\b.json") == "docs/a\\b.json"
