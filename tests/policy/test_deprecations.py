"""What a deprecation must say, and what it must keep to."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from mcp_governor.change import compare
from mcp_governor.change.model import Change
from mcp_governor.change.vocabulary import Side
from mcp_governor.changelog import parse
from mcp_governor.findings import Bump, Severity, Tier, Verdict
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.policy.model import required_step
from mcp_governor.surface import Surface, build_surface

LOG = """## 2.0.0 (current)

## 1.4.0

## 1.3.0

## 1.2.0

**Deprecated**

- `old` is deprecated; use `new` instead.

## 1.1.0
"""

LATER = """## 2.0.0 (current)

## 1.4.0

## 1.3.0

**Deprecated**

- `old` is deprecated; use `new` instead.

## 1.2.0
"""


def surface(*tools: dict[str, Any], **tiers: str) -> Surface:
    # What a list of internal tools returned is in no other list.
    asked = {name: {"tier": tier} for name, tier in tiers.items() if tier == "internal"}
    raw = {"tools": [{"inputSchema": {"type": "object"}, **tool} for tool in tools], "optIn": asked}
    return build_surface(raw, tier_of_list=tiers)


def tool(name: str, *, deprecated: Any = None, description: str = "", **more: Any) -> dict[str, Any]:
    meta = {} if deprecated is None else {"_meta": {"deprecated": deprecated}}
    return {"name": name, **meta, **({"description": description} if description else {}), **more}


def judged(
    old: Surface | None,
    new: Surface,
    *,
    log: str = "",
    before: str | None = "1.4.0",
    now: str | None = "2.0.0",
    today: date | None = None,
) -> list[str]:
    changes = compare(old, new) if old is not None else []
    changelog = parse(log, "log.md") if log else None
    result = evaluate(changes, old, new, old_version=before, new_version=now, changelog=changelog, today=today)
    return sorted(found.rule.removeprefix("policy/") for found in result.findings)


NEW = tool("new")


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (tool("old", deprecated={"replacement": "new"}), []),
        (tool("old", deprecated=True), ["deprecation-without-replacement"]),
        (tool("old", deprecated={"since": "1.2.0"}), ["deprecation-without-replacement"]),
        (tool("old", description="Deprecated: use `new` instead. Lists notes."), []),
        (tool("old", description="Deprecated. Lists notes."), ["deprecation-without-replacement"]),
        (tool("old", deprecated="use `new` instead"), []),
        (tool("old", deprecated={"replacement": "nowhere"}), ["replacement-missing"]),
        (tool("old", deprecated={"replacement": "old"}), ["replacement-missing"]),
        (tool("old", deprecated={"replacement": "new", "sunset": "soon"}), ["sunset-unreadable"]),
        (tool("old", deprecated={"replacement": "new", "sunset": "3.0.0"}), []),
        (tool("old", deprecated={"replacement": "new", "sunset": "2.0.0"}), ["sunset-passed"]),
        (tool("old", deprecated={"replacement": "new", "sunset": "2026-11-20"}), ["sunset-passed"]),
        (tool("old", deprecated={"replacement": "new", "sunset": "2026-11-21"}), []),
    ],
)
def test_what_a_deprecation_must_say(reported: dict[str, Any], expected: list[str]) -> None:
    now = surface(reported, NEW)
    assert judged(now, now, today=date(2026, 11, 21)) == expected
    assert judged(None, now, today=date(2026, 11, 21)) == expected


def test_the_finding_says_which_replacement_was_meant() -> None:
    now = surface(tool("old", deprecated={"replacement": "serch"}), tool("search"))
    [found] = evaluate([], None, now, old_version=None, new_version="1.0.0").findings
    assert found.message == 'The replacement `serch` does not exist. Did you mean "search"?'
    assert found.tool == "old"


def test_a_replacement_that_went_is_reported_as_gone() -> None:
    before = surface(tool("old", deprecated={"replacement": "new"}), NEW, tool("other"))
    after = surface(tool("old", deprecated={"replacement": "new"}), tool("other"))
    result = evaluate([], before, after, old_version="1.4.0", new_version="2.0.0")
    assert [found.message for found in result.findings] == ["The replacement `new` is gone."]


def test_a_replacement_that_is_deprecated_itself() -> None:
    now = surface(
        tool("old", deprecated={"replacement": "new"}),
        tool("new", deprecated={"replacement": "newest"}),
        tool("newest"),
    )
    [found] = evaluate([], None, now, old_version=None, new_version="1.0.0").findings
    assert found.rule == "policy/replacement-deprecated"
    assert found.fix == "Name the tool that will stay, such as `newest`."


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("3.0.0", "2.1.0", ["sunset-brought-forward"]),
        ("3.0.0", "3.0.0", []),
        ("3.0.0", "4.0.0", []),
        ("2027-06-30", "2027-01-31", ["sunset-brought-forward"]),
        ("2027-01-31", "2027-06-30", []),
        ("2027-01-31", "4.0.0", []),
        (None, "4.0.0", []),
        ("4.0.0", None, []),
    ],
)
def test_a_sunset_does_not_come_earlier(was: str | None, now: str | None, expected: list[str]) -> None:
    def reported(sunset: str | None) -> Surface:
        return surface(tool("old", deprecated={"replacement": "new", "sunset": sunset}), NEW)

    assert judged(reported(was), reported(now), today=date(2026, 11, 21)) == expected


@pytest.mark.parametrize(
    ("sunset", "today", "expected"),
    [
        ("3.0.0", None, ["removed-before-sunset"]),
        ("2.0.0", None, []),
        ("2026-12-01", date(2026, 11, 30), ["removed-before-sunset"]),
        ("2026-12-01", date(2026, 12, 1), []),
        ("2026-12-01", None, []),
    ],
)
def test_a_tool_is_not_removed_before_its_sunset(sunset: str, today: date | None, expected: list[str]) -> None:
    before = surface(tool("old", deprecated={"since": "1.2.0", "replacement": "new", "sunset": sunset}), NEW)
    assert judged(before, surface(NEW), log=LOG, today=today) == expected


@pytest.mark.parametrize(
    ("reported", "log", "expected"),
    [
        # told by the changelog alone, by the surface alone, by both
        (tool("old"), LOG, []),
        (
            tool("old", deprecated={"since": "1.2.0", "replacement": "new"}),
            LOG.replace("**Deprecated**", "**Fixed**"),
            [],
        ),
        (tool("old", deprecated={"since": "1.2.0", "replacement": "new"}), LOG, []),
        # the changelog's word counts where the surface claims an earlier release
        (
            tool("old", deprecated={"since": "1.1.0", "replacement": "new"}),
            LOG.replace("1.2.0", "1.3.5"),
            ["removed-early"],
        ),
        # a deprecation that says no since is as old as the baseline that carried it
        (tool("old", deprecated={"replacement": "new"}), "", ["removed-early"]),
        # without a changelog the release that the surface names and the baseline count
        (tool("old", deprecated={"since": "1.2.0", "replacement": "new"}), "", []),
        (tool("old", deprecated={"since": "1.4.0", "replacement": "new"}), "", ["removed-early"]),
        (tool("old", deprecated={"since": "1.5.0", "replacement": "new"}), "", ["removed-early"]),
        # an announcement about an argument is none about the tool
        (tool("old"), LOG.replace("`old` is", "The argument `q` of `old` is"), ["removed-undeprecated"]),
        # one that was withdrawn does not count any more
        (
            tool("old"),
            LOG.replace("## 1.3.0\n", "## 1.3.0\n\n**Changed**\n\n- `old` is no longer deprecated.\n"),
            ["removed-undeprecated"],
        ),
        # a pre-release is no release
        (tool("old"), LATER, []),
        (tool("old"), LATER.replace("## 1.3.0", "## 1.3.0-rc.1"), ["removed-early"]),
        # a patch is no minor release
        (tool("old"), LATER.replace("## 1.3.0", "## 1.3.1"), ["removed-early"]),
        # a release that was taken back is none either
        (tool("old"), LATER.replace("## 1.3.0", "## 1.3.0 [YANKED]"), ["removed-early"]),
        # a second announcement takes nothing back, and in another spelling of the versions nothing changes
        (tool("old"), LOG.replace("## 1.3.0", "## 1.3.0\n\n**Deprecated**\n\n- `old` goes; use `new`."), []),
        (tool("old"), LOG.replace("## 1.3.0", "## 1.3").replace("## 1.2.0", "## v1.2"), []),
        # a day means the first release from that day on, and the day itself counts
        (
            tool("old", deprecated={"since": "2026-01-02", "replacement": "new"}),
            "## 2.0.0 (current)\n\n## 1.4.0 - 2026-09-01\n\n## 1.3.0 - 2026-05-01\n\n## 1.2.0 - 2026-01-02\n",
            [],
        ),
        (
            tool("old", deprecated={"since": "2026-01-01", "replacement": "new"}),
            "## 2.0.0 (current)\n\n## 1.4.0 - 2026-09-01\n\n## 1.3.0 - 2026-05-01\n\n## 1.2.0 - 2026-01-02\n",
            [],
        ),
        (
            tool("old", deprecated={"since": "2026-05-02", "replacement": "new"}),
            "## 2.0.0 (current)\n\n## 1.4.0 - 2026-09-01\n\n## 1.3.0 - 2026-05-01\n\n## 1.2.0 - 2026-01-02\n",
            ["removed-early"],
        ),
        (tool("old"), LOG.replace("use `new` instead", "use `nowhere` instead"), ["replacement-missing"]),
        (tool("old"), LOG.replace("; use `new` instead", ""), ["deprecation-without-replacement"]),
    ],
)
def test_where_the_window_is_counted_from(reported: dict[str, Any], log: str, expected: list[str]) -> None:
    assert judged(surface(reported, NEW), surface(NEW), log=log) == expected


def test_surface_and_changelog_disagree_on_since() -> None:
    now = surface(tool("old", deprecated={"since": "1.1", "replacement": "new"}), NEW)
    [found] = evaluate([], now, now, old_version="1.4.0", new_version="2.0.0", changelog=parse(LOG, "l")).findings
    assert found.rule == "policy/deprecation-since"
    assert found.message == "The tool says that it is deprecated since 1.1, and the changelog says 1.2.0."
    same = surface(tool("old", deprecated={"since": "1.2", "replacement": "new"}), NEW)
    assert judged(same, same, log=LOG) == []


def test_an_argument_of_an_advanced_tool_is_announced_on_its_own() -> None:
    def advanced(*names: str) -> Surface:
        return surface({"name": "dump", "inputSchema": {"properties": {name: {} for name in names}}}, dump="advanced")

    log = "## 1.5.0 (current)\n\n## 1.4.0\n\n## 1.3.0\n\n**Deprecated**\n\n- The argument `q` of `dump` goes.\n"
    assert judged(advanced("q", "x"), advanced("x"), log=log, now="1.5.0") == []
    assert judged(advanced("q", "x"), advanced("q"), log=log, now="1.5.0") == ["advanced-break-early"]
    assert judged(advanced("q", "x"), advanced("x"), log=log.replace("1.3.0", "1.4.1"), now="1.5.0") == [
        "advanced-break-early"
    ]


def test_internal_tools_are_not_published() -> None:
    reported = surface(tool("probe", _meta={"tier": "internal"}), tool("listed"), listed="internal")
    found = list(evaluate([], None, reported, old_version=None, new_version="1.0.0").findings)
    assert [(f.rule, f.tool) for f in found] == [("policy/internal-published", "probe")]
    filtered = build_surface({"tools": [tool("probe"), tool("stay")]}, tier_of_list={"probe": "internal"})
    found = list(evaluate([], None, filtered, old_version=None, new_version="1.0.0").findings)
    assert [(f.rule, f.tool) for f in found] == [("policy/internal-published", "probe")], "a filter of the plain list"


@pytest.mark.parametrize(
    ("before", "now", "fix"),
    [
        ("1.4.2", "1.4.3", "Release it as 2.0.0, or take these changes back."),
        ("0.4.2", "0.4.3", "Release it as 0.5.0, or take these changes back."),
        ("1.5.0-rc.1", "1.5.0", "Release it as 2.0.0, or take these changes back."),
        ("2.0.0-rc.1", "2.0.0-rc.1", "Release it as 2.0.0, or take these changes back."),
    ],
)
def test_the_fix_names_the_next_version(before: str, now: str, fix: str) -> None:
    old, new = surface(tool("old"), NEW), surface(NEW)
    result = evaluate(compare(old, new), old, new, old_version=before, new_version=now)
    [found] = [found for found in result.findings if found.rule == "policy/bump-too-small"]
    assert found.fix == fix
    assert "tool `old` is gone" in found.message


def test_severities() -> None:
    before, after = (
        surface(tool("list_files_of_user", inputSchema={"properties": {"path": {}, "depth": {}}})),
        surface(tool("list_files_of_users", inputSchema={"properties": {"path": {}, "depth": {}}})),
    )
    renamed = "## 2.0.0 (current)\n\n**Breaking**\n\n- `list_files_of_user` is now called `list_files_of_users`.\n"
    for log, expected in (
        (None, ("policy/removed-undeprecated", Severity.ERROR)),
        (parse(renamed, "log.md"), ("policy/rename-without-window", Severity.WARNING)),
    ):
        result = evaluate(
            compare(before, after), before, after, old_version="1.0.0", new_version="2.0.0", changelog=log
        )
        assert [(f.rule, f.severity) for f in result.findings] == [expected]


@pytest.mark.parametrize(
    ("said", "renamed"),
    [
        ("`find` is renamed to `find_books`.", True),
        ("`find` is now called `find_books`.", True),
        ("`find` → `find_books`", True),
        ("The tool `find` becomes `find_books`.", True),
        ("Renamed `find` to `find_books`.", True),
        # another tool takes its place, or another name, tool or part is meant
        ("`find` is removed; use `find_books` instead.", False),
        ("`find` is replaced by `find_books`.", False),
        ("`find` is renamed to `find_texts`.", False),
        ("`look` is renamed to `find_books`.", False),
        ("The parameter `find` of `list` is renamed to `find_books`.", False),
        ("`find` is gone.", False),
    ],
)
def test_a_tool_is_renamed_if_the_changelog_or_an_alias_says_so(said: str, renamed: bool) -> None:
    schema = {"properties": {"q": {"type": "string"}}}
    old, new = surface(tool("find", inputSchema=schema)), surface(tool("find_books", inputSchema=schema))
    stated = surface(tool("find_books", inputSchema=schema, _meta={"aliases": ["find"]}))
    log = parse(f"## 2.0.0 (current)\n\n**Breaking**\n\n- {said}\n", "log.md")

    def rules(new: Surface) -> list[str]:
        found = evaluate(compare(old, new), old, new, old_version="1.0.0", new_version="2.0.0", changelog=log)
        return [one.rule for one in found.findings]

    assert rules(new) == ["policy/rename-without-window" if renamed else "policy/removed-undeprecated"]
    assert rules(stated) == ["policy/rename-without-window"]


@pytest.mark.parametrize(
    ("unknown", "needed"), [("breaking", ("major", "minor", "none")), ("compatible", ("minor", "minor", "none"))]
)
def test_what_could_not_be_decided_counts_as_the_policy_says(unknown: str, needed: tuple[str, ...]) -> None:
    tiers = {Tier.STANDARD: Bump.MAJOR, Tier.ADVANCED: Bump.MINOR, Tier.INTERNAL: Bump.NONE}
    for (tier, bump), expected in zip(tiers.items(), needed, strict=True):
        change = Change("schema-undecided", "a", "", Side.INPUT, Verdict.UNKNOWN, bump, tier=tier)
        assert required_step(change, unknown=unknown) == expected


def test_a_replacement_that_only_the_changelog_deprecates() -> None:
    log = LOG.replace(
        "## 2.0.0 (current)", "## 2.0.0 (current)\n\n**Deprecated**\n\n- `new` goes; use `newer` instead."
    )
    now = surface(tool("old"), NEW, tool("newer"))
    assert judged(now, now, log=log) == ["replacement-deprecated"]


def test_an_entry_about_a_named_argument_deprecates_no_tool() -> None:
    old = tool("old", inputSchema={"type": "object", "properties": {"q": {"type": "string"}}})
    log = LOG.replace("`old` is deprecated; use `new` instead", "`old` without `q` is deprecated")
    assert judged(surface(old, NEW), surface(old, NEW), log=log, now="1.5.0") == []
    assert judged(surface(old, NEW), surface(NEW), log=log) == ["removed-undeprecated"]
    broken = {**old, "inputSchema": {**old["inputSchema"], "required": ["q"]}}
    assert judged(surface(old, NEW, old="advanced"), surface(broken, NEW, old="advanced"), log=log, now="1.5.0") == []


def test_the_first_announcement_of_an_argument_starts_its_window() -> None:
    """Announced in 1.2.0 and said again in the patch 1.4.1: minor releases have carried the first word."""
    old = tool("old", inputSchema={"type": "object", "properties": {"q": {"type": "string"}}})
    broken = {**old, "inputSchema": {**old["inputSchema"], "required": ["q"]}}
    reported = "\n\n**Deprecated**\n\n- `old` without `q` is deprecated."
    early, late = "## 1.2.0", "## 1.4.1"
    log = LOG.replace("\n\n**Deprecated**\n\n- `old` is deprecated; use `new` instead.", "")
    log = log.replace("## 1.4.0", "## 1.4.1\n\n## 1.4.0")
    before, after = surface(old, NEW, old="advanced"), surface(broken, NEW, old="advanced")
    both = log.replace(early, early + reported).replace(late, late + reported)
    assert judged(before, after, log=both, before="1.4.1", now="1.5.0") == []
    only_late = log.replace(late, late + reported)
    assert judged(before, after, log=only_late, before="1.4.1", now="1.5.0") == ["advanced-break-early"]
