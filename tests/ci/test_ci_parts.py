"""The parts of a CI job: what it knows of itself, its history, the API, the comment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from github_stub import WRITTEN, GitHub
from projects import git, repository
from replacing import replace
from support import REPO

from mcp_governor.ci import pull_request
from mcp_governor.ci.comment import MAX_COMMENT, ApiError, Memory, PullRequest, marker, post_comment, remembered
from mcp_governor.ci.job import Job, read_job
from mcp_governor.ci.phases import Wanted, check, command_line, conclude, prepare
from mcp_governor.errors import UsageError

SHA = "a" * 40
TOKEN = {"MCP_GOVERNOR_GITHUB_TOKEN": "ghs_0123456789"}
NEW = f"{marker('.')}\n{Memory().line()}\nnew"
PLAN = {"base": "refs/remotes/origin/main", "approval": "required"}
JOB = Job("github", "pull_request", 7)


@pytest.fixture
def github(monkeypatch):
    monkeypatch.setattr(pull_request, "_RETRY", 0)
    with GitHub() as running:
        yield running


@pytest.fixture
def job(github):
    return Job("github", "pull_request", 7, repository="us/shop", api=github.url, token="ghs_0123456789")


def event(tmp_path, payload, name="pull_request", **more):
    path = tmp_path / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_REPOSITORY": "us/shop",
        **more,
    }


class TestJob:
    def test_pull_request_target_is_refused(self, tmp_path):
        with pytest.raises(UsageError, match="does not run on pull_request_target"):
            read_job(event(tmp_path, {}, "pull_request_target"))

    @pytest.mark.parametrize("payload", ["", "{", "[" * 100_000])
    def test_a_payload_that_is_not_json_is_an_error(self, tmp_path, payload):
        with pytest.raises(UsageError, match=r"payload of the event cannot be read: it is not JSON"):
            read_job(event(tmp_path, payload))

    @pytest.mark.parametrize(
        "pull",
        [
            None,
            [],
            {"number": True, "base": [], "labels": {}, "head": None},
            {"number": -1, "base": {"ref": "--upload-pack=x y", "sha": "--all"}, "labels": [1, {"name": 2}, None]},
        ],
    )
    def test_a_hostile_payload_says_nothing(self, tmp_path, pull):
        job = read_job(event(tmp_path, {"pull_request": pull}))
        assert (job.number, job.base_branch, job.base_commit, job.labels) == (0, "", "", ())

    @pytest.mark.parametrize(
        ("ref", "number"),
        [
            (f"refs/heads/gh-readonly-queue/main/pr-7-{SHA}", 7),
            (f"refs/heads/gh-readonly-queue/release/2.x/pr-12-{SHA}", 12),
            (f"refs/heads/gh-readonly-queue/pr-9-{SHA}/pr-7-{SHA}", 7),
            (f"refs/heads/topic/pr-7-{SHA}", 0),
            ("refs/heads/gh-readonly-queue/main/pr-0-x", 0),
            (7, 0),
        ],
    )
    def test_the_merge_queue_names_its_pull_request(self, tmp_path, ref, number):
        payload = {"merge_group": {"base_sha": SHA, "base_ref": "refs/heads/main", "head_ref": ref}}
        assert read_job(event(tmp_path, payload, "merge_group")).number == number

    @pytest.mark.parametrize(
        ("kind", "base"), [("detached", "b" * 40), ("merged_result", "c" * 40), ("merge_train", "c" * 40)]
    )
    def test_gitlab(self, kind, base):
        job = read_job(
            {
                "GITLAB_CI": "true",
                "CI_MERGE_REQUEST_IID": "12",
                "CI_MERGE_REQUEST_EVENT_TYPE": kind,
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": "b" * 40,
                "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "c" * 40,
                "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
                "CI_MERGE_REQUEST_LABELS": "bug,mcp-breaking-approved",
            }
        )
        assert (job.number, job.base_commit, job.base_branch) == (12, base, "main")
        assert job.labels == ("bug", "mcp-breaking-approved")


class TestApi:
    def test_pages_are_followed(self, github, job):
        github.labels = [f"label {number}" for number in range(250)]
        assert len(PullRequest(job).labels()) == 250
        assert [path.partition("?")[2] for _, path, _ in github.asked] == [f"per_page=100&page={n}" for n in (1, 2, 3)]
        assert {token for *_, token in github.asked} == {"Bearer ghs_0123456789"}

    def test_endless_pages_end(self, github, job):
        github.labels = ["a"] * 3_000
        assert len(PullRequest(job).labels()) == 2_000

    @pytest.mark.parametrize(("status", "requests"), [(403, 1), (404, 1), (500, 2), (503, 2)])
    def test_an_error_is_tried_again_only_where_that_may_help(self, github, job, status, requests):
        github.status[("GET", "labels")] = status
        with pytest.raises(ApiError) as raised:
            PullRequest(job).labels()
        assert raised.value.status == status
        assert "\n" not in str(raised.value)
        assert len(github.asked) == requests


class TestLabels:
    """Which labels count, through ``prepare`` on a repository without history."""

    @pytest.fixture
    def prepared(self, tmp_path, github, monkeypatch):
        root = repository(tmp_path / "shop", {"README.md": "a"})
        head = git(root, "rev-parse", "HEAD").stdout.strip()
        monkeypatch.chdir(root)

        def run(*labels, action="synchronize", **variables):
            pull = {"number": 7, "base": {"ref": "main", "sha": head}, "labels": [{"name": name} for name in labels]}
            pull |= {"head": {"sha": SHA}, "updated_at": "2026-01-02T03:04:06Z"}
            payload = {"action": action, "label": {"name": labels[-1] if labels else ""}, "pull_request": pull}
            made = {"GITHUB_API_URL": github.url, **event(tmp_path, payload), **variables}
            for name, value in made.items():
                monkeypatch.setenv(name, value)
            remarks = prepare(Wanted(folder=tmp_path / "out"))
            return json.loads((tmp_path / "out" / "plan.json").read_text())["approval"], remarks

        return run

    def plan(self, tmp_path):
        plan = json.loads((tmp_path / "out" / "plan.json").read_text())
        assert (tmp_path / "out" / "approved.txt").read_text().split() == plan["approved"]
        return plan["approval"], plan["approved"], plan["labelled"]

    def test_the_labels_of_now_count_and_not_those_of_the_event(self, prepared, github):
        assert prepared("mcp-breaking-approved", **TOKEN) == ("required", ())
        github.labels = ["mcp-breaking-approved"]
        assert prepared(**TOKEN) == ("given", ())

    def test_it_approves_what_the_comment_shows_when_it_is_set(self, prepared, github, tmp_path):
        asked, approved = "a" * 26, "b" * 26
        github.labels = ["mcp-breaking-approved"]
        github.add(f"{marker('.')}\n{Memory((asked,), (approved,), SHA).line()}\ntext")
        all_of, old = ("required", [approved, asked], True), ("required", [approved], True)
        prepared("mcp-breaking-approved", action="labeled", **TOKEN)
        assert self.plan(tmp_path) == all_of
        prepared("mcp-breaking-approved", **TOKEN)
        assert self.plan(tmp_path) == old, "set before the push"
        prepared("bug", "mcp-breaking-approved", "other", action="labeled", **TOKEN)
        assert self.plan(tmp_path) == old, "about another label"
        prepared(**TOKEN)
        assert self.plan(tmp_path) == old, "nobody says that it was set after the comment"
        prepared("mcp-breaking-approved", action="labeled", GITHUB_RUN_ATTEMPT="2", **TOKEN)
        assert self.plan(tmp_path) == old, "the comment may show a later push by now"
        github.comments[0]["updated_at"] = "2026-01-02T03:04:07Z"
        prepared("mcp-breaking-approved", action="labeled", **TOKEN)
        assert self.plan(tmp_path) == old, "it was written after the label was set"
        github.comments[0]["updated_at"] = "2026-01-02T03:04:05Z"
        github.comments[0]["body"] = github.comments[0]["body"].replace(SHA, "b" * 40)
        prepared("mcp-breaking-approved", action="labeled", **TOKEN)
        assert self.plan(tmp_path) == old, "it is about another commit"
        github.labels = []
        prepared(**TOKEN)
        assert self.plan(tmp_path) == ("required", [], False)

    def test_a_comment_that_cannot_be_read_approves_nothing(self, prepared, github, tmp_path):
        github.labels = ["mcp-breaking-approved"]
        github.status[("GET", "comments")] = 403
        _, (remark,) = prepared("mcp-breaking-approved", action="labeled", **TOKEN)
        assert self.plan(tmp_path) == ("required", [], True)
        assert remark.text.startswith("The comment with what is approved cannot be read (403")

    def test_a_label_with_a_key_counts_whenever_it_was_set(self, prepared, github, tmp_path):
        key = "abcdefghijklmnopqrstuvwx23"
        github.labels = [f"mcp-breaking-approved:{key}", "mcp-breaking-approved:x", f"other:{'a' * 26}"]
        prepared(**TOKEN)
        assert self.plan(tmp_path) == ("required", [key], False)

    def test_on_gitlab_only_a_label_with_a_key_says_what_it_approves(self, prepared, tmp_path, monkeypatch):
        key = "abcdefghijklmnopqrstuvwx23"
        prepared()
        for name in ("GITHUB_ACTIONS", "GITHUB_EVENT_NAME"):
            monkeypatch.delenv(name)
        made = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
        made["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = git(Path.cwd(), "rev-parse", "HEAD").stdout.strip()
        made["CI_MERGE_REQUEST_LABELS"] = f"mcp-breaking-approved,mcp-breaking-approved:{key}"
        for name, value in made.items():
            monkeypatch.setenv(name, value)
        (remark,) = prepare(Wanted(folder=tmp_path / "out"))
        assert self.plan(tmp_path) == ("required", [key], True)
        assert remark.text.endswith("does not say which breaks it approves: use the one that the report names.")

    def test_without_a_token_those_of_the_event_count_at_the_first_run(self, prepared):
        approval, (remark,) = prepared("mcp-breaking-approved", action="labeled")
        assert approval == "given"
        assert remark.text == "The labels of the event count: there is no token to read the labels."
        assert prepared("mcp-breaking-approved")[0] == "required", "set before the push"
        assert prepared("mcp-breaking-approved", "bug", action="labeled")[0] == "required", "about another label"
        approval, (remark,) = prepared("mcp-breaking-approved", action="labeled", GITHUB_RUN_ATTEMPT="2")
        assert approval == "required"
        assert "does not count when a job is run again" in remark.text

    @pytest.mark.parametrize("status", [403, 404, 500])
    def test_if_they_cannot_be_read_an_old_event_approves_nothing(self, prepared, github, status):
        github.status[("GET", "labels")] = status
        approval, (remark,) = prepared("mcp-breaking-approved", action="labeled", **TOKEN)
        assert approval == "given"
        assert "pull-requests: read" in remark.text
        approval, (remark,) = prepared("mcp-breaking-approved", action="labeled", **TOKEN, GITHUB_RUN_ATTEMPT="3")
        assert (approval, remark.level) == ("required", "warning")


class TestComment:
    def test_a_comment_of_somebody_else_is_not_ours(self, github, job):
        github.add(f"{marker('.')}\nmine", login="mallory", kind="User")
        assert post_comment(job, ".", "new", changed=True) == ""
        assert [one["body"] for one in github.comments] == [f"{marker('.')}\nmine", NEW]

    def test_ours_is_found_behind_many(self, github, job):
        for number in range(150):
            github.add(f"comment {number}", login="someone", kind="User")
        github.add(f"{marker('.')}\nold")
        github.add(f"{marker('other')}\nold")
        assert post_comment(job, ".", "new", changed=False) == ""
        assert github.comments[150]["body"] == NEW
        assert github.comments[151]["body"] == f"{marker('other')}\nold"
        assert len(github.comments) == 152

    @pytest.mark.parametrize("status", [401, 403, 404, 422, 500])
    def test_it_never_fails_the_job(self, github, job, status):
        github.status[("POST", "comments")] = status
        said = post_comment(job, ".", "new", changed=True)
        assert said.startswith("No comment was written: ")
        assert "\n" not in said
        assert sum(method == "POST" for method, *_ in github.asked) == 1, "a comment is not posted twice"

    def test_a_comment_of_another_bot_is_not_ours(self, github, job):
        github.add(f"{marker('.')}\nechoed", login="some-app[bot]")
        assert post_comment(job, ".", "new", changed=True) == ""
        assert len(github.comments) == 2
        assert remembered(job, ".") == Memory(written=WRITTEN)

    def test_the_comment_of_the_tokens_own_app_is_ours(self, github, job):
        github.viewer = "our-app[bot]"
        github.add(f"{marker('.')}\nold", login="our-app[bot]")
        assert post_comment(replace(job, graphql=f"{github.url}/graphql"), ".", "new", changed=True) == ""
        assert [one["body"] for one in github.comments] == [NEW]

    def test_a_name_cannot_end_the_marker(self):
        assert marker("a --> <b>\n").startswith("<!-- mcp-governor a-b ")
        assert marker("a --> <b>\n").count(">") == 1

    def test_each_name_has_a_marker_of_its_own(self):
        names = ["搜索", "支付", "servers/搜索", "servers/支付", "a b", "a-b", ".", "", "x" * 100, "x" * 101, "x" * 102]
        assert len({marker(name) for name in names}) == len(names)
        assert marker("servers/shop") == "<!-- mcp-governor servers/shop -->"

    def test_what_it_knows_is_in_its_second_line_alone(self, github, job):
        memory = Memory(("a" * 26, "b" * 26), ("c" * 26,), SHA)
        forged = Memory(approved=("f" * 26,)).line()
        post_comment(job, ".", f"text\n{forged}\n", changed=True, memory=memory)
        assert remembered(job, ".") == replace(memory, written=WRITTEN)
        post_comment(job, ".", f"{forged}\n", changed=True)
        assert remembered(job, ".") == Memory(written=WRITTEN)

    def test_a_long_report_is_cut_and_closed(self, github, job):
        body = "<details><summary>a</summary>\n\n````diff\n" + "+ ```\n" * 20_000 + "````\n\n</details>\n"
        post_comment(job, ".", body, changed=True)
        (comment,) = github.comments
        assert MAX_COMMENT - 500 < len(comment["body"]) <= MAX_COMMENT
        assert comment["body"].endswith(
            "+ ```\n````\n\n</details>\n\n*The rest is left out here: see the summary of the job.*\n"
        )


class TestCommandLine:
    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            ((), "check --new-only --base refs/remotes/origin/main --approval required"),
            (("--only", "breaking"), "check --base refs/remotes/origin/main --approval required --only breaking"),
            (("--base", "v1"), "check --new-only --base v1"),
            (("--isolated", "a.json"), "check --isolated a.json"),
            (("--", "s", "--base"), "check --new-only --base refs/remotes/origin/main --approval required -- s --base"),
        ],
    )
    def test_what_the_workflow_says_goes_first(self, arguments, line):
        assert " ".join(command_line(Wanted(arguments=arguments), PLAN, JOB)) == line

    def test_what_is_approved_is_handed_over_in_a_file(self, tmp_path):
        plan = {"base": "main", "approval": "required", "approved": ["a" * 26]}
        words = command_line(Wanted(folder=tmp_path), plan, JOB)
        assert words[-2:] == ["--approved", str(tmp_path / "approved.txt")]


def test_a_pull_request_is_not_checked_without_what_prepare_found(tmp_path, monkeypatch):
    payload = {"pull_request": {"number": 7, "base": {"ref": "main", "sha": SHA}}}
    for name, value in event(tmp_path, payload).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match="The phase prepare left nothing in"):
        check(Wanted(folder=tmp_path / "empty"))


def test_a_run_without_a_report_is_never_a_pass(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    verdict, _ = conclude(Wanted(folder=tmp_path), 0)
    assert verdict == "error"
    assert "did not run (exit code 0)" in (tmp_path / "comment.md").read_text()


class TestInstall:
    """``action/install.py``: a script that only needs Python."""

    def run(self, tmp_path, path, **variables):
        output = tmp_path / "output"
        output.touch()
        done = subprocess.run(
            [sys.executable, str(REPO / "action" / "install.py")],
            env={"PATH": path, "GITHUB_OUTPUT": str(output), "RUNNER_TEMP": str(tmp_path), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, output.read_text()

    def test_the_one_on_path_is_used(self, tmp_path):
        program = tmp_path / "mcp-governor"
        program.write_text("")
        program.chmod(0o755)
        assert self.run(tmp_path, str(tmp_path), VERSION="installed") == (0, "", f"program={program}\n")

    def test_what_pip_gets(self):
        sys.path.insert(0, str(REPO / "action"))
        try:
            from install import requirement
        finally:
            sys.path.remove(str(REPO / "action"))
        assert requirement("", REPO) == str(REPO)
        assert requirement("1.2.3", REPO) == "mcp-governor==1.2.3"
        assert requirement("mcp-governor[run]~=1.2", REPO) == "mcp-governor[run]~=1.2"
