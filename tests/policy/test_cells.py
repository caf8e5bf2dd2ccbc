"""Every cell of change × tier × deprecation × version step, with its verdict written by hand.

A cell lists the findings in letters; ``.`` is a release that may go out.

    B  the version step is too small
    C  policy.calver does not allow the changes
    U  removed without ever having been deprecated
    E  removed before enough minor releases have carried the warning
    R  renamed without a window (a warning); without anybody who says that it is a rename, it is a removal
    L  moved down a tier before the window has passed
    A  an advanced tool breaks before the window has passed

States of the tool's deprecation when 1.4.0 is the baseline: ``never``; ``now``, in the release that is being made;
``1``, ``2``, ``3``: told so many minor releases ago, so that as many have carried the warning.
"""

from __future__ import annotations

import pytest

from mcp_governor.change.model import Change
from mcp_governor.change.vocabulary import Facts, Side
from mcp_governor.changelog import parse
from mcp_governor.config.policy import PolicyConfig
from mcp_governor.findings import Bump, Tier, Verdict
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.surface import Surface, build_surface

LETTERS = {
    "policy/bump-too-small": "B",
    "policy/calver-too-small": "C",
    "policy/removed-undeprecated": "U",
    "policy/removed-early": "E",
    "policy/rename-without-window": "R",
    "policy/tier-lowered-early": "L",
    "policy/advanced-break-early": "A",
}
STEPS = ("1.4.0", "1.4.1", "1.5.0", "2.0.0")  # none, patch, minor, major

REMOVED = """
            never           now             1               2         3
facade      BU BU BU U      BU BU BU U      BE BE BE E      B B B .   B B B .
standard    BU BU BU U      BU BU BU U      BE BE BE E      B B B .   B B B .
advanced    BU BU BU U      BU BU BU U      B  B  B  .      B B B .   B B B .
internal    .  .  .  .      .  .  .  .      .  .  .  .      . . . .   . . . .
"""
RENAMED = """
            never           now             1               2         3
facade      BU BU BU U      BU BU BU U      BE BE BE E      B B B .   B B B .
standard    BU BU BU U      BU BU BU U      BE BE BE E      B B B .   B B B .
advanced    BA BA A  A      BA BA A  A      B  B  .  .      B B . .   B B . .
internal    .  .  .  .      .  .  .  .      .  .  .  .      . . . .   . . . .
"""
LOWERED = """
            never           now             1               2         3
facade      BL BL BL L      BL BL BL L      BL BL BL L      B B B .   B B B .
standard    BL BL BL L      BL BL BL L      BL BL BL L      B B B .   B B B .
advanced    BL BL L  L      BL BL L  L      B  B  .  .      B B . .   B B . .
"""
BREAKING = """
            never           now             1               2         3
facade      B  B  B  .      B  B  B  .      B  B  B  .      B B B .   B B B .
standard    B  B  B  .      B  B  B  .      B  B  B  .      B B B .   B B B .
advanced    BA BA A  A      BA BA A  A      B  B  .  .      B B . .   B B . .
internal    .  .  .  .      .  .  .  .      .  .  .  .      . . . .   . . . .
"""
UNDECIDED = """
            never           2
facade      B  B  B  .      B  B  B  .
standard    B  B  B  .      B  B  B  .
advanced    B  B  .  .      B  B  .  .
internal    .  .  .  .      .  .  .  .
"""
ADDITION = """
            never           2
facade      B  B  .  .      B  B  .  .
standard    B  B  .  .      B  B  .  .
advanced    B  B  .  .      B  B  .  .
internal    .  .  .  .      .  .  .  .
"""
WORDING = """
            never           2
facade      B  .  .  .      B  .  .  .
standard    B  .  .  .      B  .  .  .
advanced    B  .  .  .      B  .  .  .
internal    .  .  .  .      .  .  .  .
"""

