"""Prove containment keyword by keyword, without an engine.

Most edits of real schemas are small: a keyword was removed, a bound was widened, a property was added, and everything
else is equal. This module checks if each keyword of the outer schema follows from the same keyword of the inner one. It
can only prove containment; all other cases are left to the engines.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.keywords import REFUSING
from mcp_governor.schemas.pointers import resolve_fragment
from mcp_governor.schemas.values import is_type, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS = 1_000
"""Most pairs of parts that are compared: about a millisecond. With more, nothing is proved."""
_STEP_TEXT = 2_000
"""Length of schema text whose comparison takes the time of one step."""
_TEXT_LIMITS = ('"$id"', '"$anchor"', '"$dynamic', '"$recursive', '"unevaluated')
_DIALECT_WORDS = (
    *('"items":[', '"additionalItems"', '"prefixItems"', '"minContains"', '"maxContains"', '"depend', '"$ref"'),
)
"""Keywords whose meaning differs between drafts from 7 on; draft 7 ignores keywords next to a reference."""
_OTHER_REFERENCE = re.compile(r'"\$ref":"(?!#/(?:\$defs|definitions)/)')
"""A reference to anything other than a definition, for example to the whole document or to a property."""
_TOGETHER = {
    "contains": ("contains", "minContains", "maxContains"),
    "minContains": ("contains", "minContains", "maxContains"),
    "maxContains": ("contains", "minContains", "maxContains"),
    "if": ("if", "then", "else"),
    "then": ("if", "then", "else"),
    "else": ("if", "then", "else"),
    "prefixItems": ("prefixItems", "items"),
    "additionalItems": ("items", "additionalItems"),
}
"""Keywords that have a meaning only together."""


def comparable(outer_text: str, inner_text: str, drafts: tuple[int, int]) -> bool:
    """True if two schemas may be compared keyword by keyword.

    Args:
        outer_text: the canonical text of one.
        inner_text: the canonical text of the other.
        drafts: their dialects.
    """
    if min(drafts) < 7:
        return False
    same = drafts[0] == drafts[1]
    return same or not any(word in outer_text or word in inner_text for word in _DIALECT_WORDS)


def surely_covers(outer: Any, inner: Any, outer_text: str, inner_text: str) -> bool:
    """True if ``outer`` provably accepts everything that ``inner`` accepts.

    Args:
        outer: a valid schema.
        inner: a valid schema that is :func:`comparable`.
        outer_text: the canonical text of ``outer``.
        inner_text: the canonical text of ``inner``.
    """
    if any(word in outer_text or word in inner_text for word in _TEXT_LIMITS):
        return False
    plain = '"$ref"' not in outer_text and '"$ref"' not in inner_text
    defined = not _OTHER_REFERENCE.search(outer_text) and not _OTHER_REFERENCE.search(inner_text)
    return _Comparison(outer, inner, plain=plain, defined=defined).covers(outer, inner)


def _says_nothing(schema: dict[str, Any]) -> bool:
    """True if a schema refuses no value."""
    return REFUSING.isdisjoint(schema)


class _Comparison:
    """One comparison with a limited number of steps, because pairs of alternatives multiply.

    Args:
        outer: one document.
        inner: the other document.
        plain: true if neither has references, so that parts with equal text are equivalent.
        defined: true if all references lead to definitions, so that parts with equal text are equivalent if the
            definitions are equal.
    """

    def __init__(self, outer: Any, inner: Any, *, plain: bool, defined: bool) -> None:
        self.left = MAX_STEPS
        self.documents = outer, inner
        self.plain = plain
        self.defined = defined
        self.depth = 0
        self.open: dict[tuple[int, int], int] = {}
        self.assumed: set[tuple[int, int]] = set()
        self.proved: set[tuple[int, int]] = set()
        # Temporary schemas are kept as long as the documents, because parts are identified by `id()`, which is reused
        # after an object is gone.
        self.written: list[dict[str, Any]] = []
        self.spelled: dict[int, frozenset[str]] = {}

    def covers(self, outer: Any, inner: Any) -> bool:
        """True if ``outer`` provably accepts everything that ``inner`` accepts."""
        self.left -= 1
        if self.left < 0:
            return False
        if outer is True or inner is False:
            return True
        if not isinstance(outer, dict):
            return False
        if not isinstance(inner, dict):
            return _says_nothing(outer)
        if "$ref" in outer or "$ref" in inner:
            return _says_nothing(outer) or self.references(outer, inner)
        return self.keywords(outer, inner) or self.parts(outer, inner)

    def below(self, outer: Any, inner: Any) -> bool:
        """Like :meth:`covers`, for values of members or items."""
        if self.same(outer, inner):
            return True
        self.depth += 1
        found = self.covers(outer, inner)
        self.depth -= 1
        return found

    def references(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """Compare schemas, one of which is a reference.

        Recursive definitions are assumed to cover each other if the recursion goes into a part of the value. This is
        sound because instances are finite.
        """
        if "$ref" in outer and not REFUSING.isdisjoint(outer.keys() - {"$ref"}):
            return False
        one, other = _target(outer, self.documents[0]), _target(inner, self.documents[1])
        if one is None or other is None:
            return False
        key = id(one), id(other)
        if key in self.proved:
            return True
        if key in self.open:
            self.assumed.add(key)
            return self.open[key] < self.depth
        self.open[key] = self.depth
        found = self.covers(one, other)
        del self.open[key]
        self.assumed.discard(key)
        if found and not self.assumed:
            self.proved.add(key)
        return found

    def same(self, one: Any, other: Any) -> bool:
        """True if two parts of the documents have equal text and the same meaning."""
        if one != other:
            return False
        text = text_of(one)
        self.left -= len(text) // _STEP_TEXT
        if text != text_of(other):
            return False
        return self.plain or '"$ref"' not in text or self.same_definitions

    @cached_property
    def same_definitions(self) -> bool:
        """True if references have the same meaning in both documents."""
        one, other = self.documents
        if not self.defined or not isinstance(one, dict) or not isinstance(other, dict):
            return False
        return all(text_of(one.get(word)) == text_of(other.get(word)) for word in ("$defs", "definitions"))

    def keywords(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """True if every keyword of ``outer`` follows from ``inner``."""
        members = False
        for key, value in outer.items():
            if key not in REFUSING:
                continue
            if key in _MEMBERS:
                members = True
            elif not _RULES.get(key, _equal)(self, key, value, inner, outer):
                return False
        return not members or self.members(outer, inner)

    def parts(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """True if ``outer`` covers one part of an ``allOf``, or all parts of an ``anyOf`` or ``oneOf``."""
        if any(self.covers(outer, part) for part in inner.get("allOf", ())):
            return True
        if "anyOf" in outer and "enum" in inner and len(inner["enum"]) > 1:
            return all(self.covers(outer, self.write({**inner, "enum": [value]})) for value in inner["enum"])
        return any(
            word in inner and all(self.covers(outer, part) for part in inner[word]) for word in ("anyOf", "oneOf")
        )

    def listed(self, values: list[Any]) -> frozenset[str]:
        """The canonical text of each value in a list, which may be asked about for each of thousands of values."""
        found = self.spelled.get(id(values))
        if found is None:
            found = self.spelled[id(values)] = frozenset(map(text_of, values))
        return found

    def write(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Keep a temporary schema that is not part of the documents."""
        self.written.append(schema)
        return schema

    def members(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """Compare ``properties``, ``patternProperties`` and ``additionalProperties``, which depend on each other."""
        named, known = outer.get("properties", {}), inner.get("properties", {})
        rest, other = outer.get("additionalProperties", True), inner.get("additionalProperties", True)
        patterned = "patternProperties" in outer or "patternProperties" in inner
        if patterned and not (_equal(self, "patternProperties", None, inner, outer) and named.keys() == known.keys()):
            return False
        if not all(self.below(value, known.get(key, other)) for key, value in named.items()):
            return False
        if rest is True:
            return True
        return self.below(rest, other) and all(self.below(rest, known[key]) for key in known if key not in named)


def _target(schema: dict[str, Any], document: Any) -> Any:
    """The target of a reference, or the schema itself if it is not a reference; ``None`` if that is not clear.

    Keywords next to a reference narrow it, or are ignored in draft 7. So they may be left out on the inner side, and
    must be absent on the outer side.
    """
    reference = schema.get("$ref")
    if reference is None:
        return schema
    try:
        found = resolve_fragment(document, reference) if isinstance(reference, str) else None
    except KeyError:
        return None
    return found if isinstance(found, dict | bool) else None


def _equal(this: _Comparison, key: str, __: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    return all(
        (word in outer) == (word in inner) and this.same(outer.get(word), inner.get(word))
        for word in _TOGETHER.get(key, (key,))
    )


def _type(_: _Comparison, __: str, value: Any, inner: dict[str, Any], ___: Any) -> bool:
    allowed = frozenset([value] if isinstance(value, str) else value)
    if "type" not in inner:
        listed = [inner["const"]] if "const" in inner else inner.get("enum")
        return listed is not None and all(is_type(member, allowed) for member in listed)
    wide = {value} if isinstance(value, str) else set(value)
    narrow = {inner["type"]} if isinstance(inner["type"], str) else set(inner["type"])
    return narrow <= (wide | {"integer"} if "number" in wide else wide)


def _listed(this: _Comparison, key: str, value: Any, inner: dict[str, Any], _: Any) -> bool:
    allowed = this.listed(value) if key == "enum" else {text_of(value)}
    if "const" in inner and text_of(inner["const"]) in allowed:
        return True
    return "enum" in inner and all(text_of(member) in allowed for member in inner["enum"])


def _at_least(_: _Comparison, key: str, value: Any, inner: dict[str, Any], __: Any) -> bool:
    return key in inner and bool(inner[key] >= value)


def _at_most(_: _Comparison, key: str, value: Any, inner: dict[str, Any], __: Any) -> bool:
    return key in inner and bool(inner[key] <= value)


def _required(_: _Comparison, __: str, value: Any, inner: dict[str, Any], ___: Any) -> bool:
    return set(value) <= set(inner.get("required", ()))


def _items(this: _Comparison, _: str, value: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    listed = isinstance(value, list) or isinstance(inner.get("items"), list)
    if listed or "prefixItems" in outer or "prefixItems" in inner:
        return all(_equal(this, word, value, inner, outer) for word in ("prefixItems", "additionalItems"))
    return this.below(value, inner.get("items", True))


def _property_names(this: _Comparison, key: str, value: Any, inner: dict[str, Any], _: Any) -> bool:
    return this.below(value, this.write({"type": "string"})) or (key in inner and this.below(value, inner[key]))


def _any_of(this: _Comparison, _: str, value: Any, inner: dict[str, Any], __: Any) -> bool:
    return any(this.covers(branch, inner) for branch in value)


def _all_of(this: _Comparison, key: str, value: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    return _equal(this, key, value, inner, outer) or all(this.covers(part, inner) for part in value)


_MEMBERS = frozenset(["properties", "patternProperties", "additionalProperties"])
_RULES: dict[str, Callable[[_Comparison, str, Any, dict[str, Any], dict[str, Any]], bool]] = {
    "type": _type,
    "enum": _listed,
    "const": _listed,
    **dict.fromkeys(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"], _at_least),
    **dict.fromkeys(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"], _at_most),
    "required": _required,
    "items": _items,
    "propertyNames": _property_names,
    "anyOf": _any_of,
    "allOf": _all_of,
}
