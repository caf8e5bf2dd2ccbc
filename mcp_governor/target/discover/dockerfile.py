"""Read the command and the variables of a Dockerfile."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.files import MAX_TEXT_BYTES, is_regular, read_bytes
from mcp_governor.parsing import read_json
from mcp_governor.target.discover.model import Candidate, Way

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.target.discover.python_projects import PythonProject

DOCKER = 3
"""The stage after those of the project's own metadata."""

_HTTP = re.compile(r"\b(?:sse|http|https|streamable[-_]?http)\b", re.IGNORECASE)
_SHELL = re.compile(r"[$`|&;<>(){}]")
_ENV = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:=|\s)")


class Dockerfile(NamedTuple):
    """The command and the variables of the last stage of a Dockerfile."""

    command: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


def read_dockerfile(path: Path) -> Dockerfile:
    """What a Dockerfile says; a missing one says nothing."""
    entry: list[str] = []
    arguments: list[str] = []
    variables: dict[str, None] = {}
    folder = ""
    for name, rest in _instructions(path):
        if name == "FROM":
            entry, arguments, folder = [], [], ""
        elif name == "ENTRYPOINT":
            entry, arguments = _words(rest), []
        elif name == "CMD":
            arguments = _words(rest)
        elif name == "WORKDIR":
            folder = rest.strip().rstrip("/")
        elif name == "ENV" and (match := _ENV.match(rest)):
            variables[match[1]] = None
    prefix = f"{folder}/" if folder.startswith("/") else ""
    return Dockerfile(tuple(word.removeprefix(prefix) for word in (*entry, *arguments)), tuple(variables))


def _instructions(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = read_bytes(path, limit=MAX_TEXT_BYTES).decode()
    except (OSError, ValueError):
        return
    for line in re.sub(r"\\\n(?:[ \t]*#[^\n]*\n)*", " ", text).splitlines():
        name, _, rest = line.strip().partition(" ")
        if name.isalpha():
            yield name.upper(), rest


def _words(rest: str) -> list[str]:
    """The words of a command; empty if it needs a shell."""
    rest = rest.strip()
    if rest.startswith("["):
        try:
            words = read_json(rest)
        except (ValueError, RecursionError):
            return []
        return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []
    if _SHELL.search(rest):
        return []
    try:
        return shlex.split(rest)
    except ValueError:
        return []


def docker_candidates(project: PythonProject, top: Path) -> Iterator[Candidate]:
    """The command of a project's Dockerfile, if it is a program of the project that serves stdio."""
    path = project.folder / "Dockerfile"
    command = read_dockerfile(path).command
    if not command or any(_HTTP.search(word) for word in command[1:]):
        return
    program, *rest = command
    if program in ("uvx", "pipx") or command[:2] == ("uv", "run"):
        words = command[1:] if program == "uvx" else command[2:]
        first = next((index for index, word in enumerate(words) if not word.startswith("-")), len(words))
        program, *rest = words[first:] or ("",)
    if program in project.scripts:
        ways = project.ways(program, *rest)
    elif program in ("python", "python3") and rest and (rest[0] == "-m" or is_regular(project.folder / rest[0])):
        ways = project.ways("python", *rest)
    elif program == "node" and rest and is_regular(project.folder / rest[0]):
        ways = (Way({"command": list(command)}),)
    else:
        return
    yield Candidate(project.name or project.folder.name, project.folder, path.relative_to(top).as_posix(), ways, DOCKER)
