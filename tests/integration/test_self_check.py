"""``make self-check``: our own server passes its four runs, and one that is broken does not."""

from __future__ import annotations

import copy
import importlib.util
import json
import os
import sys
from typing import Any

import pytest
from replacing import replace
from support import REPO, Leash

from mcp_governor.config import load_config
from mcp_governor.config.model import IgnoredRule
from mcp_governor.rules import LintSettings, load_catalogue
from mcp_governor.rules.run import lint
from mcp_governor.rules.stances import topics as all_topics
from mcp_governor.surface import load_surface


def _module() -> Any:
    spec = importlib.util.spec_from_file_location("self_check", REPO / "tools" / "self_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


self_check = _module()
BROKEN = str(REPO / "tests" / "servers" / "broken_self.py")
GOOD: dict[str, Any] = {
    "findings": [],
    "changes": [],
    "verdict": "pass",
    "server": {"protocol": "2026-07-28"},
    "baseline": {"version": "1.0.0"},
    "summary": {"accepted": 0, "tools": 8, "good_calls": {"tools_without_success": []}},
    "calls": {"seen": 8, "unseen": []},
}
FINDING = {"rule": "charter/length", "severity": "info", "tool": "a", "message": "It is long."}


def broken(wrong: str, run: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the self-check says of one run of a server with one thing wrong."""
    assert self_check.main([run], [sys.executable, BROKEN, wrong, "serve"]) == 1
    return "\n".join(line for line in capsys.readouterr().err.splitlines() if not line.endswith("not run"))


def test_our_own_server_passes_four_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert self_check.main() == 0, capsys.readouterr().err
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "stdio modern: 2026-07-28",
        "stdio legacy: 2025-11-25",
        "http modern: 2026-07-28",
        "http legacy: 2025-11-25",
    ]
    assert all("8 of 8 tools" in line and "nothing to complain about" in line for line in lines)


@pytest.mark.parametrize(
    ("wrong", "run", "said"),
    [
        ("undeclared_field", "http legacy", "call/output-schema: list_rules"),
        ("without_hint", "stdio modern", "of 8 tools 7 were called; not called: ["),
        ("one_tool_less", "stdio modern", "tool-removed: list_rules"),
    ],
)
def test_a_broken_server_does_not_pass(wrong: str, run: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    complaints = broken(wrong, run, capsys)
    assert f"{run}: {said}" in complaints


def test_a_run_that_was_not_made_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert self_check.main([]) == 1
    assert capsys.readouterr().err.splitlines() == [f"{run}: not run" for run in self_check.RUNS]


def test_a_server_that_does_not_listen_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert self_check.main(["http modern"], [sys.executable, "-c", "raise SystemExit('no port for me')"]) == 3
    assert "no port for me" in capsys.readouterr().err


def test_the_server_is_ended_when_the_run_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    leash = Leash()
    monkeypatch.setitem(os.environ, "MCP_GOVERNOR_TEST", leash.mark)
    monkeypatch.setattr(self_check, "report_of", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        self_check.main(["http legacy"])
    assert leash.left_behind() == []


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("findings",), [FINDING], "charter/length: a: It is long."),
        (("findings",), [{**FINDING, "accepted": {"reason": "r"}}], "charter/length: a: It is long."),
        (("changes",), [{"kind": "tool-added", "tool": "b", "message": "b is new"}], "tool-added: b: b is new"),
        (("verdict",), "fail", "the verdict is not pass"),
        (("summary", "accepted"), 2, "2 findings are accepted"),
        (("server", "protocol"), "2025-11-25", "it was read in protocol 2025-11-25, not in 2026-07-28"),
        (("calls",), {"seen": 7, "unseen": ["a"]}, "of 8 tools 7 were called; not called: ['a']"),
        (("summary", "tools"), 9, "of 8 tools 8 were called; not called: []"),
        (("summary", "good_calls", "tools_without_success"), ["a"], "no good call succeeded: ['a']"),
        (("baseline",), None, "it was compared with no recorded surface"),
    ],
)
def test_what_a_report_must_not_have(where: tuple[str, ...], value: Any, said: str) -> None:
    assert self_check.complaints(GOOD, "2026-07-28", 8) == []
    report = copy.deepcopy(GOOD)
    place = report
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    assert self_check.complaints(report, "2026-07-28", 8) == [said]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("per_tool_ignores", {"*": ("charter/length",)}),
        ("baseline", "lint.json"),
        ("severity", {"charter/length": "info"}),
        ("options", {"charter/length": {"max": 900}}),
        ("ignore", ("charter/length",)),
        ("ignore", (IgnoredRule("charter/length"),)),
    ],
)
def test_nothing_is_suppressed(key: str, value: Any) -> None:
    config = load_config(start=REPO)
    assert self_check.suppressed(config) == []
    assert len(self_check.suppressed(replace(config, lint=replace(config.lint, **{key: value})))) == 1
    assert self_check.suppressed(replace(config, accept=(object(),))) == ["the configuration sets accept"]


def off() -> list[str]:
    """The rules that the configuration turns off."""
    return [one.rule for one in load_config(start=REPO).lint.ignore]


def test_only_rules_that_contradict_the_charter_are_off() -> None:
    topics = {topic.name: topic for topic in all_topics()}
    rules = {rule.id: rule for rule in load_catalogue()}
    for name in off():
        stance = rules[name].stance
        if name == "schema-md/no-map":
            assert stance is None
            continue
        sides = topics[stance.topic].sides
        assert stance.choice not in [side.choice for side in sides if "charter" in side.profiles]
        assert [side for side in sides if "charter" in side.profiles]


def test_of_free_form_maps_there_are_only_those_of_the_charter() -> None:
    found = lint(load_surface(REPO / "mcp-surface.json"), LintSettings(select=("schema-md/no-map",)))
    assert {one.path.split("/")[-3] for one in found} == {"suggested_args", "observed_in"}


def test_the_recorded_surface_has_the_tools_that_are_expected() -> None:
    recorded = json.loads((REPO / "mcp-surface.json").read_text(encoding="utf-8"))
    assert self_check.tools_of(load_config(start=REPO)) == len(recorded["tools"]) == 8
