"""What an adversary found in the repairs for a third sample of drawn servers, each with the case that was repaired."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mcp_governor.catalogue.settings import LintSettings
from mcp_governor.linting import lint
from mcp_governor.linting.checks import arguments, undescribed
from mcp_governor.linting.effects import effect_of
from mcp_governor.surface import build_surface

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def tool(name: str, said: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": said, "inputSchema": {"type": "object"}, **more}


def taking(properties: dict[str, Any], said: str = "", name: str = "look") -> dict[str, Any]:
    return tool(name, said, inputSchema={"type": "object", "properties": properties, "required": list(properties)})


def findings(rule: str, *tools: dict[str, Any]) -> list[Any]:
    return lint(build_surface({"tools": list(tools)}), LintSettings(select=tuple(rule.split())))


def speaks(rule: str, properties: dict[str, Any], said: str = "") -> bool:
    """If there is a finding about two tools that take these; some rules are about what several tools take."""
    return bool(findings(rule, taking(properties, said), taking(properties, said, "see")))


def described(name: str, text: str, schema: dict[str, Any] = STRING) -> dict[str, Any]:
    return {name: {**schema, "description": text}}


# -- crashes and time


@pytest.mark.parametrize(("one", "other"), [("$", "?"), ("", "_"), ("(.*)+", "\\"), ("_", "__")])
def test_names_without_words_are_not_compared(one: str, other: str) -> None:
    rules = "clarity/carried-names clarity/inconsistent-names"
    tools = (taking(described(one, "The thing"), name="a"), taking(described(other, "The thing"), name="b"))
    assert findings(rules, *tools) == []
    tools = (taking(described("repo_id", "The thing"), name="a"), taking(described("repoId", "The thing"), name="b"))
    assert len(findings(rules, *tools)) == 1


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


def test_descriptions_of_dates_are_searched_once_and_not_each_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """500 dates with long descriptions took four minutes."""
    counting = Counting(arguments.FORM_OF_DATES)
    monkeypatch.setitem(arguments._FORMS, "date", counting)  # type: ignore[arg-type]
    dates = {f"{at}_date": {**STRING, "description": f"A date {at}"} for at in "abcdefghij"}
    assert len(findings("clarity/parameter-described", taking(dates))) == len(dates)
    assert set(counting.texts.values()) == {1}
    # One with a form answers for the others, but not for itself.
    formed = {**dates, "end_date": {**STRING, "description": "YYYY-MM-DD"}}
    assert findings("clarity/parameter-described", taking(formed)) == []


def test_a_tool_is_searched_once_for_where_its_identifiers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand identifiers took 20 s."""
    counting = Counting(undescribed._FINDING)
    monkeypatch.setattr(undescribed, "_FINDING", counting)
    ids = {f"q{at}w_id": {**STRING, "description": "id"} for at in "abcdefghij"}
    findings("clarity/id-source", taking(ids, "get id id id"), tool("other"))
    assert counting.texts == {"get id id id": 1}


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
    assert effect_of(build_surface({"tools": [tool(name, said)]}).tools[0]) == effect


@pytest.mark.parametrize(
    ("value", "effect"), [("delete_rate", "destroys"), ("remove_attribution", "destroys"), ("drop_rate", "reads")]
)
def test_rates_are_deleted_and_drops_are_measured(value: str, effect: str) -> None:
    properties = {"mode": {"enum": ["trends", value], "type": "string"}}
    assert effect_of(build_surface({"tools": [taking(properties, "Visits, compared.")]}).tools[0]) == effect
