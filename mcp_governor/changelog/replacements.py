"""What a farewell says: which tools go, and what to use instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.reading import code_spans
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.changelog.model import Changelog, Entry, Section

_INSTEAD = re.compile(
    r"\b(?:use|using|call|prefer|switch to|migrate to|replaced (?:by|with)|superseded by|in favou?r of"
    r"|becomes?|became|renamed(?: to)?|called|moved to|merged into|replacement:?)\b|→|->|=>",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_OF_A_PART = re.compile(
    r"\b(?:arguments?|parameters?|fields?|propert(?:y|ies)|values?|options?|keys?)\b", re.IGNORECASE
)


@frozen
class Announcement:
    """A tool's deprecation as the changelog tells it.

    Attributes:
        tool: the name in backticks.
        section: the release that announced it.
        replacement: what to use instead, ``None`` where the entry does not say.
        line: of the entry, from 1.
        names: every name in the entry.
    """

    tool: str
    section: Section
    replacement: str | None
    line: int
    names: frozenset[str] = frozenset()


def farewell(entry: Entry) -> tuple[tuple[str, ...], str | None]:
    """The names that an entry takes leave of, and the one to use instead.

    ``use `b` instead`` and ``→ `b``` follow the old name; ``use `b` instead of `a``` puts it last.
    """
    turn = _INSTEAD.search(entry.text)
    if turn is None:
        return entry.leading, None
    before, after = code_spans(entry.text[: turn.start()]), entry.text[turn.end() :]
    if before:
        return before, _first(code_spans(after))
    old = _INSTEAD_OF.search(after)
    if old is None:
        return code_spans(after), None
    return code_spans(after[old.end() :]), _first(code_spans(after[: old.start()]))


def _first(spans: tuple[str, ...]) -> str | None:
    return spans[0] if spans else None


def is_about_a_part(entry: Entry) -> bool:
    """Whether an entry takes leave of an argument, a field or a value, and not of a tool."""
    turn = _INSTEAD.search(entry.text)
    return _OF_A_PART.search(entry.text[: turn.start()] if turn else entry.text) is not None


def announcements(changelog: Changelog) -> Iterator[Announcement]:
    """Every tool that a Deprecated entry names; entries about an argument or a field are left out."""
    for section in changelog.sections:
        for entry in section.of_kind(Kind.DEPRECATED):
            if not is_about_a_part(entry):
                names, replacement = farewell(entry)
                for name in names:
                    yield Announcement(name, section, replacement, entry.line, entry.names)
