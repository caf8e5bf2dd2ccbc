"""Writing what is missing: the section, its fingerprint, and an entry for each change that has none; and removing the
drafted entries that nobody edited and no change gives any more."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from mcp_governor.change.wording import NOTHING, PLACEHOLDER, name_as_shown
from mcp_governor.changelog.coverage import Mentions
from mcp_governor.changelog.editing import Editor, begin_section, state_fingerprint
from mcp_governor.changelog.grammar import UNRELEASED_HEADING, fingerprint_line, heading_line
from mcp_governor.changelog.model import NOTHING_RELEASED, Released
from mcp_governor.changelog.replacements import parting_of
from mcp_governor.changelog.subjects import EntryIndex, homes, subject_of
from mcp_governor.errors import UsageError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry, Kind, Section


_MAX_ENTRY = 1_000
"""Characters of an entry that may be a drafted one; matching costs the square of the length."""

_SPAN = r"`+[^`]+`+"
_SPANS = rf"{_SPAN}(?:(?:, | and ){_SPAN})*(?: and \d+ more)?"
_VALUE = r'(?:"[^"]*["…]|[\w.+-]+(?: \| \w+)*|[\[{][^.;]*[\]}…])'
_FILLERS = {
    **dict.fromkeys(("tool", "lost", "gained"), _SPANS),
    **dict.fromkeys(("field", "name", "successor", "parent"), _SPAN),
    **dict.fromkeys(("was", "now"), r"[^`]*"),
    **dict.fromkeys(("old", "new"), _VALUE),
    **{f"{word}_field": rf"(?: {word} {_SPAN})?" for word in ("for", "in", "of")},
    "of": rf"(?: of {_SPAN})?",
    "thing": rf"(?:[\w-]+ ){{1,3}}{_SPAN}",
    "what": r"[\w-]+(?: [\w-]+){0,3}",
    "keyword": r"[\w-]+(?: [\w-]+){0,4}",
    "instead": rf"(?:use {_SPAN} instead|nothing replaces (?:it|them))",
    "until": rf"(?: until {_SPAN})?",
}
"""Placeholder of a template → what it can become. A template with another one, such as free text, is never matched: an
author's words may follow it."""

_PART = lazy_pattern(r"\{(\w+)\}|\[([^\[\]|]*)\|([^\[\]|]*)\]|<([^<>]+)>")


def is_drafted(entry: Entry) -> bool:
    """True if an entry has the words of a template, and so those of nobody else."""
    text = " ".join(entry.text.split())
    return len(text) <= _MAX_ENTRY and any(pattern.fullmatch(text) for pattern in _patterns())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    from mcp_governor.change.model import catalogue

    found: dict[str, None] = {}
    for kind in catalogue().values():
        templates = kind.entry or kind.message
        for template in (templates,) if isinstance(templates, str) else templates:
            made = _pattern(template)
            if made and kind.entry:
                found[made] = None
            elif made:  # the report's sentence, preceded by the names that it leaves out
                found[f"(?:{_SPANS}: )?(?i:{made})\\."] = None
    return tuple(re.compile(text) for text in found)


def _pattern(template: str) -> str:
    """A template as a regular expression; empty if its placeholders may be any text."""
    out, end = "", 0
    for match in _PART.finditer(template):
        out += re.escape(template[end : match.start()])
        end = match.end()
        if match[1]:
            if match[1] not in _FILLERS:
                return ""
            out += _FILLERS[match[1]]
        elif match[4]:
            forms = [_pattern(form) for form in match[4].split("|") if "[" not in match[4]]
            if not all(forms) or not forms:
                return ""
            out += f"(?:{'|'.join(forms)})"
        else:
            out += f"(?:{_pattern(match[2])}|{_pattern(match[3])})"
    return out + re.escape(template[end:])


def outdated(
    entries: Sequence[tuple[Kind | None, Entry]], changes: Sequence[Change], index: EntryIndex
) -> Iterator[Entry]:
    """Drafted entries that no change of now would give: what they say was taken back, replaced, or became graver."""
    of_line: dict[int, list[Change]] = {}
    for change in changes:
        for kind, entry in index.of(subject_of(change)):
            if kind in homes(change):
                of_line.setdefault(entry.line, []).append(change)
    for _, entry in entries:
        if not _is_said(entry, of_line.get(entry.line, [])) and is_drafted(entry):
            yield entry


