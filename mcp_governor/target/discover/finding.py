"""Find the projects of a repository, and their probable servers, in a Dockerfile among other places."""

from __future__ import annotations

import re
import shlex
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from mcp_governor.errors import GovernorError
from mcp_governor.files import MAX_TEXT_BYTES, is_regular, read_bytes, repository_of
from mcp_governor.parsing import read_json as parsed_json
from mcp_governor.target.clients import endpoint_from_client_config, servers_in
from mcp_governor.target.discover.model import CLIENTS, DOCKER, Candidate, Found, Way
from mcp_governor.target.discover.node import node_candidates, read_json
from mcp_governor.target.discover.own import Repository
from mcp_governor.target.discover.python_projects import PythonProject, python_candidates
from mcp_governor.target.discover.python_source import is_project
from mcp_governor.wire.endpoint import StdioEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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


def _text_of(path: Path) -> str:
    """The text of a file; empty if there is none that can be read."""
    try:
        return read_bytes(path, limit=MAX_TEXT_BYTES).decode()
    except (OSError, ValueError):
        return ""


def _instructions(path: Path) -> Iterator[tuple[str, str]]:
    text = _text_of(path)
    for line in re.sub(r"\\\n(?:[ \t]*#[^\n]*\n)*", " ", text).splitlines():
        name, _, rest = line.strip().partition(" ")
        if name.isalpha():
            yield name.upper(), rest


def _words(rest: str) -> list[str]:
    """The words of a command; empty if it needs a shell."""
    rest = rest.strip()
    if rest.startswith("["):
        try:
            words = parsed_json(rest)
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


_NESTS = ("src", "packages", "servers", "apps", "services", "python", "typescript", "mcp")
"""Folders that contain projects but are not projects."""
_MAX_FOLDERS = 200
"""Most folders of a repository that are searched for projects; the largest known collections of servers have about 50.
The others are skipped."""
_MAX_PROJECTS = 40
"""Most projects whose files are read; the others are skipped."""


def discover(root: Path) -> Found:
    """Find the probable servers of a repository.

    These are its own servers, or else those of the projects below it, or else the entries of its client configurations
    that run something from it.

    Args:
        root: the folder in which ``init`` runs.
    """
    repository = Repository(repository_of(root))
    own = _in_project(root, root, repository)
    if not own.candidates:
        below = [_in_project(folder, root, repository) for folder in islice(_projects(root), _MAX_PROJECTS)]
        own = Found(
            tuple(candidate for found in below for candidate in found.candidates),
            (*own.others, *(other for found in below for other in found.others)),
            {**own.variables, **{name: file for found in below for name, file in found.variables.items()}},
        )
    clients, others = client_candidates(root, repository)
    return Found((*own.candidates, *clients), (*own.others, *others), own.variables)


def _in_project(folder: Path, root: Path, repository: Repository) -> Found:
    found, others = python_candidates(folder, root)
    found += node_candidates(folder, root)
    found += docker_candidates(PythonProject(folder, root), root)
    kept: list[Candidate] = []
    for candidate in _once(found):
        if ways := tuple(way for way in candidate.ways if repository.may_start(way, folder)):
            kept.append(replace(candidate, ways=ways))
        else:
            others.append(candidate.ways[0])
    return Found(tuple(kept), tuple(others), variables_of(folder) if found else {})


def _once(candidates: list[Candidate]) -> Iterator[Candidate]:
    """The candidates in the order of their stages, each command once."""
    seen: set[str] = set()
    for candidate in sorted(candidates, key=lambda candidate: candidate.stage):
        shown = candidate.ways[0].shown
        if shown not in seen:
            seen.add(shown)
            yield candidate


def _projects(root: Path) -> Iterator[Path]:
    """Project folders below the root: one level down, and one level below folders that collect projects."""
    seen: set[Path] = set()
    looked = 0
    for pattern in ("*", *(f"{nest}/*" for nest in _NESTS)):
        for folder in sorted(root.glob(pattern)):
            looked += 1
            if looked > _MAX_FOLDERS:
                return
            inside = folder.is_dir() and folder.resolve().is_relative_to(root.resolve())
            if inside and folder not in seen and is_project(folder):
                seen.add(folder)
                yield folder


