"""The quick test in front of a regular expression never refuses a string in which the expression matches."""

from __future__ import annotations

import re
import time
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import linear, lint
from mcp_governor.linting.linear import is_alike, linear_test, rare_pattern
from mcp_governor.surface import build_surface

EXPRESSIONS = (
    r"\b(?:must|should) not (?=be\b|have\b)\w+",
    r"(?<!\w)[`'\"]?(?P<name>[A-Za-z_]\w{0,9})[`'\"]?\s(?:is|are)\s(?!set)",
    r"^[^:\n(\[]{0,20}[\[(](required|optional)[\])](?=$|[.])",
    r"max(?:imum)?\s?[:=]?\s?\d{1,3}(?:,\d{3})*+$",
    r"[]a\]]{2}(?=\)(?:y))?[^]x[]$",
    r"\A[^\S\n]{2,}|\n\W\D\Z",
)
TEXTS = st.text(
    st.one_of(
        st.sampled_from("mustshouldnotbehavereqirdopla ()[]`'\"_:=.,0123456789\n\r\t\x1c\x1fABX"),
        st.sampled_from("–—“”…→€✓•é\xa0\u2028①❶ſK中"),
    ),
    max_size=30,
)


@pytest.mark.parametrize("source", EXPRESSIONS)
@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_matches_passes(source: str, flags: int, data: st.DataObject) -> None:
    test, compiled = linear_test(source, flags), re.compile(source, flags)
    assert test is not None
    text = data.draw(st.one_of(TEXTS, st.from_regex(compiled)))
    if is_alike(text) and compiled.search(text):
        assert test(text)


def test_most_of_the_rest_does_not_pass() -> None:
    test = linear_test(EXPRESSIONS[0])
    assert test is not None
    assert test("it must not be empty")
    assert not test("the limit must be positive")


@pytest.mark.parametrize(
    ("text", "alike"),
    [("plain", True), ("a – “b” → c…", True), ("two\nlines\t", True), ("é", False), ("a\x1cb", False), ("❶", False)],
)
def test_where_both_engines_agree(text: str, alike: bool) -> None:
    assert is_alike(text) is alike
    assert is_alike(text) is alike  # from memory


@pytest.mark.parametrize("source", [r"(a)\1", r"(?>a+)b"])
def test_no_test_for_what_the_engine_does_not_know(source: str) -> None:
    assert linear_test(source) is None
    assert linear_test("a", re.MULTILINE) is None


def test_a_rare_pattern_finds_the_same_before_and_after_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_USES", 3)
    pattern = rare_pattern(r"\bNO(\d)\b(?! more)", re.IGNORECASE)
    for _ in range(5):
        found = pattern.search("see no1")
        assert found is not None
        assert found[1] == "1"
        assert pattern.search("no1 more") is None
        assert pattern.search("nothing") is None
        assert pattern.findall("no1, NO2") == ["1", "2"]
        assert [match[1] for match in pattern.finditer("é no3")] == ["3"]
        assert pattern.match("no4") is not None


def test_an_escape_in_a_class_stays_one():
    """A bracket that was escaped before got a second backslash, and the class lost the backslash itself."""
    test = linear_test(r"^[^:(\[]{0,20}[\[(]x")
    assert test is not None
    assert (test("\\[x"), test("a(x"), test("ax")) == (True, True, False)


def _tool(name: str, argument: str, text: str) -> dict:
    properties = {argument: {"type": "string", "description": text}}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def _word(number: int) -> str:
    return f"q{''.join(chr(97 + int(digit)) for digit in str(number))}x"


def _ordinary(count: int) -> list[dict]:
    """Every second tool has an id that only its description explains."""
    things = [_word(number) for number in range(count)]
    named = [_tool(f"get_{thing}", f"{thing}_id", f"The {thing} id") for thing in things]
    return named + [_tool(f"read_{thing}", "id", f"The {thing} id") for thing in things]


def _of_all(count: int) -> list[dict]:
    """Every id may be that of any thing."""
    every = [_word(number) for number in range(count)]
    bare = [
        _tool(f"get_{'_'.join(every)}_{number}", "id", f"id of {' '.join(every)} {_word(count + number)}")
        for number in range(count)
    ]
    return bare + [_tool(f"get_{thing}", f"{thing}_id", "the thing") for thing in every]


@pytest.mark.parametrize(("make", "count"), [(_ordinary, 1_500), (_of_all, 200)])
def test_names_are_compared_by_their_words_and_not_each_with_each(make, count):
    """Each id was compared with each longer name, and each of these with all others: 10 s and more."""
    surface = build_surface({"tools": make(count)})
    started = time.process_time()
    lint(surface, LintSettings(select=("clarity/carried-names", "clarity/inconsistent-names")))
    assert time.process_time() - started < 2


def test_an_id_that_may_be_of_too_many_things_is_of_none():
    """Names of the same words in another order are all candidates for one id."""
    parts = ["box", "lid", "cup", "jar", "pan"]
    for count, found in ((3, True), (5, False)):
        names = ["_".join(order) for order in permutations(parts[:count])]
        tools = [_tool(f"get_{name}", f"{name}_id", "") for name in names]
        text = " ".join(parts[:count])
        surface = build_surface({"tools": [*tools, _tool(f"drop_{names[0]}", "id", f"The id of a {text}")]})
        assert bool(lint(surface, LintSettings(select=("clarity/carried-names",)))) is found


def test_what_descriptions_may_quote_is_collected_once_for_a_tool():
    """It was collected anew for each parameter with a format: 3,000 of them took 13 s."""
    properties = {
        f"site_{number}_ref": {"type": "string", "description": f"Id {number}: must be a UUID"}
        for number in range(3_000)
    }
    tool = {"name": "get_site", "inputSchema": {"type": "object", "properties": properties}}
    surface = build_surface({"tools": [tool]})
    started = time.process_time()
    found = lint(surface, LintSettings(select=("clarity/missing-format",)))
    assert "2,000 more" in found[0].message  # a thousand are written out
    assert time.process_time() - started < 5
