"""A repository with a server whose author edits it, released and checked through the command line."""

from __future__ import annotations

import atexit
import contextlib
import copy
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commandline import Outcome

from mcp_governor.cli import run

# A server of nothing but the standard library, so that a step costs a start and not an SDK.
SERVER = """
import json, sys
from pathlib import Path

STATE = json.loads(Path("tools.json").read_text())
INFO = {"name": "notes", "version": STATE["version"]}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": INFO}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": STATE["tools"]}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
"""
CONFIG = f"""
target = "notes"
changelog = "docs/mcp-schema-changelog.md"

[servers.notes]
command = [{json.dumps(sys.executable)}, "-S", "server.py"]
"""
GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


_KEPT: dict[tuple[object, ...], tuple[Path, dict[str, Any]]] = {}


def once(life: Repository, step: Callable[[], object], *key: object) -> None:
    """Take a step that leads from an empty repository to the same place each time; later, copy what it led to.

    Args:
        life: the repository.
        step: makes it.
        key: what the step depends on, the step itself included.
    """
    if key in _KEPT:
        folder, state = _KEPT[key]
        shutil.copytree(folder, life.root, dirs_exist_ok=True, symlinks=True)
        vars(life).update(copy.deepcopy({**state, "root": life.root}))
        return
    step()
    folder = Path(tempfile.mkdtemp(prefix="kept-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(life.root, folder, dirs_exist_ok=True, symlinks=True)
    _KEPT[key] = folder, copy.deepcopy(vars(life))


class Repository:
    """A repository with a server whose author edits ``tools.json``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.version = "1.0.0"
        self.tools: dict[str, dict[str, Any]] = {}
        (root / "server.py").write_text(SERVER)
        (root / "mcp-governor.toml").write_text(CONFIG)
        (root / ".gitignore").write_text("home/\n")
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> None:
        command = ["git", "-c", "commit.gpgsign=false", *arguments]
        subprocess.run(command, cwd=self.root, check=True, capture_output=True, env={**os.environ, **GIT})

    def tool(self, name: str, *optional: str, description: str = "", **more: Any) -> None:
        schema = {"type": "object", "properties": {key: {"type": "string"} for key in optional}}
        reported = (
            description or f"Use this when the notes are to be handled by {name.replace('_', ' ')}, and nothing else."
        )
        self.tools[name] = {"name": name, "description": reported, "inputSchema": schema, **more}

    def run(self, *arguments: str) -> Outcome:
        """``mcp-governor ARGUMENTS`` in the repository and in this process."""
        state = {"version": self.version, "tools": list(self.tools.values())}
        (self.root / "tools.json").write_text(json.dumps(state))
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.chdir(self.root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(arguments)
        out.flush()
        err.flush()
        return Outcome(code, out.buffer.getvalue(), err.buffer.getvalue(), [])

    def check(self) -> tuple[int, list[str]]:
        """Exit code of ``check``, and the rules of packs policy and changelog that it names."""
        code, _, rules = self.judged()
        return code, rules

    def judged(self, *options: str) -> tuple[int, str | None, list[str]]:
        """Exit code of ``check``, what is pending, and these rules."""
        done = self.run("check", "--format", "json", *options)
        assert done.stdout, done.err
        pending = done.report["pending"]
        rules = {finding["rule"] for finding in done.report["findings"]}
        return (
            done.code,
            None if pending is None else f"{pending['bump']} {pending['version']}",
            sorted(rule for rule in rules if rule.startswith(("policy/", "changelog/"))),
        )

    def release(self, version: str) -> None:
        """Draft, check, release, record, commit and tag; each must go through, and the check at the tag says what the
        one before it said."""
        self.version = version
        for arguments in (["changelog", "draft"], ["check"], ["changelog", "release", version]):
            done = self.run(*arguments)
            assert done.code == 0, (arguments, done.out, done.err)
        before = self.check()
        assert self.run("snapshot", "-o", "mcp-surface.json").code == 0
        self.git("add", "-A")
        self.git("commit", "-q", "-m", version)
        self.git("tag", f"v{version}")
        assert self.check() == before

    @property
    def path(self) -> Path:
        return self.root / "docs" / "mcp-schema-changelog.md"

    @property
    def log(self) -> str:
        return self.path.read_text()


GATE = '\n[policy]\ngate = "release"\n'
FIRST = re.compile(r"^## .*", re.MULTILINE)


class Released(Repository):
    """A repository with a first release, and commits after it."""

    def __init__(self, root: Path, version: str = "1.2.0", config: str = "") -> None:
        self.root = root
        once(self, lambda: self._begin(root, version, config), Released, version, config)

    def _begin(self, root: Path, version: str, config: str) -> None:
        super().__init__(root)
        (root / "mcp-governor.toml").write_text(CONFIG + config)
        self.tool("search", "query")
        self.tool("find", "query")
        self.version = version
        assert self.run("changelog", "draft", "--for", version).code == 0
        assert self.run("snapshot", "-o", "mcp-surface.json").code == 0
        assert self.run("changelog", "release", version).code == 0
        self.tagged(version)
        assert self.check()[0] == 0

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def tagged(self, version: str) -> None:
        self.commit(f"release {version}")
        self.git("tag", f"v{version}")

    def go_on(self) -> None:
        self.commit("go on")

    def passes(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.code == 0, done.out + done.err
        return done.out

    def refused(self, *arguments: str, code: int = 2) -> str:
        done = self.run(*arguments)
        assert done.code == code, done.out + done.err
        return done.err

    def mention(self, label: str, *entries: str) -> None:
        """Entries under a label of the unreleased section, which is begun where there is none."""
        lines = "".join(f"- {entry}\n" for entry in entries)
        text = self.log if "## Unreleased\n" in self.log else self.log.replace("\n## ", "\n## Unreleased\n\n## ", 1)
        self.path.write_text(text.replace("## Unreleased\n", f"## Unreleased\n\n**{label}**\n\n{lines}", 1))

    @property
    def headings(self) -> list[str]:
        return FIRST.findall(self.log)

    @property
    def config(self) -> str:
        return (self.root / "mcp-governor.toml").read_text()

    def clone(self, place: Path, ref: str) -> Repository:
        """A fresh clone at a tag."""
        subprocess.run(
            ["git", "clone", "-q", "--branch", ref, str(self.root), str(place)], check=True, capture_output=True
        )
        other = object.__new__(Repository)
        other.root, other.version, other.tools = place, self.version, dict(self.tools)
        return other


def accept_all(life: Released) -> list[str]:
    """Accept whatever fails the check; the ids."""
    report = life.run("check", "--format", "json").report
    failing = [found["id"] for found in report["findings"] if found["severity"] == "error"]
    for name in failing:
        life.passes("accept", name, "--reason", "agreed with the only client")
    return failing
