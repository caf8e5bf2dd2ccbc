"""The skill that our own server publishes, read as a client reads it."""

from __future__ import annotations

import pytest
from inprocess import ObjectEndpoint

from mcp_governor.rules import lint
from mcp_governor.server import server_here
from mcp_governor.surface import build_surface
from mcp_governor.wire import read
from mcp_governor.wire.duplex import run
from mcp_governor.wire.opening import connect
from mcp_governor.wire.rpc import RpcError

SERVER = ObjectEndpoint(server_here())
URI = "skill://govern-mcp-server/SKILL.md"


def test_it_is_what_its_entry_says_and_names_tools_that_exist() -> None:
    surface = build_surface(read(SERVER).raw)
    [skill] = surface.skills
    assert skill.uri == URI
    assert not [found for found in lint(surface) if "/skill" in found.path or "skill" in found.rule]
    named = set((skill.text or "").split("`")[1::2])
    assert {"check_server", "explain_finding", "draft_changelog", "references/verdicts.md"} == named
    assert f"{skill.root}/references/verdicts.md" in skill.files


def test_get_answers_for_the_skill_and_for_no_other() -> None:
    async def ask(uri: str):
        async with connect(SERVER) as session:
            return await session.request("skills/get", {"uri": uri})

    assert run(ask, URI)["skill"]["frontmatter"]["name"] == "govern-mcp-server"
    with pytest.raises(RpcError) as refused:
        run(ask, "skill://other/SKILL.md")
    assert refused.value.code == -32602
