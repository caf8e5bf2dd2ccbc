"""Links in terminals: who gets them, what they lead to, and that nothing of a stranger is in them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from commandline import PYTHON, governor_here
from support import REPO

pytest.importorskip("termios")

from terminals import COLOR, on_terminal

from mcp_governor import installation
from mcp_governor.cli.terminal import takes_links, url_of

LINK = re.compile(r"\x1b\]8;(?:id=\d+)?;([^\x1b]*)\x1b\\(.*?)\x1b\]8;;\x1b\\", re.DOTALL)
FORCED = {"FORCE_HYPERLINK": "1"}
DOCS = "https://docs.example.org/governor"
WITH_DOCS = (
    PYTHON,
    "-c",
    f"from mcp_governor import installation as i; i.documentation = lambda: {DOCS!r}\n"
    "from mcp_governor.cli import main; main()",
)


class Terminal:
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tool = {"name": "find", "description": "", "inputSchema": {"type": "object"}}
    (tmp_path / "warned.json").write_text(json.dumps({"tools": [tool]}, indent=1))
    return tmp_path


@pytest.mark.parametrize(
    ("environ", "links"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.1.0"}, True),
        ({"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809-5046fc22"}, True),
        ({"TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.71.0"}, False),
        ({"TERM_PROGRAM": "vscode"}, False),
        ({"TERM_PROGRAM": "ghostty"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "screen-256color"}, False),
        ({"WT_SESSION": "x"}, True),
        ({"VTE_VERSION": "5000"}, False),
        ({"VTE_VERSION": "7600"}, True),
        ({"VTE_VERSION": "x"}, False),
        ({"VTE_VERSION": "7600", "CI": "true"}, False),
        ({"CI": "true", **FORCED}, True),
        ({"FORCE_HYPERLINK": "0", "VTE_VERSION": "7600"}, False),
    ],
    ids=str,
)
def test_which_terminals_have_links(monkeypatch, environ: dict, links: bool) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert takes_links(Terminal(), environ) == links


def test_a_place_leads_to_its_file(folder: Path) -> None:
    screen = on_terminal("lint", "warned.json", cwd=folder, **FORCED)
    # Without pages there is nothing for a rule to lead to.
    assert {url for url, _ in LINK.findall(screen.text)} == {(folder / "warned.json").as_uri()}
    shown = [COLOR.sub("", text) for _, text in LINK.findall(screen.text)]
    assert any(re.fullmatch(r"warned\.json:\d+:\d+", text) for text in shown)
    # The words are the same, and so is where lines end.
    assert LINK.sub(r"\2", screen.text) == on_terminal("lint", "warned.json", cwd=folder).text


@pytest.mark.parametrize(
    ("options", "env"),
    [((), {}), ((), {"NO_COLOR": "1", **FORCED}), ((), {"TERM": "dumb", **FORCED}), (("--color", "never"), FORCED)],
    ids=["unknown terminal", "NO_COLOR", "dumb", "--color never"],
)
def test_who_gets_no_links(folder: Path, options: tuple, env: dict) -> None:
    assert b"\x1b]" not in on_terminal("lint", "warned.json", *options, cwd=folder, **env).written


def test_no_file_and_no_pipe_has_links(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    for name, value in {**FORCED, "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert "\x1b]" not in governor_here("lint", "warned.json", capsys=capsys).out
    screen = on_terminal("lint", "warned.json", "-o", "out.txt", "--color", "always", cwd=folder, **FORCED)
    assert b"\x1b]" not in screen.written
    written = (folder / "out.txt").read_text()
    assert "\x1b[" in written
    assert "\x1b]" not in written


def test_a_rule_leads_to_its_page(folder: Path) -> None:
    shown = on_terminal("lint", "warned.json", cwd=folder, program=WITH_DOCS, **FORCED).text
    links = {COLOR.sub("", text): url for url, text in LINK.findall(shown)}
    assert links["clarity/length"] == f"{DOCS}/rules/clarity/#length"
    # The page that is linked is one that the docs have.
    assert "\n## length\n" in (REPO / "docs/rules/clarity.md").read_text()


def test_a_name_of_a_stranger_is_encoded(folder: Path) -> None:
    name = "a\x1b]8;;http:evil\x1b\\ \u202e%.json"
    shutil.copy(folder / "warned.json", folder / name)
    written = on_terminal("lint", name, "-v", cwd=folder, **FORCED).written.decode()
    assert "evil" in written
    assert "]8;;http:evil" not in LINK.sub("", written).replace(r"\x1b]8;;http:evil", "")
    assert all(url.isascii() and url.isprintable() and " " not in url for url, _ in LINK.findall(written))
    assert "\u202e" not in written


def test_what_is_no_file_has_no_link(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert url_of("file:warned.json") == (folder / "warned.json").as_uri()
    for name in ("gone.json", "", ".", "a\0b", "x" * 5_000, "git:HEAD"):
        assert url_of(f"file:{name}") == ""
    monkeypatch.setattr(installation, "documentation", lambda: DOCS)
    for rule in ("own/rule", "clarity", "clarity/length/../x", "\x1b]"):
        assert url_of(f"rule:{rule}") == ""


def test_sarif_names_the_pages_where_there_are_some(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    for docs in ("", DOCS):
        monkeypatch.setattr(installation, "documentation", lambda docs=docs: docs)
        monkeypatch.setattr("mcp_governor.report.sarif.documentation", installation.documentation)
        document = json.loads(governor_here("lint", "warned.json", "--format", "sarif", capsys=capsys).out)
        driver = document["runs"][0]["tool"]["driver"]
        pages = {rule["id"]: rule.get("helpUri") for rule in driver["rules"]}
        assert driver.get("informationUri") == (docs or None)
        assert pages["clarity/length"] == (f"{DOCS}/rules/clarity/#length" if docs else None)


@pytest.mark.parametrize(
    ("urls", "found"),
    [
        (["Source, https://example.org/a"], ""),
        (["Documentation, https://example.org/docs/"], "https://example.org/docs"),
        (["Documentation, javascript:alert(1)"], ""),
        (None, ""),
    ],
)
def test_where_the_documentation_is(monkeypatch, urls, found: str) -> None:
    class Metadata:
        def get_all(self, name: str):
            assert name == "Project-URL"
            return urls

    monkeypatch.setattr("importlib.metadata.metadata", lambda name: Metadata())
    assert installation.documentation.__wrapped__() == found
