"""The server itself on two surfaces: name, instructions, capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.messages import shown
from mcp_governor.change.terms import MISSING, Level, Verdict, value_or_none
from mcp_governor.change.tools import make
from mcp_governor.findings import Tier
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.change.model import Change
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.surface.model import Surface

_COMPATIBLE = Verdict.COMPATIBLE


def compare_servers(old: Surface, new: Surface, level: Level, options: ChangeOptions) -> Iterator[Change]:
    """Changes of what the server says about itself. A bare recording says nothing, which is no change."""

    def changed(kind: str, path: str, message: str, before: Any, after: Any) -> Change:
        return make(kind, None, path, _COMPATIBLE, message, Tier.STANDARD, level, before, after)

    if old.name and new.name and old.name != new.name:
        message = f"the server calls itself {shown(new.name)}, was {shown(old.name)}"
        yield changed("server-name-changed", "/serverInfo/name", message, old.name, new.name)
    for key in ("title", "description", "websiteUrl", "icons"):
        before, after = old.server.get(key, MISSING), new.server.get(key, MISSING)
        if old.server and new.server and not same_json(value_or_none(before), value_or_none(after)):
            message = f"{key} of the server changed"
            yield changed("server-wording-changed", f"/serverInfo/{key}", message, before, after)
    if not (_has_handshake(old) and _has_handshake(new)):
        return
    if (old.instructions or "") != (new.instructions or ""):
        verb = "are new" if not old.instructions else ("are gone" if not new.instructions else "are reworded")
        before, after = (MISSING if text is None else text for text in (old.instructions, new.instructions))
        yield changed("instructions-changed", "/instructions", f"the instructions {verb}", before, after)
    if same_era(old, new):
        yield from _capabilities(old, new, level, options)


def same_era(old: Surface, new: Surface) -> bool:
    """Whether both surfaces were read in one protocol era: what a server declares in the other is no change of it.

    Recordings that do not name a protocol are compared with their like.
    """
    return old.modern == new.modern and (old.protocol is None) == (new.protocol is None)


def _capabilities(old: Surface, new: Surface, level: Level, options: ChangeOptions) -> Iterator[Change]:
    """What the server declares, as one change: an SDK upgrade moves several capabilities at once.

    Clients learn of capabilities on every connection, and what a lost family (tools, prompts, resources) held is
    told entry by entry. So this is a note, unless the policy says that losing one breaks clients.
    """
    before, after = _flags(old.capabilities), _flags(new.capabilities)
    moved = before ^ after
    # A sub-capability goes and comes with the one that it belongs to.
    lost, gained = (
        [".".join(flag) for flag in sorted(flags) if not (flag[:-1] and flag[:-1] in moved)]
        for flags in (before - after, after - before)
    )
    if not (lost or gained):
        return
    told = " and ".join(
        f"{verb} {', '.join(f'`{visible(name)}`' for name in names)}"
        for verb, names in (("no longer declares", lost), ("now declares", gained))
        if names
    )
    verdict = Verdict.BREAKING if lost and options.capabilities == "breaking" else _COMPATIBLE
    message = f"the server {told}; capabilities often come and go with the SDK"
    yield make(
        "capabilities-changed",
        None,
        "/capabilities",
        verdict,
        message,
        Tier.STANDARD,
        level,
        lost or MISSING,
        gained or MISSING,
    )


def _has_handshake(surface: Surface) -> bool:
    return bool(surface.server or surface.protocol or surface.capabilities)


def _flags(capabilities: Mapping[str, Any]) -> frozenset[tuple[str, ...]]:
    """Capabilities that are offered: those present, and their sub-capabilities unless they are ``false``.

    ``experimental`` promises nothing and is left out.
    """
    found: set[tuple[str, ...]] = set()
    for name, value in capabilities.items():
        if name == "experimental" or value is None or value is False:
            continue
        found.add((name,))
        if isinstance(value, dict):
            found |= {(name, key) for key, item in value.items() if item is not None and item is not False}
    return frozenset(found)