# variables


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_EXAMPLES = (".env.example", ".env.sample", ".env.template")
_MAX_VARIABLES = 40
"""Most variables of one file; a message names a few of them."""

# Variables that images and package managers set for themselves.
_NOT_ASKED = re.compile(r"PATH|.*_(?:HOME|VERSION)|(?:UV|PIP|LC|DEBIAN)_.*|PYTHON.*|NODE_ENV|LANG|TZ")


def variables_of(folder: Path) -> dict[str, str]:
    """Variable of the server → the file that mentions it; required ones from ``server.json`` come first."""
    found: dict[str, str] = {}
    for file, names in (
        ("server.json", _of_manifest(read_json(folder / "server.json"))),
        *((file, _of_example(folder / file)) for file in _EXAMPLES),
        ("README.md", _of_page(folder / "README.md")),
        ("Dockerfile", iter(read_dockerfile(folder / "Dockerfile").variables)),
    ):
        for _, name in zip(range(_MAX_VARIABLES), names, strict=False):
            if _VARIABLE.fullmatch(name) and not _NOT_ASKED.fullmatch(name):
                found.setdefault(name, file)
    return found


def _of_manifest(manifest: dict[str, Any]) -> Iterator[str]:
    packages = manifest.get("packages")
    entries: list[dict[str, Any]] = []
    for package in packages if isinstance(packages, list) else ():
        listed = package.get("environmentVariables") if isinstance(package, dict) else None
        entries += [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    for entry in sorted(entries, key=lambda entry: entry.get("isRequired") is not True):
        if isinstance(entry.get("name"), str):
            yield entry["name"]


_ENV_TABLE = re.compile(r"[\"']?\benv[\"']?\s*:\s*\{([^{}]{1,4000})\}")
_MEMBER = re.compile(r"[\"']?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[\"']?\s*:")

_LISTED = re.compile(
    r"^[ \t]{0,8}(?:export[ \t]{1,4}|[-*|][ \t]{1,4}(?:\*\*)?`)([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6})(?:[`=])",
    re.MULTILINE,
)


def _of_page(path: Path) -> Iterator[str]:
    """The variables in client configurations on a page, then those that it exports or lists one by one."""
    text = _text_of(path)
    for table in _ENV_TABLE.finditer(text):
        yield from _MEMBER.findall(table[1])
    yield from _LISTED.findall(text)


def _of_example(path: Path) -> Iterator[str]:
    text = _text_of(path)
    for line in text.splitlines():
        name, equals, _ = line.strip().removeprefix("export ").partition("=")
        if equals and not line.lstrip().startswith("#"):
            yield name.strip()


# servers in the repository's own configurations of MCP clients


_CLIENT_FILES = (
    *(".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".windsurf/mcp.json", ".roo/mcp.json"),
    *(".kiro/settings/mcp.json", ".amazonq/mcp.json", ".junie/mcp/mcp.json", ".gemini/settings.json"),
    *("claude_desktop_config.json", ".claude/mcp.json"),
)
_MAX_ENTRIES = 20
"""Most entries of one file that are read: generous, people have a few."""


def client_candidates(top: Path, repository: Repository) -> tuple[list[Candidate], list[Way]]:
    """The entries that run something from the repository, and all others.

    Args:
        top: the folder in which init runs.
        repository: judges what an entry starts.
    """
    found: list[Candidate] = []
    others: list[Way] = []
    for file in _CLIENT_FILES:
        for name in servers_in(top / file)[:_MAX_ENTRIES]:
            target = f"{file}#{name}"
            try:
                endpoint = endpoint_from_client_config(top / file, name)
            except GovernorError as error:
                others.append(Way({}, target=target, says=error.message))
                continue
            way = Way({}, target=target, says=endpoint.shown)
            own = isinstance(endpoint, StdioEndpoint) and repository.leads_here(
                endpoint.command, top / (endpoint.cwd or ""), endpoint.env
            )
            if own:
                found.append(Candidate(name, top, file, (way,), CLIENTS))
            else:
                others.append(way)
    return found, others
