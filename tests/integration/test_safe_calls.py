"""What ``check`` and ``pytest --mcp-charter`` call by themselves, on a real server that writes down each call."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any

import jsonschema
import pytest
from projects import governor, governor_process, python, surface_text, write
from pydantic import BaseModel
from support import SERVERS

from mcp_governor.charter import ToolResponse
from mcp_governor.charter.facts import ENVELOPE_KEYS

ONE = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "Name of the page."}},
    "required": ["name"],
    "additionalProperties": False,
}
NONE = {"type": "object", "properties": {}, "additionalProperties": False}
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
METADATA = {
    "dev.mcp-governor/charter": {
        "cost_hint": {"tokens_estimate": 50, "dollars_estimate": None},
        "latency_hint": "fast",
        "idempotent": True,
        "side_effects": "read",
        "charter_version": "1.2",
    }
}


def tool(name: str, schema: dict[str, Any] = ONE, other: str = "list_pages", **hints: bool) -> dict[str, Any]:
    """A tool that the linter has nothing to say about, under profile ``charter``."""
    return {
        "name": name,
        "description": f"Use this when the user asks for the pages of one wiki by {name}. Returns what is known of "
        f"them. Use `{other}` instead when the name of the page is not known. Common composition: `{other}`, then "
        f"`{name}`.",
        "inputSchema": schema,
        "annotations": hints or READS,
        "_meta": METADATA,
    }


def envelope(**fields: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(ENVELOPE_KEYS)
    whole = {**nothing, "status": "success", "data": {"name": "start"}, "charter_version": "1.2", **fields}
    return {"content": [{"type": "text", "text": json.dumps(whole)}], "structuredContent": whole, "isError": False}


def failure(message: str = "No page has that name.", kind: str = "unknown_name", **recovery: Any) -> dict[str, Any]:
    block = {"fuzzy_matches": [], **(recovery or {"suggested_tool": "list_pages", "suggested_args": {}})}
    return envelope(status="error", data=None, error={"kind": kind, "message": message, "recovery": block})


LIST = tool("list_pages", NONE, "read_page")
READ = tool("read_page")
ANSWERS: dict[str, Any] = {
    "list_pages": envelope(data={"pages": [{"name": "start"}]}),
    "read_page": [envelope(), failure()],
}


class Page(BaseModel):
    """A page."""

    name: str


class Pages(BaseModel):
    """Pages."""

    pages: list[Page]


class Wiki:
    """A folder with a scripted server in its configuration."""

    def __init__(self, root):
        self.root = root
        self.log = root / "log"

    def serve(self, *tools: dict[str, Any], config: str = "", top: str = "", lax: bool = False, **answers: Any):
        script = {"tools": tools or [LIST, READ], "answers": {**ANSWERS, **answers}, "log": str(self.log), "lax": lax}
        command = json.dumps([sys.executable, str(SERVERS / "scripted.py"), "script.json"])
        table = f'target = "wiki"\n{top}\n[servers.wiki]\ncommand = {command}\n{config}'
        write(self.root, {"script.json": json.dumps(script), "mcp-governor.toml": table})
        return self

    def check(self, *options: str, profile: str = "charter", process: bool = False):
        run = governor_process if process else governor
        return run(self.root, "check", *(["--profile", profile] if profile else []), *options)

    def report(self, *options: str, **more: Any) -> dict[str, Any]:
        return json.loads(self.check("--format", "json", *options, **more).stdout)

    @property
    def calls(self) -> list[list[Any]]:
        """Tool and arguments of every call that the server has seen."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    @property
    def called(self) -> list[str]:
        return [name for name, _ in self.calls]


@pytest.fixture
def wiki(tmp_path):
    return Wiki(tmp_path)


def rules(report: dict[str, Any]) -> set[str]:
    """What was found in responses."""
    return {rule for finding in report["findings"] if (rule := finding["rule"]).startswith(("call/", "envelope/"))}


