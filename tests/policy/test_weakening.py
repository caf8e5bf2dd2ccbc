"""Which settings of a configuration may not be relaxed quietly: "config-weakened" of pack policy.

That a changelog is missed ("changelog-deleted") needs a repository: tests/integration/test_governed.py.
"""

from __future__ import annotations

import pytest
from replacing import replace

from mcp_governor.config import CallConfig, Config, PolicyConfig, ServerConfig
from mcp_governor.config.model import IgnoredRule, LintConfig
from mcp_governor.config.policy import Windows
from mcp_governor.policy.weakening import check_config, check_known

FULL = Config(
    target="notes",
    baseline="api/notes.json",
    fail_on="warning",
    level="strict",
    profile=("charter", "surface"),
    contract_doc="CONTRACT.md",
    server_json="server.json",
    calls_dir="calls",
    servers={"notes": ServerConfig("notes", url="https://example.org/mcp")},
    calls=(CallConfig("search"),),
    policy=PolicyConfig(zero_policy="minor-may-break", calver="minor"),
)


def reported(before: Config, now: Config) -> list[str]:
    return [found.message for found in check_config(before, now, ref="v1.0.0", where="mcp-governor.toml")]


@pytest.mark.parametrize(
    ("relaxed", "said"),
    [
        ({"fail_on": "error"}, "fail-on = warning. It is now error"),
        ({"fail_on": "never"}, "fail-on = warning. It is now never"),
        ({"level": "declared"}, "level = strict. It is now declared"),
        ({"target": ""}, "target = notes"),
        ({"baseline": ""}, "baseline = api/notes.json"),
        ({"servers": {}}, "servers = notes"),
        ({"contract_doc": ""}, "contract-doc = CONTRACT.md"),
        ({"server_json": ""}, "server-json = server.json"),
        ({"calls_dir": ""}, "calls-dir = calls"),
        ({"calls_mode": "none"}, "calls-mode = safe. It is now none"),
        ({"calls_mode": "configured"}, "calls-mode = safe. It is now configured"),
        ({"calls": ()}, "calls = search"),
        ({"profile": ("charter",)}, "profile = charter, surface. It is now charter"),
        ({"profile": ("recommended",)}, "profile = charter, surface. It is now recommended"),
        ({"policy": PolicyConfig(unknown="compatible")}, "policy.unknown = breaking. It is now compatible"),
        (
            {"policy": PolicyConfig(zero_policy="anything-goes")},
            "policy.zero-policy = minor-may-break. It is now anything-goes",
        ),
        ({"policy": PolicyConfig(windows=Windows(standard=1, advanced=3))}, "policy.windows.standard = 2. It is now 1"),
        ({"policy": PolicyConfig(calver="major")}, "policy.calver = minor. It is now major"),
    ],
)
def test_what_asks_for_less(relaxed, said):
    end = ", which is more lenient." if " It is now " in said else ". It is no longer set."
    assert reported(FULL, replace(FULL, **relaxed)) == [f"At v1.0.0 the configuration had {said}{end}"]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"fail_on": "info"},
        {"target": "pypi:notes"},
        {"servers": {"other": ServerConfig("other", file="x.json")}},
        {"contract_doc": "docs/CONTRACT.md"},
        {"calls": (CallConfig("find"),)},
        {"calls_mode": "safe"},
        {"profile": ("schema-md",)},
        {"profile": ("charter", "surface", "recommended")},
        {"policy": PolicyConfig(zero_policy="strict", calver="refuse")},
        {"tiers": {"internal": ("*",)}},
        {"schema_version": "pyproject.toml"},
    ],
)
def test_what_asks_for_as_much_or_for_something_else(changed):
    assert reported(FULL, replace(FULL, **changed)) == []


@pytest.mark.parametrize(
    ("lint", "entry"),
    [
        (LintConfig(ignore=("policy/*",)), "lint.ignore = policy/*"),
        (
            LintConfig(ignore=(IgnoredRule("changelog/missing-entry", "later"),)),
            "lint.ignore = changelog/missing-entry",
        ),
        (LintConfig(severity={"changelog/*": "off"}), "lint.severity.changelog/* = off"),
        (LintConfig(severity={"policy/bump-too-small": "warning"}), "lint.severity.policy/bump-too-small = warning"),
        (LintConfig(ignore=("*",)), "lint.ignore = *"),
        (LintConfig(per_tool_ignores={"find": ("policy/*",)}), "lint.per-tool-ignores.find = policy/*"),
    ],
)
def test_rules_of_releases_that_are_left_out_from_now_on(lint, entry):
    message = f"Since v1.0.0 the configuration leaves out rules about version and changelog: {entry}."
    assert reported(FULL, replace(FULL, lint=lint)) == [message]
    before = replace(FULL, lint=lint)
    assert reported(before, before) == []
    assert reported(before, FULL) == []


