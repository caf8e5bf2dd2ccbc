"""Changes × tiers × versions → whether this release may go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.catalogue.finding import finding
from mcp_governor.config.model import PolicyConfig
from mcp_governor.findings import Bump, Tier
from mcp_governor.policy.deprecation import check_departures, check_deprecations
from mcp_governor.policy.model import PolicyResult, required_step
from mcp_governor.policy.windows import History
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.text import one_line
from mcp_governor.version_steps import Scheme, declared_step, needed_step, next_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from mcp_governor.change.model import Change
    from mcp_governor.changelog import Changelog
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Stage
    from mcp_governor.surface.model import Surface
    from mcp_governor.version_steps import Step

_VERSION_PATH = "/serverInfo/version"
_SHOWN_CHANGES = 5
"""Changes that a finding lists; it counts the others, and the report lists all."""

DEFAULT_POLICY = PolicyConfig()


def evaluate(
    changes: Sequence[Change],
    old: Surface | None,
    new: Surface,
    *,
    old_version: str | None,
    new_version: str | None,
    changelog: Changelog | None = None,
    settings: PolicyConfig = DEFAULT_POLICY,
    today: date | None = None,
    stage: Stage = EVERY_CHANGE,
) -> PolicyResult:
    """Hold a release to its promises: tiers, version step, deprecation windows.

    Args:
        changes: from ``old`` to ``new``, accepted ones included: an accepted break still counts.
        old: the baseline; ``None`` where there is none, so only the surface of now is judged.
        new: the surface of now.
        old_version, new_version: the versions that clients meet; ``None`` where unknown.
        changelog: in which releases are counted and deprecations told.
        settings: the config's ``policy`` table.
        today: the day that sunsets are judged by; ``None`` leaves days unjudged.
        stage: between releases a version that stands still is not judged.
    """
    history = History(changelog, old_version, new_version, settings.windows)
    found = list(_published(new))
    found += check_deprecations(old, new, history, today=today)
    if old is None:
        return PolicyResult(findings=tuple(found))
    counted = [(change, required_step(change, unknown=settings.unknown)) for change in changes]
    highest = Bump.highest([bump for _, bump in counted])
    forcing = tuple(change for change, bump in counted if bump is highest and bump is not Bump.NONE)
    needed = needed_step(highest, old_version or "", zero_policy=settings.zero_policy)
    step = declared_step(old_version, new_version, calver=settings.calver) if old_version and new_version else None
    if stage.at_release or (step is not None and old_version != new_version):
        found += _version(step, needed, forcing, old_version, new_version)
        found += _scheme(step, old_version, new_version, settings)
    found += check_departures(changes, old, new, history, zero_policy=settings.zero_policy, today=today)
    return PolicyResult(needed, step.bump if step is not None else None, tuple(found), forcing)


def _published(surface: Surface) -> Iterator[Finding]:
    for tool in surface.tools:
        # A tool that only a per-tier listing shows is not published by default.
        if tool.tier is Tier.INTERNAL and tool.tier_source != "list":
            yield finding(
                "policy/internal-published", "/tier", tool=tool.name, value="internal", source=tool.tier_source
            )


def _version(
    step: Step | None,
    needed: Bump,
    forcing: Sequence[Change],
    old_version: str | None,
    new_version: str | None,
) -> Iterator[Finding]:
    value = [needed, sorted(change.id for change in forcing)]
    if step is None or old_version is None or new_version is None:
        if needed is not Bump.NONE:
            who = "The server" if new_version is None else "The baseline"
            yield finding("policy/version-missing", _VERSION_PATH, value=value, who=who, required=needed.value)
        return
    if step.backwards:
        yield finding(
            "policy/version-backwards",
            _VERSION_PATH,
            value=[old_version, new_version],
            old=old_version,
            new=new_version,
            next=_next(old_version, Bump.highest([needed, Bump.PATCH])),
        )
    elif step.bump.rank < needed.rank:
        yield finding(
            "policy/bump-too-small",
            _VERSION_PATH,
            value=value,
            old=old_version,
            new=new_version,
            declared="no step" if step.bump is Bump.NONE else f"a {step.bump.value} step",
            required=needed.value,
            forcing=_listed(forcing),
            next=next_version(old_version, needed),
        )


def _next(old_version: str, needed: Bump) -> str:
    """The version to release; dates follow the calendar."""
    if scheme_of(old_version) in (Scheme.SEMVER, Scheme.NUMBERED):
        return next_version(old_version, needed)
    return f"a version after {one_line(old_version, 40)}"


def _listed(changes: Sequence[Change]) -> str:
    shown = [one_line(change.full_message, 120).rstrip(".") for change in changes[:_SHOWN_CHANGES]]
    more = len(changes) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _counted(step: Step, settings: PolicyConfig) -> str:
    if settings.calver == "refuse":
        return "no step (policy.calver)"
    if step.scheme is Scheme.NUMBERED or step.bump is Bump.NONE:
        return "no step" if step.bump is Bump.NONE else f"a {step.bump.value} step"
    return f"a {settings.calver} step (policy.calver)"


def _scheme(
    step: Step | None, old_version: str | None, new_version: str | None, settings: PolicyConfig
) -> Iterator[Finding]:
    if step is None or step.scheme is Scheme.SEMVER or old_version is None or new_version is None:
        return
    odd = new_version if scheme_of(new_version) is not Scheme.SEMVER else old_version
    yield finding(
        "policy/version-not-semver",
        _VERSION_PATH,
        value=scheme_of(odd),
        version=odd,
        old=old_version,
        new=new_version,
        counts=_counted(step, settings),
    )
