"""Decides if rules may run Python code: the user's choice, made outside the repository with the rules.

Rules in TOML are data and always run. A rule whose check is a function, and a package that provides its rules through a
function, are code, which the author of the repository wrote or chose.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes, repository_of
from mcp_governor.text import one_line, visible

KEY = "trust-rules"
VARIABLE = "MCP_GOVERNOR_TRUST_RULES"
_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"", "0", "false", "no", "off"})


def rules_trusted(root: Path) -> bool:
    """True if the user trusts the rules of a repository: in the environment, else in their own configuration.

    Args:
        root: the folder of the repository's configuration. A user configuration inside its repository is ignored: the
            repository may have created it.

    Raises:
        ConfigError: the variable is neither yes nor no, or the user configuration is invalid.
    """
    said = os.environ.get(VARIABLE)
    if said is not None:
        if said.strip().lower() not in _YES | _NO:
            raise ConfigError(
                f"{VARIABLE} is {one_line(said, 40)!r}; it must be 1 or 0.", f"Set it: export {VARIABLE}=1"
            )
        return said.strip().lower() in _YES
    file = user_config()
    if file is None:
        return False
    here = Path(os.path.realpath(root))
    if Path(os.path.realpath(file)).is_relative_to(repository_of(here)):
        return False
    trusted = _read(file)
    return trusted if isinstance(trusted, bool) else any(here.is_relative_to(folder) for folder in trusted)


def trusted_by_variable() -> bool:
    """True if the environment says that rules are trusted; a user configuration is not asked."""
    return os.environ.get(VARIABLE, "").strip().lower() in _YES


def user_config() -> Path | None:
    """The path of a user's own configuration, even if it does not exist; ``None`` for a user without a home."""
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    named = os.environ.get(variable, "")
    try:
        base = Path(named) if Path(named).is_absolute() else Path.home() / ".config"
    except RuntimeError:
        return None
    return base / "mcp-governor" / "config.toml"


def _read(file: Path) -> bool | list[Path]:
    """The value of ``trust-rules``: all repositories, or the folders to which it applies."""
    try:
        data = read_bytes(file, limit=MAX_TEXT_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(f"{visible(str(file))} cannot be read: {error.strerror}.", "Check the file.") from None
    import tomli

    try:
        document = tomli.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{visible(str(file))} is not TOML: {one_line(str(error))}.", "Correct the file.") from None
    said = document.pop(KEY, False)
    folders = said if isinstance(said, list) else []
    if document or not (isinstance(said, bool | list) and all(isinstance(folder, str) for folder in folders)):
        raise ConfigError(
            f"{visible(str(file))} may contain only {KEY}.",
            f'Use {KEY} = true, or list the folders that you trust: {KEY} = ["~/work"]',
        )
    return said if isinstance(said, bool) else [Path(os.path.realpath(Path(folder).expanduser())) for folder in said]
