"""The plan of fixes: each kind of correction, how they go together, and what is left out."""

from __future__ import annotations

import copy
import json

import pytest
from linted import linted

from mcp_governor.fixes.editing import ABSENT, fragment_of
from mcp_governor.fixes.plan import make_plan
from mcp_governor.fixes.proof import Prover
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.surface import build_surface

TEXT, INTEGER, NUMBER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "null"}
LARGE = 2**53 - 1


pytestmark = pytest.mark.usefixtures("unhurried")


def selection(*rules):
    return select(LintSettings(select=rules), load_catalogue(entry_points=False))


def planned(tools, *rules, **how):
    surface = build_surface({"tools": tools})
    chosen = selection(*rules)
    found = linted(surface, chosen)
    return make_plan(surface, chosen, found, **how), found, chosen


def tool(schema, name="find_rows", **more):
    return {"name": name, "description": "Finds rows.", "inputSchema": schema, **more}


def arguments(**properties):
    return {"type": "object", "properties": properties}


def corrected(argument, *rules, name="x"):
    """The one argument of a tool after the plan, and what the engine says of it."""
    plan, found, chosen = planned([tool(arguments(**{name: argument}))], *rules)
    assert found, "no finding to fix"
    assert linted(plan.surface, chosen) == []
    assert [finding.id for finding in plan.fixed] == [finding.id for finding in found]
    assert plan.withheld == ()
    (fix,) = plan.fixes
    return fix.after, fix.proof.verdict, None if fix.proof.witness is ABSENT else fix.proof.witness


@pytest.mark.parametrize(
    ("rule", "name", "before", "after", "verdict"),
    [
        ("closed-list", "mode", TEXT, {**TEXT, "enum": ["fast", "slow"]}, "narrower"),
        (
            "closed-list",
            "mode",
            {**TEXT, "default": ""},
            {**TEXT, "default": "", "enum": ["fast", "slow", ""]},
            "narrower",
        ),
        (
            "closed-list",
            "mode",
            {"type": ["string", "null"]},
            {"type": ["string", "null"], "enum": ["fast", "slow", None]},
            "narrower",
        ),
        (
            "closed-list",
            "mode",
            {"anyOf": [NULL, TEXT], "default": None},
            {"anyOf": [NULL, {**TEXT, "enum": ["fast", "slow"]}], "default": None},
            "narrower",
        ),
        (
            "closed-list",
            "modes",
            {"type": "array", "items": {**TEXT, "minLength": 1}},
            {"type": "array", "items": {**TEXT, "minLength": 1, "enum": ["fast", "slow"]}},
            "narrower",
        ),
    ],
)
def test_a_list_in_prose_becomes_an_enum_where_the_text_is(rule, name, before, after, verdict):
    reported = {"description": "One of: 'fast', 'slow'"}
    found, said, _ = corrected({**before, **reported}, f"clarity/{rule}", name=name)
    assert (found, said) == ({**after, **reported}, verdict)


@pytest.mark.parametrize(("said", "fixes"), [("Filter by status (Open, Replied, Lost)", 0), ("Status (Open, Lost)", 1)])
def test_the_values_that_a_filter_names_in_brackets_may_not_be_all_of_them(said, fixes):
    plan, found, _ = planned([tool(arguments(status={**TEXT, "description": said}))], "clarity/closed-list")
    assert [finding.rule for finding in found] == ["clarity/closed-list"]
    assert len(plan.fixes) == fixes


def test_no_enum_is_set_in_or_next_to_what_others_may_refer_to():
    schema = arguments(mode={"$ref": "#/$defs/Text", "description": "One of: 'a', 'b'"}, other={"$ref": "#/$defs/Text"})
    plan, found, _ = planned([tool({**schema, "$defs": {"Text": TEXT}})], "clarity/closed-list")
    assert (len(found), plan.fixes, len(plan.unfixed)) == (1, (), 1)


@pytest.mark.parametrize(
    ("rule", "name", "before", "after", "verdict", "witness"),
    [
        (
            "limit-without-bound",
            "n",
            {**INTEGER, "description": "Level (1-9)"},
            {**INTEGER, "description": "Level (1-9)", "minimum": 1, "maximum": 9},
            "narrower",
            10,
        ),
        ("null-default", "x", {**TEXT, "default": None}, {"anyOf": [TEXT, NULL], "default": None}, "wider", None),
    ],
)
def test_each_kind_of_correction_of_an_argument(rule, name, before, after, verdict, witness):
    found, said, shown = corrected(before, f"clarity/{rule}", name=name)
    assert (found, said) == (after, verdict)
    if witness is not None:
        assert shown == witness or (isinstance(shown, list) and isinstance(witness, list))


