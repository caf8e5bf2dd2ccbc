"""One parsed response: a JSON-RPC response, a ``tools/call`` result, or a bare envelope."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.parsing import exceeds_depth
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import one_line

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
            same = _same(parse_strictly(first["text"]), self.structured)
        except (ValueError, RecursionError) as error:
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


def parse_strictly(text: str) -> Any:
    """Parse strict JSON: no NaN, no infinity, no duplicate keys.

    Raises:
        ValueError: the text is not strict JSON, or it is nested too deep.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("it nests too deep") from None


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
