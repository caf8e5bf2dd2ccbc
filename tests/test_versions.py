"""Semantic versions: the order that semver.org gives as an example, and the steps between versions."""

from __future__ import annotations

import pytest

from mcp_governor.findings import Bump
from mcp_governor.versions import Version, step

ORDER = (
    "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 "
    "2.0.0 2.1.0 2.1.1"
)


def parse(text: str) -> Version:
    version = Version.parse(text)
    assert version is not None
    return version


def test_precedence_of_clause_11() -> None:
    versions = [parse(text) for text in ORDER.split()]
    assert sorted(versions[::-1]) == versions
    assert [str(version) for version in versions] == ORDER.split()


@pytest.mark.parametrize("text", ["1.2", "01.0.0", "1.0.0-01", "2026.10", "1.0.0-", "", "a.b.c", "1.0.0.0", "1.0.٣"])
def test_what_is_not_semver(text: str) -> None:
    assert Version.parse(text) is None


def test_build_metadata_and_leading_v() -> None:
    assert parse("v1.2.3+b.7") == parse("1.2.3")
    assert parse("1.2.3+b.7").build == "b.7"


@pytest.mark.parametrize(
    ("old", "new", "bump"),
    [
        ("1.2.3", "1.2.3", "none"),
        ("1.2.3", "1.2.2", "none"),
        ("1.2.3", "1.2.4", "patch"),
        ("1.2.3", "1.3.0", "minor"),
        ("1.2.3", "2.0.0-rc.1", "major"),
        ("2.0.0-rc.1", "2.0.0", "patch"),
        ("1.0.0", "1.0.0+build", "none"),
        ("0.4.0", "0.5.0", "minor"),
    ],
)
def test_steps(old: str, new: str, bump: str) -> None:
    assert step(parse(old), parse(new)) is Bump(bump)


@pytest.mark.parametrize(
    ("version", "bump", "after"),
    [("1.2.3", "major", "2.0.0"), ("1.2.3", "minor", "1.3.0"), ("1.2.3", "patch", "1.2.4"), ("1.2.3", "none", "1.2.3")],
)
def test_bumped(version: str, bump: str, after: str) -> None:
    assert str(parse(version).bumped(Bump(bump))) == after
