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

import contextlib
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import fuzz_reader_kinds as kinds  # noqa: E402
from fuzz_pool import Failure, tick  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzz_reader_kinds import Reader

NAME = "readers"
UNIT = "documents"
BATCH = 5
DOCUMENTS: tuple[str, ...] = ()
"""Members of a case that the reducer of ``fuzz.py`` may make smaller: none, because they are small already."""
GOOD = ("read", "refused")

LARGEST = 2_000_000
"""Maximum size of a document in bytes."""
MEMORY = 1 << 30
"""Memory limit of a child in bytes; a sound reader stays far below."""
PROCESSOR_SECONDS = 60
WALL_SECONDS = 300.0
"""Wall-clock limit, much longer than the processor time, because the machine may be busy."""
_SCALE = 1 if sys.platform == "darwin" else 1024
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Outcome:
    """The reaction to a document.

    Attributes:
        kind: ``read``, ``refused``, or the problem in two or three words.
        note: the answer or the error, on one line.
        seconds: of processor time.
        memory: bytes that the child used beyond its initial memory.
    """

    kind: str
    note: str
    seconds: float = 0.0
    memory: int = 0


# -- one document in a child: a fork of a process that has loaded everything, which costs some milliseconds


def asked(ask: Callable[[bytes], tuple[str, str]], data: bytes) -> Outcome:
    """Ask in a child, and wait for the result; whatever the child started ends with it."""
    ours, theirs = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_answer, args=(ask, data, theirs))
    child.start()
    theirs.close()
    answer = None
    in_time = ours.poll(WALL_SECONDS)
    if in_time:
        with contextlib.suppress(EOFError):
            answer = ours.recv()
    ours.close()
    assert child.pid is not None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if not in_time:
        child.kill()
    child.join()
    if answer is not None:
        return Outcome(*answer)
    if not in_time or child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Outcome("hang", f"no answer after {PROCESSOR_SECONDS} s of processor time or {WALL_SECONDS:g} s")
    return Outcome("died", f"ended with status {child.exitcode}")


def _answer(ask: Callable[[bytes], tuple[str, str]], data: bytes, inlet: Any) -> None:
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Beyond what the parent has already: in a long run of tests that may be more than the limit itself.
    limit = MEMORY + _data_of_this_process()
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + PROCESSOR_SECONDS, used + PROCESSOR_SECONDS))
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        kind, note = ask(data)
    except MemoryError:
        kind, note = "out of memory", f"more than {MEMORY >> 20} MB"
    except BaseException as error:
        kind, note = f"raised {type(error).__name__}", _where(error)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * _SCALE
    inlet.send((kind, note[:2000], time.process_time() - started, memory))
    os._exit(0)


