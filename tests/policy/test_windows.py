"""How long a deprecation has stood: releases × tiers × windows, to the letter of the surface governance.

"At least two minor releases with warnings before removal": the release that announces is the first of them, a patch is
none, and what clients never met (pre-releases, releases that were taken back) counts for nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import parse
from mcp_governor.config import load_config
from mcp_governor.config.policy import PolicyConfig, Windows
from mcp_governor.findings import Tier
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.policy.windows import History
from mcp_governor.surface import Surface, build_surface

NOTICE = "\n\n**Deprecated**\n\n- `old` is deprecated; use `new` instead."

# Releases from the oldest to the one of now, then the number of minor releases that carried the warning. The one with
# a star announces, one with an exclamation mark was taken back. The baseline is the one before the bar, else the last
# but one.
HISTORIES = [
    # the letter of the source
    ("1.1.0* 1.2.0 2.0.0", 2),
    ("1.0.0 1.1.0* 2.0.0", 1),
    ("1.0.0 1.1.0 2.0.0*", None),
    ("1.1.0* 1.2.0 1.3.0 1.4.0 2.0.0", 4),
    # a major release that keeps the tool carries the warning too
    ("1.9.0* 2.0.0 3.0.0", 2),
    ("2.0.0* 3.0.0", 1),
    # patches: of the announcing release, of a later one, and as the announcing one
    ("1.1.0* 1.1.1 1.1.2 2.0.0", 1),
    ("1.1.0* 1.2.0 1.2.1 2.0.0", 2),
    ("1.1.0 1.1.1* 1.2.0 2.0.0", 1),
    ("1.1.0 1.1.1* 1.2.0 1.3.0 2.0.0", 2),
    ("1.1.1* 2.0.0", 0),
    # a minor release of which only a patch is told is one all the same
    ("1.1.0* 1.2.3 2.0.0", 2),
    # pre-releases
    ("1.1.0* 1.2.0-rc.1 2.0.0", 1),
    ("1.1.0-beta.1* 1.1.0 1.2.0 2.0.0", 2),
    ("1.1.0-beta.1* 1.2.0 2.0.0", 1),
    ("1.1.0* 1.2.0 2.0.0-rc.1", 2),
    ("1.1.0* 1.2.0 2.0.0-rc.1 2.0.0", 2),
    ("1.1.1-rc.1* 1.1.1 1.2.0 2.0.0", 1),
    # releases that were taken back
    ("1.1.0* 1.2.0! 2.0.0", 1),
    ("1.1.0!* 1.2.0 2.0.0", 1),
    ("1.1.0!* 1.1.1 1.2.0 2.0.0", 2),
    ("1.1.0 1.1.1! 1.1.2* 1.2.0 2.0.0", 1),
    # releases that the changelog does not tell: the baseline alone is known to be out
    ("1.1.0* | 2.0.0", 1),
    # a baseline that is older than the last release
    ("1.1.0* | 1.2.0 1.3.0 2.0.0", 3),
    # other spellings
    ("1.1* 1.2 2.0", 2),
    ("v1.1.0* v1.2.0 v2.0.0", 2),
    ("1.1.0.0* 1.1.0.1 1.2.0.0 2.0.0.0", 2),
    ("1!1.1* 1!1.2 1!2.0", 2),
    # before 1.0.0, as `strict` counts
    ("0.8.0* 0.9.0 1.0.0", 2),
    ("0.9.0* 0.9.1 1.0.0", 1),
    ("0.9.0* 1.0.0 2.0.0", 2),
    # dates say nothing of the size of a step: each release counts, and being published once more is none
    ("2026.8.1* 2026.8.2 2026.10.0", 2),
    ("2026.08* 2026.10", 1),
    ("2026-08-01* 2026-08-15 2026-09-01", 2),
    ("2026.8.1* 2026.8.2.post1 2026.10.0", 1),
    ("2026.8.1* 2026.8.2rc1 2026.10.0", 1),
    ("2026.8.1* 2026.8.2! 2026.10.0", 1),
    ("1.9.0* 2026.1.0 2026.1.1 2026.2.0", 3),
    # versions that no order is known of: the sections as they stand
    ("7.x* 7.y 7.z", 2),
    ("7.x 7.y* 7.z", 1),
    ("7.x* 7.y! 7.z 8.a", 2),
]


def history(releases: str) -> tuple[History, str]:
    """The history that a row spells, and the version of now."""
    words = releases.split()
    baseline = words.index("|") if "|" in words else None
    words = [word for word in words if word != "|"]
    versions = [word.rstrip("*").removesuffix("!") for word in words]
    old = versions[-2 if baseline is None else baseline - 1]
    sections = []
    for word, version in zip(words, versions, strict=True):
        marks = (" (current)" if word is words[-1] else "") + (" [YANKED]" if word.rstrip("*").endswith("!") else "")
        sections.append(f"## {version}{marks}{NOTICE if '*' in word else ''}")
    log = parse("\n\n".join(reversed(sections)) + "\n", "log.md")
    return History(log, old, versions[-1]), versions[-1]


def surface(*names: str, tier: str = "standard") -> Surface:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return build_surface({"tools": tools}, tier_of_list={"old": tier})


@pytest.mark.parametrize(("releases", "expected"), HISTORIES)
def test_how_many_releases_carried_the_warning(releases: str, expected: int | None) -> None:
    found, _ = history(releases)
    notice = found.notice(surface("old").by_name["old"])
    assert (None if notice is None else found.carried(notice.since)) == expected


WINDOWS = (Windows(), Windows(2, 2, 2, 1), Windows(0, 1, 0, 0), Windows(3, 4, 2, 2))


@pytest.mark.parametrize(("releases", "carried"), HISTORIES)
def test_each_tier_has_its_window(releases: str, carried: int | None) -> None:
    """A removal passes just where as many releases carried the warning as the window of its tier asks for."""
    reported, now = history(releases)
    for tier in Tier:
        old, new = surface("old", "new", tier=tier.value), surface("new")
        changes = compare(old, new)
        for windows in WINDOWS:
            result = evaluate(
                changes,
                old,
                new,
                old_version=reported.old_version,
                new_version=now,
                changelog=reported.changelog,
                settings=PolicyConfig(windows=windows, zero_policy="strict", calver="major"),
            )
            found = {one.rule for one in result.findings} & {"policy/removed-early", "policy/removed-undeprecated"}
            window = getattr(windows, tier.value)
            if not window:
                assert not found, (tier, windows)
            elif carried is None:
                assert found == {"policy/removed-undeprecated"}, (tier, windows)
            else:
                assert found == (set() if carried >= window else {"policy/removed-early"}), (tier, windows)


def test_the_configuration_sets_each_window(tmp_path: Path) -> None:
    file = tmp_path / "mcp-governor.toml"
    file.write_text("[policy]\nwindows = { standard = 3, advanced = 0 }\n")
    assert load_config(file).policy.windows == Windows(facade=2, standard=3, advanced=0, internal=0)


def test_the_message_counts() -> None:
    reported, now = history("1.2.0 1.3.0* 2.0.0")
    old, new = surface("old", "new"), surface("new")
    versions = {"old_version": "1.3.0", "new_version": now, "changelog": reported.changelog}
    [found] = evaluate(compare(old, new), old, new, **versions).findings  # type: ignore[arg-type]
    assert found.message == (
        "The standard tool was deprecated in 1.3.0, but only 1 of 2 minor releases carried the warning."
    )
    assert found.fix == "Keep it for 1 more minor release, then remove it in a major release."


def test_a_deprecation_under_unreleased_counts_from_the_release_that_publishes_it() -> None:
    log = f"## Unreleased{NOTICE}\n\n## 1.2.0 (current)\n\n## 1.1.0\n"
    old = surface("old", "new").by_name["old"]
    assert History(parse(log, "l"), "1.2.0", "1.2.0").notice(old) is None
    assert History(parse(log, "l"), "1.2.0", "2.0.0").notice(old) is None
    released = log.replace("## Unreleased", "## 1.3.0 (current)").replace("1.2.0 (current)", "1.2.0")
    notice = History(parse(released, "l"), "1.3.0", "2.0.0").notice(old)
    assert notice is not None
    assert notice.since == "1.3.0"
    # said once more before the next release: the release that said it first still counts
    again = f"## Unreleased{NOTICE}\n\n{released}"
    notice = History(parse(again, "l"), "1.3.0", "1.3.0").notice(old)
    assert notice is not None
    assert notice.since == "1.3.0"


NAMED = "# Log\n\n## 3.x (current)\n\n## 2.x\n\n## 1.x" + NOTICE + "\n"


@pytest.mark.parametrize(
    ("log", "since", "carried"),
    [(NAMED, "1.x", 2), (NAMED, "2.x", 1), (NAMED, "3.x", 0), (NAMED, "0.x", 0), ("", "2.x", 1), ("", "1.x", 0)],
)
def test_versions_without_an_order_are_counted_by_their_sections(log: str, since: str, carried: int) -> None:
    history = History(parse(log, "log.md") if log else None, "2.x", "3.x")
    assert history.carried(since) == carried


def test_a_deprecation_of_unknown_age_is_as_old_as_the_baseline() -> None:
    surface = build_surface(
        {"tools": [{"name": "old", "inputSchema": {"type": "object"}, "_meta": {"deprecated": True}}]}
    )
    for version in ("1.4.0", None):
        notice = History(None, version, "2.0.0").notice(surface.tools[0])
        assert notice is not None
        assert notice.since == (version or "")
