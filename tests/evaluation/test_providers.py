"""Who is asked, with which key, at which price, and names and schemas as a host sends them."""

from __future__ import annotations

import re
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replacing import replace
from servers.model_stub import KEY

from mcp_governor.errors import Exit, MissingDependencyError, UsageError
from mcp_governor.evaluation.hosted import HostedRunner
from mcp_governor.evaluation.offering import MAX_NAME, as_sent, offered_tools
from mcp_governor.evaluation.providers import Options, access
from mcp_governor.secrets import redact
from mcp_governor.surface import build_surface


@pytest.mark.parametrize(
    ("name", "environment", "family", "shown", "variable"),
    [
        ("anthropic:claude-x", {"ANTHROPIC_API_KEY": KEY}, "anthropic", "", "ANTHROPIC_API_KEY"),
        ("openai:gpt-x", {"OPENAI_API_KEY": KEY}, "openai", "", "OPENAI_API_KEY"),
        ("google:gemini-x", {"GEMINI_API_KEY": KEY}, "google", "", "GEMINI_API_KEY"),
        ("google:gemini-x", {"GEMINI_API_KEY": "other", "GOOGLE_API_KEY": KEY}, "google", "", "GOOGLE_API_KEY"),
        (
            "openai:qwen",
            {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://localhost:11434/v1/"},
            "local",
            "http://localhost:11434/v1",
            "OPENAI_API_KEY",
        ),
        (
            "anthropic:claude-x",
            {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "https://user:secret-pass-1@proxy.example/a"},
            "anthropic",
            "https://proxy.example/a",
            "ANTHROPIC_API_KEY",
        ),
    ],
)
def test_a_name_and_the_environment_say_who_is_asked(name, environment, family, shown, variable):
    found = access(name, environment)
    assert (found.family, found.shown, found.variable, found.key) == (family, shown, variable, KEY)
    assert found.own is (shown == "")
    assert redact(f"{KEY} secret-pass-1").count("[redacted]") == (2 if "user" in str(environment) else 1)
    assert KEY not in repr(found)


def test_the_model_may_have_colons_and_slashes():
    assert access("openai:meta/llama:free", {"OPENAI_API_KEY": KEY}).model == "meta/llama:free"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("openai:m", "OPENAI_API_KEY"),
        ("google:m", "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_names_the_variable(name, wanted, value):
    environment = {} if value is None else dict.fromkeys(wanted.split(" or "), value)
    with pytest.raises(UsageError) as caught:
        access(name, environment)
    assert caught.value.message == f"{name} needs a key."
    assert caught.value.hint == f"Set the environment variable {wanted}."
    # An estimate needs none.
    assert access(name, environment, Options(sends=False)).own


@pytest.mark.parametrize("name", ["antropic:m", "m", "", "mistral:m", "\x1b[31m:m"])
def test_an_unknown_provider_is_an_error(name):
    with pytest.raises(UsageError, match="unknown provider") as caught:
        access(name, {})
    assert "\x1b" not in caught.value.message
    assert caught.value.exit_code is Exit.USAGE
    if name == "antropic:m":
        assert 'Did you mean "anthropic"?' in caught.value.message


@pytest.mark.parametrize("model", ["", " ", "a b", "x" * 201, "a\nb", "\u202e"])
def test_a_model_id_that_nobody_has_is_an_error(model):
    with pytest.raises(UsageError, match="names no model"):
        access(f"openai:{model}", {"OPENAI_API_KEY": KEY})


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://h/v1", "https://", "https://h/v1?key=1", "http://h:x/"])
def test_an_address_that_is_none_is_an_error_that_does_not_repeat_it(url):
    with pytest.raises(UsageError, match="OPENAI_BASE_URL is not that of an API"):
        access("openai:m", {"OPENAI_BASE_URL": url})


def test_an_address_from_an_option_gets_the_key_of_no_provider():
    environment = {"OPENAI_API_KEY": KEY, "OPENROUTER_API_KEY": "or-key-123456"}
    options = Options(base_url="https://openrouter.example/v1")
    found = access("openai:m", environment, options)
    assert (found.key, found.variable) == ("", "")
    found = access("openai:m", environment, replace(options, key_variable="OPENROUTER_API_KEY"))
    assert (found.key, found.variable) == ("or-key-123456", "OPENROUTER_API_KEY")


def test_a_variable_that_was_named_has_to_be_set():
    with pytest.raises(UsageError) as caught:
        access("openai:m", {}, Options(base_url="http://localhost:1/v1", key_variable="MY_KEY"))
    assert caught.value.hint == "Set the environment variable MY_KEY."


@pytest.mark.parametrize(
    ("host", "fine"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("[::1]", True),
        ("192.168.1.5", True),
        ("gpu-box", True),
        ("gpu.internal", True),
        ("8.8.8.8", False),
        ("llm.example.com", False),
        ("localhost.example.com", False),
    ],
)
def test_a_key_goes_to_the_internet_encrypted_only(host, fine):
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"http://{host}:8000/v1"}
    if fine:
        assert access("openai:m", environment).key == KEY
        return
    with pytest.raises(UsageError, match="OPENAI_API_KEY would be sent to .* unencrypted") as caught:
        access("openai:m", environment)
    assert KEY not in str(caught.value)
    assert access("openai:m", {"OPENAI_BASE_URL": f"http://{host}:8000/v1"}).key == ""


@pytest.mark.parametrize("key", ["sk-1234\nX-Evil: 1", "sk-12 34", "sk-…1234"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key):
    with pytest.raises(UsageError) as caught:
        access("openai:m", {"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY has a character" in caught.value.message
    assert "1234" not in str(caught.value)


@pytest.mark.parametrize("missing", ["pydantic_ai", "anthropic"])
def test_without_the_extra_one_sentence_says_how_to_install_it(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    # Only what imports the provider: a second copy of the library would have exceptions that nobody recognises.
    for name in [name for name in sys.modules if name.startswith("pydantic_ai.") and name.endswith(".anthropic")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingDependencyError) as caught:
        HostedRunner("anthropic:m", {"ANTHROPIC_API_KEY": KEY})
    assert caught.value.message == "anthropic:m needs pydantic-ai with its providers, which is not installed."
    assert "pydantic-ai-slim[anthropic,google,openai]" in caught.value.hint


def test_nothing_heavy_loads_before_a_runner_is_made():
    code = (
        "import sys, mcp_governor.evaluation.hosted, mcp_governor.evaluation.providers, mcp_governor.evaluation.hosted;"
        "print([n for n in ('pydantic_ai','openai','anthropic','google','genai_prices','httpx2') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_a_price_is_that_of_the_list(monkeypatch):
    def no_network(*_: object) -> None:
        raise AssertionError("the list needs no network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    # The published price of this model: 2 dollars in, 8 out, 0.5 cached, per million.
    found = access("openai:gpt-4.1", {"OPENAI_API_KEY": KEY})
    prices = [found.dollars(*tokens) for tokens in ((10**6, 0), (0, 10**6), (10**6, 0, 10**6))]
    assert prices == pytest.approx([2, 8, 0.5])
    assert access("openai:gpt-4.1-2025-04-14", {"OPENAI_API_KEY": KEY}).dollars(10**6, 0) == pytest.approx(2)


@pytest.mark.parametrize(
    ("name", "address", "known"),
    [
        ("openai:gpt-nobody-has-this", "", False),
        ("anthropic:gpt-4.1", "", False),
        # The same name on another machine costs something else.
        ("openai:gpt-4.1", "http://127.0.0.1:8000/v1", False),
        ("openai:gpt-4.1", "https://gateway.example/v1", False),
        # A gateway on the list has prices of its own.
        ("openai:openai/gpt-4.1", "https://openrouter.ai/api/v1", True),
    ],
)
def test_what_is_not_on_the_list_is_unknown(name, address, known):
    environment = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "OPENAI_BASE_URL": address}
    assert (access(name, environment).dollars(1, 1) is not None) is known


FITS = {
    "anthropic": r"[a-zA-Z0-9_-]{1,64}",
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "local": r"[a-zA-Z0-9_-]{1,64}",
    "google": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
}
NAMES = st.lists(st.one_of(st.text(max_size=80), st.from_regex(r"[ab_.1]{1,3}", fullmatch=True)), max_size=12)


def _surface(*names: str):
    return build_surface({"tools": [{"name": name, "title": "T", "inputSchema": {"type": "object"}} for name in names]})


def test_an_offer_has_what_a_model_sees_and_nothing_else():
    (tool,) = offered_tools(_surface("a"))
    assert tool == {"name": "a", "inputSchema": {"type": "object"}}


@given(NAMES, st.sampled_from(sorted(FITS)), st.randoms(use_true_random=False))
def test_sent_names_fit_are_distinct_and_do_not_depend_on_the_order(names, family, random):
    names = list(dict.fromkeys(names))
    tools = [{"name": name, "inputSchema": {"type": "object", "properties": {}}} for name in names]
    sent = as_sent(family, tools)
    assert all(re.fullmatch(FITS[family], tool.name) for tool in sent)
    assert len({tool.name for tool in sent}) == len(names)
    assert [tool.published for tool in sent] == names
    for tool in sent:
        fits = re.fullmatch(FITS[family], tool.published) is not None
        assert (tool.name == tool.published) is fits
    random.shuffle(tools)
    assert {t.published: t.name for t in as_sent(family, tools)} == {t.published: t.name for t in sent}


def test_equal_names_are_told_apart():
    tools = [{"name": "same"}, {"name": "same"}, {"name": "x" * MAX_NAME}, {"name": "x" * MAX_NAME}]
    sent = [tool.name for tool in as_sent("anthropic", tools)]
    assert sent == ["same", "same_2", "x" * MAX_NAME, "x" * (MAX_NAME - 2) + "_2"]
