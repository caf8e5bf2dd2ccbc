"""How people read a comparison: what breaks first, then what cannot be decided, then the rest."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcp_governor.findings import Verdict
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.checking.token_cost import TokenCost

GROUPS = ("breaking", "undecided", "compatible", "wording")
"""The groups of a comparison, in the order that people read them."""

GRAVE = GROUPS[:2]
"""The groups that fail a run, or may."""

MAX_SHOWN = 100
"""Changes of one group, and findings of one tool, that are written out for people. Nobody reads more in one sitting,
all of them are counted, and the JSON report lists them."""


def more_than_shown(count: int, noun: str) -> str:
    """What is shown in the place of ``count`` items that are not written out."""
    return f"… and {count:,} more {noun}{'' if count == 1 else 's'}; see --format json"


def group_of(change: Change) -> str:
    """Which of :data:`GROUPS` a change belongs to."""
    if change.verdict is Verdict.BREAKING:
        return "breaking"
    if change.verdict is Verdict.UNKNOWN:
        return "undecided"
    return "wording" if change.wording else "compatible"


def grouped(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    """The changes by group; empty groups are left out."""
    groups: dict[str, list[Change]] = {name: [] for name in GROUPS}
    for change in changes:
        groups[group_of(change)].append(change)
    return [
        (name, sorted(items, key=lambda c: (c.tool is None, c.tool or "", c.path, c.kind)))
        for name, items in groups.items()
        if items
    ]


def counted_changes(changes: Sequence[Change]) -> str:
    """``no changes``, ``1 breaking change`` or ``3 changes: 1 breaking, 2 compatible``."""
    counts = [(len(items), name) for name, items in grouped(changes)]
    if len(counts) > 1:
        listed = ", ".join(f"{count} {name}" for count, name in counts)
        return f"{count_of(len(changes), 'change')}: {listed}"
    return count_of(counts[0][0], f"{counts[0][1]} change") if counts else "no changes"


def counted_of(report: Report) -> str:
    """:func:`counted_changes` of a report; one that looked for breaks only says that it found none of those."""
    if report.only is not None and not report.changes:
        return f"no {report.only} changes"
    return counted_changes(report.changes)


def counted_findings(counts: dict[str, int]) -> str:
    """``no findings``, ``1 error`` or ``2 errors, 1 warning``; ``counts`` is the ``findings`` of a summary."""
    nouns = {"error": "error", "warning": "warning", "info": "remark"}
    return ", ".join(count_of(counts[key], noun) for key, noun in nouns.items() if counts[key]) or "no findings"


def counted_old(report: Report) -> str:
    """What ``--new-only`` left out; empty if it left out nothing."""
    return f"{count_of(report.old_findings, 'finding')} as in the baseline, not shown" if report.old_findings else ""


def ready_fixes(report: Report) -> str:
    """How many findings a reader can repair at once at most, and with which option; empty if none.

    The option omits fixes that would break a default or bring another finding. To know which costs several runs of the
    linter, so this only gives the upper limit.
    """
    ready = sum(finding.correction is not None and finding.accepted is None for finding in report.findings)
    return f"fixes for up to {ready:,}: mcp-governor lint --diff" if ready else ""


def counts_in(report: Report) -> list[str]:
    """The counts of a report, in the order in which they are said."""
    parts = [counted_of(report)] if report.baseline is not None or report.changes else []
    # A comparison alone looks for no findings, so it does not say that it found none.
    if report.findings or report.baseline is None or not report.breaking_fails:
        parts.append(counted_findings(report.summary["findings"]))
    return [*parts, *filter(None, (ready_fixes(report), counted_old(report)))]


def count_of(number: int, noun: str, plural: str = "") -> str:
    """``1 tool``, ``2 tools``; ``plural`` if it is not the noun with an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


_MAX_FORCING = 3
"""Kinds of changes that a required bump names: with their tools, one line of a terminal."""


def step_of(report: Report) -> tuple[str, str, str]:
    """The version step in three parts: what it is, the step, and what forces it and how far the declared one is."""
    because = f" ({why})" if (why := _forced_by(report)) else ""
    if report.stage is not None and report.stage.between:
        return "pending", visible(pending_words(report)), because
    required, declared = report.required_bump, report.declared_bump
    if report.declared_versions is None:
        return "required bump", required.value, because
    if declared is None:
        unknown = "unknown, as the versions of the two targets come from different sources"
        return "required bump", required.value, f"{because}; declared: {unknown}"
    old, new = (visible(version) for version in report.declared_versions)
    rest = f"{because}; declared: {declared.value} ({old} → {new})"
    if 0 < declared.rank < required.rank:
        from mcp_governor.versions import next_version

        rest += f", which is too small: it takes {visible(next_version(old, required))}"
    return "required bump", required.value, rest


def pending_words(report: Report) -> str:
    """What waits for the next release: ``minor, release as 1.3.0``; the version is as the server spells it."""
    return str(report.pending) if report.pending is not None else "nothing"


