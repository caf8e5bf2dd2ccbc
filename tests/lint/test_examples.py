"""Every example of every rule file is a test, and so is what the files promise about themselves."""

from __future__ import annotations

import re

import pytest

from mcp_governor.rule_names import rules_folder
from mcp_governor.rules import LintSettings, Rule, load_catalogue, select
from mcp_governor.rules.catalogue import own_rule, read_rule
from mcp_governor.rules.governing import govern
from mcp_governor.rules.run import run_rules
from mcp_governor.surface import build_surface

CATALOGUE = load_catalogue(entry_points=False)
LINTED = [rule for rule in CATALOGUE if rule.station == "lint"]


def findings_of(rule: Rule, example):
    surface = build_surface(example.recording())
    options = {rule.id: example.options} if example.options else {}
    settings = LintSettings(select=(rule.id,), options=options)
    selection = select(settings, CATALOGUE)
    findings = govern(run_rules(surface, selection), selection, surface, stations=("lint",))
    return surface, [f for f in findings if f.rule == rule.id]


@pytest.mark.parametrize("rule", LINTED, ids=lambda rule: rule.id)
def test_an_example_gives_what_it_says(rule):
    for number, example in enumerate(rule.passes):
        assert findings_of(rule, example)[1] == [], f"pass {number}"
    for number, example in enumerate(rule.fails):
        surface, findings = findings_of(rule, example)
        assert findings, f"fail {number}"
        first = surface.tools[0].name if surface.tools else None
        places = {f.path if f.tool in (None, first) else f"{f.tool}#{f.path}" for f in findings}
        if example.at:
            assert places == set(example.at), f"fail {number}"
        for finding in findings:
            said = finding.message + finding.fix
            # A name that stayed in braces is a value that the check does not give.
            assert not re.search(r"(?<!u)\{[a-z_]\w*(?:![qt])?(?::\w+)?\}", said), f"fail {number}: {said}"


def test_our_own_rule_files_keep_the_schema_of_rule_files():
    for file in rules_folder().glob("*/*.toml"):
        rule = read_rule(file)
        # What the shorter way of reading gives is the same rule.
        assert own_rule(f"{file.parent.name}/{file.stem}") == rule, f"{file.name} was edited: run make docs"
        assert rule.id == f"{file.parent.name}/{file.stem}"
        sentences = [rule.message, *rule.messages.values()] if rule.message else [*rule.messages.values()]
        assert sentences, rule.id
        for sentence in sentences:
            assert sentence.endswith((".", "}")), rule.id
            assert sentence != "{message}", rule.id
        assert "\n" not in rule.summary, rule.id