def _is_said(entry: Entry, changes: Sequence[Change]) -> bool:
    """True if the draft for one of these changes, on all tools of the entry that have it, is the entry."""
    parting = parting_of(entry)
    instead = NOTHING if parting.nothing else parting.replacement
    alike: dict[str, list[Change]] = {}
    for change in changes:
        shared = change.entry(replacement=instead, tools=_ANY if change.tool is not None else ())
        alike.setdefault(shared, []).append(change)
    for group in alike.values():
        names = {name_as_shown(change.tool): change.tool for change in group if change.tool is not None}
        tools = [names[name] for name in entry.leading if name in names]
        if _plain(entry.text) in {_plain(group[0].entry(replacement=one, tools=tools)) for one in (instead, None)}:
            return True
    return False


def _plain(text: str) -> str:
    """An entry on one line; an author may write that nothing replaces "it" for several tools."""
    return " ".join(text.split()).replace("nothing replaces it", "nothing replaces them")


_ANY = ("\0",)
"""Stands for the tools where entries are compared without them."""


_BULLET = lazy_pattern(r"\s{0,3}([-*+])\s")


def draft(
    changelog: Changelog,
    changes: Sequence[Change],
    *,
    version: str,
    fingerprint: str,
    tools: Collection[str] = (),
    replacements: Mapping[str, str] | None = None,
    released: Released = NOTHING_RELEASED,
    repair: bool = False,
) -> str:
    """The changelog with everything in it that the changes need; pure, nothing is written.

    The section of ``version`` is begun above the others where there is none, an unreleased section at the top
    becomes it, the ``(current)`` marker moves to it, its fingerprint line becomes the live one, and each change
    that no entry mentions in its place gets one there. Nothing else changes, byte for byte.

    Args:
        changelog: as read (an empty text starts one).
        changes: from the baseline to now.
        version: the version that the surface has now.
        fingerprint: the live one.
        tools: every tool of the old and the new surface, see :meth:`Subject.told_by`.
        replacements: for tools that go, the tool to use instead, if it is known.
        released: what is out already. Where account is kept of that, a current section of an older version that is
            not out was drafted too early, and becomes the section of ``version``.
        repair: ``changes`` are all since the last release, so that drafted entries that nobody edited and that no
            change gives any more can go (:mod:`mcp_governor.changelog.drafted`).

    Raises:
        UsageError: ``version`` is out, and its section would have to change.
        FileFormatError: a merge conflict is left in the file, or its entries name the same things too often.
    """
    editor = Editor(changelog)
    section = _section_for(changelog, version, released)
    evidence = released.evidence(section) if section is not None else ""
    pairs = section.entries if section is not None else ()
    own = pairs if repair and not evidence else ()
    entries, gone = _edits(changelog, changes, pairs, own, tools, replacements)
    if section is None:
        _begin(changelog, editor, [heading_line(version, current=True), "", fingerprint_line(fingerprint)], entries)
        return editor.text()
    if evidence and entries:
        raise UsageError(
            f"{changelog.what}:{section.line} is the section of {section.title}, which is released ({evidence}); "
            "nothing was written.",
            "Draft for a later version: mcp-governor changelog draft --for VERSION",
        )
    editor.mark_current(section, version)
    if not evidence:
        state_fingerprint(editor, section, fingerprint)
    _add_entries(changelog, editor, section, entries, gone)
    return editor.text()


def draft_unreleased(
    changelog: Changelog,
    changes: Sequence[Change],
    *,
    waiting: Sequence[Section] = (),
    tools: Collection[str] = (),
    replacements: Mapping[str, str] | None = None,
    repair: bool = False,
) -> str:
    """The changelog with an entry for each change under ``## Unreleased``, at the top of the file.

    Changes of wording need none. No other section is touched.

    Args:
        changelog, changes, tools, replacements, repair: as for :func:`draft`.
        waiting: the sections that no release has yet; what one of them mentions counts.

    Raises:
        FileFormatError: as :func:`draft`.
    """
    editor = Editor(changelog)
    top = changelog.sections[0] if changelog.sections else None
    own = top.entries if repair and top is not None and top.unreleased else ()
    pairs = [pair for section in waiting for pair in section.entries]
    entries, gone = _edits(changelog, changes, pairs, own, tools, replacements, wording=False)
    if not entries and not gone:
        return changelog.text
    if top is not None and top.unreleased:
        _add_entries(changelog, editor, top, entries, gone)
    else:
        _begin(changelog, editor, [UNRELEASED_HEADING], entries, is_current=False)
    return editor.text()


