"""``mcp-governor load locustfile``."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Output, Run, TargetCommand, configured, target_argument, write_text
from mcp_governor.text import visible


@click.command(cls=TargetCommand)
@target_argument
@click.option("--tool", metavar="NAME", help="Call this tool  [default: tools/list is sent]")
@click.option("--arguments", metavar="JSON", help="Arguments of the call, as a JSON object  [default: {}]")
@click.option("--allow-writes", is_flag=True, help="Also call a tool that is not annotated as read-only")
@click.option("--i-own-this-host", is_flag=True, help="The server may be on a host that is not this machine")
@click.option(
    "-o",
    "--out",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    default="locustfile.py",
    show_default=True,
    help="File to write",
)
@configured("quiet")
def locustfile(
    run: Run,
    target: str | None,
    tool: str | None,
    arguments: str | None,
    allow_writes: bool,
    i_own_this_host: bool,
    file: Path,
) -> int:
    """Write a locustfile for a cluster that you have.

    It sends what "load sweep" sends to the same server, needs locust and nothing else, and contains no secret: headers
    come from the variable MCP_LOAD_HEADERS, a JSON object, on each machine that runs workers.

    The server is asked once, for the protocol that it speaks.
    """
    from mcp_governor.cli.load_sweep import request_of
    from mcp_governor.errors import UsageError
    from mcp_governor.load.locust_engine import HEADERS_VARIABLE, URL_VARIABLE, locustfile
    from mcp_governor.load.model import SweepPlan
    from mcp_governor.load.opened import Permissions, open_target
    from mcp_governor.load.request import http_job
    from mcp_governor.wire import HttpEndpoint

    method, params = request_of(tool, arguments)
    source = run.source(target)
    plan = SweepPlan(method=method, params=params, timeout=getattr(source, "timeout", run.config.timeout))
    opened = open_target(source, plan, Permissions(i_own_this_host, allow_writes, run.config.read_only_tools))
    if not isinstance(opened.endpoint, HttpEndpoint):
        raise UsageError(
            f"{opened.shown} is reached over stdio, and Locust's workers send HTTP.", "Name the address of the server."
        )
    job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
    write_text(locustfile(job, plan.timeout), Output(file=file), form="markup")
    if run.output.verbose >= 0:
        out.echo(f"{visible(str(file))}: written.", err=True)
        for variable, is_needed in ((HEADERS_VARIABLE, job.secret_headers), (URL_VARIABLE, job.url != job.shown)):
            if is_needed:
                out.echo(f"Set {variable} where workers run; the file does not contain it.", err=True)
    return 0
