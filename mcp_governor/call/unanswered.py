"""Tools of which no good call came to anything: what was sent, what came back, and the lines that mend it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import shown_arguments
from mcp_governor.call.outcome import failure_words
from mcp_governor.call.response import read_response
from mcp_governor.charter.breach import Breach
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.call.report import CallReport, CaseResult
    from mcp_governor.call.validate import ResponseChecker
    from mcp_governor.findings import Finding

RULE = "call/no-good-call-succeeded"

_LONGEST_SNIPPET = 1_000
"""Characters of the arguments in a suggested configuration: what people edit by hand. Longer ones are left out, and the
table stays empty."""
_DEEPEST = 8
"""Levels of a value that is written in one line of TOML, as many as arguments are made of; a deeper one is left out."""


def unanswered_findings(report: CallReport, checker: ResponseChecker) -> Iterator[Finding]:
    """One finding per tool without a good call that succeeded.

    A call that was not answered at all (timeout, death, no MCP) is a finding of its own already.
    """
    for result in report.never_answered:
        if not result.outcome.answered:
            continue
        tool = result.case.tool
        made = sum(other.case.tool == tool and other.case.good for other in report.results)
        sent = shown_arguments(result.case.said)
        breach = Breach.of(
            RULE,
            "",
            says="one" if made == 1 else "several",
            made=made,
            sent=f"with {sent}" if sent else "without arguments",
            words=first_words(result).rstrip("."),
            snippet=call_snippet(tool, result.case.said),
        )
        yield from checker.findings([breach], tool)


def first_words(result: CaseResult) -> str:
    """The first line of what a failed call says, in quotes, safe to show; else how it ended."""
    lines = (line.strip() for line in failure_words(read_response(result.response)).splitlines())
    line = next((line for line in lines if line), "")
    return f'"{one_line(line, 160)}"' if line else result.outcome.status


def call_snippet(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call for the configuration, as TOML, to be completed; values that are very long are left out."""
    body = ", ".join(
        f"{_key(name)} = {written}" for name, value in arguments.items() if (written := _toml(value)) is not None
    )
    body = body if len(body) <= _LONGEST_SNIPPET else ""
    return f"[[tool.mcp-governor.calls]]\ntool = {_text(tool)}\narguments = {{ {body} }}"


def _toml(value: Any, depth: int = 0) -> str | None:
    """A JSON value in TOML, which has no null; ``None`` where it cannot be written."""
    if value is None or depth > _DEEPEST:
        return None
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, list):
        items = [_toml(item, depth + 1) for item in value]
        return None if None in items else f"[{', '.join(item for item in items if item is not None)}]"
    members = {name: _toml(item, depth + 1) for name, item in value.items()}
    return f"{{ {', '.join(f'{_key(name)} = {item}' for name, item in members.items() if item is not None)} }}"


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else _text(name)


def _text(text: str) -> str:
    # A basic string of TOML is a JSON string, but for DEL and lone surrogates.
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007F")
