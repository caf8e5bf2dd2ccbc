"""Node packages: their ``bin``, ``main`` and start scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import is_regular, repository_of
from mcp_governor.target.clients import read_settings
from mcp_governor.target.discover.model import MODULES, SCRIPTS, Candidate, Way

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SCRIPTS = ("start:stdio", "start")
"""npm scripts that start a server; other scripts build, test or publish."""

_DEPENDENCIES = ("dependencies", "peerDependencies", "devDependencies")
_TYPESCRIPT = (".ts", ".mts", ".cts")


def node_candidates(folder: Path, top: Path) -> list[Candidate]:
    """The servers of a package that depends on an MCP SDK.

    Args:
        folder: folder with the ``package.json``.
        top: top folder of the repository.
    """
    package = read_json(folder / "package.json")
    if not any(_speaks_mcp(package.get(key)) for key in _DEPENDENCIES):
        return []
    name = name_in(package) or folder.name
    found_in = (folder / "package.json").relative_to(top).as_posix()
    install = install_command(folder, top)
    build = f"{install} && {install.partition(' ')[0]} run build" if has_build(folder) else install
    found = [
        Candidate(name, folder, found_in, (_node(script, folder, install, build),), SCRIPTS)
        for script in dict.fromkeys(_binaries(package))
        if _inside(script)
    ]
    scripts = package.get("scripts")
    scripts = scripts if isinstance(scripts, dict) else {}
    start = next((key for key in _SCRIPTS if key in scripts), None)
    if start is not None:
        command = ["npm", "run", "--silent", start]
        way = Way({"command": command}, prepare=build, says=str(scripts[start]))
        found.append(Candidate(name, folder, found_in, (way,), MODULES))
    return found


def name_in(package: Mapping[str, Any]) -> str:
    """The name of a package without its scope, unless the rest says nothing (``@acme/mcp`` → ``acme-mcp``)."""
    named = package.get("name")
    scope, _, name = named.rpartition("/") if isinstance(named, str) else ("", "", "")
    return f"{scope.removeprefix('@')}-{name}" if scope and name in _NO_NAMES else name


_NO_NAMES = ("mcp", "mcp-server", "server", "server-mcp")


def _speaks_mcp(dependencies: Any) -> bool:
    return isinstance(dependencies, dict) and any(
        "mcp" in name or name.startswith("@modelcontextprotocol/") for name in dependencies
    )


def _binaries(package: Mapping[str, Any]) -> Iterator[str]:
    binaries = package.get("bin")
    if isinstance(binaries, str):
        yield binaries.removeprefix("./")
    elif isinstance(binaries, dict):
        yield from (script.removeprefix("./") for script in binaries.values() if isinstance(script, str))
    elif isinstance(package.get("main"), str):
        yield package["main"].removeprefix("./")


def _inside(script: str) -> bool:
    """True if a path stays inside its package, as npm requires."""
    return bool(script) and not script.startswith("/") and ".." not in script.split("/")


def _node(script: str, folder: Path, install: str, build: str) -> Way:
    # A missing script is created by the build from TypeScript.
    program = ["npx", "--no-install", "tsx"] if script.endswith(_TYPESCRIPT) else ["node"]
    there = node_file(folder / script) is not None
    return Way({"command": [*program, script]}, prepare=install if there else build, missing="" if there else script)


def node_file(path: Path) -> Path | None:
    """The file that Node.js runs for a path; ``None`` if there is none, or if another ``package.json`` names it."""
    found = [path, path.parent / f"{path.name}.js"]
    if not is_regular(path / "package.json"):
        found.append(path / "index.js")
    return next(filter(is_regular, found), None)


_INSTALL = {
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install --immutable",
    "bun.lock": "bun install --frozen-lockfile",
    "bun.lockb": "bun install --frozen-lockfile",
}


def install_command(folder: Path, top: Path) -> str:
    """The command that installs a package's dependencies, by its lock file or that of its workspace.

    Args:
        folder: folder of the package.
        top: top folder of the repository.
    """
    places = (folder, top, repository_of(folder))
    found = (command for place in places for lock, command in _INSTALL.items() if is_regular(place / lock))
    return next(found, "npm install")


def has_build(folder: Path) -> bool:
    """True if a package has a script that builds it."""
    scripts = read_json(folder / "package.json").get("scripts")
    return isinstance(scripts, dict) and "build" in scripts


def read_json(path: Path) -> dict[str, Any]:
    """The object in a settings file; empty if there is none."""
    try:
        document = read_settings(path, path.name)
    except (OSError, FileFormatError):
        return {}
    return document if isinstance(document, dict) else {}
