"""The life of a server under ``policy.gate = "release"``, told through the command line.

Releases are written by hand here: what the commands write is theirs to test (tests/changelog, tests/e2e).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_life import Repository

from mcp_governor.surface import fingerprint, load_surface

GATE = '\n[policy]\ngate = "release"\n'


class Released(Repository):
    """A repository whose changes wait for releases."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        config = root / "mcp-governor.toml"
        config.write_text(config.read_text() + GATE)
        (root / "docs").mkdir()
        self.path = root / "docs" / "mcp-schema-changelog.md"

    def mention(self, label: str, *entries: str) -> None:
        """Entries under a label of the unreleased section, which is begun where there is none."""
        lines = "".join(f"- {entry}\n" for entry in entries)
        text = self.path.read_text() if self.path.exists() else ""
        if not text.startswith("## Unreleased"):
            text = f"## Unreleased\n\n{text}"
        self.path.write_text(text.replace("## Unreleased\n", f"## Unreleased\n\n**{label}**\n\n{lines}", 1))

    def cut(self, version: str) -> None:
        """What a release writes: the section, its fingerprint, and the recordings."""
        self.version = version
        recording = f"docs/mcp-surface/{version}.json"
        (self.root / "docs" / "mcp-surface").mkdir(exist_ok=True)
        for name in (recording, "mcp-surface.json"):
            assert self.run("snapshot", "-o", name).code == 0
        stated = fingerprint(load_surface(self.root / recording))
        text = self.path.read_text().replace(" (current)", "")
        self.path.write_text(text.replace("## Unreleased\n", f"## {version} (current)\n\nFingerprint: `{stated}`\n", 1))

    def commit(self, *tags: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "next")
        for tag in tags:
            self.git("tag", tag)

    def judged(self, *options: str) -> tuple[int, str | None, list[str]]:
        """Exit code, what is pending, and the rules of packs policy and changelog that are found."""
        done = self.run("check", "--format", "json", *options)
        assert done.stdout, done.err
        pending = done.report["pending"]
        rules = {finding["rule"] for finding in done.report["findings"]}
        return (
            done.code,
            None if pending is None else f"{pending['bump']} {pending['version']}",
            sorted(rule for rule in rules if rule.startswith(("policy/", "changelog/"))),
        )

    def clone(self, tmp_path: Path, tag: str) -> Repository:
        """A fresh clone at a tag."""
        self.git("clone", "-q", "--branch", tag, ".", str(tmp_path))
        cloned = Released.__new__(Released)
        cloned.root, cloned.version, cloned.tools = tmp_path, self.version, dict(self.tools)
        return cloned


@pytest.fixture
def life(tmp_path: Path) -> Released:
    root = tmp_path / "notes"
    root.mkdir()
    released = Released(root)
    released.tool("search", "query")
    released.tool("find", "query")
    return released


def summary(done: Any) -> list[str]:
    """The last lines of a report: what is pending, and the verdict."""
    return [line for line in done.out.splitlines()[-3:] if line.startswith(("pending", "required", "PASS", "FAIL"))]


def test_two_releases_with_pull_requests_between_them(life: Released, tmp_path: Path) -> None:
    # the first release ever: no tag, nothing recorded
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    assert life.judged() == (0, None, [])
    life.cut("1.0.0")
    assert life.judged("--release") == (0, None, [])
    life.commit("v1.0.0")
    assert life.judged() == (0, None, [])
    assert life.clone(tmp_path / "first", "v1.0.0").run("check").code == 0

    # an edit in the work tree, still at the tag
    life.tool("search", "query", "limit")
    assert life.judged() == (1, "minor 1.1.0", ["changelog/missing-entry"])
    life.mention("Added", "`search` takes an optional `limit`.")
    assert life.judged() == (0, "minor 1.1.0", [])
    done = life.run("check", "-q")
    assert summary(done) == ["pending: minor, release as 1.1.0 (argument-added in search)", "PASS"]
    life.commit()
    assert life.judged() == (0, "minor 1.1.0", [])

    # new words: no entry, no version
    life.tool("search", "query", "limit", description="Use this when one note has to be found by the words in it.")
    life.commit()
    assert life.judged() == (0, "minor 1.1.0", [])

    # a break, mentioned as a change and then as what it is
    life.tool("find", "query", "day")
    life.tools["find"]["inputSchema"]["required"] = ["day"]
    life.mention("Changed", "`find` now requires `day`.")
    code, pending, rules = life.judged()
    assert (code, pending) == (1, "major 2.0.0")
    assert "changelog/wrong-subsection" in rules
    text = life.path.read_text()
    entry = "**Changed**\n\n- `find` now requires `day`.\n"
    added = "- `search` takes an optional `limit`.\n"
    life.path.write_text(
        text.replace(f"{entry}\n", "").replace(added, f"{added}\n**Breaking**\n\n- `find` now requires `day`.\n")
    )
    assert life.judged() == (0, "major 2.0.0", [])
    life.commit()

    # the release; new words are told with it, as under every other gate
    asked = ["changelog/missing-wording-entry", "changelog/unreleased", "policy/bump-too-small"]
    assert life.judged("--release") == (1, None, asked)
    done = life.run("check", "--release")
    assert "fix: Release them with: mcp-governor changelog release 2.0.0\n" in done.out
    assert "\njudged as a release\n" in done.out
    life.version = "1.1.0"
    code, pending, rules = life.judged()
    assert (code, pending) == (1, "major 2.0.0")
    assert rules == ["changelog/breaking-needs-major", "policy/bump-too-small"], "a version that moves is judged"
    life.cut("2.0.0")
    assert life.judged("--release") == (0, None, ["changelog/missing-wording-entry"])
    life.commit("v2.0.0")
    done = life.run("check", "--format", "json")
    assert done.report["stage"] == {"gate": "release", "at_release": True, "tag": "v2.0.0"}
    assert (done.code, done.report["baseline"]["source"]) == (0, "git:v1.0.0")
    cloned = life.clone(tmp_path / "second", "v2.0.0").run("check", "-q")
    assert cloned.code == 0
    assert "compared with git:v1.0.0 (1.0.0)\njudged as release v2.0.0\n" in cloned.out
    assert "; declared: major (1.0.0 → 2.0.0)\nPASS\n" in cloned.out

    # the second cycle begins
    life.commit()
    assert life.judged() == (0, None, [])
    assert summary(life.run("check", "-q")) == ["pending: nothing", "PASS"]


