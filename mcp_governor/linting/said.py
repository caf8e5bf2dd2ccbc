"""What is said about an argument, wherever it stands: in its own description, or in that of the tool.

Checks on prose read arguments through :func:`said_of`, so that a claim counts the same in both places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mcp_governor.linting import prose
from mcp_governor.linting.context import Hit, SchemaPlace, hit
from mcp_governor.linting.outline import Outline, outline
from mcp_governor.linting.schemas import parent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.linting.context import Context, Facts
    from mcp_governor.surface.model import Tool

Where = Literal["own", "entry", "mention"]


class Said(NamedTuple):
    """One text about an argument.

    Attributes:
        node: the argument.
        path: where the text stands: its own description, or that of the tool.
        value: the description as published.
        text: what of it is about the argument, in single blanks, without the argument's name in front.
        where: ``own`` in the argument's description; in the tool's, ``entry`` (a line of "Args:", a bullet, a row of a
            table) or ``mention`` (the rest of a sentence that names the argument, so less certainly about it alone).
    """

    node: SchemaPlace
    path: str
    value: str
    text: str
    where: Where

    def told(self, **values: Any) -> Hit:
        """A hit at this text."""
        return hit(self.path, self.value, argument=self.node.argument, **values)


class _Last:
    """What was read last: several rules ask for the same argument, one after the other."""

    def __init__(self) -> None:
        self.node: SchemaPlace | None = None
        self.said: tuple[Said, ...] = ()
        self.tool: Tool | None = None
        self.outline = Outline({}, {})


def said_of(node: SchemaPlace, context: Context, *, mentions: bool = False) -> tuple[Said, ...]:
    """The texts about the argument that a node declares; none for any other node.

    Args:
        node: any schema of a tool.
        context: of the check.
        mentions: also sentences of the tool's description that only name the argument. Not for rules whose findings
            are errors.
    """
    if node.argument is None or not isinstance(node.schema, dict):
        return ()
    last = context.facts.memo("said", _Last)
    if last.node is not node:
        last.node, last.said = node, tuple(_read(node, node.argument, context.facts))
    return last.said if mentions else tuple(one for one in last.said if one.where != "mention")


def told_of(tool: Tool, names: dict[str, Any], facts: Facts) -> Outline:
    """What a tool's description says of its arguments, read once for all of them."""
    last = facts.memo("said", _Last)
    if last.tool is not tool:
        last.tool, last.outline = tool, outline(tool.description, names)
    found: Outline = last.outline
    return found


def _read(node: SchemaPlace, argument: str, facts: Facts) -> Iterator[Said]:
    own = node.schema.get("description")
    if isinstance(own, str) and own:
        yield Said(node, f"{node.pointer}/description", own, prose.without_name(own, argument), "own")
    if node.side != "inputSchema" or node.tokens != ("properties", argument):
        return
    tool = node.tool
    told = told_of(tool, parent_of(node).get("properties", {}), facts)
    entry = told.entries.get(argument)
    if entry:
        yield Said(node, "/description", tool.description, prose.without_name(entry, argument), "entry")
    for text in told.mentions.get(argument, ()):
        yield Said(node, "/description", tool.description, text, "mention")
