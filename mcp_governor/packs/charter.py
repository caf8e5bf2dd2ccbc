"""The description rules of the charter (Principle 2 and Enforcement level 1)."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from mcp_governor.charter.facts import (
    CONFIDENCES,
    ENVELOPE_KEYS,
    HINTS_OF_SIDE_EFFECTS,
    STATUSES,
    VERSIONS,
    declared_metadata,
    metadata_place,
)
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import looks_like_a_tool
from mcp_governor.prose.chains import chained, chains, listed
from mcp_governor.prose.mentions import NameIndex
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.walking import branches
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.schemas import effective, followed, parameters_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.surface.model import Surface, Tool


_MARKS = lazy_pattern(r"[*_]+")
_QUOTE = lazy_pattern(r"[\s>]*")
_SENTENCE = lazy_pattern(r"(?<=[.!?;])[\s*_]+|\n\s*\n")
_LEAD = "use this when"
# The description may call the tool this, it, or by its name.
_NOT_THIS = r"(?:don't|do not) use (?:(?:this|it|this tool|this one|the tool|`?{name}`?) )?when\b"
_INSTEAD = lazy_pattern(r"\binstead,? when\b")
_INSTEAD_OF = lazy_pattern(r"\buse\s((?:(?!\buse\s)(?:[^.;\n]|\.(?=\w))){1,160}?)\sinstead,?\swhen\b", re.IGNORECASE)
_WORD = lazy_pattern(r"(?<![\w:/.\-])_*([`'\"]?)([A-Za-z]\w*(?:[.\-]\w+)*)(?![\w:/])")


def _folded(text: str) -> str:
    """Lower case, without emphasis marks, with one kind of apostrophe and with white space collapsed."""
    return " ".join(_MARKS.sub("", text).lower().replace("\u2019", "'").split())


def use_this_when(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The description opens with "Use this when"; emphasis and block quote marks are ignored."""
    opening = _QUOTE.sub("", tool.description, count=1)
    if not _folded(opening[:200]).startswith(_LEAD):
        yield hit("/description", tool.raw.get("description"))


def _disambiguates(text: str, name: str) -> bool:
    folded = _folded(text)
    return (
        _INSTEAD.search(folded) is not None
        or re.search(_NOT_THIS.format(name=re.escape(_folded(name))), folded) is not None
    )


def disambiguation(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The description says when to use something else, or when not to use this tool."""
    if not _disambiguates(tool.description, tool.name):
        yield hit("/description", tool.raw.get("description"))


def neighbour(tool: Tool, context: Context) -> Iterator[Hit]:
    """The tool that the description recommends instead ("Use X instead when") exists on the server."""
    text = tool.description.replace("*", "")
    words = (word for sentence in _INSTEAD_OF.finditer(text) for word in _WORD.finditer(sentence[1]))
    named = {(word[2].rstrip("_"), bool(word[1])) for word in words}
    unknown = {name for name, marked in named if _dangles(name, context, marked=marked)}
    if unknown:
        yield hit("/description", tool.raw.get("description"), unknown=sorted(unknown))


def _others(tool: Tool, context: Context) -> list[tuple[int, str]]:
    """Mentions of the server's other tools in the description."""
    index = context.facts.memo("name-index", lambda: NameIndex(context.facts.names))
    return [(start, name) for start, name in index.mentions(tool.description) if name != tool.name]


def composition(tool: Tool, context: Context) -> Iterator[Hit]:
    """The description names another tool of the same server, if there is one."""
    if len(context.facts.names) > 1 and not _others(tool, context):
        yield hit("/description", tool.raw.get("description"))


def _composed(tool: Tool, context: Context) -> list[tuple[int, str]]:
    """Mentions of other tools outside the sentences about when not to use this one."""
    text = tool.description
    bounds = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text) + 1]
    known: dict[int, bool] = {}
    out = []
    for start, name in _others(tool, context):
        number = bisect_right(bounds, start)
        if number not in known:
            known[number] = _disambiguates(text[bounds[number - 1] : bounds[number]], tool.name)
        if not known[number]:
            out.append((start, name))
    return out


def separate_composition(tool: Tool, context: Context) -> Iterator[Hit]:
    """At least one other tool is named outside the sentences about when not to use this one."""
    others = _others(tool, context)
    if others and not _composed(tool, context):
        yield hit("/description", tool.description, names=sorted({name for _, name in others}))