@pytest.mark.parametrize(
    ("rule", "schema", "patch", "verdict"),
    [
        (
            "clarity/required-default",
            {**arguments(x={**TEXT, "default": "a"}), "required": ["x", "y"]},
            [{"op": "replace", "path": "/inputSchema/required", "value": ["y"]}],
            "wider",
        ),
        (
            "clarity/required-declared",
            {**arguments(x=TEXT), "required": ["x", "y", "z"]},
            [{"op": "replace", "path": "/inputSchema/required", "value": ["x"]}],
            "wider",
        ),
        (
            "schema-md/closed-input",
            arguments(x=TEXT),
            [{"op": "add", "path": "/inputSchema/additionalProperties", "value": False}],
            "narrower",
        ),
        (
            "schema-md/explicit-dialect",
            arguments(x=TEXT),
            [
                {
                    "op": "add",
                    "path": "/inputSchema/$schema",
                    "value": "https://json-schema.org/draft/2020-12/schema",
                }
            ],
            "same",
        ),
    ],
)
def test_each_kind_of_correction_of_an_object(rule, schema, patch, verdict):
    plan, _, chosen = planned([tool(schema)], rule)
    (fix,) = plan.fixes
    assert sorted(map(json.dumps, fix.patch)) == sorted(map(json.dumps, patch))
    assert fix.proof.verdict == verdict
    assert linted(plan.surface, chosen) == []


def test_hints_follow_from_the_words_and_lean_to_caution():
    tools = [
        tool(arguments(), "get_user"),
        tool(arguments(), "delete_user"),
        tool(arguments(), "create_user"),
        tool(arguments(), "update_user", annotations={"title": "Update"}),
        tool(arguments(), "dashboard", description="The dashboard."),
        tool(arguments(), "set_focus", description="Sets the focus."),
    ]
    plan, _, chosen = planned(tools, "clarity/hints-declared")
    assert {fix.tool: fix.after for fix in plan.fixes} == {
        "delete_user": {"readOnlyHint": False, "destructiveHint": True},
        "update_user": {"title": "Update", "readOnlyHint": False, "destructiveHint": True},
    }
    assert {fix.proof.verdict for fix in plan.fixes} == {"no-schema"}
    # What only reads, only adds or says too little is for the author to decide.
    (left,) = linted(plan.surface, chosen)
    assert left.message == (
        "4 of 6 tools have no readOnlyHint or destructiveHint. Decide yourself: dashboard, set_focus; "
        "these add or change: create_user; these only read: get_user."
    )


def test_corrections_of_one_place_wait_for_the_first_of_them():
    argument = {**TEXT, "default": None, "description": "One of: 'fast', 'slow'"}
    rules = ("clarity/closed-list", "clarity/null-default")
    plan, found, chosen = planned([tool(arguments(mode=argument))], *rules)
    assert len(found) == 2
    assert [left.reason for left in plan.withheld] == ["it overlaps with another fix; run again when that is done"]
    again = make_plan(plan.surface, chosen, linted(plan.surface, chosen))
    (fix,) = again.fixes
    assert fix.after == {
        "anyOf": [{**TEXT, "enum": ["fast", "slow"]}, NULL],
        "default": None,
        "description": "One of: 'fast', 'slow'",
    }
    assert linted(again.surface, chosen) == []


def test_a_correction_that_another_rule_would_complain_about_is_left_out_with_the_reason():
    # The null in the enum is what one client refuses; nothing else of the plan suffers.
    reported = {"description": "One of: 'a', 'b'"}
    properties = {"kind": {"type": ["string", "null"], **reported}, "mode": {**TEXT, **reported}}
    plan, found, _ = planned([tool(arguments(**properties))], "clients/gemini-enum", "clarity/closed-list")
    assert len(found) == 2
    assert [fix.fragment.pointer for fix in plan.fixes] == ["/inputSchema/properties/mode"]
    (left,) = plan.withheld
    assert (left.finding.path, left.reason) == ("/inputSchema/properties/kind", "it would bring clients/gemini-enum")
    assert [finding.path for finding in plan.fixed] == ["/inputSchema/properties/mode"]
    assert [finding.path for finding in plan.unfixed] == ["/inputSchema/properties/kind"]


def test_fixes_that_do_not_settle_are_left_out_with_the_reasons(monkeypatch):
    monkeypatch.setattr("mcp_governor.fixes.plan.MAX_ROUNDS", 1)
    reported = {"description": "One of: 'a', 'b'"}
    properties = {"kind": {"type": ["string", "null"], **reported}, "mode": {**TEXT, **reported}}
    plan, found, _ = planned([tool(arguments(**properties))], "clients/gemini-enum", "clarity/closed-list")
    assert (plan.fixes, plan.unfixed) == ((), tuple(found))
    assert {left.finding.path: left.reason for left in plan.withheld} == {
        "/inputSchema/properties/kind": "it would bring clients/gemini-enum",
        "/inputSchema/properties/mode": "the fixes of this run do not settle; make some of them by hand",
    }


def test_a_correction_that_would_make_the_default_invalid_is_left_out():
    argument = {"type": "array", "items": TEXT, "default": ["z"], "description": "Valid values: 'a', 'b'"}
    plan, found, _ = planned([tool(arguments(fields=argument))], "clarity/closed-list")
    assert [finding.rule for finding in found] == ["clarity/closed-list"]
    assert (plan.fixes, plan.unfixed) == ((), tuple(found))


