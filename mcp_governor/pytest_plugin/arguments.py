"""What a run is asked for by the command line and the ini file: if it checks, which items, with which configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import UsageError
from mcp_governor.pytest_plugin import MODES
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.config import Config


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
    """Take our ids out of the arguments; ``None`` if the run checks nothing."""
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
    """Refuse ids that no item has; the message has the nearest ones."""
    from difflib import get_close_matches

    items = list(known)
    for one in asked.ids:
        if not any(item == one or item.startswith(f"{one}::") for item in items):
            near = ", ".join(get_close_matches(one, items, n=_NEAREST))
            raise pytest.UsageError(
                f"{one} does not exist. {f'Nearest: {near}. ' if near else ''}"
                f"List all: pytest --mcp-charter --collect-only -q {ROOT}"
            )


CHARTER = "charter"
CONFIGURED = "configured"
"""What ``--mcp-profile`` takes in the place of a name, for the profiles of the configuration alone."""


def target_of(options: pytest.Config) -> str | None:
    """The TARGET of the command line."""
    named: str | None = options.option.mcp_target
    return named


def command_to_repeat(options: pytest.Config, item: str) -> str:
    """The command that runs an item again: its id, and the options of the command line that change what is checked."""
    from mcp_governor.text import command_line

    words = ["pytest", "--mcp-charter"]
    words += [word for name in options.option.mcp_profile for word in ("--mcp-profile", name)]
    for name, value in (("--mcp-target", target_of(options)), ("--mcp-calls", options.option.mcp_calls)):
        words += [name, value] if value else []
    return command_line([*words, item] if item else words)


def not_configured(options: pytest.Config) -> str:
    """Why there is no server to check, if nobody has named one; empty otherwise."""
    from mcp_governor.config.load import find_config

    if target_of(options) is not None or options.getini("mcp_target") or find_config(options.rootpath.resolve()):
        return ""
    return (
        "no MCP server is configured: there is neither mcp-governor.toml nor [tool.mcp-governor] in pyproject.toml. "
        "Run mcp-governor init, or name a server with --mcp-target."
    )


def config_of(options: pytest.Config) -> Config:
    """The project's configuration as the ini file and the command line change it."""
    from mcp_governor.checking.reading import permitted
    from mcp_governor.config import load_config
    from mcp_governor.target import resolve

    config = load_config(start=options.rootpath)
    if (typed := target_of(options)) is not None:
        config = permitted(config, resolve(typed, config))
    # The tests of the repository run its code; so may its rules.
    config = replace(config, trust_rules=True)
    if target := options.getini("mcp_target"):
        config = replace(config, target=target)
    calls = options.option.mcp_calls or options.getini("mcp_calls")
    if calls:
        if calls not in MODES:
            raise UsageError(
                f'mcp_calls of the pytest configuration is "{one_line(calls, 40)}".{did_you_mean(calls, MODES)}',
                f"Use one of: {', '.join(MODES)}.",
            )
        config = replace(config, calls_mode=calls)
    named = _named_profiles(options) or (CONFIGURED, *((CHARTER,) if _asks_for_charter(options) else ()))
    profiles = dict.fromkeys(one for name in named for one in (config.profile if name == CONFIGURED else (name,)))
    lint = config.lint
    if lint.select and {CONFIGURED, CHARTER} <= set(named) and CHARTER not in config.profile:
        # What is selected rule by rule takes the place of all profiles.
        lint = replace(lint, extend_select=(*lint.extend_select, "call/*", "charter/*", "envelope/*"))
    return replace(config, profile=tuple(profiles), lint=lint)


def _named_profiles(options: pytest.Config) -> tuple[str, ...]:
    return tuple(options.option.mcp_profile or options.getini("mcp_profile"))


def _asks_for_charter(options: pytest.Config) -> bool:
    """True if the command line names an item that only the charter has: an id that was printed can be given back."""
    asked = (word for word in options.invocation_params.args if isinstance(word, str) and f"{ROOT}::" in word)
    return any(word.rpartition("::")[2] in (CHARTER, "envelope") for word in asked)


def charter_left_out(options: pytest.Config, config: Config) -> str:
    """How to check the charter, too, if neither the configuration nor the run says which profiles count."""
    if CHARTER in config.profile or _named_profiles(options) or _asks_for_charter(options):
        return ""
    return (
        f"checked with the configured profile ({', '.join(config.profile)}). To add the house style of the charter: "
        "pytest --mcp-charter --mcp-profile configured --mcp-profile charter. To keep it as it is without this line: "
        "mcp_profile = configured in the pytest configuration."
    )
