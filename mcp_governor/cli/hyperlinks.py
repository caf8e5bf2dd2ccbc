"""Links in terminals that show them (OSC 8): rules lead to their page, places to their file.

A terminal that does not know the sequence may print it, so it has to be a known one, as in npm's supports-hyperlinks.
What a link leads to is encoded for a URL: no character of a stranger reaches the terminal through it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.cli.terminal import takes_color, takes_control

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLDEST = {"iTerm.app": (3, 1), "WezTerm": (20200620,), "vscode": (1, 72), "ghostty": (), "zed": ()}
"""``TERM_PROGRAM`` → its first version with links."""

_KNOWN_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot")
"""Beginnings of ``TERM`` of terminals that set no ``TERM_PROGRAM`` and have links."""

_VTE = 5_001
"""``VTE_VERSION`` of the first release of VTE with links that does not crash on them: 0.50.1."""

OFF = ("CI", "TEAMCITY_VERSION")
"""Variables of systems that record a terminal instead of showing it."""


def takes_links(stream: object, environ: Mapping[str, str] | None = None) -> bool:
    """Decide if text on a stream gets links.

    Never in a pipe or a file, on a dumb terminal, or where there is no color (``NO_COLOR``, ``--color never``). Else
    ``FORCE_HYPERLINK`` decides, ``0`` against them and anything else for them; without it, the kind of terminal.

    Args:
        stream: where the text goes.
        environ: environment variables; by default our own.
    """
    environ = os.environ if environ is None else environ
    if not (takes_control(stream) and takes_color(stream)):
        return False
    if forced := environ.get("FORCE_HYPERLINK"):
        return forced.strip() != "0"
    return not any(name in environ for name in OFF) and _is_known(environ)


def _is_known(environ: Mapping[str, str]) -> bool:
    if "WT_SESSION" in environ or environ.get("TERM", "").startswith(_KNOWN_TERMS):
        return True
    if environ.get("VTE_VERSION", "").isdecimal():
        return int(environ["VTE_VERSION"][:6]) >= _VTE
    oldest = _OLDEST.get(environ.get("TERM_PROGRAM", ""))
    numbers = re.findall(r"\d{1,9}", environ.get("TERM_PROGRAM_VERSION", "")[:100])
    return oldest is not None and tuple(map(int, numbers[:2])) >= oldest


def url_of(link: str) -> str:
    """The address of a link in a report; empty if there is none.

    Args:
        link: ``rule:PACK/NAME`` or ``file:PATH``, relative to the current folder.
    """
    kind, _, name = link.partition(":")
    if kind == "rule":
        from mcp_governor.rules.addresses import page_of_rule

        return page_of_rule(name)
    try:
        path = Path(os.path.normpath(Path.cwd() / name))
        # The name may be relative to the folder of a configuration, or stand for a git object.
        return path.as_uri() if path.is_file() else ""
    except (OSError, ValueError):
        return ""
