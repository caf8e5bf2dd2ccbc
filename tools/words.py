"""Words to avoid in this project: ``python tools/words.py [--code] [PATH ...]``.

CONTRIBUTING.md says what to write instead ("Style"). The check reads everything that users read: strings with a space
in ``mcp_governor``, rules, help, and the pages. ``--code`` adds comments, docstrings and names, and those of the tools.

Exits with 1 if a word is found.
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
"""Regular expression for words to avoid → what to write instead."""

_FOUND = re.compile("|".join(rf"(?P<w{number}>\b(?:{word})\b)" for number, word in enumerate(WORDS)), re.IGNORECASE)
_INSTEAD = tuple(WORDS.values())
_CODE_SPAN = re.compile(r"(```|~~~).*?\1|`[^`\n]*`|<!-- output.*?<!-- /output -->", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{[a-z_]+(?:![a-z])?(?::[a-z0-9]+)?\}")
_PATTERNS = ("compile", "fullmatch", "search", "match", "Guarded", "lazy_pattern")
"""Calls whose arguments are regular expressions."""
_OFF = "words: quoted"
"""A comment with these words marks a line whose text is matched or quoted."""

PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")


class Hit(NamedTuple):
    """A word to avoid.

    Attributes:
        file: relative to the repository.
        line: where the string begins, or the line of the word if the file is a page.
        word: as written.
        instead: what to write.
        text: the text around it.
    """

    file: str
    line: int
    word: str
    instead: str
    text: str


def hits_in(text: str, file: str, line: int) -> Iterator[Hit]:
    """Words to avoid in a string that begins at a line."""
    for match in _FOUND.finditer(text):
        number = next(int(name[1:]) for name, found in match.groupdict().items() if found)
        start, end = match.span()
        around = " ".join(text[max(0, start - 40) : end + 40].split())
        yield Hit(file, line + text.count("\n", 0, start), match[0], _INSTEAD[number], around)


def _strings(source: str, *, docstrings: bool) -> Iterator[tuple[int, str]]:
    nodes = list(ast.walk(ast.parse(source)))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    patterns = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(_PATTERNS)
        for part in ast.walk(node)
    }
    for node in nodes:
        said = isinstance(node, ast.Constant) and id(node) not in patterns and (docstrings or id(node) not in prose)
        if said and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


def in_python(path: Path, *, code: bool) -> Iterator[Hit]:
    """Words to avoid in the strings of a module; with ``code``, also in docstrings, comments and names."""
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
    """Words to avoid in the text of a rule; its examples quote servers."""
    document = tomli.loads(path.read_text("utf-8"))
    said = [document] if "id" in document else [table for table in document.values() if isinstance(table, dict)]
    for table in said:
        for value in table.values():
            if isinstance(value, str) and " " in value:
                yield from hits_in(_PLACEHOLDER.sub("X", value), str(path.relative_to(ROOT)), 1)
        for option in table.get("options", {}).values() if isinstance(table.get("options"), dict) else ():
            yield from hits_in(str(option.get("summary", "")), str(path.relative_to(ROOT)), 1)


def in_page(path: Path) -> Iterator[Hit]:
    """Words to avoid in a page, apart from code and output."""
    text = _CODE_SPAN.sub(lambda match: "`" + "\n" * match[0].count("\n") + "`", path.read_text("utf-8"))
    yield from hits_in(text, str(path.relative_to(ROOT)), 1)


def files(paths: Iterable[Path], *, code: bool = False) -> Iterator[Path]:
    """The files to check, or those of them under some paths."""
    wanted = [path.resolve() for path in paths]
    every = [
        # The built-in rules are a copy of those in rules/.
        *(path for path in sorted((ROOT / "mcp_governor").rglob("*.py")) if path.name != "builtin_rules.py"),
        *sorted((ROOT / "rules").rglob("*.toml")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *(ROOT / page for page in PAGES),
        *(path for path in sorted((ROOT / "tools").glob("*.py")) if code and path.name != "words.py"),
    ]
    for path in every:
        if not wanted or any(path == one or path.is_relative_to(one) for one in wanted):
            yield path


def hits(paths: Iterable[Path] = (), *, code: bool = False) -> Iterator[Hit]:
    """Words to avoid in everything that users read, or in files under some paths.

    Args:
        paths: files and folders; everything if empty.
        code: also comments, docstrings and names of modules, and the tools.
    """
    for path in files(paths, code=code):
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
