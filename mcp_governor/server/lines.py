"""Split what a client sends over stdio into lines, each of which becomes one message or one refusal.

The SDK's reader takes lines of any length, drops what it cannot read and answers nothing, so that a client waits
forever. Here every line that is not blank comes to something that is passed on or answered.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any

from msgspec import Struct

from mcp_governor.parsing import exceeds_depth
from mcp_governor.surface.file import MAX_DEPTH

LINE_BYTES = 4 << 20
"""Longest line: twice the largest arguments that any tool takes. The rest of a longer one is thrown away unread."""

LINE_COST = 48 << 20
"""Most memory, as :func:`cost` estimates it, that a message may take: small values take twenty times their text."""

PARSE_ERROR = -32700
"""JSON-RPC 2.0: the message is not JSON."""
INVALID_REQUEST = -32600
"""JSON-RPC 2.0: the message is not a request."""

BUSY = "too many requests are pending; wait for a response, then send this one again"
"""Why a request is refused that might be taken later."""

_ID_CHARACTERS = 256
"""Characters of an id: a UUID has 36. The id is sent back in every answer; a request with a longer one is refused."""
_ID_LARGEST = 2**63
"""Integers of 64 bits, as SDKs in Rust, Go and C# read them; a request with a larger id is refused."""
_ID_TOKENS = 100_000
"""How far the id of a message that cannot be read is looked for; without it the answer goes to ``null``."""

_DIGITS = 308
"""Most digits of an integer: larger ones exceed a double, which is how most programs read JSON numbers."""

_HALF = re.compile(r"[\ud800-\udfff]")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]+|[\]}]+')
_ID_VALUE = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.)*+"|-?[0-9]{1,19})\s*[,}]')


class Refused(Struct, frozen=True):
    """A line that is not a message for the server.

    Attributes:
        code: JSON-RPC's.
        why: what the client gets.
        id: id of the request, or ``None`` if unknown.
    """

    code: int
    why: str
    id: str | int | None = None

    def encoded(self) -> bytes:
        """The error response, as a line."""
        error = {"code": self.code, "message": self.why}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}, separators=(",", ":")).encode() + b"\n"


class TooLong(Struct, frozen=True):
    """A line that was cut.

    Attributes:
        start: its first bytes.
    """

    start: bytes


class Lines:
    """Puts the pieces that a pipe gives back together into lines, none of them longer than a limit."""

    def __init__(self, longest: int = LINE_BYTES) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def split(self, piece: bytes) -> list[bytes | TooLong]:
        """The lines that end in this piece."""
        *ends, rest = piece.split(b"\n")
        lines: list[bytes | TooLong] = []
        for end in ends:
            self._add(end)
            lines += self.rest()
        self._add(rest)
        return lines

    def rest(self) -> list[bytes | TooLong]:
        """The line that has begun; afterwards a new one begins."""
        line, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size > self._longest:
            return [TooLong(line)]
        return [line] if line.strip() else []

    def _add(self, part: bytes) -> None:
        if part and self._size <= self._longest:
            self._parts.append(part[: self._longest])
        self._size += len(part)


def cost(line: bytes) -> int:
    """Approximate upper bound for the memory of a message as Python objects, in bytes."""
    return 4 * len(line) + 64 * sum(line.count(mark) for mark in (b"[", b"{", b",", b":"))


def read(line: bytes | TooLong) -> dict[str, Any] | Refused:
    """The JSON-RPC message in a line, or why it is none.

    What comes back as a message is an object with members of any shape, whose strings are Unicode, whose numbers are
    finite, and which nests no deeper than ``MAX_DEPTH``.
    """
    if isinstance(line, TooLong):
        return Refused(
            INVALID_REQUEST,
            f"the message is longer than {LINE_BYTES:,} bytes and was not read; send less at a time",
            find_id(line.start),
        )
    if cost(line) > LINE_COST:
        why = "the message contains too many values and was not read; send less at a time"
        return Refused(INVALID_REQUEST, why, find_id(line))
    try:
        # A byte order mark is not JSON, but Windows programs send it; utf-8-sig reads past it.
        value = json.loads(line.decode("utf-8-sig"), parse_constant=_constant, parse_float=_float, parse_int=_integer)
    except UnicodeDecodeError as error:
        return Refused(PARSE_ERROR, f"the message is not UTF-8 (byte {error.start})")
    except RecursionError:
        return _too_deep(line)
    except json.JSONDecodeError as error:
        problem = error.msg.removesuffix(" at")
        return Refused(PARSE_ERROR, f"the message is not JSON: {problem} at character {error.pos}")
    except _ConstantError as error:
        return Refused(PARSE_ERROR, f"the message is not JSON: {error} is not a JSON value")
    except ValueError:
        return Refused(INVALID_REQUEST, "a number in the message is too large to be read", find_id(line))
    if isinstance(value, list):
        why = "the message is a batch, which MCP does not support; send each message on its own line"
        return Refused(INVALID_REQUEST, why)
    if not isinstance(value, dict):
        return Refused(INVALID_REQUEST, "the message is not a JSON object")
    if exceeds_depth(value, MAX_DEPTH):
        return _too_deep(line)
    return _checked(value, line)


def _checked(message: dict[str, Any], line: bytes) -> dict[str, Any] | Refused:
    number = message.get("id")
    if "method" in message and "id" in message and not is_id(number):
        why = f"the id of a request is a string of at most {_ID_CHARACTERS} characters, or a 64-bit integer"
        return Refused(INVALID_REQUEST, why)
    if b"\\u" in line and _HALF.search(json.dumps(message, ensure_ascii=False)):
        why = "a string in the message contains an unpaired surrogate, which is not valid Unicode"
        return Refused(INVALID_REQUEST, why, number if is_id(number) else None)
    return message


def is_id(value: Any) -> bool:
    """True if this may be the id of a request and of its response."""
    if isinstance(value, str):
        return len(value) <= _ID_CHARACTERS and not _HALF.search(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _ID_LARGEST


def find_id(text: bytes) -> str | int | None:
    """The id in the text of a message that was not parsed; ``None`` if it is not found."""
    depth = 0
    for seen, token in enumerate(_TOKEN.finditer(text)):
        if seen > _ID_TOKENS:
            break
        found = token.group()
        if found[:1] == b'"':
            if depth == 1 and found == b'"id"' and (value := _ID_VALUE.match(text, token.end())):
                with suppress(ValueError):
                    number = json.loads(value.group(1))
                    return number if is_id(number) else None
                return None
        else:
            depth += len(found) if found[:1] in b"[{" else -len(found)
    return None


def _too_deep(line: bytes) -> Refused:
    return Refused(INVALID_REQUEST, f"the message nests deeper than {MAX_DEPTH} levels", find_id(line))


class _ConstantError(Exception):
    """NaN, Infinity or -Infinity, which Python reads and JSON does not have."""


def _constant(name: str) -> Any:
    raise _ConstantError(name)


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(text)
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value
