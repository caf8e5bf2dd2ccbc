"""Our own MCP server, governed and called over stdio and HTTP as any other."""

from __future__ import annotations

import json
import socket
import sys
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from commandline import governor
from inprocess import ObjectEndpoint
from projects import governor_process
from support import REPO, free_port, listening

from mcp_governor.call.validate import validate_response
from mcp_governor.checking.run import check
from mcp_governor.config import load_config
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.walking import walk
from mcp_governor.server import build_server
from mcp_governor.server.app import SCHEMA_VERSION, VERSION_KEY
from mcp_governor.server.quoting import NOTE
from mcp_governor.surface import build_surface, fingerprint, load_surface
from mcp_governor.wire import Era, HttpEndpoint, RpcError, connect
from mcp_governor.wire.recording import read_recording

COMMAND = [sys.executable, "-m", "mcp_governor", "serve"]
TOOL = {"name": "find", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}
STRICTER = {**TOOL, "inputSchema": {**TOOL["inputSchema"], "required": ["query"]}}


def ask(endpoint, *calls):
    """The surface, and the result of each (tool, arguments)."""

    async def talk():
        async with connect(endpoint) as session:
            recording = await read_recording(session)
            return recording, [await session.call_tool(name, arguments) for name, arguments in calls]

    recording, results = anyio.run(talk)
    return build_surface(recording.raw), results


def envelope_of(result, surface, name, arguments):
    """The envelope of a call, which keeps the charter, and has the JSON of its content mirrored."""
    assert validate_response(result, tool=name, surface=surface, arguments=arguments) == []
    return result["structuredContent"]


@asynccontextmanager
async def answering():
    async with connect(ObjectEndpoint(build_server())) as session:
        surface = build_surface((await read_recording(session)).raw)

        async def answer(name, arguments):
            return envelope_of(await session.call_tool(name, arguments), surface, name, arguments)

        yield answer


