"""``mcp-governor serve``."""

from __future__ import annotations

import os
import sys

import click

from mcp_governor.cli.common import Run, configured
from mcp_governor.errors import UsageError


@click.command()
@click.option(
    "--http",
    "http",
    metavar="[HOST:PORT]",
    is_flag=False,
    flag_value="127.0.0.1:8765",
    help="Serve Streamable HTTP instead of stdio  [default without a value: 127.0.0.1:8765]",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Port for --http  [default: 8765]")
@configured(isolated=False)
def serve(run: Run, http: str | None, port: int | None) -> None:
    """Run mcp-governor as an MCP server, over stdio unless --http is given.

    Agents can check the servers that the configuration names, ask about the findings, and read recorded surfaces below
    the folder of the configuration. They cannot name a command, an address or another folder.

    An address that other machines can reach needs a bearer token, in the variable MCP_GOVERNOR_TOKEN.
    """
    if port is not None and http is None:
        raise UsageError("--port has no effect without --http.", "Add --http, or remove --port.")
    if http is None and (sys.stdin is None or sys.stdout is None):
        raise UsageError(
            "serve uses standard input and output, and one of them is closed.", "Keep both open, or use --http."
        )
    from mcp_governor.server.address import TOKEN, checked_token, read_address

    # Nothing that is started later inherits it.
    given = os.environ.pop(TOKEN, "")
    address = token = None
    if http is not None:
        address = read_address(http if port is None else f"{http.rpartition(':')[0]}:{port}")
        token = checked_token(address, given)
    from mcp_governor.server import build_server
    from mcp_governor.server.pool import Pool
    from mcp_governor.server.project import Project

    project = Project.of(run.config)
    pool = Pool(project)
    server = build_server(pool, project)
    if address is not None:
        from mcp_governor.server.http import serve_http

        serve_http(server, address, token or "")
        return
    from mcp_governor.server.stdio import serve_stdio

    serve_stdio(server, pool)
