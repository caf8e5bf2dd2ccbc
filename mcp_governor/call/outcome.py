"""One response as it was parsed, and what came of its call: did it fail, on which channel, were arguments refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.charter import facts
from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.parsing import exceeds_depth
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPLETE, INPUT_REQUIRED, TASK = "complete", "input_required", "task"
RESULT_TYPES = frozenset({COMPLETE, INPUT_REQUIRED, TASK})
"""``resultType`` values of protocol 2026-07-28; ``task`` is reserved by the tasks extension."""

INVALID_PARAMS = -32602
"""JSON-RPC 2.0: invalid method parameters; the protocol's code for unknown tools as well."""

_RESULT_KEYS = frozenset({"content", "structuredContent", "isError", "resultType", "toolResult"})


class Response(Struct, frozen=True, dict=True):
    """One response to ``tools/call``, as it came.

    Attributes:
        raw: the value as it came.
        result: the ``tools/call`` result, or ``None``.
        error: the JSON-RPC error, or ``None``.
        envelope: the value that should be the envelope: ``structuredContent``, or ``raw`` itself.
    """

    raw: Any
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    envelope: Any = None

    @classmethod
    def of_result(cls, result: Mapping[str, Any]) -> Response:
        """A response with any value as the ``tools/call`` result."""
        return cls(result, result=result, envelope=result.get("structuredContent"))

    @property
    def is_bare_envelope(self) -> bool:
        """True for an envelope without a result around it."""
        return self.result is None and self.envelope is not None

    @property
    def is_error(self) -> bool:
        """True if ``isError`` is set."""
        return self.result is not None and self.result.get("isError") is True

    @property
    def structured(self) -> Any:
        """``structuredContent``, or ``None`` if absent."""
        return None if self.result is None else self.result.get("structuredContent")

    @property
    def result_type(self) -> Any:
        """``resultType``; absent means complete."""
        return COMPLETE if self.result is None else self.result.get("resultType", COMPLETE)

    @cached_property
    def text_blocks(self) -> list[str]:
        """The strings of the text blocks, in order."""
        content = None if self.result is None else self.result.get("content")
        if not isinstance(content, list):
            return []
        return [
            block["text"]
            for block in content
            if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
        ]

    @cached_property
    def mirror_problem(self) -> str | None:
        """The reason why the first content block does not mirror the structured content as JSON, or ``None``."""
        content = None if self.result is None else self.result.get("content")
        first = content[0] if isinstance(content, list) and content else None
        if not isinstance(first, dict) or first.get("type") != "text" or not isinstance(first.get("text"), str):
            return "there is no text" if first is None else "the first block is not text"
        try:
            same = _same(_DECODER.decode(first["text"]), self.structured)
        except RecursionError:
            return "it nests too deep"
        except ValueError as error:
            return one_line(str(error), 60)
        return None if same else "they say different things"

    @cached_property
    def is_json(self) -> bool:
        """True if the structured content is JSON: no NaN, only JSON types, not nested too deep."""
        if self.result is not None and self.mirror_problem is None:
            return True  # equal to something that was parsed strictly
        try:
            json.dumps(self.envelope, allow_nan=False)
        except (ValueError, TypeError, RecursionError):
            return False
        # The depth that `json` supports depends on the version of Python, so we have a limit of our own.
        return not exceeds_depth(self.envelope, MAX_DEPTH)

    @property
    def characters(self) -> int:
        """Characters that a model reads: all text blocks, or the structured content if longer and not mirrored."""
        length = sum(map(len, self.text_blocks))
        if self.result is not None and self.mirror_problem is None:
            return length
        structured = json.dumps(self.envelope, ensure_ascii=False, separators=(",", ":")) if self.is_json else ""
        return max(length, len(structured))

    @cached_property
    def failure_text(self) -> str | None:
        """The message of a failure without an envelope: text blocks, or the message of the JSON-RPC error."""
        if self.error is not None:
            message = self.error.get("message")
            return message if isinstance(message, str) else ""
        if self.is_error and not looks_like_envelope(self.structured):
            return "\n".join(self.text_blocks)
        return None


def read_response(raw: Any) -> Response:
    """Parse a JSON-RPC response, a result or an envelope; anything else gives an empty :class:`Response`."""
    if not isinstance(raw, Mapping):
        return Response(raw)
    error, result = raw.get("error"), raw.get("result")
    if isinstance(error, Mapping) and "status" not in raw and ("jsonrpc" in raw or "code" in error):
        return Response(raw, error=error)
    if isinstance(result, Mapping) and not _RESULT_KEYS & raw.keys():
        return Response(raw, result=result, envelope=result.get("structuredContent"))
    if looks_like_envelope(raw):
        return Response(raw, envelope=raw)
    if _RESULT_KEYS & raw.keys():
        return Response.of_result(raw)
    return Response(raw)


