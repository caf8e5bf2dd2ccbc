"""Find the release that a command line starts, as in ``uvx --from NAME==V`` and ``npx NAME@V``."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_REQUIREMENT = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._,-]*\])?==([A-Za-z0-9.!+_-]+)")
_UVX_TOOL = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*@(\d[A-Za-z0-9.!+_-]*)")
# A range or tag (^1.2, latest) does not name one release; npm requires all three numbers.
_NPM_SPEC = lazy_pattern(r"(?:@[^/@\s]+/)?[^/@\s]+@(\d+\.\d+\.\d+(?:[-+][A-Za-z0-9.+-]*)?)")


def pinned_version(command: Sequence[str]) -> str | None:
    """The version of the package that a command line starts, or ``None`` if it does not contain one.

    Args:
        command: the command of a stdio server, starting with the program.
    """
    if not command:
        return None
    program = PurePath(command[0]).name.removesuffix(".cmd").removesuffix(".exe")
    arguments = list(command[1:])
    if program == "uv" and arguments[:2] == ["tool", "run"]:
        program, arguments = "uvx", arguments[2:]
    if program == "uvx":
        return _pinned_by_uvx(arguments)
    if program == "npx":
        return _pinned_by_npx(arguments)
    return None


def _pinned_by_uvx(arguments: list[str]) -> str | None:
    first = next(iter(arguments), "")
    if not first.startswith("-"):
        return _version(_REQUIREMENT, first) or _version(_UVX_TOOL, first)
    for index, argument in enumerate(arguments):
        if argument == "--from" and index + 1 < len(arguments):
            return _version(_REQUIREMENT, arguments[index + 1])
        if argument.startswith("--from="):
            return _version(_REQUIREMENT, argument.removeprefix("--from="))
    return None  # options may take values, so it is unclear which word is the tool


def _pinned_by_npx(arguments: list[str]) -> str | None:
    for index, argument in enumerate(arguments):
        if argument in ("-p", "--package") and index + 1 < len(arguments):
            return _version(_NPM_SPEC, arguments[index + 1])
        if argument.startswith("--package="):
            return _version(_NPM_SPEC, argument.removeprefix("--package="))
        if not argument.startswith("-"):
            return _version(_NPM_SPEC, argument)
    return None


def _version(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.fullmatch(text)
    return match[1] if match else None
