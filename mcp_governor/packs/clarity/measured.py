"""Parameters that measure something and do not say in what unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.units import measures, states_unit, unit_names, unit_of, unit_of_name
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import parent_of, root_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.subjects.context import SchemaPlace

_MAX_TEXT = 4_000
"""Maximum number of characters of a tool's description searched for a unit."""


def lacks_unit(node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str) -> bool:
    """True for a quantity whose unit nothing gives, unless everybody takes the same for granted.

    Args:
        node: the parameter.
        schema: its schema, with references resolved.
        types: of its values, without null.
        text: its description.
    """
    name = node.argument or ""
    if not types & {"integer", "number", "string"} or schema.keys() & {"enum", "const", "format", "pattern"}:
        return False
    dimension = measures(name)
    if dimension is None and "string" not in types and name_words(name)[-1:] in _POINTS:
        dimension = "time"
    if dimension is None or not {"$defs", "definitions"}.isdisjoint(node.tokens):
        return False  # What refers to a definition may be called margins_cm.
    if "string" in types and (text or isinstance(schema.get("default"), str)):
        return False  # "5s": the form says it.
    siblings = parent_of(node).get("properties", {})
    if any(one in siblings for one in unit_names(name)) or unit_of(text.strip(" .()")) is not None:
        return False
    tool = node.tool.description[:_MAX_TEXT]
    around = list(_around(node))
    if any(states_unit(dimension, said) for said in (f"{text} {schema.get('title') or ''} {tool}", *around)):
        return False
    if any(unit_of_name(said.partition(" ")[0]) for said in around):
        return False
    return not _is_usual(name, f"{node.tool.name} {text} {tool} {' '.join(around)}", siblings.keys())


_POINTS = (("timestamp",), ("time",), ("ts",), ("epoch",))
"""Last words of names for points in time, which numbers count in seconds or in milliseconds."""


def _around(node: SchemaPlace) -> Iterator[str]:
    """The name and the description of each object that a parameter is part of."""
    value: Any = root_of(node)
    for at, token in enumerate(node.tokens[:-2]):
        value = value[token]
        if at and node.tokens[at - 1] == "properties" and isinstance(value, dict):
            yield f"{token} {value.get('description') or ''}"


def _is_usual(name: str, around: str, siblings: Collection[str]) -> bool:
    """True for points of a font, and for pixels of a screen or of a picture that is not part of a document.

    Args:
        name: of the parameter.
        around: its own description, and everything that is said around it.
        siblings: the names of the parameters next to it.
    """
    words = name_words(name)
    if words[-2:] == ("font", "size"):
        return True
    if words[-1] not in ("width", "height") or _DOCUMENT.search(around):
        return False
    # What has an x and a y is on a canvas. A picture at the left or the top of something may be on a page.
    if {"x", "y"} <= set(siblings):
        return True
    return {"left", "top", "x"}.isdisjoint(siblings) and _SCREEN.search(around) is not None


_SCREEN = lazy_pattern(
    r"(?:\b|_)(?:browser|canvas|charts?|diagrams?|graphs?|images?|maps?|pictures?|plots?|screen(?:shots?)?|thumbnails?"
    r"|videos?|viewport|windows?)(?:\b|_)",
    re.IGNORECASE,
)
_DOCUMENT = lazy_pattern(
    r"(?:\b|_)(?:documents?|docx?|excel|pdf|pptx?|sheets?|slides?|worksheets?|xlsx)(?:\b|_)",
    re.IGNORECASE,
)
"""Words about what is laid out in centimetres, inches or points."""
