"""Limits that only the description gives, and those that it gives in another way than the schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.limits import read_limits, stated_limits
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.shown_values import shown_values
from mcp_governor.prose.units import unit_of, unit_of_name
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.subjects.schemas import COMPOSITION, effective, is_generated, root_of, types_of, with_branches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.limits import Limit
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
_LOWER = ("min", "exclusiveMin")
_CLAMPED = lazy_pattern(r"(?P<said>[^.,\n]{0,100})\b(?:capped|clamped)\s(?:at|to)\s\d", re.IGNORECASE)
"""What a tool lowers itself."""
_MAX_TEXT = 4_000
"""Maximum number of characters of a tool's description searched for this."""


@about(argument=True, types={"array", "integer", "number", "string"})
def limit_unstated(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A limit that the description gives is in the schema."""
    yield from _unstated(node, context, plain=False)


@about(argument=True, types={"array", "integer", "number", "string"})
def plain_unstated(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A lower limit of zero or one, and an exact length, that the description gives is in the schema."""
    yield from _unstated(node, context, plain=True)


def _unstated(node: SchemaPlace, context: Context, *, plain: bool) -> Iterator[Hit]:
    for said, schema, limits in _said(node, context):
        lacking = [limit for limit in limits if _lacks(limit, schema)]
        if not lacking or _is_clamped(node) or any(_exceeds(value, lacking) for value in shown_values(said.text)):
            continue
        if _is_plain(lacking) is not plain or [(limit.keyword, limit.value) for limit in lacking] == [("minItems", 1)]:
            return
        bounds = {limit.keyword: limit.value for limit in lacking}
        # The length of what has only one, such as an id, may be that of an example.
        exact = len(bounds) > 1 and len(set(bounds.values())) == 1
        yield hit(
            said.path if said.where == "own" else node.pointer,
            said.value,
            correction=None if exact else narrowed(node, bounds),
            argument=node.argument,
            limits=", ".join(f'"{keyword}": {json.dumps(value)}' for keyword, value in bounds.items()),
            said=lacking[0].claim.sentence,
            witness=_beyond(lacking[-1]),
        )
        return


def _is_clamped(node: SchemaPlace) -> bool:
    """True if the tool's description says that it lowers larger values of the parameter."""
    words = name_words(node.argument or "")[-1:]
    said = _CLAMPED.finditer(node.tool.description[:_MAX_TEXT])
    return any(word in match["said"].lower().split() for match in said for word in words)


def _is_plain(limits: list[Limit]) -> bool:
    """True if the only limit is a lower one of 0 or 1, as of a count, or if it is an exact number."""
    values = {limit.value for limit in limits}
    return all(limit.keyword.startswith(_LOWER) and limit.value in (0, 1) for limit in limits) or (
        len(limits) == 2 and len(values) == 1
    )


@about(argument=True, keys={"default"}, types={"integer", "number"})
def default_beyond(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default is within the limit that the description gives."""
    for said, schema, limits in _said(node, context):
        default = schema.get("default")
        if isinstance(default, int | float) and not isinstance(default, bool):
            for limit in limits:
                if limit.keyword == "maximum" and default > limit.value:
                    yield said.hit(said=limit.claim.sentence, default=default)
                    return


@about(described=True, types={"array", "integer", "number", "string"})
def stated_bounds(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Bounds that the description states are those in the schema."""
    for said, schema, limits in _said(node, context, bounded=True):
        if said.where not in ("own", "entry"):
            continue
        own = unit_of_name(node.argument or "")
        for limit in limits:
            if (unit := unit_of((limit.claim.said["of"].split() or [""])[0])) is not None and unit != own:
                continue  # "Maximum 5 minutes": the schema may count seconds.
            actual = _actual(limit, schema)
            # "0.0-1.0" leaves open if 0 itself is allowed.
            ranged = limit.claim.form.startswith("range") and "inclusive" not in said.text.lower()
            vague = actual is not None and limit.value == actual[0] and ranged
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
    if node.argument is None or node.side != "inputSchema" or not isinstance(node.schema, dict):
        return
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
            numbers = types_of(schema.get("items"), root_of(node)) or frozenset()
        if of is None:
            return
        if of == "items" and not numbers.isdisjoint({"integer", "number"}):
            claims = tuple(claim for claim in claims if claim.said["of"])  # "Scores, maximum 10" is about each.
        if limits := stated_limits(node.argument, of, text, claims):
            yield said, schema, limits


_MENTION = 80
"""Maximum number of characters read behind the name of a parameter in a sentence of its tool."""
_LEADS = ("must ", "should ", "(", "is ", "between ", "ranges ", "can be ", ":", "=", "from ", "has ", "at ")
"""How a sentence continues after the name of its parameter."""


def _kind(types: frozenset[str] | None, schema: Mapping[str, Any], *, bounded: bool) -> str | None:
    """What a limit of the parameter bounds; ``None`` if its types leave that open, or if other keywords bound it."""
    real = (types or frozenset()) - {"null"}
    if real == {"integer", "number"}:
        real = frozenset({"number"})
    # Servers take "5" for 5, and a list as JSON, for models that send strings.
    if len(real) == 2 and "string" in real:
        real -= {"string"}
    of = _OF.get(next(iter(real))) if len(real) == 1 else None
    if of is None or bounded:
        return of
    if any(key in schema for key in _BOUNDED[of] if key not in ("anyOf", "oneOf")):
        return None
    return None if of == "characters" and "{" in str(schema.get("pattern", "")) else of


def _actual(limit: Limit, schema: Mapping[str, Any]) -> tuple[float, bool] | None:
    """The bound that the schema has on the side of a limit, and if it is excluded; none if a generator wrote it."""
    name = limit.keyword.removeprefix("exclusive")
    plain = name[0].lower() + name[1:]
    for keyword in (plain, f"exclusive{plain.title()}"):
        actual = schema.get(keyword)
        if isinstance(actual, int | float) and not isinstance(actual, bool) and not is_generated(actual):
            # In draft-04 the exclusive keyword is a boolean that modifies the bound.
            excluded = keyword != plain or schema.get(f"exclusive{plain.title()}") is True
            if excluded and "integer" in (types_of(schema) or ()):
                return actual + (1 if plain == "minimum" else -1), False
            return actual, excluded
    return None


def _lacks(limit: Limit, schema: Mapping[str, Any]) -> bool:
    """True if nothing in a schema bounds this side, and the default is within the limit: else it is about something
    else."""
    default = schema.get("default")
    size = len(default) if isinstance(default, str | list) else default
    if isinstance(size, int | float) and not isinstance(size, bool) and _is_beyond(size, limit):
        return False
    return _actual(limit, schema) is None


def _is_beyond(size: float, limit: Limit) -> bool:
    if limit.keyword.startswith(_LOWER):
        return size < limit.value if limit.keyword != "exclusiveMinimum" else size <= limit.value
    return size > limit.value if limit.keyword != "exclusiveMaximum" else size >= limit.value


def _exceeds(value: str, limits: list[Limit]) -> bool:
    """True if a value that the text shows has another length: "Two-letter code, or 'all'"."""
    return any(limit.keyword.endswith("Length") and _is_beyond(len(value), limit) for limit in limits)


def _beyond(limit: Limit) -> str:
    """A value that a limit excludes, by name."""
    step = 0 if limit.keyword.startswith("exclusive") else 1
    value = limit.value - step if limit.keyword.startswith(_LOWER) else limit.value + step
    if limit.keyword.endswith("Length"):
        return counted(int(value), "character") if value else "empty text"
    if limit.keyword.endswith("Items"):
        return counted(int(value), "item") if value else "an empty list"
    return f"{value:,}"
