"""What a change says to a reader: one sentence, safe to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.terms import MISSING
from mcp_governor.schemas.pointers import unescape_pointer
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from mcp_governor.change.edit import Edit

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
    "schema-respelled": "the schema is written differently and means the same",
    "output-schema-respelled": "the schema is written differently and means the same",
    "input-closed": "keys that are not declared are refused now",
    "input-opened": "keys that are not declared are accepted now",
    "output-closed": "fields that are not declared are ruled out now",
    "output-opened": "fields that are not declared may come now",
}
_ENUMS = {
    "enum-added": "{name} takes only {new} now",
    "enum-dropped": "{name} takes any value now, was one of {old}",
    "enum-value-added": "{name} also takes {new}",
    "enum-value-removed": "{name} does not take {old} any more",
    "enum-changed": "{name} does not take {old} any more, and takes {new} now",
    "output-enum-added": "{name} is one of {new} now",
    "output-enum-dropped": "{name} may be any value now, was one of {old}",
    "output-enum-value-added": "{name} may also be {new}",
    "output-enum-value-removed": "{name} is never {old} any more",
    "output-enum-changed": "{name} is never {old} any more, and may be {new}",
}
_NOUNS = {
    "condition": "if/then/else",
    "dependency": "what needs what",
    "extra-values": "what undeclared keys hold",
    "key-pattern": "keys by pattern",
    "schema": "the schema",
    "type": "the type",
    "union": "the alternatives",
}


def schema_message(kind: str, edit: Edit, path: str) -> str:
    """The sentence for a schema edit.

    Args:
        kind: as in the catalogue.
        edit: the edit.
        path: its pointer in the tool.
    """
    if kind in ("schema-repaired", "schema-unusable"):
        verb = "was unusable and is repaired" if kind == "schema-repaired" else "is unusable now"
        return f"the schema {verb}: {', '.join(edit.note)}"
    if kind in _TOLD:
        new_name = path.rpartition("/")[2] if kind.endswith("renamed") else ""
        return _TOLD[kind].format(name=_quoted(edit.name), new=_quoted(new_name))
    where = owner(path)
    old, new = edit.old, edit.new
    if kind in _ENUMS:
        if isinstance(old, list) and isinstance(new, list):
            old, new = _without(old, new), _without(new, old)
        return _ENUMS[kind].format(name=_quoted(where) if where else "the value", old=_listed(old), new=_listed(new))
    noun = _NOUNS.get(edit.family) or path.rpartition("/")[2]
    if edit.family == "type":
        before, after = _types(old), _types(new)
        if before == after:
            return _about("the alternatives", where, "changed")
        return _about(noun, where, f"changed from {before} to {after}")
    if old is MISSING and new is MISSING:
        return _about(noun, where, "changed")
    if old is MISSING:
        return _about(noun, where, f"is new: {shown(new)}")
    if new is MISSING:
        return _about(noun, where, f"is gone, was {shown(old)}")
    return _about(noun, where, f"changed from {shown(old)} to {shown(new)}")


def _about(noun: str, where: str, verb: str) -> str:
    return f"{noun} of {_quoted(where)} {verb}" if where else f"{noun} {verb}"


def _types(names: Any) -> str:
    if not isinstance(names, list):
        return shown(names)
    return " | ".join(dict.fromkeys("anything" if name is None else str(name) for name in names)) or "nothing"


def _without(values: list[Any], others: list[Any]) -> list[Any]:
    known = {canonical_json(value) for value in others}
    return [value for value in values if canonical_json(value) not in known]


def _listed(values: Any, most: int = 6) -> str:
    if values is MISSING:
        return ""
    if not isinstance(values, list):
        return shown(values)
    told = ", ".join(shown(value, 40) for value in values[:most])
    return f"{told} and {len(values) - most} more" if len(values) > most else told


def owner(path: str) -> str:
    """The last property or definition that a pointer names: ``q`` in ``/inputSchema/properties/q/pattern``."""
    steps = path.split("/")
    for index in range(len(steps) - 1, 0, -1):
        if steps[index - 1] in ("properties", "$defs", "definitions", "patternProperties"):
            return unescape_pointer(steps[index])
    return ""


def shown(value: Any, limit: int = 60) -> str:
    """A JSON value on one line, cut and safe."""
    return one_line(canonical_json(value), limit)


def _quoted(name: str) -> str:
    return f"`{visible(name)}`"
