"""``mcp-governor load``: the group; each subcommand is in a module of its own, ``load_NAME.py``, and is added below."""

from __future__ import annotations

import click

from mcp_governor.cli.groups import Group
from mcp_governor.cli.load_probe import probe


@click.group(cls=Group)
def load() -> None:
    """Measure a server under load: tools/list, or a call of one tool."""


load.add_command(probe)
