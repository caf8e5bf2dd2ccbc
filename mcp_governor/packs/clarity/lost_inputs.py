"""What the parameters of a whole server show: schemas that were lost, and parameters that mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.prose.guarded import Guarded
from mcp_governor.subjects.context import hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Tool


# -- schemas that were lost

_BARE = frozenset({"$schema", "type", "properties", "required", "additionalProperties", "title", "description"})


def _is_bare(tool: Tool) -> bool:
    schema = tool.raw.get("inputSchema")
    return isinstance(schema, dict) and schema.keys() <= _BARE and not schema.get("properties")


# -- parameters without a meaning


def only_in_words(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool whose description documents parameters has some."""
    if not _is_bare(tool):
        return
    text = tool.description[:_MAX_DOCUMENTED]
    match = _ARGUMENTS.search(text) or _CALLED_WITH.search(text)
    if match is not None and match["name"].lower() not in _NO_ARGUMENT:
        yield hit("/inputSchema", tool.input_schema, name=match["name"])


_MAX_DOCUMENTED = 4_000
"""Maximum number of characters of a description that are read; parameters come after a paragraph or two."""
_ARGUMENTS = Guarded(
    r"(?:\A|\n)[ \t]{0,12}(?:[#*]{1,4}\s?)?(?:args|arguments|parameters|params|inputs)"
    r"(?:\*\*)?:?(?:\*\*)?[ \t]{0,4}\n{1,2}"
    r"[ \t]{0,16}(?:[-*•]\s)?[`\"*]{0,3}(?P<name>[a-z_]\w{0,40})[`\"*]{0,3}\s?"
    r"(?:\([^()\n]{0,60}\))?\s?(?::|-|–|—)\s?\S",
    *(" args ", " arguments ", " parameters ", " params ", " inputs "),
)
_CALLED_WITH = Guarded(
    r"\b(?:example(?:\s(?:arguments|call|input|request|usage))?|arguments|input)\s?:\s{0,4}(?:\w{1,64}\()?"
    r"\{\s{0,8}[\"'](?P<name>[a-z_]\w{0,40})[\"']\s?:",
    "{",
)
_NO_ARGUMENT = frozenset({"context", "ctx", "n", "no", "none", "nothing", "returns", "self"})
