"""Where identifiers come from: the tools of a server that list, find or return what one is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.prose.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp_governor.prose.declared import Declared
    from mcp_governor.surface.model import Surface, Tool

_MAX_SOUGHT = 60
"""Maximum number of identifiers per server whose source is searched for in all tools."""
ROLES = frozenset(
    [
        *("add", "child", "destination", "from", "linked", "new", "old", "other", "parent", "related", "remove"),
        *("root", "source", "target", "to"),
    ]
)
"""Words in front that say which of several, but not of what."""
_SAME = {
    "db": "database",
    "doc": "document",
    "docs": "document",
    "org": "organization",
    "orgs": "organization",
    "repo": "repository",
    "repos": "repository",
    "sheet": "spreadsheet",
    "sheets": "spreadsheet",
    "slides": "presentation",
}


class Sources:
    """The tools of a server as sources of identifiers.

    Args:
        surface: the server to search.
    """

    def __init__(self, surface: Surface) -> None:
        self._instructions = surface.instructions or ""
        self._tools = [(tool, stems_of(name_words(tool.name)), _needed(tool)) for tool in surface.tools]
        self._left = _MAX_SOUGHT

    def has(self, name: str) -> bool:
        """True if a tool that does not need an identifier is named after the thing, or names the identifier.

        Also true once many have been searched for: nobody reads a list that long.
        """
        self._left -= 1
        if self._left < 0 or name in self._instructions:
            return True
        thing = self._thing(name)
        return any(
            thing <= stems or name in tool.description or _gives(tool.output_schema, name)
            for tool, stems, needed in self._tools
            if name not in needed
        )

    def giver(self, name: str, ones: list[Declared]) -> str | None:
        """The tool that lists or finds what an identifier is of; ``None`` if none does so by its name."""
        thing, takers = self._thing(name), {one.tool.index for one in ones}
        around = set.intersection(*(stems_of(name_words(one.tool.name)) for one in ones))
        some = set.union(*(stems_of(name_words(one.tool.name)) for one in ones)) - around
        found: list[tuple[bool, int, int, int, str]] = []
        for tool, stems, _ in self._tools:
            parts = _listed(name_words(tool.name))
            verbs = _GIVING.intersection(name_words(tool.name))
            # "get_orders" lists them; "get_order" needs the identifier itself, and "get_order_lines" has others.
            if not verbs or not parts or not stems_of(parts[-1:]) <= thing <= stems:
                continue
            if tool.index not in takers and not _takes(tool, name):
                rest = stems - thing - stems_of(verbs) - _OF_NAMES
                singular = not parts[-1].endswith("s")  # "get_task_list" returns tasks, or a list of tasks by its id
                # "list_queue_items" has not what "get_dataset_item" takes.
                left = len(rest) if rest.isdisjoint(some) else _MAX_REST + 1
                found.append((singular, -len(rest & around), left, len(found), tool.name))
        _, _, left, _, giver = min(found, default=(False, 0, _MAX_REST + 1, 0, ""))
        return giver if left <= _MAX_REST else None

    @staticmethod
    def _thing(name: str) -> set[str]:
        return stems_of(name_words(name)[:-1]) - {stem(word) for word in ROLES}


_OF_NAMES = {"tool"}
"""Stems of last words of the names of tools that say nothing: "list_boards_tool"."""


def _listed(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a tool's name up to the thing of which it returns several; none if it returns one."""
    parts = parts[:-1] if parts[-1:] == ("tool",) else parts
    if parts[-1:] == ("list",):
        return parts[:-1]
    return parts if parts and parts[-1].endswith("s") else ()


_MAX_REST = 1
"""Maximum number of other words, such as that of the product, in the name of a tool that lists the thing."""
_GIVING = frozenset({"discover", "find", "get", "list", "search"})
"""Words of the names of tools that return what others take."""


def _takes(tool: Tool, name: str) -> bool:
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return isinstance(properties, dict) and name in properties


def _needed(tool: Tool) -> frozenset[str]:
    schema = tool.input_schema
    required = schema.get("required") if isinstance(schema, dict) else None
    return frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset()


def stems_of(parts: Iterable[str]) -> set[str]:
    return {stem(_SAME.get(word, word)) for word in parts}


def _gives(schema: Any, name: str) -> bool:
    """True if results have a field of this name, at the top level or in the first list."""
    fields = _fields(schema)
    return name in fields or any(name in _fields(inner) for inner in fields.values())


def _fields(schema: Any) -> Mapping[str, Any]:
    schema = schema.get("items", schema) if isinstance(schema, dict) else None
    fields = schema.get("properties") if isinstance(schema, dict) else None
    return fields if isinstance(fields, dict) else {}
