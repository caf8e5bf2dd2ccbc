"""What a search over tools reads of one: its name, its description, and the names and descriptions of its parameters.

Providers' tool searches read these four (tool search of Anthropic's API: names, descriptions, argument names, argument
descriptions).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.evaluation.terms import split_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_TEXT = 20_000
"""Number of characters that are read of a description; the longest of 848 tools of the corpus has 6,000."""

MAX_PARAMETERS = 500
"""Number of parameters that are read of a tool; the most of any tool of the corpus are 60."""

MAX_VALUES = 100
"""Number of listed values that are read of a parameter: beyond, they are data (currencies, time zones)."""

# A full stop ends a sentence if white space follows and the word before it is longer than "e.g" or "i.e" suggests.
_SENTENCE_END = re.compile(r"(?<![.\s][A-Za-z])[.!?](?=\s|$)|\n\s*\n")


class ToolText(Struct, frozen=True):
    """The text of one tool that searches read.

    Attributes:
        name: as published.
        first: the first sentence of the description, or all of it if it has no other.
        description: the whole description.
        parameters: names of the parameters.
        details: descriptions, titles and listed values of the parameters.
    """

    name: str
    first: str
    description: str
    parameters: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def words_of_name(self) -> str:
        """The name as words: ``getUserByID`` → ``get user by id``."""
        return " ".join(split_identifier(self.name)).lower()


def tool_text(tool: Mapping[str, Any]) -> ToolText:
    """The text of a tool as published: an object with a ``name``."""
    given = tool.get("description")
    description = given[:MAX_TEXT] if isinstance(given, str) else ""
    names: list[str] = []
    details: list[str] = []
    for name, schema in _properties(tool.get("inputSchema")):
        names.append(name)
        details += _details(schema)
    return ToolText(str(tool["name"]), first_sentence(description), description, tuple(names), tuple(details))


def first_sentence(text: str) -> str:
    """The first sentence of a string, or the first paragraph if that is shorter."""
    text = text.strip()
    end = _SENTENCE_END.search(text)
    return text[: end.start() + (0 if text[end.start()].isspace() else 1)] if end else text


def _properties(schema: Any) -> Iterator[tuple[str, Any]]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict):
        yield from list(properties.items())[:MAX_PARAMETERS]


def _details(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for key in ("title", "description"):
        if isinstance(schema.get(key), str):
            yield schema[key][:MAX_TEXT]
    values = schema.get("enum")
    if isinstance(values, list):
        yield from (value[:MAX_TEXT] for value in values[:MAX_VALUES] if isinstance(value, str))
