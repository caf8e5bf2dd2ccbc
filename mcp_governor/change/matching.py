"""Tools that live on under another name."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mcp_governor.change.renames import name_likeness, text_likeness, words
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.surface.fingerprint import strip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_governor.surface.model import Tool

_ENOUGH = 0.72
_CANDIDATES = 24
"""How many new tools one removed tool is compared with: those that share its rarest words and its schema."""


def match_renamed(gone: Sequence[Tool], come: Sequence[Tool]) -> Mapping[str, Tool]:
    """Removed tools that are one of the added ones, by name; conservative, each tool at most once.

    Two tools are one where name, wording and arguments agree well enough together, and no other candidate comes
    close. The time is linear in the number of tools: candidates come from an index.
    """
    if not gone or not come:
        return {}
    index = _Index(come)
    scored: list[tuple[float, int, int]] = []
    for left, tool in enumerate(gone):
        for right in index.candidates(tool):
            score = likeness(tool, come[right])
            if score >= _ENOUGH:
                scored.append((score, left, right))
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    matched: dict[str, Tool] = {}
    for _, left, right in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
        if left not in taken_old and right not in taken_new:
            taken_old.add(left)
            taken_new.add(right)
            matched[gone[left].name] = come[right]
    return matched


def likeness(old: Tool, new: Tool) -> float:
    """0 to 1: how surely ``new`` is ``old`` under another name."""
    name = name_likeness(old.name, new.name)
    schema = _schema_likeness(old, new)
    if old.description and new.description:
        text = text_likeness(old.description, new.description)
        if text >= 0.95 and schema >= 0.95:
            return 1.0
        return 0.35 * name + 0.35 * text + 0.3 * schema
    return 0.6 * name + 0.4 * schema


def _schema_likeness(old: Tool, new: Tool) -> float:
    before, after = _arguments(old), _arguments(new)
    if not before and not after:
        return 0.6  # two tools without arguments have little in common
    keys = before.keys() | after.keys()
    same = sum(1 for key in keys if key in before and key in after and before[key] == after[key])
    half = sum(1 for key in keys if key in before and key in after and before[key] != after[key])
    return (same + half / 2) / len(keys)


def _arguments(tool: Tool) -> dict[str, str]:
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {name: canonical_json(strip(value)) for name, value in properties.items()}


class _Index:
    """Added tools by the features that a renamed tool keeps."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.places: dict[str, list[int]] = defaultdict(list)
        for index, tool in enumerate(tools):
            for feature in _features(tool):
                self.places[feature].append(index)

    def candidates(self, tool: Tool) -> list[int]:
        votes: dict[int, float] = defaultdict(float)
        known = sorted((self.places[name] for name in _features(tool) if name in self.places), key=len)
        for places in known[:_CANDIDATES]:
            for index in places[:_CANDIDATES]:
                votes[index] += 1 / len(places)
        return sorted(votes, key=lambda index: (-votes[index], index))[:_CANDIDATES]


def _features(tool: Tool) -> Iterable[str]:
    yield "schema:" + canonical_json(strip(tool.input_schema))
    yield "text:" + tool.description[:200]
    yield from {"word:" + word for word in words(tool.name)}
    yield from {"argument:" + name for name in _arguments(tool)}
