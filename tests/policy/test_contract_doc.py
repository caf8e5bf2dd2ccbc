"""The contract document changes where it speaks of a tool whose schemas changed."""

from __future__ import annotations

import pytest

from mcp_governor.change.model import Change
from mcp_governor.change.vocabulary import Side
from mcp_governor.findings import Bump, Verdict
from mcp_governor.policy.contract_doc import check_contract_doc

HEADINGS = "# Contract\n\n## `search`\n\nTakes `q`.\n\n### Errors\n\nNone.\n\n## `fetch`\n\nTakes `id`.\n"
BARE = HEADINGS.replace("### Errors\n\nNone.\n\n", "")
PROSE = (
    "# Contract\n\nThe tool search takes `q`.\n\nThe tool fetch takes `id`.\n\n"
    "| tool | x |\n|---|---|\n| search | 1 |\n"
)


def change(tool: str | None, kind: str = "argument-added", side: Side = Side.INPUT) -> Change:
    return Change(kind, tool, "/inputSchema", side, Verdict.COMPATIBLE, Bump.MINOR)


def said(old: str | None, new: str, *changes: Change) -> list[tuple[str, str | None]]:
    found = check_contract_doc(old, new, changes, doc="docs/CONTRACT.md")
    return [(finding.rule.removeprefix("policy/contract-doc-"), finding.tool) for finding in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (HEADINGS, HEADINGS, [("unchanged", "search")]),
        (HEADINGS, HEADINGS.replace("Takes `q`.", "Takes `q` and `x`."), []),
        (HEADINGS, HEADINGS.replace("None.", "Some."), []),
        (HEADINGS, HEADINGS.replace("Takes `id`.", "Takes `id`, really."), [("unchanged", "search")]),
        (HEADINGS, HEADINGS.replace("Takes `q`.", "Takes   `q`.\n").replace("\n", "\r\n"), [("unchanged", "search")]),
        (BARE, BARE.replace("Takes `id`.", "Takes `id`, really."), [("unchanged", "search")]),
        (HEADINGS, HEADINGS + "\n## `new`\n\nOther.\n", [("unchanged", "search")]),
        (PROSE, PROSE, [("unchanged", "search")]),
        (PROSE, PROSE.replace("takes `q`", "takes `x`"), []),
        (PROSE, PROSE.replace("| search | 1 |", "| search | 2 |"), []),
        (PROSE, PROSE.replace("takes `id`", "takes `x`"), [("unchanged", "search")]),
        (None, HEADINGS, []),
        (HEADINGS, "# Contract\n", [("missing-tool", "search")]),
        (None, "# Contract\n\nresearch and search-all\n", [("missing-tool", "search")]),
    ],
)
def test_one_tool_changed(old: str | None, new: str, expected: list[tuple[str, str]]) -> None:
    assert said(old, new, change("search")) == expected


def test_only_schemas_count() -> None:
    assert said(HEADINGS, HEADINGS, change("search", "description-changed", Side.SURFACE), change(None)) == []


def test_a_new_tool_is_described() -> None:
    assert said(HEADINGS, HEADINGS, change("new", "tool-added", Side.SURFACE)) == [("missing-tool", "new")]


def test_each_tool_is_reported_once() -> None:
    assert said(HEADINGS, HEADINGS, change("search"), change("search"), change("fetch")) == [
        ("unchanged", "search"),
        ("unchanged", "fetch"),
    ]


def test_what_is_accepted_is_about_the_changes_of_the_tool() -> None:
    def accepted(*changes: Change) -> str:
        return next(iter(check_contract_doc(HEADINGS, HEADINGS, changes, doc="docs/CONTRACT.md"))).id

    assert accepted(change("search"), change("fetch")) == accepted(change("search"))
    assert accepted(change("search", "argument-removed")) != accepted(change("search"))
