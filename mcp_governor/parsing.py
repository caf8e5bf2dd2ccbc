"""Parses JSON, TOML and Python from strangers, and rejects values that later steps could not handle.

The standard parsers of JSON and TOML accept numbers that other programs do not (``NaN``, ``1e999``, integers with
thousands of digits) and any nesting depth. Code that runs after this module can rely on finite numbers below 1e308, on
bounded nesting, and on configuration strings without NUL.
"""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast

MAX_DIGITS = 308
"""Maximum number of digits of an integer: a longer one exceeds every double, which most programs use for JSON
numbers."""

MAX_TOML_DEPTH = 64
"""Maximum depth of nested tables. Our own formats need eight; arguments of configured calls may need more."""


class BadValueError(ValueError):
    """A document contains an unusable value; ``str()`` says which and why."""


def read_json(text: str | bytes) -> Any:
    """Parse a JSON document.

    Raises:
        BadValueError: it contains NaN, an infinite number, or an integer with more than ``MAX_DIGITS`` digits.
        ValueError: it is not JSON (``json.JSONDecodeError``, with the position), or not UTF-8.
        RecursionError: it nests deeper than Python can follow.
    """
    return json.loads(text, parse_float=_float, parse_int=_integer, parse_constant=_constant)


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadValueError(f"the number {_cut(text)} is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise BadValueError(f"a number has {len(text):,} digits, more than {MAX_DIGITS}")
    return int(text)


def _constant(name: str) -> Any:
    raise BadValueError(f"{name} is not a JSON value")


def _cut(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:24]}…"


def read_python(source: str | bytes) -> ast.Module:
    """Parse a Python file, without executing it.

    The parser's warnings, as about ``"\\d"``, are for the author of the file; here they would appear between our own
    output on standard error.

    Raises:
        SyntaxError, ValueError: it is not Python.
        RecursionError, MemoryError: it nests deeper than the parser can follow.
    """
    import ast

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def read_python_expression(source: str) -> ast.expr:
    """Parse an expression of Python, like :func:`read_python`."""
    import ast

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source, mode="eval").body


def exceeds_depth(value: Any, limit: int) -> bool:
    """True if a JSON value nests deeper than ``limit`` containers."""
    level = [value]
    for _ in range(limit + 1):
        level = [
            item
            for container in level
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return False
    return True


def read_toml(text: str) -> dict[str, Any]:
    """Parse a TOML document.

    Raises:
        ValueError: it is not TOML (``tomli.TOMLDecodeError``, with the position), or nests deeper than
            ``MAX_TOML_DEPTH`` (:class:`BadValueError`).
    """
    import tomli

    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise BadValueError(str(error)) from None
    except ValueError:
        raise BadValueError(f"a number has more than {MAX_DIGITS} digits") from None
    if exceeds_depth(document, MAX_TOML_DEPTH):
        raise BadValueError(f"tables are nested more than {MAX_TOML_DEPTH} levels")
    return document


def check_values(value: Any, where: str = "") -> None:
    """Check that all values of a TOML table are usable.

    Args:
        value: a result of :func:`read_toml`, or a table in it.
        where: its name in the message.

    Raises:
        BadValueError: it contains a number that is not finite or has more than ``MAX_DIGITS`` digits, or a string with
            a NUL, which is invalid in paths and in arguments of programs.
    """
    if isinstance(value, dict):
        for key, item in value.items():
            if "\0" in key:
                raise BadValueError(
                    f'a key of "{where}" holds a NUL character' if where else "a key holds a NUL character"
                )
            check_values(item, f"{where}.{key}" if where else key)
    elif isinstance(value, list):
        for item in value:
            check_values(item, where)
    elif isinstance(value, str) and "\0" in value:
        raise BadValueError(f'"{where}" holds a NUL character')
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadValueError(f'"{where}" is {value}, not a number')
    elif type(value) is int and abs(value) >= 10**MAX_DIGITS:
        raise BadValueError(f'"{where}" has more than {MAX_DIGITS} digits')
