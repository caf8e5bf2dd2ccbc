"""The main job: run the stations over one target and return a report."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.base import with_base
from mcp_governor.checking.baselines import baseline_of
from mcp_governor.checking.breaks import check_breaks
from mcp_governor.checking.calling import read_and_call
from mcp_governor.checking.decisions import decide
from mcp_governor.checking.events import Emit, Finished, Started, Station, silent
from mcp_governor.checking.governed import (
    Before,
    as_strict_as_before,
    check_governed,
    config_before,
    governed_before,
    lost_changelog,
)
from mcp_governor.checking.last_release import lost_release
from mcp_governor.checking.loading import measured_findings
from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.places import with_places
from mcp_governor.checking.reading import (
    baseline_info,
    counts_of,
    definitions_of,
    refuse_empty,
    trusting,
)
from mcp_governor.checking.seen import RECORDING, seen_of, unseen_findings
from mcp_governor.checking.settings import fail_on, selection_of
from mcp_governor.checking.stage import stage_of
from mcp_governor.checking.token_cost import growth_findings, token_cost
from mcp_governor.config import Config, load_config
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.surface import Surface, fingerprint
from mcp_governor.target import named_baseline, read_baseline, resolve
from mcp_governor.target.git_door import one_look
from mcp_governor.target.packages import is_open
from mcp_governor.target.resolve import baseline_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mcp_governor.call.report import CallReport
    from mcp_governor.change import Change
    from mcp_governor.changelog import Changelog
    from mcp_governor.checking.base import Base
    from mcp_governor.checking.release import ReleaseResult
    from mcp_governor.checking.seen import Seen
    from mcp_governor.findings import Finding
    from mcp_governor.policy.acceptance import AcceptedBefore
    from mcp_governor.rules import Selection
    from mcp_governor.rules.run import Linted
    from mcp_governor.stage import Stage
    from mcp_governor.target import Baseline

_T = TypeVar("_T")


class Checked(Struct, frozen=True):
    """A report with the surfaces that it is about.

    Attributes:
        report: the result of the run.
        surface: what the server publishes.
        baseline: what it was compared with; ``None`` if there was nothing.
    """

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
    base: Base | None = None,
) -> Report:
    """Run everything that the configuration asks for on one target, with one verdict.

    Args:
        target: a configuration (its target is governed), a TARGET string or path, or a surface that was already read;
            ``None`` for the configured target.
        config: used if ``target`` is not a configuration; by default the nearest file in the folder and its parents.
        against: a TARGET to compare with instead of the configured baseline.
        command: a stdio server to start instead of a target.
        emit: receives the events of the run.
        today: the date at which acceptances are evaluated; defaults to the current date.
        places: find the lines of a recorded file for the report.
        release: check version and changelog as those of a release, whatever ``policy.gate`` says.
        calls: make the calls that the configuration asks for; if false, make no statement about responses.
        only_breaking: check for breaking changes only, without calls.
        base: the base branch of a pull request (:func:`mcp_governor.checking.base.read_base`); a surface that was
            already read is not compared with it.

    Raises:
        GovernorError: the run failed; its ``exit_code`` says how.
    """
    return checked(
        target,
        config=config,
        against=against,
        command=command,
        emit=emit,
        today=today,
        places=places,
        release=release,
        calls=calls,
        only_breaking=only_breaking,
        base=base,
    ).report


@one_look()
def checked(
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
    base: Base | None = None,
) -> Checked:
    """:func:`check`, with the surface that was read and the one that it was compared with."""
    if isinstance(target, Config):
        target, config = None, target
    config = config if config is not None else load_config()
    day = today or date.today()
    if base is not None:
        against = base.against(config, only_breaking=only_breaking) if against is None else against
        release = release or (base.is_before_release(config) and not only_breaking)
    if isinstance(target, Surface):
        stage = stage_of(config, target, release=release)
        baseline = baseline_of(target, config, against, stage=stage)
        if only_breaking:
            return Checked(check_breaks(target, baseline, config, today=day), target, baseline)
        selection = selection_of(config)
        seen = seen_of(target, config, selection, None, RECORDING) if calls else None
        report = check_surface(
            target, baseline, config, selection=selection, emit=emit, today=day, stage=stage, seen=seen
        )
        return Checked(report, target, baseline)
    source = resolve(None if target is None else str(target), config, command=command)
    config = trusting(config, source)
    # A baseline from the user is read before the server starts; which release is the last one depends on the surface.
    named = against if against is not None else config.baseline
    # So does the question if the surface file still is the one that the last release published.
    waits = not named or is_open(named) or (against is None and named == baseline_file(config))
    if named and waits:
        named_baseline(config, against, source=source)  # refuse it now, before the server starts
    # No release is needed: the named baseline is neither a package nor the surface file.
    tiers_of = partial(config_before, config)
    baseline = None if waits else read_baseline(config, against, source=source, tiers_of=tiers_of)
    # What is wrong with the selection is said before a server is started.
    selected = None if only_breaking else selection_of(config)
    measured = measured_findings(source, config, selected, emit) if config.load.check and selected else None
    surface, called, seen = read_and_call(source, config, selected if calls else None, emit)
    stage = stage_of(config, surface, release=release)
    if waits:
        baseline = baseline_of(surface, config, against, source=source, stage=stage, base=base)
    if only_breaking:
        report = check_breaks(surface, baseline, config, today=day)
    else:
        report = check_surface(
            surface,
            baseline,
            config,
            selection=selected,
            called=called,
            seen=seen,
            measured=measured,
            emit=emit,
            today=day,
            stage=stage,
        )
    if base is not None:
        report = with_base(report, base, surface, baseline, config)
    if places and called is None:
        report = with_places(report, surface, source)
    return Checked(report, surface, baseline)


def check_surface(
    surface: Surface,
    baseline: Baseline | None,
    config: Config,
    *,
    selection: Selection | None = None,
    called: CallReport | None = None,
    seen: Seen | None = None,
    measured: list[Finding] | None = None,
    emit: Emit = silent,
    today: date | None = None,
    changelog: Changelog | None = None,
    stage: Stage = EVERY_CHANGE,
) -> Report:
    """:func:`check` for a surface and a baseline that are already read, and calls that are already made.

    Args:
        surface, baseline, config, emit, today: as in :func:`check`.
        selection: the rules that run; defaults to those of the configuration.
        called: the results of the calls.
        seen: the tools of which responses were checked; ``None`` for no statement.
        measured: findings about budgets of the list; ``None`` if nothing was measured.
        changelog: replaces the configured file, for example with the one of a future release.
        stage: between releases, or at one; ``EVERY_CHANGE`` checks the surface as a release.
    """
    refuse_empty(surface)
    run = _Run(surface, baseline, config, emit, today or date.today(), changelog, stage, selection)
    changes = run.station("compare", run.compare) if baseline is not None else []
    release = run.station("policy", lambda: run.judge_release(changes))
    linted = [*run.govern(), *run.station("lint", run.lint), *unseen_findings(seen), *(measured or ())]
    stations = _ON_PAPER if measured is None else (*_ON_PAPER, "load")
    if called is None:
        return dataclasses.replace(run.report(changes, release, linted, stations=stations), calls=seen)
    run.counts["calls"] = len(called.results)
    found = [*linted, *called.findings]
    report = run.report([*changes, *called.changes], release, found, stations=(*stations, "call"))
    outright = frozenset(change.id for change in called.changes)
    return dataclasses.replace(report, outright=outright, good_calls=called.good_calls, calls=seen)


def changelog_report(
    surface: Surface,
    baseline: Baseline | None,
    config: Config,
    *,
    today: date | None = None,
    stage: Stage = EVERY_CHANGE,
) -> Report:
    """The part of :func:`check_surface` about the changelog, for ``changelog check``."""
    from mcp_governor.rules.finding import station_of

    refuse_empty(surface)
    run = _Run(surface, baseline, config, silent, today or date.today(), stage=stage)
    changes = run.compare() if baseline is not None else []
    release = run.judge_release(changes)
    found = [finding for finding in release.findings if station_of(finding.rule) == "changelog"]
    return run.report(changes, replace(release, findings=tuple(found)), [], stations=("changelog",))


def report_of(
    found: Finding, surface: Surface, baseline: Baseline | None, config: Config, *, today: date | None = None
) -> Report:
    """A report with one finding, which is treated like any other."""
    from mcp_governor.checking.release import ReleaseResult

    run = _Run(surface, baseline, config, silent, today or date.today())
    return run.report([], ReleaseResult(), [found], stations=("policy",))


_ON_PAPER = ("policy", "changelog", "lint", "change")
"""The stations that need no server."""


@dataclass(eq=False)
class _Run:
    """One run over surfaces that are already read; the stations store in it what they counted and skipped."""

    surface: Surface
    baseline: Baseline | None
    config: Config
    emit: Emit
    today: date
    changelog: Changelog | None = None
    stage: Stage = EVERY_CHANGE
    chosen: Selection | None = None
    counts: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    linted: Linted | None = None

    def station(self, name: Station, work: Callable[[], _T]) -> _T:
        """Run one station and report its progress."""
        self.emit(Started(name))
        done = work()
        self.emit(Finished(name, len(done) if isinstance(done, list) else 0))
        return done

    def compare(self) -> list[Change]:
        from mcp_governor.checking.options import changes_between

        assert self.baseline is not None
        return changes_between(self.baseline.surface, self.surface, self.config)

    def judge_release(self, changes: Sequence[Change]) -> ReleaseResult:
        from mcp_governor.checking.release import check_release

        config, runs = self.config, self._disciplined
        if self.changelog is None and self.before is not None and lost_changelog(self.before, config):
            # govern() reports this; everything else is checked as usual.
            config, runs = dataclasses.replace(config, changelog=""), None
        return check_release(
            self.surface,
            self.baseline,
            changes,
            config,
            self.today,
            changelog=self.changelog,
            stage=self.stage,
            runs=runs,
        )

    @property
    def _disciplined(self) -> Callable[[str], bool] | None:
        """A test for selected rules about release discipline; ``None`` if there can be none, so that none are read."""
        lint = self.config.lint
        if self.config.profile == Config().profile and not (lint.select or lint.extend_select):
            return None
        return lambda rule: self.selection.get(rule) is not None

    def govern(self) -> list[Finding]:
        """Check that the repository still requires what it required at the last release, and has its surface."""
        lost = lost_release(self.baseline, self.config)
        return [*lost, *(check_governed(self.before, self.config) if self.before is not None else ())]

    @cached_property
    def before(self) -> Before | None:
        return governed_before(self.config, self.baseline)

    def _accepted_before(self, release: ReleaseResult) -> AcceptedBefore:
        from mcp_governor.policy.acceptance import AcceptedBefore

        before = self.before
        accepted = before.config.accept if before is not None and before.config is not None else ()
        source = before.ref if before is not None else ""
        return AcceptedBefore(release.old_version, frozenset(item.finding for item in accepted), source)

    def lint(self) -> list[Finding]:
        from mcp_governor.rules.run import Linted, run_rules

        selection = self.selection
        self.counts["rules"] = len(selection.linted)
        self.skipped.extend(selection.skipped)
        found = run_rules(self.surface, selection)
        self.linted = Linted(self.surface, tuple(found))
        if self.baseline is not None and selection.get("envelope/version-step") is not None:
            from mcp_governor.call.validate import charter_step_findings

            found += charter_step_findings(self.baseline.surface, self.surface, selection)
        if self.baseline is not None:
            found += growth_findings(self.surface, self.baseline.surface, selection)
        return found

    @cached_property
    def selection(self) -> Selection:
        return self.chosen or selection_of(self.config)

    def _without_old_lint(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Omit findings of the linter that the baseline has as well, if the run asks for that.

        This comes after all decisions: a suppression that only an old finding needs is not stale.
        """
        if not self.config.lint_new_only or self.baseline is None:
            return findings
        from mcp_governor.rules.run import new_findings

        active = {finding.rule: self.selection.get(finding.rule) for finding in findings}
        linted = {name for name, rule in active.items() if rule is not None and rule.rule.station == "lint"}
        old = [finding for finding in findings if finding.rule in linted]
        kept = {id(finding) for finding in new_findings(old, self.baseline.surface, self.selection, self.linted)}
        return tuple(finding for finding in findings if finding.rule not in linted or id(finding) in kept)

    def report(
        self,
        changes: list[Change],
        release: ReleaseResult,
        found: list[Finding],
        *,
        stations: Sequence[str] = _ON_PAPER,
    ) -> Report:
        surface = self.surface
        decided = decide(
            [*release.findings, *found],
            changes,
            self.config,
            self.today,
            surface=surface,
            selection=self.selection,
            stations=stations,
            complete="lint" in stations,
            before=self._accepted_before(release) if self.config.accept else None,
        )
        findings = self._without_old_lint(decided.findings)
        return Report(
            target=surface.source,
            server=ServerInfo.of(surface),
            fingerprint=fingerprint(surface),
            baseline=baseline_info(self.baseline, release.versions[0] if release.versions else None),
            required_bump=release.required_bump,
            declared_bump=release.declared_bump,
            declared_versions=release.versions,
            forcing=release.forcing,
            stage=self.stage,
            pending=release.pending,
            changes=tuple(changes),
            findings=findings,
            old_findings=len(decided.findings) - len(findings),
            accepted=dict(decided.changes),
            counts={**counts_of(surface), **self.counts},
            tools=tuple(tool.name for tool in surface.tools),
            tiers={tool.name: tool.tier.value for tool in surface.tools},
            definitions=definitions_of(surface, self.baseline.surface if self.baseline is not None else None),
            tokens=token_cost(surface, self.baseline.surface if self.baseline is not None else None, changes),
            fail_on=fail_on(as_strict_as_before(self.config, decided.findings)),
            unknown_fails=self.config.policy.unknown == "breaking",
            skipped_rules=tuple(self.skipped),
        )
