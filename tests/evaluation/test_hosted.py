"""The runners of the three providers, over HTTP against a stub that speaks their wire formats."""

from __future__ import annotations

import json
import traceback

import anyio
import pytest
from model_asking import DIALECTS, OFFER, QUERY, SCHEMA, TOOLS, answered, ask, runner, stubbed
from replacing import replace
from servers.model_stub import KEY, Asked, ModelStub, Reply

from mcp_governor.errors import GovernorError
from mcp_governor.evaluation import hosted, offering
from mcp_governor.evaluation.model import Choice, Failure, Offer
from mcp_governor.evaluation.offering import as_sent
from mcp_governor.text import visible

dialects = pytest.mark.parametrize("dialect", DIALECTS)
CALL = Reply(calls=[("a_tool", {"x": 1})])


# ── what is sent ────────────────────────────────────────────────────────────────────────────────────────


@dialects
def test_tools_are_sent_byte_for_byte_in_their_order(dialect):
    _, (asked,) = answered(CALL, dialect)
    assert [tool["name"] for tool in asked.tools] == ["z_tool", "a_tool", "m_tool"]
    # Two of the SDKs have no way to leave a description out.
    assert [tool["description"] or None for tool in asked.tools] == [tool.get("description") for tool in TOOLS]
    # As text: the order of keys counts, and 1.0 is not 1.
    assert [json.dumps(tool["schema"]) for tool in asked.tools] == [json.dumps(t["inputSchema"]) for t in TOOLS]


@dialects
def test_nothing_else_is_sent(dialect):
    _, (asked,) = answered(CALL, dialect)
    body = {key: value for key, value in asked.body.items() if key != "tools"}
    assert asked.question == QUERY.text
    assert (
        body
        == {
            "anthropic": {
                "model": "claude-stub-1",
                "messages": [{"role": "user", "content": [{"type": "text", "text": QUERY.text}]}],
                "max_tokens": 8192,
                "temperature": 0.0,
                "tool_choice": {"type": "auto"},
                "stream": False,
            },
            "responses": {
                "model": "gpt-stub-1",
                "input": [{"role": "user", "content": QUERY.text}],
                "max_output_tokens": 8192,
                "temperature": 0.0,
                "tool_choice": "auto",
                "store": False,
                "stream": False,
            },
            "chat": {
                "model": "gpt-stub-1",
                "messages": [{"role": "user", "content": QUERY.text}],
                "max_tokens": 8192,
                "temperature": 0.0,
                "tool_choice": "auto",
                "stream": False,
            },
            "google": {
                "contents": [{"role": "user", "parts": [{"text": QUERY.text}]}],
                "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
                "generationConfig": {"temperature": 0.0, "maxOutputTokens": 8192, "responseModalities": ["TEXT"]},
            },
        }[dialect]
    )


@pytest.mark.parametrize(("dialect", "model"), [("anthropic", "claude-opus-5"), ("responses", "gpt-5")])
def test_models_that_refuse_a_temperature_are_sent_none(dialect, model):
    with ModelStub(CALL) as stub:
        asked = runner(stub, dialect, model)
        assert asked.info.temperature is None
        assert ask(asked).failure is None
        assert "temperature" not in stub.asked[0].body


@dialects
def test_a_temperature_that_is_sent_is_recorded(dialect):
    with stubbed(CALL, dialect, temperature=0.5) as (stub, asked):
        ask(asked)
        body = stub.asked[0].body
        assert asked.info.temperature == body.get("generationConfig", body)["temperature"] == 0.5


@dialects
def test_names_are_mapped_where_a_provider_refuses_them_and_mapped_back(dialect):
    long = "x" * 70
    tools = tuple({"name": name, "inputSchema": SCHEMA} for name in ("docs.find", "docs_find", "1st", long))
    with stubbed(lambda asked: Reply(calls=[(t["name"], {}) for t in asked.tools]), dialect) as (stub, asked):
        answer = ask(asked, offer=Offer(tools, 1))
        assert [choice.tool for choice in answer.choices] == ["docs.find", "docs_find", "1st", long]
        sent = [tool["name"] for tool in stub.asked[0].tools]
        kept = dialect == "google"
        assert sent == [
            "docs.find" if kept else "docs_find_2",
            "docs_find",
            "_1st" if kept else "1st",
            "x" * 64,
        ]


