"""``diff`` compares two targets, and nothing else; ``check --only breaking`` does so for teams that begin with that."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog.stating import baseline_version, released_version
from mcp_governor.checking.against.baseline import Baseline, lost_release
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.against.configuration import as_strict_as_before, check_settings_of_breaks, config_before
from mcp_governor.checking.against.last_release import last_rewritten
from mcp_governor.checking.changelog import read_declared
from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.places import with_places
from mcp_governor.checking.reading import changes_between, counts_of, definitions_of, fail_on, refuse_empty
from mcp_governor.checking.token_cost import token_cost
from mcp_governor.errors import GovernorError, NothingCheckedError
from mcp_governor.findings import Bump
from mcp_governor.surface import NO_TIER_RULES, fingerprint
from mcp_governor.target import LiveSource, read_pair, resolve_both, tier_rules
from mcp_governor.target.packages import is_package
from mcp_governor.version_sources.model import SERVER_INFO
from mcp_governor.versions import declared_step, same_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change import Change
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


def compare_targets(
    old: str,
    new: str | None,
    *,
    config: Config,
    command: Sequence[str] = (),
    only_breaking: bool = False,
    places: bool = False,
) -> Report:
    """The changes from one target to another; two live targets are read at the same time.

    Args:
        old, new: TARGETs; ``new`` is ``None`` if ``command`` starts it.
        config: level and options of the comparison.
        command: a stdio server.
        only_breaking: omit compatible changes.
        places: find the lines of a recorded ``new`` that the report is about.

    Raises:
        GovernorError: a target cannot be read.
    """
    sources = resolve_both(old, new, config, command=command)
    # As in a check: a recording has its own tiers, and today's would hide that a tool was moved.
    past = tier_rules(config_before(config)) if isinstance(sources[0], LiveSource) else NO_TIER_RULES
    before, after = read_pair(sources, (past, tier_rules(config)))
    refuse_empty(before)
    governed = isinstance(sources[1], LiveSource) and sources[1].configured
    both = Comparison(after, config, Baseline(sources[0].shown, before))
    report = compare_surfaces(both, governed=governed, only_breaking=only_breaking)
    if not only_breaking:
        report = replace(
            report,
            tools=tuple(tool.name for tool in after.tools),
            tiers={tool.name: tool.tier.value for tool in after.tools},
            tokens=token_cost(after, before, report.changes),
        )
    return with_places(report, after, sources[1]) if places else report


class Compared(Struct, frozen=True):
    """Two surfaces, as the policy of a project judges them.

    Attributes:
        changes: all of them.
        versions: of the two.
        required: the step that the changes require.
        forcing: the changes that require it.
    """

    changes: Sequence[Change]
    versions: Versions
    required: Bump
    forcing: tuple[Change, ...]


def compared(old: Surface, new: Surface, config: Config, *, governed: bool = False) -> Compared:
    """Compare two surfaces; ``governed``: the new one is that of the governed server."""
    from mcp_governor.policy.model import needed_by

    changes = changes_between(old, new, config)
    versions = versions_between(old, new, config, governed=governed)
    return Compared(changes, versions, *needed_by(changes, versions.old, config.policy))


def compare_surfaces(both: Comparison, *, governed: bool = False, only_breaking: bool = False) -> Report:
    """:func:`compare_targets` for surfaces that are already read, with a baseline; see also :func:`compared`."""
    from mcp_governor.change import Verdict

    surface, config, baseline = both.surface, both.config, both.baseline
    assert baseline is not None
    found = compared(baseline.surface, surface, config, governed=governed)
    changes, versions = found.changes, found.versions
    if only_breaking:
        changes = [change for change in changes if change.verdict is not Verdict.COMPATIBLE]
    return Report(
        target=surface.source,
        server=ServerInfo.of(surface),
        fingerprint=fingerprint(surface),
        baseline=baseline.described(versions.old if versions.alike else None),
        required_bump=found.required,
        declared_bump=versions.declared(config),
        declared_versions=versions.both,
        forcing=tuple(change.id for change in found.forcing),
        changes=tuple(changes),
        counts=counts_of(surface),
        definitions=definitions_of(surface, baseline.surface, changes),
        fail_on=fail_on(config),
        unknown_fails=config.policy.unknown == "breaking",
        breaking_fails=True,
        # Between two packages of a registry, or outside of a project, there is nothing to write.
        drafts=config.path is not None and not is_package(surface.source),
    )


def check_breaks(compared: Comparison) -> Report:
    """The changes that break clients, or may break them: each of them fails the run unless it is accepted.

    Version, changelog and rules are ignored. Tools of tier ``internal`` promise nothing, so their changes do not break.
    The run also fails if a setting that decides what breaks is more lenient than at the last release, or if the
    changelog states another surface for the last release than it did.

    Raises:
        NothingCheckedError: there is no baseline.
    """
    from mcp_governor.policy.acceptance import AcceptedBefore, apply_acceptances

    surface, config, baseline = compared.surface, compared.config, compared.baseline
    refuse_empty(surface)
    if baseline is None:
        raise NothingCheckedError(
            "There is nothing to compare with: no release and no recorded surface.",
            "Name it: --against pypi:NAME, or --against git:main:mcp-surface.json once that file is recorded with "
            "mcp-governor snapshot.",
        )
    report = compare_surfaces(compared, governed=True, only_breaking=True)
    breaks = tuple(change for change in report.changes if change.bump is not Bump.NONE)
    before = compared.before
    judged = [*last_rewritten(config, surface), *(check_settings_of_breaks(before, config) if before else ())]
    accepted = apply_acceptances(
        config.accept,
        judged,
        breaks,
        today=compared.today,
        complete=False,
        baseline=AcceptedBefore(baseline.surface.version, compared.accepted_before),
    )
    findings = accepted.findings[: len(judged)]
    return replace(
        report,
        changes=breaks,
        accepted=dict(accepted.changes),
        only="breaking",
        findings=(*lost_release(baseline, config), *findings),
        fail_on=fail_on(as_strict_as_before(config, findings)),
    )


class Versions(Struct, frozen=True):
    """The versions of two surfaces.

    A server may report the version of its framework. So the source that ``schema-version`` names counts for a governed
    server, and what a recording or a target states counts before what the server in it reports.

    Attributes:
        old, new: ``None`` if unknown.
        alike: they are versions of the same thing, so that they make a step.
    """

    old: str | None
    new: str | None
    alike: bool = True

    @property
    def both(self) -> tuple[str, str] | None:
        """The two, if both are known."""
        return (self.old, self.new) if self.old and self.new else None

    def declared(self, config: Config) -> Bump | None:
        """The step between the versions; ``None`` if one is missing, or if they are not of the same thing."""
        if self.both is None or not self.alike:
            return None
        return declared_step(*self.both, calver=config.policy.calver).bump


def versions_between(old: Surface, new: Surface, config: Config, *, governed: bool) -> Versions:
    """The versions where nothing but the comparison is asked for, so that sources which cannot be read do not count.

    The surfaces need not be those of the project, unless ``new`` is that of the governed server.
    """
    known = Versions(None, None)
    if config.schema_version != SERVER_INFO:
        with contextlib.suppress(GovernorError):
            book, now = read_declared(config, new if governed else None)
            if governed:
                known = Versions(baseline_version(config.schema_version, old, book, now), now.text)
            else:
                known = Versions(released_version(old, book, now), released_version(new, book, now))
    return known if known.both is not None else _as_stated(old, new)


def _as_stated(old: Surface, new: Surface) -> Versions:
    """The versions that the surfaces themselves state.

    What one of them is pinned or recorded with is not a version of what the other's server reports, unless its own
    server reports the same.
    """
    if old.stated is not None and new.stated is not None and old.stated[1] == new.stated[1]:
        return Versions(old.stated[0], new.stated[0])
    if old.release is not None and new.release is not None:
        return Versions(old.release, new.release)
    alike = not (_is_foreign(old, new) or _is_foreign(new, old))
    then, now = (one.stated[0] if one.stated is not None else one.version for one in (old, new))
    return Versions(then, now, alike)


def _is_foreign(one: Surface, other: Surface) -> bool:
    """True if a surface has a version that is not one of what the server of the other reports."""
    stated = one.stated[0] if one.stated is not None else one.release
    if stated is None:
        return False
    reported = msgspec.structs.replace(one, release=None).version
    unpinned = is_package(other.source) and other.release is None
    return unpinned or reported is None or not same_version(reported, stated)
