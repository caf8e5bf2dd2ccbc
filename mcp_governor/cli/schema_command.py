"""``mcp-governor schema``."""

from __future__ import annotations

import json

import click

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.cli import out


@click.command()
@click.argument("name", type=click.Choice(list(DOCUMENT_FORMATS)))
def schema(name: str) -> None:
    """Print the JSON Schema of one of mcp-governor's own formats."""
    out.put(json.dumps(DOCUMENT_FORMATS[name].schema(), indent=2) + "\n", form="json")
