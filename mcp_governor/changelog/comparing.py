"""The release note between two releases, from their surfaces and the text of the changelog."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from collections.abc import Collection, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry

_BULLET = lazy_pattern(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])\s{1,4}")
_LINE_END = lazy_pattern(r"\r\n|\n|\r")
_OF_BREAKS = (Kind.REMOVED, Kind.BREAKING)
"""The subsections about what breaks clients."""


def release_note(
    changelog: Changelog,
    old: str,
    new: str,
    *,
    changes: Sequence[Change] | None = None,
    tools: Collection[str] = (),
) -> str:
    """What changed between two releases by subsection, each change in its entry's words or in ours.

    Args:
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
    between = [
        section
        for section in changelog.sections
        if section is last or (is_newer(section, first) and is_newer(last, section))
    ]
    pairs = [pair for section in between for pair in section.entries]
    text = _LINE_END.split(changelog.text.removeprefix("\ufeff"))
    parts: dict[Kind | None, list[str]] = {}
    for section in between:
        suffix = f" ({section.title})" if len(between) > 1 else ""
        for kind, entry in section.entries:
            parts.setdefault(kind, []).append(_item(_as_written(entry, text), suffix))
    lines = [f"# {first.title} → {last.title}"]
    if changes is not None:
        # Changes of internal tools promise nothing, and no section has them.
        counted = [change for change in changes if change.bump is not Bump.NONE]
        index = EntryIndex(pairs, tools, changelog.what)
        mentions = [(change, [entry for _, entry in index.of(subject_of(change))]) for change in counted]
        lines += ["", _summary(mentions, pairs)]
        for change, entries in mentions:
            if not entries:
                parts.setdefault(homes(change)[0], []).append(f"- {change.entry()} (not in the changelog)")
    for kind in sorted(parts, key=lambda kind: -1 if kind is None else kind.position):
        lines += ["", f"## {kind.value if kind else 'Other'}", "", *parts[kind]]
    return "\n".join(lines if parts else [*lines, "", "Nothing changed."]) + "\n"


def _summary(mentions: Sequence[tuple[Change, list[Entry]]], pairs: Sequence[tuple[Kind | None, Entry]]) -> str:
    """The size of the step, as a short summary of what the sections say."""
    breaks = [change for change, _ in mentions if change.verdict is Verdict.BREAKING]
    undecided = [change for change, _ in mentions if change.verdict is Verdict.UNKNOWN]
    borne_out = {
        id(entry) for change, entries in mentions if change.verdict is not Verdict.COMPATIBLE for entry in entries
    }
    unseen = {kind for kind, entry in pairs if id(entry) not in borne_out}
    listed = [kind.value for kind in _OF_BREAKS if kind in unseen]
    said = [f"There are breaking changes in {_where(breaks)}."] if breaks else []
    said += [f"Nothing shows if the changes in {_where(undecided)} break clients."] if undecided else []
    if listed:
        lists = "lists" if len(listed) == 1 else "list"
        said.append(f"{' and '.join(listed)} {lists} changes that the two surfaces do not show as breaks.")
    return " ".join(said or ["There are no breaking changes."])


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
