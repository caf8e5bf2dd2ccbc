"""A corrected argument as a Python parameter: what is printed gives the corrected schema, or nothing is printed."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.checking.fix_plan import annotations_hint, parameter_hint
from mcp_governor.target.discover.tool_source import Parameter

TEXT, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
ENUM = {"enum": ["a", "b"]}
LIMITS = {"minimum": 1, "maximum": 50}


def hint(annotation: str, default: str, before: Any, after: Any) -> str:
    return parameter_hint("x", Parameter(1, annotation, default), before, after)


def nullable(branch):
    return {"anyOf": [branch, NULL], "default": None}


RIGHT = [
    ("str", "", TEXT, {**TEXT, **ENUM}, 'x: Literal["a", "b"]'),
    ("str", "'a'", TEXT, {**TEXT, **ENUM}, 'x: Literal["a", "b"] = \'a\''),
    ("str | None", "None", nullable(TEXT), nullable({**TEXT, **ENUM}), 'x: Literal["a", "b"] | None = None'),
    ("Optional[str]", "None", nullable(TEXT), nullable({**TEXT, **ENUM}), 'x: Literal["a", "b"] | None = None'),
    ("int", "10", INTEGER, {**INTEGER, **LIMITS}, "x: Annotated[int, Field(ge=1, le=50)] = 10"),
    (
        "Annotated[str, Field(description='d')]",
        "",
        TEXT,
        {**TEXT, **ENUM},
        'x: Annotated[Literal["a", "b"], Field(description=\'d\')]',
    ),
    (
        "Annotated[int | None, Field(description='d')]",
        "None",
        nullable(INTEGER),
        nullable({**INTEGER, **LIMITS}),
        "x: Annotated[int | None, Field(ge=1, le=50, description='d')] = None",
    ),
    (
        "int | None",
        "None",
        nullable(INTEGER),
        nullable({**INTEGER, **LIMITS}),
        "x: Annotated[int, Field(ge=1, le=50)] | None = None",
    ),
    ("str", "", TEXT, {**TEXT, "pattern": r"^\d+$"}, r'x: Annotated[str, Field(pattern=r"^\d+$")]'),
    ("str", "None", {**TEXT, "default": None}, nullable(TEXT), "x: str | None = None"),
    ("str", "None", {**TEXT, "default": None}, nullable({**TEXT, **ENUM}), 'x: Literal["a", "b"] | None = None'),
    ("str", "", TEXT, {**TEXT, "enum": ['say "a"', "b\\"]}, "x: Literal['say \"a\"', 'b\\\\']"),
]


@pytest.mark.parametrize(("annotation", "default", "before", "after", "expected"), RIGHT)
def test_the_annotation_of_the_source_is_kept_as_far_as_it_goes(annotation, default, before, after, expected):
    assert hint(annotation, default, before, after) == expected


@pytest.mark.parametrize(
    ("annotation", "default", "before", "after"),
    [
        ("", "", TEXT, {**TEXT, **ENUM}),  # nothing to change
        ("Mode", "", TEXT, {**TEXT, **ENUM}),  # a class of their own
        ("dict[str, str]", "", TEXT, {**TEXT, **ENUM}),
        ("list[str]", "", {"type": "array"}, {"type": "array", **ENUM}),
        ("float", "", {"type": "number"}, INTEGER),
        ("int | str", "", TEXT, {**TEXT, **ENUM}),
        ("Annotated[str, Field(max_length=5)]", "", TEXT, {**TEXT, "maxLength": 4}),  # it says so already
        ("str", "Field(max_length=5)", TEXT, {**TEXT, "maxLength": 4}),
        ("Annotated[str, Field(**options)]", "", TEXT, {**TEXT, "maxLength": 4}),
        ("str", "", TEXT, {**TEXT, "format": "uri"}),
        ("str", "", TEXT, {**TEXT, "default": "a"}),
        ("str", "", TEXT, {**TEXT, "pattern": '^"$'}),
        ("str", "", {**TEXT, "description": "old"}, {**TEXT, **ENUM}),
        ("str", "", TEXT, {**TEXT, "enum": [f"value-{n}" for n in range(100)]}),  # better a class
        ("(" * 300, "", TEXT, {**TEXT, **ENUM}),
        ("str", "", None, {**TEXT, **ENUM}),
    ],
)
def test_where_it_is_not_sure_nothing_is_printed(annotation, default, before, after):
    assert hint(annotation, default, before, after) == ""


def test_hints_are_an_argument_of_the_decorator():
    assert annotations_hint({"readOnlyHint": True}) == "annotations=ToolAnnotations(readOnlyHint=True)"
    assert annotations_hint({"x)": True}) == ""
