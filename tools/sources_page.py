"""Generates docs/sources.md, where the sources disagree, from ``rules/stances.toml`` and the rules' stances."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_governor.rules import load_catalogue
from mcp_governor.rules.rule import Stance
from mcp_governor.rules.stances import topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.rules.stances import Side, Topic

NOTE = "<!-- Written by `make docs` from rules/stances.toml and the rules; edit those, not this page. -->"

_INTRODUCTION = """\
mcp-governor enforces five documents that were written apart from each other: the MCP Charter with its page on
structured recovery (profile `charter`), SCHEMA.md (`schema-md`), surface governance (`surface`) and the tool schema
guide (`omni`).
[Statements of the sources](project/coverage.md) lists all that they demand; this page lists where they disagree.

Profile `recommended` takes no side in any of this."""

_CHOSEN = """\
Each profile takes the side of its source. Two rules with different choices are refused together; put one of them into
`lint.ignore`. A side without a rule permits what the other side forbids. A policy is the default of that profile, and
the configuration may say otherwise."""

_SETTLED = """\
Here one document contradicts itself, or two profiles can agree. The answer is the same under every profile."""


def page() -> str:
    """The page."""
    lines = ["# Where the sources disagree", "", NOTE, "", *_INTRODUCTION.splitlines(), ""]
    lines += ["## What the profile decides", "", *_CHOSEN.splitlines(), ""]
    lines += ["| question | answer | by | enforced by | policy | source |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [row for topic in topics() if topic.sides for row in _sides(topic)]
    lines += ["", "## What has one answer", "", *_SETTLED.splitlines(), ""]
    lines += ["| question | answer | enforced by | sources |", "| --- | --- | --- | --- |"]
    lines += [_settled(topic) for topic in topics() if not topic.sides]
    return "\n".join(lines) + "\n"


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
