"""Checks that an error's message is one sentence that an agent can read, without internals.

Charter, principle 3: what failed, why, and what to try next; one human-readable sentence; no stack traces, no
exception type names, no language or library jargon.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

# Code spans and quoted names are data: "no table named 'KeyError'" is a fine sentence, and a full stop within a name
# does not end it. An apostrophe within a word does not open a quotation.
_QUOTED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|„[^“”\n]*[“”]|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»|(?<!\w)'[^'\n]*'(?!\w)|\[[^\[\]\n]*\]"
)
_BOUNDARY = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+\S|[。！？]\s*[^\s。！？」』）)]|\n\s*\S")

# A full stop after one of these does not end a sentence: before anything, before a number, before a small letter.
_ABBREVIATIONS = frozenset(
    ["e.g", "i.e", "vs", "cf", "approx", "ca", "incl", "excl", "resp", "dr", "mr", "mrs", "prof", "st",
     "z", "z.b", "d.h", "u.a", "bzw", "ggf", "evtl", "inkl", "sr", "sra", "dra", "p.ej",
     "aprox", "bspw", "bzgl", "env", "gem", "lt", "mio", "mme", "mrd", "p.ex", "sog", "vgl"]
)  # fmt: skip
_COUNTED = frozenset(
    ["abb", "abs", "kap", "núm", "num", "pág", "tab",
     "no", "nr", "fig", "vol", "sec", "ch", "p", "pp", "art", "ver", "v",
     "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
     "jän", "mär", "okt", "dez"]
)  # fmt: skip
_CLOSING = frozenset(["etc", "al", "inc", "ltd", "co", "corp", "min", "max", "hr", "hrs", "a.m", "p.m"])
# "z. B.", "d. h.": one letter after another, each with its full stop.
_SPACED = re.compile(r"\b[^\W\d_]\.(?:\s(?:[^\W\d_]|ex|ej)\.)+")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")

_WORD = "word"
_TRACE = "a stack trace or a source position"

# A good message is short; whatever a hostile server appends costs us nothing.
_SCANNED = 4_000

_STACK = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\bFile \"[^\"\n]+\", line \d+"
    r"|(?:^|\n)\s*at (?:async )?[\w$.<>\[\] /@-]*\(?[^()\n]*:\d+(?::\d+)?\)?"
    r"|\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)"
    r"|\bgoroutine \d+ \["
    r"|\bpanicked at "
    r"|\bstack backtrace:"
    r"|\bFatal error:\s+Uncaught\b|#\d+ [^\n]{0,200}\.php\(\d+\)|\bin \S{1,200}\.php on line \d+"
    r"|\bpanic: runtime error:"
    r"|\bException in thread \"|\bCaused by: (?:[a-z]\w*\.)+[A-Z]|\b[Ss]tack trace:\s*#0"
    r"|\bat [\w.`<>]+\([^()\n]{0,200}\) in \S{1,200}:line \d+"
)
_POSITION = re.compile(r"\w\.(?:py|js|mjs|cjs|ts|rb|go|rs):\d+\b")
_EXCEPTION = re.compile(
    r"\b(?P<name>[A-Z][A-Za-z0-9]*(?:Error|Exception)|[A-Z][A-Za-z0-9]*[a-z0-9]Warning"
    r"|KeyboardInterrupt|StopIteration|SystemExit|NoResultFound|MultipleResultsFound|(?:Object)?DoesNotExist"
    r"|TimeoutExpired)\b"
)
_ERRNO = re.compile(
    r"\bE(?:ACCES|ADDRINUSE|CONNREFUSED|CONNRESET|EXIST|HOSTUNREACH|ISDIR|MFILE|NOENT|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE"
    r"|TIMEDOUT)\b"
)
_ERRNO_NUMBER = re.compile(r"\[Errno -?\d+\]")
# The next two read a message in lower case, which is several times faster than ignoring the case of each letter.
_JARGON = re.compile(
    r"\b\d+ validation errors? for \w+"
    r"|\[type=\w+, input_value="
    r"|errors\.pydantic\.dev|\bsqlalche\.me/"
    r"|\"code\":\s*\"(?:invalid_type|unrecognized_keys|too_small|too_big|invalid_value|invalid_format)\""
    r"|<class '[\w.]+'>|<[\w.]+ object at 0x[0-9a-f]+>|\bobject at 0x[0-9a-f]{4,}"
    r"|\bnonetype\b|\bhas no attribute\b|\bobject is not (?:subscriptable|iterable|callable)\b"
    r"|\bunexpected keyword argument\b|\bmissing \d+ required positional arguments?\b"
    r"|\btakes \d+ positional arguments? but\b"
    r"|\b(?:list|string|tuple) index out of range\b|\bindex out of range \[\d+\] with length\b"
    r"|\binvalid literal for \w+\(\)|\bcould not convert string to \w+:|\bunsupported operand type"
    r"|\b(?:too many|not enough) values to unpack\b|\bunhashable type:|\bmaximum recursion depth exceeded\b"
    r"|\bvariable \S+ referenced before assignment\b|\bnil pointer dereference\b|::unwrap\(\)"
    r"|\bobject reference not set to an instance\b|\bora-\d{5}\b|\bsqlstate\b"
    r"|\bline \d+ column \d+ \(char \d+\)|\bin json at position \d+"
    r"|\bjava\.lang\.\w+|\bundefined method [`'‘]|\bundefined (?:variable \$|index: |array key )"
    r"|\bis not a function\b|\bcannot read propert(?:y|ies) of (?:undefined|null)\b|\bundefined is not\b"
)
_LIBRARY = re.compile(
    r"\b(?:pydantic|pydantic_core|sqlalchemy|psycopg2?|asyncpg|aiosqlite|sqlite3|pymysql|botocore|urllib3|aiohttp|httpx"
    r"|asyncio)\b"
)


def sentence_problem(message: str) -> str | None:
    """Why a message is not one sentence (``"has 3 sentences"``), or ``None``.

    Names in quotes, code spans and brackets count as one word each; ``e.g.`` and the like do not end a sentence.
    """
    text = message[:_SCANNED].strip()
    if not text:
        return "is empty"
    if _BOUNDARY.search(text) is None:
        return None
    masked = _SPACED.sub(_WORD, _QUOTED.sub(_WORD, text))
    found = sum(not _goes_on(masked, match) for match in _BOUNDARY.finditer(masked))
    if not found:
        return None
    if "\n" in text:
        return f"has {text.count(chr(10)) + 1} lines"
    return f"has {found + 1} sentences"


def _goes_on(text: str, boundary: re.Match[str]) -> bool:
    """True if a sentence continues after a mark: an ellipsis, or the full stop of an abbreviation or an initial."""
    marks, following = boundary.group(), boundary.group()[-1]
    if marks.startswith(("..", "…")):
        return not following.isupper()
    if not marks.startswith("."):
        return False
    before = text[: boundary.start()].split()
    word = before[-1].lstrip("([\"'") if before else ""
    lower = word.lower()
    return (
        lower in _ABBREVIATIONS
        or (lower in _COUNTED and following.isdigit())
        or (lower in _CLOSING and not following.isupper())
        or (lower not in _CLOSING and _INITIALS.fullmatch(word) is not None)
    )


def leak(message: str) -> str | None:
    """The internals that a message shows (``"the exception name ValueError"``), or ``None``.

    Traces and the phrases of interpreters and libraries count anywhere. Names of exceptions, libraries and source files
    do not count in quotes, where they are data.
    """
    message = message[:_SCANNED]
    if _STACK.search(message):
        return _TRACE
    if found := _JARGON.search(message.lower()):
        return f"library words ({message[found.start() : found.end()][:40].strip()})"
    words = _QUOTED.sub(_WORD, message)
    if found := _EXCEPTION.search(words):
        return f"the exception name {found['name'][:60]}"
    if found := _LIBRARY.search(words.lower()):
        return f"library words ({found.group()})"
    if _POSITION.search(words):
        return _TRACE
    # The number is in brackets, which otherwise contain data.
    if found := _ERRNO.search(words) or _ERRNO_NUMBER.search(message):
        return f"the system error code {found.group()}"
    return None


def strings_of(value: Any) -> str:
    """The strings in a JSON value, one per line, as far as :func:`leak` reads them, without keys."""
    found: list[str] = []
    stack, room = [value], _SCANNED
    while stack and room > 0:
        here = stack.pop()
        if isinstance(here, str):
            found.append(here[:room])
            room -= len(here) + 1
        elif isinstance(here, dict | list):
            inner = here if isinstance(here, list) else here.values()
            # Each string has at least one character, so more of them would not be read.
            stack.extend(reversed([*itertools.islice(inner, room)]))
    return "\n".join(found)
