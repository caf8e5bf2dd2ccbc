"""The version between releases and at one: what is pending, and what is found. Each row is judged by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.change.model import Change
from mcp_governor.change.vocabulary import Side
from mcp_governor.config.policy import PolicyConfig
from mcp_governor.findings import Bump, Tier, Verdict
from mcp_governor.policy.evaluation import PolicyResult, evaluate
from mcp_governor.stage import Stage
from mcp_governor.surface import Surface, build_surface
from mcp_governor.version_sources import SchemaVersion, Written

BETWEEN = Stage("release", at_release=False)
AT_RELEASE = Stage("release", at_release=True)

KINDS = {
    "major": ("argument-required", Verdict.BREAKING, Bump.MAJOR, False),
    "minor": ("argument-added", Verdict.COMPATIBLE, Bump.MINOR, False),
    "patch": ("description-changed", Verdict.COMPATIBLE, Bump.PATCH, True),
}


def change(bump: str) -> Change:
    kind, verdict, step, _ = KINDS[bump]
    return Change(kind, "it", "/inputSchema/properties/q", Side.SURFACE, verdict, step, tier=Tier.STANDARD)


def surface() -> Surface:
    return build_surface({"tools": [{"name": "it", "inputSchema": {"type": "object"}}]})


def judged(
    needs: str,
    old: str,
    new: str,
    *,
    stage: Stage = BETWEEN,
    reported: str = "none",
    source: SchemaVersion | None = None,
    **policy: str,
) -> PolicyResult:
    return evaluate(
        [] if needs == "none" else [change(needs)],
        surface(),
        surface(),
        old_version=None if old == "-" else old,
        new_version=None if new == "-" else new,
        settings=PolicyConfig(**policy),  # type: ignore[arg-type]
        stage=stage,
        admitted=Bump(reported),
        source=source,
    )


# needs, the changelog's word, baseline, now → between releases: what is pending | findings; at a release: findings
TABLE = """
none   none   1.2.0       1.2.0         nothing                                  | .                 | .
patch  none   1.2.0       1.2.0         patch, release as 1.2.1                  | .                 | bump-too-small
minor  none   1.2.0       1.2.0         minor, release as 1.3.0                  | .                 | bump-too-small
major  none   1.2.0       1.2.0         major, release as 2.0.0                  | .                 | bump-too-small
minor  none   v1.2.0      1.2.0         minor, release as 1.3.0                  | .                 | bump-too-small
minor  none   1.2.0       1.2.1         minor, release as 1.3.0                  | bump-too-small    | bump-too-small
minor  none   1.2.0       1.3.0         minor, release as 1.3.0                  | .                 | .
minor  none   1.2.0       2.0.0         minor, release as 2.0.0                  | .                 | .
major  none   1.2.0       1.3.0         major, release as 2.0.0                  | bump-too-small    | bump-too-small
minor  none   1.2.0       1.1.9         minor, release as 1.3.0                  | version-backwards | version-backwards
none   none   1.2.0       1.1.9         nothing                                  | version-backwards | version-backwards
minor  none   1.2.0       2.0.0-rc.1    minor, release as 2.0.0-rc.1             | .                 | .
major  none   1.2.0       1.3.0-rc.1    major, release as 2.0.0                  | bump-too-small    | bump-too-small
minor  none   1.2.0       1.2.1.dev4    minor, release as 1.3.0                  | .                 | bump-too-small
patch  none   1.2.0       1.2.1.dev4    patch, release as 1.2.1                  | .                 | .
minor  none   1.2.0       1.3.0.dev0    minor, release as 1.3.0                  | .                 | .
minor  none   1.2.0       2.0.0-dev     minor, release as 2.0.0                  | .                 | .
major  none   1.2.0       1.3.0-SNAPSHOT  major, release as 2.0.0                | .                 | bump-too-small
minor  none   1.2.0       0.1.dev7+gabc minor, release as 1.3.0                  | .                 | version-backwards
major  none   0.4.0       0.4.0         minor, release as 0.5.0                  | .                 | bump-too-small
minor  none   0.4.0       0.4.0         minor, release as 0.5.0                  | .                 | bump-too-small
patch  none   0.4.0       0.4.0         patch, release as 0.4.1                  | .                 | bump-too-small
none   major  1.2.0       1.2.0         major, release as 2.0.0                  | .                 | .
none   patch  1.2.0       1.2.0         patch, release as 1.2.1                  | .                 | .
patch  minor  1.2.0       1.2.0         minor, release as 1.3.0                  | .                 | bump-too-small
minor  none   -           -             minor, release under a new version       | .                 | version-missing
major  none   -           -             major, release under a new version       | .                 | version-missing
minor  none   -           1.2.0         minor, release under a new version       | .                 | version-missing
minor  none   1.2.0       -             minor, release as 1.3.0                  | .                 | version-missing
minor  none   1.2         1.2           minor, release as 1.3                    | .                 | bump-too-small
minor  none   2026.8.31   2026.8.31     minor, release under the next date       | .                 | bump-too-small
patch  none   2026.8.31   2026.8.31     patch, release under the next date       | .                 | bump-too-small
minor  none   2026.8.31   2026.9.2      minor, release as 2026.9.2               | .                 | .
major  none   2026.8.31   2026.8.31     major, release under the next date       | calver-too-small  | calver-too-small
major  none   2026.8.31   2026.9.2      major, release as 2026.9.2               | calver-too-small  | calver-too-small
minor  none   2026.8.31   2026.7.1      minor, release under the next date       | version-backwards | version-backwards
minor  none   one         one           minor, release under a new version       | .                 | bump-too-small
minor  none   one         two           minor, release as two                    | version-scheme    | version-scheme
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_versions(row: str) -> None:
    facts, between, released = (part.strip() for part in row.split("|"))
    needs, reported, old, new, pending = facts.split(maxsplit=4)
    now = judged(needs, old, new, reported=reported)
    assert (str(now.pending or "nothing"), rules(now)) == (pending, between)
    then = judged(needs, old, new, reported=reported, stage=AT_RELEASE)
    assert (then.pending, rules(then)) == (None, released)
    assert rules(judged(needs, old, new, reported=reported, stage=Stage())) == released, "gate = change"


