"""What a change says to a reader: one sentence, safe to show."""

from __future__ import annotations

from typing import Any

from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

_TOLD = {
    "argument-removed": "argument {name} is gone",
    "argument-added": "optional argument {name} is new",
    "required-argument-added": "required argument {name} is new",
    "argument-renamed": "argument {name} is called {new} now",
    "argument-required": "argument {name} must be passed now",
    "argument-optional": "argument {name} may be left out now",
    "output-field-removed": "field {name} is gone",
    "output-field-added": "field {name} is new",
    "output-field-renamed": "field {name} is called {new} now",
    "output-field-guaranteed": "field {name} is always there now",
    "output-field-optional": "field {name} may be missing now",
    "input-closed": "keys that are not declared are refused now",
    "input-opened": "keys that are not declared are accepted now",
    "output-closed": "fields that are not declared are ruled out now",
    "output-opened": "fields that are not declared may come now",
}
_NOUNS = {
    "all-of": "allOf",
    "bound": "bound",
    "condition": "if/then/else",
    "contains": "contains",
    "default": "default",
    "dependency": "dependencies",
    "description": "description",
    "enum": "values",
    "extra-values": "schema of undeclared keys",
    "format": "format",
    "header": "x-mcp-header",
    "item-count": "number of items",
    "items": "items",
    "key-pattern": "keys by pattern",
    "length": "length",
    "multiple": "multipleOf",
    "not": "not",
    "pattern": "pattern",
    "property-count": "number of keys",
    "property-names": "names of keys",
    "schema": "schema",
    "type": "type",
    "union": "alternatives",
    "unique-items": "uniqueItems",
}


def schema_message(kind: str, family: str, path: str, name: str, old: Any, new: Any) -> str:
    """The sentence for a schema edit.

    Args:
        kind, family: as in the catalogue.
        path: pointer in the tool; its last named step is told.
        name: the property, where the edit is about one.
        old, new: the values before and after.
    """
    if kind in _TOLD:
        new_name = path.rpartition("/")[2] if kind.endswith("renamed") else ""
        return _TOLD[kind].format(name=_quoted(name), new=_quoted(new_name))
    where = owner(path)
    noun = _NOUNS.get(family, family)
    subject = f"{noun} of {_quoted(where)}" if where else noun
    if old is None and new is None:
        return f"{subject} changed"
    if old is None:
        return f"{subject} is new: {shown(new)}"
    if new is None:
        return f"{subject} is gone: was {shown(old)}"
    return f"{subject} changed from {shown(old)} to {shown(new)}"


def owner(path: str) -> str:
    """The last property or definition that a pointer names: ``q`` in ``/inputSchema/properties/q/pattern``."""
    steps = path.split("/")
    for index in range(len(steps) - 1, 0, -1):
        if steps[index - 1] in ("properties", "$defs", "definitions", "patternProperties"):
            return steps[index].replace("~1", "/").replace("~0", "~")
    return ""


def shown(value: Any, limit: int = 60) -> str:
    """A JSON value on one line, cut and safe."""
    return one_line(canonical_json(value), limit)


def _quoted(name: str) -> str:
    return f"`{visible(name)}`"
