"""Compares the skills of two surfaces."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.model import make
from mcp_governor.change.vocabulary import MISSING, Facts
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.surface.model import Surface
    from mcp_governor.surface.skills import Skill


_QUOTES = "\"'"


def compare_skills(old: Surface, new: Surface) -> Iterator[Change]:
    """All changes of skills.

    Where a recording does not say which skills there were, none is new; and a recording without them removes none. SDKs
    declare extensions in one protocol era only, so it is unknown what became of skills that only one of two eras shows.
    """
    if not old.same_era(new) and bool(old.skills) != bool(new.skills):
        reason = f"the {'new' if old.skills else 'old'} side was read in a protocol era in which it shows no skills"
        yield make("skills-undecided", None, "/skills", reason=reason)
        return
    if not (old.skills_recorded and new.skills_recorded):
        if old.skills or (new.skills and old.capabilities):
            reason = f"the {'new' if old.skills else 'old'} side does not say which skills there are"
            yield make("skills-undecided", None, "/skills", reason=reason)
        return
    before = {skill.uri: skill for skill in old.skills}
    after = {skill.uri: skill for skill in new.skills}
    gone = [skill for uri, skill in before.items() if uri not in after]
    come = [skill for uri, skill in after.items() if uri not in before]
    renamed = {was.uri: now for was, now in _renamed(gone, come)}
    for skill in gone:
        if skill.uri in renamed:
            successor = renamed[skill.uri]
            yield _make("skill-renamed", skill, "", skill.uri, successor.uri, successor=successor.name)
            yield from _same_skill(skill, successor)
        else:
            yield _make("skill-removed", skill, "", skill.uri)
    known = {skill.uri for skill in renamed.values()}
    for skill in come:
        yield from _departures(None, skill)
        if skill.uri not in known:
            yield _make("skill-added", skill, "", MISSING, skill.uri)
    for uri in before.keys() & after.keys():
        yield from _same_skill(before[uri], after[uri])


def _renamed(gone: Sequence[Skill], come: Sequence[Skill]) -> list[tuple[Skill, Skill]]:
    """Skills with another URI and the same text, where that identifies them."""
    found: list[tuple[Skill, Skill]] = []
    for was in gone:
        same = [now for now in come if _body(was) is not None and _body(was) == _body(now)]
        if len(same) == 1 and sum(_body(other) == _body(was) for other in gone) == 1:
            found.append((was, same[0]))
    return found


def _body(skill: Skill) -> str | None:
    """The text after the frontmatter, which has the name in it; else the digest of the whole."""
    if skill.text is None:
        return skill.digest(skill.uri)
    lines = skill.text.splitlines()
    end = lines.index("---", 1) if lines[:1] == ["---"] and "---" in lines[1:] else -1
    return "\n".join(lines[end + 1 :]).strip()


def _make(kind: str, skill: Skill, place: str, old: Any = MISSING, new: Any = MISSING, **facts: Any) -> Change:
    path = join_pointer("/skills", skill.uri) + place
    return make(kind, None, path, old=old, new=new, facts=Facts((skill.name,), **facts))


def _same_skill(old: Skill, new: Skill) -> Iterator[Change]:
    seen = list(_entry(old, new))
    yield from seen
    before, after = old.digest(old.uri), new.digest(new.uri)
    if None not in (before, after) and before != after:
        # A new description changes the file as well, and is reported once.
        was, now = _own_lines(old), _own_lines(new)
        if was != now or None in (old.text, new.text) or not (seen or old.uri != new.uri):
            yield _make("skill-text-changed", new, "/text", detail=_difference(was, now))
    yield from _files(old, new)
    yield from _departures(old, new)
    reason = _undecided(old, new)
    if reason:
        path = join_pointer("/skills", new.uri)
        yield make("skill-undecided", None, path, facts=Facts((new.name,)), reason=reason)


def _entry(old: Skill, new: Skill) -> Iterator[Change]:
    """Changes of what the entry says; of the name only where the URI is the same."""
    yield from _tools(old, new)
    if old.dynamic != new.dynamic:
        yield _make("skill-digests-dropped" if new.dynamic else "skill-digests-published", new, "/resources")
    apart = {"allowed-tools", "description"} if old.uri == new.uri else {"allowed-tools", "description", "name"}
    for key in sorted({*old.frontmatter, *new.frontmatter} - apart):
        was, now = old.frontmatter.get(key, MISSING), new.frontmatter.get(key, MISSING)
        if was is MISSING or now is MISSING or not same_json(was, now):
            place = join_pointer("/frontmatter", key)
            yield _make("skill-frontmatter-changed", new, place, was, now, what=key)
    if old.frontmatter.get("description") != new.frontmatter.get("description"):
        was, now = old.frontmatter.get("description", MISSING), new.frontmatter.get("description", MISSING)
        yield _make("skill-description-changed", new, "/frontmatter/description", was, now)


def _own_lines(skill: Skill) -> list[str]:
    """The lines of the text without those of its frontmatter that the entry repeats; none if the text is not known."""
    lines = skill.text.split("\n") if skill.text is not None else []
    end = lines.index("---", 1) if lines[:1] == ["---"] and "---" in lines[1:] else 0
    entry = [f"{key}:{value}" for key, value in skill.frontmatter.items() if isinstance(value, str)]
    head = [(line, *line.partition(":")) for line in lines[:end]]
    rest = [line for line, key, _, value in head if f"{key}:{value.strip().strip(_QUOTES)}" not in entry]
    return [*rest, *lines[end:]]


def _departures(old: Skill | None, new: Skill) -> Iterator[Change]:
    """Files that are not what the entry promises any more, and those that are again."""
    files = {*new.files, *(old.files if old is not None and old.uri == new.uri else ())}
    for uri in sorted(files):
        was, now = old.departure(uri) if old is not None else "", new.departure(uri)
        if bool(was) != bool(now):
            kind = "skill-digest-wrong" if now else "skill-digest-corrected"
            yield _make(
                kind, new, join_pointer("/resources", uri), what=uri.removeprefix(f"{new.root}/"), detail=now or was
            )


def _undecided(old: Skill, new: Skill) -> str:
    """Why it is unknown what hosts load, and was known before, or the reverse; empty if it is not."""
    if not same_json([*old.again.values()], [*new.again.values()]):
        return "its URI is listed more than once, and clients differ in which entry they keep"
    for name in sorted(old.unread ^ new.unread):
        if name in new.unread or old.digest(f"{old.root}{name}") is None:
            return f"{name.lstrip('/')} could not be read or verified"
    return ""


def _tools(old: Skill, new: Skill) -> Iterator[Change]:
    lost = tuple(name for name in old.allowed_tools if name not in new.allowed_tools)
    gained = tuple(name for name in new.allowed_tools if name not in old.allowed_tools)
    for kind, some in (("skill-tools-widened", gained), ("skill-tools-narrowed", lost)):
        if some:
            # A host that has no list asks about every tool, so a list is more than none.
            yield _make(kind, new, "/frontmatter/allowed-tools", lost=lost, gained=gained)


def _files(old: Skill, new: Skill) -> Iterator[Change]:
    before = {uri.removeprefix(old.root): old.digest(uri) for uri in old.files if uri != old.uri}
    after = {uri.removeprefix(new.root): new.digest(uri) for uri in new.files if uri != new.uri}
    for name in sorted(before.keys() | after.keys()) if not (old.dynamic or new.dynamic) else ():
        was, now = before.get(name, MISSING), after.get(name, MISSING)
        if was != now:
            path = join_pointer("/skills", new.uri, "resources", f"{new.root}{name}")
            facts = Facts((new.name, name.lstrip("/")), thing="file")
            yield make("skill-file-changed", None, path, old=was, new=now, facts=facts)


def _difference(old: list[str], new: list[str]) -> str:
    """``3 lines are gone, 5 are new``; empty if one of them is not known."""
    if not old or not new:
        return ""
    before, after = Counter(old), Counter(new)
    gone, come = (before - after).total(), (after - before).total()
    counts = ((gone, "gone"), (come, "new"))
    return ", ".join(f"{count} {'line is' if count == 1 else 'lines are'} {what}" for count, what in counts if count)
