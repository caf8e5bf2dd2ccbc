"""The engine asks a check only about schemas in its scope, and no finding is lost that way."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings, load_catalogue, run, select
from mcp_governor.rules.rule import Rule
from mcp_governor.rules.run import run_rules
from mcp_governor.subjects.context import Context, Facts, about
from mcp_governor.surface import build_surface

CATALOGUE = load_catalogue(entry_points=False)
ON_SCHEMAS = [
    rule for rule in CATALOGUE if rule.station == "lint" and rule.on in ("schema", "input", "output") and rule.fails
]
PROPERTIES = {
    "plain": {"type": "string"},
    "number": {"type": "integer", "default": 3},
    "either": {"type": "string", "anyOf": [{"type": "integer"}, {"type": "null"}]},
    "said": {"type": "string", "description": "A word."},
    "listed": {"type": "boolean"},
    "yes": True,
}
TOOL = {
    "name": "find",
    "description": "Finds it.\n\nArgs:\n    listed: to list it\n\nIt uses plain_words.",
    "inputSchema": {"type": "object", "properties": PROPERTIES},
}


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, {"", "plain", "number", "either", "anyOf/0", "anyOf/1", "said", "listed", "yes"}),
        ({"argument": True}, {"plain", "number", "either", "said", "listed"}),
        ({"keys": ["default", "description"]}, {"number", "said"}),
        ({"argument": True, "keys": ["anyOf", "properties"]}, {"either"}),
    ],
)
def test_a_check_is_asked_about_its_scope(given, asked):
    surface = build_surface({"tools": [TOOL]})
    facts = Facts(surface)

    @about(**given)
    def check(_node, _context):
        return ()

    plan = run._Plan({"input": [(None, check, Context({}, facts))]})
    found = {"/".join(map(str, node.tokens)) for node in facts.nodes(surface.tools[0]) if list(plan.checks(node))}
    assert {path.removeprefix("properties/").removeprefix("either/") for path in found} == asked


@pytest.mark.parametrize("rule", ON_SCHEMAS, ids=lambda rule: rule.id)
def test_no_finding_is_outside_the_scope(rule: Rule, monkeypatch):
    selection = select(LintSettings(select=(rule.id,)), CATALOGUE)
    surfaces = [build_surface(example.recording()) for example in (*rule.fails, *rule.passes)]
    within = [run_rules(surface, selection) for surface in surfaces]
    monkeypatch.setattr(run._Plan, "checks", lambda plan, node: [one for *_, one in plan._runners[node.side]])
    assert within == [run_rules(surface, selection) for surface in surfaces]
