"""Report → text: breaks, then errors, then warnings, one line for each cause; what failed the run comes last."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mcp_governor.checking.model import MAX_LISTED
from mcp_governor.findings import Severity, Verdict
from mcp_governor.report.finding_groups import causes
from mcp_governor.report.groups import (
    MAX_SHOWN,
    ONLY_BREAKING,
    accounted_for,
    advice_of,
    base_words,
    cost_words,
    count_of,
    counted_changes,
    counts_in,
    failed_words,
    growth_words,
    judged_words,
    more_than_shown,
    reproduction_of,
    step_of,
    witness_words,
)
from mcp_governor.report.lines import BLANK, Line, Span, line
from mcp_governor.text import one_line, sentence, short_digests, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.checking.against.stale_recording import Staleness
    from mcp_governor.checking.model import Place, Report
    from mcp_governor.checking.token_cost import TokenCost
    from mcp_governor.findings import Finding
    from mcp_governor.report.change_causes import ChangeCause
    from mcp_governor.report.finding_groups import Cause
    from mcp_governor.report.word_diff import Piece

SERVER = "(server)"
"""Stands for the name of a tool where something is about the server itself."""

_CHANGE_MARK = {
    Verdict.BREAKING: ("✗", "bold red"),
    Verdict.UNKNOWN: ("?", "bold magenta"),
    Verdict.COMPATIBLE: ("+", "green"),
}
_FINDING_MARK = {
    Severity.ERROR: ("✗", "bold red"),
    Severity.WARNING: ("!", "yellow"),
    Severity.INFO: ("i", "cyan"),
}
_CAUSES_WITH_FIX = 4
"""Up to as many warnings have their fix below them: with head, counts and verdict they fill half a screen."""
_MAX_COMPATIBLE = 10
"""Most compatible changes that are written out; the others are not urgent."""
_WITNESS_LIMIT = 400
"""Characters of a witness: four or five lines of a terminal. A longer one is cut, and its length shown."""


def report_lines(report: Report, *, verbose: int = 0) -> Iterator[Line]:
    """The whole report, findings by cause. ``verbose`` below 0: only what breaks, and errors; above 0: all."""
    yield from _head(report)
    yield from _body(report, verbose)
    yield from closing_lines(report)


def _head(report: Report) -> Iterator[Line]:
    server = report.server
    if server is not None:
        # The version that counts, which schema-version or a registry may state instead of the server.
        version = report.declared_versions[1] if report.declared_versions is not None else server.version
        named = " ".join(visible(part) for part in (server.name, version) if part) or "unnamed server"
        reported = f" (reports {visible(server.version)})" if server.version and server.version != version else ""
        protocol = f", protocol {visible(server.protocol)}" if server.protocol else ""
        counted = ", ".join(count_of(count, name.removesuffix("s")) for name, count in report.counts.items() if count)
        counts = f": {counted}" if counted else ""
        yield line((named, "bold"), f"{reported} from {report.target}{protocol}{counts}", hang=2)
    if report.baseline is not None:
        version = f" ({visible(report.baseline.version)})" if report.baseline.version else ""
        yield line(f"compared with {report.baseline.source}{version}")
    if judged := judged_words(report):
        yield line(judged)
    if based := base_words(report):
        yield line(based)


def _body(report: Report, verbose: int) -> Iterator[Line]:
    """Breaking changes, the other changes, errors, warnings, remarks."""
    shown = sorted((change for change in report.changes if verbose > 0 or not change.wording), key=_change_order)
    if verbose > 0:
        yield from _everything(report, shown, verbose)
        return
    if verbose < 0:
        shown = [change for change in shown if change.verdict is not Verdict.COMPATIBLE]
    lines = list(_short_changes(report, shown))
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    lines += _short_findings(report, causes(open_findings), quiet=verbose < 0)
    quiet = sum(change.wording for change in report.changes)
    if quiet and verbose == 0:
        lines.append(line((f"{count_of(quiet, 'change')} of wording only, shown with -v", "dim")))
    if lines:
        yield BLANK
        yield from lines


def _short_changes(report: Report, changes: Sequence[Change]) -> Iterator[Line]:
    """Breaking and undecided changes with their proof, compatible ones in one line each."""
    compatible = [change for change in changes if change.verdict is Verdict.COMPATIBLE]
    grave = changes[: len(changes) - len(compatible)]
    noted = accounted_for(report)
    for change in grave[:MAX_SHOWN]:
        yield from change_lines(
            change,
            report.accepted.get(change.id),
            tool=subject_of(change.tool),
            place=report.places.get(change.id),
            indent=0,
            noted=change.id in noted,
        )
    yield from _more(len(grave), "change")
    for change in compatible[:_MAX_COMPATIBLE]:
        yield _change_line(change)
    left = len(compatible) - _MAX_COMPATIBLE
    if left > 0:
        yield line((f"… and {count_of(left, 'more compatible change')}; -v lists them", "dim"))


def _change_line(change: Change) -> Line:
    mark, style = _CHANGE_MARK[change.verdict]
    said, subject = sentence(change.message), subject_of(change.tool)
    named = f"`{subject}`" in said or change.tool is None
    return line((mark, style), " ", said if named else f"{subject}: {said}", "  ", (change.kind, "dim"), hang=2)


def stale_lines(stale: Staleness, *, quiet: bool = False) -> Iterator[Line]:
    """Why a recorded file is stale, in few lines: one for each change, those that break first."""
    counts = f" ({counted_changes(stale.changes)})" if stale.changes else ""
    yield line(f"{stale.reason}{counts}.", hang=2)
    if quiet:
        return
    changes = sorted(stale.changes, key=lambda change: (change.wording, _change_order(change)))
    for change in changes[:_MAX_COMPATIBLE]:
        yield _change_line(change)
    left = len(changes) - _MAX_COMPATIBLE
    if left > 0:
        yield line((f"… and {count_of(left, 'more change')}", "dim"))


def _short_findings(report: Report, found: Sequence[Cause], *, quiet: bool) -> Iterator[Line]:
    """One line for a cause; errors with their fix, warnings if they are few. Remarks are counted."""
    errors = [cause for cause in found if cause.severity is Severity.ERROR]
    warnings = [] if quiet else [cause for cause in found if cause.severity is Severity.WARNING]
    for cause in errors[:MAX_SHOWN]:
        yield from cause_lines(cause, report)
        yield from fix_lines(cause.fix, 2)
    yield from _more(len(errors), "cause")
    with_fix = len(warnings) <= _CAUSES_WITH_FIX
    for cause in warnings[:MAX_SHOWN]:
        yield from cause_lines(cause, report)
        if with_fix:
            yield from fix_lines(cause.fix, 2)
    yield from _more(len(warnings), "cause")
    remarks = sum(len(cause.findings) for cause in found if cause.severity is Severity.INFO)
    if remarks and not quiet:
        yield line((f"{count_of(remarks, 'remark')}, shown with -v", "dim"))


def cause_lines(cause: Cause, report: Report) -> Iterator[Line]:
    """One line with the message, the place and the rule."""
    mark, style = _FINDING_MARK[cause.severity]
    first = cause.findings[0]
    where = file = ""
    if len(cause.findings) == 1:
        place = report.places.get(first.id)
        if place is not None and place.frame:
            where, file = f"{place.file}:{place.line}:{place.column}", f"file:{place.file}"
        elif first.path and not first.path.startswith("/"):
            where = visible(first.path)
            file = f"file:{re.sub(r':[0-9]+$', '', where)}"
    text = cause.sentence
    tool = visible(first.tool) if first.tool is not None else ""
    if tool not in text:  # the messages of some rules leave the name to the place, which has no room here
        text = f"{tool}: {text}"
    said = ((mark, style), " ", text, "  ", _rule_span(cause.rule, style))
    yield line(*said, "  " if where else "", Span(where, "cyan", link=file), hang=2)


def _rule_span(rule: str, style: str) -> Span:
    return Span(rule, style, link=f"rule:{rule}")


def _place_span(place: Place) -> Span:
    return Span(f"{place.file}:{place.line}:{place.column}", "dim", link=f"file:{place.file}")


def _everything(report: Report, changes: Sequence[Change], verbose: int) -> Iterator[Line]:
    """Each change and each finding with all that is known of it."""
    noted = accounted_for(report)
    for change in changes[:MAX_LISTED]:
        yield BLANK
        reason, place = report.accepted.get(change.id), report.places.get(change.id)
        subject, note = subject_of(change.tool), change.id in noted
        yield from change_lines(change, reason, verbose, tool=subject, place=place, indent=0, noted=note)
    yield from _more(len(changes), "change", MAX_LISTED)
    findings = sorted(report.findings, key=_finding_order)
    for finding in findings[:MAX_LISTED]:
        yield BLANK
        place = report.places.get(finding.id)
        subject = subject_of(finding.tool) if finding.tool is not None or finding.path.startswith("/") else ""
        yield from finding_lines(finding, verbose, place, tool=subject, indent=0)
    yield from _more(len(findings), "finding", MAX_LISTED)
    if report.tokens is not None:
        yield BLANK
        yield from cost_lines(report.tokens)


def cost_lines(tokens: TokenCost) -> Iterator[Line]:
    """What the tools cost a model, in sum and the dearest one by one, with the difference against the baseline."""
    yield line((cost_words(tokens), "bold"))
    for name in tokens.dearest(MAX_SHOWN):
        yield line(
            f"{tokens.tools[name]:>7,}  {visible(name)}", (growth_words(tokens.growth_of(name)), "dim"), indent=2
        )
    yield from _more(len(tokens.tools), "tool")


def _finding_order(finding: Finding) -> tuple[bool, int, str, str, str]:
    return (finding.accepted is not None, -finding.severity.rank, finding.tool or "", finding.rule, finding.path)


def subject_of(tool: str | None) -> str:
    """What a change or a finding is about: a tool, or the server itself."""
    return visible(tool) if tool is not None else SERVER


def _more(count: int, noun: str, most: int = MAX_SHOWN) -> list[Line]:
    return [line((more_than_shown(count - most, noun), "dim"))] if count > most else []


def _change_order(change: Change) -> tuple[int, str, str, str]:
    order = (Verdict.BREAKING, Verdict.UNKNOWN, Verdict.COMPATIBLE)
    return (order.index(change.verdict), change.tool or "", change.path, change.kind)


def change_lines(
    change: Change,
    accepted: str | None = None,
    verbose: int = 0,
    *,
    tool: str = "",
    place: Place | None = None,
    indent: int = 2,
    noted: bool = False,
) -> Iterator[Line]:
    """One change: kind and place, the reason, the proof.

    ``tool`` names it where no heading does. ``noted`` is for one that the release accounts for.
    """
    from mcp_governor.report.change_causes import words_of

    mark, style = _FINDING_MARK[Severity.INFO] if noted else _CHANGE_MARK[change.verdict]
    note = f"  accepted: {one_line(accepted)}" if accepted is not None else ""
    where = (f"{tool} {visible(change.path)}".strip(), "cyan")
    yield line((mark, style), " ", (change.kind, style), "  ", where, (note, "dim"), indent=indent, hang=2)
    yield line(sentence(change.message), indent=indent + 4)
    if place is not None:
        yield line(_place_span(place), indent=indent + 4)
    if change.has_witness:
        yield line((f"{witness_words(change)}: ", "dim"), compact_json(change.witness), indent=indent + 4)
    if words := word_spans(words_of(change)):
        yield line(*words, indent=indent + 4)
    if verbose:
        yield line((f"id: {visible(change.id)}", "dim"), indent=indent + 4, fit="whole")


def grave_lines(cause: ChangeCause, accepted: str | None) -> Iterator[Line]:
    """Several changes that are one break: kinds, the sentence with the other places, one proof."""
    mark, style = _CHANGE_MARK[cause.first.verdict]
    tools = {change.tool for change in cause.changes}
    where = subject_of(cause.first.tool) if len(tools) == 1 else count_of(len(tools), "tool")
    note = f"  accepted: {one_line(accepted)}" if accepted is not None else ""
    yield line((mark, style), " ", (cause.kinds, style), "  ", (where, "cyan"), (note, "dim"), indent=2, hang=2)
    lead = f"{cause.subject}: " if cause.subject and len(tools) > 1 else ""
    yield line(f"{lead}{cause.sentence}", indent=6)
    if (proven := cause.witness) is not None:
        yield line((f"{witness_words(proven)}: ", "dim"), compact_json(proven.witness), indent=6)


def quiet_lines(cause: ChangeCause, accepted: str | None) -> Iterator[Line]:
    """A cause in one line, and the words that changed."""
    mark, style = _CHANGE_MARK[cause.first.verdict]
    lead = f"{cause.subject}: " if cause.subject else ""
    note = f"  accepted: {one_line(accepted)}" if accepted is not None else ""
    yield line((mark, style), " ", f"{lead}{cause.sentence}", "  ", (f"{cause.kinds}{note}", "dim"), indent=2, hang=2)
    if words := word_spans(cause.words):
        yield line(*words, indent=6)


def word_spans(pieces: Sequence[Piece]) -> list[Span]:
    """The words that changed, marked for readers without color as well."""
    from mcp_governor.report.word_diff import plain_words

    styles = {"same": "dim", "gone": "red", "new": "green"}
    spans = [(Span(plain_words([piece]), styles[piece[0]]), Span(" ")) for piece in pieces]
    return [span for pair in spans for span in pair][:-1]


def compact_json(value: object) -> str:
    """The shortest JSON of a value, safe to show, and cut if it is very long."""
    text = visible(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
    return text if len(text) <= _WITNESS_LIMIT else f"{text[:_WITNESS_LIMIT]}… ({len(text)} characters)"


def finding_lines(
    finding: Finding, verbose: int = 0, place: Place | None = None, *, tool: str = "", indent: int = 2
) -> Iterator[Line]:
    """One finding: rule and place, the reason, the fix; the lines of the file where it was read from one.

    ``tool`` names it where no heading does.
    """
    mark, style = ("·", "dim") if finding.accepted is not None else _FINDING_MARK[finding.severity]
    note = f"  accepted: {one_line(finding.accepted)}" if finding.accepted is not None else ""
    where = f"{tool} {visible(finding.path)}".strip()
    yield line(
        (mark, style), " ", _rule_span(finding.rule, style), "  ", (where, "cyan"), (note, "dim"), indent=indent, hang=2
    )
    yield line(short_digests(visible(finding.message)), indent=indent + 4)
    if place is not None:
        yield line(_place_span(place), indent=indent + 4)
        yield from (line((text, "dim"), indent=indent + 4, fit="cut") for text in place.frame.splitlines())
    yield from fix_lines(finding.fix, indent + 4)
    if verbose and len(finding.spots) > 1:
        yield from _spot_lines(finding, indent + 4)
    if verbose:
        yield line((f"id: {visible(finding.id)}", "dim"), indent=indent + 4, fit="whole")


def _spot_lines(finding: Finding, indent: int) -> Iterator[Line]:
    """The places of a finding about the whole server, by tool."""
    of_tool: dict[str | None, list[str]] = {}
    for spot in finding.spots:
        of_tool.setdefault(spot.tool, []).append(visible(spot.path))
    for tool, paths in list(of_tool.items())[:MAX_SHOWN]:
        yield line(("at: ", "dim"), f"{subject_of(tool)} {', '.join(paths)}", indent=indent, hang=4)
    yield from _more(len(of_tool), "tool")


def fix_lines(fix: str, indent: int) -> Iterator[Line]:
    if fix:
        first, *rest = fix.split("\n")
        yield line(("fix: ", "dim"), visible(first), indent=indent, hang=5)
        yield from (line(visible(more), indent=indent + 5) for more in rest)


def closing_lines(report: Report) -> Iterator[Line]:
    """What was counted, the bumps, and the verdict."""
    summary = report.summary
    parts = counts_in(report)
    if summary["accepted"]:
        parts.append(f"{summary['accepted']} accepted")
    yield BLANK
    yield line("; ".join(parts), hang=2)
    if report.only is not None:
        yield line(ONLY_BREAKING)
    elif report.baseline is not None:
        label, step, rest = step_of(report)
        yield line(f"{label}: ", (step, "bold"), rest, hang=2)
    yield from (
        line(f"{advice}: ", Span(command, "bold", unbroken=True), hang=2) for advice, command in advice_of(report)
    )
    if report.good_calls is not None and report.good_calls.tools:
        yield line(str(report.good_calls))
    seen = ""
    if report.calls is not None:
        from mcp_governor.report.response_words import seen_words, unseen_words

        yield from (line(f"{label}: {words}", hang=2) for label, words in unseen_words(report))
        seen = seen_words(report)
    passed = report.verdict == "pass"
    if why := failed_words(report):
        yield line(("failed by: ", "bold"), why, hang=2)
    yield line(("PASS" if passed else "FAIL", "bold green" if passed else "bold red"), f" ({seen})" if seen else "")


def reproduction_lines(report: Report) -> Iterator[Line]:
    """The command that repeats a run, for a reader who did not type it."""
    if command := reproduction_of(report):
        yield line(("reproduce: ", "bold"), command, fit="whole")
