"""What is folded with the wording, and what is shown though it asks for a patch only."""

from __future__ import annotations

from typing import Any

from mcp_governor.change import compare
from mcp_governor.checking.model import Report
from mcp_governor.findings import Bump
from mcp_governor.report.groups import counted_changes, group_of
from mcp_governor.report.lines import plain_text
from mcp_governor.report.text import report_lines
from mcp_governor.surface import build_surface


def schema(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **more}}}


def changes(old: dict[str, Any], new: dict[str, Any]) -> tuple[Any, ...]:
    before, after = (build_surface({"tools": [{"name": "t", "inputSchema": item}]}) for item in (old, new))
    return tuple(compare(before, after))


def test_a_closed_input_is_a_compatible_change_that_is_shown() -> None:
    found = changes(schema(), {**schema(), "additionalProperties": False})
    assert [(group_of(change), change.bump) for change in found] == [("compatible", Bump.PATCH)]
    text = plain_text(report_lines(Report(target="t", changes=found)))
    assert "+ t: Undeclared keys are now refused.  input-closed" in text
    assert "wording" not in text
    assert counted_changes(found) == "1 compatible change"


def test_words_and_spelling_are_folded() -> None:
    for old, new in ((schema(description="A."), schema(description="B.")), (schema(enum=["x"]), schema(const="x"))):
        found = changes(old, new)
        assert [group_of(change) for change in found] == ["wording"]
        text = plain_text(report_lines(Report(target="t", changes=found)))
        assert "1 change of wording only, shown with -v" in text
        assert found[0].kind not in text
        assert found[0].kind in plain_text(report_lines(Report(target="t", changes=found), verbose=1))
