"""Identifiers of definitions (experimental): does one move when its definition does, and only then?

Source: priority 1 of the revision planned for December 2026, an opaque identifier for each definition, which clients
keep with it and send back with calls (transports-wg, upcoming-tracks-roadmap.md, 2026-07-28). No draft names the
member yet, so the configuration does: ``policy.definition-version`` is a pointer into the tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change import compare
from mcp_governor.rules.finding import finding
from mcp_governor.schemas.pointers import unescape_pointer
from mcp_governor.surface import build_surface
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface


def check_definition_versions(old: Surface, new: Surface, pointer: str) -> Iterator[Finding]:
    """Compare the identifiers of the tools that both surfaces have.

    Args:
        old, new: the baseline, and what is checked.
        pointer: to the identifier in a tool, a string; where a surface has none, nothing is said.
    """
    steps = [unescape_pointer(step) for step in pointer.split("/")[1:]]
    for name, tool in new.by_name.items():
        before = old.by_name.get(name)
        if before is None:
            continue
        (was, definition), (now, defined) = _split(before.raw, steps), _split(tool.raw, steps)
        if was is None or now is None:
            continue
        if not isinstance(now, str):
            says = "form"
        else:
            # What diff calls no change, such as another order of ``required``, is none here either.
            says = "" if compare(*(build_surface({"tools": [one]}) for one in (definition, defined))) else "moved"
        if says == "form" or (says == "moved") != (was == now):
            facts = {"was": one_line(str(was), 60), "now": one_line(str(now), 60)}
            yield finding("policy/definition-version", pointer, tool=name, value=[was, now], says=says, facts=facts)


def _split(value: Any, steps: Sequence[str]) -> tuple[Any, Any]:
    """A member, and what is left without it; ``None`` for one that is not there."""
    first, *rest = steps
    if not isinstance(value, dict) or first not in value:
        return None, value
    if not rest:
        return value[first], {name: item for name, item in value.items() if name != first}
    found, left = _split(value[first], rest)
    return found, {**value, first: left}
