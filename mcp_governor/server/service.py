"""The tools that know the project: they check its servers and speak about the last report.

Each method of :class:`Service` is published as a tool; its signature is the input schema.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from msgspec import Struct
from pydantic import Field

from mcp_governor.charter.facts import ResponseFormat  # noqa: TC001  (the SDK reads it at run time)
from mcp_governor.charter.message import leak, sentence_problem
from mcp_governor.charter.v1_2 import ToolResponse
from mcp_governor.server.answers import (
    PAGE,
    SHOWN,
    CheckData,
    CountsData,
    DraftData,
    ExplainData,
    FindingsData,
    ItemData,
    SeverityName,
)
from mcp_governor.server.reports import LastReport, Reports
from mcp_governor.text import command_line, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.server.jobs import Jobs
    from mcp_governor.server.pool import Pool
    from mcp_governor.server.project import Project

Kind = Literal[
    "unknown_name",
    "malformed_name",
    "index_not_ready",
    "cost_cap_exceeded",
    "internal_error",
]
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


class Service:
    """The state behind the tools.

    Args:
        project: the project, ``None`` if the server was started without one.
        pool: the workers.
        jobs: runs what reads servers.
    """

    def __init__(self, project: Project | None, pool: Pool, jobs: Jobs) -> None:
        self.project = project
        self.reports = Reports()
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
    ) -> ToolResponse[CheckData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[CheckData, Kind]
        if self.project is None:
            return _failed(answer, _NO_PROJECT)
        reply = await self._run("check", server=server, calls=call_tools, offline=offline)
        if "refused" in reply:
            return _failed(answer, _refused(reply["refused"], "check_server", offline=offline))
        done = reply["done"]
        report = LastReport(done["server"], tuple(done["items"]), done["report"])
        self.reports.keep(report)
        listed = [item for item in report.items if not item["accepted"]]
        data = CheckData(
            server=report.server,
            verdict=done["verdict"],
            required_bump=done["required_bump"],
            declared_bump=done["declared_bump"],
            counts=CountsData(**done["counts"]),
            worst=_page(listed[: SHOWN if response_format == "detailed" else BRIEF]),
            command=_command(server, call_tools=call_tools, offline=offline),
        )
        hints = ["list_findings", "explain_finding"] if listed else ["draft_changelog"]
        return answer.success(data, follow_up_hints=hints)

    async def list_findings(
        self,
        server: CheckedServer = None,
        severity: Annotated[
            SeverityName | None, Field(default=None, description="Only items of at least this severity.")
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
            int, Field(default=20, ge=1, le=PAGE, description="Most items to return.")
        ] = 20,
    ) -> ToolResponse[FindingsData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[FindingsData, Kind]
        report = self.reports.of(server)
        if report is None:
            return _failed(answer, self._unchecked(server))
        chosen = report.chosen(severity, rule, tool)
        offset = int(cursor or 0)
        findings = _page(chosen[offset : offset + pageSize])
        end = offset + len(findings)
        data = FindingsData(
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
    ) -> ToolResponse[ExplainData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[ExplainData, Kind]
        report = self.reports.of(server)
        if report is None:
            return _failed(answer, self._unchecked(server))
        ids = [item["id"] for item in report.items]
        if finding_id not in ids:
            return answer.fail(
                "unknown_name",
                "The last report has no item of that id.",
                suggested_tool="list_findings",
                suggested_args={},
                **_matches(finding_id, ids),
            )
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
    ) -> ToolResponse[DraftData, Kind]:
        """See the metadata; models read that."""
        answer = ToolResponse[DraftData, Kind]
        if self.project is None:
            return _failed(answer, _NO_PROJECT)
        reply = await self._run("draft", server=server, version=version)
        if "refused" in reply:
            return _failed(answer, _refused(reply["refused"], "draft_changelog"))
        data = DraftData(**reply["done"])
        return answer.success(data, follow_up_hints=["check_server"]) if data.missing_entries else answer.empty(data)

    async def page(self, given: bytes, seconds: float) -> str:
        """The page of a rule, empty if there is none; raises as :meth:`Pool.call`."""
        page: Any = await self._pool.call("rule_page", given, seconds)
        return str(page)

    def last_report(self) -> str:
        """The JSON report of the last check, or why there is none."""
        report = self.reports.of(None)
        if report is not None and report.whole is not None:
            return report.whole
        reason = "The report is too large; list_findings has its items."
        return json.dumps({"report": None, "reason": reason if report else "No server was checked in this session."})

    async def _run(self, job: str, **request: Any) -> dict[str, Any]:
        assert self.project is not None
        return await self._jobs.run({"job": job, "config": str(self.project.config), **request})

    def _unchecked(self, server: str | None) -> _Failure:
        """Why there is no report, and how to get one."""
        known = self.reports.servers
        if server is not None and known:
            recovery = {"suggested_tool": "list_findings", "suggested_args": {"server": known[0]}}
            message = "No server of that name was checked in this session."
            return _Failure("unknown_name", message, {**recovery, **_matches(server, known)})
        message = "No server was checked in this session."
        return _Failure("index_not_ready", message, {"suggested_tool": "check_server", "suggested_args": {}})


def _page(items: Sequence[Mapping[str, Any]]) -> list[ItemData]:
    """As many of the items as fit into a page, one at least."""
    page: list[ItemData] = []
    left = PAGE_BYTES
    for item in items:
        left -= len(json.dumps(item))
        if page and left < 0:
            break
        page.append(ItemData(**item))
    return page


class _Failure(Struct, frozen=True):
    """An error of a tool: its kind, one sentence, and the recovery."""

    kind: Kind
    message: str
    recovery: dict[str, Any]


_NO_PROJECT = _Failure(
    "index_not_ready",
    "This server was started in a folder without a configuration of mcp-governor.",
    {"suggested_tool": "list_rules", "suggested_args": {}},
)


_AnswerT = TypeVar("_AnswerT", bound=ToolResponse[Any, Any])


def _failed(answer: type[_AnswerT], failure: _Failure) -> _AnswerT:
    return answer.fail(failure.kind, failure.message, **failure.recovery)


def _refused(refused: dict[str, Any], tool: str, *, offline: bool = False) -> _Failure:
    """The failure for what a job could not do."""
    kind, message, names = refused["kind"], refused["message"], refused["names"]
    recovery: dict[str, Any] = {"suggested_tool": "list_rules", "suggested_args": {}}
    if names:
        recovery = {"suggested_tool": tool, "suggested_args": {"server": names[0]}, "fuzzy_matches": names[:MATCHES]}
    elif tool == "check_server" and not offline:
        recovery = {"suggested_tool": "check_server", "suggested_args": {"offline": True}}
    return _Failure(kind, said(message), recovery)


def said(message: str) -> str:
    """What a job says, as the one sentence of the contract; it may quote a server, which may say anything."""
    joined = re.sub(r"(?<=[^.])\.\s+", "; ", message.rstrip(". "))
    for one in (message, joined, message.partition(". ")[0]):
        whole = sentence(one)
        if whole and sentence_problem(whole) is None and leak(whole) is None:
            return whole
    return "The server cannot be checked; the same command at a terminal says why."


MATCHES = 5
"""Names that a recovery lists: a model picks one of them, and more only cost tokens."""


def _matches(name: str, known: list[str]) -> dict[str, Any]:
    """The known names that are most like a name, if there are any."""
    if len(known) > NEIGHBOURS:
        # Those that begin alike are next to it in the order.
        known = sorted(known)
        middle = bisect_left(known, name)
        known = known[max(0, middle - NEIGHBOURS // 2) : middle + NEIGHBOURS // 2]
    found = get_close_matches(name[:MAX_NAME], known, n=MATCHES, cutoff=0.6)
    return {"fuzzy_matches": found} if found else {}


NEIGHBOURS = 100
"""Known names that one is compared with: 15 ms, and other calls wait meanwhile. A report may have 2,000."""

MAX_NAME = 200
"""Characters of a name that are compared with known ones; the comparison takes time with the square of it."""


def _command(server: str | None, *, call_tools: bool, offline: bool) -> str:
    """The same check at a terminal."""
    named = [server] if server is not None and not offline else []
    options = ["--offline"] if offline else [] if call_tools else ["--no-calls"]
    return command_line(["mcp-governor", "check", *named, *options])
