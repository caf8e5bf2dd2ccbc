"""``mcp-governor load sweep``."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from msgspec.structs import replace

from mcp_governor.cli import out
from mcp_governor.cli.common import (
    FILE,
    SECONDS,
    Output,
    Run,
    TargetCommand,
    configured,
    target_argument,
    write_json,
    write_lines,
    write_text,
)
from mcp_governor.cli.load_options import base_url_option, load_of, own_host_option, request_options
from mcp_governor.cli.progress import progress_line
from mcp_governor.documents import written
from mcp_governor.errors import STOPPED, Exit, UsageError
from mcp_governor.load.model import INTERRUPTED, SweepPlan
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from mcp_governor.load.model import Sweep


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


@click.command(cls=TargetCommand)
@target_argument
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
@click.option("--seconds", type=SECONDS, default=600, show_default=True, help="Time limit for all points, in seconds")
@request_options
@own_host_option("Put load on a host that is not this machine")
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
@click.option("--json-out", type=FILE, help="Write the report to this file, as JSON")
@click.option("--markdown-out", type=FILE, help="Write it as Markdown, and its picture next to it as .svg")
@click.option("--html-out", type=FILE, help="Write it as a page")
@click.option(
    "--report-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all of them to this folder, named after the server",
)
@configured("trust", "output", "quiet", formats=click.Choice(["text", "json"]))
def sweep(
    run: Run,
    target: str | None,
    base_url: str | None,
    concurrency_values: tuple[int, ...] | None,
    total: int,
    warm_up: int,
    p95_slo_ms: float,
    p99_slo_ms: float,
    rate: float | None,
    seconds: float,
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
) -> int:
    """Find the concurrency that a server is good for.

    tools/list, or a call of one tool, is sent with several numbers of requests in flight. The report has throughput,
    latencies and errors of each, the knee, and the recommended concurrency: the best one within both goals.

    Our own client is measured first, without the server: a point near its limit is marked. Load is put on this machine
    only, or with --i-own-this-host on a host of yours. A stdio server gets a process for each request in flight.

    Exits with 0 if a concurrency meets both goals, 1 if none does, 4 if no request succeeded, and 130 after Ctrl-C;
    reports are written in any case.
    """
    from mcp_governor.load.benches import default_bench
    from mcp_governor.load.sweep import MakeBench, run_sweep

    source, plan, permissions = load_of(
        run, target, base_url, tool, arguments, allow_writes=allow_writes, owned=i_own_this_host
    )
    plan = replace(
        plan,
        concurrencies=_DEFAULTS.concurrencies if concurrency_values is None else concurrency_values,
        total=total,
        warm_up=warm_up,
        p95_slo_ms=p95_slo_ms,
        p99_slo_ms=p99_slo_ms,
        rate=rate,
        seconds=seconds,
    )
    make_bench: MakeBench = default_bench
    if engine == "locust":
        from mcp_governor.load.locust_engine import locust_bench

        listen = None if locust_bind is None else _listening(locust_bind)
        make_bench = partial(locust_bench, listen=listen, announce=_announce, owned=i_own_this_host)
    elif locust_bind is not None:
        raise UsageError(
            "--locust-bind has no effect without --engine locust.", "Add --engine locust, or remove --locust-bind."
        )
    if markdown_out is not None:
        _refuse_to_replace(markdown_out.with_suffix(".svg"))
    with progress_line(run.output) as show:
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
        write_json(_document(measured), run.output)
    else:
        from mcp_governor.report.sweep_picture import sweep_lines

        write_lines(sweep_lines(measured, verbose=run.output.verbose), run.output)
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


def _announce(command: str) -> None:
    out.echo(f"Waiting for workers. On each machine, write a locustfile, and start it:\n  {command}", err=True)


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
        write_json(_document(measured), place)
    elif place.format == "md":
        from mcp_governor.report.sweep_picture import as_markdown, picture

        drawn = file.with_suffix(".svg")
        write_text(picture(measured), Output(file=drawn, next_to=True), form="markup")
        write_text(as_markdown(measured, image=drawn.name), place, form="markup")
    else:
        from mcp_governor.report.sweep_picture import as_page

        write_text(as_page(measured), place, form="markup")


def _document(measured: Sweep) -> dict[str, Any]:
    from mcp_governor.load.sweep_document import SweepDocument

    return written(SweepDocument, measured)


def _stem(url: str) -> str:
    """The name of the guide's reports, without their suffix."""
    where = "stdio"
    if url:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        where = f"{re.sub('[^a-z0-9._-]', '_', parts.hostname or '')}-{port}"
    return f"mcp-tools-list-observability-{where}-concurrency-sweep"
