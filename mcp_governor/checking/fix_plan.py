"""The plan of ``lint --fix-plan`` and ``lint --diff``: equal fixes are merged, with places and sources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.checking.python_hint import annotations_hint, parameter_hint
from mcp_governor.fixes.editing import ABSENT
from mcp_governor.fixes.plan import make_plan
from mcp_governor.schemas.pointers import pointer_tokens
from mcp_governor.surface import fingerprint
from mcp_governor.target.discover.tool_source import tool_sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp_governor.config import Config
    from mcp_governor.findings import Effect, Finding
    from mcp_governor.fixes.plan import PlacedFix, Withheld
    from mcp_governor.fixes.proof import Proof
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source
    from mcp_governor.target.discover.tool_source import ToolSource


class FixPlace(Struct, frozen=True):
    """One place of a fix.

    Attributes:
        tool: its name.
        path: JSON pointer, relative to the tool.
        patch: the operations of a JSON Patch (RFC 6902), relative to the tool.
        source: where the tool is defined, if that is known.
        line: of the parameter in that file, else of the tool; 0 if the source is unknown.
        code: the corrected parameter of the Python function, or the argument of its decorator; empty if that is not
            certain.
    """

    tool: str
    path: str
    patch: tuple[dict[str, Any], ...]
    source: ToolSource | None = None
    line: int = 0
    code: str = ""


class Fix(Struct, frozen=True):
    """One correction with all its places.

    Attributes:
        places: sorted by tool.
        findings: the findings that it fixes.
        before, after: the fragment; ``ABSENT`` if there is none.
        effect: the intended effect.
        proof: the proved effect.
    """

    places: tuple[FixPlace, ...]
    findings: tuple[Finding, ...]
    before: Any
    after: Any
    effect: Effect
    proof: Proof


class FixPlan(Struct, frozen=True):
    """All corrections that need no decision by a person.

    Attributes:
        target: the linted target, safe to print.
        fingerprint: of the surface.
        fixes: in the order of the tools.
        withheld: omitted corrections, each with its reason.
        fixed, partly, unfixed: the findings that the plan removes, removes in some places, and leaves.
        brought: findings about all tools together that the plan causes.
    """

    target: str
    fingerprint: str
    fixes: tuple[Fix, ...]
    withheld: tuple[Withheld, ...]
    fixed: tuple[Finding, ...]
    partly: tuple[Finding, ...]
    unfixed: tuple[Finding, ...]
    brought: tuple[Finding, ...]


def source_folder(source: Source, config: Config) -> Path | None:
    """Folder with the possible source of a target: the governed project, unless the server is somebody else's."""
    elsewhere = ("pypi:", "npm:", "http://", "https://")
    return None if source.shown.startswith(elsewhere) else config.root


def fix_plan(surface: Surface, selection: Selection, findings: Sequence[Finding], folder: Path | None) -> FixPlan:
    """The plan for the findings of a report.

    Args:
        surface: the linted surface.
        selection: the selected rules.
        findings: of the report; accepted ones are not fixed.
        folder: may contain the source of the server; ``None`` if the source is elsewhere.
    """
    plan = make_plan(surface, selection, [one for one in findings if one.accepted is None])
    tools = {fix.tool for fix in plan.fixes}
    sources = tool_sources(folder, tools) if folder is not None and tools else {}
    order = {tool.name: tool.index for tool in surface.tools}
    grouped: dict[str, list[PlacedFix]] = {}
    for fix in sorted(plan.fixes, key=lambda one: order.get(one.tool, 0)):
        grouped.setdefault(_key(fix), []).append(fix)
    return FixPlan(
        surface.source,
        fingerprint(surface),
        tuple(_joined(same, sources) for same in grouped.values()),
        plan.withheld,
        plan.fixed,
        plan.partly,
        plan.unfixed,
        plan.brought,
    )


def _key(fix: PlacedFix) -> str:
    """A key that is equal for fixes that a reader sees as one."""
    rules = sorted({finding.rule for finding in fix.findings})
    last = pointer_tokens(fix.fragment.pointer)[-1:]
    return json.dumps([fix.before, fix.after, rules, last], sort_keys=True, default=repr)


def _joined(same: Sequence[PlacedFix], sources: Mapping[str, ToolSource]) -> Fix:
    first = same[0]
    findings = {finding.id: finding for fix in same for finding in fix.findings}
    places = tuple(_place(fix, sources.get(fix.tool)) for fix in same)
    return Fix(places, tuple(findings.values()), first.before, first.after, first.effect, first.proof)


def _place(fix: PlacedFix, source: ToolSource | None) -> FixPlace:
    line = source.line if source is not None else 0
    code = ""
    tokens = pointer_tokens(fix.fragment.pointer)
    if source is not None and tokens[:2] == ["inputSchema", "properties"] and len(tokens) == 3:
        parameter = source.parameters.get(tokens[2])
        if parameter is not None:
            line, code = parameter.line, parameter_hint(tokens[2], parameter, fix.before, fix.after)
    elif source is not None and source.hintable and tokens == ["annotations"] and fix.before is ABSENT:
        code = annotations_hint(fix.after)
    return FixPlace(fix.tool, fix.fragment.pointer, fix.patch, source, line, code)
