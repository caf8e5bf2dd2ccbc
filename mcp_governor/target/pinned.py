"""Find the release that a command line starts, as in ``uvx --from NAME==V`` and ``npx NAME@V``."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

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
    package = started_package(command)
    return package.version if package is not None else None


class Started(Struct, frozen=True):
    """A package that a command line starts.

    Attributes:
        scheme: ``pypi`` or ``npm``.
        name: its name, without extras.
        version: the one release that the command line names, or ``None`` if the registry chooses.
    """

    scheme: str
    name: str
    version: str | None


def started_package(command: Sequence[str]) -> Started | None:
    """The package that a command line starts with ``uvx`` or ``npx``, or ``None`` if it starts none that is known.

    Args:
        command: as for :func:`pinned_version`.
    """
    if not command:
        return None
    program = PurePath(command[0]).name.removesuffix(".cmd").removesuffix(".exe")
    arguments = list(command[1:])
    if program == "uv" and arguments[:2] == ["tool", "run"]:
        program, arguments = "uvx", arguments[2:]
    if program == "uvx":
        word, patterns = _word_of_uvx(arguments)
        scheme = "pypi"
    elif program == "npx":
        word, patterns, scheme = _word_of_npx(arguments), (_NPM_SPEC,), "npm"
    else:
        return None
    name = _NAME.match(word)
    if name is None:
        return None
    versions = (match[1] for pattern in patterns if (match := pattern.fullmatch(word)))
    return Started(scheme, name[0], next(versions, None))


_NAME = lazy_pattern(r"(?:@[A-Za-z0-9._~-]+/)?[A-Za-z0-9][A-Za-z0-9._~-]*(?=$|[\[@=<>!~])")


def _word_of_uvx(arguments: list[str]) -> tuple[str, tuple[re.Pattern[str], ...]]:
    """The word that names the package, and the forms in which it names a release; options may take values, so it may
    be unclear which word is the tool."""
    first = next(iter(arguments), "")
    if not first.startswith("-"):
        return first, (_REQUIREMENT, _UVX_TOOL)
    for index, argument in enumerate(arguments):
        if argument == "--from" and index + 1 < len(arguments):
            return arguments[index + 1], (_REQUIREMENT,)
        if argument.startswith("--from="):
            return argument.removeprefix("--from="), (_REQUIREMENT,)
    return "", ()


def _word_of_npx(arguments: list[str]) -> str:
    for index, argument in enumerate(arguments):
        if argument in ("-p", "--package") and index + 1 < len(arguments):
            return arguments[index + 1]
        if argument.startswith("--package="):
            return argument.removeprefix("--package=")
        if not argument.startswith("-"):
            return argument
    return ""