def test_what_is_meant_to_accept_all_and_does_not_is_left_out():
    # Without the reference to it the definition looks unused; a pattern of names hides what the removal does.
    schema = {**arguments(x={**TEXT, "default": "a"}), "required": ["x"], "not": {"not": {"required": ["x"]}}}
    plan, _, _ = planned([tool(schema)], "clarity/required-default")
    # It changes nothing, as the engine proves, and refuses nothing either.
    assert [fix.proof.verdict for fix in plan.fixes] == ["same"]
    when = {"if": {"properties": {"x": {**INTEGER, "default": None}}, "required": ["x"]}, "then": {"required": ["z"]}}
    plan, _, _ = planned([tool({**arguments(x={}), **when})], "clarity/null-default")
    assert plan.fixes == ()
    assert [left.reason for left in plan.withheld] == ['it would refuse {"x": null}, which is accepted today']


def test_what_the_engine_cannot_decide_is_said():
    argument = {**TEXT, "description": "One of: 'fast', 'slow'"}
    plan, _, _ = planned([tool(arguments(mode=argument))], "clarity/closed-list", prover=Prover(budget=0))
    (fix,) = plan.fixes
    assert (fix.proof.verdict, fix.proof.reason) == ("unknown", "the 20 seconds for proofs are spent")


def test_only_what_was_asked_for_is_fixed():
    unset, reported = {**TEXT, "default": None}, {**TEXT, "description": "One of: 'a', 'b'"}
    surface = build_surface({"tools": [tool(arguments(account=unset, mode=reported))]})
    chosen = selection("clarity/null-default", "clarity/closed-list")
    found = linted(surface, chosen)
    plan = make_plan(surface, chosen, [one for one in found if one.rule == "clarity/null-default"])
    assert [fix.fragment.pointer for fix in plan.fixes] == ["/inputSchema/properties/account"]


def test_the_surface_that_was_linted_is_not_touched():
    tools = [tool(arguments(mode={**TEXT, "default": None, "description": "One of: 'a', 'b'"}))]
    before = copy.deepcopy(tools)
    planned(tools, "clarity/closed-list", "clarity/null-default")
    assert tools == before


@pytest.mark.parametrize(
    ("pointer", "fragment"),
    [
        ("/inputSchema/properties/x/enum", "/inputSchema/properties/x"),
        ("/inputSchema/properties/x/anyOf/1/items/enum", "/inputSchema/properties/x"),
        ("/inputSchema/properties/x/properties/y/type", "/inputSchema/properties/x"),
        ("/inputSchema/properties/properties/type", "/inputSchema/properties/properties"),
        ("/inputSchema/properties/x/required/0", "/inputSchema/properties/x"),
        ("/inputSchema/$defs/A/properties/x/enum", "/inputSchema/$defs/A"),
        ("/inputSchema/required", "/inputSchema"),
        ("/annotations/readOnlyHint", "/annotations"),
        ("/description", "/description"),
        ("", ""),
    ],
)
def test_the_fragment_of_a_place(pointer, fragment):
    assert fragment_of(pointer).pointer == fragment


def test_a_rule_in_toml_states_its_correction(tmp_path):
    (tmp_path / "r.toml").write_text(
        """
id = "acme/no-title"
summary = "No argument has a title."
why = "It says its name again."
source = "Our guide."
severity = "warning"
since = "1.0"
on = "input"
given = "$"
then = { not = { required = ["title"] } }
message = "{path} has a title."
fix = "Remove it."
correction = { set = { examples = ["a/b"] }, remove = ["title"], effect = "neutral" }

[[pass]]
tool = '{"name": "a", "inputSchema": {"type": "object"}}'
[[fail]]
tool = '{"name": "a", "inputSchema": {"type": "object", "title": "A"}}'
"""
    )
    settings = LintSettings(select=("acme/no-title",), rule_paths=(tmp_path,))
    surface = build_surface({"tools": [tool(arguments(**{"a/b": {**TEXT, "title": "A"}}))]})
    chosen = select(settings)
    plan = make_plan(surface, chosen, linted(surface, chosen))
    (fix,) = plan.fixes
    assert (fix.fragment.pointer, fix.after) == ("/inputSchema/properties/a~1b", {**TEXT, "examples": ["a/b"]})
    assert (fix.proof.verdict, linted(plan.surface, chosen)) == ("same", [])


def test_a_finding_that_only_got_another_id_is_not_gone():
    # The value of the finding is the schema, which the other fix changes.
    argument = {
        "type": "array",
        "items": {**TEXT, "description": "One of: 'a', 'b'"},
        "description": "One of: 'a', 'b'",
    }
    plan, found, _ = planned([tool(arguments(modes=argument))], "clarity/closed-list", "schema-md/array-length")
    assert {one.rule for one in found} == {"clarity/closed-list", "schema-md/array-length"}
    assert [one.rule for one in plan.fixed] == ["clarity/closed-list"]
    assert [one.rule for one in plan.unfixed] == ["schema-md/array-length"]
