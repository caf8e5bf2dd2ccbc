"""``mcp-governor load sweep`` and ``load locustfile``, and the options that the commands of ``load`` share."""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import click
from msgspec.structs import replace

from mcp_governor.cli import common, completion, out
from mcp_governor.cli.common import Output, write_text
from mcp_governor.cli.out import progress_line
from mcp_governor.documents import written
from mcp_governor.errors import STOPPED, Exit, UsageError
from mcp_governor.load.model import INTERRUPTED, SweepPlan
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.load.model import Sweep
    from mcp_governor.load.opened import Permissions
    from mcp_governor.target import Source


_F = TypeVar("_F", bound="Callable[..., Any]")


base_url_option = click.option(
    "--base-url",
    metavar="URL",
    shell_complete=completion.targets,
    help="The server, instead of TARGET  [default path: /mcp]",
)


def request_options(function: _F) -> _F:
    """``--tool``, ``--arguments`` and ``--allow-writes``: what is sent."""
    for option in (
        click.option("--allow-writes", is_flag=True, help="Also call a tool that is not annotated as read-only"),
        click.option("--arguments", metavar="JSON", help="Arguments of the call, as a JSON object  [default: {}]"),
        click.option("--tool", metavar="NAME", help="Call this tool  [default: tools/list is sent]"),
    ):
        function = option(function)
    return function


def source_of(run: common.Run, target: str | None, base_url: str | None) -> Source:
    """The server that a command measures, named by TARGET or ``--base-url``."""
    if target is not None and base_url is not None:
        raise UsageError("--base-url and TARGET both name the server.", "Remove one of them.")
    return run.source(_with_path(base_url) if base_url is not None else target)


def _with_path(url: str) -> str:
    """The address itself, or its /mcp if it is that of a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if parts.scheme in ("http", "https") and parts.path in ("", "/"):
        return urlunsplit(parts._replace(path="/mcp"))
    return url


def load_of(
    run: common.Run,
    target: str | None,
    base_url: str | None,
    tool: str | None,
    arguments: str | None,
    *,
    allow_writes: bool,
    owned: bool,
) -> tuple[Source, SweepPlan, Permissions]:
    """The server, the request that is sent to it, and what the user allows; arguments are values of the options."""
    from mcp_governor.checking.reading import permitted
    from mcp_governor.load.opened import Permissions

    params: dict[str, Any] = {}
    if tool is not None:
        params = {"name": tool, "arguments": _object_of(arguments) if arguments is not None else {}}
    for name, is_given in (("--arguments", arguments is not None), ("--allow-writes", allow_writes)):
        if is_given and tool is None:
            raise UsageError(f"{name} has no effect without --tool.", f"Add --tool NAME, or remove {name}.")
    source = source_of(run, target, base_url)
    read_only = permitted(run.config, source, "read_only_tools").read_only_tools if tool is not None else ()
    plan = SweepPlan(
        method="tools/list" if tool is None else "tools/call",
        params=params,
        timeout=getattr(source, "timeout", run.config.timeout),
    )
    return source, plan, Permissions(owned, allow_writes, read_only)


def _object_of(arguments: str) -> dict[str, Any]:
    from mcp_governor.parsing import read_json

    example = 'Write a JSON object: \'{"query": "a"}\''
    try:
        value = read_json(arguments)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--arguments is not JSON: {one_line(str(error), 80)}.", example) from None
    if not isinstance(value, dict):
        raise UsageError("--arguments is not a JSON object.", example)
    return value


_DEFAULTS = SweepPlan()


class _Points(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """Numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        if not all(word.isascii() and word.isdigit() and len(word) <= _DIGITS for word in words):
            self.fail(f"{one_line(str(value), 60)} is not a list of whole numbers, such as 40,80,120.", param, ctx)
        return tuple(sorted(set(map(int, words))))


_DIGITS = 9
"""Most digits of a concurrency: more than its limit has, and few enough to be read at once."""

_HIGHEST_PORT = 65_535
"""The highest TCP port."""


