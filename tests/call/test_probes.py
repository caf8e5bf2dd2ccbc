"""Metadata against measurement, with calls whose times and results a table says."""

from __future__ import annotations

import itertools
import json

import anyio
import pytest

from mcp_governor.call.cases import Case, CaseResult, Purpose
from mcp_governor.call.outcome import outcome_of, read_response
from mcp_governor.call.probes import RULES, Probes, needs_probes
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface import build_surface

CHECKER = ResponseChecker(select(LintSettings(select=RULES)))
FORMATS = {"response_format": {"enum": ["concise", "detailed"], "default": "concise"}}


def structured(value):
    text = json.dumps(value)
    return {"content": [{"type": "text", "text": text}], "structuredContent": value, "isError": False}


def envelope(data=None, **fields):
    return structured({"status": "success", "data": {"n": 1} if data is None else data, "error": None, **fields})


def failed(kind, message="It failed."):
    return structured({"status": "error", "data": None, "error": {"kind": kind, "message": message, "recovery": {}}})


def probe(
    answers=None, times=(5.0,), calls=2, floor=2.0, left=100, properties=None, name="find", checker=CHECKER, **metadata
):
    """The findings about one tool, and the purposes of the calls that the probes made.

    Args:
        answers: gives the result of a call by its arguments; each call asks once.
        times: milliseconds of each call, in order; the last one repeats.
        calls: how many good calls there were before.
        left: how many calls there is time for.
    """
    tool = {
        "name": name,
        "inputSchema": {"type": "object", "properties": properties or {}},
        "annotations": {"readOnlyHint": True, "idempotentHint": metadata.get("idempotent", False)},
        "_meta": metadata,
    }
    surface = build_surface({"tools": [tool]})
    clock = itertools.chain(times, itertools.repeat(times[-1]))
    made = []

    def result(case):
        raw = (answers or (lambda _: envelope()))(case.arguments)
        return CaseResult(case, outcome_of(read_response(raw)), next(clock), raw)

    async def make(case):
        made.append(case)
        return result(case)

    async def exchange():
        return floor

    before = [result(Case(name, {"q": number}, Purpose.CONFIGURED)) for number in range(calls)]
    probes = Probes(surface, checker, make, lambda: len(made) < left, exchange)
    anyio.run(probes.run, before, lambda tool: True)
    findings = [finding for breach, tool in probes.breaches for finding in checker.findings([breach], tool)]
    return findings, made, probes.skipped


def rules(*args, **metadata):
    return sorted({f"{finding.rule} {finding.path}".strip() for finding in probe(*args, **metadata)[0]})


LATENCY = ["charter/measured-latency /_meta/latency_hint"]


@pytest.mark.parametrize(
    ("hint", "times", "expected"),
    [
        ("fast", [5], []),
        ("fast", [1300], LATENCY),
        ("moderate", [1300], []),
        ("moderate", [1900], LATENCY),
        # a tool may be better than its word
        ("slow", [5], []),
        # the first call of a tool does not count, and neither does noise
        ("fast", [1300, 5], []),
        ("fast", [5, 400, 5, 400], []),
        ("fast", [400, 400, 400, 400, 400, 90], []),
        ("fast", [400, 400, 400, 400, 400, 400, 90], LATENCY),
        # no claim to hold it to
        (None, [1300], []),
        ({"fast": True}, [1300], []),
    ],
)
def test_latency(hint, times, expected):
    assert rules(times=times, latency_hint=hint) == expected


def test_the_time_of_an_exchange_is_not_the_tools():
    assert rules(times=[220.0], floor=180.0, latency_hint="fast") == []
    assert rules(times=[220.0], floor=10.0, latency_hint="fast") == LATENCY


@pytest.mark.parametrize(("times", "expected"), [([3000], LATENCY), ([3000, 5], []), ([9000], LATENCY)])
def test_a_tool_that_is_too_slow_to_be_repeated_is_measured_by_what_was_called(times, expected):
    findings, made, _ = probe(times=times, latency_hint="moderate", idempotent=True)
    assert [f"{finding.rule} {finding.path}" for finding in findings] == expected
    assert made == []
    assert probe(times=times, latency_hint="fast", calls=1)[0] == []


def test_the_message_says_what_was_measured_and_what_to_publish():
    (finding,) = probe(times=[1312.4], latency_hint="fast")[0]
    assert (
        finding.message == 'The latency_hint is "fast" (below 100 ms), but the fastest of 5 warm calls took 1,310 ms, '
        "13.1 times that."
    )
    assert finding.fix == "Publish latency_hint slow, or make the tool faster."


TEXT = "word " * 1000


