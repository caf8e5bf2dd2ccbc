"""Tools that move to a lower tier: how it is announced, and from when on that counts."""

from __future__ import annotations

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, parse
from mcp_governor.changelog.replacements import tier_move
from mcp_governor.findings import Tier
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.surface import Surface, build_surface, fingerprint

TO_ADVANCED = [
    "`it` moves from standard to advanced in 2.0.0.",
    "`it` is moving from **standard** to **advanced** in 2.0.0",
    "`it` will move to the advanced tier in 2.0.0.",
    "`it` moves down to `advanced` with the next major release.",
    "2.0.0 will move `it` from standard to advanced.",
    "The tier of `it` changes from standard to advanced in 2.0.0.",
    "Tier of `it`: standard → advanced in 2.0.0.",
    "`it`: standard → advanced as of 2.0.0.",
    "`it` (`standard` -> `advanced`)",
    "`it` goes from standard to advanced with 2.0.0.",
    "`it` will be demoted to advanced in the next major release.",
    "`it` will be reclassified as advanced in 2.0.0.",
    "`it` becomes an advanced tool in 2.0.0.",
    "`it` will be an advanced tool from 2.0.0 on.",
    "`it` is going to be advanced from 2.0.0.",
    "`it` is scheduled to move to tier `advanced` in 2.0.0; opt in with `tier`.",
    "`it` will only be listed in the `advanced` tier from 2.0.0 on.",
    "The standard tier of `it` is deprecated; it will be `advanced` from 2.0.0 on.",
    "`it` and `stay` move from standard to advanced in 2.0.0.",
    "`i*` moves from standard to advanced in 2.0.0.",
]
AWAY = [
    "`it` leaves the standard tier in 2.0.0.",
    "`it` will no longer be a standard tool from 2.0.0 on.",
    "`it` will no longer be listed in the default catalog.",
]
OTHERWISE = [
    "`it` is deprecated; use `stay` instead.",
    "`it` is deprecated; use the standard `stay` instead.",
    "`it` is deprecated; switch to the advanced `stay`.",
    "`it` is deprecated; switch to standard search, which is `stay`.",
    "`it` is deprecated; `advanced_stay` replaces it.",
    "The standard way to call `it` is deprecated; use `stay`.",
]
STAYS = [
    "`it` stays standard after all.",
    "`it` will not move to advanced.",
    "`it` no longer moves to advanced in 2.0.0.",
]


def surface(tier: str, *, listed: bool = True) -> Surface:
    names = ["stay", *(["it"] if listed else [])]
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    asked = {"it": {"tier": tier}} if tier in ("advanced", "internal") else {}
    return build_surface({"tools": tools, "optIn": asked}, tier_of_list={"it": tier})


def log(*entries: str, section: str = "1.3.0", label: str = "Deprecated") -> str:
    """2.0.0, 1.4.0, 1.3.0, 1.2.0: the announcement stands in one of them."""
    parts = []
    for version in ("2.0.0", "1.4.0", "1.3.0", "1.2.0"):
        reported = "".join(f"\n- {entry}" for entry in entries) if version == section else ""
        heading = f"## {version}" + (" (current)" if version == "2.0.0" else "")
        parts.append(heading + (f"\n\n**{label}**\n{reported}" if reported else ""))
    return "\n\n".join(parts) + "\n"


def judged(text: str, *, old: str = "standard", new: str = "advanced", now: str = "2.0.0") -> list[str]:
    before, after = surface(old), surface(new, listed=new != "unlisted")
    result = evaluate(
        compare(before, after),
        before,
        after,
        old_version="1.4.0",
        new_version=now,
        changelog=parse(text, "log.md"),
    )
    return [found.rule.removeprefix("policy/") for found in result.findings]


@pytest.mark.parametrize("entry", [*TO_ADVANCED, *AWAY])
def test_an_announced_move_passes_after_its_window(entry: str) -> None:
    assert judged(log(entry)) == []
    assert judged(log(entry, section="1.2.0")) == []
    assert judged(log(entry, section="1.4.0")) == ["tier-lowered-early"]
    assert judged(log(entry, section="2.0.0")) == ["tier-lowered-early"]
    # the step is major all the same
    assert judged(log(entry), now="1.5.0") == ["bump-too-small"]


@pytest.mark.parametrize("entry", [*TO_ADVANCED, *AWAY])
def test_an_announced_move_deprecates_no_tool(entry: str) -> None:
    both = surface("standard")
    assert not evaluate(
        [], both, both, old_version="1.4.0", new_version="1.4.0", changelog=parse(log(entry), "l")
    ).findings
    current = f"## 1.5.0 (current)\n\nFingerprint: `{fingerprint(both)}`\n\n**Deprecated**\n\n- {entry}\n\n## 1.4.0\n"
    settings = ChangelogSettings(expected=SchemaVersion("1.5.0", "the server"), baseline=both)
    assert [found.rule for found in check(parse(current, "l"), both, [], settings=settings)] == []


