"""ECMA-262 regular expressions, read into a small syntax tree.

JSON Schema (Core, section 6.4) requires ECMA-262 with Unicode, and patterns are not anchored. Constructs that are not
regular (back-references), or for which engines differ (case folding), raise :class:`UnsupportedPatternError`, because
no answer would be safe. Characters on which engines differ are kept with a set, see :class:`Chars`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.containment import charset
from mcp_governor.schemas.formats import WIDER

if TYPE_CHECKING:
    from mcp_governor.containment.charset import CharSet

    _Bounds = tuple[CharSet, CharSet]
    """The characters that are certainly in a set, and those that possibly are."""

MAX_REPEAT = 2_000
"""Most repetitions that are expanded: enough for any length that people write, and a tenth of
``automaton.MAX_POSITIONS``, so that a few fit into one pattern. Larger patterns are not modelled, and the answer is
unknown."""
MAX_DEPTH = 50
"""Deepest nesting of groups: more than anyone writes, and few enough for the recursive functions here. Deeper patterns
are not modelled, and the answer is unknown."""
_TWICE = 2
"""Repetitions of at most two rounds do not multiply nested repetitions."""
_FEW = 10
"""Repetitions whose bounds differ by at most this cannot make a backtracking engine hang."""


class UnsupportedPatternError(ValueError):
    """The pattern is not modelled; the message names the unsupported part."""


class Chars(Struct, frozen=True):
    """One character of a set.

    Attributes:
        chars: the characters that are certainly in it.
        doubtful: those that are in it in some version of Unicode; empty if the version does not matter.
        loose: those that some engine takes, against the specification; empty if they all keep to it.
    """

    chars: CharSet
    doubtful: CharSet = ()
    loose: CharSet = ()


class Reading(Enum):
    """Readings of the sets of a pattern, from few characters to many."""

    CERTAIN = "certain"
    POSSIBLE = "possible"
    LOOSE = "loose"


class Cat(Struct, frozen=True):
    """A sequence of parts; without parts, the empty string."""

    parts: tuple[Regex, ...]


class Alt(Struct, frozen=True):
    """One of the parts."""

    parts: tuple[Regex, ...]


class Repeat(Struct, frozen=True):
    """``part``, ``low`` to ``high`` (``None``: any number of) times."""

    part: Regex
    low: int
    high: int | None


class Edge(Struct, frozen=True):
    """A zero-width assertion: ``^``, ``$``, ``b`` (word boundary) or ``B``."""

    kind: str


class Look(Struct, frozen=True):
    """A lookahead."""

    part: Regex
    positive: bool


Regex = Chars | Cat | Alt | Repeat | Edge | Look

_CLASSES = {
    "d": charset.DIGIT,
    "D": charset.complement(charset.DIGIT),
    "w": charset.WORD,
    "W": charset.complement(charset.WORD),
    "s": charset.SPACE,
    "S": charset.complement(charset.SPACE),
}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


def parse(source: str) -> Regex:
    """Parse a pattern.

    Raises:
        UnsupportedPatternError: the pattern is not valid, or is not modelled.
    """
    parser = _Parser(source)
    tree = parser.alternatives()
    if parser.position < len(source):
        raise UnsupportedPatternError("an unmatched parenthesis")
    return tree


@dataclass(eq=False, repr=False)
class _Parser:
    source: str
    position: int = 0
    depth: int = field(default=0)

    def peek(self, text: str) -> bool:
        return self.source.startswith(text, self.position)

    def take(self, text: str) -> bool:
        if self.peek(text):
            self.position += len(text)
            return True
        return False

    def next(self) -> str:
        if self.position >= len(self.source):
            raise UnsupportedPatternError("a pattern that ends too early")
        self.position += 1
        return self.source[self.position - 1]

    def alternatives(self) -> Regex:
        parts = [self.sequence()]
        while self.take("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Alt(tuple(parts))

    def sequence(self) -> Regex:
        parts: list[Regex] = []
        while self.position < len(self.source) and not self.peek("|") and not self.peek(")"):
            parts.append(self.quantified())
        return parts[0] if len(parts) == 1 else Cat(tuple(parts))

    def quantified(self) -> Regex:
        part = self.atom()
        counts = self.quantifier()
        if counts is None:
            return part
        if isinstance(part, Edge | Look):
            raise UnsupportedPatternError("a quantified assertion")
        self.take("?")
        if self.peek("+") or self.peek("*"):
            raise UnsupportedPatternError("a possessive quantifier")
        return Repeat(part, *counts)

    def quantifier(self) -> tuple[int, int | None] | None:
        for symbol, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(symbol):
                return counts
        if not self.take("{"):
            return None
        body, closed, _ = self.source[self.position :].partition("}")
        low, comma, high = body.partition(",")
        if not closed or not low.isdecimal() or not low.isascii() or (high and not high.isdecimal()):
            raise UnsupportedPatternError("a brace that is not a quantifier")
        self.position += len(body) + 1
        least, most = int(low), (int(high) if high else None) if comma else int(low)
        if max(least, most or 0) > MAX_REPEAT:
            raise UnsupportedPatternError(f"a repetition of more than {MAX_REPEAT}")
        if most is not None and most < least:
            raise UnsupportedPatternError("a quantifier out of order")
        return least, most

    def atom(self) -> Regex:
        char = self.next()
        if char == "(":
            return self.group()
        if char == "[":
            return self.char_class()
        if char == ".":
            return Chars(charset.DOT, loose=charset.LOOSE_DOT)
        if char in "^$":
            return Edge(char)
        if char == "\\":
            if self.peek("b") or self.peek("B"):
                return Edge(self.next())
            return _chars(*self.escape())
        if char in "*+?{":
            raise UnsupportedPatternError("a quantifier without anything to repeat")
        return Chars(charset.chars_of(char))

    def group(self) -> Regex:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnsupportedPatternError(f"groups nested deeper than {MAX_DEPTH} levels")
        look: bool | None = None
        if self.take("?"):
            if self.take("=") or self.peek("!"):
                look = not self.take("!")
            elif self.take("<=") or self.take("<!"):
                raise UnsupportedPatternError("a lookbehind")
            elif self.take("<") or self.take("P<"):
                self.position = self.source.find(">", self.position) + 1 or len(self.source)
            elif not self.take(":"):
                raise UnsupportedPatternError("a group with flags")
        tree = self.alternatives()
        if not self.take(")"):
            raise UnsupportedPatternError("an unclosed parenthesis")
        self.depth -= 1
        return tree if look is None else Look(tree, look)

    def escape(self) -> _Bounds:
        char = self.next()
        if char in _CLASSES:
            return (_CLASSES[char],) * 2
        if char in _CONTROLS:
            return (((_CONTROLS[char],) * 2,),) * 2
        if char in "xu":
            return ((self.code_point(char),),) * 2
        if char in "pP":
            return self.property(inverted=char == "P")
        if char == "c":
            code = ord(self.next()) % 32
            return (((code, code),),) * 2
        if char == "0" and not self.source[self.position : self.position + 1].isdigit():
            return (((0, 0),),) * 2
        if char.isdigit() or char == "k":
            raise UnsupportedPatternError("a back-reference")
        if char.isalpha():
            raise UnsupportedPatternError(f"the escape \\{char}")
        return (charset.chars_of(char),) * 2

    def property(self, *, inverted: bool) -> _Bounds:
        name, closed, _ = self.source[self.position :].partition("}")
        name = name.removeprefix("{").removeprefix("gc=").removeprefix("General_Category=")
        found = charset.category(name) if closed and self.take("{") else None
        if found is None:
            raise UnsupportedPatternError("a Unicode property that is not modelled")
        self.position = self.source.index("}", self.position) + 1
        return (charset.complement(found[1]), charset.complement(found[0])) if inverted else found

    def code_point(self, char: str) -> tuple[int, int]:
        if char == "u" and self.take("{"):
            digits, _, _ = self.source[self.position :].partition("}")
            self.position += len(digits) + 1
        else:
            width = 2 if char == "x" else 4
            digits = self.source[self.position : self.position + width]
            self.position += width
            if len(digits) != width:
                raise UnsupportedPatternError("an escape that ends too early")
        try:
            code = int(digits, 16)
        except ValueError:
            raise UnsupportedPatternError("an escape that is not hexadecimal") from None
        if code > charset.LAST or charset.SURROGATES[0] <= code <= charset.SURROGATES[1]:
            raise UnsupportedPatternError("an escaped surrogate")
        return code, code

    def char_class(self) -> Chars:
        inverted = self.take("^")
        certain: list[tuple[int, int]] = []
        possible: list[tuple[int, int]] = []
        while not self.take("]"):
            low = self.class_atom()
            if self.peek("-") and not self.peek("-]"):
                self.next()
                found = (_range(low[0], self.class_atom()[0]),)
                low = found, found
            certain.extend(low[0])
            possible.extend(low[1])
        sets = charset.normalized(certain), charset.normalized(possible)
        return _chars(*map(charset.complement, sets[::-1])) if inverted else _chars(*sets)

    def class_atom(self) -> _Bounds:
        char = self.next()
        if char == "[" or (char in "&~|-" and self.peek(char)):
            # Rust supports nested classes and set operations here, ECMA-262 does not, so no answer is safe.
            raise UnsupportedPatternError("a class within a class")
        if char != "\\":
            return (charset.chars_of(char),) * 2
        if self.take("b"):
            return (((8, 8),),) * 2
        return self.escape()


def _range(low: CharSet, high: CharSet) -> tuple[int, int]:
    if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
        raise UnsupportedPatternError("a range between classes")
    if high[0][0] < low[0][0]:
        raise UnsupportedPatternError("a range out of order")
    return low[0][0], high[0][0]


def _chars(certain: CharSet, possible: CharSet) -> Chars:
    return Chars(certain) if certain == possible else Chars(certain, possible)


_END = Edge("$")
_LOOSE_END = Alt((_END, Cat((Chars(((0x0A, 0x0A),)), _END))))
"""In Python, ``$`` also matches before a line feed at the end."""


# as many patterns as :func:`.patterns.pattern_node` keeps
@lru_cache(maxsize=2_048)
def read(tree: Regex, reading: Reading) -> Regex:
    """The pattern in one reading of the characters on which engines differ; the same object if they do not."""
    return _read(tree, reading) if _differs(tree) else tree


def _differs(tree: Regex) -> bool:
    if isinstance(tree, Chars):
        return bool(tree.doubtful or tree.loose)
    if isinstance(tree, Edge):
        return tree == _END
    parts = tree.parts if isinstance(tree, Cat | Alt) else (tree.part,)
    return any(map(_differs, parts))


def _read(tree: Regex, reading: Reading) -> Regex:
    if isinstance(tree, Chars):
        loose = tree.loose if reading is Reading.LOOSE else ()
        return Chars(loose or (tree.doubtful if reading is not Reading.CERTAIN else ()) or tree.chars)
    if isinstance(tree, Edge):
        return _LOOSE_END if tree == _END and reading is Reading.LOOSE else tree
    if isinstance(tree, Cat | Alt):
        return replace(tree, parts=tuple(_read(part, reading) for part in tree.parts))
    return replace(tree, part=_read(tree.part, reading)) if isinstance(tree, Repeat | Look) else tree


def backtracks(source: str) -> bool:
    """True if a backtracking engine may be slow, because of nested repetitions or many in a row."""
    if source in WIDER:
        return False  # our own: one character distinguishes the parts of each format
    try:
        tree = parse(source)
    except UnsupportedPatternError:
        return True
    return _endless(tree) > _FEW // 2 or _nests(tree, inside=False)


def _endless(tree: Regex) -> int:
    """The number of unbounded repetitions."""
    if isinstance(tree, Chars | Edge):
        return 0
    if isinstance(tree, Cat | Alt):
        return sum(map(_endless, tree.parts))
    return (isinstance(tree, Repeat) and tree.high is None) + _endless(tree.part)


def _nests(tree: Regex, *, inside: bool) -> bool:
    if isinstance(tree, Repeat):
        varies = tree.high is None or tree.high > tree.low + _FEW
        again = inside or tree.high is None or tree.high > _TWICE
        return (varies and inside) or _nests(tree.part, inside=again and not _is_delimited(tree.part))
    if isinstance(tree, Cat | Alt):
        # Alternatives inside a repetition may overlap, as in (a|a)*.
        return (inside and isinstance(tree, Alt)) or any(_nests(part, inside=inside) for part in tree.parts)
    return isinstance(tree, Look) and _nests(tree.part, inside=inside)


def _is_delimited(tree: Regex) -> bool:
    """True if each round of a repetition starts or ends with a character that does not occur elsewhere in it."""
    parts = tree.parts if isinstance(tree, Cat) else (tree,)
    for edge, others in ((parts[:1], parts[1:]), (parts[-1:], parts[:-1])):
        if len(edge) == 1 and isinstance(edge[0], Chars):
            held = [chars for part in others for chars in _held(part)]
            if not any(charset.overlap(edge[0].chars, chars) for chars in held):
                return True
    return False


def _held(tree: Regex) -> list[CharSet]:
    """The character sets that occur in a pattern."""
    if isinstance(tree, Chars):
        return [tree.chars]
    parts = tree.parts if isinstance(tree, Cat | Alt) else () if isinstance(tree, Edge) else (tree.part,)
    return [chars for part in parts for chars in _held(part)]
