"""The location of rule files, and former names of rules and kinds of change.

A published name stays valid. ``rules/renamed.toml`` maps former names to current ones. Every entry point for names (the
configuration, the command line, a lint baseline, ``_meta`` of a tool) translates them here, so that the rest of the
program knows current names only. An entry point that knows the place notes the former name, and the command line
prints such notes at the end of the run.
"""

from __future__ import annotations

import contextlib
import functools
from contextvars import ContextVar
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PROFILES_FILE = "profiles.toml"


_noted: ContextVar[dict[str, None] | None] = ContextVar("mcp_governor_notes", default=None)


@contextlib.contextmanager
def noting() -> Iterator[dict[str, None]]:
    """Collect what is noted inside this context, each sentence once, in order; outside, notes are dropped."""
    notes: dict[str, None] = {}
    token = _noted.set(notes)
    try:
        yield notes
    finally:
        _noted.reset(token)


def note(sentence: str) -> None:
    """Say something at the end of the run; parts from a stranger are escaped for display there."""
    notes = _noted.get()
    if notes is not None:
        notes[sentence] = None


@functools.cache
def rules_folder() -> Path:
    """The folder of our own rule files: inside the package when installed, next to it in a checkout.

    Raises:
        ConfigError: the folder is missing, so the installation is broken.
    """
    from pathlib import Path

    package = Path(__file__).resolve().parent
    for folder in (package / "rule_files", package.parent / "rules"):
        if (folder / PROFILES_FILE).is_file():
            return folder
    raise ConfigError("The rule files of mcp-governor are missing.", "Install mcp-governor again.")


@functools.cache
def former_names() -> Mapping[str, str]:
    """Former name → current name, of rules and of kinds of change.

    A former name is never reused, so that an old configuration cannot change its meaning.
    """
    from mcp_governor.builtin_rules import RENAMED

    return RENAMED


@functools.cache
def _by_current_name() -> Mapping[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for old, new in former_names().items():
        out[new] = (*out.get(new, ()), old)
    return out


def formerly(name: str) -> tuple[str, ...]:
    """The former names of a rule or a kind, oldest first."""
    return _by_current_name().get(name, ())


def current_name(name: str) -> str:
    """The current name of a rule or a kind; anything else (``pack/*``, an unknown name) stays as it is."""
    return former_names().get(name, name)


def first_name(name: str) -> str:
    """The first name of a rule or a kind.

    Ids of findings are hashed with this name, so an id stays the same when a rule is renamed, and when the
    configuration follows.
    """
    return next(iter(formerly(current_name(name))), name)


def current_id(finding: str) -> str:
    """The id of a finding or a change (``name:tool:pointer:hash``) with the current name of its rule or kind."""
    name, colon, rest = finding.partition(":")
    return f"{current_name(name)}{colon}{rest}"


def first_id(finding: str) -> str:
    """The id of a finding or a change with the first name of its rule or kind."""
    name, colon, rest = finding.partition(":")
    return f"{first_name(name)}{colon}{rest}"


def noted_name(name: str, file: str = "", key: str = "") -> str:
    """:func:`current_name` of a name that a user wrote in a known place; reports a former name.

    Args:
        name: a rule, a kind, a selector, or the id of a finding.
        file: the file that contains it; empty for the command line.
        key: the key or the option with the name as its value.
    """
    old, colon, rest = name.partition(":")
    new = current_name(old)
    if new != old:
        place = f"{file}: " if file else ""
        note(f"{place}{old}{f' in {key}' if key else ''} is now called {new}.")
    return f"{new}{colon}{rest}"
