"""Write one key into a configuration file, and leave everything else in it unchanged.

The file is edited in its own layout (tomlkit) and then parsed. Unless it equals the old content plus the new value, it
is not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.parsing import read_toml
from mcp_governor.text import escape_toml, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tomlkit.items import Item

KEY = "schema-version"
_BOM = "\ufeff"


def set_source(text: str, spec: str, *, table: Sequence[str] = (), what: str) -> str:
    """Set ``schema-version`` in a configuration file; see :func:`set_text`."""
    return set_text(text, KEY, spec, table=table, what=what)


def set_text(text: str, key: str, value: str, *, table: Sequence[str] = (), what: str) -> str:
    """Set a string in a configuration file; comments, order and line endings are preserved.

    Args:
        text: the content of the file.
        key: the key.
        value: its new value.
        table: the table of the key: ``("tool", "mcp-governor")`` in pyproject.toml, empty in mcp-governor.toml, plus
            ``("lint",)`` and so on.
        what: name of the file in messages.

    Raises:
        ConfigError: the file is not TOML, or its layout requires editing by hand.
    """
    body = text.removeprefix(_BOM).replace("\r\n", "\n")
    try:
        expected = read_toml(body)
    except ValueError as error:
        raise ConfigError(f"{what} is not TOML: {one_line(str(error)).rstrip('.')}.", "Correct the line.") from None
    here: Any = expected
    for name in table:
        here = here.setdefault(name, {}) if isinstance(here, dict) else None
    if not isinstance(here, dict):
        raise ConfigError(f"{what}: {'.'.join(table)} is not a table.", "Correct the file.")
    if here.get(key) == value:
        return text
    here[key] = value
    written = _edited(body, key, value, table)
    try:
        kept = read_toml(written) == expected
    except ValueError:
        kept = False
    if not kept:
        raise ConfigError(
            f"{what} has a layout in which {key} cannot be set; nothing was written.",
            f"Set it by hand: {key} = {_literal(value).as_string()}",
        )
    bom = _BOM if text.startswith(_BOM) else ""
    return bom + (written.replace("\n", "\r\n") if "\r\n" in text else written)


def _literal(value: str) -> Item:
    """A string with every character escaped that could deceive a reader."""
    import tomlkit

    return tomlkit.value(escape_toml(tomlkit.item(value).as_string()))


def _edited(text: str, key: str, value: str, table: Sequence[str]) -> str:
    """The file with the new value; empty if tomlkit cannot set it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        here: Any = document
        for name in table:
            here = here.setdefault(name, tomlkit.table())
        here[key] = _literal(value)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError, AttributeError):
        return ""
