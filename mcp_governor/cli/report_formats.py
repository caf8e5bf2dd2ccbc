"""Options that take the format of a report: ``--format`` and ``--report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcp_governor.report import FORMATS


class _ReportFormat(click.Choice[str]):
    """``text``, and the formats that are registered."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from mcp_governor.text import did_you_mean, one_line

        if value not in self.choices:
            known = ", ".join(self.choices)
            guess = did_you_mean(str(value), self.choices)
            self.fail(f"{one_line(str(value), 80)} is not a report format ({known}).{guess}", param, ctx)
        return str(value)


REPORT = _ReportFormat(["text", *FORMATS])
"""The type of ``--format`` of the commands that write a report."""


class _ReportFile(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """``FORMAT=FILE``."""

    name = "format=file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        if isinstance(value, tuple):
            return value
        name, equals, file = str(value).partition("=")
        if not equals or not file:
            self.fail(f"{value!r} is not FORMAT=FILE, for example sarif=report.sarif.", param, ctx)
        return str(REPORT.convert(name, param, ctx)), Path(file)


REPORT_FILE = _ReportFile()
"""The type of ``--report``."""
