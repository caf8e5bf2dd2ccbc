"""Two published schemas → changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from mcp_governor.change.edit import Edit, Questions
from mcp_governor.change.equality import same_json
from mcp_governor.change.messages import owner, schema_message
from mcp_governor.change.model import MISSING, Change, Level, Side, Verdict, value_or_none
from mcp_governor.change.node import parse
from mcp_governor.change.reading import render, stand_ins
from mcp_governor.change.registry import required_bump
from mcp_governor.change.settle import settled_edits
from mcp_governor.change.usable import accepts_no_object, broken_root
from mcp_governor.change.verdict import kind_of, verdict_of
from mcp_governor.containment import Containment
from mcp_governor.frozen import frozen
from mcp_governor.parsing import exceeds_depth
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.surface.fingerprint import same_contract
from mcp_governor.text import visible
from mcp_governor.vocabulary import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.change.node import Document
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.findings import Tier

_WORDS = ("description", "markdownDescription", "examples", "example", "deprecated")
_RANK = {Verdict.BREAKING: 2, Verdict.UNKNOWN: 1, Verdict.COMPATIBLE: 0}


@frozen
class SchemaPair:
    """What is compared.

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
        """Pointer of the schema in the tool."""
        return "/inputSchema" if self.side is Side.INPUT else "/outputSchema"


def compare_schemas(pair: SchemaPair) -> list[Change]:
    """The changes between two schemas of one tool; never raises, whatever the schemas hold."""
    if same_json(pair.old, pair.new):
        return []
    if exceeds_depth(pair.old, MAX_DEPTH) or exceeds_depth(pair.new, MAX_DEPTH):
        return [_undecided(pair, f"it is nested deeper than {MAX_DEPTH} levels")]
    try:
        changes = [] if same_contract(pair.old, pair.new) else (_usability(pair) or _contract(pair))
    except RecursionError:
        changes = [_undecided(pair, "its references lead too deep to be followed")]
    return [*changes, *_wording(pair)]


def respelled(pair: SchemaPair) -> Change:
    """The schema is written differently and means the same."""
    return _change(pair, Edit("schema", "", kind="schema-respelled"))


def _undecided(pair: SchemaPair, reason: str) -> Change:
    answer = Containment("unknown", reason=reason)
    return _change(pair, Edit("schema", "", forward=answer, backward=answer, kind="schema-undecided"))


def _usability(pair: SchemaPair) -> list[Change]:
    """The one change to tell where just one of two input schemas can be used at all.

    What makes a new schema accept nothing is told edit by edit, unless its root is broken.
    """
    if pair.side is Side.OUTPUT:
        return []
    was, now = broken_root(pair.old), broken_root(pair.new)
    if not (was or now) and accepts_no_object(pair.old, deadline=pair.options.deadline):
        was = "it accepted no object"
        now = was if accepts_no_object(pair.new, deadline=pair.options.deadline) else ""
    if bool(was) == bool(now):
        return []
    edit = Edit("schema", "", note=frozenset({was or now}), kind="schema-repaired" if was else "schema-unusable")
    return [_change(pair, edit)]


def _contract(pair: SchemaPair) -> list[Change]:
    declared = pair.level is Level.DECLARED
    arguments = pair.side is Side.INPUT
    old = parse(pair.old, drop_safe_integers=declared, arguments=arguments)
    new = parse(pair.new, drop_safe_integers=declared, arguments=arguments)
    questions = Questions(old, new, pair.side, pair.level, pair.options.deadline)
    settled = settled_edits(questions)
    edits = [edit for edit in settled.edits if _concerns(edit, pair.side)]
    if not edits:
        return [respelled(pair)]
    best: dict[tuple[str, str], Change] = {}
    for edit in edits:
        change = _change(pair, edit, (old, new))
        key = (change.kind, change.path)
        if key not in best or _RANK[change.verdict] > _RANK[best[key].verdict]:
            best[key] = change
    return list(best.values())


def _concerns(edit: Edit, side: Side) -> bool:
    return not (edit.family == "header" and side is Side.OUTPUT)


def _change(pair: SchemaPair, edit: Edit, read: tuple[Document, Document] | None = None) -> Change:
    kind = kind_of(edit, pair.side)
    path = pair.base + edit.path
    verdict = verdict_of(edit, kind, path, pair.options)
    message = schema_message(kind, edit, path)
    reason = edit.forward.reason if verdict is Verdict.UNKNOWN else ""
    witnessed = read is not None and _holds(pair, edit, verdict, read)
    return Change(
        kind=kind,
        tool=pair.tool,
        path=path,
        side=pair.side,
        verdict=verdict,
        message=f"{message}: {reason}" if reason else message,
        bump=required_bump(verdict, kind, pair.tier),
        tier=pair.tier,
        level=pair.level,
        old=value_or_none(edit.old),
        new=value_or_none(edit.new),
        has_old=edit.old is not MISSING,
        has_new=edit.new is not MISSING,
        witness=edit.forward.witness if witnessed else None,
        has_witness=witnessed,
        reason=reason,
    )


def _holds(pair: SchemaPair, edit: Edit, verdict: Verdict, read: tuple[Document, Document]) -> bool:
    """Whether the edit has a witness on which the published schemas agree: it was found in a reading of them."""
    if verdict is not Verdict.BREAKING or not edit.forward.has_witness:
        return False
    value = edit.forward.witness
    if stand_ins(value):
        return False
    old, new = _accepts(pair.old, read[0], value), _accepts(pair.new, read[1], value)
    takes, refuses = (old, new) if pair.side is Side.INPUT else (new, old)
    return takes is True and refuses is False


def _accepts(schema: Any, document: Document, value: Any) -> bool | None:
    """Whether a schema accepts a value, ``None`` where it cannot be asked.

    Asked as published; where no validator takes it so, as it was read: without the parts that are no schemas, on
    which no witness hangs.
    """
    try:
        return jsonschema_rs.is_valid(schema, value, validate_formats=False, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        read = render(document.root)
    try:
        return jsonschema_rs.is_valid(read, value, validate_formats=False, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _wording(pair: SchemaPair) -> Iterator[Change]:
    """Words that changed in places that both schemas have."""
    old = {pointer: schema for pointer, schema in walk(pair.old) if isinstance(schema, dict)}
    kind = kind_of(Edit("description", "", kind="schema-description-changed"), pair.side)
    for pointer, schema in sorted(walk(pair.new), key=lambda item: item[0]):
        before = old.get(pointer)
        if before is None or not isinstance(schema, dict):
            continue
        for key in _WORDS:
            if not same_json(before.get(key), schema.get(key)):
                verb = "is new" if key not in before else ("is gone" if key not in schema else "is reworded")
                path = f"{pair.base}{pointer}/{key}"
                yield Change(
                    kind=kind,
                    tool=pair.tool,
                    path=path,
                    side=pair.side,
                    verdict=Verdict.COMPATIBLE,
                    message=f"{key} of `{visible(owner(path))}` {verb}" if owner(path) else f"{key} {verb}",
                    bump=required_bump(Verdict.COMPATIBLE, kind, pair.tier),
                    tier=pair.tier,
                    level=pair.level,
                    old=before.get(key),
                    new=schema.get(key),
                    has_old=key in before,
                    has_new=key in schema,
                )
