"""The outcome of a call: if it failed, on which channel, and if its arguments were refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.response import INPUT_REQUIRED, INVALID_PARAMS, Response, leading_json
from mcp_governor.charter import facts
from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.call.cases import Case


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


def is_dispatch(case: Case, outcome: Outcome) -> bool:
    """True if the call itself was wrong, so that the protocol layer may answer instead of the tool."""
    return not case.valid or outcome.refused_arguments


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
