"""What the commands over many servers share: their options, and one run of :mod:`mcp_governor.fleet`."""

from __future__ import annotations

import functools
import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.cli import out, terminal
from mcp_governor.cli.common import server_command, typed_timeout, useless, write_lines, write_text
from mcp_governor.cli.out import progress_line
from mcp_governor.errors import UsageError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.cli.common import Output, Run
    from mcp_governor.config import Config
    from mcp_governor.fleet.crew import Progress
    from mcp_governor.fleet.model import Fleet, Work
    from mcp_governor.store.store import Store

_F = TypeVar("_F", bound="Callable[..., Any]")

FLEET_FORMATS = click.Choice(["text", "json", "html"])
"""The formats of a run over many servers; ``html`` is a page, and a folder of pages next to it."""

SERVERS = "servers"
"""The folder of the pages about single servers, next to the index."""

_EVERY = 30.0
"""Seconds between two lines of progress where standard error is not a terminal, as in CI."""

_MOST_PARTS = 10_000
"""Most parts of a list."""


class _Shard(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """``I/N``."""

    name = "i/n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{1,5})/(\d{1,5})", str(value))
        if match is None or not 1 <= int(match[1]) <= int(match[2]) <= _MOST_PARTS:
            self.fail(f"{value!r} is not I/N, the I-th of N parts, for example 2/5.", param, ctx)
        return int(match[1]), int(match[2])


# At most 64 processes: each has some 60 MB, and a server as well.
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 64), help="Servers at a time  [default: 2 per core, at most 8]"
)
_OPTIONS = (
    jobs_option,
    click.option(
        "--store",
        metavar="FILE|URL",
        help="Keep surfaces and rows in this SQLite file or PostgreSQL; the same command goes on where it ended",
    ),
    click.option("--run", "named", metavar="NAME", help="Name of the run in the store, the same for all --shard parts"),
    click.option("--shard", type=_Shard(), metavar="I/N", help="Only the I-th of N parts of the list"),
    click.option(
        "--min-coverage",
        type=click.FloatRange(0, 100),
        metavar="PERCENT",
        help="Fail if fewer servers are reached  [default: 100]",
    ),
)


class Many(Struct, frozen=True):
    """What a command over many servers was asked for; the field of an option has the name of its parameter.

    Attributes:
        every: ``--all``, where a command is about one server without it.
        jobs, store, named, shard, min_coverage: of every such command.
        against: the folder of recordings.
        profile, level: of the configuration.
        differences, with_each, packages, timeout, engine: of ``fleet check``.
        adapted: further settings of the command line, over a configuration.
    """

    every: bool = False
    jobs: int | None = None
    store: str | None = None
    named: str | None = None
    shard: tuple[int, int] | None = None
    min_coverage: float | None = None
    against: str | None = None
    profile: tuple[str, ...] = ()
    level: str | None = None
    differences: bool = False
    with_each: tuple[str, ...] = ()
    packages: bool = False
    timeout: float | None = None
    engine: str = "local"
    adapted: Callable[[Config], Config] = lambda config: config


_SHARED_FIELDS = ("jobs", "store", "named", "shard", "min_coverage")


def fleet_options(*more: str) -> Callable[[_F], _F]:
    """The options of every command over many servers; its callback gets them, and ``more`` of its own, as one
    :class:`Many`."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def wrapper(**values: Any) -> Any:
            return function(many=Many(**{name: values.pop(name) for name in (*_SHARED_FIELDS, *more)}), **values)

        made: Any = wrapper
        for option in reversed(_OPTIONS):
            made = option(made)
        return cast("_F", made)

    return decorate


def all_option(*of_one: str) -> Callable[[_F], _F]:
    """``--all``, with the options that only count with it; ``of_one`` are parameters without a meaning for many
    servers."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def wrapper(many: Many, **values: Any) -> Any:
            _refuse_useless(many, of_one)
            return function(many=many, **values)

        option = click.option(
            "--all",
            "every",
            is_flag=True,
            help="Every server of the configuration, or of the client's file or TOML file that TARGET names",
        )
        return option(fleet_options("every")(cast("_F", wrapper)))

    return decorate


def _refuse_useless(many: Many, of_one: Sequence[str]) -> None:
    """Refuse what counts only without ``--all``, or only with it."""
    context = click.get_current_context()
    given = {param.name: max(param.opts, key=len) for param in context.command.params}
    given = {name: option for name, option in given.items() if context.params.get(name or "") not in (None, False, ())}
    if not many.every:
        for name in _SHARED_FIELDS:
            if name in given:
                raise UsageError(f"{given[name]} is about many servers.", "Add --all, or remove it.")
        return
    if server_command():
        raise useless("-- COMMAND", "--all, which takes the servers of a list")
    for name in of_one:
        if name in given:
            raise useless(given[name], "--all, which takes the servers of a list")


