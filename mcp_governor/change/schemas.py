"""Compares two published schemas: what they accept, and their words (descriptions, examples, labels of choices)."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.budget import OverBudgetError
from mcp_governor.change.claims import enum_facts
from mcp_governor.change.edit import Edit, Questions
from mcp_governor.change.edit_verdicts import kind_of, settled_edits, verdict_of
from mcp_governor.change.equality import same_json
from mcp_governor.change.graph import parse
from mcp_governor.change.model import catalogue, make
from mcp_governor.change.names import UNIONS
from mcp_governor.change.reading import render, stand_ins
from mcp_governor.change.usable import accepts_no_object, broken_root
from mcp_governor.change.vocabulary import MISSING, NO_FACTS, Facts, Level, Side, names_on, tokens_of
from mcp_governor.containment import Containment
from mcp_governor.containment.validating import Validating
from mcp_governor.findings import Verdict
from mcp_governor.parsing import exceeds_depth
from mcp_governor.schemas.formats import asserting
from mcp_governor.schemas.walking import walk
from mcp_governor.schemas.weight import count_values
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.surface.fingerprint import same_contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.change.budget import Budget
    from mcp_governor.change.graph import Graph
    from mcp_governor.change.model import Change
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.findings import Tier

    _Schemas = dict[str, dict[str, Any]]


class SchemaPair(Struct, frozen=True):
    """The two sides of a comparison.

    Attributes:
        old, new: the published schemas.
        side: input or output.
        tool: the tool's name.
        tier: of the tool.
        level: declared or strict.
        options: the policy.
    """

    old: Any
    new: Any
    side: Side
    tool: str
    tier: Tier
    level: Level
    options: ChangeOptions

    @property
    def base(self) -> str:
        """Pointer to the schema in the tool."""
        return "/inputSchema" if self.side is Side.INPUT else "/outputSchema"


_WORDS = ("description", "markdownDescription", "examples", "example", "deprecated")
_LABELS = ("enumNames", "x-enumNames", "x-enum-varnames", "x-enum-descriptions")
"""Keywords next to ``enum`` with a label for each of its values."""


_RANK = {Verdict.BREAKING: 2, Verdict.UNKNOWN: 1, Verdict.COMPATIBLE: 0}


def compare_schemas(pair: SchemaPair, budget: Budget) -> list[Change]:
    """The changes between two schemas of one tool; never raises, whatever the schemas contain.

    Args:
        pair: the schemas.
        budget: of the tool. If it is used up before the edits are found, the only change says that nothing was decided.
    """
    if same_json(pair.old, pair.new):
        return []
    if exceeds_depth(pair.old, MAX_DEPTH) or exceeds_depth(pair.new, MAX_DEPTH):
        return [_undecided(pair, f"it is nested deeper than {MAX_DEPTH} levels")]
    try:
        budget.check_run()
        changes = [] if same_contract(pair.old, pair.new) else (_usability(pair, budget) or _contract(pair, budget))
    except RecursionError:
        changes = [_undecided(pair, "its references nest too deeply to be followed")]
    except OverBudgetError as error:
        changes = [_undecided(pair, str(error))]
    return [*changes, *reworded(pair)]


def _undecided(pair: SchemaPair, reason: str) -> Change:
    answer = Containment("unknown", reason=reason)
    return _change(pair, Edit("schema", "", forward=answer, backward=answer, kind="schema-undecided"))


def _usability(pair: SchemaPair, budget: Budget) -> list[Change]:
    """The one change to report if only one of two input schemas is usable at all.

    Reasons why a new schema accepts nothing are reported edit by edit, unless its root is broken.
    """
    if pair.side is Side.OUTPUT:
        return []
    was, now = broken_root(pair.old), broken_root(pair.new)
    if not (was or now) and accepts_no_object(pair.old, deadline=pair.options.deadline, spend=budget.spend):
        was = "it accepted no object"
        now = was if accepts_no_object(pair.new, deadline=pair.options.deadline, spend=budget.spend) else ""
    if bool(was) == bool(now):
        return []
    edit = Edit("schema", "", note=frozenset({was or now}), kind="schema-repaired" if was else "schema-unusable")
    return [_change(pair, edit)]


def _contract(pair: SchemaPair, budget: Budget) -> list[Change]:
    declared = pair.level is Level.DECLARED
    arguments = pair.side is Side.INPUT
    asserted = pair.options.assert_formats
    old, new = (
        parse(schema, drop_safe_integers=declared, arguments=arguments, assert_formats=asserted)
        for schema in (pair.old, pair.new)
    )
    questions = Questions(
        old, new, pair.side, pair.level, deadline=pair.options.deadline, budget=budget, assert_formats=asserted
    )
    # Headers are sent with calls only.
    edits = [edit for edit in settled_edits(questions) if edit.family != "header" or arguments]
    if not edits:
        return [_change(pair, Edit("schema", "", kind="schema-rewritten"))]
    published = _Published(pair, questions)
    best: dict[tuple[str, str], Change] = {}
    for edit in edits:
        change = _change(pair, edit, published)
        key = (edit.kind or change.kind, change.path)
        if key not in best or _RANK[change.verdict] > _RANK[best[key].verdict]:
            best[key] = change
    # A parameter that everybody has to give has no default: that is one fact.
    needed = {f"{one.path}/default" for (kind, _), one in best.items() if kind == "argument-required"}
    return [one for (kind, _), one in best.items() if kind != "default-removed" or one.path not in needed]


def _change(pair: SchemaPair, edit: Edit, published: _Published | None = None) -> Change:
    kind = kind_of(edit, pair.side)
    path = pair.base + edit.path
    verdict = verdict_of(edit, kind, path, pair.options)
    witnessed = published is not None and verdict is Verdict.BREAKING and published.show(edit)
    return make(
        kind,
        pair.tool,
        path,
        verdict=verdict,
        tier=pair.tier,
        level=pair.level,
        old=edit.old,
        new=edit.new,
        facts=_facts(edit, path, published),
        reason=edit.forward.reason if verdict is Verdict.UNKNOWN else "",
        witness=edit.forward.witness if witnessed else MISSING,
    )


def _facts(edit: Edit, path: str, published: _Published | None) -> Facts:
    if edit.family == "enum":
        return enum_facts(edit, published.questions) if published is not None else NO_FACTS
    if edit.family == "argument":
        names = names_on(path)
        # The place is that of the key, by its new name, or the list of required keys, which may name an undeclared one.
        around = names[:-1] if names and names[-1] in (edit.name, edit.new) else names
        successor = edit.new if edit.kind == "argument-renamed" else None
        return Facts((*around, edit.name), successor=successor, detail=edit.case)
    return Facts(detail=", ".join(edit.note)) if edit.kind in _EXPLAINED else NO_FACTS


_EXPLAINED = frozenset({"output-reference-broken", "output-reference-repaired", "schema-repaired", "schema-unusable"})
"""Kinds whose note is a clause for readers."""


class _Published:
    """Checks a witness against the two schemas as published, because it was found in a reading of them."""

    def __init__(self, pair: SchemaPair, questions: Questions) -> None:
        self._pair = pair
        self._budget = questions.budget
        self._read = (questions.old, questions.new)
        self.questions = questions

    def show(self, edit: Edit) -> bool:
        """True if the edit has a witness, both schemas confirm it, and there is room for it."""
        if not edit.forward.has_witness or stand_ins(edit.forward.witness):
            return False
        old, new = (validator.accepts(edit.forward.witness) for validator in self._validators)
        takes, refuses = (old, new) if self._pair.side is Side.INPUT else (new, old)
        if takes is not True or refuses is not False:
            return False
        try:
            self._budget.keep(count_values(edit.forward.witness))
        except OverBudgetError:
            return False
        return True

    @cached_property
    def _validators(self) -> tuple[Validating, Validating]:
        old, new = self._read
        schemas = self._pair.old, self._pair.new
        if self._pair.options.assert_formats:
            schemas = asserting(schemas[0]), asserting(schemas[1])
        return _validating(schemas[0], old), _validating(schemas[1], new)


def _validating(schema: Any, document: Graph) -> Validating:
    """A schema as published; if no validator accepts it, as it was read: without the parts that are not schemas, on
    which no witness depends."""
    found = Validating(schema, foreign=True)
    return found if found.readable else Validating(render(document.root), foreign=True)


def reworded(pair: SchemaPair) -> Iterator[Change]:
    """Changed words at places that both schemas have; one change for all descriptions if none is left."""
    old, new = (
        {pointer: schema for pointer, schema in walk(side) if isinstance(schema, dict)} for side in (pair.old, pair.new)
    )
    lost = _lost(old, new)
    if lost:
        words = {".".join(names): text for names, text in lost.items()}
        facts = Facts(lost=tuple(words))
        yield _worded(pair, "argument-descriptions-lost", "", old=words, facts=facts)
    for pointer in sorted(old.keys() & new.keys()):
        before, after = old[pointer], new[pointer]
        for key in _WORDS:
            same = before is after or same_json(before.get(key), after.get(key))
            if not same and not (key == "description" and names_on(pointer) in lost and key not in after):
                values = {"old": before.get(key, MISSING), "new": after.get(key, MISSING)}
                yield _worded(pair, "schema-description-changed", f"{pointer}/{key}", **values)
        yield from _labels(pair, pointer, before, after)


def _worded(pair: SchemaPair, kind: str, path: str, **more: Any) -> Change:
    if pair.side is Side.OUTPUT:
        kind = catalogue()[kind].other_side or kind
    return make(kind, pair.tool, pair.base + path, tier=pair.tier, level=pair.level, **more)


def _lost(old: _Schemas, new: _Schemas) -> dict[tuple[str, ...], str]:
    """Names of the properties that are still there, and their former descriptions, if none has one any more."""
    before, after = _described(old), _described(new)
    if any(after.values()):
        return {}
    return {names: text for names, text in before.items() if text and names in after}


def _described(schemas: _Schemas) -> dict[tuple[str, ...], str]:
    """The properties of a schema by the names on the way to them, each with its description, which may be empty."""
    found: dict[tuple[str, ...], str] = {}
    for pointer, schema in sorted(schemas.items(), key=lambda item: item[0]):
        if tokens_of(pointer)[-2:-1] == ["properties"]:
            text = schema.get("description")
            names = names_on(pointer)
            found[names] = found.get(names) or (text.strip() if isinstance(text, str) else "")
    return found


def _labels(pair: SchemaPair, pointer: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """The labels of values that both schemas list."""
    before, after = _labelled(old), _labelled(new)
    changed = [value for value in before if value in after and before[value] != after[value]]
    if changed:
        one, other = (
            {_text(json.loads(value)) or value: side[value] for value in changed if side[value]}
            for side in (before, after)
        )
        yield _worded(pair, "choice-labels-changed", pointer, old=one or MISSING, new=other or MISSING)


def _labelled(schema: dict[str, Any]) -> dict[str, str]:
    """The listed values of a schema, as JSON, each with its label, which may be empty."""
    listed = schema.get("enum")
    if isinstance(listed, list):
        names: list[Any] = next((schema[key] for key in _LABELS if isinstance(schema.get(key), list)), [])
        return {canonical_json(value): _text(name) for value, name in zip(listed, _padded(names, listed), strict=True)}
    branches: list[Any] = next((schema[key] for key in UNIONS if isinstance(schema.get(key), list)), [])
    choices = [branch for branch in branches if isinstance(branch, dict) and "const" in branch]
    return {canonical_json(branch["const"]): _text(branch.get("title")) for branch in choices}


def _padded(names: list[Any], values: list[Any]) -> list[Any]:
    return [*names[: len(values)], *[None] * (len(values) - len(names))]


def _text(label: Any) -> str:
    return label if isinstance(label, str) else ""
