"""The seconds of a tool and of a run: those for questions, those until all is named, and whose they are."""

from __future__ import annotations

import time

import pytest

from mcp_governor.change import budget as budgets
from mcp_governor.change.budget import MAX_KEPT, Budget, OverBudgetError
from mcp_governor.change.graph import Identities, parse
from mcp_governor.change.options import ChangeOptions
from mcp_governor.containment.worker import WORKER

OPTIONS = ChangeOptions(tool_deadline=10.0, run_deadline=20.0)


class Clock:
    """What the budget takes for the time."""

    def __init__(self) -> None:
        self.computed = self.wall = 100.0

    def process_time(self) -> float:
        return self.computed

    def monotonic(self) -> float:
        return self.wall


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(budgets, "time", found)
    return found


def test_a_tool_names_what_is_left_for_half_as_long_again(clock):
    tool = Budget.of_run(OPTIONS).of_tool("t", OPTIONS)
    clock.computed += 9.9
    assert tool.over() == ""
    clock.computed += 0.2
    assert "policy.tool-deadline" in tool.over()
    clock.computed += 4.8
    tool.check()
    clock.computed += 0.2
    with pytest.raises(OverBudgetError, match=r"policy\.tool-deadline"):
        tool.check()


def test_a_run_ends_within_its_seconds_whatever_its_tools_have_left(clock):
    run = Budget.of_run(OPTIONS)
    clock.computed += 15.9
    tool = run.of_tool("t", OPTIONS)
    assert tool.over() == ""
    clock.computed += 0.2
    assert "policy.run-deadline" in tool.over()
    tool.check()
    clock.computed += 4
    with pytest.raises(OverBudgetError, match=r"policy\.run-deadline"):
        tool.check()


def test_a_busy_machine_gives_twice_the_time_on_the_wall(clock):
    run = Budget.of_run(OPTIONS)
    clock.wall += 31.9
    assert run.over() == ""
    clock.wall += 0.2
    assert run.over()


def test_the_clock_is_read_once_for_every_hundred_parts(clock):
    tool = Budget.of_run(OPTIONS).of_tool("t", OPTIONS)
    clock.computed += 100
    tool.spend(99)
    with pytest.raises(OverBudgetError, match=r"policy\.tool-deadline"):
        tool.spend(1)


def test_a_run_keeps_as_many_values_as_its_tools_share():
    run = Budget.of_run(OPTIONS)
    run.of_tool("t", OPTIONS).keep(MAX_KEPT - 1)
    tool = run.of_tool("u", OPTIONS)
    tool.keep(1)
    with pytest.raises(OverBudgetError, match="more than 500,000 values"):
        tool.keep(2)


def test_each_schema_that_is_told_from_others_counts_once():
    counted = []
    identities = Identities(counted.append)
    document = parse({"type": "array", "items": {"type": "string"}})
    identities.of(document.root.keywords["items"])
    assert sum(counted) == 1
    identities.of(document.root)
    assert sum(counted) == 2


def test_what_a_child_computes_counts(clock, monkeypatch):
    run = Budget.of_run(OPTIONS)
    monkeypatch.setattr(WORKER, "computed", WORKER.computed + 16.1)
    assert run.over()


def test_a_child_says_what_it_computed():
    before = WORKER.computed
    question = {"ask": "accepts", "schemas": [['{"type":"string"}', 20]], "value": "a"}
    assert WORKER.ask(question, time.monotonic() + 60) == [True]
    assert WORKER.computed > before
