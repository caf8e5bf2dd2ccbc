"""What each test costs decides its tier (``tiers.py``)."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest
import tiers

pytest_plugins = ["pytester"]

CONFTEST = f"import sys\nsys.path.insert(0, {str(Path(tiers.__file__).parent)!r})\npytest_plugins = ['tiers']\n"
SPIN = """
import time
import pytest

def spend(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

@pytest.fixture(scope="module")
def shared():
    spend(0.02)

paid = []

def test_first():
    if not paid:
        paid.append(spend(0.12))

def test_cheap():
    pass

def test_dear():
    spend(0.12)

@pytest.mark.parametrize("number", range(3))
def test_users(shared, number):
    pass

@pytest.mark.live
def test_live():
    pass
"""


@pytest.fixture(autouse=True)
def _nothing_is_collected():
    """Collecting a worker's whole heap takes 0.1 s of processor time, and would be charged to a test of this file."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def suite(pytester, monkeypatch):
    """Runs a suite with options and a file of costs. One test takes 0.12 s, six times the line, one only at first."""
    monkeypatch.setattr(tiers, "LINE", 0.02)

    def runs(*options, costs=None):
        file = pytester.path / "costs.json"
        if costs is not None:
            file.write_text(json.dumps({"pace": tiers.pace(), "tests": costs}))
        monkeypatch.setattr(tiers, "FILE", file)
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(test_spin=SPIN)
        pytester.makeini("[pytest]\nmarkers =\n  slow\n  live\n")
        return pytester.runpytest_inprocess(*options)

    return runs


@pytest.mark.parametrize(
    ("cost", "before", "limit"),
    [
        (0.0, 0.0, 0.5),
        (0.5, 0.0, 0.5),
        (0.51, 0.0, 1),
        (1.0, 0.0, 1),
        (9.0, 0.0, 16),
        # A third above its class, or a third below its lower end: it stays.
        (1.3, 1, 1),
        (1.34, 1, 2),
        (0.38, 1, 1),
        (0.37, 1, 0.5),
    ],
)
def test_the_class_of_a_cost(cost, before, limit):
    assert tiers.classed(cost, before) == limit


@pytest.mark.parametrize(("part", "kept"), [((), {}), (("test_spin.py",), {"test_gone.py": {"test_x": 2.0}})])
def test_a_run_that_measures_writes_the_dear_ones_and_their_classes(suite, pytester, part, kept):
    known = {"test_gone.py": {"test_x": 2.0}, "test_spin.py": {"test_cheap": 4.0}}
    out = pytester.path / "new.json"
    result = suite("--costs", str(out), *part, costs=known)
    result.assert_outcomes(passed=7)
    written = json.loads(out.read_text())["tests"]
    # The machine may be twice as slow or fast as it was a moment ago.
    assert written.pop("test_spin.py") in ({"test_dear": 0.08}, {"test_dear": 0.16}, {"test_dear": 0.32})
    assert written == kept
    result.stdout.fnmatch_lines(["* of 7 tests"])


@pytest.mark.parametrize(
    ("chosen", "ran"),
    [("not slow and not live", {"passed": 5, "deselected": 2}), ("slow or live", {"passed": 2, "deselected": 5})],
)
def test_what_the_file_names_is_slow_and_live_tests_are_their_own(suite, chosen, ran):
    known = {"test_spin.py": {"test_dear": 2.0, "test_live": 8.0}}
    suite("-m", chosen, costs=known).assert_outcomes(**ran)


def test_a_dear_test_that_is_not_in_the_file_fails_in_a_worker(suite, monkeypatch):
    monkeypatch.setattr(tiers, "in_worker", lambda config: True)
    result = suite(costs={})
    result.assert_outcomes(passed=7, errors=1)
    result.stdout.fnmatch_lines(["*test_dear cost 0.* processor seconds; the fast tier allows 0.04.*"])


@pytest.mark.parametrize(("number", "dear"), [(20, 0), (2, 2)])
def test_a_process_of_a_module_is_charged_to_all_that_use_it(pytester, monkeypatch, number, dear):
    monkeypatch.setattr(tiers, "LINE", 0.05)
    monkeypatch.setattr(tiers, "FILE", pytester.path / "costs.json")
    spin = "import time; end = time.process_time() + 0.4\nwhile time.process_time() < end: pass\ninput()"
    pytester.makeconftest(
        f"""{CONFTEST}
import subprocess
import pytest

@pytest.fixture(scope="module")
def served():
    process = subprocess.Popen([sys.executable, "-c", {spin!r}], stdin=subprocess.PIPE)
    yield
    process.communicate(b"\\n")
"""
    )
    users = f"import pytest\n@pytest.mark.parametrize('number', range({number}))\ndef test_user(served, number): pass\n"
    pytester.makepyfile(test_one=users + "def test_last(): pass\n", test_two="def test_it(): pass\n")
    out = pytester.path / "new.json"
    pytester.runpytest_inprocess("--costs", str(out)).assert_outcomes(passed=number + 2)
    assert len(json.loads(out.read_text())["tests"].get("test_one.py", ())) == dear


def test_and_one_that_is_in_the_file_does_not(suite, monkeypatch):
    monkeypatch.setattr(tiers, "in_worker", lambda config: True)
    suite(costs={"test_spin.py": {"test_dear": 0.16}}).assert_outcomes(passed=7)


def test_each_file_is_in_one_quarter_and_none_has_all_that_is_dear(pytester, monkeypatch):
    known = {
        f"test_{name}.py": {"test_it": cost} for name, cost in zip("abcdefgh", (8, 8, 8, 8, 4, 4, 4, 4), strict=True)
    }
    file = pytester.path / "costs.json"
    file.write_text(json.dumps({"pace": 1, "tests": known}))
    monkeypatch.setattr(tiers, "FILE", file)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(**{name.removesuffix(".py"): "def test_it(): pass" for name in known})
    pytester.makeini("[pytest]\nmarkers =\n  slow\n")
    seen = []
    for number in range(1, 5):
        listed = pytester.runpytest_inprocess("--quarter", str(number), "--collect-only", "-q")
        seen.append([line.split("::")[0] for line in listed.outlines if "::" in line])
    assert sorted(name for part in seen for name in part) == sorted(known)
    assert [sorted(known[name]["test_it"] for name in part) for part in seen] == [[4, 8]] * 4


class Item:
    """A test as the order needs it."""

    def __init__(self, nodeid: str, waits: bool = False) -> None:
        self.nodeid, self.waits = nodeid, waits

    def get_closest_marker(self, name: str) -> bool:
        return name == "waits" and self.waits


def test_each_worker_begins_with_an_equal_part_of_what_is_dear():
    dear = {"a": 8.0, "b": 4.0, "c": 4.0, "d": 2.0}
    items = [Item(f"{file}::test_{number}") for file in "zyxdcba" for number in range(4)]
    items.append(Item("x::test_waits", waits=True))
    order = tiers.dealt(items, dear, 2)
    assert sorted(map(id, order)) == sorted(map(id, items))
    parts = order[:14], order[14:]
    # By hand: a costs 8, b and c together as much, then d; the files of no cost make up for the number of tests.
    files = [list(dict.fromkeys(item.nodeid.split("::")[0] for item in part if not item.waits)) for part in parts]
    assert [of[:2] for of in files] == [["a", "d"], ["b", "c"]]
    assert not {*files[0][2:], *files[1][2:]} & dear.keys()
    assert "test_waits" in {part[0].nodeid.split("::")[1] for part in parts}
    one = tiers.dealt(items, dear, 1)
    assert [item.nodeid.split("::")[0] for item in one if not item.waits] == [*"aaaabbbbccccdddd", *"xxxxyyyyzzzz"]
