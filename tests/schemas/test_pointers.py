"""JSON pointers, as RFC 6901 has them."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.schemas.pointers import join_pointer, pointer_tokens, resolve_fragment, resolve_pointer

# RFC 6901, section 5
DOCUMENT: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}
PLACES = {
    "": DOCUMENT,
    "/foo": ["bar", "baz"],
    "/foo/0": "bar",
    "/": 0,
    "/a~1b": 1,
    "/c%d": 2,
    "/e^f": 3,
    "/g|h": 4,
    "/i\\j": 5,
    '/k"l': 6,
    "/ ": 7,
    "/m~0n": 8,
}
# section 6
FRAGMENTS = {"#": DOCUMENT, "#/foo/0": "bar", "#/": 0, "#/a~1b": 1, "#/c%25d": 2, "#/e%5Ef": 3, "#/%20": 7, "#/m~0n": 8}


@pytest.mark.parametrize("pointer", PLACES)
def test_a_pointer_leads_where_the_rfc_says(pointer: str) -> None:
    assert resolve_pointer(DOCUMENT, pointer) == PLACES[pointer]


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_leads_where_the_rfc_says(fragment: str) -> None:
    assert resolve_fragment(DOCUMENT, fragment) == FRAGMENTS[fragment]


@pytest.mark.parametrize(
    "pointer",
    ["foo", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/-1", "/foo/1_0", "/foo/\u0661", "/foo/0/x", "/no"],
)
def test_what_does_not_resolve_is_an_error(pointer: str) -> None:
    with pytest.raises(KeyError):
        resolve_pointer(DOCUMENT, pointer)


def test_an_index_of_thousands_of_digits_is_not_read() -> None:
    with pytest.raises(KeyError):
        resolve_pointer(DOCUMENT, f"/foo/{'9' * 10_000}")


@pytest.mark.parametrize("reference", ["#foo", "foo", "/foo", "https://example.com/#/foo", ""])
def test_an_anchor_and_another_document_are_not_pointers(reference: str) -> None:
    with pytest.raises(KeyError):
        resolve_fragment({"foo": True}, reference)


@pytest.mark.parametrize("tokens", [(), ("",), ("a/b", "~1", "~"), ("m~n", 0, "/")])
def test_tokens_come_back_from_the_pointer_that_they_make(tokens: tuple[str | int, ...]) -> None:
    assert pointer_tokens(join_pointer("", *tokens)) == [str(token) for token in tokens]
