"""What `mcp-governor demo` shows, for the README as text, and for the site as its reports and in color."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mcp_governor.cli.repeating import CI_VARIABLES  # noqa: E402

BLOCK = re.compile(r"<!-- output: demo (?P<name>\w+) -->\n.*?<!-- /output -->\n", re.DOTALL)
"""A block of a page that shows a part of the run."""
REPORT = re.compile(r"^<!-- report: (?P<name>\w+) -->\n", re.MULTILINE)
"""A place of a page where the site shows a report of the run."""
GALLERY = "gallery"
"""Folder of the reports that are pages, next to the page that shows them."""
_STYLE = re.compile("\x1b\\[([0-9;]*)m")
_FRAMES = {
    "page": (("check", "--format", "html"), "The report of a check as a page"),
    "sweep": (("load", "sweep", "--concurrency-values", "1,2,4,8", "--total", "100"), "A load sweep as a page"),
}


def _run(*arguments: str, color: bool = False, cwd: Path = ROOT) -> str:
    # In CI a report ends with one line more.
    env = {name: value for name, value in os.environ.items() if name not in CI_VARIABLES}
    env |= {"FORCE_COLOR": "1"} if color else {"NO_COLOR": "1"}
    command = [sys.executable, "-m", "mcp_governor", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return done.stdout


def shown(*, color: bool = False) -> dict[str, str]:
    """The parts of the run that pages show: ``check``, and of it ``break``, the first change."""
    output = _run("demo", color=color)
    parts = re.split("^(?:\x1b\\[34m)?[$] mcp-governor .*\n", output, flags=re.MULTILINE)
    check = next(part for part in parts if "(exit code 1)" in part)
    lines = re.split("^(?:\x1b\\[2m)?[(]exit code", check, flags=re.MULTILINE)[0].rstrip().split("\n")
    first = next(at for at, line in enumerate(lines) if _STYLE.sub("", line).startswith("✗ "))
    return {"check": "\n".join(lines), "break": "\n".join(lines[first : first + 3])}


def terminal(text: str) -> str:
    """Output with colors as HTML; the names of the classes are in ``docs/site.css``."""
    html, style = "", ""
    for at, part in enumerate(_STYLE.split(text)):
        if at % 2:
            style = " ".join(f"ansi-{code}" for code in part.split(";") if code not in ("", "0"))
        elif part:
            html += f'<span class="{style}">{escape(part)}</span>' if style else escape(part)
    return f'<div class="terminal"><pre><code>{html}</code></pre></div>\n'


def with_color(text: str) -> str:
    """A page whose blocks of output are those of a run in color."""
    if not BLOCK.search(text):
        return text
    colored = shown(color=True)
    return BLOCK.sub(lambda found: terminal(colored[found["name"]]), text)


def with_reports(text: str, folder: Path) -> str:
    """A page with the reports that it names, which are written next to it if they are pages themselves."""
    if not REPORT.search(text):
        return text
    place = Path(_run("demo", "--keep").rstrip().rpartition(" ")[2])

    def report(found: re.Match[str]) -> str:
        name = found["name"]
        if name == "terminal":
            return terminal(_run("check", color=True, cwd=place).rstrip())
        if name == "comment":
            markdown = _run("check", "--format", "markdown", cwd=place)
            return f'<div class="comment">{MarkdownIt("commonmark").enable("table").render(markdown)}</div>\n'
        arguments, title = _FRAMES[name]
        file = folder / GALLERY / f"{name}.html"
        file.parent.mkdir(exist_ok=True)
        last = ("--html-out", str(file)) if arguments[0] == "load" else ("--output", str(file))
        _run(*arguments, *last, cwd=place)
        return f'<iframe src="{GALLERY}/{name}.html" title="{title}" loading="lazy"></iframe>\n'

    return REPORT.sub(report, text)
