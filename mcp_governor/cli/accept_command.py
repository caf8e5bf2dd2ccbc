"""``mcp-governor accept``."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import common, out
from mcp_governor.config.load import config_table, config_text
from mcp_governor.errors import ConfigError, UsageError
from mcp_governor.files import read_named
from mcp_governor.rule_names import current_id, noted_name
from mcp_governor.text import check_unicode, did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from pathlib import Path

_ID = re.compile(r"[^:]+:.*:.*:[0-9a-f]{8}", re.DOTALL)


@click.command(cls=common.TargetCommand)
@click.argument("finding")
@common.target_argument
@click.option("--reason", required=True, help="Why it is accepted; written into the configuration for reviewers")
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Last day of the acceptance, for example 2027-01-31",
)
@common.against_option
@click.option("--offline", is_flag=True, help="Check the recorded surface, like check --offline")
@click.option(
    "--report",
    "file",
    type=common.FILE,
    help="Look up the id in this JSON report, for example from CI, instead of running the check",
)
@common.configured("trust", "quiet", isolated=False)
def accept(
    run: common.Run,
    finding: str,
    target: str | None,
    reason: str,
    until: datetime | None,
    against: str | None,
    offline: bool,
    file: Path | None,
) -> None:
    """Accept one finding or change by its id, in the configuration file.

    Reports show ids with -v, and in JSON. The check is run again to confirm the id; tools are called only for an id
    of a call, and only those that check would call. Accepting the same id again replaces its reason and last day.
    """
    from mcp_governor.policy.acceptance import Acceptance
    from mcp_governor.policy.accepting import add_acceptance
    from mcp_governor.writing import NewFile, locked, write_files

    path = run.config.path
    if path is None:
        raise ConfigError(
            "No configuration file was found, and acceptances are written into it.",
            "Create one with: mcp-governor init",
        )
    check_unicode(reason, "--reason")
    if not reason.strip():
        raise UsageError("An acceptance needs a reason.", "Give one with: --reason '…'")
    if until is not None and until.date() < date.today():
        raise UsageError(f"--until {until.date().isoformat()} is in the past.", "Use a future date, or leave it out.")
    last_day = until.date() if until is not None else None
    chosen = Acceptance(noted_name(_checked(finding.strip())), reason.strip(), last_day)
    if file is not None:
        if target is not None or against is not None or offline or common.server_command():
            raise UsageError(
                "--report reads a finished report, so TARGET, --against and --offline have no effect.",
                "Remove them, or remove --report.",
            )
        known = _ids_in(file)
    else:
        known = _ids_of_check(run, chosen.finding, target, against, offline=offline)
    _refuse_unknown(chosen.finding, known)
    table = config_table(path)
    with locked(path.parent):
        text = config_text(path)
        new = add_acceptance(text, chosen, table=table, what=visible(path.name))
        root = None if run.config_typed else path.parent
        write_files(NewFile(path, new, root, path.name, expected=text.encode()))
    if run.output.verbose >= 0:
        end = f" until {chosen.until.isoformat()}" if chosen.until else ""
        out.echo(f"{visible(path.name)}: accepts {visible(chosen.finding)}{end}.")


def _ids_of_check(run: common.Run, wanted: str, target: str | None, against: str | None, *, offline: bool) -> list[str]:
    """The ids that ``check`` reports now."""
    from mcp_governor.checking.decisions import is_of_calls
    from mcp_governor.checking.model import Asked
    from mcp_governor.checking.run import checked

    if offline:
        common.refuse_server_options(run.config)
    calls = offline or is_of_calls(wanted)
    asked = Asked(target=target, command=common.server_command(), against=against, offline=offline, calls=calls)
    report = checked(asked, run.config).report
    return [*(one.id for one in report.findings), *(change.id for change in report.changes)]


def _ids_in(file: Path) -> list[str]:
    """The ids in a JSON report."""
    from mcp_governor.checking.model import FORMAT
    from mcp_governor.errors import FileFormatError
    from mcp_governor.parsing import read_json

    shown = visible(str(file))
    data = read_named(file, shown)
    try:
        document = read_json(data)
    except ValueError as error:
        raise FileFormatError(f"{shown} is not JSON: {one_line(str(error), 120)}.", _MAKE_REPORT) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileFormatError(f"{shown} is not a JSON report from mcp-governor.", _MAKE_REPORT)
    found = [*document.get("findings", ()), *document.get("changes", ())]
    return [current_id(one["id"]) for one in found if isinstance(one, dict) and isinstance(one.get("id"), str)]


_MAKE_REPORT = "Create one with: mcp-governor check --format json --output report.json"
_MAX_COMPARED = 500
"""Most ids that an unknown one is compared with; with thousands of them, the search for a similar id takes seconds."""


def _refuse_unknown(wanted: str, known: Collection[str]) -> None:
    """An id that nothing has would match nothing in the next check either, and fail it; the nearest one is named."""
    rule, shown = wanted.partition(":")[0], one_line(wanted, 200)
    if rule.startswith("policy/acceptance-"):
        raise UsageError(
            f"{shown} is a finding about an acceptance, and cannot be accepted.", "Correct the configuration."
        )
    if wanted in known:
        return
    alike = [one for one in known if one.partition(":")[0] == rule] or list(known)
    raise UsageError(
        f"No reported finding or change has the id {shown}.{did_you_mean(wanted, alike[:_MAX_COMPARED])}",
        "List the ids with: mcp-governor check -v",
    )


def _checked(finding: str) -> str:
    """An id in the shape that reports print: a wrong one would match nothing and fail the next check."""
    hint = "Copy it from the report: mcp-governor check -v"
    check_unicode(finding, "the id")
    if not finding:
        raise UsageError("The id of the finding is empty.", hint)
    if not _ID.fullmatch(finding):
        raise UsageError(f'"{one_line(finding, 120)}" is not the id of a finding (rule:tool:pointer:hash).', hint)
    return finding
