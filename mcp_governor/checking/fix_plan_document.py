"""A plan of fixes as JSON, ``lint --fix-plan``. Objects are open, as in a report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct

from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.findings import Effect  # noqa: TC001
from mcp_governor.fixes.proof import ProofVerdict  # noqa: TC001

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
