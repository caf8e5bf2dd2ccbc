"""The words and the fragment for each dependency, and which calls the fragment lets through."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from mcp_governor.packs.clarity.needs import unstated_ignoring, unstated_needs
from mcp_governor.prose.need import Need
from mcp_governor.prose.need_words import call_ruled_out
from mcp_governor.subjects.context import Context, Facts
from mcp_governor.surface import build_surface

TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
OPTIONAL = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
KIND = {"enum": ["list", "Table", "text"]}


def said(text, schema):
    return {**schema, "description": text}


def told(properties, description="Does it.", checks=(unstated_needs, unstated_ignoring)):
    schema = {"type": "object", "properties": properties}
    surface = build_surface({"tools": [{"name": "t", "description": description, "inputSchema": schema}]}, source="x")
    context = Context({}, Facts(surface))
    found = [one for check in checks for one in check(surface.tools[0], context)]
    return [(one.values["needs"], one.values["advice"]) for one in found]


# The message, then calls that the text allows, then calls that it rules out.
CASES = {
    "given": (
        {"a_id": said("Required if the `b_id` field is passed.", TEXT), "b_id": TEXT},
        "`a_id` is required when `b_id` is given",
        [{}, {"a_id": "x"}, {"a_id": "x", "b_id": "x"}],
        [{"b_id": "x"}],
    ),
    "null is not given": (
        {"a_id": said("Required if b_id is set.", OPTIONAL), "b_id": OPTIONAL},
        "`a_id` is required when `b_id` is given",
        [{}, {"b_id": None}, {"a_id": "x", "b_id": "x"}],
        [{"b_id": "x"}],
    ),
    "needs": (
        {"a_id": said("Requires b_id.", TEXT), "b_id": TEXT},
        "`a_id` needs `b_id`",
        [{}, {"b_id": "x"}],
        [{"a_id": "x"}],
    ),
    "unless": (
        {"a_id": said("Required unless b_id is set.", TEXT), "b_id": TEXT},
        "`a_id` is required unless `b_id` is given",
        [{"a_id": "x"}, {"b_id": "x"}],
        [{}],
    ),
    "each without the other": (
        {"a_id": said("Required unless b_id is set.", TEXT), "b_id": said("Required unless a_id is set.", TEXT)},
        "at least one of `a_id` and `b_id` must be given",
        [{"a_id": "x"}, {"a_id": "x", "b_id": "x"}],
        [{}],
    ),
    "each with the other": (
        {"b_id": said("Required if a_id is set.", TEXT), "a_id": said("Required if b_id is set.", TEXT)},
        "`a_id` and `b_id` must be given together",
        [{}, {"a_id": "x", "b_id": "x"}],
        [{"a_id": "x"}, {"b_id": "x"}],
    ),
    "a value, as the schema writes it": (
        {"rows": said("Required for 'table'.", TEXT), "cols": said("Required for 'table'.", TEXT), "kind": KIND},
        '`rows` and `cols` are required for `kind` "Table"',
        [{}, {"kind": "list"}, {"kind": "Table", "rows": "1", "cols": "1"}],
        [{"kind": "Table"}, {"kind": "Table", "rows": "1"}],
    ),
    "two values": (
        {"rows": said("Required for table and text operations.", TEXT), "kind": KIND},
        '`rows` is required for `kind` "Table" or "text"',
        [{"kind": "list"}, {"kind": "text", "rows": "1"}],
        [{"kind": "text"}, {"kind": "Table"}],
    ),
    "the value that counts without one": (
        {"rows": said("Mandatory when deep is false.", TEXT), "deep": {**FLAG, "default": False}},
        "`rows` is required when `deep` is false (the default)",
        [{"rows": "1"}, {"deep": True}],
        [{}, {"deep": False}],
    ),
    "a number": (
        {"rows": said("Required when depth is 2.", TEXT), "depth": {"type": "integer"}},
        "`rows` is required for `depth` 2",
        [{"depth": 1}, {"depth": 2, "rows": "1"}],
        [{"depth": 2}],
    ),
    "a value that the schema does not have": (
        {"rows": said("Required when kind is 'image'.", TEXT), "kind": KIND},
        "`rows` is required \"when kind is 'image'\"",
        None,
        None,
    ),
    "in some cases": (
        {"rows": said("Required for 'table' on large pages.", TEXT), "kind": KIND},
        "`rows` is required for some values of `kind` (\"for 'table' on large pages\")",
        None,
        None,
    ),
    "must be true": (
        {"rows": said("If `kind` has a value, `deep` must be set to true.", TEXT), "kind": TEXT, "deep": FLAG},
        "`deep` must be true when `kind` is given",
        [{}, {"kind": "x", "deep": True}],
        [{"kind": "x"}, {"kind": "x", "deep": False}],
    ),
    "must be left out": (
        {"a_id": said("If `kind` is 'list', `b_id` must be left empty.", TEXT), "kind": KIND, "b_id": TEXT},
        '`b_id` must not be given when `kind` is "list"',
        [{"kind": "list"}, {"kind": "text", "b_id": "x"}],
        [{"kind": "list", "b_id": "x"}],
    ),
    "two flags": (
        {"stack": said("When `stack` is true, `group` should be false.", FLAG), "group": FLAG},
        "`group` and `stack` must not both be true",
        [{}, {"stack": True, "group": False}, {"group": True, "stack": False}],
        [{"stack": True, "group": True}],
    ),
    "one flag": (
        {"exact": said("Not compatible with num_rows.", FLAG), "num_rows": TEXT},
        "`num_rows` must not be given when `exact` is true",
        [{"exact": False, "num_rows": "1"}, {"exact": True}, {"num_rows": "1"}],
        [{"exact": True, "num_rows": "1"}],
    ),
    "one and the others": (
        {"a_id": said("Mutually exclusive with b_id and c_id.", OPTIONAL), "b_id": OPTIONAL, "c_id": TEXT},
        "`a_id` must not be given with `b_id` or `c_id`",
        [{"b_id": "x", "c_id": "x"}, {"a_id": None, "c_id": "x"}, {"a_id": "x", "b_id": None}],
        [{"a_id": "x", "b_id": "x"}, {"a_id": "x", "c_id": "x"}],
    ),
    "at most one": (
        {"a_id": said("At most one of a_id, b_id or c_id may be set.", TEXT), "b_id": TEXT, "c_id": TEXT},
        "at most one of `a_id`, `b_id` and `c_id` may be given",
        [{}, {"c_id": "x"}],
        [{"a_id": "x", "b_id": "x"}, {"b_id": "x", "c_id": "x"}],
    ),
    "exclusive for some": (
        {"a_id": said("Mutually exclusive with b_id for small pages.", TEXT), "b_id": TEXT},
        '`a_id` and `b_id` must not both be given "for small pages"',
        None,
        None,
    ),
    "exactly one of what may be null": (
        {"a_id": said("Exactly one of a_id (of a page, old) and b_id.", OPTIONAL), "b_id": OPTIONAL},
        "exactly one of `a_id` and `b_id` must be given",
        [{"a_id": None, "b_id": "x"}, {"a_id": "x"}],
        [{}, {"a_id": "x", "b_id": "x"}],
    ),
    "together, or null": (
        {"lat": {"type": ["number", "null"]}, "lon": {"type": ["number", "null"]}},
        "`lat` and `lon` must be given together",
        [{}, {"lat": None}, {"lat": 1, "lon": 2}],
        [{"lat": 1}, {"lat": 1, "lon": None}],
    ),
    "two dependencies with the same keyword": (
        {"a_id": said("Cannot be used with `b_id`.", TEXT), "b_id": TEXT, "c_id": said("Conflicts with a_id.", TEXT)},
        "`a_id` and `b_id` must not both be given; `c_id` and `a_id` must not both be given",
        [{"a_id": "x"}, {"b_id": "x", "c_id": "x"}],
        [{"a_id": "x", "b_id": "x"}, {"a_id": "x", "c_id": "x"}],
    ),
    "two dependencies": (
        {"a_id": said("Requires b_id.", TEXT), "b_id": said("Cannot be used with `c_id`.", TEXT), "c_id": TEXT},
        "`a_id` needs `b_id`; `b_id` and `c_id` must not both be given",
        [{"a_id": "x", "b_id": "x"}, {"c_id": "x"}],
        [{"a_id": "x"}, {"b_id": "x", "c_id": "x"}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_and_what_the_fragment_refuses(name):
    properties, message, allowed, refused = CASES[name]
    [(words, advice)] = told(properties)
    assert words == message
    if allowed is None:
        assert advice == 'a condition ("if" and "then")'
        return
    schema = {"type": "object", "properties": properties, **json.loads("{" + advice + "}")}
    Draft202012Validator.check_schema(schema)
    accepts = Draft202012Validator(schema).is_valid
    assert [call for call in allowed if not accepts(call)] == []
    assert [call for call in refused if accepts(call)] == []


def test_what_a_bullet_asks_for_holds_for_its_choice():
    properties = {"kind": KIND, "a_id": TEXT, "b_id": TEXT}
    [(words, advice)] = told(properties, "Writes.\n- `list` - must include `a_id` or `b_id`\n- `text`: nothing")
    assert words == 'at least one of `a_id` and `b_id` must be given "for list"'
    assert advice == 'a condition ("if" and "then")'


NOTHING = {
    "what the tool does": {"a_id": said("If b_id is given, a_id is used.", TEXT), "b_id": TEXT},
    "what other choices do not use": {"a_id": said("Only for 'table'.", TEXT), "kind": KIND},
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_a_call_may_leave_out_is_no_dependency(name):
    assert told(NOTHING[name], checks=(unstated_needs,)) == []


def test_what_one_of_several_implies_is_not_repeated():
    properties = {
        "a_id": said("Required unless b_id is given.", TEXT),
        "b_id": said("Mutually exclusive with a_id.", TEXT),
        "c_id": TEXT,
    }
    [(words, _)] = told(properties, "Exactly one of a_id, b_id or c_id must be given.")
    assert words == "exactly one of `a_id`, `b_id` and `c_id` must be given"


def test_what_is_beyond_three_is_counted_and_named():
    values = [f"v-{number}" for number in range(9)]
    properties = {"kind": {"enum": values}}
    properties |= {f"of_{number}": said(f"Required for 'v-{number}'.", TEXT) for number in range(5)}
    [(words, _)] = told(properties)
    assert words == (
        '`of_0` is required for `kind` "v-0"; `of_1` is required for `kind` "v-1"; '
        '`of_2` is required for `kind` "v-2"; and 2 more about `of_3`, `of_4`'
    )
    many = {f"p_{number}": said(f"Requires q_{number}.", TEXT) for number in range(20)}
    [(words, _)] = told({name: schema for one in many for name, schema in ((one, many[one]), (f"q{one[1:]}", TEXT))})
    assert words.endswith("and 17 more about " + ", ".join(f"`q_{number}`" for number in range(3, 15)) + ", …")
    listed = ", ".join(f"'{value}'" for value in values)
    [(words, _)] = told({"kind": properties["kind"], "rows": said(f"Required for {listed}.", TEXT)})
    assert words == '`rows` is required for `kind` "v-0", "v-1", "v-2", "v-3", "v-4", "v-5" or 3 more'


def test_what_is_stated_weighs_more_than_the_halves_of_a_position():
    number = {"type": "number"}
    both = {"x": number, "y": number, "rows": said("Required for 'table'.", TEXT), "kind": KIND}
    tools = [
        {"name": name, "inputSchema": {"type": "object", "properties": properties}}
        for name, properties in (("a", {"x": number, "y": number}), ("b", both))
    ]
    surface = build_surface({"tools": tools}, source="x")
    context = Context({}, Facts(surface))
    assert [one.weight for tool in surface.tools for one in unstated_needs(tool, context)] == [0, 101]


RULED_OUT = {
    "one of two": (Need("any", ("a_id", "b_id"), ways=(("a_id",), ("b_id",))), '{"kind": "list"}'),
    "both": (Need("exclusive", ("a_id", "flag")), '{"a_id": "…", "flag": true, …}'),
    "one half": (Need("together", ("a_id", "b_id")), '{"a_id": "…", …}'),
    "a value": (Need("when", ("a_id", "kind"), "for list", "=", ("list",)), '{"kind": "list"}'),
    "another one": (Need("when", ("a_id", "b_id"), "with b_id", "present"), '{"b_id": "…", …}'),
    "none": (Need("when", ("a_id", "b_id"), "unless b_id is given", "absent"), '{"kind": "list"}'),
    "another value": (Need("within", ("a_id", "kind"), "for list", "=", ("list",)), '{"kind": "text", "a_id": "…"}'),
    "a flag": (Need("when", ("flag", "a_id"), "with a_id", "present", must="true"), '{"a_id": "…", "flag": false, …}'),
    "a value that rules it out": (
        Need("exclusive", ("a_id", "kind"), "for text", "=", ("text",)),
        '{"kind": "text", "a_id": "…"}',
    ),
    "words": (Need("when", ("a_id", "b_id"), "when b_id is long"), ""),
    "no effect": (Need("only", ("a_id", "b_id"), "with b_id", "present"), ""),
}


@pytest.mark.parametrize("name", RULED_OUT)
def test_a_call_that_a_need_rules_out(name):
    need, call = RULED_OUT[name]
    properties = {
        "kind": {"enum": ["list", "text"], "type": "string"},
        "a_id": TEXT,
        "b_id": TEXT,
        "flag": {"type": "boolean"},
    }
    assert call_ruled_out(need, {"properties": properties, "required": ["kind"]}) == call
