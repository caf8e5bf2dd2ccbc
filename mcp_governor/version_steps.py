"""The distance between two versions, under the scheme that their author follows.

Semantic versions define what a step may break. Versions before 1.0.0 (semver.org, clause 4) and date versions do not,
so the configuration decides what they allow.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import zip_longest

from msgspec import Struct

from mcp_governor.findings import Bump
from mcp_governor.lazy import lazy_pattern
from mcp_governor.versions import Numbered, is_semver

FIRST_YEAR = 1990
"""A first number from here on is a year: no project has so many major releases."""

_NUMBER = lazy_pattern(r"\d+")
_DEVELOPMENT = lazy_pattern(r"dev\d*|snapshot", re.IGNORECASE)


class Scheme(StrEnum):
    """The meaning of the numbers in a version."""

    SEMVER = "semver"
    NUMBERED = "numbered"
    CALENDAR = "calendar"
    OTHER = "other"


def scheme_of(text: str) -> Scheme:
    """The scheme of a version, by its form alone (``2026.8.1`` is valid semver, and a date)."""
    numbers = _NUMBER.findall(text)
    if numbers and len(numbers[0]) == 4 and int(numbers[0]) >= FIRST_YEAR and text.lstrip("v").startswith(numbers[0]):
        return Scheme.CALENDAR
    if is_semver(text):
        return Scheme.SEMVER
    return Scheme.NUMBERED if Numbered.parse(text) else Scheme.OTHER


def same_version(one: str, other: str, *, exact: bool = False) -> bool:
    """True if two strings are the same version.

    Args:
        one, other: versions as reported or written.
        exact: the build parts have to be equal, too; otherwise a build part that only one of them has does not count.
    """
    left, right = Numbered.parse(one), Numbered.parse(other)
    if one == other or left is None or right is None:
        return one == other
    return left == right and (left.build == right.build or not (exact or (left.build and right.build)))


class Step(Struct, frozen=True):
    """The step from one version to another.

    Attributes:
        bump: its size; ``none`` if the second version is not newer.
        backwards: the second version is older than the first.
        scheme: the scheme of both; ``other`` if they differ and do not count alike.
    """

    bump: Bump
    backwards: bool = False
    scheme: Scheme = Scheme.SEMVER


def declared_step(old: str, new: str, *, calver: str = "minor") -> Step:
    """The step that two versions declare.

    A step from a pre-release to the next one, or to its release, counts as the step that the version itself makes:
    ``2.0.0-rc.1`` promised nothing (semver.org, clause 9), so the way to 2.0.0 may break.

    Versions that count like semantic ones but have another form (``1.2``, ``2.0.0rc1``, ``1.2.3.4``) are compared
    number by number; only dates, and versions that do not count, depend on the configuration.

    Args:
        old, new: versions as reported or written.
        calver: the bump for a step between dates, or between versions that do not count; ``refuse``: no such step
            counts.
    """
    scheme = common_scheme(old, new)
    before, after = Numbered.parse(old), Numbered.parse(new)
    if scheme is Scheme.OTHER or before is None or after is None:
        return Step(Bump.NONE if old == new else _chosen(calver), scheme=scheme)
    if after <= before:
        return Step(Bump.NONE, backwards=after < before, scheme=scheme)
    if scheme is Scheme.CALENDAR or (scheme is Scheme.NUMBERED and calver == "refuse"):
        return Step(_chosen(calver), scheme=scheme)
    return Step(step_between(before, after), scheme=scheme)


def common_scheme(old: str, new: str) -> Scheme:
    """The scheme of two versions; ``other`` if they differ and do not count alike."""
    one, other = scheme_of(old), scheme_of(new)
    if one is other:
        return one
    return Scheme.NUMBERED if {one, other} == {Scheme.SEMVER, Scheme.NUMBERED} else Scheme.OTHER


def _chosen(calver: str) -> Bump:
    return Bump.NONE if calver == "refuse" else Bump(calver)


def step_between(before: Numbered, after: Numbered) -> Bump:
    """The step of the first number that differs; if none does, the step that the version itself makes; ``none`` if the
    second version is not newer."""
    if after <= before:
        return Bump.NONE
    old, new = (*before.numbers, 0, 0), (*after.numbers, 0, 0)
    if before.epoch != after.epoch or old[0] != new[0]:
        return Bump.MAJOR
    if old[1] != new[1]:
        return Bump.MINOR
    if not before.prerelease or any(one != other for one, other in zip_longest(old[2:], new[2:], fillvalue=0)):
        return Bump.PATCH
    if any(new[2:]):
        return Bump.PATCH
    return Bump.MINOR if new[1] else Bump.MAJOR


def next_version(old: str, needed: Bump) -> str:
    """The smallest version after ``old`` that makes the step, or a phrase if ``old`` does not determine it."""
    before = Numbered.parse(old)
    if before is None or scheme_of(old) not in (Scheme.SEMVER, Scheme.NUMBERED):
        return f"a {needed.value} step"
    return before.bumped(needed)


def is_development(text: str) -> bool:
    """True if a version names work in progress, not a release: ``1.3.0.dev4``, ``1.3.0-dev``, ``1.3.0-SNAPSHOT``."""
    version = Numbered.parse(text)
    if version is None:
        return False
    return version.is_dev or any(_DEVELOPMENT.fullmatch(word) for _, _, word in version.prerelease)


def leads_to(text: str) -> str | None:
    """The release after a pre-release: ``1.3.0`` for ``1.3.0.dev4``; ``None`` if the version has no numbers."""
    version = Numbered.parse(text)
    return version.release if version is not None else None


def needed_step(required: Bump, old: str, *, zero_policy: str = "minor-may-break") -> Bump:
    """The step that a release must make, given what its changes require after 1.0.0.

    Args:
        required: what the changes require according to the table of surface governance.
        old: the version before the step.
        zero_policy: ``minor-may-break`` (before 1.0.0 a minor step allows what a major step does), ``anything-goes``
            (any step does), ``strict`` (as after 1.0.0).
    """
    if required is Bump.NONE or is_promised(old, zero_policy=zero_policy):
        return required
    if zero_policy == "anything-goes":
        return Bump.PATCH
    return Bump.MINOR if required is Bump.MAJOR else required


def is_promised(version: str, *, zero_policy: str = "") -> bool:
    """True if the stability guarantees apply to a version: from 1.0.0 on, or always if the policy says so."""
    parsed = Numbered.parse(version)
    return zero_policy == "strict" or parsed is None or bool(parsed.epoch or parsed.numbers[0])