def test_openai_gets_properties_that_it_needs():
    tools = ({"name": "ping", "inputSchema": {"type": "object"}}, {"name": "pong"})
    with stubbed(CALL, "responses") as (stub, asked):
        assert ask(asked, offer=Offer(tools, 1)).failure is None
        assert [tool["schema"] for tool in stub.asked[0].tools] == [{"type": "object", "properties": {}}] * 2


@pytest.mark.parametrize("dialect", ["anthropic", "responses", "chat"])  # the transformer for Google changes nothing
def test_what_a_library_would_change_is_not_sent(dialect, monkeypatch):
    monkeypatch.setattr(hosted, "_UNCHANGED", {})
    with stubbed(CALL, dialect) as (stub, asked):
        with pytest.raises(GovernorError) as caught:
            ask(asked)
        assert stub.asked == []
    assert "would not send tool z_tool as it was published" in caught.value.message


def test_each_difference_of_a_request_is_found():
    with stubbed(CALL, "chat") as (stub, asked):
        ask(asked)
        whole = stub.asked[0].body
    exchange = offering.Exchange(QUERY, as_sent("local", TOOLS), 0.0)

    def found(change) -> str:
        body = json.loads(json.dumps(whole))
        change(body)
        return offering.difference(exchange, "/openai/v1/chat/completions", json.dumps(body).encode())

    def function(body, number=0):
        return body["tools"][number]["function"]

    assert found(lambda body: None) == ""
    assert found(lambda body: body["tools"].reverse()) == "tool z_tool"
    assert found(lambda body: body["tools"].pop()) == "2 of 3 tools"
    assert found(lambda body: function(body).update(description="Zed")) == "tool z_tool"
    assert found(lambda body: function(body)["parameters"].pop("$schema")) == "tool z_tool"
    assert found(lambda body: function(body, 1).update(strict=True)) == "tool a_tool"
    assert found(lambda body: body["messages"].insert(0, {"role": "system", "content": "x"})) == "the system prompt"
    assert found(lambda body: body["messages"].append({"role": "user", "content": "x"})) == "the query"
    assert found(lambda body: body["messages"][0].update(content="x")) == "the query"
    assert found(lambda body: body.update(tool_choice="required")) == "the choice of tools"
    assert found(lambda body: body.update(temperature=1)) == "the temperature"
    assert found(lambda body: body.pop("messages")) == "the request has an unknown form"

    def reordered(body):
        schema = function(body)["parameters"]
        schema["type"] = schema.pop("type")

    assert found(reordered) == "tool z_tool"


# ── what comes back ─────────────────────────────────────────────────────────────────────────────────────


@dialects
def test_parallel_calls_unknown_tools_and_text_come_back_as_they_are(dialect):
    reply = Reply(calls=[("a_tool", {"x": [1, "é"]}), ("no_such_tool", {})], text="First this.", tokens=(120, 30, 50))
    answer, _ = answered(reply, dialect)
    assert answer.choices == (Choice("a_tool", {"x": [1, "é"]}), Choice("no_such_tool", {}))
    assert (answer.query, answer.text, answer.failure, answer.refused) == ("q1", "First this.", None, False)
    usage = answer.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.requests) == (120, 30, 50, 1)
    assert answer.served.startswith({"anthropic": "claude", "google": "gemini"}.get(dialect, "gpt"))


@dialects
def test_no_call_is_an_answer(dialect):
    answer, _ = answered(Reply(text="Nothing fits."), dialect)
    assert (answer.choices, answer.text, answer.failure, answer.refused) == ((), "Nothing fits.", None, False)


@pytest.mark.parametrize("dialect", ["anthropic", "responses", "chat"])
@pytest.mark.parametrize(
    ("arguments", "choice"),
    [
        ('{"x":', Choice("a_tool", None, '{"x":')),
        ("[1]", Choice("a_tool", None, "[1]")),
        ('"{}"', Choice("a_tool", None, '"{}"')),
        ('{"x": NaN}', Choice("a_tool", None, '{"x": NaN}')),
        ("x" * 9000, Choice("a_tool", None, "x" * 500)),
        ("", Choice("a_tool", {})),
        ("[" * 100_000, Choice("a_tool", None, "[" * 500)),
    ],
    ids=["cut", "list", "string", "nan", "long", "nothing", "deep"],
)
def test_arguments_that_are_not_an_object_are_kept_as_text(dialect, arguments, choice):
    answer, _ = answered(Reply(calls=[("a_tool", arguments)]), dialect)
    assert answer.choices == (choice,)
    assert answer.failure is None


