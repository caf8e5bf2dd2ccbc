"""Check deprecations: removals were announced early enough, with a replacement."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.change.vocabulary import Side
from mcp_governor.findings import Bump, Tier, Verdict
from mcp_governor.policy.windows import Notice
from mcp_governor.rules.finding import finding
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.deprecations import META_PREFIX
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.versions import Numbered, is_promised, next_version, same_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding
    from mcp_governor.policy.windows import History
    from mcp_governor.surface.model import Surface, Tool

REMOVED, RENAMED, LOWERED, UNLISTED = "tool-removed", "tool-renamed", "tier-lowered", "tool-unlisted"


def check_departures(
    changes: Sequence[Change], old: Surface, new: Surface, history: History, *, zero_policy: str, today: date | None
) -> Iterator[Finding]:
    """Check removals, renames, moves to a lower tier and breaks of advanced tools against their deprecation windows.

    Versions before 1.0.0 promise nothing, unless ``zero_policy`` is ``strict``.
    """
    if history.old_version is not None and not is_promised(history.old_version, zero_policy=zero_policy):
        return
    for change in changes:
        tool = old.by_name.get(change.tool or "")
        if tool is None or not history.windows.of(tool.tier):
            continue
        if change.kind == REMOVED:
            yield from _removal(tool, old, new, history, today)
        elif change.kind in (LOWERED, UNLISTED):
            yield from _lowering(change, tool, history)
        # Renaming an advanced tool breaks it, which the next case handles.
        elif change.kind == RENAMED and tool.tier is not Tier.ADVANCED:
            yield from _rename(change, tool, old, new, history, today)
        elif tool.tier is Tier.ADVANCED and change.verdict is Verdict.BREAKING:
            yield from _advanced_break(change, tool, history)


def aliases(tool: Tool | None) -> frozenset[str]:
    """The former names that a tool states in its ``_meta``."""
    named = [tool.meta.get(key) for key in (f"{META_PREFIX}aliases", "aliases")] if tool is not None else []
    return frozenset(name for names in named if isinstance(names, list) for name in names if isinstance(name, str))


def _removal(
    tool: Tool, old: Surface, new: Surface, history: History, today: date | None, *, like: str = ""
) -> Iterator[Finding]:
    """Check a tool that is gone; ``like`` is a new one that may be the same."""
    notice, window, name = history.notice(tool), history.windows.of(tool.tier), tool.name
    tier = tool.tier.value
    if notice is None and old.manifest is not None:
        from mcp_governor.policy.manifest import STATUS, is_deprecated

        if is_deprecated(old.manifest):
            # The server as a whole was deprecated, so its tools have no replacement in it.
            since = history.announced_parts(STATUS, frozenset()) or history.old_version or ""
            notice = Notice(since, None, None, "server.json", None, nothing=True)
    if notice is None and _left_the_listing(tool, history):
        return
    if notice is None:
        facts = {"tier": tier, "window": _releases(window), "replacement": "a replacement", "hint": ""}
        if like:
            was, now = one_line(name, 60), one_line(like, 60)
            hint = f" If it is the same tool, say so in the changelog: - `{was}` is renamed to `{now}`."
            facts |= {"like": now, "old": was, "replacement": f"`{now}` as its replacement", "hint": hint}
        yield finding(
            "policy/removed-undeprecated", "", tool=name, value=tier, says="alike" if like else "", facts=facts
        )
        return
    carried = history.carried(notice.since)
    if carried < window:
        yield finding(
            "policy/removed-early",
            "",
            tool=name,
            value=[notice.since, history.new_version],
            tier=tier,
            since=notice.since or "the baseline",
            carried=carried,
            window=_releases(window),
            missing=_releases(window - carried, "more "),
        )
    if notice.sunset and (_reached(notice.sunset, history, today) or 0) < 0:
        yield finding(
            "policy/removed-before-sunset",
            "",
            tool=name,
            value=notice.sunset,
            version=history.new_version or "this version",
            sunset=notice.sunset,
        )
    parting = history.parting(name) if notice.replacement is None and not notice.nothing else None
    if parting is not None:
        notice = replace(notice, replacement=parting.replacement, nothing=parting.nothing)
    yield from _replacement(tool, notice, new, None, history)


def _left_the_listing(tool: Tool, history: History) -> bool:
    """True if a tool disappeared because it became internal as announced: internal tools are not listed."""
    since = history.tier_move(tool, Tier.INTERNAL)
    return since is not None and history.carried(since) >= history.windows.of(tool.tier)


def _rename(
    change: Change, tool: Tool, old: Surface, new: Surface, history: History, today: date | None
) -> Iterator[Finding]:
    """Check a tool that is gone while one like it is new: a rename if somebody says so, else a removal."""
    from mcp_governor.changelog.subjects import subject_of

    window, notice, successor = history.windows.of(tool.tier), history.notice(tool), new.by_name.get(str(change.new))
    if notice is not None and history.carried(notice.since) >= window:
        return
    if not history.says_renamed(tool.name, str(change.new)) and tool.name not in aliases(successor):
        yield from _removal(tool, old, new, history, today, like=str(change.new))
    else:
        yield finding(
            "policy/rename-without-window",
            "",
            tool=tool.name,
            value=change.new,
            successor=subject_of(change).successor or "something else",
            window=_releases(window),
        )


def _lowering(change: Change, tool: Tool, history: History) -> Iterator[Finding]:
    """Check a move to a lower tier, or out of the default list."""
    window, name = history.windows.of(tool.tier), visible(tool.name)
    if change.kind == LOWERED:
        target, says, moves = Tier(str(change.new)), "", f"moves from {tool.tier.value} to {change.new}"
    else:
        # The announcement that a tool becomes advanced also announces that it leaves the default list.
        target, says, moves = Tier.ADVANCED, "unlisted", "leaves the default list"
    moved, deprecated = history.tier_move(tool, target), _announced(tool, history)
    announce = f"Announce it under Deprecated (- `{name}` {moves} in {_next_release(tool.tier, history)}.), and move it"
    since = max((one for one in (moved, deprecated) if one is not None), key=history.carried, default=None)
    gap = _gap(history, since, window, announce, "Move it")
    if gap is not None:
        yield finding(
            "policy/tier-lowered-early",
            change.path,
            says=says,
            tool=tool.name,
            value=[change.old, change.new],
            old=str(change.old),
            new=str(change.new),
            facts=gap,
        )


def _advanced_break(change: Change, tool: Tool, history: History) -> Iterator[Finding]:
    from mcp_governor.changelog.subjects import subject_of

    subject = subject_of(change)
    since = history.announced_parts(tool.name, frozenset(subject.fields[-1:])) or _announced(tool, history)
    announce = f"Announce it under Deprecated (- {_announcing(change, tool, subject.fields, history)}), and change it"
    gap = _gap(history, since, history.windows.advanced, announce, "Change it")
    if gap is not None:
        yield finding(
            "policy/advanced-break-early",
            change.path,
            tool=tool.name,
            value=change.id,
            change=change.message,
            facts=gap,
        )


def _announcing(change: Change, tool: Tool, fields: Sequence[str], history: History) -> str:
    """The entry that announces a break of an advanced tool, or of a part of it."""
    name, release = visible(tool.name), _next_release(tool.tier, history)
    if not fields:
        return f"`{name}` is deprecated as it is and changes in {release}: {change.message}."
    part = "field" if change.side is Side.OUTPUT else "parameter"
    return f"The {part} `{fields[-1]}` of `{name}` changes in {release}: {change.message}."


def _announced(tool: Tool, history: History) -> str | None:
    notice = history.notice(tool)
    return notice.since if notice is not None else None


def _gap(history: History, since: str | None, window: int, announce: str, do: str) -> dict[str, str] | None:
    """The part of a deprecation window that has not passed since the release that announced it, and how to ``announce``
    or ``do`` it; ``None`` if all has passed."""
    if since is None:
        way = f"{announce} after {_releases(window)} with the announcement"
        return {"reason": "no earlier release announced it", "way": way}
    carried = history.carried(since)
    if carried >= window:
        return None
    reason = f"{since or 'the baseline'} announced it, and {carried} of {_releases(window)} carried the warning"
    return {"reason": reason, "way": f"{do} after {_releases(window - carried, 'more ')}"}


def _next_release(tier: Tier, history: History) -> str:
    """The first release that may make a change if the next release announces it."""
    old = history.old_version or ""
    if tier is not Tier.ADVANCED:
        return next_version(old, Bump.MAJOR)
    return next_version(next_version(old, Bump.MINOR), Bump.MINOR)


def _releases(count: int, more: str = "") -> str:
    return f"{count} {more}minor release{'' if count == 1 else 's'}"


def _point(text: str) -> date | Numbered | None:
    """What a sunset names: a day or a version; ``None`` if it is neither."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return Numbered.parse(text)


