"""What a match of a form names: parameters, and the condition under which the clause holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.prose import clause_words as words
from mcp_governor.prose.clauses import Condition, Listed, Marked

if TYPE_CHECKING:
    import re

    from mcp_governor.prose.need import State


class Clause:
    """A marked sentence, and the matches in it."""

    def __init__(self, found: Marked, subject: str, *, chooses: bool) -> None:
        self.text = found.text
        self._lists = found.lists
        self._conditions = found.conditions
        self._subject = subject
        self._chooses = chooses

    def _list(self, match: re.Match[str], *groups: str) -> Listed | None:
        found = next((match[group] for group in groups if match[group] is not None), None)
        return self._lists[int(found)] if found is not None else None

    def _heads(self, match: re.Match[str], *groups: str) -> tuple[str, ...]:
        """The parameters that a match is about: those that it names, or the one that is described."""
        named = self._list(match, *groups)
        if named is not None:
            return named.names
        return (self._subject,) if self._subject else ()

    def _case(self, match: re.Match[str], group: str = "w") -> Condition | tuple[str, ...] | None:
        """The condition of a match, or the parameters that are given or not in it."""
        if match[f"{group}l"] is not None:
            return self._lists[int(match[f"{group}l"])].names
        if match[f"{group}c"] is None:
            return None
        first = self._conditions[int(match[f"{group}c"])]
        if match[f"{group}d"] is None:
            return first
        second = self._conditions[int(match[f"{group}d"])]
        if first.name == second.name and first.state == second.state == "=":
            return first._replace(values=(*first.values, *second.values))
        return None

    def _under(
        self, match: re.Match[str], group: str = "w"
    ) -> tuple[tuple[str, ...], State, tuple[str, ...], str] | None:
        """A condition as the other parameters, what is said of them, the values, and the words."""
        case, word = self._case(match, group), match[f"{group}k"].lower()
        negative = word in ("unless", "without")
        if case is None:
            return None
        if not isinstance(case, Condition):
            if word in ("for", "in", "to", "by"):
                return None
            listed = self._lists[int(match[f"{group}l"])]
            if word in ("if", "when", "while") and not listed.sure:
                return None
            if len(case) != 1:
                return None
            return case, "absent" if negative else "present", (), f"{word} {case[0]}"
        if case.state == "=" or not case.state:
            said = f"{word} {case.name} is {' or '.join(case.values)}" if case.state else f"{word} {case.values[0]}"
            return (case.name,), "" if negative else case.state, case.values if case.state else (), said
        flip: dict[State, State] = {"present": "absent", "absent": "present"}
        return (case.name,), flip[case.state] if negative else case.state, (), f"{word} {case.name} is given"

    def _of(self, number: int) -> tuple[tuple[str, ...], State, tuple[str, ...], str]:
        case = self._conditions[number]
        said = f"if {case.name} is {' or '.join(case.values) or case.state}" if case.state else f"if {case.values[0]}"
        return (case.name,), case.state, case.values if case.state else (), said

    def _is_free(self, match: re.Match[str]) -> bool:
        """True if the clause of a match says that something is optional."""
        ends = self.text.find(". ", match.end())
        return words.FREE.search(self.text, 0, ends if ends > 0 else len(self.text)) is not None
