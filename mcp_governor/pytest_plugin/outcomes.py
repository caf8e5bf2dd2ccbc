"""Report → what every item comes to, and what a run says at its end although nothing fails for it."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.findings import Bump, Verdict
from mcp_governor.pytest_plugin.arguments import ROOT
from mcp_governor.report.finding_groups import causes
from mcp_governor.report.groups import count_of, pending_words
from mcp_governor.report.lines import line, plain_text
from mcp_governor.report.response_words import response_lines
from mcp_governor.report.text import cause_lines, change_lines, finding_lines, fix_lines
from mcp_governor.text import printable, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.change import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.report.lines import Line

    Families = dict[str, dict[str, "Outcome"]]
    from collections.abc import Collection


SURFACE = "surface"
CHANGES = "changes"
_OF_TOOLS = frozenset({"tool", "schema", "input", "output"})
_STEP = frozenset(
    {"policy/bump-too-small", "policy/calver-too-small", "policy/version-backwards", "policy/version-missing"}
)
"""Rules that say once, for the version, that breaks are not acknowledged."""
STALE = frozenset({"policy/acceptance-unmatched", "lint/stale-suppression"})
"""Rules about what nobody uses, which runs of a part of the items do not judge."""


class Outcome(NamedTuple):
    """What an item comes to: it fails with ``lines``, else it is skipped for ``unseen``, else it passes.

    Attributes:
        lines: the findings that fail it.
        unseen: why nothing was looked at.
        stale: more findings that fail it, unless the run chooses among the items.
    """

    lines: tuple[str, ...] = ()
    unseen: str = ""
    stale: tuple[str, ...] = ()


def families_of(report: Report, config: Config) -> Families:
    """Tool → family → what it comes to. The same items are there if they pass and if they fail."""
    expected = _expected(report, config)
    by_tool: dict[str, dict[str, list[Line]]] = {tool: {name: [] for name in names} for tool, names in expected.items()}
    stale: dict[tuple[str, str], list[Line]] = {}

    def add(tool: str | None, family: str, lines: Iterator[Line]) -> None:
        by_tool.setdefault(shown(tool), {}).setdefault(family, []).extend(lines)

    for finding in report.failing_findings:
        tool, family = finding.tool, family_of(finding.rule)
        if finding.rule in STALE:
            add(tool, family, iter(()))
            stale.setdefault((shown(tool), family), []).extend(finding_lines(finding))
        else:
            add(tool, family, finding_lines(finding))
    for change in failing_changes(report):
        add(change.tool, CHANGES, change_lines(change))
    return {
        tool: {
            family: Outcome(_text(lines), expected.get(tool, {}).get(family, ""), _text(stale.get((tool, family), [])))
            for family, lines in sorted(families.items())
        }
        for tool, families in by_tool.items()
    }


def family_of(rule: str) -> str:
    """The family of the items that a rule belongs to."""
    return rule.partition("/")[0]


def _text(lines: list[Line]) -> tuple[str, ...]:
    return tuple(dedent(plain_text(lines)).splitlines())


def failing_changes(report: Report) -> list[Change]:
    """The changes that fail their item: also the breaks that a version step fails to announce.

    These fail under their tools, with their witnesses; that the step is too small, and what it has to be, is said under
    ``policy``, once for all of them.
    """
    failing = report.failing_changes
    if not any(finding.rule in _STEP for finding in report.failing_findings):
        return list(failing)
    declared = report.declared_bump or Bump.NONE
    said = {change.id for change in failing}
    return [
        *failing,
        *(
            change
            for change in report.changes
            if change.verdict is Verdict.BREAKING
            and change.bump.rank > declared.rank
            and change.id not in report.accepted
            and change.id not in said
        ),
    ]


def _expected(report: Report, config: Config) -> dict[str, dict[str, str]]:
    """The families that are looked at, for each tool and for the surface as a whole; and why one was not, after all."""
    from mcp_governor.checking.reading import selection_of

    linted = [active.rule for active in selection_of(config).linted]
    packs = {rule.pack for rule in linted}
    compared = [CHANGES] if report.baseline is not None else []
    unseen, of_responses = _of_responses(report)
    out = {
        tool: {
            **dict.fromkeys([*packs, *compared], ""),
            # Where the same pack reads the surface, too, that much was looked at.
            **{family: unseen.get(tool, "") for family in of_responses - packs},
        }
        for tool in sorted(map(shown, report.tools))
    }
    for change in report.changes:
        # A tool that is gone has nothing but its changes.
        out.setdefault(shown(change.tool), {CHANGES: ""})
    on_paper = ["policy", *(["changelog"] if config.changelog else [])]
    whole = {rule.pack for rule in linted if rule.on not in _OF_TOOLS}
    out[SURFACE] = dict.fromkeys([*whole, *compared, *on_paper], "")
    return out


def _of_responses(report: Report) -> tuple[dict[str, str], set[str]]:
    """Why no response of a tool was seen, and the families that look at responses; none of a recording."""
    from mcp_governor.checking.response_coverage import RECORDING
    from mcp_governor.report.response_words import reason_words

    seen = report.calls
    if seen is None or any(part.why == RECORDING for part in seen.unseen):
        return {}, set()
    unseen = {shown(tool): reason_words(part) for part in seen.unseen for tool in part.tools}
    return unseen, {"call", *seen.contracts}


def shown(tool: str | None) -> str:
    """The name of a tool in ids: pytest prints those itself, so what applies to our lines applies to them."""
    return SURFACE if tool is None else printable(visible(tool))


_CAUSES = 7
"""Most warnings that are shown without ``-v``, one line each: as many as ``check`` shows."""


def summary_lines(report: Report, ids: Collection[str], *, full: bool, stale: bool) -> list[str]:
    """The lines of the section about a report, safe to print; none if no item about the server has run.

    What belongs to items that did not run (``ids``) is left out. ``full`` shows all warnings, with their fixes;
    ``stale`` shows what nobody uses."""
    if not any(one.startswith(f"{ROOT}::") for one in ids):
        return []
    shown_lines = [*_breaks(report, ids, full=full), *_warnings(report, ids, full=full, stale=stale)]
    lines = plain_text(shown_lines).splitlines()
    return [*lines, *map(printable, response_lines(report))]


def _breaks(report: Report, ids: Collection[str], *, full: bool) -> Iterator[Line]:
    """The breaks that fail nothing, because a release announces them or is still to come."""
    failing = {change.id for change in failing_changes(report)}
    found = [
        change
        for change in report.changes
        if change.verdict is not Verdict.COMPATIBLE
        and change.id not in failing
        and change.id not in report.accepted
        and f"{ROOT}::{shown(change.tool)}::{CHANGES}" in ids
    ]
    for change in found if full else found[:_CAUSES]:
        yield from change_lines(change, tool=shown(change.tool), indent=0)
    if len(found) > _CAUSES and not full:
        yield line(f"… and {count_of(len(found) - _CAUSES, 'more change')}; pytest -v lists them")
    if found and report.pending is not None:
        yield line(f"pending: {visible(pending_words(report))}")


def _warnings(report: Report, ids: Collection[str], *, full: bool, stale: bool) -> Iterator[Line]:
    failing = set(map(id, report.failing_findings))
    found = causes(
        finding
        for finding in report.findings
        if finding.accepted is None
        and id(finding) not in failing
        and finding.severity.value != "info"
        and f"{ROOT}::{shown(finding.tool)}::{family_of(finding.rule)}" in ids
        and (stale or finding.rule not in STALE)
    )
    kept = found if full else found[:_CAUSES]
    for cause in kept:
        yield from cause_lines(cause, report)
        if full:
            yield from fix_lines(cause.fix, 2)
    left = sum(len(cause.findings) for cause in found) - sum(len(cause.findings) for cause in kept)
    if left:
        yield line(f"… and {count_of(left, 'more warning')}; pytest -v lists them")
