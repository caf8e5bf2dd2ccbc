"""The parameters of a server by name: in which tools, of which type, and with which words."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.prose.declared import declared
from mcp_governor.prose.words import stem, words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.schemas import effective

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.prose.declared import Declared
    from mcp_governor.subjects.context import Context

_MAX_PROPERTIES = 1_000
"""Maximum number of parameters of one tool; a tool with more was not written by hand."""


class Use(Struct, frozen=True, dict=True):
    """One tool that has a parameter of some name.

    Attributes:
        tool: its name.
        kind: type of the parameter; integers are numbers.
        text: its description.
        name: of the parameter.
        pointer: where it is in the tool.
        strict: the call fails without it, or with an unknown name in its place.
        listed: its values are listed.
    """

    tool: str
    kind: str
    text: str
    name: str
    pointer: str
    strict: bool
    listed: bool

    @cached_property
    def said(self) -> frozenset[str]:
        """Stems of its description, which few uses are asked for, and these often."""
        return frozenset(map(stem, words(self.text)))


MAX_READ = 400
"""Maximum number of characters read from a description."""


Uses = dict[str, list[Use]]


def uses_of(context: Context) -> Uses:
    """The parameters of all tools by name; where a single object wraps them all, what is inside."""
    said = {(one.tool.name, one.pointer): one.text for one in declared(context.surface, context)}
    uses: dict[str, list[Use]] = defaultdict(list)
    for tool in context.surface.tools:
        schema, at = tool.input_schema, "/inputSchema"
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(properties, dict) and len(properties) == 1:
            ((name, only),) = properties.items()
            inner = effective(schema, only)
            if isinstance(inner.get("properties"), dict):
                at, properties = join_pointer(f"{at}/properties", name), inner["properties"]
                holder = inner
            else:
                holder = schema
        else:
            holder = schema
        if not isinstance(properties, dict) or len(properties) > _MAX_PROPERTIES:
            continue
        required = holder.get("required")
        needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
        closed = holder.get("additionalProperties") is False
        for name, argument in properties.items():
            whole = effective(schema, argument)
            pointer = join_pointer(f"{at}/properties", name)
            listed = "enum" in whole or "const" in whole
            strict = closed or name in needed
            text = said.get((tool.name, pointer), "")[:MAX_READ]
            uses[name].append(Use(tool.name, kind_of(whole), text, name, pointer, strict, listed))
    return uses


_WRAPPERS = frozenset({"arguments", "body", "data", "input", "params", "path", "query", "request"})


def wrapped_uses(context: Context, uses: Mapping[str, list[Use]]) -> Uses:
    """The parameters within an object that stands for a part of a request, with those of the same name next to it."""
    out: dict[str, list[Use]] = {}
    places = {(use.name, use.tool, use.pointer) for own in uses.values() for use in own}
    for one in declared(context.surface, context):
        parts = one.pointer.split("/")
        if one.nested and len(parts) == 6 and parts[3] in _WRAPPERS:
            use = use_of(one)
            known = out.setdefault(one.name, list(uses.get(one.name, ())))
            if (place := (use.name, use.tool, use.pointer)) not in places:
                places.add(place)
                known.append(use)
    return out


def use_of(one: Declared) -> Use:
    """A parameter, also one within an object."""
    listed = "enum" in one.schema or "const" in one.schema
    return Use(one.tool.name, kind_of(one.schema), one.text[:MAX_READ], one.name, one.pointer, one.required, listed)


def takes_a_list(schema: Any) -> bool:
    """True if a value may be a list."""
    kind = schema.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        return True
    branches = schema.get("anyOf") or schema.get("oneOf")
    return isinstance(branches, list) and any(
        isinstance(branch, dict) and branch.get("type") == "array" for branch in branches[:_MAX_BRANCHES]
    )


_MAX_BRANCHES = 30
"""Maximum number of branches read of a union."""


def kind_of(schema: Any) -> str:
    """The type of a parameter; integers are numbers, and a list is one of its items."""
    kind = schema.get("type")
    kind = next((item for item in kind if item != "null"), "") if isinstance(kind, list) else kind
    if kind == "array":
        items = schema.get("items")
        inner = items.get("type") if isinstance(items, dict) else None
        return f"array of {inner}" if isinstance(inner, str) else "array"
    return "number" if kind == "integer" else str(kind or "")
