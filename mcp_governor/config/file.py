"""The configuration file as text, for what writes into it and keeps everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_named
from mcp_governor.text import visible

if TYPE_CHECKING:
    from pathlib import Path


def config_table(path: Path) -> tuple[str, ...]:
    """The table of the configuration in its file."""
    return ("tool", "mcp-governor") if path.name == "pyproject.toml" else ()


def config_text(path: Path) -> str:
    """A configuration file with its own line ends.

    Raises:
        ConfigError: it cannot be read.
    """
    shown = visible(path.name)
    data = read_named(path, shown, limit=MAX_TEXT_BYTES, error=ConfigError, hint="Check the file.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{shown} cannot be read: it is not UTF-8.", "Check the file.") from None
