"""Detects renamed tools."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.change.renames import name_likeness, text_likeness, words
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.surface.fingerprint import strip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.surface.model import Tool

_ENOUGH = 0.72
"""Minimum likeness for a removed and an added tool to count as renamed. Name and description together reach 0.7, name
and schema 0.65: two of the three are not enough, unless description and schema are equal."""
_CANDIDATES = 8
"""Number of new tools with which a removed tool is compared: those that share its rarest features."""


class _Traits(Struct, frozen=True):
    """Features of a tool that a rename preserves.

    Attributes:
        name, text: as published.
        arguments: name → canonical schema, without wording.
        features: keys of the index.
    """

    name: str
    text: str
    arguments: Mapping[str, str]
    features: frozenset[str]

    @classmethod
    def of(cls, tool: Tool) -> _Traits:
        """The traits of a tool."""
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        arguments = {}
        if isinstance(properties, dict):
            arguments = {name: canonical_json(strip(value)) for name, value in properties.items()}
        features = {f"word:{word}" for word in words(tool.name)}
        features |= {f"argument:{name}" for name in arguments}
        features |= {f"arguments:{sorted(arguments.items())}", f"text:{tool.description[:200]}"}
        return cls(tool.name, tool.description, arguments, frozenset(features))


def match_renamed(gone: Sequence[Tool], come: Sequence[Tool]) -> Mapping[str, Tool]:
    """Match removed tools with added ones, by name; conservatively, and each tool at most once.

    Two tools match if name, wording and arguments agree well enough together. The time is linear in the number of
    tools, because candidates come from an index.
    """
    if not gone or not come:
        return {}
    new = [_Traits.of(tool) for tool in come]
    index = _Index(new)
    scored: list[tuple[float, int, int]] = []
    for left, tool in enumerate(gone):
        old = _Traits.of(tool)
        for right in index.candidates(old):
            score = _likeness(old, new[right])
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


def _likeness(old: _Traits, new: _Traits) -> float:
    """How certain it is that ``new`` is ``old`` under another name, from 0 to 1."""
    if words(old.name) == words(new.name):
        # `list-issues` and `list_issues`: whatever else changed is reported as a change of the tool.
        return 1.0
    schema = _schema_likeness(old.arguments, new.arguments)
    name = name_likeness(old.name, new.name)
    if not old.text or not new.text:
        return 0.6 * name + 0.4 * schema
    if old.text != new.text and 0.35 * name + 0.35 + 0.3 * schema < _ENOUGH:
        return 0.0  # not enough, however alike the descriptions are
    text = text_likeness(old.text, new.text)
    if text >= 0.95 and schema >= 0.95:
        return 1.0
    return 0.35 * name + 0.35 * text + 0.3 * schema


def _schema_likeness(before: Mapping[str, str], after: Mapping[str, str]) -> float:
    if not before and not after:
        return 0.6  # two tools without arguments have little in common
    keys = before.keys() | after.keys()
    shared = before.keys() & after.keys()
    same = sum(1 for key in shared if before[key] == after[key])
    return (same + len(shared)) / 2 / len(keys)


class _Index:
    """Added tools by the features that a rename preserves."""

    def __init__(self, tools: Sequence[_Traits]) -> None:
        self.places: dict[str, list[int]] = defaultdict(list)
        for index, tool in enumerate(tools):
            for feature in tool.features:
                self.places[feature].append(index)

    def candidates(self, tool: _Traits) -> list[int]:
        """The tools that share the rarest features, best first."""
        votes: dict[int, float] = defaultdict(float)
        known = sorted((len(self.places[name]), name) for name in tool.features if name in self.places)
        for count, name in known[: 2 * _CANDIDATES]:
            for index in self.places[name][: 2 * _CANDIDATES]:
                votes[index] += 1 / count
        return sorted(votes, key=lambda index: (-votes[index], index))[:_CANDIDATES]
