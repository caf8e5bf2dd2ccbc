"""Words of queries and tools: identifiers, stop words, stems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.evaluation.terms import (
    MAX_TERMS,
    STOP_WORDS,
    first_sentence,
    split_identifier,
    stem,
    terms,
    tool_text,
)


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("getUserByID", ["get", "User", "By", "ID"]),
        ("get_user_by_id", ["get", "user", "by", "id"]),
        ("HTTPServerV2", ["HTTP", "Server", "V", "2"]),
        ("parseJSON5file", ["parse", "JSON", "5", "file"]),
        ("git-status.short/now", ["git", "status", "short", "now"]),
        ("größeÄndern", ["gr", "öß", "e", "Ä", "ndern"]),
        ("天気予報", ["天気予報"]),
        ("", []),
        ("___", []),
    ],
)
def test_an_identifier_is_split(identifier: str, parts: list[str]) -> None:
    assert split_identifier(identifier) == parts


# The examples of steps 1a, 1b and 1c in Porter's paper.
@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "tie"),
        ("caress", "caress"),
        ("cats", "cat"),
        ("agreed", "agree"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflate"),
        ("troubling", "trouble"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("failing", "fail"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("status", "status"),
        ("queries", "queri"),
        ("query", "queri"),
        ("branches", "branche"),
    ],
)
def test_a_word_loses_its_inflection(word: str, root: str) -> None:
    assert stem(word) == root


def test_stop_words_go_and_forms_of_one_word_meet() -> None:
    assert terms("Can you please list the open Files for me?") == ["list", "open", "file"]
    assert terms("listFiles") == terms("Listing files") == ["list", "file"]
    assert terms("ＦＵＬＬ") == ["full"]
    assert len(terms("word " * (MAX_TERMS + 5))) == MAX_TERMS
    assert "search" not in STOP_WORDS


@given(st.text(max_size=60))
def test_any_string_has_terms_that_are_lower_case_and_not_empty(text: str) -> None:
    assert all(term and term == term.lower() for term in terms(text) if term.isascii())


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Finds a book. Then lends it.", "Finds a book."),
        ("Finds a book", "Finds a book"),
        ("Finds e.g. a book. Then", "Finds e.g. a book."),
        ("Version 1.5 of it. More", "Version 1.5 of it."),
        ("A heading\n\nText of it. More.", "A heading"),
        ("Really? Yes.", "Really?"),
        ("  ", ""),
    ],
)
def test_the_first_sentence(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_what_is_read_of_a_tool() -> None:
    schema = {
        "type": "object",
        "properties": {
            "unitName": {"title": "Unit", "description": "Of the answer.", "enum": ["celsius", 1, None]},
            "odd": True,
        },
    }
    tool = tool_text({"name": "getWeather", "description": "Says it. Well.", "inputSchema": schema})
    assert tool.words_of_name == "get weather"
    assert (tool.first, tool.description) == ("Says it.", "Says it. Well.")
    assert tool.parameters == ("unitName", "odd")
    assert tool.details == ("Unit", "Of the answer.", "celsius")


@pytest.mark.parametrize("schema", [None, [], True, {"properties": []}, {"properties": {"a": 1}}])
def test_any_schema_is_read(schema: object) -> None:
    assert tool_text({"name": "a", "description": 7, "inputSchema": schema}).description == ""
