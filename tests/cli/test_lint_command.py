"""What ``lint`` prints besides findings: counts, settings, baselines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.errors import ConfigError
from mcp_governor.rules import load_catalogue

SURFACE = {
    "tools": [
        {
            "name": "find_rows",
            "description": "",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "maximum": 50, "description": "max 100"}},
            },
        }
    ]
}
CLARITY = ("--select", "clarity/length", "--select", "clarity/prose-bounds")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(json.dumps(SURFACE))
    return tmp_path


@pytest.fixture
def lint(folder: Path, capsys):
    def run(*arguments: str):
        return governor_here("lint", "s.json", *arguments, capsys=capsys)

    return run


def test_statistics_as_text_and_as_json(lint, folder: Path) -> None:
    text = lint(*CLARITY, "--statistics")
    assert text.code == 1
    lines = text.out.splitlines()
    assert lines[:3] == [
        "clarity/length        warning      1 in 1 tool",
        "clarity/prose-bounds  error        1 in 1 tool",
        "2 findings",
    ]
    assert lines[3].startswith("about ")
    assert lines[3].endswith(" tokens for 1 tool")
    assert lines[4].endswith("find_rows")
    assert len(lines) == 5
    counts = lint(*CLARITY, "--statistics", "--format", "json")
    assert counts.code == 1
    assert json.loads(counts.out) == [
        {"rule": "clarity/length", "severity": "warning", "findings": 1, "tools": 1},
        {"rule": "clarity/prose-bounds", "severity": "error", "findings": 1, "tools": 1},
    ]


def test_settings_show_what_would_run_and_what_not_and_why(lint, folder: Path) -> None:
    (folder / "mcp-governor.toml").write_text(
        '[lint]\nselect = ["clarity/length", "call/server-exited"]\n'
        'ignore = [{ rule = "spec/unicode", reason = "checked elsewhere" }]\n'
        + 'per-tool-ignores = { "old_*" = [{ rule = "clarity/*", reason = "going away" }] }\n'
    )
    shown = lint("--show-settings").out.splitlines()
    assert shown[0] == "profile: recommended; from mcp-governor.toml"
    # A rule that another station emits does not run here.
    assert [line.split()[0] for line in shown[1:-2]] == ["clarity/length"]
    assert shown[-2:] == [
        "not: spec/unicode (checked elsewhere)",
        "not for old_*: clarity/* (going away)",
    ]


def test_a_baseline_is_written_holds_and_outlives_nothing(lint, folder: Path) -> None:
    written = lint(*CLARITY, "--write-baseline")
    assert written.code == 0
    assert written.out == (
        "mcp-lint-baseline.json: recorded 2 findings, ignored with --baseline mcp-lint-baseline.json.\n"
    )
    held = lint(*CLARITY, "--baseline", "mcp-lint-baseline.json")
    assert held.code == 0
    fixed_surface = json.loads(json.dumps(SURFACE))
    fixed_surface["tools"][0]["inputSchema"]["properties"]["n"]["maximum"] = 100
    (folder / "s.json").write_text(json.dumps(fixed_surface))
    fixed = lint(*CLARITY, "--baseline", "mcp-lint-baseline.json")
    assert fixed.code == 0
    assert "1 finding of mcp-lint-baseline.json is no longer found; update the file with --write-baseline." in fixed.err


_OWN = "# ours\nclients = []  # none\n\n[policy]\nunknown = 'breaking'\n"
_SHARED = "[tool.mcp-governor]\nclients = []\n\n[tool.mcp-governor.lint] # rules\npersona = 'regular'\n"
_REST = "\n[tool.x]\na = 1\n"
_NAMED = 'baseline = "mcp-lint-baseline.json"\n'
CONFIGS = {
    "mcp-governor.toml": (_OWN, f"{_OWN}\n[lint]\n{_NAMED}"),
    "pyproject.toml": (_SHARED + _REST, _SHARED + _NAMED + _REST),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_written_baseline_counts_at_once(lint, folder: Path, name) -> None:
    before, after = CONFIGS[name]
    (folder / name).write_text(before)
    assert lint(*CLARITY).code == 1
    written = lint(*CLARITY, "--write-baseline")
    assert written.code == 0, written.err
    assert written.out == (
        f"mcp-lint-baseline.json: recorded 2 findings, ignored from now on. {name} now has lint.baseline.\n"
    )
    assert (folder / name).read_text() == after
    assert lint(*CLARITY).code == 0
    # Once it is named, the file alone is written again.
    again = lint(*CLARITY, "--write-baseline")
    assert again.out == "mcp-lint-baseline.json: recorded 2 findings, ignored from now on.\n"
    assert (folder / name).read_text() == after


def test_a_baseline_is_next_to_the_configuration_or_where_it_is_named(lint, folder: Path, monkeypatch) -> None:
    (folder / "mcp-governor.toml").write_text("")
    (folder / "api").mkdir()
    (folder / "api" / "s.json").write_text((folder / "s.json").read_text())
    monkeypatch.chdir(folder / "api")
    assert lint(*CLARITY, "--write-baseline").code == 0
    assert (folder / "mcp-lint-baseline.json").is_file()
    (folder / "mcp-governor.toml").write_text("clients = []\n")
    written = lint(*CLARITY, "--write-baseline", "--baseline", "known.json")
    assert "mcp-governor.toml now has lint.baseline" in written.out
    assert (folder / "mcp-governor.toml").read_text() == 'clients = []\n\n[lint]\nbaseline = "api/known.json"\n'
    assert lint(*CLARITY).code == 0


def test_another_baseline_than_the_configured_one_is_said_to_need_its_option(lint, folder: Path) -> None:
    (folder / "mcp-governor.toml").write_text('[lint]\nbaseline = "a.json"\n')
    written = lint(*CLARITY, "--write-baseline", "--baseline", "b.json")
    assert written.out == "b.json: recorded 2 findings, ignored with --baseline b.json.\n"
    assert (folder / "mcp-governor.toml").read_text() == '[lint]\nbaseline = "a.json"\n'


def test_where_the_configuration_cannot_be_edited_nothing_is_written(lint, folder: Path, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise ConfigError("It cannot be edited.", "Edit it by hand.")

    monkeypatch.setattr("mcp_governor.config.editing.set_text", refuse)
    (folder / "mcp-governor.toml").write_text("clients = []\n")
    assert lint(*CLARITY, "--write-baseline").code == 2
    assert not (folder / "mcp-lint-baseline.json").exists()
    assert (folder / "mcp-governor.toml").read_text() == "clients = []\n"


@pytest.mark.parametrize("arguments", [("--ignore", "*"), ("--select", "call/server-exited"), ("--select", "lint/*")])
def test_a_run_without_rules_does_not_pass(lint, folder: Path, arguments) -> None:
    outcome = lint(*arguments)
    assert outcome.code == 4
    assert "None of the selected rules checks a surface." in outcome.err


def test_a_rule_as_json_holds_its_examples(capsys) -> None:
    reported = json.loads(governor_here("rule", "charter/length", "--format", "json", capsys=capsys).out)
    assert reported["stance"] == {"topic": "the description cap", "choice": "500"}
    assert reported["fail"][0]["at"] == ["/description"]
    assert len(reported["fail"][0]["surface"]["tools"][0]["description"]) == 11
    assert reported["options"]["max"]["default"] == 500


def test_examples_of_own_rules_are_run(folder: Path, capsys) -> None:
    assert governor_here("rules", "--test", capsys=capsys).code == 4
    begun = governor_here("rule", "acme/no-todo", "--new", "house", capsys=capsys)
    assert begun.code == 0
    page = folder / "house" / "acme.md"
    assert "`acme/no-todo` · warning" in page.read_text()
    (folder / "mcp-governor.toml").write_text('[lint]\nrules = ["house"]\n')
    good = governor_here("rules", "--test", capsys=capsys)
    assert (good.code, good.out) == (0, "All rule examples passed.\n")
    file = folder / "house" / "acme" / "no-todo.toml"
    file.write_text(file.read_text().replace("TODO: describe", "Describes"))
    load_catalogue.cache_clear()
    bad = governor_here("rules", "--test", capsys=capsys)
    assert bad.code == 1
    assert "TODO" in page.read_text()
    assert governor_here("rules", "--docs", capsys=capsys).out == f"written: {page}\n"
    assert "TODO: describe" not in page.read_text()
    assert "no-todo.toml: fail example 1 gives no finding." in bad.out
