"""Compares responses to the same call: what differs each time is the tool's doing, and no noise.

Structure, status and hints of a read-only tool are the same at once; data may differ, as the world changes. So values
count only if they move in equal steps, as a counter does that each call increments. What differs once and not again is
left alone, and so is what a recording would mask (times, identifiers, durations).
"""

from __future__ import annotations

import itertools
import json
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SAME = frozenset({"status", "follow_up_hints", "confidence", "degradation_reason", "charter_version"})
"""Members of an envelope that must be equal in two responses to the same call."""
_NUMBER = re.compile(r"\d+")
_DIGITS = 9
"""Most digits of a number that may be a counter; longer numbers are times and identifiers."""


class Difference(Struct, frozen=True):
    """One way in which two responses differ.

    Attributes:
        what: ``shape`` (names and types), ``order`` (the same items in another order), ``hints`` (a member that does
            not depend on the data), ``step`` (a number or a length).
        path: JSON pointer into the structured content.
        step: by how much a number or a length grew; 0 otherwise.
    """

    what: str
    path: str
    step: int = 0


def repeated_differences(responses: Sequence[Any]) -> list[Difference]:
    """What differs in the same way between a response and the next, again and again.

    Args:
        responses: structured contents of four responses to the same call, masked.

    Returns:
        The differences, in the order of the document.
    """
    pairs = [dict.fromkeys(_differences(one, other)) for one, other in itertools.pairwise(responses)]
    counted = {found: sum(found in pair for pair in pairs) for pair in pairs for found in pair}
    # A counter moves each time. Chance makes two responses alike now and then, and the world changes once.
    return [found for found, times in counted.items() if times >= (len(pairs) if found.step else 2)]


def may_differ(one: Any, other: Any) -> bool:
    """True if two responses differ in a way that more responses can confirm."""
    return any(True for _ in _differences(one, other))


def _differences(one: Any, other: Any) -> Iterator[Difference]:
    stack: list[tuple[str, Any, Any]] = [("", one, other)]
    while stack:
        path, left, right = stack.pop()
        if left is None or right is None:
            continue
        if _kind(left) != _kind(right):
            yield Difference("shape", path)
        elif isinstance(left, dict):
            yield from _members(path, left, right)
            both = [key for key in left if key in right and not (path == "" and key in _SAME)]
            stack.extend((join_pointer(path, key), left[key], right[key]) for key in reversed(both))
        elif isinstance(left, list):
            yield from _items(path, left, right)
            if len(left) == len(right) and not _reordered(left, right):
                indices = range(len(left) - 1, -1, -1)
                stack.extend((join_pointer(path, index), left[index], right[index]) for index in indices)
        elif step := _step(left, right):
            yield Difference("step", path, step)


def _members(path: str, left: dict[str, Any], right: dict[str, Any]) -> Iterator[Difference]:
    for key in sorted(left.keys() ^ right.keys()):
        if left.get(key, right.get(key)) is not None:
            yield Difference("shape", join_pointer(path, key))
    if path == "":
        for key in sorted(_SAME & left.keys() & right.keys()):
            if left[key] != right[key]:
                yield Difference("hints", join_pointer(path, key))


def _items(path: str, left: list[Any], right: list[Any]) -> Iterator[Difference]:
    if len(left) != len(right):
        yield Difference("step", path, len(right) - len(left))
    elif _reordered(left, right):
        yield Difference("order", path)


def _reordered(left: list[Any], right: list[Any]) -> bool:
    """True if two lists have the same items, of which there are several, in another order."""
    if len(left) != len(right) or left == right:
        return False
    return sorted(map(_as_text, left)) == sorted(map(_as_text, right))


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _step(left: Any, right: Any) -> int:
    """The increase of an integer, or of the only number that differs in a string; 0 for any other difference.

    Args:
        left, right: two values of one JSON type.
    """
    if isinstance(left, int) and isinstance(right, int):
        is_counter = not isinstance(left, bool) and max(abs(left), abs(right)) < 10**_DIGITS
        return right - left if is_counter else 0
    if not isinstance(left, str) or _NUMBER.sub("0", left) != _NUMBER.sub("0", right):
        return 0
    pairs = zip(_NUMBER.findall(left), _NUMBER.findall(right), strict=True)
    moved = [(was, now) for was, now in pairs if was != now]
    if len(moved) != 1 or max(map(len, moved[0])) > _DIGITS:
        return 0
    return int(moved[0][1]) - int(moved[0][0])


def _kind(value: Any) -> str:
    """The JSON type; whole numbers and others are one."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__
