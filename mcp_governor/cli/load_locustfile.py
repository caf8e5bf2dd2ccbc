"""``mcp-governor load locustfile``."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click
from msgspec.structs import replace

from mcp_governor.cli import out
from mcp_governor.cli.common import FILE, Run, TargetCommand, configured, target_argument
from mcp_governor.cli.load_options import base_url_option, load_of, own_host_option, request_options

_FILE = "locustfile.py"


@click.command(cls=TargetCommand)
@target_argument
@base_url_option
@request_options
@own_host_option("The server may be on a host that is not this machine")
@click.option(
    "-o",
    "--out",
    "file",
    type=FILE,
    help=f"File to write  [default: {_FILE}]",
)
@click.option("--force", is_flag=True, help="Replace the file if there is one")
@configured("trust", "quiet")
def locustfile(
    run: Run,
    target: str | None,
    base_url: str | None,
    tool: str | None,
    arguments: str | None,
    allow_writes: bool,
    i_own_this_host: bool,
    file: Path | None,
    force: bool,
) -> int:
    """Write a locustfile for a cluster that you have.

    It sends what "load sweep" sends to the same server, needs locust and nothing else, and contains no secret: headers
    come from the variable MCP_LOAD_HEADERS, a JSON object, on each machine that runs workers.

    The server is asked once, for the protocol that it speaks.
    """
    from mcp_governor.errors import UsageError
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
    source, plan, permissions = load_of(
        run, target, base_url, tool, arguments, allow_writes=allow_writes, owned=i_own_this_host
    )
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
