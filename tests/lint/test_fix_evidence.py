"""Which descriptions are evidence enough for a correction that narrows a schema."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings, lint
from mcp_governor.surface import build_surface

RULES = ("clarity/closed-list", "clarity/limit-without-bound", "clarity/plain-limit")


def _corrected(schema, tool=""):
    """The keywords that the corrections of one parameter add."""
    root = {"type": "object", "properties": {"kind": schema}}
    surface = build_surface({"tools": [{"name": "get", "description": tool, "inputSchema": root}]})
    found = lint(surface, LintSettings(select=RULES))
    edits = [edit for one in found if one.correction is not None for edit in one.correction.edits]
    return bool(found), {edit.path.rpartition("/")[2]: edit.value for edit in edits}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('"buy" or "sell".', ["buy", "sell"]),
        ("One of: name, date, size", ["name", "date", "size"]),
        ("annotation or alert", ["annotation", "alert"]),
        ("Cloud provider (gcp, aws, azure)", ["gcp", "aws", "azure"]),
        ("Theme for the rendered image: light or dark. Defaults to dark", ["light", "dark"]),
        ("State on execution error — NoData, Alerting, OK", ["NoData", "Alerting", "OK"]),
        ("The status of the incidents to include. Valid values: 'active', 'resolved'", ["active", "resolved"]),
        ('Output format: "json" or "csv"', ["json", "csv"]),
        ("Optional NYSE, NASDAQ or OTC", ["NYSE", "NASDAQ", "OTC"]),
    ],
)
def test_a_list_that_is_announced_and_ends_is_evidence(text, values):
    assert _corrected({"type": "string", "description": text})[1] == {"enum": values}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        # lists that may go on, have other values besides, or stand in the middle
        ("Size: small, medium or large. Other sizes are scaled.", True),
        ("'html' or 'text' (case-insensitive)", True),
        ('"day" (default) or "week". The API does not know "month".', True),
        ("[managed/direct] Which way to use. Use this or the name.", True),
        ("A unit, one of those that the metric has declared (day, week, month, quarter)", True),
        ('Must be "image".', True),
        ("Supported categories include: food, hotel, shop", True),
        ("Sheet, e.g. Sheet1 or 0", False),
        ("Required if the order's `type` was `limit` or `stop_limit`.", False),
        ("Contiguous range of rows to delete at once (1-based, inclusive).", False),
    ],
)
def test_what_is_only_likely_is_a_question(text, is_found):
    found, added = _corrected({"type": "string", "description": text})
    assert (found, added) == (is_found, {})


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("Results per page (max 100)", {"maximum": 100}),
        ("Total of points, 1-10000 (default 1000).", {"minimum": 1, "maximum": 10000}),
        ("Higher values are slower (max 1000).", {}),
        ("At most 100; negative = from the end", {}),
    ],
)
def test_a_limit_is_evidence_where_it_holds_without_a_condition(text, added):
    found, corrected = _corrected({"type": "integer", "description": text})
    assert found
    assert corrected == added


def test_the_entry_in_the_description_of_the_tool_counts():
    tool = 'Gets it.\n\nArgs:\n    kind: "row" or "column"\n    mode: "x" or "y"\n'
    assert _corrected({"type": "string"}, tool)[1] == {"enum": ["row", "column"]}
