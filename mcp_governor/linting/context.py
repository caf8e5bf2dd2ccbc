"""What a check is given: one subject at a time, the options of its rule, and facts shared by all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mcp_governor.frozen import frozen
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from mcp_governor.findings import Correction
    from mcp_governor.surface.model import Surface, Tool

_T = TypeVar("_T")


class Hit(NamedTuple):
    """One place where a rule does not hold.

    Attributes:
        path: JSON pointer, relative to what the finding is about (the tool, or the surface document).
        value: the JSON value in question; its hash is part of the finding's id.
        values: what the rule's message and fix name in braces, besides options, ``tool``, ``path``, ``value``.
        tool: name of the tool, where the check looked at the whole surface.
        says: which of the rule's ``messages`` it is, where it has several.
        correction: the edits after which the rule holds, where they leave nothing to decide.
    """

    path: str
    value: Any = None
    values: Mapping[str, Any] = {}
    tool: str | None = None
    says: str = ""
    correction: Correction | None = None


def hit(
    path: str,
    value: Any = None,
    /,
    *,
    tool: str | None = None,
    says: str = "",
    correction: Correction | None = None,
    **values: Any,
) -> Hit:
    """A :class:`Hit` with its named values."""
    return Hit(path, value, values, tool, says, correction)


class SchemaPlace(NamedTuple):
    """One schema within a tool's input or output schema.

    Attributes:
        tool: whose.
        side: ``inputSchema`` or ``outputSchema``.
        tokens: the way from the schema's root to here.
        pointer: JSON pointer into the tool.
        schema: the schema, a boolean schema or whatever stands there.
        argument: the name of the property whose schema this is, wherever it is declared; ``None`` for any other schema.
    """

    tool: Tool
    side: str
    tokens: tuple[str | int, ...]
    pointer: str
    schema: Any
    argument: str | None = None

    @property
    def is_root(self) -> bool:
        return not self.tokens


class Item(NamedTuple):
    """One prompt, resource or resource template: its raw entry and its pointer into the surface document."""

    kind: str
    pointer: str
    raw: Any


SIDES = ("inputSchema", "outputSchema")


def schema_nodes(tool: Tool) -> list[SchemaPlace]:
    """Every schema of a tool, both sides, parents before children, in document order."""
    out: list[SchemaPlace] = []
    for side in SIDES:
        if side not in tool.raw:
            continue
        stack: list[SchemaPlace] = [SchemaPlace(tool, side, (), f"/{side}", tool.raw[side])]
        while stack:
            node = stack.pop()
            out.append(node)
            below = [
                SchemaPlace(
                    tool,
                    side,
                    node.tokens + tokens,
                    join_pointer(node.pointer, *tokens),
                    schema,
                    # One step leads here, so the token in front of the name is the keyword.
                    str(tokens[1]) if tokens[0] == "properties" else None,
                )
                for tokens, schema in subschemas(node.schema)
            ]
            below.reverse()
            stack += below
    return out


MOST_EFFORT = 2_000_000
"""Work for all defaults and examples of a surface, in parts of a schema: ten seconds. A surface may hold 2,000,000
values; where each is looked at once, it is less than that."""


_MOST_KEPT = 20_000_000
"""Characters that are kept of what was read of single tools, a schema counting for 200 besides its pointer: 10,000
tools of six schemas each and what their descriptions say, 40 MB. Beyond it only what was read last is kept."""
_NODE = 200
"""About the bytes of a small object and of the key that leads to it."""


def _size(nodes: list[SchemaPlace]) -> int:
    return sum([len(node.pointer) + _NODE for node in nodes]) + _NODE


@dataclass(eq=False, repr=False)
class Facts:
    """What several rules want to know about one surface, worked out once.

    Attributes:
        surface: what is linted.
        effort: what is left for holding values against schemas; nothing is judged without.
    """

    surface: Surface
    effort: int = MOST_EFFORT
    _memo: dict[Any, Any] = field(default_factory=dict)
    _room: int = _MOST_KEPT

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of all published tools."""
        return frozenset(self.surface.by_name)

    def nodes(self, tool: Tool) -> list[SchemaPlace]:
        """:func:`schema_nodes`, kept while the surface is linted; see :meth:`kept`."""
        return self.kept(("nodes", tool.index), lambda: schema_nodes(tool), _size)

    def kept(self, key: tuple[Any, ...], make: Callable[[], _T], size: Callable[[_T], int]) -> _T:
        """The value under ``key``, kept for good while there is room, and as :meth:`recent` does it beyond.

        Args:
            key: what it is, and of which tool or text.
            make: makes it.
            size: about how many characters it holds.
        """
        if key in self._memo:
            kept: _T = self._memo[key]
            return kept
        value = self.recent(key, make)
        room = self._room - size(value)
        if room >= 0:
            self._room = room
            self._memo[key] = value
        return value

    def read(self, reader: Callable[[str], _T], text: str) -> _T:
        """What a reader of prose finds in a text, kept as by :meth:`kept`: servers repeat the texts of arguments."""
        return self.kept((reader.__qualname__, text), lambda: reader(text), lambda _: 2 * len(text) + _NODE)

    def recent(self, key: tuple[Any, ...], make: Callable[[], _T]) -> _T:
        """The value under ``key``, kept until another is made under a key that begins with the same word: for what is
        too large to be kept for every tool."""
        known, value = self._memo.get(key[0], (None, None))
        if known != key:
            value = make()
            self._memo[key[0]] = (key, value)
        found: _T = value
        return found

    def memo(self, key: Any, make: Callable[[], _T]) -> _T:
        """The value under ``key``, made on first use."""
        if key not in self._memo:
            self._memo[key] = make()
        value: _T = self._memo[key]
        return value


@frozen
class Context:
    """The surroundings of one check.

    Attributes:
        options: of the rule, defaults filled in.
        facts: shared by all rules.
    """

    options: Mapping[str, Any]
    facts: Facts

    @property
    def surface(self) -> Surface:
        return self.facts.surface


Check = Callable[[Any, Context], Iterable[Hit]]
"""A check: what the rule looks at (``on``) and its context → the places where the rule does not hold.

The first argument is a :class:`~mcp_governor.surface.model.Tool` for ``tool``, a :class:`SchemaPlace` for ``schema``,
``input`` and ``output``, a :class:`~mcp_governor.surface.model.Surface` for ``surface``, a
:class:`~mcp_governor.linting.texts.Text` for ``text`` and ``prose``, and an :class:`Item` for the rest.
"""
