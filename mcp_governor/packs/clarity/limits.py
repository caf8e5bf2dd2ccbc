"""Limits and units that the description gives, or should give, and that the schema lacks."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.prose.alternatives import takes_more
from mcp_governor.prose.formats import stated_form
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.limits import Argument, Limit, has_number, is_one_at_least, stated_limits
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.shown_values import shown_values
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.subjects.schemas import (
    COMPOSITION,
    effective,
    is_generated,
    parent_of,
    root_of,
    types_of,
    with_branches,
)
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.passages import Passage
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace

_BOUNDED = {
    "characters": ("enum", "const", "format", *COMPOSITION),
    "items": ("const", *COMPOSITION),
    "number": ("enum", "const", *COMPOSITION),
    "integer": ("enum", "const", *COMPOSITION),
}
"""Other keywords that bound a value, so that the keyword for the bound itself may be missing."""
_OF = {"string": "characters", "array": "items", "number": "number", "integer": "integer"}


class _Unstated(NamedTuple):
    """A parameter's limits that only words give.

    Attributes:
        path: where the words are, or the parameter if they are about several.
        value: what is there.
        limits: at least one.
    """

    path: str
    value: Any
    limits: list[Limit]


@about(argument=True, types={"array", "integer", "number", "string"})
def limit_unstated(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A limit that the description gives is in the schema."""
    found = _found(node, context)
    if found is not None and not _is_plain(found.limits):
        yield _hit(node, found)


