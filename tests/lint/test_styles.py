"""One thing under several names, values in two spellings, names in two styles: what a message says of them."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
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


def test_methods_of_http_are_written_in_capitals_beside_operations_of_the_same_name() -> None:
    one, other = tool("a", method={"enum": ["GET", "DELETE"]}), tool("b", action={"enum": ["get", "delete"]})
    assert messages("clarity/inconsistent-values", one, other) == []
    one = tool("a", method={"enum": ["GET", "DELETE", "LIST"]})
    assert len(messages("clarity/inconsistent-values", one, other)) == 1


def test_pages_have_the_names_of_their_source_in_any_style() -> None:
    snake = dict.fromkeys(("user_id", "plan_id", "run_id", "team_id", "sort_by", "max_count", "start_date"), TEXT)
    assert messages("clarity/argument-case", tool("a", **snake), tool("b", pageSize=NUMBER)) == []
    assert len(messages("clarity/argument-case", tool("a", **snake), tool("b", pageCount=NUMBER))) == 1


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


def test_names_of_headers_are_those_of_http() -> None:
    snake = dict.fromkeys(("user_id", "plan_id", "run_id", "team_id", "sort_by", "max_count"), TEXT)
    within = {"type": "object", "properties": {"content-type": TEXT}}
    assert messages("clarity/argument-case", tool("a", **snake, headers=within)) == []
    assert messages("clarity/argument-case", tool("a", **snake, http_headers=within)) == []
    assert len(messages("clarity/argument-case", tool("a", **snake, options=within))) == 1


def test_a_page_size_is_reported_once_and_is_no_value_that_a_call_answers_with() -> None:
    sizes = (tool("list_a", pageSize=NUMBER), tool("list_b", page_size=NUMBER))
    for tools in (sizes, (*sizes, tool("list_c", limit=NUMBER))):
        assert messages("clarity/carried-names", *tools) == []
        assert len(messages("clarity/inconsistent-names", *tools)) == 1
    tokens = (tool("list_a", pageToken=TEXT), tool("list_b", page_token=TEXT))
    assert len(messages("clarity/carried-names", *tokens)) == 1
    assert messages("clarity/inconsistent-names", *tokens) == []
    # Reported with the third name, and only there.
    tokens = (*tokens, tool("list_c", cursor=TEXT))
    assert messages("clarity/carried-names", *tokens) == []
    assert len(messages("clarity/inconsistent-names", *tokens)) == 1


def test_the_first_of_very_many_names_are_named() -> None:
    text = {"type": "string", "description": "green apple tree house"}
    tools = [tool(f"get_{letter}", **{f"{letter * 3}_label": text}) for letter in "bcdfghjklmnpqrst"]
    (found,) = messages("clarity/inconsistent-names", *tools)
    assert found.count("1 tool") == 12
    assert found.endswith("; 4 more names.")


def said(text: str, kind: str = "string", **more: object) -> dict:
    return {"type": kind, "description": text, **more}


def list_of(kind: str) -> dict:
    return {"type": "array", "items": {"type": kind}}


def several(*tools: dict) -> bool:
    return bool(messages("clarity/inconsistent-names", *tools) or messages("clarity/carried-names", *tools))


MONTH = "Calendar month of the bill"
WITHIN = {"type": "object", "properties": {"q": TEXT}}
MODES = ["walk", "ride", "drive"]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        # Forms of one name.
        (tool("a", plan_id=TEXT), tool("b", planGid=TEXT), True),
        (tool("a", plan_id=TEXT), tool("b", planKey=TEXT), False),
        (tool("a", planSlug=TEXT), tool("b", planSlugOrId=TEXT), False),
        (tool("a", plan_id=TEXT), tool("b", planUuid=TEXT), False),
        (tool("a", appKey=TEXT), tool("b", applicationKey=TEXT), True),
        (tool("a", expire=NUMBER), tool("b", expire_seconds=NUMBER), True),
        (tool("a", expire=NUMBER), tool("b", expire_entries=NUMBER), False),
        (tool("a", columns=list_of("string")), tool("b", columnNames=list_of("string")), True),
        (tool("a", columns=list_of("object")), tool("b", columnNames=list_of("string")), False),
        (tool("a", language=said("Code of the language")), tool("b", languageCode=TEXT), True),
        (tool("a", language=said("Name of the language")), tool("b", languageCode=TEXT), False),
        (tool("a", methodName=TEXT), tool("b", method={"enum": ["GET", "PUT"], "type": "string"}), False),
        # A short name, which the words of its tool complete.
        (tool("get_lid", lidUid=TEXT), tool("drop_lid", uid=said("Identifier of the lid")), True),
        (tool("get_lid", lidUid=TEXT), tool("drop_box", uid=said("Identifier of the box")), False),
        (tool("set_public", slug=said("The public slug")), tool("b", publicSlug=TEXT), True),
        (tool("set_public", type=said("The type of what is public")), tool("b", publicType=TEXT), False),
        (tool("set_public", type=said("The public type")), tool("b", publicType=TEXT), True),
        (tool("delete_box", key=said("The key to delete the box")), tool("b", deleteKey=TEXT), False),
        # Side by side in one tool only as another thing.
        (tool("get_box", id=said("Box ID")), tool("get_lid", boxId=TEXT, id=said("Lid ID")), True),
        (tool("get_box", id=said("Box ID")), tool("get_box_lid", boxId=TEXT, id=said("Box ID")), False),
        # Nor where it takes more, or the name is that of a new thing.
        (tool("list_a", box=said("Id of the box")), tool("get_box", box_id=TEXT), True),
        (tool("list_a", box=said("Name or id of the box")), tool("get_box", box_id=TEXT), False),
        (tool("list_a", box=said("Name or id of the box")), tool("get_box", box_id=said("Id or name")), True),
        (tool("list_a", box=said("The slug/ID of the box")), tool("get_box", box_id=TEXT), False),
        (tool("list_a", box=said("Id of the box or null")), tool("get_box", box_id=TEXT), True),
        (tool("drop_box", name=said("Name of the box")), tool("get_box", box_name=TEXT), True),
        (tool("create_box", name=said("Name of the box")), tool("get_box", box_name=TEXT), True),
        (tool("create_box", name=said("Name of the new box")), tool("get_box", box_name=TEXT), False),
        # Parts that parameters play in all servers.
        (tool("list_a", limit=NUMBER), tool("list_b", count=said("Number of rows to return", "integer")), True),
        (tool("list_a", limit=NUMBER), tool("list_b", count=said("Number of rows to remove", "integer")), False),
        (tool("a", q=TEXT), tool("b", query=TEXT), False),
        (tool("search_a", q=TEXT), tool("search_b", query=TEXT), True),
        (tool("search_a", q=TEXT), tool("search_b", query=said("SQL to search with")), False),
        (tool("a", sql=TEXT), tool("b", query=said("SQL query")), True),
        (tool("get_a", since=said("Start time")), tool("get_b", start_time=TEXT), True),
        (tool("set_a", since=said("Start time")), tool("set_b", start_time=TEXT), False),
        (tool("a", path=said("The path of the file")), tool("b", filePath=TEXT), True),
        (tool("a", path=said("The path of the repository")), tool("b", filePath=TEXT), False),
        (tool("a", filename=said("Name of the file")), tool("b", filePath=TEXT), False),
        (tool("a", saveTo=TEXT), tool("b", output=said("Where to save it")), True),
        (tool("a", saveTo=TEXT), tool("b", output=said("What to print")), False),
        (tool("a", confirm=TEXT), tool("b", confirmed={"type": "boolean"}), True),
        (tool("search_a", data=WITHIN, x=TEXT), tool("search_b", query=TEXT), True),
        (tool("search_a", rows=WITHIN, x=TEXT), tool("search_b", query=TEXT), False),
        # The same words, but for a verb; the same values, and the same last word.
        (tool("a", month=said(f"{MONTH} to get")), tool("b", period=said(MONTH)), True),
        (tool("a", month=said("Calendar month")), tool("b", period=said("Calendar month")), False),
        (tool("a", startOf=said(MONTH)), tool("b", endOf=said(MONTH)), False),
        (tool("a", mode={"enum": MODES}), tool("b", travelMode={"enum": MODES}), True),
        (tool("a", mode={"enum": MODES}), tool("b", travel={"enum": MODES}), False),
        (tool("a", mode={"enum": MODES[:2]}), tool("b", travelMode={"enum": MODES[:2]}), False),
    ],
)  # fmt: skip
def test_one_thing_is_known_by_name_words_and_type(one: dict, other: dict, found: bool) -> None:
    assert several(one, other) is found
