"""``action.yml``: its steps are run with bash, in the shallow clones that actions/checkout makes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from beginnings import CONFIG, begun, parsed, plain
from github_stub import GitHub
from projects import GIT, committed, git, governor, repository, tool, write
from support import REPO

ACTION = (REPO / "action.yml").read_text()
LABEL = "mcp-breaking-approved"
SURFACE = "now.json"
US = {"full_name": "us/shop"}
ASKS = f'Add the label "{LABEL}" to approve it.'


@pytest.fixture
def github():
    with GitHub() as running:
        yield running


@pytest.fixture(scope="module")
def governed(tmp_path_factory):
    """A repository that governs a recorded surface, released as v2.1.0, with three more commits on main."""
    root = repository(tmp_path_factory.mktemp("origin") / "shop", {"README.md": "a"})
    begun(root, "--no-ci", "--no-hook", "--", *plain())
    shutil.copy(root / "mcp-surface.json", root / SURFACE)
    config = (root / CONFIG).read_text()
    write(root, {CONFIG: re.sub('target = "plain"', f'target = "{SURFACE}"', config)})
    committed(root, "governed")
    git(root, "tag", "-a", "-m", "2.1.0", "v2.1.0")
    for number in range(3):
        write(root, {"README.md": str(number)})
        committed(root, f"more {number}")
    # what GitHub allows
    git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    return root


@dataclass
class Run:
    """One job: its log, summary, outputs and exit code."""

    log: str = ""
    summary: str = ""
    code: int = 0
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def check(self):
        return self.outputs["check"]


@dataclass
class Shop:
    """A copy of the repository in which a pull request is made, and the jobs that GitHub starts for it."""

    folder: Path
    github: GitHub
    event: dict = field(default_factory=dict)
    jobs: int = 0

    def __post_init__(self):
        self.origin = self.folder / "origin"

    def pull_request(self, change, *, base="main", fork=False, onto=None):
        """Commit a change on a branch, merge it as GitHub does, and make the event."""
        git(self.origin, "checkout", "-q", "-B", "topic", onto or base)
        change(self.origin)
        committed(self.origin, "change")
        head = self.rev("HEAD")
        git(self.origin, "checkout", "-q", "--detach", base)
        merged = git(self.origin, "merge", "-q", "--no-ff", "-m", "merge", "topic")
        assert merged.returncode == 0, merged.stderr
        git(self.origin, "update-ref", "refs/pull/7/merge", "HEAD")
        git(self.origin, "update-ref", "refs/pull/7/head", head)
        git(self.origin, "checkout", "-q", "main")
        self.event = {
            "pull_request": {
                "number": 7,
                "title": "`$(touch hacked)` ::error::no",
                "base": {"ref": base, "sha": self.rev(base)},
                "head": {"ref": "topic", "sha": head, "repo": {"full_name": "them/shop"} if fork else US},
                "labels": [],
            }
        }

    def push(self, change):
        """A further commit of the pull request."""
        self.pull_request(change, base="main", onto="topic", fork=self.event["pull_request"]["head"]["repo"] != US)

    def rev(self, name):
        return git(self.origin, "rev-parse", name).stdout.strip()

    def job(
        self,
        *,
        ref="refs/pull/7/merge",
        event="pull_request",
        env=None,
        shell=False,
        action="synchronize",
        labels=None,
        label=LABEL,
        **inputs,
    ):
        """Check out one commit, and run the steps of the action: in bash, or quicker where nothing depends on it.

        ``labels`` are those of the event, ``label`` the one that its action is about.
        """
        if event == "pull_request" and self.event:
            self.event |= {"action": action, "label": {"name": label}}
            if labels is not None:
                self.event["pull_request"]["labels"] = [{"name": name} for name in labels]
        self.jobs += 1
        work = self.folder / f"work{self.jobs}"
        work.mkdir()
        git(work, "init", "-q")
        git(work, "remote", "add", "origin", self.origin.as_uri())
        assert git(work, "fetch", "-q", "--no-tags", "--depth=1", "origin", ref).returncode == 0
        git(work, "checkout", "-q", "--detach", "FETCH_HEAD")
        assert git(work, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"
        payload = self.folder / f"event{self.jobs}.json"
        payload.write_text(json.dumps(self.event))
        files = {name: self.folder / f"{name}{self.jobs}" for name in ("summary", "temp")}
        files["temp"].mkdir()
        files["summary"].touch()
        variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI"))},
            **GIT,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(payload),
            "GITHUB_REF": ref,
            "GITHUB_REPOSITORY": "us/shop",
            "GITHUB_SHA": git(work, "rev-parse", "HEAD").stdout.strip(),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "RUNNER_TEMP": str(files["temp"]),
            **(env or {}),
        }
        given = {"version": "installed", "github-token": "ghs_sekret-0123456789", **inputs}
        run = _steps(work, variables, given, shell=shell)
        run.summary = files["summary"].read_text()
        assert "ghs_sekret" not in run.log + run.summary
        assert not (work / "hacked").exists()
        return run


def _steps(work, variables, given, *, shell):
    """Run the steps of the composite action as a runner does; without ``shell``, those without a server in here."""
    action = parsed(ACTION)
    inputs = {name: given.get(name, str(one["default"])) for name, one in action["inputs"].items()}
    run = Run()
    conditions = {
        None: lambda: run.code == 0,
        "inputs.version != 'installed'": lambda: run.code == 0 and inputs["version"] != "installed",
        "always() && inputs.comment == 'true' && steps.check.outputs.verdict != ''": lambda: (
            inputs["comment"] == "true" and run.outputs.get("check", {}).get("verdict", "") != ""
        ),
    }

    def filled(value):
        def known(match):
            words = match[1].strip().split(".")
            if words[0] == "inputs":
                return inputs[words[1]]
            if words[0] == "steps":
                return run.outputs.get(words[1], {}).get(words[3], "")
            assert words == ["github", "action_path"]
            return str(REPO)

        return re.sub(r"\$\{\{(.*?)\}\}", known, str(value))

    for step in action["runs"]["steps"]:
        if not conditions[step.get("if")]() or "uses" in step:
            continue
        output = work.parent / f"output-{work.name}-{step['id']}"
        output.touch()
        env = {name: filled(value) for name, value in step.get("env", {}).items()}
        folder = work / filled(step.get("working-directory", "."))
        words = step["run"].split()
        if not shell and step["id"] == "install":
            run.outputs["install"] = {"program": str(Path(sys.executable).with_name("mcp-governor"))}
            continue
        if not shell and words[0] == '"$PROGRAM"' and step["id"] != "check":
            with pytest.MonkeyPatch.context() as patch:
                for name, value in {**variables, **env}.items():
                    patch.setenv(name, value)
                done = governor(folder, *words[1:])
            run.log += done.stdout + done.stderr
            run.code = run.code or done.returncode
            continue
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**variables, **env, "GITHUB_OUTPUT": str(output)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        run.outputs[step["id"]] = dict(row.split("=", 1) for row in output.read_text().splitlines())
        run.log += done.stdout
        run.code = run.code or done.returncode
    return run


@pytest.fixture
def shop(governed, tmp_path, github):
    shutil.copytree(governed, tmp_path / "origin")
    return Shop(tmp_path, github)


def surface_with(root, *tools):
    recorded = json.loads((root / SURFACE).read_text())
    old = json.dumps(recorded["tools"][0])
    assert '"word"' in old
    (root / SURFACE).write_text(json.dumps({**recorded, "tools": [*recorded["tools"], *tools]}))


def added(root):
    """One more tool, with its entry."""
    surface_with(root, tool("count_stock"))
    assert governor(root, "changelog", "draft").returncode == 0


def broken(root, name="shop"):
    """A required parameter more, with its entry."""
    recorded = json.loads((root / SURFACE).read_text())
    schema = recorded["tools"][0]["inputSchema"]
    schema["properties"][name] = {"type": "string", "description": f"The `{name}` <b>to</b> look in."}
    schema["required"].append(name)
    (root / SURFACE).write_text(json.dumps(recorded))
    assert governor(root, "changelog", "draft").returncode == 0


def broken_again(root):
    broken(root, "shelf")


def test_a_pull_request_without_a_change_passes_and_gets_no_comment(shop, github):
    shop.pull_request(lambda root: write(root, {"README.md": "b"}))
    run = shop.job()
    assert run.code == 0, run.log
    assert "nothing new since origin/main" in run.summary.lower()
    assert run.check["changed"] == "false"
    assert run.check["breaks"] == "0"
    assert github.comments == []


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
    run = shop.job()
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


def test_the_pull_request_cannot_approve_itself(shop, github):
    """Neither by an acceptance nor by a label of its own in the configuration."""

    def accepting(root):
        broken(root)
        report = json.loads(governor(root, "check", "--format", "json").stdout)
        (change,) = report["changes"]
        entry = f'\n[[accept]]\nfinding = {json.dumps(change["id"])}\nreason = "trust me"\n'
        write(root, {CONFIG: (root / CONFIG).read_text() + entry})
        assert json.loads(governor(root, "check", "--format", "json").stdout)["changes"][0]["accepted"] == "trust me"

    shop.pull_request(accepting)
    github.labels = ["trust me", LABEL.upper()]  # other labels
    run = shop.job()
    assert run.code == 1, run.log
    assert f'2 changes need approval. Add the label "{LABEL}" to approve them.' in run.log
    assert "This pull request changes what is checked: accept." in run.log


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
    key = re.search(rf'"{LABEL}:([0-9a-f]{{16}})" stays valid for exactly it', run.log)[1]
    github.labels = [LABEL]
    assert shop.job(action="labeled", labels=[LABEL]).code == 0
    shop.push(broken_again)
    assert shop.job(labels=[LABEL]).code == 1
    github.labels = [f"{LABEL}:{key}"]
    assert shop.job(labels=github.labels).code == 1, "the key is not of the second break"


def test_two_servers_have_their_own_comments_and_approvals(shop, github):
    shop.pull_request(broken)
    for name in ("搜索", "支付"):
        assert shop.job(name=name, action="opened").code == 1
    assert len({one["body"].split("\n")[0] for one in github.comments}) == 2
    github.labels = [LABEL]
    assert shop.job(name="搜索", action="labeled", labels=[LABEL]).code == 0
    asked = [one["body"].split("\n")[1].split()[3] for one in github.comments]
    assert asked[0] == "asked="
    assert re.fullmatch("asked=[0-9a-f]{16}", asked[1])


def test_what_was_merged_needs_no_second_approval(shop, github):
    """Neither on the next pull request, nor on main; the surface file is as old as the last release."""
    git(shop.origin, "checkout", "-q", "main")
    broken(shop.origin)
    committed(shop.origin, "break")
    assert shop.job(ref="refs/heads/main", event="push").code == 0
    shop.pull_request(added)
    run = shop.job()
    assert run.code == 0, run.log
    assert "New since origin/main: 1 change, none of them breaks clients." in run.summary
    assert "Compared with `git:v2.1.0`" in run.summary


def test_a_release_is_checked_against_the_last_release(shop, github):
    git(shop.origin, "checkout", "-q", "main")
    broken(shop.origin)
    committed(shop.origin, "break")

    def released(root, version="3.0.0"):
        text = (root / SURFACE).read_text()
        write(root, {SURFACE: text.replace('"2.1.0"', f'"{version}"')})
        done = governor(root, "changelog", "release", version)
        assert done.returncode == 0, done.stdout + done.stderr

    shop.pull_request(released)
    run = shop.job()
    assert run.code == 0, run.log
    assert "Compared with `git:v2.1.0`" in run.summary
    assert "Judged as a release." in run.summary
    assert "(declared: major, 2.1.0 → 3.0.0)" in run.summary


def test_a_fork_without_rights_gets_its_report_and_no_comment(shop, github):
    shop.pull_request(added, fork=True)
    github.status[("POST", "comments")] = 403
    run = shop.job()
    assert run.code == 0, run.log
    assert "::notice title=mcp-governor::No comment was written: a pull request from a fork has a token that" in run.log
    assert "\n::error::no" not in run.log
    assert "1 compatible change" in run.summary


def test_every_option_of_the_command_line_is_reachable_and_nothing_reaches_the_shell(shop, github):
    shop.pull_request(lambda root: write(root, {"README.md": "b"}))
    run = shop.job(args="--profile '$(touch hacked)'", target="`touch hacked`", shell=True)
    assert run.code == 2
    assert "touch hacked" in run.log
    assert shop.job(args="--help").code == 4
    run = shop.job(args="--level strict --report junit='a b.xml'", **{"fail-on": "never"})
    assert run.code == 0, run.log
    assert (shop.folder / "work3" / "a b.xml").is_file()


def test_a_server_that_does_not_start_is_said_and_no_comment_is_written(shop, github):
    shop.pull_request(broken)
    run = shop.job(args="-- no-such-program")
    assert run.code == 3
    assert "::error title=mcp-governor::The check did not run (exit code 3)" in run.log
    assert run.check["verdict"] == "error"
    assert github.comments == []


def test_no_step_writes_an_expression_into_a_shell():
    for step in parsed(ACTION)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert step.get("uses", "actions/").startswith("actions/"), "only actions of GitHub itself are used by tag"
        if step["id"] == "check":
            assert "MCP_GOVERNOR_GITHUB_TOKEN" not in step["env"]
