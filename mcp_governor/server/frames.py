"""Pieces of bytes over a pipe, each behind its length: how the server and its workers talk."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

_LENGTH = struct.Struct(">I")


class BrokenFrameError(Exception):
    """The other end is gone, or announced more than was allowed."""


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Send one piece.

    Args:
        stream: unbuffered, so that nothing is left in it for a process that is gone.
        payload: the piece.

    Raises:
        OSError: the other end is gone.
        ValueError: the stream was closed.
    """
    rest = memoryview(_LENGTH.pack(len(payload)) + payload)
    while rest:
        rest = rest[stream.write(rest) :]


def read_frame(stream: BinaryIO, longest: int) -> bytes:
    """The next piece.

    Args:
        stream: a stream whose reads block until the requested number of bytes, or the end, is available.
        longest: most bytes of a piece; a longer one is not read.

    Raises:
        BrokenFrameError: the stream ended, or the piece is longer.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise BrokenFrameError
    (length,) = _LENGTH.unpack(head)
    if length > longest:
        raise BrokenFrameError
    payload = stream.read(length)
    if len(payload) < length:
        raise BrokenFrameError
    return payload


def private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our ends of the pipes. Output of tools is discarded, and processes that they start do not inherit the pipes."""
    inward, outward = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(null, number)
    os.close(null)
    return os.fdopen(inward, "rb"), os.fdopen(outward, "wb", buffering=0)
