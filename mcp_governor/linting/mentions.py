"""Tool names in prose: whole identifiers of the live surface, found in time linear in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TOKEN = re.compile(r"[\w.\-]+")
_TRIM = ".-"


class NameIndex:
    """The tool names of one surface, for finding them in descriptions.

    A name is found as a whole identifier, case-sensitively: ``list`` is not found in ``list_items``, and a full
    stop after a name does not belong to it.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._plain: set[str] = set()
        self._odd: dict[str, list[tuple[int, str]]] = {}
        for name in names:
            tokens = list(_TOKEN.finditer(name))
            if len(tokens) == 1 and tokens[0].group() == name:
                self._plain.add(name)
            elif tokens:
                # A name with spaces or slashes is looked up by its first token and compared in full.
                first = tokens[0]
                self._odd.setdefault(first.group().strip(_TRIM), []).append((first.start(), name))

    def mentions(self, text: str) -> Iterator[tuple[int, str]]:
        """Every mention of a name: where it starts, and the name."""
        for match in _TOKEN.finditer(text):
            token = match.group()
            bare = token.strip(_TRIM)
            name = token if token in self._plain else bare
            if name in self._plain:
                yield match.start(), name
            for offset, odd in self._odd.get(bare, ()):
                start = match.start() - offset
                if start >= 0 and text.startswith(odd, start):
                    yield start, odd
