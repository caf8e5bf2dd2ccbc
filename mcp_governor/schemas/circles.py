"""Find schemas that apply themselves to the same value.

The meaning of such a circle is undefined (JSON Schema Core, section 9.4.1), and validators hang, crash or disagree. One
kind is harmless: a definition with other keywords that is part of its own ``allOf`` or ``anyOf``, as in
``{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}}``. All others make a schema unusable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mcp_governor.schemas.keywords import REFERENCES, REFUSING
from mcp_governor.schemas.walking import in_place

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from mcp_governor.schemas.references import Document, Place

_T = TypeVar("_T", bound="Hashable")

_HARMLESS = ("allOf", "anyOf")
_Spot = tuple[int, str]
"""The ``id()`` of a schema object, and the base URI around it."""


class Components(Generic[_T]):
    """Strongly connected components, computed on demand (Tarjan's algorithm, without recursion).

    Args:
        steps: place → the places that it leads to directly.

    Attributes:
        of: place → the number of its component.
    """

    def __init__(self, steps: Callable[[_T], Iterable[_T]]) -> None:
        self._steps = steps
        self._numbers: dict[_T, int] = {}
        """Place → its number in the order of discovery."""
        self.of: dict[_T, int] = {}

    def settle(self, start: _T) -> list[_T]:
        """Find the components of all reachable places; returns those that were not reached before."""
        stack: list[_T] = []
        fresh: list[_T] = []
        walk = [self._enter(start, stack)] if start not in self._numbers else []
        low: dict[_T, int] = {}
        while walk:
            spot, after = walk[-1]
            low.setdefault(spot, self._numbers[spot])
            for target in after:
                if target not in self._numbers:
                    walk.append(self._enter(target, stack))
                    break
                if target not in self.of:
                    low[spot] = min(low[spot], low[target])
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    low[above] = min(low[above], low[spot])
                while low[spot] == self._numbers[spot] and spot not in self.of:
                    fresh.append(stack.pop())
                    self.of[fresh[-1]] = low[spot]
        return fresh

    def _enter(self, spot: _T, stack: list[_T]) -> tuple[_T, Iterator[_T]]:
        self._numbers[spot] = len(self._numbers)
        stack.append(spot)
        return spot, iter(self._steps(spot))


class Circles:
    """The steps between schema objects that apply to the same value.

    Args:
        document: the document.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._components: Components[_Spot] = Components(self._enter)
        self._places: dict[_Spot, Place] = {}
        self._harmful: dict[_Spot, list[_Spot]] = {}
        """The targets of steps that would make a circle harmful."""
        self._only: dict[_Spot, _Spot] = {}
        """Spot without keywords of its own → the only spot that it refers to."""
        self._followed: set[_Spot] = set()

    def hold(self, part: dict[str, Any], base: str) -> bool:
        """True if a harmful circle can be reached from a schema object.

        Args:
            part: the schema object.
            base: the base URI around it.
        """
        fresh = self._components.settle(self._spot((part, base)))
        of = self._components.of
        harmful = any(of[spot] == of[target] for spot in fresh for target in self._harmful[spot])
        return harmful or any(map(self._says_nothing, fresh))

    def _says_nothing(self, start: _Spot) -> bool:
        """True if a schema object only refers to another one, which only refers to another one, and so on in a
        circle."""
        path: set[_Spot] = set()
        spot: _Spot | None = start
        while spot is not None and spot not in self._followed:
            self._followed.add(spot)
            path.add(spot)
            spot = self._only.get(spot)
        return spot in path

    def _spot(self, place: Place) -> _Spot:
        spot = id(place[0]), place[1]
        self._places[spot] = place
        return spot

    def _enter(self, spot: _Spot) -> list[_Spot]:
        part, base = self._places[spot]
        steps = [(self._spot(after), harmful) for after, harmful in self._around(part, base)]
        self._harmful[spot] = [after for after, harmful in steps if harmful]
        if len(steps) == 1 and len(REFUSING & part.keys()) == 1:
            self._only[spot] = steps[0][0]
        return [after for after, _ in steps]

    def _around(self, part: dict[str, Any], base: str) -> Iterator[tuple[Place, bool]]:
        inside = self._document.base_of(part, base)
        for word, child in in_place(part):
            if isinstance(child, dict):
                yield (child, inside), word not in _HARMLESS
        for word in REFERENCES:
            if isinstance(part.get(word), str):
                target = self._document.resolve(inside, part[word])
                if target is not None and isinstance(target[0], dict):
                    yield target, False
