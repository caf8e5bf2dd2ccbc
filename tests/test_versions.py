"""Semantic versions: the order that semver.org gives as an example, and the steps between versions."""

from __future__ import annotations

import pytest

from mcp_governor.findings import Bump
from mcp_governor.versions import Numbered, is_semver

ORDER = (
    "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 "
    "2.0.0 2.1.0 2.1.1"
)


@pytest.mark.parametrize("text", ["1.2", "01.0.0", "1.0.0-01", "2026.10", "1.0.0-", "", "a.b.c", "1.0.0.0", "1.0.٣"])
def test_what_is_not_semver(text: str) -> None:
    assert not is_semver(text)


def test_build_metadata_and_leading_v() -> None:
    assert is_semver("v1.2.3+b.7")
    assert numbered("v1.2.3+b.7") == numbered("1.2.3")
    assert numbered("1.2.3+b.7").build == "b.7"


PEP_440 = (
    "1.0.dev4 1.0a1.dev2 1.0a1 1.0b2 1.0rc1 1.0 1.0.post1.dev1 1.0.post1 1.0.1 1.1 1.10 1.10.0.1 "
    "2026-08-01 2026.10 1!1.0"
)


def numbered(text: str) -> Numbered:
    version = Numbered.parse(text)
    assert version is not None
    return version


@pytest.mark.parametrize("order", [ORDER, PEP_440])
def test_versions_that_count_in_numbers_are_ordered(order: str) -> None:
    versions = [numbered(text) for text in order.split()]
    assert [version.text for version in sorted(versions[::-1])] == order.split()


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.2", "1.2.0"), ("v1.2.0", "1.2.0"), ("2.0.0rc1", "2.0.0-rc.1"), ("1.0-beta2", "1.0b2"), ("2026.08", "2026.8")],
)
def test_two_spellings_of_one_version(one: str, other: str) -> None:
    assert numbered(one) == numbered(other)
    assert hash(numbered(one)) == hash(numbered(other))


@pytest.mark.parametrize("text", ["", "v", "one", "1.x", "1..2", "1.2.", "1.2 3", "1.2.0-", "1" * 10, "1.2.٣"])
def test_what_does_not_count_in_numbers(text: str) -> None:
    assert Numbered.parse(text) is None


@pytest.mark.parametrize(
    ("text", "semver"), [("1.2", "1.2.0"), ("2.0.0rc1", "2.0.0-rc.1"), ("1.2.3.4", "1.2.3"), ("2026.08.01", "2026.8.1")]
)
def test_the_semantic_spelling(text: str, semver: str) -> None:
    assert numbered(text).semver == semver


@pytest.mark.parametrize(
    ("text", "bump", "after"),
    [
        ("1.2", "minor", "1.3"),
        ("1.2", "patch", "1.2.1"),
        ("1.2.3.4", "minor", "1.3.0.0"),
        ("1.2.3.4", "major", "2.0.0.0"),
        ("2.0.0rc1", "major", "2.0.0"),
        ("1.5.0rc1", "major", "2.0.0"),
        ("1!1.2", "major", "1!2.0"),
        ("1.2", "none", "1.2"),
        ("1.2.3", "patch", "1.2.4"),
    ],
)
def test_the_next_number(text: str, bump: str, after: str) -> None:
    assert numbered(text).bumped(Bump(bump)) == after
