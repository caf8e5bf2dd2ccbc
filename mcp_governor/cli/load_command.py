"""``mcp-governor load``: the group; each subcommand is in a module of its own, ``load_NAME.py``, and is added below."""

from __future__ import annotations

import click

from mcp_governor.cli.groups import Group


@click.group(cls=Group)
def load() -> None:
    """Measure a server under load: tools/list, or a call of one tool."""
