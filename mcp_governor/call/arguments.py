"""Sample arguments for an input schema: the author's examples first, then what a person would type.

The result is deterministic: the same schema, seed and source give the same arguments. A source supplies what
a schema cannot know, such as existing files and ids. Containment handles schemas that the simple rules cannot satisfy
(patterns, intricate compositions): compared with the schema that accepts nothing, they yield a witness, which is an
instance that two validators confirm.
"""

from __future__ import annotations

import asyncio
import random
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.prose import spellings
from mcp_governor.call.words import singular
from mcp_governor.change.budget import Budget, OverBudgetError
from mcp_governor.containment import contains
from mcp_governor.containment.validators import compile_schema, compiled
from mcp_governor.schemas.formats import EXAMPLES
from mcp_governor.schemas.walking import branches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.call.candidates import ToolSupply
    from mcp_governor.containment.validating import Validating

NOTHING: Any = object()
"""Means that no value was found. ``None`` cannot, because it is a value."""

_MAX_DEPTH = 8
"""Deepest nesting of a value: generous for arguments that a model writes. Deeper values are not found."""
_MAX_LENGTH = 100_000
"""Longest string that is made, in characters: fifty pages. No value is found if ``minLength`` is larger."""
_MAX_ITEMS = 1_000
"""Most items of a list. If the schema requires more, it rejects the shorter list, and containment looks for a
witness."""
_SECONDS = 3.0
"""Time limit for one set of arguments, in seconds: real schemas take milliseconds."""
_MAX_VALUES = 20_000
"""Most values that are made for one set of arguments; no real server needs as many. Without it, objects with twelve
required members each would take 12**8 values at the maximum depth."""
_MAX_TRIED = 60
"""Most candidates for one value that are validated; a source offers a few dozen."""


class Place(Struct, frozen=True):
    """The position of a value: the name of its parameter, and the description."""

    name: str = ""
    text: str = ""


_NO_PLACE = Place()
_MAX_CHOICES = 5
"""Most values of an ``enum`` that are tried. A refused call is retried three times, so later values would seldom be
sent."""


def sample_arguments(
    schema: Any, *, seed: int = 0, optional: bool = False, source: ToolSupply | None = None
) -> dict[str, Any] | None:
    """Make arguments that an input schema accepts.

    Args:
        schema: the input schema.
        seed: chooses among equally good values; 0 takes the first.
        optional: include optional parameters if values for them are found.
        source: values by name and description, for parameters whose schema offers none.

    Returns:
        The arguments, or ``None`` if no valid ones were found.
    """
    if schema is None:
        return {}
    validator = compiled(schema)
    if validator is None:
        return None
    root = {"type": "object", **schema} if isinstance(schema, dict) else {"type": "object"}
    if is_cancelled():
        return None
    sampler = Sampler(root, seed, optional=optional, source=source)
    try:
        for candidate in _candidates(root, sampler):
            fits = isinstance(candidate, dict) and validator.accepts(candidate)
            if fits and (source is None or source.confined(candidate)):
                return dict(candidate)
    except OverBudgetError:
        return None
    return None


def is_cancelled() -> bool:
    """True if the current task, if there is one, has been cancelled.

    Ctrl-C reaches a task only at its next ``await``, and making arguments does not wait for anything.
    """
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0


def _candidates(root: dict[str, Any], sampler: Sampler) -> Iterator[Any]:
    if sampler.optional:
        draft = sampler.draft(root)
        yield draft
        if isinstance(draft, dict):
            yield from _without_each(root, draft)
        return
    yield from (value for value in _written(root) if sampler.may_send(Place(), value))
    yield sampler.sample(root)


def _without_each(root: Any, value: dict[str, Any]) -> Iterator[Any]:
    """Drop the optional members one after the other, because some exclude each other."""
    needed = set(_required(root))
    kept = dict(value)
    for name in reversed(value):
        if name not in needed:
            kept = {key: item for key, item in kept.items() if key != name}
            yield kept