def _data_of_this_process() -> int:
    """Bytes that count for RLIMIT_DATA; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def _where(error: BaseException) -> str:
    """The error and the innermost lines in its traceback."""
    places, trace = [], error.__traceback__
    while trace is not None and len(places) < 10_000:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return f"{error!r}"[:300] + " at " + " < ".join(reversed(places[-3:]))


# -- documents


def document_of(reader: str, rng: random.Random) -> bytes:
    """A real document with a few edits."""
    data = rng.choice(seeds(reader))
    for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
        data = _edited(data, reader, rng)
    return data[:LARGEST]


def _edited(data: bytes, reader: str, rng: random.Random) -> bytes:
    own, pairs = words(reader), kinds.READERS[reader].pairs
    tokens = (*own, *kinds.NUMBERS, *kinds.CHARACTERS)

    def place() -> int:
        """A position, usually next to a token, where a reader makes decisions."""
        start = rng.randrange(len(data) + 1)
        token = rng.choice(own)
        found = data.find(token, start) if rng.random() < 0.6 else -1
        return start if found < 0 else found + rng.choice((0, len(token)))

    def many(most: float) -> int:
        return int(10 ** rng.uniform(0, most))

    at, to = sorted((place(), place()))
    token, (opening, closing) = rng.choice(tokens), rng.choice(pairs)
    depth, other = many(4.3), rng.choice(seeds(reader))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:at] + data[to:],
        lambda: data[:to] + data[at:],
        lambda: data[:at] + other[rng.randrange(len(other)) :],
        # cut off, perhaps within a character
        lambda: data[:at],
        lambda: data[:at] + opening * depth + data[at:to] + closing * rng.choice((depth, depth // 2)) + data[to:],
        lambda: data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
        lambda: re.sub(rb"\d+", lambda found: found[0] if rng.random() < 0.8 else rng.choice(kinds.NUMBERS), data),
        lambda: data.replace(b"\n", rng.choice((b"\r\n", b"\r", "\u2028".encode()))),
        lambda: data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-8-sig"))),
        lambda: data[:at] + token + data[at:],
        lambda: data[:at] + token + data[to:],
        # one word, or two in turn, many times: what is quadratic takes minutes
        lambda: data[:at] + token * min(many(5), LARGEST // len(token)) + data[at:],
        lambda: (token + rng.choice(own)) * min(many(5), LARGEST // (len(token) + 40)),
    )
    return rng.choice(ways)()


_WORD = re.compile(rb'"[^"\n]{0,40}":?|[A-Za-z_][\w.-]*(?=\s*[=:])|[^\w\s"]+|[\r\n]+|[ \t]+')


@cache
def words(reader: str) -> tuple[bytes, ...]:
    """The words of a format: what its documents say more than once, and others that they do not show."""
    found = Counter(word for document in seeds(reader) for word in _WORD.findall(document))
    return (*(word for word, count in found.items() if count > 1), *kinds.READERS[reader].words)


@cache
def seeds(reader: str) -> tuple[bytes, ...]:
    return kinds.READERS[reader].seeds(ROOT)


def shrunk(data: bytes, shows: Callable[[bytes], bool], seconds: float = 30.0) -> bytes:
    """The smallest document found within some seconds that still shows the failure (delta debugging on bytes)."""
    until = time.monotonic() + seconds
    size = max(len(data) // 2, 1)
    while size and time.monotonic() < until:
        at, before = 0, len(data)
        while at < len(data) and time.monotonic() < until:
            candidate = data[:at] + data[at + size :]
            if shows(candidate):
                data = candidate
            else:
                at += size
        size = min(size, len(data) // 2) if len(data) < before and size > 1 else size // 2
    return data


# -- judging


@cache
def warm() -> None:
    """Load everything that the readers need, so that no child has to."""
    for name, reader in kinds.READERS.items():
        if all(ask(reader, seed)[0] != "read" for seed in seeds(name)):
            raise RuntimeError(f"the reader {name} takes none of its own seeds: there is nothing to mutate")


def ask(reader: Reader, data: bytes) -> tuple[str, str]:
    """The reaction of a reader to a document: the kind and the note of an :class:`Outcome`."""
    from mcp_governor.errors import Exit, GovernorError

    with tempfile.TemporaryDirectory(prefix="mcp-governor-fuzz-") as folder:
        try:
            return reader.read(data, Path(folder))
        except GovernorError as error:
            if error.exit_code is Exit.BUG:
                raise
            text = " ".join(f"{type(error).__name__}: {error.message}".split())
            return "refused", text.replace(folder, "")


def judged(name: str, data: bytes) -> Outcome:
    """Ask, and add any problem with the answer's kind, time or memory."""
    reader = kinds.READERS[name]
    question = partial(ask, reader)
    found = asked(question, data)
    if found.kind not in GOOD:
        return found
    if found.memory > (48 << 20) + reader.memory * len(data):
        return Outcome("too much memory", f"{found.memory >> 20} MB for {len(data):,} bytes")
    seconds = 1.5 + reader.seconds * len(data) / 1_000_000
    # Asked twice, in case the machine was busy.
    if found.seconds > seconds and (found := asked(question, data)).seconds > seconds:
        return Outcome("too slow", f"{found.seconds:.1f} s for {len(data):,} bytes")
    return found


# -- the interface that tools/fuzz.py requires; see fuzz_pool.Subject


def questions(seed: int, index: int) -> list[dict[str, Any]]:
    """The question of a case, which seed and index decide."""
    name = tuple(kinds.READERS)[index % len(kinds.READERS)]
    return [{"reader": name, "data": document_of(name, random.Random(f"{seed}/{index}")).decode("latin-1")}]


def run(seed: int, index: int, tally: Any) -> Iterator[Failure]:
    """Ask and check one case."""
    warm()
    tick()
    (case,) = questions(seed, index)
    name = case["reader"]
    found = _judged(case)
    tally.add("asked")
    tally.add(f"{name}: {found.kind}")
    if found.kind not in GOOD:
        data = case["data"].encode("latin-1")
        if judged(name, data).kind == found.kind:
            data = shrunk(data, lambda smaller: judged(name, smaller).kind == found.kind)
        yield Failure(found.kind, {"reader": name, "data": data.decode("latin-1")}, found.note)


def still(kind: str, case: dict[str, Any]) -> bool:
    """True if a case shows a failure of this kind."""
    warm()
    return _judged(case).kind == kind


def replay(case: dict[str, Any]) -> list[Failure]:
    """Check one saved case."""
    found = _judged(case)
    return [] if found.kind in GOOD else [Failure(found.kind, case, found.note)]


def _judged(case: dict[str, Any]) -> Outcome:
    return judged(case["reader"], case["data"].encode("latin-1"))
