"""Descriptions that contradict their schema: the one flaw of descriptions that is measured to hurt."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.claims import (
    claims_about,
    read_defaults,
    read_left_out,
    read_necessity,
    read_types,
    read_values,
)
from mcp_governor.prose.limits import number, read_limits, stated_limits
from mcp_governor.prose.passages import Passage, passages_about
from mcp_governor.prose.shown_values import shown_values
from mcp_governor.prose.units import unit_of, unit_of_name
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.context import about, hit
from mcp_governor.subjects.schemas import (
    COMPOSITION,
    effective,
    is_generated,
    parent_of,
    root_of,
    types_of,
    values_of,
    with_branches,
)
from mcp_governor.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.claims import Claim
    from mcp_governor.prose.limits import Limit
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool


# -- type

_TYPES = {
    **{name: name for name in ("string", "integer", "number", "boolean", "array", "object", "float")},
    "str": "string",
    "int": "integer",
    "double": "float",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "dictionary": "object",
}


@about(argument=True)
def stated_type(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The schema accepts the type that the description states."""
    for said in passages_about(node, context):
        claims = context.facts.read(read_types, said.text)
        types = types_of(node.schema, root_of(node)) if claims else None
        stated = _refused_type(node, claims, types) if types is not None else None
        if stated is not None:
            yield said.hit(stated=stated, type=sorted(types or ()))


def _refused_type(node: SchemaPlace, claims: tuple[Claim, ...], types: frozenset[str]) -> str | None:
    """The type that the description states, if the schema does not accept it."""
    schema = effective(root_of(node), node.schema)
    # "Must be a number" may be about the items of a list, and text with a form of its own may be called a number.
    plain = types.isdisjoint({"array", "object"}) and not schema.keys() & {"pattern", "format", "enum"}
    claim = next((one for one in claims if one.kind == "type" and (plain or not one.form.startswith("ordered"))), None)
    if claim is not None:
        kind = "array" if "item" in claim.said else _TYPES[claim.said["type"].lower()]
        if not _accepts(types, kind):
            return kind
    # A default of null has a rule of its own.
    takes_null = "null" in types or schema.get("nullable") is True or "default" in schema
    if not takes_null and any(one.kind == "null" for one in claims):
        return "null"
    if claim is None and types <= {"array", "object", "null"}:
        return next((one.said["type"] for one in claims if one.kind == "packed"), None)
    return None


def _accepts(types: frozenset[str], stated: str) -> bool:
    """True if one of the types is the stated one or accepts it; an integer does not accept a float."""
    if stated in ("integer", "number"):
        return not types.isdisjoint({"integer", "number"})
    return ("number" if stated == "float" else stated) in types


# -- values


