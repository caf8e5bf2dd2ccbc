"""Canonical JSON (RFC 8785), the input of digests.

There are two deviations, because a server may publish such values and still needs a digest. Integers beyond 2**53 keep
all their digits (RFC 8785 would round them and hide a changed bound). Lone surrogates are written as they are and
encoded with ``surrogatepass``.
"""

from __future__ import annotations

import json
import math
from typing import Any

from mcp_governor.lazy import lazy_pattern

_encode_string = json.JSONEncoder(ensure_ascii=False).encode
_encode_sorted = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False
).encode
# Possible floats in JSON text; a string that looks like one only takes the slower path.
_MAYBE_FLOAT = lazy_pattern(r"[\[:,]-?(?:\d+[.e]|[IN])")


def canonical_json(value: Any) -> str:
    """A JSON value as RFC 8785 text.

    Raises:
        ValueError: the value contains NaN or an infinity, which JSON does not have.
    """
    if not isinstance(value, float):
        text: str = _encode_sorted(value)
        # The standard encoder formats floats differently, and sorts by code point, which is the same below the
        # surrogates.
        if (text.isascii() or max(text) < "\ud800") and not _MAYBE_FLOAT.search(text):
            return text
        del text  # This string may take up most of the memory.
    out: list[str] = []
    _write(value, out)
    return "".join(out)


def canonical_bytes(value: Any) -> bytes:
    """UTF-8 of :func:`canonical_json`."""
    return canonical_json(value).encode("utf-8", "surrogatepass")


def _write(value: Any, out: list[str]) -> None:
    if isinstance(value, str):
        out.append(_encode_string(value))
    elif value is None:
        out.append("null")
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    elif isinstance(value, int):
        out.append(str(value))
    elif isinstance(value, float):
        out.append(number_text(value))
    elif isinstance(value, dict):
        out.append("{")
        for position, key in enumerate(sorted(value, key=_utf16)):
            out.append("," if position else "")
            out.append(_encode_string(key))
            out.append(":")
            _write(value[key], out)
        out.append("}")
    else:
        out.append("[")
        for position, item in enumerate(value):
            out.append("," if position else "")
            _write(item, out)
        out.append("]")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def number_text(value: float) -> str:
    """A double in the format of ECMAScript's Number::toString (RFC 8785, section 3.2.2.3)."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    if value == 0:
        return "0"
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent  # The decimal point comes after this many digits.
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return minus + text + "0" * (point - len(text))
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    power = point - 1
    mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
    return f"{minus}{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"
