"""What a run works out from our own files, kept for the next one in a file next to Python's bytecode.

A short run spends half of its time on compiling the same regular expressions and reading the same rule files as every
other run. Python keeps compiled modules for that reason; this module keeps the rest, under the conditions under which
Python writes bytecode, and for the interpreter and the version that made it only.

The file is trusted as the bytecode next to it is: whoever can write the one can write the other. Its digest finds
damage, not malice. Whatever is unexpected about it means that the work is done again.

Nothing comes here that is made from the text of a server, a repository or a user's rule: the file would disclose it,
and grow without end. ``tests/test_kept.py`` checks who calls.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import sys
from typing import TYPE_CHECKING, Any

from mcp_governor._version import __version__

if TYPE_CHECKING:
    Key = tuple[Any, ...]

_LIMIT = 8 * 1024 * 1024
"""Maximum size of the file in bytes: all our expressions and rules take 2 MB. More can only come from an editable
installation, where former versions of an expression stay; then the file begins again."""

_FORM = 2
"""Number of the form of the keys and values; another one for every change of what :func:`retain` is given."""
_DIGEST_BYTES = 8
"""Size in bytes of what :func:`importlib.util.source_hash` returns, with which Python identifies bytecode."""

_made: dict[Key, bytes] = {}
"""What this process worked out and the file did not have, while it remembers."""


class _Process:
    remembers = False


def start() -> None:
    """Remember from now on what is worked out, for :func:`unkept`; without this, a process only reads the file."""
    _Process.remembers = not sys.dont_write_bytecode and _place() is not None


def remembers() -> bool:
    """True if :func:`retain` is of use."""
    return _Process.remembers


def recall(key: Key) -> Any:
    """The value with this key; ``None`` if there is none."""
    import marshal

    content = _kept().get(key)
    return marshal.loads(content) if content is not None else None  # noqa: S302  trusted as bytecode is, see above


def retain(key: Key, value: Any) -> None:
    """Remember a value that consists of numbers, strings, bytes, lists, tuples and dictionaries; no other is kept."""
    if _Process.remembers:
        import marshal

        with contextlib.suppress(ValueError):
            _made[key] = marshal.dumps(value)


def unkept() -> tuple[str, bytes] | None:
    """The file to write, with its content; ``None`` if there is nothing new, or if Python would write no bytecode."""
    place = _place()
    if not _made or place is None or sys.dont_write_bytecode or not os.access(place.rpartition(os.sep)[0], os.W_OK):
        return None
    # A link would be followed: Python replaces one in place of its bytecode, we leave it alone.
    if os.path.islink(place):  # noqa: PTH114
        return None
    new = dict(_made)
    _made.clear()
    # Another process may have written meanwhile.
    for entries in (_read(place) | new, new):
        content = _content(entries)
        if len(content) <= _LIMIT:
            return place, content
    return None


def _place() -> str | None:
    """The file; ``None`` if this interpreter keeps no bytecode, or none of this module."""
    module = __spec__.cached if __spec__ is not None else None
    return f"{module.removesuffix('.pyc')}.bin" if module else None


@functools.cache
def _kept() -> dict[Key, bytes]:
    place = _place()
    return _read(place) if place is not None else {}


def _read(place: str) -> dict[Key, bytes]:
    """The entries of the file; none if it is missing, damaged, or of another interpreter or version."""
    import marshal

    try:
        # Not a link nor a pipe, which could wait forever; os.open and pathlib cost as much as the reading.
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return {}
        with open(place, "rb") as file:  # noqa: PTH123
            content = file.read(_LIMIT)
        head = _head()
        payload = content[len(head) + _DIGEST_BYTES :]
        # Damaged data can crash marshal, so it sees none.
        if not content.startswith(head + _digest(payload)):
            return {}
        entries = marshal.loads(payload)  # noqa: S302  trusted as bytecode is, see above
    except Exception:  # noqa: BLE001  whatever is wrong with the file, we can do without
        return {}
    return entries if isinstance(entries, dict) else {}


def _content(entries: dict[Key, bytes]) -> bytes:
    import marshal

    payload = marshal.dumps(entries)
    return _head() + _digest(payload) + payload


def _head() -> bytes:
    """Everything on which kept values depend, apart from their keys.

    The whole version of Python, because two releases that share their bytecode may differ in the compiler of ``re``.
    """
    return f"mcp-governor {__version__}, form {_FORM}, Python {sys.version!r}, {sys.byteorder}\n".encode()


def _digest(payload: bytes) -> bytes:
    from importlib.util import source_hash

    return source_hash(payload)
