"""Which descriptions are evidence enough for a correction that narrows a schema."""

from __future__ import annotations

import pytest

from mcp_governor.fixes.corrections import is_stated


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
    ],
)
def test_a_list_that_is_announced_and_ends_is_evidence(text, values):
    assert is_stated(text, {"enum": values})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # amounts and conditions that hold words
        ("Net debit/credit (positive = debit/cost, negative = credit/proceeds).", ["credit", "proceeds"]),
        ("Required if the order's `type` was `limit` or `stop_limit`.", ["limit", "stop_limit"]),
        ('For action="style": hex color (#RRGGBB), or "none" to remove it', ["style", "none"]),
        ("[managed/direct] Host name. Use this or the ARN.", ["managed", "direct"]),
        # lists that go on, or hold only some of the values
        ('"A": as it is. "B": as a guest. "C": the default', ["A", "B"]),
        ("One of 'TITLE', 'SUBTITLE', 'HEADING_1' through 'HEADING_6'.", ["TITLE", "SUBTITLE", "HEADING_1"]),
        ("Supported categories include: food, hotel, shop", ["food", "hotel", "shop"]),
        ("Sheet, e.g. Sheet1 or 0", ["Sheet1", "0"]),
        ('Time to look back - "1h", "24h", "7d"', ["1h", "24h", "7d"]),
        ('"Sheet1" (name) or "0" (index, 0-based)', ["Sheet1", "0"]),
        ("Optional JSON string. Supported filters: AccountId, Association", ["AccountId", "Association"]),
        ("Any of the dimensions Region, Zone or 'Tag:<key>'", ["Region", "Zone"]),
        ("Size: small, medium or large. Other sizes are scaled.", ["small", "medium", "large"]),
        ("'html' or 'text' (case-insensitive)", ["html", "text"]),
        ("open, closed, or *", ["open", "closed"]),
        # words that are no values
        ("Filter by MIME type. Most binary files (PNG, JPG, PDF) have the same one", ["PNG", "JPG", "PDF"]),
        ("Contiguous range of rows to delete at once (1-based, inclusive).", ["1-based", "inclusive"]),
        ("Default: the top level. Scatter and bubble: x values.", ["Scatter", "bubble"]),
        ("Valid values are per-project.", ["per-project"]),
        ("\u8ddd\u79bb,1\u4ee3\u8868", ["\u8ddd\u79bb", "1\u4ee3\u8868"]),
        ("The type of filter match", ["EQUALS", "ANY_OF"]),
    ],
)
def test_what_is_only_likely_is_a_question(text, values):
    assert not is_stated(text, {"enum": values})


@pytest.mark.parametrize(
    ("text", "bounds", "stated"),
    [
        ("Results per page (max 100)", {"maximum": 100}, True),
        ("Total of points, 1-10000 (default 1000).", {"minimum": 1, "maximum": 10000}, True),
        ("Higher values (100-1000) are slower.", {"maximum": 1000}, False),
        ("Walking: 0-500. Driving: 1000-5000.", {"maximum": 500}, False),
        ('OS versions, as ">=18" or "18.6"', {"minItems": 18}, False),
        ("1-based; negative = from the end", {"minimum": 1}, False),
    ],
)
def test_a_limit_is_evidence_where_it_holds_without_a_condition(text, bounds, stated):
    assert is_stated(text, bounds) is stated