class TestWhatIsFound:
    def test_a_server_that_keeps_the_charter_has_no_findings(self, wiki):
        tools = [
            {**one, "outputSchema": ToolResponse[model].model_json_schema()}
            for one, model in ((LIST, Pages), (READ, Page))
        ]
        missing = ToolResponse[Page].fail(
            "unknown_name", "No page has that name.", suggested_tool="list_pages", suggested_args={}
        )
        answers = [envelope(), envelope(**missing.model_dump(mode="json"))]
        done = wiki.serve(*tools, read_page=answers).check(process=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "no findings" in done.stdout
        assert done.stdout.splitlines()[-1] == "PASS (envelope: 2 of 2 tools seen)"
        assert "not called" not in done.stdout

    @pytest.mark.parametrize(
        ("answer", "rule"),
        [
            ("done", "envelope/missing"),
            (envelope(status="ok"), "envelope/status"),
            (envelope(data=None), "envelope/data-missing"),
        ],
        ids=["done", "ok", "no-data"],
    )
    def test_one_that_breaks_it_fails_without_any_configured_call(self, wiki, answer, rule):
        done = wiki.serve(read_page=answer).check(process=True)
        assert done.returncode == 1, done.stdout
        assert rule in done.stdout
        assert done.stdout.splitlines()[-1] == "FAIL (envelope: 2 of 2 tools seen)"

    def test_the_failure_of_the_tool_itself_is_seen(self, wiki):
        """The framework refuses the bad call; what the tool says of a name that does not exist breaks the charter."""
        wrong = failure(suggested_tool="read_page", suggested_args={"page": "start"})
        report = wiki.serve(read_page=[envelope(), wrong]).report()
        assert {"envelope/recovery-args", "envelope/recovery-required"} <= rules(report)
        assert wiki.calls == [
            ["list_pages", {}],
            ["read_page", {"name": "start"}],
            ["list_pages", {"mcp_governor_unknown": "example"}],
            ["read_page", {}],
            ["read_page", {"name": "startx"}],
        ]

    def test_a_tool_that_failed_by_itself_is_not_asked_again(self, wiki):
        wiki.serve(read_page=failure()).check()
        sent = [arguments for name, arguments in wiki.calls if name == "read_page"]
        assert {"name": "startx"} not in sent

    def test_nor_is_one_that_refuses_the_bad_call_itself(self, wiki):
        wiki.serve(lax=True).check()
        assert [arguments for name, arguments in wiki.calls if name == "read_page"] == [{"name": "start"}, {}]

    def test_a_happy_path_that_ends_in_internal_error_is_a_finding(self, wiki):
        broken = failure("The page could not be read.", "internal_error")
        report = wiki.serve(read_page=broken).report()
        (finding,) = [one for one in report["findings"] if one["rule"] == "envelope/internal-error"]
        assert (finding["tool"], finding["severity"]) == ("read_page", "warning")
        assert '"The page could not be read."' in finding["message"]
        assert "call/no-good-call-succeeded" not in rules(report)
        ended = '[[calls]]\ntool = "read_page"\narguments = { name = "start" }\nstatus = "error"\n'
        assert "envelope/internal-error" not in rules(wiki.serve(read_page=broken, config=ended).report())

    def test_what_a_call_says_again_when_it_is_made_again_is_one_finding(self, wiki):
        answers = [failure(f"No page is called {word}. Look at the list.") for word in ("this", "that", "so", "thus")]
        report = wiki.serve(read_page=answers).report()
        assert wiki.called.count("read_page") > 2
        assert [one["rule"] for one in report["findings"]].count("envelope/message-sentence") == 1


class TestWhatIsCalled:
    @pytest.mark.parametrize(
        ("hints", "why"),
        [
            ({"idempotentHint": True}, "no-read-only-hint"),
            ({"readOnlyHint": False}, "writes"),
            ({"destructiveHint": False}, "writes"),
            ({"readOnlyHint": True, "destructiveHint": True}, "contradicts-hint"),
        ],
    )
    def test_a_tool_without_the_hint_is_never_called(self, wiki, hints, why):
        other = tool("import_wiki", **hints)
        report = wiki.serve(LIST, READ, other, import_wiki="done").report()
        assert "import_wiki" not in wiki.called
        assert report["calls"]["unseen"] == [{"why": why, "tools": ["import_wiki"]}]
        assert (report["calls"]["seen"], report["calls"]["tools"]) == (2, 3)

    def test_a_hint_that_the_name_contradicts_is_not_believed(self, wiki):
        done = wiki.serve(LIST, READ, tool("delete_page"), delete_page="done").check()
        assert "delete_page" not in wiki.called
        assert "not called: 1 tool whose words contradict its readOnlyHint: delete_page\n" in done.stdout

    def test_a_tool_that_calls_names_is_called_exactly_so(self, wiki):
        entry = '[[calls]]\ntool = "write_page"\narguments = { name = "mine" }\n'
        writes = tool("write_page", readOnlyHint=False, destructiveHint=True)
        report = wiki.serve(LIST, READ, writes, write_page="done", config=entry).report()
        assert [call for call in wiki.calls if call[0] == "write_page"] == [["write_page", {"name": "mine"}]]
        assert report["calls"]["seen"] == 3
        assert "envelope/missing" in rules(report)

    def test_a_configuration_does_not_name_calls_of_a_server_that_is_typed(self, wiki):
        entry = '[[calls]]\ntool = "write_page"\narguments = { name = "mine" }\n'
        writes = tool("write_page", readOnlyHint=False, destructiveHint=True)
        wiki.serve(LIST, READ, writes, write_page=envelope(), config=entry)
        typed = ("--", sys.executable, str(SERVERS / "scripted.py"), str(wiki.root / "script.json"))
        wiki.check(*typed)
        assert set(wiki.called) == {"list_pages", "read_page"}
        wiki.check("--trust", *typed)
        assert "write_page" in wiki.called

    def test_read_only_tools_of_the_configuration_are_called(self, wiki):
        bare = {key: value for key, value in tool("find_page").items() if key != "annotations"}
        wiki.serve(LIST, READ, bare, find_page=envelope(), top='read-only-tools = ["find_*"]').check()
        assert "find_page" in wiki.called

    def test_every_tool_gets_one_good_call_and_one_bad(self, wiki):
        wiki.serve(read_page=envelope(data={"name": "start"})).check()
        assert sorted(wiki.called) == ["list_pages", "list_pages", "read_page", "read_page", "read_page"]

    def test_a_configured_call_takes_the_place_of_the_good_one(self, wiki):
        wiki.serve(config='[[calls]]\ntool = "read_page"\narguments = { name = "mine" }\n').check()
        sent = [arguments for name, arguments in wiki.calls if name == "read_page"]
        assert sent == [{"name": "mine"}, {}, {"name": "minex"}]

    @pytest.mark.parametrize("profile", ["", "recommended", "directories"])
    def test_without_a_contract_nothing_is_called(self, wiki, profile):
        report = wiki.serve().report(profile=profile)
        assert wiki.calls == []
        assert "calls" not in report
        assert "seen" not in wiki.check(profile=profile).stdout

    @pytest.mark.parametrize("profile", ["surface", "schema-md", "omni"])
    def test_other_contracts_ask_for_calls_too(self, wiki, profile):
        report = wiki.serve().report(profile=profile)
        assert set(wiki.called) == {"list_pages", "read_page"}
        assert report["calls"]["contracts"] == [profile]
        assert "(responses: 2 of 2 tools seen)" in wiki.check(profile=profile).stdout

    def test_a_rule_of_the_envelope_is_a_contract(self, wiki):
        report = wiki.serve(config='[lint]\nextend-select = ["envelope/status"]\n').report(profile="")
        assert report["calls"]["contracts"] == ["envelope"]
        assert wiki.calls

    def test_no_rule_of_results_is_not_a_contract(self, wiki):
        wiki.serve(config='[lint]\nselect = ["charter/*", "envelope/version-step"]\n').check()
        assert wiki.calls == []


class TestTheMode:
    def test_no_calls(self, wiki):
        done = wiki.serve().check("--no-calls", process=True)
        assert wiki.calls == []
        assert done.returncode == 0
        assert "not called: 2 tools, because calls are turned off\n" in done.stdout
        assert "but calls are turned off, so no response was checked.  call/no-response-checked" in done.stdout
        assert done.stdout.splitlines()[-1] == "PASS (envelope: 0 of 2 tools seen)"

    def test_the_warning_is_a_rule_like_any_other(self, wiki):
        off = wiki.serve(config='[lint]\nignore = ["call/no-response-checked"]\n').check("--no-calls")
        assert "no-response-checked" not in off.stdout
        assert off.stdout.splitlines()[-1] == "PASS (envelope: 0 of 2 tools seen)"
        graver = '[lint]\nseverity = { "call/no-response-checked" = "error" }\n'
        assert wiki.serve(config=graver).check("--no-calls").returncode == 1
        assert wiki.check().returncode == 0

    @pytest.mark.parametrize("spelling", ['calls = "none"', 'calls-mode = "none"'])
    def test_the_configuration_turns_them_off(self, wiki, spelling):
        report = wiki.serve(top=spelling).report()
        assert wiki.calls == []
        assert rules(report) == {"call/no-response-checked"}
        assert report["calls"] == {
            "mode": "none",
            "contracts": ["envelope"],
            "tools": 2,
            "seen": 0,
            "unseen": [{"why": "calls-off", "tools": ["list_pages", "read_page"]}],
        }

    def test_configured_calls_alone(self, wiki):
        entry = '[[calls]]\ntool = "list_pages"\n'
        report = wiki.serve(top='calls-mode = "configured"', config=entry).report()
        assert wiki.calls == [["list_pages", {}]]
        assert report["calls"]["unseen"] == [{"why": "not-configured", "tools": ["read_page"]}]
        assert rules(report) == set()

    def test_safe_calls_without_a_contract(self, wiki):
        done = wiki.serve(LIST, READ, tool("write_page", readOnlyHint=False), top='calls = "safe"').check(profile="")
        assert set(wiki.called) == {"list_pages", "read_page"}
        assert "not called: 1 tool that writes by its annotations: write_page\n" in done.stdout
        assert done.stdout.splitlines()[-1] == "PASS"

    def test_two_words_for_one_thing_agree(self, wiki):
        done = wiki.serve(top='calls = "safe"\ncalls-mode = "none"').check()
        assert done.returncode == 2
        assert '"calls" is safe, but "calls-mode" is none.' in done.stderr
        wrong = wiki.serve(top='calls = "save"').check()
        assert wrong.returncode == 2
        assert '"calls" cannot be "save". Did you mean "safe"?' in wrong.stderr

    @pytest.mark.parametrize("options", [("--offline",), ("recorded.json",)])
    def test_a_recording_is_not_called_and_the_report_says_so(self, wiki, options):
        wiki.serve(top='baseline = "recorded.json"')
        write(wiki.root, {"recorded.json": surface_text(LIST, READ)})
        done = wiki.check(*options)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "not called: 2 tools, because a recording does not respond\n" in done.stdout
        assert done.stdout.splitlines()[-1] == "PASS (envelope: 0 of 2 tools seen)"
        assert "no-response-checked" not in done.stdout
        assert wiki.calls == []
        quiet = wiki.check(*options, profile="recommended")
        assert "called" not in quiet.stdout

    def test_only_breaking_calls_nothing(self, wiki):
        wiki.serve()
        write(wiki.root, {"recorded.json": surface_text(LIST, READ)})
        done = wiki.check("--only", "breaking", "--against", "recorded.json")
        assert done.stdout.splitlines()[-1] == "PASS"
        assert wiki.calls == []

    def test_a_server_that_declares_nothing_is_not_said_to_keep_the_contract(self, wiki):
        bare = [{key: value for key, value in one.items() if key != "annotations"} for one in (LIST, READ)]
        report = wiki.serve(*bare, config='[lint]\nignore = ["charter/*", "clarity/*"]\n').report()
        (finding,) = [one for one in report["findings"] if one["rule"] == "call/no-response-checked"]
        assert "no response of its 2 tools was checked" in finding["message"]
        assert finding["fix"].startswith("Declare readOnlyHint: true")
        assert wiki.calls == []


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
            ("async def", "import time; time.sleep(300)"),
            ("async def", "await __import__('anyio').sleep(300)"),
        ],
        ids=["thread", "loop", "task"],
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


