"""The commands that are groups; a module is imported when one of its subcommands is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.cli.groups import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Mapping


def _group(name: str, text: str, subcommands: Mapping[str, tuple[str, str]]) -> LazyGroup:
    """A group of that name and help; of each subcommand, the module and one line of help.

    ``NAME SUB`` is the function ``NAME_SUB``.
    """
    homes = {sub: (f"mcp_governor.cli.{module}", f"{name}_{sub}", line) for sub, (module, line) in subcommands.items()}
    return LazyGroup(name, help=text, homes=homes)


load = _group(
    "load",
    "Measure a server under load: tools/list, or a call of one tool.",
    {
        "probe": ("load_probe", "Measure tools/list once: size, latency, caching, health, log."),
        "sweep": ("load_sweep", "Find the concurrency that a server is good for."),
        "locustfile": ("load_sweep", "Write a locustfile that sends what a sweep sends."),
    },
)
eval = _group(  # noqa: A001
    "eval",
    "Measure how well models choose the right tool from its description.",
    {
        "init": ("eval_sets", "Draft a query set from the tools of the server, to be edited."),
        "check": ("eval_sets", "Check a query set against the tools of the server."),
        "search": ("eval_search", "Show at which rank queries find their tools, and which words would help."),
        "run": ("eval_run", "Ask models for the right tool, from the descriptions alone."),
        "report": ("eval_results", "Show the last evaluation, the history, and which edits moved which tool."),
        "export": ("eval_sets", "Write a query set in the format of inspect_ai or promptfoo."),
        "import": ("eval_sets", "Write a data set of inspect_ai or a configuration of promptfoo as a query set."),
    },
)
fleet = _group(
    "fleet",
    "Work on many servers in one run.",
    {
        "check": ("fleet_command", "Compare each server of a list with its recording; one table."),
        "report": ("fleet_command", "The report of a run in a store."),
        "worker": ("fleet_command", "Read servers that `fleet check --engine queue` asks for."),
        "export": ("fleet_command", "Write a store as Parquet files."),
    },
)
