"""Assertions about surfaces and results; each failure says what is wrong, proves it, and says what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from mcp_governor.wire.rpc import RpcError

if TYPE_CHECKING:
    from mcp_governor.change import Change
    from mcp_governor.findings import Finding
    from mcp_governor.report.lines import Line
    from mcp_governor.surface import Surface


MAX_SHOWN = 20
"""Most changes or findings that a failure lists: two screens. The rest are counted."""
_RECOVERY = "/error/recovery"
"""Where findings of any severity fail :func:`assert_recoverable`: a tool that does not exist helps nobody."""


def assert_compatible(old: Any, new: Any, *, level: str = "declared") -> None:
    """Assert that clients of one surface can use another one as before.

    A change that could not be decided fails as well, because nothing shows that it is safe.

    Args:
        old, new: a :class:`mcp_governor.Surface`, the path of a surface file, a ``tools/list`` result, or a list of
            tools; results and tools as dicts or as objects of an SDK.
        level: how schemas are compared: ``declared`` as people read them, ``strict`` as sets of instances.

    Raises:
        AssertionError: a change breaks clients, or may break them; the message has a witness for each.
        FileFormatError: a value is not a surface.
    """
    __tracebackhide__ = True
    from mcp_governor.change import compare
    from mcp_governor.findings import Verdict
    from mcp_governor.report.groups import count_of
    from mcp_governor.report.text import change_lines, subject_of

    changes = compare(_surface(old, "old"), _surface(new, "new"), level=level)
    grave = [change for change in changes if change.verdict is not Verdict.COMPATIBLE]
    if not grave:
        return

    def lines(change: Change) -> list[Line]:
        return list(change_lines(change, tool=subject_of(change.tool), indent=0))

    breaks = sum(change.verdict is Verdict.BREAKING for change in grave)
    head = count_of(breaks, "breaking change")
    if len(grave) > breaks:
        head = f"{f'{head}, ' if breaks else ''}{count_of(len(grave) - breaks, 'undecided change')}"
    fix = "fix: keep what clients rely on, or release the change as a new major version."
    raise AssertionError(_message(head, [lines(change) for change in grave], fix))


def assert_envelope(
    result: Any,
    *,
    tool: str | None = None,
    surface: Surface | None = None,
    arguments: Mapping[str, Any] | None = None,
    profile: str | Sequence[str] = "charter",
) -> Mapping[str, Any]:
    """Assert that a result keeps the response contract of a profile.

    Args:
        result: a ``tools/call`` result as a dict or as an object of an SDK, a JSON-RPC response, or a bare envelope.
        tool: the name of the tool that responded.
        surface: what the server publishes; with ``tool``, the output schema is checked as well.
        arguments: the arguments of the call.
        profile: the contract.

    Returns:
        The envelope.

    Raises:
        AssertionError: the result breaks a rule of severity ``error``.
    """
    __tracebackhide__ = True
    raw = plain_result(result)
    wrong = _errors(raw, tool, surface, arguments, profile)
    if wrong:
        named = profile if isinstance(profile, str) else ", ".join(profile)
        raise AssertionError(_findings(f"The result breaks the contract of {named}", wrong))
    return _envelope(raw)


def assert_recoverable(
    result: Any,
    *,
    tool: str | None = None,
    surface: Surface | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Assert that a result is an error from which an agent can recover: it keeps the charter and says what to do.

    Args:
        result: as for :func:`assert_envelope`.
        tool: the name of the tool that responded.
        surface: what the server publishes; with it, the suggested tool must exist and accept the suggested arguments.
        arguments: the arguments of the call.

    Returns:
        The recovery of the error.

    Raises:
        AssertionError: the result is not an error, breaks the charter, or has no recovery.
    """
    __tracebackhide__ = True
    from mcp_governor.call.outcome import read_response
    from mcp_governor.charter.facts import FAILURE_STATUSES

    raw = plain_result(result)
    envelope = _envelope(raw)
    if not (read_response(raw).failure_text is not None or envelope.get("status") in FAILURE_STATUSES):
        raise AssertionError(
            "The result is not an error, so there is nothing to recover from.\n"
            "fix: call the tool with arguments that it has to refuse, or use assert_envelope."
        )
    wrong = _errors(raw, tool, surface, arguments, "charter", also=_RECOVERY)
    if wrong:
        raise AssertionError(_findings("No agent can rely on this error", wrong))
    error = envelope.get("error")
    recovery = error.get("recovery") if isinstance(error, Mapping) else None
    if not isinstance(recovery, Mapping) or not any(recovery.values()):
        raise AssertionError(
            "The error has no recovery, so an agent can only guess its next step.\n"
            "fix: return error.recovery with suggested_tool and suggested_args, or with fuzzy_matches."
        )
    return recovery


