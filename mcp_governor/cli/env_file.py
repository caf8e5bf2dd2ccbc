"""Files of environment variables (``.env``): ``NAME=VALUE`` lines, as docker, compose and dotenv read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.errors import UsageError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.text import visible

if TYPE_CHECKING:
    from pathlib import Path

MAX_VARIABLES = 200
"""Variables of one file: servers take up to thirty. A file with more is refused, as the wrong one."""

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)#.*")


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
