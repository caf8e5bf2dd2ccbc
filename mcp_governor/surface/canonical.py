"""Canonical JSON (RFC 8785), the text that digests are taken of.

Two deviations, both because a governed server may publish such values and a digest must still be had:
integers beyond 2**53 keep all their digits (RFC 8785 would round them and hide a changed bound), and lone
surrogates are written as they are and encoded with ``surrogatepass``.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_encode_string = json.JSONEncoder(ensure_ascii=False).encode
_encode_sorted = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False
).encode
# What may be a float inside JSON text; a string that looks like one only costs the longer way.
_MAYBE_FLOAT = re.compile(r"[\[:,]-?(?:\d+[.e]|[IN])")


def canonical_json(value: Any) -> str:
    """The RFC 8785 text of a JSON value.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
    """
    if not isinstance(value, float):
        text: str = _encode_sorted(value)
        # The standard encoder writes floats its own way, and sorts by code point: the same up to the surrogates.
        if (text.isascii() or max(text) < "\ud800") and not _MAYBE_FLOAT.search(text):
            return text
        del text  # it may be most of the memory that there is
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
    """A double as ECMAScript's Number::toString writes it (RFC 8785, section 3.2.2.3)."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    if value == 0:
        return "0"
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent  # the decimal point stands after this many digits
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
