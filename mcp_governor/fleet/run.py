"""One run over a fleet: its jobs, their rows, and what is found in several of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.checking.reading import fail_on, selection_of
from mcp_governor.config import Config, load_config
from mcp_governor.errors import UsageError
from mcp_governor.fleet.crew import usual_at_once, work_off
from mcp_governor.fleet.kept import relative
from mcp_governor.fleet.members import SURFACES, file_name
from mcp_governor.fleet.model import Fleet, Head, Job, Row, unread
from mcp_governor.fleet.plural import plural_findings
from mcp_governor.fleet.variants import differences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_governor.fleet.crew import Progress
    from mcp_governor.fleet.members import Members
    from mcp_governor.fleet.model import Member, Work
    from mcp_governor.rules import Selection
    from mcp_governor.store.store import Store


def _silent(_: object) -> None: ...


class Wanted(Struct, frozen=True):
    """How a fleet is worked on.

    Attributes:
        work: what is done with each server.
        surfaces: folder of recordings; ``None`` for the one next to the list.
        pages: folder for a page about each server; ``None`` for none.
        at_once: processes at a time; 0 for the usual number.
        store: where surfaces and rows are kept, so that the run can go on; ``None`` to keep nothing.
        name: of the run in the store; parts of a list with one name are one run.
        queue: workers of the store read the servers, not this process.
        shard: number and count of the parts of the list; this run is one of them.
        least: percentage of the servers that must be reached.
        seconds: timeout from the command line; ``None`` for none.
        differences: list what differs between the variants of a server.
        judges_findings: the command line says from which severity findings fail the run.
        today: the date at which acceptances and deprecations are judged.
        show: receives the progress.
        say: receives what a person should know once: the run goes on.
    """

    work: Work = "check"
    surfaces: Path | None = None
    pages: Path | None = None
    at_once: int = 0
    store: Store | None = None
    name: str = ""
    queue: bool = False
    shard: tuple[int, int] = (1, 1)
    least: float = 100.0
    seconds: float | None = None
    differences: bool = False
    judges_findings: bool = False
    today: date = field(default_factory=date.today)
    show: Callable[[Progress], None] = _silent
    say: Callable[[str], None] = _silent


def run_fleet(members: Members, wanted: Wanted) -> Fleet:
    """Work on each member, and look at all of them together.

    Raises:
        UsageError: the recordings are not in a folder, or the store has another run of this name or takes no more.
        ConfigError: the configuration selects rules that do not exist.
    """
    # What is wrong with the selection is said before a server is started.
    selection = selection_of(members.config)
    folder = wanted.surfaces if wanted.surfaces is not None else members.folder / SURFACES
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder.name} is not a folder of recordings.", "Name the folder that snapshot --all writes.")
    shared = _shared(members.config, wanted)
    every = [_job(member, folder, wanted, shared) for member in members.listed]
    number, count = wanted.shard
    jobs = every[number - 1 :: count]
    head = _head(members, wanted, shared)
    kept = None
    if wanted.store is not None:
        from mcp_governor.fleet.kept import Kept

        # The parts of a run with a name know of each other; without one, each part is a run of its own.
        whole = wanted.name != ""
        kept = Kept(wanted.store, replace(head, shard="") if whole else head, every if whole else jobs, wanted.name)
        if kept.words:
            wanted.say(kept.words)
    if wanted.queue:
        assert kept is not None
        from mcp_governor.fleet.queueing import work_off_by_queue

        rows = work_off_by_queue(jobs, kept, show=wanted.show, say=wanted.say)
    else:
        rows = work_off(jobs, at_once=wanted.at_once or usual_at_once(jobs), kept=kept, show=wanted.show)
    if kept is not None:
        kept.complete()
    return _fleet(head, rows, members.config, selection)


def stored_fleet(store: Store, name: str, *, trust: bool) -> Fleet:
    """The report of a run in a store, as far as it is; nothing is started.

    Args:
        store: the store.
        name: of the run; empty for the last one.
        trust: rules in Python run.

    Raises:
        UsageError: the store has no such run, or the configuration of the run is not here.
    """
    from mcp_governor.fleet.kept import stored
    from mcp_governor.fleet.reading import settled

    run = store.run(name)
    if run is None:
        said = f"has no run {name}" if name else "has no runs"
        raise UsageError(f"{store.address.shown} {said}.", "Begin one: mcp-governor fleet check FLEET --store …")
    head = stored(run.head, Head)
    rows = tuple(
        stored(fact.row, Row) if fact is not None else unread(planned.name, "it is not read yet")
        for planned, fact in store.facts(run.id)
    )
    path = head.common["config"]
    config = load_config(Path(path)) if path else Config(root=Path(head.common["root"]), isolated=True)
    config = settled(config, head.common["settings"], head.common["seconds"], trust=trust)
    return _fleet(head, rows, config, selection_of(config))


def _head(members: Members, wanted: Wanted, shared: Mapping[str, Any]) -> Head:
    """What is common to the servers of a run."""
    number, count = wanted.shard
    here = Path.cwd().resolve()
    return Head(
        named=members.named,
        work=wanted.work,
        together=members.together,
        left_out=members.left_out,
        least=wanted.least,
        differences=wanted.differences,
        judges_findings=wanted.judges_findings,
        today=wanted.today.isoformat(),
        shard=f"{number}/{count}" if count > 1 else "",
        each=any(member.with_ for member in members.listed),
        common={name: relative(shared[name], here) for name in ("config", "root")}
        | {name: shared[name] for name in ("settings", "seconds", "trust")},
    )


def _fleet(head: Head, rows: Sequence[Row], config: Config, selection: Selection) -> Fleet:
    """The report of a run from its rows."""
    found = () if head.work == "snapshot" else plural_findings(rows, selection, together=head.together)
    return Fleet(
        named=head.named,
        work=head.work,
        rows=tuple(rows),
        findings=found,
        each=head.each,
        left_out=head.left_out,
        shard=head.shard,
        least=head.least,
        differences=differences_of(rows) if head.differences or head.each else (),
        fail_on=fail_on(config) if head.work == "lint" or head.judges_findings else None,
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
        "keeps": wanted.store is not None,
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
        **{name: getattr(member, name) for name in ("target", "refused", "server", "label", "with_", "stranger")},
        variant=dict(member.variant),
        surface="" if wanted.work == "lint" or itself else str(surface),
        page=str(page) if page is not None else "",
    )
