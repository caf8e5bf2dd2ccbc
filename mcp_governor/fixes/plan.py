"""A plan of fixes: which corrections are compatible, and the surface after them.

Corrections are applied to a copy of the tools as ESLint and Ruff apply fixes: non-overlapping ones in one pass, the
others after linting the copy again, so that each one is computed for the schema that it changes. At the end the copy is
linted once more. A correction that did not remove its finding, that caused another one, or that the containment engine
contradicts is withdrawn with a reason, and the plan is made again.
"""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.findings import Effect
from mcp_governor.fixes.editing import Fragment, apply, fragment_of, patch, shown
from mcp_governor.fixes.proof import Proof, Prover
from mcp_governor.rules.governing import STALE_RULE, govern
from mcp_governor.rules.run import run_rules
from mcp_governor.schemas.pointers import pointer_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.findings import Edit, Finding
    from mcp_governor.rules.selection import Selection
    from mcp_governor.surface.model import Surface, Tool

MAX_PASSES = 4
"""Maximum number of passes before overlapping corrections are left for the next run: a parameter seldom has more than
two findings."""
MAX_ROUNDS = 5
"""Maximum number of plans, each without what was withdrawn before; two are rare."""

_Place = tuple[str, "str | None", str]
"""Identifies a finding before and after edits: rule, tool, and the fragment that it is in."""


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
        brought: findings that the plan causes although every suspect was withdrawn; empty unless a rule looks at other
            tools.
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
    if all(finding.correction is None for finding in findings):
        return Plan((), (), (), (), tuple(findings), (), surface)
    maker = _Maker(surface, selection, findings, prover or Prover())
    attempt = maker.attempt()
    for _ in range(MAX_ROUNDS):
        if not maker.withdraw(attempt):
            break
        attempt = maker.attempt()
    return maker.plan(attempt)


class _Step(NamedTuple):
    """The correction of a finding in one tool."""

    finding: Finding
    tool: str
    edits: tuple[Edit, ...]
    effect: Effect


@dataclass
class _Attempt:
    """One run of all passes: the applied corrections, those that still overlapped, and the resulting surface."""

    surface: Surface
    applied: list[_Step] = field(default_factory=list)
    waiting: list[_Step] = field(default_factory=list)
    after: list[Finding] = field(default_factory=list)
    fixes: list[PlacedFix] = field(default_factory=list)


