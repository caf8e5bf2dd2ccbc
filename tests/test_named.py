"""``NamedTuple`` of ours makes what that of ``typing`` makes."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import typing
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from mcp_governor.named import NamedTuple

PACKAGE = Path(__file__).parent.parent / "mcp_governor"


def _classes(base):
    class Book(base):
        """A book."""

        title: str
        pages: int = 1
        notes: tuple[str, ...] = ()

        @property
        def long(self) -> bool:
            return self.pages > 500

        @classmethod
        def empty(cls) -> Book:
            return cls("")

        def longer(self) -> Book:
            return self._replace(pages=self.pages + 1)

        def __bool__(self) -> bool:
            return self.pages > 0

    class Shelf(base):
        """A shelf."""

        label: str

    class Room(Shelf):
        """A class below one of fields."""

    return Book, Shelf, Room


STANDARD, OURS = _classes(typing.NamedTuple), _classes(NamedTuple)


class Loan(NamedTuple):
    """At the top of the module, where pickle finds it."""

    book: str
    days: int = 14


@pytest.mark.parametrize(
    "look",
    [
        lambda book, *_: tuple(book("A")),
        lambda book, *_: tuple(book("A", notes=("x",))),
        lambda book, *_: (book("A", 2).title, book("A", 2).pages, book("A", 2)[1], len(book("A"))),
        lambda book, *_: repr(book("A", 2)),
        lambda book, *_: book("A") == ("A", 1, ()),
        lambda book, *_: hash(book("A")) == hash(("A", 1, ())),
        lambda book, *_: sorted([book("B"), book("A", 2), book("A")]),
        lambda book, *_: [*book("A", 2)],
        lambda book, *_: (book._fields, book._field_defaults, book.__match_args__),
        lambda book, *_: tuple(book("A")._replace(pages=5)),
        lambda book, *_: type(book("A")._replace(pages=5)) is book,
        lambda book, *_: book("A")._asdict(),
        lambda book, *_: tuple(book._make(["A", 1, ()])),
        lambda book, *_: (book("A", 501).long, tuple(book.empty()), tuple(book("A").longer()), bool(book("A"))),
        lambda book, *_: bool(book("A", 0)),
        lambda book, *_: list(inspect.signature(book).parameters),
        lambda book, *_: [item.default for item in inspect.signature(book).parameters.values()],
        lambda book, *_: (book.__doc__, book.__name__, book.__qualname__, book.__module__, book.title.__doc__),
        lambda book, *_: (list(book.__annotations__), type(book), book.__slots__, hasattr(book("A"), "__dict__")),
        lambda book, *_: tuple(copy.deepcopy(book("A", 2, ("x",)))),
        lambda book, *_: type(copy.copy(book("A"))) is book,
        lambda book, *_: json.dumps(book("A")),
        lambda _, shelf, __: (shelf("a").label, repr(shelf("a")), shelf("a") == ("a",)),
        lambda _, shelf, room: (repr(room("a")), room("a").label, isinstance(room("a"), shelf)),
        lambda *classes: type(classes[2]("a")) is classes[2],
        lambda book, shelf, _: asdict(_Held((book("A"), shelf("b")))),
        lambda book, *_: isinstance(book("A"), tuple),
    ],
)
def test_a_named_tuple_does_what_the_standard_one_does(look):
    # Classes that no instance was made of, because the first one makes the constructor.
    assert look(*_classes(NamedTuple)) == look(*_classes(typing.NamedTuple))
    assert look(*OURS) == look(*STANDARD)


@dataclass
class _Held:
    held: object


@pytest.mark.parametrize(
    "misuse",
    [
        lambda book, *_: book(),
        lambda book, *_: book("A", 1, (), 6),
        lambda book, *_: book("A", colour="red"),
        lambda book, *_: book("A", title="B"),
        lambda book, *_: book._make(["A"]),
        lambda book, *_: book._make(["A", 1, (), 5]),
        lambda book, *_: setattr(book("A"), "title", "B"),
        lambda book, *_: setattr(book("A"), "colour", "red"),
        lambda book, *_: delattr(book("A"), "title"),
    ],
)
def test_misuse_raises_what_the_standard_one_raises(misuse):
    raised = []
    for classes in (STANDARD, OURS):
        with pytest.raises((TypeError, AttributeError)) as info:
            misuse(*classes)
        raised.append((info.type, str(info.value).split(".")[-1]))
    assert raised[0] == raised[1]


def test_replacing_a_field_that_is_not_there_is_an_error():
    with pytest.raises(TypeError, match="colour"):
        Loan("A")._replace(colour="red")


def test_a_named_tuple_goes_through_pickle():
    again = pickle.loads(pickle.dumps(Loan("A", 3)))
    assert (again, type(again)) == (Loan("A", 3), Loan)


def test_match_takes_fields_by_place():
    match Loan("A", 3):
        case Loan(book, days):
            assert (book, days) == ("A", 3)
        case _:
            pytest.fail("no match")


def test_the_constructor_is_made_once():
    class Once(NamedTuple):
        a: str

    assert not inspect.isfunction(vars(Once)["__new__"])
    Once("a")
    assert Once.__new__ is Once.__new__
    assert isinstance(vars(Once)["__new__"], staticmethod)


def test_our_classes_are_the_cheap_ones():
    wrong = [
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if file.name != "named.py"
        and "NamedTuple" in (text := file.read_text("utf-8"))
        and "from mcp_governor.named import NamedTuple" not in text
    ]
    assert wrong == []
