"""Group changes by cause, as :mod:`.finding_groups` does with findings: an edit is one line for all places.

Only reports for people are grouped. The JSON report lists every change, and ``-v`` writes each of them out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.vocabulary import Side, owner
from mcp_governor.change.wording import code, enumeration
from mcp_governor.findings import value_hash
from mcp_governor.report.finding_groups import NAMES_SHOWN
from mcp_governor.report.groups import GRAVE, GROUPS, count_of, group_of
from mcp_governor.report.word_diff import Piece, word_diff
from mcp_governor.text import one_line, sentence

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Report

GRAVE_NAMES_SHOWN = 12
"""Names in a line about breaks: whoever informs clients needs them, and a dozen is three lines of a terminal."""

_CONSTRAINTS = frozenset(
    {
        *("format", "pattern", "minLength", "maxLength"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minItems", "maxItems", "uniqueItems"),
    }
)
"""Keywords that generators write together for one type: a UUID has a format, a pattern and two lengths."""

_NAME = 60
"""Characters of a name, as in lines about findings."""

_GENERAL = 3
"""The most general level at which facts are compared, see :meth:`_Fact.key`."""


class _Fact(Struct, frozen=True):
    """Changes that are one edit of one tool.

    Attributes:
        changes: at least one, the gravest first.
        said: what replaces their messages; empty if they say it themselves.
    """

    changes: tuple[Change, ...]
    said: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the changes, each once."""
        return tuple(dict.fromkeys(change.kind for change in self.changes))

    @property
    def sentence(self) -> str:
        """The fact in words, safe to show."""
        return self.said or sentence("; ".join(change.message for change in self.changes))

    def key(self, level: int) -> Hashable:
        """What facts of one cause have in common: 0, all but the tool; 1, all but the names; 2, their kinds; 3, the
        first of these."""
        if level > 1 and not self.said:
            return self.kinds if level < _GENERAL else self.kinds[0]
        return (self.said, *((change.kind, *_shape(change, level)) for change in self.changes))


def _shape(change: Change, level: int) -> tuple[str, ...]:
    """The message of a change without its tool, and without the names for a level above 0."""
    names = [change.tool or ""]
    if level:
        names += [*change.facts.fields, owner(change.path)[0], change.facts.successor or ""]
    said = change.message
    for name in names:
        said = said.replace(code(name), "\0") if name else said
    # The words that changed are not in its message.
    return (said, value_hash([change.old, change.new])) if not level and _reworded(change) else (said,)


class ChangeCause(Struct, frozen=True):
    """Facts that differ in their places only, or in their values where there were too many.

    Attributes:
        facts: at least one.
        level: of their comparison.
        names_shown: places that the sentence names.
    """

    facts: tuple[_Fact, ...]
    level: int
    names_shown: int

    @property
    def changes(self) -> list[Change]:
        """All changes, those of the first fact first."""
        return [change for fact in self.facts for change in fact.changes]

    @property
    def first(self) -> Change:
        """The change whose place and witness stand for all."""
        return self.facts[0].changes[0]

    @property
    def alone(self) -> bool:
        """True if it is a single change."""
        return len(self.facts) == 1 and len(self.facts[0].changes) == 1

    @property
    def kinds(self) -> str:
        """The kinds, with the number of changes if there are several."""
        shown = ", ".join(dict.fromkeys(kind for fact in self.facts for kind in fact.kinds))
        return shown if self.alone else f"{shown} × {len(self.changes):,}"

    @property
    def subject(self) -> str:
        """The tool that the sentence does not name; empty if it names it or there is none."""
        tool = self.first.tool
        return "" if tool is None or code(tool) in self.facts[0].sentence else one_line(tool, _NAME)

    @property
    def sentence(self) -> str:
        """What changed and where else, safe to show."""
        first = self.facts[0].sentence
        return f"{first} {self._elsewhere()}" if len(self.facts) > 1 else first

    @property
    def witness(self) -> Change | None:
        """A change with a witness, if there is one."""
        return next((change for change in self.changes if change.has_witness), None)

    @property
    def words(self) -> list[Piece]:
        """The words that changed, if it is a change of words; those of the first place."""
        return words_of(self.first)

    def _elsewhere(self) -> str:
        others = self.facts[1:]
        # Words may differ where the sentences about them are the same.
        level = 0 if _reworded(self.first) else 1
        alike = "The same" if len({fact.key(level) for fact in self.facts}) == 1 else "Similar"
        places = [fact.changes[0] for fact in self.facts]
        tools = dict.fromkeys(change.tool for change in places)
        if len({_name(change) for change in places}) == 1 and None not in tools and len(tools) == len(places):
            labels, counted = [one_line(tool or "", _NAME) for tool in tools][1:], count_of(len(others), "more tool")
        else:
            labels, counted = [_label(change, len(tools) == 1) for change in places[1:]], f"{len(others):,} more"
        named = list(dict.fromkeys(label for label in labels if label))
        if not named or (len(named) == 1 and len(others) > 1):
            return f"{alike} at {count_of(len(others), 'more place')}."
        rest = ", …" if len(named) > self.names_shown else "."
        return f"{alike} for {counted}: {', '.join(named[: self.names_shown])}{rest}"


def _name(change: Change) -> str:
    """The name of what changed in a tool or in the server; empty for the tool as a whole."""
    if change.facts.successor is not None and change.kind.endswith("renamed"):
        return f"{change.tool if not change.facts.fields else change.facts.fields[-1]} → {change.facts.successor}"
    return change.facts.fields[-1] if change.facts.fields else ""


