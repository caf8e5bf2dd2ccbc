"""Checks that the current section mentions what changed: each change once, in its place, by names that exist."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.changelog.model import Kind, names_in
from mcp_governor.changelog.replacements import TIERS, is_about_a_part, parting_of, tier_move
from mcp_governor.changelog.structure import at
from mcp_governor.changelog.subjects import EntryIndex, homes, subject_of
from mcp_governor.findings import Bump, Verdict
from mcp_governor.lazy import lazy_pattern
from mcp_governor.rules.finding import finding
from mcp_governor.schemas.walking import walk
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry, Section
    from mcp_governor.changelog.subjects import Subject
    from mcp_governor.findings import Finding
    from mcp_governor.surface.model import Json, Surface, Tool


MAX_HINTS = 20
"""Unknown names that a near one is looked for: each search goes through every name of both surfaces."""


class Names(Struct, frozen=True, dict=True):
    """Every name that an entry may use: what exists now, and what existed in the baseline.

    Attributes:
        surface, baseline: of now and of then.
        further: names outside of the surface, of the manifest and of the changes.
    """

    surface: Surface
    baseline: Surface | None = None
    further: frozenset[str] = frozenset()

    @cached_property
    def live(self) -> frozenset[str]:
        """Tools of now."""
        return frozenset(self.surface.by_name)

    @cached_property
    def tools(self) -> frozenset[str]:
        """Tools of now and of the baseline."""
        return self.live | frozenset(self.baseline.by_name if self.baseline else ())

    @cached_property
    def others(self) -> frozenset[str]:
        """Fields, hints, tiers, prompts, resources and the parts of the server's own description."""
        names = {"instructions", "capabilities", "serverInfo", *TIERS, *self.further}
        for surface in (self.surface, self.baseline):
            if surface is None:
                continue
            names.update(surface.capabilities)
            for tool in surface.tools:
                names.update(_parts(tool))
            for entry in (*surface.prompts, *surface.resources, *surface.templates):
                names.update(_listed_names(entry))
        return frozenset(names)

    def parts_of(self, tools: Iterable[str]) -> frozenset[str]:
        """Fields, hints and keys of these tools, now and in the baseline."""
        found: set[str] = set()
        for surface in (self.surface, self.baseline):
            for name in tools:
                tool = surface.by_name.get(name) if surface is not None else None
                if tool is not None:
                    found.update(_parts(tool))
        return frozenset(found)

    def replacement(self, tool: str | None) -> str | None:
        """What the deprecation of a tool named, in the baseline; empty if it said that there is nothing."""
        before = self.baseline.by_name.get(tool or "") if self.baseline is not None else None
        if before is None or before.deprecation is None:
            return None
        return "" if before.deprecation.nothing else before.deprecation.replacement

    def known(self, entry_names: frozenset[str]) -> bool:
        """True if one of these names means something."""
        return not entry_names.isdisjoint(self.tools) or not entry_names.isdisjoint(self.others)

    def hint(self, word: str, among: frozenset[str] | None = None) -> str:
        """``did_you_mean`` for the first unknown names; with more of them, the changelog is of another server."""
        if next(self._hints, None) is None:
            return ""
        return did_you_mean(word, self.tools | self.others if among is None else among)

    @cached_property
    def _hints(self) -> Iterator[int]:
        return iter(range(MAX_HINTS))


def _parts(tool: Tool) -> Iterator[str]:
    yield from (*tool.annotations, *tool.hints.as_json(), *tool.raw)
    for schema in (tool.input_schema, tool.output_schema):
        yield from _fields(schema)


def _fields(schema: Json) -> Iterator[str]:
    for _, node in walk(schema):
        if isinstance(node, dict):
            for key in ("properties", "$defs", "definitions", "patternProperties"):
                value = node.get(key)
                if isinstance(value, dict):
                    yield from value


def _listed_names(entry: Json) -> Iterator[str]:
    if not isinstance(entry, dict):
        return
    for key in ("name", "uri", "uriTemplate"):
        if isinstance(entry.get(key), str):
            yield entry[key]
    arguments = entry.get("arguments")
    for argument in arguments if isinstance(arguments, list) else ():
        yield from _listed_names(argument)


class Coverage(Struct, frozen=True):
    """What the current section leaves out, misplaces or repeats.

    Attributes:
        findings: in no order.
        settled: lines of the entries that mention a change in its place.
        mentioning: lines of the entries that mention a change at all.
    """

    findings: tuple[Finding, ...] = ()
    settled: frozenset[int] = frozenset()
    mentioning: frozenset[int] = frozenset()


