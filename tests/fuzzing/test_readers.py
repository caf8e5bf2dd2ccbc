"""tools/fuzz_readers.py finds what is planted, and the documents that were found stay harmless."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

if os.name != "posix":
    pytest.skip("the fuzzer of readers forks", allow_module_level=True)

import fuzz_forked
import fuzz_readers
from fuzz_bytes import Document, shrunk
from fuzz_pool import Tally
from fuzz_reader_kinds import READERS
from fuzz_reader_words import Reader
from fuzz_readers import Case, case_of, judged, saved, small

from mcp_governor.errors import GovernorError, UsageError

FOUND = sorted((Path(__file__).parents[2] / "fixtures" / "readers").iterdir())
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")


def planted(monkeypatch, read):
    monkeypatch.setitem(READERS, "planted", Reader(read, lambda _: (b"a",), (b"a",), ((b"(", b")"),), ".txt"))


def judge(data: bytes, repeated=None):
    return judged(Case("planted", Document(data, repeated)))


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.name)
def test_what_was_found_once_is_taken_or_refused(file):
    fuzz_readers.warm()
    found = judged(saved(file))
    assert found.kind in fuzz_readers.GOOD, found.note


def test_every_reader_reads_real_documents():
    fuzz_readers.warm()
    for name, reader in READERS.items():
        assert "read" in {fuzz_readers.ask(reader, seed)[0] for seed in fuzz_readers.seeds(name)}


def test_seed_and_index_decide_the_document():
    for index in range(30):
        assert case_of(5, index).document == case_of(5, index).document
    assert case_of(5, 1).document != case_of(6, 1).document
    assert [case_of(5, index).reader for index in range(5)] == list(READERS)


def test_documented_errors_are_answers_and_others_are_not(monkeypatch):
    def read(data, folder):
        raise {b"u": UsageError("no"), b"b": GovernorError("a bug"), b"k": KeyError("x")}[data]

    planted(monkeypatch, read)
    assert judge(b"u").kind == "refused"
    assert judge(b"b").kind == "raised GovernorError"
    found = judge(b"k")
    assert found.kind == "raised KeyError"
    assert "test_readers.py" in found.note


def test_an_end_without_an_answer_is_found(monkeypatch):
    def read(data, folder):
        os._exit(3)

    planted(monkeypatch, read)
    found = judge(b"x")
    assert (found.kind, found.note) == ("died", "ended with status 3")


def test_a_hang_is_found(monkeypatch):
    monkeypatch.setattr(fuzz_forked, "PROCESSOR_SECONDS", 1)

    def read(data, folder):
        while True:
            pass

    planted(monkeypatch, read)
    assert judge(b"x").kind == "hang"


def test_a_wait_without_end_is_found(monkeypatch):
    monkeypatch.setattr(fuzz_forked, "WALL_SECONDS", 1.0)

    def read(data, folder):

        time.sleep(600)
        return "read", ""

    planted(monkeypatch, read)
    assert judge(b"x").kind == "hang"


@LINUX
def test_memory_beyond_the_document_is_found(monkeypatch):
    def read(data, folder):
        held = bytearray(int(data))
        return "read", str(len(held))

    planted(monkeypatch, read)
    assert judge(b"1000").kind == "read"
    assert judge(b"90000000").kind == "too much memory"
    assert judge(b"2000000000").kind == "out of memory"


def test_time_that_grows_with_the_square_is_found(monkeypatch):
    """The times are planted: what a loop takes on a busy machine is not for a test to say."""

    def takes(seconds_of):
        def asked(_, data: bytes):
            return fuzz_forked.Outcome("read", "", seconds_of(len(data)), 0)

        monkeypatch.setattr(fuzz_readers.forked, "asked", asked)

    planted(monkeypatch, lambda data, _: ("read", ""))
    repeated = (b"", b"x", b"", 1000)
    takes(lambda size: size**2 / 1_000_000)
    assert judge(b"x" * 1000, repeated).kind == "grows too fast"
    takes(lambda size: size / 1000)
    assert judge(b"x" * 1000, repeated).kind == "read"
    takes(lambda size: size / 500)
    assert judge(b"x" * 1000, repeated).kind == "too slow"


def test_a_failure_is_made_small(monkeypatch):
    def read(data, folder):
        if b"<" in data and b">" in data:
            raise ValueError("both")
        return "read", ""

    planted(monkeypatch, read)
    case = Case("planted", Document(b"some words < and some more > and others" * 3))
    assert sorted(small(case, judged(case)).document.data) == sorted(b"<>")


def test_shrinking_keeps_what_shows():
    assert shrunk(bytes(range(256)), lambda data: b"\x07" in data and b"\xf0" in data) == b"\x07\xf0"


def test_a_failure_is_a_case_of_the_fuzzer(monkeypatch):
    def read(data, folder):
        raise ValueError("not a")

    monkeypatch.setattr(fuzz_readers, "READERS", {})
    monkeypatch.setattr(fuzz_readers, "seeds", lambda name: (b"a",))
    planted(monkeypatch, read)
    fuzz_readers.READERS["planted"] = READERS["planted"]
    monkeypatch.setattr(fuzz_readers, "warm", lambda: None)
    found = next(failure for index in range(9) for failure in fuzz_readers.run(3, index, Tally()))
    assert found.kind == "raised ValueError"
    assert fuzz_readers.still(found.kind, found.case)
    assert [again.kind for again in fuzz_readers.replay(found.case)] == [found.kind]
