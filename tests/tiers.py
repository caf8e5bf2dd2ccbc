"""The tiers of the suite: what each test costs decides when it runs, not what somebody thought.

``costs.json`` names the tests that need more than ``LINE`` processor seconds, with the class of each. Those are
marked ``slow``; what talks to a registry is marked ``live`` by hand; all others are the fast tier, ``make test``. A
test that is not in the file is fast, and where the workers of pytest-xdist run it, it fails if it costs more than
twice the line. So nobody has to remember anything, and nothing dear comes in unseen.

    pytest -m 'not slow and not live'            the fast tier
    pytest -m 'slow or live' --quarter 2         a fourth of the rest
    pytest --costs tests/costs.json              measure: writes the tests that ran

A cost is the processor time, user and system, of the test itself, of the fixtures of its scope, and of the child
processes that ended meanwhile; a fixture of a module or session is shared out equally among the tests that use it.
It is divided by what ``pace`` takes on this machine, relative to the machine that wrote the file.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parent / "costs.json"
LINE = 0.5
"""Processor seconds. Of 24,900 tests, 3 % cost more, and these need four fifths of the time."""
TOLERANCE = 2
"""A test fails at twice the line: a machine whose two cores are one core's threads counts half as much again."""
QUARTERS = 4
DEAR = {
    "": ("mcp", "fastmcp.client"),
    "tests/evaluation/": tuple(f"pydantic_ai.models.{name}" for name in ("anthropic", "google", "openai")),
}
"""Modules that take a processor second and more to load, by the folder whose tests need them. A worker loads them
before the first of these, else a cheap test would pay."""