@pytest.fixture(scope="module")
def answer():
    """The envelope of a call. All are made in one session: each starts a worker, which takes longer than most calls."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(answering()) as answer:
        yield lambda *call: portal.call(answer, *call)


def test_an_answer_that_may_repeat_a_server_says_once_that_this_is_data():
    calls = {
        "compare_surfaces": {"old_tools": [TOOL], "new_tools": []},
        "lint_description": {"name": "find", "description": "Finds."},
        "validate_response": {"result": {"content": []}},
        # Without a project these are errors, which may quote a server too.
        "check_server": {},
        "list_findings": {},
        "explain_finding": {"finding_id": "a"},
        "draft_changelog": {},
        "list_rules": {},
    }
    _, results = ask(ObjectEndpoint(build_server()), *calls.items())
    for name, result in zip(calls, results, strict=True):
        first, *others = (block["text"] for block in result["content"])
        assert json.loads(first) == result["structuredContent"], name
        assert others == ([] if name == "list_rules" else [NOTE]), name


def test_the_recorded_surface_keeps_them_too():
    report = check(load_config(start=REPO), offline=True, against=str(REPO / "mcp-surface.json"))
    assert [finding.id for finding in report.findings] == []


def test_http_publishes_the_recorded_surface_on_loopback_only(tmp_path):
    port = free_port()
    with listening([*COMMAND, "--http", "--port", str(port)], port):
        surface, results = ask(HttpEndpoint(f"http://127.0.0.1:{port}/mcp"), ("list_rules", {"pack": "charter"}))
        assert fingerprint(surface) == fingerprint(load_surface(REPO / "mcp-surface.json"))
        assert results[0]["structuredContent"]["status"] == "success"
        done = governor("check", f"http://127.0.0.1:{port}/mcp", cwd=tmp_path)
        assert done.code == 0, done.out + done.err
        # 127.0.0.0/8 is all this machine, so a server on every interface would answer here
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), 5)


def test_a_break_is_reported_with_its_proof_and_the_step(answer):
    envelope = answer("compare_surfaces", {"old_tools": [TOOL], "new_tools": [STRICTER]})
    assert envelope["status"] == "success"
    assert envelope["data"]["required_bump"] == "major"
    (change,) = envelope["data"]["changes"]
    assert change["verdict"] == "breaking"
    assert change["kind"] == "argument-required"
    assert change["witness_json"] == "{}"


def test_a_description_is_judged_next_to_its_siblings(answer):
    arguments = {"name": "find", "description": "Use this when a word is known. Use scan instead when it is not."}
    lonely = answer("lint_description", arguments)
    siblings = answer("lint_description", {**arguments, "other_tools": ["scan", "find"]})
    reported = [{finding["rule"] for finding in envelope["data"]["findings"]} for envelope in (lonely, siblings)]
    assert "charter/use-this-when" not in reported[0] | reported[1]
    assert "charter/composition" not in reported[1]
    careless = answer("lint_description", {"name": "find", "description": "Finds.", "other_tools": ["scan"]})
    assert "charter/use-this-when" in {finding["rule"] for finding in careless["data"]["findings"]}


def test_rules_are_reported_briefly_unless_asked(answer):
    brief = answer("list_rules", {"pack": "charter"})["data"]["rules"]
    full = answer("list_rules", {"pack": "charter", "response_format": "detailed"})["data"]["rules"]
    assert [rule["id"] for rule in brief] == [rule["id"] for rule in full]
    assert {rule["id"].partition("/")[0] for rule in brief} == {"charter"}
    assert all(rule["summary"] is None for rule in brief)
    assert all(rule["summary"] for rule in full)


@pytest.mark.parametrize(
    "tools",
    [
        [{}],
        [TOOL, TOOL],
        [{"name": "find", "inputSchema": {"$ref": "http://127.0.0.1:9/schema"}}],
        [{"name": "find", "inputSchema": {"$ref": "#"}}],
        [{"name": "find", "inputSchema": {"type": "object", "properties": {"a": {"pattern": "("}}}}],
        [{"name": "\x1b[31m. B\n\u202e", "inputSchema": {"type": "object"}}],
    ],
)
def test_malformed_tools_are_answered_in_the_envelope(answer, tools):
    for arguments in ({"old_tools": tools, "new_tools": [TOOL]}, {"old_tools": [TOOL], "new_tools": tools}):
        assert answer("compare_surfaces", arguments)["status"] in ("success", "empty")


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("compare_surfaces", {"old_tools": "x", "new_tools": []}, "old_tools does not fit"),
        ("compare_surfaces", {"old_tools": [TOOL] * 501, "new_tools": []}, "old_tools does not fit"),
        ("lint_description", {"name": "find"}, "description is missing"),
        ("list_rules", {"response_format": "long"}, "response_format does not fit"),
    ],
)
def test_refused_arguments_fail_the_call_in_our_own_words(name, arguments, named):
    surface, (result,) = ask(ObjectEndpoint(build_server()), (name, arguments))
    assert result["isError"] is True
    (content,) = result["content"]
    assert named in content["text"]
    assert validate_response(result, tool=name, surface=surface, arguments=arguments) == []


def test_an_argument_that_is_not_declared_is_refused():
    wrong = ("list_rules", {"pac": "charter"}), ("check_server", {"self": "x", "offline": True})
    _, results = ask(ObjectEndpoint(build_server()), *wrong)
    assert [result["isError"] for result in results] == [True, True]
    assert "takes only pack, response_format" in results[0]["content"][0]["text"]
    assert "takes only server, call_tools, offline, response_format" in results[1]["content"][0]["text"]


def test_a_tool_that_does_not_exist_is_a_protocol_error():
    with pytest.raises(RpcError) as caught:
        ask(ObjectEndpoint(build_server()), ("list_rule", {}))
    assert caught.value.code == -32602


@pytest.mark.parametrize("era", list(Era))
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("fix", {}, "no prompt of that name"),
        ("fix_surface", {"servers": "a"}, "takes only server"),
        ("fix_surface", {"server": "a" * 201}, "more than 200 characters"),
    ],
)
def test_a_prompt_that_cannot_be_had_is_no_internal_error(era, name, arguments, said, caplog):
    async def get():
        async with connect(ObjectEndpoint(build_server()), era=era) as session:
            await session.request("prompts/get", {"name": name, "arguments": arguments})

    with pytest.raises(RpcError, match=said) as caught:
        anyio.run(get)
    assert caught.value.code == -32602
    assert caplog.records == []


def test_every_schema_is_strict_and_every_object_in_it_is_closed():
    surface, _ = ask(ObjectEndpoint(build_server()))
    assert len(surface.tools) == 8
    for tool in surface.tools:
        for side in ("inputSchema", "outputSchema"):
            assert tool.raw[side]["$schema"] == DIALECT_2020_12
            objects = [node for _, node in walk(tool.raw[side]) if isinstance(node, dict) and "properties" in node]
            assert objects
            assert all(node["additionalProperties"] is False and "required" in node for node in objects)


def test_every_response_says_the_version_of_the_surface_which_is_that_of_the_server():
    surface, results = ask(
        ObjectEndpoint(build_server()), ("list_rules", {}), ("list_rules", {"pack": "x"}), ("list_rules", {"pack": 5})
    )
    assert surface.server["version"] == SCHEMA_VERSION
    assert json.loads((REPO / "server.json").read_text(encoding="utf-8"))["version"] == SCHEMA_VERSION
    assert [result["_meta"][VERSION_KEY] for result in results] == [SCHEMA_VERSION] * 3
    assert [result["isError"] for result in results] == [False, False, True]


def test_our_own_changelog_says_the_version_and_the_fingerprint():
    before, _, after = (REPO / "docs/mcp-schema-changelog.md").read_text(encoding="utf-8").partition("(current)")
    assert before.endswith(f"## {SCHEMA_VERSION} ")
    surface, _ = ask(ObjectEndpoint(build_server()))
    assert after.lstrip().startswith(f"Fingerprint: `{fingerprint(surface)}`")


def test_a_crash_stays_inside_the_envelope(monkeypatch, tmp_path):
    # what every Python of a worker runs at its start
    (tmp_path / "sitecustomize.py").write_text("import mcp_governor.change as c\nc.compare = lambda *_: 1 / 0\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    call = ("compare_surfaces", {"old_tools": [TOOL], "new_tools": [TOOL]})
    surface, (result,) = ask(ObjectEndpoint(build_server()), call)
    envelope = envelope_of(result, surface, *call)
    assert envelope["error"]["kind"] == "internal_error"
    assert "Zero" not in str(envelope)


def test_without_the_sdk_the_install_command_is_named(tmp_path):
    blocked = tmp_path / "mcp"
    blocked.mkdir()
    (blocked / "__init__.py").write_text("raise ImportError('not here')\n")
    done = governor_process(tmp_path, "serve", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "pip install 'mcp>=2.3'" in done.stderr
