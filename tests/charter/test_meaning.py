"""Data against the status word: what contradicts it, and the near misses that do not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.charter.fields import field_breaches
from mcp_governor.charter.meaning import meaning_breaches
from tests.charter.envelopes import SUCCESS


def found(status, data, **fields):
    envelope = {**SUCCESS, "status": status, "data": data, **fields}
    return " ".join(f"{breach.rule.removeprefix('envelope/')} {breach.path}" for breach in meaning_breaches(envelope))


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ([], "/data"),
        ({"rows": []}, "/data/rows"),
        ({"tables": []}, "/data/tables"),
        ({"Results": [], "query": "a", "took_ms": 12}, "/data/Results"),
        ({"metric": "revenue", "rows": [], "row_count": 0}, "/data/rows"),
        ({"tickets": [], "total": 0, "limit": 20, "offset": 0}, "/data/tickets"),
        ({"matches": [], "scanned": 5210, "truncated": False}, "/data/matches"),
        ({"a/b": []}, "/data/a~1b"),
        ({"rows": [], "owner": None}, "/data/rows"),
        ({"result": {"rows": []}}, "/data/result/rows"),
        ({"a": {"b": {"c": {"rows": []}}}}, "/data/a/b/c/rows"),
        ({"matches": None, "count": 0}, "/data/matches"),
        ("No results found.", "/data"),
        ({"message": "No matching records were found for 'user'."}, "/data/message"),
        # what was asked for is there
        ({}, ""),
        ("", ""),
        (0, ""),
        ([None], ""),
        ("No results may be shown before noon. The market opens at 9.", ""),
        ({"message": "Saved."}, ""),
        ({"matches": None}, ""),
        ({"tables": {}}, ""),
        ({"a": {"b": {"c": {"d": {"rows": []}}}}}, ""),
        ({"message": "No results found.", "page": {"title": "a"}}, ""),
        ([[]], ""),
        ({"rows": [1]}, ""),
        ({"id": "a", "labels": []}, ""),
        ({"labels": [], "comments": []}, ""),
        ({"entity": {"name": "a"}, "rows": []}, ""),
        ({"balance": 0, "entries": []}, ""),
        # the page behind the last one, and nothing but good news
        ({"rows": [], "total": 120, "offset": 200}, ""),
        ({"violations": []}, ""),
        ({"errors": [], "checked": 5}, ""),
        # something was done, and gave no rows
        ({"rows": [], "command": "CREATE TABLE"}, ""),
        ({"statement": "CREATE INDEX a", "rows": []}, ""),
        ({"id": "c1", "items": [], "total": 0}, ""),
        ({"path": "a", "size": 3, "links": []}, ""),
        ({"broken_links": []}, ""),
        ({"report": {"schemaDifferences": []}}, ""),
        ({"links": []}, "/data/links"),
    ],
)
def test_a_success_found_something(data, place):
    assert found("success", data) == (f"empty-success {place}" if place else "")
    assert found("empty", data) in ("", "data-on-empty /data", "data-on-empty /data/rows")


@pytest.mark.parametrize(
    ("tool", "data", "place"),
    [
        ([], {"error": "Table not found"}, "/data/error"),
        ([], {"err": "No.", "rows": [], "n": None}, "/data/err"),
        ([], {"Error": {"code": 7, "message": "No."}, "code": 7}, "/data/Error"),
        ([], {"success": False, "message": "No."}, "/data/success"),
        ([], {"result": {"success": False, "message": "No."}}, "/data/result/success"),
        ([], [{"error": "Table not found"}], "/data/0/error"),
        ([], {"results": [{"success": False}]}, "/data/results/0/success"),
        ([], {"a": {"b": [{"error": {"message": "No."}}]}}, "/data/a/b/0/error"),
        # results of several items, and a failure that is about a thing
        ([], [{"error": "Table not found"}, {"name": "a"}], ""),
        ([], {"results": [{"success": False}, {"success": True}]}, ""),
        ([], {"user": {"ok": False}, "rows": [1]}, ""),
        # internals are reported as that
        ([], {"error": "KeyError: 'a'"}, ""),
        # a failure that was asked for, or one among other things
        ([], {"id": 7, "error": "The disk is full."}, ""),
        ([], {"rows": [1], "error": "The disk is full."}, ""),
        (["get", "last", "error"], {"error": "The disk is full."}, ""),
        (["verify", "signature"], {"ok": False}, ""),
        ([], {"ok": True, "message": "Done."}, ""),
        ([], {}, ""),
    ],
)
def test_a_success_hides_no_failure(tool, data, place):
    told = [breach for breach in meaning_breaches({**SUCCESS, "data": data}, tool) if breach.rule.endswith("error")]
    assert [f"{breach.rule} {breach.path}" for breach in told] == ([f"envelope/hidden-error {place}"] if place else [])


@pytest.mark.parametrize(
    ("tool", "data", "finds"),
    [
        (["search", "tickets"], {"tickets": [], "total": 0}, True),
        (["get", "tickets"], {"open_tickets": [], "total": 0}, True),
        (["get", "labels"], {"labels": []}, True),
        (["get", "cart"], {"items": [], "total": 0}, False),
        (["get", "cart"], {"rows": [], "total": 0}, True),
        (["describe", "node"], {"path": "a", "children": []}, False),
        (["list", "children"], {"path": "a", "children": []}, True),
        (["check", "links"], {"checked": 120, "links": []}, False),
        (["lint", "file"], [], False),
        (["find", "broken", "links"], [], False),
        (["list", "files"], [], True),
        (["list", "files"], {}, True),
        (["get", "settings"], {}, False),
        ([], {"tickets": [], "total": 0}, True),
    ],
)
def test_the_name_of_a_tool_says_what_an_empty_list_means(tool, data, finds):
    assert bool([*meaning_breaches({**SUCCESS, "data": data}, tool)]) is finds


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ([1, 2, 3], "/data"),
        ({"rows": [[1]]}, "/data/rows"),
        ({"query": "a", "Hits": ["a"]}, "/data/Hits"),
        ({"tickets": [{"id": 1}]}, "/data/tickets"),
        # nothing was found, and more is said
        (None, ""),
        ([], ""),
        ({}, ""),
        ("Nothing matched.", ""),
        ({"rows": [], "columns": [{"name": "a"}]}, ""),
        ({"matches": [], "items": [{"name": "near"}]}, ""),
        ({"suggestions": [{"name": "a"}]}, ""),
        ({"schemas_searched": [{"name": "public"}]}, ""),
        ({"result": {"rows": [1]}}, "/data/result/rows"),
        ({"total": 120, "rows": []}, ""),
    ],
)
def test_an_empty_result_found_nothing(data, place):
    assert found("empty", data) == (f"data-on-empty {place}" if place else "")


@pytest.mark.parametrize(
    ("data", "has_one"),
    [
        ({"rows": [{"id": 1}]}, False),
        ({"rows": [{"id": 1}], "row_count": 1}, False),
        ([{"id": 1}], False),
        ({"table": {"name": "a", "columns": []}}, False),
        # what a row holds says nothing of the result
        ({"rows": [{"text": "only half of it is missing"}]}, False),
        ({"title": "A long title of a book", "pages": [1]}, True),
        ({"title": "A long title of a book", "rows": [1]}, False),
        # a caveat in another language
        ({"rows": [1], "bemerkung": "Zwei Tabellen waren nicht lesbar."}, True),
        ({"rows": [1], "info": "一部のデータを読み込めませんでした"}, True),
        ({"rows": [1], "bemerkung": ""}, False),
        (None, True),
        ("The first half.", True),
        ({"rows": [], "truncated": True}, True),
        ({"done": ["a"], "pending": ["b"]}, True),
        ({"rows": [], "summary": "2 of 8 tables timed out"}, True),
        ({"rows": [], "meta": {"skipped": 3}}, True),
        ({"rows": [{"id": 1, "status": "timeout"}]}, True),
        ([{"id": 1, "error": None}], True),
        ({"indexed": ["a"], "unindexed": ["b"]}, True),
    ],
)
def test_a_partial_result_has_a_caveat(data, has_one):
    assert found("partial", data) == ("" if has_one else "partial-caveat /data")


def test_a_reason_on_a_partial_result_is_reported_as_that():
    assert found("partial", {"n": 1}, degradation_reason="fan_out_join") == ""


@pytest.mark.parametrize(("status", "data"), [("success", []), ("empty", [1]), ("partial", {"n": 1})])
def test_data_next_to_an_error_are_not_another_contradiction(status, data):
    assert found(status, data, error={"kind": "unknown_name"}) == ""
    assert found(status, data) != ""


KEYS = [
    *("rows", "results", "total", "count", "n", "suggestions", "errors", "id", "name", "message", "error", "success"),
    *("confidence", "provenance", "score", "similarity", "warnings", "skipped", "err", "source", "observed_in", "a/b"),
]
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just("KeyError: 1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(DATA, st.sampled_from(["success", "empty", "partial", "degraded", "x"]), st.sampled_from([[], ["list", "rows"]]))
@settings(max_examples=300, deadline=None)
def test_any_data_are_read_without_a_crash(data, status, tool):
    envelope = {**SUCCESS, "status": status, "data": data}
    for breach in (*meaning_breaches(envelope, tool), *field_breaches(envelope, tool)):
        assert breach.message.endswith((".", "?"))
        assert breach.path.startswith("/data")


@pytest.mark.parametrize("status", ["success", "empty", "partial"])
@pytest.mark.parametrize(
    "data",
    [
        "no " * 3_000_000,
        {"summary": "a" * 10_000_000},
        {"a" * 5_000_000: []},
        {"rows": [{"a": 1}] * 100_000},
        {f"k{number}": [] for number in range(50_000)},
        {f"k{number}": {"confidence": 0.5, "name": "a", "score": 0.3} for number in range(20_000)},
    ],
    ids=["words", "text", "name", "rows", "lists", "scores"],
)
def test_large_data_are_read_in_no_time(status, data):
    begun = time.process_time()
    envelope = {**SUCCESS, "status": status, "data": data}
    assert len([*meaning_breaches(envelope), *field_breaches(envelope)]) <= 21
    assert time.process_time() - begun < 30


@pytest.mark.parametrize("status", ["degraded", "error", "refused", "ok", None, 3])
@pytest.mark.parametrize("data", [[], [1], {"rows": []}, {"n": 1}])
def test_other_statuses_promise_nothing_here(status, data):
    assert found(status, data) == ""
