"""Start servers from a registry, and in another way where the first start says which one they need."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor import wire
from mcp_governor.target.packages import (
    Package,
    neutral_folder,
    npm_command,
    package_parts,
    pypi_command,
    runner_environment,
    withheld,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def package_endpoint(
    target: str,
    *,
    args: Sequence[str] = (),
    with_: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    python: str = "",
    resolves: bool = True,
) -> wire.StdioEndpoint:
    """The endpoint for a package.

    Args:
        target: ``pypi:…`` or ``npm:…``.
        args: arguments of the server.
        with_: other packages to install with it, with their versions.
        env: variables of the server.
        cwd: working directory. The default is the current folder if there are arguments, because these may name files,
            and :func:`neutral_folder` otherwise.
        python: version of Python for a ``pypi:`` target; empty for that of uv's choice.
        resolves: start it in another way if its first start says which one it needs.

    Raises:
        TargetError: the name or a requirement is not valid.
        MissingDependencyError: the package runner is not installed.
    """
    scheme, _, spec = target.partition(":")
    command = pypi_command(spec, with_, python) if scheme == "pypi" else npm_command(spec, with_)
    endpoint = wire.StdioEndpoint(
        (*command, *args),
        env={**runner_environment(), **(env or {})},
        cwd=cwd or (str(Path.cwd()) if args else neutral_folder()),
        package=target,
        withheld=withheld(env or {}),
    )
    if not resolves:
        return endpoint

    def again(target: str, with_: Sequence[str], python: str) -> wire.StdioEndpoint:
        return package_endpoint(target, args=args, with_=with_, env=env, cwd=cwd, python=python)

    return dataclasses.replace(endpoint, amend=lambda said: _amended(said, target, with_, python, again))


def _amended(
    said: str,
    target: str,
    with_: Sequence[str],
    python: str,
    again: Callable[[str, Sequence[str], str], wire.StdioEndpoint],
) -> tuple[wire.StdioEndpoint | None, str] | None:
    """See :class:`mcp_governor.wire.StdioEndpoint`. What is met: the main script, a Python or Node.js version, and an
    older MCP SDK.

    Anything else that a package asks for is the choice of the user: a variable may be a secret, and a module may be of
    a package of any name.
    """
    from mcp_governor.wire import advice

    parts = package_parts(target)
    npm = parts.scheme == "npm"
    if npm and advice.lacks_command(said):
        return _command_of(parts, lambda named: again(named, with_, python))
    scripts = advice.scripts_named(said)
    if not parts.script and (script := advice.main_script(scripts)):
        return again(f"{target}:{script}", with_, python), _chosen(f"{target}:{script}", scripts)
    if (needed := advice.python_needed(said)) and not python and not npm:
        return again(target, with_, needed), f"UV_PYTHON={needed}"
    wanted = _node_of(parts, said, target) if npm else advice.sdk_needed(said)
    if wanted and not any(advice.package_of(other) == advice.package_of(wanted) for other in with_):
        return again(target, (*with_, wanted), python), f"--with '{wanted}'"
    return None


def _node_of(parts: Package, said: str, target: str) -> str:
    """The requirement of the Node.js that an npm package lacks; empty if it lacks none."""
    from mcp_governor.target.published import npm_engine
    from mcp_governor.wire.advice import node_needed

    node = node_needed(said, target, lambda: npm_engine(parts.name, parts.version))
    return f"node@{node}" if node else ""


def _command_of(
    parts: Package, again: Callable[[str], wire.StdioEndpoint]
) -> tuple[wire.StdioEndpoint | None, str] | None:
    """The main command of an npm package that has none of the name that was started, or which ones it has."""
    from mcp_governor.target.published import npm_commands
    from mcp_governor.wire.advice import main_script, scripts_offered

    commands = npm_commands(parts.name, parts.version)
    if commands is None:
        return None
    ways = [parts.of(command) for command in commands]
    if not ways:
        return None, "The package is a library and installs no command. Name the package that starts the server."
    if parts.script or not (command := main_script(commands)):
        return None, scripts_offered(ways)
    return again(parts.of(command)), _chosen(parts.of(command), commands)


def _chosen(target: str, scripts: Sequence[str]) -> str:
    return f"its {'only' if len(scripts) == 1 else 'main'} script, {target}"
