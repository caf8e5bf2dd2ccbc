"""Finding the server for ``init``: what the repository holds is tried, and the one that answers is taken."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.cli import out
from mcp_governor.cli.init_plan import Plan, launch_keys, name_of
from mcp_governor.errors import Exit, UnreachableError, UsageError
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.config import Config
    from mcp_governor.target.discover import Found
    from mcp_governor.target.discover.trying import Answer, Failure, Outcome

_SHOWN = 8
"""Servers, variables or entries that one message names."""


def found_plan(root: Path, config: Config) -> Plan:
    """The plan for the server of this repository.

    Args:
        root: the folder that ``init`` runs in.
        config: what the command line says of times and of the environment.

    Raises:
        UsageError: no server is there, or several are; the hint is the command to type.
        UnreachableError: none of those that are there answers.
    """
    from mcp_governor.target.discover import discover
    from mcp_governor.target.discover.trying import try_candidates

    found = discover(root)
    if not found.candidates:
        raise _nothing(found)
    out.echo("Looking for the server of this repository. Each command is started as it is shown.", err=True)
    outcome = try_candidates(found.candidates, config, lambda line: out.echo(line, err=True))
    if not outcome.answers:
        raise _no_answer(found, outcome)
    if len(outcome.answers) > 1:
        raise _several(outcome.answers, root)
    (answer,) = outcome.answers
    candidate, way = answer.candidate, answer.way
    name = name_of(candidate.name, candidate.folder)
    more = launch_keys(config.launch, way.keys, config.launch.env) if way.keys else {}
    target = name if way.keys else way.target
    env = config.launch.env
    return Plan(name, {**way.keys, **more}, target, candidate.found_in, candidate.folder, env, answer.surface)


def _nothing(found: Found) -> UsageError:
    if found.others:
        shown = _listed([f"mcp-governor init {visible(other)}" for other in found.others])
        return UsageError("No MCP server of this repository was found.", f"If one of these is it, run: {shown}")
    return UsageError(
        "No MCP server was found in this folder.",
        "Name it: mcp-governor init -- COMMAND, or mcp-governor init python:package.module:attribute",
    )


def _several(answers: Sequence[Answer], root: Path) -> UsageError:
    commands = []
    for answer in answers:
        folder = os.path.relpath(answer.candidate.folder, root)
        if folder != "." and answer.candidate.folder not in [
            other.candidate.folder for other in answers if other is not answer
        ]:
            commands.append(f"cd {one_line(folder, 80)} && mcp-governor init")
        else:
            into = "" if folder == "." else f"cd {one_line(folder, 80)} && "
            commands.append(f"{into}mcp-governor init {one_line(answer.way.typed, 120)}")
    return UsageError(f"{len(answers)} different servers answer.", f"Choose one: {_listed(commands, '; or: ')}")


def _no_answer(found: Found, outcome: Outcome) -> UnreachableError | UsageError:
    count = len(outcome.failures)
    tried = "The one server that was found does not answer." if count == 1 else "No server that was found answers."
    if not outcome.failures:
        return UsageError("No server was tried in time.", "Name it: mcp-governor init -- COMMAND")
    error = UnreachableError(tried, _next_step(found, outcome.failures))
    error.exit_code = Exit.UNREACHABLE
    return error


def _next_step(found: Found, failures: Sequence[Failure]) -> str:
    """The one thing to do, for the program that came closest to an answer."""
    for failure in failures:
        if failure.asked:
            return _variables(failure)
    for failure in failures:
        if failure.arguments:
            return f"It needs arguments. Write them: mcp-governor init {one_line(failure.way.typed, 160)} ARGUMENTS"
    for failure in failures:
        if failure.unprepared and failure.way.prepare:
            folder = os.path.relpath(failure.candidate.folder, Path.cwd())
            into = "" if folder == "." else f"cd {one_line(folder, 80)} && "
            return f"Run: {into}{failure.way.prepare}\n  Then run mcp-governor init again."
    shown = one_line(failures[0].way.typed, 160)
    if found.variables:
        files = ", ".join(dict.fromkeys(found.variables.values()))
        options = " ".join(f"--env {name}" for name in list(found.variables)[:_SHOWN])
        return (
            "It may need variables: servers get none but those that are named. "
            f"Set those that it needs and name them, for example (from {files}): mcp-governor init {options}"
        )
    if any(failure.empty for failure in failures):
        return "Servers get no variables but those that are named. If it needs some: mcp-governor init --env NAME"
    return f"Start it by hand and see what it lacks, then run: mcp-governor init {shown}"


def _variables(failure: Failure) -> str:
    names = failure.asked[:1] if failure.one_is_enough else failure.asked
    asked = " or ".join(failure.asked) if failure.one_is_enough else ", ".join(failure.asked)
    options = " ".join(f"--env {name}" for name in names)
    which = "it" if len(names) == 1 else "them"
    return (
        f"It asks for {asked}. Set {which} in your environment and run: mcp-governor init {options}\n"
        "  Variables that stand in a file: mcp-governor init --env-file FILE"
    )


def _listed(items: Sequence[str], between: str = ", ") -> str:
    more = f" … ({len(items)} in all)" if len(items) > _SHOWN else ""
    return between.join(one_line(item, 160) for item in items[:_SHOWN]) + more
