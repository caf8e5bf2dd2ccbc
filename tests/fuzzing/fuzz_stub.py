"""A subject that misbehaves as STUB says: what the pool has to notice."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

from fuzz_pool import Failure, Tally, tick

NAME = "stub"
UNIT = "questions"
BATCH = 10
DOCUMENTS = ("list",)
BAD = 13
"""The case in which something happens."""


def questions(seed: int, index: int) -> list[dict[str, Any]]:
    return [{"list": list(range(index % 20))}]


def ask(question: dict[str, Any]) -> None:
    tick()
    if len(question["list"]) == BAD:
        if os.environ["STUB"] == "hang":
            time.sleep(600)
        if os.environ["STUB"] == "death":
            os._exit(3)


def run(seed: int, index: int, tally: Tally) -> Iterator[Failure]:
    (question,) = questions(seed, index)
    tally.add("asked")
    ask(question)
    if os.environ["STUB"] == "wrong" and still("too long", question):
        yield Failure("too long", question, "a list of more than three")


def still(kind: str, case: dict[str, Any]) -> bool:
    return len(case["list"]) > 3


def replay(case: dict[str, Any]) -> list[Failure]:
    return [Failure("too long", case)] if still("too long", case) else []
