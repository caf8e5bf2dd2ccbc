"""Numeric versions: semantic ones (semver.org 2.0.0) and others."""

from __future__ import annotations

import functools
import re

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
    if len(text) > _LONGEST:
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
