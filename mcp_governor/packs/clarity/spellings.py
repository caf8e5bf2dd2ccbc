"""One thing under several names: parameters of different tools that are spelled in two ways."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.packs.clarity.name_families import families_of
from mcp_governor.packs.clarity.name_meanings import IDENTIFIERS, Family
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.packs.clarity.name_uses import Use
    from mcp_governor.surface.model import Surface

_MAX_TOOLS = 3
"""Maximum number of tools named per spelling."""
_MAX_APART = 2
"""Maximum number of families with a finding of their own. More are a habit of the server, reported in one line."""
_MAX_NAMES = 12
"""Maximum number of names of one thing in a message; the rest are counted."""
_MAX_FAMILIES = 12
"""Maximum number of families named in a message."""
_MAX_CARRIED = 3
"""The same where each is a likely mistake: what comes after the worst three is read when those are repaired."""


def spellings(_surface: Surface, context: Context) -> Iterator[Hit]:
    """One thing has one name in all tools; one hit per family, and a single hit if there are many."""
    several = families_of(context)[1]
    if len(several) <= _MAX_APART:
        for names in several:
            shown = "; ".join(_all_shown(names, _MAX_TOOLS))
            first = one_line(next(iter(names)), 64)
            yield hit("/tools", sorted(names), spots=_spots([names]), names=shown, name=first)
        return
    several.sort(key=lambda names: -sum(map(len, names.values())))
    many = [" and ".join(_all_shown(names, 1)) for names in several[:_MAX_FAMILIES]]
    if len(several) > _MAX_FAMILIES:
        many.append(f"{len(several) - _MAX_FAMILIES} more")
    first = one_line(next(iter(several[0])), 64)
    yield hit("/tools", spots=_spots(several), names="; ".join(many), name=first)


def carried_names(_surface: Surface, context: Context) -> Iterator[Hit]:
    """What a call takes over from another has the same name in both; one hit for the server."""
    found = sorted(families_of(context)[0], key=_confusion, reverse=True)
    if not found:
        return
    shown = [" is ".join(_all_shown(names, 2)) for names in found[:_MAX_CARRIED]]
    if len(found) > _MAX_CARRIED:
        shown.append(counted(len(found) - _MAX_CARRIED, "more value"))
    usual, other = list(found[0])[:2]
    worst = next((use for use in found[0][other] if use.strict), found[0][other][0])
    yield hit(
        "/tools",
        # The usual name stays.
        spots=_spots([dict(list(names.items())[1:]) for names in found]),
        says="" if worst.strict else "dropped",
        names="; ".join(shown),
        name=one_line(usual, 64),
        tool_of=one_line(worst.tool, 64),
    )


def _confusion(names: Family) -> tuple[bool, bool, int]:
    """How likely the wrong name is sent: one that fails, an identifier, in many tools."""
    usual, *others = names.items()
    fails = any(use.strict for _, uses in others for use in uses)
    known = name_words(usual[0])[-1:]
    return fails, bool(known) and known[0] in IDENTIFIERS, sum(map(len, names.values()))


def _spots(families: Iterable[Family]) -> Iterator[tuple[str, str]]:
    for names in families:
        for uses in names.values():
            for use in uses:
                yield use.tool, use.pointer


def _all_shown(names: Family, most_tools: int) -> Iterator[str]:
    for name, uses in islice(names.items(), _MAX_NAMES):
        yield _shown(name, uses, most_tools)
    if len(names) > _MAX_NAMES:
        yield counted(len(names) - _MAX_NAMES, "more name")


def _shown(name: str, uses: list[Use], most: int) -> str:
    # An object may have the name in several places.
    tools = list(dict.fromkeys(use.tool for use in uses))
    shown = ", ".join(one_line(tool, 64) for tool in tools[:most])
    more = ", …" if len(tools) > most else ""
    return f"{one_line(name, 64)} ({counted(len(tools), 'tool')}: {shown}{more})"
