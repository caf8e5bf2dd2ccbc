"""Validate a schema against its meta-schema, part by part.

Validation of a whole schema copies it once per level above an error: 2 MB with an error below a hundred levels of
``items`` took 6 GB. So each part is validated separately, without the schemas inside it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs
from msgspec.structs import replace

from mcp_governor.schemas.dialects import uri_of
from mcp_governor.schemas.flaws import UNLISTED, flaw_of
from mcp_governor.schemas.keywords import KEYWORDS, Holds
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.schemas.flaws import Flaw

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
