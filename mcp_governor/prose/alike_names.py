"""Names of one kind, tools or parameters, and which of them a word resembles."""

from __future__ import annotations

import re
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, known, name_words
from mcp_governor.subjects.schemas import effective, root_of, values_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcp_governor.subjects.context import Facts

INNER_CAPITAL = lazy_pattern(r"[a-z][A-Z]", re.NOFLAG)
_CLOSE = 0.84
"""Minimum likeness (difflib) for a name to be a misspelling of another: one letter in six, a plural, a swapped word."""
_MAX_COMPARED = 100_000
"""Maximum number of comparisons of a word with a name, at 5 µs each: half a second. Beyond it, only other spellings of
the same words are found."""


@known
def plain(name: str) -> str:
    """A name without case and marks."""
    return "".join([char for char in name.lower() if char.isalnum()])


class Names:
    """The names of one kind, for finding words that resemble one of them.

    Args:
        names: of tools, or of the parameters of a tool.
        effort: maximum number of comparisons of a word with a name.
    """

    def __init__(self, names: Collection[str], effort: int = _MAX_COMPARED) -> None:
        self._effort = effort
        self.names = frozenset(names)
        self._given = names

    # The descriptions of most tools have no word that is compared with their parameters.

    @cached_property
    def _plain(self) -> dict[str, str]:
        out: dict[str, str] = {}
        for name in self._given:
            out.setdefault(plain(name), name)
        return out

    @cached_property
    def _firsts(self) -> dict[str, int]:
        """The first words of the names, with their numbers."""
        out: dict[str, int] = {}
        for name in self._given:
            for first in name_words(name)[:1]:
                out[first] = out.get(first, 0) + 1
        return out

    @cached_property
    def _prefix(self) -> str:
        """The name of the product, at the start of most names."""
        if len(self._given) < 3 or not self._firsts:
            return ""
        shared, count = max(self._firsts.items(), key=itemgetter(1))
        return shared if count * 5 >= len(self._given) * 3 else ""

    @cached_property
    def firsts(self) -> frozenset[str]:
        """The first words of the names, and the words behind the prefix."""
        parts_of = map(name_words, self._given)
        return frozenset(self._firsts) | {parts[1] for parts in parts_of if len(parts) > 1 and parts[0] == self._prefix}

    @cached_property
    def hyphenated(self) -> bool:
        """True if any of the names has a hyphen."""
        return any("-" in name for name in self.names)

    @cached_property
    def _marks(self) -> list[str]:
        return [mark for mark in "_-" if self._most(mark in name for name in self._given)]

    @cached_property
    def _mark(self) -> str:
        return self._marks[0] if len(self._marks) == 1 else ""

    @cached_property
    def _inner(self) -> bool:
        return not self._marks and self._most(INNER_CAPITAL.search(name) is not None for name in self._given)

    def _most(self, true: Iterable[bool]) -> bool:
        return sum(true) * 3 >= len(self._given) * 2

    def has_style(self, word: str) -> bool:
        """True if a word is joined as most of these names are."""
        return self._mark in word if self._mark else self._inner and INNER_CAPITAL.search(word) is not None

    def variant(self, word: str) -> str | None:
        """The name that consists of the same words in another spelling, or with the prefix of most names."""
        key = plain(word)
        return self._plain.get(key) or (self._plain.get(self._prefix + key) if self._prefix else None)

    def close(self, word: str) -> str | None:
        """The name that a word misspells, if one is close enough."""
        if len(word) < 5 or not self._spend():
            return None
        import difflib

        near = difflib.get_close_matches(plain(word), self._plain, 1, _CLOSE)
        return self._plain[near[0]] if near else None

    def nearest(self, word: str) -> str | None:
        """The name that has most words in common with a word: two, or one that is neither a verb nor the start of many
        names."""
        if not self._spend():
            return None
        parts = {part for part in name_words(word) if len(part) > 2 and part != self._prefix}
        scored = [(len(parts & set(name_words(name))), -len(name), name) for name in self.names]
        best = max(scored, default=(0, 0, ""))
        shared = parts - self.firsts - READING_VERBS - MUTATING_VERBS
        return best[2] if best[0] > 1 or shared & set(name_words(best[2])) else None

    def _spend(self) -> bool:
        self._effort -= len(self.names)
        return self._effort >= 0


_INNER_CAPITAL = lazy_pattern(r"[a-z0-9][A-Z]")


def looks_like_a_tool(word: str, facts: Facts, *, marked: bool) -> bool:
    """True if a word is spelled like the server's tools, and nothing else on the server has that name.

    A word without a separator and without an inner capital is a plain word. A word in another style belongs to another
    server, or to the subject of this one.

    Args:
        word: an identifier; an existing tool of the server also counts.
        facts: of the surface.
        marked: the word is in quotes or called, which excludes "read-only" and "e.g".
    """
    if word in facts.names:
        return True
    wanted = _styles(word)
    if not wanted or (not marked and wanted <= {"-", "."}):
        return False
    return wanted <= facts.memo("tool-styles", lambda: frozenset().union(*map(_styles, facts.names))) and (
        word not in other_names(facts)
    )


def _styles(name: str) -> frozenset[str]:
    """How the parts of a name are separated, and if it is in capitals, like environment variables."""
    found = {mark for mark in "_-." if mark in name.strip("_-.")}
    if _INNER_CAPITAL.search(name):
        found.add("aB")
    if found and name.isupper():
        found.add("AB")
    return frozenset(found)


_CHOOSING = frozenset({"operation", "action", "command", "method", "mode", "op"})
"""Parameters that select what a tool does; without an ``enum``, descriptions name the values."""
_SNAKE = lazy_pattern(r"\b[a-z]{2,30}(?:_[a-z]{1,30}){1,8}\b", re.NOFLAG)
_MAX_READ = 20_000
"""Maximum number of characters searched for the values of such a parameter."""


def other_names(facts: Facts) -> frozenset[str]:
    """Names of parameters, result fields, values, prompts and resources; a word spelled like one is not a tool."""
    return facts.memo("other names", lambda: frozenset(_other_names(facts)))


def _other_names(facts: Facts) -> Iterator[str]:
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.argument is None or not isinstance(node.schema, dict):
                continue
            yield node.argument
            values = values_of(root_of(node), effective(root_of(node), node.schema))
            yield from (value for value in values or () if isinstance(value, str))
            if node.argument.lower() in _CHOOSING and not values:
                yield from _SNAKE.findall(f"{node.schema.get('description')} {tool.description}"[:_MAX_READ])
    for entry in (*facts.surface.prompts, *facts.surface.resources, *facts.surface.templates):
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str):
            yield name