def test_a_tag_whose_release_is_wrong_is_found_where_it_is_built(
    life: Released, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    life.cut("1.0.0")
    life.commit("v1.0.0")
    del life.tools["find"]
    life.mention("Removed", "`find` is gone; use `search` instead.")
    life.commit("v1.0.1")
    monkeypatch.setenv("GITHUB_REF_TYPE", "tag")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.0.1")
    code, pending, rules = life.judged()
    assert (code, pending) == (1, None)
    assert {"changelog/unreleased", "policy/bump-too-small"} <= set(rules)


@pytest.mark.parametrize("tag", ["v1.0.1", "v20.0.0"])
def test_a_tag_names_the_version_that_it_releases(life: Released, monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    """A slip in the tag of a break: whoever pins it gets another surface than its version promises."""
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    life.cut("1.0.0")
    life.commit("v1.0.0")
    life.tool("search", "query", "limit")
    life.tools["search"]["inputSchema"]["required"] = ["limit"]
    life.mention("Breaking", "`search` now requires `limit`.")
    life.cut("2.0.0")
    life.commit(tag)
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


def test_a_tag_before_its_commit_is_found_where_the_project_counts(life: Released) -> None:
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    life.cut("1.0.0")
    life.commit("v2.0.0")
    assert life.judged() == (0, None, []), "a surface that has not changed may keep its version"
    (life.root / "pyproject.toml").write_text('[project]\nname = "notes"\nversion = "1.0.0"\n')
    config = life.root / "mcp-governor.toml"
    config.write_text(f'schema-version = "pyproject.toml"\n{config.read_text()}')
    assert life.judged() == (1, None, ["policy/tag-version"])
    assert "The tag v2.0.0 and the version of its commit differ: pyproject.toml:3 says 1.0.0." in life.run("check").out


def test_a_tag_below_the_version_is_found_at_the_first_release(life: Released) -> None:
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    life.cut("1.0.0")
    life.commit("v0.9.0")
    assert life.judged() == (1, None, ["policy/tag-version"])


def test_tags_that_count_something_else_are_let_alone(life: Released) -> None:
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    config = life.root / "mcp-governor.toml"
    config.write_text(f'schema-version = "1.0.0"\n{config.read_text()}')
    life.cut("1.0.0")
    life.commit("v2026.11.1")
    assert life.judged() == (0, None, [])


def test_compared_with_main(life: Released) -> None:
    """A branch is held to main, which has changes of its own waiting."""
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    life.cut("1.0.0")
    life.commit("v1.0.0")
    del life.tools["find"]
    life.mention("Removed", "`find` is gone; use `search` instead.")
    assert life.run("snapshot", "-o", "mcp-surface.json").code == 0
    life.commit()
    life.git("checkout", "-q", "-b", "feature")
    life.tool("search", "query", "limit")
    against = ("--against", "git:main:mcp-surface.json")
    assert life.judged(*against) == (1, "major 2.0.0", ["changelog/missing-entry"])
    life.mention("Added", "`search` takes an optional `limit`.")
    assert life.judged(*against) == (0, "major 2.0.0", [])
    assert life.run("check", "--only", "breaking", *against).code == 0
    assert life.run("check", "--only", "breaking").code == 1


def test_every_way_in_has_the_same_stage(life: Released) -> None:
    life.mention("Added", "`search` is a new tool.", "`find` is a new tool.")
    life.cut("1.0.0")
    life.commit("v1.0.0")
    life.tool("search", "query", "limit")
    assert life.run("changelog", "check").code == 1
    life.mention("Added", "`search` takes an optional `limit`.")
    assert life.run("snapshot", "-o", "mcp-surface.json").code == 0
    for line in (["check"], ["changelog", "check"], ["check", "--offline"]):
        done = life.run(*line)
        assert (done.code, summary(done)[0]) == (0, "pending: minor, release as 1.1.0 (argument-added in search)"), line
    assert "Pending: **minor, release as 1.1.0**." in life.run("check", "--format", "markdown").out
