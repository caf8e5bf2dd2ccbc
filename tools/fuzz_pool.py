"""Processes that ask and check, and the parent that distributes work, supervises them and counts.

Every worker has a hash seed of its own and bounded memory, is replaced after a while, and is killed if one question
takes longer than ``PATIENCE``.

A *subject* is a module with the interface of ``fuzz_verdicts`` and ``fuzz_changes`` (``fuzz.SUBJECTS`` lists them all).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fuzz_reduce import reduced

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 45.0
"""Time in seconds without an answer after which a worker is killed: far above every deadline, so that a busy machine is
not mistaken for a hang."""
MEMORY = 3 << 30
"""Address space of a worker in bytes."""
LIFE = 60
"""Number of batches after which a worker is replaced, for another hash seed and to free its memory."""
MAX_REDUCED = 20
"""Maximum number of failures that are reduced in a run; the others are counted."""
MAX_KEPT = 40
"""Maximum number of different failures that are printed and saved."""

HERE = Path(__file__).resolve().parent
_STATE = struct.Struct("qqq")


@dataclass
class Failure:
    """A failure.

    Attributes:
        kind: the problem in two or three words; the reducer preserves it.
        case: the question as JSON, and the value that refutes the answer.
        note: one sentence.
    """

    kind: str
    case: dict[str, Any]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "case": self.case, "note": self.note}


@dataclass
class Tally:
    """The result of a batch: counts by name."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, count: int = 1) -> None:
        self.counts[name] += count


class Subject(Protocol):
    """The interface of a subject: a module with these names.

    Attributes:
        NAME: its name on the command line.
        UNIT: what is counted, in the plural.
        BATCH: number of cases in a batch.
        DOCUMENTS: members of a case that the reducer may make smaller.
    """

    NAME: str
    UNIT: str
    BATCH: int
    DOCUMENTS: tuple[str, ...]

    def run(self, seed: int, index: int, tally: Tally) -> Iterator[Failure]:
        """Ask and check one case, which ``(seed, index)`` determines. Calls :func:`tick` once per question."""

    def questions(self, seed: int, index: int) -> list[dict[str, Any]]:
        """The questions of a case, in order."""

    def still(self, kind: str, case: dict[str, Any]) -> bool:
        """True if a case shows a failure of this kind."""

    def replay(self, case: dict[str, Any]) -> list[Failure]:
        """Check one saved case as thoroughly as possible."""


class Progress:
    """The position of a worker, in memory that its parent can read."""

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _STATE.size)
        self.index, self.position, self.beats = 0, 0, 0

    def start(self, index: int) -> None:
        self.index, self.position = index, 0
        self._write()

    def tick(self) -> None:
        self.position += 1
        self.beats += 1
        self._write()

    def _write(self) -> None:
        self._memory[:] = _STATE.pack(self.index, self.position, self.beats)

    def read(self) -> tuple[int, int, int]:
        return _STATE.unpack(self._memory[:])


_progress: Progress | None = None


def tick() -> None:
    """Record that the next question begins."""
    if _progress is not None:
        _progress.tick()


def subject_named(name: str) -> Any:
    return importlib.import_module(f"fuzz_{name}")


def fingerprint_of(failure: dict[str, Any]) -> str:
    """A key that cases with the same cause probably share: the kind of failure and the words of each document."""
    words: list[str] = []
    for name, document in sorted(failure["case"].items()):
        if isinstance(document, dict):
            words.append(f"{name}:{','.join(sorted(_words(document)))}")
    return f"{failure['kind']} {' '.join(words)}"


def _words(value: Any) -> set[str]:
    found: set[str] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            found.update(key for key in part if len(key) > 3 and key[0] not in "^px")
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return found


def work(name: str, seed: int, state: str) -> None:
    """The main loop of a worker process: one batch for each line of input."""
    global _progress
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    subject = subject_named(name)
    _progress = Progress(state)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_batch(subject, seed, json.loads(line))) + "\n")
        sys.stdout.flush()


def _batch(subject: Any, seed: int, request: dict[str, Any]) -> dict[str, Any]:
    tally = Tally()
    failures: list[dict[str, Any]] = []
    seen: Counter[str] = Counter()
    for index in range(request["from"], request["to"]):
        assert _progress is not None
        _progress.start(index)
        for failure in subject.run(seed, index, tally):
            tally.add("failures")
            tally.add(f"failure: {failure.kind}")
            seen[failure.kind] += 1
            if seen[failure.kind] <= request["reduce"]:
                failures.append({**small(subject, failure).as_json(), "index": index})
    return {"counts": dict(tally.counts), "failures": failures}


