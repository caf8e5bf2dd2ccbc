"""False findings about servers that nobody had read before, from the lines of a first run.

The counterpart is the nearest tool that deserves the finding.
"""

from __future__ import annotations

import pytest
from false_alarms import STRING, argument, findings_of, table, text


def number(name: str, said: str) -> dict:
    return table(**{name: {"type": "number", "description": said}})


def hinted(name: str, *actions: str, **hints: bool) -> dict:
    properties = {"action": {"type": "string", "enum": list(actions)}} if actions else {}
    return {**table(**properties), "name": name, "annotations": hints}


def saying(said: str, **properties: dict) -> dict:
    return {**table(**(properties or {"x": STRING})), "description": said}


def zoom(said: str) -> dict:
    return argument(said, type="number", exclusiveMinimum=0, maximum=1)


def cancelling(said: str) -> dict:
    return {**saying(said, kinds={"type": "array", "items": STRING, "description": "Which."}), "name": "cancel_orders"}


def updating(name: str, said: str) -> dict:
    return {**table(**{name: {"type": "object", "description": said}}), "name": "update_row"}


@pytest.mark.parametrize(
    ("rule", "innocent", "guilty"),
    [
        ("clarity/missing-unit", number("radius", "查询半径，单位：米"), number("radius", "查询半径")),
        ("clarity/missing-unit", number("duration", "购买时长（月）"), number("duration", "购买时长")),
        ("clarity/missing-unit", number("timeout", "等待 30 秒"), number("timeout", "等待")),
        (
            "clarity/hints-contradict",
            hinted("remove_label", readOnlyHint=False, destructiveHint=False),
            hinted("remove_user", readOnlyHint=False, destructiveHint=False),
        ),
        (
            "clarity/hints-contradict",
            hinted("query_files", "list", "uploadPlan", readOnlyHint=True),
            hinted("query_files", "list", "upload", readOnlyHint=True),
        ),
        (
            "clarity/hints-contradict",
            hinted("query_plans", "list", "get", readOnlyHint=True),
            hinted("query_plans", "list", "delete-plan", readOnlyHint=True),
        ),
        (
            "clarity/closed-list",
            text("Order: `<field> asc|desc`. Fields: `DATE` (when), `CITED` (how often). Examples: `DATE desc`."),
            text("Order. Fields: `DATE` (when), `CITED` (how often)."),
        ),
        ("clarity/prose-bounds", zoom("Zoom in the range (0, 1]"), zoom("Zoom in the range [0, 1]")),
        (
            "clarity/open-object",
            updating("fields", "What to change. A line needs its 'id'; a removal needs {'id': ..., '_gone': 1}."),
            updating("position", "What to change. A line needs its 'id'; a removal needs {'id': ..., '_gone': 1}."),
        ),
        (
            "clarity/parameter-described",
            table(data={"type": "object", "description": "The data of it."}, contentType=STRING),
            table(data={"type": "object", "description": "The data of it."}, content=STRING),
        ),
        (
            "clarity/object-keys",
            updating("document", "The row. Must include 'id' field and the partition key field."),
            updating("document", "The row. Must include 'id' field and the partition field."),
        ),
        (
            "clarity/open-object",
            updating("document", "The row. Must include 'id' field and the partition key field."),
            updating("document", "The row. Must include 'email' field and the partition key field."),
        ),
        (
            "hygiene/concealment",
            saying("Opens a form. Do not tell the user a form is open before its result says so."),
            saying("Opens a form. Do not tell the user a form is open before lunch."),
        ),
        (
            "clarity/nothing-required",
            cancelling("Cancels orders. WARNING: with no filters this cancels all of them."),
            cancelling("Cancels orders. WARNING: they are gone then."),
        ),
        (
            "clarity/unknown-argument",
            saying("Looks.\n\nNote on `un_real` for some: the API returns the absolute value."),
            saying("Looks.\n\nNote on `un_real` for some: the absolute value is meant."),
        ),
        (
            "clarity/unknown-tool",
            {**saying("Response from get_posts and search_posts endpoints. Use get_post."), "name": "get_post"},
            {**saying("Response from get_posts and search_posts. Use get_post."), "name": "get_post"},
        ),
        (
            "clarity/prose-type",
            text("What to do: get reads its section ({heading, text} it sits in, or null)."),
            text("Where to go (a heading, or null)."),
        ),
    ],
)
def test_a_false_finding_is_gone_and_the_true_one_next_to_it_stays(rule: str, innocent: dict, guilty: dict) -> None:
    assert rule not in {finding.rule for finding in findings_of(innocent)}
    assert rule in {finding.rule for finding in findings_of(guilty)}


def test_a_subset_is_of_a_closed_list() -> None:
    listed = argument("Subset of: futures, call_options, put_options.", type="array", items=STRING)
    (found,) = [one for one in findings_of(listed) if one.rule == "clarity/closed-list"]
    assert '"enum": ["futures", "call_options", "put_options"]' in found.fix
