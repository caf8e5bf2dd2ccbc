"""What a call came to: did it fail, on which channel, and was it its arguments that were refused?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_governor.call.response import INPUT_REQUIRED, INVALID_PARAMS, Response
from mcp_governor.charter import facts
from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable


class Channel(StrEnum):
    """Where a call's outcome is told."""

    RESULT = "result"
    ENVELOPE = "envelope"
    IS_ERROR = "isError"
    RPC_ERROR = "rpc-error"
    NONE = "none"


@frozen
class Outcome:
    """One call's outcome, comparable across channels.

    Attributes:
        channel: where it is told.
        status: an envelope's status, else ``success``, ``error``, ``asked-back``, or what kept it from coming:
            ``timeout``, ``died``, ``protocol``, ``too-large``.
        kind: an envelope's error kind, a structured error's code, or the JSON-RPC code; empty on success.
        refused_arguments: whether it says that the arguments or the tool's name are wrong.
    """

    channel: Channel
    status: str
    kind: str = ""
    refused_arguments: bool = False

    @property
    def failed(self) -> bool:
        """Whether the call came to nothing; an empty or degraded result is not nothing."""
        return self.status not in _ANSWERS

    @property
    def answered(self) -> bool:
        """Whether a response came at all."""
        return self.channel is not Channel.NONE


_ANSWERS = facts.STATUSES - facts.FAILURE_STATUSES

# How validators and SDKs speak of arguments: Pydantic, ajv, zod, jsonschema, and plain words.
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
"""Characters of a failure in which words about arguments are looked for; validators begin with them. Where they come
later, the failure counts as one of the tool itself."""


def outcome_of(response: Response) -> Outcome:
    """What a response says about its call."""
    if response.error is not None:
        code = response.error.get("code")
        told = _structured_kind(response.error.get("data"))
        # A server with codes of its own says by them whether it was the schema that refused.
        refused = code == INVALID_PARAMS and (not told or told.upper().endswith("INVALID_PARAMS"))
        return Outcome(Channel.RPC_ERROR, "error", told or str(code), refused)
    if response.result_type == INPUT_REQUIRED:
        return Outcome(Channel.RESULT, "asked-back")
    envelope = response.envelope
    if looks_like_envelope(envelope) and envelope.get("status") in facts.STATUSES:
        kind = _kind(envelope.get("error"))
        return Outcome(Channel.ENVELOPE, envelope["status"], kind, kind in facts.DISPATCH_KINDS)
    if response.result is None:
        return Outcome(Channel.NONE, "protocol")
    if response.is_error:
        text = "\n".join(response.texts)[:_SCANNED]
        refused = _ABOUT_ARGUMENTS.search(text) is not None
        return Outcome(Channel.IS_ERROR, "error", _structured_kind(response.structured), refused)
    return Outcome(Channel.RESULT, "success")


def failure_words(response: Response) -> str:
    """What a failed call says in words, on whichever channel; empty where it says nothing."""
    error = response.envelope.get("error") if looks_like_envelope(response.envelope) else None
    if isinstance(error, Mapping):
        told = [error.get("message"), *(value for value in error.values() if isinstance(value, str))]
        return "\n".join(dict.fromkeys(text for text in told if isinstance(text, str)))
    return response.failure_text or "\n".join(response.texts)


def suggested_arguments(response: Response, tool: str) -> Mapping[str, Any]:
    """The arguments with which an error's recovery suggests to call the same tool again; empty where it does not."""
    error = response.envelope.get("error") if looks_like_envelope(response.envelope) else None
    recovery = error.get("recovery") if isinstance(error, Mapping) else None
    if not isinstance(recovery, Mapping) or recovery.get("suggested_tool") != tool:
        return {}
    arguments = recovery.get("suggested_args")
    return arguments if isinstance(arguments, Mapping) else {}


def _kind(error: Any) -> str:
    kind = error.get("kind") if isinstance(error, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _structured_kind(structured: Any) -> str:
    """The code of a structured error, under the names that servers give it."""
    places: Iterable[Any] = (structured, structured.get("error")) if isinstance(structured, Mapping) else ()
    for place in places:
        if not isinstance(place, Mapping):
            continue
        for key in ("kind", "code", "error_code", "type"):
            value = place.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool):
                return str(value)
    return ""
