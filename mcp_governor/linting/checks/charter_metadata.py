"""What the charter wants published beside a tool ("Per-tool metadata", "Response envelope", principle 5)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.charter.facts import (
    CONFIDENCES,
    ENVELOPE_KEYS,
    HINTS_OF_SIDE_EFFECTS,
    META_KEY,
    STATUSES,
    VERSIONS,
    declared_metadata,
)
from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.schemas import effective, followed
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool

_LATENCIES = ("fast", "moderate", "slow")
_FORMATS = {"concise", "detailed"}
_KEYS_1_0 = ENVELOPE_KEYS[:6]
"""What every version of the envelope has; the rest came later."""
_ARROW = re.compile(r"(?:→|⟶|⇒|->|=>)")
_BEFORE_ARROW = re.compile(r"[`'\"*(]*([A-Za-z][\w.\-]*)(?:\([^()\n]*\))?[`'\"*)]*\s*$")
_AFTER_ARROW = re.compile(r"\s*[`'\"*(]*([A-Za-z][\w.\-]*)")


def _place(tool: Tool, key: str) -> str:
    """Where a metadata field is, or belongs."""
    own = tool.meta.get(META_KEY)
    if isinstance(own, dict):
        return join_pointer("/_meta", META_KEY, key)
    return f"/_meta/{key}" if key in tool.meta else join_pointer("", key) if key in tool.raw else ""


def _value(tool: Tool, key: str) -> tuple[bool, Any]:
    fields = declared_metadata(tool.raw)
    return key in fields, fields.get(key)


def charter_version(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The tool declares a charter version that there is, as major.minor."""
    there, value = _value(tool, "charter_version")
    if not there or value not in VERSIONS:
        found = f"is {value!r}" if there else "is missing"
        yield hit(_place(tool, "charter_version"), value, found=found, known=list(VERSIONS))


def cost_hint(tool: Tool, _context: Context) -> Iterator[Hit]:
    """cost_hint holds a token estimate, and a price or null."""
    there, value = _value(tool, "cost_hint")
    if not there:
        yield hit(_place(tool, "cost_hint"), None, problem="is missing")
        return
    tokens = value.get("tokens_estimate") if isinstance(value, dict) else None
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        yield hit(_place(tool, "cost_hint"), value, problem="has no tokens_estimate")
        return
    dollars = value.get("dollars_estimate")
    if dollars is not None and (not isinstance(dollars, int | float) or isinstance(dollars, bool) or dollars < 0):
        yield hit(_place(tool, "cost_hint"), value, problem="has a dollars_estimate that is not a price")


def latency_hint(tool: Tool, _context: Context) -> Iterator[Hit]:
    """latency_hint is fast, moderate or slow."""
    there, value = _value(tool, "latency_hint")
    if not isinstance(value, str) or value not in _LATENCIES:
        yield hit(_place(tool, "latency_hint"), value, found=f"is {value!r}" if there else "is missing")


def idempotent(tool: Tool, _context: Context) -> Iterator[Hit]:
    """Idempotent is a boolean, and idempotentHint says the same."""
    there, value = _value(tool, "idempotent")
    if not isinstance(value, bool):
        yield hit(_place(tool, "idempotent"), value, problem=f"is {value!r}" if there else "is missing")
    elif tool.annotations.get("idempotentHint") is not value:
        told = tool.annotations.get("idempotentHint")
        problem = f"is {value}, and idempotentHint is {told if told is not None else 'missing'}"
        yield hit("/annotations/idempotentHint", told, problem=problem)


def side_effects(tool: Tool, _context: Context) -> Iterator[Hit]:
    """side_effects is none, read or write."""
    there, value = _value(tool, "side_effects")
    if not isinstance(value, str) or value not in HINTS_OF_SIDE_EFFECTS:
        yield hit(_place(tool, "side_effects"), value, found=f"is {value!r}" if there else "is missing")


def side_effects_hints(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The three hints are those that the charter maps side_effects to."""
    _, value = _value(tool, "side_effects")
    for name, wanted in HINTS_OF_SIDE_EFFECTS.get(value, {}).items() if isinstance(value, str) else ():
        told = tool.annotations.get(name)
        if told is not wanted:
            found = "missing" if told is None else str(told).lower()
            yield hit(f"/annotations/{name}", told, hint=name, wanted=wanted, found=found, side_effects=value)


def no_write(tool: Tool, _context: Context) -> Iterator[Hit]:
    """No tool of the surface declares side_effects "write"."""
    _, value = _value(tool, "side_effects")
    if value == "write":
        yield hit(_place(tool, "side_effects"), value)


def response_format(tool: Tool, context: Context) -> Iterator[Hit]:
    """A tool with large results lets the caller choose, and ``concise`` is the default."""
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    argument = properties.get("response_format") if isinstance(properties, dict) else None
    if argument is None:
        _, cost = _value(tool, "cost_hint")
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


def workflows(surface: Surface, context: Context) -> Iterator[Hit]:
    """Every tool in a workflow written with arrows exists."""
    texts = [(tool.name, "/description", tool.description) for tool in surface.tools]
    if surface.instructions:
        texts.append(("", "/instructions", surface.instructions))
    for tool, path, text in texts:
        known = context.facts.names
        # An arrow between two unknown words is about something else: columns, states, tables.
        steps = [pair for pair in _steps(text) if not known.isdisjoint(pair)]
        unknown = sorted({name for pair in steps for name in pair if "_" in name and name not in known})
        if unknown:
            yield hit(path, text, tool=tool or None, unknown=unknown)


def _steps(text: str) -> Iterator[tuple[str, str]]:
    """The words on both sides of each arrow, calls and marks stripped."""
    for match in _ARROW.finditer(text):
        before = _BEFORE_ARROW.search(text, max(0, match.start() - 200), match.start())
        after = _AFTER_ARROW.match(text, match.end())
        if before is not None and after is not None:
            yield before[1].rstrip(".-"), after[1].rstrip(".-")


def envelope_schema(tool: Tool, _context: Context) -> Iterator[Hit]:
    """outputSchema publishes the envelope: the six keys of 1.0, and the charter's values of two of them."""
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
