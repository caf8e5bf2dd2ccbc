"""The main job: run the stations over one target and return a report."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.against.baseline import baseline_of, lost_release, named_baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.against.configuration import as_strict_as_before, check_governed, lost_changelog
from mcp_governor.checking.against.last_release import stage_of
from mcp_governor.checking.calling import read_and_call
from mcp_governor.checking.decisions import decide
from mcp_governor.checking.model import Asked, Emit, Report, ServerInfo, silent
from mcp_governor.checking.places import with_places
from mcp_governor.checking.reading import (
    counts_of,
    definitions_of,
    fail_on,
    read_governed,
    refuse_empty,
    selection_of,
    trusting,
)
from mcp_governor.checking.response_coverage import RECORDING, seen_of, unseen_findings
from mcp_governor.checking.token_cost import growth_findings, token_cost
from mcp_governor.config import Config, load_config
from mcp_governor.rule_names import note
from mcp_governor.surface import Surface, fingerprint
from mcp_governor.target import LiveSource, recorded_source, resolve
from mcp_governor.target.git_door import one_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.call.cases import CallReport
    from mcp_governor.change import Change
    from mcp_governor.checking.against.base_branch import Base
    from mcp_governor.checking.against.baseline import Baseline
    from mcp_governor.checking.release import ReleaseResult
    from mcp_governor.checking.response_coverage import Seen
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.target import Source


class Checked(Struct, frozen=True):
    """A report, the surface that it is about, and what that was compared with, if there was something."""

    report: Report
    surface: Surface
    baseline: Baseline | None


def check(
    target: Config | Surface | str | Path | None = None,
    *,
    config: Config | None = None,
    against: str | None = None,
    command: Sequence[str] = (),
    emit: Emit = silent,
    today: date | None = None,
    places: bool = False,
    release: bool = False,
    calls: bool = True,
    only_breaking: bool = False,
    offline: bool = False,
) -> Report:
    """Run everything that the configuration asks for on one target, with one verdict.

    Args:
        target: a configuration (its target is governed), a TARGET string or path, or a surface that was already read;
            ``None`` for the configured target.
        config: used if ``target`` is not a configuration; by default the nearest file in the folder and its parents.
        against, command, emit, places, release, calls, only_breaking, offline: as for
            :class:`~mcp_governor.checking.model.Asked`.
        today: the date at which acceptances are evaluated; defaults to the current date.

    Raises:
        GovernorError: the run failed; its ``exit_code`` says how.
    """
    if isinstance(target, Config):
        target, config = None, target
    surface = target if isinstance(target, Surface) else None
    asked = Asked(
        target=None if target is None or surface is not None else str(target),
        surface=surface,
        command=tuple(command),
        against=against,
        offline=offline,
        release=release,
        only_breaking=only_breaking,
        calls=calls,
        places=places,
        emit=emit,
        today=today or date.today(),
    )
    return checked(asked, config if config is not None else load_config()).report


def check_as_asked(asked: Asked, config: Config) -> Report:
    """:func:`check`; for a pull request, as its base branch configures it."""
    if not asked.base:
        return checked(asked, config).report
    from mcp_governor.checking.against.pull_request import check_gated

    return check_gated(config, asked, lambda config, base: checked(asked, config, base).report)


@one_look()
def checked(asked: Asked, config: Config, base: Base | None = None) -> Checked:
    """:func:`check`, with the surface that was read and the one that it was compared with.

    With a ``base``, it is the check of a pull request; a surface that was already read is not compared with that.
    """
    if base is not None:
        asked = base.asked(asked, config)
    source = _source(asked, config)
    if source is not None:
        config = trusting(config, source)
    # What is wrong with the baseline or the selection is said before a server is started.
    if source is not None and not asked.offline and (asked.against or config.baseline):
        named_baseline(config, asked.against, source=source)
    selected = None if asked.only_breaking else selection_of(config)
    measured, called, seen = None, None, None
    if source is None:
        assert asked.surface is not None
        surface = asked.surface
        if selected is not None and asked.calls:
            seen = seen_of(surface, config, selected, None, RECORDING)
    else:
        if config.load.check and selected is not None and not asked.offline:
            from mcp_governor.checking.loading import measured_findings

            measured = measured_findings(source, config, selected, asked.emit)
        surface, called, seen = read_and_call(source, config, selected if asked.calls else None, asked.emit)
    compared = _compared(asked, surface, config, source, base)
    if selected is None:
        from mcp_governor.checking.diff import check_breaks

        report = check_breaks(compared)
    else:
        report = check_surface(
            compared, selection=selected, called=called, seen=seen, measured=measured, emit=asked.emit
        )
        report = _or_stale(report, asked, source, compared)
        if not report.failing_findings:
            _note_older_record(source, compared)
    if base is not None:
        from mcp_governor.checking.against.base_branch import with_base

        report = with_base(report, base, compared)
    if asked.places and source is not None and called is None:
        report = with_places(report, surface, source)
    return Checked(report, surface, compared.baseline)


@one_look()
def check_changelog(asked: Asked, config: Config) -> Report:
    """The part of :func:`check` about the changelog; only recordings have places."""
    source = _source(asked, config)
    assert source is not None
    compared = _compared(asked, read_governed(source, config), config, source)
    report = _or_stale(changelog_report(compared), asked, source, compared)
    return with_places(report, compared.surface, source) if asked.places else report


def _source(asked: Asked, config: Config) -> Source | None:
    """Where the surface is read; ``None`` if that was done."""
    if asked.surface is not None:
        return None
    if asked.offline:
        return recorded_source(config, asked.target, base=Path.cwd())
    return resolve(asked.target, config, command=asked.command)


def _compared(
    asked: Asked,
    surface: Surface,
    config: Config,
    source: Source | None,
    base: Base | None = None,
) -> Comparison:
    stage = stage_of(config, surface, release=asked.release)
    # For a pull request, the changelog of the base states the last release.
    changelog = base.changelog if base is not None else None
    baseline = baseline_of(
        surface, config, asked.against, source=source, stage=stage, changelog=changelog, offline=asked.offline
    )
    return Comparison(surface, config, baseline, stage, today=asked.today)


def _note_older_record(source: Source | None, compared: Comparison) -> None:
    """Say that the surface was not recorded: as long as it is not, each later pull request shows this one's changes."""
    if compared.stage.at_release:
        return
    if not (isinstance(source, LiveSource) and source.configured):
        return
    from mcp_governor.checking.against.stale_recording import older_record

    if older := older_record(compared.surface, compared.config):
        note(f"{older} is older than this surface. Record it with the change: mcp-governor snapshot")


