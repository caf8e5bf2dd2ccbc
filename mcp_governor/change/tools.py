"""Compares one tool on two surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.model import catalogue, make
from mcp_governor.change.vocabulary import MISSING, Facts, Level, Side, value_or_none
from mcp_governor.findings import Verdict
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.surface.fingerprint import contract
from mcp_governor.surface.model import REQUIRED_CAPABILITIES
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.change.budget import Budget
    from mcp_governor.change.model import Change
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.surface.model import Tool

_HINTS = {
    # name in the protocol → (stem of the kind, the more cautious value)
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
_OWN_META = ("tier", "category", "deprecated")


def of_tool(tool: Tool, kind: str, path: str = "", **more: Any) -> Change:
    """A change of a tool, by default of one that came or went as a whole."""
    return make(kind, tool.name, path, **{"tier": tool.tier, **more})


def compare_tool(
    old: Tool, new: Tool, level: Level, options: ChangeOptions, *, same_era: bool, run: Budget
) -> list[Change]:
    """All changes to a tool that is on both surfaces.

    If the contracts differ, at least one change affects the contract; if they are equal, none does.

    Args:
        old, new: the tool before and now; the names may differ.
        level, options: as in :func:`mcp_governor.change.compare`.
        same_era: both were read in one protocol era, so that data added by the protocol can be compared.
        run: the budget of the run to which this comparison belongs.
    """
    try:
        changes = list(_changes(old, new, level, options, same_era=same_era, run=run))
        return [*changes, *_unnamed(old, new, changes)]
    except (RecursionError, ValueError) as error:
        deep = isinstance(error, RecursionError)
        reason = "it is nested too deeply to be read" if deep else "it contains a number that JSON cannot represent"
        return [of_tool(old, "contract-undecided", "", reason=reason)]


def _changes(
    old: Tool, new: Tool, level: Level, options: ChangeOptions, *, same_era: bool, run: Budget
) -> Iterator[Change]:
    if _governed(old) != _governed(new):
        yield from _governance(old, new)
    if same_json(old.raw, new.raw):
        return
    yield from _hints(old, new, options)
    yield from _wording(old, new)
    if same_era:
        yield from _execution(old, new)
    yield from _required(old, new)
    yield from _visibility(old, new)
    yield from _meta(old, new)
    yield from _schemas(old, new, level, options, run.of_tool(visible(old.name), options))


def _governed(tool: Tool) -> tuple[object, ...]:
    """What :func:`_governance` compares."""
    return tool.tier, tool.category, tool.deprecation, tool.opt_in is None


_PARTS = {
    "tier": "/tier",
    "optIn": "/tier",
    "category": "/category",
    "deprecated": "/deprecated",
    "requiredCapabilities": "/_meta/io.modelcontextprotocol~1requiredCapabilities",
    "hints": "/annotations/",
    "inputSchema": "/inputSchema",
    "outputSchema": "/outputSchema",
}
"""Parts of a tool's contract, and the pointers to their changes."""


def _unnamed(old: Tool, new: Tool, changes: Sequence[Change]) -> Iterator[Change]:
    """A change for contract differences that ``changes`` does not include, so that none goes unreported."""
    if same_json(old.raw, new.raw) and not changes:
        return
    named = {change.path for change in changes if catalogue()[change.kind].contract}
    open_parts = [part for part, place in _PARTS.items() if not any(path.startswith(place) for path in named)]
    before, after = contract(old, open_parts), contract(new, open_parts)
    for part in open_parts:
        if canonical_json(before.get(part)) == canonical_json(after.get(part)):
            continue
        side = {"inputSchema": Side.INPUT, "outputSchema": Side.OUTPUT}.get(part, Side.SURFACE)
        if side is Side.INPUT and None in (old.input_schema, new.input_schema):
            kind, reason, facts = "schema-rewritten", "", Facts(what="the schema of a tool without parameters")
        else:
            kind, reason, facts = "contract-undecided", "this comparison cannot name the change", Facts(detail=part)
        yield of_tool(old, kind, _PARTS[part].rstrip("/"), side=side, facts=facts, reason=reason)