@about(argument=True, keys={"enum", "const", "items", "$ref", "anyOf", "oneOf"})
def stated_values(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The enum contains every value that the description lists."""
    allowed = _enum(root_of(node), node.schema)
    if not allowed:
        return
    siblings = parent_of(node).get("properties", {}).keys() - {node.argument}
    # Several forms may read one list: it contradicts the enum if each of them does, or those that leave nothing open.
    read: dict[tuple[str, int], list[tuple[bool, list[str]]]] = {}
    for said, claim in claims_about(node, context, read_values):
        extra = _extra(claim, allowed)
        # "Pass exactly one of first or last": other parameters.
        if extra is not None and not siblings.issuperset(claim.listed.values):
            read.setdefault((said.path, claim.span[1]), []).append((claim.sure, extra))
    wrong: dict[str, list[str]] = {}
    for (path, _), ones in read.items():
        best = max(sure for sure, _ in ones)
        extras = [extra for sure, extra in ones if sure is best]
        if all(extras):
            wrong.setdefault(path, extras[0])
    for said in passages_about(node, context):
        if said.path in wrong:
            yield said.hit(stated=wrong[said.path], allowed=allowed)


def _extra(claim: Claim, allowed: list[str]) -> list[str] | None:
    """The listed values that an enum lacks; ``None`` if the list is not about it."""
    # White space around a value in the enum has a rule of its own, padded-choice.
    exact, listed = {value.strip() for value in allowed}, claim.listed
    folded = {value.casefold() for value in exact}
    if "/" in listed.joined and any("/" in value for value in exact):
        return None
    values = [value.strip() for value in listed.values if value.lower() not in _NO_VALUES]
    # Several values in one pair of quotes: "press/down/up".
    values = [value for value in values if not folded.issuperset(value.split("/")) or "/" not in value]
    shared = sum(value.casefold() in folded for value in values)
    if claim.sure:
        return None if claim.form == "either" and not shared else [value for value in values if value not in exact]
    # In a list that is not exhaustive, a value in another letter case is only another spelling.
    extra = [value for value in values if value.casefold() not in folded]
    return extra if shared > (not listed.quoted and "|" not in listed.joined) else None


_NO_VALUES = frozenset({"none", "default", "defaults"})
"""Words that stand for no value at all in many lists."""


def _enum(root: Any, schema: Any) -> list[str] | None:
    """The values that a parameter or the items of a list can have, as strings; ``None`` if they are open."""
    values = values_of(root, schema)
    if values is None:
        return None
    return [value if isinstance(value, str) else json.dumps(value, default=str) for value in values]


# -- default


@about(argument=True, keys={"default"})
def stated_default(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default that the description states is the default in the schema."""
    if not isinstance(node.schema, dict) or "default" not in node.schema:
        return
    actual = node.schema["default"]
    values = (_enum(root_of(node), node.schema) or ()) if isinstance(actual, str) else ()
    for one in passages_about(node, context):
        claims = [claim for claim in context.facts.read(read_defaults, one.text) if _is_of(claim, node)]
        plain = [_literal(claim.said, actual) for claim in claims if claim.form in _PLAIN_DEFAULTS]
        words = {claim.said["word"] for claim in claims if claim.said.get("word") in values}
        # Two defaults in one description are for two cases, which a schema cannot express.
        (stated,) = plain if len(plain) == 1 else words if not plain and len(words) == 1 else (None,)
        if not plain and type(actual) is int and actual > 0 and any(claim.form == "no-limit" for claim in claims):
            stated = "all"
        if stated is not None and stated != actual:
            yield one.hit(stated=stated, default=actual)


_PLAIN_DEFAULTS = frozenset(("default", "default-with-unit", "by-default", "used-if-left-out"))


def _is_of(claim: Claim, node: SchemaPlace) -> bool:
    """True if a default is that of a parameter: "600 seconds" is that of a name which ends in seconds."""
    return "unit" not in claim.said or unit_of(claim.said["unit"]) == unit_of_name(node.argument or "") is not None


def _literal(said: Mapping[str, str], actual: Any) -> Any:
    """The stated value if it has the type of the actual one, else ``None``."""
    quoted = said["quoted"][1:-1] if "quoted" in said else None
    text = quoted or said.get("value", "")
    if isinstance(actual, str):
        return quoted
    if isinstance(actual, bool):
        return {"true": True, "false": False}.get(text.lower())
    return number(text) if isinstance(actual, int | float) and _NUMERIC.fullmatch(text) else None


_NUMERIC = lazy_pattern(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?")


# -- required


@about(argument=True)
def stated_required(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A description does not call an optional parameter required, or a required one optional."""
    read = [(one, context.facts.read(read_necessity, one.text)) for one in passages_about(node, context)]
    parent = parent_of(node) if any(claims for _, claims in read) else {}
    if not parent or any(token in COMPOSITION for token in (*parent, *node.tokens)):
        return
    names = parent.get("required")
    actual = "required" if isinstance(names, list) and node.argument in names else "optional"
    # Strict modes list every parameter as required, and null means that it was left out.
    if actual == "required" and "null" in (types_of(node.schema, root_of(node)) or ()):
        return
    for one, claims in read:
        plain = next((claim for claim in claims if claim.kind == "required"), None)
        spare = next((claim for claim in claims if claim.kind == "spare"), None)
        if plain is not None:
            stated = "optional" if plain.said["is"].lower() == "optional" else "required"
        elif spare is not None and actual == "required" and "default" not in node.schema:
            at = spare.span[0]
            stated = f'optional ("{" ".join(one.text[at : at + _MAX_WORDS].strip(" .;,(").split())}")'
        else:
            continue
        if stated != actual:
            yield one.hit(stated=stated, actual=actual)


_MAX_WORDS = 60
"""Number of characters quoted from the words by which a parameter may be left out."""
_MAX_READ = 20_000
"""Maximum number of characters read from the description of a tool; a longer one is a manual."""


def left_out(tool: Tool, context: Context) -> Iterator[Hit]:
    """A parameter that the description of a tool lets its caller leave out is not required."""
    call = call_object(tool, context.facts)
    schema, arguments = call.schema, call.properties
    names = schema.get("required")
    if not arguments or not isinstance(names, list):
        return
    said = {claim.said["name"] for claim in context.facts.read(read_left_out, tool.description[:_MAX_READ])}
    wrong = [
        name
        for name in arguments
        if name in said and name in names and isinstance(arguments[name], dict)
        # clarity/required-default is about what has a default.
        if "default" not in arguments[name] and "null" not in (types_of(arguments[name]) or ())
    ]
    if wrong:
        yield hit("/description", tool.description, arguments=wrong, stated="optional", actual="required")


_BOUNDING = frozenset({"enum", "const", *COMPOSITION}) - {"anyOf", "oneOf"}
"""Other keywords that bound a value, so that the keyword for the bound itself may be missing."""
_OF = {"string": "characters", "array": "items", "number": "number", "integer": "integer"}
_LOWER = ("min", "exclusiveMin")


@about(argument=True)
def limit_unstated(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A limit that the description gives is in the schema."""
    yield from _unstated(node, context, plain=False)


@about(argument=True)
def plain_unstated(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A lower limit of zero or one, and an exact length, that the description gives is in the schema."""
    yield from _unstated(node, context, plain=True)


def _unstated(node: SchemaPlace, context: Context, *, plain: bool) -> Iterator[Hit]:
    for said, schema, limits in _said(node, context):
        lacking = [limit for limit in limits if _lacks(limit, schema)]
        if not lacking or _is_clamped(node):
            continue
        lengths = [limit for limit in lacking if limit.keyword.endswith("Length")]
        # "Two-letter code, or 'all'"
        if lengths and any(_is_beyond(len(value), one) for value in shown_values(said.text) for one in lengths):
            continue
        bounds = {limit.keyword: limit.value for limit in lacking}
        # The length of what has only one, such as an id, may be that of an example.
        exact = len(bounds) > 1 and len(set(bounds.values())) == 1
        is_plain = exact or all(key.startswith(_LOWER) and value in (0, 1) for key, value in bounds.items())
        if is_plain is not plain or bounds == {"minItems": 1}:
            return
        yield hit(
            said.path if said.where == "own" else node.pointer,
            said.value,
            correction=None if exact else narrowed(node, bounds, said.text),
            argument=node.argument,
            limits=", ".join(f'"{keyword}": {json.dumps(value)}' for keyword, value in bounds.items()),
            said=lacking[0].claim.sentence,
            witness=_beyond(lacking[-1]),
        )
        return


def _is_clamped(node: SchemaPlace) -> bool:
    """True if the tool's description says that it lowers larger values of the parameter."""
    word = re.escape("".join(name_words(node.argument or "")[-1:]))
    clamped = rf"\b{word}\b[^.,\n]{{0,100}}\b(?:capped|clamped)\s(?:at|to)\s\d"
    return re.search(clamped, node.tool.description[:_MAX_READ], re.IGNORECASE) is not None


@about(argument=True, keys={"default"})
def default_beyond(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default is within the limit that the description gives."""
    default = node.schema.get("default") if isinstance(node.schema, dict) else None
    for said, _, limits in _said(node, context):
        for limit in limits:
            if limit.keyword == "maximum" and isinstance(default, int | float) and default > limit.value:
                yield said.hit(said=limit.claim.sentence, default=default)
                return


@about(argument=True)
def stated_bounds(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Bounds that the description states are those in the schema."""
    for said, schema, limits in _said(node, context, bounded=True):
        own = unit_of_name(node.argument or "")
        for limit in limits:
            if (unit := unit_of((limit.claim.said["of"].split() or [""])[0])) is not None and unit != own:
                continue  # "Maximum 5 minutes": the schema may count seconds.
            actual = _actual(limit, schema)
            # "0.0-1.0" leaves open if 0 itself is allowed.
            vague = actual is not None and limit.value == actual[0] and limit.claim.form.startswith("range")
            if actual is not None and not vague and actual != (limit.value, limit.keyword.startswith("exclusive")):
                yield said.hit(keyword=limit.keyword, stated=limit.value, actual=actual[0], said=limit.claim.sentence)


def _said(
    node: SchemaPlace, context: Context, *, bounded: bool = False
) -> Iterator[tuple[Passage, Mapping[str, Any], list[Limit]]]:
    """Each passage that states limits of a parameter of one type.

    Args:
        node: the parameter.
        context: of the check.
        bounded: also if other keywords bound its value.
    """
    schema: Mapping[str, Any] | None = None
    for said in passages_about(node, context, mentions=True):
        text = said.text if said.where != "mention" else said.text[:_MENTION]
        if said.where == "mention" and not text.startswith(_LEADS):
            continue
        claims = context.facts.read(read_limits, text)
        if not claims:
            continue
        if schema is None:
            schema = effective(root_of(node), node.schema)
            of = _kind(types_of(schema), schema, bounded=bounded)
            schema = with_branches(root_of(node), schema)
        if of is None:
            return
        numbers = types_of(schema.get("items"), root_of(node)) or frozenset()
        if of == "items" and not numbers.isdisjoint({"integer", "number"}):
            claims = tuple(claim for claim in claims if claim.said["of"])  # "Scores, maximum 10" is about each.
        if limits := stated_limits(node.argument or "", of, text, claims):
            yield said, schema, limits


_MENTION = 80
"""Maximum number of characters read behind the name of a parameter in a sentence of its tool."""
_LEADS = ("must ", "should ", "(", "is ", "between ", "ranges ", "can be ", ":", "=", "from ", "has ", "at ")
"""How a sentence continues after the name of its parameter."""


def _kind(types: frozenset[str] | None, schema: Mapping[str, Any], *, bounded: bool) -> str | None:
    """What a limit of the parameter bounds; ``None`` if its types leave that open, or if other keywords bound it."""
    real = (types or frozenset()) - {"null"}
    # Servers take "5" for 5, and a list as JSON, for models that send strings.
    real = real - {"string"} or real
    of = _OF.get(next(iter(real))) if len(real) == 1 else None
    if bounded or of is None:
        return of
    formed = of == "characters" and ("format" in schema or "{" in str(schema.get("pattern", "")))
    return None if formed or schema.keys() & _BOUNDING else of


def _actual(limit: Limit, schema: Mapping[str, Any]) -> tuple[float, bool] | None:
    """The bound that the schema has on the side of a limit, and if it is excluded; none if a generator wrote it."""
    name = limit.keyword.removeprefix("exclusive")
    plain = name[0].lower() + name[1:]
    for keyword in (plain, f"exclusive{plain.title()}"):
        actual = schema.get(keyword)
        if isinstance(actual, int | float) and not is_generated(actual):
            if keyword == plain or "integer" not in (types_of(schema) or ()):
                return actual, keyword != plain
            return actual + (1 if plain == "minimum" else -1), False
    return None


def _lacks(limit: Limit, schema: Mapping[str, Any]) -> bool:
    """True if nothing in a schema bounds this side, and the default is within the limit: else it is about something
    else."""
    default = schema.get("default")
    size = len(default) if isinstance(default, str | list) else default
    return _actual(limit, schema) is None and not (isinstance(size, int | float) and _is_beyond(size, limit))


def _is_beyond(size: float, limit: Limit) -> bool:
    return size < limit.value if limit.keyword.startswith(_LOWER) else size > limit.value


def _beyond(limit: Limit) -> str:
    """A value that a limit excludes, by name."""
    value = limit.value - 1 if limit.keyword.startswith(_LOWER) else limit.value + 1
    if limit.keyword.endswith("Length"):
        return counted(int(value), "character")
    return counted(int(value), "item") if limit.keyword.endswith("Items") else f"{value:,}"
