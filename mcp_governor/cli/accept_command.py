"""``mcp-governor accept``."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, configured
from mcp_governor.errors import ConfigError, UsageError
from mcp_governor.text import one_line, see_unicode, visible

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

_ID = re.compile(r"[^:]+:.*:.*:[0-9a-f]{8}", re.DOTALL)


@click.command()
@click.argument("finding")
@click.option("--reason", required=True, help="Why; reviewers read it in the configuration.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="Last day it holds: 2027-01-31.")
@configured("quiet")
def accept(run: Run, finding: str, reason: str, until: datetime | None) -> None:
    """Accept one finding or change, by its id, in the configuration file.

    Reports show ids with -v, and in JSON. Accepting the same id again renews its reason and its end.
    """
    from mcp_governor.policy.acceptance import Acceptance
    from mcp_governor.policy.accepting import add_acceptance
    from mcp_governor.writing import NewFile, locked, write_files

    path = run.config.path
    if path is None:
        raise ConfigError("There is no configuration to write the acceptance into.", "Write one: mcp-governor init")
    see_unicode(reason, "--reason")
    chosen = Acceptance(_checked(finding.strip()), reason.strip(), _last_day(until))
    table = ("tool", "mcp-governor") if path.name == "pyproject.toml" else ()
    with locked(path.parent):
        text = _text(path)
        new = add_acceptance(text, chosen, table=table, what=visible(path.name))
        root = None if run.config_typed else path.parent
        write_files(NewFile(path, new, root, path.name, expected=text.encode()))
    if run.output.verbose >= 0:
        end = f" until {chosen.until.isoformat()}" if chosen.until else ""
        out.echo(f"{visible(path.name)}: accepts {visible(chosen.finding)}{end}.")


def _text(path: Path) -> str:
    """The file with its own line ends."""
    from mcp_governor.files import MAX_TEXT_BYTES, read_bytes

    try:
        return read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        told = getattr(error, "strerror", "") or "it is not UTF-8"
        raise ConfigError(f"{visible(path.name)} cannot be read: {told}.", "Check it.") from None


def _checked(finding: str) -> str:
    """An id in the shape that reports print: a wrong one would match nothing and fail the next check."""
    hint = "Copy it from the report: mcp-governor check -v"
    see_unicode(finding, "the id")
    if not finding:
        raise UsageError("The finding's id is empty.", hint)
    if not _ID.fullmatch(finding):
        raise UsageError(f'"{one_line(finding, 120)}" is not the id of a finding (rule:tool:pointer:hash).', hint)
    return finding


def _last_day(until: datetime | None) -> date | None:
    if until is None:
        return None
    if until.date() < date.today():
        raise UsageError(f"--until {until.date().isoformat()} is over already.", "Name a day to come, or leave it out.")
    return until.date()
