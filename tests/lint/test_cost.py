"""Nothing that a server or a rule says makes the linter crash or run without end: it takes time linear in the size."""

from __future__ import annotations

import time

import pytest

from mcp_governor.rules import LintSettings, load_catalogue
from mcp_governor.rules.run import lint
from mcp_governor.schemas.cost import AFFORDABLE, Evaluations, effort
from mcp_governor.schemas.references import Document
from mcp_governor.surface import build_surface


def nested(depth):
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    return value


TREE = {"$ref": "#/$defs/n"}
TREES = {"$defs": {"n": {"additionalProperties": {"$ref": "#/$defs/n"}}}}
TWICE = {"$defs": {"n": {"additionalProperties": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}}
CHAIN = {
    "$defs": {
        **{f"n{i}": {"anyOf": [{"$ref": f"#/$defs/n{i + 1}"}, {"$ref": f"#/$defs/n{i + 1}"}]} for i in range(40)},
        "n40": {"type": "null"},
    }
}


def evaluated(schema, root):
    found = Evaluations(Document(root), AFFORDABLE + 1)
    return found.of(schema, ""), found.recursive


def test_evaluations_are_counted_by_hand():
    # The object itself, two properties, and one item schema.
    schema = {"properties": {"a": {"type": "string"}, "b": {"items": {"type": "integer"}}}}
    assert evaluated(schema, schema) == (4, False)
    # A definition counts where it is referred to, and only there.
    shared = {"$defs": {"s": {"type": "string"}, "t": {}}, "anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}]}
    assert evaluated(shared, shared) == (5, False)
    named = {"$defs": {"s": {"$anchor": "s", "type": "string"}}, "anyOf": [{"$ref": "#s"}, {"$ref": "#s"}]}
    assert evaluated(named, named) == (5, False)
    assert evaluated({"$ref": "#/$defs/n0"}, CHAIN) == (AFFORDABLE + 1, False)
    # The reference, the definition, and the reference in it, which leads back.
    assert evaluated(TREE, TREES) == (4, True)


@pytest.mark.parametrize(
    ("schema", "root", "value", "expected"),
    [
        ({"type": "string"}, {}, "a", True),
        (TREE, TREES, nested(3), True),
        (TREE, TWICE, nested(2), True),
        (TREE, TWICE, nested(60), False),
        ({"$ref": "#/$defs/n0"}, CHAIN, None, False),
        ({"$dynamicRef": "#a"}, {}, 1, False),
        ({"$ref": "#/gone"}, {}, 1, True),
        (True, {}, 1, True),
        ({"items": {"type": "integer"}}, {}, [1] * 1000, True),
    ],
)
def test_what_is_affordable(schema, root, value, expected):
    assert effort(schema, Document(root), value).affordable is expected


@pytest.mark.parametrize(("root", "start", "default"), [(TWICE, "n", nested(60)), (CHAIN, "n0", {})])
@pytest.mark.parametrize("profile", load_catalogue(entry_points=False).profiles)
def test_a_hostile_default_does_not_hang(root, start, default, profile):
    argument = {"$ref": f"#/$defs/{start}", "default": default, "examples": [default], "description": "One of: a, b"}
    schema = {"type": "object", "properties": {"x": argument, "cursor": argument, "path": argument}, **root}
    tools = [{"name": "a", "inputSchema": schema, "outputSchema": schema}]
    settings = LintSettings(profiles=(profile,), personas=("regular", "pedantic"))
    found = lint(build_surface({"tools": tools}), settings)
    assert not [finding for finding in found if finding.rule in ("clarity/default-valid", "clarity/examples-valid")]


def test_references_in_a_circle_end():
    loop = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"oneOf": [{"$ref": "#/$defs/a"}]}}}
    argument = {"$ref": "#/$defs/a", "description": "(string) One of: a, b", "default": None}
    tool = {"name": "a", "inputSchema": {"type": "object", "properties": {"x": argument, "path": argument}, **loop}}
    assert lint(build_surface({"tools": [tool]}), LintSettings(profiles=("schema-md",))) is not None
    assert lint(build_surface({"tools": [tool]}), LintSettings(profiles=("recommended", "omni"))) is not None


