"""Reasons for which connector directories reject a server, where a pattern or a schema cannot express them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool


_METHOD = lazy_pattern(r"^(?:http|request)?_?(?:method|verb)$", re.IGNORECASE)
_SAFE = ("GET", "HEAD", "OPTIONS")
_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_TEMPLATES = (("openai/outputTemplate",), ("ui", "resourceUri"))


def hints(tool: Tool, context: Context) -> Iterator[Hit]:
    """Every hint of the option ``hints`` is a boolean; of names separated by ``|``, at least one is."""
    given = tool.annotations
    missing = [
        wanted.replace("|", " or ")
        for wanted in context.options["hints"]
        if not any(isinstance(given.get(name), bool) for name in wanted.split("|"))
    ]
    if missing:
        place = "/annotations" if "annotations" in tool.raw else ""
        yield hit(place, missing, missing=", ".join(missing))


def mixed_methods(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No parameter for the HTTP method accepts both safe and unsafe ones."""
    if node.argument is None or not _METHOD.match(node.argument) or not isinstance(node.schema, dict):
        return
    values = node.schema.get("enum")
    # In prose only capitals are methods: "get the rate first, then post it" is a sentence.
    said = node.schema.get("description") if not isinstance(values, list) else None
    words = values if isinstance(values, list) else re.findall(r"\b[A-Z]{3,7}\b", said) if isinstance(said, str) else []
    methods = {word.upper() for word in words if isinstance(word, str)}
    safe, unsafe = ([name for name in kind if name in methods] for kind in (_SAFE, _UNSAFE))
    if safe and unsafe:
        yield hit(node.pointer, sorted(methods), argument=node.argument, safe=", ".join(safe), unsafe=", ".join(unsafe))


def output_template(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Every template that a tool names is a resource, if the recording has resources."""
    known = {item.get("uri") for item in surface.resources if isinstance(item, dict)}
    known |= {item.get("uriTemplate") for item in surface.templates if isinstance(item, dict)}
    if not known:
        return
    for tool in surface.tools:
        for way in _TEMPLATES:
            value = tool.raw.get("_meta")
            for key in way:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, str) and value not in known:
                yield hit(join_pointer("/_meta", *way), value, tool=tool.name, uri=value)
