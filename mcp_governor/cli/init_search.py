"""Find the server for ``init``: try the candidates in the repository, and use the one that responds."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.cli import out
from mcp_governor.cli.init_plan import Plan, launched, name_of
from mcp_governor.config.load import DEFAULT_MANIFEST
from mcp_governor.errors import NothingCheckedError, UnreachableError, UsageError
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.config import Config
    from mcp_governor.errors import GovernorError
    from mcp_governor.target.discover import Found
    from mcp_governor.target.discover.trying import Answer, Failure

_SHOWN = 8
"""Servers, variables or entries that one message names."""


def found_plan(root: Path, config: Config) -> Plan:
    """The plan for the server of this repository.

    Args:
        root: the folder that ``init`` runs in.
        config: timeouts and environment from the command line.

    Raises:
        UsageError: no server is there, or several are; the hint is the command to type.
        UnreachableError: none of those that are there answers.
    """
    from mcp_governor.target.discover import discover
    from mcp_governor.target.discover.trying import try_candidates

    found = discover(root)
    if found.others:
        out.echo("Not started unless you name it:", err=True)
        for way in found.others[:_SHOWN]:
            said = f"  ({one_line(way.says, 160)})" if way.says else ""
            out.echo(f"  mcp-governor init {one_line(way.typed, 160)}{said}", err=True)
        if len(found.others) > _SHOWN:
            out.echo(f"  … ({len(found.others)} in all)", err=True)
    if not found.candidates:
        raise _nothing(found)
    out.echo("Looking for the MCP server of this repository; each command is run as shown.", err=True)
    answers, failures = try_candidates(found.candidates, config, lambda line: out.echo(line, err=True))
    if not answers:
        wanted = {name: file for name, file in found.variables.items() if name not in config.launch.env}
        raise _no_answer(replace(found, variables=wanted), failures, root, sorted(config.launch.named))
    if len(answers) > 1:
        raise _several(answers, root)
    (answer,) = answers
    candidate, way = answer.candidate, answer.way
    name = name_of(candidate.name, candidate.folder)
    target = name if way.keys else way.target
    return Plan(name, launched(way.keys, config.launch), target, candidate.found_in, candidate.folder, answer.surface)


def _nothing(found: Found) -> UsageError:
    if found.others:
        shown = _listed([f"mcp-governor init {visible(other.typed)}" for other in found.others])
        return UsageError("No MCP server was found in this repository.", f"If one of these is it, run: {shown}")
    return UsageError(
        "No MCP server was found in this folder.",
        "Name the server: mcp-governor init -- COMMAND, or mcp-governor init python:package.module:attribute",
    )


def _several(answers: Sequence[Answer], root: Path) -> UsageError:
    folders = [answer.candidate.folder for answer in answers]
    commands = []
    for answer in answers:
        # Alone in its folder it is found there without a name.
        named = "" if folders.count(answer.candidate.folder) == 1 else answer.way.typed
        commands.append(_in_folder(answer.candidate.folder, root, f"mcp-governor init {named}".rstrip()))
    return UsageError(f"{len(answers)} different servers were found.", f"Choose one: {_listed(commands, '; or: ')}")


def _in_folder(folder: Path, root: Path, command: str) -> str:
    """A command for another folder, as it is typed in ``root``."""
    relative = os.path.relpath(folder, root)
    return command if relative == "." else f"cd {shlex.quote(relative)} && {command}"


def _no_answer(found: Found, failures: Sequence[Failure], root: Path, given: Sequence[str]) -> GovernorError:
    if not failures:
        return UsageError("The search for a server ran out of time.", "Name the server: mcp-governor init -- COMMAND")
    step = next((failure.runner for failure in failures if failure.runner), "")
    step = step or _next_step(found, failures, root, given)
    if all(failure.empty for failure in failures):
        return NothingCheckedError("The server that was found publishes no tools; nothing was written.", step)
    one = "The only server that was found does not respond."
    return UnreachableError(one if len(failures) == 1 else "None of the servers that were found responds.", step)


def _next_step(found: Found, failures: Sequence[Failure], root: Path, given: Sequence[str]) -> str:
    """The one thing to do, for the program that came closest to an answer; ``given`` are the variables that it had."""
    for failure in failures:
        if failure.asked:
            return _variables(failure)
    prepared = [
        f"Run: {_in_folder(failure.candidate.folder, root, f'{failure.way.prepare} && mcp-governor init')}"
        for failure in failures
        if failure.unprepared and failure.way.prepare
    ]
    if prepared and all(failure.way.missing for failure in failures):
        return prepared[0]  # nothing was started, so nothing asked for a variable
    declared = [name for name, file in found.variables.items() if file.rpartition("/")[2] == DEFAULT_MANIFEST]
    if declared:
        options = " ".join(f"--env {name}" for name in [*given, *declared][:_SHOWN])
        return (
            f"{DEFAULT_MANIFEST} lists its environment variables. Set those that it needs, then run: "
            f"mcp-governor init {options}"
        )
    for failure in failures:
        if failure.arguments:
            return f"It needs arguments. Add them: mcp-governor init {one_line(failure.way.typed, 160)} ARGUMENTS"
    for failure in failures:
        if failure.http:
            return failure.http
    if prepared:
        return prepared[0]
    if found.variables:
        files = ", ".join(dict.fromkeys(found.variables.values()))
        options = " ".join(f"--env {name}" for name in list(found.variables)[:_SHOWN])
        return (
            "It may need environment variables; servers get only those that you name. "
            f"Set those that it needs and name them, for example (from {files}): mcp-governor init {options}"
        )
    if any(failure.empty for failure in failures):
        return "It may need environment variables; servers get only those that you name: mcp-governor init --env NAME"
    shown = one_line(failures[0].way.typed, 160)
    return f"Start it by hand to see what is missing, then run: mcp-governor init {shown}"


def _variables(failure: Failure) -> str:
    names = failure.asked[:1] if failure.one_is_enough else failure.asked
    asked = " or ".join(failure.asked) if failure.one_is_enough else ", ".join(failure.asked)
    which = "it" if len(names) == 1 else "them"
    if (failure.candidate.folder / ".env").is_file():
        return f"It asks for {asked}. If .env sets {which}: mcp-governor init --env-file .env"
    options = " ".join(f"--env {name}" for name in names)
    return f"It asks for {asked}. Set {which} in your environment and run: mcp-governor init {options}"


def _listed(items: Sequence[str], between: str = ", ") -> str:
    more = f" … ({len(items)} in all)" if len(items) > _SHOWN else ""
    return between.join(one_line(item, 160) for item in items[:_SHOWN]) + more
