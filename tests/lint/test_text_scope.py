"""The engine asks a check only about strings in its scope, and no finding is lost that way."""

from __future__ import annotations

import pytest

from mcp_governor.prose.guarded import Guarded
from mcp_governor.rules.text_scope import TextPlan, about_text


def _named(name, *forms, **scope):
    def check(_text, _context):
        return ()

    return (name, about_text(*forms, **scope)(check) if forms or scope else check, None)


RUNNERS = [
    _named("all"),
    _named("worded", Guarded(r"\bsecret\b", "secret"), Guarded("key", "key")),
    _named("wordless", Guarded("x+")),
    _named("unusual", unusual=True),
    _named("both", Guarded("key", "key"), unusual=True),
]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("plain text", ["all", "wordless"]),
        ("the SECRET", ["all", "worded", "wordless"]),
        ("two\nlines", ["all", "wordless", "unusual"]),
        ("a key – here", ["all", "worded", "wordless", "unusual", "both"]),
        ("\ud800 key", ["all", "worded", "wordless", "unusual", "both"]),
        ("", ["all", "wordless"]),
    ],
)
def test_a_check_is_asked_about_its_scope(text, asked):
    plan = TextPlan(RUNNERS)
    # The words are compiled after some uses.
    assert [[name for name, _, _ in plan.checks(text)] for _ in range(30)] == [asked] * 30
