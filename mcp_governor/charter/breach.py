"""A violation in one response: the result type of every check of an envelope or a tool result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


MAX_BREACHES = 20
"""Maximum number of breaches of one kind per response: a server with so many has them everywhere. The rest are dropped,
or a response with 60,000 hints would be 60,000 findings."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One violation in one response; the messages are in the rule's file.

    Attributes:
        rule: id of the rule in the catalogue (``envelope/…`` or ``call/…``).
        path: JSON pointer into the checked document.
        value: the JSON value in question.
        says: key of the message in the rule's ``messages``, if it has several.
        facts: named values for placeholders in that message, besides ``path`` and ``value``.
    """

    rule: str
    path: str
    value: Any = field(default=None, compare=False, repr=False)
    says: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, rule: str, path: str, value: Any = None, /, *, says: str = "", **facts: Any) -> Breach:
        """Create a breach from keyword facts."""
        return cls(rule, path, value, says, facts)

    @property
    def message(self) -> str:
        """One sentence, safe to print."""
        from mcp_governor.rules.finding import sentence
        from mcp_governor.rules.rule_file import own_rule

        return sentence(own_rule(self.rule), {"path": self.path, "value": self.value, **self.facts}, self.says)

    def under(self, prefix: str) -> Breach:
        """The same breach relative to a document that contains this one at ``prefix``."""
        return Breach(self.rule, prefix + self.path, self.value, self.says, self.facts)


def wrong_type(path: str, wanted: str, value: Any) -> Breach:
    """A field of an envelope does not have the JSON type ``wanted``."""
    return Breach.of("envelope/field-type", path, value, field=path.rsplit("/", 1)[1], wanted=wanted)


def are_strings(value: Any) -> bool:
    """True if a JSON value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
