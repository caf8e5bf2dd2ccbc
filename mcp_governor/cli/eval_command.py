"""``mcp-governor eval``: one module per subcommand, imported when it is called."""

from __future__ import annotations

import click

from mcp_governor.cli.groups import LazyGroup

SUBCOMMANDS = {
    "init": "Draft a query set from the tools of the server, to be edited.",
    "check": "Check a query set against the tools of the server.",
    "search": "Show at which rank queries find their tools, and which words would help.",
    "run": "Ask models for the right tool, from the descriptions alone.",
    "report": "Show the last evaluation, the history, and which edits moved which tool.",
    "export": "Write a query set in the format of inspect_ai or promptfoo.",
    "import": "Write a data set of inspect_ai or a configuration of promptfoo as a query set.",
}
"""Subcommand → one-line help. ``eval NAME`` is ``eval_NAME`` in the module ``eval_NAME``."""

_HOMES = {name: (f"mcp_governor.cli.eval_{name}", f"eval_{name}", text) for name, text in SUBCOMMANDS.items()}


@click.group(name="eval", cls=LazyGroup, homes=_HOMES)
def eval() -> None:  # noqa: A001
    """Measure how well models choose the right tool from its description."""
