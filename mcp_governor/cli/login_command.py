"""``mcp-governor login`` and ``mcp-governor logout``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import SECONDS
from mcp_governor.errors import MissingDependencyError, TargetError, UsageError
from mcp_governor.secrets import keep

if TYPE_CHECKING:
    from mcp_governor.target.logins import Login


@click.command()
@click.argument("url")
@click.option("--no-browser", is_flag=True, help="Print the address of the page, and open no browser")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port of 127.0.0.1 that the browser returns to  [default: any]"
)
@click.option("--client-id", metavar="ID", help="A client that is registered  [default: register one]")
@click.option(
    "--client-secret", metavar="VARIABLE", help="Environment variable with the secret of that client  [default: none]"
)
@click.option("--wait", type=SECONDS, default=300.0, show_default=True, help="Timeout for the login, in seconds")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the login to this file, for MCP_GOVERNOR_LOGIN in CI  [default: keep it for you]",
)
def login(
    url: str,
    no_browser: bool,
    port: int | None,
    client_id: str | None,
    client_secret: str | None,
    wait: float,
    output: Path | None,
) -> None:
    """Sign in at the MCP server at URL, in a browser, with OAuth.

    Later commands whose target has this address send the token, and renew it. It is kept in the keyring of the system
    if the package keyring is installed, else in a file that only you can read.
    """
    _see_url(url)
    if client_secret is not None and client_id is None:
        raise UsageError("--client-secret has no effect without --client-id.", "Add --client-id ID.")
    secret = _secret(client_secret)
    try:
        import anyio

        from mcp_governor.target.signing_in import sign_in
    except ImportError:
        from mcp_governor.installation import install_extra

        raise MissingDependencyError(
            "login needs the package mcp, which is not installed.", install_extra("serve")
        ) from None
    from mcp_governor.target.logins import save

    async def show(address: str) -> None:
        out.echo("Sign in on this page; the command goes on when the browser comes back:", err=True)
        out.echo(f"  {address}", err=True, wrap=False)
        if not no_browser and _has_browser():
            import webbrowser

            # It may wait for the browser, which waits for us.
            await anyio.to_thread.run_sync(webbrowser.open, address, abandon_on_cancel=True)

    made = anyio.run(
        lambda: sign_in(
            url.removeprefix("sse+"),
            show,
            seconds=wait,
            port=port or 0,
            client_id=client_id or "",
            client_secret=secret,
        )
    )
    made.learn()
    if output is not None:
        _write(output, made)
    else:
        out.echo(f"Signed in at {made.server}. The token is in {save(made)}.")


def _write(output: Path, made: Login) -> None:
    import msgspec

    from mcp_governor.writing import NewFile, write_files

    write_files(NewFile(output, msgspec.json.encode(made), private=True))
    out.echo(f"Signed in at {made.server}. {output} is a secret: store it as MCP_GOVERNOR_LOGIN in CI, then delete it.")


def _see_url(url: str) -> None:
    if not url.removeprefix("sse+").startswith(("https://", "http://")):
        raise TargetError("login takes the URL of a server.", "Write https://HOST/PATH.")


def _secret(variable: str | None) -> str:
    if variable is None:
        return ""
    value = os.environ.get(variable, "")
    if not value:
        raise UsageError(
            "--client-secret takes the name of an environment variable that is set.", "Set it, and name it."
        )
    keep(value, "the secret of the client")
    return value


def _has_browser() -> bool:
    """True if a browser would open in a window: one that opens in the terminal would take it over."""
    if "BROWSER" in os.environ or sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@click.command()
@click.argument("url")
def logout(url: str) -> None:
    """Delete the login at the MCP server at URL, and revoke its tokens if the authorization server supports that."""
    from mcp_governor.errors import GovernorError
    from mcp_governor.target.logins import forget, post, server_of, stored

    _see_url(url)
    server = server_of(url)
    revoked = ""
    try:
        login = stored(server)
        if login is not None and login.revocation_endpoint:
            login.learn()
            form = {"token": login.refresh_token or login.access_token}
            status, _ = post(login, login.revocation_endpoint, form, "The revocation endpoint")
            revoked = " Its tokens are revoked." if status == 200 else f" Its tokens are not revoked (HTTP {status})."
    except GovernorError as error:
        revoked = f" Its tokens are not revoked: {error.message}"
    if not forget(server):
        raise UsageError(f"There is no login at {server}.", "Name the address as it was named for the login.")
    out.echo(f"Deleted the login at {server}.{revoked}")
