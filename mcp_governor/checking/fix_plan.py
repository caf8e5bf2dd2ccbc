"""The plan of ``lint --fix-plan`` and ``lint --diff``: equal fixes are merged, with places and sources.

Objects of the document are open, as in a report. A corrected parameter is written in Python code if that is possible
without doubt, because wrong code is worse than none: ``str`` becomes ``Literal[…]``, and bounds go into the ``Field``
of ``Annotated`` or into a new one.
"""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct

from mcp_governor.documents import Count, joined, written
from mcp_governor.findings import Effect  # noqa: TC001 - msgspec reads the types
from mcp_governor.fixes.editing import ABSENT
from mcp_governor.fixes.plan import make_plan
from mcp_governor.fixes.proof import ProofVerdict  # noqa: TC001
from mcp_governor.parsing import read_python_expression
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
    from mcp_governor.target.discover.tool_source import Parameter, ToolSource


FindingId = Annotated[str, Meta(description="rule:tool:pointer:hash, as in a report.")]


class Operation(Struct, frozen=True, omit_defaults=True):
    """One operation of a JSON Patch (RFC 6902), relative to the tool."""

    op: Literal["add", "remove", "replace"]
    path: str
    value: Any = UNSET


class SourceDocument(Struct, frozen=True):
    """Where the tool is defined.

    Attributes:
        file: Relative to the project.
        certain: False: found as text, or in several places.
    """

    file: str
    line: Annotated[int, Meta(ge=1)]
    certain: bool


class FixPlaceDocument(Struct, frozen=True, omit_defaults=True):
    """One place of a fix.

    Attributes:
        path: JSON pointer into the tool.
        code: The Python parameter, or argument of the decorator, as corrected.
    """

    tool: str
    path: str
    patch: tuple[Operation, ...]
    source: SourceDocument | None = None
    code: str = ""


class ProofDocument(Struct, frozen=True, omit_defaults=True):
    """What the fix does to the values that the schema accepts.

    Attributes:
        witness: A value that was accepted and is refused after the fix; any JSON value.
        reason: What stopped the decision of an unknown one.
    """

    verdict: ProofVerdict
    witness: Any = UNSET
    reason: str = ""


class FixedFinding(Struct, frozen=True):
    """A finding that the fix removes."""

    id: FindingId
    rule: str
    message: str


