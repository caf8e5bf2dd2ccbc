"""Dollars: from the list that is installed, as stated, or unknown."""

from __future__ import annotations

import socket

import pytest
from servers.model_stub import KEY

from mcp_governor.evaluation.hosted import Options, hosted_runner
from mcp_governor.evaluation.providers import listed_price, stated_price


def test_a_listed_price_is_that_of_the_list_and_names_it(monkeypatch):
    def no_network(*_: object) -> None:
        raise AssertionError("the list needs no network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    price = listed_price("openai", "gpt-4.1")
    assert price is not None
    # The published price of this model: 2 dollars in, 8 out, 0.5 cached, per million.
    assert price.dollars(1_000_000, 0) == pytest.approx(2)
    assert price.dollars(0, 1_000_000) == pytest.approx(8)
    assert price.dollars(1_000_000, 0, 1_000_000) == pytest.approx(0.5)
    assert price.source.startswith("genai-prices ")
    assert "https://" in price.source


@pytest.mark.parametrize(
    ("family", "model", "endpoint"),
    [
        ("openai", "gpt-nobody-has-this", ""),
        ("anthropic", "gpt-4.1", ""),
        # The same name on another machine costs something else.
        ("local", "gpt-4.1", "http://127.0.0.1:8000/v1"),
        ("local", "gpt-4.1", "https://gateway.example/v1"),
    ],
)
def test_what_is_not_on_the_list_is_unknown(family, model, endpoint):
    assert listed_price(family, model, endpoint) is None


def test_a_gateway_on_the_list_has_prices_of_its_own():
    assert listed_price("local", "openai/gpt-4.1", "https://openrouter.ai/api/v1") is not None


def test_a_stated_price_counts_cached_tokens_in_full():
    assert stated_price(3, 15).dollars(2_000_000, 1_000_000, 500_000) == pytest.approx(21)


def test_a_dated_model_has_the_price_of_its_family_and_an_estimate_names_dollars():
    environment = {"OPENAI_API_KEY": KEY}
    runner = hosted_runner("openai:gpt-4.1-2025-04-14", environment)
    assert runner.price is not None
    assert hosted_runner("openai:gpt-nobody-has-this", environment).price is None
    assert hosted_runner("openai:gpt-nobody-has-this", environment, Options(price=(1, 2))).price == stated_price(1, 2)
