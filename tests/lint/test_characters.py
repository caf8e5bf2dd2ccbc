"""Which characters a text lists, and how a pattern differs from the list."""

from __future__ import annotations

import pytest

from mcp_governor.prose.characters import differences, stated_characters

LISTS = [
    ("Must contain only alphanumeric characters, underscores, and hyphens.", "aA0_-"),
    ("Uses 3-63 characters, only lowercase letters, numbers, and hyphens.", "a0-"),
    ("In a format using uppercase letters and underscores (e.g. US_EAST_1).", "A_"),
    ("Allowed characters: letters, digits, dots", "aA0."),
    # One sort, open lists, exceptions, and other words.
    ("Only letters.", None),
    ("Only letters, digits and other symbols.", None),
    ("Only letters, not digits.", None),
    ("Letters and digits.", None),
    ("Using numbers and dates of spaces etc.", None),
]


@pytest.mark.parametrize(("text", "characters"), LISTS)
def test_lists_of_characters(text, characters):
    assert stated_characters(text) == (None if characters is None else frozenset(characters))


PATTERNS = [
    ("aA0_-", "[0-9a-z_]*", [("refuses", "uppercase letters"), ("refuses", "hyphens")]),
    ("aA0_-", "^[a-zA-Z0-9_-]{3,63}$", []),
    ("a0-", "[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", []),
    ("A_", "^[a-zA-Z0-9_-]+$", [("takes", "lowercase letters"), ("takes", "hyphens")]),
    # A form, and what the engine cannot read.
    ("aA0", "^arn:.*", []),
    ("aA0", "(?=a)b", []),
    ("aA0", "(", []),
]


@pytest.mark.parametrize(("stated", "pattern", "expected"), PATTERNS)
def test_how_a_pattern_differs(stated, pattern, expected):
    assert list(differences(frozenset(stated), pattern)) == expected
