"""The history of a server as a picture: a column for each release, and the same as a table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.findings import Tier, Verdict
from mcp_governor.report.groups import count_of
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.checking.model import History, Release

_TIERS = [tier.value for tier in Tier]
_NOUNS = {
    Verdict.BREAKING.value: "breaking",
    Verdict.UNKNOWN.value: "undecided",
    Verdict.COMPATIBLE.value: "compatible",
}
_NOW = "now"

_LEFT, _TOP, _BAR = 92, 22, 140
"""Pixels: the room for names of rows, for the number above the highest column, and the height of that column."""
_ROW = 24
"""Pixels of a row of numbers below the columns."""
_COLUMN = (72, 120)
"""Pixels of a column: at least a version with some room, at most what keeps a few columns together."""
_WIDTH = 900
"""Pixels that the columns fill if they can: three quarters of the page."""
_LABEL = 10
"""Characters of a version below a column, as many as a date has; the table has it in full."""
_NAME = 200
"""Characters of a tag or version in the table."""


def history_section(history: History) -> Iterator[str]:
    """The section of the page, as lines of HTML; it needs no script."""
    if history.problem:
        yield f"<section><h2>History</h2><p>{escape(visible(history.problem))}</p>"
        yield from (f'<p class="quiet">{escape(note)}</p>' for note in _notes(history))
        yield "</section>"
        return
    releases = history.releases
    tagged = sum(bool(one.tag) for one in releases)
    yield f"<section><h2>History ({count_of(tagged, 'release')})</h2>"
    yield '<div class="wide" role="region" aria-label="History as a picture" tabindex="0">'
    yield from _picture(releases)
    yield "</div>"
    yield f'<p class="legend">{"".join(_legend(releases))}</p>'
    yield from (f'<p class="quiet">{escape(note)}</p>' for note in _notes(history))
    yield '<details class="versions-fold"><summary>History as a table</summary>'
    yield from _table(releases)
    yield "</details></section>"


def _notes(history: History) -> Iterator[str]:
    if history.older:
        yield f"{count_of(history.older, 'older release')} not shown."
    for tags, why in ((history.unread, "the recording could not be read"), (history.late, "time was up")):
        if tags:
            yield f"Not shown because {why}: {', '.join(one_line(tag, 60) for tag in tags)}."
    if any(one.changes is None for one in history.releases[1:]):
        yield "A dash means that two surfaces were not compared: time was up, or the baseline is another one."


def _version(release: Release, limit: int) -> str:
    """The version of a release, escaped; that of the checked surface may be missing."""
    return escape(one_line(release.version, limit))


def _label(release: Release) -> str:
    return _version(release, _LABEL) if release.tag else _NOW


def _numbers(changes: Mapping[str, int] | None, verdict: str, *, first: bool) -> str:
    if changes is None:
        return "" if first else "–"
    return f"{changes.get(verdict, 0):,}"


def _rows(releases: Sequence[Release]) -> list[str]:
    """The verdicts with a row of numbers: undecided ones only if there are any."""
    unsure = any((one.changes or {}).get(Verdict.UNKNOWN.value) for one in releases)
    return [verdict for verdict in _NOUNS if unsure or verdict != Verdict.UNKNOWN.value]


def _picture(releases: Sequence[Release]) -> Iterator[str]:
    column = max(_COLUMN[0], min(_COLUMN[1], _WIDTH // len(releases)))
    rows = _rows(releases)
    width = _LEFT + column * len(releases)
    floor = _TOP + _BAR
    height = floor + _ROW * (len(rows) + 2) + 6
    highest = max(max(sum(one.tiers.values()) for one in releases), 1)
    yield (
        f'<svg class="history" role="img" aria-labelledby="history-title history-text" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}">'
        f'<title id="history-title">Tools by tier, and changes, of {len(releases)} versions</title>'
        f'<desc id="history-text">{_said(releases)}</desc>'
    )
    names = ["", *(_NOUNS[verdict] for verdict in rows), "tokens"]
    for at, name in enumerate(names):
        yield f'<text class="name" x="0" y="{floor + _ROW * at + 17}">{name}</text>'
    yield f'<text class="name" x="0" y="{floor - 4}">tools</text>'
    yield f'<path class="axis" d="M{_LEFT} {floor + 0.5}H{width}"/>'
    for at, one in enumerate(releases):
        middle = _LEFT + column * at + column // 2
        yield f'<g class="{"release" if one.tag else _NOW}">'
        yield from _bar(one, middle, floor, highest)
        yield f'<text class="which" x="{middle}" y="{floor + 17}">{_label(one)}</text>'
        for row, verdict in enumerate(rows, 1):
            shown = _numbers(one.changes, verdict, first=at == 0)
            kind = _NOUNS[verdict] if shown not in ("", "–", "0") else "none"
            place = floor + _ROW * row
            if kind == "breaking":
                yield f'<rect class="pill" x="{middle - 20}" y="{place + 1}" width="40" height="22" rx="5"/>'
            yield f'<text class="n-{kind}" x="{middle}" y="{place + 17}">{shown}</text>'
        yield f'<text x="{middle}" y="{floor + _ROW * (len(rows) + 1) + 17}">{_short(one.tokens)}</text></g>'
    yield "</svg>"


def _bar(release: Release, middle: int, floor: int, highest: int) -> Iterator[str]:
    """The tools of a release, the most stable tier at the bottom."""
    total = sum(release.tiers.values())
    done = 0
    for tier in _TIERS:
        number = release.tiers.get(tier, 0)
        if not number:
            continue
        low, high = (_BAR * part // highest for part in (done, done + number))
        yield (
            f'<rect class="tier-{tier}" x="{middle - 18}" y="{floor - high}" width="36" height="{max(high - low, 1)}"/>'
        )
        done += number
    yield f'<text x="{middle}" y="{floor - _BAR * total // highest - 6}">{total:,}</text>'


def _short(number: int) -> str:
    """``840``, ``4.1k``, ``120k``."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.1f}k" if number < 10_000 else f"{number // 1_000:,}k"


