"""Our regular expressions, and the methods of our value classes, compiled once per installation.

What the compiler of ``re`` makes of an expression is kept. Its engine validates the code that it is given, and whatever
else is unexpected means that an expression is compiled as usual. Only expressions that are written in our own modules
come here (:mod:`mcp_governor.kept`).
"""

from __future__ import annotations

import re
from types import CodeType
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


def method_once(name: str, parameters: str, body: str, names: dict[str, Any]) -> Any:
    """A method of one of our classes, made from the names of its fields.

    A lint makes seventy such, and compiling them took 8 % of its time.

    Args:
        name: ``__init__`` or ``__new__``.
        parameters, body: its text.
        names: what it finds as globals.
    """
    source = f"def {name}({parameters}):\n {body}"
    key = ("method", source)
    code = recall(key)
    if not isinstance(code, CodeType):
        code = compile(source, "<string>", "exec")
        retain(key, code)
    exec(code, names)  # noqa: S102
    return names[name]


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
