"""An evaluation as a file: JSON Lines that can be reviewed, compared in git, and replayed.

The first line states the format; then come the tools, the queries, and each runner with its answers, one object a line,
in an order that depends on the content alone. The same evaluation has the same bytes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import FileFormatError, GovernorError
from mcp_governor.evaluation.executed import Executed
from mcp_governor.evaluation.model import Answer, Choice, Run, RunnerInfo, Usage
from mcp_governor.evaluation.queries import as_line, parse_set
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.secrets import redact
from mcp_governor.surface.file import MAX_VALUES
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mcp_governor.evaluation.model import QuerySet

FORMAT = "mcp-governor/evaluation-record-1"
"""Format and version of a recorded evaluation."""

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


def _record(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    yield {
        "format": FORMAT,
        "server": evaluation.server,
        "fingerprint": evaluation.fingerprint,
        "wording": evaluation.wording,
        "queries": {"name": evaluation.queries.name, "digest": evaluation.queries.digest},
        "seed": evaluation.seed,
        "split": evaluation.split,
        "started": evaluation.started,
    }
    for tool in evaluation.tools:
        yield {"tool": dict(tool)}
    for query in evaluation.queries.queries:
        yield {"query": as_line(query)}
    for run in evaluation.runs:
        yield {"runner": runner_json(run.runner), "started": run.started, "ended": run.ended}
        for answer in run.answers:
            yield {"answer": answer_json(answer)}


def runner_json(info: RunnerInfo) -> dict[str, Any]:
    """A runner as JSON."""
    return {
        "name": info.name,
        "family": info.family,
        "model": info.model,
        "proxy": info.is_proxy,
        "temperature": info.temperature,
        "version": info.version,
        "endpoint": info.endpoint,
        "system": info.system,
    }


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer as JSON, without what is empty."""
    usage = answer.usage
    made: dict[str, Any] = {"query": answer.query, "calls": [_choice_json(choice) for choice in answer.choices]}
    made |= {"text": answer.text} if answer.text else {}
    made |= {"refused": True} if answer.refused else {}
    made |= {"failure": answer.failure} if answer.failure is not None else {}
    made |= {"detail": answer.detail} if answer.detail else {}
    made |= {"served": answer.served} if answer.served else {}
    made |= {"scores": list(answer.scores)} if answer.scores else {}
    if answer.outcome is not None:
        made["outcome"] = {"status": answer.outcome.status, "kind": answer.outcome.kind, "said": answer.outcome.said}
    made["usage"] = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "dollars": usage.dollars,
        "seconds": usage.seconds,
        "requests": usage.requests,
    }
    return made


def _choice_json(choice: Choice) -> dict[str, Any]:
    if choice.arguments is None:
        return {"tool": choice.tool, "raw": choice.raw}
    return {"tool": choice.tool, "arguments": dict(choice.arguments)}


def read_record(path: Path) -> Evaluation:
    """Read a recorded evaluation.

    Raises:
        FileFormatError: the file cannot be read, or a line is not part of this format; the message has its number.
    """
    return parse_record(_bytes_of(path), visible(str(path)))


def _bytes_of(path: Path) -> bytes:
    shown = visible(str(path))
    try:
        return read_bytes(path, limit=MAX_RECORD)
    except FileNotFoundError:
        raise FileFormatError(
            f"{shown} does not exist.", f"Record an evaluation: mcp-governor eval run --record {shown}"
        ) from None
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None


class Head(Struct, frozen=True):
    """What a recorded evaluation is about.

    Attributes:
        fingerprint, wording: digests of the surface.
        models: names of the models that answered; proxies are not models.
    """

    fingerprint: str
    wording: str
    models: tuple[str, ...]


def read_head(path: Path) -> Head:
    """What a recorded evaluation is about.

    Raises:
        FileFormatError: as for :func:`read_record`.
    """
    made = parse_record(_bytes_of(path), visible(str(path)))
    answered = (run for run in made.runs if any(answer.failure is None for answer in run.answers))
    return Head(made.fingerprint, made.wording, tuple(run.runner.name for run in answered if not run.runner.is_proxy))


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
    reader = _Reader(shown)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            reader.read(number, line)
    return reader.evaluation()


class _WrongLineError(Exception):
    """A line is not part of the format; the message is the end of a sentence."""


