"""Compares the servers themselves: name, instructions, capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.facts import Facts
from mcp_governor.change.making import make
from mcp_governor.change.vocabulary import MISSING, Verdict, value_or_none
from mcp_governor.surface.listings import languages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.change.model import Change
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.surface.model import Surface


def compare_servers(old: Surface, new: Surface, options: ChangeOptions) -> Iterator[Change]:
    """Changes of what the server publishes about itself. A bare recording has no such data, which is not a change."""

    def changed(kind: str, path: str, before: Any, after: Any) -> Change:
        facts = Facts(fields=(path.rpartition("/")[2],))
        return make(kind, None, path, old=before, new=after, facts=facts)

    if old.name and new.name and old.name != new.name:
        yield changed("server-name-changed", "/serverInfo/name", old.name, new.name)
    for key in ("title", "description", "websiteUrl", "icons"):
        before, after = old.server.get(key, MISSING), new.server.get(key, MISSING)
        if old.server and new.server and not same_json(value_or_none(before), value_or_none(after)):
            yield changed("server-wording-changed", f"/serverInfo/{key}", before, after)
    spoken, speaks = languages(old), languages(new)
    for listing in sorted(spoken.keys() & speaks.keys()):
        if spoken[listing].lower() != speaks[listing].lower():
            yield changed("content-language-changed", f"/listings/{listing}", spoken[listing], speaks[listing])
    if not (_has_handshake(old) and _has_handshake(new)):
        return
    if (old.instructions or "") != (new.instructions or ""):
        yield changed("instructions-changed", "/instructions", old.instructions or MISSING, new.instructions or MISSING)
    if same_era(old, new):
        yield from _capabilities(old, new, options)


def same_era(old: Surface, new: Surface) -> bool:
    """True if both surfaces were read in one protocol era: differences between eras are not changes of the server.

    Recordings without a protocol belong together.
    """
    return old.modern == new.modern and (old.protocol is None) == (new.protocol is None)


def _capabilities(old: Surface, new: Surface, options: ChangeOptions) -> Iterator[Change]:
    """Changed capabilities as one change: an SDK upgrade changes several at once.

    Clients read capabilities on every connection, and the entries of a lost family (tools, prompts, resources) are
    reported one by one. So this is a note, unless the policy says that losing a capability breaks clients.
    """
    before, after = _flags(old.capabilities), _flags(new.capabilities)
    moved = before ^ after
    # A sub-capability is added and removed together with its parent.
    lost, gained = (
        [".".join(flag) for flag in sorted(flags) if not (flag[:-1] and flag[:-1] in moved)]
        for flags in (before - after, after - before)
    )
    if not (lost or gained):
        return
    yield make(
        "capabilities-changed",
        None,
        "/capabilities",
        verdict=Verdict.BREAKING if lost and options.capabilities == "breaking" else Verdict.COMPATIBLE,
        old=lost or MISSING,
        new=gained or MISSING,
        facts=Facts(fields=("capabilities",), lost=tuple(lost), gained=tuple(gained)),
    )


def _has_handshake(surface: Surface) -> bool:
    return bool(surface.server or surface.protocol or surface.capabilities)


def _flags(capabilities: Mapping[str, Any]) -> frozenset[tuple[str, ...]]:
    """Offered capabilities: present ones, and their sub-capabilities unless they are ``false``.

    ``experimental`` is left out, since it promises nothing.
    """
    found: set[tuple[str, ...]] = set()
    for name, value in capabilities.items():
        if name == "experimental" or value is None or value is False:
            continue
        found.add((name,))
        if isinstance(value, dict):
            found |= {(name, key) for key, item in value.items() if item is not None and item is not False}
    return frozenset(found)
