"""``eval run --execute``: the server whose tools are called, and the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.cli import out
from mcp_governor.errors import UsageError

if TYPE_CHECKING:
    from mcp_governor.cli.common import Run
    from mcp_governor.config import Config
    from mcp_governor.evaluation.record import Evaluation
    from mcp_governor.surface import Surface
    from mcp_governor.target import LiveSource


def live_source(run: Run, target: str | None) -> LiveSource:
    """The server of TARGET.

    Raises:
        UsageError: it is a recording, or an object that cannot be started in a process of its own.
    """
    from mcp_governor.target import LiveSource

    source = run.source(target)
    if not isinstance(source, LiveSource):
        raise UsageError(f"{source.shown} is a recording; --execute needs a live server.", "Name a live server.")
    return source


def executed(
    evaluation: Evaluation, surface: Surface, source: LiveSource, config: Config, *, seconds: float
) -> Evaluation:
    """The evaluation with what came of its calls.

    Args:
        evaluation: the answers.
        surface: of the server.
        source: the server.
        config: names tools that only read, for a server that it names as well or that the user trusts.
        seconds: no call begins later.

    Raises:
        UnreachableError: the server cannot be started.
    """
    from mcp_governor import wire
    from mcp_governor.checking.reading import permitted
    from mcp_governor.evaluation.end_to_end import execute_choices
    from mcp_governor.target import limits_of
    from mcp_governor.wire.duplex import run

    if any(one.ended is not None for one in evaluation.runs):
        out.echo("No calls were made, because the evaluation ended early.", err=True)
        return evaluation

    async def make() -> Evaluation:
        return await execute_choices(
            evaluation,
            surface,
            lambda: wire.connect(source.endpoint, limits=limits_of(source)),
            seconds=seconds,
            read_only=permitted(config, source, "read_only_tools").read_only_tools,
            timeout=source.timeout,
        )

    return run(make)
