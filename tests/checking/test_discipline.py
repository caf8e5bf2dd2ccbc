"""What the surface governance asks of a release besides the grammar, and of versions and deprecations on both sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_governor.checking.against.baseline import Baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.run import changelog_report, check_surface
from mcp_governor.config.model import Config, LintConfig
from mcp_governor.stage import Stage
from mcp_governor.surface import Surface, build_surface, fingerprint

LOG = "CHANGES.md"
RULES = frozenset(
    f"surface/{name}"
    for name in (
        "changelog-exists",
        "deprecation-unannounced",
        "deprecation-unmarked",
        "migration-guide",
        "release-entry",
        "removed-entry",
        "server-version",
    )
)
AT_RELEASE, BETWEEN = Stage("release"), Stage("release", at_release=False)


def tool(name: str, **meta: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, "_meta": {"tier": "standard", **meta}}


def surface(version: str | None, *tools: dict[str, Any]) -> Surface:
    server = {"name": "notes", **({"version": version} if version else {})}
    return build_surface({"serverInfo": server, "tools": list(tools) or [tool("find")]})


def config(folder: Path, text: str | None = None, **more: Any) -> Config:
    if text is not None:
        (folder / LOG).write_text(text, "utf-8")
    chosen = {"profile": ("surface",), "changelog": LOG if text is not None else "", **more}
    return Config(path=folder / "mcp-governor.toml", root=folder, **chosen)


def found(
    folder: Path,
    text: str | None,
    new: Surface,
    old: Surface | None = None,
    *,
    stage: Stage = AT_RELEASE,
    **more: Any,
) -> list[Any]:
    baseline = Baseline("old.json", old) if old is not None else None
    report = check_surface(Comparison(new, config(folder, text, **more), baseline, stage))
    return [one for one in report.findings if one.rule in RULES]


def rules(*arguments: Any, **more: Any) -> list[str]:
    return [one.rule.removeprefix("surface/") for one in found(*arguments, **more)]


def section(version: str, *parts: str, current: bool = False) -> str:
    heading = f"## {version}{' (current)' if current else ''}"
    return "\n\n".join([heading, f"Fingerprint: `{fingerprint(surface('1.0.0'))}`", *parts]) + "\n\n"


def entry(label: str, text: str = "`find` is quicker.") -> str:
    return f"**{label}**\n\n- {text}"


GUIDE = "Migration guide: [moving on](https://example.com/migrating)"

# version before, version now, what the section says → rules
RELEASES = {
    "a patch that says nothing": ("1.4.0", "1.4.1", (), ["release-entry"]),
    "a patch that fixes": ("1.4.0", "1.4.1", (entry("Fixed"),), []),
    "a patch that changes": ("1.4.0", "1.4.1", (entry("Changed"),), ["release-entry"]),
    "a minor that says nothing": ("1.4.0", "1.5.0", (), ["release-entry"]),
    "a minor that adds": ("1.4.0", "1.5.0", (entry("Added", "`limit` is new."),), []),
    "a minor that changes": ("1.4.0", "1.5.0", (entry("Changed"),), []),
    "a minor that deprecates": ("1.4.0", "1.5.0", (entry("Deprecated", "The argument `q` of `find`."),), []),
    "a minor that fixes": ("1.4.0", "1.5.0", (entry("Fixed"),), ["release-entry"]),
    "a major that says nothing": ("1.4.0", "2.0.0", (), ["migration-guide", "release-entry"]),
    "a major that breaks, without a guide": ("1.4.0", "2.0.0", (entry("Breaking"),), ["migration-guide"]),
    "a major that breaks": ("1.4.0", "2.0.0", (GUIDE, entry("Breaking")), []),
    "a major that removes": ("1.4.0", "2.0.0", (GUIDE, entry("Removed", "The field `x` of `find`.")), []),
    "a major with a guide for nothing": ("1.4.0", "2.0.0", (GUIDE, entry("Fixed")), ["release-entry"]),
    "before 1.0.0": ("0.4.0", "0.4.1", (), []),
    "the first promise": ("0.9.0", "1.0.0", (), []),
    "dates": ("2026.8.1", "2026.9.1", (), []),
    "a pre-release": ("1.4.0", "2.0.0-rc.1", (), []),
    "nothing released": ("1.4.0", "1.4.0", (), []),
}


@pytest.mark.parametrize("line", RELEASES)
def test_the_artefacts_of_a_release(tmp_path: Path, line: str) -> None:
    before, now, parts, expected = RELEASES[line]
    older = "" if before == now else section(before)
    text = section(now, *parts, current=True) + older
    assert sorted(rules(tmp_path, text, surface(now), surface(before))) == expected


def test_what_a_candidate_lists_counts(tmp_path: Path) -> None:
    text = section("1.5.0", current=True) + section("1.5.0-rc.1", entry("Added", "`limit` is new.")) + section("1.4.0")
    assert rules(tmp_path, text, surface("1.5.0"), surface("1.4.0")) == []


@pytest.mark.parametrize(
    ("now", "label", "fix"),
    [
        ("1.4.1", "Fixed", "Under **Fixed**, write what it fixes, like: - `TOOL` accepts empty input again."),
        ("1.5.0", "Added, Changed or Deprecated", "If nothing is, release it as 1.4.1."),
        ("2.0.0", "Removed or Breaking", "If nothing does, release it as 1.5.0."),
    ],
)
def test_what_to_do_about_a_release_that_says_nothing(tmp_path: Path, now: str, label: str, fix: str) -> None:
    text = section(now, GUIDE, current=True) + section("1.4.0")
    [printed] = found(tmp_path, text, surface(now), surface("1.4.0"))
    assert printed.message.endswith(f"release, but has no entry under {label}.")
    assert fix in printed.fix
    [planned] = found(tmp_path, text, surface(now), surface("1.4.0"), stage=Stage("release", version=now))
    assert "below ## Unreleased, write" in planned.fix, "that is what the file has"


# what the section says → the message where it is no guide
GUIDES = {
    "[Migrating to 2.0](https://example.com/guide)": "",
    "[the guide](docs/upgrade-2.md)": "",
    "See [notes](docs/upgrade-2.md#top) for everything.": "",
    "See `docs/upgrade-2.md`.": "",
    "See https://example.com/migration-2.0.": "",
    "**Migration**: call `search` with `query`.": "",
    "### Upgrading\n\nCall `search` instead.": "",
    "[Migrating](#migrating)": "",
    "- `find` is gone; migrate to `search`.": "links no migration guide",
    "[Notes](docs/notes.md)": "links no migration guide",
    "[Migrating](docs/missing.md)": "docs/missing.md, does not exist",
    "Migration guide: [Migrating to 2.0.0](migrating-to-2.0.0.md)": "migrating-to-2.0.0.md, does not exist",
    f"[Migrating]({'a' * 400})": "does not exist",
}


@pytest.mark.parametrize("text", GUIDES)
def test_a_guide_is_linked_and_there(tmp_path: Path, text: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "upgrade-2.md").write_text("")
    log = section("2.0.0", text, entry("Breaking"), current=True) + section("1.4.0")
    printed = [
        one.message
        for one in found(tmp_path, log, surface("2.0.0"), surface("1.4.0"))
        if one.rule == "surface/migration-guide"
    ]
    assert len(printed) == (1 if GUIDES[text] else 0)
    assert all(GUIDES[text] in message for message in printed)


def removal(*parts: str) -> str:
    return section("2.0.0", GUIDE, *parts, current=True) + section("1.4.0")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((entry("Removed", "`old` is gone; use `find` instead."),), []),
        ((entry("Breaking", "`old` is gone; use `find` instead."),), ["removed-entry"]),
        (
            (
                entry("Removed", "`old` is gone; use `find` instead."),
                entry("Breaking", "`old` is gone; use `find` instead."),
            ),
            [],
        ),
        ((entry("Breaking", "`find` no longer takes `q`."),), []),
    ],
)
def test_a_removal_is_listed_under_removed(tmp_path: Path, parts: tuple[str, ...], expected: list[str]) -> None:
    old, new = surface("1.4.0", tool("find"), tool("old")), surface("2.0.0")
    assert rules(tmp_path, removal(*parts), new, old) == expected


# deprecations: what the changelog says, what the tool says now and said at the baseline → rules
REPORTED = entry("Deprecated", "`old` is deprecated; use `find` instead.")
MARK = {"deprecated": {"since": "1.4.0", "replacement": "find"}}
BOTH_WAYS = {
    "in both": (REPORTED, MARK, MARK, []),
    "in the changelog only": (REPORTED, {}, {}, ["deprecation-unmarked"]),
    "on the surface only": ("", MARK, MARK, ["deprecation-unannounced"]),
    "on the surface only, since now": ("", MARK, {}, []),  # the change has no entry, which another rule says
    "in neither": ("", {}, {}, []),
    "of an argument": (entry("Deprecated", "The argument `q` of `old` is deprecated."), {}, {}, []),
    "of a tier": (entry("Deprecated", "`old` moves from standard to advanced in 2.0.0."), {}, {}, []),
    "taken back": (
        f"{REPORTED}\n\n{entry('Changed', '`old` is no longer deprecated.')}",
        {},
        {},
        ["deprecation-unmarked"],
    ),
    "internal": (REPORTED, {"tier": "internal"}, {}, []),
}


@pytest.mark.parametrize("line", BOTH_WAYS)
def test_changelog_and_surface_agree_on_what_is_deprecated(tmp_path: Path, line: str) -> None:
    printed, now, was, expected = BOTH_WAYS[line]
    text = section("1.4.0", *([printed] if printed else []), current=True)
    new, old = (surface("1.4.0", tool("find"), tool("old", **meta)) for meta in (now, was))
    assert rules(tmp_path, text, new, old) == expected


def test_a_deprecation_that_is_older_than_the_changelog(tmp_path: Path) -> None:
    older = surface("1.4.0", tool("find"), tool("old", deprecated={"since": "1.2.0", "replacement": "find"}))
    assert rules(tmp_path, section("1.4.0", current=True), older, older) == []
    assert rules(tmp_path, section("1.4.0", current=True) + section("1.2.0"), older, older) == [
        "deprecation-unannounced"
    ]


# schema-version, version that the server reports → rules
VERSIONS = {
    "alike": ("1.1.0", "1.1.0", AT_RELEASE, []),
    "alike, spelled otherwise": ("v1.1.0", "1.1.0", AT_RELEASE, []),
    "behind": ("1.1.0", "1.0.0", AT_RELEASE, ["server-version"]),
    "none": ("1.1.0", None, AT_RELEASE, ["server-version"]),
    "between releases": ("1.1.0", "1.0.0", BETWEEN, ["server-version"]),
    "a state of work between releases": ("1.1.0", "1.2.0.dev4", BETWEEN, []),
    "the server's own word": ("serverInfo", "1.0.0", AT_RELEASE, []),
}


@pytest.mark.parametrize("line", VERSIONS)
def test_initialize_reports_the_schema_version(tmp_path: Path, line: str) -> None:
    spec, reported, stage, expected = VERSIONS[line]
    assert (
        rules(tmp_path, section("1.1.0", current=True), surface(reported), stage=stage, schema_version=spec) == expected
    )


def test_a_recording_of_an_older_version_is_not_behind(tmp_path: Path) -> None:
    """When it was made, both said the same: it need not be made again because the constant moves."""
    from replacing import replace

    old = replace(surface("1.0.0"), stated=("1.0.0", "configuration"))
    text = section("1.1.0", current=True)
    assert rules(tmp_path, text, old, stage=BETWEEN, schema_version="1.1.0") == []
    wrong = replace(surface("0.9.0"), stated=("1.0.0", "configuration"))
    assert rules(tmp_path, text, wrong, stage=BETWEEN, schema_version="1.1.0") == ["server-version"]


def test_a_changelog_has_to_be_there(tmp_path: Path) -> None:
    [printed] = found(tmp_path, None, surface("1.0.0"))
    assert printed.rule == "surface/changelog-exists"
    assert printed.message == "There is no schema changelog."
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mcp-schema-changelog.md").write_text("## 1.0.0 (current)\n")
    [printed] = found(tmp_path, None, surface("1.0.0"))
    assert printed.message == "docs/mcp-schema-changelog.md is not checked, because the configuration does not name it."
    # Without a configuration nobody governs a repository here.
    assert not [
        one
        for one in check_surface(Comparison(surface("1.0.0"), Config(root=tmp_path, profile=("surface",)))).findings
        if one.rule in RULES
    ]


def test_other_profiles_do_without(tmp_path: Path) -> None:
    text = section("1.4.1", current=True) + section("1.4.0")
    for profile in (("recommended",), ("charter",)):
        assert rules(tmp_path, text, surface("1.4.1"), surface("1.4.0"), profile=profile) == []
    one = LintConfig(extend_select=("surface/release-entry",))
    for profile in (("recommended",), ("charter",)):
        assert rules(tmp_path, text, surface("1.4.1"), surface("1.4.0"), profile=profile, lint=one) == ["release-entry"]
    left_out = LintConfig(ignore=("surface/release-entry",))
    assert rules(tmp_path, text, surface("1.4.1"), surface("1.4.0"), lint=left_out) == []


def test_the_check_of_the_changelog_alone_has_its_rules(tmp_path: Path) -> None:
    text = section("1.4.1", current=True) + section("1.4.0")
    made = config(tmp_path, text)
    report = changelog_report(Comparison(surface("1.4.1"), made, Baseline("old.json", surface("1.4.0")), AT_RELEASE))
    assert [one.rule for one in report.findings if one.rule in RULES] == ["surface/release-entry"]