def rules(result: PolicyResult) -> str:
    return " ".join(sorted(found.rule.removeprefix("policy/") for found in result.findings)) or "."


@pytest.mark.parametrize(
    ("needs", "calver", "between"),
    [
        ("major", "major", "."),
        ("major", "minor", "calver-too-small"),
        ("minor", "patch", "calver-too-small"),
        ("patch", "patch", "."),
        ("patch", "refuse", "calver-too-small"),
        ("none", "refuse", "."),
    ],
)
def test_what_no_date_can_help_is_said_at_once(needs: str, calver: str, between: str) -> None:
    """policy.calver is named with the change that needs it, not at the release."""
    assert rules(judged(needs, "2026.8.31", "2026.8.31", calver=calver)) == between


NUMBER = st.integers(min_value=0, max_value=40)
VERSION = st.tuples(NUMBER, NUMBER, NUMBER).map(lambda numbers: ".".join(map(str, numbers)))


@settings(deadline=None)
@given(needs=st.sampled_from(["none", *KINDS]), reported=st.sampled_from(["none", *KINDS]), old=VERSION, new=VERSION)
def test_what_is_pending_can_be_released(needs: str, reported: str, old: str, new: str) -> None:
    """Whatever a run between releases says to release as, the release of that version is not refused for it."""
    between = judged(needs, old, new, reported=reported)
    if between.pending is None:
        assert needs == reported == "none"
        return
    assert between.pending.version is not None
    released = judged(needs, old, between.pending.version, reported=reported, stage=AT_RELEASE)
    assert released.findings == ()
    if old == new:
        assert between.findings == (), "a version that stands still is not judged"


def stated(text: str, **more: Any) -> SchemaVersion:
    return SchemaVersion(text, "the server", **more)


def sentence(result: PolicyResult) -> tuple[str, str]:
    [found] = result.findings
    return found.message, found.fix


def test_a_version_that_does_not_change_is_reported_with_the_place_to_change_it() -> None:
    forced = "but the changes require a minor step: optional parameter `it` is new."
    source = stated("1.2.0", find=lambda: Written("src/server.py", 7))
    assert sentence(judged("minor", "1.2.0", "1.2.0", stage=AT_RELEASE, source=source)) == (
        f"The server still reports 1.2.0, {forced}",
        "Set it to 1.3.0 in src/server.py line 7, or take these changes back.",
    )
    source = stated("1.2.0", spec="pyproject.toml", written=Written("pyproject.toml", 3))
    assert sentence(judged("minor", "1.2.0", "1.2.0", stage=AT_RELEASE, source=source)) == (
        f"pyproject.toml line 3 still says 1.2.0, {forced}",
        "Set it to 1.3.0, or take these changes back.",
    )


@pytest.mark.parametrize("stage", [Stage(), AT_RELEASE, BETWEEN])
def test_a_version_that_only_the_tag_moves_is_judged_at_the_tag(stage: Stage) -> None:
    source = stated("1.2.0", spec="git-tag")
    assert rules(judged("minor", "1.2.0", "1.2.0", stage=stage, source=source)) == "."
    at_tag = Stage(stage.gate, at_release=True, tag="v1.2.1")
    assert rules(judged("minor", "1.2.0", "1.2.1", stage=at_tag, source=source)) == "bump-too-small"
    assert rules(judged("minor", "1.2.0", "1.2.1", stage=stage, source=source)) == "bump-too-small"


@pytest.mark.parametrize(("sunset", "rules_between"), [("1.3.0", "sunset-passed"), ("1.4.0", ".")])
def test_a_sunset_is_judged_at_the_version_that_waits(sunset: str, rules_between: str) -> None:
    meta = {"deprecated": {"since": "1.0.0", "replacement": "new", "sunset": sunset}}
    tools = [{"name": "old", "_meta": meta}, {"name": "new"}]
    now = build_surface({"tools": [{"inputSchema": {"type": "object"}, **tool} for tool in tools]})
    addition = Change("tool-added", "new", "", Side.SURFACE, Verdict.COMPATIBLE, Bump.MINOR)
    result = evaluate([addition], now, now, old_version="1.2.0", new_version="1.2.0", stage=BETWEEN)
    assert str(result.pending) == "minor, release as 1.3.0"
    assert rules(result) == rules_between
