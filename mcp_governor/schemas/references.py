"""Resolve the references of a schema (2020-12 core, sections 8.2 and 9), and find those that lead back in a circle.

The meaning of a schema that applies itself to the same value is undefined (section 9.4.1), and validators hang, crash
or disagree. One kind is harmless: a definition with other keywords that is part of its own ``allOf`` or ``anyOf``, as
in ``{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}}``. All others make a schema unusable.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from urllib.parse import unquote, urldefrag, urljoin

from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.keywords import REFERENCES, REFUSING
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens, step
from mcp_governor.schemas.walking import in_place, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator


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


Place = tuple[Any, str]
"""A subschema and the base URI around it. Its own references are relative to :meth:`Document.base_of` it."""


class Target(NamedTuple):
    """A subschema and its position.

    Attributes:
        schema: the subschema.
        base: the base URI around it.
        pointer: its place in the document.
    """

    schema: Any
    base: str
    pointer: str


_NAMING = ('"$id"', '"id"', '"$anchor"', '"$dynamicAnchor"', '"$recursiveAnchor"')


class Document:
    """A schema with its embedded resources and anchors.

    Args:
        schema: any JSON value.
        text: its JSON text, if known; it shows quickly that a schema has no names, as most schemas do.
        draft: its dialect, which determines how a schema gets a name.
        alone: true if the published meta-schemas, which every implementation includes, are not part of it.
    """

    def __init__(self, schema: Any, text: str = "", *, draft: int = LATEST, alone: bool = False) -> None:
        self.schema = schema
        self.resources: dict[str, Target] = {"": Target(schema, "", "")}
        self.anchors: dict[tuple[str, str], Target] = {}
        self.dynamic: dict[str, set[str]] = {}
        """The dynamic anchors of each resource."""
        self._alone = alone
        self._legacy = draft <= 7
        self._identity = "id" if draft == 4 else "$id"
        if _may_name(schema, text):
            self._index(Target(schema, "", ""))

    def parts(self, start: Target | None = None) -> Iterator[Target]:
        """All subschemas at and below a place, by default of the whole document, in document order."""
        pending = [start or self.resources[""]]
        while pending:
            part = pending.pop()
            yield part
            if isinstance(part.schema, dict):
                inside = self.base_of(part.schema, part.base)
                below = [
                    Target(child, inside, join_pointer(part.pointer, *tokens))
                    for tokens, child in subschemas(part.schema)
                ]
                pending.extend(reversed(below))

    def _index(self, start: Target) -> None:
        for part in self.parts(start):
            schema = part.schema
            if not isinstance(schema, dict):
                continue
            inside = self.base_of(schema, part.base)
            identity = self._name_of(schema)
            if identity is not None:
                self.resources.setdefault(inside, part)
                if self._legacy and identity.partition("#")[2]:
                    self.anchors.setdefault((inside, identity.partition("#")[2]), part)
            for keyword in ("$anchor", "$dynamicAnchor"):
                name = schema.get(keyword)
                if isinstance(name, str):
                    self.anchors.setdefault((inside, name), part)
                    if keyword == "$dynamicAnchor":
                        self.dynamic.setdefault(inside, set()).add(name)

    def _name_of(self, schema: dict[str, Any]) -> str | None:
        identity = schema.get(self._identity)
        if not isinstance(identity, str) or (self._legacy and "$ref" in schema):
            return None  # up to draft 7, keywords next to a reference are ignored
        return identity

    def base_of(self, schema: Any, base: str) -> str:
        """The base URI inside a schema; ``base`` is the one around it."""
        identity = self._name_of(schema) if isinstance(schema, dict) else None
        if identity is None:
            return base
        try:
            return urljoin(base, urldefrag(identity).url)
        except ValueError:  # not a URI
            return base

    def find(self, base: str, reference: str) -> Target | None:
        """The target of a reference, or ``None`` if it is not a schema of the document.

        Args:
            base: the base URI of the schema with the reference.
            reference: its value.
        """
        named = _uri_of(base, reference)
        if named is None:
            return None
        uri, fragment = named
        found = self.resources.get(uri) or self._published(uri)
        if found is None or not fragment:
            return found
        if not fragment.startswith("/"):
            return self.anchors.get((uri, fragment))
        return self._follow(found, fragment)

    def resolve(self, base: str, reference: str) -> Place | None:
        """:meth:`find` without the pointer."""
        found = self.find(base, reference)
        return None if found is None else found[:2]

    def leads_out(self, base: str, reference: str) -> bool:
        """True if a reference names another document."""
        named = _uri_of(base, reference)
        return named is None or (named[0] not in self.resources and self._published(named[0]) is None)

    def _follow(self, start: Target, pointer: str) -> Target | None:
        part, base, home = start
        try:
            for token in pointer_tokens(pointer):
                base = self.base_of(part, base)
                part = step(part, token)
        except KeyError:
            return None
        return Target(part, base, home + pointer) if isinstance(part, dict | bool) else None

    def _published(self, uri: str) -> Target | None:
        known = None if self._alone else _known(uri)
        if known is None:
            return None
        self._index(Target(known, uri, ""))
        return self.resources.setdefault(uri, Target(known, uri, ""))


def _may_name(schema: Any, text: str) -> bool:
    try:
        text = text or json.dumps(schema, default=str)
    except RecursionError:
        return True
    return any(word in text for word in _NAMING)


def _uri_of(base: str, reference: str) -> tuple[str, str] | None:
    """The document that a reference names, and the decoded fragment; ``None`` if it is not a URI."""
    if reference.startswith("#"):
        return base, unquote(reference[1:])
    try:
        uri, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        return None
    return uri, unquote(fragment)


@cache
def published() -> Any:
    """The registry of the published meta-schemas; it fetches nothing."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    return REGISTRY


# twenty meta-schemas are published, vocabularies included
@lru_cache(maxsize=32)
def _known(uri: str) -> Any | None:
    """A published meta-schema, which every implementation includes, translated to draft 2020-12."""
    if "json-schema.org/" not in uri:
        return None
    from mcp_governor.schemas.translation import modern
    from mcp_governor.schemas.values import text_of

    found = published()
    resource = found.get(uri) or found.get(uri + "#")
    if resource is None:
        return None
    return modern(resource.contents, dialect_of(resource.contents) or LATEST, text_of(resource.contents))
