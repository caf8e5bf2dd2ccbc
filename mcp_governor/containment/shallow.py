"""Containment that can be seen keyword by keyword, without an engine.

Most edits of real schemas are small: everything is equal but a keyword that was dropped, a bound that was
widened, a property that was added. A keyword of the outer schema that follows from the same keyword of the
inner one settles itself. This only ever proves; what it cannot see is left to the engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.containment.values import text_of
from mcp_governor.vocabulary import SILENT_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS = 1_000
_TEXT_LIMITS = ('"pattern', '"$id"', '"$anchor"', '"$dynamic', '"$recursive', '"unevaluated', '"content')
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
"""Keywords that mean something only together."""


def surely_covers(outer: Any, inner: Any, outer_text: str, inner_text: str) -> bool:
    """Whether ``outer`` plainly accepts all that ``inner`` does.

    Args:
        outer: a valid schema.
        inner: a valid schema of the same dialect, which is draft 7 or newer.
        outer_text: the canonical text of ``outer``.
        inner_text: the canonical text of ``inner``.
    """
    if any(word in outer_text or word in inner_text for word in _TEXT_LIMITS):
        return False
    if ('"$ref"' in outer_text or '"$ref"' in inner_text) and not _same_definitions(outer, inner):
        return False
    return _Comparison().covers(outer, inner)


def _same_definitions(outer: Any, inner: Any) -> bool:
    """Whether a reference into the definitions means the same in both documents."""
    if not isinstance(outer, dict) or not isinstance(inner, dict):
        return False
    return all(_same(outer.get(word), inner.get(word)) for word in ("$defs", "definitions"))


def _same(one: Any, other: Any) -> bool:
    return one is other or text_of(one) == text_of(other)


class _Comparison:
    """One attempt, of a limited number of steps: pairs of alternatives would multiply."""

    def __init__(self) -> None:
        self.left = MAX_STEPS

    def covers(self, outer: Any, inner: Any) -> bool:
        """Whether ``outer`` plainly accepts all that ``inner`` does."""
        self.left -= 1
        if self.left < 0:
            return False
        if outer is True or inner is False:
            return True
        if not isinstance(outer, dict):
            return False
        if not isinstance(inner, dict):
            return outer.keys() <= SILENT_KEYS
        if "$ref" in outer or "$ref" in inner:
            # in draft 7 nothing beside a reference counts
            return _same_reference(outer, inner) or outer.keys() <= SILENT_KEYS
        return self.keywords(outer, inner) or self.parts(outer, inner)

    def keywords(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """Whether every keyword of ``outer`` follows from ``inner``."""
        members = False
        for key, value in outer.items():
            if key in SILENT_KEYS:
                continue
            if key in _MEMBERS:
                members = True
            elif not _RULES.get(key, _equal)(self, key, value, inner, outer):
                return False
        return not members or self.members(outer, inner)

    def parts(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """Whether ``outer`` covers one of the parts that hold together, or each of those of which one holds."""
        if any(self.covers(outer, part) for part in inner.get("allOf", ())):
            return True
        return any(
            word in inner and all(self.covers(outer, part) for part in inner[word]) for word in ("anyOf", "oneOf")
        )

    def members(self, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """``properties``, ``patternProperties`` and ``additionalProperties``, which depend on one another."""
        named, known = outer.get("properties", {}), inner.get("properties", {})
        rest, other = outer.get("additionalProperties", True), inner.get("additionalProperties", True)
        patterned = "patternProperties" in outer or "patternProperties" in inner
        if patterned and not (_equal(self, "patternProperties", None, inner, outer) and named.keys() == known.keys()):
            return False
        if not all(self.covers(value, known.get(key, other)) for key, value in named.items()):
            return False
        if rest is True:
            return True
        return self.covers(rest, other) and all(self.covers(rest, known[key]) for key in known if key not in named)


def _same_reference(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    reference = outer.get("$ref")
    return (
        isinstance(reference, str)
        and reference == inner.get("$ref")
        and reference.startswith(("#/$defs/", "#/definitions/"))
        and outer.keys() - {"$ref"} <= SILENT_KEYS
    )


def _equal(_: _Comparison, key: str, __: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    return all(
        (word in outer) == (word in inner) and _same(outer.get(word), inner.get(word))
        for word in _TOGETHER.get(key, (key,))
    )


def _type(_: _Comparison, __: str, value: Any, inner: dict[str, Any], ___: Any) -> bool:
    if "type" not in inner:
        return False
    wide = {value} if isinstance(value, str) else set(value)
    narrow = {inner["type"]} if isinstance(inner["type"], str) else set(inner["type"])
    return narrow <= (wide | {"integer"} if "number" in wide else wide)


def _listed(_: _Comparison, key: str, value: Any, inner: dict[str, Any], __: Any) -> bool:
    allowed = {text_of(member) for member in (value if key == "enum" else [value])}
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
    return this.covers(value, inner.get("items", True))


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
    "anyOf": _any_of,
    "allOf": _all_of,
}
