"""What the commands of ``load`` share: the server they measure, and the request that they send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import click

from mcp_governor.cli import completion
from mcp_governor.errors import UsageError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.cli.common import Run
    from mcp_governor.target import Source

_F = TypeVar("_F", bound="Callable[..., Any]")


base_url_option = click.option(
    "--base-url",
    metavar="URL",
    shell_complete=completion.targets,
    help="The server, instead of TARGET  [default path: /mcp]",
)


def request_options(function: _F) -> _F:
    """``--tool``, ``--arguments`` and ``--allow-writes``: what is sent."""
    for option in (
        click.option("--allow-writes", is_flag=True, help="Also call a tool that is not annotated as read-only"),
        click.option("--arguments", metavar="JSON", help="Arguments of the call, as a JSON object  [default: {}]"),
        click.option("--tool", metavar="NAME", help="Call this tool  [default: tools/list is sent]"),
    ):
        function = option(function)
    return function


def own_host_option(text: str) -> Callable[[_F], _F]:
    """``--i-own-this-host``.

    Args:
        text: what it allows.
    """
    return click.option("--i-own-this-host", is_flag=True, help=text)


def source_of(run: Run, target: str | None, base_url: str | None) -> Source:
    """The server that a command measures.

    Args:
        run: the options of the command line.
        target: TARGET.
        base_url: the value of ``--base-url``.

    Raises:
        UsageError: both name a server, or the one that does is not a target.
    """
    if target is not None and base_url is not None:
        raise UsageError("--base-url and TARGET both name the server.", "Remove one of them.")
    return run.source(_with_path(base_url) if base_url is not None else target)


def read_only_of(run: Run, source: Source, tool: str | None) -> tuple[str, ...]:
    """The globs of ``read-only-tools``, if a tool is called and they count for the server."""
    from mcp_governor.checking.reading import permitted

    return permitted(run.config, source, "read_only_tools").read_only_tools if tool is not None else ()


def _with_path(url: str) -> str:
    """The address itself, or its /mcp if it is that of a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if parts.scheme in ("http", "https") and parts.path in ("", "/"):
        return urlunsplit(parts._replace(path="/mcp"))
    return url


def request_of(tool: str | None, arguments: str | None, *, allow_writes: bool) -> tuple[str, dict[str, Any]]:
    """Method and parameters: ``tools/list``, or the call of a tool.

    Args:
        tool: the value of ``--tool``.
        arguments: the value of ``--arguments``.
        allow_writes: if ``--allow-writes`` was given.

    Raises:
        UsageError: the arguments are not a JSON object, or an option has no effect because no tool is called.
    """
    if tool is None:
        for name, is_given in (("--arguments", arguments is not None), ("--allow-writes", allow_writes)):
            if is_given:
                raise UsageError(f"{name} has no effect without --tool.", f"Add --tool NAME, or remove {name}.")
        return "tools/list", {}
    return "tools/call", {"name": tool, "arguments": _object_of(arguments) if arguments is not None else {}}


def _object_of(arguments: str) -> dict[str, Any]:
    from mcp_governor.parsing import read_json

    example = 'Write a JSON object: \'{"query": "a"}\''
    try:
        value = read_json(arguments)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--arguments is not JSON: {one_line(str(error), 80)}.", example) from None
    if not isinstance(value, dict):
        raise UsageError("--arguments is not a JSON object.", example)
    return value
