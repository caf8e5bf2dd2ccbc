"""One run over a fleet: its jobs, their rows, and what is found in several of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.checking.settings import fail_on, selection_of
from mcp_governor.errors import UsageError
from mcp_governor.fleet.crew import usual_at_once, work_off
from mcp_governor.fleet.member import Job
from mcp_governor.fleet.members import SURFACES, file_name
from mcp_governor.fleet.model import Fleet
from mcp_governor.fleet.plural import plural_findings
from mcp_governor.fleet.state import State
from mcp_governor.fleet.variants import differences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_governor.config import Config
    from mcp_governor.fleet.crew import Progress
    from mcp_governor.fleet.member import Member
    from mcp_governor.fleet.members import Members
    from mcp_governor.fleet.model import Work


def _silent(_: Progress) -> None: ...


class Wanted(Struct, frozen=True):
    """How a fleet is worked on.

    Attributes:
        work: what is done with each server.
        surfaces: folder of recordings; ``None`` for the one next to the list.
        pages: folder for a page about each server; ``None`` for none.
        at_once: processes at a time; 0 for the usual number.
        state: file of a run that can go on; ``None`` for none.
        shard: number and count of the parts of the list; this run is one of them.
        least: percentage of the servers that must be reached.
        seconds: timeout from the command line; ``None`` for none.
        differences: list what differs between the variants of a server.
        judges_findings: the command line says from which severity findings fail the run.
        today: the date at which acceptances and deprecations are judged.
        show: receives the progress.
    """

    work: Work = "check"
    surfaces: Path | None = None
    pages: Path | None = None
    at_once: int = 0
    state: Path | None = None
    shard: tuple[int, int] = (1, 1)
    least: float = 100.0
    seconds: float | None = None
    differences: bool = False
    judges_findings: bool = False
    today: date = field(default_factory=date.today)
    show: Callable[[Progress], None] = _silent


def run_fleet(members: Members, wanted: Wanted) -> Fleet:
    """Work on each member, and look at all of them together.

    Raises:
        UsageError: the recordings are not in a folder, or the state is that of another run or cannot be kept.
        ConfigError: the configuration selects rules that do not exist.
    """
    config = members.config
    # What is wrong with the selection is said before a server is started.
    selection = selection_of(config)
    number, count = wanted.shard
    part = members.shard(number, count)
    folder = wanted.surfaces if wanted.surfaces is not None else members.folder / SURFACES
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder.name} is not a folder of recordings.", "Name the folder that snapshot --all writes.")
    shared = _shared(config, wanted)
    jobs = [_job(member, folder, wanted, shared) for member in part.listed]
    state = State(wanted.state, jobs) if wanted.state is not None else None
    try:
        rows = work_off(jobs, at_once=wanted.at_once or usual_at_once(jobs), state=state, show=wanted.show)
    except BaseException:
        if state is not None:
            state.close()
        raise
    if state is not None:
        state.complete()
    found = () if wanted.work == "snapshot" else plural_findings(rows, selection, together=members.together)
    each = any(member.with_ for member in part.listed)
    return Fleet(
        named=members.named,
        work=wanted.work,
        rows=rows,
        findings=found,
        each=each,
        left_out=members.left_out,
        shard=f"{number}/{count}" if count > 1 else "",
        least=wanted.least,
        differences=differences_of(rows) if wanted.differences or each else (),
        fail_on=fail_on(config) if wanted.work == "lint" or wanted.judges_findings else None,
    )


_SETTINGS = ("profile", "level", "clients", "timeout", "start_timeout", "lint")
"""Fields of the configuration that the command line may change, so that workers get them from the run."""


def _shared(config: Config, wanted: Wanted) -> Mapping[str, Any]:
    """What all jobs of a run have in common."""
    settings = {name: msgspec.to_builtins(getattr(config, name), enc_hook=str) for name in _SETTINGS}
    # What has no value in the file is left out, as there.
    settings["lint"] = {key: value for key, value in settings["lint"].items() if value not in ("", None)}
    if wanted.judges_findings or wanted.work == "lint":
        settings["fail_on"] = config.fail_on
    return {
        "work": wanted.work,
        "config": str(config.path.resolve()) if config.path is not None else "",
        "root": str(config.root.resolve()),
        "settings": settings,
        "seconds": wanted.seconds,
        "trust": config.trust_rules,
        "today": wanted.today.isoformat(),
    }


def _in_place(folder: Path) -> Path:
    """A folder that nobody typed: a link in its place is not followed, and what would be written there is refused."""
    return folder.parent.resolve() / folder.name


def _job(member: Member, folder: Path, wanted: Wanted, shared: Mapping[str, Any]) -> Job:
    name = file_name(member.name)
    # Under another SDK, a server is compared with what it published under its own.
    recorded = file_name(member.server) if member.with_ else name
    surface = (folder.resolve() if folder is wanted.surfaces else _in_place(folder)) / f"{recorded}.json"
    page = _in_place(wanted.pages) / f"{name}.html" if wanted.pages is not None else None
    # A recording is not compared with itself.
    itself = member.target == str(surface.resolve())
    return replace(
        Job(member.name, **shared),
        target=member.target,
        refused=member.refused,
        server=member.server,
        label=member.label,
        variant=dict(member.variant),
        with_=member.with_,
        surface="" if wanted.work == "lint" or itself else str(surface),
        page=str(page) if page is not None else "",
    )
