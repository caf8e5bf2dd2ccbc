"""Where the rule files are, and what rules and kinds of change were called before.

A name that was published stays valid. ``rules/renamed.toml`` maps former names to current ones, and every door through
which a name comes in (the configuration, the command line, a lint baseline, ``_meta`` of a tool) passes it through
here, so that everything behind the door knows current names only. A door that can name its place notes the former
name, and the command line prints the notes at the end of its run.
"""

from __future__ import annotations

import contextlib
import functools
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROFILES_FILE = "profiles.toml"
RENAMED_FILE = "renamed.toml"


class FormerName(NamedTuple):
    """One use of a former name.

    Attributes:
        file: where it stands; empty for the command line.
        key: the key or the option that holds it; may be empty.
        old, new: the former name and the current one.
    """

    file: str
    key: str
    old: str
    new: str

    @property
    def message(self) -> str:
        """One sentence; what a stranger wrote in it is still to be made safe to show."""
        place = f"{self.file}: " if self.file else ""
        return f"{place}{self.old}{f' in {self.key}' if self.key else ''} is now called {self.new}."


_noted: ContextVar[dict[FormerName, None] | None] = ContextVar("mcp_governor_former_names", default=None)


@contextlib.contextmanager
def noting() -> Iterator[dict[FormerName, None]]:
    """Collect the former names that are used inside, each place once, in order; elsewhere nobody would print them."""
    notes: dict[FormerName, None] = {}
    token = _noted.set(notes)
    try:
        yield notes
    finally:
        _noted.reset(token)


def rules_folder() -> Path:
    """Where our own rule files are: inside the package when installed, beside it in a checkout.

    Raises:
        ConfigError: they are missing, so the installation is broken.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "rules", package.parent / "rules"):
        if (folder / PROFILES_FILE).is_file():
            return folder
    raise ConfigError("The rule files of mcp-governor are missing.", "Install mcp-governor again.")


@functools.cache
def former_names() -> Mapping[str, str]:
    """Former name → current name, of rules and of kinds of change.

    A former name is never given to another rule, so that an old configuration cannot come to mean something else.
    """
    import tomli

    return dict(tomli.loads((rules_folder() / RENAMED_FILE).read_text("utf-8")))


@functools.cache
def _by_current_name() -> Mapping[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for old, new in former_names().items():
        out[new] = (*out.get(new, ()), old)
    return out


def formerly(name: str) -> tuple[str, ...]:
    """The former names of a rule or a kind, the oldest first."""
    return _by_current_name().get(name, ())


def current_name(name: str) -> str:
    """The current name of a rule or a kind; anything else (``pack/*``, an unknown name) stays as it is."""
    return former_names().get(name, name)


def first_name(name: str) -> str:
    """The name that a rule or a kind had first.

    What is hashed into the id of a finding uses this name: the id then stays the same when a rule gets a new name, and
    when the configuration follows.
    """
    return next(iter(formerly(current_name(name))), name)


def current_id(finding: str) -> str:
    """The id of a finding or a change (``name:tool:pointer:hash``) with the current name of its rule or kind."""
    name, colon, rest = finding.partition(":")
    return f"{current_name(name)}{colon}{rest}"


def first_id(finding: str) -> str:
    """The id of a finding or a change with the name that its rule or kind had first."""
    name, colon, rest = finding.partition(":")
    return f"{first_name(name)}{colon}{rest}"


def noted_name(name: str, file: str = "", key: str = "") -> str:
    """:func:`current_name` of what a user wrote in a known place; a former name is noted.

    Args:
        name: a rule, a kind, a selector, or the id of a finding.
        file: where it stands; empty for the command line.
        key: the key or the option that holds it.
    """
    old, colon, rest = name.partition(":")
    new = current_name(old)
    notes = _noted.get()
    if new != old and notes is not None:
        notes[FormerName(file, key, old, new)] = None
    return f"{new}{colon}{rest}"
