"""What a stream can show: color, control sequences, how wide a line is, and which characters.

Everything that is written for people asks here, so that reports, errors and progress agree.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