def _forced_by(report: Report) -> str:
    """What forces the required bump, by kind: ``bound-tightened in 36 tools, tool-removed in list_rooms``.

    Where a version before 1.0.0 makes the step smaller than the changes ask for, the words say so.
    """
    forced = frozenset(report.forcing)
    forcing = [change for change in report.changes if change.id in forced]
    tools: dict[str, dict[str, None]] = {}
    for change in forcing:
        tools.setdefault(change.kind, {}).update({change.tool: None} if change.tool else {})
    shown = [
        f"{kind} in {visible(next(iter(names))) if len(names) == 1 else f'{len(names):,} tools'}" if names else kind
        for kind, names in list(tools.items())[:_MAX_FORCING]
    ]
    more = f" and {count_of(len(tools) - _MAX_FORCING, 'more kind')}" if len(tools) > _MAX_FORCING else ""
    early = any(change.bump.rank > report.required_bump.rank for change in forcing)
    rule = f"; before 1.0.0 a {report.required_bump.value} step may break" if early else ""
    return f"{', '.join(shown)}{more}{rule}"


ONLY_BREAKING = "only breaking changes were checked: no version, no changelog, no rules"
"""Phrases for runs that looked for breaking changes only."""


def judged_words(report: Report) -> str:
    """That a run was judged as a release, where others of its configuration are not; else empty."""
    stage = report.stage
    if stage is None or stage.between or stage.gate != "release":
        return ""
    return f"judged as release {visible(stage.tag)}" if stage.tag else "judged as a release"


_WAITS = "waiting for approval (the label in CI, or --approval given)"


def urgent_changes(report: Report) -> frozenset[str]:
    """Ids of the changes that fail the run, or require a step that a policy finds missing."""
    unmet = any(finding.rule.startswith("policy/") for finding in report.failing_findings)
    return frozenset(change.id for change in report.failing_changes) | frozenset(report.forcing if unmet else ())


def accounted_for(report: Report) -> frozenset[str]:
    """Ids of the changes that break, or may, and that a release has accounted for: to its readers they are notes."""
    if not judged_words(report):
        return frozenset()
    grave = {change.id for change in report.changes if change.verdict is not Verdict.COMPATIBLE}
    return frozenset(grave - urgent_changes(report))


def base_words(report: Report) -> str:
    """What the pull request changes, and if its breaks need approval; empty without a base branch."""
    base = report.base
    if base is None:
        return ""
    if not base.new:
        return f"nothing new since {base.ref}" + (f": {_WAITS}" if base.asks else "")
    said = f"new since {base.ref}: {count_of(len(base.new), 'change')}"
    if not base.breaks:
        return f"{said}, none of them breaks clients"
    breaks = f"{len(base.breaks):,} of them {'breaks' if len(base.breaks) == 1 else 'break'} clients"
    if base.asks:
        return f"{said}, {breaks}: {_WAITS}"
    return f"{said}, {breaks}{': approved' if base.approval and base.approved else ''}"


def advice_of(report: Report) -> Iterator[tuple[str, str]]:
    """The next step, of a comparison that failed and for findings that have it in common: a sentence, and the command
    that it ends in."""
    compared = report.drafts and report.baseline is not None and report.only is None
    if compared and report.failing_changes and report.required_bump.rank:
        declared = report.declared_bump
        then = "list the changes for clients with"
        if declared is None or declared.rank < report.required_bump.rank:
            from mcp_governor.versions import next_version

            old = report.declared_versions[0] if report.declared_versions is not None else ""
            then = f"release it as {visible(next_version(old, report.required_bump))}, and {then}"
        yield f"next: {then}", "mcp-governor changelog draft"
    rules = Counter(finding.rule for finding in report.findings if finding.accepted is None)
    missing = rules["changelog/missing-entry"] + rules["changelog/missing-wording-entry"]
    if not rules["changelog/missing-entry"]:
        return  # new words alone are a remark
    what = "1 change is not in the changelog; write its entry with"
    if missing > 1:
        what = f"{missing:,} changes are not in the changelog; write the entries with"
    yield what, "mcp-governor changelog draft"


def reproduction_of(report: Report) -> str:
    """The command that repeats the run; empty if it is not known, or if the report has nothing to repeat it for."""
    grave = any(change.verdict is not Verdict.COMPATIBLE for change in report.changes)
    return report.reproduce if grave or report.findings or report.verdict == "fail" else ""


def cost_words(tokens: TokenCost) -> str:
    """``about 4,120 tokens for 12 tools (+240)``."""
    return f"about {tokens.total:,} tokens for {count_of(len(tokens.tools), 'tool')}{growth_words(tokens.growth)}"


def growth_words(growth: int | None) -> str:
    """`` (+240)``; empty if nothing grew or there is no baseline."""
    return f" ({growth:+,})" if growth else ""


_MAX_REASONS = 5
"""Rules that a verdict names: one line of a terminal."""


def failed_words(report: Report) -> str:
    """What failed the run: the kinds of changes and the rules, with their numbers; empty if it passed."""
    if report.nothing_checked:
        return visible(report.nothing_checked)
    reasons = Counter(change.kind for change in report.failing_changes)
    reasons.update(finding.rule for finding in report.failing_findings)
    shown = [f"{name} × {count:,}" if count > 1 else name for name, count in list(reasons.items())[:_MAX_REASONS]]
    return ", ".join(shown) + (f" and {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else "")


def witness_words(change: Change) -> str:
    """What the witness of a change shows."""
    if change.meaning.of_calls:
        return "the two results"
    return "valid before, invalid now" if change.side.value == "input" else "possible now, never before"
