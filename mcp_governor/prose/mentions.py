"""Tool names in prose: whole identifiers of the current surface, found in linear time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TOKEN = lazy_pattern(r"\w+(?:[.\-]\w+)*")


class NameIndex:
    """An index of the tool names of one surface, to find them in descriptions.

    Only whole identifiers match, case-sensitively: ``list`` does not match in ``list_items``, ``my-list`` or
    ``list.all``. A full stop after a name does not belong to it, two hyphens are a dash, and underscores around a name
    are emphasis.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._plain: set[str] = set()
        self._odd: dict[str, list[tuple[int, str]]] = {}
        for name in names:
            first = _TOKEN.search(name)
            if first is not None and first.group() == name:
                self._plain.add(name)
            elif first is not None:
                # A name with spaces or slashes is looked up by its first token and compared in full.
                self._odd.setdefault(first.group(), []).append((first.start(), name))

    def mentions(self, text: str) -> Iterator[tuple[int, str]]:
        """Every mention of a name: where it starts, and the name."""
        for match in _TOKEN.finditer(text):
            token = match.group()
            name = token if token in self._plain else token.strip("_")
            if name in self._plain:
                yield match.start(), name
            for offset, odd in self._odd.get(token, ()):
                start = match.start() - offset
                if start >= 0 and text.startswith(odd, start) and _ends(text, start + len(odd)):
                    yield start, odd


def _ends(text: str, end: int) -> bool:
    """True if no word continues across a position."""
    return not (text[end - 1].isalnum() and text[end : end + 1].isalnum())
