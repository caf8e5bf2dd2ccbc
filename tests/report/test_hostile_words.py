"""Words of strangers are inert in every format: of a server, a changelog, a file's name and a tag."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commandline import governor_here
from test_history import git

from mcp_governor.report import FORMATS

MARKUP = "<script>alert(1)</script>]]>--><img src=x onerror=alert(2)>\"'><a href=javascript:alert(3)>"
COMMANDS = "::error::pwned %0A::error::pwned ##[error]pwned ##vso[task]pwned ##teamcity[pwned]"
MARKDOWN = "a`b``c|d [click](https://evil.example/x) ![i](https://evil.example/i.png) www.evil.example @team #1"
UNSEEN = "\x00\x1b[31mred\u202ebidi\u2066\u200b\x85\u2028\uffff\U000e0041\r"
WORDS = f"{MARKUP}\n::error::pwned\n{COMMANDS}\n| --- |\n# title\n{MARKDOWN}{UNSEEN}:,é"
NAME = "a<b onclick=alert(1)>]]>\"'&%0A::error::x\n::error::x|[c](d)##[error]x`\x1b\u202e\uffff,é"
"""A name that a file can have."""

LONG = '&<`|"' * 900
"""Longer than a line that people read, and five times as long when it is escaped."""

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufffe\uffff\U000e0041]")
OBEYED = re.compile(r"(?m)^\s*::|##\w*\[")
"""What a runner of GitHub, Azure Pipelines or TeamCity obeys."""


def tool(*, required: bool) -> dict[str, object]:
    properties = {WORDS: {"type": "string", "enum": [WORDS, "x"] if not required else ["x"], "description": WORDS}}
    names = {"required": [WORDS]} if required else {}
    schema = {"type": "object", "properties": properties, **names}
    return {"name": WORDS, "title": WORDS, "description": f"{WORDS} TODO", "inputSchema": schema}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which whatever can be named is named by an attacker."""
    other = {"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"enum": [WORDS]}}}}
    gone = {"name": f"gone {WORDS}", "inputSchema": {"type": "object"}}
    long = {"name": "&" * 900, "description": LONG, "inputSchema": {"type": "object", "properties": {LONG: {}}}}
    longer = {**long, "description": f"{LONG}!", "inputSchema": {**long["inputSchema"], "required": [LONG]}}
    same = {"name": "same", "description": WORDS, "inputSchema": {"type": "object"}}
    old = {"serverInfo": {"name": WORDS, "version": "1.0.0"}, "tools": [tool(required=False), other, gone, long, same]}
    # Without a backtick of its own it is code in our sentence.
    fields = {"q": {"enum": ["y"]}, MARKUP: {"type": "string"}}
    narrowed = {**other, "inputSchema": {"type": "object", "properties": fields, "required": ["q", MARKUP]}}
    new = {
        "serverInfo": {"name": WORDS, "version": WORDS + "@" * 2_000},
        "protocolVersion": WORDS,
        "instructions": WORDS,
        "tools": [tool(required=True), narrowed, longer, same],
        "prompts": [{"name": WORDS, "description": WORDS}],
        "resources": [{"name": WORDS, "uri": WORDS}],
    }
    (tmp_path / "mcp-surface.json").write_text(json.dumps(old), "utf-8")
    (tmp_path / f"{NAME}.json").write_text(json.dumps(new), "utf-8")
    entry = WORDS.replace("\n", " ").replace("\r", "").replace("\x00", "")
    log = f"# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `x`\n\n### Added\n\n- `nothing` {entry}\n- {entry}\n"
    (tmp_path / f"{NAME}.md").write_text(log, "utf-8")
    (tmp_path / "mcp-governor.toml").write_text(f"changelog = {json.dumps(f'{NAME}.md')}\n", "utf-8")
    git(tmp_path, "init", "-q", "-b", "main")
    for tag in ("a<b>&'\"|](x)##%0A-1.0.0", "a<b>&'\"|](x)##%0A-1.1.0"):
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "next")
        git(tmp_path, "tag", tag)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


def judge_text(out: str) -> None:
    assert not OBEYED.search(out)


def judge_json(out: str) -> None:
    assert not OBEYED.search(out)
    report = json.loads(out)
    assert report["server"]["name"] == WORDS, "the value is what the server said, whatever it looks like in the file"


