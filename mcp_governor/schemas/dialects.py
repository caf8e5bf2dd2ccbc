"""The dialects of JSON Schema, and how a schema names its own."""

from __future__ import annotations

from typing import Any, NamedTuple

LATEST = 20
"""Draft 2020-12, the default for schemas that do not name a dialect (MCP specification, 2025-11-25)."""
DIALECT_2020_12 = "https://json-schema.org/draft/2020-12/schema"


class Dialect(NamedTuple):
    """One published dialect.

    Attributes:
        name: its usual name.
        uri: the URI of its meta-schema, as the meta-schema spells it.
    """

    name: str
    uri: str


DIALECTS = {
    20: Dialect("2020-12", DIALECT_2020_12),
    19: Dialect("2019-09", "https://json-schema.org/draft/2019-09/schema"),
    7: Dialect("draft-07", "http://json-schema.org/draft-07/schema#"),
    6: Dialect("draft-06", "http://json-schema.org/draft-06/schema#"),
    4: Dialect("draft-04", "http://json-schema.org/draft-04/schema#"),
}
"""Draft → its dialect. Drafts are compared by number: a keyword that 19 has dropped since 7 is not in 20 either."""


def _bare(uri: str) -> str:
    """A URI without its scheme and an empty fragment, because both are often spelled differently."""
    return uri.removeprefix("https:").removeprefix("http:").removesuffix("#")


_DRAFTS = {_bare(dialect.uri): draft for draft, dialect in DIALECTS.items()}


def draft_named(uri: str) -> int | None:
    """The draft whose meta-schema has this URI, or ``None``."""
    return _DRAFTS.get(_bare(uri))


def dialect_of(schema: Any, default: int = LATEST) -> int | None:
    """The draft of a schema: 4, 6, 7, 19 or 20.

    Args:
        schema: any JSON value.
        default: the draft of a schema that does not name one.

    Returns:
        The draft, or ``None`` if the schema names an unknown dialect.
    """
    if not isinstance(schema, dict) or "$schema" not in schema:
        return default
    uri = schema["$schema"]
    return draft_named(uri) if isinstance(uri, str) else None


def uri_of(draft: int) -> str:
    """The URI by which a schema names a dialect."""
    return DIALECTS[draft].uri
