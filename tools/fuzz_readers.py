"""Searches for documents that break a reader: ``python tools/fuzz.py readers``.

Five readers accept foreign input: the stream of a server, a surface file, a changelog, our configuration, and that of
an MCP client. Each gets mutations of real documents, every one in a separate process, and has to

- raise only documented errors (never exit code 70),
- finish in time linear in the size of the document,
- use no more memory than a document of that size justifies,
- read its own output (surface files).

Fixed cases stay in ``fixtures/readers/``, where tests check them. POSIX only.
"""

from __future__ import annotations

import random
import sys
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import fuzz_forked as forked  # noqa: E402
from fuzz_bytes import Document, Mutator, shrunk  # noqa: E402
from fuzz_reader_kinds import READERS  # noqa: E402
from fuzz_reader_words import words_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz_reader_words import Reader

NAME = "readers"
UNIT = "documents"
BATCH = 5
DOCUMENTS: tuple[str, ...] = ()
"""Members of a case that the reducer of ``fuzz.py`` may make smaller: none, because they are small already."""
GOOD = ("read", "refused")


def seconds_allowed(reader: Reader, size: int) -> float:
    """Processor time in seconds allowed for a document of this size."""
    return 1.5 + reader.seconds * size / 1_000_000


def memory_allowed(reader: Reader, size: int) -> int:
    """Memory in bytes allowed for a document of this size."""
    return (48 << 20) + reader.memory * size


@dataclass(frozen=True)
class Case:
    """A document for a reader, determined by the seed and the index."""

    reader: str
    document: Document


def case_of(seed: int, index: int) -> Case:
    """The case with this index in a run with this seed."""
    name = tuple(READERS)[index % len(READERS)]
    reader = READERS[name]
    mutator = Mutator(random.Random(f"{seed}/{index}"), seeds(name), words(name), reader.pairs)
    return Case(name, mutator.document())


def saved(file: Path) -> Case:
    """The case in a file named ``READER-….…``."""
    return Case(file.name.partition("-")[0], Document(file.read_bytes()))


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    return READERS[name].seeds(ROOT)


@cache
def words(name: str) -> tuple[bytes, ...]:
    return *words_of(seeds(name)), *READERS[name].words


@cache
def warm() -> None:
    """Load everything that the readers need, so that no child has to."""
    for name, reader in READERS.items():
        if all(ask(reader, seed)[0] != "read" for seed in seeds(name)):
            raise RuntimeError(f"the reader {name} takes none of its own seeds: there is nothing to mutate")


def ask(reader: Reader, data: bytes) -> tuple[str, str]:
    """The reaction of a reader to a document: the kind and the note of an :class:`fuzz_forked.Outcome`."""
    from mcp_governor.errors import Exit, GovernorError

    with tempfile.TemporaryDirectory(prefix="mcp-governor-fuzz-") as folder:
        try:
            return reader.read(data, Path(folder))
        except GovernorError as error:
            if error.exit_code is Exit.BUG:
                raise
            text = " ".join(f"{type(error).__name__}: {error.message}".split())
            return "refused", text.replace(folder, "")


def judged(case: Case) -> forked.Outcome:
    """Ask, and add any problem with the answer's kind, time or memory."""
    reader = READERS[case.reader]
    question = partial(ask, reader)
    found = forked.asked(question, case.document.data)
    if found.kind not in GOOD:
        return found
    size = len(case.document.data)
    if found.memory > memory_allowed(reader, size):
        note = f"{found.memory >> 20} MB for {size:,} bytes"
        return forked.Outcome("too much memory", note, found.seconds, found.memory)
    if found.seconds > seconds_allowed(reader, size):
        # Asked twice, in case the machine was busy.
        again = forked.asked(question, case.document.data)
        if again.seconds > seconds_allowed(reader, size):
            note = f"{again.seconds:.1f} s for {size:,} bytes"
            return forked.Outcome("too slow", note, again.seconds, again.memory)
    if case.document.repeated and found.seconds > 0.5:
        return _growth(case, question, found)
    return found


def _growth(case: Case, question: Any, found: forked.Outcome) -> forked.Outcome:
    """True if twice the repetitions take much more than twice the time, two times in a row."""
    half, quarter = (
        min(forked.asked(question, case.document.shorter(divisor)).seconds for _ in range(2)) for divisor in (2, 4)
    )
    if quarter > 0.05 and half > 3.0 * quarter and found.seconds > 3.0 * half:
        note = f"{quarter:.2f}, {half:.2f}, {found.seconds:.2f} s for one, two, four times the repetitions"
        return forked.Outcome("grows too fast", note, found.seconds, found.memory)
    return found


def small(case: Case, found: forked.Outcome) -> Case:
    """The case with the smallest document that still shows the failure."""

    def shows(data: bytes) -> bool:
        return judged(Case(case.reader, Document(data))).kind == found.kind

    if found.kind == "grows too fast" or not shows(case.document.data):
        return case
    return Case(case.reader, Document(shrunk(case.document.data, shows)))


# -- the interface that tools/fuzz.py requires; see fuzz_pool.Subject


def run(seed: int, index: int, tally: Any) -> Iterator[Any]:
    """Ask and check one case."""
    from fuzz_pool import Failure, tick

    warm()
    tick()
    case = case_of(seed, index)
    found = judged(case)
    tally.add("asked")
    tally.add(f"{case.reader}: {found.kind}")
    if found.kind not in GOOD:
        less = small(case, found)
        yield Failure(found.kind, {"reader": case.reader, "data": less.document.data.decode("latin-1")}, found.note)


def questions(seed: int, index: int) -> list[dict[str, Any]]:
    """The question of a case."""
    case = case_of(seed, index)
    return [{"reader": case.reader, "data": case.document.data.decode("latin-1")}]


def still(kind: str, case: dict[str, Any]) -> bool:
    """True if a case shows a failure of this kind."""
    warm()
    return judged(Case(case["reader"], Document(case["data"].encode("latin-1")))).kind == kind


def replay(case: dict[str, Any]) -> list[Any]:
    """Check one saved case."""
    from fuzz_pool import Failure

    found = judged(Case(case["reader"], Document(case["data"].encode("latin-1"))))
    return [] if found.kind in GOOD else [Failure(found.kind, case, found.note)]
