"""The English of drafted entries: each kind of change as its author would tell it, and as `check` finds it told."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, draft, parse
from mcp_governor.findings import Severity
from mcp_governor.surface import Surface, build_surface, fingerprint

S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
ARRAY = {"type": "array", "items": S}
OBJECT = {"type": "object", "properties": {"a": S}}

FIELDS = [
    (S, {"type": ["string", "null"]}, "accepts more values for `f`: the type changed from string to string | null"),
    (S, I, "accepts different values for `f`: the type changed from string to integer"),
    (S, {**S, "maxLength": 5}, "accepts fewer values for `f`: the maximum length is now 5"),
    ({**ARRAY, "maxItems": 3}, ARRAY, "accepts more values for `f`: the maximum number of items is gone, was 3"),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}, "no longer accepts these values for `f`: `b`"),
    ({"enum": ["a"]}, {"enum": ["a", "b", "c"]}, "accepts additional values for `f`: `b` and `c`"),
    ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, "accepts `c` for `f`, and no longer `a`"),
    (S, {**S, "enum": ["a"]}, "accepts only these values for `f`: `a`"),
    ({**S, "enum": ["a"]}, S, "accepts any string for `f`, and not only `a`"),
    (S, {**S, "format": "date"}, "expects `f` in the format `date`"),
    ({**S, "format": "date"}, {**S, "format": "uri"}, "expects `f` in the format `uri`; it was `date`"),
    ({**OBJECT, "properties": {"a": S, "b": S}}, OBJECT, "no longer takes `f.b`"),
    (OBJECT, {**OBJECT, "required": ["a"]}, "now requires `f.a`"),
    ({**S, "default": "a"}, {**S, "default": "b"}, "uses `b` where `f` is omitted; it was `a`"),
    (S, {**S, "default": "b"}, "says that `f` defaults to `b`"),
    ({**S, "description": "x"}, {**S, "description": "y"}, "has a new description of `f`"),
]
RESULTS = [
    (S, {"type": ["string", "null"]}, "may return more values in `f`: the type changed from string to string | null"),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}, "no longer uses these values in `f`: `b`"),
    ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, "may return `c` in `f`, and no longer `a`"),
    (S, {**S, "enum": ["a"]}, "returns only these values in `f`: `a`"),
    (OBJECT, {**OBJECT, "properties": {"a": S, "b": S}}, "returns a new field `f.b`"),
    ({**OBJECT, "properties": {"a": S, "b": S}}, OBJECT, "no longer returns `f.b`"),
    ({**OBJECT, "required": ["a"]}, OBJECT, "may leave out `f.a`"),
    (S, {**S, "default": "b"}, "names `b` as the default of `f` in the result"),
]
META = {"deprecated": {"since": "1.0.0", "replacement": "keep"}}
LATER = {"deprecated": {"since": "1.0.0", "replacement": "keep", "sunset": "3.0.0"}}
TOOLS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"outputSchema": OBJECT}, "declares what it returns"),
    ({}, {"title": "T"}, "has a new title"),
    ({}, {"_meta": META}, "is deprecated; use `keep` instead"),
    ({"_meta": META}, {"_meta": LATER}, "stays deprecated until `3.0.0`; use `keep` instead"),
    ({"_meta": META}, {}, "is no longer deprecated"),
    (
        {"_meta": {"tier": "standard"}},
        {"_meta": {"tier": "advanced"}},
        "moves down from the tier `standard` to `advanced`",
    ),
    ({"_meta": {"category": "a"}}, {"_meta": {"category": "b"}}, "moves from the category `a` to `b`"),
    (
        {"annotations": {"readOnlyHint": True}},
        {"annotations": {"readOnlyHint": False}},
        "changes `readOnlyHint` from `true` to `false`",
    ),
]
PROMPT = {"name": "greet", "arguments": [{"name": "who"}]}
HOW = {"name": "how", "required": True}
BESIDE: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"prompts": [PROMPT]}, "Prompt `greet` is new."),
    (
        {"prompts": [PROMPT]},
        {"prompts": [{**PROMPT, "arguments": [{"name": "who"}, HOW]}]},
        "Argument `how` of prompt `greet` is new and required.",
    ),
    ({}, {"instructions": "b"}, "The `instructions` are new."),
    ({"capabilities": {"logging": {}}}, {}, "The server declares different `capabilities`: without `logging`."),
    (
        {"capabilities": {"tools": {}}},
        {"capabilities": {"tools": {"listChanged": True}}},
        "The server declares different `capabilities`: with `tools.listChanged`.",
    ),
]


def surface(version: str, tool: dict[str, Any], **next_to: Any) -> Surface:
    tools = [
        {"name": "keep", "inputSchema": {"type": "object"}},
        {"name": "it", "inputSchema": {"type": "object"}, **tool},
    ]
    return build_surface({"serverInfo": {"name": "s", "version": version}, "tools": tools, **next_to})


def reported(old: Surface, new: Surface) -> list[str]:
    """The drafted entries; the draft passes the check, and a second one has nothing to add."""
    changes = compare(old, new)
    names = {*old.by_name, *new.by_name}
    text = draft(
        parse("# Log\n\n## 1.0.0 (current)\n", "log.md"),
        changes,
        version="2.0.0",
        fingerprint=fingerprint(new),
        tools=names,
    )
    again = parse(text, "log.md")
    settings = ChangelogSettings(SchemaVersion("2.0.0", "the server"), old)
    found = check(again, new, changes, settings=settings)
    assert [finding.message for finding in found if finding.severity is not Severity.INFO] == []
    assert draft(again, changes, version="2.0.0", fingerprint=fingerprint(new), tools=names) == text
    return [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(("before", "after", "sentence"), FIELDS)
def test_arguments(before: Any, after: Any, sentence: str) -> None:
    old, new = ({"inputSchema": {"type": "object", "properties": {"f": schema}}} for schema in (before, after))
    assert reported(surface("1.0.0", old), surface("2.0.0", new)) == [f"`it` {sentence}."]


@pytest.mark.parametrize(("before", "after", "sentence"), RESULTS)
def test_results(before: Any, after: Any, sentence: str) -> None:
    old, new = ({"outputSchema": {"type": "object", "properties": {"f": schema}}} for schema in (before, after))
    assert reported(surface("1.0.0", old), surface("2.0.0", new)) == [f"`it` {sentence}."]


@pytest.mark.parametrize(("before", "after", "sentence"), TOOLS)
def test_tools(before: dict[str, Any], after: dict[str, Any], sentence: str) -> None:
    assert reported(surface("1.0.0", before), surface("2.0.0", after)) == [f"`it` {sentence}."]


@pytest.mark.parametrize(("before", "after", "sentence"), BESIDE)
def test_what_is_next_to_the_tools(before: dict[str, Any], after: dict[str, Any], sentence: str) -> None:
    assert reported(surface("1.0.0", {}, **before), surface("2.0.0", {}, **after)) == [sentence]
