"""JSON values as JSON Schema compares them: ``1`` is ``1.0`` and is not ``true``."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import jsonschema_rs

if TYPE_CHECKING:
    from fractions import Fraction

# As text, because its module takes as long to import as ten of this package, and few surfaces have a fraction.
Number: TypeAlias = "int | Fraction"
Frozen = tuple[str, Any]
"""A hashable JSON value: its type, and its content in a form for which ``==`` is JSON's equality."""

MAX_INTEGER = 2**63 - 1
"""The largest integer that validators keep as an integer: those in Rust and C use 64 bits."""
TYPES = ("null", "boolean", "number", "string", "array", "object")


def text_of(value: Any) -> str:
    """The canonical text of a JSON value, which is used for cache keys and comparisons.

    Raises:
        ValueError: the value is nested deeper than 255 levels, is not JSON, or contains a lone surrogate.
    """
    return jsonschema_rs.canonical.json.to_string(value)


def exact(number: Any) -> Number:
    """The number without rounding; a float counts as its shortest decimal representation.

    Raises:
        ValueError: the number is NaN or infinite.
    """
    if isinstance(number, int):
        return number
    if isinstance(number, float):
        if not math.isfinite(number):
            raise ValueError("a number that JSON does not have")
        if number.is_integer():
            return int(number)
    from fractions import Fraction

    fraction = Fraction(str(number))
    return fraction.numerator if fraction.denominator == 1 else fraction


def is_finite(value: Any) -> bool:
    """True if all numbers in the value are finite."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def plain(number: Number) -> int | float:
    """The nearest Python number; if exactness matters, compare with :func:`exact` of it."""
    if not isinstance(number, int):
        return float(number)
    if abs(number) > MAX_INTEGER:
        # Validators read integers beyond 64 bits as floats, so use a float if it is exact.
        try:
            return float(number) if int(float(number)) == number else number
        except OverflowError:
            return number
    return number


def type_of(value: Any) -> str:
    """The JSON type; integers are numbers."""
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
    """The narrowest JSON Schema type of a value; ``1.0`` is an integer.

    Raises:
        ValueError: the value is NaN or infinite.
    """
    kind = type_of(value)
    return "integer" if kind == "number" and isinstance(exact(value), int) else kind


def is_type(value: Any, names: frozenset[str]) -> bool:
    """True if a value has one of the JSON Schema types, which may include ``integer``."""
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
    """The JSON value of a frozen one."""
    kind, content = frozen
    if kind == "number":
        return plain(content)
    if kind == "array":
        return [thaw(item) for item in content]
    if kind == "object":
        return {key: thaw(item) for key, item in content}
    return content


def has_type(frozen: Frozen, names: frozenset[str]) -> bool:
    """True if the value has one of the JSON Schema types, which may include ``integer``."""
    kind, content = frozen
    if kind in names:
        return True
    return kind == "number" and "integer" in names and isinstance(content, int)
