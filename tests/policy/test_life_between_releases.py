"""The life of a server under ``policy.gate = "release"``, told through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from living import GATE, Released

# Every way to the verdict is in tests/policy/test_stages.py and tests/changelog/test_between_releases.py; here is what
# only a repository shows: its tags, its branches, and the commands.


@pytest.fixture
def life(tmp_path: Path) -> Released:
    return Released(tmp_path, "1.0.0", GATE)


def pending(out: str) -> str:
    return next(line for line in out.splitlines() if line.startswith("pending"))


def break_search(life: Released) -> None:
    life.tool("search", "query", "limit")
    life.tools["search"]["inputSchema"]["required"] = ["limit"]


def test_a_cycle_with_pull_requests_in_it(life: Released, tmp_path: Path) -> None:
    assert life.judged() == (0, None, []), "still at the tag"
    life.tool("search", "query", "limit")
    assert life.judged() == (1, "minor 1.1.0", ["changelog/missing-entry"])
    life.mention("Added", "`search` takes an optional `limit`.")
    assert life.judged() == (0, "minor 1.1.0", [])
    assert pending(life.passes("check", "-q")) == "pending: minor, release as 1.1.0 (argument-added in search)"
    life.go_on()

    # a break, mentioned as a change and then as what it is
    life.tool("find", "query", "day")
    life.tools["find"]["inputSchema"]["required"] = ["day"]
    life.mention("Changed", "`find` now requires `day`.")
    code, coming, rules = life.judged()
    assert (code, coming, "changelog/wrong-subsection" in rules) == (1, "major 2.0.0", True)
    added = "- `search` takes an optional `limit`.\n"
    entry = "**Changed**\n\n- `find` now requires `day`.\n\n"
    life.path.write_text(
        life.log.replace(entry, "").replace(added, f"{added}\n**Breaking**\n\n- `find` now requires `day`.\n")
    )
    assert life.judged() == (0, "major 2.0.0", [])

    assert life.judged("--release") == (1, None, ["changelog/unreleased", "policy/bump-too-small"])
    done = life.run("check", "--release")
    assert "fix: Release them with: mcp-governor changelog release 2.0.0\n" in done.out
    assert "\njudged as a release\n" in done.out
    life.version = "1.1.0"
    rules = ["changelog/breaking-needs-major", "policy/bump-too-small"]
    assert life.judged() == (1, "major 2.0.0", rules), "a version that moves is judged"
    life.version = "2.0.0"
    life.passes("changelog", "release", "2.0.0")
    life.tagged("2.0.0")
    report = life.run("check", "--format", "json").report
    assert report["stage"] == {"gate": "release", "at_release": True, "tag": "v2.0.0"}
    assert report["baseline"]["source"] == "git:v1.0.0"
    cloned = life.clone(tmp_path / "second", "v2.0.0").run("check", "-q")
    assert "compared with git:v1.0.0 (1.0.0)\njudged as release v2.0.0\n" in cloned.out
    assert "; declared: major (1.0.0 → 2.0.0)\nPASS\n" in cloned.out
    life.go_on()
    assert pending(life.passes("check", "-q")) == "pending: nothing"


def test_a_tag_whose_release_is_wrong_is_found_where_it_is_built(
    life: Released, monkeypatch: pytest.MonkeyPatch
) -> None:
    del life.tools["find"]
    life.mention("Removed", "`find` is gone; use `search` instead.")
    life.tagged("1.0.1")
    monkeypatch.setenv("GITHUB_REF_TYPE", "tag")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.0.1")
    code, coming, rules = life.judged()
    assert (code, coming) == (1, None)
    assert {"changelog/unreleased", "policy/bump-too-small"} <= set(rules)


@pytest.mark.parametrize("tag", ["v1.0.1", "v20.0.0"])
def test_a_tag_names_the_version_that_it_releases(life: Released, monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    """A slip in the tag of a break: whoever pins it gets another surface than its version promises."""
    break_search(life)
    life.passes("changelog", "draft")
    life.version = "2.0.0"
    life.passes("changelog", "release", "2.0.0")
    life.tagged(tag.removeprefix("v"))
    assert life.judged() == (1, None, ["policy/tag-version"])
    reported = life.run("check").out
    assert f"The tag {tag} and the version of its commit differ: the server reports 2.0.0." in reported
    assert "fix: Delete the tag. Then tag this commit with its own version, or correct the version first." in reported
    life.git("tag", "-d", tag)
    life.git("tag", "v2.0.0")
    assert life.judged() == (0, None, [])
    # the clone of a build may lack the tag itself
    monkeypatch.setenv("CI_COMMIT_TAG", "v2.0.1")
    assert life.judged() == (1, None, ["policy/tag-version"])


@pytest.mark.parametrize(("tag", "rules"), [("v2.0.0", []), ("v0.9.0", ["policy/tag-version"])])
def test_a_tag_beside_the_version_of_a_server(life: Released, tag: str, rules: list[str]) -> None:
    """A surface that has not changed may keep its version, but is not older than its tag."""
    life.git("tag", "-d", "v1.0.0")
    life.git("tag", tag)
    assert life.judged() == (len(rules), None, rules)


@pytest.mark.parametrize(
    ("source", "tag", "rules"),
    [("pyproject.toml", "v2.0.0", ["policy/tag-version"]), ("1.0.0", "v2026.11.1", [])],
)
def test_a_tag_beside_the_version_of_a_project(life: Released, source: str, tag: str, rules: list[str]) -> None:
    life.git("tag", "-d", "v1.0.0")
    (life.root / "pyproject.toml").write_text('[project]\nname = "notes"\nversion = "1.0.0"\n')
    (life.root / "mcp-governor.toml").write_text(f'schema-version = "{source}"\n{life.config}')
    life.commit("another source")
    life.git("tag", tag)
    assert life.judged() == (len(rules), None, rules)


def test_compared_with_main(life: Released) -> None:
    """A branch is held to main, which has changes of its own waiting."""
    del life.tools["find"]
    life.mention("Removed", "`find` is gone; use `search` instead.")
    life.passes("snapshot", "-o", "mcp-surface.json")
    life.go_on()
    life.git("checkout", "-q", "-b", "feature")
    life.tool("search", "query", "limit")
    against = ("--against", "git:main:mcp-surface.json")
    assert life.judged(*against) == (1, "major 2.0.0", ["changelog/missing-entry"])
    life.mention("Added", "`search` takes an optional `limit`.")
    assert life.judged(*against) == (0, "major 2.0.0", [])
    assert life.run("check", "--only", "breaking", *against).code == 0
    assert life.run("check", "--only", "breaking").code == 1


def test_every_way_in_has_the_same_stage(life: Released) -> None:
    life.tool("search", "query", "limit")
    assert life.run("changelog", "check").code == 1
    life.mention("Added", "`search` takes an optional `limit`.")
    life.passes("snapshot", "-o", "mcp-surface.json")
    for line in (["check"], ["changelog", "check"], ["check", "--offline"]):
        assert pending(life.passes(*line)) == "pending: minor, release as 1.1.0 (argument-added in search)", line
    assert "Pending: **minor, release as 1.1.0** (argument-added in" in life.run("check", "--format", "markdown").out
