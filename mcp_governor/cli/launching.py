"""What a command line says about how a server is started or reached, as values.

A command line is seen by every process of the machine, and kept by shells and CI, so secrets stay out of it:
``--header`` and ``--bearer`` name variables, and ``--env-file`` names a file of them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mcp_governor.config import Launch
from mcp_governor.errors import UsageError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.secret_detection import is_token, learn_header
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def launch_of(
    args: tuple[str, ...],
    with_: tuple[str, ...],
    env: Sequence[str],
    env_files: Iterable[Path],
    headers: tuple[Sequence[str], str | None],
    *,
    resolves: bool,
) -> Launch:
    """The options of a command that takes a TARGET, as values; ``args`` are the words after ``--``, for a package."""
    named = frozenset(text for text in env if "=" not in text)
    return Launch(args, with_, _environment(env, env_files), named, headers_of(*headers), resolves)


def _environment(named: Iterable[str], files: Iterable[Path]) -> dict[str, str]:
    """Variables from the files, then ``NAME=VALUE`` as given, and ``NAME`` from our environment."""
    values: dict[str, str] = {}
    for file in files:
        values |= read_env_file(file)
    for word in named:
        name, equals, value = word.partition("=")
        if not name.replace("_", "a").isalnum():
            raise UsageError("--env takes NAME or NAME=VALUE.", "Name the variable, for example: --env API_KEY")
        if not equals and name not in os.environ:
            raise UsageError(f"--env {name}: the variable is not set.", f"Set it: export {name}=…")
        values[name] = value if equals else os.environ[name]
    return values


_TOKEN = lazy_pattern(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")  # RFC 9110, 5.6.2
_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_REFERENCE = lazy_pattern(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_SURELY_A_NAME = lazy_pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


def headers_of(typed: Iterable[str], bearer: str | None) -> dict[str, str]:
    """The headers of a command line, with ``$NAME`` for the values of variables, as the configuration writes them.

    Args:
        typed: values of ``--header``: ``NAME=VARIABLE``, or ``NAME=TEXT`` with ``$VARIABLE`` in the text.
        bearer: value of ``--bearer``: a variable.

    Raises:
        UsageError: a word has another form, or a variable is not set.
    """
    headers: dict[str, str] = {}
    for word in typed:
        name, equals, value = word.partition("=")
        if not equals or not value or not _TOKEN.fullmatch(name):
            raise UsageError(
                "--header takes NAME=VARIABLE.",
                "Name the header and a variable, for example: --header X-Api-Key=API_KEY",
            )
        if name.lower() in map(str.lower, headers):
            raise UsageError(f"--header {name} is given twice.", "Remove one of them.")
        headers[name] = _template("--header", value, f"{name}=", name)
    if bearer is not None:
        if "authorization" in map(str.lower, headers):
            raise UsageError("--bearer and --header Authorization set the same header.", "Remove one of them.")
        headers["Authorization"] = f"Bearer {_template('--bearer', bearer, '', 'Authorization')}"
    return headers


def _template(option: str, value: str, before: str, header: str) -> str:
    """The value of an option as a string with references to variables that are set.

    Whatever is not the name of a variable may be its value, which the shell has put there, and is never repeated.
    """
    named = _VARIABLE.fullmatch(value) is not None
    text = f"${value}" if named else value
    found = [match[1] or match[2] for match in _REFERENCE.finditer(text)]
    missing = next((name for name in found if not os.environ.get(name)), None)
    if found and missing is None:
        return text
    if missing is not None and (not named or (_SURELY_A_NAME.fullmatch(value) and not is_token(value))):
        raise UsageError(f"{option} {before}{missing}: the variable is not set.", f"Set it: export {missing}=…")
    learn_header(header, value)
    raise UsageError(
        f"{option} takes the name of an environment variable, so that no secret is on the command line; it got "
        "something else, which is not shown.",
        f"Put the value into a variable and name it without a dollar sign: export API_TOKEN=…, then {option} "
        f"{before}API_TOKEN",
    )


MAX_VARIABLES = 200
"""Variables of one file: servers take up to thirty. A file with more is refused, as the wrong one."""

_LINE = lazy_pattern(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_COMMENT = lazy_pattern(r"(?:^|\s)#.*")


def read_env_file(path: Path) -> dict[str, str]:
    """The variables of a file. Values may be quoted; nothing in them is replaced.

    Raises:
        UsageError: it cannot be read, or a line is not ``NAME=VALUE``; the message names the line, never a value.
    """
    shown = visible(str(path))
    try:
        text = read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"--env-file: {shown} cannot be read: {error.strerror}.", "Check the path.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"--env-file: {shown} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from None
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None or "\0" in line:
            raise UsageError(f"--env-file: line {number} of {shown} is not NAME=VALUE.", "Correct the line.")
        values[match[1]] = _unquoted(match[2])
        if len(values) > MAX_VARIABLES:
            raise UsageError(
                f"--env-file: {shown} sets more than {MAX_VARIABLES} variables.",
                "Use a file with only the variables of this server.",
            )
    return values


def _unquoted(value: str) -> str:
    """A value without its quotation marks, or without the comment behind it."""
    for mark in "\"'":
        if value.startswith(mark) and (end := value.find(mark, 1)) > 0:
            return value[1:end]
    return _COMMENT.sub("", value)
