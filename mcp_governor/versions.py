"""Semantic versions (semver.org 2.0.0): parse, order, and the step between two of them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from mcp_governor.findings import Bump

# The grammar of semver.org, clause 2, 9 and 10, with the leading "v" that tags carry.
_SEMVER = re.compile(
    r"v?(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})"
    r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?",
    re.ASCII,
)


@functools.total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """One semantic version; ordered by precedence (clause 11), build metadata ignored."""

    major: int
    minor: int
    patch: int
    prerelease: str = ""
    build: str = ""

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """The version that ``text`` spells, or ``None`` where it is not semver (``2026.10``, ``1.2``)."""
        match = _SEMVER.fullmatch(text.strip())
        if match is None:
            return None
        major, minor, patch, pre, build = match.groups()
        return cls(int(major), int(minor), int(patch), pre or "", build or "")

    @property
    def core(self) -> tuple[int, int, int]:
        """Major, minor and patch."""
        return (self.major, self.minor, self.patch)

    def __str__(self) -> str:
        pre = f"-{self.prerelease}" if self.prerelease else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}" + (f"+{self.build}" if self.build else "")

    def _key(self) -> tuple[object, ...]:
        if not self.prerelease:
            return (*self.core, 1, ())
        parts = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.prerelease.split("."))
        return (*self.core, 0, parts)

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def bumped(self, bump: Bump) -> Version:
        """The next release after this one for a step of that size."""
        if bump is Bump.MAJOR:
            return Version(self.major + 1, 0, 0)
        if bump is Bump.MINOR:
            return Version(self.major, self.minor + 1, 0)
        if bump is Bump.PATCH:
            return Version(self.major, self.minor, self.patch + (0 if self.prerelease else 1))
        return self


def step(old: Version, new: Version) -> Bump:
    """The bump that leads from ``old`` to ``new``; ``none`` where ``new`` is not newer.

    Between two pre-releases of the same core, and from a pre-release to its release, the step is a patch:
    the pre-release already promised the core it leads to.
    """
    if new <= old:
        return Bump.NONE
    if new.major != old.major:
        return Bump.MAJOR
    if new.minor != old.minor:
        return Bump.MINOR
    return Bump.PATCH
