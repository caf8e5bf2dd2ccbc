"""Validation errors, and an estimate of the memory for listing them.

The engine can cheaply decide if it accepts a value. But it creates all errors at once, each with a copy of the part of
the value, and below ``anyOf`` also those of every branch: a result of 450 KB took 4 GB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.references import Document

if TYPE_CHECKING:
    import jsonschema_rs

_MAX_MESSAGE = 2_000
"""Characters of a message that are kept: it quotes the value, and is cut to one line where it is shown."""
_MAX_DEMANDS = 1 << 40
"""Counting of demands stops here, far beyond what may be listed."""
_FLAW = 1_600
"""Measured memory of an error without its copy of the value, in bytes."""
_VALUE, _CHARACTER = 200, 4
"""Memory of a JSON value and of a character in such a copy and in the message that quotes it, in bytes."""

LISTING = 64_000_000
"""Most memory for listing the errors of a value in this process, in bytes. Larger lists are made in a process with a
memory limit (:mod:`mcp_governor.containment.worker`), or not at all; then only the refusal is reported."""


class Flaw(Struct, frozen=True):
    """One validation error.

    Attributes:
        instance_path: path to the part of the value.
        schema_path: path to the keyword that refuses it.
        keyword: this keyword; empty if the errors were not listed.
        property: name of a missing member; otherwise empty.
        message: the validator's message, not safe to show.
    """

    instance_path: tuple[str | int, ...]
    schema_path: tuple[str | int, ...]
    keyword: str
    property: str
    message: str

    def as_list(self) -> list[Any]:
        """The attributes in order, as JSON."""
        return [list(self.instance_path), list(self.schema_path), self.keyword, self.property, self.message]


UNLISTED = Flaw((), (), "", "", "it does not match the schema, and is too large to say where")
"""Stands for all errors of a value if they cannot be listed."""


def flaw_of(error: jsonschema_rs.ValidationError) -> Flaw:
    """Convert a native error."""
    keyword = str(error.kind.name)
    missing = str(getattr(error.kind, "property", "")) if keyword == "required" else ""
    message = str(error.message)[:_MAX_MESSAGE]
    return Flaw(tuple(error.instance_path), tuple(error.schema_path), keyword, missing, message)


def listing_bytes(demands: int, value: Any) -> int:
    """Approximate upper bound for the memory that the engine needs to list the errors of a value, in bytes.

    Args:
        demands: number of demands of the schema on one place (:func:`demands_of`).
        value: any JSON value.
    """
    places = characters = deepest = 0
    stack = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        places += 1
        deepest = max(deepest, depth)
        if isinstance(item, str):
            characters += len(item)
        elif isinstance(item, dict):
            characters += sum(map(len, item))
            stack.extend((below, depth + 1) for below in item.values())
        elif isinstance(item, list):
            stack.extend((below, depth + 1) for below in item)
    copied = places * _VALUE + characters * _CHARACTER
    return demands * (places * _FLAW + deepest * copied)


def demands_of(schema: Any, draft: int = LATEST, *, part: Any = None, document: Document | None = None) -> int:
    """The maximum number of errors at one place of a value: keywords and required names, with references followed.

    Args:
        schema: any JSON value.
        draft: its draft.
        part: the subschema to consider; by default, the whole schema.
        document: the schema as a document, if it was read before: reading it takes as long as the schema is large.
    """
    document = document or Document(schema, draft=draft)
    evaluations = Evaluations(document, _MAX_DEMANDS, each=_assertions)
    found = evaluations.of(*((schema, "") if part is None else (part, document.base_of(schema, ""))))
    # With recursive references, each level of the value may multiply the errors.
    return _MAX_DEMANDS if evaluations.recursive or evaluations.dynamic else found


def _assertions(schema: dict[str, Any]) -> int:
    """The number of errors that one subschema alone may find in one value."""
    named = [schema.get("required"), *_members(schema.get("dependentRequired")), *_members(schema.get("dependencies"))]
    return 1 + len(schema) + sum(len(names) for names in named if isinstance(names, list))


def _members(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
