"""Documents for fuzzing: mutations of real ones that use the words of their format; and how to shrink them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

LARGEST = 2_000_000
"""Maximum size of a document in bytes."""

NUMBERS = (
    *(b"1e999", b"-1e999", b"1e-999", b"NaN", b"Infinity", b"-Infinity", b"-0", b"0.1e1", b"1E400", b"1_000", b"0x10"),
    *(
        b"9" * 20,
        b"9" * 400,
        b"9" * 5_000,
        b"0." + b"3" * 5_000,
        b"18446744073709551616",
        b"inf",
        b"nan",
        b"1979-05-27",
    ),
)
CHARACTERS = (
    *(b"\0", b"\\u0000", b"\\ud800", b"\\udc00\\ud800", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n", b"\t"),
    *(
        "\u2028".encode(),
        "\u2029".encode(),
        "\x85".encode(),
        "\u202e".encode(),
        "\U0001f600".encode(),
        b"\xff",
        b"\xc3",
    ),
    *(
        b"\x1b[31m",
        b"\x1b]52;c;eA==\x07",
        b"::error::x",
        b"\\",
        b'"',
        b"'",
        b"`",
        b"${",
        b"}",
        b"\x0c",
        b"\x7f",
        b"%s{0}",
    ),
)


@dataclass(frozen=True)
class Document:
    """An input.

    Attributes:
        data: the bytes.
        repeated: if one token is repeated: the text before it, the token, the text after it, and the number of
            repetitions.
    """

    data: bytes
    repeated: tuple[bytes, bytes, bytes, int] | None = None

    def shorter(self, divisor: int) -> bytes:
        """The same with fewer repetitions."""
        assert self.repeated is not None
        before, token, behind, times = self.repeated
        return before + token * (times // divisor) + behind


class Mutator:
    """Creates documents.

    Args:
        rng: the source of all decisions.
        seeds: real documents.
        tokens: words of the format.
        pairs: brackets of the format, as (open, close).
    """

    def __init__(
        self,
        rng: random.Random,
        seeds: tuple[bytes, ...],
        tokens: tuple[bytes, ...],
        pairs: tuple[tuple[bytes, bytes], ...],
    ) -> None:
        self.rng = rng
        self.seeds = seeds
        self.tokens = (*tokens, *NUMBERS, *CHARACTERS)
        self.own = tokens
        self.pairs = pairs

    def document(self) -> Document:
        """The next document: usually with small edits, one in eight a single token many times."""
        rng = self.rng
        data = rng.choice(self.seeds)
        for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
            data = self._edited(data)
        if rng.random() < 0.125:
            return self._repeated(data)
        return Document(data[:LARGEST])

    def _repeated(self, data: bytes) -> Document:
        rng = self.rng
        at = self._place(data)
        token = rng.choice(self.own if rng.random() < 0.6 else self.tokens)
        if rng.random() < 0.4:
            token += rng.choice(self.tokens)
        if rng.random() < 0.2:
            token = data[at : at + rng.randrange(1, 60)] or token
        times = min(int(10 ** rng.uniform(3, 5)), LARGEST // len(token))
        before, behind = data[:at], data[at:]
        if rng.random() < 0.3:
            before, behind = rng.choice(((b"", b""), (before, b""), (b"", behind)))
        return Document(before + token * times + behind, (before, token, behind, times))

    def _place(self, data: bytes) -> int:
        """A random position, usually next to a token, where a reader makes decisions."""
        rng = self.rng
        if rng.random() < 0.6:
            token = rng.choice(self.own)
            found = data.find(token, rng.randrange(len(data) + 1))
            if found >= 0:
                return found + (len(token) if rng.random() < 0.5 else 0)
        return rng.randrange(len(data) + 1)

    def _edited(self, data: bytes) -> bytes:
        rng = self.rng
        at, to = sorted((self._place(data), self._place(data)))
        kind = rng.randrange(11)
        if kind == 0:  # a piece is removed
            return data[:at] + data[to:]
        if kind == 1:  # a piece appears twice, or elsewhere
            elsewhere = self._place(data)
            return data[:elsewhere] + data[at:to] + data[elsewhere:]
        if kind == 2:  # the rest comes from another document
            other = rng.choice(self.seeds)
            return data[:at] + other[self._place(other) :]
        if kind == 3:  # it is cut off, perhaps within a character
            return data[:at]
        if kind == 4:  # nested as deep as possible
            opening, closing = rng.choice(self.pairs)
            depth = int(10 ** rng.uniform(0, 4.3))
            closed = depth if rng.random() < 0.7 else rng.randrange(depth + 1)
            return data[:at] + opening * depth + data[at:to] + closing * closed + data[to:]
        if kind == 5:  # some bytes are replaced
            changed = bytearray(data)
            for _ in range(rng.randrange(1, 5)):
                if changed:
                    changed[rng.randrange(len(changed))] = rng.randrange(256)
            return bytes(changed)
        if kind == 6:  # a number is replaced
            return self._replaced(data, b"0123456789", NUMBERS)
        if kind == 7:  # another encoding
            return rng.choice(
                (
                    lambda: b"\xef\xbb\xbf" + data,
                    lambda: data.replace(b"\n", b"\r\n"),
                    lambda: data.replace(b"\n", b"\r"),
                    lambda: data.replace(b"\n", "\u2028".encode()),
                    lambda: data.decode("utf-8", "replace").encode("utf-16"),
                    lambda: data.decode("utf-8", "replace").encode("latin-1", "replace"),
                )
            )()
        if kind == 8:  # a long word
            return (
                data[:at]
                + rng.choice((b"a", b" ", b"1", b"\\", "é".encode())) * int(10 ** rng.uniform(2, 5))
                + data[at:]
            )
        return data[:at] + rng.choice(self.tokens) + data[(to if kind == 10 else at) :]

    def _replaced(self, data: bytes, of: bytes, by: tuple[bytes, ...]) -> bytes:
        places = [at for at, byte in enumerate(data[:20_000]) if byte in of]
        if not places:
            return data
        start = end = self.rng.choice(places)
        while end < len(data) and data[end] in of:
            end += 1
        return data[:start] + self.rng.choice(by) + data[end:]


def shrunk(data: bytes, shows: Callable[[bytes], bool], seconds: float = 30.0) -> bytes:
    """The smallest document found within some seconds that still shows the failure (delta debugging on bytes)."""
    until = time.monotonic() + seconds
    size = max(len(data) // 2, 1)
    while size and time.monotonic() < until:
        at = 0
        smaller = False
        while at < len(data) and time.monotonic() < until:
            candidate = data[:at] + data[at + size :]
            if shows(candidate):
                data, smaller = candidate, True
            else:
                at += size
        size = min(size, len(data) // 2) if smaller and size > 1 else size // 2
    return data
