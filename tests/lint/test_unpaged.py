"""Lists with a limit and no way to what lies beyond it, beside lists that have one (clarity/unpaged)."""

from __future__ import annotations

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def tool(name: str, **arguments: dict) -> dict:
    return {"name": name, "inputSchema": {"type": "object", "properties": arguments}}


PAGED = (tool("get_boxes", limit={}, page={}), tool("get_lids", cursor={}), tool("list_keys", cursor={}))


def found(*tools: dict) -> list[tuple[str, list[tuple[str | None, str]]]]:
    findings = lint(build_surface({"tools": [*PAGED, *tools]}), LintSettings(select=("clarity/unpaged",)))
    return [(one.message, [(spot.tool, spot.path) for spot in one.spots]) for one in findings]


def test_the_limit_is_named_and_its_place_shown_beside_lists_that_have_pages() -> None:
    within = {"properties": {"max_results": {"type": "integer"}}}
    assert found(tool("list_notes", top={}, color={}), tool("list_rows", filter=within)) == [
        (
            "Lists have a limit, but no page or cursor, unlike list_keys, get_boxes: "
            "top (list_notes), max_results (list_rows).",
            [
                ("list_notes", "/inputSchema/properties/top"),
                ("list_rows", "/inputSchema/properties/filter/properties/max_results"),
            ],
        )
    ]


def test_a_list_without_a_limit_and_what_is_no_list_are_left_alone() -> None:
    assert found(tool("list_notes", color={}), tool("find_notes", limit={}), tool("list_rows", limit={}, page={})) == []


def test_it_is_a_remark() -> None:
    (finding,) = lint(
        build_surface({"tools": [*PAGED, tool("list_notes", top={})]}), LintSettings(select=("clarity/unpaged",))
    )
    assert finding.severity == "info"
    assert "clarity/unpaged" in {
        one.rule for one in lint(build_surface({"tools": [*PAGED, tool("list_notes", top={})]}))
    }
