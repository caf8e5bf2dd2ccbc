"""Release candidates: what one of them mentions is not repeated by the next, nor by the release."""

from __future__ import annotations

import json

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

CHANGELOG = "docs/mcp-schema-changelog.md"
CONFIG = 'target = "stock"\n[servers.stock]\nfile = "live.json"\n[policy]\ngate = "release"\n'
FIRST = "# Log\n\n## 1.0.0 (current)\n\nFingerprint: `{}`\n\n**Added**\n\n- `find_stock`.\n"
OLD, BROKEN, COUNT = tool("find_stock"), tool("find_stock", "warehouse"), tool("count_stock")


@pytest.fixture(params=["tagged", "untagged"])
def shop(request, tmp_path):
    """A repository with a release, and whether releases are tagged."""
    first = {"mcp-governor.toml": CONFIG, "live.json": surface_text(OLD), "mcp-surface.json": surface_text(OLD)}
    root = repository(tmp_path / "stock", first)
    digest = json.loads(governor(root, "fingerprint", "live.json", "--format", "json").stdout)["fingerprint"]
    write(root, {CHANGELOG: FIRST.format(digest)})
    committed(root, "release 1.0.0")
    if request.param == "tagged":
        git(root, "tag", "v1.0.0")
    return root


def developed(root, version, *tools):
    """The next version as its author leaves it: every change has its entry."""
    write(root, {"live.json": surface_text(*tools, version=version)})
    assert governor(root, "changelog", "draft").returncode == 0
    done = governor(root, "check")
    assert done.returncode == 0, done.stdout


def released(root, version):
    tagged = bool(git(root, "tag").stdout)
    done = governor(root, "changelog", "release", version)
    assert done.returncode == 0, done.stdout + done.stderr
    committed(root, f"release {version}")
    if tagged:
        git(root, "tag", f"v{version}")
    for arguments in ((), ("--release",)):
        done = governor(root, "check", *arguments)
        assert done.returncode == 0, done.stdout
    git(root, "commit", "-q", "--allow-empty", "-m", "go on")
    assert governor(root, "check").returncode == 0


def test_two_candidates_and_the_release(shop):
    developed(shop, "2.0.0-rc.1", BROKEN)
    released(shop, "2.0.0-rc.1")
    developed(shop, "2.0.0-rc.2", BROKEN, COUNT)
    released(shop, "2.0.0-rc.2")
    developed(shop, "2.0.0", BROKEN, COUNT)
    released(shop, "2.0.0")
    text = (shop / CHANGELOG).read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## 2.0.0 (current)", "## 2.0.0-rc.2", "## 2.0.0-rc.1", "## 1.0.0"]
    assert text.count("now requires the new `warehouse`") == 1


def test_the_release_may_sum_up_what_its_candidates_brought(shop):
    developed(shop, "2.0.0-rc.1", BROKEN)
    released(shop, "2.0.0-rc.1")
    summary = "## Unreleased\n\n**Breaking**\n\n- `find_stock` now requires the new `warehouse`.\n\n"
    text = (shop / CHANGELOG).read_text()
    write(shop, {CHANGELOG: text.replace("## 2.0.0-rc.1", f"{summary}## 2.0.0-rc.1", 1)})
    developed(shop, "2.0.0", BROKEN)
    assert "duplicate-entry" not in governor(shop, "check").stdout
    released(shop, "2.0.0")


@pytest.mark.parametrize("shop", ["tagged"], indirect=True)
def test_a_tool_of_a_candidate_may_be_gone_in_the_next(shop):
    """Compared with the last release, nothing has happened to it."""
    developed(shop, "2.0.0-rc.1", BROKEN, COUNT)
    released(shop, "2.0.0-rc.1")
    developed(shop, "2.0.0-rc.2", BROKEN)
    released(shop, "2.0.0-rc.2")


def test_a_candidate_mentions_what_it_breaks_itself(shop):
    developed(shop, "2.0.0-rc.1", BROKEN)
    released(shop, "2.0.0-rc.1")
    text = surface_text(tool("find_stock", "warehouse", "shelf"), version="2.0.0-rc.2")
    write(shop, {"live.json": text, "mcp-surface.json": text})
    report = json.loads(governor(shop, "check", "--format", "json").stdout)
    unreported = [one["message"] for one in report["findings"] if one["rule"] == "changelog/missing-entry"]
    assert len(unreported) == 1
    assert "required parameter `shelf` is new" in unreported[0]
    assert governor(shop, "changelog", "release", "2.0.0-rc.2").returncode != 0
