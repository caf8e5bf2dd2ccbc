"""Corrections: the edits that satisfy a rule, if the rule knows everything that they need.

A check creates its correction next to its message, from the same facts. The effect of an edit on the schema is proved
later (:mod:`mcp_governor.checking.fix_plan`); this module only finds the right place for it: the branch of a union with
null, the items of a list, or next to a reference.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.schemas import root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_governor.subjects.context import SchemaPlace


ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that stay with a parameter when its types move into a branch."""
_MAX_DEPTH = 4
"""Maximum number of branches and items on the way to the place of a keyword; parameters have one or two."""
_SIBLINGS_OF_REFERENCES = 19
"""The first dialect that does not ignore keywords next to ``$ref``."""


def correction(edits: Iterable[Edit] | None, effect: Effect) -> Correction | None:
    """A correction, or ``None`` if there are no edits."""
    kept = tuple(edits or ())
    return Correction(kept, effect) if kept else None


def narrowed(node: SchemaPlace, keywords: Mapping[str, Any], *, items: bool = False) -> Correction | None:
    """Adds keywords to a parameter or to the items of a list; ``None`` if there is no certain place for them.

    For values and limits that the description of the parameter states. What is only likely, such as a form that one
    example has or an enum of another tool, is a question for the author: the schema would refuse calls that work.

    Args:
        node: the parameter.
        keywords: such as ``enum`` or ``minimum``, none of which the schema has.
        items: the keywords are for the items.
    """
    place = _landing(node, items=items)
    default = node.schema.get("default")
    if place is None or not is_stated(node, keywords):
        return None
    if items and isinstance(default, list) and not all(one in keywords.get("enum", default) for one in default):
        return None  # The default would not be valid.
    pointer, schema = place
    if _dialect(node) == 4 and any(key.startswith("exclusive") for key in keywords):
        return None
    edits = []
    for key, value in keywords.items():
        edits.append(Edit(join_pointer(pointer, key), _with_own(value, schema, node) if key == "enum" else value))
    if not schema:
        edits.insert(0, Edit(join_pointer(pointer, "type"), "string"))
    return correction(edits, Effect.NARROWER)


def _with_own(values: list[Any], schema: Mapping[str, Any], node: SchemaPlace) -> list[Any]:
    """Values for an enum, plus null and the empty default if the schema accepts them."""
    found = list(values)
    default = node.schema.get("default")
    if default == "" and "" not in found and types_of(schema, root_of(node)) is not None:
        found.append("")
    if "null" in (types_of(schema, root_of(node)) or ()) and None not in found:
        found.append(None)
    return found


def _dialect(node: SchemaPlace) -> int:
    return dialect_of(root_of(node)) or LATEST


def _landing(node: SchemaPlace, *, items: bool) -> tuple[str, Mapping[str, Any]] | None:
    """The place for a keyword about a parameter, and the schema there."""
    pointer, schema = node.pointer, node.schema
    for _ in range(_MAX_DEPTH):
        if not isinstance(schema, dict):
            return None
        if "$ref" in schema:
            # Other parameters may share the definition.
            return None if items or _dialect(node) < _SIBLINGS_OF_REFERENCES else (pointer, schema)
        branch = _only_branch(schema)
        if branch is not None:
            pointer, schema = join_pointer(pointer, *branch), schema[branch[0]][branch[1]]
        elif items and "array" in (types_of(schema) or ()):
            pointer, schema, items = join_pointer(pointer, "items"), schema.get("items", {}), False
        else:
            return None if items else (pointer, schema)
    return None


