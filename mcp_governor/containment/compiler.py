"""Compile a schema document into a formula."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mcp_governor.containment.formulas import (
    FALSE,
    TRUE,
    WRITTEN,
    And,
    Bound,
    Contains,
    Formula,
    Hint,
    Items,
    Multiple,
    Names,
    One,
    Opaque,
    Or,
    Required,
    Size,
    Unique,
    all_of,
    any_of,
    make,
    negate,
    props,
    ref,
    types,
    values,
)
from mcp_governor.containment.likely import is_coercible
from mcp_governor.containment.one_of import overlapping
from mcp_governor.containment.outcome import StoppedError
from mcp_governor.containment.strings import pattern_node
from mcp_governor.containment.unevaluated import Scope, unevaluated
from mcp_governor.schemas.formats import EXAMPLES, format_patterns
from mcp_governor.schemas.keywords import REFERENCES
from mcp_governor.schemas.translation import DISPUTED, RECURSIVE
from mcp_governor.schemas.values import exact, freeze, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.schemas.references import Document, Place

_SIZES = {
    "minLength": ("string", True),
    "maxLength": ("string", False),
    "minItems": ("array", True),
    "maxItems": ("array", False),
    "minProperties": ("object", True),
    "maxProperties": ("object", False),
}
_BOUNDS = {
    "minimum": (True, False),
    "exclusiveMinimum": (True, True),
    "maximum": (False, False),
    "exclusiveMaximum": (False, True),
}

_SHARED_DEPTH = 4
"""Deepest subschemas that are looked up in the cache by their text, because the lookup takes time too."""
_SHARED_TEXT = 500
"""Longest text of a cached subschema, in characters, so that the cache stays small."""
_SHARED = 40_000
"""Most cached subschemas: at most about 20 MB."""
_shared: dict[str, Formula] = {}
"""Formulas of subschemas without references, because two releases of one schema share most of them."""


def forget_shared() -> None:
    """Clear the shared formulas. This must happen when the nodes that they consist of are cleared."""
    _shared.clear()


_Key = tuple[int, str, Scope]
_CIRCLE = "a definition that applies itself to the same value"
_FOREVER = float("inf")

MAX_FORMULAS = 400_000
"""Most formulas of one schema, including their parts: about 100 MB, for a schema of several megabytes. With more, the
result is unknown."""
MAX_HINTS = 10
"""Most values that one schema suggests: examples beyond the first few are of the same kind."""
MAX_HINT_TEXT = 2_000
"""Longest suggested value, in characters: more than anyone would read in a witness."""
_PATIENCE = 256
"""Number of formulas between two checks of the deadline: about a millisecond."""


class Compiler:
    """Turns the subschemas of one document into nodes.

    Args:
        document: the document in which references are resolved.
        identity: a string that identifies the document. Parts that are not modelled are equal only to themselves, in
            documents with the same identity.
        written: true if an integer must be written without a fraction, as in draft 4; otherwise ``1.0`` is an integer.
        hinting: true to turn examples, defaults and formats into hints.
    """

    def __init__(self, document: Document, identity: str, *, written: bool = False, hinting: bool = False) -> None:
        self.document = document
        self.written = written
        self.hinting = hinting
        self.identity = identity
        self._done: dict[_Key, Formula] = {}
        self._open: set[_Key] = set()
        # The schemas that are being compiled for the value of the innermost schema.
        self._here: set[_Key] = set()
        self._cut: set[_Key] = set()
        self._scope: Scope = ()
        self._depth = 0
        self._circles: dict[_Key, int] = {}
        self._left = MAX_FORMULAS
        self._until = _FOREVER

    def root(self, until: float = _FOREVER) -> Formula:
        """The formula of the whole document.

        Args:
            until: the time (of :func:`time.monotonic`) at which to stop.

        Raises:
            StoppedError: this time has passed, or the schema is too large.
        """
        self._left, self._until = MAX_FORMULAS, until
        try:
            return self.compile(self.document.schema, "")
        finally:
            self._until = _FOREVER

    def spend(self, formulas: int) -> None:
        """Count formulas that are made.

        Raises:
            StoppedError: there are too many, or no time is left.
        """
        before, self._left = self._left, self._left - formulas
        if self._left < 0:
            raise StoppedError("a schema that says too much")
        if before // _PATIENCE != self._left // _PATIENCE and time.monotonic() > self._until:
            raise StoppedError("reading a schema takes longer than the deadline")

    def compile(self, schema: Any, base: str) -> Formula:
        """The formula of a subschema whose enclosing base URI is ``base``."""
        if isinstance(schema, bool):
            return TRUE if schema else FALSE
        if not isinstance(schema, dict):
            return make(Opaque, "", f"{self.identity} {schema!r}", "something that is not a schema")
        key = (id(schema), base, self._scope)
        done = self._done.get(key)
        if done is not None:
            return done
        if key in self._here:
            self._cut.add(key)
            number = self._circles.setdefault(key, len(self._circles))
            return make(Opaque, "", f"{self.identity} circle {number}", _CIRCLE)
        if key in self._open:
            return ref(self, repr(key), lambda: self._again(schema, base, key[2]))
        text = self._shareable(schema)
        if text is None:
            return self._whole(schema, base, key)
        shared = _shared.get(text)
        if shared is None:
            shared = self._whole(schema, base, key)
            if len(_shared) >= _SHARED:
                forget_shared()
            _shared[text] = shared
        else:
            self.spend(1)
        return shared

    def _shareable(self, schema: dict[str, Any]) -> str | None:
        """The text of a subschema that means the same in every document, if it is worth caching."""
        if self._depth >= _SHARED_DEPTH or len(schema) == 1:
            return None
        text = text_of(schema)
        return None if len(text) > _SHARED_TEXT or '"$' in text else f"{self.written} {self.hinting} {text}"

    def _whole(self, schema: dict[str, Any], base: str, key: _Key) -> Formula:
        self._open.add(key)
        self._here.add(key)
        inside = self.document.base_of(schema, base)
        outside = self.enter(inside)
        self._depth += 1
        try:
            node = all_of(self._parts(schema, inside))
        finally:
            # After an exception, the definition must not stay open, or it would look recursive from then on.
            self._depth -= 1
            self.leave(outside)
            self._here.discard(key)
            self._open.discard(key)
            self._cut.discard(key)
        self.spend(1 + (len(node.parts) if isinstance(node, And | Or | One) else 0))
        if not self._cut:
            # Otherwise, it was cut off inside a recursion, and its formula depends on where it was reached from.
            self._done[key] = node
        return node

    def _again(self, schema: Any, base: str, scope: Scope) -> Formula:
        outside, self._scope = self._scope, scope
        try:
            return self.compile(schema, base)
        finally:
            self._scope = outside

    def opaque_name(self, what: str, schema: Any, base: str) -> str:
        """The identity of a part of a schema that is not modelled; it is equal only to itself in the same place."""
        return f"{self.identity} {what} {base} {self._scope} {text_of(schema)}"

    def enter(self, base: str) -> Scope:
        """Add the dynamic anchors of a resource. Returns the previous scope for :meth:`leave`."""
        outside = self._scope
        names = self.document.dynamic.get(base)
        if names:
            known = dict(outside)
            for name in names:
                known.setdefault(name, base)
            self._scope = tuple(sorted(known.items()))
        return outside

    def leave(self, outside: Scope) -> None:
        """Restore the previous scope."""
        self._scope = outside

    def child(self, schema: Any, base: str) -> Formula:
        """The formula of a subschema for a member, an item or a name."""
        outside, self._here = self._here, set()
        cut, self._cut = self._cut, set()
        try:
            return self.compile(schema, base)
        finally:
            self._here, self._cut = outside, cut

    def conjunct(self, schema: Any, base: str) -> Formula:
        """The formula of a subschema for the same value as its parent; a recursive one adds nothing."""
        node = self.compile(schema, base)
        return TRUE if isinstance(node, Opaque) and node.why == _CIRCLE else node

    def _parts(self, schema: dict[str, Any], base: str) -> list[Formula]:
        parts: list[Formula] = []
        for key, value in schema.items():
            rule = _KEYWORDS.get(key)
            if rule is not None:
                parts.append(rule(self, schema, value, base))
            elif key in _SIZES:
                kind, low = _SIZES[key]
                parts.append(_size(kind, low, int(value)))
            elif key in _BOUNDS:
                low, is_open = _BOUNDS[key]
                parts.append(make(Bound, low, exact(value), is_open))
        for group, build in _GROUPS:
            if not group.isdisjoint(schema):
                parts.append(build(self, schema, base))
        if "unevaluatedProperties" in schema or "unevaluatedItems" in schema:
            parts.append(unevaluated(self, schema, base))
        if self.hinting:
            parts.append(_hint(schema))
        return parts

    def follow(self, keyword: str, reference: str, base: str) -> Place | None:
        """The target of a reference; a dynamic one leads to the outermost resource with its anchor."""
        if keyword == "$recursiveRef" and RECURSIVE in self.document.dynamic.get(base, ()):
            reference = "#" + RECURSIVE
        place = self.document.resolve(base, reference)
        name = reference.partition("#")[2]
        if (
            keyword == "$ref"
            or place is None
            or name not in self.document.dynamic.get(self.document.base_of(*place), ())
        ):
            return place
        outermost = dict(self._scope).get(name)
        return place if outermost is None else self.document.anchors[outermost, name][:2]

    def _ref(self, schema: dict[str, Any], base: str) -> Formula:
        parts: list[Formula] = []
        for keyword in REFERENCES:
            if keyword in schema:
                place = self.follow(keyword, schema[keyword], base)
                parts.append(self._unresolved(schema[keyword]) if place is None else self.conjunct(*place))
        return all_of(parts)

    def _unresolved(self, reference: str) -> Formula:
        # The name includes the document, because the same reference may mean something else in another one.
        return make(Opaque, "", f"{self.identity} reference {reference}", "a reference that does not resolve")

    def _type(self, _: dict[str, Any], value: Any, __: str) -> Formula:
        names = [value] if isinstance(value, str) else value
        if not self.written or "integer" not in names or "number" in names:
            return types(names)
        whole = all_of(
            [types(["integer"]), make(Opaque, "number", WRITTEN, "a whole number that is written as a float")]
        )
        return any_of([types(name for name in names if name != "integer"), whole])

    def _items(self, schema: dict[str, Any], base: str) -> Formula:
        prefix = tuple(self.child(part, base) for part in schema.get("prefixItems", ()))
        rest = self.child(schema.get("items", True), base)
        while prefix and prefix[-1] is rest:
            prefix = prefix[:-1]
        return TRUE if not prefix and rest is TRUE else make(Items, prefix, rest)

    def _contains(self, schema: dict[str, Any], value: Any, base: str) -> Formula:
        low, high = int(schema.get("minContains", 1)), schema.get("maxContains")
        if low == 0 and high is None:
            return TRUE
        return make(Contains, self.child(value, base), low, None if high is None else int(high))

    def _props(self, schema: dict[str, Any], base: str) -> Formula:
        named = {key: self.child(part, base) for key, part in schema.get("properties", {}).items()}
        patterns = tuple(
            (pattern_node(key), self.child(part, base)) for key, part in schema.get("patternProperties", {}).items()
        )
        return props(named, patterns, self.child(schema.get("additionalProperties", True), base))

    def _names(self, _: dict[str, Any], value: Any, base: str) -> Formula:
        name = self.child(value, base)
        return TRUE if name is TRUE else make(Names, name)

    def _one(self, _: dict[str, Any], value: Any, base: str) -> Formula:
        parts = [node for part in value if (node := self.compile(part, base)) is not FALSE]
        if len(parts) < 2:
            return parts[0] if parts else FALSE
        return any_of(parts) if overlapping(parts, 0) == [] else make(One, tuple(parts))

    def _if(self, schema: dict[str, Any], value: Any, base: str) -> Formula:
        condition = self.compile(value, base)
        then = self.compile(schema.get("then", True), base)
        other = self.compile(schema.get("else", True), base)
        if then is TRUE and other is TRUE:
            return TRUE
        return any_of([all_of([condition, then]), all_of([negate(condition), other])])

    def _dependent(self, _: dict[str, Any], value: Any, base: str) -> Formula:
        parts: list[Formula] = []
        for key, needs in value.items():
            if isinstance(needs, list):
                need = all_of(make(Required, name) for name in needs)
            else:
                need = self.compile(needs, base)
            if need is not TRUE:
                # The schema applies only to objects with the member, so the alternative is that it is absent.
                lacks = props({key: FALSE}, (), TRUE)
                parts.append(any_of([lacks, need]))
        return all_of(parts)

    def _disputed(self, _: dict[str, Any], value: Any, base: str) -> Formula:
        text = text_of(value)
        # Equal text means the same elsewhere, unless it refers to something.
        name = self.opaque_name(DISPUTED, value, base) if '"$' in text else f"{DISPUTED} {text}"
        return make(Opaque, "object", name, f"{DISPUTED}, which only some validators of 2019-09 and 2020-12 assert")


def _size(kind: str, low: bool, limit: int) -> Formula:
    return TRUE if low and limit == 0 else make(Size, kind, low, limit)


def _hint(schema: dict[str, Any]) -> Formula:
    """What the author of a schema suggests."""
    given = [*_listed(schema, "examples"), *(schema[key] for key in ("example", "default") if key in schema)]
    name = schema.get("format")
    given += EXAMPLES.get(name, ()) if isinstance(name, str) else ()
    short = (value for value in given[:MAX_HINTS] if len(text_of(value)) <= MAX_HINT_TEXT)
    samples = tuple(map(freeze, sorted(short, key=is_coercible)))
    patterns = tuple(map(pattern_node, format_patterns(name)))
    return make(Hint, samples, patterns) if samples or patterns else TRUE


def _listed(schema: dict[str, Any], key: str) -> list[Any]:
    value = schema.get(key)
    return value if isinstance(value, list) else []


def _quantity(_: Compiler, __: dict[str, Any], value: Any, ___: str) -> Formula:
    return make(Multiple, abs(exact(value)))


_GROUPS: tuple[tuple[frozenset[str], Callable[[Compiler, dict[str, Any], str], Formula]], ...] = (
    (frozenset(REFERENCES), Compiler._ref),
    (frozenset(["items", "prefixItems"]), Compiler._items),
    (frozenset(["properties", "patternProperties", "additionalProperties"]), Compiler._props),
)

_KEYWORDS: dict[str, Callable[[Compiler, dict[str, Any], Any, str], Formula]] = {
    "type": Compiler._type,
    "enum": lambda _c, _s, value, _b: values(map(freeze, value)),
    "const": lambda _c, _s, value, _b: values([freeze(value)]),
    "multipleOf": _quantity,
    "pattern": lambda _c, _s, value, _b: pattern_node(value),
    "contains": Compiler._contains,
    "uniqueItems": lambda _c, _s, value, _b: make(Unique) if value is True else TRUE,
    "propertyNames": Compiler._names,
    "required": lambda _c, _s, value, _b: all_of(make(Required, key) for key in value),
    "dependentRequired": Compiler._dependent,
    "dependentSchemas": Compiler._dependent,
    DISPUTED: Compiler._disputed,
    "allOf": lambda c, _s, value, base: all_of(c.conjunct(part, base) for part in value),
    "anyOf": lambda c, _s, value, base: any_of(c.compile(part, base) for part in value),
    "oneOf": Compiler._one,
    "not": lambda c, _s, value, base: negate(c.compile(value, base)),
    "if": Compiler._if,
}
