"""Writes a corrected parameter in Python code, if that is possible without doubt.

It changes the parameter's own annotation as little as possible: ``str`` becomes ``Literal[…]``, and bounds go into the
existing ``Field`` or into a new one. In all other cases there is no hint, because wrong code is worse than none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.parsing import read_python_expression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.target.discover.tool_source import Parameter

_FIELD = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}
"""Keywords that Pydantic's ``Field`` writes to the schema unchanged."""
_LISTS = ("list", "List")
_LONGEST = 300
"""Maximum length of a hint in characters; a longer enum is better written as a class."""


class _Added(NamedTuple):
    """The additions of a correction: keywords of the value and of a list's items, and null."""

    value: dict[str, Any]
    items: dict[str, Any]
    null: bool


def parameter_hint(name: str, parameter: Parameter, before: Any, after: Any) -> str:
    """The parameter that would produce the corrected schema; empty if that is not certain.

    Args:
        name: of the parameter.
        parameter: as in the source.
        before, after: the schema of the parameter.
    """
    added = _added(before, after)
    if added is None or not parameter.annotation:
        return ""
    try:
        annotation = read_python_expression(parameter.annotation)
        default = read_python_expression(parameter.default) if parameter.default else None
        hint = _hint(annotation, default, added)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if hint is None:
        return ""
    text = f"{name}: {hint[0]}" + (f" = {hint[1]}" if hint[1] else "")
    return text if len(text) <= _LONGEST else ""


def annotations_hint(hints: Any) -> str:
    """The decorator argument with a tool's hints; the class is that of ``mcp.types``."""
    if not isinstance(hints, dict) or not all(key.isidentifier() for key in hints):
        return ""
    return f"annotations=ToolAnnotations({', '.join(f'{key}={value!r}' for key, value in hints.items())})"


# -- additions


def _added(before: Any, after: Any) -> _Added | None:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    null = False
    if "anyOf" in after and "anyOf" not in before:
        # A type with null: its other branch is compared with the previous schema.
        branch = _value_branch(after)
        if branch is None:
            return None
        null, after = True, {**{key: value for key, value in after.items() if key != "anyOf"}, **branch}
    elif "anyOf" in before:
        old, new = _value_branch(before), _value_branch(after)
        if old is None or new is None or _without(before, "anyOf") != _without(after, "anyOf"):
            return None
        before, after = old, new
    value = _new_keywords(before, after)
    if value is None:
        return None
    items = value.pop("items", {})
    return _Added(value, items, null)


