"""Changes of words in two schemas of a tool: descriptions, examples, and the labels of choices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.facts import Facts, names_on, tokens_of
from mcp_governor.change.making import make
from mcp_governor.change.names import UNIONS
from mcp_governor.change.registry import catalogue
from mcp_governor.change.vocabulary import MISSING, Side
from mcp_governor.schemas.walking import walk
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.change.model import Change
    from mcp_governor.change.schema_pair import SchemaPair

    _Schemas = dict[str, dict[str, Any]]

_WORDS = ("description", "markdownDescription", "examples", "example", "deprecated")
_LABELS = ("enumNames", "x-enumNames", "x-enum-varnames", "x-enum-descriptions")
"""Keywords next to ``enum`` with a label for each of its values."""


def reworded(pair: SchemaPair) -> Iterator[Change]:
    """Changed words at places that both schemas have; one change for all descriptions if none is left."""
    old, new = (
        {pointer: schema for pointer, schema in walk(side) if isinstance(schema, dict)} for side in (pair.old, pair.new)
    )
    lost = _lost(old, new)
    if lost:
        words = {".".join(names): text for names, text in lost.items()}
        facts = Facts(lost=tuple(words))
        yield _change(pair, "argument-descriptions-lost", "", old=words, facts=facts)
    for pointer in sorted(old.keys() & new.keys()):
        before, after = old[pointer], new[pointer]
        for key in _WORDS:
            same = before is after or same_json(before.get(key), after.get(key))
            if not same and not (key == "description" and names_on(pointer) in lost and key not in after):
                values = {"old": before.get(key, MISSING), "new": after.get(key, MISSING)}
                yield _change(pair, "schema-description-changed", f"{pointer}/{key}", **values)
        yield from _labels(pair, pointer, before, after)


def _change(pair: SchemaPair, kind: str, path: str, **more: Any) -> Change:
    if pair.side is Side.OUTPUT:
        kind = catalogue()[kind].other_side or kind
    return make(kind, pair.tool, pair.base + path, tier=pair.tier, level=pair.level, **more)


def _lost(old: _Schemas, new: _Schemas) -> dict[tuple[str, ...], str]:
    """Names of the properties that are still there, and their former descriptions, if none has one any more."""
    before, after = _described(old), _described(new)
    if any(after.values()):
        return {}
    return {names: text for names, text in before.items() if text and names in after}


def _described(schemas: _Schemas) -> dict[tuple[str, ...], str]:
    """The properties of a schema by the names on the way to them, each with its description, which may be empty."""
    found: dict[tuple[str, ...], str] = {}
    for pointer, schema in sorted(schemas.items(), key=lambda item: item[0]):
        if tokens_of(pointer)[-2:-1] == ["properties"]:
            text = schema.get("description")
            names = names_on(pointer)
            found[names] = found.get(names) or (text.strip() if isinstance(text, str) else "")
    return found


def _labels(pair: SchemaPair, pointer: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """The labels of values that both schemas list."""
    before, after = _labelled(old), _labelled(new)
    changed = [value for value in before if value in after and before[value] != after[value]]
    if changed:
        one, other = (
            {_text(json.loads(value)) or value: side[value] for value in changed if side[value]}
            for side in (before, after)
        )
        yield _change(pair, "choice-labels-changed", pointer, old=one or MISSING, new=other or MISSING)


def _labelled(schema: dict[str, Any]) -> dict[str, str]:
    """The listed values of a schema, as JSON, each with its label, which may be empty."""
    listed = schema.get("enum")
    if isinstance(listed, list):
        names: list[Any] = next((schema[key] for key in _LABELS if isinstance(schema.get(key), list)), [])
        return {canonical_json(value): _text(name) for value, name in zip(listed, _padded(names, listed), strict=True)}
    branches: list[Any] = next((schema[key] for key in UNIONS if isinstance(schema.get(key), list)), [])
    choices = [branch for branch in branches if isinstance(branch, dict) and "const" in branch]
    return {canonical_json(branch["const"]): _text(branch.get("title")) for branch in choices}


def _padded(names: list[Any], values: list[Any]) -> list[Any]:
    return [*names[: len(values)], *[None] * (len(values) - len(names))]


def _text(label: Any) -> str:
    return label if isinstance(label, str) else ""
