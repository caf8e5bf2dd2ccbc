"""The report as JSON, ``--format json``. A new optional member does not need a new version of the format."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, field

from mcp_governor.call.cases import GoodCallCounts  # noqa: TC001
from mcp_governor.change.vocabulary import Level, Side  # noqa: TC001
from mcp_governor.checking.model import FORMAT, MAX_LISTED, BaselineInfo, ServerInfo
from mcp_governor.checking.response_coverage import Seen  # noqa: TC001
from mcp_governor.checking.token_cost import MAX_TOOLS
from mcp_governor.documents import Count, Governor, joined, written
from mcp_governor.findings import MAX_SPOTS, Bump, Severity, Spot, Tier, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import BaseInfo, Report

_RULE = Meta(extra_json_schema={"pattern": "^[a-z0-9-]+/[a-z0-9-]+$"})
_FINGERPRINT = Meta(extra_json_schema={"pattern": "^v1:sha256:[0-9a-f]{64}$"})
_PLACES = Meta(description=f"The places of a finding about the whole server, at most {MAX_SPOTS:,}.")


class ChangeDocument(Struct, frozen=True, omit_defaults=True):
    """A difference between two surfaces.

    Attributes:
        kind: A name of the change catalogue.
        path: JSON pointer into the tool, or into the surface.
        wording: Only words or spelling change.
        old: The value before, any JSON value; absent where there was none.
        new: The value now, any JSON value; absent where there is none.
        witness: A value that proves the break in the schemas; any JSON value.
        reason: Why the verdict is unknown.
        accepted: Why the configuration accepts it.
    """

    id: str
    kind: str
    tool: str | None
    path: str
    side: Side
    verdict: Verdict
    level: Level
    tier: Tier
    bump: Bump
    wording: bool
    message: str
    old: Any = UNSET
    new: Any = UNSET
    witness: Any = UNSET
    reason: str = ""
    accepted: str | None = None


class FindingDocument(Struct, frozen=True, omit_defaults=True):
    """What a rule found.

    Attributes:
        id: rule:tool:pointer:hash; what `accept` takes.
        path: JSON pointer into the tool or surface, or FILE:LINE.
        accepted: Why the configuration accepts it.
    """

    id: str
    rule: Annotated[str, _RULE]
    severity: Severity
    tool: str | None
    path: str
    message: str
    fix: str = ""
    spots: Annotated[tuple[Spot, ...], _PLACES] = field(default=(), name="places")
    accepted: str | None = None


class ChangeCounts(Struct, frozen=True):
    """Changes by verdict."""

    breaking: Count
    unknown: Count
    compatible: Count


class FindingCounts(Struct, frozen=True):
    """Findings by severity."""

    error: Count
    warning: Count
    info: Count


class Summary(Struct, frozen=True, omit_defaults=True):
    """Counts, some of which only some runs have.

    Attributes:
        good_calls: Calls with good arguments, where tools were called.
        forcing: Ids of the changes that force the required bump.
    """

    changes: ChangeCounts
    findings: FindingCounts
    accepted: Count
    forcing: tuple[str, ...]
    tools: Count | None = None
    prompts: Count | None = None
    resources: Count | None = None
    templates: Count | None = None
    skills: Count | None = None
    rules: Count | None = None
    calls: Count | None = None
    files: Count | None = None
    models: Count | None = None
    lists: Count | None = None
    allowed: Count | None = None
    rules_skipped: Count | None = None
    old_findings: Count | None = None
    omitted_changes: Count | None = None
    omitted_findings: Count | None = None
    good_calls: GoodCallCounts | None = None


class StageDocument(Struct, frozen=True):
    """If changes may wait for the next release; tag: the release that is built."""

    gate: str
    at_release: bool
    tag: str | None


class PendingDocument(Struct, frozen=True):
    """What waits for the next release, and the version to release it as."""

    bump: Bump
    version: str | None


class ToolTokens(Struct, frozen=True, omit_defaults=True):
    """Estimated cost of one tool."""

    tokens: Count
    growth: int | None = None


class TokensDocument(Struct, frozen=True, omit_defaults=True):
    """Estimated cost of the tools for a model; growth: the increase since the baseline."""

    total: Count
    tools: Mapping[str, ToolTokens]
    growth: int | None = None


class Approval(Struct, frozen=True):
    """A change or finding, and the key of its approval."""

    id: str
    key: str


class BaseDocument(Struct, frozen=True):
    """With --base: ids of the changes that the base branch does not have, of those that break clients, or may break
    them, and of what waits for an approval or has one."""

    ref: str
    new: tuple[str, ...]
    breaks: tuple[str, ...]
    approval: Literal["required", "given"] | None
    asks: tuple[Approval, ...]
    approved: tuple[Approval, ...]


class ReportDocument(Struct, frozen=True, omit_defaults=True, tag_field="format", tag=FORMAT):
    """The result of one run.

    Attributes:
        only: The only kind of change that was checked, now `breaking`; null if all were.
        calls: How many tools a response was checked of, the others by reason, and the packs of rules that responses are
            checked against.
        reproduce: The command that repeats the run from the root of the repository, for a POSIX shell.
    """

    governor: Governor
    target: str
    server: ServerInfo | None
    fingerprint: Annotated[str, _FINGERPRINT] | None
    baseline: BaselineInfo | None
    required_bump: Bump
    declared_bump: Bump | None
    stage: StageDocument | None
    only: str | None
    pending: PendingDocument | None
    changes: tuple[ChangeDocument, ...]
    findings: tuple[FindingDocument, ...]
    summary: Summary
    verdict: Literal["pass", "fail"]
    calls: Seen | None = None
    tokens: TokensDocument | None = None
    base: BaseDocument | None = None
    reproduce: str = ""


def document(report: Report) -> dict[str, Any]:
    """The document; its summary also counts changes and findings that are not listed."""
    changes = _listed(report.changes, lambda change: _RANK[change.verdict])
    findings = _listed(report.findings, lambda finding: (finding.accepted is not None, -finding.severity.rank))
    cost = report.tokens
    whole = joined(
        report,
        changes=[_change(change, report) for change in changes],
        findings=findings,
        summary=report.summary
        | {
            "omitted_changes": len(report.changes) - len(changes) or None,
            "omitted_findings": len(report.findings) - len(findings) or None,
        },
        tokens=cost
        and joined(
            cost,
            tools={name: ToolTokens(cost.tools[name], cost.growth_of(name)) for name in cost.dearest(MAX_TOOLS)},
        ),
        base=report.base and _base(report.base),
    )
    return written(ReportDocument, whole, digits=None)


def _change(change: Change, report: Report) -> Any:
    missing = [name for name in ("old", "new", "witness") if not getattr(change, f"has_{name}")]
    return joined(change, accepted=report.accepted.get(change.id), **dict.fromkeys(missing, UNSET))


def _base(base: BaseInfo) -> Any:
    return joined(
        base,
        new=base.new[:MAX_LISTED],
        breaks=base.breaks[:MAX_LISTED],
        approval=base.approval or None,
        asks=[Approval(name, base.keys[name]) for name in base.asks[:MAX_LISTED]],
        approved=[Approval(name, base.keys[name]) for name in base.approved[:MAX_LISTED]],
    )


_RANK = {Verdict.BREAKING: 0, Verdict.UNKNOWN: 1, Verdict.COMPATIBLE: 2}
_T = TypeVar("_T")


def _listed(items: tuple[_T, ...], badness: Callable[[_T], Any]) -> tuple[_T, ...]:
    """The items in their order, or only the worst ones if there are too many."""
    if len(items) <= MAX_LISTED:
        return items
    worst = sorted(range(len(items)), key=lambda index: (badness(items[index]), index))[:MAX_LISTED]
    return tuple(items[index] for index in sorted(worst))
