"""The commands that are groups: one module per subcommand, imported when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.cli.groups import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Mapping


def _group(name: str, text: str, subcommands: Mapping[str, str], *, prefix: str = "") -> LazyGroup:
    """A group.

    Args:
        name: of the group; ``NAME SUB`` is in the module ``NAME_SUB``.
        text: its help.
        subcommands: their names and one-line help.
        prefix: in front of the name of a subcommand in its module.
    """
    homes = {sub: (f"mcp_governor.cli.{name}_{sub}", f"{prefix}{sub}", line) for sub, line in subcommands.items()}
    return LazyGroup(name, help=text, homes=homes)


load = _group(
    "load",
    "Measure a server under load: tools/list, or a call of one tool.",
    {
        "probe": "Measure tools/list once: size, latency, caching, health, log.",
        "sweep": "Find the concurrency that a server is good for.",
        "locustfile": "Write a locustfile that sends what a sweep sends.",
    },
)
eval = _group(  # noqa: A001
    "eval",
    "Measure how well models choose the right tool from its description.",
    {
        "init": "Draft a query set from the tools of the server, to be edited.",
        "check": "Check a query set against the tools of the server.",
        "search": "Show at which rank queries find their tools, and which words would help.",
        "run": "Ask models for the right tool, from the descriptions alone.",
        "report": "Show the last evaluation, the history, and which edits moved which tool.",
        "export": "Write a query set in the format of inspect_ai or promptfoo.",
        "import": "Write a data set of inspect_ai or a configuration of promptfoo as a query set.",
    },
    prefix="eval_",
)
fleet = _group(
    "fleet",
    "Work on many servers in one run.",
    {
        "check": "Compare each server of a list with its recording; one table.",
        "report": "The report of a run in a store.",
        "worker": "Read servers that `fleet check --engine queue` asks for.",
        "export": "Write a store as Parquet files.",
    },
    prefix="fleet_",
)