def run_all(run: Run, work: Work, fleet: str | None, many: Many) -> int:
    """Work on every server of a list, or of the configuration, and write the result; returns the exit code."""
    from mcp_governor.fleet.members import members_of
    from mcp_governor.fleet.run import Wanted, run_fleet

    fail_on = click.get_current_context().params.get("fail_on")
    launch = run.config.launch
    if launch.with_ or launch.env:
        raise useless("--with" if launch.with_ else "--env", "a list of servers, which says how each is started")

    def typed(config: Config) -> Config:
        changes: dict[str, Any] = {"trust_rules": run.config.trust_rules or config.trust_rules}
        changes |= {"profile": many.profile} if many.profile else {}
        changes |= {"level": many.level} if many.level else {}
        changes |= {"fail_on": fail_on} if fail_on else {}
        return many.adapted(replace(config, **changes))

    # The pages of workers would be on their machines.
    pages = _pages(run.output) if many.engine == "local" else None
    members = members_of(fleet, typed(run.config), adapted=typed, packages=many.packages)
    if many.with_each:
        members = members.with_each(many.with_each)
    with opened(many.store, many.named, many.engine) as place, _progress(run.output.verbose) as show:
        wanted = Wanted(
            work=work,
            surfaces=Path(many.against) if many.against else None,
            pages=pages,
            at_once=many.jobs or 0,
            store=place,
            name=many.named or "",
            queue=many.engine == "queue",
            shard=many.shard or (1, 1),
            least=100.0 if many.min_coverage is None else many.min_coverage,
            differences=many.differences,
            seconds=typed_timeout() if many.timeout is None else many.timeout,
            judges_findings=fail_on is not None,
            show=show,
            say=lambda words: out.echo(words, err=True) if run.output.verbose >= 0 else None,
        )
        done = run_fleet(members, wanted)
    write_fleet(done, run.output, [member.name for member in members.listed], pages)
    return int(done.exit_code)


def _pages(output: Output) -> Path | None:
    """The folder of the pages, with ``--format html``."""
    if output.format != "html":
        return None
    if output.file is None:
        raise UsageError(
            "--format html writes a page for each server next to the index.", "Name it: --output FOLDER/index.html"
        )
    return output.file.parent / SERVERS


@contextmanager
def opened(
    store: str | None, named: str | None, engine: str = "local", *, exists: bool = False
) -> Iterator[Store | None]:
    """The store that the options name, open; ``None`` for none. One that has to exist is not created."""
    if store is None:
        if named is not None:
            raise UsageError("--run names a run in a store.", "Add --store, or remove it.")
        if engine == "queue":
            raise UsageError("The queue needs a store that all workers reach.", f"Add {_SHARED}")
        yield None
        return
    if named is not None and not re.fullmatch(r"[\w.:@/+-]{1,100}", named):
        raise UsageError("--run takes 1 to 100 letters, digits and . : @ / + - _.", "Name the run: --run NAME")
    from mcp_governor.store.address import address_of

    address = address_of(store)
    if engine == "queue" and not address.is_shared:
        raise UsageError("The queue needs PostgreSQL, which all workers reach.", f"Name it: {_SHARED}")
    from mcp_governor.store.store import Store

    if exists and not address.is_shared and not Path(address.url.database or "").is_file():
        raise UsageError(f"{address.shown} does not exist.", "Name the file that fleet check --store wrote.")
    place = Store(address)
    try:
        yield place
    finally:
        place.close()


_SHARED = "--store postgresql://USER@HOST/DATABASE"


def write_fleet(fleet: Fleet, output: Output, names: Sequence[str], pages: Path | None) -> None:
    """Write the report in the format of the options; ``pages`` is the folder of the pages about single servers, if it
    has any."""
    if output.format == "json":
        import msgspec

        from mcp_governor.surface.file import dump_json

        write_text(dump_json(msgspec.to_builtins(fleet.document())), output, form="json")
        return
    if output.format == "text":
        from mcp_governor.fleet.words import fleet_lines

        write_lines(fleet_lines(fleet, verbose=output.verbose), output)
        return
    from mcp_governor.fleet.members import file_name
    from mcp_governor.fleet.page import render_index

    shown = {one_line(name, 100): name for name in names if pages and (pages / f"{file_name(name)}.html").is_file()}
    if output.file is not None:
        output.file.parent.mkdir(parents=True, exist_ok=True)
    write_text(render_index(fleet, SERVERS, shown), output, form="markup")
    if output.verbose >= 0 and pages is not None:
        out.echo(f"{one_line(str(output.file), 200)}: the index of {len(shown):,} pages in {SERVERS}/", err=True)


@contextmanager
def _progress(verbose: int) -> Iterator[Callable[[Progress], None]]:
    """Progress with an estimate: a line that changes on a terminal, and one now and then elsewhere."""
    if terminal.takes_control(sys.stderr):
        with progress_line(verbose) as line:
            yield lambda progress: line(progress.words)
        return
    last = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if verbose >= 0 and time.monotonic() - last >= _EVERY:
            last = time.monotonic()
            out.echo(progress.words, err=True)

    yield show
