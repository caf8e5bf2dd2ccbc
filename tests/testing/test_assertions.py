"""``mcp_governor.testing``: what the assertions let through, and what their failures say."""

from __future__ import annotations

import copy
import importlib
import json

import pytest

from mcp_governor.surface import build_surface
from mcp_governor.testing import RpcError, assert_compatible, assert_envelope, assert_recoverable
from mcp_governor.testing.assertions import plain_result
from tests.charter.envelopes import ERROR, SUCCESS

pytest_plugins = ("pytester",)

SCHEMA = {"type": "object", "properties": {"words": {"type": "string"}}, "required": []}
FIND = {"name": "find", "description": "Finds.", "inputSchema": SCHEMA}
STRICT = {**FIND, "inputSchema": {**SCHEMA, "required": ["words"]}}
GOOD = {**SUCCESS, "data": {"found": None, "title": "A"}}
WRONG = {
    **ERROR,
    "error": {
        "kind": "unknown_name",
        "message": "No book has the word zz in its title.",
        "recovery": {"suggested_tool": "find", "suggested_args": {"words": "a"}},
    },
}


def result(envelope, *, failed=False):
    text = json.dumps(envelope)
    return {"content": [{"type": "text", "text": text}], "structuredContent": envelope, "isError": failed}


class TestCompatible:
    @pytest.mark.parametrize(
        "shape", [list, lambda tools: {"tools": tools}, lambda tools: build_surface({"tools": tools})]
    )
    def test_takes_any_surface(self, shape):
        assert_compatible(shape([STRICT]), shape([FIND]))
        with pytest.raises(AssertionError, match="1 breaking change"):
            assert_compatible(shape([FIND]), shape([STRICT]))

    def test_takes_files(self, tmp_path):
        old, new = tmp_path / "old.json", tmp_path / "new.json"
        old.write_text(json.dumps([FIND]))
        new.write_text(json.dumps([STRICT]))
        assert_compatible(new, str(old))
        with pytest.raises(AssertionError):
            assert_compatible(old, new)

    def test_takes_tools_of_an_sdk(self):
        types = importlib.import_module("mcp_types")
        old, new = (types.Tool.model_validate(tool) for tool in (FIND, STRICT))
        assert_compatible([new], [old])
        with pytest.raises(AssertionError, match="find"):
            assert_compatible([old], types.ListToolsResult(tools=[new]))

    def test_a_failure_has_the_witness_and_the_fix(self):
        with pytest.raises(AssertionError) as caught:
            assert_compatible([FIND], [STRICT])
        head, kind, *_, fix = str(caught.value).splitlines()
        assert head == "1 breaking change."
        assert kind == "✗ argument-required  find /inputSchema/properties/words"
        assert "valid before, invalid now: {}" in str(caught.value)
        assert fix == "fix: keep what clients rely on, or release the change as a new major version."

    def test_what_is_not_a_surface(self):
        with pytest.raises(Exception, match="the old surface is not a surface"):
            assert_compatible({"name": "find"}, [FIND])


class TestEnvelope:
    def test_returns_the_envelope(self):
        assert assert_envelope(result(GOOD))["data"] == {"found": None, "title": "A"}
        assert assert_envelope(GOOD) == GOOD

    def test_names_rule_place_and_fix(self):
        broken = {**GOOD, "confidence": 2}
        with pytest.raises(AssertionError) as caught:
            assert_envelope(result(broken))
        assert "The result breaks the contract of charter: 1 error." in str(caught.value)
        assert "/structuredContent/confidence" in str(caught.value)
        assert "fix:" in str(caught.value)

    def test_knows_the_tool(self):
        output = {"type": "object", "properties": {"data": {"type": "string"}}}
        surface = build_surface({"tools": [{**FIND, "outputSchema": output}]})
        with pytest.raises(AssertionError, match="find"):
            assert_envelope(result(GOOD), tool="find", surface=surface)

    def test_takes_results_of_the_sdk(self):
        types = importlib.import_module("mcp_types")
        made = types.CallToolResult.model_validate(result(GOOD))
        assert plain_result(made)["structuredContent"] == GOOD
        assert_envelope(made)

    def test_takes_results_of_a_framework(self):
        class Result:
            def __init__(self, envelope):
                block = importlib.import_module("mcp_types").TextContent(type="text", text=json.dumps(envelope))
                self.content, self.structured_content, self.is_error, self.meta = [block], envelope, False, None

        assert plain_result(Result(GOOD)) == result(GOOD)
        assert_envelope(Result(GOOD))

    def test_says_what_it_takes(self):
        with pytest.raises(TypeError, match="not int"):
            assert_envelope(3)


class TestRecoverable:
    def test_returns_the_recovery(self):
        surface = build_surface({"tools": [FIND]})
        found = assert_recoverable(result(WRONG, failed=True), tool="find", surface=surface)
        assert found["suggested_args"] == {"words": "a"}

    def test_a_success_is_not_recoverable(self):
        with pytest.raises(AssertionError, match="not an error"):
            assert_recoverable(result(GOOD))

    def test_a_suggested_tool_has_to_exist(self):
        surface = build_surface({"tools": [{**FIND, "name": "search"}]})
        with pytest.raises(AssertionError, match="find"):
            assert_recoverable(result(WRONG, failed=True), tool="search", surface=surface)

    def test_an_error_without_recovery(self):
        mute = copy.deepcopy(WRONG)
        del mute["error"]["recovery"]
        with pytest.raises(AssertionError, match="recovery"):
            assert_recoverable(result(mute, failed=True))

    def test_an_error_of_the_protocol(self):
        with pytest.raises(AssertionError, match="No agent can rely on this error"):
            assert_recoverable(RpcError(-32603, "broken"))


def test_a_failure_shows_no_code_of_ours(pytester):
    pytester.makepyfile(
        "from mcp_governor.testing import *\n"
        "def test_a(): assert_envelope({'status': 'success'})\n"
        "def test_b(): assert_recoverable({'content': []})\n"
        "def test_c(): assert_compatible([], [{'name': 'a', 'inputSchema': 3}, 4])\n"
        f"def test_d(): assert_compatible([{FIND}], [])\n"
    )
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:xdist")
    assert "assertions.py" not in done.stdout.str()
    assert "raise AssertionError" not in done.stdout.str()
    assert "tool-removed" in done.stdout.str()
