"""What a URI template promises (RFC 6570, section 3.2)."""

from __future__ import annotations

import pytest

from mcp_governor.change.siblings import covers_address, covers_template, variables


def test_variables_without_operators_and_modifiers() -> None:
    assert variables("a://{x}/{+y,z*}{?q:3,x}") == ["x", "y", "z", "q"]


@pytest.mark.parametrize(
    ("template", "uri", "covered"),
    [
        ("a://{x}", "a://1", True),
        ("a://{x}", "a://", False),
        ("a://{x}", "a://1/2", False),
        ("a://{x}", "a://1?q", False),
        ("a://{x}", "b://1", False),
        ("a://{x}", "a://1 2", False),
        ("a://{+x}", "a://1/2", True),
        ("a://{x,y}", "a://1,2", True),
        ("a://x{/y}", "a://x", True),
        ("a://x{/y}", "a://x/1", True),
        ("a://x{.y}", "a://x.txt", True),
        ("a://x{;y}", "a://x;y=1", True),
        ("a://x{#y}", "a://x#top", True),
        ("a://x{?q}", "a://x", True),
        ("a://x{?q}", "a://x?q=1", True),
        ("a://x{?q}{&r}", "a://x?q=1&r=2", True),
        ("a://x{?q}", "a://xq=1", False),
        ("a://x.{e}", "a://xy1", False),
        ("a://(x)|[y]*/{e}", "a://(x)|[y]*/1", True),
        ("a://{!x}", "a://1", False),
        ("a://{x", "a://1", False),
    ],
)
def test_addresses_of_a_template(template: str, uri: str, covered: bool) -> None:
    assert covers_address(template, uri) is covered


@pytest.mark.parametrize(
    ("outer", "inner", "covered"),
    [
        ("a://{+x}", "a://{x}", True),
        ("a://{x}", "a://{+x}", False),
        ("a://x{?q,r}", "a://x{?q}", True),
        ("a://x{?q}", "a://x", True),
        ("a://x", "a://x{?q}", False),
        ("a://{+x}", "a://b/{y}", True),
    ],
)
def test_addresses_of_two_templates(outer: str, inner: str, covered: bool) -> None:
    assert covers_template(outer, inner) is covered


def test_a_hostile_template_ends() -> None:
    assert not covers_address("{+a}" * 30 + "z", "a" * 3_000)
