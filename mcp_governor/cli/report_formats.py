"""Options that take the format of a report: ``--format`` and ``--report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class _ReportFormat(click.Choice[str]):
    """``text``, and the formats that are registered when a command line is read."""

    case_sensitive = True

    def __init__(self) -> None:
        pass

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        from mcp_governor.report import FORMATS

        return ("text", *FORMATS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from mcp_governor.text import did_you_mean, one_line

        if value not in self.choices:
            known = ", ".join(self.choices)
            guess = did_you_mean(str(value), self.choices)
            self.fail(f"{one_line(str(value), 80)} is not a report format ({known}).{guess}", param, ctx)
        return str(value)


class FormatOption(click.Option):
    """``--format``, whose help names the formats that are registered when it is read."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        assert isinstance(self.type, click.Choice)
        self.help = f"Output format: {', '.join(self.type.choices)}"
        return super().get_help_record(ctx)


REPORT = _ReportFormat()
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
