"""Common parts of the readers to fuzz: the class, the words of a format, and how an answer is stored."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
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
        seeds: takes the root of the repository; returns real documents.
        words: words of the format that its documents do not show.
        pairs: brackets that nest in it.
        suffix: of files with such a document.
        seconds: processor time allowed for a document of a million bytes.
        memory: bytes allowed for each byte of a document: JSON with small values takes twenty times its text, and there
            are a few copies of it.
    """

    read: Callable[[bytes, Path], tuple[str, str]]
    seeds: Callable[[Path], tuple[bytes, ...]]
    words: tuple[bytes, ...]
    pairs: Pairs
    suffix: str
    seconds: float = 8.0
    memory: int = 120


def words_of(documents: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The words of a format: what its documents say more than once."""
    found = Counter(word for document in documents for word in _WORD.findall(document))
    return tuple(word for word, count in found.items() if count > 1)


_WORD = re.compile(rb'"[^"\n]{0,40}":?|[A-Za-z_][\w.-]*(?=\s*[=:])|[^\w\s"]+|[\r\n]+|[ \t]+')


def digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def documented(error: Any) -> str:
    if error.exit_code == 70:
        raise error
    return f"{type(error).__name__}: {error.message}"


JSON_PAIRS: Pairs = ((b"[", b"]"), (b'{"a":', b"}"), (b'{"properties":{"a":', b"}}"), (b'[{"":', b"}]"))
