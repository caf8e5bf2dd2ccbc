"""The history on the page: what the surface files at the release tags say, as a picture and as a table."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here

from mcp_governor.report import FORMATS


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@h.example", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *who, *arguments), check=True, capture_output=True, timeout=60)


def surface(version: str, *tools: str, required: bool = False) -> str:
    schema: dict[str, Any] = {"type": "object", "properties": {"q": {"type": "string"}}}
    schema |= {"required": ["q"]} if required else {}
    listed = [{"name": name, "description": "Finds it.", "inputSchema": schema} for name in tools]
    tiers = {name: "internal" for name in tools if name.startswith("_")}
    info = {"name": "notes", "version": version}
    return json.dumps({"format": "mcp-governor/surface-1", "serverInfo": info, "tools": listed, "tiers": tiers})


def release(folder: Path, text: str, tag: str) -> None:
    (folder / "mcp-surface.json").write_text(text)
    git(folder, "add", "mcp-surface.json")
    git(folder, "commit", "-q", "--allow-empty", "-m", "next")
    git(folder, "tag", tag)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four releases: a tool comes, a parameter becomes required, another tool comes; and one that is not released."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "mcp-governor.toml").write_text("")
    release(tmp_path, surface("1.0.0", "find"), "v1.0.0")
    release(tmp_path, surface("1.1.0", "find", "keep"), "v1.1.0")
    release(tmp_path, surface("2.0.0", "find", "keep", required=True), "v2.0.0")
    release(tmp_path, surface("2.1.0", "find", "keep", "_debug", required=True), "v2.1.0")
    (tmp_path / "new.json").write_text(surface("2.2.0", "find", "keep", "_debug", "drop", required=True))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def history(capsys, target: str = "new.json", *more: str) -> str:
    """The section of the page; empty if there is none."""
    done = governor_here("check", target, *more, "--format", "html", capsys=capsys)
    assert done.code in (0, 1), done.err
    found = re.search(r"<section><h2>History.*?</section>", done.out, re.S)
    return found[0] if found else ""


def table(section: str) -> list[list[str]]:
    _, _, below = section.partition('<table class="versions">')
    rows = re.findall(r"<tr>(.*?)</tr>", below, re.S)
    return [[re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def test_the_picture_and_the_table_show_four_releases_and_now(repo: Path, capsys) -> None:
    section = history(capsys)
    assert "<h2>History (4 releases)</h2>" in section
    head, *rows = table(section)
    assert head == ["version", "tag", "tools", "standard", "internal", "breaking", "compatible", "tokens"]
    assert [row[:7] for row in rows] == [
        ["1.0.0", "v1.0.0", "1", "1", "0", "", ""],
        ["1.1.0", "v1.1.0", "2", "2", "0", "0", "1"],
        ["2.0.0", "v2.0.0", "2", "2", "0", "2", "0"],
        ["2.1.0", "v2.1.0", "3", "2", "1", "0", "1"],
        ["2.2.0", "now", "4", "3", "1", "0", "1"],
    ]
    tokens = [int(row[7]) for row in rows]
    assert tokens == sorted(tokens)
    assert tokens[-1] > tokens[0] > 10
    picture = section.partition("</svg>")[0]
    assert re.findall(r'class="which"[^>]*>([^<]*)<', picture) == ["1.0.0", "1.1.0", "2.0.0", "2.1.0", "now"]
    assert len(re.findall(r'<rect class="pill"', picture)) == 1, "one release breaks"
    bars = [(kind, int(size)) for kind, size in re.findall(r'class="tier-(\w+)"[^>]*height="(\d+)"/>', picture)]
    assert bars == [
        ("standard", 35),
        ("standard", 70),
        ("standard", 70),
        ("standard", 70),
        ("internal", 35),
        ("standard", 105),
        ("internal", 35),
    ], "four tools are 140 pixels"


def test_the_picture_can_be_read_without_seeing_it(repo: Path, capsys) -> None:
    section = history(capsys)
    assert 'role="img" aria-labelledby="history-title history-text"' in section
    assert '<title id="history-title">Tools by tier, and changes, of 5 versions</title>' in section
    assert "From 1 tool in 1.0.0 to 4 tools in 2.2.0. Breaking changes in: 2.0.0.</desc>" in section
    assert "style=" not in section, "the page's policy refuses it"
    assert '<span><svg class="key"' in section
    assert section.count("tabindex=") == 2, "what scrolls can be reached"


def test_a_release_that_is_checked_itself_is_one_column(repo: Path, capsys) -> None:
    rows = table(history(capsys, "mcp-surface.json"))[1:]
    assert [row[1] for row in rows] == ["v1.0.0", "v1.1.0", "v2.0.0", "v2.1.0"]


def test_another_baseline_says_nothing_about_now(repo: Path, capsys) -> None:
    section = history(capsys, "new.json", "--against", "git:v1.1.0")
    assert table(section)[-1][5:7] == ["–", "–"]
    assert "A dash means that two surfaces were not compared" in section


def test_only_the_page_reads_the_releases(repo: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr("mcp_governor.checking.against.last_release.released_files", refuse)
    for name in ("text", *FORMATS):
        if name != "html":
            assert governor_here("check", "new.json", "--format", name, capsys=capsys).code in (0, 1)
    assert governor_here("check", "new.json", "--format", "html", capsys=capsys).code == 70


def test_the_releases_and_the_seconds_are_bounded(repo: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.checking.against.last_release.MAX_RELEASES", 2)
    section = history(capsys)
    assert [row[1] for row in table(section)[1:]] == ["v2.0.0", "v2.1.0", "now"]
    assert "2 older releases not shown." in section
    monkeypatch.setattr("mcp_governor.checking.against.last_release.SECONDS", 0.0)
    section = history(capsys)
    assert "2 recordings at release tags could not be read." in section
    assert "Not shown because time was up: v2.0.0, v2.1.0." in section


def test_what_is_not_a_recording_is_named(repo: Path, capsys) -> None:
    release(repo, "[" * 100_000, "v2.1.1")
    release(repo, '{"tools": 7}', "v2.1.2")
    release(repo, surface("2.1.3", "find", "keep", "_debug", required=True), "v2.1.3")
    section = history(capsys)
    assert "Not shown because the recording could not be read: v2.1.1, v2.1.2." in section
    assert [row[1] for row in table(section)[1:]] == ["v1.0.0", "v1.1.0", "v2.0.0", "v2.1.0", "v2.1.3", "now"]
    assert table(section)[5][5:7] == ["0", "0"], "it is compared with the last one that could be read"


def test_tags_that_are_not_releases_are_no_columns(repo: Path, capsys) -> None:
    for tag in ("nightly", "v3.0.0-rc.1", "other/x<script>", "1.1.0"):
        git(repo, "tag", tag)
    git(repo, "checkout", "-q", "-b", "side", "v1.0.0")
    release(repo, surface("9.0.0", "find"), "v9.0.0")
    git(repo, "checkout", "-q", "main")
    versions = [row[0] for row in table(history(capsys))[1:]]
    assert versions == ["1.0.0", "1.1.0", "2.0.0", "2.1.0", "2.2.0"], "v9.0.0 is not in the history of HEAD"


@pytest.mark.parametrize("what", ["isolated", "lint", "one release", "no git", "another server"])
def test_there_is_no_history_where_there_is_none(repo: Path, capsys, what: str) -> None:
    words = {"isolated": ("--isolated", "--against", "mcp-surface.json")}.get(what, ())
    if what == "one release":
        for tag in ("v1.0.0", "v1.1.0", "v2.0.0"):
            git(repo, "tag", "-d", tag)
    if what == "no git":
        (repo / ".git").rename(repo / "gone")
    if what == "another server":
        (repo / "other.json").write_text(surface("7.0.0", "paint"))
        words = ("--against", "other.json")
    if what == "lint":
        done = governor_here("lint", "new.json", "--format", "html", capsys=capsys)
        assert "<h2>History" not in done.out
        return
    assert history(capsys, "new.json", *words) == ""


def test_a_shallow_clone_says_how_to_get_the_releases(repo: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    clone = tmp_path / "clone"
    git(repo, "clone", "-q", "--depth", "1", "--no-tags", f"file://{repo}", str(clone))
    (clone / "mcp-governor.toml").write_text("")
    (clone / "new.json").write_text((repo / "new.json").read_text())
    monkeypatch.chdir(clone)
    assert "Fetch them: git fetch --unshallow --tags" in history(capsys)