class Sampler:
    """Makes values for the schemas of one document.

    Args:
        root: the document that local references point into.
        seed: chooses among equally good values; 0 takes the first.
        optional: include optional members of objects.
        source: values by name and description.
    """

    def __init__(self, root: Any, seed: int = 0, *, optional: bool = False, source: ToolSupply | None = None) -> None:
        self._root = root
        self._rng = random.Random(seed) if seed else None  # noqa: S311 - nothing secret is made of it
        self.optional = optional
        self._budget = Budget(_SECONDS, f"arguments took longer than {_SECONDS:g} s to make", work=_MAX_VALUES)
        self._source = source
        self._compiled: dict[int, tuple[Any, dict[str, Any], Validating | None]] = {}

    def sample(self, schema: Any, depth: int = 0, place: Place = _NO_PLACE) -> Any:
        """A value that a schema accepts, or :data:`NOTHING` if none was found.

        Args:
            schema: a schema of the document.
            depth: nesting depth of the value.
            place: position of the value.
        """
        return next(iter(self.options(schema, 1, depth, place)), NOTHING)

    def options(self, schema: Any, most: int, depth: int = 0, place: Place = _NO_PLACE) -> list[Any]:
        """Different values that a schema accepts, best first.

        Args:
            schema, depth, place: as for :meth:`sample`.
            most: maximum number of values.

        Raises:
            OverBudgetError: the schema requires more values than we make.
        """
        self._spend()
        if not isinstance(schema, dict):
            return [] if schema is False else ["example"]
        if depth > _MAX_DEPTH:
            return []
        scoped, validator = self._validator(schema)
        out: list[Any] = []
        for candidate in islice(self._natural(schema, depth, place), _MAX_TRIED):
            if (
                candidate is not NOTHING
                and (validator is None or validator.accepts(candidate))
                and candidate not in out
            ):
                out.append(candidate)
                if len(out) >= most:
                    break
        if out:
            return out
        self._spend()
        found = contains(False, scoped)
        return [found.witness] if found.has_witness else []

    def _spend(self) -> None:
        self._budget.spend()
        if is_cancelled():
            raise OverBudgetError("interrupted")

    def _validator(self, schema: dict[str, Any]) -> tuple[dict[str, Any], Validating | None]:
        """A schema as a document of its own, and its validator. A definition is compiled once, however often it is
        used."""
        found = self._compiled.get(id(schema))
        if found is None:
            scoped = in_scope(self._root, schema)
            # keep a reference to the schema, so that its `id()` is not reused
            found = self._compiled[id(schema)] = schema, scoped, compile_schema(scoped)
        return found[1:]

    def draft(self, schema: dict[str, Any]) -> Any:
        """The value that the simple rules give for a schema, which the schema may refuse."""
        return next((value for value in self._natural(schema, 0, _NO_PLACE) if value is not NOTHING), NOTHING)

    def may_send(self, place: Place, value: Any) -> bool:
        """True if a value that the author of the schema wrote may be sent."""
        return self._source is None or self._source.allows(place.name, place.text, value)

    def _is_place(self, place: Place) -> bool:
        return bool(place.name) and self._source is not None and self._source.means_place(place.name, place.text)

    def _natural(self, schema: dict[str, Any], depth: int, place: Place) -> Iterator[Any]:
        seen = [here for here in branches(self._root, schema) if here is not None]
        if not place.text:
            place = Place(place.name, _described(seen))
        yield from self._sendable(schema, place)
        for here in seen:
            yield from self._allowed(here)
            if here is not schema:
                yield from self._sendable(here, place)
        merged, kinds = _merged(seen), _types(seen)
        # For "an object, or its JSON as a string", try the object first: its properties are described.
        described = merged.get("properties") and self._source is not None
        first = [kind for kind in kinds if described and kind == "object"]
        for kind in first:
            yield from self._of_type(kind, merged, depth, place)
        if place.name and self._source is not None:
            yield from self._supplied(self._source, merged, kinds, place)
        for kind in kinds:
            if kind not in first and (kind != "string" or not self._is_place(place)):
                yield from self._of_type(kind, merged, depth, place)
        if "null" in kinds:
            yield None

    def _sendable(self, schema: dict[str, Any], place: Place) -> Iterator[Any]:
        """The examples and defaults of a schema that may be sent."""
        return (value for value in _written(schema) if self.may_send(place, value))

    def _allowed(self, schema: dict[str, Any]) -> Iterator[Any]:
        """The first values of ``enum`` and ``const``."""
        values = schema.get("enum")
        if isinstance(values, list) and values:
            yield self._rng.choice(values) if self._rng is not None else values[0]
            yield from (values[1:_MAX_CHOICES] if self._source is not None else ())
        if "const" in schema:
            yield schema["const"]

    def _supplied(self, source: ToolSupply, schema: dict[str, Any], kinds: list[str], place: Place) -> Iterator[Any]:
        for value in source.candidates(place.name, place.text, str(schema.get("format") or "")):
            if not isinstance(value, str) or "string" in kinds or "array" not in kinds:
                yield value
            if isinstance(value, str) and kinds != ["string"]:
                yield from spellings(value)

    def _of_type(self, kind: str, schema: dict[str, Any], depth: int, place: Place) -> Iterator[Any]:
        if kind == "string":
            yield self._string(schema)
        elif kind in ("integer", "number"):
            yield from _numbers(schema, kind)
        elif kind == "boolean":
            yield self._rng.random() < 0.5 if self._rng is not None else False
        elif kind == "array":
            yield self._array(schema, depth, place)
        elif kind == "object":
            yield self._object(schema, depth)

    def _string(self, schema: dict[str, Any]) -> Any:
        known = EXAMPLES.get(str(schema.get("format")))
        if known is not None:
            return known[0]
        text = self._rng.choice(("example", "sample", "test")) if self._rng is not None else "example"
        low, high = _size(schema, "minLength", 0), _size(schema, "maxLength", _MAX_LENGTH)
        if low > _MAX_LENGTH:
            return NOTHING
        return (text + "a" * max(low - len(text), 0))[:high]

    def _array(self, schema: dict[str, Any], depth: int, place: Place) -> Any:
        prefix = schema.get("prefixItems")
        items = schema.get("items")
        if isinstance(items, list):  # before 2020-12
            prefix, items = items, schema.get("additionalItems")
        schemas = list(prefix) if isinstance(prefix, list) else []
        low = _size(schema, "minItems", 0)
        wanted = min(max(low, 1, len(schemas)), _size(schema, "maxItems", _MAX_LENGTH), _MAX_ITEMS)
        schemas += [items if items is not None else {}] * (wanted - len(schemas))
        each = Place(singular(place.name), place.text)
        out = [self.sample(item, depth + 1, each) for item in schemas[:wanted]]
        return NOTHING if any(item is NOTHING for item in out) else out

    def _object(self, schema: dict[str, Any], depth: int) -> Any:
        properties = schema.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        required = [name for name in schema.get("required") or () if isinstance(name, str)]
        out: dict[str, Any] = {}
        for name in dict.fromkeys([*required, *(properties if self.optional else ())]):
            value = self.sample(properties.get(name, {}), depth + 1, Place(name))
            if value is not NOTHING:
                out[name] = value
            elif name in required:
                return NOTHING
        return out


