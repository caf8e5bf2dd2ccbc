"""Between releases or at one: what a repository, CI and the command line say."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mcp_governor.checking.against.baseline import baseline_of
from mcp_governor.checking.against.last_release import stage_of
from mcp_governor.config import Config
from mcp_governor.config.policy import PolicyConfig
from mcp_governor.rule_names import noting
from mcp_governor.stage import Stage
from mcp_governor.surface import parse_surface
from mcp_governor.target.git_releases import latest_release, release_of_head

LOG = "CHANGES.md"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@h.example", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *who, *arguments), check=True, capture_output=True, timeout=60)


def surface(version: str, *tools: str) -> str:
    listed = [{"name": name, "inputSchema": {"type": "object"}} for name in tools or ("find",)]
    return json.dumps({"tools": listed, "serverInfo": {"name": "notes", "version": version}})


def commit(folder: Path, files: dict[str, str], *tags: str) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", "next")
    for tag in tags:
        git(folder, "tag", "-a", tag, "-m", tag)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two releases, HEAD at the second."""
    folder = tmp_path / "notes"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, {"mcp-surface.json": surface("1.0.0"), LOG: "## 1.0.0 (current)\n"}, "v1.0.0")
    commit(folder, {"mcp-surface.json": surface("1.1.0"), LOG: "## 1.1.0 (current)\n"}, "v1.1.0")
    return folder


def config(folder: Path, gate: str = "release", **more: Any) -> Config:
    return Config(root=folder, changelog=LOG, policy=PolicyConfig(gate=gate), **more)


def staged(folder: Path, version: str = "1.1.0", **more: Any) -> Stage:
    return stage_of(config(folder), parse_surface(surface(version).encode(), "s"), environ={}, **more)


AT_TAG = Stage("release", at_release=True, tag="v1.1.0")
BETWEEN = Stage("release", at_release=False)


def test_head_at_its_tag_is_a_release(repo: Path) -> None:
    assert staged(repo) == AT_TAG


def test_a_commit_after_the_tag_is_between_releases(repo: Path) -> None:
    commit(repo, {"README.md": "more"})
    assert staged(repo) == BETWEEN
    assert staged(repo, release=True) == Stage("release", at_release=True, asked=True)


def test_work_that_went_on_from_the_tag_is_between_releases(repo: Path) -> None:
    """What a maintainer has in the work tree after a release, before the first commit."""
    newer = parse_surface(surface("1.1.0", "find", "list").encode(), "s")
    assert stage_of(config(repo), newer, environ={}) == BETWEEN
    assert staged(repo, "1.2.0") == BETWEEN
    (repo / LOG).write_text("## Unreleased\n\n## 1.1.0 (current)\n")
    assert staged(repo) == BETWEEN
    (repo / LOG).unlink()
    assert staged(repo) == BETWEEN


def test_line_ends_are_not_a_change(repo: Path) -> None:
    (repo / LOG).write_bytes(b"## 1.1.0 (current)\r\n")
    assert staged(repo) == AT_TAG


@pytest.mark.parametrize(
    ("environ", "tag"),
    [
        ({"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v1.2.0"}, "v1.2.0"),
        ({"CI_COMMIT_TAG": "1.2.0"}, "1.2.0"),
        ({"CI_COMMIT_TAG": "notes@1.2.0"}, "notes@1.2.0"),
        ({"CI_COMMIT_TAG": "@acme/notes-mcp@1.2.0"}, "@acme/notes-mcp@1.2.0"),
        ({"CI_COMMIT_TAG": "notes_py-1.2.0"}, "notes_py-1.2.0"),
        ({"GITHUB_REF_TYPE": "branch", "GITHUB_REF_NAME": "v1.2.0"}, ""),
        ({"CI_COMMIT_TAG": "v1.2.0-rc.1"}, ""),
        ({"CI_COMMIT_TAG": "nightly"}, ""),
        ({"CI_COMMIT_TAG": "other-1.2.0"}, ""),
        ({"CI_COMMIT_TAG": ""}, ""),
    ],
)
def test_ci_names_the_tag(repo: Path, environ: dict[str, str], tag: str) -> None:
    """The clone need not have the tag; pre-releases and the releases of another package are none of ours."""
    commit(repo, {"package.json": '{"name": "@acme/notes-mcp"}', "pyproject.toml": '[project]\nname = "notes_py"\n'})
    with noting() as notes:
        stage = stage_of(config(repo), parse_surface(surface("1.2.0").encode(), "s"), environ=environ)
    assert stage == Stage("release", at_release=bool(tag), tag=tag or None)
    built = environ.get("CI_COMMIT_TAG")
    ignored = f"The tag {built} is none of this server's releases, so nothing is judged as a release."
    assert list(notes) == ([ignored] if built and not tag else [])


def test_every_change_is_a_release_where_the_gate_is_change(repo: Path) -> None:
    commit(repo, {})
    now = parse_surface(surface("1.1.0").encode(), "s")
    assert stage_of(config(repo, "change"), now, environ={}) == Stage("change", at_release=True)


def test_an_isolated_run_asks_no_repository(repo: Path) -> None:
    stage = stage_of(Config(root=repo, isolated=True), parse_surface(surface("1.1.0").encode(), "s"), environ={})
    assert stage == Stage("change", at_release=True)


def test_of_several_packages_the_own_tag_counts(repo: Path) -> None:
    git(repo, "tag", "other-9.0.0")
    git(repo, "tag", "notes-1.1.0")
    assert release_of_head(repo) == "notes-1.1.0"
    git(repo, "tag", "-d", "notes-1.1.0")
    assert release_of_head(repo) == "v1.1.0"
    commit(repo, {}, "other-9.1.0")
    assert release_of_head(repo) == ""


def test_what_a_tag_released_is_checked_against_the_release_before(repo: Path) -> None:
    found = baseline_of(parse_surface(surface("1.1.0").encode(), "s"), config(repo), stage=AT_TAG)
    assert (found.source, found.surface.version) == ("git:v1.0.0", "1.0.0")
    found = baseline_of(parse_surface(surface("1.1.0").encode(), "s"), config(repo), stage=BETWEEN)
    assert found.source == "git:v1.1.0"


def test_a_tag_on_an_older_line_is_checked_against_the_release_below_it(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "old", "v1.0.0")
    git(repo, "merge", "-q", "v1.1.0")
    commit(repo, {}, "v1.0.1")
    assert latest_release(repo, "mcp-surface.json", before="v1.0.1") == ("v1.0.0", "mcp-surface.json")
