"""What ``init`` will govern: the server that is named or found, as a table of the configuration without secrets."""

from __future__ import annotations

import os
import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.cli import out
from mcp_governor.config import OWN_FILE, Config
from mcp_governor.config.load import DEFAULT_MANIFEST
from mcp_governor.errors import NothingCheckedError, UnreachableError, UsageError
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.secret_detection import is_plain, learn_command
from mcp_governor.secrets import redact
from mcp_governor.target import FileSource, LiveSource, parse_target, refuse_client_config
from mcp_governor.target.forms import forms
from mcp_governor.target.remote import TOKEN_VARIABLE
from mcp_governor.text import check_unicode, command_line, one_line, visible
from mcp_governor.wire.advice import installed_with
from mcp_governor.wire.endpoint import HttpEndpoint, StdioEndpoint
from mcp_governor.wire.opening import as_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.config import Launch
    from mcp_governor.errors import GovernorError
    from mcp_governor.surface import Surface
    from mcp_governor.target.discover import Found
    from mcp_governor.target.discover.trying import Answer, Failure
    from mcp_governor.wire import Endpoint


class Plan(Struct, frozen=True):
    """What will be governed.

    Attributes:
        name: of the server.
        keys: its table in the configuration; empty if the configuration names the target itself.
        target: what the configuration says is governed.
        found_in: where the server was named.
        root: the folder that the configuration is written into.
        surface: what the server publishes, where it has been read already.
    """

    name: str
    keys: Mapping[str, Any]
    target: str
    found_in: str
    root: Path
    surface: Surface | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Environment variables that the written configuration refers to."""
        values = [value for value in self.keys.get("env", {}).values() if value.startswith("$")]
        values += [*self.keys.get("headers", {}).values(), self.keys.get("bearer-token", "")]
        found = (match[1] for value in values for match in re.finditer(r"\$\{?(\w+)", value))
        return tuple(dict.fromkeys(found))


def typed_plan(target: str | None, command: tuple[str, ...], launch: Launch, root: Path) -> Plan | None:
    """The plan for what is named on the command line; ``None`` if nothing is."""
    if command:
        name, keys = name_of(script_of(command), root), {"command": list(command)}
    elif target:
        name, keys = name_of(target, root), _keys_of(target, root)
        if launch.env and not keys:
            raise UsageError("--env has no effect: a client's configuration has its own variables.", "Remove it.")
    else:
        return None
    plan = Plan(name, launched(keys, launch), name if keys else target or "", "the command line", root)
    see_words(plan.keys)
    return plan


def as_started(plan: Plan, endpoint: Endpoint) -> Plan:
    """The plan with what the start of a package turned out to need: its script, a Python, and other packages."""
    started = as_before(endpoint)
    if not isinstance(started, StdioEndpoint) or started is endpoint:
        return plan
    ours = started.command[: len(started.command) - len(plan.keys.get("args", ()))]
    keys = {**plan.keys, "package": started.package}
    if others := installed_with(ours):
        keys["with"] = others
    if python := next((word for option, word in pairwise(ours) if option == "--python"), ""):
        keys["env"] = {**keys.get("env", {}), "UV_PYTHON": python}
    return replace(plan, keys=keys)


def launched(server: Mapping[str, Any], launch: Launch) -> Mapping[str, Any]:
    """The table of a server with what the command line says about its start; empty if it has none.

    A variable is written as a reference to the environment, unless its value was given and is plainly no secret: who
    gives the name alone keeps the value elsewhere.
    """
    headers = dict(launch.headers)
    bearer = headers.pop("Authorization") if headers.get("Authorization", "").startswith("Bearer $") else ""
    keys = {
        "args": list(launch.args),
        "with": list(launch.with_),
        "env": {
            name: value if name not in launch.named and is_plain(value, name) else f"${name}"
            for name, value in launch.env.items()
        },
        "headers": headers,
        "bearer-token": bearer.removeprefix("Bearer "),
    }
    return {**server, **{key: value for key, value in keys.items() if value}} if server else server


_SUBCOMMANDS = ("run", "tool", "exec", "dlx", "x")
"""Words of ``uv run``, ``npm exec``, ``pnpm dlx`` and so on, which are not the name of a server."""

_WITH_VALUE = ("--with", "--with-editable", "--with-requirements", "--python", "--from", "--package", "-p")


def script_of(command: tuple[str, ...]) -> str:
    """The word of a command that names the server: the module after -m, or else the first path or package."""
    if "-m" in command[:-1]:
        return command[command.index("-m") + 1]
    words: list[str] = []
    skip = False
    for word in command[1:]:
        if not skip and not word.startswith("-") and word not in _SUBCOMMANDS:
            words.append(word)
        skip = word in _WITH_VALUE
    return words[0] if words else command[0]


def _keys_of(target: str, root: Path) -> dict[str, Any]:
    """The server's table for a TARGET; empty if the configuration names the target itself."""
    scheme = target.partition(":")[0]
    if scheme == "python":
        return {"object": target.removeprefix("python:")}
    if scheme in ("pypi", "npm"):
        return {"package": target}
    source = parse_target(target, Config(root=root), base=root)
    if not isinstance(source, LiveSource):
        if isinstance(source, FileSource):
            refuse_client_config(source)
        raise UsageError(
            f'init needs a server that it can start, but "{visible(target)}" is a recording.',
            f"Use the recording as the baseline: mcp-governor init --from {visible(target)}; or name a server "
            f"as {forms('remote')}, or as what runs code here: {forms('code')}.",
        )
    endpoint = source.endpoint
    if "://" in target:
        see_address(target, endpoint)
    if not isinstance(endpoint, HttpEndpoint) or ".json" in target:
        return {}
    token = {"bearer-token": f"${TOKEN_VARIABLE}"} if os.environ.get(TOKEN_VARIABLE) else {}
    return {"url": endpoint.url, **({"transport": endpoint.transport} if endpoint.transport != "auto" else {}), **token}


