"""One thing under several names, by what is said of it: clarity/inconsistent-names, and names that only look alike."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

NAMES = "clarity/inconsistent-names"
CARRIED = "clarity/carried-names"
CASE = "clarity/argument-case"
STRINGS = {"type": "array", "items": {"type": "string"}}


def said(text: str, kind: str = "string") -> dict:
    return {"type": kind, "description": text}


def tool(name: str, /, required: tuple[str, ...] = (), **arguments: dict) -> dict:
    schema = {"type": "object", "properties": arguments, "required": list(required)}
    return {"name": name, "inputSchema": schema}


def messages(rule: str, *tools: dict) -> list[str]:
    return [found.message for found in lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))]


ALIKE = [
    # The longer name in full, at the beginning of the description.
    (tool("move", parent_box_id=said("Where to")), tool("add", box_id=said("The id of the parent box. Default root"))),
    (tool("a", authConfigId=said("Optional")), tool("b", configId=said("ID of the auth configuration to read"))),
    (tool("a", userMessage=said("Of the user")), tool("b", message=said("Full users message"))),
    (tool("a", lidNames=STRINGS), tool("b", names={**STRINGS, "description": "An array of lid names"})),
    # One and many, if both are lists.
    (tool("a", tag={"anyOf": [STRINGS, {"type": "string"}]}), tool("b", tags=STRINGS)),
    (tool("a", box_key={"type": ["array", "null"]}), tool("b", box_keys=STRINGS)),
    # What one tool adds and another changes.
    (
        tool("add_note", ("box_id", "note"), box_id=said("Box"), note=said("The text of the note to add")),
        tool("update_note", ("box_id", "body"), box_id=said("Box"), body=said("The updated note text")),
    ),
    (
        tool("add_lid", ("target_lid_id",), target_lid_id=said("The ID of the lid to add")),
        tool("remove_lid", ("joined_lid_id",), joined_lid_id=said("The ID of the joined lid to remove")),
    ),
]


@pytest.mark.parametrize("tools", ALIKE)
def test_two_names_of_one_thing(tools: tuple[dict, ...]) -> None:
    assert len(messages(NAMES, *tools)) == 1


APART = [
    # Of another thing, of one of two, or said later.
    (tool("a", parent_box_id=said("Where to")), tool("b", box_id=said("The id of the box"))),
    (tool("a", box_status_id=said("Status")), tool("b", box_id=said("The box ID to get the status of"))),
    (tool("a", new_title=said("Title")), tool("b", title=said("New title of the box"))),
    (tool("a", box_color=said("Color")), tool("b", color=said("Color of the lid. Not the box color"))),
    (tool("a", box_color={"enum": ["red", "blue"]}), tool("b", color=said("The box color"))),
    # Next to another of its sort, the longer name is needed.
    (tool("a", box_color=said("Color"), lid_color=said("Color")), tool("b", color=said("The box color"))),
    (tool("a", box_color=said("Color"), color=said("Of all")), tool("b", color=said("The box color"))),
    # One and many of which one is no list, or takes listed values, or stands for anything.
    (tool("a", tag=said("A tag")), tool("b", tags=STRINGS)),
    (tool("a", state={"type": "array", "items": {"enum": ["on", "off"]}}), tool("b", states=STRINGS)),
    (tool("a", value={"anyOf": [STRINGS, {"type": "number"}]}), tool("b", values=STRINGS)),
    # The id of what is changed is another than that of what it is added to.
    (
        tool("add_lid", ("box_id",), box_id=said("The box ID to add the lid to")),
        tool("remove_lid", ("lid_id",), lid_id=said("The lid ID to remove from the box")),
    ),
    # Words of a note and a title.
    (
        tool("add_note", ("note",), note=said("The text of the note to add")),
        tool("update_note", ("title",), title=said("The new title of the note")),
    ),
    # Optional, and of another type.
    (
        tool("add_note", ("note",), note=said("The text of the note to add")),
        tool("update_note", body=said("The updated note text")),
    ),
    (
        tool("add_note", ("note",), note=said("The text of the note to add")),
        tool("update_note", ("body",), body=said("The updated note text", "number")),
    ),
    # "list" is a verb, and here a part of the thing.
    (
        tool("get_todo_list", todo_list_id=said("The ID of the todo list to get")),
        tool("get_todo", todo_id=said("The ID of the todo to get")),
    ),
    # Fields of the service behind.
    (
        tool("find_page", filter={"type": "object", "properties": {"Team": said("Names of the teams to keep")}}),
        tool("find_item", filter={"type": "object", "properties": {"Sys.Team": said("Names of the teams to keep")}}),
    ),
    # One of many operations.
    (tool("a", cardIds=said("Ids of green cards")), tool("b", addCardIds=said("Ids of green cards"))),
    # The parent of what.
    (tool("a", parent_id=said("")), tool("b", parent=said("The id of the parent box"))),
    # How many neighbours is a matter of the search.
    (tool("list_boxes", limit=said("", "integer")), tool("near", k=said("Nearest vectors to return", "integer"))),
    # The name of what is only made.
    (tool("create_box_style", style_name=said("Name")), tool("paint", style=said("Style of the lid"))),
]


@pytest.mark.parametrize("tools", APART)
def test_two_names_of_two_things(tools: tuple[dict, ...]) -> None:
    assert messages(NAMES, *tools) == []


def test_the_name_of_what_is_there_is_one_with_the_thing() -> None:
    paint = tool("paint", style=said("Style of the lid"))
    for name in ("create_page", "drop_style"):
        assert len(messages(NAMES, tool(name, style_name=said("Name")), paint)) == 1


def test_names_that_are_reported_together_are_not_reported_again() -> None:
    three = [
        tool(name, **{argument: said("Routing profile of the way")})
        for name, argument in (("a", "profile"), ("b", "way_profile"), ("c", "routing_profile"))
    ]
    assert len(messages(NAMES, *three)) == 1


def test_an_identifier_is_an_id() -> None:
    short, long = tool("a", box_id=said("The box")), tool("b", box_identifier=said("The box"))
    assert len(messages(CARRIED, short, long)) == 1
    assert messages(CARRIED, tool("a", box_key=said("The box")), long) == []


def test_a_name_of_a_header_is_in_a_style_of_its_own() -> None:
    snake = dict.fromkeys(("user_id", "plan_id", "run_id", "team_id", "sort_by", "max_count"), said(""))
    assert messages(CASE, tool("a", **snake), tool("b", **{"Retry-Key": said("")})) == [
        "In Header-Case among 6 names in snake_case: Retry-Key (b)."
    ]
