"""What an adversary found in the repairs for a third sample of drawn servers, each with the case that was repaired."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from false_alarms import STRING, effect_said, findings, tool

from mcp_governor.prose.asides import said_in_passing

INTEGER = {"type": "integer"}


def taking(properties: dict[str, Any], said: str = "", name: str = "look") -> dict[str, Any]:
    return tool(name, said, inputSchema={"type": "object", "properties": properties, "required": list(properties)})


def speaks(rule: str, properties: dict[str, Any], said: str = "") -> bool:
    """If there is a finding about two tools that take these; some rules are about what several tools take."""
    return bool(findings(rule, taking(properties, said), taking(properties, said, "see")))


def described(name: str, text: str, schema: dict[str, Any] = STRING) -> dict[str, Any]:
    return {name: {**schema, "description": text}}


# -- crashes and time


class Counting:
    """An expression that counts where it is sought."""

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern
        self.texts: Counter[str] = Counter()

    def search(self, text: str) -> Any:
        self.texts[text] += 1
        return self.pattern.search(text)

    def findall(self, text: str) -> Any:
        self.texts[text] += 1
        return self.pattern.findall(text)


# -- what was hidden


@pytest.mark.parametrize(
    ("name", "said", "effect"),
    [
        ("plan_delete", "Deletes the plan.", "destroys"),
        ("workout_plan_delete", "Delete a workout plan.", "destroys"),
        ("app_preview_delete", "Permanently delete an app preview.", "destroys"),
        ("app_preview_delete", "Shows what would be deleted.", "reads"),
        ("preview_and_delete", "", "destroys"),
        # Of five words, the last is a verb as well, and the third is not in front of it.
        ("qa_test_plan_items_delete", "", "destroys"),
        ("qa_test_items_plan_delete", "", "writes"),
        ("?", "", "unknown"),
    ],
)
def test_what_deletes_a_plan_deletes(name: str, said: str, effect: str) -> None:
    assert effect_said(tool(name, said)) == effect


@pytest.mark.parametrize(
    ("name", "said", "effect"),
    [
        ("push_update", "Pushes a firmware update to the client.", "writes"),
        ("format_file", "Read a file, format it and write the file back.", "writes"),
        ("do_it", "It refuses to prompt; data is permanently deleted.", "destroys"),
        ("do_it", "Refuses to wait and then permanently deletes it.", "destroys"),
        ("do_it", "Refuses to permanently delete it.", "unknown"),
    ],
)
def test_what_is_said_before_a_change_does_not_take_it_back(name: str, said: str, effect: str) -> None:
    assert effect_said(tool(name, said)) == effect


@pytest.mark.parametrize(
    ("value", "effect"), [("delete_rate", "destroys"), ("remove_attribution", "destroys"), ("drop_rate", "destroys")]
)
def test_rates_are_deleted(value: str, effect: str) -> None:
    properties = {"mode": {"enum": ["trends", value], "type": "string"}}
    assert effect_said(taking(properties, "Visits, compared.")) == effect


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("file", "Uploads it. The file is deleted afterwards.", False),
        ("calendar_events", "Events are grouped by day.", False),
        ("message", "Posts. The message is sent at once.", False),
        ("server", "The server is running.", False),
    ],
)
def test_what_happens_to_a_thing_does_not_describe_a_parameter(name: str, text: str, said: bool) -> None:
    assert bool(said_in_passing(name, text, anything=True)) is said


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
