"""Numeric versions, semantic ones (semver.org 2.0.0) and others, and the distance between two of them.

Semantic versions define what a step may break. Versions before 1.0.0 (clause 4) and dates do not, so the configuration
decides what they allow.
"""

from __future__ import annotations

import functools
import re
from enum import StrEnum
from itertools import zip_longest

from msgspec import Struct

from mcp_governor.findings import Bump
from mcp_governor.lazy import lazy_pattern

# The grammar of semver.org, clauses 2, 9 and 10, with the leading "v" of tags.
_SEMVER = lazy_pattern(
    r"v?(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})"
    r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?",
    re.ASCII,
)

_LONGEST = 256
"""Maximum length of a version in characters. No index accepts longer ones, and Python does not parse numbers with
thousands of digits."""

_NO_DEV = 10**9
"""Sorts a release after all of its development releases, whose numbers have at most nine digits. A longer number is an
identifier, such as a time or a commit, and not a version."""

_MAX_NUMBERS = 8
"""Most numbers of a version; a date with a time has six."""


def is_semver(text: str) -> bool:
    """True if a string is strictly a semantic version (``2026.10``, ``1.2`` and ``1.2.0rc1`` are not)."""
    return _semantic(text) is not None


def _semantic(text: str) -> re.Match[str] | None:
    text = text.strip()
    return _SEMVER.fullmatch(text) if len(text) <= _LONGEST else None


_DAY = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_STAGES = {"a": "alpha", "b": "beta", "rc": "rc"}
"""Semver's usual words for the stages of PEP 440."""


class Numbered(Struct, frozen=True, eq=False, dict=True):
    """A version of any numeric scheme: semantic, PEP 440, four parts, a date.

    ``1.2``, ``1.2.0`` and ``v1.2.0`` are equal, and so are ``2.0.0rc1`` and ``2.0.0-rc.1``. The order is semver's
    precedence and PEP 440's order, which agree if both apply; build parts are ignored.

    Attributes:
        text: as written, without a leading ``v``.
        numbers: the numbers before any suffix; at least one.
        prerelease: the identifiers of a pre-release in semver's order; empty for a release.
        build: the part after ``+``.
    """

    text: str
    numbers: tuple[int, ...]
    prerelease: tuple[tuple[int, int, str], ...] = ()
    build: str = ""
    epoch: int = 0
    suffixes: tuple[int, int] = (0, _NO_DEV)

    @classmethod
    def parse(cls, text: str) -> Numbered | None:
        """Parse a version; ``None`` if ``text`` is not numeric."""
        return _numbered(text.strip())

    @property
    def line(self) -> tuple[int, int]:
        """The minor release that it belongs to: ``1.4`` for 1.4.2, year and month for a date."""
        major, minor, *_ = (*self.numbers, 0, 0)
        return (major, minor)

    @property
    def semver(self) -> str:
        """The same in the form of semver.org: ``1.2`` → ``1.2.0``, ``2.0.0rc1`` → ``2.0.0-rc.1``."""
        core = ".".join(str(number) for number in (*self.numbers, 0, 0)[:3])
        stage = ".".join(word or str(number) for _, number, word in self.prerelease)
        return f"{core}-{stage}" if stage else core

    @property
    def is_dev(self) -> bool:
        """True for a development release of PEP 440: ``1.3.0.dev4``."""
        return self.suffixes[1] != _NO_DEV

    @property
    def release(self) -> str:
        """The numbers without any suffix."""
        return (f"{self.epoch}!" if self.epoch else "") + ".".join(map(str, self.numbers))

    def bumped(self, bump: Bump) -> str:
        """The next release for a step of this size, with at least as many numbers as this version has."""
        place = {Bump.MAJOR: 0, Bump.MINOR: 1, Bump.PATCH: 2}.get(bump)
        if place is None:
            return self.text
        numbers = [*self.numbers, *[0] * (place + 1 - len(self.numbers))]
        # A pre-release of exactly this release leads to it.
        ahead = bool(self.prerelease) and not any(numbers[place + 1 :])
        numbers[place] += 0 if ahead else 1
        numbers[place + 1 :] = [0] * len(numbers[place + 1 :])
        return (f"{self.epoch}!" if self.epoch else "") + ".".join(map(str, numbers))

    def __str__(self) -> str:
        return self.text

    @functools.cached_property
    def _key(self) -> tuple[object, ...]:
        numbers = self.numbers
        while len(numbers) > 1 and not numbers[-1]:
            numbers = numbers[:-1]
        return (self.epoch, numbers, not self.prerelease, self.prerelease, *self.suffixes)

    # A Struct has the comparisons already, so that functools.total_ordering would fill in nothing.
    def __lt__(self, other: Numbered) -> bool:
        return self._key < other._key

    def __le__(self, other: Numbered) -> bool:
        return self._key <= other._key

    def __gt__(self, other: Numbered) -> bool:
        return self._key > other._key

    def __ge__(self, other: Numbered) -> bool:
        return self._key >= other._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbered) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


# Sorting uses each version often; 4,096 are more than a changelog or a list of tags repeats.
@functools.lru_cache(maxsize=4096)
def _numbered(text: str) -> Numbered | None:
    if not text or len(text) > _LONGEST:
        return None
    plain = text[1:] if text[:1] in ("v", "V") else text
    semantic = _semantic(plain)
    if semantic is not None:
        *core, stage, build = semantic.groups()
        parts = stage.split(".") if stage else []
        return Numbered(plain, tuple(map(int, core)), tuple(map(_identifier, parts)), build or "")
    day = _DAY.fullmatch(plain)
    if day is not None:
        return Numbered(plain, tuple(map(int, day.groups())))
    return _of_python(plain)


def _of_python(text: str) -> Numbered | None:
    """A version by PEP 440, with any number of parts."""
    from packaging.version import InvalidVersion, Version

    try:
        version = Version(text)
    except InvalidVersion:
        return None
    stage, count = version.pre or ("", 0)
    post = 0 if version.post is None else version.post + 1
    dev = _NO_DEV if version.dev is None else version.dev
    if (
        len(version.release) > _MAX_NUMBERS
        or max(*version.release, version.epoch, count, post, version.dev or 0) >= _NO_DEV
    ):
        return None
    prerelease: tuple[tuple[int, int, str], ...] = ()
    if stage:
        prerelease = (_identifier(_STAGES[stage]), (0, count, ""))
    elif version.is_devrelease and not post:
        prerelease = ((-1, 0, "dev"), (0, dev, ""))
    return Numbered(text, version.release, prerelease, version.local or "", version.epoch, (post, dev))


def _identifier(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isdigit() else (1, 0, text)


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
