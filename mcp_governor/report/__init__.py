"""Report → text, JSON and Markdown. One module per format; a new format is one line here and one module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report


class Renderer(Protocol):
    """What a format module offers as ``render``."""

    def __call__(self, report: Report) -> str:
        """The whole document, ended by a line feed."""


FORMATS = {"json": "mcp_governor.report.json_report", "markdown": "mcp_governor.report.markdown"}
"""Formats that machines read → their module. ``text`` is apart: it is styled where it meets a terminal."""


def renderer(name: str) -> Renderer:
    """The renderer of a format in :data:`FORMATS`, imported when asked for."""
    import importlib

    render: Renderer = importlib.import_module(FORMATS[name]).render
    return render