class _Reader:
    """Reads one line after the other."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._head: dict[str, Any] | None = None
        self._tools: list[Mapping[str, Any]] = []
        self._queries: list[bytes] = []
        self._runs: list[tuple[RunnerInfo, str, str | None, list[Answer]]] = []

    def read(self, number: int, line: bytes) -> None:
        try:
            try:
                value = read_json(line)
            except (ValueError, RecursionError):
                raise _WrongLineError("is not JSON") from None
            if not isinstance(value, dict) or exceeds_depth(value, MAX_DEPTH):
                raise _WrongLineError("is not a JSON object of this format")
            self._take(value)
        except _WrongLineError as error:
            raise FileFormatError(
                f"{self._shown}:{number}: the line {error}.", "Record the evaluation again: mcp-governor eval run"
            ) from None

    def _take(self, value: dict[str, Any]) -> None:
        if self._head is None:
            stated = value.get("format")
            if stated != FORMAT:
                raise _WrongLineError(f"does not state the format {FORMAT}, but {one_line(json.dumps(stated), 60)}")
            self._head = value
        elif isinstance(tool := value.get("tool"), dict):
            _get(tool, "name", str)
            self._tools.append(tool)
        elif isinstance(query := value.get("query"), dict):
            self._queries.append(json.dumps(query).encode())
        elif isinstance(runner := value.get("runner"), dict):
            ended = value.get("ended")
            if ended is not None and not isinstance(ended, str):
                raise _WrongLineError('has an "ended" that is not a string')
            self._runs.append((_runner(runner), _get(value, "started", str), ended, []))
        elif isinstance(answer := value.get("answer"), dict):
            if not self._runs:
                raise _WrongLineError("has an answer before the first runner")
            self._runs[-1][3].append(parse_answer(answer))
        else:
            raise _WrongLineError("has no tool, query, runner or answer")

    def evaluation(self) -> Evaluation:
        if self._head is None:
            raise FileFormatError(f"{self._shown} is empty.", "Record an evaluation: mcp-governor eval run")
        head = self._head
        try:
            named = _get(head, "queries", dict)
            name = _get(named, "name", str)
            strings = {key: _get(head, key, str) for key in ("fingerprint", "wording", "server", "started", "split")}
            seed = _get(head, "seed", int)
        except _WrongLineError as error:
            raise FileFormatError(f"{self._shown}:1: the line {error}.", "Record the evaluation again.") from None
        try:
            queries, problems = parse_set(b"\n".join(self._queries), name, shown=self._shown)
        except GovernorError as error:
            raise FileFormatError(f"{self._shown} cannot be used: {error.message}", "Record it again.") from None
        if problems:
            raise FileFormatError(
                f"{self._shown}: a query cannot be used: {problems[0].message}", "Record the evaluation again."
            )
        known = {query.id for query in queries.queries}
        runs = []
        for info, started, ended, answers in self._runs:
            lost = next((answer.query for answer in answers if answer.query not in known), None)
            if lost is not None:
                raise FileFormatError(
                    f'{self._shown}: an answer is to the query "{one_line(lost, 60)}", which is not in the file.',
                    "Record the evaluation again.",
                )
            runs.append(
                Run(
                    runner=info,
                    queries=queries,
                    answers=tuple(answers),
                    fingerprint=strings["fingerprint"],
                    wording=strings["wording"],
                    seed=seed,
                    started=started,
                    server=strings["server"],
                    ended=ended,
                )
            )
        return Evaluation(queries=queries, tools=tuple(self._tools), runs=tuple(runs), seed=seed, **strings)


def _get(value: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
    found = value.get(key)
    if not isinstance(found, kind) or (kind is not bool and isinstance(found, bool)):
        raise _WrongLineError(f'has no "{key}" of type {kind.__name__}')
    return found


def _number(value: Mapping[str, Any], key: str) -> float | None:
    found = value.get(key)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise _WrongLineError(f'has a "{key}" that is not a number')
    return found


def _runner(value: Mapping[str, Any]) -> RunnerInfo:
    return RunnerInfo(
        name=_get(value, "name", str),
        family=_get(value, "family", str),
        model=_get(value, "model", str),
        is_proxy=_get(value, "proxy", bool),
        temperature=_number(value, "temperature"),
        version=_get(value, "version", str),
        endpoint=_get(value, "endpoint", str),
        system=_get(value, "system", str),
    )


def parse_answer(value: Mapping[str, Any]) -> Answer:
    """An answer from its JSON.

    Raises:
        Exception: the value is not an answer; the message is the end of a sentence.
    """
    usage = _get(value, "usage", dict)
    failure = value.get("failure")
    if failure is not None and not isinstance(failure, str):
        raise _WrongLineError('has a "failure" that is not a string')
    scores = value.get("scores", [])
    if not isinstance(scores, list) or any(isinstance(one, bool) or not isinstance(one, int | float) for one in scores):
        raise _WrongLineError('has "scores" that are not numbers')
    return Answer(
        query=_get(value, "query", str),
        choices=tuple(map(_choice, _get(value, "calls", list))),
        text=_get({"text": "", **value}, "text", str),
        refused=_get({"refused": False, **value}, "refused", bool),
        failure=failure,
        detail=_get({"detail": "", **value}, "detail", str),
        served=_get({"served": "", **value}, "served", str),
        scores=tuple(scores),
        outcome=_outcome(value.get("outcome")),
        usage=Usage(
            input_tokens=_get(usage, "input_tokens", int),
            output_tokens=_get(usage, "output_tokens", int),
            cached_tokens=_get(usage, "cached_tokens", int),
            dollars=_number(usage, "dollars"),
            seconds=_number(usage, "seconds") or 0.0,
            requests=_get(usage, "requests", int),
        ),
    )


def _outcome(value: Any) -> Executed | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _WrongLineError('has an "outcome" that is not an object')
    return Executed(_get(value, "status", str), _get(value, "kind", str), _get(value, "said", str))


def _choice(value: Any) -> Choice:
    if not isinstance(value, dict):
        raise _WrongLineError("has a call that is not an object")
    arguments = value.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise _WrongLineError("has arguments that are not an object")
    return Choice(_get(value, "tool", str), arguments, _get({"raw": "", **value}, "raw", str))
