"""Did the charter version move as far as the envelope did?

Charter, "Versioning": a new error kind, reason or optional field is a minor step of ``charter_version``, one that
goes is a major step; patches do not show on the wire. Read from the output schemas of two surfaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter.breach import Breach
from mcp_governor.charter.recovery import declared_version
from mcp_governor.findings import Bump
from mcp_governor.schemas.branches import branches
from mcp_governor.text import one_line
from mcp_governor.version_steps import step_between
from mcp_governor.versions import Numbered, is_semver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

_PARTS: tuple[tuple[str, ...], ...] = (("error",), ("error", "recovery"), ("provenance",))
_ENUMS: dict[str, tuple[str, ...]] = {
    "kind": ("error", "kind"),
    "degradation reason": ("degradation_reason",),
    "status": ("status",),
}
_MOST_NAMED = 8
"""Words that a finding names; it counts the others."""


def envelope_words(surface: Surface) -> frozenset[str]:
    """What the envelopes of a surface may hold, as ``field error/kind``, ``kind unknown_name`` and so on."""
    out: set[str] = set()
    for tool in surface.tools:
        root = tool.output_schema
        names = set(_properties(root, root))
        if not {"status", "data", "error"} <= names:
            continue
        out.update(f"field {name}" for name in names)
        for path in _PARTS:
            out.update(
                f"field {'/'.join((*path, name))}" for here in _at(root, path) for name in _properties(root, here)
            )
        for word, path in _ENUMS.items():
            out.update(f"{word} {value}" for here in _at(root, path) for value in _values(root, here))
    return frozenset(out)


def version_step_breaches(old: Surface, new: Surface) -> list[Breach]:
    """Whether the declared charter version moved far enough between two surfaces.

    Returns:
        At most one breach; none where either surface publishes no envelope, or not exactly one version.
    """
    before, after = envelope_words(old), envelope_words(new)
    versions = _version(old), _version(new)
    if not before or not after or versions[0] is None or versions[1] is None:
        return []
    gone, come = sorted(before - after), sorted(after - before)
    needed = Bump.MAJOR if gone else Bump.MINOR if come else Bump.NONE
    # a charter version has two numbers
    was, now = (Numbered.parse(f"{version}.0") if is_semver(f"{version}.0") else None for version in versions)
    if was is None or now is None or step_between(was, now).rank >= needed.rank:
        return []
    moves = " and ".join(f"{verb} {_named(words)}" for verb, words in (("loses", gone), ("gains", come)) if words)
    value = [gone, come, list(versions)]
    said = {"moves": moves, "needed": needed.value, "was": versions[0], "now": versions[1]}
    return [Breach("envelope/version-step", "", value, facts=said)]


def _named(words: list[str]) -> str:
    shown = ", ".join(one_line(word, 60) for word in words[:_MOST_NAMED])
    return shown + (f" and {len(words) - _MOST_NAMED} more" if len(words) > _MOST_NAMED else "")


def _version(surface: Surface) -> str | None:
    said = {version for tool in surface.tools if (version := declared_version(tool)) is not None}
    return said.pop() if len(said) == 1 else None


def _at(root: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The schemas at a path of properties."""
    places = [root]
    for name in path:
        places = [found for place in places if (found := _properties(root, place).get(name)) is not None]
    yield from places


def _properties(root: Any, schema: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for here in branches(root, schema):
        properties = here.get("properties") if here is not None else None
        out |= properties if isinstance(properties, dict) else {}
    return out


def _values(root: Any, schema: Any) -> Iterator[str]:
    for here in branches(root, schema):
        values = here.get("enum", [here.get("const")]) if here is not None else None
        yield from (value for value in values or () if isinstance(value, str))
