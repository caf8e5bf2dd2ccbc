"""The table of default verdicts in docs/changes.md, each line with its option, and its neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compatibility_page import surface_of

from mcp_governor.change import (
    CHARTER_OPEN_ENUMS,
    ChangeOptions,
    Level,
    Side,
    Verdict,
    catalogue,
    compare,
    option_schemas,
    options_from,
)
from tests.change.conftest import Comparer

STR, INT = {"type": "string"}, {"type": "integer"}
B, C = Verdict.BREAKING, Verdict.COMPATIBLE
IN, OUT = Side.INPUT, Side.OUTPUT


def obj(**more: Any) -> dict[str, Any]:
    return {"type": "object", **more}


def args(*names: str, **more: Any) -> dict[str, Any]:
    return obj(properties=dict.fromkeys(names, STR), **more)


CLOSED: dict[str, Any] = {"additionalProperties": False}
OPEN: dict[str, Any] = {"additionalProperties": True}

# the kind, whose example in the catalogue changes by its own verdict → option, verdict under the option
EXAMPLES: list[tuple[str, dict[str, Any], Verdict]] = [
    ("argument-removed", {"argument_removed": "compatible"}, C),
    ("input-closed", {"input_closed": "breaking"}, B),
    ("output-opened", {"closed_output": "breaking"}, B),
    ("output-field-removed", {"optional_field_removed": "compatible"}, C),
    ("output-enum-value-added", {"output_enum_value_added": "compatible"}, C),
    ("output-enum-value-added", {"open_enums": ("x",)}, C),
    ("default-changed", {"default_changed": "compatible"}, C),
    ("default-added", {"default_presence": "breaking"}, B),
    ("default-removed", {"default_presence": "breaking"}, B),
    ("format-added", {"assert_formats": True}, B),
    ("output-format-removed", {"assert_formats": True}, B),
    ("hint-less-safe", {"hint_less_safe": "compatible"}, C),
    ("capabilities-changed", {"capabilities": "breaking"}, B),
]


@pytest.mark.parametrize(("name", "option", "verdict"), EXAMPLES)
def test_the_option_of_a_kind(name: str, option: dict[str, Any], verdict: Verdict) -> None:
    kind = catalogue()[name]
    assert kind.example is not None
    old, new = surface_of(kind, kind.example.old), surface_of(kind, kind.example.new)
    for options, expected in ((ChangeOptions(), kind.verdict), (ChangeOptions(**option), verdict)):
        assert [(change.kind, change.verdict) for change in compare(old, new, options=options)] == [(name, expected)]


# name → side, old, new, kind, verdict, option, verdict under the option
CHARGED = {"a": STR, "b": {**INT, "default": 1}}
LINES: dict[str, tuple[Side, Any, Any, str, Verdict, dict[str, Any], Verdict]] = {
    "argument removed, closed": (
        *(IN, args("a", "b", **CLOSED), args("a", **CLOSED)),
        *("argument-removed", B, {"argument_removed": "compatible"}, B),
    ),
    "explicit true to false": (
        *(IN, args("a", **OPEN), args("a", **CLOSED)),
        *("input-closed", B, {"declared_openness_closed": "compatible"}, C),
    ),
    # the schema itself says what callers may send
    "a schema to false": (
        *(IN, args("a", additionalProperties=INT), args("a", **CLOSED)),
        *("input-closed", B, {"declared_openness_closed": "compatible"}, B),
    ),
    "explicit true to a schema": (
        *(IN, args("a", **OPEN), args("a", additionalProperties=INT)),
        *("extra-values-tightened", B, {"declared_openness_closed": "compatible"}, C),
    ),
    "field added to a closed output": (
        *(OUT, args("a", **CLOSED), args("a", "b", **CLOSED)),
        *("output-field-added", C, {"closed_output": "breaking"}, B),
    ),
    "required output field removed": (
        *(OUT, args("a", "b", required=["b"]), args("a")),
        *("output-field-removed", B, {"optional_field_removed": "compatible"}, B),
    ),
    "default from null": (
        *(IN, obj(properties={"a": {"default": None}}), obj(properties={"a": {"default": 5}})),
        *("default-changed", B, {"default_changed": "compatible"}, C),
    ),
    "media type changed": (
        IN,
        *(obj(properties={"a": {**STR, "contentEncoding": name}}) for name in ("base64", "base16")),
        *("format-changed", C, {"assert_formats": True}, B),
    ),
    "required argument added with a default": (
        *(IN, args("a"), obj(properties=CHARGED, required=["b"])),
        *("required-argument-added", B, {"required_with_default": "compatible"}, C),
    ),
    "argument with a default becomes required": (
        *(IN, obj(properties=CHARGED), obj(properties=CHARGED, required=["b"])),
        *("argument-required", B, {"required_with_default": "compatible"}, C),
    ),
}


# An omitted boolean is false to most servers; what an omitted number or word is, nobody can tell.
FLIPS: dict[str, tuple[dict[str, Any], dict[str, Any], Verdict]] = {
    "true comes": ({}, {"default": True}, B),
    "true goes": ({"default": True}, {}, B),
    "false comes": ({}, {"default": False}, C),
    "false goes": ({"default": False}, {}, C),
    "the description said so": ({"description": "Opens the loop. Defaults to true."}, {"default": True}, C),
    "the description says so now": ({"default": True}, {"description": "Opens it (true by default)."}, C),
    "the description said the contrary": ({"description": "Default: false."}, {"default": True}, B),
    "the description says it of another value": ({"description": "If true, opens it."}, {"default": True}, B),
    "a word": ({}, {"default": "fast"}, C),
    "one": ({}, {"default": 1}, C),
}


@pytest.mark.parametrize("line", FLIPS)
def test_a_default_that_flips_a_decision(comparer: Comparer, line: str) -> None:
    before, after, verdict = FLIPS[line]
    old, new = (obj(properties={"a": {"type": ["boolean", "string", "integer"], **one}}) for one in (before, after))
    found = comparer.schemas(old, new, IN, default_presence="flips")
    assert [change.verdict for change in found if change.kind.startswith("default-")] == [verdict]


def test_a_tool_without_arguments_may_be_closed(comparer: Comparer) -> None:
    """The specification advises it, and no caller passes anything to such a tool."""
    [change] = comparer.schemas(obj(), obj(**CLOSED), IN, input_closed="breaking")
    assert (change.kind, change.verdict) == ("input-closed", C)


@pytest.mark.parametrize("line", LINES)
def test_the_default_and_the_option(comparer: Comparer, line: str) -> None:
    side, old, new, kind, verdict, option, otherwise = LINES[line]
    [change] = comparer.schemas(old, new, side)
    assert (change.kind, change.verdict) == (kind, verdict)
    changes = comparer.schemas(old, new, side, **option)
    assert [(change.kind, change.verdict) for change in changes] == [(kind, otherwise)]


HINTS = {
    "read-only dropped": ({"readOnlyHint": True}, {}, True),
    "read-only gained": ({}, {"readOnlyHint": True}, False),
    "destructive": ({"destructiveHint": False}, {"destructiveHint": True}, True),
    "no longer destructive": ({}, {"destructiveHint": False}, False),
    "idempotent lost": ({"idempotentHint": True}, {"idempotentHint": False}, True),
    "open world": ({"openWorldHint": False}, {}, True),
    "closed world": ({}, {"openWorldHint": False}, False),
}


@pytest.mark.parametrize("name", HINTS)
def test_hints_resolved_to_their_defaults(comparer: Comparer, name: str) -> None:
    old, new, less_safe = HINTS[name]
    [change] = comparer.tools({"annotations": old}, {"annotations": new})
    assert (change.kind, change.verdict) == (("hint-less-safe", B) if less_safe else ("hint-safer", C))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}),
        ({"readOnlyHint": True}, {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}),
        ({"readOnlyHint": "yes"}, {}),
    ],
)
def test_hints_that_say_the_default_are_not_a_change(comparer: Comparer, old: Any, new: Any) -> None:
    assert comparer.tools({"annotations": old}, {"annotations": new}) == []


def test_open_enums_are_found_through_references(comparer: Comparer) -> None:
    def schema(*kinds: str) -> dict[str, Any]:
        return {
            **obj(
                properties={
                    "error": {"anyOf": [{"$ref": "#/$defs/ToolError"}, {"type": "null"}]},
                    "degradation_reason": {"$ref": "#/$defs/Reason"},
                }
            ),
            "$defs": {
                "Kind": {"type": "string", "enum": list(kinds)},
                "Reason": {"type": "string", "enum": list(kinds)},
                "ToolError": obj(properties={"kind": {"$ref": "#/$defs/Kind"}}),
            },
        }

    old, new = schema("a"), schema("a", "b")
    changes = comparer.schemas(old, new, OUT)
    assert [(change.path, change.verdict) for change in changes] == [
        ("/outputSchema/$defs/Kind/enum", B),
        ("/outputSchema/$defs/Reason/enum", B),
    ]
    for names in (CHARTER_OPEN_ENUMS, ("Kind", "Reason"), ("/outputSchema/$defs/*",)):
        assert {change.verdict for change in comparer.schemas(old, new, OUT, open_enums=names)} == {C}
    changes = comparer.schemas(old, new, OUT, open_enums=("kind",))
    assert [change.verdict for change in changes] == [B, C]


# level strict: pure set inclusion over open objects
STRICT: dict[str, tuple[Side, Any, Any, str, Verdict]] = {
    "a typed optional argument on an open object": (IN, args("a"), args("a", "b"), "undeclared-key-restricted", B),
    "absent to false": (IN, args("a"), args("a", **CLOSED), "input-closed", B),
    "a field of a closed output": (OUT, args("a", **CLOSED), args("a", "b", **CLOSED), "output-field-added", B),
    "a field where others were typed": (
        OUT,
        obj(additionalProperties=STR),
        obj(properties={"n": {"type": "integer"}}, additionalProperties=STR),
        "output-undeclared-key-widened",
        B,
    ),
    "a field of an output that was closed beside a pattern": (
        OUT,
        obj(patternProperties={"^x": STR}, **CLOSED),
        obj(properties={"n": STR}, patternProperties={"^x": STR}, **CLOSED),
        "output-field-added",
        B,
    ),
    "closed output opened": (OUT, args("a", **CLOSED), args("a"), "output-opened", B),
    "argument removed": (IN, args("a", "b"), args("a"), "argument-removed", B),
}


@pytest.mark.parametrize("name", STRICT)
def test_the_strict_level(comparer: Comparer, name: str) -> None:
    side, old, new, kind, verdict = STRICT[name]
    [change] = comparer.schemas(old, new, side, level=Level.STRICT)
    assert (change.kind, change.verdict, change.level) == (kind, verdict, Level.STRICT)


def test_options_in_the_configuration_spelling() -> None:
    schemas = option_schemas()
    assert schemas["closed-output"]["enum"] == ["breaking", "compatible"]
    assert schemas["closed-output"]["default"] == "compatible"
    assert schemas["open-enums"]["type"] == "array"
    assert schemas["assert-formats"]["type"] == "boolean"
    options = options_from(
        {"closed-output": "breaking", "open-enums": ["kind"], "zero-policy": "strict"}, open_enums=("*/reason",)
    )
    assert options.closed_output == "breaking"
    assert options.open_enums == ("kind", "*/reason")
    assert options.input_closed == "compatible"


def test_the_page_has_a_line_for_each_option() -> None:
    page = (Path(__file__).parents[2] / "docs" / "changes.md").read_text("utf-8")
    table = page.partition("## What a schema cannot settle")[2].partition("\n## ")[0]
    options = set(ChangeOptions.__struct_fields__) - {"deadline", "tool_deadline", "run_deadline"}
    assert {name for name in options if f"`{name.replace('_', '-')}`" not in table} == set()
