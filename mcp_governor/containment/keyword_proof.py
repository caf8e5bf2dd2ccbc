"""Prove containment of two plain schemas keyword by keyword, before an engine is asked.

Most edits are small: a keyword went, a bound was widened, a property came, and all else is equal. Here each keyword of
the outer schema has to follow from the inner one. A question of which this does not hold is left to the engines.
"""

from __future__ import annotations

from operator import ge, le
from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.keywords import REFUSING
from mcp_governor.schemas.values import is_type, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS = 1_000
"""Most pairs of parts that are compared, because pairs of alternatives multiply: about a millisecond."""
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), ge),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), le),
}


class Comparison:
    """One comparison of two schemas that are :func:`~mcp_governor.schemas.plain.is_plain`, from draft 7 on.

    Args:
        outer_text: the canonical text of one.
        inner_text: the canonical text of the other.
    """

    def __init__(self, outer_text: str, inner_text: str) -> None:
        self._left = MAX_STEPS
        # Python takes `True` for 1, which only values of a schema may be; the others have a type of their own.
        self._mixed = any(
            ('"enum"' in text or '"const"' in text) and ("true" in text or "false" in text)
            for text in (outer_text, inner_text)
        )

    def covers(self, outer: Any, inner: Any) -> bool:
        """True if ``outer`` provably accepts everything that ``inner`` accepts."""
        if outer is True or inner is False or self._same(outer, inner):
            return True
        self._left -= 1
        if self._left < 0 or outer is False:
            return False
        known: dict[str, Any] = {} if inner is True else inner
        for key, value in outer.items():
            if key in REFUSING and not self._follows(key, value, outer, known):
                break
        else:
            return True
        return any(self.covers(outer, part) for part in known.get("allOf", ())) or any(
            word in known and all(self.covers(outer, part) for part in known[word]) for word in ("anyOf", "oneOf")
        )

    def _same(self, one: Any, other: Any) -> bool:
        return bool(one == other) and not (self._mixed and text_of(one) != text_of(other))

    def _follows(self, key: str, value: Any, outer: dict[str, Any], inner: dict[str, Any]) -> bool:
        """True if a keyword of ``outer`` refuses nothing that ``inner`` accepts."""
        if key == "properties":
            known, rest = inner.get("properties", {}), inner.get("additionalProperties", True)
            return all(self.covers(part, known.get(name, rest)) for name, part in value.items())
        if key == "additionalProperties":
            known, named = inner.get("properties", {}), outer.get("properties", {})
            others = [part for name, part in known.items() if name not in named]
            return all(self.covers(value, part) for part in (inner.get("additionalProperties", True), *others))
        if key in inner and self._same(value, inner[key]):
            return True
        if key in _BOUNDS:
            return key in inner and _BOUNDS[key](inner[key], value)
        if key == "type":
            return _has_types(value, inner)
        if key == "required":
            return set(value) <= set(inner.get("required", ()))
        if key == "items":
            return self.covers(value, inner.get("items", True))
        if key == "anyOf":
            return any(self.covers(branch, inner) for branch in value)
        if key == "allOf":
            return all(self.covers(branch, inner) for branch in value)
        listed = _listed(inner) if key in ("enum", "const") else ()
        return bool(listed) and {*map(text_of, listed)} <= {*map(text_of, value if key == "enum" else [value])}


def _has_types(names: str | list[str], inner: dict[str, Any]) -> bool:
    allowed = frozenset([names] if isinstance(names, str) else names)
    if "type" not in inner:
        listed = _listed(inner)
        return bool(listed) and all(is_type(member, allowed) for member in listed)
    kinds = {inner["type"]} if isinstance(inner["type"], str) else set(inner["type"])
    return kinds <= (allowed | {"integer"} if "number" in allowed else allowed)


def _listed(schema: dict[str, Any]) -> list[Any]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])
