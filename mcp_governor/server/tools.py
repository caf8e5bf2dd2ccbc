"""The three tools: what they do, what a model reads about them, and what one call may cost.

Nothing here runs in the process that talks to the client: see :mod:`mcp_governor.server.worker`.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from mcp_governor.charter import CostHint, ToolMetadata
from mcp_governor.charter.facts import ResponseFormat  # noqa: TC001  (the SDK reads it at run time)
from mcp_governor.charter.v1_2 import ToolResponse
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_TOOLS = 500
"""Tools in one argument: a comparison of two surfaces of 500 takes half of what a worker may use (``worker.DATA``).
More are refused by the input schema; the command line takes any number."""


class FoundIn(BaseModel):
    """What one rule says about a tool."""

    rule: str
    severity: Literal["error", "warning", "info"]
    path: str
    message: str
    fix: str


class LintData(BaseModel):
    """Findings of one tool."""

    findings: list[FoundIn]


class ChangeData(BaseModel):
    """One difference between two surfaces."""

    kind: str
    tool: str | None
    path: str
    verdict: Literal["breaking", "compatible", "unknown"]
    message: str
    witness_json: str | None = Field(description="A JSON value that proves a break, as text.")


class CompareData(BaseModel):
    """The differences between two surfaces."""

    required_bump: Literal["none", "patch", "minor", "major"]
    changes: list[ChangeData]


class RuleData(BaseModel):
    """One rule of the catalogue; the summary stands in detailed answers only."""

    id: str
    severity: Literal["error", "warning", "info"]
    summary: str | None


class RulesData(BaseModel):
    """Rules of the catalogue."""

    rules: list[RuleData]


Tools = Annotated[
    list[dict[str, Any]],
    Field(max_length=_MAX_TOOLS, description="Tools as tools/list gives them: name, description, inputSchema, …"),
]


def lint_description(
    name: Annotated[str, Field(min_length=1, max_length=128, description="Name of the tool.")],
    description: Annotated[str, Field(max_length=20_000, description="The description to judge.")],
    other_tools: Annotated[
        list[str] | None,
        Field(default=None, max_length=_MAX_TOOLS, description="Names of the other tools of the same server."),
    ] = None,
) -> ToolResponse[LintData]:
    """See the metadata below; models read that."""
    from mcp_governor.catalogue import LintSettings
    from mcp_governor.linting import lint
    from mcp_governor.surface import build_surface

    schema = {"type": "object"}
    siblings = [{"name": other, "inputSchema": schema} for other in other_tools or () if other != name]
    tools = [{"name": name, "description": description, "inputSchema": schema}, *siblings]
    settings = LintSettings(profiles=("charter",), select=("charter/*", "clarity/*", "hygiene/*"))
    findings = [
        FoundIn(rule=found.rule, severity=found.severity.value, path=found.path, message=found.message, fix=found.fix)
        for found in lint(build_surface({"tools": tools}), settings)
        if found.tool == name and found.path.startswith("/description")
    ]
    if not findings:
        return ToolResponse[LintData].empty(LintData(findings=[]))
    return ToolResponse[LintData].success(LintData(findings=findings), follow_up_hints=["list_rules"])


def compare_surfaces(old_tools: Tools, new_tools: Tools) -> ToolResponse[CompareData]:
    """See the metadata below; models read that."""
    import json

    from mcp_governor.change import compare
    from mcp_governor.findings import Bump
    from mcp_governor.surface import build_surface

    changes = compare(build_surface({"tools": old_tools}), build_surface({"tools": new_tools}))
    found = [
        ChangeData(
            kind=change.kind,
            tool=change.tool,
            path=change.path,
            verdict=change.verdict.value,
            message=change.message,
            witness_json=json.dumps(change.witness) if change.has_witness else None,
        )
        for change in changes
    ]
    data = CompareData(required_bump=Bump.highest([change.bump for change in changes]).value, changes=found)
    return ToolResponse[CompareData].success(data) if found else ToolResponse[CompareData].empty(data)


def list_rules(
    pack: Annotated[
        str | None, Field(default=None, max_length=64, description="Only this pack, e.g. charter; all if left out.")
    ] = None,
    response_format: Annotated[
        ResponseFormat, Field(default="concise", description="concise: ids and severities; detailed: summaries too.")
    ] = "concise",
) -> ToolResponse[RulesData]:
    """See the metadata below; models read that."""
    from mcp_governor.catalogue import load_catalogue

    catalogue = load_catalogue()
    packs = sorted(catalogue.packs)
    if pack is not None and pack not in packs:
        # The name itself stays out of the message: it is whatever the caller wrote.
        return ToolResponse[RulesData].fail(
            "unknown_name",
            "There is no pack of rules of that name.",
            suggested_tool="list_rules",
            suggested_args={},
            fuzzy_matches=get_close_matches(pack, packs, n=3, cutoff=0.5) or packs,
        )
    summaries = response_format == "detailed"
    rules = [
        RuleData(id=rule.id, severity=rule.severity.value, summary=rule.summary if summaries else None)
        for rule in catalogue
        if pack is None or rule.pack == pack
    ]
    return ToolResponse[RulesData].success(RulesData(rules=rules), follow_up_hints=["lint_description"])


@frozen
class Budget:
    """What one call of a tool may cost; beyond it the call is ended and answered with an error.

    Attributes:
        seconds: wall clock of the work, without the wait for a free worker.
        argument_bytes: size of the arguments as JSON.
    """

    seconds: float
    argument_bytes: int


@frozen(eq=False)
class Tool:
    """One tool.

    Attributes:
        work: takes the arguments, returns the envelope.
        metadata: what is published.
        budget: what a call may cost.
        smaller: arguments of a smaller call of the same tool, ``None`` where there is none to suggest.
    """

    work: Callable[..., ToolResponse[Any]]
    metadata: ToolMetadata
    budget: Budget
    smaller: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda _: None


_SUGGESTED_BYTES = 20_000
"""Largest arguments that a recovery block repeats: a model has to read them."""


def _one_pair(arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The comparison of one tool of many."""
    old, new = arguments["old_tools"], arguments["new_tools"]
    if len(old) < 2 and len(new) < 2:
        return None
    first = old[0] if old else new[0]
    pair = {"old_tools": old[:1], "new_tools": [tool for tool in new if tool.get("name") == first.get("name")][:1]}
    return pair if len(repr(pair)) <= _SUGGESTED_BYTES else None


