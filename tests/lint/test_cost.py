"""Nothing that a server or a rule says makes the linter run without end."""

from __future__ import annotations

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