def test_a_default_behind_a_recursive_definition_is_still_judged():
    argument = {"$ref": "#/$defs/n", "default": {"a": "text"}}
    definition = {"type": "object", "additionalProperties": {"$ref": "#/$defs/n"}}
    tool = {"name": "a", "inputSchema": {"properties": {"x": argument}, "$defs": {"n": definition}}}
    (found,) = lint(build_surface({"tools": [tool]}), LintSettings(select=("clarity/default-valid",)))
    assert found.path == "/inputSchema/properties/x/default"


def test_what_descriptions_may_quote_is_collected_once_for_a_tool():
    """It was collected anew for each parameter with a format: 3,000 of them took 13 s."""
    properties = {
        f"site_{number}_ref": {"type": "string", "description": f"Id {number}: must start with 'cus_'"}
        for number in range(3_000)
    }
    tool = {"name": "get_site", "inputSchema": {"type": "object", "properties": properties}}
    surface = build_surface({"tools": [tool]})
    started = time.process_time()
    found = lint(surface, LintSettings(select=("clarity/missing-format",)))
    assert "2,000 more" in found[0].message  # a thousand are written out
    assert time.process_time() - started < 5


def _needy(count: int) -> dict:
    """Each parameter needs the next one, "URL" among them."""
    said = {
        f"field_{number}": f"Name {number} of it. Required if field_{number + 1} is given." for number in range(count)
    }
    said = {**said, "url": "Where it is.", "proxy": "Required if URL is given."}
    properties = {name: {"type": "string", "description": text} for name, text in said.items()}
    return {"name": "a", "inputSchema": {"type": "object", "properties": properties}}


def test_parameters_are_not_sought_in_the_description_of_each_other():
    """Of 5,000 parameters, each was sought in each description, four times: 13 s."""
    surface = build_surface({"tools": [_needy(5_000)]})
    started = time.process_time()
    (found,) = lint(surface, LintSettings(select=("clarity/argument-dependencies",)))
    assert time.process_time() - started < 5
    assert '`field_0`: "Required if field_1 is given."' in found.message


def findings(*tools):
    return lint(build_surface({"tools": list(tools)}), LintSettings())


def tool(properties, description="Fetch an otter.", **more):
    schema = {"type": "object", "properties": properties}
    return {"name": "fetch_otter", "description": description, "inputSchema": schema, **more}


@pytest.mark.parametrize("odd", [True, 5, "a", {"a": 1}, [5, None, "a"]])
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "description": "The otter to fetch", "items": {"type": "object"}},
        {"type": "object", "description": 'The otter, {"pelt": "brown"}'},
    ],
)
def test_unions_that_are_no_lists_of_schemas(schema, keyword, odd):
    findings(tool({"otter": {**schema, keyword: odd}}))
    if "items" in schema:
        findings(tool({"otter": {**schema, "items": {"type": "object", keyword: odd}}}))


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf", "$ref"])
def test_a_quantity_of_a_definition_that_is_referred_to_oddly(keyword):
    width = {"type": "object", "properties": {"width": {"type": "number", "description": "Width of the pelt"}}}
    made = tool({"otter": {"$ref": "#/$defs/pelt"}, "pelt": {keyword: ["#/$defs/pelt"]}, "old": {keyword: True}})
    made["inputSchema"]["$defs"] = {"pelt": width}
    findings(made)


@pytest.mark.parametrize("odd", [[], ["date"], {"date": 1}, None, 5])
def test_a_format_that_is_no_string(odd):
    findings(tool({"day": {"type": "string", "format": odd, "description": "Day of the feeding, as YYYY-MM-DD"}}))


def test_names_of_many_capitals_are_read_once():
    findings(tool({"a" + "A" * 60 + ".": {"type": "string"}, "p" * 30_000: {"type": "string"}}))