def test_google_says_itself_that_it_could_not_read_a_call():
    answer, _ = answered(Reply(stop="malformed"), "google")
    assert (answer.failure, answer.choices, answer.detail) == ("malformed", (), "MALFORMED_FUNCTION_CALL")
    assert answer.usage.input_tokens == 100  # it is paid for


@dialects
@pytest.mark.parametrize("reply", [Reply(refusal="I will not."), Reply(filtered=True)], ids=["refusal", "filter"])
def test_refusals_are_told_from_answers_and_failures(dialect, reply):
    answer, _ = answered(reply, dialect)
    assert (answer.refused, answer.failure, answer.choices) == (True, None, ())
    assert answer.detail
    if reply.refusal and dialect != "google":
        assert answer.detail == "I will not."


@pytest.mark.parametrize("code", ["content_filter", "invalid_prompt"])
def test_a_query_that_openai_refuses_before_a_model_sees_it_is_a_refusal(code):
    answer, _ = answered(Reply(status=400, error=code, message="flagged"), "responses")
    assert (answer.refused, answer.failure, answer.detail) == (True, None, "flagged")


@dialects
def test_an_answer_that_reached_the_limit_is_truncated(dialect):
    answer, _ = answered(Reply(stop="length", text="I th", calls=[("a_tool", {})]), dialect)
    assert (answer.failure, answer.choices) == ("truncated", ())


STATUSES = {
    400: "http-400",
    401: "auth",
    402: "quota",
    403: "auth",
    404: "unknown-model",
    413: "http-413",
    429: "rate-limited",
    500: "http-500",
    503: "http-503",
    529: "http-529",
    302: "http-302",
}


@dialects
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_is_a_kind_of_failure_and_nothing_is_retried(dialect, status):
    with stubbed(Reply(status=status, message="Why."), dialect) as (stub, asked):
        answer = ask(asked)
        assert answer.failure == STATUSES[status]
        assert len(stub.asked) == answer.usage.requests == 1
        if answer.failure != "auth" and status != 302:
            assert answer.detail == "Why."


@dialects
@pytest.mark.parametrize(("status", "failure"), [(429, "rate-limited"), (503, "http-503")])
def test_the_wait_that_a_provider_asks_for_is_passed_on(dialect, status, failure):
    answer, _ = answered(Reply(status=status, retry_after=7), dialect)
    assert (answer.failure, answer.retry_after) == (failure, 7)


@pytest.mark.parametrize("seconds", [-1, 86_400])
def test_a_wait_beyond_an_hour_is_not_passed_on(seconds):
    assert answered(Reply(status=429, retry_after=seconds), "chat")[0].retry_after is None


def test_an_exhausted_account_is_not_a_rate_limit():
    answer, _ = answered(Reply(status=429, error="insufficient_quota"), "responses")
    assert answer.failure == "quota"


@dialects
def test_an_unknown_model_is_named_by_the_provider(dialect):
    with ModelStub(CALL) as stub:
        answer = ask(runner(stub, dialect, "no-such-model"))
    assert answer.failure == Failure.UNKNOWN_MODEL
    assert "no-such-model" in answer.detail


def test_a_refused_tool_is_named():
    schema = {"type": "object", "anyOf": [{"required": ["a"]}]}
    tools = (TOOLS[1], {"name": "picky", "inputSchema": schema})
    with stubbed(CALL, "anthropic") as (_, asked):
        answer = ask(asked, offer=Offer(tools, 1))
    assert answer.failure == "http-400"
    assert answer.detail.startswith("picky: tools.1.custom.input_schema")


def test_a_time_limit_ends_a_request(monkeypatch):
    monkeypatch.setattr(hosted, "TIMEOUT", 0.5)
    answer, _ = answered(Reply(delay=30), "chat")
    assert (answer.failure, answer.detail) == ("timeout", "after 0.5 s")