def _governance(old: Tool, new: Tool) -> Iterator[Change]:
    if old.tier is not new.tier:
        lowered = new.tier.rank < old.tier.rank
        kind, at_stake = ("tier-lowered", old) if lowered else ("tier-raised", new)
        yield of_tool(old, kind, "/tier", tier=at_stake.tier, old=old.tier.value, new=new.tier.value)
    yield from _listing(old, new)
    if old.category != new.category:
        yield of_tool(old, "category-changed", "/category", old=_given(old.category), new=_given(new.category))
    before, after = _ending(old), _ending(new)
    if before != after:
        come, gone = before is MISSING, after is MISSING
        kind = "tool-deprecated" if come else "deprecation-withdrawn" if gone else "deprecation-changed"
        yield of_tool(old, kind, "/deprecated", old=before, new=after)


def _listing(old: Tool, new: Tool) -> Iterator[Change]:
    """A tool is removed from the default list, or added to it, without the change of tier that this requires."""
    left, came = (one.opt_in is None and other.opt_in is not None for one, other in ((old, new), (new, old)))
    moved = new.tier.rank - old.tier.rank
    if left and moved >= 0:
        yield of_tool(old, "tool-unlisted", "/tier/listed", old=True, new=False)
    elif came and moved <= 0:
        yield of_tool(old, "tool-listed", "/tier/listed", tier=new.tier, old=False, new=True)


def _given(value: Any) -> Any:
    """A value of the typed view, in which ``None`` means that it is absent."""
    return MISSING if value is None else value


def _ending(tool: Tool) -> Any:
    if tool.deprecation is None:
        return MISSING
    notice = tool.deprecation
    ending = {"since": notice.since, "replacement": notice.replacement, "sunset": notice.sunset}
    return {**ending, "nothing": True} if notice.nothing else ending


def _hints(old: Tool, new: Tool, options: ChangeOptions) -> Iterator[Change]:
    """Hints as a client sees them: resolved to the defaults of the specification.

    If a tool becomes or ceases to be read-only, ``destructiveHint`` and ``idempotentHint`` follow and are not edits of
    their own, unless the author also changed them in the unsafe direction.
    """
    before, after = old.hints.as_json(), new.hints.as_json()
    moved_write = before["readOnlyHint"] != after["readOnlyHint"]
    for name, careful in _HINTS.items():
        if before[name] == after[name] or (moved_write and name in ("destructiveHint", "idempotentHint")):
            continue
        less_safe = after[name] is careful
        breaking = less_safe and options.hint_less_safe == "breaking"
        yield of_tool(
            old,
            "hint-less-safe" if less_safe else "hint-safer",
            f"/annotations/{name}",
            verdict=Verdict.BREAKING if breaking else Verdict.COMPATIBLE,
            old=before[name],
            new=after[name],
            facts=Facts(detail=_stated_hint(name, old, new)),
        )


def _stated_hint(name: str, old: Tool, new: Tool) -> str:
    """What happened to a hint that only one of two tools states; empty if both do."""
    stated = [tool.annotations.get(name) for tool in (old, new)]
    said = ["true" if one else "false" for one in (old.hints.as_json()[name], new.hints.as_json()[name])]
    if isinstance(stated[0], bool) and isinstance(stated[1], bool):
        return ""
    if isinstance(stated[1], bool):
        return f"is now {said[1]}; it was not stated, which means {said[0]}"
    if isinstance(stated[0], bool):
        return f"is no longer stated, which means {said[1]}; it was {said[0]}"
    return ""


def _wording(old: Tool, new: Tool) -> Iterator[Change]:
    wordings = (
        ("title-changed", "/title", _given(old.title), _given(new.title)),
        ("description-changed", "/description", _given(old.description or None), _given(new.description or None)),
        ("icons-changed", "/icons", old.raw.get("icons", MISSING), new.raw.get("icons", MISSING)),
    )
    for kind, path, before, after in wordings:
        if not same_json(value_or_none(before), value_or_none(after)):
            yield of_tool(old, kind, path, old=before, new=after)


