"""A plan of fixes: which corrections are compatible, and the surface after them.

Corrections that do not overlap are applied to a copy of the tools, which is linted again. One that did not remove its
finding, that caused another one, or that the containment engine contradicts is withdrawn with a reason, and the plan is
made again.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.findings import Effect
from mcp_governor.fixes.editing import Fragment, apply, fragment_of, patch, shown
from mcp_governor.fixes.proof import Proof, Prover
from mcp_governor.rules.governing import STALE_RULE, govern
from mcp_governor.rules.run import run_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.findings import Edit, Finding
    from mcp_governor.rules.selection import Selection
    from mcp_governor.surface.model import Surface

MAX_ROUNDS = 6
"""Maximum number of plans, each without what was withdrawn before; two are rare."""
_UNSETTLED = "the fixes of this run do not settle; make some of them by hand"


class PlacedFix(Struct, frozen=True):
    """A corrected fragment of one tool.

    Attributes:
        tool: its name.
        fragment: the place.
        before, after: as displayed; ``ABSENT`` if there is no value.
        patch: the operations (RFC 6902), with pointers relative to the tool.
        findings: the findings that it fixes.
        effect: the intended effect.
        proof: the proved effect.
    """

    tool: str
    fragment: Fragment
    before: Any
    after: Any
    patch: tuple[dict[str, Any], ...]
    findings: tuple[Finding, ...]
    effect: Effect
    proof: Proof


class Withheld(NamedTuple):
    """A finding whose correction is not part of the plan, or not everywhere.

    Attributes:
        finding: the finding.
        tool: the tool in which the correction is omitted.
        reason: one clause.
    """

    finding: Finding
    tool: str | None
    reason: str


class Plan(Struct, frozen=True):
    """All fixes of one run.

    Attributes:
        fixes: sorted by tool and place.
        withheld: corrections that the plan omits.
        fixed: findings that the plan removes.
        partly: findings about several places, some of which remain.
        unfixed: findings without a correction.
        brought: findings about all tools together that the plan causes.
        surface: with the fixes applied.
    """

    fixes: tuple[PlacedFix, ...]
    withheld: tuple[Withheld, ...]
    fixed: tuple[Finding, ...]
    partly: tuple[Finding, ...]
    unfixed: tuple[Finding, ...]
    brought: tuple[Finding, ...]
    surface: Surface


def make_plan(
    surface: Surface, selection: Selection, findings: Sequence[Finding], *, prover: Prover | None = None
) -> Plan:
    """The fixes for findings of a surface.

    Args:
        surface: the linted surface.
        selection: the selected rules.
        findings: to fix where possible; other findings of the same rules are left.
        prover: proves the effect of a fix; by default one with a budget for the whole plan.
    """
    steps = list(_steps(findings))
    if not steps:
        return Plan((), (), (), (), tuple(findings), (), surface)
    prover, before, barred = prover or Prover(), _lint(surface, selection), dict[int, str]()
    for _ in range(MAX_ROUNDS):
        trial = _Trial(surface, steps, barred)
        fixes = list(_fixes(trial, prover))
        after = _lint(trial.surface, selection)
        failed = dict(_failures(trial, fixes, before, after))
        if not failed:
            break
        barred.update(failed)
    else:
        barred = dict.fromkeys(range(len(steps)), _UNSETTLED) | barred
        trial, fixes, after = _Trial(surface, steps, barred), [], before
    gone = {finding.id for finding in _unmatched(before, after)}
    touched = {steps[number].finding.id for number in trial.applied}
    left = [Withheld(steps[number].finding, steps[number].tool or None, why) for number, why in trial.left.items()]
    return Plan(
        tuple(fix for fix, _ in fixes),
        tuple({(one.finding.id, one.tool): one for one in left}.values()),
        tuple(one for one in findings if one.id in gone),
        tuple(one for one in findings if one.id not in gone and one.id in touched),
        tuple(one for one in findings if one.id not in gone and one.id not in touched),
        tuple(_unmatched(after, before)),
        trial.surface,
    )


def _lint(surface: Surface, selection: Selection) -> list[Finding]:
    found = govern(run_rules(surface, selection), selection, surface, stations=("lint",))
    return [one for one in found if one.rule != STALE_RULE]


class _Step(NamedTuple):
    """The correction of a finding in one tool."""

    finding: Finding
    tool: str
    edits: tuple[Edit, ...]
    effect: Effect


def _steps(findings: Iterable[Finding]) -> Iterator[_Step]:
    """The corrections, separately for each tool. Of a finding about the surface, one fragment can be withdrawn and the
    others stay."""
    for finding in findings:
        if finding.correction is None:
            continue
        groups: dict[tuple[str, str], list[Edit]] = {}
        for edit in finding.correction.edits:
            owner = fragment_of(edit.path).pointer if finding.tool is None else ""
            groups.setdefault((edit.tool or finding.tool or "", owner), []).append(edit)
        for (tool, _), edits in groups.items():
            yield _Step(finding, tool, tuple(edits), finding.correction.effect)


class _Trial:
    """The tools after all corrections that are not barred, and do not overlap with an earlier one.

    Attributes:
        tools: as published, by name.
        raw: the JSON of the corrected ones.
        applied: the corrections by their numbers.
        left: the reasons of those that were not applied.
        surface: with the corrected tools.
    """

    def __init__(self, surface: Surface, steps: Sequence[_Step], barred: Mapping[int, str]) -> None:
        self.tools = {tool.name: tool for tool in surface.tools}
        self.raw: dict[str, dict[str, Any]] = {}
        self.applied: dict[int, _Step] = {}
        self.left = dict(barred)
        done: dict[str, list[Edit]] = {}
        for number, one in enumerate(steps):
            if number in barred or one.tool not in self.tools:
                continue
            edits = done.setdefault(one.tool, [])
            if any(_overlaps(edit, earlier) for edit in one.edits for earlier in edits):
                self.left[number] = "it overlaps with another fix; run again when that is done"
                continue
            tried = copy.deepcopy(self.raw.get(one.tool, dict(self.tools[one.tool].raw)))
            if not apply(tried, one.edits):
                self.left[number] = "its place is not there"
                continue
            self.raw[one.tool] = tried
            self.applied[number] = one
            edits += one.edits
        entries, tools = list(surface.entries), list(surface.tools)
        for at, tool in enumerate(tools):
            if tool.name in self.raw:
                tools[at] = replace(tool, raw=copy.deepcopy(self.raw[tool.name]))
                entries[tool.index] = tools[at].raw
        self.surface = replace(surface, tools=tuple(tools), entries=tuple(entries))


def _overlaps(edit: Edit, earlier: Edit) -> bool:
    """True if an edit is at, above or below an earlier one, unless both do the same or are about one list."""
    if edit.path == earlier.path:
        lists = {edit.op, earlier.op} <= {"add", "drop"}
        return not lists and (edit.op, edit.value) != (earlier.op, earlier.value)
    return _touch(edit.path, earlier.path)


def _touch(one: str, other: str) -> bool:
    """True if a place is in another, or the other in it."""
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _fixes(trial: _Trial, prover: Prover) -> Iterator[tuple[PlacedFix, list[int]]]:
    """The fragments that the applied corrections changed, with the numbers of these."""
    grouped: dict[tuple[str, Fragment], list[tuple[int, str]]] = {}
    for number, one in trial.applied.items():
        for edit in one.edits:
            key = one.tool, fragment_of(edit.path, removes=edit.op == "remove")
            grouped.setdefault(key, []).append((number, edit.path))
    for (tool, fragment), edits in grouped.items():
        touched = list(dict.fromkeys(path for _, path in edits))
        old, new = trial.tools[tool].raw, trial.raw[tool]
        operations = patch(old, new, fragment, touched)
        if not operations:
            continue
        numbers = list(dict.fromkeys(number for number, _ in edits))
        effects = {trial.applied[number].effect for number in numbers}
        findings = {one.id: one for one in (trial.applied[number].finding for number in numbers)}
        fix = PlacedFix(
            tool,
            fragment,
            shown(old, fragment, touched),
            shown(new, fragment, touched),
            tuple(operations),
            tuple(findings.values()),
            next(one for one in (Effect.NARROWER, Effect.WIDER, Effect.NEUTRAL) if one in effects),
            prover.prove(old, fragment, operations),
        )
        yield fix, numbers


def _failures(
    trial: _Trial, fixes: Sequence[tuple[PlacedFix, list[int]]], before: Sequence[Finding], after: Sequence[Finding]
) -> Iterator[tuple[int, str]]:
    """The corrections to withdraw, each with a reason."""
    stays = {one.id for one in before} - {one.id for one in _unmatched(before, after)}
    for number, one in trial.applied.items():
        if one.finding.tool is not None and one.finding.id in stays:
            yield number, "the finding would stay"
    for finding in _unmatched(after, before):
        suspects = [(fix, numbers) for fix, numbers in fixes if fix.tool == finding.tool]
        # An enum of one parameter may give meaning to words about another, so any fix of the tool is suspect.
        near = [one for one in suspects if _touch(one[0].fragment.pointer, fragment_of(finding.path).pointer)]
        yield from ((number, f"it would bring {finding.rule}") for _, numbers in near or suspects for number in numbers)
    for fix, numbers in fixes:
        if fix.effect is not Effect.NARROWER and fix.proof.verdict == "narrower":
            reason = f"it would refuse {fix.proof.shown_witness}, which is accepted today"
            yield from ((number, reason) for number in numbers)


def _unmatched(these: Sequence[Finding], those: Sequence[Finding]) -> list[Finding]:
    """Findings without a counterpart among others: one with the same id, or a changed one at the same place. An id
    includes the value, which may be the schema around the place."""
    mine, theirs = {one.id for one in these}, {one.id for one in those}
    places = Counter(_place(one) for one in those if one.id not in mine)
    out = []
    for one in these:
        if one.id not in theirs:
            places[_place(one)] -= 1
            if places[_place(one)] < 0:
                out.append(one)
    return out


def _place(finding: Finding) -> tuple[str, str | None, str]:
    if finding.tool is None:
        # A finding about the surface has one place, which moves with its subject.
        return finding.rule, None, "" if finding.path.startswith("/tools") else finding.path
    return finding.rule, finding.tool, fragment_of(finding.path).pointer
