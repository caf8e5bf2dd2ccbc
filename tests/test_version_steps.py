"""How far versions are apart, whatever scheme they follow."""

from __future__ import annotations

import pytest

from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, parse
from mcp_governor.findings import Bump
from mcp_governor.surface import build_surface
from mcp_governor.versions import Scheme, declared_step, needed_step, next_version, same_version, scheme_of

STEPS = """
1.4.0          1.4.0          none
1.4.0          1.4.1          patch
1.4.0          1.5.0          minor
1.4.0          2.0.0          major
1.4.0          1.3.9          backwards
1.4.0          1.4.0+build    none
1.4.0          2.0.0-rc.1     major
2.0.0-rc.1     2.0.0-rc.2     major
2.0.0-rc.2     2.0.0          major
1.5.0-beta.1   1.5.0          minor
1.4.1-beta.1   1.4.1          patch
1.5.0          1.5.0-rc.1     backwards
1.5.0-rc.1     1.5.1          patch
1.4            1.5            minor
1.4            1.4.1          patch
1.4            2.0            major
1.10           1.9            backwards
1.4            1.4.0          none
1.2.3.4        1.2.3.5        patch
1.2.3.4        1.3.0.0        minor
1.2.3.4        2.0.0.0        major
1.2.3.5        1.2.3.4        backwards
1.4.0          1.5.0rc1       minor
1.4.0          2.0.0rc1       major
2.0.0rc1       2.0.0          major
2.0.0rc2       2.0.0rc1       backwards
1.4.0          1.4.0.post1    patch
1.4.0.dev3     1.4.0          minor
1!1.0          2!1.0          major
2026.8.1       2026.10.0      calver
2026.08        2026.10        calver
2026-08-01     2026-08-02     calver
2026.10        2026.08        backwards
2026.08        2026.8         none
1.4.0          2026.8.0       calver
one            two            calver
one            one            none
"""


@pytest.mark.parametrize(("old", "new", "reported"), [line.split() for line in STEPS.strip().splitlines()])
def test_the_step_between_two_versions(old: str, new: str, reported: str) -> None:
    step = declared_step(old, new, calver="patch")
    expected = {"backwards": Bump.NONE, "calver": Bump.PATCH}.get(reported)
    assert (step.bump, step.backwards) == (expected or Bump(reported), reported == "backwards")
    other = declared_step(old, new, calver="major")
    assert other.bump is (Bump.MAJOR if reported == "calver" else step.bump)


def test_versions_that_are_not_semantic_can_be_refused() -> None:
    assert declared_step("1.4", "2.0", calver="refuse").bump is Bump.NONE
    assert declared_step("2026.08", "2026.10", calver="refuse").bump is Bump.NONE
    assert declared_step("1.4.0", "2.0.0", calver="refuse").bump is Bump.MAJOR


@pytest.mark.parametrize(
    ("text", "scheme"),
    [("1.4.0", "semver"), ("1.4", "numbered"), ("1.4.0rc1", "numbered"), ("2026.8.1", "calendar"), ("one", "other")],
)
def test_schemes(text: str, scheme: str) -> None:
    assert scheme_of(text) is Scheme(scheme)


@pytest.mark.parametrize(
    ("old", "needed", "reported"),
    [
        ("1.4.0", "minor", "1.5.0"),
        ("2.0.0-rc.1", "major", "2.0.0"),
        ("1.5.0-rc.1", "major", "2.0.0"),
        ("1.5.0-rc.1", "minor", "1.5.0"),
        ("1.5.0-rc.1", "patch", "1.5.0"),
        ("1.4", "minor", "1.5"),
        ("2026.08", "minor", "a minor step"),
    ],
)
def test_the_next_version(old: str, needed: str, reported: str) -> None:
    assert next_version(old, Bump(needed)) == reported


@pytest.mark.parametrize(
    ("old", "needed"), [("0.4", "minor"), ("0.4.0rc1", "minor"), ("1.4", "major"), ("one", "major")]
)
def test_before_one_a_minor_step_may_break_in_any_spelling(old: str, needed: str) -> None:
    assert needed_step(Bump.MAJOR, old) is Bump(needed)


def test_the_same_version_in_two_spellings() -> None:
    assert same_version("2.0.0rc1", "2.0.0-rc.1")
    assert same_version("1.2.0+abc", "1.2.0")
    assert not same_version("1.2.0+abc", "1.2.0+def")
    assert not same_version("1.2.0+abc", "1.2.0", exact=True)
    assert not same_version("one", "1.0.0")


def test_a_pre_release_of_python_is_a_matter_of_spelling() -> None:
    surface = build_surface({"tools": [{"name": "search"}], "serverInfo": {"name": "s", "version": "1.2.0"}})
    found = check(parse("## 1.2.0 (current)\n\n## 1.2.0rc1\n\n## 1.1\n", "log.md"), surface)
    reported = {finding.rule: finding.fix for finding in found}
    assert reported["changelog/heading-form"] == "Write: ## 1.2.0-rc.1"
    assert reported["changelog/heading-version"] == "Write it with three numbers: ## 1.1.0"


@pytest.mark.parametrize(("version", "older"), [("2026.08", "2026.07"), ("1.4", "1.3"), ("2026-08-01", "2026-07-01")])
def test_headings_in_the_scheme_of_the_server_are_in_order(version: str, older: str) -> None:
    surface = build_surface({"tools": [{"name": "search"}], "serverInfo": {"name": "s", "version": version}})
    found = check(parse(f"## {version} (current)\n\n## {older}\n", "log.md"), surface)
    assert {finding.rule for finding in found} <= {"changelog/fingerprint-missing", "changelog/heading-form"}
    settings = ChangelogSettings(SchemaVersion("1.0.0", "the configuration"))
    found = check(parse(f"## {version} (current)\n\n## {older}\n", "log.md"), surface, settings=settings)
    assert [finding.rule for finding in found].count("changelog/heading-version") == 2
