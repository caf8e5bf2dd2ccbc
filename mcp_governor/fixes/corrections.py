"""Corrections: the edits that satisfy a rule, if the rule knows everything that they need.

A check creates its correction next to its message, from the same facts. The effect of an edit on the schema is proved
later (:mod:`mcp_governor.checking.fix_plan`); this module only finds the right place for it, such as the branch of a
union with null or the items of a list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import dialect_of
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.schemas import root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_governor.subjects.context import SchemaPlace


ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that stay with a parameter when its types move into a branch."""
_MAX_DEPTH = 4
"""Maximum number of branches and items on the way to the place of a keyword; parameters have one or two."""


def correction(edits: Iterable[Edit] | None, effect: Effect) -> Correction | None:
    """A correction, or ``None`` if there are no edits."""
    kept = tuple(edits or ())
    return Correction(kept, effect) if kept else None


def narrowed(node: SchemaPlace, keywords: Mapping[str, Any], said: str, *, items: bool = False) -> Correction | None:
    """Adds keywords to a parameter or to the items of a list; ``None`` if there is no certain place for them.

    For values and limits that the description of the parameter states. What is only likely, such as a form that one
    example has or an enum of another tool, is a question for the author: the schema would refuse calls that work.

    Args:
        node: the parameter.
        keywords: such as ``enum`` or ``minimum``, none of which the schema has.
        said: what its description says.
        items: the keywords are for the items.
    """
    place = _landing(node, items=items)
    if place is None or not is_stated(said, keywords):
        return None
    pointer, schema = place
    if dialect_of(root_of(node)) == 4 and any(key.startswith("exclusive") for key in keywords):
        return None
    takes_null = "null" in (types_of(schema, root_of(node)) or ())
    edits = [
        Edit(join_pointer(pointer, key), [*value, None] if key == "enum" and takes_null else value)
        for key, value in keywords.items()
    ]
    return correction(edits, Effect.NARROWER)


def _landing(node: SchemaPlace, *, items: bool) -> tuple[str, Mapping[str, Any]] | None:
    """The place for a keyword about a parameter, and the schema there."""
    pointer, schema = node.pointer, node.schema
    for _ in range(_MAX_DEPTH):
        # Other parameters may share what a reference leads to.
        if not isinstance(schema, dict) or "$ref" in schema:
            return None
        branch = _only_branch(schema)
        if branch is not None:
            pointer, schema = join_pointer(pointer, *branch), schema[branch[0]][branch[1]]
        elif items:
            pointer, schema, items = join_pointer(pointer, "items"), schema.get("items"), False
        else:
            return pointer, schema
    return None


def _only_branch(schema: Mapping[str, Any]) -> tuple[str, int] | None:
    """The only branch of a union besides null."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [at for at, item in enumerate(branches) if not isinstance(item, dict) or item.get("type") != "null"]
            if len(real) == 1:
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
    r"\be\.?g\b|\bexamples?\b|\bsuch as\b|(?<!\bto )\binclud|\betc\b|\bthrough\b|\bor \*"
    r"|\bjson (?:array|list|object|string)\b"
    r"|\bothers?\b|\bany\b|\bcustom\b|\byour own\b|\bcase.insensitive\b|\b[01]-based\b|\.\.\.|…|<",
    re.IGNORECASE,
)
"""Words of a list that goes on, of one that shows some of all values, and of a string that holds a document."""
_ANNOUNCES = lazy_pattern(
    r"\b(?:one\sor\smore\sof|one\sof|either|options?|(?:valid|allowed|accepted|supported|possible|available|optional)"
    r"(?:\s\w+)?|values?|(?:must|can|may)\sbe)\b[^.;\n]{0,30}$|(?:^|:|\s[-–—])[\s\"'`(*-]*$|^[\s*\"'`(]*(?:[\w/-]+\s){1,6}\(\W*$",
    re.IGNORECASE,
)
"""What is in front of a list: words that announce one, a colon, or a few words and a parenthesis."""
_CONDITION = lazy_pattern(r"\b(?:if|when|where|unless|was|not|only)\b|\w=", re.IGNORECASE)
_QUOTED = lazy_pattern(r"(?<!\w)([\"'`])([^\"'`\s]{1,60})\1(?!\w)")
_VAGUE = lazy_pattern(
    r"\b(?:higher|lower|larger|smaller|prefer|recommended|typical|usually)\b|(?<!non-)\bnegative\b|[\"'`][<>]?=?\d",
    re.IGNORECASE,
)
"""Words of advice, of a value beyond the limit, and a limit that is text."""
_RANGE = lazy_pattern(r"\d[\d,.]*\s?(?:-|–|—|to)\s?\d[\d,.]*")
_AMOUNT = lazy_pattern(r"\d{1,4}[a-z]{1,3}")
"""A value such as "24h": others like it are mostly taken as well."""
_END = lazy_pattern(r"[.;!?]\s|\n")


def is_stated(said: str, keywords: Mapping[str, Any]) -> bool:
    """True if the description of a parameter states the keywords with certainty.

    Args:
        said: the description.
        keywords: ``enum``, or limits.
    """
    said = said[:_MAX_TEXT]
    if "enum" in keywords:
        return _are_listed([str(value) for value in keywords["enum"] if value != ""], said)
    ranges = {re.sub(r"[\s,]", "", found) for found in _RANGE.findall(said)}
    return len(ranges) < 2 and _VAGUE.search(said) is None


def _are_listed(values: Sequence[str], text: str) -> bool:
    """True if a description announces a list of exactly these values, with no condition and no hint at others."""
    if len(values) < 2 or all(map(_AMOUNT.fullmatch, values)) or _OPEN.search(text) or not "".join(values).isascii():
        return False
    places = [re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text) for value in values]
    found = [place.start() for place in places if place is not None]
    quoted = {said for _, said in _QUOTED.findall(text)}
    if len(found) < len(values) or quoted - {*values}:
        return False
    ends = [match.start() for match in _END.finditer(text, 0, min(found))]
    # With the stop before it, so that only the first sentence may be nothing but the list.
    before = text[ends[-1] if ends else 0 : min(found)]
    if _CONDITION.search(before):
        return False
    slashed = any(f"{one}/{other}" in text for one in values for other in values)
    return {*values} <= quoted or (not slashed and _ANNOUNCES.search(before) is not None)