class _Maker:
    """Makes attempts, and withdraws corrections that fail."""

    def __init__(self, surface: Surface, selection: Selection, findings: Sequence[Finding], prover: Prover) -> None:
        self._surface, self._selection, self._prover = surface, selection, prover
        self._wanted = findings
        self._originals: dict[_Place, list[Finding]] = {}
        for finding in findings:
            if finding.correction is not None:
                self._originals.setdefault(_place(finding), []).append(finding)
        self._before = self._lint(surface)
        self._known = {finding.id for finding in self._before}
        self._barred: dict[tuple[str, str, str], str] = {}

    def _lint(self, surface: Surface) -> list[Finding]:
        found = govern(run_rules(surface, self._selection), self._selection, surface, stations=("lint",))
        return [one for one in found if one.rule != STALE_RULE]

    # -- an attempt

    def attempt(self) -> _Attempt:
        """Apply all corrections that are not barred, and lint the result."""
        made = _Attempt(self._surface)
        tools = {tool.name: tool for tool in self._surface.tools}
        raw: dict[str, dict[str, Any]] = {}
        found: Sequence[Finding] = self._before
        for _ in range(MAX_PASSES):
            made.waiting = []
            if not self._pass(made, tools, raw, self._steps(found)):
                break
            made.surface = _edited(self._surface, raw)
            found = self._lint(made.surface)
        made.after = list(found)
        made.fixes = list(self._fixes(made, tools, raw))
        return made

    def _steps(self, found: Iterable[Finding]) -> Iterator[_Step]:
        """The corrections of wanted findings, separately for each tool, and of those that the edits caused.

        Corrections that remove something come first, since there is nothing else to do at their place; then corrections
        about one tool, which know more than a rule about all tools.
        """
        new = {finding.id for finding in self._new(found)}
        for finding in sorted(found, key=_urgency):
            original = self._originals.get(_place(finding), [finding] if finding.id in new else None)
            if finding.correction is None or original is None:
                continue
            same = next((one for one in original if one.id == finding.id), original[0])
            # Of a finding about the surface, one fragment can be withdrawn and the others stay.
            groups: dict[tuple[str, str], list[Edit]] = {}
            for edit in finding.correction.edits:
                owner = fragment_of(edit.path).pointer if finding.tool is None else ""
                groups.setdefault((edit.tool or finding.tool or "", owner), []).append(edit)
            for (tool, _), edits in groups.items():
                yield _Step(same, tool, tuple(edits), finding.correction.effect)

    def _pass(
        self, made: _Attempt, tools: dict[str, Tool], raw: dict[str, dict[str, Any]], steps: Iterator[_Step]
    ) -> bool:
        """Apply corrections that do not overlap; true if there were any."""
        touched: dict[str, dict[str, tuple[str, Any]]] = {}
        any_applied = False
        for one in steps:
            if one.tool not in tools or any(key in self._barred for key in _keys(one)):
                continue
            places = touched.setdefault(one.tool, {})
            if any(_overlaps(edit, places) for edit in one.edits):
                made.waiting.append(one)
                continue
            if one.tool not in raw:
                raw[one.tool] = copy.deepcopy(dict(tools[one.tool].raw))
            tried = copy.deepcopy(raw[one.tool])
            if not apply(tried, one.edits):
                self._bar(one, "its place is not there")
                continue
            raw[one.tool] = tried
            places.update({edit.path: (edit.op, edit.value) for edit in one.edits})
            made.applied.append(one)
            any_applied = True
        return any_applied

    def _fixes(self, made: _Attempt, tools: dict[str, Tool], raw: dict[str, dict[str, Any]]) -> Iterator[PlacedFix]:
        """The fragments that the applied corrections changed."""
        grouped: dict[tuple[str, Fragment], list[tuple[_Step, str]]] = {}
        for one in made.applied:
            for edit in one.edits:
                key = one.tool, fragment_of(edit.path, removes=edit.op == "remove")
                grouped.setdefault(key, []).append((one, edit.path))
        for (tool, fragment), steps in _merged(grouped).items():
            touched = list(dict.fromkeys(path for _, path in steps))
            old, new = tools[tool].raw, raw[tool]
            operations = patch(old, new, fragment, touched)
            if not operations:
                continue
            effects = {one.effect for one, _ in steps}
            effect = next(one for one in (Effect.NARROWER, Effect.WIDER, Effect.NEUTRAL) if one in effects)
            findings = {one.finding.id: one.finding for one, _ in steps}
            yield PlacedFix(
                tool,
                fragment,
                shown(old, fragment, touched),
                shown(new, fragment, touched),
                tuple(operations),
                tuple(findings.values()),
                effect,
                self._prover.prove(old, fragment, operations),
            )

    # -- withdrawing

    def withdraw(self, made: _Attempt) -> bool:
        """Bar the corrections that failed; true if there were any."""
        known = len(self._barred)
        for fix in made.fixes:
            if fix.effect is not Effect.NARROWER and fix.proof.verdict == "narrower":
                self._bar_fragment(made, fix, f"it would refuse {fix.proof.shown_witness}, which is accepted today")
        if len(self._barred) == known:
            stays = self._known - self._gone(made)
            for one in made.applied:
                if one.finding.tool is not None and one.finding.id in stays:
                    self._bar(one, "the finding would stay")
        for finding in self._new(made.after):
            places = _places(finding)
            suspects = [one for one in made.applied if any(one.tool == tool for tool, _ in places)]
            # An enum of one parameter may give meaning to words about another, so any fix of the tool is suspect.
            for one in [one for one in suspects if _is_near(one, places)] or suspects:
                self._bar(one, f"it would bring {finding.rule}")
        return len(self._barred) > known

    def _gone(self, made: _Attempt) -> set[str]:
        """Ids of original findings that are gone. The new ids alone do not show this: an id includes the value, which
        may be the schema around the place."""
        left = {finding.id for finding in made.after}
        fewer = Counter(map(_place, self._before))
        fewer.subtract(map(_place, made.after))
        out = set()
        for finding in self._before:
            place = _place(finding)
            if finding.id not in left and fewer[place] > 0:
                fewer[place] -= 1
                out.add(finding.id)
        return out

    def _bar_fragment(self, made: _Attempt, fix: PlacedFix, reason: str) -> None:
        for one in made.applied:
            places = {fragment_of(edit.path, removes=edit.op == "remove") for edit in one.edits}
            if one.tool == fix.tool and any(_within(place.pointer, fix.fragment.pointer) for place in places):
                self._bar(one, reason)

    def _bar(self, one: _Step, reason: str) -> None:
        for key in _keys(one):
            self._barred.setdefault(key, reason)

    def _new(self, found: Iterable[Finding]) -> list[Finding]:
        """Findings after the edits that have no counterpart before them."""
        if found is self._before:
            return []
        before = Counter(map(_place, self._before))
        out = []
        for finding in found:
            place = _place(finding)
            before[place] -= 1
            if before[place] < 0:
                out.append(finding)
        return out

    # -- the result

    def plan(self, made: _Attempt) -> Plan:
        """The result of the last attempt."""
        gone = self._gone(made)
        touched = {one.finding.id for one in made.applied}
        fixed: list[Finding] = []
        partly: list[Finding] = []
        unfixed: list[Finding] = []
        for finding in self._wanted:
            if finding.id in gone:
                fixed.append(finding)
            else:
                (partly if finding.id in touched else unfixed).append(finding)
        return Plan(
            tuple(made.fixes),
            tuple(self._withheld(made)),
            tuple(fixed),
            tuple(partly),
            tuple(unfixed),
            tuple(self._new(made.after)),
            made.surface,
        )

    def _withheld(self, made: _Attempt) -> Iterator[Withheld]:
        waiting = [(one, "it overlaps with another fix; run again when that is done") for one in made.waiting]
        barred = [
            (one, self._barred[key]) for one in self._steps(self._before) for key in _keys(one) if key in self._barred
        ]
        applied = {(one.finding.id, one.tool, one.edits[0].path) for one in made.applied}
        out: dict[tuple[str, str], Withheld] = {}
        for one, reason in [*barred, *waiting]:
            if (one.finding.id, one.tool, one.edits[0].path) not in applied:
                out.setdefault((one.finding.id, one.tool), Withheld(one.finding, one.tool or None, reason))
        yield from out.values()