@pytest.mark.parametrize(
    ("estimate", "data", "expected"),
    [
        (400, {"text": TEXT}, []),
        (400, {"text": TEXT * 12}, ["charter/measured-size /inputSchema", "charter/measured-tokens /_meta/cost_hint"]),
        (300, {"text": TEXT}, ["charter/measured-tokens /_meta/cost_hint"]),
        (15_000, {"text": TEXT * 12}, ["charter/measured-size /inputSchema"]),
        # a small sample of what may be large, and an empty response
        (15_000, {"n": 1}, []),
        # nothing to hold it to
        (None, {"text": TEXT}, []),
        (True, {"text": TEXT}, []),
    ],
)
def test_tokens(estimate, data, expected):
    assert (
        rules(lambda _: envelope(data), cost_hint={"tokens_estimate": estimate, "dollars_estimate": None}) == expected
    )


def test_the_smallest_response_counts():
    def answers(arguments):
        return envelope({"text": TEXT * 12} if arguments["q"] else {"n": 1})

    assert rules(answers, cost_hint={"tokens_estimate": 400}) == []


def in_turn(*answers):
    """Gives the answers in turn, the last one again; two of them are for the calls before the probes."""
    waiting = itertools.chain(answers[:1] * 2, answers, itertools.repeat(answers[-1]))
    return lambda _: next(waiting)


def counting(make, start=0):
    numbers = itertools.count(start)
    return lambda _: make(next(numbers))


