"""The plan of ``lint --fix-plan`` and ``lint --diff``: equal fixes are merged, with places and sources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct

from mcp_governor.checking.fix_plan_document import (
    FixDocument,
    FixedFinding,
    FixPlaceDocument,
    FixPlanDocument,
    Operation,
    PlanCounts,
    ProofDocument,
    SourceDocument,
    WithheldDocument,
)
from mcp_governor.checking.python_hint import annotations_hint, parameter_hint
from mcp_governor.documents import joined, written
from mcp_governor.fixes.editing import ABSENT
from mcp_governor.fixes.plan import make_plan
from mcp_governor.schemas.pointers import pointer_tokens
from mcp_governor.surface import fingerprint
from mcp_governor.target.discover.tool_source import tool_sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.fixes.plan import PlacedFix, Plan
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source
    from mcp_governor.target.discover.tool_source import ToolSource


class FixPlan(Struct, frozen=True):
    """All corrections that need no decision by a person.

    Attributes:
        target: the linted target, safe to print.
        fingerprint: of the surface.
        fixes: in the order of the tools.
        plan: what is fixed, left and withheld, by finding.
    """

    target: str
    fingerprint: str
    fixes: tuple[FixDocument, ...]
    plan: Plan

    def document(self) -> dict[str, Any]:
        """The plan as JSON."""
        plan = self.plan
        places = sum(len(fix.places) for fix in self.fixes)
        whole = joined(
            self,
            summary=PlanCounts(len(self.fixes), places, len(plan.fixed), len(plan.partly), len(plan.unfixed)),
            withheld=[WithheldDocument(one.finding.id, one.tool, one.reason) for one in plan.withheld],
            **{name: [one.id for one in getattr(plan, name)] for name in ("fixed", "partly", "unfixed", "brought")},
        )
        return written(FixPlanDocument, whole, digits=None)


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
    fixes = tuple(_joined(same, sources) for same in grouped.values())
    return FixPlan(surface.source, fingerprint(surface), fixes, plan)


def _key(fix: PlacedFix) -> str:
    """A key that is equal for fixes that a reader sees as one."""
    rules = sorted({finding.rule for finding in fix.findings})
    last = pointer_tokens(fix.fragment.pointer)[-1:]
    return json.dumps([fix.before, fix.after, rules, last], sort_keys=True, default=repr)


def _joined(same: Sequence[PlacedFix], sources: Mapping[str, ToolSource]) -> FixDocument:
    first, proof = same[0], same[0].proof
    findings = {one.id: FixedFinding(one.id, one.rule, one.message) for fix in same for one in fix.findings}
    return FixDocument(
        findings=tuple(findings.values()),
        before=first.before,
        after=first.after,
        effect=first.effect,
        proof=ProofDocument(proof.verdict, proof.witness if proof.verdict == "narrower" else UNSET, proof.reason),
        places=tuple(_place(fix, sources.get(fix.tool)) for fix in same),
    )


def _place(fix: PlacedFix, source: ToolSource | None) -> FixPlaceDocument:
    pointer = fix.fragment.pointer
    patch = msgspec.convert(fix.patch, tuple[Operation, ...])
    if source is None:
        return FixPlaceDocument(fix.tool, pointer, patch)
    line, code = source.line, ""
    tokens = pointer_tokens(pointer)
    if tokens[:2] == ["inputSchema", "properties"] and len(tokens) == 3 and tokens[2] in source.parameters:
        parameter = source.parameters[tokens[2]]
        line, code = parameter.line, parameter_hint(tokens[2], parameter, fix.before, fix.after)
    elif source.hintable and tokens == ["annotations"] and fix.before is ABSENT:
        code = annotations_hint(fix.after)
    return FixPlaceDocument(fix.tool, pointer, patch, SourceDocument(source.file, line, source.certain), code)
