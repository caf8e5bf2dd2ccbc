"""Packages that are published: how their servers are started, also in another way where the first start says which one
they need, and which releases there are.

The latter is asked through the ordinary client of the registry: uv for ``pypi:``, npm for ``npm:``. The clients use the
user's index, mirrors and certificates, and they leave out pre-releases and yanked releases.
"""

from __future__ import annotations

import dataclasses
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor import wire
from mcp_governor.errors import MissingDependencyError, TargetError, UnreachableError
from mcp_governor.files import MEBIBYTE
from mcp_governor.lazy import lazy_pattern
from mcp_governor.programs import find_program
from mcp_governor.target.packages import (
    Package,
    in_our_environment,
    neutral_folder,
    npm_command,
    package_parts,
    pypi_command,
    runner_environment,
    withheld,
)
from mcp_governor.text import one_line
from mcp_governor.versions import Numbered, is_semver

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
    from mcp_governor.wire.advice import node_needed

    node = node_needed(said, target, lambda: npm_engine(parts.name, parts.version))
    return f"node@{node}" if node else ""


def _command_of(
    parts: Package, again: Callable[[str], wire.StdioEndpoint]
) -> tuple[wire.StdioEndpoint | None, str] | None:
    """The main command of an npm package that has none of the name that was started, or which ones it has."""
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


SECONDS = 60.0
"""Timeout for a client that lists releases, in seconds; it takes one or two. A timeout ends the run with an error."""

MAX_ANSWER = 1 * MEBIBYTE
"""Largest output of a client, in bytes: npm needs about sixty per release, so this is enough for 15,000. More is an
error."""

_ANSWER = lazy_pattern(r"^[A-Za-z0-9._-]+(?:\[[^\]\n]*\])?==(?P<version>[^\s;]+)", re.MULTILINE)
_ABSENT = lazy_pattern(r"No solution found|not found in the package registry|E404", re.IGNORECASE)
_OFFLINE = lazy_pattern(r"not found in the cache|network was disabled", re.IGNORECASE)
_COMMAND = lazy_pattern(r"[A-Za-z0-9_][\w.-]{0,100}", re.ASCII)
_CAUSE = lazy_pattern(r"^\s*(?:cause|Caused by|error): *(?:Because )?(.+?)(?:,? and you require .*)?$", re.MULTILINE)


def newest_release(target: str, ours: str | None = None, *, below: bool = False) -> str:
    """The release of a package to use as the baseline: the newest one that is not newer than ours.

    Args:
        target: ``pypi:NAME`` or ``npm:NAME``; with a version, it is returned unchanged.
        ours: the version that is governed; for ``None``, or if the registry cannot compare it, the newest release is
            returned.
        below: exclude our own version, for a run that checks this release.

    Returns:
        The target with its version: ``pypi:NAME==1.2.0``.

    Raises:
        TargetError: the package has no such release, or its name is not valid.
        UnreachableError: the registry did not respond.
        MissingDependencyError: uv or npm is not installed.
    """
    parts = package_parts(target)
    if parts.version:
        return target
    bound = _bound(parts.scheme, ours, below=below)
    version = _pypi(parts.name, bound) if parts.scheme == "pypi" else _npm(parts.name, bound)
    return parts.pinned(version)


def _bound(scheme: str, ours: str | None, *, below: bool) -> str:
    """The part of a requirement that excludes later releases; empty if our version cannot be compared."""
    if ours is None:
        return ""
    parsed = Numbered.parse(ours)
    sign = "<" if below else "<="
    if scheme == "pypi":
        return f"{sign}{ours}" if _is_comparable(ours) else ""
    if parsed is None:
        return ""
    return f"{sign}{parsed.text if is_semver(parsed.text) else parsed.semver}"


