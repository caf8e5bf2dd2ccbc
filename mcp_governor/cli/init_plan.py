"""What ``init`` will govern: the server's table in the configuration, as the command line names it."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.cli.init_secrets import see_address, see_words
from mcp_governor.config import Config
from mcp_governor.errors import UsageError
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.secret_detection import is_plain
from mcp_governor.target import FileSource, LiveSource, parse_target, refuse_client_config
from mcp_governor.target.remote import TOKEN_VARIABLE
from mcp_governor.target.resolve import forms
from mcp_governor.text import visible
from mcp_governor.wire.advice import installed_with
from mcp_governor.wire.endpoint import HttpEndpoint, StdioEndpoint
from mcp_governor.wire.opening import as_before

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.config import Launch
    from mcp_governor.surface import Surface
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
    """The plan for what is named on the command line; ``None`` if nothing is.

    Raises:
        UsageError: it cannot be governed, or a secret would be written into a file.
    """
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
    if not server:
        return server
    table = {
        name: value if name not in launch.named and is_plain(value, name) else f"${name}"
        for name, value in launch.env.items()
    }
    headers = dict(launch.headers)
    bearer = headers.pop("Authorization") if headers.get("Authorization", "").startswith("Bearer $") else ""
    keys = {
        "args": list(launch.args),
        "with": list(launch.with_),
        "env": table,
        "headers": headers,
        "bearer-token": bearer.removeprefix("Bearer "),
    }
    return {**server, **{key: value for key, value in keys.items() if value}}


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
    """The server's table for a TARGET; empty if the configuration names the target itself.

    Raises:
        UsageError: it is not a live server, or its address contains credentials.
    """
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
    if "://" in target:
        see_address(target, source.endpoint)
    if not isinstance(source.endpoint, HttpEndpoint) or ".json" in target:
        return {}
    return _url_keys(source.endpoint)


def _url_keys(endpoint: HttpEndpoint) -> dict[str, Any]:
    keys = {"url": endpoint.url}
    if endpoint.transport != "auto":
        keys["transport"] = endpoint.transport
    if os.environ.get(TOKEN_VARIABLE):
        keys["bearer-token"] = f"${TOKEN_VARIABLE}"
    return keys


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
    """The absolute paths in the command of a server that other machines hardly have.

    Args:
        keys: the server's table.
    """
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
