"""What ``check`` calls by itself, on a real server that writes down each call."""

from __future__ import annotations

import json
import re
import sys

import pytest
from projects import governor, python, surface_text, write
from support import REPO, SERVERS
from wikis import LIST, READ, Page, Pages, Wiki, envelope, failure, rules, tool

from mcp_governor.charter import ToolResponse


@pytest.fixture
def wiki(tmp_path):
    return Wiki(tmp_path)


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
        [("done", "envelope/missing"), (envelope(data=None), "envelope/data-missing")],
        ids=["done", "no-data"],
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

    def test_a_happy_path_that_ends_in_internal_error_is_a_finding(self, wiki):
        broken = failure("The page could not be read.", "internal_error")
        report = wiki.serve(read_page=broken).report()
        (finding,) = [one for one in report["findings"] if one["rule"] == "envelope/internal-error"]
        assert (finding["tool"], finding["severity"]) == ("read_page", "warning")
        assert '"The page could not be read."' in finding["message"]
        assert "call/no-good-call-succeeded" not in rules(report)
        ended = '[[calls]]\ntool = "read_page"\narguments = { name = "start" }\nstatus = "error"\n'
        assert "envelope/internal-error" not in rules(wiki.serve(read_page=broken, config=ended).report())


class TestWhatIsCalled:
    @pytest.mark.parametrize(
        ("hints", "why"),
        [
            ({"readOnlyHint": False}, "writes"),
            ({"readOnlyHint": True, "destructiveHint": True}, "contradicts-hint"),
        ],
    )
    def test_a_tool_without_the_hint_is_never_called(self, wiki, hints, why):
        other = tool("import_wiki", **hints)
        report = wiki.serve(LIST, READ, other, import_wiki="done").report()
        assert "import_wiki" not in wiki.called
        assert report["calls"]["unseen"] == [{"why": why, "tools": ["import_wiki"]}]
        assert (report["calls"]["seen"], report["calls"]["tools"]) == (2, 3)

    def test_money_is_not_moved_because_a_hint_says_so(self, wiki):
        done = wiki.serve(LIST, READ, tool("transfer_funds"), tool("shutdown"), tool("order_status")).check()
        assert set(wiki.called) == {"list_pages", "read_page", "order_status"}
        why = "not called: 2 tools whose words contradict their readOnlyHint: transfer_funds, shutdown"
        assert f"{why} (called only if entries name them in [[calls]])\n" in done.stdout

    def test_a_tool_that_calls_names_is_called_exactly_so(self, wiki):
        entry = '[[calls]]\ntool = "write_page"\narguments = { name = "mine" }\n'
        writes = tool("write_page", readOnlyHint=False, destructiveHint=True)
        report = wiki.serve(LIST, READ, writes, write_page="done", config=entry).report()
        assert [call for call in wiki.calls if call[0] == "write_page"] == [["write_page", {"name": "mine"}]]
        assert report["calls"]["seen"] == 3
        assert "envelope/missing" in rules(report)

    def test_read_only_tools_of_the_configuration_are_called(self, wiki):
        bare = {key: value for key, value in tool("find_page").items() if key != "annotations"}
        wiki.serve(LIST, READ, bare, find_page=envelope(), top='read-only-tools = ["find_*"]').check()
        assert "find_page" in wiki.called

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


FIND = {key: value for key, value in tool("find_page").items() if key != "annotations"}
PERMITS = {
    "read-only-tools": 'read-only-tools = ["*"]',
    "calls-mode": 'calls-mode = "safe"',
    "calls-dir": 'calls-dir = "recorded"',
    "[[calls]]": '[[calls]]\ntool = "write_page"\narguments = { name = "theirs" }\n',
}
VARIABLE = "MCP_GOVERNOR_TRUST_RULES"