def leading_json(text: str) -> Any:
    """The JSON value at the start of a string, or ``None``."""
    try:
        return _DECODER.raw_decode(text)[0]
    except ValueError:
        return None


def _same(one: Any, other: Any) -> bool:
    """True if two JSON values are equal. Unlike ``==``, this keeps ``true`` and ``1`` apart."""
    return one == other and not _mixes_booleans([one], [other])


def _mixes_booleans(one: Any, other: Any) -> bool:
    """True if two containers that are ``==`` have a boolean in one and a number in the other."""
    pairs = ((one[key], other[key]) for key in one) if type(one) is dict else zip(one, other, strict=True)
    for left, right in pairs:
        kind = type(left)
        if kind is not type(right):
            if bool in (kind, type(right)):
                return True
        elif (kind is dict or kind is list) and _mixes_booleans(left, right):
            return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("an object has the same key twice")
    return out


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
"""Strict JSON: no NaN, no infinity, no duplicate keys."""


ASKED_BACK = "asked-back"
"""Status of a call to which the server answered with a request of its own."""

CUT = "cut"
"""Status of a call that was given up because the whole run had no more time."""


class Channel(StrEnum):
    """Where a response reports the outcome of a call."""

    RESULT = "result"
    ENVELOPE = "envelope"
    IS_ERROR = "isError"
    RPC_ERROR = "rpc-error"
    NONE = "none"


class Outcome(Struct, frozen=True):
    """One call's outcome, comparable across channels.

    Attributes:
        channel: where the response reports the outcome.
        status: the status of an envelope; without an envelope ``success``, ``error`` or ``asked-back``; without a
            response the reason: ``timeout``, ``died``, ``protocol``, ``too-large``
            or ``cut``.
        kind: error kind of an envelope, code of a structured error, or JSON-RPC code; empty on success.
        refused_arguments: true if the response says that the arguments or the tool name are wrong.
    """

    channel: Channel
    status: str
    kind: str = ""
    refused_arguments: bool = False

    @property
    def failed(self) -> bool:
        """True if the call failed. An empty or degraded result is not a failure."""
        return self.status not in _ANSWERS

    @property
    def answered(self) -> bool:
        """True if there was a response."""
        return self.channel is not Channel.NONE


_ANSWERS = facts.STATUSES - facts.FAILURE_STATUSES

# Phrases for wrong arguments in the messages of Pydantic, ajv, zod and jsonschema, and in plain English.
_NOUN = r"(?:arg|param|key|field|input|propert)"
_ABOUT_ARGUMENTS = re.compile(
    r"validation error|invalid (?:arg|param|input|type)|input validation"
    rf"|(?:unknown|unexpected|unrecognized|unsupported|extra|additional) (?:keyword )?(?:{_NOUN}|tool)"
    rf"|(?:missing|required) (?:positional )?(?:{_NOUN}|value)|field required"
    rf"|{_NOUN}\w* '?[\w.]*'?\s*(?:is|are|was) (?:required|missing|unknown|invalid|not allowed)"
    r"|is a required property|is not of type|is not valid under|must have required|must NOT have"
    r"|must be (?:a |an )?(?:string|number|integer|boolean|array|object|list|one of|equal|less|greater|>=|<=)"
    r"|(?:should|expected)(?: to)? be a?n? ?(?:valid )?(?:string|number|integer|boolean|array|object|list)"
    r"|tool \S+ not found|no such tool|not one of|invalid_type|extra_forbidden",
    re.IGNORECASE,
)
_SCANNED = 4_000
"""Characters of a failure that are searched for phrases about arguments. Validators start with them; if they come
later, the failure counts as one of the tool itself."""


_ERROR_TEXT = re.compile(
    r"[^\w(\[{<]*(?:"
    # "Error: …", "Error fetching …", "Error 404", "Error while …", and no "Error handling in Go" or "Error rate: 3 %"
    r"error(?:s occurred\b|\s*[:!]|\s*\(|\s*$|\s+\d{3}\b|\s+(?:in|while|when|from|during|executing|calling|occurred)\b"
    r"|\s+(?!handling|logging|reporting|tracking|monitoring)\w+ing\b)"
    r"|(?:an?\s+)?(?:\w+\s+)?error occurred\b"
    r"|failed to \w+|traceback \(most recent call last\)|(?:\w+\.)*\w+(?:Error|Exception):\s)",
    re.IGNORECASE,
)
_FIRST_LINE = 300
"""Characters at the start of a result in which an error is looked for."""


