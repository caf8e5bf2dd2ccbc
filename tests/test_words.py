"""The list of words of ``tools/words.py`` is kept out of everything that users read."""

from __future__ import annotations

from pathlib import Path

import pytest
import words

ROOT = Path(__file__).resolve().parent.parent


PLANTED = {
    0: ["The section tells it", "It is told once", "an untold change", "telling a server"],
    1: ["The value is no number", "There are two, which are no tools", "it was no schema"],
    2: ["The version is held to the changes", "check holds it to the surface"],
    3: ["See whether it runs"],
    4: ["Write it anew"],
    5: ["Mend the file", "it is mended", "after mending"],
    6: ["a bug of ours"],
    7: ["It is described nowhere"],
    8: ["Install it beside the package"],
    9: ["It is thus gone", "Likewise for tools"],
    10: ["kept for ever"],
    11: ["a text in quotes", "a list of texts"],
    12: ["It stands in the file", "which stood alone"],
    13: ["The server wants credentials"],
    14: ["and further ones"],
}
"""The number of an expression in the list → sentences in which it is found, and nothing else of the list."""

PLAIN = (
    "Parameter `state` of `alerts` has no description.",
    "There is no such pack.",
    "The id is no longer used.",
    "The default is no=0",
    "Whatever it wants to read",
    "Nothing is recommended or amended",
)
"""Sentences that nothing of the list is in."""


def test_every_word_has_a_planted_sentence() -> None:
    assert sorted(PLANTED) == list(range(len(words.WORDS)))


PUBLISHED = "mcp_governor/server/tools.py"
"""A module whose docstrings are part of our MCP surface, and change with its version only."""


def test_nothing_has_a_word_of_the_list() -> None:
    """Neither what users read, nor comments, docstrings and names."""
    found = [hit for hit in words.hits(code=True) if hit.file != PUBLISHED]
    found += words.hits([ROOT / PUBLISHED])
    assert [f"{hit.file}:{hit.line}: {hit.word}: {hit.text}" for hit in found] == []


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a module, a rule and a page, of which nothing is found."""
    monkeypatch.setattr(words, "ROOT", tmp_path)
    for folder in ("mcp_governor", "rules/pack", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    for page in words.PAGES:
        (tmp_path / page).write_text("# A page\n")
    assert list(words.hits()) == []
    return tmp_path


def _found(tree: Path, file: str, text: str) -> list[tuple[str, int, str]]:
    (tree / file).write_text(text)
    return [(hit.file, hit.line, hit.instead) for hit in words.hits()]


@pytest.mark.parametrize(
    ("number", "sentence"), [(number, sentence) for number, sentences in PLANTED.items() for sentence in sentences]
)
def test_a_planted_word_is_found_wherever_users_read_it(tree: Path, number: int, sentence: str) -> None:
    instead = list(words.WORDS.values())[number]
    for file, text, line in (
        ("mcp_governor/message.py", f'"""A module."""\n\nraise ValueError(f"{{1}} {sentence}.")\n', 3),
        ("rules/pack/name.toml", f'id = "pack/name"\nsummary = "x"\nmessage = "{sentence}."\n', 1),
        ("rules/pack/name.toml", f'id = "pack/name"\n[options.most]\nsummary = "{sentence}."\n', 1),
        ("docs/page.md", f"# A page\n\n{sentence}.\n", 3),
        ("README.md", f"# A page\n\n{sentence.upper()}.\n", 3),
    ):
        assert _found(tree, file, text) == [(file, line, instead)]
        (tree / file).write_text("")


@pytest.mark.parametrize("sentence", PLAIN)
def test_plain_sentences_are_left_alone(tree: Path, sentence: str) -> None:
    assert _found(tree, "docs/page.md", f"{sentence}\n") == []
    assert _found(tree, "mcp_governor/message.py", f"TEXT = {sentence!r}\n") == []


def test_code_and_output_on_a_page_are_left_alone(tree: Path) -> None:
    page = (
        "The rule `changelog/untold` and the key `told anew`.\n\n```text\nIt tells nothing.\n```\n\n"
        "~~~\nnobody is told\n~~~\n\n<!-- output: demo -->\nIt is no tool.\n<!-- /output -->\n"
    )
    assert _found(tree, "docs/page.md", page) == []
    assert _found(tree, "docs/page.md", f"{page}\nNobody is told.\n") == [
        ("docs/page.md", 15, next(iter(words.WORDS.values())))
    ]


def test_patterns_docstrings_and_quoted_lines_of_a_module_are_left_alone(tree: Path) -> None:
    module = (
        '"""It tells what is held to what."""\n\nimport re\n\n'
        'PATTERN = re.compile("(?:tells|told) you")\n'
        'QUOTED = "do not tell anyone"  # words: quoted\n'
        "told = 1  # a comment that tells\n"
    )
    assert _found(tree, "mcp_governor/module.py", module) == []
    found = [(hit.line, hit.word) for hit in words.hits(code=True)]
    assert found == [(1, "tells"), (1, "held to"), (7, "told"), (7, "tells")]


def test_examples_of_a_rule_are_left_alone(tree: Path) -> None:
    rule = 'id = "pack/name"\nsummary = "x"\n[[fail]]\n[fail.tool]\ndescription = "It tells whether it is up."\n'
    assert _found(tree, "rules/pack/name.toml", rule) == []
