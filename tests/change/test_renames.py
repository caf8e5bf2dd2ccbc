"""Arguments that live on under another name, and pairs that only look like it."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Verdict
from mcp_governor.change.budget import Budget, OverBudgetError
from mcp_governor.change.renames import text_likeness
from tests.change.conftest import Comparer

STR = {"type": "string"}


def one_argument(name: str, schema: Any = STR, description: str = "") -> dict[str, Any]:
    reported = {"description": description} if description else {}
    return {
        "type": "object",
        "properties": {name: {**schema, **reported}, "other": {"type": "boolean"}},
        "required": [name],
    }


SHAPES = [
    ("filepath", "path"),
    ("file_path", "path"),
    ("path", "filePath"),
    ("filepath", "file_path"),
    ("user_id", "userId"),
    ("userid", "user_id"),
    ("maxResults", "max_results"),
    ("repo_name", "repo"),
    ("query", "search_query"),
    ("filename", "name"),
    ("sheetName", "sheet"),
    ("channel-id", "channelId"),
]


@pytest.mark.parametrize(("old", "new"), SHAPES)
@pytest.mark.parametrize("described", [False, True])
def test_a_name_of_another_shape_is_a_rename(comparer: Comparer, old: str, new: str, described: bool) -> None:
    words = ("Absolute path to the file to read.", "Where it is, below the workspace.") if described else ("", "")
    before, after = one_argument(old, description=words[0]), one_argument(new, description=words[1])
    for one, other, names in ((before, after, (old, new)), (after, before, (new, old))):
        changes = [change for change in comparer.schemas(one, other) if not change.wording]
        assert [(change.kind, change.path, change.old, change.new) for change in changes] == [
            ("argument-renamed", f"/inputSchema/properties/{names[1]}", *names)
        ]
        assert changes[0].verdict is Verdict.BREAKING


APART = [
    ("start", "end"),
    ("source", "target"),
    ("width", "height"),
    ("min_price", "max_price"),
    ("start_date", "end_date"),
    ("from_id", "to_id"),
    ("minLength", "maxLength"),
    ("latitude", "longitude"),
    ("include_paths", "exclude_paths"),
    ("price", "max_price"),
    ("id", "parent_id"),
    ("name", "new_name"),
    ("title", "body"),
    ("port", "report"),
    ("state", "estate"),
    ("age", "page"),
]


@pytest.mark.parametrize(("old", "new"), APART)
def test_another_argument_is_not_a_rename(comparer: Comparer, old: str, new: str) -> None:
    """Not even where the descriptions differ in nothing but the names."""
    plain = comparer.schemas(one_argument(old), one_argument(new))
    assert {change.kind for change in plain} == {"argument-removed", "required-argument-added"}
    sentence = "The {} of the thing that the call is about, as the service reports it, in UTC."
    before, after = (one_argument(name, description=sentence.format(name.replace("_", " "))) for name in (old, new))
    described = comparer.schemas(before, after)
    assert {change.kind for change in described} == {"argument-removed", "required-argument-added"}


def test_unlike_names_are_one_where_the_description_stays(comparer: Comparer) -> None:
    text = "Text to look for in titles and authors."
    before, after = one_argument("q", description=text), one_argument("needle", description=text)
    assert [change.kind for change in comparer.schemas(before, after)] == ["argument-renamed"]


def test_a_rename_does_not_swallow_an_edit_of_the_schema(comparer: Comparer) -> None:
    old, new = one_argument("filepath"), one_argument("path", {"type": "string", "minLength": 3})
    changes = {change.kind: change for change in comparer.schemas(old, new)}
    assert changes.keys() == {"argument-renamed", "length-tightened"}
    assert changes["length-tightened"].path == "/inputSchema/properties/path/minLength"
    assert changes["argument-renamed"].witness.keys() == {"filepath"}
    assert len(changes["length-tightened"].witness["filepath"]) < 3


def test_a_shape_with_another_type_is_not_a_rename(comparer: Comparer) -> None:
    changes = comparer.schemas(one_argument("user_id"), one_argument("userId", {"type": "integer"}))
    assert {change.kind for change in changes} == {"argument-removed", "required-argument-added"}


def test_a_rename_to_one_of_two_is_none(comparer: Comparer) -> None:
    old = {"type": "object", "properties": {"path": STR}}
    new = {"type": "object", "properties": {"file_path": STR, "dir_path": STR}}
    assert "argument-renamed" not in {change.kind for change in comparer.schemas(old, new)}


@pytest.mark.parametrize(
    ("old", "new", "likeness"),
    [
        ("", "", 0.0),
        ("one", "", 0.0),
        ("one", "one", 1.0),
        ("one two three", "one two three four five", 6 / 8),
        ("one two three", "three two one", 2 / 6),
        ("one two one two", "two one two one", 6 / 8),
        ("one two", "three four", 0.0),
        ("a " * 1_000, "b a " * 500, 1 / 2),  # took half a minute
        ("a " * 1_000, "a " * 1_000 + "b " * 1_000, 1.0),  # the first thousand words count
    ],
)
def test_descriptions_are_as_alike_as_the_words_that_they_have_in_one_order(
    old: str, new: str, likeness: float
) -> None:
    assert text_likeness(old, new) == text_likeness(new, old) == likeness


def test_names_that_are_compared_until_the_time_is_up_are_undecided(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer
) -> None:
    def stopped(_: Budget) -> None:
        raise OverBudgetError("the time is up")

    monkeypatch.setattr(Budget, "check", stopped)
    [change] = comparer.schemas(one_argument("filepath"), one_argument("path"))
    assert (change.kind, change.verdict, change.reason) == ("schema-undecided", Verdict.UNKNOWN, "the time is up")
