"""Report → JSON, ``mcp-governor/report-1``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.checking.report_document import document
from mcp_governor.secrets import redact_json
from mcp_governor.surface.file import dump_json
from mcp_governor.text import shortened

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report


IS_JSON = True


def render(report: Report) -> str:
    """The report as sorted, indented JSON: complete, but for the middle of strings that are very long."""
    return dump_json(_bounded(redact_json(document(report))))


_MAX_TEXT_LENGTH = 10_000
"""Characters of one text: names, messages and witnesses of real servers have hundreds. Of a longer one the middle is
left out, and the length said."""


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return shortened(value, _MAX_TEXT_LENGTH)
    if isinstance(value, list | tuple):
        return [_bounded(item) for item in value]
    if isinstance(value, dict):
        return {_bounded(key): _bounded(item) for key, item in value.items()}
    return value
