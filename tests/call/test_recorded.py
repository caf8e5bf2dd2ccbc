"""What real servers answered, with findings that were worked out by hand from the recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_governor.call.outcome import Channel, outcome_of, read_response
from mcp_governor.call.validate import ResponseChecker, validate_response
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface import build_surface

UPSTREAM = Path(__file__).resolve().parents[2].parent / "shared" / "upstream"
pytestmark = pytest.mark.skipif(not UPSTREAM.exists(), reason="the recordings are not here")

# Read in the recordings: messages with more than one sentence, and recovery blocks that do not fit the input
# schema of the tool they name; join paths with raw confidences. The rest of the 31 calls keeps the charter.
SCHEMABRAIN = {
    "c05": ["envelope/message-sentence"],
    "c07": ["envelope/message-sentence", "envelope/recovery-args-absent"],
    "c08": ["envelope/message-sentence"],
    "c11": ["envelope/field-trust", "envelope/field-trust"],
    "c12": ["envelope/recovery-args-absent"],
    "c16": ["envelope/message-sentence"],
    "c17": ["envelope/message-sentence"],
    "c18": ["envelope/message-sentence", "envelope/recovery-required"],
    "c21": ["envelope/message-sentence"],
    "c22": ["envelope/message-sentence"],
    "c24": ["call/error-leak"],
    "c28": ["envelope/recovery-args-absent"],
    "c29": ["envelope/message-sentence", "envelope/recovery-args"],
}


def load(folder: str, name: str) -> dict:
    return json.loads((UPSTREAM / folder / name).read_text(encoding="utf-8"))


def recordings(folder: str, pattern: str) -> list[Path]:
    return sorted((UPSTREAM / folder).glob(pattern))


def brain():
    return build_surface(load("schemabrain", "tools_list.json")["response"]["result"])


def test_the_recorded_server_breaks_what_was_read_and_nothing_else():
    surface = brain()
    found = {}
    for file in recordings("schemabrain", "c*.json"):
        recorded = load("schemabrain", file.name)
        asked = recorded["request"]["params"]
        findings = validate_response(
            recorded["response"], tool=asked["name"], surface=surface, arguments=asked["arguments"]
        )
        if findings:
            found[file.name[:3]] = sorted(finding.rule for finding in findings)
        assert all(finding.severity.value == "warning" for finding in findings)
    assert len(recordings("schemabrain", "c*.json")) == 31
    assert found == SCHEMABRAIN


def test_without_the_arguments_a_refused_call_counts_against_the_tool():
    recorded = load("schemabrain", "c23_get_metric_extra_kwarg.json")
    findings = validate_response(recorded["response"], tool="get_metric", surface=brain())
    assert [finding.rule for finding in findings] == ["envelope/error-channel"]


def test_what_the_arguments_of_an_unexecutable_recovery_lack_is_named():
    recorded = load("schemabrain", "c29_get_metric_unknown_group_by.json")
    findings = validate_response(recorded["response"], tool="get_metric", surface=brain())
    (finding,) = [finding for finding in findings if finding.rule == "envelope/recovery-args"]
    assert finding.path == "/structuredContent/error/recovery/suggested_args/allowed_columns"
    assert '"allowed_columns"' in finding.message


def test_the_other_error_channel_is_kept_by_its_server_and_breaks_the_charter():
    surface = build_surface(load("gateway", "tools_list.json")["response"]["result"])
    own = ResponseChecker(select(LintSettings(select=("call/*", "schema-md/*"))))
    charter = ResponseChecker(select(LintSettings(select=("call/*", "envelope/*"))))
    channels = {}
    for file in recordings("gateway", "g*.json"):
        recorded = load("gateway", file.name)
        if recorded["request"]["method"] != "tools/call":
            continue
        tool = surface.by_name.get(recorded["request"]["params"]["name"])
        body = recorded["http"]["body"]
        assert own.check(body, tool=tool, surface=surface) == [], file.name
        outcome = outcome_of(read_response(body))
        channels[file.name[:3]] = (outcome.channel, outcome.refused_arguments)
        expected = "envelope/error-channel" if outcome.failed else "envelope/missing"
        assert [finding.rule for finding in charter.check(body, tool=tool, surface=surface)] == [expected]
    failures = {name for name, (channel, _) in channels.items() if channel is Channel.RPC_ERROR}
    assert failures == {"g08", "g10", "g11", "g12", "g13", "g14", "g16", "g19"}
    # A stale cursor and a path outside of the workspace are no fault of the schema.
    assert {name for name, (_, refused) in channels.items() if refused} == {"g10", "g11", "g12", "g14", "g19"}
    assert len(channels) == 16


@pytest.mark.parametrize(
    ("name", "code", "data", "broken"),
    [
        ("g11_missing_required.json", -32602, {"code": "E_INVALID_PARAMS"}, False),
        ("g11_missing_required.json", -32603, {}, True),
        ("g12_query_too_long.json", -32602, {"code": "E_CAP_EXCEEDED"}, True),
        ("g19_unknown_tool.json", -32601, None, True),
        # The schema accepts these: what the runtime makes of them has codes of its own.
        ("g13_workspace_denied.json", -32000, {"code": "E_CAP_EXCEEDED"}, False),
    ],
)
def test_the_code_of_a_wrong_call_is_checked_against_the_contract(name, code, data, broken):
    surface = build_surface(load("gateway", "tools_list.json")["response"]["result"])
    asked = load("gateway", name)["request"]["params"]
    answer = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "It was refused.", "data": data}}
    findings = validate_response(
        answer, tool=asked["name"], surface=surface, arguments=asked["arguments"], profile="schema-md"
    )
    assert [finding.rule for finding in findings] == (["schema-md/error-code"] if broken else [])
