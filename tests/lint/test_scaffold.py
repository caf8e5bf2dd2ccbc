"""A scaffolded rule works as it is, and its examples can be checked."""

from __future__ import annotations

import pytest
from commandline import governor_here

from mcp_governor.errors import UsageError
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.rules.scaffold import check_examples, new_rule
from mcp_governor.surface import build_surface


def test_a_new_rule_runs_and_its_examples_hold(tmp_path):
    file = new_rule("acme/no-todo", tmp_path)
    assert file == tmp_path / "acme" / "no-todo.toml"
    assert check_examples(tmp_path) == []
    surface = build_surface({"tools": [{"name": "a", "description": "Todo"}]})
    (found,) = lint(surface, LintSettings(select=("acme/no-todo",), rule_paths=(tmp_path,)))
    assert found.message == "The description of a is not finished: Todo."


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("TODO: describe", "Describes", "fail example 1 gives no finding"),
        ("Reads a file", "todo", "pass example 1 gives"),
        ('at = ["/description"]', 'at = ["/title"]', "fail example 1 gives findings at /description, not at /title"),
    ],
)
def test_an_example_that_does_not_hold_is_reported(tmp_path, old, new, says):
    file = new_rule("acme/no-todo", tmp_path)
    file.write_text(file.read_text().replace(old, new))
    (problem,) = check_examples(tmp_path)
    assert says in problem
    assert "no-todo.toml" in problem


@pytest.mark.parametrize("rule_id", ["todo", "Acme/todo", "acme/no todo", "acme/../x", ""])
def test_what_is_not_a_rule_id_is_refused(tmp_path, rule_id):
    with pytest.raises(UsageError, match="not a rule id"):
        new_rule(rule_id, tmp_path)


def test_nothing_is_overwritten(tmp_path):
    new_rule("acme/no-todo", tmp_path).write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        new_rule("acme/no-todo", tmp_path)


@pytest.mark.parametrize(
    ("file", "before", "added"),
    [
        ("mcp-governor.toml", "", '[lint]\nrules = ["rules"]\nextend-select = ["acme/*"]'),
        ("pyproject.toml", "[tool.mcp-governor]", '[tool.mcp-governor.lint]\nrules = ["rules"]'),
        ("mcp-governor.toml", '[lint]\nrules = ["rules"]', '[lint]\nextend-select = ["acme/*"]'),
        ("mcp-governor.toml", '[lint]\nrules = ["rules"]\nselect = ["acme/*"]', ""),
    ],
)
def test_a_new_rule_says_what_the_configuration_needs(tmp_path, monkeypatch, capsys, file, before, added):
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text(before)
    new_rule("acme/first", tmp_path / "rules")
    reported = governor_here("rule", "acme/no-todo", "--new", "rules", capsys=capsys)
    assert reported.code == 0, reported.err
    assert added in reported.out
    assert bool(added) is ("Add to the configuration:" in reported.out)
