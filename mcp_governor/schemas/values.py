"""JSON values as JSON Schema compares them: ``1`` is ``1.0`` and is not ``true``."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import jsonschema_rs

Number = int | Fraction
Frozen = tuple[str, Any]
"""A JSON value that can be hashed: its type, and its content in a form of which equality is JSON's."""

LONGEST = 2**63 - 1
"""The largest integer that validators keep as an integer: those written in Rust and C use 64 bits."""
TYPES = ("null", "boolean", "number", "string", "array", "object")


def text_of(value: Any) -> str:
    """The canonical text of a JSON value: the key of every cache, and what equality is asked of.

    Raises:
        ValueError: nested deeper than 255 levels, not JSON, or a lone surrogate.
    """
    return jsonschema_rs.canonical.json.to_string(value)


def exact(number: Any) -> Number:
    """The number without rounding; a float stands for its shortest decimal, as it was written.

    Raises:
        ValueError: NaN or an infinity.
    """
    if isinstance(number, int):
        return number
    if isinstance(number, float):
        if not math.isfinite(number):
            raise ValueError("a number that JSON does not have")
        if number.is_integer():
            return int(number)
    fraction = Fraction(str(number))
    return fraction.numerator if fraction.denominator == 1 else fraction


def is_finite(value: Any) -> bool:
    """Whether the value holds no number that JSON does not have."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def plain(number: Number) -> int | float:
    """The nearest Python number; compare :func:`exact` of it where exactness matters."""
    if isinstance(number, Fraction):
        return float(number)
    if abs(number) > LONGEST:
        # validators take whole numbers beyond 64 bits as floats: write them so where nothing is lost
        try:
            return float(number) if int(float(number)) == number else number
        except OverflowError:
            return number
    return number


def type_of(value: Any) -> str:
    """The JSON type, where integers are numbers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "array"
    return "object" if isinstance(value, dict) else "number"


def narrow_type_of(value: Any) -> str:
    """The narrowest JSON Schema type of a value: ``1.0`` is an integer.

    Raises:
        ValueError: NaN or an infinity.
    """
    kind = type_of(value)
    return "integer" if kind == "number" and isinstance(exact(value), int) else kind


def is_type(value: Any, names: frozenset[str]) -> bool:
    """Whether a value is of one of the JSON Schema types, ``integer`` among them."""
    kind = type_of(value)
    return kind in names or (kind == "number" and "integer" in names and isinstance(exact(value), int))


def freeze(value: Any) -> Frozen:
    """The hashable form of a JSON value."""
    kind = type_of(value)
    if kind == "number":
        return kind, exact(value)
    if kind == "array":
        return kind, tuple(freeze(item) for item in value)
    if kind == "object":
        return kind, tuple(sorted((key, freeze(item)) for key, item in value.items()))
    return kind, value


def thaw(frozen: Frozen) -> Any:
    """The JSON value behind a frozen one."""
    kind, content = frozen
    if kind == "number":
        return plain(content)
    if kind == "array":
        return [thaw(item) for item in content]
    if kind == "object":
        return {key: thaw(item) for key, item in content}
    return content


def has_type(frozen: Frozen, names: frozenset[str]) -> bool:
    """Whether the value is of one of the JSON Schema types, ``integer`` among them."""
    kind, content = frozen
    if kind in names:
        return True
    return kind == "number" and "integer" in names and isinstance(content, int)
