"""``mcp-governor load``: one module per subcommand, imported when it is called."""

from __future__ import annotations

import click

from mcp_governor.cli.groups import LazyGroup

SUBCOMMANDS = {
    "probe": "Measure tools/list once: size, latency, caching, health, log.",
    "sweep": "Find the concurrency that a server is good for.",
    "locustfile": "Write a locustfile that sends what a sweep sends.",
}
"""Subcommand → one-line help. ``load NAME`` is ``NAME`` in the module ``load_NAME``."""

_HOMES = {name: (f"mcp_governor.cli.load_{name}", name, text) for name, text in SUBCOMMANDS.items()}


@click.group(cls=LazyGroup, homes=_HOMES)
def load() -> None:
    """Measure a server under load: tools/list, or a call of one tool."""