class TestInPytest:
    """``pytest --mcp-charter`` on the same servers."""

    def run(self, wiki, *options: str):
        write(wiki.root, {"test_own.py": "def test_own(): pass\n"})
        done = python(wiki.root, "-m", "pytest", "-p", "no:cacheprovider", "-v", "-rs", "--mcp-charter", *options)
        return done, dict(re.findall(r"^(mcp::\S+|test_own\S+) (PASSED|FAILED|SKIPPED)", done.stdout, re.M))

    def test_the_flag_means_the_charter(self, wiki):
        done, items = self.run(wiki.serve(LIST, READ, tool("write_page", idempotentHint=True), read_page="done"))
        assert done.returncode == 1, done.stdout + done.stderr
        assert items["mcp::read_page::envelope"] == "FAILED"
        assert items["mcp::list_pages::envelope"] == items["mcp::list_pages::charter"] == "PASSED"
        assert items["mcp::write_page::envelope"] == items["mcp::write_page::call"] == "SKIPPED"
        assert "not called: tool without readOnlyHint" in done.stdout
        assert "envelope: 2 of 3 tools seen\n" in done.stdout

    def test_the_server_is_started_once(self, wiki):
        wiki.serve()
        self.run(wiki)
        # a second start would call again
        assert sorted(wiki.called) == ["list_pages", "list_pages", "read_page", "read_page", "read_page"]

    def test_the_configured_profile_alone(self, wiki):
        done, items = self.run(wiki.serve(read_page="done"), "--mcp-profile", "configured")
        assert done.returncode == 0, done.stdout
        assert wiki.calls == []
        assert not any(one.endswith(("::charter", "::envelope")) for one in items)
        assert "seen" not in done.stdout

    def test_another_profile(self, wiki):
        _, items = self.run(wiki.serve(), "--mcp-profile", "surface", "--mcp-profile", "configured")
        assert "mcp::read_page::surface" in items
        assert "mcp::read_page::clarity" in items
        assert "mcp::read_page::charter" not in items

    def test_what_is_configured_is_checked_as_well(self, wiki):
        _, items = self.run(wiki.serve())
        assert {"mcp::read_page::clarity", "mcp::read_page::charter", "mcp::read_page::spec"} <= set(items)

    def test_rules_that_are_selected_one_by_one_keep_the_charter(self, wiki):
        _, items = self.run(wiki.serve(config='[lint]\nselect = ["spec/*"]\n', read_page="done"))
        assert items["mcp::read_page::envelope"] == "FAILED"
        assert "mcp::read_page::clarity" not in items

    def test_no_calls(self, wiki):
        done, items = self.run(wiki.serve(read_page="done"), "--mcp-no-calls")
        assert done.returncode == 0, done.stdout
        assert wiki.calls == []
        assert items["mcp::read_page::envelope"] == "SKIPPED"
        assert "envelope: 0 of 2 tools seen\n" in done.stdout

    def test_a_profile_that_the_charter_contradicts_is_said_with_the_way_out(self, wiki):
        done, items = self.run(wiki.serve(top='profile = "omni"'))
        assert items == {"mcp::target::read": "FAILED", "test_own.py::test_own": "PASSED"}
        assert "The charter cannot be added to the profile omni." in done.stdout
        assert "pytest --mcp-charter --mcp-profile configured" in done.stdout
        done, items = self.run(wiki, "--mcp-profile", "configured")
        assert "mcp::read_page::omni" in items
