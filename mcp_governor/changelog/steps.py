"""How far one version is from another, under the scheme that its author follows.

Semantic versions state what a step may break; versions before 1.0.0 (semver.org, clause 4) and date versions
do not, so what they allow is a choice of the configuration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from mcp_governor.findings import Bump
from mcp_governor.versions import Version, step

FIRST_YEAR = 1990
"""A first number from here on is a year: nobody releases so many majors."""

_NUMBER = re.compile(r"\d+")


class Scheme(StrEnum):
    """What the numbers of a version mean."""

    SEMVER = "semver"
    CALENDAR = "calendar"
    OTHER = "other"


def scheme_of(text: str) -> Scheme:
    """The scheme that a version follows, by its form alone (``2026.8.1`` parses as semver and is a date)."""
    numbers = _NUMBER.findall(text)
    if numbers and len(numbers[0]) == 4 and int(numbers[0]) >= FIRST_YEAR and text.lstrip("v").startswith(numbers[0]):
        return Scheme.CALENDAR
    return Scheme.SEMVER if Version.parse(text) else Scheme.OTHER


@dataclass(frozen=True, slots=True)
class Step:
    """The way from one version to another.

    Attributes:
        bump: its size; ``none`` where the second is not newer.
        backwards: the second is older than the first.
        scheme: the scheme of both, ``other`` where they differ.
    """

    bump: Bump
    backwards: bool = False
    scheme: Scheme = Scheme.SEMVER


def declared_step(old: str, new: str, *, calver: str = "minor") -> Step:
    """The step that two version texts declare.

    From one pre-release of a version to the next, and to the release, the step is the one that the version
    itself stands for: ``2.0.0-rc.1`` promised nothing (semver.org, clause 9), and what leads to 2.0.0 may break.

    Args:
        old, new: versions as reported or written.
        calver: the bump that a step between versions other than semver counts as; ``refuse`` counts as none.
    """
    schemes = {scheme_of(old), scheme_of(new)}
    before, after = Version.parse(old), Version.parse(new)
    if schemes == {Scheme.SEMVER} and before is not None and after is not None:
        if after < before:
            return Step(Bump.NONE, backwards=True)
        if before.prerelease and before.core == after.core and after > before:
            return Step(_stands_for(after))
        return Step(step(before, after))
    scheme = schemes.pop() if len(schemes) == 1 else Scheme.OTHER
    if old == new:
        return Step(Bump.NONE, scheme=scheme)
    if scheme is Scheme.CALENDAR and _numbers(new) < _numbers(old):
        return Step(Bump.NONE, backwards=True, scheme=scheme)
    return Step(Bump.NONE if calver == "refuse" else Bump(calver), scheme=scheme)


def _stands_for(version: Version) -> Bump:
    if version.patch:
        return Bump.PATCH
    return Bump.MINOR if version.minor else Bump.MAJOR


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(text)]


def needed_step(required: Bump, old: str, *, zero_policy: str = "minor-may-break") -> Bump:
    """The step that a release must make, given what its changes require after 1.0.0.

    Args:
        required: what the changes require by the table of the surface governance.
        old: the version that the step starts from.
        zero_policy: ``minor-may-break`` (before 1.0.0 a minor step allows what a major does), ``anything-goes``
            (any step does), ``strict`` (as after 1.0.0).
    """
    before = Version.parse(old)
    if required is Bump.NONE or zero_policy == "strict" or before is None or before.major or is_promised(old):
        return required
    if zero_policy == "anything-goes":
        return Bump.PATCH
    return Bump.MINOR if required is Bump.MAJOR else required


def is_promised(version: str, *, zero_policy: str = "") -> bool:
    """Whether the stability guarantees apply to a version: from 1.0.0 on, or always where the policy says so."""
    parsed = Version.parse(version)
    return zero_policy == "strict" or parsed is None or parsed.major > 0
