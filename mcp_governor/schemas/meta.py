"""What a meta-schema refuses in a schema, part by part.

A meta-schema asked about a whole schema copies it once for each level at which something below is wrong: 2 MB with an
error under a hundred levels of ``items`` took 6 GB. So each part is asked about by itself, what it holds left out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from mcp_governor.schemas.dialects import uri_of
from mcp_governor.schemas.flaws import UNLISTED, flaw_of
from mcp_governor.schemas.keywords import KEYWORDS, Holds
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.schemas.flaws import Flaw

Path = tuple[str | int, ...]

_MOST_MEMBERS = 1_000
"""Members of one keyword's value that are looked at: an error takes 2 KB. Beyond, only the refusal is told."""


@cache
def meta_validator(draft: int) -> jsonschema_rs.Validator:
    """What says whether a schema is one of a draft."""
    uri = uri_of(draft)
    return jsonschema_rs.validator_for({"$schema": uri, "$ref": uri}, offline=True)


def meta_flaws(schema: Any, draft: int) -> Iterator[Flaw]:
    """Everything in a schema that its meta-schema refuses, the outer parts first; nothing where it is sound.

    Args:
        schema: any JSON value.
        draft: 4, 6, 7, 19 or 20.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
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


def _alone(part: Any) -> Any:
    """A part of a schema without the schemas that it holds, and without what no meta-schema looks into."""
    if not isinstance(part, dict):
        return part
    return {key: _outline(key, value) for key, value in part.items() if key in KEYWORDS and key not in _UNREAD}


_UNREAD = frozenset({"const", "default"})


def _outline(key: str, value: Any) -> Any:
    holds = KEYWORDS[key].holds
    if isinstance(value, list):
        whole = holds not in (Holds.LIST, Holds.SCHEMA)
        return [item if whole or not isinstance(item, dict) else {} for item in value[:_MOST_MEMBERS]]
    if isinstance(value, dict) and holds is Holds.SCHEMA:
        return {}
    if isinstance(value, dict) and holds is not Holds.NOTHING:
        return dict([entry for entry in value.items() if not isinstance(entry[1], dict)][:_MOST_MEMBERS])
    return value


def _form(tokens: Path) -> tuple[str, str]:
    """The keyword that leads to a schema, and how it holds it."""
    form = "schema" if len(tokens) == 1 else "list" if isinstance(tokens[1], int) else "map"
    return str(tokens[0]), form


@cache
def _is_read(draft: int, keyword: str, form: str) -> bool:
    """Whether the meta-schema of a draft looks into what a keyword holds in a form."""

    def accepts(held: Any) -> bool:
        value = {"schema": held, "list": [held], "map": {"a": held}}[form]
        return meta_validator(draft).is_valid({keyword: value})

    return accepts({}) and not accepts({"type": 1})
