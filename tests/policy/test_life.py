"""The life of a server in a git repository, told through the command line: every step with its exit code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from living import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path)
    repository.tool("search", "query")
    repository.tool("find", "query")
    return repository


def test_a_release_renews_the_surface_file_of_the_repository(repository: Repository) -> None:
    life = repository
    life.release("1.0.0")
    life.tool("search", "query", "limit")
    life.version = "1.1.0"
    assert life.run("changelog", "draft").code == 0
    before = (life.root / "mcp-surface.json").read_bytes()
    for option in ("--check", "--diff"):
        assert life.run("changelog", "release", "1.1.0", option).code == 0
    assert (life.root / "mcp-surface.json").read_bytes() == before
    (life.root / "mcp-surface.json").chmod(0o444)
    done = life.run("changelog", "release", "1.1.0")
    assert (done.code, "mcp-surface.json is read-only; nothing was written" in done.err) == (2, True)
    assert not (life.root / "docs" / "mcp-surface" / "1.1.0.json").exists()
    (life.root / "mcp-surface.json").chmod(0o644)
    done = life.run("changelog", "release", "v1.1.0")
    assert "docs/mcp-surface/1.1.0.json and mcp-surface.json record its surface" in done.out
    assert done.out.endswith("\nNext: commit these files, and tag the commit v1.1.0.\n")
    recorded = (life.root / "docs" / "mcp-surface" / "1.1.0.json").read_bytes()
    assert (life.root / "mcp-surface.json").read_bytes() == recorded
    assert life.run("check", "--offline").code == 0


def test_a_section_that_never_went_out_becomes_the_next_release(repository: Repository) -> None:
    life = repository
    life.release("1.0.0")
    life.tool("search", "query", "limit")
    assert life.run("changelog", "draft", "--for", "1.0.1").code == 0
    assert re.findall(r"^## .*", life.log, re.MULTILINE) == ["## 1.0.1 (current)", "## 1.0.0"]
    assert life.run("changelog", "draft").code == 0
    assert re.findall(r"^## .*", life.log, re.MULTILINE) == ["## 1.1.0 (current)", "## 1.0.0"]
    life.version = "1.1.0"
    assert life.check() == (0, [])
    life.release("1.1.0")
    assert "- `search` takes an optional `limit`.\n" in life.run("changelog", "diff", "1.0.0", "1.1.0").out
    # one that went out stays
    life.version = "1.1.1"
    assert life.run("changelog", "draft").code == 0
    assert re.findall(r"^## .*", life.log, re.MULTILINE) == ["## 1.1.1 (current)", "## 1.1.0", "## 1.0.0"]


def test_a_shallow_clone_says_that_its_releases_are_missing(repository: Repository, tmp_path: Path) -> None:
    life = repository
    life.release("1.0.0")
    life.git("commit", "-q", "--allow-empty", "-m", "later")
    clone = life.root / "home" / "clone"
    life.git("clone", "-q", "--depth", "1", "--no-tags", f"file://{life.root}", str(clone))
    life.root = clone
    report = life.run("check", "--format", "json").report
    assert report["baseline"]["source"] == (
        "mcp-surface.json (no release tag in this shallow clone; fetch them: git fetch --unshallow --tags)"
    )
