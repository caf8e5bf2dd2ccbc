"""The tools: what a model reads about them, and what one call may cost.

The work is in :mod:`.work` (in a limited process) and :mod:`.service` (what knows the project).
"""

from __future__ import annotations

import copy
import inspect
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.charter import CostHint, ToolMetadata
from mcp_governor.charter.facts import HINT_RANGE, PII_CATEGORIES
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.walking import walk
from mcp_governor.server.pool import JOB_SECONDS
from mcp_governor.server.service import Service
from mcp_governor.server.work import compare_surfaces, lint_description, list_rules, validate_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcp_governor.charter.facts import LatencyHint, SideEffects


class Tool(Struct, frozen=True, eq=False):
    """One tool. Beyond what a call may cost, it is ended and answered with an error.

    Attributes:
        work: takes the arguments, returns the envelope; a function that a worker runs, or a method of the service.
        metadata: what is published.
        seconds: wall clock of the work, without the wait for a free worker.
        argument_bytes: size of the arguments as JSON.
        repeats: its answers may repeat what a server says.
    """

    work: Callable[..., Any]
    metadata: ToolMetadata
    seconds: float
    argument_bytes: int
    repeats: bool

    @property
    def in_worker(self) -> bool:
        """True if a worker runs it, false if it is a method of :class:`Service`."""
        return getattr(Service, self.metadata.name, None) is not self.work

    def unknown(self, arguments: Mapping[str, Any]) -> str | None:
        """Why a call is refused whose arguments the input schema does not declare; ``None`` if it declares all."""
        taken = [name for name in inspect.signature(self.work).parameters if name != "self"]
        if not arguments.keys() - set(taken):
            return None
        return f"{self.metadata.name} refuses the call: it takes only {', '.join(taken)}."


def _tool(
    work: Callable[..., Any],
    description: str,
    *,
    tokens: int,
    latency: LatencyHint,
    effects: SideEffects = "none",
    seconds: float = 10.0,
    argument_bytes: int = 16 << 10,  # names and numbers alone
    repeats: bool = True,
) -> Tool:
    metadata = ToolMetadata(
        name=work.__name__,
        description=description,
        cost_hint=CostHint(tokens_estimate=tokens),
        latency_hint=latency,
        idempotent=True,
        side_effects=effects,
    )
    return Tool(work, metadata, seconds, argument_bytes, repeats)


_ALL = (
    _tool(
        Service.check_server,
        "Use this when you changed an MCP server of this project, or want to know if it can be released. Starts "
        "the configured server, compares it with its last release, and returns the verdict, the version step and "
        "the worst findings. Use `compare_surfaces` instead when you have two recorded surfaces. Common "
        "composition: `check_server`, then `explain_finding` for each item.",
        tokens=800,
        latency="slow",
        effects="read",
        seconds=JOB_SECONDS,
    ),
    _tool(
        Service.list_findings,
        "Use this when a check has more findings than it showed, or you need those of one tool, rule or severity. "
        "Returns a page of the last report, the worst first. Use `check_server` instead when the server changed "
        "since: this tool checks nothing. Common composition: `check_server`, then `list_findings`.",
        tokens=1200,
        latency="fast",
    ),
    _tool(
        Service.explain_finding,
        "Use this when you want to fix a finding, or to decide if it may stay. Returns the finding, why its rule "
        "exists, the source, a bad and a good example, and the command that accepts it. Use `list_rules` instead "
        "when you have no finding. Common composition: `list_findings`, then `explain_finding`.",
        tokens=600,
        latency="moderate",
    ),
    _tool(
        compare_surfaces,
        "Use this when you have two tools/list results of one MCP server, or files with them, and need to know "
        "what the newer one breaks. Returns every change with its verdict, a value that proves each break, and the "
        "version step that semver asks for. Don't use when only wording is at stake: `lint_description` judges "
        "that.",
        tokens=1500,
        latency="moderate",
        argument_bytes=2 << 20,
    ),
    _tool(
        lint_description,
        "Use this when you write or review the description of an MCP tool. Returns what the rules say about it, "
        "each with a fix. Use `compare_surfaces` instead when two versions of a server are at hand and the "
        "question is what changed. Common composition: `lint_description`, then `list_rules` to see why a rule "
        "exists.",
        tokens=400,
        latency="fast",
        argument_bytes=512 << 10,
    ),
    _tool(
        validate_response,
        "Use this when you have a tools/call result and want to know if it keeps the response contract. Returns "
        "each violation with its place and fix. Use `check_server` instead when the server is configured here: it "
        "can call the tools itself. Common composition: `validate_response`, then `list_rules`.",
        tokens=500,
        latency="fast",
        argument_bytes=2 << 20,
    ),
    _tool(
        Service.draft_changelog,
        "Use this when `check_server` says that the schema changelog lacks entries. Returns the entries as a diff "
        "and the next step; it writes nothing. Don't use when the changelog is about code: it covers the "
        "published tools only. Common composition: `check_server`, then `draft_changelog`.",
        tokens=700,
        latency="slow",
        effects="read",
        seconds=JOB_SECONDS,
    ),
    _tool(
        list_rules,
        "Use this when you want to know which rules there are, or what a rule id stands for. Returns the id and "
        "severity of each, with a one-line summary where response_format is detailed. Don't use when you have a "
        "description to judge: `lint_description` applies the rules to it.",
        tokens=5000,
        latency="fast",
        repeats=False,
    ),
)

TOOLS = {tool.metadata.name: tool for tool in _ALL}
"""Every tool by its name, in the order in which they are published."""


MATCHES = 50
"""Most alternatives that a recovery lists; three times the packs of rules, which is the longest of our lists."""

_MOST = {"follow_up_hints": HINT_RANGE[1], "fuzzy_matches": MATCHES, "pii_categories": len(PII_CATEGORIES)}
"""The longest lists of the envelope, which the models of the charter leave open because other servers use them."""


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema that says all that it means."""
    done = copy.deepcopy(dict(schema))
    for _, node in list(walk(done)):
        if isinstance(node, dict) and isinstance(node.get("properties"), dict):
            node.setdefault("additionalProperties", False)
            node.setdefault("required", [])
            for name in _MOST.keys() & node["properties"].keys():
                for array in _arrays(node["properties"][name]):
                    array.setdefault("maxItems", _MOST[name])
    return {"$schema": DIALECT_2020_12, **done}


def _arrays(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for branch in (schema, *schema.get("anyOf", ())):
        if branch.get("type") == "array":
            yield branch