@pytest.mark.parametrize(
    "lint",
    [
        LintConfig(ignore=("clarity/*",), severity={"clarity/length": "off"}),
        LintConfig(severity={"policy/version-source": "error"}),
        LintConfig(per_tool_ignores={"*": ("charter/length",)}),
    ],
)
def test_rules_of_style_are_nobodys_business(lint):
    assert reported(FULL, replace(FULL, lint=lint)) == []


def test_rules_about_releases_in_another_pack_count():
    for rule in ("surface/release-entry", "surface/migration-guide", "surface/*"):
        [message] = reported(FULL, replace(FULL, lint=LintConfig(ignore=(rule,))))
        assert rule in message
    assert reported(FULL, replace(FULL, lint=LintConfig(ignore=("surface/tier-declared",)))) == []


def test_a_severity_that_rises_asks_for_more():
    def chosen(severity):
        return replace(FULL, lint=LintConfig(severity={"policy/tag-version": severity}))

    assert reported(chosen("off"), chosen("warning")) == []
    assert reported(chosen("warning"), chosen("warning")) == []
    assert len(reported(chosen("warning"), chosen("off"))) == 1
    assert len(reported(chosen("error"), chosen("info"))) == 1


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        ({}, {"argument-removed": "compatible"}, "policy.argument-removed = breaking. It is now compatible,"),
        ({"capabilities": "breaking"}, {}, "policy.capabilities = breaking. It is now note,"),
        ({"assert-formats": True}, {}, "policy.assert-formats = true. It is now false,"),
        ({"open-enums": ["kind"]}, {"open-enums": ["kind", "*"]}, "policy.open-enums = kind. It is now kind, *,"),
        ({}, {"open-enums": ["*"]}, "policy.open-enums = []. It is now *,"),
        ({"argument-removed": "compatible"}, {}, ""),
        ({}, {"closed-output": "breaking", "assert-formats": True, "deadline": 2.0}, ""),
        ({"open-enums": ["kind"]}, {}, ""),
        ({"open-enums": 7}, {"open-enums": ["kind"]}, ""),
    ],
)
def test_an_option_under_which_less_breaks(before, now, shown):
    def chosen(options):
        return replace(FULL, policy=PolicyConfig(options=options))

    messages = reported(chosen(before), chosen(now))
    assert messages == ([f"At v1.0.0 the configuration had {shown} which is more lenient."] if shown else [])


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, ""),
        ({"input-closed": "breaking"}, ""),
        ({"input-closed": "compatible"}, "policy.input-closed = breaking. It is now compatible,"),
        ({"default-presence": "compatible"}, "policy.default-presence = flips. It is now compatible,"),
        ({"default-presence": "breaking"}, ""),
    ],
)
def test_an_option_that_a_profile_has_set(options, shown):
    before = replace(FULL, profile=("surface",), policy=PolicyConfig())
    messages = reported(before, replace(before, policy=PolicyConfig(options=options)))
    assert messages == ([f"At v1.0.0 the configuration had {shown} which is more lenient."] if shown else [])


def test_a_profile_that_goes_is_reported_once():
    before = replace(FULL, profile=("surface", "recommended"), policy=PolicyConfig())
    [message] = reported(before, replace(before, profile=("recommended",)))
    assert "profile" in message


def test_a_lint_baseline_that_lists_what_is_about_version_or_changelog():
    style, unreported, small = "clarity/length:find:0", "changelog/missing-entry:find:1", "policy/bump-too-small::2"

    def listed(before, now):
        return [found.message for found in check_known(before, now, ref="v1.0.0", where="known.json")]

    assert listed({unreported}, {unreported, style}) == []
    assert listed({unreported, small}, {unreported}) == []
    says = "Since v1.0.0 the configuration leaves out rules about version and changelog: lint.baseline lists"
    assert listed({style}, {style, unreported}) == [f"{says} {unreported}."]
    assert listed(set(), {style, unreported, small}) == [f"{says} {unreported} and 1 more."]


def test_the_default_baseline_needs_no_name():
    named = replace(FULL, baseline="mcp-surface.json")
    assert reported(named, replace(named, baseline="")) == []


def test_the_id_is_that_of_the_step_whatever_the_release_is_called():
    now = replace(FULL, level="declared")
    [one] = check_config(FULL, now, ref="v1.0.0", where="f")
    [other] = check_config(FULL, now, ref="main", where="f")
    assert one.id == other.id
    [another] = check_config(FULL, replace(FULL, target=""), ref="main", where="f")
    assert one.id != another.id
