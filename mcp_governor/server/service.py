"""The tools that know the project: they check its servers and speak about the last report.

Each method of :class:`Service` is published as a tool; its signature is the input schema.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from mcp_governor.charter.facts import ResponseFormat  # noqa: TC001  (the SDK reads it at run time)
from mcp_governor.charter.failure import leak, sentence_problem
from mcp_governor.charter.v1_2 import ToolResponse
from mcp_governor.server import answers
from mcp_governor.text import command_line, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.server.pool import Jobs, Pool
    from mcp_governor.server.project import Project

Kind = Literal["unknown_name", "malformed_name", "index_not_ready", "cost_cap_exceeded", "internal_error"]
"""The kinds of errors of these tools: those of the registry that can happen."""

BRIEF = 10
"""Items that ``check_server`` lists where ``response_format`` is concise: a screen. ``list_findings`` has the rest."""

PAGE_BYTES = 200_000
"""Bytes of JSON on a page, which ends earlier where messages are long: 200 usual items have 100,000."""

EXPLAIN_SECONDS = 10.0
"""How long an explanation may take; the catalogue is loaded within one."""

Server = Annotated[
    str | None,
    Field(
        default=None,
        max_length=200,
        description="Name of a server in the project's configuration; its default target if left out.",
    ),
]
CheckedServer = Annotated[
    str | None,
    Field(default=None, max_length=200, description="Name of a checked server; the one checked last if left out."),
]


KEPT = 8
"""Reports that are kept, the oldest is dropped: each takes up to 10 MB, and a project with more servers has one open at
a time."""

_RANKS = {"error": 2, "warning": 1, "info": 0}


class LastReport(Struct, frozen=True, eq=False):
    """What is kept of a report.

    Attributes:
        server: its name in the configuration.
        items: findings and changes, the worst first; see :func:`mcp_governor.server.job.summary_of`.
        whole: the JSON report, ``None`` if it is too large to read.
    """

    server: str
    items: tuple[Mapping[str, Any], ...]
    whole: str | None

    def chosen(self, severity: str | None, rule: str | None, tool: str | None) -> list[Mapping[str, Any]]:
        """The items with at least a severity, of a rule (or ``pack/*``), about a tool."""
        least = _RANKS[severity] if severity is not None else 0
        pack = rule.removesuffix("*") if rule is not None and rule.endswith("/*") else None
        return [
            item
            for item in self.items
            if _RANKS[item["severity"]] >= least
            and (rule is None or item["rule"] == rule or (pack is not None and item["rule"].startswith(pack)))
            and (tool is None or item["tool"] == tool)
        ]


class Service:
    """The state behind the tools."""

    def __init__(self, project: Project | None, pool: Pool, jobs: Jobs) -> None:
        self.project = project
        self._reports: dict[str, LastReport] = {}
        self._pool = pool
        self._jobs = jobs

    async def check_server(
        self,
        server: Server = None,
        call_tools: Annotated[
            bool, Field(default=False, description="Also call the tools that only read, and check their responses.")
        ] = False,
        offline: Annotated[
            bool, Field(default=False, description="Check the recorded surface, and start no server.")
        ] = False,
        response_format: Annotated[
            ResponseFormat, Field(default="concise", description="concise: the ten worst items; detailed: fifty.")
        ] = "concise",
    ) -> ToolResponse[answers.CheckData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[answers.CheckData, Kind]
        if self.project is None:
            return answer.fail(**_NO_PROJECT)
        reply = await self._run("check", server=server, calls=call_tools, offline=offline)
        if "refused" in reply:
            return answer.fail(**_refused(reply["refused"], "check_server", offline=offline))
        done = reply["done"]
        report = LastReport(done["server"], tuple(done["items"]), done["report"])
        self._reports.pop(report.server, None)
        self._reports[report.server] = report
        if len(self._reports) > KEPT:
            del self._reports[next(iter(self._reports))]
        listed = [item for item in report.items if not item["accepted"]]
        data = answers.CheckData(
            server=report.server,
            verdict=done["verdict"],
            required_bump=done["required_bump"],
            declared_bump=done["declared_bump"],
            counts=answers.CountsData(**done["counts"]),
            worst=_page(listed[: answers.SHOWN if response_format == "detailed" else BRIEF]),
            command=_command(server, call_tools=call_tools, offline=offline),
        )
        hints = ["list_findings", "explain_finding"] if listed else ["draft_changelog"]
        return answer.success(data, follow_up_hints=hints)

    async def list_findings(
        self,
        server: CheckedServer = None,
        severity: Annotated[
            answers.SeverityName | None, Field(default=None, description="Only items of at least this severity.")
        ] = None,
        rule: Annotated[
            str | None, Field(default=None, max_length=100, description="Only this rule, or a pack: charter/*.")
        ] = None,
        tool: Annotated[str | None, Field(default=None, max_length=200, description="Only this tool.")] = None,
        cursor: Annotated[
            str,
            Field(default="", pattern="^[0-9]{0,6}$", description="next_cursor of the last page."),
        ] = "",
        pageSize: Annotated[  # noqa: N803  (SCHEMA.md, section 5.1, names it)
            int, Field(default=20, ge=1, le=answers.PAGE, description="Most items to return.")
        ] = 20,
    ) -> ToolResponse[answers.FindingsData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[answers.FindingsData, Kind]
        report = self._last(server)
        if report is None:
            return answer.fail(**self._unchecked(server))
        chosen = report.chosen(severity, rule, tool)
        offset = int(cursor or 0)
        findings = _page(chosen[offset : offset + pageSize])
        end = offset + len(findings)
        data = answers.FindingsData(
            server=report.server,
            total=len(chosen),
            findings=findings,
            next_cursor=str(end) if findings and end < len(chosen) else None,
        )
        if not data.findings:
            return answer.empty(data)
        return answer.success(data, follow_up_hints=["explain_finding"])

    async def explain_finding(
        self,
        finding_id: Annotated[
            str, Field(min_length=1, max_length=2_000, description="The id of an item in the last report.")
        ],
        server: CheckedServer = None,
    ) -> ToolResponse[answers.ExplainData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[answers.ExplainData, Kind]
        report = self._last(server)
        if report is None:
            return answer.fail(**self._unchecked(server))
        ids = [item["id"] for item in report.items]
        if finding_id not in ids:
            message = "The last report has no item of that id."
            return answer.fail("unknown_name", message, suggested_tool="list_findings", suggested_args={})
        item = dict(report.items[ids.index(finding_id)])
        given = json.dumps({"item": item}).encode()
        return answer.model_validate(await self._pool.call("explain_finding", given, EXPLAIN_SECONDS))

    async def draft_changelog(
        self,
        server: Server = None,
        version: Annotated[
            str | None,
            Field(default=None, max_length=100, description="Version to draft for; the one that is due if left out."),
        ] = None,
    ) -> ToolResponse[answers.DraftData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[answers.DraftData, Kind]
        if self.project is None:
            return answer.fail(**_NO_PROJECT)
        reply = await self._run("draft", server=server, version=version)
        if "refused" in reply:
            return answer.fail(**_refused(reply["refused"], "draft_changelog"))
        data = answers.DraftData(**reply["done"])
        return answer.success(data, follow_up_hints=["check_server"]) if data.missing_entries else answer.empty(data)

    async def page(self, given: bytes, seconds: float) -> str:
        """The page of a rule, empty if there is none; raises as :meth:`Pool.call`."""
        page: Any = await self._pool.call("rule_page", given, seconds)
        return str(page)

    def last_report(self) -> str:
        """The JSON report of the last check, or why there is none."""
        report = self._last(None)
        if report is not None and report.whole is not None:
            return report.whole
        reason = "The report is too large; list_findings has its items."
        return json.dumps({"report": None, "reason": reason if report else "No server was checked in this session."})

    async def _run(self, job: str, **request: Any) -> dict[str, Any]:
        assert self.project is not None
        return await self._jobs.run({"job": job, "config": str(self.project.config), **request})

    def _last(self, server: str | None) -> LastReport | None:
        """The report of a server; of the one that was checked last if none is named."""
        if server is None:
            return next(reversed(self._reports.values()), None)
        return self._reports.get(server)

    def _unchecked(self, server: str | None) -> dict[str, Any]:
        """Why there is no report, and how to get one."""
        known = list(reversed(self._reports))
        if server is not None and known:
            message = "No server of that name was checked in this session."
            return _failure("unknown_name", message, "list_findings", known)
        return _failure("index_not_ready", "No server was checked in this session.", "check_server")


def _page(items: Sequence[Mapping[str, Any]]) -> list[answers.ItemData]:
    """As many of the items as fit into a page, one at least."""
    page: list[answers.ItemData] = []
    left = PAGE_BYTES
    for item in items:
        left -= len(json.dumps(item))
        if page and left < 0:
            break
        page.append(answers.ItemData(**item))
    return page


def _failure(kind: Kind, message: str, tool: str, servers: Sequence[str] = (), **arguments: Any) -> dict[str, Any]:
    """An error of a tool, in the words of ``ToolResponse.fail``; a call of ``tool`` works, for the first of some
    servers."""
    if servers:
        arguments["server"] = servers[0]
    matches = {"fuzzy_matches": servers[:MATCHES]} if servers else {}
    return {"kind": kind, "message": message, "suggested_tool": tool, "suggested_args": arguments, **matches}


MATCHES = 5
"""Names that a recovery lists: a model picks one of them, and more only cost tokens."""

_NO_PROJECT = _failure(
    "index_not_ready", "This server was started in a folder without a configuration of mcp-governor.", "list_rules"
)


def _refused(refused: dict[str, Any], tool: str, *, offline: bool = False) -> dict[str, Any]:
    """The failure for what a job could not do."""
    kind, message, names = refused["kind"], said(refused["message"]), refused["names"]
    if names:
        return _failure(kind, message, tool, names)
    if tool == "check_server" and not offline:
        return _failure(kind, message, "check_server", offline=True)
    return _failure(kind, message, "list_rules")


def said(message: str) -> str:
    """What a job says, as the one sentence of the contract; it may quote a server, which may say anything."""
    joined = re.sub(r"(?<=[^.])\.\s+", "; ", message.rstrip(". "))
    for one in (message, joined, message.partition(". ")[0]):
        whole = sentence(one)
        if whole and sentence_problem(whole) is None and leak(whole) is None:
            return whole
    return "The server cannot be checked; the same command at a terminal says why."


def _command(server: str | None, *, call_tools: bool, offline: bool) -> str:
    """The same check at a terminal."""
    named = [server] if server is not None and not offline else []
    options = ["--offline"] if offline else [] if call_tools else ["--no-calls"]
    return command_line(["mcp-governor", "check", *named, *options])