def judge_markdown(out: str) -> None:
    from markdown_it import MarkdownIt

    assert not OBEYED.search(out)
    # What was escaped is a token of its own as long as nothing joins it with the text around it.
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).disable("text_join")
    for block in parser.parse(out):
        assert block.type not in ("html_block",) or re.fullmatch(OURS, block.content.strip()), block.content
        for token in block.children or ():
            assert token.type not in ("link_open", "image"), token
            assert token.type != "html_inline" or re.fullmatch(r"<!-- -->|<br>", token.content), token.content
            if token.type == "text":
                assert "<" not in token.content, token.content
                assert not re.search(r"://|www\.|(?<!\w)@\w|(?<!\w)#\d", token.content), token.content
    assert not any(token.type == "heading_open" and token.tag == "h1" for token in parser.parse(out)[1:])


OURS = r"(?:</?details>|<summary>[^<>]*</summary>|\s)*"


def judge_sarif(out: str) -> None:
    (run,) = json.loads(out)["runs"]
    assert run["results"]
    assert not OBEYED.search(out)
    for text in strings(run["results"]):
        assert not CONTROL.search(text), text
    for result in run["results"]:
        # SARIF 2.1.0, 3.11.6: "[text](target)" in a message is a link.
        assert "](" not in result["message"]["text"]
        for location in result["locations"]:
            assert re.fullmatch(r"[\w%./:~-]+", location["physicalLocation"]["artifactLocation"]["uri"], re.ASCII)


def judge_junit(out: str) -> None:
    root = ElementTree.fromstring(out)
    assert {element.tag for element in root.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "system-out"}
    assert root.findall(".//failure")
    assert not OBEYED.search(out)
    # XML 1.0, 2.2: what a document may contain.
    assert re.fullmatch("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*", out)


def judge_github(out: str) -> None:
    lines = out.splitlines()
    assert any(line.startswith("::error ") for line in lines)
    for line in lines:
        assert "##[" not in line
        # A runner obeys "::" at the start of a line alone, and "##[" anywhere in it.
        if line.startswith("mcp-governor: "):
            continue
        match = re.fullmatch(r"::(?:error|warning|notice) ((?:file|line|col|title)=[^,:]*(?:,\w+=[^,:]*)*)::(.*)", line)
        assert match, line
        assert {pair.partition("=")[0] for pair in match[1].split(",")} <= {"file", "line", "col", "title"}
        assert "%0A::" not in match[2], "a line of the message looks like a command"
        assert not re.search("%(?!25|0A|0D|3A|2C)", line), "every percent sign of a stranger is escaped"


def judge_gitlab(out: str) -> None:
    entries = json.loads(out)
    assert entries
    assert not OBEYED.search(out)
    for text in strings(entries):
        assert not CONTROL.search(text), text


def judge_html(out: str) -> None:
    page = _Page()
    page.feed(out)
    assert "History (2 releases)" in out
    assert page.open == []
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not {"img", "iframe", "object", "base", "link", "form"} & set(page.tags)
    assert all(name in KNOWN for name in page.names), set(page.names) - KNOWN
    assert all(href.startswith("#") for href in page.links)
    assert "<script>alert(1)</script>" in "".join(page.words), "it is shown as text"


KNOWN = set(
    re.findall(
        r"\S+",
        "lang charset http-equiv content name class id tabindex data-kind data-words href for type hidden autocomplete "
        "value checked scope colspan role aria-label aria-hidden aria-describedby aria-labelledby "
        "width height viewbox preserveaspectratio x y rx d",
    )
)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names += [name for name, _ in attrs]
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["script"], ["style"]):
            self.words.append(data)


JUDGES = {
    "text": judge_text,
    "json": judge_json,
    "markdown": judge_markdown,
    "sarif": judge_sarif,
    "junit": judge_junit,
    "github": judge_github,
    "gitlab": judge_gitlab,
    "html": judge_html,
}


def test_every_format_is_judged_and_documented() -> None:
    assert set(JUDGES) == {"text", *FORMATS}
    page = (Path(__file__).parents[2] / "docs" / "reports.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.M)) == {"text", *FORMATS}


@pytest.mark.parametrize("name", JUDGES)
def test_words_of_strangers_are_inert(folder: Path, capsys, name: str) -> None:
    done = governor_here("check", f"{NAME}.json", "--profile", "recommended", "--format", name, capsys=capsys)
    assert done.code == 1, done.err
    assert "script" in done.out, "nothing of it is shown, so nothing is tested"
    assert not CONTROL.search(done.out), CONTROL.search(done.out)
    JUDGES[name](done.out)
    # A file is not what a terminal shows, and holds the same.
    target = folder / "report"
    governor_here("check", f"{NAME}.json", "--format", name, "-o", str(target), capsys=capsys)
    written = target.read_text("utf-8")
    assert not CONTROL.search(written)
    JUDGES[name](written)
