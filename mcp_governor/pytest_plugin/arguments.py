"""Decide from the command line and the ini file if a run checks the server, and which items it was asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = "mcp"
"""The node above all items; their ids begin with it."""
_NEAREST = 3
"""Ids that a message suggests for a wrong one: as many as fit into a line or two."""


class Asked(Struct, frozen=True):
    """What a run was asked for.

    Attributes:
        ids: ids of items or of nodes above them; empty for all items.
        partial: true if options choose among the items, so that what nobody uses cannot be judged.
    """

    ids: tuple[str, ...]
    partial: bool

    def takes(self, item: str) -> bool:
        """True if an item is asked for by its id or by the id of a node above it."""
        return not self.ids or any(item == one or item.startswith(f"{one}::") for one in self.ids)


def take_ids(config: pytest.Config, candidates: Sequence[str]) -> Asked | None:
    """Take our ids out of the arguments.

    Returns:
        What the run is asked for; ``None`` if it checks nothing.

    Raises:
        pytest.UsageError: items were named, and the check is off.
    """
    ids = {argument: _id_of(argument, config) for argument in candidates}
    mine = {argument: one for argument, one in ids.items() if one}
    typed = config.option.mcp_charter
    on = bool(config.option.mcp_update or config.getini("mcp_charter")) if typed is None else typed
    if not on:
        if named := [argument for argument, one in mine.items() if one != ROOT]:
            raise pytest.UsageError(
                f"{named[0]} is a check of the MCP server, and these are off. "
                f"Turn them on: pytest --mcp-charter {' '.join(mine)}"
            )
        return None
    others = [argument for argument in config.args if argument not in mine]
    if mine:
        config.args[:] = others
    elif typed is None and not config.option.mcp_update and _names_tests(config, others):
        # The ini file turns the check on for runs of files and folders, not for a test that somebody picks.
        return None
    chosen = ("keyword", "markexpr", "lf", "deselect", "stepwise")
    partial = bool(mine) or any(config.getoption(name, None) for name in chosen)
    return Asked(() if ROOT in mine.values() else tuple(dict.fromkeys(mine.values())), partial)


def _names_tests(config: pytest.Config, arguments: Sequence[str]) -> bool:
    given = config.args_source is pytest.Config.ArgsSource.ARGS
    return given and bool(arguments) and all("::" in argument for argument in arguments)


def _id_of(argument: str, config: pytest.Config) -> str:
    """The id that an argument names; empty if it names something else.

    In a folder below the root, pytest prints ids with the way to the root: ``../mcp::git_add::spec``.
    """
    head, separator, rest = argument.partition("::")
    place = os.path.normpath(config.invocation_params.dir / head)
    if head != ROOT and place != os.path.normpath(config.rootpath / ROOT):
        return ""
    if not separator and (config.option.pyargs or os.path.lexists(place)):
        return ""
    return f"{ROOT}::{rest}" if rest else ROOT


def refuse_unknown(asked: Asked, known: Iterable[str]) -> None:
    """Refuse ids that no item has.

    Raises:
        pytest.UsageError: an id names nothing; the message has the nearest ones.
    """
    from difflib import get_close_matches

    items = list(known)
    for one in asked.ids:
        if not any(item == one or item.startswith(f"{one}::") for item in items):
            near = ", ".join(get_close_matches(one, items, n=_NEAREST))
            raise pytest.UsageError(
                f"{one} does not exist. {f'Nearest: {near}. ' if near else ''}"
                f"List all: pytest --mcp-charter --collect-only -q {ROOT}"
            )