def _reached(sunset: str, history: History, today: date | None) -> int | None:
    """Negative before a sunset, 0 at it, positive after it; ``None`` if unknown."""
    end = _point(sunset)
    now: Any = today if isinstance(end, date) else Numbered.parse(history.new_version or "")
    return None if end is None or now is None else (now > end) - (now < end)


def check_deprecations(old: Surface | None, new: Surface, history: History, *, today: date | None) -> Iterator[Finding]:
    """Check the replacement, the sunset and the ``since`` of each deprecated tool."""
    for tool in new.tools:
        notice = history.notice(tool, out=False)
        if notice is None:
            continue
        before = old.by_name.get(tool.name) if old is not None else None
        yield from _replacement(tool, notice, new, old, history)
        yield from _sunset(tool, before, notice, history, today)
        yield from _since(tool, notice, history)


def _replacement(tool: Tool, notice: Notice, new: Surface, old: Surface | None, history: History) -> Iterator[Finding]:
    path = "/deprecated"
    if notice.nothing:
        return
    if notice.replacement is None:
        yield finding("policy/deprecation-without-replacement", path, tool=tool.name, value=None, source=notice.source)
        return
    replacement = notice.replacement
    successor = new.by_name.get(replacement)
    shown = one_line(replacement, 60)
    if successor is None or replacement == tool.name:
        gone = old is not None and replacement in old.by_name
        state = "is the tool itself" if successor is not None else ("is gone" if gone else "does not exist")
        others = [name for name in new.by_name if name != tool.name]
        hint = "" if gone or successor is not None else did_you_mean(replacement, others)
        yield finding(
            "policy/replacement-missing",
            path,
            tool=tool.name,
            value=replacement,
            replacement=shown,
            state=state,
            hint=hint,
        )
    elif (further := history.notice(successor, out=False)) is not None:
        beyond = further.replacement
        yield finding(
            "policy/replacement-deprecated",
            path,
            tool=tool.name,
            value=replacement,
            replacement=shown,
            beyond=f", such as `{one_line(beyond, 60)}`" if beyond and beyond in new.by_name else "",
        )