@click.command(name="sweep", cls=common.TargetCommand)
@common.target_argument
@base_url_option
@click.option(
    "--concurrency-values",
    type=_Points(),
    help=f"Requests in flight at each point  [default: {','.join(map(str, _DEFAULTS.concurrencies))}; stdio: 1,2,4,8]",
)
@click.option("--total", type=int, default=_DEFAULTS.total, show_default=True, help="Requests for each point")
@click.option("--warm-up", type=int, default=_DEFAULTS.warm_up, show_default=True, help="Requests before each point")
@click.option(
    "--p95-slo-ms", type=float, default=_DEFAULTS.p95_slo_ms, show_default=True, help="Goal for p95, in milliseconds"
)
@click.option(
    "--p99-slo-ms", type=float, default=_DEFAULTS.p99_slo_ms, show_default=True, help="Goal for p99, in milliseconds"
)
@click.option("--rate", type=float, help="Open loop: so many requests per second  [default: closed loop]")
@click.option(
    "--seconds", type=common.SECONDS, default=600, show_default=True, help="Time limit for all points, in seconds"
)
@request_options
@click.option("--i-own-this-host", is_flag=True, help="Put load on a host that is not this machine")
@click.option(
    "--engine",
    type=click.Choice(["asyncio", "locust"]),
    default="asyncio",
    show_default=True,
    help="What sends the load",
)
@click.option("--workers", type=int, help="Processes that send  [default: 1, locust: 4]")
@click.option(
    "--locust-bind",
    metavar="HOST:PORT",
    help="Wait there for Locust workers that you start on other machines  [default: start them here]",
)
@click.option("--json-out", type=common.FILE, help="Write the report to this file, as JSON")
@click.option("--markdown-out", type=common.FILE, help="Write it as Markdown, and its picture next to it as .svg")
@click.option("--html-out", type=common.FILE, help="Write it as a page")
@click.option(
    "--report-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all of them to this folder, named after the server",
)
@common.configured("trust", "output", "quiet", formats=click.Choice(["text", "json"]))
def load_sweep(
    run: common.Run,
    target: str | None,
    base_url: str | None,
    concurrency_values: tuple[int, ...] | None,
    tool: str | None,
    arguments: str | None,
    allow_writes: bool,
    i_own_this_host: bool,
    engine: str,
    workers: int | None,
    locust_bind: str | None,
    json_out: Path | None,
    markdown_out: Path | None,
    html_out: Path | None,
    report_dir: Path | None,
    **planned: Any,
) -> int:
    """Find the concurrency that a server is good for.

    tools/list, or a call of one tool, is sent with several numbers of requests in flight. The report has throughput,
    latencies and errors of each, the knee, and the recommended concurrency: the best one within both goals.

    Our own client is measured first, without the server: a point near its limit is marked. Load is put on this machine
    only, or with --i-own-this-host on a host of yours. A stdio server gets a process for each request in flight.

    Exits with 0 if a concurrency meets both goals, 1 if none does, 4 if no request succeeded, and 130 after Ctrl-C;
    reports are written in any case.
    """
    from mcp_governor.load.sweep import MakeBench, default_bench, run_sweep

    source, plan, permissions = load_of(
        run, target, base_url, tool, arguments, allow_writes=allow_writes, owned=i_own_this_host
    )
    plan = replace(plan, concurrencies=concurrency_values or _DEFAULTS.concurrencies, **planned)
    make_bench: MakeBench = default_bench
    if engine == "locust":
        from mcp_governor.load.locust_engine import locust_bench

        def announce(command: str) -> None:
            out.echo(f"Waiting for workers. On each machine, write a locustfile, and start it:\n  {command}", err=True)

        listen = None if locust_bind is None else _listening(locust_bind)
        make_bench = partial(locust_bench, listen=listen, announce=announce, owned=i_own_this_host)
    elif locust_bind is not None:
        raise UsageError(
            "--locust-bind has no effect without --engine locust.", "Add --engine locust, or remove --locust-bind."
        )
    if markdown_out is not None:
        _refuse_to_replace(markdown_out.with_suffix(".svg"))
    with progress_line(run.output.verbose) as show:
        measured = run_sweep(
            source,
            plan,
            permissions=permissions,
            workers=workers,
            named_points=concurrency_values is not None,
            make_bench=make_bench,
            emit=show,
        )
    if run.output.format == "json":
        common.write_json(_document(measured), run.output)
    else:
        from mcp_governor.report.sweep_picture import sweep_lines

        common.write_lines(sweep_lines(measured, verbose=run.output.verbose), run.output)
    places = [Output("json", json_out), Output("md", markdown_out), Output("html", html_out)]
    if report_dir is not None:
        stem = _stem(getattr(getattr(source, "endpoint", None), "url", ""))
        places += [Output(kind, report_dir / f"{stem}.{kind}", next_to=True) for kind in ("json", "md", "html")]
    for place in places:
        if place.file is not None:
            _write(measured, place, place.file)
            if run.output.verbose >= 0:
                out.echo(f"{visible(str(place.file))}: written.", err=True)
    if measured.interrupted == INTERRUPTED:
        return STOPPED
    if not any(point.succeeded for point in measured.points):
        return int(Exit.NOTHING_CHECKED)
    return int(Exit.PASS if measured.feasible else Exit.FINDINGS)


