"""One thing under several names, values in two spellings, names in two styles: what a message says of them."""

from __future__ import annotations

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.surface import build_surface

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def messages(rule: str, *tools: dict) -> list[str]:
    return [found.message for found in lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))]


def tool(name: str, **arguments: dict) -> dict:
    return {"name": name, "inputSchema": {"type": "object", "properties": arguments}}


def test_two_families_are_two_findings_and_three_are_one() -> None:
    two = (tool("a", planId=TEXT, limit=NUMBER), tool("b", planid=TEXT, maxResults=NUMBER))
    assert messages("clarity/inconsistent-names", *two) == [
        "One thing has several names: planId (1 tool: a); planid (1 tool: b).",
        "One thing has several names: limit (1 tool: a); maxResults (1 tool: b).",
    ]
    three = (
        tool("a", planId=TEXT, limit=NUMBER, repo=TEXT),
        tool("b", planid=TEXT, maxResults=NUMBER, repository=TEXT),
    )
    assert len(messages("clarity/inconsistent-names", *three)) == 1


def test_a_plural_of_the_same_type_is_the_same_thing_for_settings_alone() -> None:
    assert len(messages("clarity/inconsistent-names", tool("a", filter=TEXT), tool("b", filters=TEXT))) == 1
    assert messages("clarity/inconsistent-names", tool("a", filter=TEXT), tool("b", filters={"type": "array"})) == []
    assert messages("clarity/inconsistent-names", tool("a", tag=TEXT), tool("b", tags=TEXT)) == []


def test_values_are_compared_over_arguments_and_items() -> None:
    one = tool("a", op={"enum": ["Add", "Remove", "Keep"]})
    other = tool("b", ops={"type": "array", "items": {"enum": ["add", "remove", "keep"]}})
    assert messages("clarity/inconsistent-values", one, other) == [
        "The same values are spelled in two ways: Add and add, Keep and keep (op of a; ops of b)."
    ]
    assert messages("clarity/inconsistent-values", one, tool("b", op={"enum": ["add", "Remove", "Keep"]})) == []


def test_the_rarer_style_is_the_one_that_is_listed() -> None:
    camel = dict.fromkeys(("userId", "planId", "runId", "teamId", "sortBy", "maxCount", "startDate", "endDate"), TEXT)
    found = messages(
        "clarity/argument-case", tool("a", **camel), tool("b", created_by=TEXT), tool("c", created_by=TEXT)
    )
    assert found == ["In snake_case among 8 names in camelCase: created_by (b, …)."]
    few = dict(list(camel.items())[:7])
    assert messages("clarity/argument-case", tool("a", **few), tool("b", created_by=TEXT)) == []
