"""An evaluation as a file: JSON Lines that can be reviewed, compared in git, and replayed.

The first line states the format; then come the tools, the queries, and each runner with its answers, one object a line,
in an order that depends on the content alone. The same evaluation has the same bytes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.documents import Wrong, read
from mcp_governor.errors import FileFormatError, GovernorError
from mcp_governor.evaluation.model import Answer, Run, RunnerInfo
from mcp_governor.evaluation.queries import as_line, parse_set
from mcp_governor.files import MEBIBYTE, read_named
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.secrets import redact
from mcp_governor.surface.file import MAX_VALUES
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mcp_governor.evaluation.model import QuerySet

_T = TypeVar("_T")

MAX_RECORD = 64 * MEBIBYTE
"""Maximum size of a recorded evaluation in bytes: 10,000 queries to five models with two calls each take about 40."""

MAX_DEPTH = 64
"""Maximum nesting depth of a line: schemas of tools nest up to 30 levels."""


class Evaluation(Struct, frozen=True):
    """Several runners' answers to one query set over one surface.

    Attributes:
        queries: the set.
        tools: the tools that were offered, sorted by name.
        runs: one for each runner.
        fingerprint, wording: digests of the surface.
        server: name and version of the server.
        seed: seed of the orders of the tools.
        started: day and time in UTC, ISO 8601.
        split: the split that was asked; empty for the whole set.
    """

    queries: QuerySet
    tools: tuple[Mapping[str, Any], ...]
    runs: tuple[Run, ...]
    fingerprint: str
    wording: str
    server: str = ""
    seed: int = 0
    started: str = ""
    split: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that answered; proxies are not models."""
        answered = (run for run in self.runs if any(answer.failure is None for answer in run.answers))
        return tuple(run.runner.name for run in answered if not run.runner.is_proxy)


def record_text(evaluation: Evaluation) -> str:
    """The evaluation as JSON Lines, without known secrets."""
    return "".join(f"{_text(line)}\n" for line in _record(evaluation))


def answers_text(evaluation: Evaluation) -> str:
    """The same without what came of calls, by which an evaluation is known however often its calls are made."""
    runs = tuple(
        replace(run, answers=tuple(replace(answer, outcome=None) for answer in run.answers)) for run in evaluation.runs
    )
    return record_text(replace(evaluation, runs=runs))


def _text(line: Mapping[str, Any]) -> str:
    return redact(json.dumps(line, ensure_ascii=True, sort_keys=True, separators=(", ", ": ")))


class _Set(Struct, frozen=True):
    """The query set, by name and digest."""

    name: str
    digest: str = ""


class _Head(Struct, frozen=True, tag_field="format", tag="mcp-governor/evaluation-record-1"):
    """The first line: what was evaluated."""

    server: str
    fingerprint: str
    wording: str
    queries: _Set
    seed: int
    split: str
    started: str


class _Runner(Struct, frozen=True):
    """The line before the answers of a runner."""

    runner: RunnerInfo
    started: str
    ended: str | None = None


class _Answer(Struct, frozen=True):
    """The line of an answer."""

    answer: Answer


FORMAT = _Head.__struct_config__.tag