def in_scope(root: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """A subschema as a document of its own, with the definitions that its references need."""
    if not isinstance(root, dict) or schema is root:
        return schema
    shared = {key: root[key] for key in ("$defs", "definitions", "$schema") if key in root}
    return {**shared, **schema}


def _written(schema: dict[str, Any]) -> Iterator[Any]:
    """Values that the author wrote: examples first, then the default."""
    examples = schema.get("examples")
    if isinstance(examples, list):
        yield from examples
    if "example" in schema:
        yield schema["example"]
    if schema.get("default") is not None:
        yield schema["default"]


def _described(schemas: list[dict[str, Any]]) -> str:
    descriptions = (schema.get("description") for schema in schemas)
    return next((text for text in descriptions if isinstance(text, str) and text), "")


def _merged(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """One view of schemas that apply together. Conflicts are resolved later, when the value is validated."""
    out: dict[str, Any] = {}
    for schema in reversed(schemas):
        for key, value in schema.items():
            if key == "properties" and isinstance(value, dict) and isinstance(out.get(key), dict):
                out[key] = {**out[key], **value}
            elif key == "required" and isinstance(value, list) and isinstance(out.get(key), list):
                out[key] = [*value, *(name for name in out[key] if name not in value)]
            else:
                out[key] = value
    return out


_IMPLIED = (
    ("object", ("properties", "required", "additionalProperties", "patternProperties", "minProperties")),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")),
    ("string", ("pattern", "format", "minLength", "maxLength")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)


def _types(schemas: list[dict[str, Any]]) -> list[str]:
    """Type names to try: the declared ones, or else those that the keywords suggest."""
    out: list[str] = []
    for schema in schemas:
        declared = schema.get("type")
        names = declared if isinstance(declared, list) else [declared]
        out += [name for name in names if isinstance(name, str) and name not in out]
    if not out:
        out = [kind for kind, keys in _IMPLIED if any(key in schema for schema in schemas for key in keys)]
    return out or ["string"]


def _numbers(schema: dict[str, Any], kind: str) -> Iterator[Any]:
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    for value, step in (
        (schema.get("multipleOf"), 0),
        (1, 0),
        (schema.get("minimum"), 0),
        (schema.get("maximum"), 0),
        (above, 1),
        (below, -1),
    ):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield int(value + step) if kind == "integer" else value + step


def _required(root: Any) -> Iterator[str]:
    for here in branches(root, root):
        names = here.get("required") if here is not None else None
        yield from (name for name in names or () if isinstance(name, str))


def _size(schema: dict[str, Any], key: str, default: int) -> int:
    value = schema.get(key)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else default
