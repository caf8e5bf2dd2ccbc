"""mcp-governor as an MCP server: three tools that keep the charter's rules and answer in its envelope.

Run it with ``mcp-governor serve``. ``mcp-governor check`` in this repository governs it: the changelog of its
surface is ``docs/mcp-schema-changelog.md``, the recorded surface ``mcp-surface.json``.
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from mcp_governor.charter import CostHint, ToolMetadata, add_tool
from mcp_governor.charter.facts import ResponseFormat  # noqa: TC001  (the SDK reads it at run time)
from mcp_governor.charter.v1_2 import ToolResponse

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

SCHEMA_VERSION = "0.1.0"
"""Version of our own MCP surface, apart from the version of the package."""

_MAX_TOOLS = 500


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
    from mcp_governor.linting import LintSettings, lint
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
    told = [
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
    data = CompareData(required_bump=Bump.highest([change.bump for change in changes]).value, changes=told)
    return ToolResponse[CompareData].success(data) if told else ToolResponse[CompareData].empty(data)


def list_rules(
    pack: Annotated[
        str | None, Field(default=None, max_length=64, description="Only this pack, e.g. charter; all if left out.")
    ] = None,
    response_format: Annotated[
        ResponseFormat, Field(default="concise", description="concise: ids and severities; detailed: summaries too.")
    ] = "concise",
) -> ToolResponse[RulesData]:
    """See the metadata below; models read that."""
    from mcp_governor.linting import load_catalogue

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


_TOOLS: tuple[tuple[Any, ToolMetadata], ...] = (
    (
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
    ),
    (
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
    ),
    (
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
    ),
)


def refusal(tool: str, error: ValidationError) -> str:
    """What is said of arguments that the input schema refuses: which one, and not the validator's words.

    Such a call never reaches the tool, so no envelope answers it (structured recovery, "MCP dispatch").
    """
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = next(iter(first["loc"]), "arguments")
    wrong = "is missing" if first["type"] == "missing" else "does not fit"
    return f"{tool} refuses the call: {where} {wrong}; its input schema says what it takes."


def build_server() -> MCPServer[Any]:
    """The server, ready to run.

    Raises:
        MissingDependencyError: the SDK is not installed.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
    except ImportError:
        from mcp_governor.errors import MissingDependencyError

        raise MissingDependencyError(
            "Serving needs the MCP SDK, which is not installed.", 'Install it with: pip install "mcp-governor[serve]"'
        ) from None

    class EnvelopeServer(MCPServer[Any]):
        """Says what is wrong with a call in words of its own, and keeps a crash inside of the envelope."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            try:
                return await super().call_tool(name, arguments, context)
            except UnexpectedToolError:
                logging.getLogger(__name__).exception("tool %s failed", name)
                failed = ToolResponse[None].fail(
                    "internal_error",
                    "The call failed inside the server.",
                    suggested_tool="list_rules",
                    suggested_args={},
                )
                return failed.to_call_tool_result()
            except ToolError as error:
                if isinstance(error.__cause__, ValidationError):
                    raise ToolError(refusal(name, error.__cause__)) from None
                raise

    server = EnvelopeServer(
        "mcp-governor",
        version=SCHEMA_VERSION,
        instructions="Judges MCP tool descriptions and compares surfaces of MCP servers. Reads only what it is given.",
    )
    for function, metadata in _TOOLS:
        add_tool(server, function, metadata)
    return server
