"""Which calls are planned, and which tools are left alone."""

from __future__ import annotations

import pytest

from mcp_governor.call.cases import CallReport, CallSettings, Purpose
from mcp_governor.call.plan import plan_calls
from mcp_governor.config import CallConfig
from mcp_governor.errors import NothingCheckedError
from mcp_governor.surface import build_surface

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}


def tool(name="find", schema=SCHEMA, **hints):
    return {"name": name, "inputSchema": schema, "annotations": hints or {"readOnlyHint": True}}


def plan(*tools, configured=(), recorded=(), **settings):
    surface = build_surface({"tools": list(tools)})
    return plan_calls(surface, configured, settings=CallSettings(**settings), recorded=recorded)


def purposes(planned, name="find"):
    return [case.purpose.value for case in planned.cases if case.tool == name]


def test_a_plan_has_the_happy_paths_first_then_the_unhappy_ones_then_a_stranger():
    planned = plan(tool())
    assert purposes(planned) == ["required", "full", "unknown", "missing", "type", "type"]
    assert planned.cases[-1].purpose is Purpose.UNKNOWN_TOOL
    assert [case.valid for case in planned.cases] == [True, True, False, False, False, False, False]


@pytest.mark.parametrize(
    ("more", "valid", "open_"),
    [
        ({}, False, True),
        ({"additionalProperties": False}, False, False),
        ({"additionalProperties": True}, True, False),
    ],
)
def test_an_unknown_argument_is_judged_by_what_the_schema_says(more, valid, open_):
    planned = plan(tool(schema={**SCHEMA, **more}))
    (case,) = [case for case in planned.cases if case.purpose is Purpose.UNKNOWN]
    assert (case.valid, case.open) == (valid, open_)


def test_a_configured_call_takes_the_place_of_the_generated_one():
    planned = plan(tool(), configured=[CallConfig("find", {"q": "orders"}, "success")])
    assert purposes(planned)[:2] == ["configured", "full"]
    assert planned.cases[0].status == "success"
    assert planned.cases[1].arguments == {"q": "orders", "n": 1}


def test_a_configured_call_that_is_wrong_does_not():
    planned = plan(tool(), configured=[CallConfig("find", {"q": 3}, "error")])
    assert purposes(planned)[:2] == ["configured", "required"]
    assert not planned.cases[0].valid


def test_recorded_calls_are_made_again():
    planned = plan(tool(), recorded=[{"tool": "find", "arguments": {"q": "a"}, "result": {}}], generate=False)
    assert purposes(planned) == ["recorded"]
    assert planned.cases[0].recorded is not None


def test_a_call_of_a_tool_that_is_not_published_is_made_only_by_name():
    gone = [CallConfig("fin", {})]
    planned = plan(tool(), configured=gone, generate=False)
    assert planned.cases == ()
    assert [(skipped.tool, skipped.reason) for skipped in planned.skipped] == [
        ("find", "no call is configured"),
        ("fin", 'not a tool of this server. Did you mean "find"?'),
    ]
    assert purposes(plan(tool(), configured=gone, generate=False, allow_writes=True), "fin") == []
    allowed = {"allow_writes": True, "destructive": frozenset({"fin"})}
    assert purposes(plan(tool(), configured=gone, generate=False, **allowed), "fin") == ["configured"]


@pytest.mark.parametrize(
    ("arguments", "schema", "reading"),
    [
        ({}, {}, (True, False)),
        ({"x": 1}, {}, (False, True)),
        ({"x": 1}, {"additionalProperties": False}, (False, False)),
        ({"x": 1}, {"additionalProperties": True}, (True, False)),
        ({"x": 1}, {"additionalProperties": {"type": "string"}}, (False, False)),
        ({"q": 1, "x": 1}, {"properties": {"q": {"type": "string"}}}, (False, False)),
    ],
)
@pytest.mark.parametrize("kind", ["configured", "recorded"])
def test_an_undeclared_argument_is_refused_only_where_the_schema_says_so(kind, arguments, schema, reading):
    """Neither answer to it is drift where the schema is silent, whoever asks for the call."""
    surface = build_surface({"tools": [{"name": "t", "inputSchema": {"type": "object", **schema}}]})
    settings = CallSettings(allow_writes=True, destructive=frozenset({"t"}), generate=False)
    if kind == "configured":
        planned = plan_calls(surface, [CallConfig("t", arguments)], settings=settings)
    else:
        planned = plan_calls(surface, settings=settings, recorded=[{"tool": "t", "arguments": arguments, "result": {}}])
    (case,) = planned.cases
    assert (case.valid, case.open) == reading


UNSAID = "its annotations do not say that it only reads"


