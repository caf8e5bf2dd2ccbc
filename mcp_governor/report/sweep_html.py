"""A sweep as a page that opens from a file: picture and table, without a script."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.report.sweep_picture import STYLE, picture
from mcp_governor.report.sweep_words import COLUMNS, cells, conclusion, explanations, origin, remarks
from mcp_governor.secrets import redact
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.load.model import Sweep

_PAGE = Path(__file__).parent / "page"


def render(sweep: Sweep) -> str:
    """The page."""
    style = (_PAGE / "page.css").read_text("utf-8")
    # The page may load nothing and use no style but these two, whatever else gets into it.
    policy = f"default-src 'none'; style-src '{_digest(style)}' '{_digest(STYLE)}'; base-uri 'none'"
    title = f"Load of {one_line(sweep.target)}"
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
    return redact(head + "\n".join(_body(sweep, title)) + "\n</body>\n</html>\n")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _body(sweep: Sweep, title: str) -> Iterator[str]:
    yield f"<header><h1>{escape(title)}</h1>"
    yield f'<p class="facts">{escape(conclusion(sweep))}</p>'
    yield f'<p class="facts quiet">{escape(origin(sweep))}</p></header>'
    yield '<main><div class="wide" role="region" aria-label="Throughput and latency as a picture" tabindex="0">'
    yield picture(sweep)
    yield '<p class="quiet">Green: no errors, and within both goals (dashed, if they are in reach). Hollow marks:'
    yield "errors, an incomplete point, or limited by the client.</p>"
    yield '</div><div class="wide" role="region" aria-label="Throughput and latency as a table" tabindex="0">'
    first, *rest = (f'<th scope="col" class="number">{name}</th>' for name in COLUMNS)
    yield f'<table class="versions"><thead><tr>{first}<th scope="col"></th>{"".join(rest)}</tr></thead><tbody>'
    for point in sweep.points:
        first, *rest = (escape(cell) for cell in cells(point))
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in rest)
        words = escape(", ".join(remarks(sweep, point)))
        yield f'<tr><th scope="row" class="number">{first}</th><td>{words}</td>{numbers}</tr>'
    yield "</tbody></table></div>"
    yield from (f'<p class="quiet">{escape(sentence)}</p>' for sentence in explanations(sweep))
    yield "</main>"
