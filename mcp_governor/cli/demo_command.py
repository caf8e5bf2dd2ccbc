"""``mcp-governor demo``."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.config import OWN_FILE
from mcp_governor.errors import Exit, GovernorError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SERVER = "mcp_governor.demo.server"


@click.command()
@click.option("--keep", is_flag=True, help="Keep the folder, to experiment with it")
def demo(keep: bool) -> None:
    """Show the tool on a packaged server in two releases, the second of them hurried."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-governor-demo-"))
    try:
        with _inside(folder):
            _tell_story(folder)
    finally:
        if not keep:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
    if keep:
        out.echo(f"\nThe folder is yours: {folder}")


def _tell_story(folder: Path) -> None:
    _say("A library's MCP server is about to be governed. One command writes all it takes:")
    _type(["init", "--", sys.executable, "-m", _SERVER, "--release", "1"], expect=Exit.PASS)
    _say("Nothing has changed since, so the next check passes:")
    _type(["check"], expect=Exit.PASS)
    _say(
        "Then comes release 1.1.0, in a hurry: `branch` became required, a tool was added, a description\n"
        "contradicts its schema now, and nobody touched the changelog. What does CI say?"
    )
    _release(folder, 2)
    _type(["check"], expect=Exit.FINDINGS)
    _say("The changelog that would own up to it can be drafted; --diff shows it without writing:")
    _type(["changelog", "draft", "--diff"], expect=None)
    _say("Your turn: run `mcp-governor init` in the repository of your server.")


def _release(folder: Path, number: int) -> None:
    path = folder / OWN_FILE
    path.write_text(path.read_text().replace('"--release", "1"', f'"--release", "{number}"'))


def _say(text: str) -> None:
    out.echo()
    for part in text.split("\n"):
        out.echo(f"# {part}", bold=True)


def _type(arguments: Sequence[str], *, expect: Exit | None) -> None:
    """Run one command line as a user would, and show it."""
    from mcp_governor.cli import run

    shown = ["python" if word == sys.executable else word for word in arguments]
    out.echo(f"$ mcp-governor {shlex.join(shown)}", color="blue", wrap=False)
    code = run(arguments)
    out.echo(f"(exit code {code})", dim=True)
    if expect is not None and code != expect:
        raise GovernorError(f"The demo expected exit code {int(expect)} and got {code}.", "Please report this.")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """The working directory changed, and put back."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