@pytest.mark.parametrize(
    ("hints", "settings", "reason"),
    [
        ({"readOnlyHint": True}, {}, None),
        ({"readOnlyHint": True, "destructiveHint": True}, {}, None),
        ({"title": "none"}, {}, UNSAID),
        ({"readOnlyHint": "true"}, {}, UNSAID),
        ({"openWorldHint": True}, {"allow_writes": True}, UNSAID),
        ({"title": "none"}, {"allow_writes": True, "destructive": frozenset({"find"})}, None),
        ({"title": "none"}, {"read_only": ("list*", "fi*")}, None),
        ({"title": "none"}, {"read_only": ("list*",)}, UNSAID),
        ({"readOnlyHint": False}, {"read_only": ("*",)}, "not annotated as read-only; see call --allow-writes"),
        ({"destructiveHint": True}, {"read_only": ("*",)}, "not annotated as read-only; see call --allow-writes"),
        (
            {"destructiveHint": True},
            {"read_only": ("*",), "allow_writes": True},
            "destructive, and not allowed by name",
        ),
        ({"title": "none"}, {"read_only": ("find",), "tools": ("list*",)}, "not selected"),
        ({"readOnlyHint": False, "destructiveHint": False}, {"allow_writes": True}, None),
        ({"readOnlyHint": False}, {"allow_writes": True}, "destructive, and not allowed by name"),
        ({"readOnlyHint": False}, {"allow_writes": True, "destructive": frozenset({"find"})}, None),
        (
            {"readOnlyHint": False},
            {"destructive": frozenset({"find"})},
            "not annotated as read-only; see call --allow-writes",
        ),
        ({"readOnlyHint": True}, {"tools": ("list*",)}, "not selected"),
        ({"readOnlyHint": True}, {"tools": ("list*", "fi*")}, None),
    ],
)
def test_which_tools_may_be_called(hints, settings, reason):
    planned = plan(tool(**hints), **settings)
    assert [skipped.reason for skipped in planned.skipped] == ([reason] if reason else [])
    assert bool(purposes(planned)) is (reason is None)


def test_a_tool_that_the_user_says_only_reads_gets_wrong_calls_too():
    named, assumed = (
        purposes(plan(tool(title="none"), **settings))
        for settings in ({"allow_writes": True, "destructive": frozenset({"find"})}, {"read_only": ("find",)})
    )
    assert named == ["required", "full"]
    assert assumed[:2] == named
    assert len(assumed) > 2


def test_a_schema_that_nothing_fits_is_skipped_and_listed():
    planned = plan(tool(schema={"type": "array"}))
    assert [skipped.reason for skipped in planned.skipped] == ["no arguments could be made from its schema"]


def test_the_cap_on_calls_per_tool_holds():
    assert len(purposes(plan(tool(), cases_per_tool=3))) == 3


def test_the_stranger_is_really_unknown():
    planned = plan(tool("mcp_governor_unknown"))
    assert planned.cases[-1].tool == "mcp_governor_unknown2"


def test_labels_show_no_control_characters():
    hostile = "q\x1b[31m"
    schema = {"type": "object", "properties": {hostile: {"type": "string"}}, "required": [hostile]}
    planned = plan(tool(schema=schema), configured=[CallConfig("find", {hostile: "\x07"})])
    assert all("\x1b" not in case.label and "\x07" not in case.label for case in planned.cases)


def test_a_call_that_is_recorded_is_not_generated_again():
    recorded = [{"tool": "find", "arguments": {"n": 1}, "result": {}}]
    assert purposes(plan(tool(), recorded=recorded)) == ["recorded", "required", "full", "unknown", "type", "type"]


@pytest.mark.parametrize(
    ("hints", "settings", "hint"),
    [
        (
            {"title": "none"},
            {},
            "The annotations do not say if these tools only read: find. If find only reads, add --assume-read-only "
            "find (read-only-tools in the configuration); if it writes, add --allow-writes --destructive find",
        ),
        (
            {"readOnlyHint": False, "destructiveHint": False},
            {},
            "Their annotations say that they write. To call them anyway: --allow-writes --destructive find",
        ),
        ({"readOnlyHint": True}, {"tools": ("fund",)}, "The tools are find."),
    ],
)
def test_a_run_that_calls_nothing_says_one_step_that_is_enough(hints, settings, hint):
    """``test_which_tools_may_be_called`` has that each of these steps leads to a call."""
    planned = plan(tool(**hints), unhappy=False, **settings)
    with pytest.raises(NothingCheckedError) as reported:
        CallReport(skipped=planned.skipped).require_calls()
    assert reported.value.hint == hint