def _only_branch(schema: Mapping[str, Any]) -> tuple[str, int] | None:
    """The only branch of a union besides null."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [at for at, item in enumerate(branches) if not isinstance(item, dict) or item.get("type") != "null"]
            if len(real) == 1 and len(branches) > 1:
                return key, real[0]
    return None


def nullable(node: SchemaPlace) -> Edit | None:
    """The edit of a tool that makes a parameter accept null, in the form that Pydantic writes; ``None`` if the schema
    has a keyword that must stay at its root."""
    schema = node.schema
    if any(key.startswith(("x-", "$")) and key != "$ref" for key in schema):
        return None
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and not (schema.keys() - ANNOTATIONS - {key}):
            return Edit(join_pointer(node.pointer, key), {"type": "null"}, "add", node.tool.name)
    branch = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
    kept = {key: value for key, value in schema.items() if key in ANNOTATIONS}
    return Edit(node.pointer, {"anyOf": [branch, {"type": "null"}], **kept}, tool=node.tool.name)


def optional(node: SchemaPlace) -> Edit:
    """The edit that makes a parameter optional."""
    owner = join_pointer(f"/{node.side}", *node.tokens[:-2])
    return Edit(f"{owner}/required", node.argument, "drop")


_MAX_TEXT = 4_000
"""Maximum number of characters of a description that are read here."""
_OPEN = lazy_pattern(
    r"\be\.?g\b|\bexamples?\b|\bsuch as\b|(?<!\bto )\binclud|\betc\b|\bthrough\b|\bjson (?:array|list|object|string)\b"
    r"|\bothers?\b|\bany\b|\bcustom\b|\byour own\b|\bcase.insensitive\b|\b[01]-based\b|\.\.\.|…|<",
    re.IGNORECASE,
)
"""Words of a list that goes on, of one that shows some of all values, and of a string that holds a document."""
_GOES_ON = lazy_pattern(r"[\"'`]?\s*(?:\([^)\n]*\))?,?\s(?:or|and)\s", re.IGNORECASE)
_ANNOUNCES = lazy_pattern(
    r"\b(?:one\sor\smore\sof|one\sof|either|options?|(?:valid|allowed|accepted|supported|possible|available|optional)"
    r"(?:\s\w+)?|values?|(?:must|can|may)\sbe)\b[^.;\n]{0,30}$|(?:^|:|\s[-–—])[\s\"'`(*-]*$|^[\s*\"'`(]*(?:[\w/-]+\s){1,6}\(\W*$",
    re.IGNORECASE,
)
"""What is in front of a list: words that announce one, a colon, or a few words and a parenthesis."""
_CONDITION = lazy_pattern(r"\b(?:if|when|where|unless|was|not|only)\b|\w=", re.IGNORECASE)
_QUOTED = lazy_pattern(r"(?<!\w)([\"'`])([^\"'`\s]{1,60})\1(?!\w)")
_VAGUE = lazy_pattern(r"\b(?:higher|lower|larger|smaller|prefer|recommended|typical|usually)\b", re.IGNORECASE)
_RANGE = lazy_pattern(r"\d[\d,.]*\s?(?:-|–|—|to)\s?\d[\d,.]*")
_AMOUNT = lazy_pattern(r"\d{1,4}[a-z]{1,3}")
"""A value such as "24h": others like it are mostly taken as well."""
_END = lazy_pattern(r"[.;!?]\s|\n")


def is_stated(node: SchemaPlace, keywords: Mapping[str, Any]) -> bool:
    """True if the description of a parameter states the keywords with certainty.

    Args:
        node: the parameter.
        keywords: ``enum``, or limits.
    """
    text = _said(node)
    if "enum" in keywords:
        return _are_listed([str(value) for value in keywords["enum"] if value not in (None, "")], text)
    ranges = {re.sub(r"[\s,]", "", found) for found in _RANGE.findall(text)}
    bounds = keywords.values()
    quoted = any(str(bound) in re.split(r"[^\d.]+", said) for _, said in _QUOTED.findall(text) for bound in bounds)
    below = any(key.startswith(("minimum", "exclusiveMinimum")) for key in keywords) and "negative" in text.lower()
    return not (_VAGUE.search(text) or len(ranges) > 1 or quoted or below)


def _said(node: SchemaPlace) -> str:
    """The description of a parameter: its own, or what the tool's says after its name."""
    own = node.schema.get("description")
    if isinstance(own, str):
        return own[:_MAX_TEXT]
    text = node.tool.description[:_MAX_TEXT]
    entry = re.search(rf"(?<!\w){re.escape(node.argument or '')}\W{{0,3}}(?:\([^)\n]*\))?\s?[:\-–—]\s?", text)
    if entry is None:
        return ""
    rest = text[entry.end() :]
    end = re.search(r"\n\s*(?:[-*]\s*)?[`\"]?\w+[`\"]?\s?(?:\([^)\n]*\))?:\s|\n\s*\n", rest)
    return rest[: end.start()] if end else rest


def _are_listed(values: Sequence[str], text: str) -> bool:
    """True if a description announces a list of exactly these values, with no condition and no hint at others."""
    if len(values) < 2 or all(map(_AMOUNT.fullmatch, values)) or _OPEN.search(text):
        return False
    if not all(value.isascii() for value in values):
        return False
    places = [re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text) for value in values]
    found = [place.span() for place in places if place is not None]
    if len(found) < len(values) or _GOES_ON.match(text, max(end for _, end in found)):
        return False
    quoted = {said for _, said in _QUOTED.findall(text)}
    if quoted - {*values}:
        return False
    first = min(found)[0]
    ends = [match.start() for match in _END.finditer(text, 0, first)]
    # With the stop before it, so that only the first sentence may be nothing but the list.
    before = text[ends[-1] if ends else 0 : first]
    delimited = {*values} <= quoted
    slashed = any(f"{one}/{other}" in text for one in values for other in values)
    mixed = len({":" in value for value in values}) > 1
    if _CONDITION.search(before) or (not delimited and (slashed or mixed)):
        return False
    return delimited or _ANNOUNCES.search(before) is not None
