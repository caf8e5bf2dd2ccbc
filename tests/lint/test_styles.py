"""One thing under several names, values in two spellings, names in two styles: what a message says of them."""

from __future__ import annotations

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.surface import build_surface

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def messages(rule: str, *tools: dict) -> list[str]:
    return [found.message for found in lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))]


def tool(name: str, /, **arguments: dict) -> dict:
    return {"name": name, "inputSchema": {"type": "object", "properties": arguments}}


def test_two_families_are_two_findings_and_three_are_one() -> None:
    two = (tool("a", limit=NUMBER, offset=NUMBER), tool("b", maxResults=NUMBER, skip=NUMBER))
    assert messages("clarity/inconsistent-names", *two) == [
        "One thing has several names: limit (1 tool: a); maxResults (1 tool: b).",
        "One thing has several names: offset (1 tool: a); skip (1 tool: b).",
    ]
    three = (
        tool("a", limit=NUMBER, offset=NUMBER, cursor=TEXT),
        tool("b", maxResults=NUMBER, skip=NUMBER, page_token=TEXT),
    )
    assert len(messages("clarity/inconsistent-names", *three)) == 1


def test_a_call_with_the_other_name_fails_or_loses_the_value() -> None:
    ids = (tool("a", plan_id=TEXT), tool("c", plan_id=TEXT), tool("b", planId=TEXT))
    assert messages("clarity/carried-names", *ids) == [
        "One value has two names, and b ignores plan_id: plan_id (2 tools: a, c) is planId (1 tool: b)."
    ]
    ids[2]["inputSchema"]["required"] = ["planId"]
    found = messages("clarity/carried-names", *ids)
    assert found[0].startswith("One value has two names, and a call of b with plan_id fails: ")


def test_the_worst_three_of_many_are_named() -> None:
    names = ("plan_id", "team_id", "run_id", "user_id")
    camel = {f"{name[:-3]}Id": TEXT for name in names}
    found = messages("clarity/carried-names", tool("a", **dict.fromkeys(names, TEXT)), tool("b", **camel))
    assert len(found) == 1
    assert found[0].count(" is ") == 3
    assert found[0].endswith("; 1 more value.")


def test_a_name_is_carried_where_the_words_say_the_same() -> None:
    named = [tool(name, box_name={"type": "string", "description": "The name of a box"}) for name in ("a", "b")]
    short = {"type": "string", "description": "The name of the box to weigh"}
    assert len(messages("clarity/carried-names", *named, tool("weigh_box", name=short))) == 1
    assert messages("clarity/carried-names", *named, tool("create_box", name=short)) == []
    assert (
        messages("clarity/carried-names", *named, tool("c", box={"type": "string", "description": "Box as JSON"})) == []
    )
    assert len(messages("clarity/carried-names", tool("drop_box", id=TEXT), tool("a", box_id=TEXT))) == 1
    assert messages("clarity/carried-names", tool("drop_lid_of_box", id=TEXT), tool("a", box_id=TEXT)) == []


def test_a_plural_of_the_same_type_is_the_same_thing_for_settings_alone() -> None:
    assert len(messages("clarity/inconsistent-names", tool("a", filter=TEXT), tool("b", filters=TEXT))) == 1
    assert messages("clarity/inconsistent-names", tool("a", filter=TEXT), tool("b", filters={"type": "array"})) == []
    assert messages("clarity/inconsistent-names", tool("a", tag=TEXT), tool("b", tags=TEXT)) == []


def test_values_are_compared_over_arguments_and_items() -> None:
    one = tool("a", op={"enum": ["Add", "Remove", "Keep"]})
    other = tool("b", ops={"type": "array", "items": {"enum": ["add", "remove", "keep"]}})
    assert messages("clarity/inconsistent-values", one, other) == [
        "The same values are spelled in two ways: Add and add, Keep and keep (op of a; ops of b)."
    ]
    assert messages("clarity/inconsistent-values", one, tool("b", op={"enum": ["add", "Remove", "Keep"]})) == []


def test_the_rarer_style_is_the_one_that_is_listed() -> None:
    camel = dict.fromkeys(("userId", "planId", "runId", "teamId", "sortBy", "maxCount", "startDate", "endDate"), TEXT)
    found = messages(
        "clarity/argument-case", tool("a", **camel), tool("b", created_by=TEXT), tool("c", created_by=TEXT)
    )
    assert found == ["In snake_case among 8 names in camelCase: created_by (b, …)."]
    few = dict(list(camel.items())[:5])
    assert messages("clarity/argument-case", tool("a", **few), tool("b", created_by=TEXT)) == []
    # Two styles in about equal parts, and a third.
    snake = dict.fromkeys(("user_id", "plan_id", "run_id", "team_id", "sort_by"), TEXT)
    assert messages("clarity/argument-case", tool("a", **camel), tool("b", **snake, **{"x-city": TEXT})) == []
    del snake["run_id"]
    found = messages("clarity/argument-case", tool("a", **camel), tool("b", **snake, **{"x-city": TEXT}))
    assert found[0].startswith("In snake_case and kebab-case among 8 names in camelCase: user_id (b)")