@about(argument=True, types={"array", "integer", "number", "string"})
def plain_unstated(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A lower limit of zero or one, and the exact length of a string, that the description gives is in the schema."""
    found = _found(node, context)
    if found is not None and _is_plain(found.limits):
        yield _hit(node, found)


def _is_plain(limits: list[Limit]) -> bool:
    """True if the only limit is a lower one of 0 or 1, as of a count, or if it is the exact length of a string."""
    bounds = {limit.keyword: limit.value for limit in limits}
    if bounds.keys() == {"minLength", "maxLength"}:
        return bounds["minLength"] == bounds["maxLength"]
    return all(value in (0, 1) and keyword in _LOWER for keyword, value in bounds.items())


_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems")


def _hit(node: SchemaPlace, found: _Unstated) -> Hit:
    bounds = {limit.keyword: limit.value for limit in found.limits}
    listed = ", ".join(f'"{keyword}": {json.dumps(value)}' for keyword, value in bounds.items())
    facts = _facts(node, found.limits)
    # The length of what has only one, such as an id, may be that of an example.
    exact = bounds.keys() == {"minLength", "maxLength"} and bounds["minLength"] == bounds["maxLength"]
    correction = None if exact else narrowed(node, bounds)
    return hit(found.path, found.value, correction=correction, argument=node.argument, limits=listed, **facts)


def _found(node: SchemaPlace, context: Context) -> _Unstated | None:
    if node.argument is None or node.side != "inputSchema" or not isinstance(node.schema, dict):
        return None
    key = ("unstated limits", node.tool.index, node.pointer)
    return context.facts.recent(key, lambda: _unstated(node, context))


def _unstated(node: SchemaPlace, context: Context) -> _Unstated | None:
    said = [one for one in passages_about(node, context, mentions=True) if has_number(one.text)]
    ruled = _ruled(node, context)
    if not said and ruled is None:
        return None
    schema = effective(root_of(node), node.schema)
    of = _kind(types_of(schema), schema)
    if of is None:
        return None
    schema = with_branches(root_of(node), schema)
    numeric = of == "items" and bool({"integer", "number"} & (types_of(schema.get("items"), root_of(node)) or set()))
    name = node.argument or ""
    for one in said:
        text = one.text if one.where != "mention" else one.text[:80]
        if one.where == "mention" and not text.startswith(_LEADS):
            continue
        stated = _stated(Argument(name, of, text, not numeric), context)
        limits = [limit for limit in stated if _missing(limit, schema) and not _is_clamped(limit, context, node)]
        # "One or more names": a model sends no empty list.
        if is_one_at_least(limits):
            continue
        if limits and not _is_exceeded(limits, one.text) and not _has_form(limits, one, context):
            # What the tool's description says about several parameters is one text; the repair is at one of them.
            return _Unstated(one.path if one.where == "own" else node.pointer, one.value, limits)
    if ruled is None or of not in ("number", "integer"):
        return None
    limits = [limit for limit in _stated(Argument(name, of, ruled, True), context) if _missing(limit, schema)]
    return _Unstated(node.pointer, node.tool.description, limits) if limits else None


def _is_clamped(limit: Limit, context: Context, node: SchemaPlace) -> bool:
    """True if a sentence of the tool's description says that it lowers larger values of the parameter to this limit."""
    if limit.keyword != "maximum":
        return False
    name = node.argument or ""
    names = {name.lower(), name_words(name)[-1] if name_words(name) else ""}
    clamps = context.facts.read(_clamps, node.tool.description)
    return any(limit.value == value and not names.isdisjoint(said) for said, value in clamps)


def _clamps(description: str) -> tuple[tuple[frozenset[str], float], ...]:
    """The words in front of each "capped at", with its value."""
    found = itertools.islice(_CLAMPED.finditer(description[:_MAX_TEXT]), _MAX_RULES)
    return tuple(
        (frozenset(match["said"].lower().split()), float(match["value"].replace(",", "").replace("_", "")))
        for match in found
    )


_CLAMPED = Guarded(
    r"(?P<said>[^.\n]{0,100})\b(?:capped|clamped)\s(?:at|to)\s(?P<value>\d{1,3}(?:[,_]\d{3}){1,4}|\d{1,12})\b",
    *("capped", "clamped"),
)


def _has_form(limits: list[Limit], said: Passage, context: Context) -> bool:
    """True if an exact length is part of a format ("40-character SHA"), which has its own rule, or one of several."""
    if [limit.keyword for limit in limits] != ["minLength", "maxLength"] or limits[0].value != limits[1].value:
        return False
    form = context.facts.read(stated_form, said.text, said.node.argument or "")
    return form is not None or takes_more(said.text, ())


def _is_exceeded(limits: list[Limit], text: str) -> bool:
    """True if a value that the text shows has another length: "Two-letter code, or 'all'"."""
    least = next((limit.value for limit in limits if limit.keyword == "minLength"), 0)
    most = next((limit.value for limit in limits if limit.keyword == "maxLength"), None)
    if not least and most is None:
        return False
    return any(len(value) < least or (most is not None and len(value) > most) for value in shown_values(text))


_RULE = Guarded(
    r"(?:^|[.!\n]\s{0,20}|[-*•]\s)(?:the\s)?(?P<what>[a-z]{3,20}(?:[ _][a-z]{3,20})?)\s"
    r"(?P<rule>(?:must|has to|cannot|can't|may not|is limited to|ranges from)\s(?:[^.\n]|\.(?=\d)){3,120})",
    *("must ", "has to ", "cannot ", "can't ", "may not ", "is limited ", "ranges from "),
)
"""A sentence about a thing that a parameter is named for: "Duration must be between 0.5 and 5 seconds."."""
_MAX_RULES = 20
"""Maximum number of such sentences read per tool; a longer text is not a list of rules about parameters."""
_MAX_TEXT = 4_000
"""Maximum number of characters searched for them."""


def _ruled(node: SchemaPlace, context: Context) -> str | None:
    """A rule in the tool's description about the thing that only this parameter is named for; ``None`` without one."""
    if len(node.tokens) != 2:
        return None
    key = ("rules of things", node.tool.index)
    rules = context.facts.memo(key, lambda: _rules(node.tool.description[:_MAX_TEXT], parent_of(node)))
    return rules.get(node.argument or "")


def _rules(description: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """The parameters at the top of a tool that have such a rule, each with the first one.

    The unit in the name may be missing from the sentence's subject, and has to be in the rule.
    """
    if not has_number(description):
        return {}
    found = itertools.islice(_RULE.finditer(description), _MAX_RULES)
    rules = {match["what"].lower().replace("_", " "): match["rule"] for match in found}
    of_things = _things(schema.get("properties")) if rules else {}
    out: dict[str, str] = {}
    for what, rule in rules.items():
        names = of_things.get(what, [])
        if len(names) == 1 and names[0][1].rstrip("s") in rule.lower():
            out.setdefault(names[0][0], rule)
    return {**_sided(description), **out}


_SIDED = Guarded(
    r"\b(?P<side>max(?:imum)?|min(?:imum)?)\s(?:value\s(?:of|for)\s)?[`'\"]?(?P<name>[A-Za-z_]\w{1,40})[`'\"]?"
    r"(?:\sis|\s?[:=])\s\$?(?P<rest>\d(?:[^.\n]|\.(?=\d)){0,80})",
    *("max", "min"),
)
"""A limit with the name of a parameter in the middle: "Maximum page_size is 100"."""


def _sided(description: str) -> dict[str, str]:
    """The limits in sentences that begin in front of the name of a parameter."""
    found = itertools.islice(_SIDED.finditer(description), _MAX_RULES)
    return {match["name"]: f"{match['side']} {match['rest']}" for match in found}


def _things(properties: Any) -> dict[str, list[tuple[str, str]]]:
    """The words of names without their units → the names, each with its unit."""
    out: dict[str, list[tuple[str, str]]] = {}
    for name in properties if isinstance(properties, dict) else ():
        words = name_words(name)
        unit = words[-1] if len(words) > 1 and words[-1] in _UNITS else ""
        out.setdefault(" ".join(words[:-1] if unit else words), []).append((name, unit))
    return out


_UNITS = frozenset({"seconds", "minutes", "hours", "days", "milliseconds", "bytes", "characters", "pixels", "percent"})


@about(argument=True, keys={"default"}, types={"integer", "number"})
def default_beyond(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default is within the limit that the description gives."""
    if node.argument is None or node.side != "inputSchema" or not isinstance(node.schema, dict):
        return
    default = node.schema.get("default")
    if not isinstance(default, int | float) or isinstance(default, bool):
        return
    schema = effective(root_of(node), node.schema)
    of = _kind(types_of(schema), schema)
    if of not in ("integer", "number"):
        return
    for one in passages_about(node, context, mentions=True):
        # In a sentence of the tool, only brackets right after the name are about this parameter.
        if one.where in ("own", "entry") or (one.where == "mention" and one.text.startswith("(")):
            text = one.text if one.where != "mention" else one.text.split(")", 1)[0] + ")"
            for limit in _stated(Argument(node.argument, of, text, True), context):
                if limit.keyword == "maximum" and default > limit.value:
                    yield one.hit(said=limit.said, default=default)
                    return


def _facts(node: SchemaPlace, limits: list[Limit]) -> dict[str, Any]:
    """What a message says of limits: their words, and a value beyond the first one that the schema accepts."""
    said, beyond = _quoted(limits), _beyond(limits[-1])
    place = f"{one_line(node.argument or '', 64)} ({one_line(node.tool.name, 64)})"
    return {"said": said, "witness": beyond, "gist": f'{place} says "{one_line(said, 60)}" and takes {beyond}'}


def _beyond(limit: Limit) -> str:
    """A value that a limit excludes, by name."""
    above = limit.keyword.lower().endswith(("maximum", "maxlength", "maxitems"))
    step = 0 if limit.keyword.startswith("exclusive") else 1
    value = limit.value + step if above else limit.value - step
    if limit.keyword.endswith("Length"):
        return counted(int(value), "character") if value else "empty text"
    if limit.keyword.endswith("Items"):
        return counted(int(value), "item") if value else "an empty list"
    return f"{value:,}"


def _quoted(limits: list[Limit]) -> str:
    """The words for each limit that is missing, once: those of one side say nothing of the other."""
    return ", ".join(dict.fromkeys(limit.said for limit in limits))


def _stated(argument: Argument, context: Context) -> list[Limit]:
    """The limits that a description gives; memoised because servers repeat parameters with their descriptions."""
    return context.facts.kept(("limits", argument), lambda: stated_limits(argument), lambda _: 2 * len(argument.text))


_LEADS = (
    "must ",
    "should ",
    "(",
    "is ",
    "between ",
    "ranges ",
    "can be ",
    ":",
    "=",
    "from ",
    "has ",
    "at most",
    "at least",
)
"""How a sentence continues after the name of its parameter."""


def _kind(types: frozenset[str] | None, schema: Mapping[str, Any]) -> str | None:
    """What a limit of the parameter bounds; ``None`` if its types leave that open, or if other keywords bound it."""
    real = (types or frozenset()) - {"null"}
    if real == {"integer", "number"}:
        real = frozenset({"number"})
    # Servers take "5" for 5, and a list as JSON, for models that send strings.
    if len(real) == 2 and "string" in real:
        real -= {"string"}
    of = _OF.get(next(iter(real))) if len(real) == 1 else None
    if of is None or any(key in schema for key in _BOUNDED[of] if key not in ("anyOf", "oneOf")):
        return None
    if of == "characters" and "{" in str(schema.get("pattern", "")):
        return None
    return of


def _missing(limit: Limit, schema: Mapping[str, Any]) -> bool:
    schema = {key: value for key, value in schema.items() if not is_generated(value)}
    side = limit.keyword[:3] if not limit.keyword.startswith("exclusive") else limit.keyword[9:12].lower()
    held = {"minimum", "exclusiveMinimum"} if side == "min" else {"maximum", "exclusiveMaximum"}
    if limit.keyword in schema or (limit.keyword.lower().endswith("imum") and held & schema.keys()):
        return False
    return _keeps_default(limit, schema.get("default"))


def _keeps_default(limit: Limit, default: Any) -> bool:
    """True if the default is within the limit; if it is not, the limit is about something else."""
    size: float
    if isinstance(default, str | list):
        size = len(default)
    elif isinstance(default, int | float) and not isinstance(default, bool):
        size = default
    else:
        return True
    if limit.keyword.lower().endswith(("minimum", "minlength", "minitems")):
        return size >= limit.value if limit.keyword != "exclusiveMinimum" else size > limit.value
    return size <= limit.value if limit.keyword != "exclusiveMaximum" else size < limit.value
