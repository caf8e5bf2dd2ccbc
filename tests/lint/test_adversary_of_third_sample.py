"""What an adversary found in the repairs for a third sample of drawn servers, each with the case that was repaired."""

from __future__ import annotations

from typing import Any

import pytest
from false_alarms import STRING, findings, tool

from mcp_governor.prose.asides import said_in_passing

INTEGER = {"type": "integer"}


def taking(properties: dict[str, Any], said: str = "", name: str = "look") -> dict[str, Any]:
    return tool(name, said, inputSchema={"type": "object", "properties": properties, "required": list(properties)})


def speaks(rule: str, properties: dict[str, Any], said: str = "") -> bool:
    """If there is a finding about two tools that take these; some rules are about what several tools take."""
    return bool(findings(rule, taking(properties, said), taking(properties, said, "see")))


def described(name: str, text: str, schema: dict[str, Any] = STRING) -> dict[str, Any]:
    return {name: {**schema, "description": text}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("file", "Uploads it. The file is deleted afterwards."),
        ("calendar_events", "Events are grouped by day."),
        ("asset_urn", "Gets it. The urn is required."),
        ("status", "You can filter by status. Status is ignored."),
    ],
)
def test_what_happens_to_a_thing_does_not_describe_a_parameter(name: str, text: str) -> None:
    assert not list(said_in_passing(name, text))


@pytest.mark.parametrize(
    ("properties", "said", "asked"),
    [
        (described("country", "The country's code"), "", False),
        (described("country", "Code of the country"), "", False),
        (described("token_filter_json", "The filter as a JSON string."), "", True),
        (described("receipt_items_json", "The items as a JSON string."), "", True),
        (described("signed_receipt_json", "The receipt as a JSON string."), "", False),
        (described("receipt", "The receipt as a JSON string."), "", False),
        ({"mode": STRING}, "Reads PDF, DOCX or TXT files.", True),
    ],
)
def test_a_word_that_is_about_something_else_explains_no_value(
    properties: dict[str, Any], said: str, asked: bool
) -> None:
    assert speaks("clarity/parameter-described", properties, said) is asked


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("Priority label or numeric ID (0=a, 1=b)", False),
        ("Priority label or id (0=a, 1=b)", False),
        ("Sort: '+sort_field' or '-sort_field'", False),
        ("Sort: '+METRIC' or '-METRIC'", False),
    ],
)
def test_columns_are_values_unless_they_stand_for_others(text: str, listed: bool) -> None:
    assert speaks("clarity/closed-list", described("sort_by", text)) is listed


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("The start of the event", True),
        ("Offset from now", True),
        ("Highest epoch of the key", False),
    ],
)
def test_an_epoch_is_a_time_unless_its_words_say_what_else_it_counts(text: str, asked: bool) -> None:
    assert speaks("clarity/missing-unit", described("start_epoch", text, INTEGER)) is asked