STEADY = "charter/repeatable"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (in_turn(envelope()), []),
        # counters
        (counting(lambda n: envelope({"n": n})), [f"{STEADY} /structuredContent/data/n"]),
        (counting(lambda n: envelope({"t": f"This was call {n} of 100."})), [f"{STEADY} /structuredContent/data/t"]),
        (counting(lambda n: envelope({"log": ["x"] * n})), [f"{STEADY} /structuredContent/data/log"]),
        (counting(lambda n: envelope({"rows": [{"a": 1}, {"a": 1, "b": 2}] if n % 2 else [{"a": 1}, {"a": 1}]})),
         [f"{STEADY} /structuredContent/data/rows/1/b", "schema-md/deterministic /structuredContent/data/rows/1/b"]),
        # the world
        (in_turn(envelope({"n": 1}), envelope({"n": 2})), []),
        (counting(lambda n: envelope({"load": n / 2 if n % 2 else n // 2})), []),
        (counting(lambda n: envelope({"seen": 1764000000000 + n})), []),
        (counting(lambda n: envelope({"load": [7, 3, 9, 4, 8, 1, 6][n % 7]})), []),
        # what a recording would mask
        (counting(lambda n: envelope({"took_ms": n, "request_id": f"r{n}", "now": n})), []),
        (counting(lambda n: envelope({"at": f"2026-11-02T10:00:{n:02d}Z"})), []),
        # order
        (
            counting(lambda n: envelope({"tags": [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]][n % 3]})),
            [f"{STEADY} /structuredContent/data/tags"],
        ),
        (in_turn(envelope({"tags": ["a", "b"]}), envelope({"tags": ["b", "a"]})), []),
        # structure
        (
            counting(lambda n: envelope({"a": 1, "b": 2} if n % 2 else {"a": 1})),
            [f"{STEADY} /structuredContent/data/b", "schema-md/deterministic /structuredContent/data/b"],
        ),
        (counting(lambda n: envelope({"a": 1, "b": None} if n % 2 else {"a": 1})), []),
        (in_turn(envelope({"a": 1}), envelope({"a": 1, "b": 2})), []),
        # what does not depend on the data
        (
            counting(lambda n: envelope(follow_up_hints=[["a"], ["b"]][n % 2])),
            [f"{STEADY} /structuredContent/follow_up_hints"],
        ),
        # the outcome
        (in_turn(envelope(), failed("unknown_name")), [STEADY]),
        (in_turn(envelope(), failed("internal_error"), envelope()), []),
        (in_turn(envelope(), failed("internal_error", "Too many requests, try again later.")), []),
    ],
)  # fmt: skip
def test_the_same_call_again(answers, expected):
    assert rules(answers, idempotent=True) == expected


def test_only_an_idempotent_tool_has_to_repeat_itself():
    def toggling(n):
        return envelope({"a": 1, "b": 2} if n % 2 else {"a": 1})

    assert rules(counting(lambda n: envelope({"n": n})), idempotent=False) == []
    assert rules(counting(toggling)) == ["schema-md/deterministic /structuredContent/data/b"]


@pytest.mark.parametrize(("name", "finds"), [("next_number", True), ("server_stats", False), ("getUsage", False)])
def test_what_reports_on_the_server_may_count_the_calls(name, finds):
    found = rules(counting(lambda n: envelope({"requests": n})), name=name, idempotent=True)
    assert bool(found) is finds


@pytest.mark.parametrize("dollars", [None, 0, 0.0, False, True, "free"])
def test_what_is_no_price_is_free(dollars):
    made = probe(idempotent=True, cost_hint={"tokens_estimate": 100, "dollars_estimate": dollars})[1]
    assert len(made) == 2


def test_calls_that_cost_money_are_not_repeated():
    cost = {"tokens_estimate": 100, "dollars_estimate": 0.02}
    findings, made, _ = probe(counting(lambda n: envelope({"n": n})), idempotent=True, cost_hint=cost)
    assert (findings, made) == ([], [])


def test_a_steady_tool_costs_two_calls_and_a_suspicion_two_more():
    assert len(probe(idempotent=True)[1]) == 2
    assert len(probe(counting(lambda n: envelope({"n": n})), idempotent=True)[1]) == 4


def test_what_is_too_long_to_compare_is_said():
    findings, made, skipped = probe(counting(lambda n: envelope({"t": "x" * 1_100_000, "n": n})), idempotent=True)
    assert [finding.rule for finding in findings] == ["charter/measured-size"]
    assert [item.reason for item in skipped] == ["its responses are too long to be compared"]
    assert len(made) == 2


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_a_probe_that_there_was_no_time_for_is_said_and_finds_nothing(left):
    findings, made, skipped = probe(counting(lambda n: envelope({"n": n})), idempotent=True, left=left)
    assert findings == []
    assert len(made) == left
    assert skipped
    assert {item.reason for item in skipped} == {"no time was left to compare it with its metadata"}


def formatted(concise, detailed):
    data = {None: {"n": 1}, "concise": concise, "detailed": detailed}
    return lambda arguments: envelope(data[arguments.get("response_format")])


LONG, SHORT = {"text": TEXT}, {"text": "word"}


@pytest.mark.parametrize(
    ("concise", "detailed", "says"),
    [
        (SHORT, LONG, None),
        (LONG, LONG, "as many"),
        (LONG, {"text": TEXT[:-100]}, "more"),
        (SHORT, SHORT, None),
    ],
)
def test_concise_against_detailed(concise, detailed, says):
    findings, made, _ = probe(formatted(concise, detailed), properties=FORMATS)
    formats = [case.arguments["response_format"] for case in made if case.purpose is Purpose.FORMAT]
    assert formats == ["detailed", "concise"]
    assert [finding.rule for finding in findings] == (["charter/measured-format"] if says else [])
    assert says is None or says in findings[0].message


@pytest.mark.parametrize("schema", [{"enum": ["short", "long"]}, {"type": "string"}, True, {"enum": "concise"}])
def test_a_tool_without_both_formats_is_not_asked_for_them(schema):
    _, made, _ = probe(formatted(LONG, LONG), properties={"response_format": schema})
    assert all(case.purpose is Purpose.REPEAT for case in made)


def test_a_tool_of_which_no_good_call_succeeded_is_left_alone():
    findings, made, skipped = probe(lambda _: failed("internal_error"), idempotent=True, latency_hint="fast")
    assert (findings, made, skipped) == ([], [], [])


def test_the_outcome_is_named_by_its_kind():
    (finding,) = probe(in_turn(envelope(), failed("unknown_name")), idempotent=True)[0]
    assert finding.message == "The tool is idempotent, but the same call gives success and then unknown_name."
    gone = {"content": [{"type": "text", "text": "It is used up."}], "isError": True}
    (finding,) = probe(in_turn(envelope(), gone), idempotent=True)[0]
    assert finding.message == "The tool is idempotent, but the same call gives success and then error."


def test_only_good_calls_of_the_tool_itself_are_measured():
    tools = [{"name": name, "inputSchema": {}, "_meta": {"cost_hint": {"tokens_estimate": 1}}} for name in "ab"]
    good, other = Case("a", {}, Purpose.CONFIGURED), Case("b", {}, Purpose.CONFIGURED)
    wrong = Case("a", {}, Purpose.UNKNOWN, valid=False)
    answers = [(good, envelope(LONG)), (other, envelope()), (wrong, envelope())]
    results = [CaseResult(case, outcome_of(read_response(raw)), 5.0, raw) for case, raw in answers]

    async def make(case):
        return results[0]

    async def exchange():
        return 0.0

    probes = Probes(build_surface({"tools": tools}), CHECKER, make, lambda: True, exchange)
    anyio.run(probes.run, results, lambda tool: True)
    assert [(breach.rule, tool) for breach, tool in probes.breaches] == [("charter/measured-tokens", "a")]
    none = Probes(build_surface({"tools": tools}), CHECKER, make, lambda: True, exchange)
    anyio.run(none.run, results, lambda tool: False)
    assert none.breaches == []


def test_probes_run_only_for_rules_that_run():
    assert needs_probes(CHECKER)
    assert not needs_probes(ResponseChecker(select(LintSettings())))
    for rule in RULES:
        assert needs_probes(ResponseChecker(select(LintSettings(select=(rule,)))))
