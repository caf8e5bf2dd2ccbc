"""Two styles in one server: in the values of enums and in the names of parameters."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import plain
from mcp_governor.prose.declared import Declared, declared
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.subjects.schemas import effective
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

# -- values

_MIN_VALUES = 2
"""Minimum number of shared values in two spellings; a single "None" and "none" may be two things."""
_MAX_VALUES = 100
"""Maximum number of values compared per enum; a larger one is a catalogue."""
_MAX_PAIRS = 6
"""Maximum number of pairs named in a message; the rest are counted."""


def value_spellings(surface: Surface, context: Context) -> Iterator[Hit]:
    """Equal values of two parameters are spelled alike; one hit for the server."""
    enums: dict[tuple[str, ...], Declared] = {}
    for one in declared(surface, context):
        values = _values(one)
        # GET and PUT are spelled like this everywhere, whatever an operation "get" is called.
        if _MIN_VALUES <= len(values) <= _MAX_VALUES and not _METHODS.issuperset(values):
            enums.setdefault(values, one)
    holders: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for values in enums:
        for key in {plain(value) for value in values}:
            holders[key].append(values)
    found: list[str] = []
    spots: list[tuple[str, str]] = []
    for values, one in enums.items():
        own = {plain(value): value for value in values}
        others = {other for key in own for other in islice(holders[key], 20) if other > values}
        for other in sorted(others):
            theirs = {plain(value): value for value in other}
            both = own.keys() & theirs.keys()
            apart = [key for key in own if key in both and own[key] not in other and theirs[key] not in values]
            # Codes of countries and of languages look alike too, and have few values in common.
            alike = len(both) * 2 >= min(len(own), len(theirs))
            if len(apart) >= _MIN_VALUES and alike:
                pairs = ", ".join(f"{one_line(own[key], 40)} and {one_line(theirs[key], 40)}" for key in apart[:2])
                found.append(f"{pairs} ({_place(one)}; {_place(enums[other])})")
                spots += [(each.tool.name, each.pointer) for each in (one, enums[other])]
    if found:
        rest = len(found) - _MAX_PAIRS
        more = [counted(rest, "more pair")] if rest > 0 else []
        yield hit("/tools", spots=spots, pairs="; ".join([*found[:_MAX_PAIRS], *more]))


def _values(one: Declared) -> tuple[str, ...]:
    values = one.schema.get("enum")
    if values is None:
        values = effective(one.tool.input_schema, one.schema.get("items")).get("enum")
    if not isinstance(values, list):
        return ()
    return tuple(sorted({value for value in values[: _MAX_VALUES + 1] if isinstance(value, str) and plain(value)}))


_METHODS = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"})
"""The methods of RFC 9110, section 9, and PATCH (RFC 5789)."""


def _place(one: Declared) -> str:
    return f"{one_line(one.name, 64)} of {one_line(one.tool.name, 64)}"


# -- names

_SNAKE = lazy_pattern(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_KEBAB = lazy_pattern(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_HEADER = lazy_pattern(r"[A-Z][a-z0-9]*(?:-[A-Z][a-z0-9]*)+")
_CAMEL = lazy_pattern(r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*")
_PRESCRIBED = frozenset({"pageSize", "pageToken"})
"""SCHEMA.md, sections 5.1 and 5.2."""
_MIN_NAMES = 6
"""Minimum number of names in the usual style for it to be a style."""
_SHARE = 1.5
"""Minimum number of usual names per unusual one; with fewer, neither style is the usual one."""
_MAX_NAMES = 10
"""Maximum number of names listed in a message."""


def argument_case(surface: Surface, context: Context) -> Iterator[Hit]:
    """Names of several words are joined in one way; one hit for the server."""
    found: dict[str, dict[str, list[Declared]]] = defaultdict(dict)
    styles: dict[str, str | None] = {}
    for one in declared(surface, context):
        if one.name not in styles:
            styles[one.name] = _style_of(one.name)
        style = styles[one.name]
        if style is not None and not _is_header(one):
            found[style].setdefault(one.name, []).append(one)
    usual = max(found, key=lambda style: len(found[style]), default="")
    rare = [style for style in found if style != usual]
    few = {name: ones for style in rare for name, ones in found[style].items()}
    if not few or len(found[usual]) < _MIN_NAMES or len(few) * _SHARE > len(found[usual]):
        return
    shown = [
        f"{one_line(name, 64)} ({one_line(ones[0].tool.name, 64)}{', …' if _several_tools(ones) else ''})"
        for name, ones in islice(few.items(), _MAX_NAMES)
    ]
    if len(few) > _MAX_NAMES:
        shown.append(counted(len(few) - _MAX_NAMES, "more name"))
    spots = ((one.tool.name, one.pointer) for ones in few.values() for one in ones)
    yield hit(
        "/tools", spots=spots, rare=" and ".join(rare), usual=usual, count=len(found[usual]), names="; ".join(shown)
    )


_STYLES = {"snake_case": _SNAKE, "camelCase": _CAMEL, "kebab-case": _KEBAB, "Header-Case": _HEADER}


def _style_of(name: str) -> str | None:
    """How a name joins its words; ``None`` for a single word, and for names of pages: they are those of SCHEMA.md,
    whatever the style of the server."""
    if name in _PRESCRIBED:
        return None
    return next((style for style, form in _STYLES.items() if form.fullmatch(name)), None)


def _is_header(one: Declared) -> bool:
    """True if a parameter is part of the headers of a request: HTTP has given them their names."""
    return any(part.lower().endswith("headers") for part in one.pointer.split("/")[:-1])


def _several_tools(ones: list[Declared]) -> bool:
    return len({one.tool.name for one in ones}) > 1
