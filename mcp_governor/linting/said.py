"""What is said about an argument, wherever it stands: in its own description, or in that of the tool.

Checks on prose read arguments through :func:`said_of`, so that a claim counts the same in both places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mcp_governor.linting import prose
from mcp_governor.linting.context import Hit, SchemaPlace, hit
from mcp_governor.linting.outline import Outline, outline
from mcp_governor.linting.schemas import root_of
from mcp_governor.linting.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.findings import Correction
    from mcp_governor.linting.context import Context, Facts
    from mcp_governor.surface.model import Tool

Where = Literal["own", "entry", "mention", "section"]


class Said(NamedTuple):
    """One text about an argument.

    Attributes:
        node: the argument.
        path: where the text stands: its own description, or that of the tool.
        value: the description as published.
        text: what of it is about the argument, in single blanks, without the argument's name in front.
        where: ``own`` in the argument's description; in the tool's, ``entry`` (a line of "Args:", a bullet, a row of a
            table), ``mention`` (the rest of a sentence that names the argument, so less certainly about it alone) or
            ``section`` (the bullets below a heading that consists of the argument's name and words such as "types").
    """

    node: SchemaPlace
    path: str
    value: str
    text: str
    where: Where

    def told(self, *, correction: Correction | None = None, **values: Any) -> Hit:
        """A hit at this text."""
        return hit(self.path, self.value, correction=correction, argument=self.node.argument, **values)


class _Last:
    """What was read last: several rules ask for the same argument, one after the other."""

    def __init__(self) -> None:
        self.node: SchemaPlace | None = None
        self.said: tuple[Said, ...] = ()


def said_of(node: SchemaPlace, context: Context, *, mentions: bool = False) -> tuple[Said, ...]:
    """The texts about the argument that a node declares; none for any other node.

    Args:
        node: any schema of a tool.
        context: of the check.
        mentions: also sentences and headings of the tool's description that only name the argument. Not for rules
            whose findings are errors.
    """
    if node.argument is None or not isinstance(node.schema, dict):
        return ()
    last = context.facts.memo("said", _Last)
    if last.node is not node:
        last.node, last.said = node, tuple(_read(node, node.argument, context.facts))
    return last.said if mentions else tuple(one for one in last.said if one.where in ("own", "entry"))


def told_of(tool: Tool, names: dict[str, Any], facts: Facts) -> Outline:
    """What a tool's description says of its arguments, read once for all of them."""
    # Entries and mentions overlap a little; each stands once in the description.
    return facts.kept(
        ("outline", tool.index), lambda: outline(tool.description, names), lambda _: 2 * len(tool.description)
    )


def _read(node: SchemaPlace, argument: str, facts: Facts) -> Iterator[Said]:
    own = node.schema.get("description")
    if isinstance(own, str) and own:
        yield Said(node, f"{node.pointer}/description", own, prose.without_name(own, argument), "own")
    if node.side != "inputSchema":
        return
    tool = node.tool
    root = root_of(node)
    names = root.get("properties") if isinstance(root, dict) else None
    told = told_of(tool, names if isinstance(names, dict) else {}, facts)
    for title, bullets in told.sections:
        if _heads(title, argument, node):
            yield Said(node, "/description", tool.description, bullets, "section")
    if node.tokens != ("properties", argument):
        return
    entry = told.entries.get(argument)
    if entry:
        yield Said(node, "/description", tool.description, prose.without_name(entry, argument), "entry")
    for text in told.mentions.get(argument, ()):
        yield Said(node, "/description", tool.description, text, "mention")


_ON_VALUES = frozenset(
    stem(word)
    for word in (
        *("all", "allowed", "available", "choices", "constraints", "formats", "guide", "guidelines", "options"),
        *("optional", "parameter", "possible", "reference", "required", "requirements", "restrictions", "rules"),
        *("supported", "syntax", "the", "valid", "values"),
    )
)
"""Words of a heading beside the name of the argument that its bullets are about."""
_COMMON = frozenset({"data", "id", "input", "key", "name", "text", "title"})
"""Words that alone are the name of many an argument: "Data" above bullets is about anything."""


def _heads(title: str, argument: str, node: SchemaPlace) -> bool:
    """Whether a heading consists of the name of an argument, of what holds it, and of words such as "supported"."""
    words = {stem(word) for word in name_words(title)}
    named = {stem(word) for word in name_words(argument)}
    if not named or not named <= words or named <= _COMMON:
        return False
    owners = {stem(word) for token in (*node.tokens[:-1], node.tool.name) for word in name_words(str(token))}
    return words - named <= _ON_VALUES | owners