_LONGEST_SUFFIX = len(".json")
"""A longer one is the name of a package in a namespace, not the suffix of a file."""

_PACKAGE = re.compile(r"(?:pypi|npm):(?:@[^/]*/)?([^@=:\[]+).*")


def name_of(text: str, root: Path) -> str:
    """A table name from what was typed (package, module, file, or name in a client's configuration), else from the
    folder."""
    words = [_project_name(root), root.name, "server"]
    package = _PACKAGE.fullmatch(text)
    if package is not None:
        words.insert(0, package[1])
    elif text.startswith("python:"):
        words.insert(0, text.split(":")[1].rpartition(".")[2])
    elif "://" not in text:
        path = Path(text.partition("#")[2] or text)
        words.insert(0, path.stem.rpartition(".")[2])
        if len(path.suffix) > _LONGEST_SUFFIX:
            words.insert(0, path.suffix)
    for word in words:
        name = re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-").removesuffix("-mcp-server")
        if name and not name.isdecimal() and name not in _NO_NAMES:
            return name
    return words[-1]


def local_paths(keys: Mapping[str, Any]) -> list[str]:
    """The absolute paths in the command of a server that other machines hardly have."""
    words = (*keys.get("command", ()), *keys.get("args", ()))
    paths = (word.partition("=")[2] if word.startswith("-") else word for word in words)
    return [path for path in dict.fromkeys(paths) if Path(path).is_absolute() and not path.startswith(_EVERYWHERE)]


def recorded_paths(document: Any, folders: Sequence[Path]) -> list[str]:
    """Pointers to the strings of a recorded surface that contain a path of this machine, in their order.

    Args:
        document: the recording.
        folders: of this machine: the home folder, and that of the repository.
    """
    prefixes = tuple(f"{folder}{os.sep}" for folder in folders if len(folder.parts) > 1)
    found: list[str] = []
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str) and any(prefix in value for prefix in prefixes):
            found.append(place)
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += reversed([(join_pointer(place, str(key)), item) for key, item in members])
    return found