class Home(Struct, frozen=True):
    """Where changes have to be mentioned.

    Attributes:
        sections: entries in any of them count.
        title: the release that has to mention them; another one than the section's where that is out already.
        line: its line, or the line where it should start.
        begins: the heading of the section, where there is none yet.
    """

    sections: tuple[Section, ...]
    title: str
    line: int
    begins: str = ""

    @property
    def entries(self) -> tuple[tuple[Kind | None, Entry], ...]:
        """The entries of all of its sections."""
        return tuple(pair for section in self.sections for pair in section.entries)


class Mentions(Struct, frozen=True):
    """Which entries mention which changes.

    Attributes:
        of_changes: each change that needs an entry, its subject, and the entries that mention it.
        settled: lines of the entries that mention a change in its place.
    """

    of_changes: tuple[tuple[Change, Subject, list[tuple[Kind | None, Entry]]], ...]
    settled: frozenset[int]

    @staticmethod
    def of(changes: Sequence[Change], index: EntryIndex) -> Mentions:
        """Ask an index for each change that needs a version step; internal tools need no entry."""
        relevant = [(change, subject_of(change)) for change in changes if change.bump is not Bump.NONE]
        asked = tuple((change, subject, index.of(subject)) for change, subject in relevant)
        settled = (entry.line for change, _, pairs in asked for kind, entry in pairs if kind in homes(change))
        return Mentions(asked, frozenset(settled))

    def missing(self, *, of_baseline: bool = False) -> Iterator[tuple[Change, list[tuple[Kind | None, Entry]]]]:
        """The changes that no entry mentions in its place, each with the entries about it elsewhere.

        Args:
            of_baseline: entries elsewhere are not misplaced, see :func:`check_coverage`.
        """
        for change, subject, pairs in self.of_changes:
            if any(kind in homes(change) for kind, _ in pairs):
                continue
            if change.verdict is Verdict.COMPATIBLE and any(entry.line in self.settled for _, entry in pairs):
                continue  # mentioned along with a graver change of the same thing
            yield (
                change,
                [
                    pair
                    for pair in pairs
                    if not of_baseline and pair[1].line not in self.settled and subject.is_about(pair[1])
                ],
            )


def check_coverage(
    changelog: Changelog,
    home: Home,
    changes: Sequence[Change],
    names: Names,
    *,
    of_baseline: bool = False,
    wording: bool = True,
) -> Coverage:
    """Check that every change is mentioned once, in its place.

    Args:
        home: the section that must mention them.
        changes: from the baseline to now; those that need no version step (internal tools) need no entry.
        names: see :class:`Names`.
        of_baseline: the section is that of the baseline. An entry that stands elsewhere than a change of now would
            is not misplaced there: it described a change of that time.
        wording: true if new words alone have to be mentioned.
    """
    mentions = Mentions.of(changes, EntryIndex(home.entries, names.tools, changelog.what))
    found = [
        _missing(changelog, home, change, strays, names=names)
        for change, strays in mentions.missing(of_baseline=of_baseline)
        if strays or wording or not change.wording
    ]
    by_line: dict[int, list[Change]] = {}
    for change, _, pairs in mentions.of_changes:
        for _, entry in pairs:
            by_line.setdefault(entry.line, []).append(change)
    found += _repetitions(changelog, home, by_line)
    return Coverage(tuple(found), mentions.settled, frozenset(by_line))


def _missing(
    changelog: Changelog, home: Home, change: Change, strays: list[tuple[Kind | None, Entry]], *, names: Names
) -> Finding:
    """A change that is not mentioned in its place: mentioned elsewhere, or not at all."""
    label = homes(change)[0].value
    line = f"- {change.entry(replacement=names.replacement(change.tool))}"
    facts = {"change": change.full_message, "label": label, "line": line}
    if strays:
        kind, entry = strays[0]
        facts["found"] = kind.value if kind else "none of the six labels"
        where, value = at(changelog, entry.line), [change.id, kind]
        return finding("changelog/wrong-subsection", where, tool=change.tool, value=value, facts=facts)
    facts["section"] = home.title
    facts["place"] = f', in a new section "## {home.begins}" above line {home.line},' if home.begins else ","
    rule = "changelog/missing-wording-entry" if change.wording else "changelog/missing-entry"
    return finding(rule, at(changelog, home.line), tool=change.tool, value=change.id, facts=facts)


def _repetitions(changelog: Changelog, home: Home, mentions: dict[int, list[Change]]) -> Iterator[Finding]:
    """Entries that name just the same things, more of them than there are changes to mention.

    A release may sum up what its candidates brought, and call a removal or another change out under Breaking as well.
    """
    groups: dict[tuple[int, bool, frozenset[str]], list[Entry]] = {}
    for section in home.sections:
        own = section.line if section.numbered is not None and section.numbered.prerelease else 0
        for kind, entry in section.entries:
            if entry.line in mentions:
                groups.setdefault((own, kind is Kind.BREAKING, entry.names), []).append(entry)
    for (_, _, names), entries in groups.items():
        changes = {id(change) for change in mentions[entries[0].line]}
        for extra in entries[max(1, len(changes)) :]:
            yield finding(
                "changelog/duplicate-entry",
                at(changelog, extra.line),
                value=sorted(names),
                found=one_line(extra.text, 60).rstrip("."),
                first=entries[0].line,
            )


