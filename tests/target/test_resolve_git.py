"""Files at a git ref as TARGET, and the tags that are releases."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mcp_governor.config import Config
from mcp_governor.errors import TargetError
from mcp_governor.target import GitSource, parse_target, read_source
from mcp_governor.target.git_releases import latest_release
from mcp_governor.target.tag_names import version_of_tag


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
    assert isinstance(source, GitSource)
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


def test_outside_a_repository(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="not in a git repository"):
        read_source(parse_target("git:HEAD", Config(), base=tmp_path))


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
