"""Descriptions that contradict their schema: the one flaw of descriptions that is measured to hurt."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose import prose
from mcp_governor.prose.claims import claims_about, read_values
from mcp_governor.prose.guarded import Cues, lowered
from mcp_governor.prose.leaving_out import states_no_limit, states_optional
from mcp_governor.prose.necessity import stated_necessity
from mcp_governor.prose.passages import Passage, passages_about
from mcp_governor.rules.scope import about
from mcp_governor.subjects.schemas import COMPOSITION, effective, parent_of, root_of, types_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.claims import Claim
    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace


# -- type


@about(described=True)
def stated_type(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The schema accepts the type that the description states."""
    said = [one for one in passages_about(node, context) if prose.is_about_types(one.text)]
    types = types_of(node.schema, root_of(node)) if said else None
    if types is None:
        return
    for one in said:
        stated = _refused_type(one, types, context.facts)
        if stated is not None:
            yield one.hit(stated=stated, type=sorted(types))


def _refused_type(said: Passage, types: frozenset[str], facts: Facts) -> str | None:
    """The type that the description states, if the schema does not accept it."""
    schema = effective(root_of(said.node), said.node.schema)
    # Only this name is a word for what is read.
    claim = facts.read(prose.stated_type, said.text, "type" if said.node.argument == "type" else "")
    if claim is None and types.isdisjoint({"array", "object"}) and not schema.keys() & {"pattern", "format", "enum"}:
        claim = prose.ordered_type(said.text)
    refused = claim is not None and not (_accepts(types, claim.kind) and _accepts_items(said.node, schema, claim.item))
    if claim is not None and refused and not _is_an_action(said):
        return claim.shown
    if "null" not in types and not _takes_null(schema) and prose.states_null(said.text):
        return None if "object" in types and _NULL_OF_A_KEY.search(said.text) else "null"
    if claim is not None:
        return None
    if types <= {"array", "null"} and prose.states_comma_list(said.text):
        return "comma-separated text"
    if types <= {"array", "object", "null"} and prose.states_json_text(said.text):
        return "JSON in a string"
    return None


def _is_an_action(said: Passage) -> bool:
    """True if "(list)" is the value of an action for which the parameter is."""
    siblings = parent_of(said.node).get("properties")
    if "(list)" not in said.text or not isinstance(siblings, dict):
        return False
    actions = [one for name, one in siblings.items() if name in _ACTIONS and isinstance(one, dict)]
    return any(_LIST.search(f"{one.get('enum')} {one.get('description')}"[:_MAX_SAID]) for one in actions)


_MAX_SAID = 2_000
"""Maximum number of characters read of an action; its values come first."""
_LIST = lazy_pattern(r"\blist\b", re.NOFLAG)


_ACTIONS = frozenset({"action", "command", "mode", "operation"})


_NULL_OF_A_KEY = lazy_pattern(
    r"\bnull\s(?:to|for|removes?|clears?|unsets?|deletes?)\s(?:[a-z]{3,10}\s)?(?:an?|the|any|each|individual|single|that)\s"
    r"(?:[a-z]{3,20}\s)?(?:attribute|entry|field|item|key|label|property|setting|tag|value|variable)s?\b",
    re.IGNORECASE,
)
"""Null for one key of an object: "Merged into the rest. Pass null to remove a key"."""


def _takes_null(schema: Mapping[str, Any]) -> bool:
    """True if a schema accepts null without a null type: by ``nullable``, an enum, or a default, which has a rule of
    its own."""
    values = schema.get("enum")
    return schema.get("nullable") is True or (isinstance(values, list) and None in values) or "default" in schema


def _accepts(types: frozenset[str], stated: str) -> bool:
    """True if one of the types is the stated one or accepts it; an integer does not accept a float."""
    if stated == "float":
        return "number" in types
    return stated in types or ({"integer", "number"} >= {stated} and not types.isdisjoint({"integer", "number"}))


def _accepts_items(node: SchemaPlace, schema: Mapping[str, Any], stated: str | None) -> bool:
    items = types_of(schema.get("items"), root_of(node))
    return stated is None or items is None or _accepts(items, stated)


# -- values


