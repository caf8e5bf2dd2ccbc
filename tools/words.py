"""Words that our texts do without: ``python tools/words.py [--code] [PATH ...]``.

CONTRIBUTING.md says what to write instead ("Style"). Looked through are the texts that users read: strings in
``mcp_governor`` that hold a space, rules, help, public docstrings, and the pages. ``--code`` looks through comments,
docstrings and names as well.

Exit code 1 where a word is found.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tomli

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[1]

WORDS = {
    r"tells?|told|untold|telling": "say, mention, report, announce",
    r"(?<!there )(?:is|are|was|were) no(?= )(?! (?:longer|more|better))": "is not a, has no",
    r"(?:held|holds? \w+) to": "check against",
    r"whether": "if, or say it without",
    r"anew": "again",
    r"mend(?:s|ed|ing)?": "fix, correct",
    r"of ours": "our",
    r"nowhere": "not … anywhere",
    r"beside": "next to, besides, with",
    r"likewise|thus|hence|moreover|thereby|therein": "also, so",
    r"for ever": "forever, always",
    r"a text|texts": "a string, text",
    r"(?:stands?|stood) (?:in(?! for)|under|at|on|there|alone|twice|first|last|before|after|beside)": "is, appears",
    r"wants?(?! to)": "require, expect",
    r"further ones": "others",
}
"""What is not written, as an expression → what is."""

_FOUND = re.compile("|".join(rf"(?P<w{number}>\b(?:{word})\b)" for number, word in enumerate(WORDS)), re.IGNORECASE)
_INSTEAD = tuple(WORDS.values())
_CODE_SPAN = re.compile(r"(```|~~~).*?\1|`[^`\n]*`|<!-- output.*?<!-- /output -->", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{[a-z_]+(?:![a-z])?(?::[a-z0-9]+)?\}")
_PATTERNS = ("compile", "fullmatch", "search", "match", "Guarded")
"""Calls whose arguments are regular expressions."""
_OFF = "words: quoted"
"""A comment with these words on a line says that its text is matched or quoted, not said."""

PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")


class Hit(NamedTuple):
    """A word in a text.

    Attributes:
        file: relative to the repository.
        line: of the text's beginning, or of the word where the text is a page.
        word: as it is written there.
        instead: what to write.
        text: what is around it.
    """

    file: str
    line: int
    word: str
    instead: str
    text: str


def hits_in(text: str, file: str, line: int) -> Iterator[Hit]:
    """The words in a text that begins at a line."""
    for match in _FOUND.finditer(text):
        number = next(int(name[1:]) for name, found in match.groupdict().items() if found)
        start, end = match.span()
        around = " ".join(text[max(0, start - 40) : end + 40].split())
        yield Hit(file, line + text.count("\n", 0, start), match[0], _INSTEAD[number], around)


def _strings(source: str, *, docstrings: bool) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    prose = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    patterns = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(_PATTERNS)
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        said = isinstance(node, ast.Constant) and id(node) not in patterns and (docstrings or id(node) not in prose)
        if said and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


def in_python(path: Path, *, code: bool) -> Iterator[Hit]:
    """The words in the strings of a module; with ``code``, also in docstrings, comments and names."""
    source, file = path.read_text("utf-8"), str(path.relative_to(ROOT))
    lines = source.splitlines()
    for line, text in _strings(source, docstrings=code):
        if _OFF not in lines[line - 1]:
            yield from hits_in(text, file, line)
    for token in tokenize.generate_tokens(io.StringIO(source).readline) if code else ():
        if token.type == tokenize.COMMENT and _OFF not in token.string:
            yield from hits_in(token.string, file, token.start[0])
        elif token.type == tokenize.NAME:
            yield from hits_in(token.string.replace("_", " ").strip(), file, token.start[0])


def in_toml(path: Path) -> Iterator[Hit]:
    """The words in what a rule says; its examples quote servers."""
    document = tomli.loads(path.read_text("utf-8"))
    said = [document] if "id" in document else [table for table in document.values() if isinstance(table, dict)]
    for table in said:
        for value in table.values():
            if isinstance(value, str) and " " in value:
                yield from hits_in(_PLACEHOLDER.sub("X", value), str(path.relative_to(ROOT)), 1)
        for option in table.get("options", {}).values() if isinstance(table.get("options"), dict) else ():
            yield from hits_in(str(option.get("summary", "")), str(path.relative_to(ROOT)), 1)


def in_page(path: Path) -> Iterator[Hit]:
    """The words in a page but for its code and the output that it shows."""
    text = _CODE_SPAN.sub(lambda match: "`" + "\n" * match[0].count("\n") + "`", path.read_text("utf-8"))
    yield from hits_in(text, str(path.relative_to(ROOT)), 1)


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Everything that is looked through, or what of it is under some paths."""
    wanted = [path.resolve() for path in paths]
    every = [
        *sorted((ROOT / "mcp_governor").rglob("*.py")),
        *sorted((ROOT / "rules").rglob("*.toml")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *(ROOT / page for page in PAGES),
    ]
    for path in every:
        if not wanted or any(path == one or path.is_relative_to(one) for one in wanted):
            yield path


def hits(paths: Iterable[Path] = (), *, code: bool = False) -> Iterator[Hit]:
    """The words in all texts that users read, or in those under some paths.

    Args:
        paths: files and folders; all texts if empty.
        code: also comments, docstrings and names of modules.
    """
    for path in files(paths):
        if path.suffix == ".py":
            yield from in_python(path, code=code)
        else:
            yield from in_toml(path) if path.suffix == ".toml" else in_page(path)


def main() -> int:
    """Print the words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", action="store_true", help="also comments, docstrings and names")
    parser.add_argument("paths", nargs="*", type=Path)
    asked = parser.parse_args()
    count = 0
    for hit in hits(asked.paths, code=asked.code):
        count += 1
        print(f"{hit.file}:{hit.line}: {hit.word!r} ({hit.instead}): {hit.text}")
    print(f"{count} words", file=sys.stderr)
    return bool(count)


if __name__ == "__main__":
    sys.exit(main())