def _is_comparable(version: str) -> bool:
    """True if a requirement may compare with a version: it may not if there is a local part (PEP 440)."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(version).local is None
    except InvalidVersion:
        return False


def _pypi(name: str, bound: str) -> str:
    uv = in_our_environment("uv") or find_program("uv")
    if uv is None:
        raise MissingDependencyError(
            "Looking up the releases of a pypi: package requires uv, which is not installed.",
            "Install uv: https://docs.astral.sh/uv/getting-started/installation/",
        )
    words = ("pip", "compile", "--no-deps", "--no-header", "--no-annotate", "--no-progress", "--color", "never")
    said = _ask((uv, *words, "--prerelease", "disallow", "--quiet", "-"), f"{name}{bound}\n", f"pypi:{name}")
    match = _ANSWER.search(said)
    if match is None:
        raise _nothing(f"pypi:{name}", bound, said, "==")
    return match["version"]


def _npm(name: str, bound: str) -> str:
    # With three fields, npm always lists objects; with two, it leaves out the object if one is missing.
    document = _npm_view(name, bound or ">=0.0.0", "name", "version", "deprecated")
    listed = document if isinstance(document, list) else [document]
    found = [version for item in listed if (version := _release(item)) is not None and not version.prerelease]
    if found:
        return max(found).text
    error = document.get("error") if isinstance(document, dict) else None
    if isinstance(error, dict):
        raise _nothing(f"npm:{name}", bound, f"error: {error.get('summary')}\n{error.get('code')}", "@")
    # npm lists only pre-releases or deprecated releases here; a range without any release is an npm error.
    raise _nothing(f"npm:{name}", bound, "E404" if document is not None else "", "@")


def npm_commands(name: str, version: str) -> tuple[str, ...] | None:
    """The commands that a package installs; ``None`` if the registry does not say.

    Args:
        name, version: see :class:`mcp_governor.target.packages.Package`.
    """
    newest = npm_release(name, version)
    if newest is None:
        return None
    found = newest.get("bin") or {}
    return tuple(filter(_COMMAND.fullmatch, found)) if isinstance(found, dict) else None


def npm_engine(name: str, version: str) -> str:
    """The Node.js that a package asks for, as its author wrote it: ``>=24.12.0``; empty if nothing is known."""
    engines = (npm_release(name, version) or {}).get("engines")
    wanted = engines.get("node") if isinstance(engines, dict) else None
    return wanted if isinstance(wanted, str) else ""


@cache
def npm_release(name: str, version: str) -> dict[str, Any] | None:
    """What the registry says of the newest release of a version; ``None`` if it does not say."""
    try:
        document = _npm_view(name, version or "latest", "name", "version", "bin", "engines")
    except (MissingDependencyError, UnreachableError):
        return None
    newest = document[-1] if isinstance(document, list) and document else document
    return newest if isinstance(newest, dict) and newest.get("name") == name else None


def _npm_view(name: str, version: str, *fields: str) -> Any:
    """What npm says of the releases of a package; ``None`` if that is not JSON."""
    npm = find_program("npm")
    if npm is None:
        raise MissingDependencyError(
            "Looking up the releases of an npm: package requires npm, which is not installed.",
            "Install Node.js, which brings npm: https://nodejs.org/en/download",
        )
    # Only one retry, because by default npm takes a minute before it reports that the registry does not respond.
    patience = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
    said = _ask((npm, "view", f"{name}@{version}", *fields, "--json", *patience), "", f"npm:{name}", errors=False)
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None


def _release(item: object) -> Numbered | None:
    """A version that npm lists; ``None`` if its author has deprecated it (``npm deprecate``)."""
    if isinstance(item, dict):
        version = item.get("version")
        return Numbered.parse(version) if isinstance(version, str) and not item.get("deprecated") else None
    return Numbered.parse(item) if isinstance(item, str) else None


def _nothing(package: str, bound: str, said: str, pin: str) -> TargetError | UnreachableError:
    """The error for a package without a matching release, or for a registry that does not respond."""
    cause = _cause(said)
    reason = f": {cause}" if cause else ""
    if _ABSENT.search(said) is None or _OFFLINE.search(said) is not None:
        return UnreachableError(
            f"The registry did not list the releases of {package}{reason}.",
            "Check the network, or compare with a recorded surface instead: mcp-governor snapshot",
        )
    sign = "<=" if bound.startswith("<=") else "<"
    which = f" {'up to' if sign == '<=' else 'before'} {bound.removeprefix(sign)}" if bound else ""
    return TargetError(
        f"{package} has no release{which} to compare with{reason}.", f"Name a release: {package}{pin}VERSION"
    )


def _cause(said: str) -> str:
    """The reason in a client's output."""
    found = _CAUSE.findall(said)
    return one_line(found[-1], 160).rstrip(".") if found else ""


def _ask(command: Sequence[str], asked: str, package: str, *, errors: bool = True) -> str:
    """The output of a client, within limits; with ``errors``, including its standard error.

    Raises:
        UnreachableError: it took longer than :data:`SECONDS`, printed more than ``MAX_ANSWER``, or could not be
            started.
    """
    import subprocess

    from mcp_governor.programs.child import clean_environment, output_of
    from mcp_governor.wire import StdioEndpoint

    # It registers the secrets among the variables, so that no message quotes them.
    endpoint = StdioEndpoint(tuple(command), env=runner_environment())
    hint = f"Check the network, or record the surface instead: mcp-governor snapshot {package}"
    try:
        output = output_of(
            command,
            asked.encode(),
            seconds=SECONDS,
            most=MAX_ANSWER,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            env=clean_environment(endpoint.env),
            cwd=neutral_folder(),
        )
    except OSError as error:
        raise UnreachableError(f"{one_line(command[0], 80)} cannot be started: {error.strerror}.", hint) from None
    if output.late:
        raise UnreachableError(f"The registry did not list the releases of {package} within {SECONDS:.0f} s.", hint)
    if output.out is None:
        raise UnreachableError(f"The registry's list of the releases of {package} is larger than 1 MiB.", hint)
    return output.out.decode("utf-8", "replace")