def _place(finding: Finding) -> _Place:
    if finding.tool is None:
        # A finding about the surface has one place, which moves with its subject.
        return finding.rule, None, "" if finding.path.startswith("/tools") else finding.path
    return finding.rule, finding.tool, fragment_of(finding.path).pointer


def _urgency(finding: Finding) -> tuple[bool, bool]:
    edits = finding.correction.edits if finding.correction is not None else ()
    return not any(edit.op == "remove" for edit in edits), finding.tool is None


def _keys(one: _Step) -> Iterator[tuple[str, str, str]]:
    for edit in one.edits:
        yield one.finding.rule, one.tool, fragment_of(edit.path).pointer


def _overlaps(edit: Edit, places: dict[str, tuple[str, Any]]) -> bool:
    """True if an edit is at, above or below an earlier one, unless both do the same or are about one list."""
    for path, (op, value) in places.items():
        if path == edit.path:
            lists = {"add", "drop"}
            if not (op in lists and edit.op in lists) and (op, value) != (edit.op, edit.value):
                return True
        elif _within(path, edit.path) or _within(edit.path, path):
            return True
    return False


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}/")


def _places(finding: Finding) -> list[tuple[str, str]]:
    """Tools and fragments that a finding is about; none for one about the whole surface, such as its size, which may be
    due to all corrections or none."""
    if finding.tool is not None:
        return [(finding.tool, fragment_of(finding.path).pointer)]
    edits = finding.correction.edits if finding.correction is not None else ()
    return [(edit.tool or "", fragment_of(edit.path).pointer) for edit in edits]


def _is_near(one: _Step, places: Iterable[tuple[str, str]]) -> bool:
    mine = [fragment_of(edit.path).pointer for edit in one.edits]
    return any(
        one.tool == tool and any(_within(place, other) or _within(other, place) for other in mine)
        for tool, place in places
    )


def _merged(
    grouped: dict[tuple[str, Fragment], list[tuple[_Step, str]]],
) -> dict[tuple[str, Fragment], list[tuple[_Step, str]]]:
    """The corrections by fragment; a fragment within one that is replaced as a whole becomes part of it."""
    out: dict[tuple[str, Fragment], list[tuple[_Step, str]]] = {}
    for tool, fragment in sorted(grouped, key=lambda key: len(pointer_tokens(key[1].pointer))):
        owner = next(
            (
                (name, outer)
                for name, outer in out
                if name == tool and outer.whole and _within(fragment.pointer, outer.pointer)
            ),
            (tool, fragment),
        )
        out.setdefault(owner, []).extend(grouped[tool, fragment])
    return out


def _edited(surface: Surface, raw: dict[str, dict[str, Any]]) -> Surface:
    entries = list(surface.entries)
    tools = []
    for tool in surface.tools:
        if tool.name in raw:
            tool = replace(tool, raw=copy.deepcopy(raw[tool.name]))
            if tool.index < len(entries):
                entries[tool.index] = tool.raw
        tools.append(tool)
    return replace(surface, tools=tuple(tools), entries=tuple(entries))
