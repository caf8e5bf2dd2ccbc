"""An expression from what was kept is the one that ``re.compile`` makes."""

from __future__ import annotations

import builtins
import gc
import importlib
import marshal
import pkgutil
import re
import sys
from types import SimpleNamespace

import pytest

import mcp_governor
from mcp_governor import compiled, kept
from mcp_governor.lazy import _LazyPattern, lazy_pattern
from mcp_governor.prose.guarded import Guarded

SOURCE, FLAGS = r"(?P<word>[a-zé]+)|(\d++)", re.IGNORECASE


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty file, and a process that remembers."""
    file = tmp_path / "kept.bin"
    monkeypatch.setattr(kept, "_place", lambda: str(file))
    monkeypatch.setattr(kept, "_made", {})
    monkeypatch.setattr(kept._Process, "remembers", True)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    kept._kept.cache_clear()
    yield file
    kept._kept.cache_clear()


def _next_run(place):
    made = kept.unkept()
    assert made is not None
    place.write_bytes(made[1])
    kept._kept.cache_clear()


def _ours():
    """Every expression of our modules, with its flags."""
    for found in pkgutil.walk_packages(mcp_governor.__path__, "mcp_governor."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for value in gc.get_objects():
        if isinstance(value, _LazyPattern):
            yield value._source, int(value._flags)
        elif isinstance(value, Guarded):
            yield value._source, int(value.flags)


def test_every_expression_of_ours_is_rebuilt_as_it_is_compiled(place, monkeypatch):
    every = set(_ours())
    assert len(every) > 900
    for source, flags in every:
        compiled.compiled_once(source, flags)
    assert {key[1:] for key in kept._made if key[0] == "expression"} == every
    made = kept.unkept()
    assert made is not None
    # Rules take a third of that.
    assert len(made[1]) < kept._LIMIT / 2
    place.write_bytes(made[1])
    kept._kept.cache_clear()
    monkeypatch.setattr(compiled, "_taken_apart", None)
    plain = re.compile
    monkeypatch.setattr(re, "compile", None)
    for source, flags in every:
        # Two expressions are equal if their code, source and flags are.
        ours, theirs = compiled.compiled_once(source, flags), plain(source, flags)
        assert ours == theirs
        assert (ours.groups, dict(ours.groupindex)) == (theirs.groups, dict(theirs.groupindex))


def test_a_kept_expression_knows_its_groups(place):
    compiled.compiled_once(SOURCE, FLAGS)
    _next_run(place)
    again = compiled.compiled_once(SOURCE, FLAGS)
    assert [(found.lastgroup, found.group()) for found in again.finditer("1 É")] == [(None, "1"), ("word", "É")]
    assert kept.unkept() is None


def test_flags_are_part_of_the_key(place):
    assert compiled.compiled_once("a", 0).search("A") is None
    _next_run(place)
    assert compiled.compiled_once("a", re.IGNORECASE).search("A")
    assert compiled.compiled_once("a", re.NOFLAG).search("A") is None


def test_lazy_and_guarded_expressions_are_kept(place):
    assert lazy_pattern("lazy1").search("lazy1")
    assert Guarded("guarded1", starts="g").search("guarded1")
    assert {key[1] for key in kept._made if key[0] == "expression"} == {"lazy1", "(?=[g])(?:guarded1)"}


@pytest.mark.parametrize(
    "parts",
    [
        (32, b"\xff\xff\xff\xff" * 5, 0, {}, (None,)),  # no code of the engine
        (32, b"", 0, {}, (None,)),
        (32, b"abc", 0, {}, (None,)),  # no whole numbers
        (32, b"\0\0\0\0"),
        ("a", "b"),
        5,
        [],
    ],
)
def test_an_entry_that_cannot_be_used_is_compiled_again(place, parts):
    place.write_bytes(kept._content({("expression", SOURCE, int(FLAGS)): marshal.dumps(parts)}))
    assert compiled.compiled_once(SOURCE, FLAGS) == re.compile(SOURCE, FLAGS)


def _changed(compile_):
    return SimpleNamespace(**{**vars(compiled._COMPILER), "compile": compile_})


@pytest.mark.parametrize(
    "compiler",
    [
        None,
        _changed(None),
        _changed(lambda p, flags=0: re.compile(p, flags)),  # hands nothing to the engine
        _changed(lambda p, flags=0: _sre.compile(f"{p}?", flags, [1], 0, {}, (None,))),  # noqa: F821  not what it was given
        SimpleNamespace(**{**vars(compiled._COMPILER), "_sre": SimpleNamespace()}),
    ],
)
def test_another_compiler_is_left_alone(place, monkeypatch, compiler):
    monkeypatch.setattr(compiled, "_COMPILER", compiler)
    assert compiled.compiled_once(SOURCE, FLAGS) == re.compile(SOURCE, FLAGS)
    assert kept.unkept() is None


def test_an_engine_without_the_usual_door_is_not_asked(place, monkeypatch):
    compiled.compiled_once(SOURCE, FLAGS)
    _next_run(place)
    monkeypatch.setattr(compiled, "_COMPILER", SimpleNamespace())
    assert compiled.compiled_once(SOURCE, FLAGS) == re.compile(SOURCE, FLAGS)


def test_a_wrong_expression_is_reported_as_usual(place):
    with pytest.raises(re.error, match="unterminated"):
        compiled.compiled_once("(", 0)


def test_a_method_is_compiled_once(place, monkeypatch):
    def make():
        return compiled.method_once(
            "__init__", "self, a=_a", "_set(self, a)", {"_a": 2, "_set": lambda one, a: one.append(a)}
        )

    held: list[int] = []
    make()(held)
    _next_run(place)
    monkeypatch.setattr(builtins, "compile", None)
    make()(held)
    make()(held, 3)
    assert held == [2, 2, 3]
    assert make().__name__ == "__init__"


def test_a_method_that_was_kept_as_something_else_is_compiled(place):
    key = ("method", "def __new__(a):\n return a")
    place.write_bytes(kept._content({key: marshal.dumps("print(1)")}))
    assert compiled.method_once("__new__", "a", "return a", {})(5) == 5