@dialects
@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply(keep=60, text="x" * 500), "cut"),
        (Reply(pad=offering.MAX_RESPONSE), "too-large"),
        (Reply(pad=offering.MAX_RESPONSE, unsized=True), "too-large"),
        (Reply(raw=b"<html>busy</html>"), "malformed"),
        (Reply(raw=b"{}"), "malformed"),
        (Reply(raw=b"[1]"), "malformed"),
        (Reply(raw=b'{"output": 3, "choices": 3, "content": 3, "candidates": 3}'), "malformed"),
        (Reply(raw=b"[" * 200_000), "malformed"),
        (Reply(raw=b""), "malformed"),
    ],
    ids=["cut", "large", "unsized", "html", "empty", "list", "numbers", "deep", "nothing"],
)
def test_a_response_that_cannot_be_read_is_a_failure(dialect, reply, failure):
    answer, _ = answered(reply, dialect)
    assert (answer.failure, answer.choices) == (failure, ())


@dialects
def test_no_connection_is_a_failure(dialect):
    with ModelStub() as stub:
        asked = runner(stub, dialect)
    assert ask(asked).failure == "unreachable"


@dialects
def test_several_queries_may_be_asked_at_once(dialect):
    queries = [replace(QUERY, id=f"q{number}", text=f"Number {number}?") for number in range(8)]

    def script(asked: Asked) -> Reply:
        return Reply(calls=[("a_tool", {"question": asked.question})])

    with stubbed(script, dialect) as (stub, asked):
        answers = {}

        async def one(query):
            answers[query.id] = await asked.answer(query, OFFER)

        async def all_of_them():
            async with anyio.create_task_group() as group:
                for query in queries:
                    group.start_soon(one, query)
            await asked.aclose()

        anyio.run(all_of_them)
    assert len(stub.asked) == 8
    for query in queries:
        assert answers[query.id].choices == (Choice("a_tool", {"question": query.text}),)


# ── what stays inside ───────────────────────────────────────────────────────────────────────────────────


@dialects
@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=f"Your key is {KEY}.", calls=[(f"t{KEY}", {"k": [KEY]})]),
        Reply(status=500, message=f"key {KEY} failed"),
        Reply(status=401, message=f"Incorrect API key provided: {KEY[:9]}*****{KEY[-4:]}"),
        Reply(refusal=f"{KEY}"),
        Reply(raw=f'"{KEY}"'.encode()),
    ],
    ids=["text", "500", "401", "refusal", "malformed"],
)
def test_the_key_is_nowhere_in_an_answer(dialect, reply):
    with stubbed(reply, dialect) as (_, asked):
        answer = ask(asked)
        shown = f"{answer!r} {asked.info!r} {asked!r} {vars(asked)!r}"
    assert KEY not in shown
    assert KEY[-4:] not in f"{answer!r}"


def test_the_key_is_nowhere_in_an_exception(monkeypatch):
    monkeypatch.setattr(hosted, "_UNCHANGED", {})
    with stubbed(CALL, "chat") as (_, asked), pytest.raises(GovernorError) as caught:
        ask(asked)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert "[redacted]" in visible(f"it is {KEY}")


# ── estimates ───────────────────────────────────────────────────────────────────────────────────────────


def test_an_estimate_bounds_what_a_request_costs():
    with ModelStub(Reply(calls=[("a_tool", {})], tokens=(1000, 100, 0))) as stub:
        asked = runner(stub, "responses", "gpt-5")
        foreseen = asked.estimate(QUERY, OFFER)
        answer = ask(asked)
    # 1.25 dollars in, 10 out, per million.
    assert answer.usage.dollars == pytest.approx(1000 * 1.25e-6 + 100 * 10e-6)
    assert foreseen.output_tokens == 8192
    assert foreseen.dollars == pytest.approx(foreseen.input_tokens * 1.25e-6 + 200 * 10e-6)
    assert foreseen.most_dollars == pytest.approx(int(foreseen.input_tokens * 1.5) * 1.25e-6 + 8192 * 10e-6)
    # Three tools with a schema of 900 bytes: the size that is sent, at four bytes per token, and a fixed part.
    assert 600 < foreseen.input_tokens < 800
