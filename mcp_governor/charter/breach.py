"""What is wrong with one response: the value that every check of an envelope or a result gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Breach:
    """One broken promise of one response.

    Attributes:
        rule: id of the rule in the catalogue (``envelope/…`` or ``call/…``).
        path: JSON pointer into what was checked.
        message: one sentence, safe to show.
        value: the JSON value in question.
    """

    rule: str
    path: str
    message: str
    value: Any = field(default=None, compare=False, repr=False)

    def under(self, prefix: str) -> Breach:
        """The same breach, seen from a document that holds this one at ``prefix``."""
        return Breach(self.rule, prefix + self.path, self.message, self.value)
