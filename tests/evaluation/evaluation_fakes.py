"""Runners without a network, tools, queries and a clock that jumps, for tests of evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcp_governor.evaluation.model import (
    Answer,
    Choice,
    Estimate,
    Kind,
    Offer,
    Query,
    QuerySet,
    Run,
    RunnerInfo,
    Usage,
)
from mcp_governor.evaluation.queries import digest
from mcp_governor.evaluation.record import Evaluation

TOOLS: tuple[Mapping[str, Any], ...] = tuple(
    {
        "name": name,
        "description": f"Use this when you need to {name.replace('_', ' ')}.",
        "inputSchema": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "text": {"type": "string"}},
            "required": ["id"],
            "additionalProperties": False,
        },
    }
    for name in ("add_note", "delete_note", "find_note", "list_notes")
)
SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in TOOLS}
SURFACE = {"fingerprint": "v1:sha256:" + "a" * 64, "wording": "w1:sha256:" + "b" * 64, "server": "notes 1.0.0"}
STARTED = "2026-11-23T10:00:00+00:00"


def query(number: int, gold: str = "find_note", **more: Any) -> Query:
    """A query about one tool."""
    kind = more.pop("kind", Kind.POSITIVE if gold else Kind.ABSTAIN)
    return Query(f"q{number}", f"Please do thing {number}", (gold,) if gold else (), kind, **more)


def query_set(*queries: Query) -> QuerySet:
    return QuerySet("notes.jsonl", queries, digest(queries))


def answer(number: int, *tools: str, **more: Any) -> Answer:
    """An answer that calls tools with an id."""
    return Answer(f"q{number}", tuple(Choice(tool, {"id": 1}) for tool in tools), **more)


def info(name: str = "anthropic:one", *, proxy: bool = False, **more: Any) -> RunnerInfo:
    family, _, model = name.partition(":")
    return RunnerInfo(name, "proxy" if proxy else family, model or name, proxy, **more)


def run(*answers: Answer, runner: RunnerInfo | None = None, ended: str | None = None) -> Run:
    return Run(runner or info(), answers, STARTED, ended)


def evaluation(queries: QuerySet, *runs: Run, **more: Any) -> Evaluation:
    return Evaluation(queries, TOOLS, runs, **{**SURFACE, "started": STARTED, **more})


class FakeRunner:
    """Answers from a function, or from a script of answers for each query.

    Args:
        name: of the runner.
        reply: query, offer, number of the attempt → answer, or an exception.
    """

    def __init__(
        self,
        name: str = "anthropic:one",
        reply: Callable[[Query, Offer, int], Answer] | None = None,
        *,
        proxy: bool = False,
    ) -> None:
        self.info = info(name, proxy=proxy)
        self.reply = reply or (lambda asked, _offer, _attempt: right(asked))
        self.sent: list[str] = []
        self.closed = False

    async def answer(self, query: Query, offer: Offer) -> Answer:
        self.sent.append(query.id)
        return self.reply(query, offer, self.sent.count(query.id))

    def estimate(self, query: Query, offer: Offer) -> Estimate | None:
        return None

    async def aclose(self) -> None:
        self.closed = True


class PricedRunner(FakeRunner):
    """A runner whose requests cost money."""

    def __init__(self, *args: Any, most: float | None = 0.01, **more: Any) -> None:
        super().__init__(*args, **more)
        self.most = most

    def estimate(self, query: Query, offer: Offer) -> Estimate:
        return Estimate(100, 50, None if self.most is None else self.most / 2, self.most)


def right(asked: Query, *, dollars: float | None = 0.004) -> Answer:
    choices = tuple(Choice(tool, {"id": 1}) for tool in asked.gold[:1])
    return Answer(asked.id, choices, usage=Usage(100, 10, 0, dollars))


class FakeClock:
    """A clock that jumps when somebody waits."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        import anyio

        self.waits.append(round(seconds, 3))
        self.time += seconds
        await anyio.lowlevel.checkpoint()
