"""The HTML report: what is in it, that nothing of a server is markup, and how it behaves in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Elements with their attributes, and the text; fails where elements are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.inside: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("script", "style"):
            self.inside[self._open[-1]] = data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def of(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "old.json").write_text(dump_surface(build_surface(RELEASES[1])))
    (tmp_path / "new.json").write_text(dump_surface(build_surface(RELEASES[2])))
    (tmp_path / "mcp-governor.toml").write_text('baseline = "old.json"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(capsys, *arguments: str) -> Page:
    done = governor_here(*arguments, "--format", "html", capsys=capsys)
    assert done.code in (0, 1), done.err
    return Page(done.out)


def test_a_page_has_the_verdict_the_proof_and_every_tool(folder: Path, capsys) -> None:
    made = page(capsys, "check", "new.json")
    assert made.text.startswith("branch-library: fail fail branch-library version 1.1.0")
    assert 'Parameter branch is now required. valid before, invalid now: {"isbn": ""}' in made.text
    assert "required bump: major ; declared: minor (1.0.0 → 1.1.0)" in made.text
    assert "Breaking changes (1)" in made.text
    assert all(name in made.text for name in ("search_books", "get_book", "reserve_copy", "list_branches"))
    ids = [attributes["id"] for attributes in made.of("article")]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in made.of("a")]
    assert links == [f"#{name}" for name in ids], "each item has a link that leads to it"


def test_definitions_are_side_by_side_and_marked_without_color(folder: Path, capsys) -> None:
    made = page(capsys, "check", "new.json")
    cells = [attributes.get("class") for attributes in made.of("td")]
    assert {"gone", "new", "skip"} <= set(cells)
    assert len(made.of("mark")) == cells.count("gone") + cells.count("new")
    out = governor_here("check", "new.json", "--format", "html", capsys=capsys).out
    assert re.search(r'<td class="gone"> *<mark>&quot;ISBN|<td class="gone"> *<mark>&quot;description&quot;', out)


def test_what_is_accepted_does_not_count(folder: Path, capsys) -> None:
    report = governor_here("check", "new.json", "--format", "json", capsys=capsys).report
    found = next(finding["id"] for finding in report["findings"] if finding["rule"] == "clarity/prose-type")
    before = page(capsys, "check", "new.json").text
    (folder / "mcp-governor.toml").write_text(
        f'baseline = "old.json"\n[[accept]]\nfinding = "{found}"\nreason = "known"\n'
    )
    after = page(capsys, "check", "new.json").text
    assert "Findings (2)" in before
    assert "2 errors" in before
    assert "Findings (1)" in after
    assert "1 error" in after
    assert "1 accepted, and not counted above" in after
    assert "Accepted findings (1)" in after


def test_the_page_asks_for_nothing_and_runs_only_its_own_script(folder: Path, capsys) -> None:
    made = page(capsys, "check", "new.json")
    (policy,) = [meta["content"] for meta in made.of("meta") if "http-equiv" in meta]
    digests = {
        name: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for name, text in made.inside.items()
    }
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digests['style']}'; script-src 'sha256-{digests['script']}'; "
        "base-uri 'none'"
    )
    assert not any(name in attributes for _, attributes in made.elements for name in ("src", "style", "srcdoc"))
    assert all(attributes["href"].startswith("#") for attributes in made.of("a"))


NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'><a href=javascript:alert(3)>]]>\x00\u202e"


def nasty(folder: Path) -> None:
    tool = {
        "name": NASTY,
        "description": NASTY,
        "inputSchema": {"type": "object", "properties": {NASTY: {"enum": [NASTY]}}},
    }
    new = {**tool, "inputSchema": {"type": "object", "properties": {NASTY: {"enum": ["x"]}}, "required": [NASTY]}}
    info = {"name": NASTY, "version": NASTY}
    (folder / "old.json").write_text(json.dumps({"serverInfo": info, "tools": [tool]}))
    (folder / "nasty.json").write_text(json.dumps({"serverInfo": info, "tools": [new]}))


def test_words_of_a_server_are_text(folder: Path, capsys) -> None:
    nasty(folder)
    made = page(capsys, "check", "nasty.json")
    assert len(made.of("script")) == 1
    assert not made.of("img")
    assert all(attributes["href"].startswith("#") for attributes in made.of("a"))
    assert not any(name.startswith("on") for _, attributes in made.elements for name in attributes)
    assert "<script>alert(1)</script>" in made.text, "it is shown as text"
    assert "\u202e" not in made.text
    assert "\x00" not in made.text


def test_a_thousand_tools_are_a_page_of_few_megabytes(folder: Path, capsys) -> None:
    base = RELEASES[1]["tools"][0]
    (folder / "many.json").write_text(json.dumps({"tools": [{**base, "name": f"tool_{at}"} for at in range(1_000)]}))
    out = governor_here("lint", "many.json", "--isolated", "--format", "html", capsys=capsys).out
    assert 500_000 < len(out) < 8_000_000
    assert len(Page(out).of("tbody")) == 1_000


CHROMIUM = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)


@pytest.mark.live
@pytest.mark.skipif(CHROMIUM is None or shutil.which("npm") is None, reason="Chromium and npm are needed")
def test_the_page_in_a_browser(folder: Path, capsys) -> None:
    (folder / "a.html").write_text(governor_here("check", "new.json", "--format", "html", capsys=capsys).out)
    nasty(folder)
    (folder / "b.html").write_text(governor_here("check", "nasty.json", "--format", "html", capsys=capsys).out)
    subprocess.run(
        ["npm", "install", "--silent", "--no-save", "playwright-core@1", "axe-core@4"],
        cwd=folder,
        check=True,
        timeout=300,
    )
    script = Path(__file__).with_name("page.mjs")
    done = subprocess.run(
        ["node", str(script), str(CHROMIUM), str(folder / "a.html"), str(folder / "b.html")],
        *(),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for seen in json.loads(done.stdout):
        assert seen["said"] == [], "no error, and no dialog that a server's words opened"
        assert seen["asked"] == [f"file://{seen['file']}"]
        assert seen["violations"] == []
        assert seen["focused"]
        assert not seen["wide"], "the page scrolls to the side"
        assert seen["after"] == seen["before"]
        assert all("reserve" in words for words in seen["visible"])
        if seen["file"].endswith("a.html"):
            assert seen["visible"]
            assert seen["filtered"] != seen["before"]
