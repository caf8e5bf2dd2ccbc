"""``diff`` compares two targets, and nothing else; ``check --only breaking`` does so for teams that begin with that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.against.baseline import Baseline, lost_release
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.against.configuration import as_strict_as_before, check_settings_of_breaks, config_before
from mcp_governor.checking.against.last_release import last_rewritten
from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.options import changes_between
from mcp_governor.checking.places import with_places
from mcp_governor.checking.reading import counts_of, definitions_of, refuse_empty
from mcp_governor.checking.settings import fail_on
from mcp_governor.checking.token_cost import token_cost
from mcp_governor.checking.versions import versions_between
from mcp_governor.errors import NothingCheckedError
from mcp_governor.findings import Bump
from mcp_governor.surface import NO_TIER_RULES, fingerprint
from mcp_governor.target import LiveSource, read_sources, resolve_both, tier_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change import Change
    from mcp_governor.checking.versions import Versions
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
    before, after = read_sources(sources, tiers=(past, tier_rules(config)))
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
