"""Formats that a description gives for a string, as patterns: "in the format 'owner/repo'", "must end with .md".

The ways of writing are rows of ``rules/forms.toml``. A format that a description draws becomes a pattern here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import Claim, Form, claim_at, is_void, read_forms, said_in

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_formats(text: str) -> tuple[Claim, ...]:
    """The formats in a description; ``said`` holds the ``pattern``."""
    return tuple(read_forms(text, "format", _format))


def _format(form: Form, match: re.Match[str], text: str) -> Claim | None:
    if is_void("format", text, match.start(), match.end()):
        return None
    said = said_in(match, text)
    drawn = said.get("form", "").rstrip(".,;: ")
    pattern = _drawn(drawn) if drawn else _filled(form.row["pattern"], said)
    return claim_at(form, match, text, {"pattern": pattern}) if pattern else None


_HOLE = lazy_pattern(r"\{(?P<name>[a-z]+)\}|\{\{(?P<number>n(?:,less)?)\}\}")
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12}


def _filled(template: str, said: Mapping[str, str]) -> str:
    """The pattern of a row with what the description says in its place."""

    def fill(hole: re.Match[str]) -> str:
        if hole["number"]:
            number = _NUMBERS.get(said["n"].lower()) or int(said["n"])
            return f"{{{number - 1 if hole['number'].endswith('less') else number}}}"
        values = [value for name, value in said.items() if name.startswith(hole["name"])]
        return values[0] if hole["name"] == "raw" else "|".join(map(_plain, values))

    return _HOLE.sub(fill, template)


_PART = r"<[\w -]{1,30}>|\{[\w -]{1,30}\}|(?<![A-Za-z])[A-Za-z][A-Za-z_ ]{0,30}"
_TEMPLATE = lazy_pattern(rf"(?P<first>(?:[a-z]\w{{1,9}}://|[/#@])?)(?P<body>(?:{_PART})(?:[./:#@=,x-](?:{_PART}))+)")
_PARTS = lazy_pattern(_PART)
_STANDS = lazy_pattern(r"[<{]|[A-Z][A-Z_]")
"""A part that visibly stands for something; the others next to it are meant as they are written."""
_NO_FORM = lazy_pattern(
    r".*folder|.*\.(?:json|ya?ml|xml|md|txt|csv|py|jsx?|tsx?|html?|toml|com|org|net|io)$"
    r"|(?:and|or|read|input|json|xml|csv|true|yes|on|markdown|html|text|plain|application|image)/",
    re.IGNORECASE,
)
"""A path, a file, or a choice of two."""
_LETTERS = lazy_pattern(r"[YyMmDdHhSs]{2,4}(?:[-/.: T]{0,1}[YyMmDdHhSs]{2,4})*Z?", re.NOFLAG)
_RUN = lazy_pattern(r"([YMDHS])\1+", re.IGNORECASE)


def _drawn(form: str) -> str:
    """The pattern for a drawing: "owner/repo" is two names joined by a slash; empty if it draws nothing."""
    if _LETTERS.fullmatch(form):
        return f"^{_RUN.sub(_digits, form.replace('.', '[.]'))}$" if "YYYY" in form.upper() else ""
    whole = _TEMPLATE.fullmatch(form)
    if whole is None or _NO_FORM.match(form):
        return ""
    body = whole["body"]
    parts = _PARTS.findall(body)
    marks = _PARTS.sub("\0", body).split("\0")[1:-1]
    signs = "".join(dict.fromkeys("".join(marks)))
    # Names contain some signs themselves: "<OWNER>-<UUID>".
    hole = ".+" if not signs or set(signs) & {"-", "x", "_"} else f"[^{signs}]+"
    literal = any(_STANDS.search(part) for part in parts)
    out = _plain(whole["first"])
    for part, mark in zip(parts, [*marks, ""], strict=True):
        out += (_plain(part) if literal and not _STANDS.search(part) else hole) + _plain(mark)
    return f"^{out}$"


def _plain(text: str) -> str:
    """The pattern for a string; ``re.escape`` also escapes signs for which ECMAScript knows no escape."""
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


def _digits(letters: re.Match[str]) -> str:
    return rf"\d{{{len(letters[0])}}}"
