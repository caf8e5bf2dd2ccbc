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
    from mcp_governor.load.model import SweepPlan
    from mcp_governor.load.opened import Permissions
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


def _with_path(url: str) -> str:
    """The address itself, or its /mcp if it is that of a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if parts.scheme in ("http", "https") and parts.path in ("", "/"):
        return urlunsplit(parts._replace(path="/mcp"))
    return url


def load_of(
    run: Run,
    target: str | None,
    base_url: str | None,
    tool: str | None,
    arguments: str | None,
    *,
    allow_writes: bool,
    owned: bool,
) -> tuple[Source, SweepPlan, Permissions]:
    """The server, the request that is sent to it, and what the user allows; arguments are values of the options.

    Raises:
        UsageError: the arguments are not a JSON object, or an option has no effect because no tool is called.
    """
    from mcp_governor.checking.reading import permitted
    from mcp_governor.load.model import SweepPlan
    from mcp_governor.load.opened import Permissions

    params: dict[str, Any] = {}
    if tool is not None:
        params = {"name": tool, "arguments": _object_of(arguments) if arguments is not None else {}}
    for name, is_given in (("--arguments", arguments is not None), ("--allow-writes", allow_writes)):
        if is_given and tool is None:
            raise UsageError(f"{name} has no effect without --tool.", f"Add --tool NAME, or remove {name}.")
    source = source_of(run, target, base_url)
    read_only = permitted(run.config, source, "read_only_tools").read_only_tools if tool is not None else ()
    plan = SweepPlan(
        method="tools/list" if tool is None else "tools/call",
        params=params,
        timeout=getattr(source, "timeout", run.config.timeout),
    )
    return source, plan, Permissions(owned, allow_writes, read_only)


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
