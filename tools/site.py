"""Copies the pages to build/pages, as the site generator wants them: ``make site`` builds build/site from there.

The pages are plain Markdown that a forge shows as well, so links lead from docs/ to the repository around it. On the
site, a link to a page leads to its copy; a link to another file of the repository becomes its text.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGED = ROOT / "build" / "pages"

TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changes-of-the-tool.md",
    "SECURITY.md": "security.md",
}
"""Pages outside of docs/ → their names on the site."""

FENCED = re.compile(r"^ *(```|~~~).*?^ *\1[ ]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<to>[^()\s]+)\)")
COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)


def sources() -> dict[Path, Path]:
    """Every page → its copy."""
    docs = ROOT / "docs"
    own = {page: page.relative_to(docs) for page in sorted(docs.rglob("*.md"))}
    named = {page: at.with_name("index.md") if at.name == "README.md" else at for page, at in own.items()}
    named |= {ROOT / page: Path(name) for page, name in TOP.items() if (ROOT / page).is_file()}
    return {page: STAGED / at for page, at in named.items()}


def staged(text: str, page: Path, copies: dict[Path, Path]) -> str:
    """The text of a copy: links lead to copies, and comments are gone.

    Args:
        text: Markdown of the page.
        page: its path.
        copies: every page → its copy.
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    def link(found: re.Match[str]) -> str:
        path, hash_, anchor = found["to"].partition("#")
        if not path or re.match(r"[a-z][a-z+.-]*:", path):
            return found[0]
        target = (page.parent / path).resolve()
        if target.is_dir():
            target /= "README.md"
        if target not in copies:
            return found["text"]
        relative = Path(os.path.relpath(copies[target], copies[page].parent)).as_posix()
        return f"[{found['text']}]({relative}{hash_}{anchor})"

    # Code stays as it is, a comment or link in it included.
    text = CODE.sub(keep, FENCED.sub(keep, text))
    text = LINK.sub(link, COMMENT.sub("", text))
    while "\0" in text:
        text = re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)
    return text


def main() -> int:
    copies = sources()
    shutil.rmtree(STAGED, ignore_errors=True)
    for page, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(staged(page.read_text("utf-8"), page, copies), "utf-8")
    print(f"{len(copies)} pages in {STAGED.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
