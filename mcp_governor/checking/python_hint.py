"""Writes a corrected parameter in Python code, if that is possible without doubt.

``str`` becomes ``Literal[…]``, and bounds go into the ``Field`` of ``Annotated`` or into a new one. In all other cases
there is no hint, because wrong code is worse than none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

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
    "pattern": "pattern",
}
"""Keywords that Pydantic's ``Field`` writes to the schema unchanged."""
_LONGEST = 300
"""Maximum length of a hint in characters; a longer enum is better written as a class."""


def parameter_hint(name: str, parameter: Parameter, before: Any, after: Any) -> str:
    """The parameter that would produce the corrected schema; empty if that is not certain.

    Args:
        name: of the parameter.
        parameter: as in the source.
        before, after: the schema of the parameter.
    """
    was, now = _with_null(before), _with_null(after)
    if was is None or now is None or not parameter.annotation:
        return ""
    kept = all(key in now[0] and now[0][key] == value for key, value in was[0].items())
    added = {key: value for key, value in now[0].items() if key not in was[0]}
    if not kept or not added.keys() <= {*_FIELD, "enum"} or was[1] > now[1]:
        return ""
    try:
        annotation = read_python_expression(parameter.annotation)
        default = read_python_expression(parameter.default) if parameter.default else None
        hint = _annotated(annotation, added, null=now[1] and not was[1])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if hint is None or isinstance(default, ast.Call):
        return ""  # a Field may say so already
    text = f"{name}: {hint}" + (f" = {ast.unparse(default)}" if default is not None else "")
    return text if len(text) <= _LONGEST else ""


def annotations_hint(hints: Any) -> str:
    """The decorator argument with a tool's hints; the class is that of ``mcp.types``."""
    if not isinstance(hints, dict) or not all(key.isidentifier() for key in hints):
        return ""
    return f"annotations=ToolAnnotations({', '.join(f'{key}={value!r}' for key, value in hints.items())})"


def _with_null(schema: Any) -> tuple[dict[str, Any], bool] | None:
    """The keywords of a value, and true if it may also be null; ``None`` for a union of other types."""
    if not isinstance(schema, dict) or "anyOf" not in schema:
        return (schema, False) if isinstance(schema, dict) else None
    branches = schema["anyOf"] if isinstance(schema["anyOf"], list) else []
    values = [one for one in branches if one != {"type": "null"}]
    if len(values) != 1 or len(branches) != 2 or not isinstance(values[0], dict):
        return None
    return {**{key: value for key, value in schema.items() if key != "anyOf"}, **values[0]}, True


def _annotated(annotation: ast.expr, added: Mapping[str, Any], *, null: bool) -> str | None:
    """The source code of the annotation."""
    kept: list[ast.expr] = []
    if isinstance(annotation, ast.Subscript) and _named(annotation.value, "Annotated"):
        annotation, *kept = getattr(annotation.slice, "elts", [annotation])
    plain, optional = _plain(annotation)
    keywords = {_FIELD[key]: value for key, value in added.items() if key in _FIELD}
    if plain not in ("str", "int", "float") or (null and optional):
        return None
    if "enum" in added:
        if plain != "str" or keywords:
            return None
        plain = f"Literal[{', '.join(_text(value) for value in added['enum'] if value is not None)}]"
    if keywords and kept:
        field = kept[0]
        if not isinstance(field, ast.Call) or not _named(field.func, "Field"):
            return None
        if {None, *keywords} & {one.arg for one in field.keywords}:
            return None
        made = read_python_expression(f"Field({_arguments(keywords)})")
        field.keywords[:0] = getattr(made, "keywords", ())
    elif keywords:
        plain = f"Annotated[{plain}, Field({_arguments(keywords)})]"
    plain = f"{plain} | None" if optional or null else plain
    return f"Annotated[{plain}, {', '.join(map(ast.unparse, kept))}]" if kept else plain


def _named(expression: ast.expr, name: str) -> bool:
    return ast.unparse(expression).rpartition(".")[2] == name


def _plain(annotation: ast.expr) -> tuple[str, bool]:
    """The name of a type without null, and true if there was a null; empty for anything else."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        if isinstance(annotation.right, ast.Constant) and annotation.right.value is None:
            return _plain(annotation.left)[0], True
    elif isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
        if annotation.value.id == "Optional":
            return _plain(annotation.slice)[0], True
    elif isinstance(annotation, ast.Name):
        return annotation.id, False
    return "", False


def _text(value: Any) -> str:
    """A value as Python code, in the usual quotes."""
    if isinstance(value, str) and value.isprintable() and not set(value) & {'"', "\\"}:
        return f'"{value}"'
    return repr(value)


def _arguments(keywords: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_raw(value) if key == 'pattern' else _text(value)}" for key, value in keywords.items())


def _raw(pattern: str) -> str:
    if '"' in pattern or not pattern.isprintable() or pattern.endswith("\\"):
        raise ValueError(pattern)
    return f'r"{pattern}"'
