"""A release in the changelog: the marker moves, the date is written, its surface is recorded and found again; and the
note between two releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.wording import code, enumeration
from mcp_governor.changelog.checks import Recorded
from mcp_governor.changelog.editing import Editor, begin_section, state_fingerprint
from mcp_governor.changelog.grammar import fingerprint_line, heading_line, is_date
from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.structure import is_newer, strict_heading, working_section
from mcp_governor.changelog.subjects import EntryIndex, homes, subject_of
from mcp_governor.errors import UsageError
from mcp_governor.findings import Bump, Verdict
from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface import fingerprint, load_surface
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.versions import Numbered, is_semver, scheme_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry, Section


_BULLET = lazy_pattern(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])\s{1,4}")
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
    parts: dict[Kind | None, list[str]] = {}
    for section in between:
        suffix = f" ({section.title})" if len(between) > 1 else ""
        for kind, entry in section.entries:
            parts.setdefault(kind, []).append(_item(_as_written(entry, changelog.lines), suffix))
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


_NO_SEMVER = '"{}" is not a semantic version.'
_THREE_NUMBERS = "Write it with three numbers, like 1.2.0, or as the changelog spells it."


def release(
    changelog: Changelog, version: str, *, day: str | None = None, fingerprint: str = "", begin: bool = False
) -> str:
    """The changelog with ``version`` released: its section is the current one, dated where asked.

    The caller checks it against the surface first (:func:`mcp_governor.changelog.check`) and records the surface
    (:func:`recorded_path`) afterwards; nothing is written here.

    Args:
        version: the version to release; a semantic one, or one that the changelog has a section of. A leading ``v``
            is left out.
        day: ``YYYY-MM-DD`` for the heading; ``None`` leaves it undated.
        fingerprint: the live one, which the section states from now on; empty leaves it as it is.
        begin: a section of that version is begun where there is none to release: nothing changed for clients.

    Raises:
        UsageError: there is nothing to release under that version, it is not a semantic version and not in the
            changelog, a newer one is in the changelog already, or entries wait in two sections.
        FileFormatError: a merge conflict is left in the file.
    """
    editor = Editor(changelog)
    wanted = _number(version)
    if not (is_semver(wanted.text) or _is_spelled_like(changelog, wanted.text, begin=begin)):
        raise UsageError(_NO_SEMVER.format(one_line(version, 60)), _THREE_NUMBERS)
    shown = one_line(wanted.text, 60)
    if not is_date(day):
        raise UsageError(f'"{one_line(str(day), 40)}" is not a date.', "Write it as 2026-11-21.")
    section = _releasable(changelog, wanted.text, begin=begin)
    later = (other for other in changelog.released if other.numbered is not None and other.numbered > wanted)
    newer = next((other for other in later if other is not section), None)
    if newer is not None:
        raise UsageError(
            f"{changelog.what}:{newer.line} holds {newer.title}, which is newer than {shown}.",
            "Release the newest version; an older line of releases has a changelog on its own branch.",
        )
    if section is None:
        lines = [heading_line(wanted.text, current=True, day=day)]
        begin_section(changelog, editor, [*lines, "", fingerprint_line(fingerprint)] if fingerprint else lines)
        return editor.text()
    editor.mark_current(section, wanted.text, day=day)
    if fingerprint:
        state_fingerprint(editor, section, fingerprint)
    return editor.text()


def _number(version: str) -> Numbered:
    found = Numbered.parse(version)
    if found is None:
        raise UsageError(_NO_SEMVER.format(one_line(version, 60)), _THREE_NUMBERS)
    return found


def _is_spelled_like(changelog: Changelog, version: str, *, begin: bool) -> bool:
    """True if a version that is not semantic has its section, or may get one next to others of its scheme."""
    top = working_section(changelog)
    begins = begin or (top is not None and top.unreleased)
    return any(
        part.version_text == version or (begins and scheme_of(part.version_text) is scheme_of(version))
        for part in changelog.released
    )


def _releasable(changelog: Changelog, version: str, *, begin: bool) -> Section | None:
    """The section that becomes the release; ``None`` if a new one is needed."""
    section, top = changelog.section(version), working_section(changelog)
    waiting = top if top is not None and top.unreleased else None
    if section is not None and waiting is not None and waiting.entries:
        raise UsageError(
            f"{changelog.what} has entries for {one_line(version, 60)} in two sections, at line {waiting.line} and at "
            f"line {section.line}.",
            f"Move those of line {waiting.line} to line {section.line}.",
        )
    if section is not None or waiting is not None or begin:
        return section or waiting
    known = [section.version_text for section in changelog.released]
    raise UsageError(
        f"{changelog.what} has no section {one_line(version, 60)}.{did_you_mean(version, known)}",
        "Write it with: mcp-governor changelog draft",
    )


def recorded_path(folder: str, version: str) -> str:
    """The path of the recorded surface of a release: ``FOLDER/VERSION.json``.

    Raises:
        UsageError: the version does not count in numbers, so it may be no file name either.
    """
    return f"{folder.rstrip('/')}/{_number(version).text}.json"


def recorded_surfaces(
    folder: Path, shown: str, changelog: Changelog, *, with_current: bool = False
) -> Iterator[Recorded]:
    """The recorded surfaces of the releases that the changelog lists.

    Args:
        folder: where :func:`recorded_path` leads.
        shown: how messages name the folder.
        with_current: that of the current section, too; at a release its fingerprint is compared with the live one.

    Raises:
        FileFormatError: a recorded surface cannot be read.
    """
    if not folder.is_dir():
        return
    for section in changelog.released:
        if section.numbered is None or (section.current and not with_current):
            continue
        file = folder / f"{section.numbered.text}.json"
        if file.is_file():
            where = visible(f"{shown.rstrip('/')}/{file.name}")
            yield Recorded(section.version_text, fingerprint(load_surface(file)), where)


def show(changelog: Changelog, version: str) -> str:
    """The text of one release, as written, without trailing blank lines.

    Raises:
        UsageError: there is no such section; the message suggests the nearest.
    """
    section = named_section(changelog, version)
    return "\n".join(changelog.lines[section.line - 1 : section.end]) + "\n"


def named_section(changelog: Changelog, version: str) -> Section:
    """The section that a version, ``current`` or ``unreleased`` names.

    Raises:
        UsageError: there is none.
    """
    section = changelog.section(version)
    if version == "current":
        section = changelog.current
    elif version.lower() == "unreleased":
        section = next((part for part in changelog.sections if part.unreleased), None)
    if section is not None:
        return section
    known = [part.version_text for part in changelog.released]
    what = "no section that is marked (current)" if version == "current" else f"no section {one_line(version, 60)}"
    hint = f"Its versions: {', '.join(known[:12]) or 'none'}" + (", …" if len(known) > 12 else "")
    raise UsageError(f"{changelog.what} has {what}.{did_you_mean(version, known)}", hint)


def renumber(changelog: Changelog, numbers: Mapping[str, str]) -> str:
    """The changelog with other versions in its headings; everything else stays as the author wrote it.

    Args:
        numbers: version of a section, as the file spells it → its new version.

    Raises:
        FileFormatError: a merge conflict is left in the file.
        UsageError: two sections would have one version, or an older one a higher version than a newer one.
    """
    _refuse_disorder(changelog, numbers)
    editor = Editor(changelog)
    for section in changelog.released:
        new = numbers.get(section.version_text)
        if new is None or new == section.version_text:
            continue
        line = editor.line(section.line)
        if line.count(section.version_text) == 1:
            editor.replace(section.line, line.replace(section.version_text, new))
        else:
            heading = strict_heading(section, current=section.current).replace(section.version_text, new, 1)
            editor.replace(section.line, heading)
    return editor.text()


def _refuse_disorder(changelog: Changelog, numbers: Mapping[str, str]) -> None:
    above: Section | None = None
    highest: Numbered | None = None
    for section in changelog.released:
        new = Numbered.parse(numbers.get(section.version_text, section.version_text))
        if new is None:
            continue
        if highest is not None and above is not None and new >= highest and _was_below(section, above):
            raise UsageError(
                f"{changelog.what}:{section.line} holds {one_line(section.title, 40)}, and the section above it would "
                f"become {one_line(highest.text, 40)}; nothing was written.",
                f"State its version under the new source: --renumber {one_line(section.title, 40)}=VERSION",
            )
        above, highest = section, new


def _was_below(section: Section, above: Section) -> bool:
    """True if two sections were in order before; renumbering does not repair other changelogs."""
    return section.numbered is None or above.numbered is None or section.numbered < above.numbered
