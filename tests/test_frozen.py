"""``frozen`` makes what ``dataclass(frozen=True, slots=True)`` makes."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import pytest

from mcp_governor.frozen import frozen


def _classes(decorate):
    @decorate
    class Book:
        """A book."""

        title: str
        pages: int = 1
        notes: Mapping[str, str] = field(default_factory=dict)
        secret: str = field(default="", repr=False)
        seen: Any = field(default=None, compare=False)

        @property
        def long(self) -> bool:
            return self.pages > 500

    @decorate
    class Shelf:
        """A shelf."""

        label: str

    @decorate
    class Nothing:
        """No fields at all."""

    return Book, Shelf, Nothing


STANDARD, OURS = _classes(dataclass(frozen=True, slots=True)), _classes(frozen)


@frozen
class Loan:
    """At the top of the module, where pickle finds it."""

    book: str
    days: int = 14


@frozen
class LongLoan(Loan):
    """With a field more, and another default."""

    days: int = 100
    reason: str = field(repr=False, default="study")


@frozen(slots=False)
class Cached:
    """With a property that is computed once."""

    number: int

    @cached_property
    def double(self) -> list[int]:
        return [self.number * 2]


@pytest.mark.parametrize(
    "look",
    [
        lambda book, *_: repr(book("A", 2, {"a": "b"}, "hidden", 3)),
        lambda book, *_: repr(book("A", seen=[1])),
        lambda book, *_: book("A") == book("A", seen=1),
        lambda book, *_: book("A") == book("A", secret="x"),
        lambda book, *_: book("A") == book("A", notes={"a": "b"}),
        lambda book, *_: book("A") != book("B"),
        lambda book, *_: book("A", notes=()) in {book("A", notes=(), seen=5)},
        lambda book, *_: book("A", notes=()) in {book("A", 2, notes=())},
        lambda book, *_: book("A").notes is book("A").notes,
        lambda book, *_: asdict(book("A", 2)),
        lambda book, *_: replace(book("A", 2), title="B").pages,
        lambda book, *_: [item.name for item in fields(book)],
        lambda book, *_: is_dataclass(book),
        lambda book, *_: (book.__doc__, book.__name__, book.__qualname__, book.__module__, book.__slots__),
        lambda book, *_: book.__match_args__,
        lambda book, *_: list(inspect.signature(book).parameters),
        lambda book, *_: book("A", 501).long,
        lambda book, *_: copy.deepcopy(book("A", 2, {"a": "b"})).notes,
        lambda book, *_: copy.copy(book("A", 2)).pages,
        lambda book, shelf, _: book("A") == shelf("A"),
        lambda _, shelf, __: (shelf("a") == shelf("a"), shelf("a") == shelf("b"), repr(shelf("a"))),
        lambda _, shelf, __: len({shelf("a"), shelf("a"), shelf("b")}),
        lambda _, shelf, __: shelf("a") == ("a",),
        lambda _, shelf, __: shelf(float("nan")) == shelf(float("nan")),
        lambda *classes: (repr(classes[2]()), classes[2]() == classes[2](), len({classes[2](), classes[2]()})),
    ],
)
def test_a_frozen_class_does_what_the_standard_one_does(look):
    assert look(*OURS) == look(*STANDARD)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda book, *_: book(),
        lambda book, *_: book("A", 1, {}, "", None, 6),
        lambda book, *_: book("A", colour="red"),
        lambda book, *_: book("A", title="B"),
        lambda book, *_: hash(book("A", notes={})),
        lambda book, *_: setattr(book("A"), "title", "B"),
        lambda book, *_: delattr(book("A"), "title"),
        lambda *classes: classes[2](1),
    ],
)
def test_misuse_raises_what_the_standard_one_raises(misuse):
    raised = []
    for classes in (STANDARD, OURS):
        with pytest.raises((TypeError, FrozenInstanceError)) as info:
            misuse(*classes)
        raised.append((info.type, str(info.value).split(".")[-1]))
    assert raised[0] == raised[1]


def test_nothing_can_be_added_to_an_instance():
    loan = Loan("A")
    with pytest.raises(FrozenInstanceError):
        loan.colour = "red"
    assert not hasattr(loan, "__dict__")


def test_a_frozen_value_goes_through_pickle():
    assert pickle.loads(pickle.dumps(Loan("A", 3))) == Loan("A", 3)


def test_a_class_below_has_the_fields_of_both():
    loan = LongLoan("A")
    assert (loan.book, loan.days, loan.reason, repr(loan)) == ("A", 100, "study", "LongLoan(book='A', days=100)")
    assert (LongLoan.__match_args__, LongLoan.__slots__) == (("book", "days", "reason"), ("reason",))
    assert [(item.name, item.type, item.default) for item in fields(LongLoan)][1:] == [
        ("days", "int", 100),
        ("reason", "str", "study"),
    ]
    assert loan != LongLoan("A", 100, "fun")
    assert pickle.loads(pickle.dumps(replace(loan, book="B"))) == LongLoan("B")
    # The class above is as before.
    assert [item.name for item in fields(Loan)] == ["book", "days"]
    assert issubclass(LongLoan, Loan)


def test_defaults_of_a_class_without_slots():
    def declare(decorate):
        @decorate
        class Box:
            """A box."""

            name: str = field(default="a", compare=False)
            sizes: list[int] = field(default_factory=list)
            label: str = "x"

        return Box

    ours, standard = declare(frozen(slots=False)), declare(dataclass(frozen=True))
    for look in (
        lambda box: (box.name, box.label, hasattr(box, "sizes")),
        lambda box: (box().name, box().sizes, box("b") == box("c"), box(label="y").label, vars(box("b"))),
        lambda box: [(item.name, item.compare, item.default) for item in fields(box)],
    ):
        assert look(ours) == look(standard)


def test_match_takes_fields_by_place():
    match Loan("A", 3):
        case Loan(book, days):
            assert (book, days) == ("A", 3)
        case _:
            pytest.fail("no match")


def test_a_cached_property_is_computed_once_and_is_not_part_of_the_value():
    one, other = Cached(2), Cached(2)
    assert one.double is one.double
    assert one == other
    with pytest.raises(FrozenInstanceError):
        one.number = 3


def test_equality_by_identity_where_asked_for():
    @frozen(eq=False)
    class Node:
        """Compared by identity."""

        name: str

    node = Node("a")
    assert node == node
    assert node != Node("a")
    assert len({node, Node("a")}) == 2


def test_methods_of_the_class_itself_are_kept():
    @frozen
    class Secret:
        """Shows nothing of itself."""

        word: str

        def __repr__(self) -> str:
            return "***"

    assert repr(Secret("x")) == "***"


def test_a_value_that_holds_itself_is_shown():
    held: list[Any] = []
    shelf = OURS[1](held)
    held.append(shelf)
    assert repr(shelf).count("...") == 1


def test_post_init_runs_when_every_field_is_there():
    seen = []

    @frozen
    class Watched:
        """Looks at itself."""

        name: str
        size: int = 2

        def __post_init__(self) -> None:
            seen.append((self.name, self.size))

    Watched("a")
    assert seen == [("a", 2)]
