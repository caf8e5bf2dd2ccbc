"""The HTML report: what is in it, that nothing of a server is markup, and how it behaves in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browsers import browser, driven
from commandline import governor_here
from test_history import git, release

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
    assert made.text.startswith("branch-library: fail fail branch-library version 1.1.0 failed by: policy/bump")
    assert 'Parameter branch is now required. valid before, invalid now: {"isbn": "example"}' in made.text
    step = "required bump: major (argument-required in reserve_copy); declared: minor (1.0.0 → 1.1.0)"
    assert f"{step}, which is too small: it takes 2.0.0" in made.text
    assert "Breaking changes (1)" in made.text
    assert all(name in made.text for name in ("search_books", "get_book", "reserve_copy", "list_branches"))
    ids = [attributes["id"] for attributes in made.of("article")]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in made.of("a") if attributes.get("class") == "self"]
    assert links == [f"#{name}" for name in ids], "each item has a link that leads to it"
    assert {attributes["href"] for attributes in made.of("a")} == set(links), "rows of tools lead to items"


def test_definitions_are_side_by_side_and_marked_without_color(folder: Path, capsys) -> None:
    made = page(capsys, "check", "new.json")
    cells = [(attributes.get("class") or "").removesuffix(" here") for attributes in made.of("td")]
    assert {"gone", "new", "skip"} <= set(cells)
    assert len(made.of("mark")) == cells.count("gone") + cells.count("new")
    style = made.inside["style"]
    assert '.gone::before { content: "−"; }' in style
    assert '.new::before { content: "+"; }' in style
    out = governor_here("check", "new.json", "--format", "html", capsys=capsys).out
    assert re.search(r'<td class="gone"> *<mark>"ISBN|<td class="gone"> *<mark>"description"', out)


def definition(out: str, tool: str) -> str:
    """The definition of a tool, as the page folds it."""
    body = unfolded(out, tool)
    return body[re.search('<table class="sides">|<pre>(?=[{])', body).start() :]


def unfolded(out: str, tool: str) -> str:
    """What the row of a tool unfolds to."""
    rows = out.split('<details class="row" ')[1:]
    (row,) = (one for one in rows if re.match(rf'data-words="{tool}[" ]', one))
    return row.partition("</summary>")[2].partition("</details>")[0]


def test_a_break_shows_the_place_before_and_after(folder: Path, capsys) -> None:
    """The property that the change is about, marked on both sides, and the list that requires it; nothing else."""
    out = governor_here("check", "new.json", "--format", "html", capsys=capsys).out
    (item,) = re.findall('<article class="item breaking".*?</article>', out, re.DOTALL)
    rows = [
        tuple(re.sub("<.*?>", "", unescape(cell)).strip() for cell in re.findall("<td.*?</td>", row))
        for row in re.findall("<tr>(.*?)</tr>", item)[1:]
    ]
    said = '"description": "Where to pick it up; the reader\'s home branch if left out.",'
    assert rows == [
        *(("{", "{"), ("⋯", "⋯"), ('"inputSchema": {', '"inputSchema": {'), ("⋯", "⋯")),
        *(('"properties": {', '"properties": {'), ('"branch": {', '"branch": {'), (said, said)),
        *(('"type": "string"', '"type": "string"'), ("},", "},"), ("⋯", "⋯"), ("},", "},")),
        *(('"required": [', '"required": ['), ('"isbn"', '"isbn",'), ("", '"branch"'), ("],", "],")),
        *(("},", "},"), ("}", "}")),
    ]
    assert re.findall(r'<td class="(\w+) here"> *"branch"', item) == ["same", "same"]
    assert re.findall('<td class="new"> *<mark>(.*?)</mark>', item) == ['"branch"']


def counts(out: str) -> dict[str, list[str]]:
    """Tool → changes, errors, warnings and remarks in its row."""
    rows = re.findall(r'<summary class="tool"><code>(.*?)</code>(.*?)</summary>', out)
    return {name: re.findall(r"([0-9]+)<i> (?:change|error|warning|remark)s?<", cells) for name, cells in rows}


def test_edits_of_many_tools_are_one_item_with_a_link_to_each(folder: Path, capsys) -> None:
    def surface(*required: str) -> str:
        schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": list(required)}
        listed = [{"name": f"tool_{at}", "description": "x", "inputSchema": schema} for at in range(40)]
        return json.dumps({"tools": listed})

    (folder / "old.json").write_text(surface())
    (folder / "new.json").write_text(surface("id"))
    made = page(capsys, "diff", "old.json", "new.json")
    (item,) = made.of("article")
    assert "Breaking changes (40)" in made.text
    assert "argument-required × 40" in made.text
    assert all(f"tool_{at} " in (item["data-words"] or "") for at in range(40)), "the filter finds each of them"
    links = [attributes["href"] for attributes in made.of("a") if attributes.get("class") != "self"]
    anchors = {f"#{attributes['id']}" for _, attributes in made.elements if attributes.get("id")}
    assert len(set(links)) == 40
    assert set(links) <= anchors


def test_a_description_is_rendered_and_leads_nowhere(folder: Path, capsys) -> None:
    text = (
        "Finds *notes*. Use `q`.\n\n- one\n- two\n\n# Not a heading\n\n[a link](javascript:alert(1)) ![p](http://x.example/p.png)"
        " <https://x.example> <b onclick=alert(1)>bold</b>\n\n[r]: http://x.example\n\n```js\nlet a = '</code>';\n```\n"
    )
    tool = {"name": "find", "description": text, "inputSchema": {"type": "object"}}
    (folder / "new.json").write_text(json.dumps({"tools": [tool]}))
    out = governor_here("lint", "new.json", "--format", "html", capsys=capsys).out
    shown = re.search('<div class="prose">(.*?)</div>', out, re.DOTALL)
    assert shown is not None
    assert shown[1].startswith(
        "<p>Finds <em>notes</em>. Use <code>q</code>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>"
    )
    assert "<p># Not a heading</p>" in shown[1]
    assert set(re.findall("<([a-z]+)", shown[1])) == {"p", "em", "code", "ul", "li", "pre"}
    assert "[a link](javascript:alert(1)) ![p](http://x.example/p.png)" in shown[1]
    assert "&lt;b onclick=alert(1)&gt;bold&lt;/b&gt;" in shown[1]


def test_the_order_of_members_is_not_a_difference(folder: Path, capsys) -> None:
    """A recording is sorted, and what a server sends is not."""
    (folder / "old.json").write_text(
        '{"tools": [{"description": "x", "inputSchema": {"properties": {"a": {"type": "string", "title": "t"}, "b": {}}'
        ', "type": "object"}, "name": "find"}], "serverInfo": {"name": "s", "version": "1"}}'
    )
    (folder / "new.json").write_text(
        '{"tools": [{"name": "find", "description": "x", "inputSchema": {"type": "object", "properties": {"b": {}'
        ', "a": {"title": "t", "type": "number"}}}}], "serverInfo": {"name": "s", "version": "1"}}'
    )
    out = governor_here("check", "new.json", "--format", "html", capsys=capsys).out
    marked = re.findall(r'<td class="(gone|new)"> *<mark>(.*?)</mark>', definition(out, "find"))
    assert marked == [("gone", '"type": "string"'), ("new", '"type": "number"')]


def test_the_filter_has_words_of_every_item_and_tool(folder: Path, capsys) -> None:
    made = page(capsys, "check", "new.json")
    words = [attributes["data-words"] or "" for attributes in made.of("article")]
    assert len(words) == 6, "four changes and two findings"
    assert "argument-required reserve_copy /inputschema/properties/branch parameter `branch` is now required" in words
    assert any(text.startswith("clarity/prose-type ") and "isbn" in text and "get_book" in text for text in words)
    rows = [attributes["data-words"] for attributes in made.of("details") if attributes.get("class") == "row"]
    assert rows == [
        "get_book schema-description-changed clarity/prose-type",
        "list_branches tool-added",
        "reserve_copy argument-required",
        "search_books argument-added",
    ], "as recorded, with what was found"
    assert 'querySelectorAll("[data-words]")' in made.inside["script"]
    assert {attributes["data-kind"] for attributes in made.of("article")} == {
        "breaking",
        "compatible",
        "wording",
        "error",
    }
    boxes = [attributes["value"] for attributes in made.of("input") if attributes["type"] == "checkbox"]
    assert boxes == ["breaking", "compatible", "wording", "error"]


def test_a_section_that_is_cut_says_so(folder: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.report.html._MAX_ROWS", 1)
    made = page(capsys, "check", "new.json")
    said = "The first 1 are shown; the JSON report lists all of them."
    assert made.text.count(said) == 2, "of two compatible changes and two findings"
    assert "Compatible changes (2)" in made.text
    assert "Findings (2)" in made.text
    assert len(made.of("article")) == 4
    monkeypatch.setattr("mcp_governor.report.tool_list._MAX_TOOLS", 1)
    made = page(capsys, "check", "new.json")
    assert "Tools (4)" in made.text
    assert "The first 1 tools are shown." in made.text
    (row,) = (one["data-words"] or "" for one in made.of("details") if one.get("class") == "row")
    assert row.startswith("get_book ")


def test_an_accepted_change_is_apart_and_not_counted(folder: Path, capsys) -> None:
    report = governor_here("check", "new.json", "--format", "json", capsys=capsys).report
    (broken,) = [change["id"] for change in report["changes"] if change["verdict"] == "breaking"]
    (folder / "mcp-governor.toml").write_text(
        f'baseline = "old.json"\n[[accept]]\nfinding = "{broken}"\nreason = "nobody reserves"\n'
    )
    made = page(capsys, "check", "new.json")
    assert "3 changes: 2 compatible, 1 wording" in made.text
    assert "Breaking changes" not in made.text
    assert "Accepted changes (1)" in made.text
    assert "accepted: nobody reserves" in made.text
    counts = re.search(r"reserve_copy standard [\d,]+ tokens (?:\(\+[\d,]+\) )?(\d+) change", made.text)
    assert counts is not None
    assert counts[1] == "0"


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


@pytest.mark.live
def test_the_page_in_a_browser(folder: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    browser()
    home = folder / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "mcp-governor.toml").write_text("")
    git(home, "init", "-q", "-b", "main")
    for number, old in enumerate(RELEASES):
        release(home, dump_surface(build_surface(RELEASES[old])), f"v1.{number}.0")
    (home / "now.json").write_text((folder / "new.json").read_text())
    for name, words in {"a": ("check", "now.json", "--against", "git:v1.0.0"), "b": ("check", "nasty.json")}.items():
        if name == "b":
            monkeypatch.chdir(folder)
            nasty(folder)
        out = governor_here(*words, "--format", "html", capsys=capsys).out
        assert ("History (" in out) == (name == "a")
        (folder / f"{name}.html").write_text(out)
    usual, hostile = driven(
        Path(__file__).with_name("page.mjs"),
        str(folder / "a.html"),
        str(folder / "b.html"),
        folder=folder,
        packages=("playwright-core@1", "axe-core@4"),
    )
    for seen in (usual, hostile):
        assert seen["said"] == [], "no error, and no dialog that a server's words opened"
        assert seen["asked"] == [f"file://{seen['file']}"]
        assert seen["after"] == seen["before"]
        assert all("reserve" in words for words in [*seen["articles"], *seen["tools"]])
        first, second, *_ = seen["ids"]
        assert seen["steps"] == [first, second, first], "j, j, k"
        assert seen["left"]
        assert seen["kind"] not in seen["left"]
        assert seen["unfolded"]
        assert seen["deep"] == {"id": seen["ids"][-1], "seen": True, "outline": "solid"}
        for looked in seen["looks"]:
            assert looked["violations"] == [], looked
            assert looked["said"] == []
            assert looked["wide"] <= 0, "the page scrolls to the side"
        papers = {looked["colorScheme"]: looked["paper"] for looked in seen["looks"]}
        assert papers == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}
        assert not seen["bare"]["bar"], "without script nothing promises a filter"
        assert "Breaking changes (" in seen["bare"]["text"]
    assert usual["filtered"] != usual["before"]
    assert usual["articles"]
    assert usual["tools"] == ["reserve_copy argument-required"]
    assert not any(head.startswith("History") for head in usual["heads"]), "a filter leaves what it found"
    assert "History (" in usual["bare"]["text"]
