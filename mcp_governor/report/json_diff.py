"""Two JSON values side by side, as rows of an HTML table: what went is on the left, what came is on the right."""

from __future__ import annotations

import difflib
import json
from html import escape
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_LINES = 1_500
"""Lines of a value that are compared: the comparison takes time with their square. Longer ones are cut."""
_AROUND = 3
"""Lines around a difference, as in a diff."""
_MAX_LENGTH = 400
"""Characters of a line: a description of some sentences."""
_MAX_PROPERTY = 30
"""Lines of a property that are shown whole where one keyword of it changed: half a screen."""
_GAP = "⋯"


class _Line(Struct, frozen=True):
    """A line of a value, and the pointer of what begins or ends on it."""

    text: str
    place: str

    @property
    def compared(self) -> str:
        """Without the comma, which moves when a member comes or goes."""
        return self.text.removesuffix(",")


def definition_sides(both: tuple[Any, Any], about: str = "") -> str:
    """The definition of a tool, next to that of the baseline if they differ.

    Args:
        both: the definition in the baseline, or ``None``, and the current one.
        about: pointer into either; show only what surrounds it, and mark it.
    """
    old, new = both
    if old is None or old == new:
        text = "\n".join(line.text for line in _lines(new if new is not None else old))
        return f"<pre>{escape(text, quote=False)}</pre>"
    sides = _lines(_ordered(old, new)), _lines(new)
    if about and any(line.place == about for side in sides for line in side):
        within = _shown_for(about, sides)
        sides = _around(sides[0], about, within), _around(sides[1], about, within)
    rows = "".join(_rows(*sides, about))
    return (
        '<table class="sides"><thead><tr><th scope="col">before</th><th scope="col">after</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _lines(value: Any) -> list[_Line]:
    found: list[_Line] = []
    _write(value, "", "", 0, found)
    return found if len(found) <= _MAX_LINES else [*found[:_MAX_LINES], _Line(_GAP, "")]


def _write(value: Any, place: str, name: str, depth: int, found: list[_Line]) -> None:
    """Append the lines of a value, as ``json.dumps`` indents them."""
    if len(found) > _MAX_LINES:
        return
    lead = "  " * depth

    def add(text: str) -> None:
        found.append(_Line(shortened(visible(text), _MAX_LENGTH), place))

    if not isinstance(value, dict | list) or not value:
        add(f"{lead}{name}{json.dumps(value, ensure_ascii=False, default=str)}")
        return
    of_object = isinstance(value, dict)
    add(f"{lead}{name}{'{' if of_object else '['}")
    members = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for at, (key, item) in enumerate(members):
        before = f"{json.dumps(key, ensure_ascii=False)}: " if of_object else ""
        _write(item, join_pointer(place, str(key)), before, depth + 1, found)
        if at < len(members) - 1:
            found[-1] = _Line(f"{found[-1].text},", found[-1].place)
    add(f"{lead}{'}' if of_object else ']'}")


def _shown_for(about: str, sides: tuple[list[_Line], list[_Line]]) -> str:
    """What to show whole: the property with the place, if it is short enough to be read at a glance; else the place."""
    owner, properties, rest = about.rpartition("/properties/")
    whole = f"{owner}{properties}{rest.partition('/')[0]}"
    if not properties or any(sum(_is_in(line.place, whole) for line in side) > _MAX_PROPERTY for side in sides):
        return about
    return whole


def _is_in(place: str, whole: str) -> bool:
    return place == whole or place.startswith(f"{whole}/")


def _around(lines: Sequence[_Line], about: str, within: str) -> list[_Line]:
    """The lines of a part, of what contains it, and of the list of required properties that it belongs to."""
    required = f"{about.rpartition('/properties/')[0]}/required"
    kept: list[_Line] = []
    said: set[str] = set()
    for line in lines:
        owner = line.place.rpartition("/")[0]
        if _is_in(line.place, within) or _is_in(about, line.place) or _is_in(line.place, required):
            kept.append(line)
        elif owner not in said and _is_in(about, owner):
            # One mark for an object says that members of it are left out.
            said.add(owner)
            kept.append(_Line(f"{line.text[: len(line.text) - len(line.text.lstrip())]}{_GAP}", ""))
    return kept


def _ordered(old: Any, new: Any) -> Any:
    """``old`` with the members of its objects in the order of ``new``: a recording is sorted, and a server is not."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = [*(name for name in new if name in old), *(name for name in old if name not in new)]
        return {name: _ordered(old[name], new[name]) if name in new else old[name] for name in names}
    if isinstance(old, list) and isinstance(new, list):
        return [*(map(_ordered, old, new)), *old[len(new) :]]
    return old


def _rows(old: Sequence[_Line], new: Sequence[_Line], about: str) -> Iterator[str]:
    was, now = ([line.compared for line in side] for side in (old, new))
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    # What surrounds a place is shown as it is; of a whole definition, the lines around the differences are.
    around = len(old) + len(new) if about else _AROUND
    groups = list(matcher.get_grouped_opcodes(around))
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
                yield f"<tr>{_cell(one, tag, 'gone', about)}{_cell(other, tag, 'new', about)}</tr>"
    if groups and groups[-1][-1][2] < len(old):
        yield _SKIP


_SKIP = f'<tr><td class="skip">{_GAP}</td><td class="skip">{_GAP}</td></tr>'


def _cell(line: _Line | None, tag: str, kind: str, about: str) -> str:
    if line is None:
        return "<td></td>"
    body = line.text.lstrip(" ")
    lead = line.text[: len(line.text) - len(body)]
    here = " here" if about and line.place == about and body not in ("}", "]", "},", "],") else ""
    if tag == "equal":
        return f'<td class="same{here}">{lead}{escape(body, quote=False)}</td>'
    # Color alone says nothing to many readers.
    return f'<td class="{kind}{here}">{lead}<mark>{escape(body, quote=False)}</mark></td>'