_ALL = (
    Tool(
        lint_description,
        ToolMetadata(
            name="lint_description",
            description="Use this when you write or review the description of an MCP tool. Returns what the rules say "
            "about it, each with a fix. Use `compare_surfaces` instead when two versions of a server are at hand and "
            "the question is what changed. Common composition: `lint_description`, then `list_rules` to see why a "
            "rule exists.",
            cost_hint=CostHint(tokens_estimate=400),
            latency_hint="fast",
            idempotent=True,
            side_effects="none",
        ),
        Budget(seconds=10, argument_bytes=512 << 10),
    ),
    Tool(
        compare_surfaces,
        ToolMetadata(
            name="compare_surfaces",
            description="Use this when you have two tools/list results of one MCP server and need to know what the "
            "newer one breaks. Returns every change with its verdict, a value that proves each break, and the "
            "version step that semver asks for. Don't use when only wording is at stake: `lint_description` judges "
            "that.",
            cost_hint=CostHint(tokens_estimate=1500),
            latency_hint="moderate",
            idempotent=True,
            side_effects="none",
        ),
        Budget(seconds=10, argument_bytes=2 << 20),
        _one_pair,
    ),
    Tool(
        list_rules,
        ToolMetadata(
            name="list_rules",
            description="Use this when you want to know which rules there are, or what a rule id stands for. Returns "
            "the id and severity of each, with a one-line summary where response_format is detailed. Don't use when "
            "you have a description to judge: `lint_description` applies the rules to it.",
            cost_hint=CostHint(tokens_estimate=5000),
            latency_hint="fast",
            idempotent=True,
            side_effects="none",
        ),
        Budget(seconds=10, argument_bytes=16 << 10),
    ),
)

TOOLS = {tool.metadata.name: tool for tool in _ALL}
"""Every tool by its name."""
