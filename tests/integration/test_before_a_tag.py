"""The baseline where no tag holds a surface: the last release as it was recorded, whatever is recorded since."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

from mcp_governor.changelog.first import first_changelog
from mcp_governor.surface import parse_surface

CHANGELOG = "docs/mcp-schema-changelog.md"
OLD, NEW = surface_text(tool("find"), tool("fetch")), surface_text(tool("find"))  # fetch is removed: a break


@pytest.fixture
def root(tmp_path: Path) -> Path:
    config = f'target = "live.json"\nchangelog = "{CHANGELOG}"\n\n[policy]\ngate = "release"\n'
    first = first_changelog(parse_surface(OLD.encode(), "live.json"), "1.0.0")
    files = {"mcp-governor.toml": config, "live.json": OLD, "mcp-surface.json": OLD, CHANGELOG: first}
    return repository(tmp_path / "shop", files | {"docs/mcp-surface/1.0.0.json": OLD})


def checked(folder: Path, *options: str) -> tuple[int, dict]:
    done = governor(folder, "check", "--format", "json", *options)
    return done.returncode, json.loads(done.stdout)


def test_a_break_that_is_recorded_again_stays_a_break(root: Path) -> None:
    write(root, {"live.json": NEW, "mcp-surface.json": NEW})
    committed(root, "remove a tool and record it")
    for options in ((), ("--offline",)):
        code, report = checked(root, *options)
        assert code == 1
        assert report["baseline"]["source"] == "docs/mcp-surface/1.0.0.json"
        assert [change["kind"] for change in report["changes"]] == ["tool-removed"]


def test_the_first_draft_and_release_end_green_at_the_tag_and_after_it(root: Path) -> None:
    write(root, {"live.json": surface_text(tool("find"), tool("fetch"), tool("list"), version="1.1.0")})
    done = governor(root, "snapshot")
    assert done.returncode == 0, done.stderr
    drafted = governor(root, "changelog", "draft")
    assert drafted.returncode == 0, drafted.stderr
    assert "## Unreleased" in (root / CHANGELOG).read_text()
    released = governor(root, "changelog", "release", "1.1.0")
    assert released.returncode == 0, released.stdout + released.stderr
    committed(root, "1.1.0")
    assert checked(root)[0] == 0
    git(root, "tag", "v1.1.0")
    code, report = checked(root)
    assert code == 0, report["findings"]
    assert (report["stage"]["tag"], report["baseline"]["source"]) == ("v1.1.0", "docs/mcp-surface/1.0.0.json")


def test_a_shallow_clone_compares_with_the_last_release_as_recorded(root: Path, tmp_path: Path) -> None:
    git(root, "tag", "v1.0.0")
    write(root, {"live.json": NEW, "mcp-surface.json": NEW})
    committed(root, "remove a tool and record it")
    clone = tmp_path / "clone"
    subprocess.run(("git", "clone", "-q", "--depth", "1", root.as_uri(), clone), check=True, capture_output=True)
    code, report = checked(clone)
    assert code == 1
    assert report["baseline"]["source"] == "docs/mcp-surface/1.0.0.json"
    assert [change["kind"] for change in report["changes"]] == ["tool-removed"]
