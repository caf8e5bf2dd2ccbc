"""What output schemas declare about envelopes (charter version, kinds, reasons), and if the version changed with them.

Charter, "Versioning": a new error kind, reason or optional field requires a minor step of ``charter_version``, and a
removed one or one of another type a major step; patches are invisible in the protocol. The check compares the output
schemas of two surfaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach
from mcp_governor.findings import Bump
from mcp_governor.schemas.walking import branches
from mcp_governor.text import one_line
from mcp_governor.versions import Numbered, is_semver, step_between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool


def declared_version(tool: Tool) -> str | None:
    """The charter version a tool publishes: in its metadata, else as default or constant of its output schema."""
    version = facts.declared_metadata(tool.raw).get("charter_version")
    if isinstance(version, str):
        return version
    schema = declared_properties(tool.output_schema, tool.output_schema).get("charter_version")
    stated = [schema.get(key) for key in ("const", "default")] if isinstance(schema, dict) else []
    return next((word for word in stated if isinstance(word, str)), None)


def declared_kinds(tool: Tool) -> frozenset[str]:
    """The error kinds that a tool's output schema enumerates: how a server registers kinds of its own."""
    return _declared(tool, "error", "kind")


def declared_reasons(tool: Tool) -> frozenset[str]:
    """The degradation reasons that a tool's output schema enumerates, like :func:`declared_kinds`."""
    return _declared(tool, "degradation_reason")


def _declared(tool: Tool, *path: str) -> frozenset[str]:
    root = tool.output_schema
    return frozenset(word for place in schemas_at(root, path) for word in enumerated(root, place))


def schemas_at(root: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The schemas at a path of properties, including those behind references and composition."""
    places = [root]
    for name in path:
        places = [found[name] for place in places if name in (found := declared_properties(root, place))]
    yield from places


def declared_properties(root: Any, schema: Any) -> dict[str, Any]:
    """The properties of a schema with those that references and composition add."""
    out: dict[str, Any] = {}
    for here in branches(root, schema):
        properties = here.get("properties") if here is not None else None
        out |= properties if isinstance(properties, dict) else {}
    return out


def enumerated(root: Any, schema: Any) -> Iterator[str]:
    """The strings that a schema lists as its values."""
    for here in branches(root, schema):
        values = here.get("enum", [here.get("const")]) if here is not None else None
        if isinstance(values, list):
            yield from (value for value in values if isinstance(value, str))


_PARTS: tuple[tuple[str, ...], ...] = (("error",), ("error", "recovery"), ("provenance",))
_ENUMS: dict[str, tuple[str, ...]] = {
    "kind": ("error", "kind"),
    "degradation reason": ("degradation_reason",),
    "status": ("status",),
}
_MAX_NAMED = 8
"""Maximum number of words listed in a finding; the others are counted."""


def envelope_words(surface: Surface) -> frozenset[str]:
    """What the envelopes of a surface may contain, as ``field error/kind``, ``kind unknown_name`` and so on."""
    out = {f"field {'/'.join(path)}" for path, _ in _fields(surface)}
    for root in _envelopes(surface):
        for word, path in _ENUMS.items():
            out.update(f"{word} {value}" for here in schemas_at(root, path) for value in enumerated(root, here))
    return frozenset(out)


def envelope_types(surface: Surface) -> dict[str, frozenset[str]]:
    """The JSON types of the fields of a surface's envelopes, as ``error/kind`` → ``string``, without those of the data.

    Null and fields without a type are left out.
    """
    out: dict[str, frozenset[str]] = {}
    for path, types in _fields(surface):
        if types and path[0] != "data":
            name = "/".join(path)
            out[name] = out.get(name, frozenset()) | types
    return out


def _envelopes(surface: Surface) -> Iterator[Any]:
    for tool in surface.tools:
        if declared_properties(tool.output_schema, tool.output_schema).keys() >= {"status", "data", "error"}:
            yield tool.output_schema


def _fields(surface: Surface) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
    for root in _envelopes(surface):
        for path in ((), *_PARTS):
            for here in schemas_at(root, path):
                for name, schema in declared_properties(root, here).items():
                    yield (*path, name), _types(root, schema)


def _types(root: Any, schema: Any) -> frozenset[str]:
    out: set[str] = set()
    for here in branches(root, schema):
        declared = here.get("type") if here is not None else None
        out.update(item for item in (declared if isinstance(declared, list) else [declared]) if isinstance(item, str))
    # An enum of strings implies its type.
    if not out and any(True for _ in enumerated(root, schema)):
        out.add("string")
    return frozenset(out - {"null"})


def version_step_breaches(old: Surface, new: Surface) -> list[Breach]:
    """Check the step of the declared charter version between two surfaces.

    Returns:
        At most one breach; none if a surface publishes no envelope, or several versions.
    """
    before, after = envelope_words(old), envelope_words(new)
    versions = _version(old), _version(new)
    if not before or not after or versions[0] is None or versions[1] is None:
        return []
    gone, come = sorted(before - after), sorted(after - before)
    types = envelope_types(old), envelope_types(new)
    other = [
        f"field {name} from {_joined(types[0][name])} to {_joined(types[1][name])}"
        for name in sorted(types[0].keys() & types[1].keys())
        if types[0][name] != types[1][name]
    ]
    needed = Bump.MAJOR if gone or other else Bump.MINOR if come else Bump.NONE
    # A charter version has only two numbers.
    was, now = (Numbered.parse(f"{version}.0") if is_semver(f"{version}.0") else None for version in versions)
    if was is None or now is None or step_between(was, now).rank >= needed.rank:
        return []
    verbs = (("loses", gone), ("gains", come), ("changes", other))
    moves = " and ".join(f"{verb} {_named(words)}" for verb, words in verbs if words)
    value = [gone, come, *([other] if other else []), list(versions)]
    said = {"moves": moves, "needed": needed.value, "was": versions[0], "now": versions[1]}
    return [Breach("envelope/version-step", "", value, facts=said)]


def _named(words: list[str]) -> str:
    shown = ", ".join(one_line(word, 60) for word in words[:_MAX_NAMED])
    return shown + (f" and {len(words) - _MAX_NAMED} more" if len(words) > _MAX_NAMED else "")


def _joined(types: frozenset[str]) -> str:
    return " or ".join(one_line(name, 20) for name in sorted(types))


def _version(surface: Surface) -> str | None:
    said = {version for tool in surface.tools if (version := declared_version(tool)) is not None}
    return said.pop() if len(said) == 1 else None
