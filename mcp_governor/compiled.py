"""Our regular expressions, compiled once per installation: what the compiler of ``re`` makes of each is kept.

The engine of ``re`` validates the code that it is given, and whatever else is unexpected means that an expression is
compiled as usual. Only expressions that are written in our own modules come here (:mod:`mcp_governor.kept`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.kept import recall, remembers, retain

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPILER: Any = getattr(re, "_compiler", None)


def compiled_once(source: str, flags: int) -> re.Pattern[str]:
    """The same as :func:`re.compile`, for an expression that is written in one of our modules."""
    key = ("expression", source, int(flags))
    try:
        parts = recall(key)
        if parts is not None:
            return _rebuilt(source, *parts)
        if remembers():
            made, parts = _taken_apart(source, int(flags))
            retain(key, parts)
            return made
    except Exception:  # noqa: BLE001, S110  another interpreter; if the expression is wrong, re says so
        pass
    return re.compile(source, flags)


def _rebuilt(source: str, flags: int, code: bytes, *rest: Any) -> re.Pattern[str]:
    made: re.Pattern[str] = _COMPILER._sre.compile(source, flags, memoryview(code).cast("I").tolist(), *rest)
    return made


def _taken_apart(source: str, flags: int) -> tuple[re.Pattern[str], tuple[Any, ...]]:
    """A compiled expression, and the arguments of :func:`_rebuilt`: what the compiler of ``re`` hands to its engine."""
    from array import array
    from types import FunctionType, SimpleNamespace

    handed: list[Any] = []

    def engine(*given: Any) -> Any:
        handed.extend(given)
        return _COMPILER._sre.compile(*given)

    # A copy of the function that sees our engine: none of its lines is repeated here, and other threads do not notice.
    names = {**vars(_COMPILER), "_sre": SimpleNamespace(compile=engine)}
    compile_: Callable[[str, int], re.Pattern[str]] = FunctionType(_COMPILER.compile.__code__, names)
    made = compile_(source, flags)
    same, state, code, *rest = handed
    if same != source:
        raise ValueError(source)
    return made, (int(state), array("I", code).tobytes(), *rest)
