"""The index of a thousand servers in a browser: it filters at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers import driven

from mcp_governor.fleet.model import Fleet, Row, RowChange
from mcp_governor.fleet.page import render_index

CHANGE = RowChange("id", "tool-removed", "breaking", "Tool `x` is gone.", "x")


def row(at: int) -> Row:
    tools = tuple(f"tool_{at}_{number}" for number in range(13))
    name = f"team/server-{at}"
    if at % 10 == 3:
        return Row(name=name, target="pypi:x", outcome="unreachable", why="its last line: no key is set")
    changes = (CHANGE,) * 20 if at % 10 == 7 else ()
    outcome = "drifted" if changes else "same"
    return Row(name=name, target="t", outcome=outcome, version="1.0", tools=tools, tokens=900, changes=changes)


@pytest.mark.live
def test_a_thousand_servers_filter_in_a_browser(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text(render_index(Fleet("fleet", "check", tuple(map(row, range(1_000)))), "servers", {}))
    found = driven(Path(__file__).with_name("index.mjs"), str(page), folder=tmp_path)
    assert found["said"] == []
    steps = {step["name"]: step for step in found["steps"]}
    assert len(steps["open"]["rows"]) == 1_000
    named = [f"team/server-{at}" for at in (17, *range(170, 180))]
    assert sorted(steps["name"]["rows"]) == sorted(named)
    assert steps["name"]["shown"] == "11 of 1000 shown"
    assert steps["none"]["rows"] == []
    assert len(steps["all"]["rows"]) == 1_000
    assert len(steps["outcome"]["rows"]) == 200
    assert max(step["seconds"] for step in steps.values()) < 1, "processor time of the page, not time on the wall"
    assert found["narrow"] == {"wide": 0, "heads": []}, "the table scrolls, not the page, and no heading is broken"
