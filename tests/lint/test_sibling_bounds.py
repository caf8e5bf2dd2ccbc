"""A parameter is limited as in other tools, unless its own text or its own keywords say something else."""

from __future__ import annotations

import pytest

from mcp_governor.prose.shown_values import declared_values, shown_values
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

COUNT = {"type": "integer", "maximum": 100}
SKU = {"type": "string", "pattern": "^[A-Z]{4}$"}
DAY = {"type": "string", "format": "date"}


def found(name: str, limited: dict, own: dict, tool: str = "") -> int:
    schemas = (limited, limited, {"type": limited["type"], **own})
    tools = [
        {"name": f"list_{at}", "description": tool, "inputSchema": {"type": "object", "properties": {name: schema}}}
        for at, schema in enumerate(schemas)
    ]
    return len(lint(build_surface({"tools": tools}), LintSettings(select=("clarity/sibling-bound",))))


@pytest.mark.parametrize(
    ("name", "limited", "silent", "said"),
    [
        ("page_size", COUNT, {"description": "Results; at most 1000."}, {"description": "Results per page."}),
        ("page_size", COUNT, {"description": "Results; at most 100."}, {"description": "Results, 20 if left out."}),
        (
            "page_size",
            COUNT,
            {"description": "Results; 1,000 in one call."},
            {"description": "Results; 10 in one call."},
        ),
        ("count", COUNT, {"minimum": 500}, {"minimum": 1}),
        ("count", COUNT, {"enum": [5, 10]}, {"examples": [5, 10]}),
        ("count", COUNT, {"exclusiveMinimum": 100.5}, {"exclusiveMinimum": 0}),
        ("count", COUNT, {"examples": [5, 500]}, {"examples": [5, 50]}),
        ("sku", SKU, {"description": "Article, e.g. 'ab-12'."}, {"description": "Article, e.g. 'ABCD'."}),
        ("sku", SKU, {"description": "Article, such as lamp."}, {"description": "Article, such as LAMP."}),
        ("sku", SKU, {"description": "Article or its name."}, {"description": "Article."}),
        ("sku", SKU, {"description": "Article, written as owner/repo."}, {"description": "Article, as printed."}),
        ("sku", SKU, {"maxLength": 3}, {"minLength": 1}),
        ("since_day", DAY, {"description": "First day, or 'today'."}, {"description": "First day."}),
        ("since_day", DAY, {"description": "First day ('last-monday')."}, {"description": "First day ('2026-01-02')."}),
    ],
)
def test_what_the_parameter_says_itself_wins(name, limited, silent, said):
    assert found(name, limited, silent) == 0
    assert found(name, limited, said) == 1


def test_a_format_that_the_text_of_the_others_contradicts_is_no_example():
    moment = {"type": "string", "format": "date-time"}
    assert found("opened_after", {**moment, "description": "Opened after this time"}, {}) == 1
    assert found("opened_after", {**moment, "description": "Both YYYY-MM-DD and a time are taken"}, {}) == 0
    assert found("opened_after", {**moment, "description": "Opened after (YYYY-MM-DD)"}, {}) == 0
    assert found("opened_after", {**moment, "description": "Opened after (YYYY-MM-DDThh:mm:ssZ)"}, {}) == 1


def test_a_pattern_is_read_as_ecmascript_and_cannot_take_forever():
    letters = {"type": "string", "pattern": r"^\p{L}+$"}
    assert found("sku", letters, {"description": "Article, e.g. 'lamp'."}) == 1
    assert found("sku", letters, {"description": "Article, e.g. '12'."}) == 0
    assert found("sku", {"type": "string", "pattern": "^("}, {"description": "Article, e.g. 'lamp'."}) == 0
    nested = {"type": "string", "pattern": "^(a+)+$"}
    assert found("sku", nested, {"description": f"Article, e.g. '{'a' * 60}!'."}) == 0


@pytest.mark.parametrize("value", [None, True, "100", ["date"], {"a": 1}])
@pytest.mark.parametrize(
    ("name", "keyword", "kind"),
    [("count", "maximum", "integer"), ("sku", "format", "string"), ("sku", "pattern", "string")],
)
def test_a_keyword_of_another_type_limits_nothing(name, keyword, kind, value):
    if isinstance(value, str) and keyword == "pattern":
        value = 5
    assert found(name, {"type": kind, keyword: value}, {"default": 5, "description": "Article, e.g. 'lamp'."}) == 0


def test_what_the_tool_says_about_the_parameter_counts():
    assert found("page_size", COUNT, {}, "Lists.\n\nArgs:\n  page_size: Results, at most 1000") == 0
    assert found("page_size", COUNT, {}, "Lists.\n\nArgs:\n  page_size: Results") == 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A code, e.g. usd", ["usd"]),
        ("A code, for example `eur`, not 'euro'", ["eur"]),
        ("A code such as EUR, usd or gbp.", ["EUR", "usd", "gbp"]),
        ("A code, e.g. as on the page", []),
        ("#RRGGBB or #RRGGBBAA", ["#RRGGBBAA"]),
        ("A page or its number", []),
        ("Pairs, key:value, key:value", ["key:value, key:value"]),
        ("Required for 'create' and 'update'", []),
        ("Written 'YYYY-MM-DD' or '<day>' or '...'", []),
        ("The user's page and the owner's", []),
        ("Asks 'how were my days last year'", []),
    ],
)
def test_values_that_a_text_shows(text, values):
    assert list(shown_values(text)) == values


def test_values_that_a_schema_shows():
    schema = {"default": "a", "examples": ["b", 1], "items": {"enum": ["c"]}, "anyOf": [{"const": "d"}, True]}
    assert list(declared_values(schema)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "piece", ["'", "e.g. a, ", "or a/", "a:b,", "'a' and ", "or ", "not ", "a" * 60, "such as a or "]
)
def test_a_hostile_text_is_read_to_a_limit(piece):
    text = piece * (1_000_000 // len(piece))
    assert list(shown_values(text)) == list(shown_values(text[:2_000]))
