"""Pages whose blocks can be followed: what a page tells the reader to type is typed, and the screen is compared.

    <!-- journey: NAME -->     a fresh place begins (``places.py`` makes it)
    ```console                lines after ``$ `` are typed; the others are what the screen says then.
                              Without any ``$ ``, every line is typed, and what it prints is not shown
    ```diff                   with ``--- FILE`` as its first line: an edit of that file
    <!-- file: PATH -->       the next block is written to that file
    <!-- append: PATH -->     the next block is written to the end of that file
    <!-- exits: CODE -->      the next block shows no output, and its commands exit with this code
    <!-- not run: REASON -->  nobody types the next block here, for this reason

A line ``…`` stands for any number of lines, and ``…`` within a line for any words. A command whose screen shows
``FAIL``, a test that is ``FAILED``, or an ``error:``, exits with another code than 0; every other command exits with 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MARK = re.compile(r"<!-- (journey|file|append|exits|not run): (.+?) -->")
FENCE = re.compile(r"^ *(```+)([\w-]*)$")
INDENTED = re.compile(r"^(?: {4}|\t)\s*(?:\$ |(?:mcp-governor|make|uvx?|pip|npm|npx|pytest|git) )")
SHELL = frozenset({"console", "sh", "bash", "shell"})
"""Languages of blocks that a reader types."""


@dataclass(frozen=True)
class Typed:
    """A command, and what the screen says after it; ``None``: the page does not show it, only the exit code counts."""

    line: int
    command: str
    screen: tuple[str, ...] | None
    code: int | None = None

    @property
    def fails(self) -> bool:
        """Whether the reader is shown a failure."""
        if self.screen is None:
            return bool(self.code)
        return any(line == "FAIL" or line.startswith(("FAIL (", "FAILED ", "error: ")) for line in self.screen)


@dataclass(frozen=True)
class Edited:
    """Lines of a file that the reader replaces: old ones, new ones."""

    line: int
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Written:
    """A file that the reader writes, or writes to the end of."""

    line: int
    file: str
    text: str
    append: bool = False


@dataclass(frozen=True)
class Begun:
    """A section in a place of its own begins."""

    line: int
    name: str


@dataclass(frozen=True)
class Excused:
    """A block that is not typed, and why."""

    line: int
    reason: str


Step = Typed | Edited | Written | Begun | Excused

HELP = """\
Every block of commands on a page is run by tests/e2e/test_pages_followed.py. Before the block, write one of
  <!-- journey: NAME -->     to begin a fresh place; tests/e2e/places.py lists the NAMEs
  <!-- not run: REASON -->   if it cannot be run here; count it in EXCUSED of that test
A block with "$ " before its commands shows what they print ("…" for what varies); one without shows no output."""


def steps(page: str) -> list[Step]:
    """What a reader of the page does, in order.

    Raises:
        ValueError: a block that no reader, and so no test, can follow.
    """
    return list(_steps(page.splitlines()))


def _steps(lines: list[str]) -> Iterator[Step]:
    numbered = iter(enumerate(lines, start=1))
    marks: dict[str, str] = {}
    for number, line in numbered:
        if found := MARK.fullmatch(line.strip()):
            if found[1] == "journey":
                yield Begun(number, found[2])
            else:
                marks[found[1]] = found[2]
            continue
        if INDENTED.match(line):
            raise ValueError(f"line {number}: commands are indented; write them between ```console and ```")
        if not (fence := FENCE.match(line)):
            if line.strip() and marks:
                raise ValueError(f"line {number}: no block follows <!-- {next(iter(marks))}: … -->")
            continue
        block = []
        for _, inside in numbered:
            if inside.strip() == fence[1]:
                break
            block.append(inside)
        else:
            raise ValueError(f"line {number}: the block does not end")
        yield from _block(number, fence[2], block, marks)
        marks = {}


def _block(number: int, language: str, block: list[str], marks: dict[str, str]) -> Iterator[Step]:
    if not language:
        raise ValueError(f"line {number}: the block has no language; write ```console if a reader types it, or ```text")
    if reason := marks.get("not run"):
        yield Excused(number, reason)
    elif file := marks.get("file") or marks.get("append"):
        yield Written(number, file, "\n".join(block) + "\n", append="append" in marks)
    elif language in SHELL:
        yield from _typed(number, block, int(marks.get("exits", "0")))
    elif language == "diff" and block and block[0].startswith("--- ") and not block[1:2][0].startswith("+++ "):
        yield _edited(number, block)


def _typed(number: int, block: list[str], code: int) -> Iterator[Typed]:
    if not any(line.strip() for line in block):
        raise ValueError(f"line {number}: the block is empty")
    if not any(line.startswith("$ ") for line in block):
        for at, line in enumerate(block):
            if line.strip() and not line.startswith("#"):
                yield Typed(number + 1 + at, line, None, code)
        return
    if not block[0].startswith("$ "):
        raise ValueError(f"line {number}: the block does not begin with a command")
    starts = [at for at, line in enumerate(block) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        screen = start + 1
        command = block[start][2:]
        while command.endswith("\\") or (screen < end and block[screen].startswith("> ")):
            command += "\n" + block[screen].removeprefix("> ")
            screen += 1
        yield Typed(number + 1 + start, command, tuple(line.rstrip() for line in block[screen:end]))


def _edited(number: int, block: list[str]) -> Edited:
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
