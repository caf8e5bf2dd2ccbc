"""Starting what was found, until it is known which of it is the server.

This runs code of the repository. Each command is said before it is started; how many there are and how long they may
take is bounded.
"""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from mcp_governor.config import Config, ServerConfig
from mcp_governor.errors import GovernorError, ServerError
from mcp_governor.frozen import frozen
from mcp_governor.surface import fingerprint
from mcp_governor.target.read import read_source
from mcp_governor.target.resolve import resolve
from mcp_governor.text import one_line, visible
from mcp_governor.wire.advice import asked_variables, lacks_environment, serves_http, telling_line, wants_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mcp_governor.surface import Surface
    from mcp_governor.target.discover.model import Candidate, Way
    from mcp_governor.target.model import Source

    Say = Callable[[str], None]

MOST_ATTEMPTS = 8
"""Programs that are started in one run. What is left is named, for the user to choose from."""

SECONDS = 30.0
"""For a program that is installed: it answers within one or two, on a slow machine within ten."""

INSTALLING = 120.0
"""For a program whose packages may have to be fetched first: 50 seconds were measured for the largest."""

SECOND = 15.0
"""For each further program of a project where one has answered already."""

TOTAL = 240.0
"""Seconds for all attempts. What is left then is named."""


@frozen
class Answer:
    """A server that answered.

    Attributes:
        candidate: what was tried.
        way: how it was started.
        source: how it is reached now.
        surface: what it publishes.
    """

    candidate: Candidate
    way: Way
    source: Source
    surface: Surface


@frozen
class Failure:
    """A program that did not answer.

    Attributes:
        candidate, way: what was tried.
        reason: one line.
        asked: environment variables that it asked for.
        one_is_enough: one of these is enough.
        arguments: it asked for arguments.
        unprepared: something that it needs is not installed or not built.
        empty: it answered, and publishes no tools.
        http: what to do about a program that waits on a port; empty for any other.
    """

    candidate: Candidate
    way: Way
    reason: str
    asked: tuple[str, ...] = ()
    one_is_enough: bool = False
    arguments: bool = False
    unprepared: bool = False
    empty: bool = False
    http: str = ""

    @property
    def answered_itself(self) -> bool:
        """Whether the program ran and said what it lacks, so that another way to start it lacks the same."""
        return bool(self.asked or self.arguments or self.empty or self.http)


@frozen
class Outcome:
    """What trying found.

    Attributes:
        answers: one for each server that answered.
        failures: in the order of trying.
        untried: what the limits left over.
    """

    answers: tuple[Answer, ...]
    failures: tuple[Failure, ...]
    untried: tuple[Candidate, ...]


def config_of(name: str, keys: Mapping[str, Any], target: str, root: Any, base: Config) -> Config:
    """The configuration of one server that no file describes yet.

    Args:
        name: of the server.
        keys: its table, as TOML would hold it; empty where ``target`` says it all.
        target: the TARGET then.
        root: the folder that the configuration will lie in.
        base: what the command line says of times and of the environment.
    """
    table: dict[str, Any] = {
        {"with": "with_"}.get(key, key.replace("-", "_")): tuple(value) if isinstance(value, list) else value
        for key, value in keys.items()
    }
    servers = {name: ServerConfig(name=name, **table)} if keys else {}
    return replace(
        Config(root=root, target=name if keys else target, servers=servers),
        timeout=base.timeout,
        start_timeout=base.start_timeout,
        launch=base.launch,
    )


def try_candidates(candidates: Sequence[Candidate], base: Config, say: Say) -> Outcome:
    """Start candidates and read their surfaces.

    In each project the candidates of a stage are tried where no earlier stage answered.

    Args:
        candidates: in order, those of one project together.
        base: times and environment, as the command line says them.
        say: gets each line to show: what is started, before it is, and what came of it.
    """
    return _Trial(base, say).of(candidates)


