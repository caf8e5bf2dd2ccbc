"""The strings of a surface, one at a time: those written for a model, and all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

_SKILL_FILES = "/skillFiles"
PROSE_KEYS = frozenset({"title", "description", "instructions", "$comment", "markdownDescription"})
"""Keys whose string values are written for a reader."""


class Text(Struct, frozen=True):
    """One string of a surface.

    Attributes:
        tool: the tool that it belongs to; ``None`` for the rest of the surface and for entries that are not tools.
        base: JSON pointer to its container.
        key: its key or index in the container; if the string is itself a key, that key.
        value: the string.
        is_key: the string is a key, not a value.
    """

    tool: str | None
    base: str
    key: str | int
    value: str
    is_key: bool = False

    @property
    def pointer(self) -> str:
        """Its JSON pointer, relative to the tool or to the surface document."""
        return join_pointer(self.base, self.key)

    @property
    def is_prose(self) -> bool:
        """True if its key says that it is written for a reader."""
        return (self.key in PROSE_KEYS and not self.is_key) or self.of_skill

    @property
    def of_skill(self) -> bool:
        """True if it is the prose of a skill, which is longer than a description and of another kind."""
        return self.key == "text" and self.base.startswith(_SKILL_FILES)


def surface_strings(surface: Surface) -> Iterator[Text]:
    """Every string of a surface except server info: instructions, every entry of every list, and what was read of
    skills."""
    if surface.instructions:
        yield Text(None, "", "instructions", surface.instructions)
    for index, entry in enumerate(surface.entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        tool = surface.by_name.get(name) if isinstance(name, str) else None
        if tool is not None and tool.index == index:
            yield from _strings(entry, tool.name, "")
        else:
            yield from _strings(entry, None, f"/tools/{index}")
    for kind, items in (
        ("prompts", surface.prompts),
        ("resources", surface.resources),
        ("resourceTemplates", surface.templates),
        ("skills", surface.skill_entries or ()),
    ):
        yield from _strings(list(items), None, f"/{kind}")
    for uri, read in surface.skill_files.items():
        if isinstance(read.get("text"), str):
            # A comment in a script or a page is not hidden text: models read the source.
            prose, code = _COLUMNS.sub(" ", read["text"].replace("<!--", "")), ""
            if uri.endswith(".md"):
                # In fenced code, a comment is not hidden, and columns are laid out.
                code = "\n".join(match[0] for match in _FENCED.finditer(read["text"]))
                prose = _ROW.sub(lambda row: _COLUMNS.sub(" ", row[0]), _FENCED.sub("", read["text"]))
            place = join_pointer(_SKILL_FILES, uri)
            yield Text(None, place, "text", prose)
            if code:
                yield Text(None, place, "code", code)


_FENCED = lazy_pattern(r"^[ \t>]*(```|~~~)(?s:.*?)(?:^[ \t>]*\1.*|\Z)", re.MULTILINE)
_ROW = lazy_pattern(r"^[ \t>]*\|.*", re.MULTILINE)
_COLUMNS = lazy_pattern("  +")


def _strings(value: Any, tool: str | None, base: str) -> Iterator[Text]:
    """Every string in a container. Keys are included only if they are not plain ASCII: others do not matter."""
    # A pointer is made when its container is read, and not for all of a list: they may be long.
    stack: list[tuple[str, tuple[str | int, ...], Any]] = [(base, (), value)]
    while stack:
        outer, way, container = stack.pop()
        here = join_pointer(outer, *way)
        if isinstance(container, dict):
            for key in container:
                if not (key.isascii() and key.isprintable()):
                    yield Text(tool, here, key, key, True)
        elif not isinstance(container, list):
            continue
        inner: list[tuple[str, tuple[str | int, ...], Any]] = []
        for key, item in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(item, str):
                yield Text(tool, here, key, item)
            elif item and isinstance(item, _CONTAINERS):
                inner.append((here, (key,), item))
        stack += reversed(inner)


_CONTAINERS = (dict, list)
