"""Parameters that measure something and do not say in what unit."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.units import is_unit, measures, states_unit, unit_names, units_in
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import branches_of, parent_of, root_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.subjects.context import Facts, SchemaPlace

_MAX_TEXT = 4_000
"""Maximum number of characters of a tool's description searched for a unit."""


def without_unit(
    node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str, facts: Facts
) -> str | None:
    """The defect of a quantity whose unit nothing gives: ``missing-unit``, or ``usual-unit`` if everybody takes the
    same for granted; ``None`` for any other parameter.

    Args:
        node: the parameter.
        schema: its schema, with references resolved.
        types: of its values, without null.
        text: its description.
        facts: of the surface.
    """
    name = node.argument or ""
    within = str(node.tokens[-3]) if len(node.tokens) > 2 else ""
    defined = node.tokens[-4:-3] in (("$defs",), ("definitions",))
    if defined:
        within = ""  # the name of a definition; what refers to it may be called margins_cm
    dimension, unix = measures(name, within), False
    if dimension is None and "string" not in types:
        unix = _UNIX.search(text) is not None
        dimension = "time" if unix or name_words(name)[-1:] in _POINTS else None
        if name_words(name)[-1:] == ("epoch",) and _is_round(node, text, facts):
            return None
    if dimension is None or schema.keys() & {"enum", "const", "format", "pattern"}:
        return None
    if "string" in types and not _lacks_form(dimension, text, schema):
        return None
    siblings = parent_of(node).get("properties", {})
    if any(one in siblings for one in unit_names(name)):
        return None
    if "strike" in siblings and name_words(name)[-1:] in (("expiration",), ("expiry",)):
        return None  # An option has a strike price and expires on a day.
    tool = node.tool.description[:_MAX_TEXT]
    if "string" in types and name in tool and re.search(rf'"{re.escape(name)}": "[^"\n]{{0,20}}\d', tool):
        return None  # An example shows how it is written.
    if is_unit(text) or states_unit(dimension, f"{text} {schema.get('title') or ''} {tool}"):
        return None
    outer = list(islice(_around(node, facts), _MAX_OUTER))
    if any(states_unit(dimension, one) or units_in(" ".join(name_words(one.partition(" ")[0]))) for one in outer):
        return None
    around = f"{node.tool.name} {text} {within} {tool}"
    scaled = name_words(name)[-1:] in (("width",), ("height",)) and _is_large(schema.get("default"))
    usual = unix or scaled or _is_usual(name, around, siblings.keys())
    return "usual-unit" if usual else "missing-unit"


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
_MAX_OUTER = 20
"""Maximum number of objects around a parameter whose names and descriptions are read."""


def _around(node: SchemaPlace, facts: Facts) -> Iterator[str]:
    """The name and the description of each object that a parameter is part of, also by reference."""
    value: Any = root_of(node)
    for at, token in enumerate(node.tokens[:-2]):
        value = value[token]
        if at and node.tokens[at - 1] == "properties" and isinstance(value, dict):
            yield f"{token} {value.get('description') or ''}"
        elif at and node.tokens[at - 1] in ("$defs", "definitions") and isinstance(value, dict):
            yield f"- {value.get('description') or ''}"
            yield from _referring(node, facts).get(f"#/{node.tokens[at - 1]}/{token}", ())


def _referring(node: SchemaPlace, facts: Facts) -> dict[str, list[str]]:
    """The name and the description of each property that refers to something, by what it refers to.

    The whole schema is read once for all its parameters, since hundreds of them may be in definitions.
    """

    def read() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for reference, text in _referred(root_of(node), _MAX_LEVELS):
            found.setdefault(reference, []).append(text)
        return found

    return facts.memo(("referring", id(node.tool), node.side), read)


_MAX_LEVELS = 8
"""Maximum number of levels on which properties that refer to a definition are looked for."""


def _referred(schema: Any, depth: int) -> Iterator[tuple[str, str]]:
    """What each property refers to, with its name and description."""
    if not isinstance(schema, dict) or not depth:
        return
    for name, value in schema.items():
        if name == "properties" and isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, dict) and (references := _references(one)):
                    said = f"{key} {one.get('description') or ''}"
                    yield from ((reference, said) for reference in references)
        if isinstance(value, dict):
            yield from _referred(value, depth - 1)


def _references(schema: Mapping[str, Any]) -> set[str]:
    """What a schema refers to, itself or in its items and branches."""
    items = schema.get("items")
    parts = [schema, items, *branches_of(schema, "anyOf", "oneOf", "allOf")]
    found = (part.get("$ref") for part in parts if isinstance(part, dict))
    return {reference for reference in found if isinstance(reference, str)}


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
