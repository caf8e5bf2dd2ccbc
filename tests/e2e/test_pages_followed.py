"""Every block of commands in README.md, docs/ and examples/, typed by a reader who does what it says (``pages.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import HELP, Begun, Edited, Excused, Step, Typed, Written, shows, steps
from places import PLACES
from support import REPO

PAGES = sorted(
    page
    for page in (*REPO.glob("*.md"), *(REPO / "docs").rglob("*.md"), *REPO.glob("examples/**/README.md"))
    if page.name != "mcp-schema-changelog.md"
)
EXCUSED = 9
"""How many blocks on all pages say ``not run``. Rather make a place where a new one can be run."""


def name_of(page: Path) -> str:
    return page.relative_to(REPO).as_posix()


def journeys(text: str) -> list[tuple[Begun, list[Step]]]:
    """Each part of a page that begins in a place of its own: the place, and what is done there.

    Raises:
        ValueError: a block that cannot be followed, or has no place; the message says where and what to do.
    """
    found: list[tuple[Begun, list[Step]]] = []
    for step in steps(text):
        if isinstance(step, Begun):
            if step.name not in PLACES:
                raise ValueError(f"line {step.line}: there is no place {step.name} in {', '.join(sorted(PLACES))}")
            found.append((step, []))
        elif found:
            found[-1][1].append(step)
        elif not isinstance(step, Excused):
            raise ValueError(f"line {step.line}: nothing says where this block is run.\n{HELP}")
    return [(begun, done) for begun, done in found if any(isinstance(step, Typed) for step in done)]


def parts() -> list[object]:
    """One case for each journey of each page. A page that cannot be read has none; its own test says why."""
    cases: list[object] = []
    for page in PAGES:
        try:
            found = journeys(page.read_text("utf-8"))
        except ValueError:
            continue
        for begun, done in found:
            if begun.name == "release":  # below, where the server changes in between
                continue
            marks = [pytest.mark.live] if PLACES[begun.name].live else []
            if page.name == "README.md" and page.parent == REPO:
                marks.append(pytest.mark.readme)
            cases.append(pytest.param(begun.name, done, id=f"{name_of(page)}-{begun.name}", marks=marks))
    return cases


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_of_a_page_can_be_followed(page: Path) -> None:
    try:
        journeys(page.read_text("utf-8"))
    except ValueError as error:
        pytest.fail(f"{name_of(page)}, {error}", pytrace=False)


@pytest.mark.parametrize(("name", "done"), parts())
def test_a_page_is_followed(name: str, done: list[Step], tmp_path: Path) -> None:
    PLACES[name].make(tmp_path).follow(done)


def test_few_blocks_are_not_run() -> None:
    excused = [
        f"{name_of(page)}:{step.line}: {step.reason}"
        for page in PAGES
        for step in steps(page.read_text("utf-8"))
        if isinstance(step, Excused)
    ]
    assert len(excused) == EXCUSED, "\n".join(excused)


@pytest.mark.live
def test_the_first_lines_of_the_readme_find_a_break_without_any_set_up(tmp_path: Path) -> None:
    begun, first = journeys((REPO / "README.md").read_text("utf-8"))[0]
    assert begun.name == "release"
    lines = [step.command for step in first if isinstance(step, Typed)]
    reader = PLACES["release"].make(tmp_path)
    same = reader.types(lines[0])
    assert "no changes" in same.stdout
    assert same.returncode == 0, same.stdout
    source, signature = "src/codetree/server.py", "def find_references(symbol_name: str"
    reader.follow([Edited(0, source, f"{signature}) -> str:", f"{signature}, directory: str) -> str:")])
    reported, gate = (reader.types(line) for line in lines)
    assert reported.returncode == gate.returncode == 1
    for seen in (reported, gate):
        assert "✗ required-argument-added  find_references /inputSchema/properties/directory" in seen.stdout
        assert 'valid before, invalid now: {"symbol_name": "example"}' in seen.stdout
    assert "changelog/" not in gate.stdout
    assert "clarity/" not in gate.stdout
    assert reader.types("git status --porcelain").stdout.split() == ["M", source], "nothing is written"


@pytest.mark.parametrize(
    ("screen", "text", "same"),
    [
        (("a", "b"), "a\nb\n", True),
        (("a", "b"), "a\nx\nb\n", False),
        (("a", "…", "b"), "a\nb\n", True),
        (("a", "…", "b"), "a\nx\ny\nb\n", True),
        (("a", "…"), "a\n", True),
        (("a …, 1.2 s",), "a lot, 1.2 s\n", True),
        (("a … z",), "a\nz\n", False),
        (("a.c",), "abc\n", False),
        ((), "", True),
        ((), "a\n", False),
    ],
)
def test_a_screen_with_gaps(screen: tuple[str, ...], text: str, same: bool) -> None:
    assert shows(screen, text) == same


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("```console\nmcp-governor check\n```\n", "nothing says where this block is run"),
        ("```sh\nmcp-governor check\n```\n", "nothing says where this block is run"),
        ("```diff\n--- a.py\n-x\n+y\n```\n", "nothing says where this block is run"),
        ("```\nmcp-governor check\n```\n", "no language"),
        ("<!-- journey: moon -->\n```console\na\n```\n", "no place moon"),
        ("<!-- journey: example -->\n```console\na\n$ b\n```\n", "does not begin with a command"),
        ("<!-- journey: example -->\n```console\n```\n", "is empty"),
        ("<!-- journey: example -->\n```console\na\n", "does not end"),
        ("<!-- exits: 1 -->\ntext\n", "no block follows"),
    ],
)
def test_a_block_that_cannot_be_followed_is_refused(page: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"line [12]: .*{reason}"):
        journeys(page)


def test_a_page_is_read() -> None:
    page = (
        "text\n<!-- journey: sdk -->\n```console\n$ a\nb\nFAIL\n$ c \\\n> d\n```\n```diff\n--- f.py\n x\n-y\n+z\n```\n"
        "<!-- exits: 1 -->\n```sh\n# words\ne\n```\n<!-- file: g.txt -->\n```text\nh\n```\n"
        "<!-- not run: no reason -->\n```console\ni\n```\n```diff\n--- a\n+++ b\n```\n```toml\nj = 1\n```\n"
    )
    begun, first, second, edited, listed, written, excused = steps(page)
    assert begun == Begun(2, "sdk")
    assert (first, second) == (Typed(4, "a", ("b", "FAIL")), Typed(7, "c \\\nd", ()))
    assert isinstance(first, Typed)
    assert first.fails
    assert edited == Edited(10, "f.py", "x\ny\n", "x\nz\n")
    assert listed == Typed(19, "e", None, 1)
    assert written == Written(22, "g.txt", "h\n")
    assert excused == Excused(26, "no reason")


@pytest.mark.parametrize("screen", ["another line", "FAIL", ""])
def test_a_reader_who_sees_something_else_stops(screen: str, tmp_path: Path) -> None:
    reader = PLACES["example"].make(tmp_path)
    with pytest.raises(AssertionError, match="line 3"):
        reader.follow([Typed(3, "echo one line", tuple(screen.split("\n")) if screen else ())])
    with pytest.raises(AssertionError, match="line 4"):
        reader.follow([Typed(4, "exit 3", None)])
    reader.follow([Typed(5, "echo one line", ("one …",)), Typed(6, "exit 3", None, 3)])