def check_claims(
    changelog: Changelog, sections: Iterable[Section], names: Names, mentioning: frozenset[int]
) -> Iterator[Finding]:
    """Entries of the next release about a tool that was not removed, or had been there before.

    Only what a surface can show is judged: what a tool does may change without it.

    Args:
        sections: those that no release and no candidate has yet.
        names: of now and of the last release.
        mentioning: lines of the entries that mention a change.
    """
    before = frozenset(names.baseline.by_name if names.baseline is not None else ())
    for kind, entry in (pair for section in sections for pair in section.entries):
        if entry.line in mentioning or not entry.leading:
            continue
        name, where = entry.leading[0], at(changelog, entry.line)
        if kind is Kind.REMOVED and names.tools.issuperset(entry.spans) and not is_about_a_part(entry):
            still = [tool for tool in parting_of(entry).names if tool in names.live]
            if still:
                yield finding("changelog/not-removed", where, tool=still[0], value=still, name=still[0])
        elif kind is Kind.ADDED and name in before and name in names.live:
            yield finding("changelog/not-added", where, tool=name, value=entry.text, name=name)


def check_names(changelog: Changelog, section: Section, names: Names, *, released: bool) -> Iterator[Finding]:
    """Entries of the current section whose subject never existed, and removals without a replacement.

    Args:
        section: the current one.
        names: see :class:`Names`.
        released: the baseline is this release, or there is none: what the section took leave of is on neither
            surface, so such entries are not judged. Where it is this release, so are names: they were known to the
            check of the release, which still had the surface before it.
    """
    for kind, entry in section.entries:
        if not entry.spans or (released and kind in (Kind.REMOVED, Kind.BREAKING)):
            continue  # entry-without-name is about those without a name
        first = entry.spans[0]
        if not names.known(names_in(first)) and "*" not in first:
            if released and names.baseline is not None:
                continue
            yield _unknown(changelog, entry, first, names.hint(first))
            continue
        if not released:
            yield from _unknown_parts(changelog, entry, names)
        if kind in (Kind.REMOVED, Kind.DEPRECATED):
            yield from _parting(changelog, kind, entry, names)


_PART_NAMED = lazy_pattern(
    r"\b(?:optional|(?:requires?|require) the new|arguments?|parameters?|(?:input|output|new) fields?)\s+`([^`]+)`",
    re.IGNORECASE,
)
"""A name that an entry itself calls a parameter or a field, as the drafted entries about new ones do."""


def _unknown_parts(changelog: Changelog, entry: Entry, names: Names) -> Iterator[Finding]:
    """A parameter or a field that an entry names and none of its tools has, now or in the baseline."""
    tools = [name for name in entry.leading if name in names.tools]
    if not tools:
        return
    parts = names.parts_of(tools) | names.further | names.tools
    for span in dict.fromkeys(_PART_NAMED.findall(entry.text)):
        if names_in(span).isdisjoint(parts):
            yield _unknown(changelog, entry, span, names.hint(span, parts), tools)


def _parting(changelog: Changelog, kind: Kind, entry: Entry, names: Names) -> Iterator[Finding]:
    """A tool that goes, or is to go, needs a way on; an argument or a field does not."""
    parting = parting_of(entry)
    replacement = parting.replacement
    if kind is Kind.REMOVED:
        tools = [name for name in parting.names if name in names.tools - names.live]
    elif is_about_a_part(entry) or tier_move(entry) is not None:
        tools = []
    else:
        tools = [name for name in parting.names if name in names.live]
    if not tools or parting.nothing:
        return
    where = at(changelog, entry.line)
    if replacement is None:
        rule = "removed-without-replacement" if kind is Kind.REMOVED else "deprecated-without-replacement"
        yield finding(f"changelog/{rule}", where, tool=tools[0], name=tools[0])
    elif replacement not in names.live and not names.known(names_in(replacement)):
        yield _unknown(changelog, entry, replacement, names.hint(replacement, names.live))


def _unknown(changelog: Changelog, entry: Entry, span: str, hint: str, tools: Sequence[str] = ()) -> Finding:
    """A name that means nothing, or names no part of the tools that it is said of."""
    where, facts = at(changelog, entry.line), {"name": one_line(span, 60), "hint": hint}
    if not tools:
        return finding("changelog/unknown-name", where, value=span, facts=facts)
    facts["tools"] = ", ".join(f"`{one_line(tool, 60)}`" for tool in tools[:3])
    return finding("changelog/unknown-name", where, tool=tools[0], says="part", value=[*tools, span], facts=facts)
