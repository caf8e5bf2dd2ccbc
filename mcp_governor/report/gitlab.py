"""Report → GitLab's code quality report: a list that the merge request widget and the diff show."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mcp_governor.findings import Severity
from mcp_governor.report.items import items, standalone_text
from mcp_governor.secrets import redact_json
from mcp_governor.surface.file import dump_json

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report

IS_JSON = True
WITH_PLACES = True

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}
_MAX_ENTRIES = 10_000
"""Entries that are written, the worst first, as in the JSON report."""
_MAX_LENGTH = 2_000
"""Characters of a description: the widget shows a line."""


def render(report: Report) -> str:
    """The report as a JSON array of code quality entries; accepted findings are left out."""
    entries = [
        {
            "check_name": item.rule,
            "description": (f"{item.tool}: " if item.tool else "") + standalone_text(item, report, _MAX_LENGTH),
            "fingerprint": hashlib.sha256(item.id.encode("utf-8", "surrogatepass")).hexdigest(),
            "severity": _SEVERITIES[item.severity],
            "location": {"path": item.path, "lines": {"begin": max(item.line, 1)}},
        }
        for item in items(report)
        if item.accepted is None
    ]
    return dump_json(redact_json(entries[:_MAX_ENTRIES]))
