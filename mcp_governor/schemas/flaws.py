"""Validation errors, and an estimate of the memory for listing them.

The engine can cheaply decide if it accepts a value. But it creates all errors at once, each with a copy of the part of
the value, and below ``anyOf`` also those of every branch: a result of 450 KB took 4 GB. A schema is a value that is
copied once per level above an error, so its parts are validated against the meta-schema one by one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.dialects import LATEST, uri_of
from mcp_governor.schemas.keywords import KEYWORDS, Holds
from mcp_governor.schemas.references import Document
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator


Path = tuple[str | int, ...]

_MAX_MEMBERS = 1_000
"""Most members of one keyword's value whose errors are listed: an error takes 2 KB. With more, only the refusal is
reported."""


@cache
def meta_validator(draft: int) -> jsonschema_rs.Validator:
    """The validator for schemas of a draft."""
    uri = uri_of(draft)
    return jsonschema_rs.validator_for({"$schema": uri, "$ref": uri}, offline=True)


def meta_flaws(schema: Any, draft: int) -> Iterator[Flaw]:
    """All errors of a schema against its meta-schema, outer parts first; none if it is sound.

    Args:
        schema: any JSON value.
        draft: 4, 6, 7, 19 or 20.

    Raises:
        ValueError: it is not JSON, or it is nested too deep.
    """
    validator = meta_validator(draft)
    if validator.is_valid(schema):
        return
    found = False
    pending: list[tuple[Path, Any]] = [((), schema)]
    while pending:
        way, part = pending.pop()
        alone = _alone(part)
        if not validator.is_valid(alone):
            for flaw in map(flaw_of, validator.iter_errors(alone)):
                found = True
                yield replace(flaw, instance_path=way + flaw.instance_path)
        below = [(way + tokens, child) for tokens, child in subschemas(part) if isinstance(child, dict)]
        pending.extend(reversed([entry for entry in below if _is_read(draft, *_form(entry[0][len(way) :]))]))
    if not found:
        yield UNLISTED


def read_parts(schema: Any, draft: int) -> Iterator[Any]:
    """The schemas in a schema that its meta-schema checks; not those under ``$defs`` in draft 4, for example."""
    pending = [schema]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(child for tokens, child in subschemas(part) if _is_read(draft, *_form(tokens)))


def _alone(part: Any) -> Any:
    """A part of a schema without the schemas inside it, and without values that meta-schemas do not check."""
    if not isinstance(part, dict):
        return part
    return {key: _outline(key, value) for key, value in part.items() if key in KEYWORDS and key not in _UNREAD}


_UNREAD = frozenset({"const", "default"})


def _outline(key: str, value: Any) -> Any:
    holds = KEYWORDS[key].holds
    if isinstance(value, list):
        whole = holds not in (Holds.LIST, Holds.SCHEMA)
        return [item if whole or not isinstance(item, dict) else {} for item in value[:_MAX_MEMBERS]]
    if isinstance(value, dict) and holds is Holds.SCHEMA:
        return {}
    if isinstance(value, dict) and holds is not Holds.NOTHING:
        return dict([entry for entry in value.items() if not isinstance(entry[1], dict)][:_MAX_MEMBERS])
    return value


def _form(tokens: Path) -> tuple[str, str]:
    """The keyword that contains a schema, and the form of its value."""
    form = "schema" if len(tokens) == 1 else "list" if isinstance(tokens[1], int) else "map"
    return str(tokens[0]), form


@cache
def _is_read(draft: int, keyword: str, form: str) -> bool:
    """True if the meta-schema of a draft checks the schemas that a keyword contains in this form."""

    def accepts(held: Any) -> bool:
        value = {"schema": held, "list": [held], "map": {"a": held}}[form]
        return meta_validator(draft).is_valid({keyword: value})

    return accepts({}) and not accepts({"type": 1})


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
