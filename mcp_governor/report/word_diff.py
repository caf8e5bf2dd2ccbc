"""The words that differ between two strings, with the words around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mcp_governor.lazy import lazy_pattern
from mcp_governor.secrets import redact
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Piece = tuple[Literal["same", "gone", "new"], str]
"""Text on one line, safe to show, and which of the two strings has it."""

_AROUND = 3
"""Words next to a difference that are shown: enough to find it."""

_MAX_WORDS = 400
"""Differing words of a string that are compared: the comparison takes time with their square, here some hundredths of a
second. Longer passages are shown as one difference."""

_MAX_READ = 20_000
"""Characters of a string that are read."""

_MAX_SHOWN = 300
"""Characters that are shown: three lines of a terminal."""

_WORD = lazy_pattern(r"\S+")


def word_diff(old: str, new: str) -> list[Piece]:
    """The differences in order, each with up to three words before and after; empty if only white space differs.

    What is between them, and what is too long, is an ellipsis.
    """
    # A secret may contain white space.
    was, now = (_WORD.findall(redact(text)[:_MAX_READ]) for text in (old, new))
    pieces = list(_pieces(was, now))
    return list(_cut(pieces)) if any(kind != "same" for kind, _ in pieces) else []


def plain_words(pieces: Sequence[Piece]) -> str:
    """The differences as ``git diff --word-diff`` marks them: ``read [-the file-] {+a file or a folder+}``."""
    marks = {"same": ("", ""), "gone": ("[-", "-]"), "new": ("{+", "+}")}
    return " ".join(f"{marks[kind][0]}{text}{marks[kind][1]}" for kind, text in pieces)


def _pieces(was: list[str], now: list[str]) -> Iterator[Piece]:
    """The differences with the words around them, uncut."""
    blocks = list(_blocks(was, now))
    for index, (kind, words) in enumerate(blocks):
        if kind != "same":
            yield kind, " ".join(words)
            continue
        before = words[:_AROUND] if index else []
        after = words[-_AROUND:] if index < len(blocks) - 1 else []
        if len(words) <= len(before) + len(after) + 1:
            yield kind, " ".join(words)
        else:
            yield kind, " ".join([*before, "…", *after])


def _blocks(was: list[str], now: list[str]) -> Iterator[tuple[Literal["same", "gone", "new"], list[str]]]:
    start = 0
    shorter = min(len(was), len(now))
    while start < shorter and was[start] == now[start]:
        start += 1
    end = 0
    while end < shorter - start and was[-1 - end] == now[-1 - end]:
        end += 1
    if start:
        yield "same", was[:start]
    old, new = was[start : len(was) - end], now[start : len(now) - end]
    codes: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(old), 0, len(new))]
    if len(old) * len(new) > 1 and max(len(old), len(new)) <= _MAX_WORDS:
        from difflib import SequenceMatcher

        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, from_old, to_old, from_new, to_new in codes:
        if tag == "equal":
            yield "same", old[from_old:to_old]
            continue
        if to_old > from_old:
            yield "gone", old[from_old:to_old]
        if to_new > from_new:
            yield "new", new[from_new:to_new]
    if end:
        yield "same", was[len(was) - end :]


def _cut(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, safe to show; one difference leaves room for what replaces it, and the rest is an ellipsis."""
    left = _MAX_SHOWN
    for kind, text in pieces:
        shown = visible(text)
        most = left // 2 if kind == "gone" else left
        if len(shown) > most:
            yield kind, f"{shown[: max(most - 1, 0)].rstrip()}…"
            if kind != "gone" or most < 2:
                return
            left -= most
            continue
        yield kind, shown
        left -= len(shown)
