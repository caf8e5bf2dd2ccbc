"""Server words on their way to a person."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.text import did_you_mean, escape_json, one_line, sentence, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("né — ✓ 日本", "né — ✓ 日本"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\u202eb", r"a\u{202e}b"),
        ("a\u200bb\ufeff", r"a\u{200b}b\u{feff}"),
        ("tag\U000e0041", r"tag\u{e0041}"),
        ("\ud800", r"\u{d800}"),
        ("a\nb\r\tc", r"a\x0ab\x0d\x09c"),
        ("\x9b31m", r"\x9b31m"),
    ],
)
def test_nothing_reaches_a_terminal_raw(raw: str, shown: str) -> None:
    assert visible(raw) == shown
    visible(raw).encode()


def test_newlines_may_stay() -> None:
    assert visible("a\nb\x1b", keep_newlines=True) == "a\nb\\x1b"


def test_one_line_cuts() -> None:
    assert one_line("a \n  b") == "a b"
    assert one_line("x" * 20, 10) == "x" * 9 + "…"


def test_the_nearest_word_is_named_only_when_near() -> None:
    assert did_you_mean("bselin", ["baseline", "target"]) == ' Did you mean "baseline"?'
    assert did_you_mean("zzz", ["baseline"]) == ""


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5))
def test_escaped_json_is_the_same_value_without_a_suspect(value: object) -> None:
    text = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(text) == value
    assert not [char for char in text if char not in "\n\t" and visible(char) != char]
    text.encode()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("argument `a` is new", "Argument `a` is new."),
        ("`a` is new", "`a` is new."),
        ("Done.", "Done."),
        ("really?", "Really?"),
        ("", ""),
        ("exclusiveMinimum of `h` is new: 0", "exclusiveMinimum of `h` is new: 0."),
    ],
)
def test_a_sentence_has_a_capital_and_a_full_stop(raw: str, said: str) -> None:
    assert sentence(raw) == said