def _label(change: Change, one_tool: bool) -> str:
    """The place of a change in few words: ``since (list_issues)``."""
    name, tool = _name(change), one_line(change.tool or "", _NAME)
    if not name:
        return tool
    shown = " → ".join(one_line(part, _NAME) for part in name.split(" → "))
    return f"{shown} ({tool})" if change.facts.fields and tool and not one_tool else shown


def _reworded(change: Change) -> bool:
    """True if it changes the words of a string that both releases have."""
    return change.wording and isinstance(change.old, str) and isinstance(change.new, str)


def words_of(change: Change) -> list[Piece]:
    """The words that changed, if a change is one of words."""
    return word_diff(change.old, change.new) if _reworded(change) else []


def cause_groups(
    changes: Sequence[Change],
    rooms: Mapping[str, int],
    report: Report,
) -> Iterator[tuple[str, list[ChangeCause]]]:
    """The changes by group and by cause; empty groups are left out.

    Places of one edit are always put together. Where there are more causes than ``rooms``, edits that differ in names
    are, too, and then edits that differ in values, those first of which there are most.

    Args:
        changes: of a report.
        rooms: group → causes for which there is room. A group has more if it has more kinds of changes.
        report: knows what is accepted, and the definitions of the tools.
    """
    of_group: dict[str, list[_Fact]] = {name: [] for name in GROUPS}
    for fact in _facts(changes, report.accepted, report.definitions):
        of_group[group_of(fact.changes[0])].append(fact)
    for name, facts in of_group.items():
        if facts:
            shown = GRAVE_NAMES_SHOWN if name in GRAVE else NAMES_SHOWN
            yield name, sorted(_causes(facts, rooms[name], report.accepted, shown), key=_order)


def _order(cause: ChangeCause) -> tuple[int, int, str, str]:
    """What asks for the larger step first; what comes and goes before what is changed; hints after all of these."""
    first = cause.first
    rank = 2 if first.kind.startswith("hint-") else 0 if first.side is Side.SURFACE else 1
    return (-first.bump.rank, rank, first.tool or "", first.path)


def _causes(facts: list[_Fact], room: int, accepted: Mapping[str, str], shown: int) -> list[ChangeCause]:
    levels: dict[tuple[str, ...], int] = {}

    def together() -> dict[Hashable, list[_Fact]]:
        found: dict[Hashable, list[_Fact]] = {}
        for fact in facts:
            level = levels.get(fact.kinds, 0)
            reason = accepted.get(fact.changes[0].id)
            found.setdefault((level < _GENERAL, reason, fact.key(level)), []).append(fact)
        return found

    found = together()
    while len(found) > room:
        lines = Counter(members[0].kinds for members in found.values())
        general = [(count, kinds) for kinds, count in lines.items() if levels.get(kinds, 0) < _GENERAL]
        if not general:
            break
        # Ties are broken by the lower level, so that kinds of which there is one line each are touched last.
        _, kinds = max(general, key=lambda one: (one[0], -levels.get(one[1], 0)))
        levels[kinds] = levels.get(kinds, 0) + 1
        found = together()
    return [ChangeCause(tuple(members), levels.get(members[0].kinds, 0), shown) for members in found.values()]


def _facts(
    changes: Sequence[Change], accepted: Mapping[str, str], definitions: Mapping[str, tuple[Any, Any]]
) -> Iterator[_Fact]:
    """The changes, in the order of people, with those of one edit together."""
    edits: dict[Hashable, list[Change]] = {}
    replaced: dict[str, str] = {}
    for change in sorted(changes, key=lambda one: (GROUPS.index(group_of(one)), one.tool or "", one.path, one.kind)):
        tool, key = change.tool, change.id
        if tool is not None and change.side is Side.OUTPUT:
            if tool not in replaced:
                replaced[tool] = _replaced_output(tool, definitions)
            key = f"output {tool}" if replaced[tool] else key
        if key == change.id and tool is not None:
            key = _constrained(change) or key
        edits.setdefault((key, accepted.get(change.id)), []).append(change)
    for members in edits.values():
        first = members[0]
        of_output = first.tool is not None and first.side is Side.OUTPUT and len(members) > 1
        yield _Fact(tuple(members), replaced.get(first.tool or "", "") if of_output else "")


def _constrained(change: Change) -> str:
    """The value that a change constrains, with its tool; empty if it does not constrain one."""
    value, _, keyword = change.path.rpartition("/")
    constrains = keyword in _CONSTRAINTS and not value.endswith("/properties")
    return f"value {change.tool}:{value}" if constrains else ""


def _replaced_output(tool: str, definitions: Mapping[str, tuple[Any, Any]]) -> str:
    """What a report says of an output none of whose fields remained; empty if one did."""
    old, new = (_output_fields(side) for side in definitions.get(tool, (None, None)))
    if not old or not new or not set(old).isdisjoint(new):
        return ""
    return f"The output of {code(tool)} was replaced: it had {_named(old)}, and has {_named(new)}."


def _output_fields(definition: Any) -> list[str]:
    schema = definition.get("outputSchema") if isinstance(definition, dict) else None
    fields = schema.get("properties") if isinstance(schema, dict) else None
    return list(fields) if isinstance(fields, dict) else []


def _named(names: Sequence[str]) -> str:
    more = len(names) - NAMES_SHOWN
    shown = [code(one_line(name, _NAME)) for name in names[:NAMES_SHOWN]]
    return enumeration([*shown, f"{more:,} more"] if more > 0 else shown)


def left_out(causes: Iterable[ChangeCause]) -> str:
    """``40 more changes (title-changed 30, …)`` for causes for which there was no room."""
    kinds = Counter(change.kind for cause in causes for change in cause.changes)
    named = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common(NAMES_SHOWN))
    rest = ", …" if len(kinds) > NAMES_SHOWN else ""
    return f"{count_of(kinds.total(), 'more change')} ({named}{rest})"
