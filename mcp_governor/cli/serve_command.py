"""``mcp-governor serve``."""

from __future__ import annotations

import sys

import click

from mcp_governor.errors import UsageError


@click.command()
@click.option("--http", "http", is_flag=True, help="Serve Streamable HTTP on 127.0.0.1 instead of stdio")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="Port for --http")
def serve(http: bool, port: int) -> None:
    """Run mcp-governor as an MCP server, over stdio unless --http is given."""
    source = click.get_current_context().get_parameter_source("port")
    if not http and source is click.core.ParameterSource.COMMANDLINE:
        raise UsageError("--port has no effect without --http.", "Add --http, or remove --port.")
    if not http and (sys.stdin is None or sys.stdout is None):
        raise UsageError(
            "serve uses standard input and output, and one of them is closed.", "Keep both open, or use --http."
        )
    from mcp_governor.server import build_server
    from mcp_governor.server.pool import Pool

    pool = Pool()
    server = build_server(pool)
    if http:
        from mcp_governor.server.http import serve_http

        serve_http(server, port)
        return
    from mcp_governor.server.stdio import serve_stdio

    serve_stdio(server, pool)
