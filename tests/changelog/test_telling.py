"""Which entry tells which change, and where it has to stand."""

from __future__ import annotations

import pytest

from mcp_governor.change.model import Change
from mcp_governor.change.vocabulary import Facts, Side, names_on
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, parse
from mcp_governor.findings import Bump, Severity, Tier, Verdict
from mcp_governor.surface import Surface, build_surface, fingerprint

BREAK, SAFE = Verdict.BREAKING, Verdict.COMPATIBLE


def change(kind: str, tool: str | None, path: str, verdict: Verdict = SAFE, **more: object) -> Change:
    bump = Bump.MAJOR if verdict is BREAK else Bump.MINOR
    names = names_on(path) if tool is not None else (path.rpartition("/")[2],)
    values: dict[str, object] = {"bump": bump, "facts": Facts(names), **more}
    return Change(kind, tool, path, Side.SURFACE, verdict, **values)  # type: ignore[arg-type]


def tool(name: str, *properties: str, **more: object) -> dict[str, object]:
    return {"name": name, "inputSchema": {"properties": {key: {} for key in properties}}, **more}


OLD = build_surface(
    {
        "tools": [
            tool("search", "q", "limit"),
            tool("list_files", "limit"),
            tool("list_dirs", "limit"),
            tool("gone", "x"),
        ]
    }
)
NEW = build_surface(
    {
        "tools": [
            tool("search", "q", "limit", "cursor"),
            tool("list_files", "limit", "cursor"),
            tool("list_dirs", "limit", "cursor"),
            tool("fresh"),
        ],
        "prompts": [{"name": "review"}],
    }
)
ARGUMENT = change("argument-added", "search", "/inputSchema/properties/cursor")
REQUIRED = change("argument-required", "search", "/inputSchema/properties/q", BREAK)
REMOVED = change("tool-removed", "gone", "", BREAK, old="gone")
ADDED = change("tool-added", "fresh", "", new="fresh")
RENAMED = change("tool-renamed", "gone", "/name", BREAK, facts=Facts(successor="fresh"))
FIELD_RENAMED = change(
    "argument-renamed", "search", "/inputSchema/properties/cursor", BREAK, facts=Facts(("q",), successor="cursor")
)
HINT = change("hint-less-safe", "search", "/annotations/readOnlyHint", BREAK, old=True, new=False)
TIER = change("tier-raised", "search", "/tier", old="standard", new="facade")
DEPRECATED = change("tool-deprecated", "search", "/deprecated")
WORDS = change("description-changed", "search", "/description", bump=Bump.PATCH)
PROMPT = change("prompt-added", None, "/prompts/review", new="review")
PROMPT_ARGUMENT = change("prompt-argument-removed", None, "/prompts/review/arguments/tone", BREAK)
NESTED = change("argument-added", "search", "/inputSchema/properties/q/properties/cursor")
VARIABLE = change("env-removed", None, "/server.json/packages/pypi:x/environmentVariables/API_KEY", BREAK)
ADVANCED = change(
    "argument-required", "search", "/inputSchema/properties/q", BREAK, bump=Bump.MINOR, tier=Tier.ADVANCED
)
INTERNAL = change("tool-removed", "gone", "", BREAK, bump=Bump.NONE, tier=Tier.INTERNAL)

CASES = [
    # a field is told by its tool and its name, in one span or in two
    (ARGUMENT, "**Added**\n\n- `search` takes an optional `cursor`.", None),
    (ARGUMENT, "**Added**\n\n- `search.cursor` is new.", None),
    (ARGUMENT, "**Changed**\n\n- `search` takes an optional `cursor`.", None),
    (NESTED, "**Added**\n\n- `search` takes `q.cursor`.", None),
    (ARGUMENT, "**Added**\n\n- `search` pages now.", "missing-entry"),
    # an entry that names no tool speaks of the field wherever it is, a glob of the tools it matches
    (ARGUMENT, "**Added**\n\n- Every listing takes `cursor`.", None),
    (ARGUMENT, "**Added**\n\n- `list_*` take `cursor`.", "missing-entry"),
    (ARGUMENT, "**Added**\n\n- `s*` take `cursor`.", None),
    # a break stands under Breaking, and is not told by good news about the same field
    (REQUIRED, "**Breaking**\n\n- `search` requires `q`.", None),
    (REQUIRED, "**Changed**\n\n- `search` requires `q`.", "wrong-subsection"),
    (HINT, "**Breaking**\n\n- `search` writes: `readOnlyHint` is false.", None),
    (HINT, "**Breaking**\n\n- `search` writes.", "missing-entry"),
    # an advanced tool may break in a minor, told as a change
    (ADVANCED, "**Changed**\n\n- `search` requires `q`.", None),
    (ADVANCED, "**Added**\n\n- `search` requires `q`.", "wrong-subsection"),
    # what promises nothing needs no entry
    (INTERNAL, "", None),
    # a tool's coming and going is told by an entry about it
    (REMOVED, "**Removed**\n\n- `gone`: use `fresh` instead.", None),
    (REMOVED, "**Breaking**\n\n- `gone` is removed; use `fresh`.", None),
    (REMOVED, "**Changed**\n\n- `gone` is not there any more.", "wrong-subsection"),
    (REMOVED, "**Removed**\n\n- `search` does what `gone` did.", "missing-entry"),
    (ADDED, "**Added**\n\n- `search` and `fresh` are there.", None),
    (ADDED, "**Added**\n\n- `search` works like `fresh`.", "missing-entry"),
    # a rename names both, and is no addition
    (RENAMED, "**Breaking**\n\n- `gone` is now called `fresh`.", None),
    (RENAMED, "**Breaking**\n\n- `gone` has another name.", "missing-entry"),
    (RENAMED, "**Added**\n\n- `gone` is `fresh`.", "wrong-subsection"),
    (FIELD_RENAMED, "**Breaking**\n\n- `search` takes `cursor` instead of `q`.", None),
    (FIELD_RENAMED, "**Breaking**\n\n- `search` takes `cursor`.", "missing-entry"),
    # what concerns a tool as a whole is told by an entry on that topic
    (TIER, "**Changed**\n\n- `search` is facade now.", None),
    (TIER, "**Changed**\n\n- `search` is faster.", "missing-entry"),
    (DEPRECATED, "**Deprecated**\n\n- `search` is deprecated; use `fresh` instead.", None),
    (DEPRECATED, "**Changed**\n\n- `search` is deprecated; use `fresh` instead.", "wrong-subsection"),
    (WORDS, "**Fixed**\n\n- `search` has a new description.", None),
    (WORDS, "", "missing-wording-entry"),
    # beside the tools
    (PROMPT, "**Added**\n\n- The prompt `review`.", None),
    (PROMPT, "", "missing-entry"),
    (PROMPT_ARGUMENT, "**Removed**\n\n- `review` no longer takes `tone`.", None),
    (VARIABLE, "**Removed**\n\n- `API_KEY` is not read any more.", None),
    # an entry under no label, or an unknown one, is in no place
    (ARGUMENT, "**Misc**\n\n- `search` takes `cursor`.", "wrong-subsection"),
]
OWN = {
    "changelog/missing-entry",
    "changelog/missing-wording-entry",
    "changelog/wrong-subsection",
    "changelog/duplicate-entry",
}


