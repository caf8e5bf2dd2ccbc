"""The tables of docs/sources.md, where the sources disagree, from ``rules/stances.toml`` and the rules' stances."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_governor.rules import load_catalogue
from mcp_governor.rules.catalogue import topics
from mcp_governor.rules.rule import Stance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.rules.catalogue import Side, Topic


def tables() -> dict[str, str]:
    """The tables of the page by name."""
    sides = ["| question | answer | by | enforced by | policy | source |", "| --- | --- | --- | --- | --- | --- |"]
    sides += [row for topic in topics() if topic.sides for row in _sides(topic)]
    settled = ["| question | answer | enforced by | sources |", "| --- | --- | --- | --- |"]
    settled += [_settled(topic) for topic in topics() if not topic.sides]
    return {"sides": "\n".join(sides) + "\n", "settled": "\n".join(settled) + "\n"}


def _sides(topic: Topic) -> Iterator[str]:
    for number, side in enumerate(topic.sides):
        question = "" if number else f"**{topic.name}**: {topic.question}"
        policy = ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in side.policy.items())
        yield _row(question, side.choice, _code(side.profiles), _rules(topic, side), policy, _list(side.sources))


def _rules(topic: Topic, side: Side) -> str:
    taken = Stance(topic.name, side.choice)
    return _links(rule.id for rule in load_catalogue(entry_points=False) if rule.stance == taken) or "no rule"


def _settled(topic: Topic) -> str:
    return _row(f"**{topic.name}**: {topic.question}", topic.settled, _links(topic.rules), _list(topic.sources))


def _links(rules: Iterator[str] | tuple[str, ...]) -> str:
    return ", ".join(f"[`{rule}`](rules/{rule.replace('/', '.md#')})" for rule in rules)


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _list(sources: tuple[str, ...]) -> str:
    return "<br>".join(sources)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
