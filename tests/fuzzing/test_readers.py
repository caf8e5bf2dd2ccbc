"""tools/fuzz_readers.py finds what is planted, and the documents that were found stay harmless."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

if os.name != "posix":
    pytest.skip("the fuzzer of readers forks", allow_module_level=True)

import fuzz_readers
from fuzz_pool import Tally
from fuzz_reader_kinds import READERS, Reader
from fuzz_readers import judged, questions, shrunk

from mcp_governor.errors import GovernorError, UsageError

FOUND = sorted((Path(__file__).parents[2] / "fixtures" / "readers").iterdir())
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")


@pytest.fixture
def planted(monkeypatch):
    """Judges a document by a reader that the test gives; it is the only one."""

    def by(read, data):
        for name in list(READERS):
            monkeypatch.delitem(READERS, name)
        monkeypatch.setitem(READERS, "planted", Reader(read, lambda _: (b"a",), (b"a",), ((b"(", b")"),)))
        return judged("planted", data)

    return by


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.name)
def test_what_was_found_once_is_taken_or_refused(file):
    fuzz_readers.warm()
    found = judged(file.name.partition("-")[0], file.read_bytes())
    assert found.kind in fuzz_readers.GOOD, found.note


def test_seed_and_index_decide_the_document():
    asked = [questions(5, index) for index in range(30)]
    assert asked == [questions(5, index) for index in range(30)]
    assert asked[1] != questions(6, 1)
    assert [case["reader"] for (case,) in asked[:5]] == list(READERS)


def test_documented_errors_are_answers_and_others_are_not(planted):
    def read(data, folder):
        raise {b"u": UsageError("no"), b"b": GovernorError("a bug"), b"k": KeyError("x")}[data]

    assert planted(read, b"u").kind == "refused"
    assert planted(read, b"b").kind == "raised GovernorError"
    found = planted(read, b"k")
    assert found.kind == "raised KeyError"
    assert "test_readers.py" in found.note


def test_an_end_without_an_answer_is_found(planted):
    found = planted(lambda data, folder: os._exit(3), b"x")
    assert (found.kind, found.note) == ("died", "ended with status 3")


@pytest.mark.parametrize("how", ["spins", "waits"])
def test_a_hang_is_found(planted, monkeypatch, how):
    monkeypatch.setattr(fuzz_readers, "PROCESSOR_SECONDS" if how == "spins" else "WALL_SECONDS", 1)

    def read(data, folder):
        while True:
            if how == "waits":
                time.sleep(600)

    assert planted(read, b"x").kind == "hang"


@LINUX
def test_memory_beyond_the_document_is_found(planted):
    def read(data, folder):
        held = bytearray(int(data))
        return "read", str(len(held))

    assert planted(read, b"1000").kind == "read"
    assert planted(read, b"90000000").kind == "too much memory"
    assert planted(read, b"2000000000").kind == "out of memory"


def test_time_beyond_the_document_is_found(planted, monkeypatch):
    """The times are planted: what a loop takes on a busy machine is not for a test to say."""
    monkeypatch.setattr(fuzz_readers, "asked", lambda _, data: fuzz_readers.Outcome("read", "", len(data) / 500))
    assert planted(None, b"x" * 100).kind == "read"
    assert planted(None, b"x" * 1000).kind == "too slow"


def test_a_failure_is_a_small_case_of_the_fuzzer(planted, monkeypatch):
    def read(data, folder):
        if b"<" in data and b">" in data:
            raise ValueError("both")
        return "read", ""

    assert planted(read, b"<").kind == "read"
    monkeypatch.setattr(fuzz_readers, "document_of", lambda *_: b"some words < and some more > and others" * 3)
    monkeypatch.setattr(fuzz_readers, "warm", lambda: None)
    [found] = fuzz_readers.run(3, 1, Tally())
    assert found.kind == "raised ValueError"
    assert sorted(found.case["data"]) == ["<", ">"]
    assert fuzz_readers.still(found.kind, found.case)
    assert [again.kind for again in fuzz_readers.replay(found.case)] == [found.kind]


def test_shrinking_keeps_what_shows():
    assert shrunk(bytes(range(256)), lambda data: b"\x07" in data and b"\xf0" in data) == b"\x07\xf0"
