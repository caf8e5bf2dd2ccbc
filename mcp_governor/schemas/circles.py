"""Schemas that apply themselves to the value that they are asked about.

What such a circle means is undefined (JSON Schema Core, section 9.4.1), and validators hang, crash or differ. One
kind is harmless: a definition that says something, and is an alternative or a condition of itself, as in
``{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}}``. Every other one makes a schema unusable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.keywords import IN_PLACE, REFERENCES, REFUSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.schemas.references import Document, Place

_HARMLESS = ("allOf", "anyOf")
_Spot = tuple[int, str]
"""A schema object, by identity, and the base URI around it."""
_Step = tuple[_Spot, bool]
"""Where a step leads, and whether a circle through it is harmful."""


def beside(part: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
    """The subschemas about the same value as the schema object that holds them, and whether a circle would harm."""
    for word in IN_PLACE:
        value = part.get(word)
        if isinstance(value, list):
            found = value
        elif word.startswith("depend"):
            found = list(value.values()) if isinstance(value, dict) else []
        else:
            found = [value]
        for child in found:
            if isinstance(child, dict):
                yield child, word not in _HARMLESS


class Circles:
    """The steps from schema object to schema object that stay with one value.

    Args:
        document: the document.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._steps: dict[_Spot, list[_Step]] = {}
        self._numbers: dict[_Spot, int] = {}
        """Spots in the order in which they were reached."""
        self._only: dict[_Spot, _Spot] = {}
        """Of spots that say nothing but what another one says: that one."""
        self._followed: set[_Spot] = set()
        self._lowest: dict[_Spot, int] = {}
        """Spots that are settled: the number of the first one of those that they are in a circle with."""

    def hold(self, part: dict[str, Any], base: str) -> bool:
        """Whether a harmful circle can be reached from a schema object.

        Args:
            part: the schema object.
            base: the base URI around it.
        """
        fresh = self._settle((part, base))
        harmful = any(
            harmful and self._lowest[spot] == self._lowest[target]
            for spot in fresh
            for target, harmful in self._steps[spot]
        )
        return harmful or any(map(self._says_nothing, fresh))

    def _says_nothing(self, start: _Spot) -> bool:
        """Whether all that a schema object says is what another one says, and so on until it comes round."""
        path: set[_Spot] = set()
        spot: _Spot | None = start
        while spot is not None and spot not in self._followed:
            self._followed.add(spot)
            path.add(spot)
            spot = self._only.get(spot)
        return spot in path

    def _settle(self, start: Place) -> list[_Spot]:
        """Put everything that can be reached into circles (Tarjan's algorithm); returns what is new."""
        stack: list[_Spot] = []
        fresh: list[_Spot] = []
        walk = [self._enter(start, stack)] if _spot(start) not in self._numbers else []
        low: dict[_Spot, int] = {}
        while walk:
            spot, places = walk[-1]
            low.setdefault(spot, self._numbers[spot])
            for place in places:
                after = _spot(place)
                if after not in self._numbers:
                    walk.append(self._enter(place, stack))
                    break
                if after not in self._lowest:
                    low[spot] = min(low[spot], low[after])
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    low[above] = min(low[above], low[spot])
                while low[spot] == self._numbers[spot] and spot not in self._lowest:
                    fresh.append(stack.pop())
                    self._lowest[fresh[-1]] = low[spot]
        return fresh

    def _enter(self, place: Place, stack: list[_Spot]) -> tuple[_Spot, Iterator[Place]]:
        spot = _spot(place)
        self._numbers[spot] = len(self._numbers)
        stack.append(spot)
        steps = list(self._around(*place))
        self._steps[spot] = [(_spot(after), harmful) for after, harmful in steps]
        if len(steps) == 1 and len(REFUSING & place[0].keys()) == 1:
            self._only[spot] = _spot(steps[0][0])
        return spot, iter([after for after, _ in steps])

    def _around(self, part: dict[str, Any], base: str) -> Iterator[tuple[Place, bool]]:
        inside = self._document.base_of(part, base)
        for child, harmful in beside(part):
            yield (child, inside), harmful
        for word in REFERENCES:
            if isinstance(part.get(word), str):
                target = self._document.resolve(inside, part[word])
                if target is not None and isinstance(target[0], dict):
                    yield target, False


def _spot(place: Place) -> _Spot:
    return id(place[0]), place[1]
