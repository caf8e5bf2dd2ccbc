"""Envelopes of whole servers, written from the documents before the rules: the good are clean, the bad say why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tomli

from mcp_governor.call.validate import validate_response
from mcp_governor.surface import build_surface

FOLDER = Path(__file__).parents[2] / "fixtures" / "envelopes"
SERVERS = {
    name: build_surface({"tools": tools}) for name, tools in json.loads((FOLDER / "servers.json").read_text()).items()
}


def read(name):
    cases = tomli.loads((FOLDER / f"{name}.toml").read_text())["envelope"]
    return [pytest.param(case, id=case["note"]) for case in cases]


def result(envelope):
    text = json.dumps(envelope)
    return {"content": [{"type": "text", "text": text}], "structuredContent": envelope, "isError": False}


def judged(case):
    """The findings of the envelope by itself, and of a whole result with it."""
    envelope, surface = json.loads(case["result"]), SERVERS[case["server"]]
    return [
        validate_response(given, tool=case["tool"], surface=surface, profile="charter")
        for given in (envelope, result(envelope))
    ]


@pytest.mark.parametrize("case", read("good"))
def test_a_good_envelope_has_no_finding(case):
    assert [[finding.message for finding in findings] for findings in judged(case)] == [[], []]


@pytest.mark.parametrize("case", read("bad"))
def test_a_bad_envelope_has_the_one_finding_that_says_why(case):
    alone, whole = ({finding.rule for finding in findings} for findings in judged(case))
    assert (alone, whole) == ({case["rule"]}, {case["rule"]})


NULL = dict.fromkeys(("error", "confidence", "provenance", "follow_up_hints", "degradation_reason"))
TOOLS = [
    {
        "name": "find",
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
    {"name": "list_all", "inputSchema": {"type": "object"}},
]


def lines(name):
    cases = map(json.loads, (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [pytest.param(case, id=case.get("note", f"{case['tool']}-{number}")) for number, case in enumerate(cases)]


def rules_of(envelope, tool):
    tools = [{**TOOLS[0], "name": tool}, *(other for other in TOOLS if other["name"] != tool)]
    surface = build_surface({"tools": tools})
    return [
        sorted({finding.rule for finding in validate_response(given, tool=tool, surface=surface)})
        for given in (envelope, result(envelope))
    ]


@pytest.mark.parametrize("case", lines("good"))
def test_what_is_easily_mistaken_for_a_defect_has_no_finding(case):
    fields = {key: value for key, value in case.items() if key != "tool"}
    envelope = {**NULL, "charter_version": "1.2", **fields}
    assert rules_of(envelope, case["tool"]) == [[], []]


@pytest.mark.parametrize("case", lines("bad"))
def test_a_defect_is_found_by_its_rule(case):
    assert rules_of(case["result"], case["tool"]) == [case["rules"], case["rules"]]
