"""Write one key into a configuration file, and leave everything else in it unchanged.

The file is edited as text and then parsed. Unless it equals the old content plus the new value, it is not changed.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_toml
from mcp_governor.text import escape_toml, one_line
from mcp_governor.version_sources.lines import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY = "schema-version"
_HEADER = lazy_pattern(r"\s*+\[{1,2}(?P<path>[^\[\]#]++)\]{1,2}\s*+(?:#.*)?")
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
        document = read_toml(body)
    except ValueError as error:
        raise ConfigError(f"{what} is not TOML: {one_line(str(error)).rstrip('.')}.", "Correct the line.") from None
    expected = deepcopy(document)
    here: Any = expected
    for name in table:
        here = here.setdefault(name, {}) if isinstance(here, dict) else None
    if not isinstance(here, dict):
        raise ConfigError(f"{what}: {'.'.join(table)} is not a table.", "Correct the file.")
    if here.get(key) == value:
        return text
    here[key] = value
    for written in _candidates(body, key, value, table):
        if _contains(written, expected):
            bom = _BOM if text.startswith(_BOM) else ""
            return bom + (written.replace("\n", "\r\n") if "\r\n" in text else written)
    raise ConfigError(
        f"{what} has a layout in which {key} cannot be set; nothing was written.",
        f"Set it by hand: {key} = {_toml(value)}",
    )


def _contains(text: str, expected: dict[str, Any]) -> bool:
    try:
        return read_toml(text) == expected
    except ValueError:
        return False


def _toml(value: str) -> str:
    import tomlkit

    return escape_toml(tomlkit.item(value).as_string())


def _candidates(text: str, key: str, value: str, table: Sequence[str]) -> Iterator[str]:
    """Different ways to write the file, best first; each of them fails for some layouts."""
    place = place_of(text, (*table, key), read_toml)
    if place is not None:
        yield text[: place[0]] + _toml(value) + text[place[1] :]
        return
    lines = text.split("\n")
    line = f"{key} = {_toml(value)}"
    headers = [(number, _HEADER.fullmatch(one)) for number, one in enumerate(lines)]
    tables = [(number, match["path"].replace(" ", "")) for number, match in headers if match is not None]
    own = ".".join(table)
    begin = next((number + 1 for number, path in tables if path == own), None) if table else 0
    if begin is not None:
        end = next((number for number, _ in tables if number >= begin), len(lines))
        yield _inserted(lines, _below_keys(lines, begin, end), [line])
    first = next((number for number, path in tables if path.startswith(f"{own}.")), len(lines)) if table else None
    if first is not None:
        yield _inserted(lines, first, [f"[{own}]", line, ""])
    yield _by_tomlkit(text, key, value, table)


def _below_keys(lines: Sequence[str], begin: int, end: int) -> int:
    """The number of the line below the last key of a table."""
    while end > begin and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _inserted(lines: Sequence[str], at: int, new: list[str]) -> str:
    return "\n".join([*lines[:at], *new, *lines[at:]])


def _by_tomlkit(text: str, key: str, value: str, table: Sequence[str]) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        here: Any = document
        for name in table:
            here = here[name]
        here[key] = value
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError):
        return ""