@pytest.mark.parametrize("entry", TO_ADVANCED)
def test_where_it_goes_is_read(entry: str) -> None:
    reported = tier_move(parse(log(entry), "l").sections[2].entries[0][1])
    assert reported is not None
    assert (reported.target, reported.stays) == (Tier.ADVANCED, False)
    # further down than was announced
    assert judged(log(entry), new="internal") == ["tier-lowered-early"]
    assert judged(log(entry), new="unlisted") == ["removed-undeprecated"]


@pytest.mark.parametrize("entry", OTHERWISE)
def test_an_ordinary_deprecation_is_not_a_move(entry: str) -> None:
    assert tier_move(parse(log(entry), "l").sections[2].entries[0][1]) is None


@pytest.mark.parametrize("entry", OTHERWISE[:3])
def test_a_deprecated_tool_may_move_down_too(entry: str) -> None:
    assert judged(log(entry)) == []


@pytest.mark.parametrize("entry", STAYS)
def test_a_move_that_was_called_off_has_to_be_announced_again(entry: str) -> None:
    announced = log(TO_ADVANCED[0])
    for label in ("Changed", "Deprecated"):
        called_off = announced.replace("## 1.4.0", f"## 1.4.0\n\n**{label}**\n\n- {entry}")
        assert judged(called_off) == ["tier-lowered-early"]
    before = announced.replace("## 1.2.0", f"## 1.2.0\n\n**Changed**\n\n- {entry}")
    assert judged(before) == []


@pytest.mark.parametrize(
    ("label", "entry", "expected"),
    [
        ("Changed", "`it` will move from standard to advanced in 2.0.0.", []),
        ("Changed", "`it` moves from standard to advanced in 2.0.0.", []),
        # what moved already says nothing of the next time
        ("Changed", "`it` moved from standard to advanced.", ["tier-lowered-early"]),
        ("Added", "`it` moves from standard to advanced in 2.0.0.", ["tier-lowered-early"]),
    ],
)
def test_where_it_is_announced(label: str, entry: str, expected: list[str]) -> None:
    assert judged(log(entry, label=label)) == expected


def test_a_tool_that_becomes_internal_leaves_the_listing() -> None:
    entry = "`it` moves from standard to internal in 2.0.0."
    assert judged(log(entry), new="unlisted") == []
    assert judged(log(entry, section="1.4.0"), new="unlisted") == ["removed-undeprecated"]


def test_another_tool_is_not_meant() -> None:
    assert judged(log("`stay` moves from standard to advanced in 2.0.0.")) == ["tier-lowered-early"]


def test_the_window_of_an_advanced_tool_is_one_release() -> None:
    entry = "`it` moves from advanced to internal in 1.5.0."
    rules = judged(log(entry, section="1.4.0"), old="advanced", new="internal", now="1.5.0")
    assert rules == []
    rules = judged(log(entry, section="2.0.0"), old="advanced", new="internal", now="1.5.0")
    assert rules == ["tier-lowered-early"]


def test_the_fix_shows_the_line_to_write() -> None:
    before, after = surface("standard"), surface("advanced")
    result = evaluate(compare(before, after), before, after, old_version="1.4.0", new_version="2.0.0")
    [found] = result.findings
    assert found.message == "The tool moves from standard to advanced; no earlier release announced it."
    assert found.fix == (
        "Announce it under Deprecated (- `it` moves from standard to advanced in 2.0.0.), "
        "and move it after 2 minor releases with the announcement."
    )
    [found] = evaluate(
        compare(before, after),
        before,
        after,
        old_version="1.4.0",
        new_version="2.0.0",
        changelog=parse(log(TO_ADVANCED[0], section="1.4.0"), "l"),
    ).findings
    assert found.message == (
        "The tool moves from standard to advanced; 1.4.0 announced it, and 1 of 2 minor releases carried the warning."
    )
    assert found.fix == "Move it after 1 more minor release."


def requiring(*required: str) -> Surface:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": list(required)}
    return build_surface({"tools": [{"name": "it", "inputSchema": schema}]}, tier_of_list={"it": "advanced"})


def test_the_fix_of_an_early_break_of_an_advanced_tool() -> None:
    before, after = requiring(), requiring("q")
    reported = evaluate(compare(before, after), before, after, old_version="1.4.0", new_version="1.5.0").findings
    [fix] = [found.fix for found in reported if found.rule == "policy/advanced-break-early"]
    entry = "The parameter `q` of `it` changes in 1.6.0: parameter `q` is now required."
    assert fix == (
        f"Announce it under Deprecated (- {entry}), and change it after 1 minor release with the announcement. "
        "Or make the change optional for now."
    )
    # That is read as the announcement.
    text = f"## 1.6.0 (current)\n\n## 1.5.0\n\n**Deprecated**\n\n- {entry}\n\n## 1.4.0\n"
    made = evaluate(
        compare(before, after), before, after, old_version="1.5.0", new_version="1.6.0", changelog=parse(text, "l")
    )
    assert made.findings == ()
