"""What came back, read once: a JSON-RPC response, a ``tools/call`` result, or an envelope by itself."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.frozen import frozen
from mcp_governor.parsing import exceeds_depth
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import one_line

COMPLETE, INPUT_REQUIRED, TASK = "complete", "input_required", "task"
RESULT_TYPES = frozenset({COMPLETE, INPUT_REQUIRED, TASK})
"""``resultType`` values of protocol 2026-07-28; ``task`` is reserved by the tasks extension."""

INVALID_PARAMS = -32602
"""JSON-RPC 2.0: invalid method parameters; the protocol's code for unknown tools as well."""

_RESULT_KEYS = frozenset({"content", "structuredContent", "isError", "resultType", "toolResult"})


class DuplicateKeyError(ValueError):
    """A JSON object says one key twice."""


@frozen(slots=False)
class Response:
    """One answer to ``tools/call``, in the shape it was given.

    Attributes:
        raw: the value as given.
        result: the ``tools/call`` result, ``None`` where there is none.
        error: the JSON-RPC error, ``None`` where there is none.
        envelope: what should be the envelope: ``structuredContent``, or the value itself.
    """

    raw: Any
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    envelope: Any = None

    @classmethod
    def of_result(cls, result: Mapping[str, Any]) -> Response:
        """What a server answered to ``tools/call``: a result, whatever it looks like."""
        return cls(result, result=result, envelope=result.get("structuredContent"))

    @property
    def is_bare_envelope(self) -> bool:
        """Whether an envelope was given without the result around it."""
        return self.result is None and self.envelope is not None

    @property
    def is_error(self) -> bool:
        """Whether the result carries the error flag."""
        return self.result is not None and self.result.get("isError") is True

    @property
    def structured(self) -> Any:
        """``structuredContent``, ``None`` where absent."""
        return None if self.result is None else self.result.get("structuredContent")

    @property
    def result_type(self) -> Any:
        """``resultType``; absent means complete."""
        return COMPLETE if self.result is None else self.result.get("resultType", COMPLETE)

    @cached_property
    def texts(self) -> list[str]:
        """The texts of the text blocks, in order."""
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
        """Why the first content block is no JSON mirror of the structured content; ``None`` where it is one."""
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
        """Whether the structured content is JSON: no NaN, nothing foreign, not nested too deep."""
        if self.result is not None and self.mirror_problem is None:
            return True  # equal to something that was parsed strictly
        try:
            json.dumps(self.envelope, allow_nan=False)
        except (ValueError, TypeError, RecursionError):
            return False
        # How deep json itself goes is another number for each version of Python.
        return not exceeds_depth(self.envelope, MAX_DEPTH)

    @property
    def characters(self) -> int:
        """How much a model reads of it: all texts, or structured content that is more and not mirrored."""
        told = sum(map(len, self.texts))
        if self.result is not None and self.mirror_problem is None:
            return told
        structured = json.dumps(self.envelope, ensure_ascii=False, separators=(",", ":")) if self.is_json else ""
        return max(told, len(structured))

    @cached_property
    def failure_text(self) -> str | None:
        """The words of a failure outside of an envelope: error texts, or the JSON-RPC error's message."""
        if self.error is not None:
            message = self.error.get("message")
            return message if isinstance(message, str) else ""
        if self.is_error and not looks_like_envelope(self.structured):
            return "\n".join(self.texts)
        return None


def read_response(raw: Any) -> Response:
    """Tell what was given: a response, a result or an envelope; anything else gives an empty :class:`Response`."""
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
    """JSON as the standard has it: no NaN, no infinity, no key twice.

    Raises:
        ValueError: it is not that, or it nests too deep.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("it nests too deep") from None


def leading_json(text: str) -> Any:
    """The JSON value that a text begins with, ``None`` where it begins with none."""
    try:
        return _DECODER.raw_decode(text)[0]
    except ValueError:
        return None


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; ``==`` takes true for 1."""
    if one != other:
        return False
    # The same bytes say the same, type for type, in a fraction of the time; other bytes may still do (1 and 1.0).
    return marshal.dumps(one, _PLAIN) == marshal.dumps(other, _PLAIN) or not _confused([one], [other])


_PLAIN = 0
"""The version of marshal's format without references between equal strings."""


def _confused(one: Any, other: Any) -> bool:
    """Whether two containers that ``==`` takes for equal hold a boolean against a number."""
    pairs = ((one[key], other[key]) for key in one) if type(one) is dict else zip(one, other, strict=True)
    for left, right in pairs:
        kind = type(left)
        if kind is not type(right):
            if bool in (kind, type(right)):
                return True
        elif (kind is dict or kind is list) and _confused(left, right):
            return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise DuplicateKeyError("an object has the same key twice")
    return out


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