def _or_stale(report: Report, asked: Asked, source: Source | None, compared: Comparison) -> Report:
    """The report, or one that says only that the recording was not updated, if that is why it fails offline."""
    if not asked.offline:
        return report
    from mcp_governor.checking.against.stale_recording import stale_record
    from mcp_governor.checking.release import ReleaseResult

    found = stale_record(report, source, compared)
    if found is None:
        return report
    alone = _Run(compared, selection_of(compared.config)).report([], ReleaseResult(), [found], stations=("policy",))
    # If the configuration ignores this finding, no other one replaces it.
    return replace(report, findings=alone.findings) if alone.verdict == "fail" else report


def check_surface(
    compared: Comparison,
    *,
    selection: Selection | None = None,
    called: CallReport | None = None,
    seen: Seen | None = None,
    measured: list[Finding] | None = None,
    emit: Emit = silent,
) -> Report:
    """:func:`check` for a surface and a baseline that are already read, and calls that are already made.

    Args:
        compared: the two, and what decides.
        selection: the rules that run; defaults to those of the configuration.
        called: the results of the calls.
        seen: the tools of which responses were checked; ``None`` for no statement.
        measured: findings about budgets of the list; ``None`` if nothing was measured.
        emit: receives the events of the run.
    """
    config, before = compared.config, compared.before
    refuse_empty(compared.surface)
    run = _Run(compared, selection or selection_of(config))
    if compared.baseline is not None:
        emit("compare", "")
    changes = compared.changes
    emit("policy", "")
    release = run.judge_release()
    found = [*lost_release(compared.baseline, config), *(check_governed(before, config) if before is not None else ())]
    emit("lint", "")
    found += [*run.lint(), *unseen_findings(seen), *(measured or ())]
    stations = _ON_PAPER if measured is None else (*_ON_PAPER, "load")
    if called is None:
        return replace(run.report(changes, release, found, stations=stations), calls=seen)
    run.counts["calls"] = len(called.results)
    changes, found = [*changes, *called.changes], [*found, *called.findings]
    report = run.report(changes, release, found, stations=(*stations, "call"))
    outright = frozenset(change.id for change in called.changes)
    return replace(report, outright=outright, good_calls=called.good_calls, calls=seen)


