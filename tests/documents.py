"""Documents of our own formats, and what holds them to their schemas."""

from __future__ import annotations

from typing import Any

import jsonschema

from contracts import closed
from mcp_governor.change.model import Change
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.findings import Finding

__all__ = ["closed", "exactly", "reported"]


def reported(item: Change | Finding) -> dict[str, Any]:
    """A change or a finding as a JSON report has it."""
    if isinstance(item, Change):
        report = document_of(Report(target="t", changes=(item,)))
        return dict(report["changes"][0])
    return dict(document_of(Report(target="t", findings=(item,)))["findings"][0])


def exactly(schema: dict[str, Any], document: Any) -> None:
    """Fail unless a document satisfies a schema and has no member that the schema does not declare."""
    jsonschema.Draft202012Validator(closed(schema)).validate(document)
