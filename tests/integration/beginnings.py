"""Repositories that ``init`` begins to govern: servers, and a run of ``init`` with the check after it."""

from __future__ import annotations

import importlib.util
import json
import sys

from projects import contents, governor
from support import SERVERS, missing

CONFIG, SURFACE, CHANGELOG, KNOWN = (
    "mcp-governor.toml",
    "mcp-surface.json",
    "docs/mcp-schema-changelog.md",
    "mcp-lint-baseline.json",
)
DESCRIBED = {"type": "string", "description": "What to look for."}
FIND = {
    "name": "find_stock",
    "description": "Looks a word up in the stock list of the shop and returns the number of pieces.",
    "inputSchema": {"type": "object", "properties": {"word": DESCRIBED}, "required": ["word"]},
}
# an array without items: an error that clients choke on
WRONG = {**FIND, "inputSchema": {"type": "object", "properties": {"words": {"type": "array"}}, "required": ["word"]}}


SECRET = "sekret-0123456789"


def plain(tools=(FIND,), version="2.1.0"):
    """The command of the fixture server."""
    how = {"tools": list(tools), "info": {"name": "stock", "version": version}}
    return [sys.executable, str(SERVERS / "plain.py"), json.dumps(how)]


def begun(root, *arguments, run=governor):
    """``init``, which must succeed, and the check after it, which must pass; then a second ``init``, refused."""
    before = contents(root)
    done = run(root, "init", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    after = contents(root)
    assert {name: after[name] for name in before} == before
    checked = run(root, "check", "--format", "json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    report = json.loads(checked.stdout)
    assert report["verdict"] == "pass"
    assert report["changes"] == []
    assert report["baseline"]["source"] == SURFACE
    again = run(root, "init", *arguments)
    assert again.returncode == 2
    assert "already has a configuration" in again.stderr
    assert contents(root) == after
    return done.stdout, after


WORKFLOW, HOOKS = ".github/workflows/mcp-governor.yml", ".pre-commit-config.yaml"


def parsed(text):
    """A YAML document, as GitHub and pre-commit read it."""
    if importlib.util.find_spec("yaml") is None:
        missing("PyYAML is not installed: pip install pre-commit")
    import yaml

    return yaml.safe_load(text)


PROGRAM = '"$RUNNER_TEMP"/governor/bin/mcp-governor ci --phase'
TOKEN = {"MCP_GOVERNOR_GITHUB_TOKEN": "${{ github.token }}"}


def steps_of(files, name=WORKFLOW, **only):
    """The shell commands of a written workflow that install the server, and its job."""
    workflow = parsed(files[name])
    # YAML 1.1 reads the key "on" as true
    assert workflow[True] == {
        "push": {"branches": ["main", "master"], "tags": ["**"], **only},
        "pull_request": {"types": ["opened", "synchronize", "reopened", "labeled", "unlabeled"], **only},
        "merge_group": None,
    }
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    (job,) = workflow["jobs"].values()
    assert not {"env", "permissions"} & {*job, *(workflow.keys() - {"permissions"})}
    checkout, *steps = job["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    ours, prepare, *server, check, comment = [step for step in steps if "run" in step]
    assert ours["run"].startswith('cd "$RUNNER_TEMP" && python -m venv governor && governor/bin/pip install ')
    assert prepare == {"run": f"{PROGRAM} prepare", "env": TOKEN}
    assert check["run"] == f"{PROGRAM} check"
    said = "always() && steps.check.outputs.verdict != ''"
    assert comment == {"if": said, "run": f"{PROGRAM} comment", "env": TOKEN}
    # Nothing else has the token, and nothing takes a value into a shell command.
    assert files[name].count(b"github.token") == 2
    assert all("${{" not in step["run"] and "env" not in step for step in server)
    return [step["run"] for step in server], job
