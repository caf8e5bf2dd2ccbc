"""The server itself on two surfaces: name, instructions, capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.messages import shown
from mcp_governor.change.model import Change, Level, Verdict
from mcp_governor.change.tools import make
from mcp_governor.findings import Tier
from mcp_governor.vocabulary import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Surface

_BREAKING, _COMPATIBLE = Verdict.BREAKING, Verdict.COMPATIBLE


def compare_servers(old: Surface, new: Surface, level: Level) -> Iterator[Change]:
    """Changes of what the server says about itself. A bare recording says nothing, which is no change."""

    def changed(kind: str, path: str, verdict: Verdict, message: str, before: Any, after: Any) -> Change:
        return make(kind, None, path, verdict, message, Tier.STANDARD, level, before, after)

    if old.name and new.name and old.name != new.name:
        message = f"the server calls itself {shown(new.name)}, was {shown(old.name)}"
        yield changed("server-name-changed", "/serverInfo/name", _COMPATIBLE, message, old.name, new.name)
    for key in ("title", "description", "websiteUrl", "icons"):
        before, after = old.server.get(key), new.server.get(key)
        if old.server and new.server and not same_json(before, after):
            message = f"{key} of the server changed"
            yield changed("server-wording-changed", f"/serverInfo/{key}", _COMPATIBLE, message, before, after)
    recorded = _has_handshake(old) and _has_handshake(new)
    if recorded and (old.instructions or "") != (new.instructions or ""):
        verb = "are new" if not old.instructions else ("are gone" if not new.instructions else "are reworded")
        message = f"the instructions {verb}"
        yield changed("instructions-changed", "/instructions", _COMPATIBLE, message, old.instructions, new.instructions)
    if recorded:
        before, after = _flags(old.capabilities), _flags(new.capabilities)
        for flag in sorted(before ^ after):
            path = join_pointer("/capabilities", *flag)
            told = ".".join(flag)
            if flag[:-1] and (flag[:-1] in before ^ after):
                continue  # the capability that it belongs to came or went
            if flag in before:
                message = f"capability {shown(told)} is gone"
                yield changed("capability-removed", path, _BREAKING, message, True, None)
            else:
                message = f"capability {shown(told)} is new"
                yield changed("capability-added", path, _COMPATIBLE, message, None, True)


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
