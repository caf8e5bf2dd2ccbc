"""ECMA-262 patterns: searched for, not anchored; held against each other, lengths and lists."""

from __future__ import annotations

import re

import pytest
from asking import answer, verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.containment.automaton import Automaton
from mcp_governor.containment.regex import UnsupportedPatternError, backtracks, parse


def found(pattern: str, text: str) -> bool:
    return Automaton(parse(pattern)).matches(text)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("b", "abc", True),  # a search, not a match of the whole
        ("^b", "abc", False),
        ("^ab$", "ab\n", False),  # $ is the very end, as in ECMA-262 and unlike Python
        ("^$", "", True),
        ("a|^$", "", True),
        ("^a|b$", "ac", True),
        (r"^\d$", "5", True),
        (r"^\d$", "٥", False),  # only ASCII digits
        (r"^\w$", "é", False),  # only ASCII letters
        (r"^\s$", "﻿", True),
        ("^.$", "\n", False),
        ("^.$", "\u2028", False),
        ("^.$", "\U0001f600", True),  # one character, though two code units
        ("^[^a]$", "a", False),
        ("^[a-c-]$", "-", True),
        ("^[]$", "a", False),
        ("^[^]$", "\n", True),
        (r"^[\d.]+$", "1.2", True),
        (r"^[\]\\]$", "\\", True),
        ("^a{2}$", "aaa", False),
        ("^a{1,2}$", "aaa", False),
        ("^a{0}$", "", True),
        ("^(?:ab)+?$", "abab", True),
        ("^(?<year>a)$", "a", True),
        (r"\bab\b", "x ab!", True),
        (r"^a\Bb$", "ab", True),
        (r"^a\b$", "a", True),
        (r"^\x41\u0042\u{43}$", "ABC", True),
        (r"^\cA$", "\x01", True),
        (r"^\t\n\v\f\r$", "\t\n\v\f\r", True),
        ("(^a)|(b$)", "ab", True),
    ],
)
def test_what_a_pattern_finds(pattern: str, text: str, expected: bool) -> None:
    assert found(pattern, text) is expected


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1",
        r"(?<n>a)\k<n>",
        "(?<=a)b",
        "(?<!a)b",
        "(?i)a",
        r"\p{Script=Latin}",
        r"\p{Nonsense}",
        r"\pL",
        r"\p{L",
        "a{,3}",
        "a{3,1}",
        "(",
        ")",
        "*",
        "[b-a]",
        "[[a]]",
        "a**",
        "a{5000}",
        r"\u{110000}",
        r"\ud800",
        "(?=a)*",
        "[a&&b]",
        "a\\",
        r"\8",
    ],
)
def test_what_is_not_modelled_is_refused(pattern: str) -> None:
    with pytest.raises(UnsupportedPatternError):
        parse(pattern)


_ATOMS = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", "(?:a|bc)", r"\d", "^", "$", r"\b"])
_PATTERNS = st.lists(st.tuples(_ATOMS, st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}"])), max_size=5).map(
    lambda parts: "".join(atom if atom in ("^", "$", r"\b") else atom + times for atom, times in parts)
)


@settings(max_examples=300, deadline=None)
@given(_PATTERNS, st.text("abc1 ", max_size=6))
def test_agrees_with_another_engine(pattern: str, text: str) -> None:
    assert found(pattern, text) is (re.search(pattern, text, re.ASCII) is not None)


