"""What a model cannot guess about an argument, and which words settle it."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

TEXT = {"type": "string"}
OPTIONAL = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
OBJECT = {"type": "object", "additionalProperties": True}


def messages(rule: str, *tools: dict) -> list[str]:
    return [found.message for found in lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))]


def tool(name: str = "run", description: str = "", required: tuple[str, ...] = (), **arguments: object) -> dict:
    schema = {"type": "object", "properties": arguments, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


def said(name: str, schema: dict, text: str = "", of_tool: str = "Runs it.") -> list[str]:
    schema = {**schema, "description": text} if text else schema
    return messages("clarity/parameter-described", tool(description=of_tool, **{name: schema}))


@pytest.mark.parametrize(
    ("name", "schema", "text"),
    [
        ("status", OPTIONAL, "Status to look for"),
        ("statusFilter", {"type": "number"}, "Status filter of the build (see BuildStatus enum)"),
        ("kind", {"type": "integer"}, ""),
        ("metrics", {"type": "array", "items": TEXT}, "Metrics to include in the answer"),
        ("filter", OPTIONAL, "Optional filter to apply to the results as a JSON string"),
        ("criteria", TEXT, "JSON object of criteria"),
        ("config", OBJECT, "The configuration"),
        ("rows", {"type": "array", "items": OBJECT}, ""),
        ("waitUntil", TEXT, "What to wait for"),
    ],
)
def test_what_is_left_open_is_asked_for(name: str, schema: dict, text: str) -> None:
    assert len(said(name, schema, text)) == 1


@pytest.mark.parametrize(
    ("name", "schema", "text"),
    [
        ("status", OPTIONAL, "Status to look for: open or closed"),
        ("status", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "Status"),
        ("type", {"type": "integer"}, "1 is a folder, 2 a file"),
        ("createdUntil", TEXT, "Created until (yyyy-MM-dd)"),
        ("document", OBJECT, "Document data"),
        ("max_results", {"type": "integer"}, ""),
        ("result", {"type": "object", "properties": {"a": TEXT}}, ""),
        ("types", {"type": "array", "items": {"enum": ["a", "b"]}}, "Types to include"),
        ("filter", TEXT, 'JSON string, {"field": "name"}'),
        ("filter", TEXT, "Text that names have to contain"),
        ("user_filter", TEXT, "Users to filter by"),
        ("filter", TEXT, "OData filter expression"),
        ("json_path", TEXT, "Path of the JSON document"),
        ("settings", OBJECT, "Settings, with the keys theme and font"),
        ("headers", OBJECT, "Headers to send"),
        ("metadata", {"anyOf": [OBJECT, {"type": "null"}], "default": None}, "Metadata of the set"),
        ("time_zone", TEXT, "IANA name of the time zone"),
        ("start_time", TEXT, "Start of the range, ISO 8601"),
        ("end_time", {"type": "string", "format": "date-time"}, ""),
        ("run_time", TEXT, "How long it runs"),
        ("number_format", TEXT, ""),
        ("roles", {"type": "array", "items": TEXT}, "Roles that may open the gate"),
        ("value", TEXT, "The JSON value to store (as a JSON string)"),
        ("payload", {}, ""),
    ],
)
def test_what_is_said_or_plain_is_not(name: str, schema: dict, text: str) -> None:
    assert said(name, schema, text) == []


@pytest.mark.parametrize(
    ("name", "schema", "of_tool"),
    [
        ("status", TEXT, "Lists orders. status: open or shut. Newest first."),
        ("body", OBJECT, 'Changes a gate. {"arguments": {"id": "g1", "body": {"open": true}}}'),
    ],
)
def test_what_the_tool_says_in_passing_answers_the_question(name: str, schema: dict, of_tool: str) -> None:
    assert said(name, schema, "", of_tool) == []
    assert len(said(name, schema, "", f"Says nothing of {name}." if name != "params" else "Says nothing.")) == 1


def test_an_entry_of_the_description_counts_once() -> None:
    entry = "Runs a gate.\n\nArgs:\n    status: Status of the gates and doors that the caller wants here"
    assert len(said("status", TEXT, "", entry)) == 1


def test_names_that_say_what_belongs_there_are_a_remark() -> None:
    plain, rule = "clarity/plain-parameter-described", "clarity/shared-parameter-described"
    easy = {"repo_path": TEXT, "branch": TEXT, "sheet": TEXT}
    asking = {"zone": TEXT, "reach": TEXT, "begin_at": TEXT}
    assert messages(rule, tool("a", **easy), tool("b", **easy)) == []
    assert len(messages(plain, tool("a", **easy), tool("b", **easy))) == 1
    assert len(messages(rule, tool("a", **asking), tool("b", **asking))) == 1
    assert messages(plain, tool("a", **asking), tool("b", **asking)) == []
    # Whoever describes them in one tool has left little to ask.
    described = {name: {**TEXT, "description": "A word on it"} for name in asking}
    assert messages(rule, tool("a", **asking), tool("b", **asking), tool("c", **described)) == []


def test_a_key_has_a_source_like_an_identifier() -> None:
    rule = "clarity/plain-parameter-described"
    assert messages(rule, tool("a", gate_key=TEXT), tool("list_gates")) == []
    assert messages(rule, tool("a", gate_key=TEXT)) == ["No description: gate_key (a)."]


def test_the_message_says_what_is_missing() -> None:
    assert said("type", {"type": "integer"}) == [
        "type of run is a number, but the meaning of each number is not described."
    ]
    assert said("filter", TEXT, "Filters as JSON") == [
        "filter of run is JSON in a string, but its content is not described."
    ]


def test_arguments_within_objects_count_for_the_server() -> None:
    inner = {"type": "object", "properties": {"space_id": TEXT, "page_size": {"type": "integer"}}}
    found = messages("clarity/plain-parameter-described", tool("a", data=inner), tool("b", data=inner))
    assert found == ["No description: space_id (2 tools: a, b)."]


def test_a_lone_argument_counts_where_only_somebody_else_knows_the_value() -> None:
    rule = "clarity/plain-parameter-described"
    assert messages(rule, tool("a", pattern=TEXT)) == ["No description: pattern (a)."]
    assert messages(rule, tool("a", required=("colour",), colour=TEXT)) == []
    assert messages(rule, tool("stop", board_id=TEXT), tool("list_boards")) == []
    assert messages(rule, tool("stop", board_id=TEXT), tool("list_users")) == ["No description: board_id (stop)."]


def test_the_hardest_to_guess_comes_first() -> None:
    found = messages(
        "clarity/shared-parameter-described",
        tool("a", gate=TEXT, fence_id=TEXT),
        tool("b", gate=TEXT, fence_id=TEXT, required=("shade",), shade=TEXT),
    )
    assert found == ["No description: fence_id (2 tools: a, b); gate (2 tools: a, b); shade (b)."]


def test_whoever_describes_one_describes_the_others_as_well() -> None:
    rule, switch = "clarity/plain-parameter-described", {"type": "boolean"}
    alone = {"filename": TEXT, "auto_mend": switch, "hours_back": {"type": "integer"}}
    assert messages(rule, tool("a", **alone)) == []
    plain = {"bold": switch, "include_all": switch, "x_axis_title": TEXT, "email": TEXT}
    assert messages(rule, tool("a", **alone, **plain, fence_id=TEXT)) == [
        "No description: fence_id (a); hours_back (a); filename (a); auto_mend (a)."
    ]


def test_a_number_as_text_is_no_json():
    assert said("identifier", TEXT, "Its name, or its ID (stringified).") == []
    assert said("identifier", TEXT, "A stringified object.")


@pytest.mark.parametrize("text", ["tags replace all others", "tags: see the list", "tags (a few words)", "`tags`"])
def test_words_in_passing_are_a_description(text: str) -> None:
    rule = "clarity/plain-parameter-described"
    tools = [tool(name, f"Draws it. {text}", tags=TEXT) for name in "ab"]
    assert messages(rule, *tools) == ([] if text != "`tags`" else ["No description: tags (2 tools: a, b)."])
    assert messages(rule, *(tool(name, "Draws it with tags.", tags=TEXT) for name in "ab")) != []
    assert messages(rule, *(tool(name, "Draws it. Default tags: oak.", tags=TEXT) for name in "ab")) != []
