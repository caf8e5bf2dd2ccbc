"""The strings of a surface, one at a time: those written for a model, and all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

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


def surface_strings(surface: Surface, quiet: Container[str] = ()) -> Iterator[Text]:
    """Every string of a surface except server info: instructions, every entry of every list, and what
    was read of skills.

    Args:
        surface: to read.
        quiet: values to leave out where they are not prose; a caller may add to them while it reads.
    """
    if surface.instructions:
        yield Text(None, "", "instructions", surface.instructions)
    for index, entry in enumerate(surface.entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        tool = surface.by_name.get(name) if isinstance(name, str) else None
        if tool is not None and tool.index == index:
            yield from _strings(entry, tool.name, "", quiet)
        else:
            yield from _strings([entry], None, "/tools", quiet, index)
    for kind, items in (
        ("prompts", surface.prompts),
        ("resources", surface.resources),
        ("resourceTemplates", surface.templates),
    ):
        yield from _strings(list(items), None, f"/{kind}", quiet)
    yield from _strings(list(surface.skill_entries or ()), None, "/skills", quiet)
    for uri, read in surface.skill_files.items():
        if isinstance(read.get("text"), str):
            # A comment in a script or a page is not hidden text: models read the source.
            other = _COLUMNS.sub(" ", read["text"].replace("<!--", ""))
            prose, code = _of_markdown(read["text"]) if uri.endswith(".md") else (other, "")
            place = join_pointer(_SKILL_FILES, uri)
            yield Text(None, place, "text", prose)
            if code:
                yield Text(None, place, "code", code)


def _of_markdown(text: str) -> tuple[str, str]:
    """The prose of a skill, and its fenced code, in which a comment is not hidden and columns are laid out."""
    parts: tuple[list[str], list[str]] = ([], [])
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip(" \t>")[:3]
        if fence:
            parts[1].append(line)
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            parts[1].append(line)
            fence = mark
        elif mark.startswith("|"):
            parts[0].append(_COLUMNS.sub(" ", line))
        else:
            parts[0].append(line)
    return "\n".join(parts[0]), "\n".join(parts[1])


_COLUMNS = lazy_pattern("  +")


def _strings(value: Any, tool: str | None, base: str, quiet: Container[str], first: int = 0) -> Iterator[Text]:
    """Every string in a container. Keys are included only if they are not plain ASCII: others do not matter."""
    stack: list[Iterator[tuple[str, Any]]] = [iter([(base, value)])]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        here, container = step
        if isinstance(container, dict):
            keys = "".join(container)
            for key in () if keys.isascii() and keys.isprintable() else container:
                if not (key.isascii() and key.isprintable()):
                    yield Text(tool, here, key, key, True)
        inner: list[tuple[str | int, Any]] = []
        for key, item in container.items() if isinstance(container, dict) else enumerate(container, first):
            if isinstance(item, str):
                if key in PROSE_KEYS or item not in quiet:
                    yield Text(tool, here, key, item)
            elif item and isinstance(item, _CONTAINERS):
                inner.append((key, item))
        if inner:
            stack.append(_placed(here, inner))
        first = 0


_CONTAINERS = (dict, list)


def _placed(here: str, members: Iterable[tuple[str | int, Any]]) -> Iterator[tuple[str, Any]]:
    """Members with their pointers, which are made one at a time: a long list has long ones."""
    for key, item in members:
        yield join_pointer(here, key), item
