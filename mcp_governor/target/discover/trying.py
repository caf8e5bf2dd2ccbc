"""Start the candidates until it is known which of them is the server.

This runs code of the repository. Each command is printed before it is started; their number and time are limited.
"""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.config import Config, ServerConfig
from mcp_governor.errors import GovernorError, ServerError
from mcp_governor.surface import fingerprint
from mcp_governor.target.discover.model import SCRIPTS
from mcp_governor.target.read import read_source
from mcp_governor.target.resolve import resolve
from mcp_governor.text import one_line, visible
from mcp_governor.wire.advice import (
    advice,
    asked_variables,
    error_line,
    lacks_environment,
    needs_arguments,
    runner_fails,
    serves_http,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mcp_governor.surface import Surface
    from mcp_governor.target.discover.model import Candidate, Way

    Say = Callable[[str], None]

MAX_ATTEMPTS = 8
"""Most programs that are started in one run."""

SECONDS = 30.0
"""Timeout for an installed program, in seconds: it responds within two, on a slow machine within ten."""

INSTALLING = 120.0
"""Timeout if packages may have to be fetched first, in seconds: 50 were measured for the largest."""

TOTAL = 240.0
"""Time limit for all attempts, in seconds."""


class Answer(Struct, frozen=True):
    """A server that responded.

    Attributes:
        candidate: the candidate.
        way: how it was started.
        surface: its surface.
    """

    candidate: Candidate
    way: Way
    surface: Surface


class Failure(Struct, frozen=True):
    """A program that is not a usable server.

    Attributes:
        candidate, way: what was tried.
        reason: the reason, on one line.
        asked: environment variables that it asked for.
        one_is_enough: true if one of these is enough.
        arguments: true if it asked for arguments.
        unprepared: true if something that it needs is not installed or built.
        empty: true if it responded but publishes no tools.
        http: hint for a program that listens on a port; empty for others.
        runner: hint about a package runner that fails whatever it is to start; empty for others.
        spoke: true if it ran and ended with words of its own, whatever they mean.
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
    runner: str = ""
    spoke: bool = False

    @property
    def answered_itself(self) -> bool:
        """True if the program ran and reported what it needs, so that another way to start it would not help."""
        return bool(self.asked or self.arguments or self.empty or self.http)

    @property
    def is_the_server(self) -> bool:
        """True if no other program of the project may be taken instead: users start its scripts, and an object or a
        module can publish other tools than a script that a setting keeps from starting."""
        return self.answered_itself or (self.spoke and self.candidate.stage == SCRIPTS)


def config_of(name: str, keys: Mapping[str, Any], target: str, root: Any, base: Config) -> Config:
    """The configuration of a server that is not configured yet.

    Args:
        name: name of the server.
        keys: its table, as in TOML; empty if ``target`` is enough.
        target: the TARGET in that case.
        root: the folder where the configuration will be written.
        base: timeouts and environment from the command line.
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


def try_candidates(candidates: Sequence[Candidate], base: Config, say: Say) -> tuple[list[Answer], list[Failure]]:
    """Start candidates and read their surfaces: the servers that responded, and the failures, in order.

    In each project, the candidates of a stage are tried only if none of an earlier stage responded.

    Args:
        candidates: the candidates in order, grouped by project.
        base: timeouts and environment from the command line.
        say: receives each line to show: the command before it is started, and the result.
    """
    trial = _Trial(base, say)
    for _, project in groupby(candidates, lambda candidate: candidate.folder):
        trial.project(list(project))
    return trial.answers, trial.failures


class _Trial:
    def __init__(self, base: Config, say: Say) -> None:
        self._base = base
        self._say = say
        self._end = time.monotonic() + TOTAL
        self._started = 0
        self._failing: set[str] = set()
        self.answers: list[Answer] = []
        self.failures: list[Failure] = []

    def project(self, candidates: list[Candidate]) -> None:
        """Try the candidates of one project."""
        before, failed = len(self.answers), len(self.failures)
        self._failing = set()
        for _, stage in groupby(candidates, lambda candidate: candidate.stage):
            for candidate in stage:
                self._candidate(candidate)
            said = any(failure.is_the_server for failure in self.failures[failed:])
            if len(self.answers) > before or said:
                return

    def _candidate(self, candidate: Candidate) -> None:
        for way in candidate.ways:
            left = self._end - time.monotonic()
            if self._started >= MAX_ATTEMPTS or left <= 0:
                return
            program = "".join(way.keys.get("command", ())[:1])
            if program in self._failing:
                continue
            result = self._attempt(candidate, way, left)
            if isinstance(result, Failure):
                self.failures.append(result)
                self._say(f"  {result.reason}")
                if result.runner:
                    self._failing.add(program)
                if result.answered_itself or not result.unprepared:
                    return
            else:
                if result is not None:
                    self.answers.append(result)
                return

    def _attempt(self, candidate: Candidate, way: Way, left: float) -> Answer | Failure | None:
        """Start one program; ``None`` if it is a server that responded before."""
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
            surface = read_source(resolve(None, config))
        except GovernorError as error:
            return _failure(candidate, way, error, tuple(self._base.launch.env))
        if not surface.entries:
            return Failure(candidate, way, "responds, but publishes no tools", empty=True)
        info = surface.server
        name = " ".join(str(info[key]) for key in ("name", "version") if info.get(key))
        tools = f"{len(surface.tools)} tool{'' if len(surface.tools) == 1 else 's'}"
        self._say(f"  answers: {one_line(name, 80) or 'a server without a name'}, {tools}")
        if any(_same(answer, candidate, surface) for answer in self.answers):
            return None
        return Answer(candidate, way, surface)


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
    wanted = needs_arguments(said) and not asked
    message = error.message.partition(f"{way.shown}: ")[2] or error.message
    unprepared = not asked and not wanted and (lacks_environment(said) or not said)
    line = visible(error_line(said))
    reason = f"{message} It said: {line}" if line else message
    return Failure(
        candidate,
        way,
        one_line(reason, 400),
        asked=tuple(asked),
        one_is_enough=one_is_enough,
        arguments=wanted,
        unprepared=unprepared,
        http=serves_http(said) if not asked else "",
        runner=(advice(said) or f"See why it fails: {way.shown}") if runner_fails(said) else "",
        spoke=bool(said) and not unprepared,
    )
