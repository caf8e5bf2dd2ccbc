"""What the readers that are fuzzed have in common: a reader, the words of JSON, and how an answer is kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Pairs = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class Reader:
    """One reader.

    Attributes:
        read: takes a document and an empty folder; returns a word and a sentence, or raises a documented error.
        seeds: takes the folder of the repository; returns real documents.
        tokens: words of the format.
        pairs: what nests in it.
        suffix: of a file that holds such a document.
        seconds: of the processor that a document of a million bytes may take.
        memory: bytes that each byte of a document may take: JSON of small values takes twenty times its text, and
            there are a few copies of it.
    """

    read: Callable[[bytes, Path], tuple[str, str]]
    seeds: Callable[[Path], tuple[bytes, ...]]
    tokens: tuple[bytes, ...]
    pairs: Pairs
    suffix: str
    seconds: float = 8.0
    memory: int = 120


def digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:12]


# Surface files


def documented(error: Any) -> str:
    if error.exit_code == 70:
        raise error
    return f"{type(error).__name__}: {error.message}"


JSON_TOKENS = (
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b'"',
    b"null",
    b"true",
    b'""',
    b"[]",
    b"{}",
    b'{"a":',
    b"[[",
    b"1",
    b" ",
)
JSON_PAIRS: Pairs = ((b"[", b"]"), (b'{"a":', b"}"), (b'{"properties":{"a":', b"}}"), (b'[{"":', b"}]"))
