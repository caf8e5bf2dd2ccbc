"""What a change of a member outside of schemas is, as docs/compatibility.md says it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_governor.change import catalogue, compare
from mcp_governor.findings import Bump
from tools.compatibility_page import CONTRACT, MEMBERS, NOISE, WORDING, Member, with_member

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: f"{member.of} {member.name}")
def test_a_change_of_a_member_is_what_the_table_says(member: Member) -> None:
    changes = compare(with_member(member, member.old), with_member(member, member.new))
    if member.role == NOISE:
        assert changes == []
        return
    [change] = changes
    known = catalogue()[change.kind]
    assert (change.bump is Bump.PATCH) == (member.role == WORDING)
    assert known.wording == (member.role == WORDING)


def test_the_page_has_each_member() -> None:
    section = PAGE.read_text("utf-8").partition("## Members outside of schemas")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\w+) \| `?([^`|]+?)`? \| (contract|wording|noise) \|", section, re.M)
    assert rows == [(member.of, member.name, member.role) for member in MEMBERS]
    assert {role for _, _, role in rows} == {CONTRACT, WORDING, NOISE}
