"""The one door from a rule to a finding: the sentence is the rule's, and what others said is made safe here."""

from __future__ import annotations

import pytest
from replacing import replace

from mcp_governor.findings import Severity
from mcp_governor.rules.catalogue import own_rule
from mcp_governor.rules.finding import fill, finding, named

ESC, OVERRIDE = "\x1b[31m", "\u202e"


@pytest.mark.parametrize(
    ("template", "fact", "shown"),
    [
        ("{x}", "plain", "plain"),
        ("{x}", "two\nlines  and\tblanks", "two lines and blanks"),
        ("{x}", ["a", "b"], "a, b"),
        ("{x}", {"a": 1}, '{"a": 1}'),
        ("{x}", None, "null"),
        ("{x}.", "x" * 200, "x" * 119 + "…."),
        ("{x:5}", "abcdefgh", "abcd…"),
        ("{x:all}", "x" * 200, "x" * 200),
        ("{x:lines}", "a\n\nb", "a\n\nb"),
        ("{x!q}", "name", '"name"'),
        ("{x!q:5}", "abcdefgh", '"abcd…"'),
        ("{x!q}", ["a", "b"], '"a", "b"'),
        ("{x!q}", None, "null or absent"),
        ("{x!q}", 7, "a number"),
        ("{x!t}", "name", "a string"),
        ("{x!t}", ["a"], "a list"),
        ("{x!t}", True, "a boolean"),
        ("No{x}", ' Did you mean "y"?', 'No Did you mean "y"?'),
        ("No.{x}", "", "No."),
        ("{y} stays", "x", "{y} stays"),
        ("{x!z} stays", "x", "{x!z} stays"),
        # A fact is no template, and no attribute of it can be asked for.
        ("{x}", "{y}", "{y}"),
        ("{x.__class__}", "x", "{x.__class__}"),
    ],
)
def test_a_template_shows_a_fact(template, fact, shown):
    assert fill(template, {"x": fact}) == shown


@pytest.mark.parametrize("template", ["{x}", "{x:9}", "{x:all}", "{x:lines}", "{x!q}"])
@pytest.mark.parametrize("wrapped", [lambda text: text, lambda text: [text]], ids=["text", "list"])
def test_whatever_a_server_said_is_safe_to_show(template, wrapped):
    shown = fill(template, {"x": wrapped(ESC + OVERRIDE)})
    assert "\x1b" not in shown
    assert OVERRIDE not in shown


def test_a_finding_has_the_words_and_the_severity_of_its_rule():
    found = finding("envelope/hint-exists", "/follow_up_hints/0", tool="a", value="serach", hint=" Did you mean it?")
    assert found.message == 'The follow-up hint "serach" is not a tool of this server. Did you mean it?'
    assert (found.rule, found.severity, found.tool, found.value) == (
        "envelope/hint-exists",
        Severity.WARNING,
        "a",
        "serach",
    )
    assert found.fix == "Name a published tool."


def test_what_a_finding_is_about_is_in_brackets_at_its_end():
    found = finding("envelope/missing", "/structuredContent", about=f"the call {ESC}")
    assert found.message == r"The result is not an envelope (the call \x1b[31m)."


def test_a_rule_with_several_sentences_is_asked_for_one_by_name():
    rule = own_rule("schema-md/content-summary")
    assert finding(rule, "", says="missing").message == rule.messages["missing"]
    with pytest.raises(KeyError):
        finding(rule, "", says="elsewhere")


def test_facts_come_before_what_is_always_there():
    rule = replace(own_rule("envelope/missing"), message="{tool} {path} {value}")
    assert finding(rule, "/a", tool="t", value=1).message == "t /a 1"
    assert finding(rule, "/a", tool="t", value=1, facts={"value": 2, "path": "/b"}).message == "t /b 2"


def test_a_page_names_facts_and_says_nothing_of_how_they_are_shown():
    assert named("Write: {line:all} in {doc!q:60} or {x}") == "Write: {line} in {doc} or {x}"
