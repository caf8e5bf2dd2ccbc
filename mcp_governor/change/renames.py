"""Which removed thing lives on under another name: similar words, similar schema, never a guess between two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORD = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> list[str]:
    """The words of an identifier: ``listOpenIssues``, ``list-open-issues`` and ``list_open_issues`` alike."""
    return [word.lower() for word in _WORD.findall(name)]


def name_likeness(old: str, new: str) -> float:
    """0 to 1: how alike two identifiers are, by their words and by their letters."""
    before, after = words(old), words(new)
    if before == after:
        return 1.0
    if set(before) < set(after) or set(after) < set(before):
        return 0.8
    from difflib import SequenceMatcher

    return SequenceMatcher(None, "".join(before), "".join(after)).ratio()


def text_likeness(old: str, new: str) -> float:
    """0 to 1: how alike two descriptions are, word by word."""
    if old == new:
        return 1.0 if old else 0.0
    before, after = old.split(), new.split()
    if not before or not after:
        return 0.0
    from difflib import SequenceMatcher

    return SequenceMatcher(None, before, after, autojunk=False).ratio()


def likely_same_argument(old: str, new: str, old_notes: Mapping[str, Any], new_notes: Mapping[str, Any]) -> bool:
    """Whether two arguments with one schema are one that was renamed."""
    texts = old_notes.get("description"), new_notes.get("description")
    if all(isinstance(text, str) and text for text in texts):
        alike = text_likeness(str(texts[0]), str(texts[1]))
        return alike >= 0.8 or (alike >= 0.5 and name_likeness(old, new) >= 0.6)
    return name_likeness(old, new) >= 0.75
