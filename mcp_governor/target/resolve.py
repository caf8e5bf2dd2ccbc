"""Resolve TARGET strings into sources."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.errors import TargetError, UsageError
from mcp_governor.files import is_regular
from mcp_governor.target.model import FileSource, GitSource, LiveSource, Source
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.config import Config

SURFACE_FILE = "mcp-surface.json"


def resolve(target: str | None, config: Config, *, command: Sequence[str] = ()) -> Source:
    """Resolve the target of the command line, or the configured one.

    Args:
        target: a TARGET string, or ``None``.
        config: the configuration, with servers, defaults, and the folder for its relative paths.
        command: the words after ``--``: a stdio server, or the arguments for a package.

    Raises:
        UsageError: no target is named, or two are.
        TargetError: the target is not valid or does not exist.
    """
    source = _resolved(target, config, tuple(command))
    _check_launch(config, source)
    return source


def resolve_both(old: str, new: str | None, config: Config, *, command: Sequence[str] = ()) -> tuple[Source, Source]:
    """:func:`resolve` for two sources to compare.

    ``command`` is for the new one; ``--env`` and ``--with`` apply to each of the two that supports them.
    """
    sources = _resolved(old, config, ()), _resolved(new, config, tuple(command))
    _check_launch(config, *sources)
    return sources


def _check_launch(config: Config, *sources: Source) -> None:
    """Refuse launch options such as ``--env`` and ``--with`` if they do not apply to any source."""
    launch = config.launch
    if not (launch.headers or launch.env or launch.with_):
        return
    from mcp_governor import wire

    endpoints = [source.endpoint for source in sources if isinstance(source, LiveSource)]
    started = [endpoint for endpoint in endpoints if isinstance(endpoint, wire.StdioEndpoint)]
    if launch.headers and not any(isinstance(endpoint, wire.HttpEndpoint) for endpoint in endpoints):
        raise UsageError("--header and --bearer work only with a server at a URL.", "Remove them, or name its URL.")
    if launch.env and not started:
        raise UsageError("--env names a variable for a server, but no server is started.", "Remove it.")
    if launch.with_ and not any(endpoint.package for endpoint in started):
        raise UsageError(
            "--with works only with pypi: and npm: targets.",
            "Remove it, or put it into the command itself: -- uvx --with REQUIREMENT …",
        )


def _resolved(target: str | None, config: Config, command: tuple[str, ...]) -> Source:
    if config.launch.env:
        from mcp_governor.secret_detection import learn_reference

        for name, value in config.launch.env.items():
            learn_reference(value, name)
    if command:
        from mcp_governor.target.forms import source_of_command
        from mcp_governor.target.packages import is_package

        if target is None:
            return source_of_command(command, config)
        if not is_package(target):
            raise UsageError(
                f'Both a TARGET ("{one_line(target, 60)}") and a command after -- are given.',
                "Remove one of them. Only pypi: and npm: targets take arguments after --.",
            )
        config = replace(config, launch=replace(config.launch, args=command))
    if target is not None:
        return parse_target(target, config, base=Path.cwd())
    if config.target:
        found = parse_target(config.target, config, base=config.root, typed=False)
        return replace(found, configured=True) if isinstance(found, LiveSource) else found
    from mcp_governor.target.forms import EVERY_FORM, source_of_server

    if len(config.servers) == 1:
        return source_of_server(next(iter(config.servers.values())), config)
    if config.servers:
        names = ", ".join(sorted(visible(name) for name in config.servers))
        raise UsageError(
            f"{config.shown} names {len(config.servers)} servers ({names}), and none is selected.",
            'Name one on the command line, or set target = "NAME".',
        )
    hint = EVERY_FORM if config.isolated else f"Set this repository up: mcp-governor init\nOr name one. {EVERY_FORM}"
    raise UsageError("No TARGET is given, and the configuration does not name one.", hint)


def parse_target(text: str, config: Config, *, base: Path, typed: bool = True) -> Source:
    """Resolve one TARGET string.

    Strings with the form of a recording are always recordings: a configured server cannot take the place of
    ``FILE.json`` or ``git:REF``, even with that name.

    Args:
        text: the TARGET.
        config: the configuration with the servers.
        base: folder for relative paths.
        typed: true if the user typed it; then a word that is both a file and a server is refused.

    Raises:
        TargetError: it is not valid, or does not exist.
    """
    if not text.strip():
        from mcp_governor.target.forms import EVERY_FORM

        raise TargetError("A TARGET is empty.", f"Perhaps a shell variable is not set. {EVERY_FORM}")
    if text.startswith("git:"):
        return _git(text, config, base)
    if ":" in text or "#" in text:
        from mcp_governor.target.forms import written_server

        if (server := written_server(text, config, base)) is not None:
            return server
    if text in config.servers and not text.endswith(".json"):
        from mcp_governor.target.forms import source_of_server

        if typed and is_regular(base / text):
            raise TargetError(
                f'"{one_line(text, 80)}" is a file, and {config.shown} has a server of that name.',
                f"Write ./{one_line(text, 80)} for the file, or give the server another name.",
            )
        return source_of_server(config.servers[text], config)
    if Path(text).suffix in _INTERPRETERS and not _is_command(text):
        raise TargetError(f"{one_line(text, 80)} is a program, not a recording.", _start(text))
    if text.endswith(".json") or is_regular(base / text):
        return _file(base / text, text)
    from mcp_governor.surface.folders import is_snapshot_folder
    from mcp_governor.target.forms import EVERY_FORM
    from mcp_governor.target.remote import without_secrets

    if is_snapshot_folder(base / text):
        return _file(base / text, text)
    hint = f"To start a command, put -- before it: -- {one_line(text, 80)}" if _is_command(text) else EVERY_FORM
    raise TargetError(f'"{without_secrets(text)}" is not a TARGET.{did_you_mean(text, config.servers)}', hint)


_INTERPRETERS = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "npx tsx", ".sh": "sh"}


def _start(text: str) -> str:
    """The command for starting a file, as a hint."""
    import shlex

    suffix = Path(text).suffix
    command = f"-- {_INTERPRETERS[suffix]} {one_line(shlex.quote(text), 80)}"
    return f"Start it: {command}" + (", or name its server object: python:module:attribute" if suffix == ".py" else "")


def _is_command(text: str) -> bool:
    """True if a TARGET is a program and its arguments: ``python server.py``."""
    import shutil

    words = text.split()
    return len(words) > 1 and shutil.which(words[0]) is not None


def _git(text: str, config: Config, base: Path) -> Source:
    ref, _, path = text.removeprefix("git:").partition(":")
    if not ref or ref.startswith("-"):
        raise TargetError(f'"{one_line(text, 80)}" does not name a git ref.', "Write git:REF or git:REF:PATH.")
    return GitSource(shown=visible(text), ref=ref, path=path or baseline_file(config), folder=base)


def baseline_file(config: Config) -> str:
    """The configured path of the surface file, or else the default name."""
    return config.baseline if config.baseline.endswith(".json") else SURFACE_FILE


def _file(path: Path, text: str) -> Source:
    """A recording, whatever its content is, because files never start anything."""
    if not os.path.lexists(path):
        raise TargetError(
            f"{one_line(text, 200)} does not exist.", f"Record it with: mcp-governor snapshot -o {one_line(text, 200)}"
        )
    return FileSource(shown=visible(text), path=path)
