"""Findings for tools without a successful good call: what was sent, what came back, and how to configure a call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import shown_arguments
from mcp_governor.call.expect import BUG_RULE
from mcp_governor.call.outcome import first_words
from mcp_governor.call.response import read_response
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.call.report import CallReport
    from mcp_governor.call.validate import ResponseChecker
    from mcp_governor.findings import Finding

RULE = "call/no-good-call-succeeded"

_MAX_SNIPPET_LENGTH = 1_000
"""Longest arguments in a suggested configuration, in characters: people edit them by hand. Longer ones are left out,
and the table stays empty."""
_MAX_DEPTH = 8
"""Deepest value that is written in one line of TOML, as deep as generated arguments; deeper ones are left out."""


def unanswered_findings(report: CallReport, checker: ResponseChecker) -> Iterator[Finding]:
    """One finding per tool without a successful good call.

    Calls without a response (timeout, exit, protocol error), and calls that end in a bug of the server, have findings
    of their own already.
    """
    bugs = {found.tool for result in report.results for found in result.findings if found.rule == BUG_RULE}
    for result in report.never_answered:
        tool = result.case.tool
        if not result.outcome.answered or tool in bugs:
            continue
        made = sum(other.case.tool == tool and other.case.good for other in report.results)
        sent = shown_arguments(result.case.portable_arguments)
        breach = Breach.of(
            RULE,
            "",
            says="one" if made == 1 else "several",
            made=made,
            tool=tool,
            sent=f"with {sent}" if sent else "without arguments",
            words=(first_words(read_response(result.response)) or result.outcome.status).rstrip("."),
            snippet=call_snippet(tool, result.case.portable_arguments),
        )
        yield from checker.findings([breach], tool)


def call_snippet(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call for the configuration, as TOML, for the user to complete; very long values are left out."""
    body = ", ".join(
        f"{_key(name)} = {written}" for name, value in arguments.items() if (written := _toml(value)) is not None
    )
    body = body if len(body) <= _MAX_SNIPPET_LENGTH else ""
    return f"[[tool.mcp-governor.calls]]\ntool = {_text(tool)}\narguments = {{ {body} }}"


def _toml(value: Any, depth: int = 0) -> str | None:
    """A JSON value as TOML; ``None`` if that is impossible, as for null."""
    if value is None or depth > _MAX_DEPTH:
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
    # A JSON string is a basic TOML string, except for DEL and lone surrogates.
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007F")
