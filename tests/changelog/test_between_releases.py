"""A changelog between two releases and at one: what waits under Unreleased, and what is asked of it."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import ChangelogSettings, Recorded, SchemaVersion, check, parse
from mcp_governor.findings import Finding, Severity
from mcp_governor.stage import Stage
from mcp_governor.surface import Surface, build_surface, fingerprint

BETWEEN = Stage("release", at_release=False)
AT_RELEASE = Stage("release", at_release=True)


def tool(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    properties = {argument: {"type": "string"} for argument in arguments}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}, **more}


def surface(version: str, *tools: dict[str, Any]) -> Surface:
    return build_surface({"tools": list(tools), "serverInfo": {"name": "notes", "version": version}})


OLD = surface("1.2.0", tool("search", "query"), tool("find", "query"))
NOW = surface("1.2.0", tool("search", "query", "limit"), tool("find", "query"))
GONE = surface("1.2.0", tool("search", "query"))
REWORDED = surface("1.2.0", tool("search", "query", description="Other words."), tool("find", "query"))

LAST = f"## 1.2.0 (current)\n\nFingerprint: `{fingerprint(OLD)}`\n\n**Added**\n\n- `find` is a new tool.\n\n## 1.1.0\n"
LIMIT = "**Added**\n\n- `search` takes an optional `limit`.\n\n"


def found(
    text: str,
    now: Surface = NOW,
    *,
    old: Surface | None = OLD,
    version: str | None = None,
    stage: Stage = BETWEEN,
    coming: str | None = "1.3.0",
    **more: Any,
) -> list[Finding]:
    settings = ChangelogSettings(
        expected=SchemaVersion(version or now.version, "the server"),
        baseline=old,
        stage=stage,
        coming=coming,
        **more,
    )
    return check(parse(text, "log.md"), now, compare(old, now) if old is not None else None, settings=settings)


def rules(*arguments: Any, **more: Any) -> list[str]:
    return [finding.rule.removeprefix("changelog/") for finding in found(*arguments, **more)]


def test_a_change_is_mentioned_under_unreleased_and_needs_nothing_else() -> None:
    """No fingerprint line, no version, and the last release keeps marker and fingerprint."""
    assert rules(f"## Unreleased\n\n{LIMIT}{LAST}") == []
    assert rules(f"## [Unreleased]\n\n{LIMIT}{LAST}") == []


def test_without_a_section_the_finding_says_where_to_begin_one() -> None:
    [unreported] = found(f"# Log\n\n{LAST}")
    assert unreported.rule == "changelog/missing-entry"
    assert unreported.path == "log.md:3"
    assert (
        unreported.message
        == "Section Unreleased does not mention this change: search: optional parameter `limit` is new."
    )
    assert unreported.fix == (
        'Under **Added**, in a new section "## Unreleased" above line 3, add: - `search` takes an optional `limit`.'
    )


def test_an_entry_of_a_release_says_nothing_about_now() -> None:
    reported = LAST.replace("- `find` is a new tool.", "- `search` takes an optional `limit`.")
    assert rules(reported) == ["missing-entry"]
    assert rules(f"## Unreleased\n\n{reported}") == ["missing-entry"]


def test_new_words_alone_need_no_entry_between_releases() -> None:
    assert rules(LAST, REWORDED) == []
    assert rules(f"## Unreleased\n\n**Fixed**\n\n- `search` has a new description.\n\n{LAST}", REWORDED) == []
    assert rules(f"## Unreleased\n\n**Added**\n\n- `search` has a new description.\n\n{LAST}", REWORDED) == [
        "wrong-subsection"
    ]


def test_a_break_needs_its_subsection() -> None:
    head = "## Unreleased\n\n"
    assert rules(f"{head}**Removed**\n\n- `find` is gone; use `search` instead.\n\n{LAST}", GONE) == []
    assert "wrong-subsection" in rules(f"{head}**Changed**\n\n- `find` is gone; use `search` instead.\n\n{LAST}", GONE)


def test_an_entry_about_what_never_was_is_found() -> None:
    stray = (
        "## Unreleased\n\n**Added**\n\n- `serch` takes an optional `limit`.\n- `search` takes an optional `limit`.\n\n"
    )
    assert rules(stray + LAST) == ["unknown-name"]
    assert rules("## Unreleased\n\n**Added**\n\n- `serch` is new.\n\n" + LAST, OLD, old=None) == ["unknown-name"]


def test_a_change_that_is_not_there_is_found() -> None:
    stays = f"## Unreleased\n\n{LIMIT}**Removed**\n\n- `find` is gone; use `search` instead.\n\n{LAST}"
    [not_removed] = found(stays)
    assert not_removed.rule == "changelog/not-removed"
    assert not_removed.message == "This entry says that `find` is removed, but the surface still has it."
    assert not_removed.path == "log.md:9"
    before = LIMIT.replace("- `search`", "- `find` takes an optional `query`.\n- `search`")
    [not_added] = found(f"## Unreleased\n\n{before}{LAST}")
    assert not_added.rule == "changelog/not-added"
    assert not_added.message == ("This entry is under Added, but nothing was added to `find` since the last release.")
    [unknown] = found(f"## Unreleased\n\n{before.replace('`query`', '`day`')}{LAST}")
    assert unknown.severity is Severity.ERROR
    assert unknown.message == "`day` is not a parameter or field of `find`, neither now nor in the baseline."


@pytest.mark.parametrize(
    "entry",
    [
        "**Changed**\n\n- `find` sorts by date.",
        "**Fixed**\n\n- `find` no longer fails on empty words.",
        "**Deprecated**\n\n- `find` is deprecated; use `search` instead.",
        "**Removed**\n\n- `find` no longer reads `title`.",
        "**Breaking**\n\n- `find` answers in UTC now.",
    ],
)
def test_what_no_surface_shows_is_believed(entry: str) -> None:
    label, _, line = entry.partition("\n\n")
    text = f"## Unreleased\n\n{LIMIT}{label}\n\n{line}\n\n{LAST}"
    assert not {"not-removed", "not-added"} & set(rules(text))


def test_the_version_may_have_moved_already() -> None:
    """Entries may then stand in the section of the new version, too, with or without its marker."""
    now = surface("1.3.0", tool("search", "query", "limit"), tool("find", "query"))
    assert rules(f"## Unreleased\n\n{LIMIT}{LAST}", now) == []
    assert rules(f"## 1.3.0\n\n{LIMIT}{LAST}", now) == []
    moved = f"## 1.3.0 (current)\n\n{LIMIT}{LAST.replace(' (current)', '')}"
    assert rules(moved, now) == []
    more = surface("1.3.0", tool("search", "query", "limit", "cursor"), tool("find", "query"))
    assert rules(f"## Unreleased\n\n**Added**\n\n- `search` takes an optional `cursor`.\n\n{moved}", more) == []


def test_a_break_under_unreleased_is_checked_against_the_version_that_moved() -> None:
    now = surface("1.3.0", tool("search", "query", "limit"), tool("find", "query"))
    text = f"## Unreleased\n\n{LIMIT}**Breaking**\n\n- `find` sorts by date now.\n\n{LAST}"
    [small] = found(text, now)
    assert small.rule == "changelog/breaking-needs-major"
    assert small.message == "Section Unreleased lists a break (Breaking), but 1.2.0 to 1.3.0 is a minor release."
    assert rules(text) == [], "a version that stands still is not judged"


def test_a_marker_that_did_not_move_with_the_last_release_is_found() -> None:
    behind = f"## Unreleased\n\n{LIMIT}## 1.2.0\n\n## 1.1.0 (current)\n\nFingerprint: `{fingerprint(OLD)}`\n"
    assert rules(behind) == ["current-not-newest"]
    without = f"## Unreleased\n\n{LIMIT}## 1.2.0\n\n## 1.1.0\n"
    [unmarked] = found(without)
    assert (unmarked.rule, unmarked.fix) == (
        "changelog/no-current",
        "Mark the section of today's version. Write line 7 as: ## 1.2.0 (current)",
    )


SHIPPED = LAST.replace(" (current)", "")


@pytest.mark.parametrize("text", [SHIPPED, f"## Unreleased\n\n{LIMIT}{SHIPPED}"])
def test_a_release_that_has_shipped_needs_no_marker(text: str) -> None:
    """The source: a version is marked until it ships."""
    now = OLD if text is SHIPPED else NOW
    assert rules(text, now) == []


def test_a_version_in_flight_needs_its_marker() -> None:
    begun = f"## 1.3.0\n\nFingerprint: `{fingerprint(OLD)}`\n\n{LIMIT}{SHIPPED}"
    assert "no-current" in rules(begun, surface("1.3.0", tool("search", "query", "limit"), tool("find", "query")))


@pytest.mark.parametrize("stage", [BETWEEN, AT_RELEASE])
def test_unreleased_stands_above_the_releases(stage: Stage) -> None:
    [below] = [
        one for one in found(f"{LAST}\n## Unreleased\n\n{LIMIT}", stage=stage) if one.rule.endswith("/unreleased")
    ]
    assert below.message == '"Unreleased" comes after a release.'
    assert below.fix == "Move its entries above line 1, under: ## Unreleased"


def test_the_marker_stays_with_the_last_release() -> None:
    marked = f"## Unreleased (current)\n\n{LIMIT}{LAST.replace(' (current)', '')}"
    [one] = [one for one in found(marked) if one.rule == "changelog/unreleased"]
    assert one.fix == "Write the heading as: ## Unreleased"


def test_the_fingerprint_of_the_last_release_is_that_of_its_recording() -> None:
    """It is not stale when the surface moves on, and it must not be written over."""
    recorded = (Recorded("1.2.0", fingerprint(OLD), "docs/mcp-surface/1.2.0.json"),)
    text = f"## Unreleased\n\n{LIMIT}{LAST}"
    assert rules(text, recorded=recorded) == []
    assert rules(text.replace(fingerprint(OLD), fingerprint(NOW)), recorded=recorded) == ["released-fingerprint"]


def test_a_first_release_that_is_to_come() -> None:
    """No tag, no recording, and a changelog that begins with what is to be released."""
    first = surface("0.1.0", tool("search", "query"))
    text = "## Unreleased\n\n**Added**\n\n- `search` is a new tool.\n"
    assert rules(text, first, old=None, coming=None) == []
    grown = surface("0.1.0", tool("search", "query", "limit"))
    assert rules(text, grown, old=first, coming="0.2.0") == ["missing-entry"]
    assert rules(f"{text}- `search` takes `limit`.\n", grown, old=first, coming="0.2.0") == []
    assert rules(text, surface("0.1.0", tool("search"), tool("find")), old=first) == ["missing-entry"] * 2


def test_where_nothing_can_be_compared_the_fingerprint_says_that_something_changed() -> None:
    assert rules(LAST, NOW, old=None) == ["fingerprint-stale"]
    assert rules(LAST, OLD, old=None) == []


def test_compared_with_a_branch_that_is_ahead_of_the_release() -> None:
    """``--against main``: what main mentions already is no change of this branch, and the release is further back."""
    ahead = surface("1.2.0", tool("search", "query"))
    now = surface("1.2.0", tool("search", "query", "limit"))
    text = f"## Unreleased\n\n{LIMIT}**Removed**\n\n- `find` is gone; use `search` instead.\n\n{LAST}"
    assert rules(text, now, old=ahead) == []


# --- at the release


def test_at_a_release_what_waits_must_become_it() -> None:
    """One next step: nothing of what follows from it is asked beside it."""
    text = f"## Unreleased\n\n{LIMIT}{LAST}"
    for version in ("1.2.0", "1.3.0"):
        [waits] = found(text, stage=AT_RELEASE, version=version)
        assert waits.rule == "changelog/unreleased"
        assert waits.message == 'At a release nothing waits under "Unreleased".'
        assert waits.fix == "Release them with: mcp-governor changelog release 1.3.0"
    missing = text.replace(LIMIT, "**Fixed**\n\n- `search` finds more.\n\n")
    assert rules(missing, GONE, stage=AT_RELEASE) == ["unreleased", "missing-entry"], (
        "what is missing is still asked for"
    )


def test_an_empty_unreleased_section_may_stay() -> None:
    now = surface("1.3.0", tool("search", "query", "limit"), tool("find", "query"))
    released = f"## 1.3.0 (current)\n\nFingerprint: `{fingerprint(now)}`\n\n{LIMIT}{LAST.replace(' (current)', '')}"
    for text in (released, f"## [Unreleased]\n\n{released}"):
        assert rules(text, now, stage=AT_RELEASE) == []
        assert rules(text, now, stage=BETWEEN) == []
    assert rules(f"## Unreleased\n\n{released}", now, stage=Stage()) == ["unreleased"], "gate = change knows none"


def test_at_a_release_new_words_are_reported_and_the_fingerprint_is_that_of_now() -> None:
    now = surface("1.2.1", tool("search", "query", description="Other words."), tool("find", "query"))
    text = f"## 1.2.1 (current)\n\nFingerprint: `{fingerprint(now)}`\n\n{LAST.replace(' (current)', '')}"
    assert rules(text, now, stage=AT_RELEASE, coming="1.2.1") == ["missing-wording-entry"]
    moved = surface("1.3.0", tool("search", "query", "limit"), tool("find", "query"))
    stale = f"## 1.3.0 (current)\n\nFingerprint: `{fingerprint(OLD)}`\n\n{LIMIT}{LAST.replace(' (current)', '')}"
    assert rules(stale, moved, stage=AT_RELEASE) == ["fingerprint-stale"]


@pytest.mark.parametrize("stage", [Stage(), AT_RELEASE])
def test_nothing_is_added_to_what_is_out(stage: Stage) -> None:
    [unreported] = [one for one in found(LAST, stage=stage) if one.rule == "changelog/missing-entry"]
    assert unreported.message.startswith("Section 1.3.0 does not mention this change: ")
    assert unreported.fix.startswith('Under **Added**, in a new section "## 1.3.0 (current)" above line 1, add: ')


# --- dates


def test_calendar_versions_head_sections() -> None:
    old = surface("2026.08.31", tool("search", "query"))
    now = surface("2026.08.31", tool("search", "query", "limit"))
    last = f"## 2026.08.31 (current)\n\nFingerprint: `{fingerprint(old)}`\n\n## 2026.07\n"
    text = f"## Unreleased\n\n{LIMIT}{last}"
    assert rules(text, now, old=old, coming=None) == []
    [waits] = found(text, now, old=old, coming=None, stage=AT_RELEASE)
    assert waits.fix == "Release them with: mcp-governor changelog release VERSION"
    assert rules(last, surface("", tool("search", "query")), old=None, coming=None) == []
