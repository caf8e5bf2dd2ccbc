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


def test_the_whole_life(repository: Repository) -> None:
    life = repository

    life.release("1.0.0", process=True)

    # an optional argument: a minor release, told
    life.tool("search", "query", "limit")
    assert life.check() == (1, ["changelog/fingerprint-stale", "changelog/missing-entry", "policy/bump-too-small"])
    life.version = "1.0.1"
    assert "policy/bump-too-small" in life.check()[1]
    assert life.run("changelog", "release", "1.0.1").code == 2
    life.release("1.1.0")
    assert "## 1.1.0 (current)\n" in life.log
    assert "- `search` takes an optional `limit`.\n" in life.log
    assert life.log.count("(current)") == 1

    # deprecated; a removal right away is refused, whatever the step
    life.tool("find", "query", _meta={"deprecated": {"since": "1.2.0", "replacement": "search"}})
    life.release("1.2.0")
    assert "- `find` is deprecated; use `search` instead.\n" in life.log
    deprecated = life.tools.pop("find")
    for version, small in (("1.3.0", True), ("2.0.0", False)):
        life.version = version
        code, rules = life.check()
        assert (code, "policy/removed-early" in rules, "policy/bump-too-small" in rules) == (1, True, small)
    life.tools["find"] = deprecated

    # two minor releases
    life.tool("tag", "name")
    life.release("1.3.0")
    life.tool("tag", "name", "colour")
    life.release("1.4.0")

    # removal: refused in a minor, allowed in a major
    del life.tools["find"]
    life.version = "1.5.0"
    code, rules = life.check()
    assert code == 1
    assert "policy/bump-too-small" in rules
    assert "policy/removed-early" not in rules
    assert life.run("changelog", "release", "1.5.0").code == 2
    life.release("2.0.0")
    assert "**Removed**\n\n- `find` is gone; use `search` instead.\n" in life.log

    # a rename: a break, and the old name goes without a window, which warns
    life.tools["tag_note"] = {**life.tools.pop("tag"), "name": "tag_note"}
    life.version = "2.1.0"
    code, rules = life.check()
    assert (code, "policy/bump-too-small" in rules) == (1, True)
    life.version = "3.0.0"
    assert life.run("changelog", "draft").code == 0
    assert life.check() == (0, ["policy/rename-without-window"])
    life.release("3.0.0")
    assert "**Breaking**\n\n- `tag` is now called `tag_note`.\n" in life.log

    # a quiet rewrite of a description: a patch, told under Fixed
    life.tool("search", "query", "limit", description="Use this when one note has to be found by the words in it.")
    assert life.check() == (1, ["changelog/missing-wording-entry", "policy/bump-too-small"])
    life.release("3.0.1")
    assert "**Fixed**\n\n- `search` has a new description.\n" in life.log

    # a hotfix behind an unchanged surface
    life.version = "3.0.2"
    assert life.check() == (1, ["changelog/version-mismatch"])
    life.release("3.0.2")

    # what is on paper, and what was recorded
    assert [int(n) for n in re.findall(r"^## (\d)", life.log, re.MULTILINE)] == [3, 3, 3, 2, 1, 1, 1, 1, 1]
    recorded = sorted(file.stem for file in (life.root / "docs" / "mcp-surface").glob("*.json"))
    assert recorded == ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "2.0.0", "3.0.0", "3.0.1", "3.0.2"]
    note = life.run("changelog", "diff", "1.4.0", "3.0.0").out
    assert "- `find` is gone; use `search` instead. (2.0.0)\n" in note
    assert life.run("changelog", "show", "2.0.0").out.startswith("## 2.0.0\n")


def test_a_failed_run_leaves_everything_as_it_was(repository: Repository) -> None:
    repository.release("1.0.0")
    before = repository.log
    path = repository.path
    path.write_text(before.replace("## 1.0.0", "<<<<<<< HEAD\n## 1.0.0"))
    torn = path.read_bytes()
    done = repository.run("changelog", "draft", "--for", "4.0.0")
    assert done.code == 2
    assert re.search(r"mcp-schema-changelog\.md:\d+ holds an unresolved merge conflict", done.err)
    assert path.read_bytes() == torn
    assert repository.run("check").code == 1
    path.write_bytes(before.encode("utf-16"))
    done = repository.run("check")
    assert done.code == 2
    assert "mcp-schema-changelog.md:1 is not UTF-8" in done.err
    path.unlink()
    done = repository.run("check")
    assert done.code == 1
    assert "docs/mcp-schema-changelog.md existed at v1.0.0 and is gone." in done.out
    path.write_text(before)
    assert repository.check() == (0, [])


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
    # one that went out stays
    life.version = "1.1.1"
    assert life.run("changelog", "draft").code == 0
    assert re.findall(r"^## .*", life.log, re.MULTILINE) == ["## 1.1.1 (current)", "## 1.1.0", "## 1.0.0"]


@pytest.mark.parametrize("heading", ["## 1.1.0", "## [Unreleased]", "## 1.1.0 (unreleased)"])
def test_the_release_moves_the_marker(repository: Repository, heading: str) -> None:
    life = repository
    life.release("1.0.0")
    life.tool("search", "query", "limit")
    life.version = "1.1.0"
    assert life.run("changelog", "draft").code == 0
    drafted = life.log
    path = life.path
    byhand = drafted.replace("## 1.1.0 (current)", heading).replace("## 1.0.0\n", "## 1.0.0 (current)\n")
    path.write_text(byhand)
    assert life.check()[0] == 1
    shown = life.run("changelog", "release", "1.1.0", "--diff")
    assert (shown.code, life.log) == (0, byhand)
    assert "+## 1.1.0 (current)\n" in shown.out
    assert life.run("changelog", "release", "1.1.0").code == 0
    assert life.log == drafted
    assert life.check() == (0, [])
    # another version than the server's is refused, whatever the headings say
    path.write_text(byhand.replace("1.1.0", "1.2.0"))
    done = life.run("changelog", "release", "1.2.0")
    assert done.code == 2
    assert "1.2.0 cannot be released yet: the server still reports 1.1.0; set it to 1.2.0" in done.err
    assert life.log == byhand.replace("1.1.0", "1.2.0")


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