def string(**keywords: object) -> dict[str, object]:
    return {"type": "string", **keywords}


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (string(pattern="^a"), string(pattern="^ab")),
        (string(pattern="^[a-z]+$"), string(pattern="^[a-f]{2,4}$")),
        (string(pattern="^[a-z0-9_-]{1,64}$"), string(pattern="^[a-z]+$", maxLength=64)),
        (string(maxLength=3), string(pattern="^a{0,3}$")),
        (string(pattern="^[abc]$"), {"enum": ["a", "b"]}),
        (string(pattern="^a"), string(allOf=[{"pattern": "^a"}, {"pattern": "b$"}])),
        (string(anyOf=[{"pattern": "^a"}, {"pattern": "^b"}]), string(pattern="^[ab]c")),
        (string(**{"not": {"pattern": "^a"}}), string(pattern="^b")),
        (string(pattern="^(?!x)[a-z]+$"), string(pattern="^[a-w]+$")),
        (string(pattern=r"^(?=.*\d)(?=.*[a-z]).+$"), {"const": "a1"}),
        (
            {"type": "object", "patternProperties": {"^a": {"type": "number"}}},
            {"type": "object", "patternProperties": {"^a|^b": {"type": "integer"}}},
        ),
        (
            {"type": "object", "propertyNames": {"pattern": "^[a-z]*$"}},
            {"type": "object", "propertyNames": {"pattern": "^[ab]+$"}},
        ),
    ],
)
def test_patterns_contain_each_other(wide: object, narrow: object) -> None:
    assert verdict(wide, narrow) == "yes"
    assert verdict(narrow, wide) == "no"


def test_patterns_that_never_meet() -> None:
    both = string(allOf=[{"pattern": "^a+$"}, {"pattern": "^b+$"}])
    assert verdict(False, both) == "yes"
    assert verdict(False, string(pattern="^a{3}$", maxLength=2)) == "yes"
    assert verdict(False, string(pattern="[^\\s\\S]")) == "yes"


def test_the_same_pattern_is_decided_even_where_it_is_not_modelled() -> None:
    backreference = string(pattern=r"^(.)\1$")
    assert verdict(backreference, {**backreference, "maxLength": 2}) == "yes"
    assert verdict({"anyOf": [backreference, {"type": "null"}]}, backreference) == "yes"


@pytest.mark.parametrize("pattern", [r"^(.)\1$", "(?<=a)b"])
def test_what_follows_from_a_pattern_that_is_not_modelled_is_unknown(pattern: str) -> None:
    found = answer(string(pattern="^x"), string(pattern=pattern))
    assert found.verdict == "unknown"
    assert "pattern" in found.reason


def test_a_witness_is_found_against_a_pattern_that_is_not_modelled() -> None:
    assert verdict(string(pattern=r"^(.)\1$"), string(pattern="^a")) == "no"


def test_a_line_feed_is_matched_by_no_dot() -> None:
    assert answer(string(pattern=".+"), string(minLength=1)).witness == "\n"
    assert answer(string(pattern=".{2,}"), string(minLength=2)).witness == "a\n"
    # in Python, `$` also matches before a line feed at the end
    assert answer(string(pattern="^.*$"), string()).witness == "\na"


@pytest.mark.parametrize("char", ["\r", "\u2028", "\u2029"])
def test_what_hinges_on_another_line_break_is_left_open(char: str) -> None:
    # the dot of Python and RE2 matches them, that of ECMA-262 does not
    assert answer(string(pattern="^.$"), string(pattern=f"^[a{char}]$")).verdict == "unknown"
    assert verdict(string(pattern="^[^\n]*$"), string(pattern="^a$")) == "yes"


@pytest.mark.parametrize(
    ("pattern", "dangerous"),
    [
        ("^(a+)+$", True),
        ("^(a|a)*$", True),
        ("(x+x+)+y", True),
        ("(.*a){20}", True),
        (r"(?<=a)(b)\1", True),
        ("^[a-z]+$", False),
        (r"^\d{4}-\d{2}-\d{2}$", False),
        (r"^[A-Z]+-\d+(?:-\d+)*$", False),
        ("([0-9a-f]{1,4}:){1,7}", False),
    ],
)
def test_what_may_keep_a_backtracking_engine_busy(pattern: str, dangerous: bool) -> None:
    assert backtracks(pattern) is dangerous


LONELY = (0x20, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
SPACES = {*range(0x09, 0x0E), *range(0x2000, 0x200B), *LONELY}
"""ECMA-262: WhiteSpace, with the space separators of Unicode, and LineTerminator."""


@pytest.mark.parametrize("code", sorted({near for code in SPACES for near in (code - 1, code, code + 1)}))
def test_white_space_is_that_of_ecmascript(code: int) -> None:
    assert found(r"^\s$", chr(code)) is (code in SPACES)
