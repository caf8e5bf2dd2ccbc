"""Parameters that belong to the code behind a tool, and a server without them.

What is wrong below such a parameter goes with it: rules about clarity read the server as it is without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import name_words, words
from mcp_governor.subjects.context import schema_nodes
from mcp_governor.subjects.reached import HOMES, reached_definitions
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface, Tool

_LEAKED = frozenset(
    [
        *("ctx", "self", "cls", "kwargs", "mcp_context", "mcp_ctx", "request_context", "run_manager", "tool_call_id"),
        *("abort_signal", "abortSignal", "_meta"),
    ]
)
_MAYBE_LEAKED = frozenset({"context", "request", "session", "state", "config", "extra", "signal"})
"""Names of parameters that have leaked if they have neither a description nor a schema."""
_FUNCTION = lazy_pattern(r"_(?:fn|func|callback|callable|lambda)$|[a-z](?:Fn|Callback)$")


def is_leaked(tool: Tool, name: str, schema: Any) -> bool:
    """True if a parameter of this name and schema belongs to the code behind the tool."""
    if name in _LEAKED or (_FUNCTION.search(name) and not _is_data(schema)):
        return True
    return name in _MAYBE_LEAKED and _says_nothing(schema) and not _is_about(tool, name)


def _is_about(tool: Tool, name: str) -> bool:
    """True if a tool is about what a parameter is called: "validate_config" takes one."""
    return name in name_words(tool.name) or name in words(tool.description[:_MAX_FIRST])


_MAX_FIRST = 400
"""Maximum number of characters read from a description; what a tool is about comes first."""


def _is_data(schema: Any) -> bool:
    """True if a schema takes what no function is: "client_callable" may be a column, "url_callback" an address."""
    types = (types_of(schema) or frozenset()) - {"null"}
    if not isinstance(schema, dict) or not types or not types <= {"array", "boolean", "integer", "number", "string"}:
        return False
    return not types <= {"array", "string"} or not schema.keys().isdisjoint({"description", "enum", "format"})


def _says_nothing(schema: Any) -> bool:
    """True if a schema accepts anything and has no description, or refers to a class of a framework."""
    if not isinstance(schema, dict):
        return False
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference.endswith(("/Context", "/RequestContext", "/RunnableConfig"))
    return not schema.keys() - {"title", "default"}


def without_leaked(surface: Surface) -> Surface:
    """The server without these parameters and the definitions that only they refer to; itself if it has none."""
    tools = [_without(tool) for tool in surface.tools]
    if all(one is other for one, other in zip(tools, surface.tools, strict=True)):
        return surface
    entries = list(surface.entries)
    for tool in tools:
        entries[tool.index] = dict(tool.raw)
    return replace(surface, entries=tuple(entries), tools=tuple(tools))


def leaked_names(tool: Tool) -> frozenset[str]:
    """The parameters of a tool that belong to the code behind it."""
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    found = properties.items() if isinstance(properties, dict) else ()
    return frozenset(name for name, value in found if is_leaked(tool, name, value))


def _without(tool: Tool) -> Tool:
    gone = leaked_names(tool)
    if not gone:
        return tool
    schema: Any = tool.input_schema
    rest = {**schema, "properties": {name: value for name, value in schema["properties"].items() if name not in gone}}
    required = schema.get("required")
    if isinstance(required, list):
        left_out = [isinstance(name, str) and name in gone for name in required]
        other = next((name for name, out in zip(required, left_out, strict=True) if not out), None)
        # Another name takes its place, so that the others are found where the server has them.
        places = zip(required, left_out, strict=True)
        rest["required"] = [] if all(left_out) else [other if out else name for name, out in places]
    left = _with_input(tool, rest)
    before, after = _reached(tool), _reached(left)
    if before is None or after is None:
        return left
    for home in HOMES:
        definitions = schema.get(home)
        if isinstance(definitions, dict):
            lost = {name for name in definitions if (home, name) in before and (home, name) not in after}
            rest[home] = {name: value for name, value in definitions.items() if name not in lost}
    return _with_input(tool, rest)


def _with_input(tool: Tool, schema: Any) -> Tool:
    return replace(tool, raw={**tool.raw, "inputSchema": schema})


def _reached(tool: Tool) -> frozenset[tuple[str, str]] | None:
    return reached_definitions(node for node in schema_nodes(tool) if node.side == "inputSchema")
