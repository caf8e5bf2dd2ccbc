"""Parameters for credentials: what a model is given or asked for that the server should hold itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.credentials import names_key, names_password, outline
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, first_of
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Context, Hit, SchemaPlace
    from mcp_governor.surface.model import Surface


@about(argument=True, keys={"default"})
def default_credential(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No default of a parameter for a credential; its value is not shown either."""
    value, name = node.schema.get("default"), node.argument or ""
    if not isinstance(value, str) or _NO_CREDENTIAL.search(value):
        return
    if names_password(name):
        shortest = _SHORTEST_PASSWORD
    elif names_key(name) or _is_token(name):
        shortest = _SHORTEST_CREDENTIAL
    else:
        return
    if len(value) >= shortest:
        yield hit(f"{node.pointer}/default", value, argument=node.argument, found=outline(value))


def _is_token(name: str) -> bool:
    parts = name_words(name)
    return parts[-1:] == ("token",) and _OF_PAGES.isdisjoint(parts)


_OF_PAGES = frozenset({"next", "page"})
"""Words of tokens that say where a page begins."""
_SHORTEST_PASSWORD = 4
"""Minimum number of characters of a default that is taken for a password; a shorter one is a code such as "no"."""
_SHORTEST_CREDENTIAL = 16
"""Minimum number of characters of a default that is taken for a credential; a shorter token is a word or a position."""
_NO_CREDENTIAL = lazy_pattern(
    r"[<>${}\s]|\.\.\.|(?i:\b(?:your|my|change|default|dummy|enter|env|example|fake|insert|none|null|placeholder|test|xxx))"
    r"|(?i:changeme|xxxx)|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|://",
    re.NOFLAG,
)
"""A placeholder, or the name of a variable."""


_FEWEST = 3
"""Number of tools from which on it is the server that asks for a credential, and not one operation."""
_MAX_SHOWN = 6
"""Maximum number of tools named in a message; the others are counted."""
_ABOUT_IT = frozenset(
    [
        *("auth", "authenticate", "configure", "connect", "credential", "credentials", "initialize", "key", "keys"),
        *("login", "secret", "secrets", "setup", "token", "wallet"),
    ]
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
            if names_key(name) and "boolean" not in (types_of(schema) or ()):
                place = join_pointer("/inputSchema/properties", name)
                found.setdefault(name, []).append((tool.name, place))
    shared = {name: places for name, places in found.items() if len(places) >= _FEWEST}
    if not shared:
        return
    spots = [place for places in shared.values() for place in places]
    tools = list(dict.fromkeys(tool for tool, _ in spots))
    yield hit(
        "/tools",
        sorted(shared),
        spots=spots,
        arguments=first_of(list(shared), 2),
        tools=counted(len(tools), "tool"),
        names=first_of(tools, _MAX_SHOWN),
    )
