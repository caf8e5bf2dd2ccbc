"""The tables of docs/sources.md, where the sources disagree, from ``rules/stances.toml`` and the rules' stances.

A topic is a question with a ``side`` for each answer: its ``choice`` as rules spell it, the ``profiles`` of the sources
that give it, and these ``sources``. A topic with one answer has ``settled``, its ``sources`` and ``rules`` instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomli

from mcp_governor.rule_names import rules_folder
from mcp_governor.rules import load_catalogue
from mcp_governor.rules.rule import Stance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def topics() -> list[dict[str, Any]]:
    """Every topic, in the order of the file."""
    found: list[dict[str, Any]] = tomli.loads((rules_folder() / "stances.toml").read_text("utf-8"))["topic"]
    return found


def tables() -> dict[str, str]:
    """The tables of the page by name."""
    sides = ["| question | answer | by | enforced by | source |", "| --- | --- | --- | --- | --- |"]
    sides += [row for topic in topics() if "side" in topic for row in _sides(topic)]
    settled = ["| question | answer | enforced by | sources |", "| --- | --- | --- | --- |"]
    settled += [_settled(topic) for topic in topics() if "settled" in topic]
    return {"sides": "\n".join(sides) + "\n", "settled": "\n".join(settled) + "\n"}


def _sides(topic: dict[str, Any]) -> Iterator[str]:
    for number, side in enumerate(topic["side"]):
        question = "" if number else f"**{topic['name']}**: {topic['question']}"
        profiles = ", ".join(f"`{name}`" for name in side["profiles"])
        taken = Stance(topic["name"], side["choice"])
        rules = _links(rule.id for rule in load_catalogue(entry_points=False) if rule.stance == taken) or "no rule"
        yield _row(question, side["choice"], profiles, rules, "<br>".join(side["sources"]))


def _settled(topic: dict[str, Any]) -> str:
    question = f"**{topic['name']}**: {topic['question']}"
    return _row(question, topic["settled"], _links(topic.get("rules", ())), "<br>".join(topic["sources"]))


def _links(rules: Iterable[str]) -> str:
    return ", ".join(f"[`{rule}`](rules/{rule.replace('/', '.md#')})" for rule in rules)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
