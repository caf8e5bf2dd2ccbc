"""A list under load against the one that came alone; both implementations, ours and that of the locustfile."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.load import locust_engine
from mcp_governor.load.client import seconds_to_wait
from mcp_governor.load.judge import Judge, drift


def _of_locustfile() -> Any:
    """The function of the script, which cannot be imported: gevent would change the standard library."""
    tree = ast.parse((Path(locust_engine.SCRIPTS) / "locustfile.py").read_text("utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "drift"]
    found: dict[str, Any] = {"Any": Any}
    exec(compile(tree, "locustfile.py", "exec"), found)
    return found["drift"]


THEIRS = _of_locustfile()
A, B, C = ({"name": name, "description": name * 3} for name in "abc")


@pytest.mark.parametrize("compare", [drift, THEIRS], ids=["ours", "locustfile"])
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
def test_a_list_differs_by_kind(compare, first, now, kind):
    assert compare(first, now) == kind


TOOLS = st.lists(
    st.builds(lambda name, text: {"name": name, "x": text}, st.sampled_from("abc"), st.booleans()), max_size=4
)


@given(TOOLS, TOOLS)
def test_both_say_the_same(first, now):
    assert drift(first, now) == THEIRS(first, now)
    if sorted(map(json.dumps, first)) == sorted(map(json.dumps, now)) and len({tool["name"] for tool in first}) == len(
        first
    ):
        assert drift(first, now) is None


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
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        ("Fri, 99 Dec 9999 23:59:59 GMT", None),
    ],
)
def test_a_retry_after_is_a_number_of_seconds_or_a_date(sent, seconds):
    assert seconds_to_wait(sent) == seconds
