"""What a validator finds wrong with a value, and whether it can list that in bounded memory.

The engine says cheaply *whether* it accepts a value. Asked for the errors it makes all of them at once, each with a
copy of the part that it is about, and under ``anyOf`` with the errors of every branch: a result of 450 KB took 4 GB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen
from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.references import Document

if TYPE_CHECKING:
    import jsonschema_rs

_MOST_MESSAGE = 2_000
"""Characters of a message that are kept: it quotes the value, and is cut to a line wherever it is shown."""
_MOST_DEMANDS = 1 << 40
"""Demands are counted up to here: far more than any listing may make."""
_FLAW = 1_600
"""Bytes of an error, as measured; its copy of the value apart."""
_VALUE, _CHARACTER = 200, 4
"""Bytes of a JSON value and of a character in such a copy, and in the message that quotes it."""

LISTING = 64_000_000
"""Bytes that listing the errors of a value may take in this process. What may take more is listed where memory has a
limit (:mod:`mcp_governor.containment.worker`), or not at all: then only the refusal is told."""


@frozen
class Flaw:
    """One thing that is wrong with a value.

    Attributes:
        instance_path: steps to the part of the value.
        schema_path: steps to the keyword that refuses it.
        keyword: that keyword; empty where the errors were not listed.
        property: for a missing member, its name; else empty.
        message: in the validator's words, not safe to show.
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
"""Stands for all that is wrong with a value where nobody can list it."""


def flaw_of(error: jsonschema_rs.ValidationError) -> Flaw:
    """A native error as a value."""
    keyword = str(error.kind.name)
    missing = str(getattr(error.kind, "property", "")) if keyword == "required" else ""
    message = str(error.message)[:_MOST_MESSAGE]
    return Flaw(tuple(error.instance_path), tuple(error.schema_path), keyword, missing, message)


def listing_bytes(demands: int, value: Any) -> int:
    """Bytes that the engine takes to list the errors of a value, at most about so many.

    Args:
        demands: what the schema demands of one place (:func:`demands_of`).
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


def demands_of(schema: Any, draft: int = LATEST, *, part: Any = None) -> int:
    """How many errors one place of a value may have at most: keywords and required names, references followed.

    Args:
        schema: any JSON value.
        draft: the draft it is written in.
        part: the subschema of it that is asked about; the whole by default.
    """
    document = Document(schema, draft=draft)
    evaluations = Evaluations(document, _MOST_DEMANDS, each=_assertions)
    found = evaluations.of(*((schema, "") if part is None else (part, document.base_of(schema, ""))))
    # where a reference leads back, each level of the value may multiply them
    return _MOST_DEMANDS if evaluations.recursive or evaluations.dynamic else found


def _assertions(schema: dict[str, Any]) -> int:
    """The errors that one subschema may find in one value by itself."""
    named = [schema.get("required"), *_members(schema.get("dependentRequired")), *_members(schema.get("dependencies"))]
    return 1 + len(schema) + sum(len(names) for names in named if isinstance(names, list))


def _members(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
