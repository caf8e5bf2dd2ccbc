"""A call with a name that does not exist: how a tool fails itself, behind the validation of its arguments.

A server's framework refuses arguments that the schema refuses; the tool never sees them. What it says itself, and
what it suggests to do next, shows when the arguments are in order and mean nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import Case, Purpose
from mcp_governor.call.server_values import REFERENCES
from mcp_governor.call.words import singular, words
from mcp_governor.call.wrong import UNKNOWN
from mcp_governor.charter.recovery import misfit
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.call.report import CaseResult
    from mcp_governor.surface.model import Surface, Tool

_LONGEST = 200
"""Characters of a value that is misspelled: names are shorter, and a longer text is content, whose spelling is free."""


def misnamed_case(results: Sequence[CaseResult], bad: CaseResult, surface: Surface) -> Case | None:
    """The call to make after a bad one that the tool did not see; ``None`` if there is nothing more to learn.

    Args:
        results: of the run, the bad call included.
        bad: the bad call.
        surface: what the server publishes.
    """
    tool = surface.by_name.get(bad.case.tool)
    own = [result for result in results if result.case.tool == bad.case.tool]
    if (
        tool is None
        or not bad.outcome.failed
        or bad.case.good
        or any(one.outcome.failed and one.is_of_tool for one in own)
    ):
        return None
    worked = next((result for result in own if result.case.good and not result.outcome.failed), None)
    return _misnamed(tool, worked.case) if worked is not None else None


def _misnamed(tool: Tool, case: Case) -> Case | None:
    for name in _names(tool, case.arguments):
        for value in (f"{case.arguments[name]}x", UNKNOWN):
            arguments = {**case.arguments, name: value}
            if not misfit(tool, arguments):
                portable = None if case.portable is None else {**case.portable, name: _in(case.portable[name], value)}
                return replace(
                    Case(tool.name, arguments, Purpose.MISNAMED, detail=one_line(name, 60)), portable=portable
                )
    return None


def _in(portable: Any, value: str) -> str:
    return value if value == UNKNOWN else f"{portable}x"


def _names(tool: Tool, arguments: Any) -> Iterator[str]:
    """Required arguments that name something, then other strings."""
    schema = tool.input_schema
    required = schema.get("required") if isinstance(schema, dict) else None
    needed = required if isinstance(required, list) else []
    found = [
        name
        for name in needed
        if isinstance(name, str)
        and isinstance(value := arguments.get(name), str)
        and 0 < len(value) <= _LONGEST
        and "://" not in value
    ]
    yield from sorted(found, key=lambda name: _last(name) not in REFERENCES)


def _last(name: str) -> str:
    return singular((words(name) or ("",))[-1])