def _said(releases: Sequence[Release]) -> str:
    first, last = releases[0], releases[-1]
    broke = [_version(one, 20) if one.tag else _NOW for one in releases if (one.changes or {}).get("breaking")]
    ends = (f"{count_of(sum(one.tiers.values()), 'tool')} in {_version(one, 20) or _NOW}" for one in (first, last))
    return f"From {' to '.join(ends)}. Breaking changes in: {', '.join(broke) or 'none'}."


def _legend(releases: Sequence[Release]) -> Iterator[str]:
    for tier in _TIERS:
        if any(one.tiers.get(tier) for one in releases):
            yield (
                f'<span><svg class="key" width="14" height="14" aria-hidden="true">'
                f'<rect class="tier-{tier}" x="1" y="1" width="12" height="12"/></svg> {tier}</span> '
            )


def _table(releases: Sequence[Release]) -> Iterator[str]:
    tiers = [tier for tier in _TIERS if any(one.tiers.get(tier) for one in releases)]
    rows = _rows(releases)
    names = ["tools", *tiers, *(_NOUNS[verdict] for verdict in rows), "tokens"]
    yield '<div class="wide" role="region" aria-label="History as a table" tabindex="0">'
    yield '<table class="versions"><thead><tr><th scope="col">version</th><th scope="col">tag</th>'
    yield "".join(f'<th scope="col" class="number">{name}</th>' for name in names) + "</tr></thead><tbody>"
    for at, one in enumerate(releases):
        numbers = [f"{sum(one.tiers.values()):,}", *(f"{one.tiers.get(tier, 0):,}" for tier in tiers)]
        numbers += [_numbers(one.changes, verdict, first=at == 0) for verdict in rows]
        cells = "".join(f'<td class="number">{number}</td>' for number in [*numbers, f"{one.tokens:,}"])
        tag = f"<code>{escape(one_line(one.tag, _NAME))}</code>" if one.tag else _NOW
        yield f'<tr><th scope="row">{_version(one, _NAME) or _NOW}</th><td>{tag}</td>{cells}</tr>'
    yield "</tbody></table></div>"
