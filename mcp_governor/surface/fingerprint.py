"""Digests of a surface: one of the contract, one of the wording, and both per tool.

``v1:sha256:<hex>`` covers, for each published tool sorted by code point: name, tier, category, input schema, output
schema, behaviour hints (resolved to the defaults of the specification), if it is deprecated, if it may be called as a
task, if clients have to ask for it to be listed, and if the model or the server's app does not get it; and for each
skill its URI and its frontmatter but the description. Every change to a tool that the catalogue calls breaking changes
it; a reworded description does not. ``w1:sha256:<hex>`` covers the rest: titles, icons, descriptions, examples,
instructions, and the digests of the files of skills.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.keywords import (
    MIXED_MAP_KEYS,
    SCHEMA_KEYS,
    SCHEMA_LIST_KEYS,
    SCHEMA_MAP_KEYS,
    UNORDERED_KEYS,
    WORDING_KEYS,
)
from mcp_governor.surface.canonical import canonical_bytes, canonical_json
from mcp_governor.surface.model import AUDIENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mcp_governor.surface.model import Surface, Tool
    from mcp_governor.surface.skills import Skill

CONTRACT_PREFIX = "v1:sha256:"
WORDING_PREFIX = "w1:sha256:"

# FastMCP adds this to output schemas so that its own client unwraps results; no caller depends on it.
_TOOLING_KEYS = frozenset({"x-fastmcp-wrap-result"})
# Keywords of older dialects: the comparison reads them in schemas without a dialect, and 2020-12 ignores them.
_LEGACY_KEYS = frozenset({"additionalItems", "dependencies"})


def strip(schema: Any) -> Any:
    """The contract part of a schema: without wording, and with unordered arrays sorted.

    Schema-aware: removes the keyword ``description`` but not a property of that name, and keeps values of ``const``,
    ``enum`` and ``default`` as they are. An explicit ``$schema`` of 2020-12 is removed too, because a schema without
    one means the same (protocol 2025-11-25 and later).
    """
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in WORDING_KEYS or key in _TOOLING_KEYS:
            continue
        if key == "$schema" and isinstance(value, str) and value.rstrip("#") == DIALECT_2020_12:
            continue
        out[key] = _strip_value(key, value) if isinstance(value, _CONTAINERS) else value
    return out


_CONTAINERS = (dict, list)
"""A tuple, since a union of types takes twice the time; most values are neither."""


def _strip_value(key: str, value: Any) -> Any:
    if key in SCHEMA_MAP_KEYS or key in MIXED_MAP_KEYS:
        if isinstance(value, dict):
            return {name: strip(item) for name, item in value.items()}
    elif key in SCHEMA_LIST_KEYS or (key == "items" and isinstance(value, list)):
        if isinstance(value, list):
            value = [strip(item) for item in value]
    elif key in SCHEMA_KEYS:
        return strip(value)
    if key in UNORDERED_KEYS and isinstance(value, list):
        return sorted(value, key=canonical_json)
    return value


def contract_schema(schema: Any) -> Any:
    """The part of a schema that the fingerprint covers: :func:`strip`, if nothing refers to what it removes or sorts.

    A reference may point into an example, or at the second of two alternatives; then the schema is used unchanged. So
    schemas with the same contract accept the same instances.
    """
    return schema if _depends_on_wording(schema) else strip(schema)


def same_contract(old: Any, new: Any) -> bool:
    """True if two schemas have the same contract, with numbers compared by value.

    Raises:
        RecursionError: a schema is nested too deeply.
        ValueError: a schema contains a number that JSON does not have.
    """
    return canonical_json(contract_schema(old)) == canonical_json(contract_schema(new))


def _depends_on_wording(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    dialect = schema.get("$schema")
    explicit = isinstance(dialect, str) and dialect.rstrip("#") == DIALECT_2020_12
    stack: list[Any] = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += [item for item in node if isinstance(item, _CONTAINERS)]
            continue
        if explicit and (isinstance(node.get("items"), list) or not _LEGACY_KEYS.isdisjoint(node)):
            return True  # ignored here, but the comparison reads them in schemas without a dialect
        for key in ("$ref", "$dynamicRef"):
            reference = node.get(key)
            if isinstance(reference, str) and _leads_into_wording(reference):
                return True
        stack += [item for item in node.values() if isinstance(item, _CONTAINERS)]
    return False


def _leads_into_wording(reference: str) -> bool:
    """True if a pointer passes through a place that :func:`strip` removes or moves."""
    tokens = reference.partition("#")[2].split("/")[1:]
    while tokens:
        keyword = tokens.pop(0)
        if keyword in WORDING_KEYS or (keyword in UNORDERED_KEYS and keyword in SCHEMA_LIST_KEYS):
            return True
        if tokens and (keyword in SCHEMA_MAP_KEYS or keyword in MIXED_MAP_KEYS or tokens[0].isdecimal()):
            tokens.pop(0)
        elif keyword not in SCHEMA_KEYS:
            return True  # an unusual place with unknown content
    return False


def contract(tool: Tool, parts: Collection[str] | None = None) -> dict[str, Any]:
    """The part of a tool that the fingerprint covers.

    Args:
        tool: the tool.
        parts: only these keys; by default all of them.
    """
    made: dict[str, Callable[[], Any]] = {
        "name": lambda: tool.name,
        "tier": lambda: tool.tier.value,
        "category": lambda: tool.category,
        "inputSchema": lambda: contract_schema(tool.input_schema),
        "outputSchema": lambda: contract_schema(tool.output_schema),
        "hints": lambda: tool.hints.as_json(),
        "deprecated": lambda: tool.deprecation is not None,
    }
    if tool.task_support != "forbidden":
        made["taskSupport"] = lambda: tool.task_support
    if tool.required_capabilities:
        made["requiredCapabilities"] = lambda: sorted(tool.required_capabilities)
    if tool.visibility != AUDIENCES:
        made["visibility"] = lambda: sorted(tool.visibility)
    if tool.opt_in is not None:
        # Only then, so that the digest of a tool in the default list is the same as in earlier versions.
        made["optIn"] = lambda: True
    return {part: make() for part, make in made.items() if parts is None or part in parts}


def tool_fingerprint(tool: Tool) -> str:
    """The contract digest of one tool."""
    return _digest(CONTRACT_PREFIX, contract(tool))


def fingerprint(surface: Surface) -> str:
    """The contract digest of a whole surface, ``v1:sha256:<64 hex digits>``."""
    # A surface does not change, and one run asks up to six times. Kept where ``cached_property`` keeps its values.
    known: str | None = vars(surface).get(_KNOWN)
    if known is None:
        tools = [contract(tool) for tool in sorted(surface.tools, key=lambda t: t.name)]
        known = _digest(CONTRACT_PREFIX, _with_skills(tools, lambda skill: skill.contract, surface))
        vars(surface)[_KNOWN] = known
    return known


_KNOWN = "_fingerprint"


def wording_fingerprint(surface: Surface) -> str:
    """The digest of everything in tools that the contract digest leaves out, and of the instructions."""
    tools = sorted(surface.tools, key=lambda t: t.name)
    words = [{"name": tool.name, "raw": _without_contract(tool.raw)} for tool in tools]
    whole = {"instructions": surface.instructions, "tools": words}
    return _digest(WORDING_PREFIX, _with_skills(whole, lambda skill: skill.words, surface))


def _with_skills(tools: Any, part: Callable[[Skill], Any], surface: Surface) -> Any:
    """The digested value; that of a surface without skills is the same as in earlier versions."""
    skills = [part(skill) for skill in sorted(surface.skills, key=lambda skill: skill.uri)]
    return {"tools": tools, "skills": skills} if skills else tools


def _without_contract(raw: Any) -> Any:
    """A tool's prose: titles, description, icons, and the wording keywords of its schemas with their places."""
    out: dict[str, Any] = {key: raw[key] for key in ("title", "description", "icons") if key in raw}
    annotations = raw.get("annotations")
    if isinstance(annotations, dict) and "title" in annotations:
        out.setdefault("title", annotations["title"])
    for side in ("inputSchema", "outputSchema"):
        out[side] = _wording(raw.get(side))
    return out


def _wording(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return None
    out: dict[str, Any] = {key: schema[key] for key in WORDING_KEYS if key in schema}
    for key, value in schema.items():
        if key in SCHEMA_MAP_KEYS and isinstance(value, dict):
            out[f"/{key}"] = {name: _wording(item) for name, item in value.items()}
        elif (key in SCHEMA_LIST_KEYS or key == "items") and isinstance(value, list):
            out[f"/{key}"] = [_wording(item) for item in value]
        elif key in SCHEMA_KEYS:
            out[f"/{key}"] = _wording(value)
    return out


def _digest(prefix: str, value: Any) -> str:
    return prefix + hashlib.sha256(canonical_bytes(value)).hexdigest()
