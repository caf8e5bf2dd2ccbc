"""What a session notes of messages that clients cannot read, and what the rules make of it; without a process."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import Any

import pytest
from specimens import LEGACY, MODERN, conversation

from mcp_governor.errors import UnreachableError
from mcp_governor.rules import LintSettings, lint
from mcp_governor.surface import build_surface
from mcp_governor.wire import Era, read
from mcp_governor.wire.duplex import Duplex
from mcp_governor.wire.stdio import gone
from mcp_governor.wire.transport import Inbox

METHODS = {"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list"}


class Spoken:
    """An endpoint: each answer is a line of stdout, after ``before``."""

    shown, runs_code = "spoken", False

    def __init__(self, answers: dict[str, Any], before: bytes = b"", dies_at: str = "", **beside: Any) -> None:
        self.answers, self.before, self.dies_at, self.beside = answers, before, dies_at, beside
        self.only_era = Era.LEGACY if "initialize" in answers else Era.MODERN

    @asynccontextmanager
    async def open(self, limits: Any, inbox: Inbox):
        self.duplex = Duplex(self.send, inbox)
        yield self.duplex

    async def send(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            return
        if message["method"] == self.dies_at:
            raise gone(7)
        answer = self.answers[message["method"]]
        if isinstance(answer, list):
            answer = answer[int((message.get("params") or {}).get("cursor", 0))]
        said = {"jsonrpc": "2.0", "id": message["id"], "result": answer, **self.beside}
        for line in (self.before + json.dumps(said).encode()).split(b"\n"):
            await self.duplex.feed(line)


def spoken(protocol: str, *changes: tuple[str, str, Any]) -> dict[str, Any]:
    """A conversation with members of results set."""
    said = conversation(protocol)
    for method, member, value in changes:
        said[method][member] = value
    return said


def found(
    answers: dict[str, Any], *rules: str, before: bytes = b"", beside: dict[str, Any] | None = None
) -> list[tuple[str, str]]:
    surface = build_surface(read(Spoken(answers, before, **(beside or {}))).raw)
    chosen = rules or ("spec/message-members", "spec/server-info", "spec/list-cursor", "spec/stdout-messages-only")
    return [(one.path, one.message) for one in lint(surface, LintSettings(select=chosen))]


@pytest.mark.parametrize("protocol", ["2024-11-05", LEGACY, MODERN])
def test_nothing_is_said_of_a_conversation_with_every_member(protocol: str) -> None:
    assert found(conversation(protocol)) == []


@pytest.mark.parametrize("protocol", [LEGACY, MODERN])
@pytest.mark.parametrize("value", [None, 7, []])
def test_members_of_the_handshake_and_of_lists_are_reported_by_place(protocol: str, value: Any) -> None:
    handshake = "initialize" if protocol == LEGACY else "server/discover"
    said = spoken(
        protocol,
        (handshake, "instructions", value),
        (handshake, "capabilities", {**conversation(protocol)[handshake]["capabilities"], "logging": value}),
        *((method, "_meta", value) for method in METHODS.values()),
    )
    shown = {None: "null", 7: "7"}.get(value if value != [] else "", "an array")
    assert dict(found(said)) == {
        place: f"Official clients refuse a message: {place[1:]} is {shown}, not {wanted}."
        for place, wanted in {
            "/instructions": "a string",
            "/capabilities/logging": "an object",
            **{f"/listings/{key}/_meta": "an object" for key in METHODS},
        }.items()
    }


def test_parts_of_the_handshake_that_are_no_objects() -> None:
    said = spoken(LEGACY, ("initialize", "capabilities", None), ("initialize", "serverInfo", "x"))
    assert [path for path, _ in found(said)] == ["/capabilities", "/serverInfo"]
    del said["initialize"]["serverInfo"]
    assert [message for path, message in found(said) if path == "/serverInfo"] == [
        "Official clients refuse a message: serverInfo is missing."
    ]


@pytest.mark.parametrize("beside", [{"method": None}, {"params": None}, {"zzz": 1}])
def test_a_member_beside_results_is_reported_once(beside: dict[str, Any]) -> None:
    (member,) = beside
    messages = [message for _, message in found(conversation(LEGACY), beside=beside)]
    assert messages == [
        f'Official clients refuse a message: the response to initialize has a member "{member}" beside its result.'
    ]


def test_the_language_of_texts_is_kept() -> None:
    said = conversation(MODERN)
    said["tools/list"]["_meta"] = {"io.modelcontextprotocol/contentLanguage": "de-CH"}
    said["prompts/list"]["_meta"] = {"io.modelcontextprotocol/contentLanguage": 7}
    listings = read(Spoken(said)).raw["listings"]
    assert listings["tools"][0]["contentLanguage"] == "de-CH"
    assert "contentLanguage" not in listings["prompts"][0]


def test_a_value_is_not_repeated() -> None:
    said = spoken(LEGACY, ("initialize", "instructions", ["sk-" + "a" * 40] * 3))
    assert "sk-" not in str(found(said))


def test_many_members_are_not_many_findings() -> None:
    said = spoken(LEGACY, ("initialize", "capabilities", {"experimental": dict.fromkeys(map(str, range(1000)))}))
    assert len(found(said)) == 20


def test_a_byte_order_mark_is_an_error_and_hides_nothing() -> None:
    messages = [message for _, message in found(conversation(LEGACY), before=b"\xef\xbb\xbf")]
    assert len(messages) == 1
    assert "byte-order mark" in messages[0]


def test_noise_is_told_from_a_byte_order_mark() -> None:
    ((path, message),) = found(conversation(LEGACY), before=b"ready\n")
    assert path == "/conversation/noise"
    assert '"ready"' in message


def test_tools_beyond_the_first_page_are_counted() -> None:
    said = conversation(LEGACY)
    tool = said["tools/list"]["tools"][0]
    pages = [[f"a{n}" for n in range(8)], [f"b{n}" for n in range(6)]]
    said["tools/list"] = [
        {"tools": [{**tool, "name": name} for name in pages[0]], "nextCursor": "1"},
        {"tools": [{**tool, "name": name} for name in pages[1]]},
    ]
    ((_, message),) = found(said, "clients/typescript-first-page")
    assert "see 8 of 14 tools" in message
    said["tools/list"][1]["tools"] = []
    assert found(said, "clients/typescript-first-page") == []
    said["tools/list"] = {"tools": [tool]}
    assert found(said, "clients/typescript-first-page") == []


def test_a_server_that_ends_later_has_answered_before() -> None:
    endpoint = Spoken(conversation(LEGACY), dies_at="prompts/list")
    with pytest.raises(UnreachableError) as caught:
        read(endpoint)
    assert caught.value.message == (
        "spoken: it exited with status 7 before it answered prompts/list; it had answered tools/list."
    )
