"""Parameters that measure something and do not say in what unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.units import is_unit, measures, states_unit, unit_names, units_in
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import parent_of, root_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.subjects.context import Facts, SchemaPlace

_MAX_TEXT = 4_000
"""Maximum number of characters of a tool's description searched for a unit."""


def lacks_unit(node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str, facts: Facts) -> bool:
    """True for a quantity whose unit nothing gives, unless everybody takes the same for granted.

    Args:
        node: the parameter.
        schema: its schema, with references resolved.
        types: of its values, without null.
        text: its description.
        facts: of the surface.
    """
    name = node.argument or ""
    within = str(node.tokens[-3]) if len(node.tokens) > 2 else ""
    if not {"$defs", "definitions"}.isdisjoint(node.tokens):
        return False  # What refers to it may be called margins_cm.
    dimension, unix = measures(name, within), False
    if dimension is None and "string" not in types:
        unix = _UNIX.search(text) is not None
        dimension = "time" if unix or name_words(name)[-1:] in _POINTS else None
        if name_words(name)[-1:] == ("epoch",) and _is_round(node, text, facts):
            return False
    if dimension is None or schema.keys() & {"enum", "const", "format", "pattern"}:
        return False
    if "string" in types and not _lacks_form(dimension, text, schema):
        return False
    siblings = parent_of(node).get("properties", {})
    if any(one in siblings for one in unit_names(name)):
        return False
    if "strike" in siblings and name_words(name)[-1:] in (("expiration",), ("expiry",)):
        return False  # An option has a strike price and expires on a day.
    tool = node.tool.description[:_MAX_TEXT]
    if "string" in types and name in tool and re.search(rf'"{re.escape(name)}": "[^"\n]{{0,20}}\d', tool):
        return False  # An example shows how it is written.
    if is_unit(text) or states_unit(dimension, f"{text} {schema.get('title') or ''} {tool}"):
        return False
    for outer in _around(node):
        if states_unit(dimension, outer) or units_in(" ".join(name_words(outer.partition(" ")[0]))):
            return False
    around = f"{node.tool.name} {text} {within} {tool}"
    scaled = name_words(name)[-1:] in (("width",), ("height",)) and _is_large(schema.get("default"))
    return not (unix or scaled or _is_usual(name, around, siblings.keys()))


def _is_round(node: SchemaPlace, text: str, facts: Facts) -> bool:
    """True if an epoch is one of training, or of a key: its description says so, and nothing of time."""
    said = text or outline_of(node.tool, facts).entries.get(node.argument or "", "")
    return _ROUND.search(said) is not None and _OF_TIME.search(said) is None


_ROUND = lazy_pattern(
    r"\b(?:authorit\w+|blocks?|consensus|counter|generation|highest|keys?|latest|leader|ledger|lowest|model|networks?"
    r"|number|rounds?|staking|train\w*|validators?|version)\b",
    re.IGNORECASE,
)
_OF_TIME = lazy_pattern(r"\b(?:time\w*|dates?|unix|posix|since|seconds?|milliseconds?)\b", re.IGNORECASE)
_POINTS = (("timestamp",), ("time",), ("ts",), ("epoch",))
"""Last words of names for points in time, which numbers count in seconds or in milliseconds."""


def _around(node: SchemaPlace) -> Iterator[str]:
    """The name and the description of each object that a parameter is part of."""
    value: Any = root_of(node)
    for at, token in enumerate(node.tokens[:-2]):
        value = value[token]
        if at and node.tokens[at - 1] == "properties" and isinstance(value, dict):
            yield f"{token} {value.get('description') or ''}"


def _is_large(default: Any) -> bool:
    """True for a default that shows the scale: nobody takes a shape of 200 by 100 for one in inches."""
    return isinstance(default, int | float) and default >= _PIXELS


_PIXELS = 50
"""More than the inches of a poster, and than the centimetres of a page."""


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
    if _DOCUMENT.search(around):
        return False
    if not _DRAWN.isdisjoint(words[:1]):
        return True
    if words[-1] not in ("width", "height"):
        return False
    # What has an x and a y is on a canvas. A picture at the left or the top of something may be on a page.
    if {"x", "y"} <= set(siblings):
        return True
    placed = not {"left", "top", "x"}.isdisjoint(siblings)
    return (_ON_SCREEN if placed else _SCREEN).search(around) is not None


_UNIX = lazy_pattern(r"\b(?:unix|epoch|posix)\b", re.IGNORECASE)
_DRAWN = frozenset({"border", "line", "stroke", "corner"})
_SCREEN = lazy_pattern(
    r"(?:\b|_)(?:browser|canvas|charts?|diagrams?|graphs?|images?|maps?|pictures?|plots?|screen(?:shots?)?|thumbnails?"
    r"|videos?|viewport|windows?)(?:\b|_)",
    re.IGNORECASE,
)
_ON_SCREEN = lazy_pattern(r"(?:\b|_)(?:browser|canvas|diagrams?|screen|viewport|windows?)(?:\b|_)", re.IGNORECASE)
_DOCUMENT = lazy_pattern(
    r"(?:\b|_)(?:documents?|docx?|excel|pdf|pptx?|sheets?|slides?|worksheets?|xlsx)(?:\b|_)",
    re.IGNORECASE,
)
"""Words about what is laid out in centimetres, inches or points."""


def _lacks_form(dimension: str, text: str, schema: Mapping[str, Any]) -> bool:
    """True if nothing shows how a quantity is written as a string: "5s", "1cm". Words may be about a point in time
    ("when it expires"), but not those about a length."""
    if isinstance(schema.get("default"), str) or isinstance(schema.get("examples"), list):
        return False
    return not text or (dimension == "length" and not _SHOWS_FORM.search(text))


_SHOWS_FORM = lazy_pattern(
    r"\d|\b(?:auto|css|e\.g|examples?|format|percent\w*|such)\b|%|(?-i:\b[A-Z]{3,20}\s(?:or|\||/)\s[A-Z]{3,20}\b)",
    re.IGNORECASE,
)
