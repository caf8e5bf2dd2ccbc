"""What real servers changed, as people judged it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_governor.change import Change, Level, Side, Verdict
from tests.change.conftest import Comparer

FIXTURE = Path(__file__).parents[2] / "fixtures" / "changes" / "releases.json"
RELEASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text())

# label rule → why the design decides otherwise
POLICY_WINS = {"format-added": "a format is an annotation"}
# (tool, pointer) → why it is not told
NOT_REPORTED = {
    ("search_documentation", "/outputSchema/$defs/SearchResult/properties/query_id"): "its list is gone as a whole"
}


def _name(release: dict[str, Any]) -> str:
    return f"{release['package']}-{release['from']}-{release['tool']}-{release['side']}"


def _concerns(change: Change, label: dict[str, Any]) -> bool:
    return change.path.startswith(label["path"]) or label["path"].startswith(change.path)


@pytest.mark.parametrize("release", RELEASES, ids=_name)
def test_as_people_judged(comparer: Comparer, release: dict[str, Any]) -> None:
    changes = comparer.schemas(release["old"], release["new"], Side(release["side"]))
    breaks = [change for change in changes if change.verdict is not Verdict.COMPATIBLE]
    explained = set()
    for label in release["labels"]:
        found = [change for change in breaks if _concerns(change, label)]
        explained |= {change.id for change in found}
        if label["rule"] not in POLICY_WINS and (release["tool"], label["path"]) not in NOT_REPORTED:
            assert bool(found) == label["breaking"], label
    assert {change.id for change in breaks} == explained


@pytest.mark.parametrize("release", RELEASES, ids=_name)
def test_breaks_are_witnessed_where_a_schema_can_show_them(comparer: Comparer, release: dict[str, Any]) -> None:
    by_policy = {"argument-removed", "argument-renamed", "output-field-removed", "output-field-renamed"}
    for level in Level:
        for change in comparer.schemas(release["old"], release["new"], Side(release["side"]), level=level):
            if change.verdict is Verdict.BREAKING and change.kind not in by_policy:
                assert change.has_witness, change
            assert change.verdict is not Verdict.UNKNOWN, change
