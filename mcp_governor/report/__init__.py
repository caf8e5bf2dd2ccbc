"""Report → text, JSON and Markdown. One module per format; a new format is one line here and one module.

A renderer takes a report and returns text: it reads no file, asks no station, and prints nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report


class Format(Protocol):
    """What a format module offers.

    It may also say ``IS_JSON = True`` (what is unsafe to show is then escaped as JSON escapes it) and
    ``WITH_PLACES = True`` (the report then holds the lines of a recorded file that it is about).
    """

    def render(self, report: Report) -> str:
        """The whole document, ended by a line feed."""


FORMATS = {
    "json": "mcp_governor.report.json_report",
    "markdown": "mcp_governor.report.markdown",
}
"""Formats that ``--format`` offers besides ``text`` → their module. ``text`` is apart: it is styled where it meets a
terminal, and some commands have a form of their own."""


def load_format(name: str) -> Format:
    """The module of a format in :data:`FORMATS`, imported when asked for."""
    return cast("Format", importlib.import_module(FORMATS[name]))