def _says_error(response: Response) -> bool:
    """True if a result is not marked as an error, and all that it says is the text of one.

    A result with structured content says by its own fields what came of the call.
    """
    blocks = response.text_blocks
    if response.result is None or response.is_error or not blocks:
        return False
    # FastMCP puts the text of a tool without a schema of its own into structuredContent as well.
    if response.structured is not None and response.structured != {"result": blocks[0]}:
        return False
    first = blocks[0][:_FIRST_LINE].lstrip()
    if first.startswith("{"):
        value = leading_json(blocks[0].lstrip())
        return isinstance(value, dict) and bool(value.get("error")) and value.keys() <= _OF_ERRORS
    return _ERROR_TEXT.match(first.partition("\n")[0]) is not None


_OF_ERRORS = frozenset({"error", "message", "code", "status", "success", "ok", "isError", "details", "detail", "hint"})
"""Members of an object that says nothing but an error."""


def outcome_of(response: Response) -> Outcome:
    """Read the outcome of a call from its response."""
    if response.error is not None:
        code = response.error.get("code")
        own_code = _structured_kind(response.error.get("data"))
        # If a server has codes of its own, they decide if the schema refused the arguments.
        refused = code == INVALID_PARAMS and (not own_code or own_code.upper().endswith("INVALID_PARAMS"))
        return Outcome(Channel.RPC_ERROR, "error", own_code or str(code), refused)
    if response.result_type == INPUT_REQUIRED:
        return Outcome(Channel.RESULT, ASKED_BACK)
    envelope = response.envelope
    if looks_like_envelope(envelope) and envelope.get("status") in facts.STATUSES:
        kind = _kind(envelope.get("error"))
        return Outcome(Channel.ENVELOPE, envelope["status"], kind, kind in facts.DISPATCH_KINDS)
    if response.result is None:
        return Outcome(Channel.NONE, "protocol")
    if _says_error(response):
        refused = _ABOUT_ARGUMENTS.search(response.text_blocks[0][:_SCANNED]) is not None
        return Outcome(Channel.RESULT, "error", "", refused)
    if response.is_error:
        text = "\n".join(response.text_blocks)[:_SCANNED]
        refused = _ABOUT_ARGUMENTS.search(text) is not None
        return Outcome(Channel.IS_ERROR, "error", _structured_kind(response.structured), refused)
    return Outcome(Channel.RESULT, "success")


def failure_message(response: Response) -> str:
    """The message of a failed call, on any channel; empty if there is none."""
    error = response.envelope.get("error") if looks_like_envelope(response.envelope) else None
    if isinstance(error, Mapping):
        parts = [error.get("message"), *(value for value in error.values() if isinstance(value, str))]
        return "\n".join(dict.fromkeys(part for part in parts if isinstance(part, str)))
    return response.failure_text or "\n".join(response.text_blocks)


def recovery_of(response: Response) -> Mapping[str, Any]:
    """The recovery of an error; empty if there is none."""
    error = response.envelope.get("error") if looks_like_envelope(response.envelope) else None
    recovery = error.get("recovery") if isinstance(error, Mapping) else None
    return recovery if isinstance(recovery, Mapping) else {}


def first_words(response: Response) -> str:
    """The first line of what a failed call says, in quotes, safe to show; empty if it says nothing."""
    lines = (line.strip() for line in failure_message(response).splitlines())
    line = next((line for line in lines if line), "")
    return f'"{one_line(line, 160)}"' if line else ""


def suggested_arguments(response: Response, tool: str) -> Mapping[str, Any]:
    """Arguments that an error's recovery suggests for another call of the same tool; empty if there are none."""
    recovery = recovery_of(response)
    # Arguments without a tool change the call that failed.
    if recovery.get("suggested_tool") not in (tool, None):
        return {}
    arguments = recovery.get("suggested_args")
    return arguments if isinstance(arguments, Mapping) else {}


def _kind(error: Any) -> str:
    kind = error.get("kind") if isinstance(error, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _structured_kind(structured: Any) -> str:
    """The code of a structured error, under any of its usual names."""
    places: Iterable[Any] = (structured, structured.get("error")) if isinstance(structured, Mapping) else ()
    for place in places:
        if not isinstance(place, Mapping):
            continue
        for key in ("kind", "code", "error_code", "type"):
            value = place.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool):
                return str(value)
    return ""
