"""Which list a tool came from: kept in a recording, part of the contract, a break where a tool leaves the plain one."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import parse
from mcp_governor.findings import Bump, Tier
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.surface import Surface, build_surface, dump_surface, fingerprint, parse_surface

ASKED = {"tier": "advanced"}


def surface(tier: str | None = None, *, asked: dict[str, Any] | None = None, of_list: str | None = None) -> Surface:
    meta = {"_meta": {"tier": tier}} if tier else {}
    raw: dict[str, Any] = {"tools": [{"name": "find", "inputSchema": {"type": "object"}, **meta}]}
    if asked is not None:
        raw["optIn"] = {"find": asked}
    return build_surface(raw, tier_of_list={"find": of_list} if of_list else None)


@pytest.mark.parametrize(
    "given",
    [
        surface("standard"),
        surface("advanced", asked=ASKED, of_list="advanced"),
        surface("standard", asked=ASKED, of_list="advanced"),
        surface("advanced", of_list="facade"),
        surface(asked={"catalog": "all"}),
        surface(asked=ASKED, of_list="advanced"),
    ],
)
def test_a_recording_keeps_the_lists(given: Surface) -> None:
    [before], [after] = given.tools, parse_surface(dump_surface(given), "f").tools
    assert (after.tier, after.opt_in) == (before.tier, before.opt_in)
    # Where list and tier agree, the tier says it.
    assert after.list_tier == (None if before.list_tier is before.tier else before.list_tier)
    assert fingerprint(parse_surface(dump_surface(given), "f")) == fingerprint(given)
    assert compare(given, parse_surface(dump_surface(given), "f")) == []


@pytest.mark.parametrize("lists", [None, 7, [], {"find": "advanced"}, {"find": None}, {"other": {}}])
def test_lists_that_say_nothing(lists: Any) -> None:
    tools = [{"name": "find", "inputSchema": {}}]
    [found] = build_surface({"tools": tools, "optIn": lists, "tierLists": lists}).tools
    assert found.opt_in is None
    assert found.list_tier is (Tier.ADVANCED if lists == {"find": "advanced"} else None)


# old, new → kinds with the step that each needs
LEFT = {
    "out of the plain list, whatever the tool says": (
        surface("standard"),
        surface("standard", asked=ASKED, of_list="advanced"),
        [("tool-unlisted", Bump.MAJOR)],
    ),
    "an advanced one": (surface("advanced"), surface("advanced", asked=ASKED), [("tool-unlisted", Bump.MINOR)]),
    "with its tier, told once": (surface("facade"), surface("advanced", asked=ASKED), [("tier-lowered", Bump.MAJOR)]),
    "raised and out": (
        surface("standard"),
        surface("facade", asked=ASKED),
        [("tier-raised", Bump.MINOR), ("tool-unlisted", Bump.MAJOR)],
    ),
    "back": (surface("standard", asked=ASKED), surface("standard"), [("tool-listed", Bump.MINOR)]),
    "back with its tier, told once": (
        surface("advanced", asked=ASKED),
        surface("standard"),
        [("tier-raised", Bump.MINOR)],
    ),
}


@pytest.mark.parametrize("line", LEFT)
def test_a_tool_that_leaves_the_plain_list(line: str) -> None:
    old, new, expected = LEFT[line]
    found = compare(old, new)
    assert sorted((change.kind, change.bump) for change in found) == expected
    assert bool(found) == (fingerprint(old) != fingerprint(new))


def log(entry: str) -> str:
    announced = f"\n\n**Deprecated**\n\n- {entry}" if entry else ""
    return f"## 2.0.0 (current)\n\n## 1.4.0\n\n## 1.3.0{announced}\n"


@pytest.mark.parametrize(
    ("entry", "rules"),
    [
        ("", ["tier-lowered-early"]),
        ("`find` leaves the default list in 2.0.0.", []),
        ("`find` moves from standard to advanced in 2.0.0.", []),
        ("`find` moves from standard to internal in 2.0.0.", []),
        ("`other` leaves the default list in 2.0.0.", ["tier-lowered-early"]),
    ],
)
def test_it_is_announced_first(entry: str, rules: list[str]) -> None:
    old, new = surface("standard"), surface("standard", asked=ASKED)
    result = evaluate(
        compare(old, new), old, new, old_version="1.4.0", new_version="2.0.0", changelog=parse(log(entry), "log.md")
    )
    assert [found.rule.removeprefix("policy/") for found in result.findings] == rules
    if rules:
        [found] = result.findings
        assert found.message == "The tool leaves the list that every client gets; no earlier release announced it."
        assert "- `find` leaves the default list in 2.0.0." in found.fix