def changelog_report(compared: Comparison) -> Report:
    """The part of :func:`check_surface` about the changelog."""
    from mcp_governor.rules.finding import station_of

    refuse_empty(compared.surface)
    run = _Run(compared, selection_of(compared.config))
    release = run.judge_release()
    found = [finding for finding in release.findings if station_of(finding.rule) == "changelog"]
    return run.report(compared.changes, replace(release, findings=tuple(found)), [], stations=("changelog",))


_ON_PAPER = ("policy", "changelog", "lint", "change")
"""The stations that need no server."""


@dataclass(eq=False)
class _Run:
    """One run over surfaces that are already read, with what its stations counted."""

    compared: Comparison
    selection: Selection
    counts: dict[str, int] = field(default_factory=dict)

    def judge_release(self) -> ReleaseResult:
        from mcp_governor.checking.release import check_release

        compared = self.compared
        before = compared.before if compared.changelog is None else None
        if before is not None and lost_changelog(before, compared.config):
            # check_governed() reports this; everything else is checked as usual.
            return check_release(replace(compared, config=replace(compared.config, changelog="")))
        return check_release(compared, runs=lambda rule: self.selection.get(rule) is not None)

    def lint(self) -> list[Finding]:
        from mcp_governor.rules.run import run_rules

        selection, surface, old = self.selection, self.compared.surface, self.compared.old
        self.counts["rules"] = len(selection.linted)
        found = run_rules(surface, selection)
        if old is not None and selection.get("envelope/version-step") is not None:
            from mcp_governor.call.validate import charter_step_findings

            found += charter_step_findings(old, surface, selection)
        if old is not None:
            found += growth_findings(surface, old, selection)
        return found

    def _without_old_lint(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Omit findings of the linter that the baseline has as well, if the run asks for that.

        This comes after all decisions: a suppression that only an old finding needs is not stale.
        """
        old_surface = self.compared.old
        if not self.compared.config.lint_new_only or old_surface is None:
            return findings
        from mcp_governor.rules.run import new_findings

        active = {finding.rule: self.selection.get(finding.rule) for finding in findings}
        linted = {name for name, rule in active.items() if rule is not None and rule.rule.station == "lint"}
        old = [finding for finding in findings if finding.rule in linted]
        kept = {id(finding) for finding in new_findings(old, old_surface, self.selection)}
        return tuple(finding for finding in findings if finding.rule not in linted or id(finding) in kept)

    def report(
        self, changes: list[Change], release: ReleaseResult, found: list[Finding], *, stations: Sequence[str]
    ) -> Report:
        compared = self.compared
        surface, config, baseline, old = compared.surface, compared.config, compared.baseline, compared.old
        before = None
        if config.accept:
            from mcp_governor.policy.acceptance import AcceptedBefore

            ref = compared.before.ref if compared.before is not None else ""
            before = AcceptedBefore(release.old_version, compared.accepted_before, ref)
        decided = decide(
            [*release.findings, *found],
            changes,
            config,
            compared.today,
            surface=surface,
            selection=self.selection,
            stations=stations,
            complete="lint" in stations,
            before=before,
        )
        findings = self._without_old_lint(decided.findings)
        return Report(
            target=surface.source,
            server=ServerInfo.of(surface),
            fingerprint=fingerprint(surface),
            baseline=baseline.described(release.versions[0] if release.versions else None) if baseline else None,
            required_bump=release.required_bump,
            declared_bump=release.declared_bump,
            declared_versions=release.versions,
            forcing=release.forcing,
            stage=compared.stage,
            pending=release.pending,
            changes=tuple(changes),
            findings=findings,
            old_findings=len(decided.findings) - len(findings),
            accepted=dict(decided.changes),
            counts={**counts_of(surface), **self.counts},
            tools=tuple(tool.name for tool in surface.tools),
            tiers={tool.name: tool.tier.value for tool in surface.tools},
            definitions=definitions_of(surface, old, changes),
            tokens=token_cost(surface, old, changes),
            fail_on=fail_on(as_strict_as_before(config, decided.findings)),
            unknown_fails=config.policy.unknown == "breaking",
            skipped_rules=self.selection.skipped if "rules" in self.counts else (),
        )
