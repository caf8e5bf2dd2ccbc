"""``diff``: compares two targets, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.options import changes_between
from mcp_governor.checking.places import with_places
from mcp_governor.checking.reading import baseline_info, counts_of, refuse_empty
from mcp_governor.checking.settings import fail_on
from mcp_governor.findings import Bump
from mcp_governor.surface import fingerprint
from mcp_governor.target import Baseline, read_sources, resolve_both, tier_rules
from mcp_governor.target.packages import is_package

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    before, after = read_sources(sources, tiers=tier_rules(config))
    refuse_empty(before)
    report = compare_surfaces(Baseline(sources[0].shown, before), after, config, only_breaking=only_breaking)
    return with_places(report, after, sources[1]) if places else report


def compare_surfaces(baseline: Baseline, surface: Surface, config: Config, *, only_breaking: bool = False) -> Report:
    """:func:`compare_targets` for surfaces that are already read."""
    from mcp_governor.change import Verdict
    from mcp_governor.policy.model import required_step
    from mcp_governor.version_steps import needed_step

    changes = changes_between(baseline.surface, surface, config)
    versions = _versions(baseline.surface, surface)
    steps = {change.id: required_step(change, unknown=config.policy.unknown) for change in changes}
    highest = Bump.highest(list(steps.values()))
    required = needed_step(highest, versions[0] if versions else "", zero_policy=config.policy.zero_policy)
    if only_breaking:
        changes = [change for change in changes if change.verdict is not Verdict.COMPATIBLE]
    return Report(
        target=surface.source,
        server=ServerInfo.of(surface),
        fingerprint=fingerprint(surface),
        baseline=baseline_info(baseline),
        required_bump=required,
        declared_bump=_declared(baseline.surface, surface, config),
        declared_versions=versions,
        forcing=tuple(c.id for c in changes if steps[c.id] is highest) if highest is not Bump.NONE else (),
        changes=tuple(changes),
        counts=counts_of(surface),
        fail_on=fail_on(config),
        unknown_fails=config.policy.unknown == "breaking",
        breaking_fails=True,
    )


def _versions(old: Surface, new: Surface) -> tuple[str, str] | None:
    return (old.version, new.version) if old.version and new.version else None


def _declared(old: Surface, new: Surface, config: Config) -> Bump | None:
    """The step between the versions; ``None`` if one is missing, or if they are not versions of the same thing.

    A server may report the version of its framework. So next to the release of a package it counts only if that release
    reports its own version.
    """
    from mcp_governor.version_steps import declared_step, same_version

    versions = _versions(old, new)
    if versions is None:
        return None
    if (old.release is None) != (new.release is None):
        pinned, unpinned = (old, new) if old.release is not None else (new, old)
        reported = replace(pinned, release=None).version
        if is_package(unpinned.source) or reported is None or not same_version(reported, str(pinned.release)):
            return None
    return declared_step(*versions, calver=config.policy.calver).bump
