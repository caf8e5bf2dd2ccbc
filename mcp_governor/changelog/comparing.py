"""Two releases laid side by side, surface and text: the release note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcp_governor.change.vocabulary import Verdict
from mcp_governor.change.wording import code, enumeration
from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.releases import named_section
from mcp_governor.changelog.structure import is_newer
from mcp_governor.changelog.subjects import EntryIndex, homes, subject_of
from mcp_governor.errors import UsageError
from mcp_governor.findings import Bump
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry, Section

_BULLET = lazy_pattern(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])\s{1,4}")
_LINE_END = lazy_pattern(r"\r\n|\n|\r")


class Mention(Struct, frozen=True, dict=True):
    """One change between two releases, and the entries that mention it."""

    change: Change
    entries: tuple[tuple[Section, Kind | None, Entry], ...]


class ReleaseComparison(Struct, frozen=True, dict=True):
    """Two releases, surface and text side by side.

    Attributes:
        old, new: version strings.
        sections: the releases after ``old`` up to ``new``, newest first.
        mentions: every change between the surfaces, where both are at hand, with its entries.
        unmatched: entries that no change stands behind (behaviour, or something undone since).
        with_surfaces: true if both surfaces were at hand.
        written: line of an entry → the entry as its author wrote it, without the bullet.
    """

    old: str
    new: str
    sections: tuple[Section, ...]
    mentions: tuple[Mention, ...] = ()
    unmatched: tuple[tuple[Section, Kind | None, Entry], ...] = ()
    with_surfaces: bool = False
    written: Mapping[int, str] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[Change, ...]:
        """Changes that no entry mentions."""
        return tuple(row.change for row in self.mentions if not row.entries and row.change.bump is not Bump.NONE)

    def as_markdown(self) -> str:
        """The release note: what changed by subsection, each change in its entry's words or in ours."""
        lines = [f"# {self.old} → {self.new}", *self._summary()]
        parts: dict[Kind | None, list[str]] = {}
        for section in self.sections:
            for kind, entry in section.entries:
                suffix = f" ({section.title})" if len(self.sections) > 1 else ""
                parts.setdefault(kind, []).append(_item(self.written.get(entry.line, entry.text), suffix))
        for change in self.missing:
            parts.setdefault(homes(change)[0], []).append(f"- {change.entry()} (not in the changelog)")
        for kind in sorted(parts, key=lambda kind: -1 if kind is None else kind.position):
            lines += ["", f"## {kind.value if kind else 'Other'}", "", *parts[kind]]
        if not parts:
            lines += ["", "Nothing changed."]
        return "\n".join(lines) + "\n"

    def _summary(self) -> tuple[str, ...]:
        """The size of the step, as a short summary of what the sections say."""
        if not self.with_surfaces:
            return ()
        # Changes of internal tools promise nothing, and no section has them.
        counted = [row.change for row in self.mentions if row.change.bump is not Bump.NONE]
        breaks = [change for change in counted if change.verdict is Verdict.BREAKING]
        undecided = [change for change in counted if change.verdict is Verdict.UNKNOWN]
        borne_out = {
            id(entry) for row in self.mentions for _, _, entry in row.entries if row.change in breaks + undecided
        }
        rows = [(kind, entry) for section in self.sections for kind, entry in section.entries if kind in _OF_BREAKS]
        listed = [kind for kind in _OF_BREAKS if any(one is kind and id(entry) not in borne_out for one, entry in rows)]
        said = [f"There are breaking changes in {_where(breaks)}."] if breaks else []
        said += [f"Nothing shows if the changes in {_where(undecided)} break clients."] if undecided else []
        if listed:
            lists = "lists" if len(listed) == 1 else "list"
            under = " and ".join(kind.value for kind in listed)
            said.append(f"{under} {lists} changes that the two surfaces do not show as breaks.")
        return "", " ".join(said or ["There are no breaking changes."])


_OF_BREAKS = (Kind.REMOVED, Kind.BREAKING)
"""The subsections about what breaks clients."""


def _where(changes: Sequence[Change]) -> str:
    """The tools that some changes are about, and what else is."""
    names = sorted({change.tool for change in changes if change.tool is not None})
    shown = [code(name) for name in names[:8]] + ([f"{len(names) - 8} more"] if len(names) > 8 else [])
    rest = ["what the server offers besides its tools"] if any(change.tool is None for change in changes) else []
    return enumeration([*shown, *rest])


def _item(text: str, suffix: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([f"- {first}{suffix}", *(f"  {line}" if line else "" for line in rest)])


def _as_written(entry: Entry, text: Sequence[str]) -> str:
    """An entry with its own line breaks and nested lists, moved to the left margin; from the lines of the file."""
    lines = text[entry.line - 1 : entry.end]
    bullet = _BULLET.match(lines[0]) if lines else None
    if bullet is None or not entry.bullet:
        return entry.text
    width = bullet.end()
    rest = [line[width:] if not line[:width].strip() else line.lstrip() for line in lines[1:]]
    return "\n".join([lines[0][width:], *rest]).rstrip()


def compare_releases(
    changelog: Changelog,
    old: str,
    new: str,
    *,
    changes: Sequence[Change] | None = None,
    tools: Collection[str] = (),
) -> ReleaseComparison:
    """What lies between two releases.

    Args:
        changelog: as read.
        old, new: versions with a section each; see :func:`named_section`.
        changes: between the two surfaces; ``None`` if one of them is not available.
        tools: every tool of both surfaces.

    Raises:
        UsageError: a version has no section, or ``new`` is not newer than ``old``.
        FileFormatError: the entries name the same things too often.
    """
    first, last = named_section(changelog, old), named_section(changelog, new)
    if not is_newer(last, first):
        raise UsageError(f"{last.title} is not newer than {first.title}.", "Name the older release first.")
    between = tuple(
        section
        for section in changelog.sections
        if section is last or (is_newer(section, first) and is_newer(last, section))
    )
    entries = [(section, kind, entry) for section in between for kind, entry in section.entries]
    rows = {id(entry): (section, kind, entry) for section, kind, entry in entries}
    index = EntryIndex([(kind, entry) for _, kind, entry in entries], tools, changelog.what) if changes else None
    mentions = [
        Mention(change, tuple(rows[id(entry)] for _, entry in index.of(subject_of(change))) if index else ())
        for change in changes or ()
    ]
    used = {id(row[2]) for item in mentions for row in item.entries}
    unmatched = tuple(row for row in entries if id(row[2]) not in used) if changes is not None else ()
    text = _LINE_END.split(changelog.text.removeprefix("\ufeff"))
    written = {entry.line: _as_written(entry, text) for _, _, entry in entries}
    return ReleaseComparison(first.title, last.title, between, tuple(mentions), unmatched, changes is not None, written)