class FixDocument(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One correction with all its places.

    Attributes:
        before: The fragment; absent where there is none.
        after: The corrected fragment; absent where none is left.
        effect: What the fix is meant to do.
    """

    findings: tuple[FixedFinding, ...]
    before: Any = UNSET
    after: Any = UNSET
    effect: Effect
    proof: ProofDocument
    places: tuple[FixPlaceDocument, ...]


class PlanCounts(Struct, frozen=True):
    """Numbers of fixes, of their places, and of findings."""

    fixes: Count
    places: Count
    fixed: Count
    partly: Count
    unfixed: Count


class WithheldDocument(Struct, frozen=True):
    """A finding whose correction is not part of the plan, or not everywhere."""

    finding: FindingId
    tool: str | None
    reason: str


class FixPlanDocument(Struct, frozen=True, tag_field="format", tag="mcp-governor/fix-plan-1"):
    """All corrections that need no decision by a person.

    Attributes:
        fingerprint: Of the surface that the fixes are for.
        fixed: Findings that are gone after the plan.
        partly: Findings about several places, some of which are left.
        unfixed: Findings that a person has to decide.
        brought: Findings about all tools together that the plan brings.
    """

    target: str
    fingerprint: str
    summary: PlanCounts
    fixes: tuple[FixDocument, ...]
    fixed: tuple[FindingId, ...]
    partly: tuple[FindingId, ...]
    unfixed: tuple[FindingId, ...]
    withheld: tuple[WithheldDocument, ...]
    brought: tuple[FindingId, ...]


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


_FIELD = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "pattern": "pattern",
}
"""Keywords that Pydantic's ``Field`` writes to the schema unchanged."""
_LONGEST = 300
"""Maximum length of a hint in characters; a longer enum is better written as a class."""


def parameter_hint(name: str, parameter: Parameter, before: Any, after: Any) -> str:
    """The parameter that would produce the corrected schema; empty if that is not certain.

    Args:
        name: of the parameter.
        parameter: as in the source.
        before, after: the schema of the parameter.
    """
    was, now = _with_null(before), _with_null(after)
    if was is None or now is None or not parameter.annotation:
        return ""
    kept = all(key in now[0] and now[0][key] == value for key, value in was[0].items())
    added = {key: value for key, value in now[0].items() if key not in was[0]}
    if not kept or not added.keys() <= {*_FIELD, "enum"} or was[1] > now[1]:
        return ""
    try:
        annotation = read_python_expression(parameter.annotation)
        default = read_python_expression(parameter.default) if parameter.default else None
        hint = _annotated(annotation, added, null=now[1] and not was[1])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if hint is None or isinstance(default, ast.Call):
        return ""  # a Field may say so already
    text = f"{name}: {hint}" + (f" = {ast.unparse(default)}" if default is not None else "")
    return text if len(text) <= _LONGEST else ""


def annotations_hint(hints: Any) -> str:
    """The decorator argument with a tool's hints; the class is that of ``mcp.types``."""
    if not isinstance(hints, dict) or not all(key.isidentifier() for key in hints):
        return ""
    return f"annotations=ToolAnnotations({', '.join(f'{key}={value!r}' for key, value in hints.items())})"


def _with_null(schema: Any) -> tuple[dict[str, Any], bool] | None:
    """The keywords of a value, and true if it may also be null; ``None`` for a union of other types."""
    if not isinstance(schema, dict) or "anyOf" not in schema:
        return (schema, False) if isinstance(schema, dict) else None
    branches = schema["anyOf"] if isinstance(schema["anyOf"], list) else []
    values = [one for one in branches if one != {"type": "null"}]
    if len(values) != 1 or len(branches) != 2 or not isinstance(values[0], dict):
        return None
    return {**{key: value for key, value in schema.items() if key != "anyOf"}, **values[0]}, True


def _annotated(annotation: ast.expr, added: Mapping[str, Any], *, null: bool) -> str | None:
    """The source code of the annotation."""
    kept: list[ast.expr] = []
    if isinstance(annotation, ast.Subscript) and _named(annotation.value, "Annotated"):
        annotation, *kept = getattr(annotation.slice, "elts", [annotation])
    plain, optional = _plain(annotation)
    keywords = {_FIELD[key]: value for key, value in added.items() if key in _FIELD}
    if plain not in ("str", "int", "float") or (null and optional):
        return None
    if "enum" in added:
        if plain != "str" or keywords:
            return None
        plain = f"Literal[{', '.join(_text(value) for value in added['enum'] if value is not None)}]"
    if keywords and kept:
        field = kept[0]
        if not isinstance(field, ast.Call) or not _named(field.func, "Field"):
            return None
        if {None, *keywords} & {one.arg for one in field.keywords}:
            return None
        made = read_python_expression(f"Field({_arguments(keywords)})")
        field.keywords[:0] = getattr(made, "keywords", ())
    elif keywords:
        plain = f"Annotated[{plain}, Field({_arguments(keywords)})]"
    plain = f"{plain} | None" if optional or null else plain
    return f"Annotated[{plain}, {', '.join(map(ast.unparse, kept))}]" if kept else plain


def _named(expression: ast.expr, name: str) -> bool:
    return ast.unparse(expression).rpartition(".")[2] == name


def _plain(annotation: ast.expr) -> tuple[str, bool]:
    """The name of a type without null, and true if there was a null; empty for anything else."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        if isinstance(annotation.right, ast.Constant) and annotation.right.value is None:
            return _plain(annotation.left)[0], True
    elif isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
        if annotation.value.id == "Optional":
            return _plain(annotation.slice)[0], True
    elif isinstance(annotation, ast.Name):
        return annotation.id, False
    return "", False


def _text(value: Any) -> str:
    """A value as Python code, in the usual quotes."""
    if isinstance(value, str) and value.isprintable() and not set(value) & {'"', "\\"}:
        return f'"{value}"'
    return repr(value)


def _arguments(keywords: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_raw(value) if key == 'pattern' else _text(value)}" for key, value in keywords.items())


def _raw(pattern: str) -> str:
    if '"' in pattern or not pattern.isprintable() or pattern.endswith("\\"):
        raise ValueError(pattern)
    return f'r"{pattern}"'
