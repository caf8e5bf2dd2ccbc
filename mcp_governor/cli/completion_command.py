"""``mcp-governor completion``."""

from __future__ import annotations

import click

from mcp_governor.cli import out
from mcp_governor.errors import UsageError

SHELLS = ("bash", "zsh", "fish", "powershell")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes mcp-governor in a shell.

    \b
        bash        eval "$(mcp-governor completion bash)"
        zsh         eval "$(mcp-governor completion zsh)"
        fish        mcp-governor completion fish | source
        powershell  mcp-governor completion powershell | Out-String |
                    Invoke-Expression

    Put the line into ~/.bashrc, ~/.zshrc (after compinit), config.fish or $PROFILE.
    """
    from mcp_governor.cli.completion import script

    text = script(click.get_current_context().find_root().command, shell)
    if text is None:
        raise UsageError(
            f"The installed version of click cannot complete in {shell}.", "Upgrade it: pip install 'click>=8.5'"
        )
    out.put(text)