def _listening(given: str) -> tuple[str, int]:
    """Host and port of HOST:PORT."""
    host, _, port = given.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) <= _HIGHEST_PORT):
        raise UsageError(
            f"--locust-bind is {one_line(given, 60)}, not an address and a port.", "Name both: 192.0.2.10:5557"
        )
    return host.strip("[]"), int(port)


def _refuse_to_replace(picture: Path) -> None:
    """Refuse a picture next to a report that is not of a sweep: the user typed the name of the report alone."""
    from mcp_governor.files import read_bytes
    from mcp_governor.report.sweep_picture import START

    if not picture.is_file() or read_bytes(picture)[: len(START)] in (b"", START.encode()):
        return
    raise UsageError(
        f"{visible(str(picture))} is not the picture of a sweep, and --markdown-out would replace it.",
        "Name another file, or move the picture.",
    )


def _write(measured: Sweep, place: Output, file: Path) -> None:
    """Write one report, in the format of its place."""
    if place.format == "json":
        common.write_json(_document(measured), place)
    elif place.format == "md":
        from mcp_governor.report.sweep_picture import as_markdown, picture

        drawn = file.with_suffix(".svg")
        write_text(picture(measured), Output(file=drawn, next_to=True), form="markup")
        write_text(as_markdown(measured, image=drawn.name), place, form="markup")
    else:
        from mcp_governor.report.sweep_picture import as_page

        write_text(as_page(measured), place, form="markup")


def _document(measured: Sweep) -> dict[str, Any]:
    from mcp_governor.load.model import SweepDocument

    return written(SweepDocument, measured)


def _stem(url: str) -> str:
    """The name of the guide's reports, without their suffix."""
    where = "stdio"
    if url:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        where = f"{re.sub('[^a-z0-9._-]', '_', parts.hostname or '')}-{port}"
    return f"mcp-tools-list-observability-{where}-concurrency-sweep"


_FILE = "locustfile.py"


@click.command(name="locustfile", cls=common.TargetCommand)
@common.target_argument
@base_url_option
@request_options
@click.option("--i-own-this-host", is_flag=True, help="The server may be on a host that is not this machine")
@click.option(
    "-o",
    "--out",
    "file",
    type=common.FILE,
    help=f"File to write  [default: {_FILE}]",
)
@click.option("--force", is_flag=True, help="Replace the file if there is one")
@common.configured("trust", "quiet")
def load_locustfile(
    run: common.Run,
    target: str | None,
    i_own_this_host: bool,
    file: Path | None,
    force: bool,
    **request: Any,
) -> int:
    """Write a locustfile for a cluster that you have.

    It sends what "load sweep" sends to the same server, needs locust and nothing else, and contains no secret: headers
    come from the variable MCP_LOAD_HEADERS, a JSON object, on each machine that runs workers.

    The server is asked once, for the protocol that it speaks.
    """
    from mcp_governor.load.locust_engine import HEADERS_VARIABLE, URL_VARIABLE, locustfile
    from mcp_governor.load.opened import open_target
    from mcp_governor.load.recipe import http_job
    from mcp_governor.secrets import redact_json
    from mcp_governor.wire import HttpEndpoint
    from mcp_governor.writing import NewFile, write_files

    # The name that nobody typed may be a link of whoever made this folder.
    new = NewFile(file or Path(_FILE), "", Path.cwd() if file is None else None, expected=True if force else None)
    if new.path.is_file() and not force:
        raise UsageError(f"{new.name} exists already.", "Add --force to replace it, or name another file with --out.")
    source, plan, permissions = load_of(run, target, owned=i_own_this_host, **request)
    opened = open_target(source, plan, permissions)
    if not isinstance(opened.endpoint, HttpEndpoint):
        raise UsageError(
            f"{opened.shown} is reached over stdio, and Locust's workers send HTTP.", "Name the address of the server."
        )
    job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
    # The values alone: a secret that is a common word would be redacted in the code as well.
    kept = dataclasses.replace(
        job, request=redact_json(job.request), request_headers=redact_json(dict(job.request_headers))
    )
    write_files(replace(new, content=locustfile(kept, plan.timeout)))
    if run.output.verbose >= 0:
        out.echo(f"{new.name}: written.", err=True)
        for variable, is_needed in ((HEADERS_VARIABLE, job.secret_headers), (URL_VARIABLE, job.url != job.shown)):
            if is_needed:
                out.echo(f"Set {variable} where workers run; the file does not contain it.", err=True)
        if kept.request != job.request:
            out.echo("--arguments contains a secret; the file has [redacted] instead.", err=True)
    return 0