B, C, N = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN
# table, kind, path, verdict, the step by tier (facade and standard, advanced, internal), after
GRIDS = [
    (REMOVED, "tool-removed", "", B, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (RENAMED, "tool-renamed", "/name", B, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (LOWERED, "tier-lowered", "/tier", B, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (BREAKING, "argument-required", "/inputSchema/properties/q", B, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (BREAKING, "output-field-removed", "/outputSchema/properties/q", B, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (BREAKING, "hint-less-safe", "/annotations/readOnlyHint", B, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (UNDECIDED, "schema-undecided", "/inputSchema", N, (Bump.MAJOR, Bump.MINOR, Bump.NONE)),
    (ADDITION, "argument-added", "/inputSchema/properties/q", C, (Bump.MINOR, Bump.MINOR, Bump.NONE)),
    (ADDITION, "tier-raised", "/tier", C, (Bump.MINOR, Bump.MINOR, Bump.NONE)),
    (ADDITION, "tool-deprecated", "/deprecated", C, (Bump.MINOR, Bump.MINOR, Bump.NONE)),
    (WORDING, "description-changed", "/description", C, (Bump.PATCH, Bump.PATCH, Bump.NONE)),
]

ANNOUNCED_IN = {"1": "1.4.0", "2": "1.3.0", "3": "1.2.0"}
NOTICE = "\n\n**Deprecated**\n\n- `it` is deprecated; use `stay` instead."


def cells() -> list[object]:
    out = []
    for table, kind, path, verdict, steps in GRIDS:
        header, *rows = table.strip().splitlines()
        states = header.split()
        for text in rows:
            name, *reported = text.split()
            assert len(reported) == len(states) * len(STEPS)
            tier, row = Tier(name), []
            bump = {Tier.ADVANCED: steps[1], Tier.INTERNAL: steps[2]}.get(tier, steps[0])
            for index, expected in enumerate(reported):
                state, version = states[index // len(STEPS)], STEPS[index % len(STEPS)]
                change = Change(
                    kind,
                    "it",
                    path,
                    Side.SURFACE,
                    verdict,
                    bump,
                    tier=tier,
                    old=tier.value if kind == "tier-lowered" else "it",
                    new="that" if kind == "tool-renamed" else "internal",
                    facts=Facts(successor="that" if kind == "tool-renamed" else None),
                )
                row.append((change, state, version, expected))
            out.append(pytest.param(row, id=f"{kind}-{tier}"))
    return out


def surface(tier: Tier, *, with_it: bool) -> Surface:
    names = ["stay", "that", *(["it"] if with_it else [])]
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    # Internal tools are in no list that every client gets.
    asked = {"it": {"tier": tier.value}} if tier is Tier.INTERNAL else {}
    return build_surface({"tools": tools, "optIn": asked}, tier_of_list={"it": tier.value})


def history(state: str, version: str) -> str:
    parts = []
    versions = [version] if version != "1.4.0" else []
    for reported in [*versions, "1.4.0", "1.3.1", "1.3.0", "1.2.0", "1.1.0"]:
        is_it = reported == ANNOUNCED_IN.get(state) or (state == "now" and reported == version and versions)
        marker = " (current)" if reported == version else ""
        parts.append(f"## {reported}{marker}" + (NOTICE if is_it else ""))
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("row", cells())
def test_cell(row: list[tuple[Change, str, str, str]]) -> None:
    for change, state, version, expected in row:
        result = evaluate(
            [change],
            surface(change.tier, with_it=True),
            surface(change.tier, with_it=change.kind not in {"tool-removed", "tool-renamed"}),
            old_version="1.4.0",
            new_version=version,
            changelog=parse(history(state, version), "log.md"),
        )
        letters = "".join(sorted(LETTERS.get(found.rule, found.rule) for found in result.findings))
        assert letters == "".join(sorted(expected.replace(".", ""))), (state, version)


BEFORE_ONE = """
                            0.4.0   0.4.1   0.5.0   1.0.0
minor-may-break  removal    B       B       .       .
minor-may-break  break      B       B       .       .
minor-may-break  addition   B       B       .       .
minor-may-break  wording    B       .       .       .
anything-goes    removal    B       .       .       .
anything-goes    break      B       .       .       .
anything-goes    addition   B       .       .       .
anything-goes    wording    B       .       .       .
strict           removal    BU      BU      BU      U
strict           break      B       B       B       .
strict           addition   B       B       .       .
strict           wording    B       .       .       .
"""
DATES = """
                 removal  break  addition  wording
major            U        .      .         .
minor            CU       C      .         .
patch            CU       C      C         .
refuse           CU       C      C         C
"""
CHANGES = {
    "removal": ("tool-removed", "", B, Bump.MAJOR),
    "break": ("argument-required", "/inputSchema/properties/q", B, Bump.MAJOR),
    "addition": ("argument-added", "/inputSchema/properties/q", C, Bump.MINOR),
    "wording": ("description-changed", "/description", C, Bump.PATCH),
}


def one_change(name: str) -> Change:
    kind, path, verdict, bump = CHANGES[name]
    return Change(kind, "it", path, Side.SURFACE, verdict, bump)


def judged(name: str, old: str, new: str, settings: PolicyConfig) -> str:
    result = evaluate(
        [one_change(name)],
        surface(Tier.STANDARD, with_it=True),
        surface(Tier.STANDARD, with_it=name != "removal"),
        old_version=old,
        new_version=new,
        settings=settings,
    )
    found = [found.rule for found in result.findings if found.rule != "policy/version-scheme"]
    return "".join(sorted(LETTERS.get(rule, rule) for rule in found))


def before_one() -> list[object]:
    header, *rows = BEFORE_ONE.strip().splitlines()
    out = []
    for row in rows:
        policy, name, *reported = row.split()
        for version, expected in zip(header.split(), reported, strict=True):
            out.append(pytest.param(policy, name, version, expected, id=f"{policy}-{name}-{version}"))
    return out


@pytest.mark.parametrize(("policy", "name", "version", "expected"), before_one())
def test_before_one(policy: str, name: str, version: str, expected: str) -> None:
    assert judged(name, "0.4.0", version, PolicyConfig(zero_policy=policy)) == expected.replace(".", "")


def dates() -> list[object]:
    header, *rows = DATES.strip().splitlines()
    out = []
    for row in rows:
        calver, *reported = row.split()
        for name, expected in zip(header.split(), reported, strict=True):
            out.append(pytest.param(calver, name, expected, id=f"{calver}-{name}"))
    return out


@pytest.mark.parametrize("versions", [("2026.8.1", "2026.10.0"), ("2026.08", "2026.10"), ("one", "two")])
@pytest.mark.parametrize(("calver", "name", "expected"), dates())
def test_versions_that_are_not_semver(calver: str, name: str, expected: str, versions: tuple[str, str]) -> None:
    assert judged(name, *versions, PolicyConfig(calver=calver)) == expected.replace(".", "")


SCHEMES = """
1.4.0      2026.11.1   a minor step
2026.11.1  1.4.0       a minor step
one        two         a minor step
one        one         .
2026.11.1  2026.12.1   .
2026.11.1  2026.11.1   .
1.4        1.5         .
1.4        2.0.0       .
1.4.0rc1   1.4.0       .
"""


@pytest.mark.parametrize("row", SCHEMES.strip().splitlines())
def test_versions_of_no_known_scheme_are_named(row: str) -> None:
    """Dates are a scheme, and so is whatever counts in numbers; no run has a finding for them."""
    old, new, counts = row.split(maxsplit=2)
    both = surface(Tier.STANDARD, with_it=True)
    result = evaluate([], both, both, old_version=old, new_version=new, settings=PolicyConfig(calver="minor"))
    reported = [(found.rule, found.message) for found in result.findings]
    sentence = f"{old} and {new} do not follow one known scheme; the step between them counts as {counts}."
    assert reported == ([] if counts == "." else [("policy/version-scheme", sentence)])


def calver_finding(name: str, old: str, new: str, calver: str) -> tuple[str, str, str]:
    both = surface(Tier.STANDARD, with_it=True)
    settings = PolicyConfig(calver=calver)
    [found] = evaluate([one_change(name)], both, both, old_version=old, new_version=new, settings=settings).findings
    return found.rule, found.message, found.fix


def test_a_break_under_dates_is_reported_with_the_choice() -> None:
    rule, message, fix = calver_finding("break", "2026.8.31", "2026.9.2", "minor")
    assert rule == "policy/calver-too-small"
    assert message == (
        'Calendar versions do not state what may break; policy.calver = "minor" allows only additions, but the changes '
        "require a major step: parameter `it` is now required."
    )
    assert fix == (
        "Take these changes back, or accept them for this release, with the id that check -v shows: "
        "mcp-governor accept ID --reason TEXT"
    )


def test_dates_that_are_refused() -> None:
    rule, message, _ = calver_finding("addition", "2026.8.31", "2026.9.2", "refuse")
    assert rule == "policy/calver-too-small"
    assert message.startswith(
        'Calendar versions do not state what may break, and policy.calver = "refuse" accepts no change under it: '
    )