class TestAServerThatIsTyped:
    """The configuration may be a stranger's, and the server the user's own."""

    @pytest.fixture
    def typed(self, wiki):
        """The words that start the server of a wiki, whose configuration has every key that permits calls."""
        writes = tool("write_page", readOnlyHint=False, destructiveHint=True)
        *tops, calls = PERMITS.values()
        wiki.serve(LIST, READ, FIND, writes, top="\n".join(tops), config=calls, find_page=envelope())
        call = json.dumps({"tool": "list_pages", "arguments": {"name": "recorded"}})
        write(wiki.root, {"recorded/list.json": call})
        return ("--", sys.executable, str(SERVERS / "scripted.py"), str(wiki.root / "script.json"))

    @pytest.mark.parametrize("key", PERMITS)
    def test_no_key_permits_a_call_and_a_note_says_which_does_not_count(self, wiki, typed, key):
        configuration = wiki.root / "mcp-governor.toml"
        text = configuration.read_text()
        for other in PERMITS.keys() - {key}:
            text = text.replace(PERMITS[other], "")
        configuration.write_text(text)
        done = wiki.check(*typed, profile="charter")
        # What the server itself says is only read, with arguments of ours.
        assert set(wiki.called) == {"list_pages", "read_page"}
        assert [one for one in wiki.calls if set(one[1].values()) & {"theirs", "recorded"}] == []
        said = f"note: for a server that you type, mcp-governor.toml does not set {key}; to make it count, add --trust"
        assert done.stderr == f"{said} or set {VARIABLE}=1.\n"
        assert wiki.check(*typed, profile="recommended").returncode == 0
        assert set(wiki.called) == {"list_pages", "read_page"}

    def test_without_a_contract_nothing_is_called(self, wiki, typed):
        done = wiki.check(*typed, profile="recommended")
        assert wiki.calls == []
        assert "does not set [[calls]], calls-dir, calls-mode, read-only-tools; to make it count" in done.stderr

    @pytest.mark.parametrize("command", ["check", "call"])
    def test_the_same_keys_count_with_trust_and_for_the_servers_of_the_configuration(self, wiki, typed, command):
        for words in (("--trust", *typed), ("wiki",), ()):
            governor(wiki.root, command, "--profile", "charter", *words)
            # `call` makes the calls of tools that write with --allow-writes only.
            more = {"write_page"} if command == "check" else set()
            called = set(wiki.called) - {"mcp_governor_unknown"}
            assert called == {"list_pages", "read_page", "find_page", *more}, words
            assert ["list_pages", {"name": "recorded"}] in wiki.calls, words
            wiki.log.unlink()

    def test_call_makes_those_calls_only_that_the_server_or_the_user_permits(self, wiki, typed):
        done = governor(wiki.root, "call", *typed)
        assert set(wiki.called) - {"mcp_governor_unknown"} == {"list_pages", "read_page"}
        assert "read-only-tools; to make it count" in done.stderr
        governor(wiki.root, "call", "--assume-read-only", "find_*", *typed)
        assert "find_page" in wiki.called
        assert ["list_pages", {"name": "recorded"}] not in wiki.calls

    def test_a_mode_that_calls_less_counts(self, wiki, typed):
        configuration = wiki.root / "mcp-governor.toml"
        for mode in ("configured", "none"):
            configuration.write_text(f'profile = "charter"\ncalls-mode = "{mode}"\n')
            assert wiki.check(*typed, profile="").stderr == ""
            assert wiki.calls == []

    def test_nor_does_pytest(self, wiki, typed):
        write(wiki.root, {"servers.json": json.dumps({"mcpServers": {"mine": _entry(typed)}})})
        words = ("-m", "pytest", "--mcp-charter", "--mcp-profile", "charter", "-p", "no:cacheprovider", "-q")
        done = python(wiki.root, *words, "--mcp-target", "servers.json#mine")
        assert set(wiki.called) == {"list_pages", "read_page"}
        assert "does not set [[calls]], calls-dir, calls-mode, read-only-tools" in done.stdout
        python(wiki.root, *words)
        assert {"find_page", "write_page"} <= set(wiki.called)


def test_a_key_that_permits_calls_is_read_only_after_it_was_asked_if_it_counts():
    """A new command that calls tools asks `permitted`, as these do."""
    key = re.compile(r"config\.(calls|calls_dir|read_only_tools)\b|\)\.read_only_tools\b")
    package = REPO / "mcp_governor"
    readers = {file.relative_to(package).as_posix() for file in package.rglob("*.py") if key.search(file.read_text())}
    readers.remove("checking/against/base_branch.py")  # compares the files of two commits, and calls nothing
    assert readers == {
        *("checking/calling.py", "cli/call_command.py", "cli/load_sweep.py", "cli/eval_run.py"),
    }
    for reader in readers:
        assert "permitted(" in (package / reader).read_text(), reader


def _entry(typed: tuple[str, ...]) -> dict[str, object]:
    return {"command": typed[1], "args": typed[2:]}


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

    def test_a_server_that_declares_nothing_is_not_said_to_keep_the_contract(self, wiki):
        bare = [{key: value for key, value in one.items() if key != "annotations"} for one in (LIST, READ)]
        report = wiki.serve(*bare, config='[lint]\nignore = ["charter/*", "clarity/*"]\n').report()
        (finding,) = [one for one in report["findings"] if one["rule"] == "call/no-response-checked"]
        assert "no response of its 2 tools was checked" in finding["message"]
        assert finding["fix"].startswith("Declare readOnlyHint: true")
        assert wiki.calls == []
