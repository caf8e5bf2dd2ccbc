"""A list under load against the one that came alone."""

from __future__ import annotations

import json

import pytest

from mcp_governor.load.client import seconds_to_wait
from mcp_governor.load.judge import Judge, drift

A, B, C = ({"name": name, "description": name * 3} for name in "abc")


@pytest.mark.parametrize(
    ("first", "now", "kind"),
    [
        ([A, B], [A, B], None),
        ([A, B], [B, A], None),
        ([A, B], [], "list-empty"),
        ([], [], None),
        ([A, B], [B], "list-shorter"),
        ([A, B], [C, A, B], "list-longer"),
        ([], [A], "list-longer"),
        ([A, B], [A, C], "list-differs"),
        ([A, B], [A, {**B, "description": "another one"}], "list-differs"),
        ([A, A], [A], "list-shorter"),
        ([A], [A, A], "list-longer"),
        ([A, 1], [1, A], None),
        ([A], [1], "list-differs"),
    ],
)
def test_a_list_differs_by_kind(first, now, kind):
    assert drift(first, now) == kind


def test_a_list_is_judged_against_the_first_one_whatever_else_its_result_holds():
    judge = Judge("tools/list", None, tools=[A, B])

    def body(tools):
        return json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"tools": tools, "_meta": {"at": 1}}}).encode()

    assert judge.failure(200, "application/json", body([B, A]), b"7") is None
    assert judge.failure(200, "application/json", body([]), b"7") == "list-empty"
    assert Judge("tools/list", None).failure(200, "application/json", body([]), b"7") is None


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("9" * 400, 86_400.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("²", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_a_retry_after_is_a_number_of_seconds(sent, seconds):
    assert seconds_to_wait(sent) == seconds
