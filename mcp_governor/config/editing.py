"""Write into a configuration file, and leave everything else in it unchanged.

A file can have many layouts (tables in any order, dotted keys, inline tables), and tomlkit loses or breaks some of
them. So the result is parsed before it is returned: unless it equals the old content with the edit, it is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.parsing import read_toml
from mcp_governor.text import escape_toml, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BOM = "\ufeff"

Edit = Callable[[Any, Callable[[Any], Any]], None]
"""Changes a table, plain or of tomlkit; the second argument makes the values to put into it."""


def edited(
    text: str,
    edit: Edit,
    *,
    table: Sequence[str],
    what: str,
    refusal: tuple[str, str],
    by_text: Callable[[str], Iterable[str]] = lambda _: (),
) -> str:
    """A configuration file with an edit; comments, order and line endings are preserved.

    Args:
        text: the content of the file.
        edit: the change.
        table: the table to change: ``("tool", "mcp-governor")`` in pyproject.toml, empty in mcp-governor.toml, plus
            ``("lint",)`` and so on.
        what: name of the file in messages.
        refusal: message and hint for a layout that requires editing by hand.
        by_text: ways to write it as text, best first; each may fail for some layouts, and then tomlkit writes it.

    Raises:
        ConfigError: the file is not TOML, or its layout requires editing by hand.
    """
    body = text.removeprefix(_BOM).replace("\r\n", "\n")
    try:
        expected, before = read_toml(body), read_toml(body)
    except ValueError as error:
        raise ConfigError(f"{what} is not TOML: {one_line(str(error)).rstrip('.')}.", "Correct the line.") from None
    here: Any = expected
    for name in table:
        here = here.setdefault(name, {}) if isinstance(here, dict) else None
    if not isinstance(here, dict):
        raise ConfigError(f"{what}: {'.'.join(table)} is not a table.", "Correct the file.")
    edit(here, lambda value: value)
    if expected == before:
        return text
    for written in (*by_text(body), _by_tomlkit(body, edit, table)):
        if _says(written, expected):
            bom = _BOM if text.startswith(_BOM) else ""
            return bom + (written.replace("\n", "\r\n") if "\r\n" in text else written)
    raise ConfigError(*refusal)


def set_text(text: str, key: str, value: str, *, table: Sequence[str] = (), what: str) -> str:
    """Set a string in a configuration file; see :func:`edited`."""

    def edit(config: Any, as_value: Callable[[Any], Any]) -> None:
        if config.get(key) != value:
            config[key] = as_value(value)

    refusal = (
        f"{what} has a layout in which {key} cannot be set; nothing was written.",
        f"Set it by hand: {key} = {literal(value).as_string()}",
    )
    return edited(text, edit, table=table, what=what, refusal=refusal)


def literal(value: Any) -> Any:
    """A value for tomlkit with every character escaped that could deceive a reader."""
    import tomlkit

    return tomlkit.value(escape_toml(tomlkit.item(value).as_string()))


def _by_tomlkit(text: str, edit: Edit, table: Sequence[str]) -> str:
    """The file as tomlkit edits it; empty if it cannot."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        here: Any = document
        for name in table:
            here = here.setdefault(name, tomlkit.table())
        edit(here, literal)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError, AttributeError):
        return ""


def _says(text: str, expected: dict[str, Any]) -> bool:
    try:
        return read_toml(text) == expected
    except ValueError:
        return False