def _value_branch(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    branches = [one for one in schema["anyOf"] if one != {"type": "null"}] if "anyOf" in schema else []
    return branches[0] if len(branches) == 1 and isinstance(branches[0], dict) else None


def _without(schema: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}


def _new_keywords(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
    """New keywords; ``None`` if something else changed."""
    out: dict[str, Any] = {}
    if not before.keys() <= after.keys():
        return None
    for key, value in after.items():
        if key not in before:
            if key not in _FIELD and key != "enum":
                return None
            out[key] = value
        elif before[key] != value:
            if key == "items" and isinstance(before[key], dict) and isinstance(value, dict):
                inner = _new_keywords(before[key], value)
                if inner is None or "items" in inner:
                    return None
                out[key] = inner
            elif key == "type" and (before[key], value) == ("number", "integer"):
                out["type"] = "integer"
            else:
                return None
    return out


# -- the annotation


def _hint(annotation: ast.expr, default: ast.expr | None, added: _Added) -> tuple[str, str] | None:
    """The source code of the annotation and of the default."""
    outer = _field_of(annotation)
    field = outer or (default if isinstance(default, ast.Call) and _name(default.func) == "Field" else None)
    plain, optional = _plain(_parts(annotation)[0] if outer else annotation)
    if plain is None or (added.null and optional):
        return None
    new = _with_items(plain, added.items) if added.items else _with_values(ast.unparse(plain), added.value)
    keywords = {key: value for key, value in added.value.items() if key in _FIELD}
    if new is None or (keywords and field is not None and not _extended(field, keywords)):
        return None
    if keywords and field is None:
        new = f"Annotated[{new}, Field({_arguments(keywords)})]"
    if optional or added.null:
        new = f"{new} | None"
    if outer is not None:
        new = f"Annotated[{new}, {', '.join(map(ast.unparse, _parts(annotation)[1:]))}]"
    return new, ast.unparse(default) if default is not None else ""


def _with_values(plain: str, added: Mapping[str, Any]) -> str | None:
    """A type after changes that are not keywords of ``Field``: another type, or a list of values."""
    if "type" in added:
        return "int" if plain == "float" else None
    if "enum" not in added:
        return plain
    return _literal(added["enum"]) if plain == "str" and len(added) == 1 else None


def _parts(annotation: ast.expr) -> list[ast.expr]:
    """The parts in the brackets of ``Annotated[…]`` or ``Union[…]``."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        return annotation.slice.elts
    return []


def _name(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _field_of(annotation: ast.expr) -> ast.Call | None:
    """The only ``Field(…)`` of ``Annotated[…, Field(…)]``."""
    if isinstance(annotation, ast.Subscript) and _name(annotation.value) == "Annotated":
        fields = [part for part in _parts(annotation)[1:] if isinstance(part, ast.Call) and _name(part.func) == "Field"]
        if len(fields) == 1:
            return fields[0]
    return None


def _plain(annotation: ast.expr) -> tuple[ast.expr | None, bool]:
    """A simple type without null, and true if there was a null; ``None`` for anything else."""
    if isinstance(annotation, ast.Subscript) and _name(annotation.value) == "Optional":
        return _simple(annotation.slice), True
    parts: list[ast.expr] = []
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        parts = [annotation.left, annotation.right]
    elif isinstance(annotation, ast.Subscript) and _name(annotation.value) == "Union":
        parts = _parts(annotation)
    if not parts:
        return _simple(annotation), False
    real = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    return (_simple(real[0]), True) if len(real) == 1 and len(parts) == 2 else (None, False)


def _simple(annotation: ast.expr) -> ast.expr | None:
    if isinstance(annotation, ast.Name) and annotation.id in ("str", "int", "float"):
        return annotation
    if isinstance(annotation, ast.Subscript) and _name(annotation.value) in _LISTS:
        return annotation
    return None


def _with_items(annotation: ast.expr, added: Mapping[str, Any]) -> str | None:
    """A list whose strings have an enum or other keywords."""
    if not isinstance(annotation, ast.Subscript) or _name(annotation.slice) != "str":
        return None
    keywords = {key: value for key, value in added.items() if key in _FIELD}
    if keywords.keys() != added.keys():
        if added.keys() != {"enum"}:
            return None
        inner = _literal(added["enum"])
    else:
        inner = f"Annotated[str, Field({_arguments(keywords)})]"
    return f"{ast.unparse(annotation.value)}[{inner}]"


def _literal(values: list[Any]) -> str:
    return f"Literal[{', '.join(_text(value) for value in values if value is not None)}]"


def _text(value: Any) -> str:
    """A value as Python code, in the usual quotes."""
    if isinstance(value, str) and value.isprintable() and not set(value) & {'"', "\\"}:
        return f'"{value}"'
    return repr(value)


def _arguments(keywords: Mapping[str, Any]) -> str:
    shown = {
        _FIELD[key]: f"r{_text_raw(value)}" if key == "pattern" else _text(value) for key, value in keywords.items()
    }
    return ", ".join(f"{key}={value}" for key, value in shown.items())


def _text_raw(value: str) -> str:
    """A pattern as a raw string."""
    if '"' in value or not value.isprintable() or value.endswith("\\"):
        raise ValueError(value)
    return f'"{value}"'


def _extended(field: ast.Call, keywords: Mapping[str, Any]) -> bool:
    """Add keywords to a ``Field``, unless it already has one of them."""
    names = {_FIELD[key] for key in keywords}
    if any(given.arg is None or given.arg in names for given in field.keywords):
        return False
    made = read_python_expression(f"Field({_arguments(keywords)})")
    assert isinstance(made, ast.Call)
    field.keywords = [*made.keywords, *field.keywords]
    return True
