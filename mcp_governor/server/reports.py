"""The last report of each checked server, in the memory of this process."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

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


class Reports:
    """The reports by server, the latest last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, LastReport] = OrderedDict()

    def keep(self, report: LastReport) -> None:
        """Keep a report in place of an older one of the same server."""
        self._kept.pop(report.server, None)
        self._kept[report.server] = report
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def of(self, server: str | None) -> LastReport | None:
        """The report of a server; of the one that was checked last if none is named."""
        if server is None:
            return next(reversed(self._kept.values()), None)
        return self._kept.get(server)

    @property
    def servers(self) -> list[str]:
        """The servers with a report, the latest first."""
        return list(reversed(self._kept))
