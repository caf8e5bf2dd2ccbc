"""``mcp-governor fleet``: one module per subcommand, imported when it is called."""

from __future__ import annotations

import click

from mcp_governor.cli.groups import LazyGroup

SUBCOMMANDS = {
    "check": "Compare each server of a list with its recording; one table.",
    "report": "The report of a run in a store.",
    "worker": "Read servers that `fleet check --engine queue` asks for.",
    "export": "Write a store as Parquet files.",
}
"""Subcommand → one-line help. ``fleet NAME`` is ``fleet_NAME`` in the module ``fleet_NAME``."""

_HOMES = {name: (f"mcp_governor.cli.fleet_{name}", f"fleet_{name}", text) for name, text in SUBCOMMANDS.items()}


@click.group(cls=LazyGroup, homes=_HOMES)
def fleet() -> None:
    """Work on many servers in one run."""