def said(body: str, *changes: Change, new: Surface = NEW) -> list[str]:
    text = f"## 2.0.0 (current)\n\nFingerprint: `{fingerprint(new)}`\n\n{body}\n"
    settings = ChangelogSettings(SchemaVersion("2.0.0", "the server"), OLD)
    found = check(parse(text, "log.md"), new, changes, settings=settings)
    return [finding.rule.removeprefix("changelog/") for finding in found if finding.rule in OWN]


@pytest.mark.parametrize(("reported", "body", "rule"), CASES)
def test_mentioning(reported: Change, body: str, rule: str | None) -> None:
    assert said(body, reported) == ([rule] if rule else [])


def test_a_wording_that_nobody_mentions_only_warns() -> None:
    found = check(parse("## 2.0.0 (current)\n", "log.md"), NEW, [WORDS], settings=ChangelogSettings(baseline=OLD))
    severity = {finding.rule: finding.severity for finding in found}
    assert severity["changelog/missing-wording-entry"] is Severity.WARNING


def test_one_entry_reports_the_same_event_on_several_tools() -> None:
    changes = [change("argument-added", name, "/inputSchema/properties/cursor") for name in ("search", "list_files")]
    assert said("**Added**\n\n- `search` and `list_files` take `cursor`.", *changes) == []
    assert said("**Added**\n\n- `search` takes `cursor`.", *changes) == ["missing-entry"]


def test_a_small_change_may_be_reported_with_a_graver_one_of_the_same_thing() -> None:
    words = change("schema-description-changed", "search", "/inputSchema/properties/q/description", bump=Bump.PATCH)
    assert said("**Breaking**\n\n- `search` requires `q`.", REQUIRED, words) == []


def test_good_news_about_a_field_does_not_report_its_break() -> None:
    wider = change("enum-value-added", "search", "/inputSchema/properties/q/enum")
    assert said("**Added**\n\n- `search` accepts more in `q`.", wider, REQUIRED) == ["missing-entry"]


def test_a_change_is_reported_once() -> None:
    body = "**Added**\n\n- `search` takes `cursor`.\n- `cursor` is new in `search`."
    assert said(body, ARGUMENT) == ["duplicate-entry"]
    other = change("default-changed", "search", "/inputSchema/properties/cursor/default")
    assert said(body, ARGUMENT, other) == []
    # The source has a removal under Removed, and any break called out under Breaking.
    gone = "- `gone` is gone; use `fresh` instead."
    both = f"**Removed**\n\n{gone}\n\n**Breaking**\n\n{gone}"
    assert said(both, REMOVED) == []
    assert said(f"{both}\n- `gone` does not exist any more; `fresh`.", REMOVED) == ["duplicate-entry"]


def test_fix_is_the_entry_to_paste_and_pasting_it_helps() -> None:
    for one in (ARGUMENT, REQUIRED, REMOVED, ADDED, RENAMED, HINT, TIER, DEPRECATED, WORDS, PROMPT, VARIABLE):
        text = f"## 2.0.0 (current)\n\nFingerprint: `{fingerprint(NEW)}`\n"
        settings = ChangelogSettings(SchemaVersion("2.0.0", "the server"), OLD)
        [finding] = [f for f in check(parse(text, "log.md"), NEW, [one], settings=settings) if f.rule in OWN]
        label, line = finding.fix.removeprefix("Under ").split(", add: ")
        assert said(f"{label}\n\n{line}", one) == [], one.kind


def test_an_old_entry_of_the_baselines_own_section_is_not_misplaced() -> None:
    text = "## 1.0.0 (current)\n\n**Added**\n\n- `gone` is a new tool.\n"
    baseline = build_surface({"serverInfo": {"name": "s", "version": "1.0.0"}, "tools": [tool("gone", "x")]})
    for version in ("1.0.0", "2.0.0"):
        settings = ChangelogSettings(SchemaVersion(version, "the server"), baseline)
        found = check(parse(text, "log.md"), NEW, [REMOVED], settings=settings)
        assert [finding.rule for finding in found if finding.rule in OWN] == ["changelog/missing-entry"]
