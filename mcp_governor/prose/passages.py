"""Everything that is said about a parameter, in its own description or in the tool's.

Checks on prose read parameters through :func:`passages_about`, so that a claim counts the same in both places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.outline import Outline, outline
from mcp_governor.prose.words import name_words, stem
from mcp_governor.subjects.context import Hit, SchemaPlace, hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.findings import Correction
    from mcp_governor.subjects.context import Context, Facts
    from mcp_governor.surface.model import Tool

Where = Literal["own", "entry", "mention", "section"]


class Passage(Struct, frozen=True):
    """One passage about a parameter.

    Attributes:
        node: the parameter.
        path: pointer to the description: the parameter's own, or the tool's.
        value: the description as published.
        text: the part of it that is about the parameter, with single spaces and without the name in front.
        where: ``own`` for the parameter's description; for the tool's, ``entry`` (a line of "Args:", a bullet, a table
            row), ``mention`` (the rest of a sentence that names the parameter, so less certainly about it alone) or
            ``section`` (the bullets below a heading that consists of the parameter's name and words such as "types").
    """

    node: SchemaPlace
    path: str
    value: str
    text: str
    where: Where

    def hit(self, *, correction: Correction | None = None, **values: Any) -> Hit:
        """A hit at this passage."""
        return hit(self.path, self.value, correction=correction, argument=self.node.argument, **values)


def passages_about(node: SchemaPlace, context: Context, *, mentions: bool = False) -> tuple[Passage, ...]:
    """The passages about the parameter that a node declares; none for any other node.

    Args:
        node: any schema of a tool.
        context: of the check.
        mentions: also sentences and headings of the tool's description that only name the parameter. Not for rules
            whose findings are errors.
    """
    said = _said(node, context.facts)
    return said if mentions else tuple([one for one in said if one.where in ("own", "entry")])


def _said(node: SchemaPlace, facts: Facts) -> tuple[Passage, ...]:
    argument = node.argument
    if argument is None or not isinstance(node.schema, dict):
        return ()
    key = ("passages", node.tool.index, node.pointer)
    return facts.kept(key, lambda: tuple(_read(node, argument, facts)))


def outline_of(tool: Tool, facts: Facts) -> Outline:
    """What a tool's description says about its parameters, read once for all of them."""
    return facts.kept(
        ("outline", tool.index),
        lambda: outline(tool.description, call_object(tool, facts).properties),
        2 * len(tool.description),
    )


def _read(node: SchemaPlace, argument: str, facts: Facts) -> Iterator[Passage]:
    own = node.schema.get("description")
    if isinstance(own, str) and own:
        yield Passage(node, f"{node.pointer}/description", own, without_name(own, argument), "own")
    if node.side != "inputSchema":
        return
    tool = node.tool
    described = outline_of(tool, facts)
    for title, bullets in described.sections:
        if _heads(title, argument, node):
            yield Passage(node, "/description", tool.description, bullets, "section")
    entry, mentions = described.entries.get(argument), described.mentions.get(argument, ())
    if not (entry or mentions) or node.tokens[:-2] != call_object(tool, facts).tokens:
        return
    if entry:
        yield Passage(node, "/description", tool.description, without_name(entry, argument), "entry")
    for text in mentions:
        yield Passage(node, "/description", tool.description, text, "mention")


_ON_VALUES = frozenset(
    stem(word)
    for word in (
        *("all", "allowed", "available", "choices", "constraints", "formats", "guide", "guidelines", "options"),
        *("are", "following", "include", "optional", "parameter", "possible", "reference", "required", "requirements"),
        *("restrictions", "rules"),
        *("supported", "syntax", "the", "valid", "values"),
    )
)
"""Words that may accompany the name of a parameter in the heading of its bullets."""


def _heads(title: str, argument: str, node: SchemaPlace) -> bool:
    """True if a heading consists of the names of a parameter and its parent, and of words such as "supported"."""
    words = {stem(word) for word in name_words(title)}
    named = {stem(word) for word in name_words(argument)}
    if not named or not named <= words:
        return False
    owners = {stem(word) for token in (*node.tokens[:-1], node.tool.name) for word in name_words(str(token))}
    return words - named <= _ON_VALUES | owners


def without_name(text: str, argument: str) -> str:
    """The text with single spaces, without empty lines, bold marks, and the parameter's own name before a claim."""
    flat = _lines(text) if "\n" in text or "**" in text else " ".join(text.split())
    bare = flat.lstrip("`'\"")
    if bare.startswith(argument):
        rest = bare[len(argument) :].lstrip("`'\" ")
        if rest.startswith("("):
            return rest
        if rest.startswith((":", "–", "—", "- ")):
            return rest[1:].lstrip()
    return flat


_SHORTEST_WRAPPED = 50
"""Minimum number of characters in a line that a docstring may have wrapped; lists of values have shorter lines."""
_OWN_LINE = lazy_pattern(r"[-*+#|>`'\"]|•|“|\d{1,2}[.)]\s|[\w$.\-]{1,64}\s?(?::|=|–|—|-\s|→)")


def _lines(text: str) -> str:
    """The lines of a description, with lines that a docstring has wrapped joined again."""
    out: list[str] = []
    wrapped = False
    for line in text.split("\n"):
        flat = " ".join(line.replace("**", "").split())
        if flat:
            if wrapped and _OWN_LINE.match(flat) is None:
                out[-1] = f"{out[-1]} {flat}"
            else:
                out.append(flat)
        wrapped = len(flat) >= _SHORTEST_WRAPPED and flat[-1] not in ".:;!?"
    return "\n".join(out)
