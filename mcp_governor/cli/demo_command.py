"""``mcp-governor demo``."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.config import OWN_FILE
from mcp_governor.errors import Exit, GovernorError
from mcp_governor.programs import our_interpreter

if TYPE_CHECKING:
    from collections.abc import Sequence

_SERVER = "mcp_governor.demo.server"


@click.command()
@click.option("--keep", is_flag=True, help="Keep the folder of the example")
def demo(keep: bool) -> None:
    """Show a complete run on a packaged example server and its two releases."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-governor-demo-"))
    try:
        with contextlib.chdir(folder):
            _show_all(folder)
    finally:
        if not keep:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
    if keep:
        out.echo(f"\nThe files are in {folder}")


def _show_all(folder: Path) -> None:
    _say("A library has an MCP server. One command writes everything that mcp-governor needs:")
    _type(["init", "--", our_interpreter(), *_server(), "--release", "1"], expect=Exit.PASS)
    _say("Nothing has changed yet, so the check passes:")
    _type(["check"], expect=Exit.PASS)
    _say(
        "Then release 1.1.0 is made in a hurry: `branch` becomes required, a tool is added, a description "
        "contradicts its schema, and the changelog is not updated. This is what CI reports:"
    )
    config = folder / OWN_FILE
    config.write_text(config.read_text("utf-8").replace('"--release", "1"', '"--release", "2"'), "utf-8")
    _type(["check"], expect=Exit.FINDINGS)
    _say("mcp-governor can draft the missing changelog entries; --diff shows them without writing:")
    _type(["changelog", "draft", "--diff"], expect=None)
    _say("To try it on your own server, run `mcp-governor init` in its repository.")


def _server() -> tuple[str, ...]:
    """Arguments of Python that start the example."""
    import sys
    from zipimport import zipimporter

    # The interpreter that runs one file with all of us does not know our package. The example needs nothing of it.
    single = isinstance(getattr(sys.modules["__main__"], "__loader__", None), zipimporter)
    return (str(Path(__file__).parents[1] / "demo" / "server.py"),) if single else ("-m", _SERVER)


def _say(text: str) -> None:
    out.echo()
    out.echo(f"# {text}", bold=True)


def _type(arguments: Sequence[str], *, expect: Exit | None) -> None:
    """Run one command line as a user would, and show it."""
    from mcp_governor.cli import run

    shown = ["python" if word == our_interpreter() else word for word in arguments]
    out.echo(f"$ mcp-governor {shlex.join(shown)}", color="blue", wrap=False)
    code = run(arguments)
    out.echo(f"(exit code {code})", dim=True)
    if expect is not None and code != expect:
        raise GovernorError(f"The demo expected exit code {int(expect)} and got {code}.", "Report this as a bug.")
