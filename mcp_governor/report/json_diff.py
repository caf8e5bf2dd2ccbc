"""Two JSON values side by side, as rows of an HTML table: what went is on the left, what came is on the right."""

from __future__ import annotations

import difflib
import json
from html import escape
from typing import TYPE_CHECKING, Any

from mcp_governor.text import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change

_MAX_LINES = 1_500
"""Lines of a value that are compared: the comparison takes time with their square. Longer ones are cut."""
_AROUND = 3
"""Lines around a difference, as in a diff."""
_MAX_LENGTH = 400
"""Characters of a line: a description of some sentences."""


def fragment_sides(change: Change) -> str:
    """The values of a change before and after, folded; empty if the message contains everything."""
    if not (change.has_old and change.has_new):
        return ""
    if not isinstance(change.old, dict | list) and not isinstance(change.new, dict | list):
        return ""
    return f"<details><summary>Before and after</summary>{_table(change.old, change.new)}</details>"


def tool_sides(both: tuple[Any, Any]) -> str:
    """The definition of a tool, next to that of the baseline if they differ.

    Args:
        both: the definition in the baseline, or ``None``, and the current one.
    """
    old, new = both
    if old is None or old == new:
        return f"<pre>{escape(chr(10).join(_lines(new)), quote=False)}</pre>"
    return _table(old, new)


def _lines(value: Any) -> list[str]:
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    lines = [shortened(visible(line), _MAX_LENGTH) for line in text.split("\n")]
    return lines if len(lines) <= _MAX_LINES else [*lines[:_MAX_LINES], "…"]


def _ordered(old: Any, new: Any) -> Any:
    """``old`` with the members of its objects in the order of ``new``: a recording is sorted, and a server is not."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = [*(name for name in new if name in old), *(name for name in old if name not in new)]
        return {name: _ordered(old[name], new[name]) if name in new else old[name] for name in names}
    if isinstance(old, list) and isinstance(new, list):
        return [*(map(_ordered, old, new)), *old[len(new) :]]
    return old


def _table(old: Any, new: Any) -> str:
    rows = "".join(_rows(_lines(_ordered(old, new)), _lines(new)))
    return (
        '<table class="sides"><thead><tr><th scope="col">before</th><th scope="col">after</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    groups = list(matcher.get_grouped_opcodes(_AROUND))
    if groups and groups[0][0][1] > 0:
        yield _SKIP
    for at, group in enumerate(groups):
        if at:
            yield _SKIP
        for tag, start, end, new_start, new_end in group:
            left, right = old[start:end], new[new_start:new_end]
            for index in range(max(len(left), len(right))):
                one = left[index] if index < len(left) else None
                other = right[index] if index < len(right) else None
                yield f"<tr>{_cell(one, tag, 'gone')}{_cell(other, tag, 'new')}</tr>"
    if groups and groups[-1][-1][2] < len(old):
        yield _SKIP


_SKIP = '<tr><td class="skip">⋯</td><td class="skip">⋯</td></tr>'


def _cell(line: str | None, tag: str, kind: str) -> str:
    if line is None:
        return "<td></td>"
    if tag == "equal":
        return f"<td>{escape(line, quote=False)}</td>"
    # Color alone says nothing to many readers.
    body = line.lstrip(" ")
    return f'<td class="{kind}">{line[: len(line) - len(body)]}<mark>{escape(body, quote=False)}</mark></td>'
