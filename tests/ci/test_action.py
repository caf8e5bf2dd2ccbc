"""``action.yml``: its steps are run with bash, in the shallow clones that actions/checkout makes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from beginnings import parsed
from projects import write
from shops import ACTION, ASKS, LABEL, added, broken


def test_a_compatible_change_passes_and_gets_one_comment_that_goes_away_with_it(shop, github):
    shop.pull_request(added)
    run = shop.job()
    assert run.code == 0, run.log
    assert run.check["changed"] == "true"
    assert run.check["required-bump"] == "minor"
    (comment,) = github.comments
    assert comment["body"].startswith("<!-- mcp-governor . -->\n")
    assert "1 compatible change" in comment["body"]
    assert "<details><summary>Definitions, line by line</summary>" in comment["body"]
    shop.job()
    assert len(github.comments) == 1
    assert not [one for one in github.asked if one[0] == "PATCH"], "the same text is not written again"
    shop.pull_request(lambda root: write(root, {"README.md": "c"}))
    shop.job()
    (comment,) = github.comments
    assert "no longer changes what clients see" in comment["body"]


def test_a_break_fails_until_the_label_is_there_and_again_after_it_is_gone(shop, github):
    shop.pull_request(broken)
    run = shop.job(sarif="out.sarif", shell=True)
    assert run.code == 1, run.log
    assert f"::error title=mcp-governor::1 breaking change needs approval. {ASKS}" in run.log
    assert re.search(r"^::error file=now\.json,line=\d+,.*required-argument-added", run.log, re.M)
    assert f"Add the label `{LABEL}` to approve it." in run.summary
    assert "mcp-governor check --new-only --base refs/remotes/origin/main --approval required" in run.summary
    assert f"Add the label `{LABEL}`" in github.comments[0]["body"]
    assert run.check["breaks"] == "1"
    assert run.check["verdict"] == "fail"
    assert json.loads(Path(run.check["json"]).read_text())["base"]["ref"] == "origin/main"
    assert (shop.folder / "work1" / run.check["sarif"]).is_file()
    github.labels = ["bug", LABEL]
    run = shop.job(action="labeled", labels=github.labels)
    assert run.code == 0, run.log
    assert re.search(rf'Approved by the label "{LABEL}": required-argument-added:find_stock:', run.log)
    assert "approved on the pull request" in github.comments[0]["body"]
    assert len(github.comments) == 1
    # The event of a job that is run again still has the label.
    github.labels = []
    shop.event["pull_request"]["labels"] = [{"name": LABEL}]
    assert shop.job(env={"GITHUB_RUN_ATTEMPT": "2"}).code == 1


def test_what_needs_no_approval_is_not_approved_by_the_label(shop, github):
    def unmentioned(root):
        before = (root / "docs/mcp-schema-changelog.md").read_text()
        broken(root)
        write(root, {"docs/mcp-schema-changelog.md": before})

    shop.pull_request(unmentioned)
    github.labels = [LABEL]
    run = shop.job()
    assert run.code == 1
    assert "changelog/missing-entry" in run.log
    assert re.search(r"^::error file=docs/mcp-schema-changelog\.md,line=\d+", run.log, re.M)


def test_every_option_of_the_command_line_is_reachable_and_nothing_reaches_the_shell(shop, github):
    shop.pull_request(lambda root: write(root, {"README.md": "b"}))
    run = shop.job(args="--profile '$(touch hacked)'", target="`touch hacked`", shell=True)
    assert run.code == 2
    assert "touch hacked" in run.log
    assert shop.job(args="--help").code == 4
    run = shop.job(args="--level strict --report junit='a b.xml'", **{"fail-on": "never"})
    assert run.code == 0, run.log
    assert (shop.folder / "work3" / "a b.xml").is_file()


def test_no_step_writes_an_expression_into_a_shell():
    for step in parsed(ACTION)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert step.get("uses", "actions/").startswith("actions/"), "only actions of GitHub itself are used by tag"
        if step["id"] == "check":
            assert "MCP_GOVERNOR_GITHUB_TOKEN" not in step["env"]
