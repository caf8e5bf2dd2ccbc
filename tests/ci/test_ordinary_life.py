"""What happens to pull requests, one job after the other, on a GitHub on the loopback."""

from __future__ import annotations

import json
import re

from beginnings import CONFIG
from projects import committed, git, governor, write
from shops import LABEL, SURFACE, added, broken, broken_again


def test_the_label_approves_what_was_shown_when_it_was_set(shop, github):
    shop.pull_request(broken)
    assert shop.job(action="opened").code == 1
    github.labels = [LABEL]
    assert shop.job(action="labeled", labels=[LABEL]).code == 0
    shop.push(lambda root: write(root, {"README.md": "more"}))
    assert shop.job(labels=[LABEL]).code == 0, "nothing new to approve"
    shop.push(broken_again)
    run = shop.job(labels=[LABEL])
    assert run.code == 1, run.log
    assert f'The label "{LABEL}" was set before it was shown: remove it, and add it again.' in run.log
    assert "Approved by the label" in run.log
    assert run.check["breaks"] == "2"
    assert shop.job(action="labeled", labels=["bug", LABEL], label="bug").code == 1, "another label says nothing"
    github.labels = []
    assert shop.job(action="unlabeled").code == 1
    github.labels = [LABEL]
    assert shop.job(action="labeled", labels=[LABEL]).code == 0
    # In the merge queue the approval of the pull request counts.
    queue = f"refs/heads/gh-readonly-queue/main/pr-7-{shop.rev('main')}"
    group = {"base_sha": shop.rev("main"), "base_ref": "refs/heads/main", "head_ref": queue}
    git(shop.origin, "update-ref", queue, shop.rev("refs/pull/7/merge"))
    shop.event = {"action": "checks_requested", "merge_group": group}
    assert shop.job(ref=queue, event="merge_group").code == 0
    github.labels = []
    run = shop.job(ref=queue, event="merge_group")
    assert run.code == 1
    assert "2 breaking changes need approval." in run.log


def test_on_a_fork_the_label_counts_until_the_next_push(shop, github):
    github.status[("POST", "comments")] = 403
    shop.pull_request(broken, fork=True)
    run = shop.job(action="opened")
    assert run.code == 1
    key = re.search(rf'"{LABEL}:([a-z2-7]{{26}})" stays valid for exactly it', run.log)[1]
    github.labels = [LABEL]
    assert shop.job(action="labeled", labels=[LABEL]).code == 0
    shop.push(broken_again)
    assert shop.job(labels=[LABEL]).code == 1
    github.labels = [f"{LABEL}:{key}"]
    assert shop.job(labels=github.labels).code == 1, "the key is not of the second break"


def test_the_servers_of_a_monorepo_are_judged_each_by_its_folder(shop, github):
    git(shop.origin, "checkout", "-q", "main")
    recorded = (shop.origin / SURFACE).read_text()
    for name in ("one", "two"):
        write(shop.origin, {f"{name}/{CONFIG}": f'target = "{SURFACE}"\n', f"{name}/{SURFACE}": recorded})
        write(shop.origin, {f"{name}/mcp-surface.json": recorded})
    committed(shop.origin, "two servers")
    shop.pull_request(lambda root: broken(root / "one", draft=False))
    assert shop.job(action="opened", **{"working-directory": "one", "args": "--only breaking"}).code == 1
    assert shop.job(action="opened", **{"working-directory": "two", "args": "--only breaking"}).code == 0
    (comment,) = github.comments
    assert comment["body"].startswith("<!-- mcp-governor one -->\n")
    github.labels = [LABEL]
    run = shop.job(action="labeled", labels=[LABEL], **{"working-directory": "one", "args": "--only breaking"})
    assert run.code == 0, run.log


def test_a_release_on_main_and_its_tag(shop):
    """A tag is no pull request: nothing is approved, and it is compared with the release before."""
    git(shop.origin, "checkout", "-q", "main")
    added(shop.origin)
    text = (shop.origin / SURFACE).read_text()
    write(shop.origin, {SURFACE: text.replace('"2.1.0"', '"2.2.0"')})
    assert governor(shop.origin, "changelog", "release", "2.2.0").returncode == 0
    committed(shop.origin, "2.2.0")
    assert shop.job(ref="refs/heads/main", event="push").code == 0
    git(shop.origin, "tag", "-a", "-m", "2.2.0", "v2.2.0")
    tag = {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v2.2.0"}
    run = shop.job(ref="refs/tags/v2.2.0", event="push", env=tag)
    assert run.code == 0, run.log
    report = json.loads((shop.folder / "temp2/mcp-governor/report.json").read_text())
    assert report["baseline"]["version"] == "2.1.0"
    assert report.get("base") is None
