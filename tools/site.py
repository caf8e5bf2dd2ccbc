"""Copies the pages to build/pages, as the site generator reads them: ``make site`` builds build/site from there.

The pages are plain Markdown that a forge shows as well, so links lead from docs/ to the repository around it. On the
site, a link to a page leads to its copy; a link to another file of the repository becomes its text.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import demo_output

ROOT = Path(__file__).resolve().parent.parent
STAGED = Path("build") / "pages"
BUILT = Path("build") / "site"
FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'> ]+)")
"""What a browser would load from another host; ``rel=canonical`` and the like are not used."""

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
COMMANDS = re.compile(r"^```console\n(?!\$ )", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<to>[^()\s]+)\)")
COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)


def sources(folder: Path = ROOT) -> dict[Path, Path]:
    """Every page → its copy below a folder."""
    docs = ROOT / "docs"
    own = {page: page.relative_to(docs) for page in sorted(docs.rglob("*.md"))}
    named = {page: at.with_name("index.md") if at.name == "README.md" else at for page, at in own.items()}
    named |= {ROOT / page: Path(name) for page, name in TOP.items() if (ROOT / page).is_file()}
    return {page: folder / STAGED / at for page, at in named.items()}


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

    # Without a prompt, the lexer of sessions takes commands for output.
    text = COMMANDS.sub("```bash\n", text)
    # Code stays as it is, a comment or link in it included.
    text = CODE.sub(keep, FENCED.sub(keep, text))
    text = LINK.sub(link, COMMENT.sub("", text))
    while "\0" in text:
        text = re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)
    return text


def stage(folder: Path) -> int:
    """Write the copies below a folder; their number."""
    copies = sources(folder)
    shutil.rmtree(folder / STAGED, ignore_errors=True)
    for page, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = demo_output.with_reports(demo_output.with_color(page.read_text("utf-8")), copy.parent)
        copy.write_text(staged(text, page, copies), "utf-8")
    for name in ("site.css", "mark.svg"):
        shutil.copy(ROOT / "docs" / name, folder / STAGED)
    return len(copies)


def fetched(folder: Path) -> list[str]:
    """Everything on the built pages that a browser would load from another host."""
    pages = sorted((folder / BUILT).rglob("*.html"))
    return [f"{page.name}: {address}" for page in pages for address in FETCHED.findall(page.read_text("utf-8"))]


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        found = fetched(ROOT)
        print("\n".join(found) or f"{BUILT}/index.html opens in a browser and loads nothing from another host")
        return int(bool(found))
    print(f"{stage(ROOT)} pages in {STAGED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
