"""Where the blocks of the pages are typed: ``<!-- journey: NAME -->`` begins in one of these places.

=============  =====================================================================================================
``machine``    an empty folder on a machine with uv, git and npm; the page installs mcp-governor itself (live)
``folder``     an empty folder; mcp-governor and FastMCP are installed; no network
``example``    a governed, pushed repository with a tagged release and a Python server that needs nothing; no network
``broken``     the same after a commit that breaks a tool
``pending``    ``broken`` with its entries drafted and its version set, ready for `changelog release 1.3.0`
``pytest``     ``broken`` with a test; its server does not keep the charter, so every run of its items fails
``ungoverned`` a repository with a FastMCP server, without any file of mcp-governor (live: the page installs it)
``clone``      a clone of this repository; of each `make TARGET`, only the recipe is looked up
``release``    a checkout of any server that is on PyPI; `NAME` and `my-server` stand for it (live)
``ferries``    a copy of the example with FastMCP
``notes``      a copy of the example with the official SDK
others         the servers of ``journeys.py`` as their maintainers have them, tagged, not governed yet (live)
=============  =====================================================================================================
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from commandline import typed
from journeys import SECONDS, SERVERS, checkout, environment
from pages import Edited, Excused, Step, Typed, Written, shows
from support import REPO

from mcp_governor.installation import SOURCE

SERVER = """\
# A server that needs no package: the one of `mcp-governor demo`.
from mcp_governor.demo.server import main

main()
"""

FASTMCP = """\
from fastmcp import FastMCP

mcp = FastMCP("shop", version="1.0.0")


@mcp.tool
def count_pieces(article: str) -> int:
    return len(article)


if __name__ == "__main__":
    mcp.run()
