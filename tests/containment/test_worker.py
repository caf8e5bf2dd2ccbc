"""The child process for what cannot be interrupted."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from mcp_governor.containment.worker import Worker, answer

ANY = ["{}", 20]
TEXT = ['{"type":"string"}', 20]
EVIL = ['{"pattern":"^(a+)+$"}', 20]


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def soon() -> float:
    return time.monotonic() + 60


def accepts(*schemas: list[object], value: object) -> dict[str, object]:
    return {"ask": "accepts", "schemas": list(schemas), "value": value}


def test_it_answers_like_the_function_it_runs(worker: Worker) -> None:
    covers = {"ask": "covers", "schemas": [ANY, TEXT], "value": None}
    assert worker.ask(covers, soon()) == answer(covers) == "yes"
    assert worker.ask(accepts(TEXT, ANY, value=5), soon()) == [False, True]
    assert worker.ask(accepts(TEXT, ANY, value="\u2028é"), soon()) == [True, True]


def test_what_takes_too_long_is_killed_and_the_next_question_answered(worker: Worker) -> None:
    worker.ask(accepts(ANY, value=1), soon())
    child = worker._child
    assert child is not None
    assert worker.ask(accepts(EVIL, value="a" * 60 + "b"), time.monotonic() + 1) is None
    assert not child.child.lives
    assert worker.ask(accepts(TEXT, value="a"), soon()) == [True]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no timers of a process")
def test_a_child_that_nobody_kills_ends_itself(worker: Worker) -> None:
    worker.ask(accepts(ANY, value=1), soon())
    child = worker._child
    assert child is not None
    child.send({**accepts(EVIL, value="a" * 60 + "b"), "seconds": -0.9})
    assert child.child.wait(60) == -signal.SIGALRM


def test_a_child_that_died_is_replaced(worker: Worker) -> None:
    worker.ask(accepts(ANY, value=1), soon())
    child = worker._child
    assert child is not None
    os.kill(child.child.pid, 9)
    child.child.wait()
    assert worker.ask(accepts(ANY, value=1), soon()) == [True]