def small(subject: Any, failure: Failure, seconds: float = 8.0) -> Failure:
    """The failure with its case made as small as possible."""

    def shows(case: dict[str, Any]) -> bool:
        try:
            return bool(subject.still(failure.kind, case))
        except (MemoryError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            # no longer a case of this kind
            return False

    if not shows(failure.case):
        return failure
    return Failure(
        failure.kind, reduced(failure.case, shows, documents=subject.DOCUMENTS, seconds=seconds), failure.note
    )


class Child:
    """A worker process, from its parent's side."""

    def __init__(self, name: str, seed: int, hash_seed: int, folder: str) -> None:
        self.hash_seed = hash_seed
        self.state = Path(folder) / f"{name}-{hash_seed}-{time.monotonic_ns()}"
        self.state.write_bytes(bytes(_STATE.size))
        self.progress = Progress(str(self.state))
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "fuzz.py"), "--worker", name, str(seed), str(self.state)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.state.with_suffix(".err").open("w"),
            text=True,
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "RUST_BACKTRACE": "0"},
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """The reply; ``None`` if the worker was killed because it did not answer, or died."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(done,), daemon=True)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            watcher.start()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        finally:
            done.set()
        return json.loads(line) if line else None

    def _watch(self, done: threading.Event) -> None:
        last, since = -1, time.monotonic()
        while not done.wait(0.5):
            beats = self.progress.read()[2]
            if beats != last:
                last, since = beats, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                self.process.kill()
                return

    def last_words(self) -> str:
        """The last output of the worker before it died."""
        return self.state.with_suffix(".err").read_text(encoding="utf-8", errors="replace")[-600:].strip()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(OSError):
            self.state.unlink()


class Run:
    """One run of one subject.

    Args:
        name: of the subject.
        seed: of the run; together with the index of a case it determines all questions.
        seconds: duration.
        processes: number of workers.
        cases: maximum number of cases.
    """

    def __init__(self, name: str, seed: int, seconds: float, processes: int = 2, cases: int | None = None) -> None:
        self.subject = subject_named(name)
        self.name, self.seed, self.seconds, self.processes = name, seed, seconds, processes
        self.cases = cases if cases is not None else 1 << 60
        self.counts: Counter[str] = Counter()
        self.failures: dict[str, dict[str, Any]] = {}
        self.hash_seeds: set[int] = set()
        self._lock = threading.Lock()
        self._next = 0
        self._rng = random.Random(seed)
        self._reduced = 0
        self._folder = ""
        self._until = 0.0

    def go(self) -> None:
        """Fuzz until the time is up."""
        start = time.monotonic()
        self._until = start + self.seconds
        with tempfile.TemporaryDirectory(prefix="mcp-governor-fuzz-") as self._folder:
            threads = [threading.Thread(target=self._serve) for _ in range(self.processes)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.elapsed = time.monotonic() - start

    def _serve(self) -> None:
        child: Child | None = None
        batches = 0
        try:
            while (task := self._task()) is not None:
                if child is None or batches >= LIFE:
                    if child is not None:
                        child.close()
                    child, batches = self._child(), 0
                batches += 1
                reply = child.ask(task)
                if reply is None:
                    self._lost(child)
                    child.close()
                    child = None
                else:
                    self._take(reply)
        finally:
            if child is not None:
                child.close()

    def _child(self) -> Child:
        with self._lock:
            hash_seed = self._rng.randrange(1, 1 << 32)
            self.hash_seeds.add(hash_seed)
        return Child(self.name, self.seed, hash_seed, self._folder)

    def _task(self) -> dict[str, Any] | None:
        with self._lock:
            if time.monotonic() > self._until or self._next >= self.cases:
                return None
            first = self._next
            self._next = min(first + self.subject.BATCH, self.cases)
            return {"from": first, "to": self._next, "reduce": 2 if self._reduced < MAX_REDUCED else 0}

    def _take(self, reply: dict[str, Any]) -> None:
        with self._lock:
            self.counts.update(reply["counts"])
            self._reduced += len(reply["failures"])
            for failure in reply["failures"]:
                self._keep(failure)

    def _lost(self, child: Child) -> None:
        index, position, _ = child.progress.read()
        asked = self.subject.questions(self.seed, index)
        case = asked[position - 1] if 0 < position <= len(asked) else {}
        code = child.process.wait()
        note = "no answer" if code == -9 else f"the process ended with code {code}: {child.last_words()}"
        with self._lock:
            self.counts["failures"] += 1
            self.counts["failure: hang or death"] += 1
            self._keep({"kind": "hang or death", "case": case, "note": note, "index": index})
            # the rest of the batch is abandoned
            self.counts["batches lost"] += 1

    def _keep(self, failure: dict[str, Any]) -> None:
        signature = fingerprint_of(failure)
        known = self.failures.get(signature)
        if known is None and len(self.failures) >= MAX_KEPT:
            return
        if known is None or len(json.dumps(failure["case"])) < len(json.dumps(known["case"])):
            self.failures[signature] = failure