def _execution(old: Tool, new: Tool) -> Iterator[Change]:
    """How the tool may be called: plainly, as a task, or both."""
    before, after = old.task_support, new.task_support
    if before == after:
        return
    # A client may call in either way; "required" removes the plain call, "forbidden" the task.
    breaking = after == "required" or (after == "forbidden" and before != "forbidden")
    kind = "task-support-narrowed" if breaking else "task-support-widened"
    yield of_tool(old, kind, "/execution/taskSupport", old=before, new=after)


def _required(old: Tool, new: Tool) -> Iterator[Change]:
    """Capabilities without which a client does not offer the tool to its model."""
    before, after = old.required_capabilities, new.required_capabilities
    for kind, names in (("capability-required", after - before), ("capability-not-required", before - after)):
        # "elicitation.url" says all that "elicitation" does.
        reported = tuple(sorted(name for name in names if not any(other.startswith(f"{name}.") for other in names)))
        if reported:
            facts = Facts(detail=", ".join(f"`{visible(name)}`" for name in reported))
            path = join_pointer("/_meta", REQUIRED_CAPABILITIES)
            yield of_tool(old, kind, path, facts=facts)


def _visibility(old: Tool, new: Tool) -> Iterator[Change]:
    """Who gets the tool, the model or the server's app."""
    before, after = old.visibility, new.visibility
    for kind, names in (("visibility-narrowed", before - after), ("visibility-widened", after - before)):
        for name in sorted(names):
            facts = Facts(detail=f"the {name}")
            yield of_tool(old, kind, "/_meta/ui/visibility", facts=facts)


def _meta(old: Tool, new: Tool) -> Iterator[Change]:
    before, after = other_meta(old.meta), other_meta(new.meta)
    if (
        old.required_capabilities != new.required_capabilities
    ):  # these have kinds of their own; their settings have none
        before.pop(REQUIRED_CAPABILITIES, None)
        after.pop(REQUIRED_CAPABILITIES, None)
    if not same_json(before, after):
        keys = [key for key in sorted(before.keys() | after.keys()) if before.get(key, ...) != after.get(key, ...)]
        facts = Facts(detail=", ".join(keys))
        yield of_tool(old, "meta-changed", "/_meta", old=before, new=after, facts=facts)


def other_meta(meta: Any) -> dict[str, Any]:
    """``_meta`` without keys that have a kind of their own, and without what tools write for themselves.

    Args:
        meta: as published; anything but an object is empty.
    """
    found = {
        key: value
        for key, value in (meta.items() if isinstance(meta, dict) else ())
        if key not in ("fastmcp", "_fastmcp") and key.rpartition("/")[2] not in _OWN_META
    }
    if isinstance(found.get("ui"), dict):
        found["ui"] = {key: value for key, value in found["ui"].items() if key != "visibility"}
    return {key: value for key, value in found.items() if key != "ui" or value}


def _schemas(old: Tool, new: Tool, level: Level, options: ChangeOptions, budget: Budget) -> Iterator[Change]:
    def changes(side: Side, before: Any, after: Any) -> Iterable[Change]:
        if same_json(before, after):
            return ()
        # Loaded here, because a comparison without schema differences does not need the engine.
        from mcp_governor.change.schemas import SchemaPair, compare_schemas

        return compare_schemas(SchemaPair(before, after, side, old.name, old.tier, level, options), budget)

    yield from changes(Side.INPUT, _input(old), _input(new))
    before, after = _given(old.output_schema), _given(new.output_schema)
    if before is not MISSING and after is not MISSING:
        yield from changes(Side.OUTPUT, before, after)
    elif before is not MISSING or after is not MISSING:
        kind = "output-schema-removed" if after is MISSING else "output-schema-added"
        yield of_tool(old, kind, "/outputSchema", old=before, new=after)


def _input(tool: Tool) -> Any:
    """The input schema; a missing one is that of a tool without parameters, as in FastMCP and old SDKs."""
    return {"type": "object"} if tool.input_schema is None else tool.input_schema
