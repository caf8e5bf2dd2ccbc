"""Matchers: when an argument is what a query set expects."""

from __future__ import annotations

import pytest

from mcp_governor.evaluation.matchers import ABSENT, matches, problem_of

TABLE = [
    ("a", "a", True),
    ("a", "b", False),
    ("a", ABSENT, False),
    (None, None, True),
    (None, ABSENT, False),
    (1, 1.0, True),
    (1, True, False),
    (0, False, False),
    (True, True, True),
    ([1, {"a": 2}], [1.0, {"a": 2}], True),
    ([1, 2], [2, 1], False),
    ([1], [1, 1], False),
    ({"equal": {"a": [1]}}, {"a": [1]}, True),
    ({"equal": {"a": 1}}, {"a": 1, "b": 2}, False),
    ({"equal": "a"}, ABSENT, False),
    ({"enum": ["a", 1]}, 1, True),
    ({"enum": ["a", 1]}, "b", False),
    ({"pattern": "^R.*e$"}, "Rome", True),
    ({"pattern": "om"}, "Rome", True),
    ({"pattern": "^o"}, "Rome", False),
    ({"pattern": "1"}, 1, False),
    ({"pattern": "a"}, "b\ud800a", True),
    ({"pattern": "z"}, "a" * 10_000 + "z", False),
    ({"minimum": 1}, 1, True),
    ({"minimum": 1}, 0.9, False),
    ({"minimum": 0}, True, False),
    ({"minimum": 0}, "1", False),
    ({"minimum": 1, "maximum": 2}, 2, True),
    ({"minimum": 1, "maximum": 2}, 2.1, False),
    ({"minimum": 1, "enum": [0, 1]}, 0, False),
    ({"present": True}, None, True),
    ({"present": True}, ABSENT, False),
    ({"present": False}, ABSENT, True),
    ({"present": False}, None, False),
]


@pytest.mark.parametrize(("matcher", "value", "expected"), TABLE)
def test_an_argument_matches(matcher: object, value: object, expected: bool) -> None:
    assert problem_of(matcher) is None
    assert matches(matcher, value) is expected


def test_a_pattern_that_would_take_for_ever_elsewhere_is_answered() -> None:
    assert matches({"pattern": "^(a+)+$"}, "a" * 5_000 + "b") is False
