"""What an entry says of the way on: a replacement, that there is none, or nothing at all."""

from __future__ import annotations

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, draft, parse
from mcp_governor.changelog.replacements import parting_of
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.surface import Surface, build_surface, fingerprint

NOTHING = [
    "`old` is gone; nothing replaces it.",
    "`old` is gone; there is no replacement.",
    "`old` is gone without replacement.",
    "`old` was removed. No replacement: `legacy_api` was shut down.",
    "`old` has no direct successor.",
    "`old` doesn't have a replacement.",
    "`old` is gone and won’t be replaced.",
    "`old` is gone. Replacement: `none`.",
    "`old` is gone; no other tool replaces it.",
    "`old` is gone; it was replaced by nothing.",
    "`old` is gone; stop calling it.",
    "Nothing replaces `old`, which is gone.",
]
REPLACED = [
    "`old` is gone; use `new` instead.",
    "`old` is gone; there is no direct replacement; use `new` and `other`.",
    "`old` is gone; no alternative but to use `new`.",
    "`old` was replaced by `new`.",
    "`old` → `new`",
    "Use `new` instead of `old`.",
]
SILENT = [
    "`old` is gone.",
    "`old` is gone; nothing else changes.",
    "`old` is gone; it was not used.",
]


def surface(*names: str) -> Surface:
    return build_surface({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]})


OLD, NEW = surface("old", "new", "other"), surface("new", "other")


def log(kind: str, entry: str, now: Surface) -> str:
    return f"## 2.0.0 (current)\n\nFingerprint: `{fingerprint(now)}`\n\n**{kind}**\n\n- {entry}\n\n## 1.0.0\n"


def rules(kind: str, entry: str, now: Surface) -> list[str]:
    settings = ChangelogSettings(expected=SchemaVersion("2.0.0", "the server"), baseline=OLD)
    found = check(parse(log(kind, entry, now), "log.md"), now, compare(OLD, now), settings=settings)
    return [one.rule for one in found]


@pytest.mark.parametrize("entry", NOTHING)
def test_nothing_replaces_it(entry: str) -> None:
    reported = parting_of(parse(log("Removed", entry, NEW), "l").sections[0].entries[0][1])
    assert (reported.names, reported.replacement, reported.nothing) == (("old",), None, True)
    assert rules("Removed", entry, NEW) == []
    assert rules("Deprecated", entry, OLD) == []


@pytest.mark.parametrize("entry", REPLACED)
def test_something_replaces_it(entry: str) -> None:
    reported = parting_of(parse(log("Removed", entry, NEW), "l").sections[0].entries[0][1])
    assert (reported.names, reported.replacement, reported.nothing) == (("old",), "new", False)
    assert rules("Removed", entry, NEW) == []


@pytest.mark.parametrize("entry", SILENT)
def test_an_entry_that_says_neither_is_asked(entry: str) -> None:
    assert rules("Removed", entry, NEW) == ["changelog/removed-without-replacement"]
    assert rules("Deprecated", entry, OLD) == ["changelog/deprecated-without-replacement"]


def test_both_ways_to_answer_are_shown() -> None:
    settings = ChangelogSettings(expected=SchemaVersion("2.0.0", "the server"), baseline=OLD)
    text = log("Removed", "`old` is gone.", NEW)
    [found] = check(parse(text, "log.md"), NEW, compare(OLD, NEW), settings=settings)
    assert found.fix == (
        "Write: - `old` is gone; use `REPLACEMENT` instead. "
        "If there is none: - `old` is gone; nothing replaces it, because REASON."
    )


def judged(text: str, now: Surface) -> list[str]:
    result = evaluate(
        compare(OLD, now), OLD, now, old_version="1.3.0", new_version="2.0.0", changelog=parse(text, "log.md")
    )
    return [one.rule for one in result.findings]


ANNOUNCED = "\n\n## 1.3.0\n\n## 1.2.0\n\n**Deprecated**\n\n- `old` is deprecated.\n"


@pytest.mark.parametrize(
    ("announced", "removed", "expected"),
    [
        ("`old` is deprecated; nothing replaces it.", "`old` is gone; nothing replaces it.", []),
        ("`old` is deprecated; nothing replaces it.", "`old` is gone.", []),
        # what the deprecation left out, the removal says
        ("`old` is deprecated.", "`old` is gone; nothing replaces it.", []),
        ("`old` is deprecated.", "`old` is gone; use `new` instead.", []),
        ("`old` is deprecated.", "`old` is gone.", ["policy/deprecation-without-replacement"]),
        ("`old` is deprecated.", "`old` is gone; use `nowhere` instead.", ["policy/replacement-missing"]),
    ],
)
def test_the_policy_takes_the_word_of_the_changelog(announced: str, removed: str, expected: list[str]) -> None:
    text = f"## 2.0.0 (current)\n\n**Removed**\n\n- {removed}{ANNOUNCED}".replace("`old` is deprecated.", announced)
    assert judged(text, NEW) == expected


def test_a_deprecation_without_a_replacement_is_drafted_as_one() -> None:
    """What the description says reaches the entries of the deprecation and of the removal."""
    words = "Deprecated: nothing replaces it, because the index was shut down."
    tools = [
        {"name": "old", "inputSchema": {"type": "object"}, "description": words},
        {"name": "new"},
        {"name": "other"},
    ]
    reported = build_surface({"tools": tools})
    text = draft(parse("", "log.md"), compare(OLD, reported), version="1.2.0", fingerprint=fingerprint(reported))
    assert "**Deprecated**\n\n- `old` is deprecated; nothing replaces it.\n" in text
    removal = compare(reported, NEW)
    text = draft(
        parse("", "l"), removal, version="2.0.0", fingerprint=fingerprint(NEW), tools=("old",), replacements={"old": ""}
    )
    assert "**Removed**\n\n- `old` is gone; nothing replaces it.\n" in text
