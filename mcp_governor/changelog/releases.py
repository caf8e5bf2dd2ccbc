"""A release in the changelog: the marker moves, the date is written, two releases are laid side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.changelog.checks import Recorded
from mcp_governor.changelog.editing import Editor
from mcp_governor.changelog.grammar import is_date
from mcp_governor.changelog.structure import is_newer, working_section
from mcp_governor.changelog.subjects import homes, subject_of
from mcp_governor.changelog.wording import sentence
from mcp_governor.errors import UsageError
from mcp_governor.findings import Bump
from mcp_governor.frozen import frozen
from mcp_governor.surface import fingerprint, load_surface
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.versions import Numbered, Version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry, Kind, Section


_NO_SEMVER = '"{}" is not a semantic version.'
_THREE_NUMBERS = "Write it with three numbers, like 1.2.0, or as the changelog spells it."


def release(changelog: Changelog, version: str, *, day: str | None = None) -> str:
    """The changelog with ``version`` released: its section is the current one, dated where asked.

    The caller holds it to the surface first (:func:`mcp_governor.changelog.check`) and records the surface
    (:func:`recorded_path`) afterwards; nothing is written here.

    Args:
        changelog: as read.
        version: the version to release; a semantic one, or one that the changelog has a section of. A leading ``v``
            is left out.
        day: ``YYYY-MM-DD`` for the heading; ``None`` leaves it undated.

    Raises:
        UsageError: there is nothing to release under that version, it is no semantic version and not in the
            changelog, or a newer one is in the changelog already.
        FileFormatError: a merge conflict is left in the file.
    """
    editor = Editor(changelog)
    wanted = _number(version)
    if Version.parse(wanted.text) is None and all(part.version_text != wanted.text for part in changelog.released):
        raise UsageError(_NO_SEMVER.format(one_line(version, 60)), _THREE_NUMBERS)
    shown = one_line(wanted.text, 60)
    if not is_date(day):
        raise UsageError(f'"{one_line(str(day), 40)}" is not a date.', "Write it as 2026-11-21.")
    section = _releasable(changelog, wanted.text)
    later = (other for other in changelog.released if other.numbered is not None and other.numbered > wanted)
    newer = next((other for other in later if other is not section), None)
    if newer is not None:
        raise UsageError(
            f"{changelog.what}:{newer.line} holds {newer.title}, which is newer than {shown}.",
            "Release the newest version; an older line of releases has a changelog on its own branch.",
        )
    editor.mark_current(section, wanted.text, day=day)
    return editor.text()


def _number(version: str) -> Numbered:
    found = Numbered.parse(version)
    if found is None:
        raise UsageError(_NO_SEMVER.format(one_line(version, 60)), _THREE_NUMBERS)
    return found


def _releasable(changelog: Changelog, version: str) -> Section:
    section = changelog.section(version)
    if section is not None:
        return section
    top = working_section(changelog)
    if top is not None and top.unreleased:
        return top
    known = [section.version_text for section in changelog.released]
    raise UsageError(
        f"{changelog.what} has no section {one_line(version, 60)}.{did_you_mean(version, known)}",
        "Write it with: mcp-governor changelog draft",
    )


def recorded_path(folder: str, version: str) -> str:
    """Where the surface of a release is recorded: ``FOLDER/VERSION.json``.

    Raises:
        UsageError: the version does not count in numbers, so it may be no file name either.
    """
    return f"{folder.rstrip('/')}/{_number(version).text}.json"


def recorded_surfaces(folder: Path, shown: str, changelog: Changelog) -> Iterator[Recorded]:
    """The recorded surfaces of the releases that the changelog tells of.

    Args:
        folder: where :func:`recorded_path` leads.
        shown: how messages name the folder.
        changelog: its current section is left out: its fingerprint is held to the live surface.

    Raises:
        FileFormatError: a recorded surface cannot be read.
    """
    if not folder.is_dir():
        return
    for section in changelog.released:
        if section.numbered is None or section.current:
            continue
        file = folder / f"{section.numbered.text}.json"
        if file.is_file():
            where = visible(f"{shown.rstrip('/')}/{file.name}")
            yield Recorded(section.version_text, fingerprint(load_surface(file)), where)


def show(changelog: Changelog, version: str) -> str:
    """The text of one release, as written, without trailing blank lines.

    Raises:
        UsageError: there is no section of that version; the message suggests the nearest.
    """
    section = changelog.current if version == "current" else changelog.section(version)
    if section is None:
        known = [part.version_text for part in changelog.released]
        raise UsageError(
            f"{changelog.what} has no section {one_line(version, 60)}.{did_you_mean(version, known)}",
            f"It tells of: {', '.join(known[:12])}" + (", …" if len(known) > 12 else ""),
        )
    lines = changelog.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(lines[section.line - 1 : section.end]) + "\n"


@frozen(slots=False)
class Told:
    """One change between two releases, and the entries that tell it."""

    change: Change
    entries: tuple[tuple[Section, Kind | None, Entry], ...]


@frozen(slots=False)
class ReleaseComparison:
    """Two releases, surface and text side by side.

    Attributes:
        old, new: version texts.
        sections: the releases after ``old`` up to ``new``, newest first.
        told: every change between the surfaces, where both are at hand, with its entries.
        unmatched: entries that no change stands behind (behaviour, or something undone since).
        with_surfaces: whether both surfaces were at hand.
    """

    old: str
    new: str
    sections: tuple[Section, ...]
    told: tuple[Told, ...] = ()
    unmatched: tuple[tuple[Section, Kind | None, Entry], ...] = ()
    with_surfaces: bool = False

    @property
    def untold(self) -> tuple[Change, ...]:
        """Changes that no entry tells."""
        return tuple(row.change for row in self.told if not row.entries and row.change.bump is not Bump.NONE)

    def as_markdown(self) -> str:
        """The release note: what changed by subsection, each change in its entry's words or in ours."""
        lines = [f"# {self.old} → {self.new}"]
        parts: dict[Kind | None, list[str]] = {}
        for section in self.sections:
            for kind, entry in section.entries:
                told = f" ({section.title})" if len(self.sections) > 1 else ""
                parts.setdefault(kind, []).append(f"- {_indented(entry.text)}{told}")
        for change in self.untold:
            parts.setdefault(homes(change)[0], []).append(f"- {sentence(change)} (not in the changelog)")
        for kind in sorted(parts, key=lambda kind: -1 if kind is None else kind.position):
            lines += ["", f"## {kind.value if kind else 'Other'}", "", *parts[kind]]
        if not parts:
            lines += ["", "Nothing changed."]
        return "\n".join(lines) + "\n"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


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
        old, new: versions with a section each.
        changes: between the two surfaces; ``None`` where one of them is not at hand.
        tools: every tool of both surfaces.

    Raises:
        UsageError: a version has no section, or ``new`` is not newer than ``old``.
    """
    first, last = _known(changelog, old), _known(changelog, new)
    if not is_newer(last, first):
        raise UsageError(f"{last.title} is not newer than {first.title}.", "Name the older release first.")
    between = tuple(
        section
        for section in changelog.released
        if section is last or (is_newer(section, first) and is_newer(last, section))
    )
    entries = [(section, kind, entry) for section in between for kind, entry in section.entries]
    told = []
    for change in changes or ():
        subject = subject_of(change)
        told.append(Told(change, tuple(row for row in entries if subject.told_by(row[2], tools))))
    used = {id(row[2]) for item in told for row in item.entries}
    unmatched = tuple(row for row in entries if id(row[2]) not in used) if changes is not None else ()
    return ReleaseComparison(first.title, last.title, between, tuple(told), unmatched, changes is not None)


def _known(changelog: Changelog, version: str) -> Section:
    show(changelog, version)  # raises where there is none
    section = changelog.section(version)
    assert section is not None
    return section
