"""The run itself: what is reported where, what is new, and that no surface can crash it."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mcp_governor.findings import Finding
from mcp_governor.prose.mentions import NameIndex
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.rules.finding import fill
from mcp_governor.rules.run import lint, run_rules
from mcp_governor.subjects.context import schema_nodes
from mcp_governor.surface import build_surface
from mcp_governor.text import visible

EVERYTHING = [
    select(LintSettings(select=tuple(rule.id for rule in load_catalogue() if rule.pack == pack)))
    for pack in load_catalogue(entry_points=False).packs
    if any(rule.station == "lint" for rule in load_catalogue().packs[pack])
]


def tool(name="a", description="Returns x.", **more):
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


def test_findings_come_by_tool_then_rule_then_place():
    surface = build_surface({"tools": [tool("b"), tool("a"), 7]})
    found = lint(surface, LintSettings(select=("charter/use-this-when", "charter/composition", "spec/*")))
    assert [(f.tool, f.rule) for f in found] == [
        (None, "spec/tool-object"),
        ("b", "charter/composition"),
        ("b", "charter/use-this-when"),
        ("a", "charter/composition"),
        ("a", "charter/use-this-when"),
    ]


def test_the_same_surface_gives_the_same_findings():
    surface = build_surface({"tools": [tool("b"), tool("a")]})
    assert lint(surface) == lint(surface)


def test_a_finding_is_identified_by_its_value_not_by_its_words():
    chosen = LintSettings(select=("clarity/length",))
    strings = ("x" * 2_049, "y" * 2_049)
    one, other = (lint(build_surface({"tools": [tool(description=text)]}), chosen)[0] for text in strings)
    assert one.message == other.message
    assert one.rule == other.rule
    assert one.id != other.id


def test_server_words_in_messages_are_safe():
    surface = build_surface({"tools": [tool("evil\x1b[31m\u202e", "x\x1b")]})
    for found in lint(surface, LintSettings(select=("charter/*", "clarity/*", "hygiene/*", "spec/*"))):
        assert (found.message + found.fix).isprintable()


def test_only_what_is_new_is_reported_against_a_baseline():
    old = build_surface({"tools": [tool("a"), tool("b")]})
    new = build_surface({"tools": [tool("b", "Returns y."), tool("a"), tool("c")]})
    chosen = LintSettings(select=("charter/use-this-when",))
    assert [f.tool for f in lint(new, chosen, baseline=old)] == ["b", "c"]
    assert lint(old, chosen, baseline=old) == []


def described(name, **arguments):
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in arguments}}
    return tool(name, "Finds things.", inputSchema=schema)


def test_an_old_finding_in_a_tool_that_changed_is_not_new():
    old, new = (
        build_surface({"tools": [described("a", **arguments)]})
        for arguments in ({"text_style": 1}, {"text_style": 1, "start_mode": 1})
    )
    chosen = LintSettings(select=("clarity/parameter-described",))
    assert [f.path for f in lint(new, chosen)] == [
        "/inputSchema/properties/start_mode",
        "/inputSchema/properties/text_style",
    ]
    assert [f.path for f in lint(new, chosen, baseline=old)] == ["/inputSchema/properties/start_mode"]


def test_a_finding_that_a_new_tool_causes_in_an_old_one_is_new():
    chosen = LintSettings(select=("spec/tool-name-unique",))
    old, new = (build_surface({"tools": [tool("a")] * count}) for count in (1, 2))
    assert [f.rule for f in lint(new, chosen, baseline=old)] == ["spec/tool-name-unique"]


def test_findings_about_the_surface_are_new_only_where_the_baseline_lacks_them():
    old = build_surface({"serverInfo": {"name": "s", "version": "1"}, "tools": []})
    new = build_surface({"serverInfo": {"name": 1, "version": "1"}, "tools": []})
    chosen = LintSettings(select=("spec/server-info",))
    assert [f.path for f in lint(new, chosen, baseline=old)] == ["/serverInfo/name"]


def test_a_property_called_like_a_keyword_is_not_a_keyword():
    schema = {
        "type": "object",
        "properties": {
            "properties": {"type": "object", "properties": {"default": {"type": "string"}}},
            "items": {"type": "string"},
            "default": {"type": "integer"},
        },
    }
    nodes = schema_nodes(build_surface({"tools": [tool(inputSchema=schema)]}).tools[0])
    arguments = {node.pointer: node.argument for node in nodes}
    assert arguments["/inputSchema/properties/properties"] == "properties"
    assert arguments["/inputSchema/properties/properties/properties/default"] == "default"
    assert arguments["/inputSchema/properties/items"] == "items"
    assert arguments["/inputSchema"] is None


def test_nodes_come_in_the_order_of_the_document():
    schema = {"type": "object", "properties": {"b": {"items": {}}, "a": {}}, "$defs": {"c": {}}}
    nodes = schema_nodes(build_surface({"tools": [tool(inputSchema=schema)]}).tools[0])
    assert [node.tokens for node in nodes] == [
        (),
        ("properties", "b"),
        ("properties", "b", "items"),
        ("properties", "a"),
        ("$defs", "c"),
    ]


def test_templates_know_only_their_named_values():
    assert fill("{a} {b.c} {d!r} {missing}", {"a": "x\n\x1by"}) == "x \\x1by {b.c} {d!r} {missing}"
    assert fill("{a} {b}", {"a": ["x", "y"], "b": {"k": 1}}) == 'x, y {"k": 1}'


HOSTILE = [
    " " * 60_000 + "x",
    "(string" + " " * 60_000 + "x",
    "options" + " " * 60_000 + "x",
    "default " + "1" * 60_000,
    "max" + " " * 60_000,
    "eyJ-" * 15_000,
    "sk-" * 20_000,
    "\n " * 30_000 + "x",
    "ignore" + " " * 60_000,
    "must" + " " * 60_000,
    "<system " * 10_000,
    "a->" * 20_000,
    "`" * 60_000 + "->",
    "must be " + "'a'," * 15_000,
    "a." * 30_000,
    "A" * 60_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8].strip() or "blanks")
def test_no_text_makes_a_rule_slow(text):
    # Quadratic patterns would keep this busy for minutes; the suite would be seen to hang.
    schema = {
        "type": "object",
        "properties": {
            kind: {"type": kind, "default": 1, "maximum": 3, "enum": ["a"], "description": text}
            for kind in ("string", "integer", "array")
        },
    }
    document = {"instructions": text, "tools": [tool("a", text, inputSchema=schema, title=text), tool("b_c", text)]}
    surface = build_surface(document)
    for selection in EVERYTHING:
        run_rules(surface, selection)


words = st.text(max_size=6) | st.sampled_from(
    ["$ref", "type", "properties", "default", "enum", "#/$defs/a", "\ud800", "a"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | words,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(words, below, max_size=4),
    max_leaves=10,
)
KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "default",
    "examples",
    "$ref",
    "$defs",
    "anyOf",
    "allOf",
    "not",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "additionalProperties",
    "patternProperties",
    "description",
    "title",
    "x-mcp-header",
    "$schema",
    "$id",
    "$anchor",
    "const",
]
schemas = st.recursive(
    values,
    lambda below: st.dictionaries(
        st.sampled_from(KEYWORDS),
        below | st.dictionaries(words, below, max_size=2) | st.lists(below, max_size=2),
        max_size=5,
    ),
    max_leaves=12,
)
tools = values | st.fixed_dictionaries(
    {},
    optional={
        "name": words | values,
        "title": values,
        "description": words | values,
        "inputSchema": schemas,
        "outputSchema": schemas,
        "annotations": st.dictionaries(st.sampled_from(["readOnlyHint", "destructiveHint", "title"]), values),
        "_meta": st.dictionaries(st.sampled_from(["dev.mcp-governor/ignore", "tier", "side_effects", "a/b"]), values),
        "icons": values,
    },
)
recordings = st.fixed_dictionaries(
    {"tools": st.lists(tools, max_size=3)},
    optional={
        "prompts": values,
        "resources": values,
        "resourceTemplates": values,
        "serverInfo": values,
        "capabilities": values,
        "protocolVersion": st.sampled_from(["2024-11-05", "2026-07-28"]) | values,
        "instructions": words | values,
        "listings": values | st.dictionaries(st.sampled_from(["tools", "discover"]), values),
        "conversation": values | st.dictionaries(st.sampled_from(["noise", "requests", "failedLists"]), values),
        "ttlMs": values,
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example({"tools": [{"name": "0"}]})
@example({"tools": [{"name": "0", "inputSchema": {"properties": {"\ud800": None}}}]})
@given(recordings)
def test_no_surface_can_crash_a_rule(recording):
    surface = build_surface(json.loads(json.dumps(recording)))
    for selection in EVERYTHING:
        for found in run_rules(surface, selection):
            assert isinstance(found, Finding)
            assert found.id
            assert visible(found.message) == found.message


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (["get_x"], "Call get_x.", ["get_x"]),
        (["get_x"], "`get_x` → (get_x)", ["get_x", "get_x"]),
        (["get_x"], "get_x_all, my.get_x, pre-get_x", []),
        (["get_x"], "Get_X", []),
        (["a.b-c"], "use a.b-c.", ["a.b-c"]),
        (["my tool", "my"], "run my tool now", ["my", "my tool"]),
        (["météo"], "appelle météo", ["météo"]),
        (["@x/y"], "see @x/y!", ["@x/y"]),
        (["x"], "", []),
    ],
)
def test_names_are_found_as_whole_identifiers(names, text, found):
    assert sorted(name for _, name in NameIndex(names).mentions(text)) == sorted(found)
