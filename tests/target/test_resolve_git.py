"""Files at a git ref as TARGET, and the tags that are releases."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcp_governor.config import Config
from mcp_governor.errors import TargetError
from mcp_governor.target import parse_target, read_source
from mcp_governor.target.git import merge_base
from mcp_governor.target.git_releases import latest_release, version_of_tag

if TYPE_CHECKING:
    from collections.abc import Callable


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *identity, *arguments), check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    for version, tag in (("1.2.0", "v1.2.0"), ("1.10.0", "v1.10.0"), ("2.0.0-rc.1", "v2.0.0-rc.1")):
        document = {"tools": [{"name": f"tool_{version}", "inputSchema": {"type": "object"}}]}
        (tmp_path / "mcp-surface.json").write_text(json.dumps(document))
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", version)
        git(tmp_path, "tag", tag)
    return tmp_path


def test_a_file_at_a_ref(repo: Path) -> None:
    source = parse_target("git:v1.2.0", Config(), base=repo)
    assert read_source(source).tools[0].name == "tool_1.2.0"
    named = parse_target("git:HEAD:mcp-surface.json", Config(), base=repo)
    assert read_source(named).tools[0].name == "tool_2.0.0-rc.1"


def test_a_missing_ref_prints_the_fetch_command(repo: Path) -> None:
    with pytest.raises(TargetError, match='no ref "v9"') as caught:
        read_source(parse_target("git:v9", Config(), base=repo))
    assert "git fetch origin v9" in caught.value.hint
    with pytest.raises(TargetError) as caught:
        read_source(parse_target("git:origin/main", Config(), base=repo))
    assert "git fetch origin main" in caught.value.hint
    with pytest.raises(TargetError, match="other.json does not exist at git ref HEAD"):
        read_source(parse_target("git:HEAD:other.json", Config(), base=repo))


def test_the_latest_release_is_the_highest_version_not_the_last_tag(repo: Path) -> None:
    assert latest_release(repo, "mcp-surface.json") == ("v1.10.0", "mcp-surface.json")
    assert latest_release(repo, "{version}.json", "mcp-surface.json") == ("v1.10.0", "mcp-surface.json")
    assert latest_release(repo, "none.json") is None


@pytest.mark.parametrize(
    ("tag", "version"),
    [
        ("v1.2.3", "1.2.3"),
        ("1.2.3", "1.2.3"),
        ("server-v1.2.3", "1.2.3"),
        ("server-1.2.3", "1.2.3"),
        ("py3-server-2.0.0-rc.1", "2.0.0-rc.1"),
        ("pkg@1.2.3", "1.2.3"),
        ("@scope/pkg@1.2.3", "1.2.3"),
        ("mcp/1.2.3", "1.2.3"),
        ("v2026.08", "2026.08"),
        ("2026-08-01", "2026-08-01"),
        ("v1.2.0rc1", "1.2.0rc1"),
        ("latest", None),
        ("build-17", None),
        ("nightly-20260801", None),
    ],
)
def test_versions_of_tags(tag: str, version: str | None) -> None:
    found = version_of_tag(tag)
    assert (str(found) if found else None) == version


def test_the_tags_of_the_package_itself_count(repo: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(("git", "-C", str(repo), *arguments), check=True, capture_output=True)

    git("tag", "other-9.0.0")
    assert latest_release(repo, "mcp-surface.json") == ("v1.10.0", "mcp-surface.json")
    git("tag", f"{repo.name}@1.11.0")
    git("tag", f"{repo.name}@1.12.0-rc.1")
    assert latest_release(repo, "mcp-surface.json") == (f"{repo.name}@1.11.0", "mcp-surface.json")


@pytest.fixture
def forked(repo: Path) -> Path:
    """``topic`` leaves ``main`` at v2.0.0-rc.1; each then records a surface of its own."""
    for branch in ("topic", "main"):
        git(repo, "checkout", "-q", "-B", branch, "v2.0.0-rc.1")
        document = {"tools": [{"name": f"tool_of_{branch}", "inputSchema": {"type": "object"}}]}
        (repo / "mcp-surface.json").write_text(json.dumps(document))
        git(repo, "commit", "-q", "-a", "-m", branch)
    git(repo, "checkout", "-q", "topic")
    return repo


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("main", "tool_of_main"),
        ("main...", "tool_2.0.0-rc.1"),
        ("...main", "tool_2.0.0-rc.1"),
        ("main...topic", "tool_2.0.0-rc.1"),
        ("v1.2.0...main", "tool_1.2.0"),
        ("topic...", "tool_of_topic"),
    ],
)
def test_three_dots_name_the_merge_base_as_in_git_diff(forked: Path, ref: str, name: str) -> None:
    assert read_source(parse_target(f"git:{ref}:mcp-surface.json", Config(), base=forked)).tools[0].name == name


def _crossed(root: Path) -> None:
    """Each branch is merged into the other, so that they have two last common commits."""
    for branch, other in (("a", "topic"), ("b", "main")):
        git(root, "branch", branch, other)
    git(root, "merge", "-q", "-s", "ours", "--no-edit", "b")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "-s", "ours", "--no-edit", "a")


def _unrelated(root: Path) -> None:
    git(root, "checkout", "-q", "--orphan", "alone")
    git(root, "commit", "-q", "-m", "alone")


def _shallow(root: Path) -> None:
    (root / ".git" / "shallow").write_text(f"{_rev(root, 'topic')}\n{_rev(root, 'main')}\n")


def _rev(root: Path, ref: str) -> str:
    return subprocess.run(
        ("git", "-C", str(root), "rev-parse", ref), check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.parametrize(
    ("change", "ref", "message", "hint"),
    [
        (None, "nope...", 'git has no ref "nope" here', "git fetch origin nope"),
        (None, "main...topic...", "git has no ref", "git fetch"),
        (_crossed, "topic...main", "topic and main do not have one last common commit", "Name a commit of topic"),
        (_unrelated, "main...", "main and HEAD do not have one last common commit", "Name a commit of main"),
        (_shallow, "main...topic", "shallow clone lacks the history", "git fetch --unshallow"),
    ],
)
def test_without_one_merge_base_nothing_is_compared(
    forked: Path, change: Callable[[Path], None] | None, ref: str, message: str, hint: str
) -> None:
    if change is not None:
        change(forked)
    with pytest.raises(TargetError, match=message) as caught:
        read_source(parse_target(f"git:{ref}", Config(), base=forked))
    assert hint in caught.value.hint


def test_a_shallow_clone_may_hide_a_later_common_commit(forked: Path) -> None:
    # v1.2.0 stays in sight by its own tag, but the history between it and both branches does not.
    git(forked, "commit", "-q", "--allow-empty", "-m", "more")
    git(forked, "merge", "-q", "-s", "ours", "--no-edit", "v1.2.0")
    merged = _rev(forked, "HEAD~1")
    (forked / ".git" / "shallow").write_text(f"{merged}\n{_rev(forked, 'main')}\n")
    assert merge_base(forked, "main") == ""
    (forked / ".git" / "shallow").unlink()
    assert merge_base(forked, "main") == _rev(forked, "v2.0.0-rc.1")
