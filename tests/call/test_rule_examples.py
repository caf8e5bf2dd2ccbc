"""Every example of every rule about responses is a test: the rule's own findings, at the places it says."""

from __future__ import annotations

import pytest

from mcp_governor.call.validate import ResponseChecker
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.surface import build_surface

RULES = [rule for rule in load_catalogue(entry_points=False) if rule.station == "call"]
EXAMPLES = [
    pytest.param(rule, example, fails, id=f"{rule.id}-{'fail' if fails else 'pass'}-{number}")
    for rule in RULES
    for fails, examples in ((False, rule.passes), (True, rule.fails))
    for number, example in enumerate(examples)
]


@pytest.mark.parametrize(("rule", "example", "fails"), EXAMPLES)
def test_an_example_gives_what_it_says(rule, example, fails):
    recording = example.recording()
    surface = build_surface(recording) if "tools" in recording or "serverInfo" in recording else None
    tool = surface.tools[0] if surface is not None and surface.tools else None
    settings = LintSettings(select=(rule.id,), options={rule.id: example.options} if example.options else {})
    findings = ResponseChecker(select(settings)).check(recording["result"], tool=tool, surface=surface)
    assert {finding.rule for finding in findings} <= {rule.id}
    if fails:
        assert {finding.path for finding in findings} == set(example.at)
        assert all(finding.message.endswith((".", "?")) and finding.fix for finding in findings)
    else:
        assert findings == []


def test_every_rule_that_reads_a_response_has_examples():
    without = {rule.id for rule in RULES if not (rule.passes and rule.fails)}
    # These speak of a whole run or of another request, not of one response.
    assert without == {
        "call/list-grew",
        "call/charter-mixed",
        "charter/measured-format",
        "charter/measured-latency",
        "charter/measured-size",
        "charter/measured-tokens",
        "charter/repeatable",
        "schema-md/deterministic",
        "call/server-exited",
        "call/stdout-noise",
        "call/drift-accepted",
        "call/drift-refused",
        "call/expectation",
        "call/recovery-failed",
        "call/no-good-call-succeeded",
        "call/no-response-checked",
        "call/protocol",
        "call/timeout",
        "call/too-large",
        "call/unknown-tool",
        "envelope/internal-error",
        "omni/server-info",
        "schema-md/error-code",
        "surface/deprecation-stderr",
    }
