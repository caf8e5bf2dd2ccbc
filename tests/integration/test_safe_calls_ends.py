"""Where the calls of ``check`` end, and what each report says of them."""

from __future__ import annotations

import json
import time

import jsonschema
import pytest
from projects import governor, governor_process, write
from wikis import LIST, ONE, READ, Wiki, rules, tool


@pytest.fixture
def wiki(tmp_path):
    return Wiki(tmp_path)


class TestBounds:
    def test_a_tool_that_hangs_ends_neither_the_run_nor_the_other_tools(self, wiki):
        hanging = tool("find_page")
        wiki.serve(hanging, LIST, READ, find_page="hang", top="timeout = 1")
        begun = time.monotonic()
        report = json.loads(wiki.check("--format", "json", process=True).stdout)
        # one timeout, what it takes to see that the server is stuck, and a start: not a timeout for each call
        assert time.monotonic() - begun < 30
        assert wiki.called.count("find_page") == 1
        assert rules(report) == {"call/timeout"}
        assert report["calls"]["unseen"] == [{"why": "no-response", "tools": ["find_page"]}]
        assert report["calls"]["seen"] == 2

    def test_what_is_learned_later_does_not_bring_back_a_tool_that_hangs(self, wiki):
        named = {**ONE, "properties": {"name": {"type": "string", "examples": ["start"]}}}
        wiki.serve(tool("find_page"), tool("read_page", named), find_page="hang", top="timeout = 1").check()
        assert wiki.called.count("find_page") == 1

    def test_the_budget_is_not_a_fault_of_a_tool(self, wiki):
        wiki.serve(LIST, READ, list_pages="hang", top="timeout = 30\ncalls-budget = 1")
        report = wiki.report()
        assert report["calls"]["unseen"] == [{"why": "time-limit", "tools": ["list_pages", "read_page"]}]
        assert rules(report) == {"call/no-response-checked"}

    def test_a_tool_that_ends_the_server_does_not_hide_the_others(self, wiki):
        wiki.serve(tool("find_page"), LIST, READ, find_page="die")
        report = wiki.report()
        assert report["calls"]["unseen"] == [{"why": "no-response", "tools": ["find_page"]}]
        assert "call/server-exited" in rules(report)

    @pytest.mark.parametrize(
        ("kind", "blocking"),
        [
            ("def", "import time; time.sleep(300)"),
            ("async def", "await __import__('anyio').sleep(300)"),
        ],
        ids=["thread", "task"],
    )
    def test_a_server_object_that_hangs_does_not_keep_the_process(self, tmp_path, kind, blocking):
        source = f"""
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
server = MCPServer("stuck")
reads = ToolAnnotations(read_only_hint=True)
@server.tool(annotations=reads)
def list_pages() -> str:
    return "done"
@server.tool(annotations=reads)
{kind} find_page(name: str) -> str:
    {blocking}
    return "done"
"""
        write(tmp_path, {"stuck.py": source, "mcp-governor.toml": "timeout = 1\n"})
        begun = time.monotonic()
        done = governor_process(tmp_path, "check", "python:stuck:server", "--profile", "charter", "--format", "json")
        assert time.monotonic() - begun < 60
        report = json.loads(done.stdout)
        assert {"call/timeout", "envelope/missing"} <= rules(report)
        assert report["calls"]["unseen"] == [{"why": "no-response", "tools": ["find_page"]}]


class TestReports:
    def test_json_keeps_its_schema(self, wiki, capsys):
        schema = json.loads(governor(wiki.root, "schema", "report").stdout)
        for options in ((), ("--no-calls",)):
            jsonschema.validate(wiki.serve().report(*options), schema)

    def test_markdown_says_the_same(self, wiki):
        writes = tool("write_page", readOnlyHint=False)
        done = wiki.serve(LIST, READ, writes).check("--format", "markdown")
        assert "Envelope: 2 of 3 tools seen.\n" in done.stdout
        assert "Not called: 1 tool that writes by its annotations: write\\_page.\n" in done.stdout

    @pytest.mark.parametrize(
        ("form", "words"),
        [
            ("html", ["envelope: 2 of 3 tools seen", "not called: 1 tool that writes by its annotations: write_page"]),
            ("junit", ["envelope: 2 of 3 tools seen", "not called: 1 tool that writes by its annotations: write_page"]),
            ("github", ["mcp-governor: envelope: 2 of 3 tools seen\n", "mcp-governor: not called: 1 tool that writes"]),
            ("sarif", ['"contracts": [', '"seen": 2', '"why": "writes"']),
        ],
    )
    def test_other_formats_say_it_too(self, wiki, form, words):
        wiki.serve(LIST, READ, tool("write_page", readOnlyHint=False))
        done = wiki.check("--format", form)
        for said in words:
            assert said in done.stdout
        assert words[0] not in wiki.check("--format", form, profile="recommended").stdout

    def test_the_last_lines(self, wiki):
        """What a maintainer reads at the end of a run."""
        tools = [
            LIST,
            READ,
            tool("write_page", readOnlyHint=False),
            tool("find_page"),
            tool("sort_page", idempotentHint=True),
        ]
        tools += [tool(f"import_{number}", idempotentHint=True) for number in range(3)]
        picky = {**ONE, "properties": {"name": {"type": "string", "pattern": "^(?=x)y$"}}}
        tools += [tool("match_page", picky)]
        quiet = '[lint]\nignore = ["charter/*", "clarity/*"]\n'
        done = wiki.serve(*tools, find_page="done", config=quiet).check()
        assert done.stdout.splitlines()[-4:] == [
            "good calls: 3 of 3 tools succeeded",
            "not called: 4 tools without readOnlyHint: sort_page, import_0, import_1, …; 1 tool that writes by its "
            "annotations: write_page; 1 tool whose arguments could not be made up: match_page",
            "failed by: envelope/missing",
            "FAIL (envelope: 3 of 9 tools seen)",
        ]