def _sunset(tool: Tool, before: Tool | None, notice: Notice, history: History, today: date | None) -> Iterator[Finding]:
    path, sunset = join_pointer("/deprecated", "sunset"), notice.sunset
    if not sunset:
        return
    end: Any = _point(sunset)
    if end is None:
        yield finding("policy/sunset-unreadable", path, tool=tool.name, value=sunset, found=sunset)
        return
    was = before.deprecation.sunset if before is not None and before.deprecation is not None else None
    earlier: Any = _point(was or "")
    if type(earlier) is type(end) and end < earlier:
        yield finding("policy/sunset-brought-forward", path, tool=tool.name, value=[was, sunset], old=was, new=sunset)
    reached = _reached(sunset, history, today)
    # The day itself is not over yet; the version of a sunset is the first without the tool.
    if reached is not None and reached >= isinstance(end, date):
        yield finding("policy/sunset-passed", path, tool=tool.name, value=sunset, sunset=sunset)


def _since(tool: Tool, notice: Notice, history: History) -> Iterator[Finding]:
    announced = history.announcement(tool)
    if announced is None or notice.stated_since is None or announced.section.unreleased:
        return
    counted = announced.section.version_text
    if not same_version(notice.stated_since, counted):
        yield finding(
            "policy/deprecation-since",
            "/deprecated/since",
            tool=tool.name,
            value=[notice.stated_since, counted],
            stated=notice.stated_since,
            counted=counted,
        )
