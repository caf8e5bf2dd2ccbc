"""Is an error's message one sentence that an agent can read, free of the machine room?

Charter, principle 3: what failed, why, and what to try next; one human-readable sentence; no stack traces, no
exception type names, no language or library jargon.
"""

from __future__ import annotations

import re

# Code spans and quoted names are data: "no table named 'KeyError'" is a fine sentence, and a full stop inside
# of a name ends nothing. An apostrophe inside a word opens no quotation.
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|(?<!\w)'[^'\n]*'(?!\w)|\[[^\[\]\n]*\]")
_ABBREVIATIONS = frozenset(
    [
        "e.g",
        "i.e",
        "etc",
        "vs",
        "cf",
        "approx",
        "incl",
        "excl",
        "resp",
        "no",
        "nr",
        "fig",
        "ca",
        "al",
        "max",
        "min",
        "dr",
        "mr",
        "mrs",
        "ms",
        "st",
        "a.m",
        "p.m",
    ]
)
_BOUNDARY = re.compile(r"[.!?]+[\"'”’)\]]*\s+\S|[。！？]\s*[^\s。！？」』）)]|\n\s*\S")

_WORD = "word"

# Whether a pattern can match at all is asked of these substrings first: they cost a hundredth of it.
_STACK_WORDS = (
    '", line ', "traceback", "panicked", "goroutine", "backtrace:", "\n",
    ".py:", "js:", ".ts:", ".rb:", ".go:", ".rs:", ".java:", ".kt:", ".scala:",
)  # fmt: skip
_JARGON_WORDS = (
    "validation error", "input_value=", "pydantic", "sqlalche", "psycopg", "asyncpg", '"code":', "<class",
    "object at 0x", "nonetype", "no attribute", "is not subscriptable", "is not iterable", "is not callable",
    "keyword argument", "positional argument", "out of range", "not a function", "cannot read propert",
    "undefined is not",
)  # fmt: skip
_EXCEPTION_WORDS = ("Error", "Exception", "Warning", "KeyboardInterrupt", "StopIteration", "SystemExit")

# A message worth reading is short; what a hostile server appends costs us nothing.
_SCANNED = 4_000

_STACK = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\bFile \"[^\"\n]+\", line \d+"
    r"|(?:^|\n)\s*at (?:async )?[\w$.<>\[\] /@-]*\(?[^()\n]*:\d+(?::\d+)?\)?"
    r"|\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)"
    r"|\bgoroutine \d+ \["
    r"|\bpanicked at "
    r"|\bstack backtrace:"
    r"|\b[\w./\\-]+\.(?:py|js|mjs|cjs|ts|rb|go|rs):\d+(?::\d+)?\b"
)
_EXCEPTION = re.compile(
    r"\b(?:[A-Za-z_]\w*\.)*(?P<name>[A-Z][A-Za-z0-9]*[a-z0-9](?:Error|Exception)|[A-Z][a-z0-9]+Warning"
    r"|KeyboardInterrupt|StopIteration|SystemExit)\b"
)
_ERRNO_WORDS = (
    "EACCES", "EADDRINUSE", "ECONNREFUSED", "ECONNRESET", "EEXIST", "EHOSTUNREACH", "EISDIR", "EMFILE", "ENOENT",
    "ENOTDIR", "ENOTEMPTY", "ENOTFOUND", "EPERM", "EPIPE", "ETIMEDOUT", "[Errno ",
)  # fmt: skip
_ERRNO = re.compile(rf"\b(?:{'|'.join(_ERRNO_WORDS[:-1])})\b|\[Errno -?\d+\]")
_JARGON = re.compile(
    r"\b\d+ validation errors? for \w"
    r"|\[type=\w+, input_value="
    r"|errors\.pydantic\.dev|\bpydantic(?:_core)?\b"
    r"|\bsqlalche\.me/|\bsqlalchemy\b|\bpsycopg2?\b|\basyncpg\b"
    r"|\"code\":\s*\"(?:invalid_type|unrecognized_keys|too_small|too_big|invalid_value|invalid_format)\""
    r"|<class '[\w.]+'>|<[\w.]+ object at 0x[0-9a-f]+>|\bobject at 0x[0-9a-f]{4,}"
    r"|\bNoneType\b|\bhas no attribute\b|\bobject is not (?:subscriptable|iterable|callable)\b"
    r"|\bunexpected keyword argument\b|\bmissing \d+ required positional arguments?\b"
    r"|\btakes \d+ positional arguments? but\b"
    r"|\b(?:list|string|tuple) index out of range\b"
    r"|\bis not a function\b|\bCannot read propert(?:y|ies) of (?:undefined|null)\b|\bundefined is not\b",
    re.IGNORECASE,
)


def sentence_problem(message: str) -> str | None:
    """Why a message is not one sentence (``"has 3 sentences"``), or ``None``.

    Names in quotes, code spans and brackets count as one word each; ``e.g.`` and its like end no sentence.
    """
    text = message[:_SCANNED].strip()
    if not text:
        return "is empty"
    if _BOUNDARY.search(text) is None:
        return None
    masked = _QUOTED.sub(_WORD, text)
    found = sum(not _abbreviated(masked, match) for match in _BOUNDARY.finditer(masked))
    if not found:
        return None
    if "\n" in text:
        return f"has {text.count(chr(10)) + 1} lines"
    return f"has {found + 1} sentences"


def _abbreviated(text: str, boundary: re.Match[str]) -> bool:
    """Whether a boundary is the full stop of an abbreviation or of an initial."""
    if not boundary.group().startswith("."):
        return False
    before = text[: boundary.start()].split()
    word = before[-1].lower().lstrip("([\"'") if before else ""
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())


def leak(message: str) -> str | None:
    """What of the machine room a message shows (``"the exception name ValueError"``), or ``None``."""
    message = message[:_SCANNED]
    lower = message.lower()
    if (_any(_STACK_WORDS, lower) or lower.lstrip().startswith("at ")) and _STACK.search(message):
        return "a stack trace or a source position"
    if _any(_JARGON_WORDS, lower):
        found = _JARGON.search(message)
        if found is not None:
            return f"library words ({found.group()[:40].strip()})"
    return _names(message)


def _names(message: str) -> str | None:
    if _any(_EXCEPTION_WORDS, message):
        found = _EXCEPTION.search(_QUOTED.sub(_WORD, message))
        if found is not None:
            return f"the exception name {found['name'][:60]}"
    found = _ERRNO.search(message) if _any(_ERRNO_WORDS, message) else None
    return f"the system error code {found.group()}" if found else None


def _any(words: tuple[str, ...], text: str) -> bool:
    return any(word in text for word in words)
