"""The pages as readers meet them: links and anchors, the site, the package index, and a complete reference."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tomli
from markdown_it import MarkdownIt
from support import missing, uv

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_of_the_site", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    sys.path.append(str(ROOT / "tools"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


site = _load("site")


def links(text: str) -> Iterator[tuple[int, str]]:
    """Line of the paragraph, and target, of every link and picture of a page."""
    for block in MarkdownIt("commonmark").enable("table").parse(text):
        for inline in block.children or ():
            target = inline.attrs.get("href") or inline.attrs.get("src")
            if isinstance(target, str):
                yield (block.map or [0])[0] + 1, target


@cache
def anchors(page: Path) -> set[str]:
    """What a link can lead to on a page: its headings, as forges and the site name them, and what is marked by hand."""
    text = page.read_text("utf-8")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            words = "".join(part.content for part in inline.children or ())
            slug = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
            number = sum(slug == other or re.fullmatch(rf"{re.escape(slug)}-\d+", other) is not None for other in found)
            found.add(f"{slug}-{number}" if slug in found else slug)
    return found


def broken(page: Path, text: str) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for line, target in links(text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z][a-z+.-]*:", path):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            wrong.append(f"line {line}: {target}: there is no such file")
        elif line_number := re.fullmatch(r"L(\d+)", anchor):
            if int(line_number[1]) > len(file.read_text("utf-8").splitlines()):
                wrong.append(f"line {line}: {target}: there is no such line")
        elif anchor and anchor not in anchors(file):
            wrong.append(f"line {line}: {target}: there is no such heading")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text("utf-8")) == []


def test_a_link_that_leads_nowhere_is_found() -> None:
    text = (
        "[a](docs/guide.md)\n\n| b |\n| --- |\n| [b](docs/moon.md) |\n\n"
        "[c](README.md#moon) [d](README.md#limits)\n\n[e](LICENSE#L1) [f](LICENSE#L9999)\n"
    )
    assert broken(ROOT / "README.md", text) == [
        "line 5: docs/moon.md: there is no such file",
        "line 7: README.md#moon: there is no such heading",
        "line 9: LICENSE#L9999: there is no such line",
    ]


def _named(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        inside = next(iter(entry.values())) if isinstance(entry, dict) else entry
        if isinstance(inside, str):
            yield inside
        else:
            yield from _named(inside)


def test_every_page_is_in_the_navigation_once() -> None:
    nav = tomli.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    pages = sorted(copy.relative_to(site.STAGED).as_posix() for copy in site.sources(Path()).values())
    assert sorted(_named(nav)) == pages, "name the page in nav of zensical.toml"


def test_the_copy_of_a_page_leads_to_copies_and_keeps_code() -> None:
    copies = {ROOT / "README.md": Path("p/index.md"), ROOT / "docs" / "rules" / "README.md": Path("p/rules/index.md")}
    text = (
        "[r](docs/rules) [s](docs/rules/README.md#a) [`f`](Makefile) [w](https://a.example) [h](#b) `[x](Makefile)`\n"
        "<!-- words -->\n```console\nmake docs\n```\n```console\n$ a\n<!-- kept -->\n[y](Makefile)\n```\n"
    )
    assert site.staged(text, ROOT / "README.md", copies) == (
        "[r](rules/index.md) [s](rules/index.md#a) `f` [w](https://a.example) [h](#b) `[x](Makefile)`\n"
        "```bash\nmake docs\n```\n```console\n$ a\n<!-- kept -->\n[y](Makefile)\n```\n"
    )


@pytest.mark.parametrize(
    ("output", "html"),
    [
        ("plain <b> & `c`", "plain &lt;b&gt; &amp; `c`"),
        (
            "\x1b[1;31m✗\x1b[0m a \x1b[36mb\x1b[0m",
            '<span class="ansi-1 ansi-31">✗</span> a <span class="ansi-36">b</span>',
        ),
        ("\x1b[2ma\nb", '<span class="ansi-2">a\nb</span>'),
    ],
)
def test_colors_of_a_terminal_are_classes_of_the_style(output: str, html: str) -> None:
    assert site.demo_output.terminal(output) == f'<div class="terminal"><pre><code>{html}</code></pre></div>\n'
    style = (ROOT / "docs" / "site.css").read_text("utf-8")
    assert all(f".{name} {{" in style for name in re.findall(r"ansi-\d+", html))


@pytest.mark.live
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    (generator,) = tomli.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["docs"]
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    pages = site.stage(tmp_path)
    run = [uv(), "tool", "run", "--quiet", "--from", generator, "zensical"]
    if subprocess.run([*run, "--version"], capture_output=True, check=False, timeout=120).returncode:
        missing(f"{generator} cannot be installed")
    done = subprocess.run(
        [*run, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = sorted((tmp_path / site.BUILT).rglob("*.html"))
    reports = [page for page in built if page.parent.name == "gallery"]
    assert [page.name for page in reports] == ["page.html", "sweep.html"]
    assert len(built) == pages + 1 + len(reports), "every page, and the one of what is not found"
    first = (tmp_path / site.BUILT / "index.html").read_text("utf-8")
    assert '<span class="ansi-1 ansi-31">argument-required</span>' in first
    plain = re.findall('<div class="terminal"><pre><code>(.*?)</code>', first, re.DOTALL)
    outputs = re.findall("```text\n(✗ .*?|branch-library .*?)\n```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert [unescape(re.sub("<[^>]*>", "", text)) for text in plain] == outputs, "the colors are all that is new"
    assert site.fetched(tmp_path) == []
    built[0].write_text('<script src="https://moon.example/x.js"></script><a href="https://moon.example">m</a>')
    assert site.fetched(tmp_path) == [f"{built[0].name}: https://moon.example/x.js"]


def test_the_package_index_shows_no_link_into_the_repository() -> None:
    hook = tomli.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["metadata"]["hooks"]
    text = (ROOT / "README.md").read_text("utf-8")
    for change in hook["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    found = [target for _, target in links(text)]
    assert found
    assert [target for target in found if not target.startswith(("https://", "#"))] == []
    assert {target[1:] for target in found if target.startswith("#")} <= anchors(ROOT / "README.md")
    assert "](docs/" not in text
