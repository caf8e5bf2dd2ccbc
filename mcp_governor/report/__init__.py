"""Report → text, and documents for people and machines. A new format is one line here and one module.

A renderer takes a report and returns text: it reads no file, asks no station, and prints nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report


class Format(Protocol):
    """What a format module offers.

    It may also say:

    - ``IS_JSON = True``: what is unsafe to show is escaped as JSON escapes it.
    - ``WHOLE_LINES = True``: no line of more than 4,000 characters is cut; the format bounds what it shows.
    - ``IS_COMMANDS = True``: its lines are commands to a CI system, which are otherwise taken out.
    - ``WITH_PLACES = True``: the report holds the lines of recorded files that it is about, and where those are in the
      repository.
    - ``WITH_HISTORY = True``: it holds the releases of the recorded surface.
    """

    def render(self, report: Report) -> str:
        """The whole document, ended by a line feed."""


FORMATS = {
    "json": "mcp_governor.report.json_report",
    "sarif": "mcp_governor.report.sarif",
    "junit": "mcp_governor.report.junit",
    "github": "mcp_governor.report.github",
    "gitlab": "mcp_governor.report.gitlab",
    "markdown": "mcp_governor.report.markdown",
    "html": "mcp_governor.report.html",
}
"""Formats that ``--format`` offers besides ``text`` → their module. ``text`` is apart: it is styled where it meets a
terminal, and some commands have a form of their own."""


def load_format(name: str) -> Format:
    """The module of a format in :data:`FORMATS`, imported when asked for."""
    return cast("Format", importlib.import_module(FORMATS[name]))