def _edits(
    changelog: Changelog,
    changes: Sequence[Change],
    counting: Sequence[tuple[Kind | None, Entry]],
    own: Sequence[tuple[Kind | None, Entry]],
    tools: Collection[str],
    replacements: Mapping[str, str] | None,
    *,
    wording: bool = True,
) -> tuple[dict[Kind, list[str]], list[Entry]]:
    """The sentences of what no entry of ``counting`` mentions, by subsection, and the entries of ``own`` that go.

    The same event on several tools is one sentence.
    """
    gone = list(outdated(own, changes, EntryIndex(own, tools, changelog.what))) if own else []
    lines = {entry.line for entry in gone}
    index = EntryIndex([pair for pair in counting if pair[1].line not in lines], tools, changelog.what)
    known = replacements or {}
    groups: dict[tuple[Kind, str], list[Change]] = {}
    for change, strays in Mentions.of([one for one in changes if wording or not one.wording], index).missing():
        if strays:
            continue  # an author's words: they are moved by hand
        instead = known.get(change.tool or "")
        shared = change.entry(replacement=instead, tools=["\0"] if change.tool is not None else ())
        groups.setdefault((homes(change)[0], shared), []).append(change)
    out: dict[Kind, list[str]] = {}
    for (home, _), group in groups.items():
        names = list(dict.fromkeys(change.tool for change in group if change.tool is not None))
        out.setdefault(home, []).append(group[0].entry(replacement=known.get(group[0].tool or ""), tools=names))
    return out, gone


def placeholders(before: str, after: str) -> list[int]:
    """The lines of a drafted text that only the author can complete, from 1."""
    old = set(before.splitlines())
    return [
        number for number, line in enumerate(after.splitlines(), 1) if f"`{PLACEHOLDER}`" in line and line not in old
    ]


def _section_for(changelog: Changelog, version: str, released: Released) -> Section | None:
    top = changelog.sections[0] if changelog.sections else None
    known, current, wanted = changelog.section(version), changelog.current, Numbered.parse(version)
    if known is None and top is not None and top.unreleased:
        return top
    if known is not None or current is None or current is not top or current.numbered is None or wanted is None:
        return known
    in_flight = released.kept and not released.evidence(current)
    return current if in_flight and current.numbered < wanted else None


def _begin(
    changelog: Changelog,
    editor: Editor,
    head: Sequence[str],
    entries: Mapping[Kind, list[str]],
    *,
    is_current: bool = True,
) -> None:
    """A new section above the newest one, or at the end of a changelog without sections."""
    lines = [*head]
    marks = _Style(changelog, editor)
    for kind in sorted(entries, key=lambda kind: kind.position):
        lines += ["", marks.label(kind), "", *marks.bullets(entries[kind])]
    begin_section(changelog, editor, lines, is_current=is_current)


def _add_entries(
    changelog: Changelog,
    editor: Editor,
    section: Section,
    entries: Mapping[Kind, list[str]],
    gone: Sequence[Entry] = (),
) -> None:
    """Add entries to a section, and remove others, with labels under which nothing is left."""
    lines = {entry.line for entry in gone}
    marks = _Style(changelog, editor)
    for part in section.subsections:
        home = next((one for one in reversed(section.subsections) if one.kind is part.kind), part)
        filled = part is home and part.kind in entries
        if part.label and part.entries and lines.issuperset(one.line for one in part.entries) and not filled:
            editor.remove(part.line, part.end)
        else:
            for entry in part.entries:
                if entry.line in lines:
                    editor.remove(entry.line, entry.end, replaced=filled and entry is part.entries[-1])
    for kind in sorted(entries, key=lambda kind: kind.position):
        home_of = next((part for part in reversed(section.subsections) if part.kind is kind), None)
        if home_of is not None:
            editor.insert(home_of.end, marks.bullets(entries[kind]), block=not home_of.entries)
            continue
        # Below those that come first in the order of the grammar, else below the fingerprint and any introduction.
        above = [part.end for part in section.subsections if part.kind and part.kind.position < kind.position]
        start = section.subsections[0].line - 1 if section.subsections else section.end
        block = [marks.label(kind), "", *marks.bullets(entries[kind])]
        editor.insert(above[-1] if above else start, block, block=True)


class _Style:
    """How this author writes labels and bullets."""

    def __init__(self, changelog: Changelog, editor: Editor) -> None:
        self._as_heading = any(
            editor.line(part.line).startswith("### ")
            for section in changelog.sections[:5]
            for part in section.subsections
        )
        entry = next((entry for section in changelog.sections[:5] for _, entry in section.entries), None)
        bullet = _BULLET.match(editor.line(entry.line)) if entry is not None else None
        self._bullet = bullet[1] if bullet else "-"

    def label(self, kind: Kind) -> str:
        return f"### {kind.value}" if self._as_heading else f"**{kind.value}**"

    def bullets(self, sentences: Sequence[str]) -> list[str]:
        return [f"{self._bullet} {text}" for text in sentences]
