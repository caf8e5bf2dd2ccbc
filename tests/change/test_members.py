"""What a change of a member outside of schemas is, as docs/compatibility.md says it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_governor.change import catalogue, compare
from mcp_governor.findings import Bump
from mcp_governor.surface import fingerprint, wording_fingerprint
from mcp_governor.surface.messages import table
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
    if member.of == "tool" and (member.role == CONTRACT or not member.name.startswith("_meta")):
        digest = fingerprint if member.role == CONTRACT else wording_fingerprint
        assert digest(with_member(member, member.old)) != digest(with_member(member, member.new))


COMPARED_IN_OTHER_TABLES = {
    "server": {"name", "version", "description"},
    "tool": {"name", "description", "inputSchema"},
    "prompt": {"name", "description", "arguments", "_meta"},
    "resource": {"uri", "description"},
    "template": {"uriTemplate", "name", "title", "description", "annotations", "_meta"},
}
"""What other tests change: names, descriptions and schemas; and what a template has in common with a resource."""


@pytest.mark.parametrize(
    ("of", "kind"),
    [
        ("server", "Implementation"),
        ("tool", "Tool"),
        ("prompt", "Prompt"),
        ("resource", "Resource"),
        ("template", "ResourceTemplate"),
    ],
)
def test_every_member_of_the_protocol_is_decided(of: str, kind: str) -> None:
    decided = {re.split(r"[.,]", member.name)[0] for member in MEMBERS if member.of == of}
    assert set(table()[kind]) - decided == COMPARED_IN_OTHER_TABLES[of]


def test_the_page_has_each_member() -> None:
    section = PAGE.read_text("utf-8").partition("## Members outside of schemas")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\w+) \| `?([^`|]+?)`? \| (contract|wording|noise) \|", section, re.M)
    assert rows == [(member.of, member.name, member.role) for member in MEMBERS]
    assert {role for _, _, role in rows} == {CONTRACT, WORDING, NOISE}
