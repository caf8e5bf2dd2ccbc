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
    Index = dict[Key, tuple[int, int, bytes]]

_LIMIT = 8 * 1024 * 1024
"""Maximum size of the file in bytes: all our expressions and rules take 2 MB. More can only come from an editable
installation, where former versions of an expression stay; then the file begins again."""

_FORM = 3
"""Number of the form of the keys and values; another one for every change of what :func:`retain` is given."""
_DIGEST_BYTES = 8
"""Size in bytes of what :func:`importlib.util.source_hash` returns, with which Python identifies bytecode."""

_SIZE_BYTES = 4
"""Size of the number that says how long the index is: enough for any file below the limit."""

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

    index, values = _kept()
    value = _whole(values, index[key]) if key in index else None
    return marshal.loads(value) if value is not None else None  # noqa: S302  trusted as bytecode is, see above


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
    index, values = _read(place)
    old = {key: bytes(value) for key, at in index.items() if (value := _whole(values, at)) is not None}
    for entries in (old | new, new):
        content = _content(entries)
        if len(content) <= _LIMIT:
            return place, content
    return None


def _place() -> str | None:
    """The file; ``None`` if this interpreter keeps no bytecode, or none of this module."""
    module = __spec__.cached if __spec__ is not None else None
    return f"{module.removesuffix('.pyc')}.bin" if module else None


@functools.cache
def _kept() -> tuple[Index, memoryview]:
    place = _place()
    return _read(place) if place is not None else ({}, memoryview(b""))


def _read(place: str) -> tuple[Index, memoryview]:
    """Where the value of each key is, and all values; none if the file is missing, damaged, or of another interpreter
    or version. A run needs a third of the values, so each is read where it is needed."""
    import marshal

    try:
        # Not a link nor a pipe, which could wait forever; os.open and pathlib cost as much as the reading.
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return {}, memoryview(b"")
        with open(place, "rb") as file:  # noqa: PTH123
            content = memoryview(file.read(_LIMIT))
        begin = len(_head()) + _DIGEST_BYTES + _SIZE_BYTES
        end = begin + int.from_bytes(content[begin - _SIZE_BYTES : begin], "little")
        if content[:begin] == _beginning(content[begin:end]):
            return marshal.loads(content[begin:end]), content[end:]  # noqa: S302  as above
    except Exception:  # noqa: BLE001, S110  whatever is wrong with the file, we can do without
        pass
    return {}, memoryview(b"")


def _whole(values: memoryview, at: tuple[int, int, bytes]) -> memoryview | None:
    """The value at a place, if it is not damaged, which could crash marshal."""
    start, end, digest = at
    value = values[start:end]
    return value if _digest(value) == digest else None


def _content(entries: dict[Key, bytes]) -> bytes:
    import marshal

    index: Index = {}
    at = 0
    for key, value in entries.items():
        index[key] = (at, at + len(value), _digest(value))
        at += len(value)
    listed = marshal.dumps(index)
    return b"".join((_beginning(listed), listed, *entries.values()))


def _beginning(index: bytes | memoryview) -> bytes:
    """What comes before the index in the file."""
    return _head() + _digest(index) + len(index).to_bytes(_SIZE_BYTES, "little")


def _head() -> bytes:
    """Everything on which kept values depend, apart from their keys.

    The whole version of Python, because two releases that share their bytecode may differ in the compiler of ``re``.
    """
    return f"mcp-governor {__version__}, form {_FORM}, Python {sys.version!r}, {sys.byteorder}\n".encode()


def _digest(data: bytes | memoryview) -> bytes:
    from importlib.util import source_hash

    return source_hash(data)