def composition_count(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at most as many compositions as the charter allows: each chain counts, and each tool outside
    chains."""
    spans = list(chains(tool.description))
    composed = _composed(tool, context)
    # A mention within a chain counts as the chain, any other as its tool.
    found: set[int | str] = set()
    for start, name in composed:
        number = bisect_right(spans, (start, len(tool.description)))
        found.add(number if number and start < spans[number - 1][1] else name)
    count = len(found)
    if count > context.options["max"]:
        yield hit("/description", tool.description, count=count, names=sorted({name for _, name in composed}))


_FORMATS = {"concise", "detailed"}
_KEYS_1_0 = ENVELOPE_KEYS[:6]
"""Keys that every version of the envelope has; later versions added the others."""


def _value(tool: Tool, key: str) -> tuple[bool, Any]:
    fields = declared_metadata(tool.raw)
    return key in fields, fields.get(key)


def charter_version(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The tool declares an existing charter version, as major.minor."""
    return _not_one_of(tool, "charter_version", VERSIONS, known=list(VERSIONS))


def latency_hint(tool: Tool, _context: Context) -> Iterator[Hit]:
    """latency_hint is fast, moderate or slow."""
    return _not_one_of(tool, "latency_hint", ("fast", "moderate", "slow"))


def side_effects(tool: Tool, _context: Context) -> Iterator[Hit]:
    """side_effects is none, read or write."""
    return _not_one_of(tool, "side_effects", HINTS_OF_SIDE_EFFECTS)


def _not_one_of(tool: Tool, key: str, values: Iterable[str], **facts: Any) -> Iterator[Hit]:
    there, value = _value(tool, key)
    if value not in list(values):
        found = f"is {value!r}" if there else "is missing"
        yield hit(metadata_place(tool.raw, key), value, found=found, **facts)


def cost_hint(tool: Tool, _context: Context) -> Iterator[Hit]:
    """cost_hint contains a token estimate, and a price or null."""
    there, value = _value(tool, "cost_hint")
    fields = value if isinstance(value, dict) else {}
    dollars = fields.get("dollars_estimate")
    if not there:
        problem = "is missing"
    elif not _is_amount(fields.get("tokens_estimate"), int):
        problem = "has no tokens_estimate"
    elif "dollars_estimate" not in fields:
        problem = "has no dollars_estimate, which is null for a free call"
    elif dollars is not None and not _is_amount(dollars, int | float):
        problem = "has a dollars_estimate that is not a price"
    else:
        return
    yield hit(metadata_place(tool.raw, "cost_hint"), value, problem=problem)


def _is_amount(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and value >= 0


def idempotent(tool: Tool, _context: Context) -> Iterator[Hit]:
    """idempotent is a boolean, and idempotentHint agrees with it."""
    there, value = _value(tool, "idempotent")
    if not isinstance(value, bool):
        yield hit(metadata_place(tool.raw, "idempotent"), value, problem=f"is {value!r}" if there else "is missing")
    elif tool.annotations.get("idempotentHint") is not value:
        actual = tool.annotations.get("idempotentHint")
        problem = f"is {_shown(value)}, and idempotentHint is {_shown(actual)}"
        yield hit("/annotations/idempotentHint", actual, problem=problem)


def side_effects_hints(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The three hints have the values to which the charter maps side_effects."""
    value = _value(tool, "side_effects")[1]
    for name, wanted in HINTS_OF_SIDE_EFFECTS.get(value, {}).items() if isinstance(value, str) else ():
        actual = tool.annotations.get(name)
        if actual is not wanted:
            facts = {"hint": name, "wanted": wanted, "found": _shown(actual), "side_effects": value}
            yield hit(f"/annotations/{name}", actual, **facts)


def _shown(value: Any) -> str:
    """The value of a hint in a sentence, so that the string "true" differs from true."""
    if value is None:
        return "missing"
    return f'the string "{one_line(value, 20)}"' if isinstance(value, str) else one_line(json.dumps(value), 20)


def no_write(tool: Tool, _context: Context) -> Iterator[Hit]:
    """No tool of the server declares side_effects "write"."""
    value = _value(tool, "side_effects")[1]
    if value == "write":
        yield hit(metadata_place(tool.raw, "side_effects"), value)


def response_format(tool: Tool, context: Context) -> Iterator[Hit]:
    """A tool with large results has a parameter for the format, with ``concise`` as the default."""
    schema = tool.input_schema
    argument = parameters_of(tool).get("response_format")
    if argument is None:
        cost = _value(tool, "cost_hint")[1]
        tokens = cost.get("tokens_estimate") if isinstance(cost, dict) else None
        if isinstance(tokens, int) and tokens > context.options["large"]:
            yield hit("/inputSchema", tokens, problem=f"estimates {tokens} tokens and has no response_format")
        return
    argument = followed(schema, argument)
    choices = argument.get("enum")
    place = "/inputSchema/properties/response_format"
    if not isinstance(choices, list) or set(map(str, choices)) != _FORMATS:
        yield hit(place, argument, problem='does not offer exactly "concise" and "detailed" as response_format')
    elif argument.get("default") != "concise":
        yield hit(place, argument, problem="does not default response_format to concise")


def envelope_schema(tool: Tool, _context: Context) -> Iterator[Hit]:
    """outputSchema contains the envelope: the six keys of 1.0, and the charter's values for two of them."""
    root = tool.output_schema
    if not isinstance(root, dict):
        yield hit("", None, problem="publishes no outputSchema")
        return
    properties = followed(root, root).get("properties")
    missing = [key for key in _KEYS_1_0 if not isinstance(properties, dict) or key not in properties]
    if missing or not isinstance(properties, dict):
        yield hit("/outputSchema", root, problem=f"publishes an outputSchema without {', '.join(missing)}")
        return
    for key, known in (("status", STATUSES), ("confidence", CONFIDENCES)):
        choices = effective(root, properties[key]).get("enum")
        if not isinstance(choices, list) or not all(choice is None or str(choice) in known for choice in choices):
            place = join_pointer("/outputSchema/properties", key)
            yield hit(place, properties[key], problem=f"publishes a {key} that is not the charter's enum")
    error = effective(root, properties["error"]).get("properties")
    within = {f"error.{key}": schema for key, schema in error.items()} if isinstance(error, dict) else {}
    fields = {**properties, **within}
    for key, wanted in _TYPES.items():
        if key in fields and not _may_be(root, fields[key], wanted):
            place = f"/outputSchema/properties/{key.replace('.', '/properties/')}"
            yield hit(place, fields[key], problem=f"publishes {key} as another type than {wanted}")
    kind = within.get("error.kind", {"const": None})
    if not any(found.keys() & {"enum", "const"} for found in _branches(root, kind)):
        place = "/outputSchema/properties/error/properties/kind"
        yield hit(place, kind, problem="publishes error.kind as free text, not as a list of kinds")


_TYPES = {
    **dict.fromkeys(("error", "provenance", "error.recovery"), "object"),
    **dict.fromkeys(("degradation_reason", "charter_version", "error.kind", "error.message"), "string"),
    "follow_up_hints": "array",
}


def _may_be(root: Any, schema: Any, wanted: str) -> bool:
    """True unless a schema declares types without the wanted one."""
    declared = [found.get("type") for found in _branches(root, schema)]
    types = {item for one in declared for item in (one if isinstance(one, list) else [one]) if isinstance(item, str)}
    return wanted in types or not types - {"null"}


def _branches(root: Any, schema: Any) -> Iterator[dict[str, Any]]:
    return (found for found in branches(root, schema) if found is not None)


def typed_data(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The published envelope declares the schema of its data."""
    root = tool.output_schema
    properties = followed(root, root).get("properties") if isinstance(root, dict) else None
    if not isinstance(properties, dict) or not {"status", "data"} <= properties.keys():
        return
    if not any(map(_says_something, _branches(root, properties["data"]))):
        yield hit("/outputSchema/properties/data", properties["data"])


_OF_DATA = frozenset(
    {"properties", "patternProperties", "additionalProperties", "items", "prefixItems", "enum", "const"}
)


def _says_something(schema: dict[str, Any]) -> bool:
    """True if a schema declares members, items, values, or a type that has neither."""
    declared = schema.get("type")
    types = set(declared if isinstance(declared, list) else [declared]) - {None, "null", "object", "array"}
    return bool(types) or any(schema.get(key) not in (None, True, {}) for key in _OF_DATA)


def workflows(surface: Surface, context: Context) -> Iterator[Hit]:
    """Every step of a workflow is a tool: in chains with arrows, and in lists and tables with at least one tool."""
    strings = [(tool.name, "/description", tool.description) for tool in surface.tools]
    if surface.instructions:
        strings.append(("", "/instructions", surface.instructions))
    known = context.facts.names
    for tool, path, text in strings:
        unknown: set[str] = set()
        for steps in (*chained(text), *listed(text)):
            # If no step is a tool, it is about something else: columns, states, settings.
            if not known.isdisjoint(step.name for step in steps):
                unknown.update(step.name for step in steps if _dangles(step.name, context, marked=step.marked))
        if unknown:
            yield hit(path, text, tool=tool or None, unknown=sorted(unknown))


def _dangles(name: str, context: Context, *, marked: bool) -> bool:
    facts = context.facts
    return name not in facts.names and looks_like_a_tool(name, facts, marked=marked)