@about(described=True, keys={"enum", "const", "items", "$ref", "anyOf", "oneOf"})
def stated_values(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The enum contains every value that the description lists."""
    allowed = _enum(root_of(node), node.schema) if passages_about(node, context) else None
    if not allowed:
        return
    # Several forms may read one list: it contradicts the enum if each of them does.
    read: dict[tuple[str, int, bool], list[tuple[Passage, list[str]]]] = {}
    for said, claim in claims_about(node, context, read_values):
        extra = _extra(claim, allowed)
        if extra is not None:
            read.setdefault((said.path, claim.span[1], claim.sure), []).append((said, extra))
    reported: set[str] = set()
    for (path, end, sure), ones in read.items():
        if path not in reported and all(extra for _, extra in ones) and (sure or (path, end, True) not in read):
            reported.add(path)
            said, extra = ones[0]
            yield said.hit(stated=extra, allowed=allowed)


def _extra(claim: Claim, allowed: list[str]) -> list[str] | None:
    """The listed values that an enum lacks; ``None`` if the list is not about it."""
    # White space around a value in the enum has a rule of its own, padded-choice.
    exact, listed = {value.strip() for value in allowed}, claim.listed
    folded = {value.casefold() for value in exact}
    if "/" in listed.joined and any("/" in value for value in exact):
        return None
    values = [value.strip() for value in listed.values if value.lower() not in _NO_VALUES]
    shared = sum(value.casefold() in folded for value in values)
    needed = 1 if claim.sure or listed.quoted or "|" in listed.joined else 2
    if shared < needed and (shared or not claim.sure or claim.form == "either"):
        return None
    # In a list that is not exhaustive, a value in another letter case is only another spelling.
    known = exact if claim.sure else folded
    return [value for value in values if (value if claim.sure else value.casefold()) not in known]


_NO_VALUES = frozenset({"none", "default", "defaults"})
"""Words that stand for no value at all in many lists."""


def _enum(root: Any, schema: Any) -> list[str] | None:
    """The values that a parameter or the items of a list can have, as strings; ``None`` if they are open."""
    values = values_of(root, schema)
    if values is None:
        return None
    return [value if isinstance(value, str) else json.dumps(value, default=str) for value in values]


# -- default


@about(described=True, keys={"default"})
def stated_default(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default that the description states is the default in the schema."""
    said = passages_about(node, context)
    if not said or "default" not in node.schema:
        return
    actual = node.schema["default"]
    for one in said:
        claim = context.facts.read(prose.stated_default, one.text, node.argument or "")
        stated = _literal(claim, actual) if claim is not None else None
        if claim is None and isinstance(actual, str) and (values := _enum(root_of(node), node.schema)):
            stated = prose.named_default(one.text, values)
        if claim is None and _is_count(actual) and states_no_limit(one.text):
            stated = "all"
        if stated is not None and stated != actual:
            yield one.hit(stated=stated, default=actual)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _literal(claim: tuple[str, bool], actual: Any) -> Any:
    """The stated value if it has the type of the actual one, else ``None``."""
    text, quoted = claim
    if isinstance(actual, str):
        # "default: 10" for a parameter that takes numbers as strings.
        return text if quoted or (_NUMERIC.fullmatch(actual) and _NUMERIC.fullmatch(text)) else None
    if isinstance(actual, bool):
        return {"true": True, "false": False}.get(text.lower())
    if isinstance(actual, int | float) and _NUMERIC.fullmatch(text):
        return prose.number(text)
    return None


_NUMERIC = lazy_pattern(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?")


# -- required


_NECESSITY = Cues(
    *("required", "mandatory", "optional", "must", "not be"),
    # Of states_optional.
    *("omit", "left", "skipped", "leave", "unspecified", "not ", "defaults"),
)
"""Words with which a description can say that a parameter is required or optional."""


@about(described=True)
def stated_required(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A description does not call an optional parameter required, or a required one optional."""
    said = [one for one in passages_about(node, context) if _NECESSITY.are_in(lowered(one.text))]
    parent = parent_of(node) if said else {}
    if not said or any(key in parent for key in COMPOSITION) or any(token in COMPOSITION for token in node.tokens):
        return
    names = parent.get("required")
    actual = "required" if isinstance(names, list) and node.argument in names else "optional"
    # Strict modes list every parameter as required, and null means that it was left out.
    if actual == "required" and "null" in (types_of(node.schema, root_of(node)) or ()):
        return
    for one in said:
        stated = context.facts.read(stated_necessity, one.text)
        if stated is None and actual == "required" and "default" not in node.schema:
            words = states_optional(one.text)
            stated = f'optional ("{words}")' if words else None
        if stated is not None and stated != actual:
            yield one.hit(stated=stated, actual=actual)
