"""Questions on which the sources disagree, and the choice of each profile: the table in ``rules/stances.toml``."""

from __future__ import annotations

import functools
from collections.abc import Mapping  # noqa: TC003  (msgspec reads the annotations)
from typing import Any

from msgspec import Struct, convert, field


class Side(Struct, frozen=True):
    """One answer to a question, with its sources.

    Attributes:
        choice: its spelling in the rules with this answer (:class:`~mcp_governor.rules.rule.Stance`).
        profiles: of the sources that give it; a profile without a rule for this answer allows what the other answer
            forbids.
        sources: document, section and its statement, in our words.
        policy: options of the comparison for profiles with this answer.
    """

    choice: str
    profiles: tuple[str, ...]
    sources: tuple[str, ...]
    policy: Mapping[str, Any] = field(default_factory=dict)


class Topic(Struct, frozen=True):
    """One question to which the sources give different answers.

    Attributes:
        name: its name in the rules.
        question: the question.
        sides: the answers, if profiles choose among them.
        settled: the only answer in mcp-governor; empty if there are sides.
        sources: as for a side, if it is settled.
        rules: ids of rules that enforce the answer, if it is settled.
    """

    name: str
    question: str
    sides: tuple[Side, ...] = field(name="side", default=())
    settled: str = ""
    sources: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@functools.cache
def topics() -> tuple[Topic, ...]:
    """Every topic, in the order of the file."""
    from mcp_governor.builtin_rules import STANCES

    return convert(STANCES["topic"], tuple[Topic, ...])


def policy_of_sides(profile: str) -> dict[str, Any]:
    """The options of the comparison that follow from the sides of a profile."""
    return {
        key: value
        for topic in topics()
        for side in topic.sides
        if profile in side.profiles
        for key, value in side.policy.items()
    }
