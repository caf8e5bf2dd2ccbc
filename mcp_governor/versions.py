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
"""Sorts a release after all of its development releases, whose numbers have at most nine digits."""


def is_semver(text: str) -> bool:
    """True if a string is strictly a semantic version (``2026.10``, ``1.2`` and ``1.2.0rc1`` are not)."""
    return _semantic(text) is not None


def _semantic(text: str) -> re.Match[str] | None:
    text = text.strip()
    return _SEMVER.fullmatch(text) if len(text) <= _LONGEST else None


# PEP 440, "Appendix B", with any number of parts. The number of digits is bounded, so that no string becomes a huge
# number.
_NUMBERED = lazy_pattern(
    r"v?(?:(?P<epoch>\d{1,9})!)?(?P<numbers>\d{1,9}(?:\.\d{1,9}){0,7})"
    r"(?:[-_.]?(?P<stage>alpha|beta|preview|pre|rc|a|b|c)[-_.]?(?P<count>\d{0,9}))?"
    r"(?P<post>-\d{1,9}|[-_.]?(?:post|rev|r)[-_.]?\d{0,9})?"
    r"(?P<dev>[-_.]?dev[-_.]?\d{0,9})?"
    r"(?:\+(?P<build>[0-9a-z]+(?:[-_.][0-9a-z]+)*))?",
    re.ASCII | re.IGNORECASE,
)
_DAY = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_STAGES = {"a": "alpha", "b": "beta", "c": "rc", "pre": "rc", "preview": "rc"}


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
    match = _NUMBERED.fullmatch(plain)
    if match is None:
        return None
    stage, count = match["stage"], match["count"]
    dev = _trailing(match["dev"]) if match["dev"] else _NO_DEV
    post = _trailing(match["post"]) + 1 if match["post"] else 0
    prerelease: list[tuple[int, int, str]] = []
    if stage:
        prerelease = [_identifier(_STAGES.get(stage.lower(), stage.lower())), (0, int(count or 0), "")]
    elif match["dev"] and not post:
        prerelease = [(-1, 0, "dev"), (0, dev, "")]
    numbers = tuple(int(number) for number in match["numbers"].split("."))
    return Numbered(plain, numbers, tuple(prerelease), match["build"] or "", int(match["epoch"] or 0), (post, dev))


def _identifier(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isdigit() else (1, 0, text)


def _trailing(text: str) -> int:
    return int("".join(filter(str.isdigit, text)) or 0)
