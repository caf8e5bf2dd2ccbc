"""Former names of rules and kinds: they lead to current ones, everywhere and without a second step."""

from __future__ import annotations

import pytest

from mcp_governor.builtin_rules import REMOVED
from mcp_governor.change.model import catalogue as kinds
from mcp_governor.config import load_config, parse_config
from mcp_governor.config.model import IgnoredRule
from mcp_governor.errors import ConfigError
from mcp_governor.findings import Finding, Severity
from mcp_governor.rule_names import (
    current_id,
    current_name,
    first_id,
    first_name,
    former_names,
    formerly,
    noted_name,
    noting,
    rules_folder,
)
from mcp_governor.rules import LintSettings, Suppression, dump_baseline, load_baseline, load_catalogue, select
from mcp_governor.rules.docs import pages

RULES = load_catalogue(entry_points=False)
OLD, NEW = "changelog/untold", "changelog/missing-entry"
FORMER_RULES = [old for old in former_names() if "/" in old]


def test_no_former_name_is_in_use_and_each_leads_straight_to_a_name_that_is():
    live = {*RULES.rules, *kinds()}
    assert former_names()
    assert not live & set(former_names())
    assert not set(REMOVED) & set(former_names())
    assert set(former_names().values()) <= live


@pytest.mark.parametrize("old", FORMER_RULES)
def test_a_former_id_selects_and_ignores_the_rule(old):
    new = current_name(old)
    assert RULES.get(old).id == new
    assert RULES.ids(old) == (new,)
    assert list(select(LintSettings(select=(old,))).active) == [new]
    assert new in select(LintSettings(extend_select=(old,))).active
    assert select(LintSettings(ignore=(old,))).ignored == {new}
    chosen = select(LintSettings(select=(new,), severity={old: Severity.INFO}))
    assert chosen.severity_of(new) is Severity.INFO
    [(_, suppression, ids)] = select(LintSettings(per_tool_ignores={"*": (old,)})).tool_ignores
    assert (suppression.rule, ids) == (new, {new})


@pytest.mark.parametrize("old", FORMER_RULES)
def test_the_page_of_a_rule_mentions_its_former_ids(old):
    pack, _, name = current_name(old).partition("/")
    section = pages()[f"{pack}.md"].partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert f"formerly `{old}`" in section


@pytest.mark.parametrize(
    "given", [OLD, {"rule": OLD, "reason": "r"}, Suppression(OLD, "r")], ids=["id", "table", "suppression"]
)
def test_a_suppression_is_parsed_to_the_current_id(given):
    assert Suppression.parse(given, "here").rule == NEW


def test_names_that_are_not_former_ones_stay():
    for name in (NEW, "changelog/*", "*", "no/rule", ""):
        assert (current_name(name), first_name(name)[:3]) == (name, "cha" if name == NEW else name[:3])
    assert first_name(NEW) == first_name(OLD) == OLD
    assert formerly(NEW) == (OLD,)
    assert formerly("changelog/empty") == ()


def test_an_id_keeps_all_but_the_name():
    rest = ":a:b:/x/changelog/untold:0a1b2c3d"
    assert current_id(OLD + rest) == NEW + rest
    assert first_id(NEW + rest) == OLD + rest
    assert current_id(NEW + rest) == NEW + rest
    assert current_id(OLD) == NEW


CONFIG = f"""
[lint]
select = ["{OLD}", "{NEW}"]
extend-select = ["{OLD}"]
ignore = ["{OLD}", {{ rule = "{OLD}", reason = "r" }}]
severity = {{ "{OLD}" = "info" }}
options = {{ "call/died" = {{}} }}
per-tool-ignores = {{ "get_*" = ["{OLD}"] }}

[[accept]]
finding = "{OLD}:-:/x:0a1b2c3d"
reason = "r"

[[accept]]
finding = "call/died:-:/x:0a1b2c3d"
reason = "r"
released = "1.0.0"
"""


def expect_current(config):
    lint = config.lint
    assert lint.select == (NEW, NEW)
    assert lint.extend_select == (NEW,)
    assert lint.ignore == (NEW, IgnoredRule(NEW, "r"))
    assert lint.severity == {NEW: "info"}
    assert lint.options == {"call/server-exited": {}}
    assert dict(lint.per_tool_ignores) == {"get_*": (NEW,)}
    assert [one.finding for one in config.accept] == [f"{NEW}:-:/x:0a1b2c3d", "call/server-exited:-:/x:0a1b2c3d"]


def test_a_configuration_is_read_with_current_names_and_each_place_is_noted_once(tmp_path):
    path = tmp_path / "mcp-governor.toml"
    path.write_text(CONFIG)
    with noting() as notes:
        expect_current(load_config(path))
        load_config(path)
    now = f"is now called {NEW}."
    assert list(notes) == [
        f"mcp-governor.toml: {OLD} in lint.select {now}",
        f"mcp-governor.toml: {OLD} in lint.extend-select {now}",
        f"mcp-governor.toml: {OLD} in lint.ignore {now}",
        f"mcp-governor.toml: {OLD} in lint.severity {now}",
        "mcp-governor.toml: call/died in lint.options is now called call/server-exited.",
        f'mcp-governor.toml: {OLD} in lint.per-tool-ignores."get_*" {now}',
        f"mcp-governor.toml: {OLD} in accept {now}",
    ]


def test_the_configuration_of_an_old_commit_is_read_alike_and_nothing_is_noted(tmp_path):
    with noting() as notes:
        expect_current(parse_config(CONFIG.encode(), tmp_path / "mcp-governor.toml"))
    assert not notes


def test_the_current_name_wins_over_a_former_one(tmp_path):
    path = tmp_path / "mcp-governor.toml"
    path.write_text(f'[lint.severity]\n"{NEW}" = "warning"\n"{OLD}" = "off"\n')
    assert load_config(path).lint.severity == {NEW: "warning"}


def test_a_lint_baseline_keeps_matching(tmp_path):
    path = tmp_path / "known.json"
    finding = Finding(NEW, Severity.WARNING, "m", "t", "/description", value=1)
    path.write_text(dump_baseline([finding]).replace(NEW, OLD))
    with noting() as notes:
        assert load_baseline(path, what="known.json") == {finding.id}
    assert list(notes) == [f"known.json: {OLD} is now called {NEW}."]


def test_outside_of_a_run_nothing_is_noted():
    assert noted_name(OLD, "f", "k") == NEW
    with noting() as notes:
        pass
    assert not notes


def test_a_rule_of_the_user_cannot_take_a_former_id(tmp_path):
    text = (rules_folder() / "hygiene" / "capitals.toml").read_text("utf-8")
    (tmp_path / "mine.toml").write_text(text.replace("hygiene/capitals", OLD, 1))
    with pytest.raises(ConfigError) as caught:
        load_catalogue((tmp_path,), entry_points=False)
    assert caught.value.message.startswith(f"Rule {OLD} is defined twice: in ")
