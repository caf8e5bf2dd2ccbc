"""What is wrong with one response: the value that every check of an envelope or a result gives."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


@frozen
class Breach:
    """One broken promise of one response; its words stand in the rule's file.

    Attributes:
        rule: id of the rule in the catalogue (``envelope/…`` or ``call/…``).
        path: JSON pointer into what was checked.
        value: the JSON value in question.
        says: which of the rule's messages it is, where it has several.
        facts: what that message names in braces, besides ``path`` and ``value``.
    """

    rule: str
    path: str
    value: Any = field(default=None, compare=False, repr=False)
    says: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, rule: str, path: str, value: Any = None, /, *, says: str = "", **facts: Any) -> Breach:
        """A breach with its named facts."""
        return cls(rule, path, value, says, facts)

    @property
    def message(self) -> str:
        """One sentence, safe to show."""
        from mcp_governor.catalogue.finding import own_rule, sentence

        return sentence(own_rule(self.rule), {"path": self.path, "value": self.value, **self.facts}, self.says)

    def under(self, prefix: str) -> Breach:
        """The same breach, seen from a document that holds this one at ``prefix``."""
        return Breach(self.rule, prefix + self.path, self.value, self.says, self.facts)


def wrong_type(path: str, wanted: str, value: Any) -> Breach:
    """A field of an envelope is of another JSON type than the one ``wanted``."""
    return Breach.of("envelope/field-type", path, value, field=path.rsplit("/", 1)[1], wanted=wanted)


def are_strings(value: Any) -> bool:
    """Whether a JSON value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
