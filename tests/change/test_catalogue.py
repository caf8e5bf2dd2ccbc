"""Every kind is declared once, mirrored, and shown by an example that is run here."""

from __future__ import annotations

import re

import pytest
from compatibility_page import surface_of

from mcp_governor.change import Kind, Side, Verdict, catalogue, compare, required_bump
from mcp_governor.findings import Bump, Tier

KINDS = list(catalogue().values())
# Answers to calls and manifests are compared elsewhere: tests/call/test_behaviour.py and tests/policy/test_manifest.py
# run their examples.
WITH_EXAMPLE = [kind for kind in KINDS if kind.example and kind.example.at not in ("result", "manifest")]


@pytest.mark.parametrize("kind", WITH_EXAMPLE, ids=lambda kind: kind.name)
def test_the_example_shows_this_change_and_no_other(kind: Kind) -> None:
    assert kind.example is not None
    old, new = surface_of(kind, kind.example.old), surface_of(kind, kind.example.new)
    changes = compare(old, new)
    assert [(change.kind, change.verdict, change.bump) for change in changes] == [(kind.name, kind.verdict, kind.bump)]
    assert changes[0].side is kind.side
    assert compare(old, old) == compare(new, new) == []


def test_every_kind_has_its_mirrors_or_says_why_not() -> None:
    for kind in KINDS:
        assert kind.reverse in catalogue(), kind.name
        if kind.other_side is None:
            assert kind.unmirrored.endswith("."), kind.name
        else:
            other = catalogue()[kind.other_side]
            assert {kind.side, other.side} == {Side.INPUT, Side.OUTPUT}, kind.name
        assert kind.explanation.endswith("."), kind.name


def test_a_sentence_says_first_what_is_new_then_what_is_gone() -> None:
    told = [one for kind in KINDS for one in (kind.message, kind.entry)]
    sentences = [one for some in told for one in ([some] if isinstance(some, str) else some)]
    for forms in (found.split("|") for one in sentences for found in re.findall(r"<([^<>\[\]]*)>", one)):
        new, gone = forms[0], forms[1]
        assert re.match(r"(is|are) (new|now)\b", new), forms
        assert re.match(r"(is|are) gone\b", gone), forms


def test_only_undecidable_kinds_go_without_an_example() -> None:
    bare = [kind.name for kind in KINDS if kind.example is None]
    whole = {"schema-tightened", "schema-loosened", "output-schema-tightened", "output-schema-loosened"}
    assert all(catalogue()[name].verdict is Verdict.UNKNOWN for name in set(bare) - whole)


def test_names_that_others_rely_on() -> None:
    promised = {
        "argument-removed",
        "argument-required",
        "type-narrowed",
        "enum-value-removed",
        "output-field-removed",
        "tool-removed",
        "tool-renamed",
        "tier-lowered",
        "hint-less-safe",
        "default-changed",
    }
    assert promised <= catalogue().keys()
    assert len(KINDS) == len(catalogue())


@pytest.mark.parametrize(
    ("verdict", "kind", "tier", "bump"),
    [
        (Verdict.BREAKING, "argument-removed", Tier.FACADE, Bump.MAJOR),
        (Verdict.BREAKING, "argument-removed", Tier.STANDARD, Bump.MAJOR),
        (Verdict.BREAKING, "argument-removed", Tier.ADVANCED, Bump.MINOR),
        (Verdict.BREAKING, "argument-removed", Tier.INTERNAL, Bump.NONE),
        (Verdict.UNKNOWN, "pattern-changed", Tier.STANDARD, Bump.MAJOR),
        (Verdict.UNKNOWN, "pattern-changed", Tier.ADVANCED, Bump.MINOR),
        (Verdict.COMPATIBLE, "argument-added", Tier.FACADE, Bump.MINOR),
        (Verdict.COMPATIBLE, "argument-added", Tier.ADVANCED, Bump.MINOR),
        (Verdict.COMPATIBLE, "tool-added", Tier.STANDARD, Bump.MINOR),
        (Verdict.COMPATIBLE, "description-changed", Tier.FACADE, Bump.PATCH),
        (Verdict.COMPATIBLE, "description-changed", Tier.INTERNAL, Bump.NONE),
        # a break that an option lets pass is still more than wording
        (Verdict.COMPATIBLE, "argument-removed", Tier.STANDARD, Bump.MINOR),
    ],
)
def test_required_bump(verdict: Verdict, kind: str, tier: Tier, bump: Bump) -> None:
    assert required_bump(verdict, kind, tier) is bump