def _spent() -> float:
    """Processor seconds of this process and of its children that have ended; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    return sum(used.ru_utime + used.ru_stime for used in (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)))


def pace() -> float:
    """Processor seconds of a fixed piece of work, the least of five runs: how fast this machine is now."""
    runs = []
    for _ in range(5):
        started = time.process_time()
        json.dumps(sorted(json.loads(json.dumps({str(number): [number] * 5 for number in range(5_000)}))))
        runs.append(time.process_time() - started)
    return min(runs)


def classed(cost: float, before: float = 0.0) -> float:
    """The class of a cost: the least of 0.5, 1, 2, 4, ... that is not below it.

    A test stays in the class it was in while its cost is within a third of that class, so that the file does not change
    every night.
    """
    if before and before / 2 / 1.33 <= cost <= before * 1.33:
        return before
    limit = LINE
    while cost > limit:
        limit *= 2
    return limit


def in_worker(config: pytest.Config) -> bool:
    """True in a worker of pytest-xdist. There the cost counts; one test alone also pays for what it imports."""
    return hasattr(config, "workerinput")


class Costs:
    """What the file says, and what this run measures."""

    def __init__(self, config: pytest.Config) -> None:
        known = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {"pace": 0, "tests": {}}
        self.known: dict[str, dict[str, float]] = known["tests"]
        self.pace: float = known["pace"]
        self.out: str | None = config.getoption("--costs")
        self.quarter: int | None = config.getoption("--quarter")
        chosen = config.args_source is config.ArgsSource.ARGS or config.option.markexpr or config.option.keyword
        self.whole = not (chosen or self.quarter)
        self.worker = in_worker(config)
        # The controller of pytest-xdist runs nothing.
        runs = self.worker or not config.getoption("numprocesses", None)
        self.faster = pace() / self.pace if runs and self.pace else 1.0
        self.items: list[pytest.Item] = []
        self.of_file: defaultdict[str, list[pytest.Item]] = defaultdict(list)
        self.shared: dict[tuple[str, str], float] = {}
        self.late: list[tuple[list[str], float]] = []
        self.within = 0.0
        self.own = 0.0
        self.ran: dict[str, float] = {}
        self.dear = dict(DEAR)
        if self.worker:
            # Nothing of what is collected is thrown away, and looking through it again and again costs seconds.
            gc.disable()

    def known_class(self, nodeid: str) -> float:
        file, _, name = nodeid.partition("::")
        return self.known.get(file, {}).get(name, 0.0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        self.items = list(items)
        for item in items:
            self.of_file[_file(item.nodeid)].append(item)
            if not item.get_closest_marker("live") and self.known_class(item.nodeid) > LINE:
                item.add_marker("slow")
        if self.quarter:
            chosen = self._quarter_of_files(self.quarter)
            kept = [item for item in items if _file(item.nodeid) in chosen]
            config.hook.pytest_deselected(items=[item for item in items if _file(item.nodeid) not in chosen])
            items[:] = kept
        worker = getattr(config, "workerinput", {})
        dear = {name: sum(of.values()) for name, of in self.known.items()}
        items[:] = dealt(items, dear, worker.get("workercount", 1))

    def _quarter_of_files(self, number: int) -> set[str]:
        """The files of one of four parts that cost about the same, equal on every machine."""
        # A file that nothing is known of counts a little: live tests may have been skipped where the costs were taken.
        costs = {_file(item.nodeid): 0.1 for item in self.items}
        for name in costs:
            costs[name] += sum(self.known.get(name, {}).values())
        parts: list[tuple[float, set[str]]] = [(0.0, set()) for _ in range(QUARTERS)]
        for name, cost in sorted(costs.items(), key=lambda pair: (-pair[1], pair[0])):
            least = min(range(QUARTERS), key=lambda index: parts[index][0])
            parts[least] = (parts[least][0] + cost, parts[least][1] | {name})
        return parts[number - 1][1]

    def pytest_collection_finish(self) -> None:
        if self.worker:
            self.load("")
            # The collected tests are half a gigabyte of objects, and some test would pay for looking through them.
            gc.collect()
            gc.freeze()
            gc.enable()

    def load(self, nodeid: str) -> None:
        """What the tests of a folder need, once."""
        for folder in [folder for folder in self.dear if nodeid.startswith(folder)]:
            for name in self.dear.pop(folder):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Any:
        if fixturedef.scope == "function":
            return (yield)
        key = (request.node.nodeid, fixturedef.argname)  # the module or package for which it is set up
        among = self.of_file.get(_file(key[0]), self.items)
        users = [item.nodeid for item in among if _uses(item, key)]
        started = self.begin()
        # What is registered first runs last.
        fixturedef.addfinalizer(lambda: self.late.append((users, self.share(key, users, ending.pop()))))
        try:
            return (yield)
        finally:
            self.share(key, users, started)
            ending: list[tuple[float, float]] = []
            fixturedef.addfinalizer(lambda: ending.append(self.begin()))

    def begin(self) -> tuple[float, float]:
        """When something shared begins: what was spent until then, and what of it is shared."""
        return _spent(), self.within

    def share(self, key: tuple[str, str], users: list[str], begun: tuple[float, float]) -> float:
        """What each of the users pays for what was spent since then, without what was shared within."""
        cost = _spent() - begun[0] - (self.within - begun[1])
        self.within += cost
        part = cost / max(1, len(users))
        self.shared[key] = self.shared.get(key, 0.0) + part
        return part

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Any:
        if self.worker:
            self.load(item.nodeid)
        self.own, self.within = _spent(), 0.0
        return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        started = _spent()
        result = yield
        first = _spent() - started
        if (self.worker or self.out) and first / self.faster > LINE >= self.known_class(item.nodeid):
            # It may have paid for what is loaded or computed once, whoever comes first: the second time counts. A test
            # that cannot be run again is taken by its first time.
            again = _spent()
            with contextlib.suppress(Exception, pytest.fail.Exception, pytest.skip.Exception):
                item.runtest()
                self.within += max(first, _spent() - again)
                return result
            self.within += _spent() - again
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        if call.when != "teardown":
            return (yield)
        cost = _spent() - self.own - self.within + sum(cost for key, cost in self.shared.items() if _uses(item, key))
        cost /= self.faster
        item.user_properties.append(("cost", cost))
        # A process of the whole module counts when it ends, which is with the last test there: the others ran before.
        late = [(users, part / self.faster) for users, part in self.late if part > LINE / 100]
        item.user_properties.append(("late", late))
        self.late.clear()
        report = yield
        marked = item.get_closest_marker("slow") or item.get_closest_marker("live")
        if self.worker and not self.out and not marked and report.passed and cost > TOLERANCE * LINE:
            report.outcome = "failed"
            report.longrepr = (
                f"{item.nodeid} cost {cost:.1f} processor seconds; the fast tier allows {TOLERANCE * LINE}. Make it "
                "cheaper, or add a cheap case and measure this one: pytest TEST --costs tests/costs.json"
            )
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown" and not self.worker:
            properties = dict(report.user_properties)
            for users, part in properties["late"]:
                for nodeid in self.ran.keys() & users:
                    self.ran[nodeid] += part
            self.ran[report.nodeid] = properties["cost"]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.worker and self.out:
            Path(self.out).write_text(self._text(), "utf-8")

    def _text(self) -> str:
        """The file with what ran. Of a part of the suite, what did not run stays as it was."""
        tests = defaultdict(dict, {} if self.whole else {name: dict(of) for name, of in self.known.items()})
        for nodeid, cost in self.ran.items():
            file, _, name = nodeid.partition("::")
            tests[file].pop(name, None)
            limit = classed(cost, self.known_class(nodeid))
            if limit > LINE:
                tests[file][name] = limit
        kept = {file: dict(sorted(tests[file].items())) for file in sorted(tests) if tests[file]}
        return json.dumps({"pace": self.pace or round(pace(), 4), "tests": kept}, indent=1) + "\n"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.ran or not self.out:
            return
        folders: Counter[str] = Counter()
        for nodeid, cost in self.ran.items():
            folders["/".join(_file(nodeid).split("/")[:2])] += cost
        terminalreporter.section("processor seconds by folder")
        for folder, cost in folders.most_common():
            terminalreporter.write_line(f"{cost:8.1f}  {folder}")
        terminalreporter.write_line(f"{sum(folders.values()):8.1f}  of {len(self.ran)} tests")


def dealt(items: list[pytest.Item], dear: dict[str, float], workers: int) -> list[pytest.Item]:
    """The tests in as many parts as there are workers, which begin with equal parts of the list.

    The parts cost about the same and each begins with what waits and with its dearest files, so that what one worker
    takes over from another at the end is cheap.

    Args:
        items: the tests.
        dear: file → processor seconds of its tests above the line.
        workers: of pytest-xdist; 1 without it.
    """
    of_file: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        of_file[_file(item.nodeid)].append(item)
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    costs = [0.0] * workers
    for name in sorted(of_file.keys() & dear.keys(), key=lambda name: (-dear[name], name)):
        least = costs.index(min(costs))
        parts[least] += of_file[name]
        costs[least] += dear[name]
    cheap = [item for name in sorted(of_file.keys() - dear.keys()) for item in of_file[name]]
    left = len(items)
    for index, part in enumerate(parts):
        # As many as pytest-xdist gives to this worker, so that the next one begins where the next part does.
        wanted = left // (workers - index)
        more = max(0, wanted - len(part)) if index < workers - 1 else len(cheap)
        part += cheap[:more]
        del cheap[:more]
        left -= len(part)
    for part in parts:
        part.sort(key=lambda item: (not item.get_closest_marker("waits"), -dear.get(_file(item.nodeid), 0.0)))
    return [item for part in parts for item in part]


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def _uses(item: pytest.Item, key: tuple[str, str]) -> bool:
    place, name = key
    return item.nodeid.startswith(place) and name in getattr(item, "fixturenames", ())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", help="write the tests that cost more than the line, with their classes")
    parser.addoption("--quarter", type=int, choices=range(1, QUARTERS + 1), help="only the files of one fourth")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(config), "costs")
