"""``frozen`` is the standard decorator with our defaults."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from functools import cached_property

import pytest

from mcp_governor.frozen import frozen


@frozen
class Book:
    title: str
    pages: int = 1


@frozen(eq=False)
class Copy:
    title: str


@frozen(slots=False)
class Shelf:
    books: tuple[str, ...]

    @cached_property
    def first(self) -> str:
        return min(self.books)


def test_a_value_is_compared_by_value_and_never_changed() -> None:
    book = Book("A")
    assert book == Book("A", 1)
    assert {book, Book("A"), Book("B")} == {book, Book("B")}
    assert not hasattr(book, "__dict__")
    with pytest.raises(FrozenInstanceError):
        book.title = "B"  # type: ignore[misc]


def test_equality_by_identity_where_asked_for() -> None:
    copy = Copy("A")
    assert copy != Copy("A")
    assert copy == copy


def test_a_class_may_hold_cached_properties_where_asked_for() -> None:
    shelf = Shelf(("b", "a"))
    assert shelf.first == "a"
    assert shelf == Shelf(("b", "a"))
