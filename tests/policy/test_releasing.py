"""Draft, release, accept: the commands of a release, in a git repository, by the text that people read."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import contents
from living import GATE, Released, accept_all
from replacing import replace

from mcp_governor.checking import releasing
from mcp_governor.findings import Finding, Severity

MANIFEST = """{
  "version": "1.2.0",
  "packages": [
    { "registryType": "pypi", "identifier": "notes", "version": "1.2.0" }, {
      "version": "1.1.0", "registryType": "npm", "identifier": "notes"
    }
  ]
}
"""

# a release is two commands


def test_new_words_alone_can_be_released(tmp_path: Path) -> None:
    """Nothing drafts an entry for them, so nothing begins their section but the release."""
    notes = Released(tmp_path, config=GATE)
    notes.go_on()
    notes.tool("search", "query", description="Use this when the title of a note has to be found, and nothing else.")
    notes.version = "1.2.1"
    assert "release as 1.2.1" in notes.passes("check")
    assert "needs no change" in notes.passes("changelog", "draft")
    assert "1.2.1 is the current release." in notes.passes("changelog", "release")
    assert notes.headings[:2] == ["## 1.2.1 (current)", "## 1.2.0"]
    notes.tagged("1.2.1")
    notes.passes("check")


# a released section is history


@pytest.mark.parametrize("version", ["2026.8.1", "2026.08", "2026-08-01"])
def test_a_date_that_is_out_keeps_its_section(tmp_path: Path, version: str) -> None:
    life = Released(tmp_path, version)
    life.go_on()
    before = life.log
    life.tool("search", "query", "limit")
    reported = life.refused("changelog", "draft")
    assert f"The server still reports {version}, which is released" in reported
    assert "mcp-governor changelog draft --for VERSION" in reported
    assert life.log == before
    after = version.replace("8", "9")
    reported = life.passes("changelog", "draft", "--for", after)
    assert f"Next: the server still reports {version}; set it to {after} where the server is made.\n" in reported
    assert life.headings == [f"## {after} (current)", f"## {version}"]
    assert life.log.endswith(before.split(f"## {version} (current)")[1])
    life.version = after
    life.passes("changelog", "release")
    life.tagged(after)
    life.passes("check")


@pytest.mark.parametrize("how", ["tag", "recorded", "date", "baseline"])
def test_whatever_says_that_a_section_is_out_it_is_not_drafted_into(tmp_path: Path, how: str) -> None:
    life = Released(tmp_path)
    path = life.path
    if how != "tag":
        life.git("tag", "-d", "v1.2.0")
    if how != "recorded":
        (life.root / "docs" / "mcp-surface" / "1.2.0.json").unlink()
    if how == "date":
        path.write_text(life.log.replace("## 1.2.0 (current)", "## 1.2.0 (current) - 2026-11-21"))
    life.go_on()
    life.tool("search", "query", "limit")
    before = life.log
    reported = life.refused("changelog", "draft", "--for", "1.2.0")
    evidence = {
        "tag": "tag v1.2.0",
        "recorded": "docs/mcp-surface/1.2.0.json",
        "date": "it is the baseline",
        "baseline": "it is the baseline",
    }
    assert f"is the section of 1.2.0, which is released ({evidence[how]}); nothing was written." in reported
    assert life.log == before


def test_the_draft_is_for_the_version_that_the_changes_need(tmp_path: Path) -> None:
    life = Released(tmp_path)
    life.go_on()
    life.tool("search", "words")
    life.version = "1.3.0"
    reported = life.passes("changelog", "draft")
    assert "drafted for 2.0.0.\n" in reported
    assert reported.endswith("Next: the server still reports 1.3.0; set it to 2.0.0 where the server is made.\n")
    done = life.run("check")
    assert "fix: The server still reports 1.3.0; set it to 2.0.0 where the server is made." in done.out
    assert "write line" not in done.out, "nobody is told to rename a section"
    life.version = "2.0.0"
    life.passes("check")


def test_the_version_that_the_author_names_is_weighed(tmp_path: Path) -> None:
    life = Released(tmp_path)
    life.go_on()
    life.tool("search", "query", "limit")
    before = life.log
    assert "1.1.9 is older than 1.2.0, which is released" in life.refused("changelog", "draft", "--for", "1.1.9")
    assert life.log == before
    reported = life.passes("changelog", "draft", "--for", "1.2.1")
    assert reported.endswith(
        "Next: 1.2.1 is too small, because these changes need a minor step: mcp-governor changelog draft --for 1.3.0\n"
    )
    reported = life.passes("changelog", "draft", "--for", "1.3.0")
    assert life.headings == ["## 1.3.0 (current)", "## 1.2.0"]


def test_a_small_step_that_the_team_accepted_is_drafted_and_released(tmp_path: Path) -> None:
    life = Released(tmp_path)
    life.go_on()
    life.tool("search", "words")
    life.version = "1.3.0"
    accept = next(f for f in life.run("check", "--format", "json").report["findings"] if "bump" in f["rule"])["id"]
    life.passes("accept", accept, "--reason", "the one client was asked")
    assert "drafted for 1.3.0.\n" in life.passes("changelog", "draft")
    assert "changelog/breaking-needs-major" in life.run("changelog", "release").out
    accept_all(life)
    # what the changelog says of 1.3.0 stays true, so that one is needed on
    assert "1 acceptance is marked as released.\n" in life.passes("changelog", "release")
    life.tagged("1.3.0")
    life.passes("check")
    life.go_on()
    life.passes("check")


def test_a_surface_that_was_not_recorded_with_its_change_is_named(tmp_path: Path) -> None:
    """Until it is, each later pull request shows its changes, and a check without the server does not know them."""
    life = Released(tmp_path, config=GATE)
    life.go_on()
    life.tool("search", "query", "limit")
    life.passes("changelog", "draft")
    older = "note: mcp-surface.json is older than this surface. Record it with the change: mcp-governor snapshot\n"
    assert older in life.run("check").err
    assert older not in life.run("check", "--release").err
    life.passes("snapshot")
    assert "note:" not in life.run("check").err
    life.tool("find", "query", "limit")
    life.passes("snapshot")
    assert "\nCommit it with the change." in life.passes("changelog", "draft")


def test_a_placeholder_that_is_left_is_named(tmp_path: Path) -> None:
    life = Released(tmp_path)
    life.go_on()
    del life.tools["find"]
    reported = life.passes("changelog", "draft")
    [line] = [number for number, text in enumerate(life.log.splitlines(), 1) if "`REPLACEMENT`" in text]
    assert (
        f"\nNext: in line {line} of docs/mcp-schema-changelog.md, name the tool to use instead of REPLACEMENT"
        in reported
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "notes-1.3.0"),
        # of another project, or of all of them: one that says 1.3.0 would fail them
        ("2026.08.20260803", "notes-1.3.0"),
        ("v1.2.0", "v1.3.0"),
        ("notes@1.2.0", "notes@1.3.0"),
    ],
)
def test_the_tag_of_a_project_in_a_folder_has_its_name(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "notes").mkdir()
    life = Released(tmp_path / "notes", config=GATE)
    life.git("tag", "-d", "v1.2.0")
    (life.root / ".git").rename(tmp_path / ".git")
    life.go_on()
    if old:
        life.git("tag", old)
    life.tool("search", "query", "limit")
    life.version = "1.3.0"
    life.passes("changelog", "draft")
    assert f"tag the commit {new}.\n" in life.passes("changelog", "release")


def test_a_line_that_keeps_the_version_before_is_named(tmp_path: Path) -> None:
    life = Released(tmp_path, config=GATE)
    life.tool("search", "query", "limit")
    life.version = "1.3.0"
    life.passes("changelog", "draft")
    (tmp_path / "server.json").write_text(MANIFEST.replace("1.2.0", "1.3.0", 1))
    assert "\nThe version before this, 1.2.0, is still in server.json line 4.\n" in life.passes("changelog", "release")


# what cannot be released


def test_a_version_that_is_wrong_is_refused_with_the_right_one(tmp_path: Path) -> None:
    life = Released(tmp_path, config=GATE)
    life.go_on()
    life.tool("search", "query", "limit")
    life.passes("changelog", "draft")
    before = life.log
    reported = life.refused("changelog", "release", "1.2.1")
    assert "1.2.1 is too small: the changes since 1.2.0 need a minor step." in reported
    assert "Release them with: mcp-governor changelog release 1.3.0" in reported
    reported = life.refused("changelog", "release", "1.3.0")
    assert "1.3.0 cannot be released yet: the server still reports 1.2.0; set it to 1.3.0" in reported
    (life.root / "pyproject.toml").write_text('[project]\nname = "notes"\nversion = "1.2.0"\n')
    bundle = '{\n  "version": "1.2.0", "server": {\n    "version": "1.2.0"}}\n'
    more = {"package.json": '{"version": "1.2.0"}\n', "server.json": MANIFEST, "manifest.json": bundle}
    for name, text in {**more, ".claude-plugin/plugin.json": bundle}.items():
        (life.root / name).parent.mkdir(exist_ok=True)
        (life.root / name).write_text(text)
    reported = life.refused("changelog", "release", "1.3.0")
    assert (
        "set it to 1.3.0 in pyproject.toml line 3.\nhint: Set it in package.json line 1, server.json line 2, "
        "server.json line 4, manifest.json line 2 and .claude-plugin/plugin.json line 2 as well" in reported
    )
    for name in ("pyproject.toml", ".claude-plugin/plugin.json", *more):
        (life.root / name).unlink()
    reported = life.refused("changelog", "release", "1.2.0")
    assert "1.2.0 is released already (tag v1.2.0)." in reported
    assert "Release what changed since with: mcp-governor changelog release 1.3.0" in reported
    reported = life.refused("changelog", "release")
    assert "No version to release was given. The changes since 1.2.0 make a minor step." in reported
    assert "mcp-governor changelog release 1.3.0" in reported
    life.version = "1.4.0"
    reported = life.refused("changelog", "release", "1.3.0")
    assert "1.3.0 is not the current version: the server says 1.4.0." in reported
    assert life.log == before


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"package.json": '{"version": "1.2.0"}', "server.json": '{"version": "1.3.0"}'}, "package.json line 1"),
        ({"pyproject.toml": '[project]\nname = "notes"\nversion = "1.1.9"\n'}, "pyproject.toml line 3"),
        ({"package.json": '{"private": true, "version": "1.2.0"}'}, ""),
        ({"package.json": '{"version": "0.0.0"}'}, ""),
        ({"package.json": '{"version": "1.9.0"}'}, ""),
        ({"pyproject.toml": "[tool.ruff]\n"}, ""),
    ],
)
def test_a_project_file_that_was_left_behind_stops_the_release(
    tmp_path: Path, files: dict[str, str], place: str
) -> None:
    """npm and PyPI would publish under its version; where they would not, or it is ahead, it is a warning."""
    life = Released(tmp_path, config=GATE)
    life.go_on()
    life.tool("search", "query", "limit")
    life.mention("Added", "`search` takes an optional `limit`.")
    life.version = "1.3.0"
    for name, text in files.items():
        (life.root / name).write_text(text)
    done = life.run("changelog", "release", "1.3.0")
    assert done.code == (1 if place else 0), done.out + done.err
    if place:
        assert f"✗ {place} says version" in done.out
        assert f"fix: Set the version in {place} to 1.3.0." in done.out
        assert "policy/version-source" not in done.out
        life.path.write_text(life.log.replace("Unreleased", "1.3.0 (current)"))
        life.tagged("1.3.0")
        assert "policy/manifest-version" in life.check()[1]


def test_a_release_without_a_change_for_clients_needs_no_draft(tmp_path: Path) -> None:
    life = Released(tmp_path, config=GATE)
    life.go_on()
    assert "1.2.0 is released already (tag v1.2.0)." in life.refused("changelog", "release", "1.2.0")
    assert "Nothing has changed for clients since." in life.refused("changelog", "release", "1.2.0")
    assert "There is nothing to release: nothing has changed for clients since 1.2.0." in life.refused(
        "changelog", "release"
    )
    assert "1.1.9 is older than 1.2.0, which is released." in life.refused("changelog", "release", "1.1.9")
    life.version = "1.2.1"
    life.passes("changelog", "release")
    assert life.headings == ["## 1.2.1 (current)", "## 1.2.0"]
    life.tagged("1.2.1")
    life.passes("check")


# acceptances end with the release that they were for


def test_what_would_fail_after_its_tag_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    life = Released(tmp_path)
    life.go_on()
    life.tool("search", "query", "limit")
    life.version = "1.3.0"
    life.passes("changelog", "draft")
    before = contents(life.root)
    judge = releasing.check_surface

    def judged(compared):  # type: ignore[no-untyped-def]
        """The check, where a finding comes with the tag: whatever it may be, nobody has found one yet."""
        report = judge(compared)
        late = Finding("policy/late", Severity.ERROR, "It is late.")
        return replace(report, findings=(*report.findings, late)) if compared.baseline.source == "1.3.0" else report

    monkeypatch.setattr(releasing, "check_surface", judged)
    done = life.run("changelog", "release", "1.3.0")
    assert done.code == 1
    assert "policy/late" in done.out
    assert done.err == (
        "1.3.0 was not released because the check would fail once 1.3.0 is tagged; nothing was written.\n"
    )
    assert contents(life.root) == before


def test_new_words_are_asked_for_before_the_release_or_never_and_a_released_break_is_a_note(tmp_path: Path) -> None:
    life = Released(tmp_path, config=GATE)
    life.go_on()
    life.tool("search", "query", description="Use this when notes are to be searched by their words, and not by tags.")
    life.tools["search"]["inputSchema"]["properties"]["query"]["maxLength"] = 50
    life.passes("changelog", "draft")
    assert "✗ length-tightened" in life.run("check").out  # it is coming
    life.version = "2.0.0"
    said = life.passes("changelog", "release", "2.0.0")
    assert (
        "1 change of wording is not mentioned. If clients should know, add before you commit:\n  Under **Fixed**"
        in said
    )
    life.tagged("2.0.0")
    checked = life.passes("check")
    assert "judged as release v2.0.0" in checked
    assert "i length-tightened" in checked
    assert "✗" not in checked
    assert "wording-entry" not in checked
    report = life.run("check", "--format", "json").report
    assert [change["verdict"] for change in report["changes"]].count("breaking") == 1


def test_draft_and_release_do_not_start_the_server_whose_recording_is_of_this_commit(tmp_path: Path) -> None:
    life = Released(tmp_path, config=GATE)
    life.go_on()
    life.tool("search", "query", "limit")
    life.version = "1.3.0"
    life.passes("snapshot")
    (life.root / "server.py").write_text("raise SystemExit(3)\n")  # who starts it learns so
    life.refused("changelog", "draft", code=3)  # nothing is committed yet
    life.commit("an optional limit")
    drafted = life.run("changelog", "draft")
    assert (drafted.code, "1 entry drafted under Unreleased" in drafted.out) == (0, True)
    assert "mcp-surface.json is of this commit, so the server was not started; --live starts it." in drafted.err
    assert "`search` takes an optional `limit`." in life.log
    life.refused("changelog", "draft", "--live", code=3)
    life.refused("changelog", "draft", "--env", "A=b", code=3)
    (life.root / "helper.py").write_text("")
    life.refused("changelog", "release", "1.3.0", code=3)  # a new file may be part of the server
    (life.root / "helper.py").unlink()
    assert "1.3.0 is the current release." in life.passes("changelog", "release", "1.3.0")
    recorded = (life.root / "docs/mcp-surface/1.3.0.json").read_bytes()
    assert recorded == (life.root / "mcp-surface.json").read_bytes()
    life.tagged("1.3.0")
    (life.root / "notes.txt").write_text("")
    life.commit("nothing recorded")
    life.refused("changelog", "draft", code=3)