_EVERYWHERE = ("/usr/", "/bin/", "/dev/", "/etc/", "/sbin/")
"""Where systems have the same files."""


def _project_name(root: Path) -> str:
    """The name of the project in a folder, without the scope of an npm package; empty if it has none."""
    from mcp_governor.target.discover.node import name_in, read_json
    from mcp_governor.target.discover.python_projects import PythonProject

    return PythonProject(root, root).name or name_in(read_json(root / "package.json"))


_NO_NAMES = ("main", "index", "server", "cli", "app", "init")


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"({_NAME})=(.*)", re.DOTALL)
_OPTION = re.compile(rf"(?:-e|--env)=?({_NAME})=(.*)", re.DOTALL)
_IN_SCRIPT = re.compile(rf"(?:^|[\s;&|(])({_NAME})=([^\s;&|)]+)")


def see_words(keys: Mapping[str, Any]) -> None:
    """Refuse a command line of a server that cannot be written into a file that is committed: it contains the value of
    a variable or a secret, or it is not UTF-8."""
    command = (*(keys.get("command") or ("",)), *keys.get("args", ()))
    for word in command:
        check_unicode(word, "the command")
    for name, value in _assignments(command):
        if not is_plain(value, name):
            # For docker, -e without a value passes on the variable of its own environment.
            rest = "sh -c '…'" if any(" " in word for word in command) else f"… -e {name} …"
            raise UsageError(
                f"The command contains the value of {name}, and init would write it into a file.",
                f"Set {name} in your environment, and remove its value from the command: "
                f"mcp-governor init --env {name} -- {rest}",
            )
    learn_command(command)
    if any(redact(word) != word for word in command):
        raise UsageError(
            f"The command {command_line(command, 120)} contains a secret, and init would write it into a file.",
            f'Remove it, and pass it as a variable: set NAME in your environment, and write env = {{ NAME = "$NAME" }} '
            f"into the server's table in {OWN_FILE}.",
        )


def _assignments(command: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each variable that a command sets, with its value: ``-e NAME=VALUE``, ``env NAME=VALUE``, a script for a shell;
    references to variables (``$NAME``) are not values."""
    before = ""
    for word in command:
        found = [match.groups() for match in _IN_SCRIPT.finditer(word)] if " " in word else []
        assigned = _ASSIGNMENT.fullmatch(word)
        if assigned and not (before in ("-e", "--env", "env") or assigned[1].isupper()):
            assigned = None
        if match := _OPTION.fullmatch(word) or assigned:
            found.append((match[1], match[2]))
        for name, value in found:
            bare = value.strip("\"'")
            if bare and not bare.startswith("$"):
                yield name, bare
        before = word


_CREDENTIAL = re.compile(r"[?&][^=&]*(?:key|token|secret|passw|auth|sig)[^=&]*=", re.IGNORECASE)


def see_address(url: str, endpoint: Endpoint) -> None:
    """Refuse an address with credentials, which must not be in a file that is committed."""
    if redact(url) != url or "@" in url.split("/")[2] or _CREDENTIAL.search(url):
        raise UsageError(
            f"The address {visible(endpoint.shown)} contains credentials, and init would write them into a file.",
            f"Remove them from the address. For a bearer token, set {TOKEN_VARIABLE}; for others, "
            f'configure the server in {OWN_FILE} with headers = {{ NAME = "$VARIABLE" }}.',
        )


_SHOWN = 8
"""Servers, variables or entries that one message names."""


def found_plan(root: Path, config: Config) -> Plan:
    """The plan for the server of this repository; an error has the command to type as its hint."""
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
    hint = "Name the server: mcp-governor init -- COMMAND, or mcp-governor init python:package.module:attribute"
    return UsageError("No MCP server was found in this folder.", hint)


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
