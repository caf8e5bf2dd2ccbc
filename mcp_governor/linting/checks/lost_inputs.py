"""What the parameters of a whole server show: schemas that were lost, credentials that every call carries, and
parameters that are there for a client's sake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.linting.context import hit
from mcp_governor.linting.effects import product_prefix, verb_of
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.schemas import types_of
from mcp_governor.linting.words import MUTATING_VERBS, name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.linting.context import Context, Hit
    from mcp_governor.surface.model import Surface, Tool

_MAX_SHOWN = 6
"""Maximum number of names in a message; the others are counted."""

# -- schemas that were lost

_FEWEST = 3
"""Number of tools from which on it is hardly an accident that none takes a parameter."""
_BARE = frozenset({"$schema", "type", "properties", "required", "additionalProperties", "title", "description"})
_TAKES = MUTATING_VERBS - {"clear", "refresh", "reset", "restart", "start", "stop", "sync", "wipe"} | {"find", "search"}
"""Verbs of tools that cannot do anything without an object."""
_OPERATIONS = lazy_pattern(r"\b[a-z]{3,16}(?:/[a-z]{3,16}){2,12}\b")
_ASSIGNED = lazy_pattern(r"\b[a-z][A-Za-z_]{1,30}=(?:true|false|[a-z]{2,20})\b")
_MAX_TEXT = 1_000
"""Maximum number of characters of a description searched for a parameter."""


def no_parameters(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Some tool of a server takes a parameter, if half of them cannot do anything without one."""
    if len(surface.tools) < _FEWEST or not all(map(_is_bare, surface.tools)):
        return
    prefix = product_prefix(surface)
    needy = [tool.name for tool in surface.tools if _needs_input(tool, prefix)]
    if 2 * len(needy) >= len(surface.tools):
        spots = ((name, "/inputSchema") for name in needy)
        yield hit("/tools", sorted(needy), spots=spots, names=_shown(needy), tools=counted(len(surface.tools), "tool"))


def _is_bare(tool: Tool) -> bool:
    schema = tool.raw.get("inputSchema")
    return isinstance(schema, dict) and schema.keys() <= _BARE and not schema.get("properties")


def _needs_input(tool: Tool, prefix: str | None) -> bool:
    said = tool.description[:_MAX_TEXT]
    return verb_of(tool, prefix) in _TAKES or bool(_OPERATIONS.search(said) or _ASSIGNED.search(said))


# -- credentials

_CREDENTIAL = lazy_pattern(
    r"(?i)(?:\w*_)?(?:api_?(?:key|token|secret)|secret_?key|private_?key|client_?secret|(?:access|auth|bearer)_?token)"
    r"|secret|mnemonic|seed_?phrase"
)
_ABOUT_IT = frozenset(
    {
        "auth",
        "authenticate",
        "configure",
        "connect",
        "credential",
        "credentials",
        "initialize",
        "login",
        "secret",
        "token",
    }
    | {"key", "keys", "secrets", "setup", "wallet"}
)
"""Words of tools that are about credentials, each of which has to take one."""


def shared_credential(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No credential is a parameter of three tools or more: the server is the one to hold it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for tool in surface.tools:
        if not _ABOUT_IT.isdisjoint(name_words(tool.name)):
            continue
        properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if _CREDENTIAL.fullmatch(name) and "boolean" not in (types_of(schema) or ()):
                place = join_pointer("/inputSchema/properties", name)
                found.setdefault(name, []).append((tool.name, place))
    shared = {name: places for name, places in found.items() if len(places) >= _FEWEST}
    if not shared:
        return
    spots = [place for places in shared.values() for place in places]
    tools = list(dict.fromkeys(tool for tool, _ in spots))
    names = [f"`{one_line(name, 64)}`" for name in shared]
    yield hit(
        "/tools",
        sorted(shared),
        spots=spots,
        arguments=" and ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else ""),
        tools=counted(len(tools), "tool"),
        names=_shown(tools),
    )


# -- parameters without a meaning

_DUMMY = lazy_pattern(r"(?i)random_string|_?dummy(?:_(?:arg|argument|field|input|param|parameter))?|no_?params?")


def dummy_parameter(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No parameter is there only because a client once refused a tool without any."""
    found: list[tuple[str, str]] = []
    name = ""
    for tool in surface.tools:
        properties: Any = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
        for one in properties if isinstance(properties, dict) and len(properties) == 1 else ():
            if _DUMMY.fullmatch(one):
                name = name or one
                found.append((tool.name, join_pointer("/inputSchema/properties", one)))
    if found:
        tools = [tool for tool, _ in found]
        yield hit("/tools", sorted(tools), spots=found, argument=name, first=tools[0], names=_shown(tools))


def _shown(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name, 64) for name in names[:_MAX_SHOWN])
    return f"{shown} and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else shown
