"""What a stream can show: color, control sequences, how wide a line is, and which characters.

Everything that is written for people asks here, so that reports, errors and progress agree.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


COLORS = ("auto", "always", "never")
"""What ``--color`` takes."""

_chosen = "auto"

# Terminals that show text and obey nothing.
_DUMB = ("dumb", "unknown")


@contextlib.contextmanager
def color_of(words: Sequence[str]) -> Iterator[None]:
    """Obey the ``--color`` of a command line while it runs, its errors included.

    The words are checked before they are parsed, because usage errors are printed with or without color too.
    A command line inside another one (``demo``) uses the options of the outer one as defaults.
    """
    global _chosen
    before = _chosen
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word == "--":
            break
        name, equals, attached = word.partition("=")
        wanted = attached if equals else value
        if name == "--color" and wanted in COLORS:
            _chosen = wanted
    try:
        yield
    finally:
        _chosen = before


def color_is_typed() -> bool:
    """``--color always``: color wherever the text goes, a file included."""
    return _chosen == "always"


def is_terminal(stream: object) -> bool:
    """True if a stream is open, so that somebody may read it."""
    with contextlib.suppress(OSError, ValueError):
        return bool(getattr(stream, "isatty", bool)())
    return False


def takes_color(stream: object) -> bool:
    """Decide if text on a stream gets color.

    In this order: ``--color``; ``NO_COLOR`` (no-color.org: any value but the empty one); ``FORCE_COLOR`` and
    ``CLICOLOR_FORCE`` (any value but ``0``); a terminal that is not dumb, unless ``CLICOLOR`` is ``0``.
    """
    if _chosen != "auto":
        return _chosen == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return takes_control(stream) and os.environ.get("CLICOLOR") != "0"


def takes_control(stream: object) -> bool:
    """True if a line on a stream can be erased and written again."""
    return is_terminal(stream) and os.environ.get("TERM") not in _DUMB


DEFAULT_COLUMNS = 80
"""Width of a terminal that does not report its width, in characters."""


def columns(stream: object) -> int | None:
    """Width of a terminal, in characters; ``None`` if lines are not wrapped, as in files and pipes."""
    if not is_terminal(stream):
        return None
    typed = os.environ.get("COLUMNS", "")
    if typed.isdecimal() and 0 < len(typed) < 5 and int(typed):
        return int(typed)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_COLUMNS  # type: ignore[attr-defined]
    return DEFAULT_COLUMNS


MAX_HELP_WIDTH = 100
"""Characters of a line of help: longer ones are hard to read, however wide the terminal is."""


def help_columns(stream: object) -> int:
    """Characters of a line of ``--help``."""
    return min(columns(stream) or DEFAULT_COLUMNS, MAX_HELP_WIDTH)


# Characters that we use → their replacements in encodings that lack them.
_ASCII = {
    "✗": "x",
    "·": "-",
    "•": "*",
    "…": "...",
    "→": "->",
    "×": "x",
    "–": "-",
    "—": "-",
    "−": "-",
    "±": "+/-",
    "≤": "<=",
    "≥": ">=",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
}
_MARKS = "mcp_governor.marks"


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Our marks in ASCII, everything else as an escape."""
    assert isinstance(error, UnicodeEncodeError)
    cannot = error.object[error.start : error.end]
    shown = (_ASCII.get(char) or char.encode("ascii", "backslashreplace").decode() for char in cannot)
    return "".join(shown), error.end


codecs.register_error(_MARKS, _replace)


def encoding_of(stream: object) -> str:
    """The encoding of a stream; UTF-8 if it has none."""
    return getattr(stream, "encoding", None) or "utf-8"


def encoded(text: str, encoding: str) -> bytes:
    """The text in an encoding, with ASCII for our marks and escapes for other characters that it lacks."""
    return text.encode(encoding, _MARKS)


def spelled(text: str, encoding: str) -> str:
    """The text as :func:`encoded` writes it."""
    return text if text.isascii() else encoded(text, encoding).decode(encoding)


def is_utf8(encoding: str) -> bool:
    """True if an encoding has every character."""
    with contextlib.suppress(LookupError):
        return codecs.lookup(encoding).name == "utf-8"
    return False


def prepare_streams() -> None:
    """Make the standard streams write every text: once for a process, before anything is printed.

    Python takes the locale ``C`` for UTF-8 (PEP 538 and 540), because files are. The terminal of somebody who asks for
    ``C`` need not be.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="ascii" if _is_c_locale() else None, errors=_MARKS)


def _is_c_locale() -> bool:
    if os.environ.get("PYTHONIOENCODING") or os.environ.get("PYTHONUTF8") or sys.platform == "win32":
        return False
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = os.environ.get(name, "")
        # Python itself sets LC_CTYPE to this value if the user's locale is C.
        if value and (name, value) not in (("LC_CTYPE", "C.UTF-8"), ("LC_CTYPE", "C.utf8"), ("LC_CTYPE", "UTF-8")):
            return value in ("C", "POSIX")
    return False


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
        from mcp_governor.rules.catalogue import page_of_rule

        return page_of_rule(name)
    from pathlib import Path

    try:
        path = Path(os.path.normpath(Path.cwd() / name))
        # The name may be relative to the folder of a configuration, or stand for a git object.
        return path.as_uri() if path.is_file() else ""
    except (OSError, ValueError):
        return ""
