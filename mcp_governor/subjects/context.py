"""The input of a check: one subject at a time, the options of its rule, and facts that all rules share."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field

from mcp_governor.findings import MAX_SPOTS
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.findings import Correction
    from mcp_governor.surface.model import Surface, Tool


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


_T = TypeVar("_T")
_Marked = TypeVar("_Marked", bound="Callable[..., Any]")


class Hit(Struct, frozen=True):
    """One place that violates a rule.

    Attributes:
        path: JSON pointer, relative to the subject of the finding (the tool, or the surface document).
        value: the JSON value in question; its hash is part of the finding's id.
        values: for the placeholders in the rule's message and fix, besides options, ``tool``, ``path`` and ``value``.
        tool: name of the tool, if the check looked at the whole surface.
        says: key of the message in the rule's ``messages``, if it has several.
        correction: edits that satisfy the rule, if they leave nothing to decide.
        spots: the places, each a tool and a pointer into it, for a hit about the whole server.
        weight: how much there is to repair; reports name the heaviest of equal findings first.
    """

    path: str
    value: Any = None
    values: Mapping[str, Any] = {}
    tool: str | None = None
    says: str = ""
    correction: Correction | None = None
    spots: tuple[tuple[str | None, str], ...] = ()
    weight: int = 0


def hit(
    path: str,
    value: Any = None,
    /,
    *,
    tool: str | None = None,
    says: str = "",
    correction: Correction | None = None,
    spots: Iterable[tuple[str | None, str]] = (),
    weight: int = 0,
    **values: Any,
) -> Hit:
    """Create a :class:`Hit` from keyword values; of the spots, the first :data:`~mcp_governor.findings.MAX_SPOTS`."""
    places = tuple(islice(dict.fromkeys(spots), MAX_SPOTS))
    return Hit(path, value, values, tool, says, correction, places, weight)


class SchemaPlace(Struct, frozen=True):
    """One schema within a tool's input or output schema.

    Attributes:
        tool: the tool that has it.
        side: ``inputSchema`` or ``outputSchema``.
        tokens: path from the root of the schema.
        pointer: JSON pointer, relative to the tool.
        schema: an object, a boolean schema, or any other value that is there.
        argument: name of the property with this schema, wherever it is declared; ``None`` for any other schema.
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


class Item(Struct, frozen=True):
    """One prompt, resource or resource template: its raw entry and its pointer into the surface document."""

    kind: str
    pointer: str
    raw: Any


SIDES = ("inputSchema", "outputSchema")


def schema_nodes(tool: Tool) -> list[SchemaPlace]:
    """Every schema of a tool, on both sides, parents before children, in document order."""
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
                    # There is one step from the parent to here, so the token in front of the name is the keyword.
                    str(tokens[1]) if tokens[0] == "properties" else None,
                )
                for tokens, schema in subschemas(node.schema)
            ]
            below.reverse()
            stack += below
    return out


MAX_EFFORT = 2_000_000
"""Effort for checking all defaults and examples of a surface, in visited schema parts: ten seconds. A surface may have
2,000,000 values; if each is visited once, it is less than that."""


_MAX_KEPT = 20_000_000
"""Characters that values about tools and strings may take: 10,000 tools with six schemas each and their descriptions,
40 MB. Beyond it, all of them are forgotten, and made again when they are asked for."""
_NODE = 200
"""Approximate size in characters of a small object and the key for it."""
_UNKNOWN: Any = object()


class Facts(Struct, eq=False, dict=True):
    """Facts about one surface that several rules need, computed once.

    Attributes:
        surface: the linted surface.
        effort: budget left for validating values against schemas; at 0 nothing more is validated.
    """

    surface: Surface
    effort: int = MAX_EFFORT
    _memo: dict[Any, Any] = field(default_factory=dict)
    _kept: dict[Any, Any] = field(default_factory=dict)
    _room: int = _MAX_KEPT

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of all published tools."""
        return frozenset(self.surface.by_name)

    def nodes(self, tool: Tool) -> list[SchemaPlace]:
        """:func:`schema_nodes`, made once."""
        return self.kept(("nodes", tool.index), lambda: schema_nodes(tool))

    def kept(self, key: tuple[Any, ...], make: Callable[[], _T], size: int = _NODE) -> _T:
        """The value for a key, which is about one tool or one text, while there is room for such values.

        Args:
            key: identifies the value and its tool or text.
            make: computes the value.
            size: approximate size in characters of the value, or of each item if it has several.
        """
        value: _T = self._kept.get(key, _UNKNOWN)
        if value is _UNKNOWN:
            value = make()
            items = len(value) if isinstance(value, list | tuple | dict) else 0
            self._room -= _NODE + (len(value) if isinstance(value, str) else size * (items or 1))
            if self._room < 0:
                self._room = _MAX_KEPT
                self._kept.clear()
            self._kept[key] = value
        return value

    def read(self, reader: Callable[..., _T], text: str, *more: Hashable) -> _T:
        """The result of a prose reader for a description and further arguments, :meth:`kept`: servers repeat
        descriptions."""
        return self.kept((reader, text, *more), lambda: reader(text, *more))

    def memo(self, key: Any, make: Callable[[], _T]) -> _T:
        """The value for a key, which is about the whole surface, computed on first use."""
        value: _T = self._memo.get(key, _UNKNOWN)
        if value is _UNKNOWN:
            value = self._memo[key] = make()
        return value


class Context(Struct, frozen=True):
    """The environment of one check.

    Attributes:
        options: of the rule, with defaults filled in.
        facts: shared by all rules.
    """

    options: Mapping[str, Any]
    facts: Facts

    @property
    def surface(self) -> Surface:
        return self.facts.surface


Check = Callable[[Any, Context], Iterable[Hit]]
"""A check: takes a subject of the kind in the rule's ``on`` and a context, and returns the places that violate the
rule.

The first argument is a :class:`~mcp_governor.surface.model.Tool` for ``tool``, a :class:`SchemaPlace` for ``schema``,
``input`` and ``output``, a :class:`~mcp_governor.surface.model.Surface` for ``surface``, a
:class:`~mcp_governor.subjects.strings.Text` for ``text`` and ``prose``, and an :class:`Item` for the rest.
"""


def about(*, argument: bool = False, keys: Iterable[str] = ()) -> Callable[[_Marked], _Marked]:
    """A decorator for a check that has nothing to say about other schemas than these, and is not asked about them.

    Args:
        argument: only the schema objects of parameters.
        keys: only schema objects with one of these keywords.
    """
    scope = argument, frozenset(keys)

    def marked(check: _Marked) -> _Marked:
        vars(check)["scope"] = scope
        return check

    return marked