def _record(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    yield msgspec.to_builtins(msgspec.convert(evaluation, _Head, from_attributes=True))
    for tool in evaluation.tools:
        yield {"tool": dict(tool)}
    for query in evaluation.queries.queries:
        yield {"query": as_line(query)}
    for run in evaluation.runs:
        yield msgspec.to_builtins(_Runner(run.runner, run.started, run.ended))
        for answer in run.answers:
            yield {"answer": answer_json(answer)}


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer as JSON, without what is empty."""
    made: dict[str, Any] = msgspec.to_builtins(replace(answer, retry_after=None))
    for call in made["calls"]:
        if "arguments" not in call:
            call.setdefault("raw", "")
    return made


def read_record(path: Path) -> Evaluation:
    """Read a recorded evaluation.

    Raises:
        FileFormatError: the file cannot be read, or a line is not part of this format; the message has its number.
    """
    shown = visible(str(path))
    hint = f"Record an evaluation: mcp-governor eval run --record {shown}"
    return parse_record(read_named(path, shown, limit=MAX_RECORD, hint=hint), shown)


class _WrongLineError(Exception):
    """A line is not part of the format; the message is the end of a sentence."""


def parse_record(data: bytes, shown: str) -> Evaluation:
    """The evaluation in a document.

    Args:
        data: the content of a file.
        shown: its name in messages.

    Raises:
        FileFormatError: as for :func:`read_record`.
    """
    if sum(map(data.count, b"[{,")) > MAX_VALUES:
        raise FileFormatError(f"{shown} has more than {MAX_VALUES:,} values.", "Name a smaller record.")
    head: _Head | None = None
    tools: list[Mapping[str, Any]] = []
    lines: list[bytes] = []
    runs: list[tuple[_Runner, list[Answer]]] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = _object(line)
            if head is None:
                head = _head(value)
            else:
                _take(value, tools, lines, runs)
        except _WrongLineError as error:
            raise FileFormatError(
                f"{shown}:{number}: the line {error}.", "Record the evaluation again: mcp-governor eval run"
            ) from None
    if head is None:
        raise FileFormatError(f"{shown} is empty.", "Record an evaluation: mcp-governor eval run")
    queries = _queries(lines, head, shown)
    known = {query.id for query in queries.queries}
    for lost in (answer.query for _, answers in runs for answer in answers if answer.query not in known):
        raise FileFormatError(
            f'{shown}: an answer is to the query "{one_line(lost, 60)}", which is not in the file.',
            "Record the evaluation again.",
        )
    stated = {name: getattr(head, name) for name in ("fingerprint", "wording", "server", "seed", "started", "split")}
    made = tuple(Run(one.runner, tuple(answers), one.started, one.ended) for one, answers in runs)
    return Evaluation(queries, tuple(tools), made, **stated)


def _take(
    value: dict[str, Any],
    tools: list[Mapping[str, Any]],
    lines: list[bytes],
    runs: list[tuple[_Runner, list[Answer]]],
) -> None:
    """Add what a line has."""
    if isinstance(tool := value.get("tool"), dict):
        if not isinstance(tool.get("name"), str):
            raise _WrongLineError("has a tool without a name")
        tools.append(tool)
    elif isinstance(query := value.get("query"), dict):
        lines.append(json.dumps(query).encode())
    elif "runner" in value:
        runs.append((_read(_Runner, value), []))
    elif "answer" in value and runs:
        runs[-1][1].append(parse_answer(value["answer"]))
    else:
        raise _WrongLineError("has no tool, query, runner, or answer of a runner before it")


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = read_json(line)
    except (ValueError, RecursionError):
        raise _WrongLineError("is not JSON") from None
    if not isinstance(value, dict) or exceeds_depth(value, MAX_DEPTH):
        raise _WrongLineError("is not a JSON object of this format")
    return value


def _head(value: dict[str, Any]) -> _Head:
    stated = value.get("format")
    if stated != FORMAT:
        raise _WrongLineError(f"does not state the format {FORMAT}, but {one_line(json.dumps(stated), 60)}")
    return _read(_Head, value)


def _queries(lines: list[bytes], head: _Head, shown: str) -> QuerySet:
    try:
        queries, problems = parse_set(b"\n".join(lines), head.queries.name, shown=shown)
    except GovernorError as error:
        raise FileFormatError(f"{shown} cannot be used: {error.message}", "Record it again.") from None
    if problems:
        raise FileFormatError(f"{shown}: a query cannot be used: {problems[0].message}", "Record it again.")
    return queries


def _read(kind: type[_T], value: Any) -> _T:
    made = read(kind, value)
    if isinstance(made, Wrong):
        raise _WrongLineError(f"is not of this format: {made.problem}")
    return made


def parse_answer(value: Any) -> Answer:
    """An answer from its JSON.

    Raises:
        Exception: the value is not an answer; the message is the end of a sentence.
    """
    if isinstance(value, dict) and "usage" not in value:
        raise _WrongLineError('has no "usage"')
    return _read(_Answer, {"answer": value}).answer
