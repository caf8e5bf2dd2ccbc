"""A page whose blocks can be followed: what it tells the reader to type is typed, and the screen is compared.

    <!-- journey: NAME -->   a fresh checkout of that server begins
    ```console              lines after ``$ `` are typed; the others are what the screen says then
    ```diff                 an edit of the file after ``---``

A line ``…`` stands for any number of lines, and ``…`` within a line for any words. A command whose screen ends in
``FAIL``, or shows an ``error:``, exits with another code than 0; every other command exits with 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

JOURNEY = re.compile(r"<!-- journey: (\w+) -->")
FENCE = re.compile(r"^ *```(\w*)$")


@dataclass(frozen=True)
class Typed:
    """A command, and what the screen says after it."""

    line: int
    command: str
    screen: tuple[str, ...]

    @property
    def fails(self) -> bool:
        """Whether the reader is shown a failure."""
        return any(line == "FAIL" or line.startswith("error: ") for line in self.screen)


@dataclass(frozen=True)
class Edited:
    """Lines of a file that the reader replaces: old ones, new ones."""

    line: int
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Begun:
    """A section on a server of its own begins."""

    line: int
    name: str


Step = Typed | Edited | Begun


def steps(page: str) -> list[Step]:
    """What a reader of the page does, in order.

    Raises:
        ValueError: a block that no reader, and so no test, can follow.
    """
    return list(_steps(page.splitlines()))


def _steps(lines: list[str]) -> Iterator[Step]:
    numbered = iter(enumerate(lines, start=1))
    for number, line in numbered:
        if found := JOURNEY.fullmatch(line.strip()):
            yield Begun(number, found[1])
        if not (fence := FENCE.match(line)):
            continue
        block = []
        for _, inside in numbered:
            if FENCE.match(inside):
                break
            block.append(inside)
        if fence[1] == "console":
            yield from _typed(number, block)
        elif fence[1] == "diff":
            yield _edited(number, block)
        else:
            raise ValueError(f"line {number}: a block of {fence[1] or 'no language'} cannot be followed")


def _typed(number: int, block: list[str]) -> Iterator[Typed]:
    if not block or not block[0].startswith("$ "):
        raise ValueError(f"line {number}: the block does not begin with a command")
    starts = [at for at, line in enumerate(block) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        yield Typed(number + 1 + start, block[start][2:], tuple(line.rstrip() for line in block[start + 1 : end]))


def _edited(number: int, block: list[str]) -> Edited:
    if not block or not block[0].startswith("--- "):
        raise ValueError(f"line {number}: the edit does not say in which file it is")
    old = [line[1:] for line in block[1:] if line[:1] in ("-", " ")]
    new = [line[1:] for line in block[1:] if line[:1] in ("+", " ")]
    return Edited(number, block[0][4:].strip(), "\n".join(old) + "\n", "\n".join(new) + "\n")


def shows(screen: tuple[str, ...], text: str) -> bool:
    """Whether a screen with gaps is the one that was seen."""
    parts = []
    for line in screen:
        if line == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(words) for words in line.split("…")) + r"\n")
    # Trailing blanks and empty lines at either end are nothing that a reader sees.
    seen = "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())
    return re.fullmatch("".join(parts), seen) is not None