def _errors(
    raw: Any,
    tool: str | None,
    surface: Surface | None,
    arguments: Mapping[str, Any] | None,
    profile: str | Sequence[str],
    *,
    also: str = "",
) -> list[Finding]:
    """The findings that fail a result: errors, and whatever else is ``also`` in the path."""
    from mcp_governor.call.validate import validate_response
    from mcp_governor.findings import Severity

    found = validate_response(raw, tool=tool, surface=surface, profile=profile, arguments=arguments)
    return [one for one in found if one.severity is Severity.ERROR or (also and also in one.path)]


def _findings(head: str, findings: list[Finding]) -> str:
    from mcp_governor.report.groups import count_of
    from mcp_governor.report.text import finding_lines

    blocks = [list(finding_lines(finding, tool=finding.tool or "", indent=0)) for finding in findings]
    return _message(f"{head}: {count_of(len(findings), 'error')}", blocks)


def _message(head: str, blocks: list[list[Line]], fix: str = "") -> str:
    from mcp_governor.report.lines import plain_text

    shown = [plain_text(lines).rstrip() for lines in blocks[:MAX_SHOWN]]
    left = len(blocks) - len(shown)
    more = [f"… and {left} more"] if left else []
    return "\n".join([f"{head}.", *shown, *more, *([fix] if fix else [])])


def _envelope(raw: Any) -> Mapping[str, Any]:
    from mcp_governor.call.outcome import read_response

    envelope = read_response(raw).envelope
    return envelope if isinstance(envelope, Mapping) else {}


def _surface(value: Any, what: str) -> Surface:
    from mcp_governor.surface import Surface, load_surface, parse_surface

    if isinstance(value, Surface):
        return value
    if isinstance(value, str | PathLike):
        return load_surface(str(value))
    import json

    return parse_surface(json.dumps(plain_json(value)), f"the {what} surface")


_RESULT = ("content", "structuredContent", "isError", "_meta")
_SNAKE = {"structuredContent": "structured_content", "isError": "is_error", "_meta": "meta"}
"""How frameworks in Python spell the members of a result in objects that are not models of the protocol."""
_DEPTH = 100
"""Levels of lists and dicts that are looked through for objects: a ``tools/list`` result has two above its tools."""


def plain_json(value: Any, depth: int = _DEPTH) -> Any:
    """A value with every SDK object in it as JSON; members that are not set are left out."""
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    if depth and isinstance(value, Mapping):
        return {key: plain_json(item, depth - 1) for key, item in value.items()}
    if depth and isinstance(value, list | tuple):
        return [plain_json(item, depth - 1) for item in value]
    return value


def plain_result(result: Any) -> Any:
    """A result of a call as JSON.

    Args:
        result: a dict, a model of an SDK (``mcp.types.CallToolResult``), a result of FastMCP's client or of its
            ``call_tool``, or an :class:`~mcp_governor.wire.rpc.RpcError`.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(result, RpcError):
        error = {"code": result.code, "message": result.text}
        return {"jsonrpc": "2.0", "error": error if result.data is None else {**error, "data": result.data}}
    if isinstance(result, Mapping) or hasattr(result, "model_dump"):
        return plain_json(result)
    if not hasattr(result, "content"):
        raise TypeError(
            f"A result is a dict or an SDK object with content, not {type(result).__name__}. "
            "Pass what call_tool returned."
        )
    values = {name: getattr(result, _SNAKE.get(name, name), getattr(result, name, None)) for name in _RESULT}
    return plain_json({name: value for name, value in values.items() if value is not None})