"""

PROJECT = """\
[project]
name = "library"
version = "1.0.0"
"""

SHELL = re.compile(r"[|&;<>()$`*?~#\n]")
"""What a line has that is for the shell to read."""
OWN_PROCESS = re.compile(r" (load|eval|serve) | python:")
"""Commands that start threads and workers, and a target that is loaded into the process and stays there."""
EXPORT = re.compile(r"export (\w+)=(.*)")


@dataclass
class Reader:
    """Somebody who follows a page: a folder, and what the shell remembers.

    Attributes:
        root: the folder that the shell is in.
        env: variables that differ from those of the test.
        words: what the page calls something → what it is here.
    """

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def follow(self, done: list[Step]) -> None:
        """Do what the page says, in order; each screen is the one of the page."""
        for step in done:
            if isinstance(step, Edited):
                self._edit(step)
            elif isinstance(step, Written):
                path = self.root / step.file
                path.parent.mkdir(parents=True, exist_ok=True)
                before = path.read_text("utf-8") + "\n" if step.append else ""
                path.write_text(before + step.text, "utf-8")
            elif isinstance(step, Typed):
                self._shown(step)
            else:
                assert isinstance(step, Excused)

    def types(self, command: str) -> subprocess.CompletedProcess[str]:
        """Type a line into the shell; where the pages speak of a clone of this repository, it is this one."""
        if SOURCE.startswith("/"):
            command = command.replace(SOURCE, str(REPO))
        for said, meant in self.words.items():
            command = command.replace(said, meant)
        if exported := EXPORT.fullmatch(command):
            self.env[exported[1]] = exported[2]
            return subprocess.CompletedProcess(command, 0, "")
        env = environment(self.env)
        words = [] if SHELL.search(command) else shlex.split(command)
        if words[:1] == ["mcp-governor"] and not OWN_PROCESS.search(command) and self._ours(env):
            code, text = typed(*words[1:], cwd=self.root, env=env)
            return subprocess.CompletedProcess(command, code, text)
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    @staticmethod
    def _ours(env: dict[str, str]) -> bool:
        """Whether the shell would start the program of this environment, not one that the page has installed."""
        found = shutil.which("mcp-governor", path=env["PATH"])
        return found is not None and Path(found).parent == Path(sys.executable).parent

    def _edit(self, step: Edited) -> None:
        path = self.root / step.file
        text = path.read_text("utf-8")
        assert text.count(step.old) == 1, f"line {step.line}: {step.file} has it {text.count(step.old)} times:\n{text}"
        path.write_text(text.replace(step.old, step.new), "utf-8")

    def _shown(self, step: Typed) -> None:
        if moved := re.fullmatch(r"cd (\S+)", step.command):
            self.root = (self.root / moved[1]).resolve()
            assert self.root.is_dir(), f"line {step.line}: {self.root} is not there"
            return
        done = self.types(step.command)
        seen = f"line {step.line}: $ {step.command}\n{done.stdout}(exit code {done.returncode})"
        if step.screen is None:
            assert done.returncode == (step.code or 0), seen
            return
        assert (done.returncode != 0) == step.fails, seen
        assert shows(step.screen, done.stdout), f"{seen}\n\nthe page says:\n" + "\n".join(step.screen)


@dataclass(frozen=True)
class Place:
    """Where a journey begins, and whether the network is needed there."""

    make: Callable[[Path], Reader]
    live: bool = False


def machine(folder: Path) -> Reader:
    """Programs that the page installs with uv are found before ours."""
    home = folder / "home"
    (folder / "work").mkdir()
    return Reader(
        folder / "work",
        {
            "UV_TOOL_DIR": str(home / "tools"),
            "UV_TOOL_BIN_DIR": str(home / "bin"),
            "PATH": os.pathsep.join((str(home / "bin"), environment({})["PATH"])),
            # What a registry's client says about its own new versions is no part of a page.
            "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        },
    )


def empty(folder: Path) -> Reader:
    """A folder in which the page writes a server itself."""
    return Reader(folder)


def example(folder: Path) -> Reader:
    """The server of the demo in a governed repository, tagged v1.0.0."""
    root = folder / "library"
    root.mkdir()
    (root / "server.py").write_text(SERVER, "utf-8")
    home = folder / "home"
    for shell in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (home / shell).mkdir(parents=True)
    reader = Reader(root, {"HOME": str(home)}, {"uv run my-server": "python server.py --release 1"})
    for command in (
        "mcp-governor init -- python server.py --release 1",
        f"printf '{PROJECT}' > pyproject.toml",
        "git init -q -b main && git add -A && git commit -q --no-verify -m begin && git tag v1.0.0 && "
        "git update-ref refs/remotes/origin/main HEAD",
    ):
        done = reader.types(command)
        assert done.returncode == 0, done.stdout
    return reader


def broken(folder: Path) -> Reader:
    """The second release of the demo, which breaks a tool."""
    reader = example(folder)
    config = reader.root / "mcp-governor.toml"
    config.write_text(config.read_text("utf-8").replace('"1"]', '"2"]'), "utf-8")
    return reader


def pending(folder: Path) -> Reader:
    """What the second release of the demo needs is a major step, so 1.3.0 stands for 2.0.0."""
    reader = broken(folder)
    project, config = reader.root / "pyproject.toml", reader.root / "mcp-governor.toml"
    config.write_text(config.read_text("utf-8") + '\n[lint]\nignore = ["clarity/prose-type"]\n', "utf-8")
    for command in ("mcp-governor schema-version pyproject.toml", "mcp-governor changelog draft"):
        done = reader.types(command)
        assert done.returncode == 0, done.stdout
    project.write_text(PROJECT.replace("1.0.0", "2.0.0"), "utf-8")
    reader.words = {"1.3.0": "2.0.0"}
    return reader


def with_tests(folder: Path) -> Reader:
    """The tool that the second release of the demo breaks stands for the tools of the pages."""
    reader = broken(folder)
    (reader.root / "tests").mkdir()
    (reader.root / "tests" / "test_shop.py").write_text("def test_price():\n    assert True\n", "utf-8")
    reader.words = {"mcp::search": "mcp::reserve_copy", "list_articles": "reserve_copy"}
    # Each pytest would load all of Locust and of Hypothesis only because they are installed.
    reader.env["PYTEST_ADDOPTS"] = "-p no:locust -p no:hypothesispytest"
    return reader


def ungoverned(folder: Path) -> Reader:
    """A server that ``python`` runs here, in a repository."""
    reader = machine(folder)
    (reader.root / "server.py").write_text(FASTMCP, "utf-8")
    assert reader.types("git init -q -b main && git add -A && git commit -q -m begin").returncode == 0
    return reader


def copied(name: str) -> Place:
    """A folder of ``examples/`` outside of this repository."""

    def make(folder: Path) -> Reader:
        return Reader(Path(shutil.copytree(REPO / "examples" / name, folder / name)))

    return Place(make)


def clone(folder: Path) -> Reader:
    """This repository. Tests of tests would not end, so make only shows what it would do; mutation has an extra."""
    scripts = {f"python tools/{name}": f"test -f tools/{name} #" for name in ("mutation.py", "portable.py")}
    return Reader(REPO, words={"make ": "make --dry-run ", **scripts})


def release(folder: Path) -> Reader:
    """A released server, which ``my-server`` starts."""
    package = SERVERS["fastmcp"]
    reader = _server("fastmcp", folder)
    reader.words = {"NAME": f"{package.name}=={package.version}:codetree", "my-server": "uv run codetree"}
    return reader


def _server(name: str, folder: Path) -> Reader:
    return Reader(checkout(folder / SERVERS[name].name.rpartition("/")[2], SERVERS[name]))


def _of(name: str) -> Place:
    return Place(lambda folder: _server(name, folder), live=True)


PLACES = {
    "machine": Place(machine, live=True),
    "folder": Place(empty),
    "example": Place(example),
    "broken": Place(broken),
    "pending": Place(pending),
    "pytest": Place(with_tests),
    "ungoverned": Place(ungoverned, live=True),
    "clone": Place(clone),
    "ferries": copied("fastmcp-ferries"),
    "notes": copied("sdk-notes"),
    "release": Place(release, live=True),
    **{name: _of(name) for name in SERVERS},
}
