"""Containment that can be seen keyword by keyword, without an engine.

Most edits of real schemas are small: everything is equal but a keyword that was dropped, a bound that was
widened, a property that was added. A keyword of the outer schema that follows from the same keyword of the
inner one settles itself. This only ever proves; what it cannot see is left to the engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.containment.values import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXT_LIMITS = ('"pattern', '"$id"', '"$anchor"', '"$dynamic', '"$recursive', '"unevaluated', '"content')
_ANNOTATIONS = frozenset(
    [
        "$schema",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
        "format",
        "deprecated",
        "readOnly",
        "writeOnly",
    ]
)
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
    return _covers(outer, inner)


def _same_definitions(outer: Any, inner: Any) -> bool:
    """Whether a reference into the definitions means the same in both documents."""
    if not isinstance(outer, dict) or not isinstance(inner, dict):
        return False
    return all(_same(outer.get(word), inner.get(word)) for word in ("$defs", "definitions"))


def _same(one: Any, other: Any) -> bool:
    return one is other or text_of(one) == text_of(other)


def _covers(outer: Any, inner: Any) -> bool:
    if outer is True or inner is False:
        return True
    if not isinstance(outer, dict):
        return False
    if not isinstance(inner, dict):
        return outer.keys() <= _ANNOTATIONS
    if "$ref" in outer or "$ref" in inner:
        # in draft 7 nothing beside a reference counts
        return _same_reference(outer, inner)
    members = False
    for key, value in outer.items():
        if key in _ANNOTATIONS:
            continue
        if key in _MEMBERS:
            members = True
        elif not _RULES.get(key, _equal)(key, value, inner, outer):
            return False
    return not members or _members(outer, inner)


def _same_reference(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    reference = outer.get("$ref")
    return (
        isinstance(reference, str)
        and reference == inner.get("$ref")
        and reference.startswith(("#/$defs/", "#/definitions/"))
        and outer.keys() - {"$ref"} <= _ANNOTATIONS
    )


def _equal(key: str, _: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    return all(
        (word in outer) == (word in inner) and _same(outer.get(word), inner.get(word))
        for word in _TOGETHER.get(key, (key,))
    )


def _type(_: str, value: Any, inner: dict[str, Any], __: Any) -> bool:
    if "type" not in inner:
        return False
    wide = {value} if isinstance(value, str) else set(value)
    narrow = {inner["type"]} if isinstance(inner["type"], str) else set(inner["type"])
    return narrow <= (wide | {"integer"} if "number" in wide else wide)


def _listed(key: str, value: Any, inner: dict[str, Any], _: Any) -> bool:
    allowed = {text_of(member) for member in (value if key == "enum" else [value])}
    if "const" in inner and text_of(inner["const"]) in allowed:
        return True
    return "enum" in inner and all(text_of(member) in allowed for member in inner["enum"])


def _at_least(key: str, value: Any, inner: dict[str, Any], _: Any) -> bool:
    return key in inner and bool(inner[key] >= value)


def _at_most(key: str, value: Any, inner: dict[str, Any], _: Any) -> bool:
    return key in inner and bool(inner[key] <= value)


def _required(_: str, value: Any, inner: dict[str, Any], __: Any) -> bool:
    return set(value) <= set(inner.get("required", ()))


def _items(_: str, value: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    listed = isinstance(value, list) or isinstance(inner.get("items"), list)
    if listed or "prefixItems" in outer or "prefixItems" in inner:
        return _equal("prefixItems", value, inner, outer) and _equal("additionalItems", value, inner, outer)
    return _covers(value, inner.get("items", True))


def _any_of(key: str, value: Any, inner: dict[str, Any], _: Any) -> bool:
    if any(_covers(branch, inner) for branch in value):
        return True
    return key in inner and all(any(_covers(wide, narrow) for wide in value) for narrow in inner[key])


def _all_of(key: str, value: Any, inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    return _equal(key, value, inner, outer) or all(_covers(part, inner) for part in value)


_MEMBERS = frozenset(["properties", "patternProperties", "additionalProperties"])
_RULES: dict[str, Callable[[str, Any, dict[str, Any], dict[str, Any]], bool]] = {
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


def _members(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    """``properties``, ``patternProperties`` and ``additionalProperties``, which only mean something together."""
    named, known = outer.get("properties", {}), inner.get("properties", {})
    rest, other = outer.get("additionalProperties", True), inner.get("additionalProperties", True)
    patterned = "patternProperties" in outer or "patternProperties" in inner
    if patterned and not (_equal("patternProperties", None, inner, outer) and named.keys() == known.keys()):
        return False
    for key, value in named.items():
        if not _covers(value, known.get(key, other)):
            return False
    if rest is True:
        return True
    return _covers(rest, other) and all(_covers(rest, known[key]) for key in known if key not in named)
