"""A repository on the loopback, its pull requests, and the jobs that GitHub starts for them with ``action.yml``."""

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


def governed_repository(folder):
    """A repository that governs a recorded surface, released as v2.1.0, with three more commits on main."""
    root = repository(folder / "shop", {"README.md": "a"})
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
                "updated_at": "2026-01-02T03:04:06Z",
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


def surface_with(root, *tools):
    recorded = json.loads((root / SURFACE).read_text())
    old = json.dumps(recorded["tools"][0])
    assert '"word"' in old
    (root / SURFACE).write_text(json.dumps({**recorded, "tools": [*recorded["tools"], *tools]}))


def added(root):
    """One more tool, with its entry."""
    surface_with(root, tool("count_stock"))
    assert governor(root, "changelog", "draft").returncode == 0


def broken(root, name="shop", *, draft=True):
    """A required parameter more, with its entry."""
    recorded = json.loads((root / SURFACE).read_text())
    schema = recorded["tools"][0]["inputSchema"]
    schema["properties"][name] = {"type": "string", "description": f"The `{name}` <b>to</b> look in."}
    schema["required"].append(name)
    (root / SURFACE).write_text(json.dumps(recorded))
    assert not draft or governor(root, "changelog", "draft").returncode == 0


def broken_again(root):
    broken(root, "shelf")


def recorded(root):
    """The surface file that is the baseline, as the pull request that changes the surface records it."""
    assert governor(root, "snapshot").returncode == 0