class _Trial:
    def __init__(self, base: Config, say: Say) -> None:
        self._base = base
        self._say = say
        self._end = time.monotonic() + TOTAL
        self._started = 0
        self._answers: list[Answer] = []
        self._failures: list[Failure] = []
        self._untried: list[Candidate] = []
        # Environments of this project that cannot be made: no other program is started in them.
        self._broken: set[str] = set()

    def of(self, candidates: Sequence[Candidate]) -> Outcome:
        for _, project in groupby(candidates, lambda candidate: candidate.folder):
            self._project(list(project))
        return Outcome(tuple(self._answers), tuple(self._failures), tuple(self._untried))

    def _project(self, candidates: list[Candidate]) -> None:
        before, failed = len(self._answers), len(self._failures)
        self._broken.clear()
        for _, stage in groupby(candidates, lambda candidate: candidate.stage):
            for candidate in stage:
                self._candidate(candidate, another=len(self._answers) > before)
            said = any(failure.answered_itself for failure in self._failures[failed:])
            if len(self._answers) > before or said:
                return

    def _candidate(self, candidate: Candidate, *, another: bool) -> None:
        for way in candidate.ways:
            if way.installs in self._broken:
                continue
            left = self._end - time.monotonic()
            if self._started >= MOST_ATTEMPTS or left <= 0:
                self._untried.append(candidate)
                return
            result = self._attempt(candidate, way, min(left, SECOND) if another else left)
            if isinstance(result, Failure):
                self._failures.append(result)
                self._say(f"  {result.reason}")
                if result.answered_itself or not result.unprepared:
                    return
                if way.installs:
                    self._broken.add(way.installs)
            else:
                if result is not None:
                    self._answers.append(result)
                return

    def _attempt(self, candidate: Candidate, way: Way, left: float) -> Answer | Failure | None:
        """One start; ``None`` where the server that answers is one that answered before."""
        shown = one_line(way.shown, 120)
        if way.missing:
            self._say(f"Not trying {shown}  ({one_line(candidate.found_in, 80)})")
            return Failure(candidate, way, f"{one_line(way.missing, 80)} does not exist", unprepared=True)
        self._say(f"Trying {shown}  ({one_line(candidate.found_in, 80)})")
        self._started += 1
        seconds = self._base.start_timeout or (INSTALLING if way.installs else SECONDS)
        base = replace(self._base, start_timeout=min(seconds, left), timeout=min(self._base.timeout, left))
        if way.target:
            base = replace(base, launch=type(base.launch)())
        config = config_of(candidate.name, way.keys, way.target, candidate.folder, base)
        try:
            source = resolve(None, config)
            surface = read_source(source)
        except GovernorError as error:
            return _failure(candidate, way, error, tuple(self._base.launch.env))
        if not surface.entries:
            return Failure(candidate, way, "responds, but publishes no tools", empty=True)
        info = surface.server
        told = " ".join(str(info[key]) for key in ("name", "version") if info.get(key))
        tools = f"{len(surface.tools)} tool{'' if len(surface.tools) == 1 else 's'}"
        self._say(f"  answers: {one_line(told, 80) or 'a server without a name'}, {tools}")
        if any(_same(answer, candidate, surface) for answer in self._answers):
            return None
        return Answer(candidate, way, source, surface)


def _same(answer: Answer, candidate: Candidate, surface: Surface) -> bool:
    known = answer.surface
    return (
        answer.candidate.folder == candidate.folder
        and known.server.get("name") == surface.server.get("name")
        and fingerprint(known) == fingerprint(surface)
    )


def _failure(candidate: Candidate, way: Way, error: GovernorError, given: tuple[str, ...]) -> Failure:
    said = error.said if isinstance(error, ServerError) else ""
    asked, one_is_enough = asked_variables(said, given=given)
    wanted = wants_arguments(said) and not asked
    message = error.message.partition(f"{way.shown}: ")[2] or error.message
    unprepared = not asked and not wanted and (lacks_environment(said) or not said)
    reason = " ".join(part for part in (message, _quoted(telling_line(said))) if part)
    return Failure(
        candidate,
        way,
        one_line(reason, 240),
        asked=tuple(asked),
        one_is_enough=one_is_enough,
        arguments=wanted,
        unprepared=unprepared,
        http=serves_http(said) if not asked else "",
    )


def _quoted(line: str) -> str:
    return f"It said: {visible(line)}" if line else ""
