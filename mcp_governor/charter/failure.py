"""Checks of the error in an envelope against principle 3: kind, message, recovery, and the fields of a refusal.

A message says what failed, why, and what to try next, in one human-readable sentence without stack traces, exception
type names and library jargon.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, are_strings, unknown_keys, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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


def error_breaches(error: dict[str, Any], status: str | None, kinds: Iterable[str] | None) -> list[Breach]:
    """All violations in an error object.

    Args:
        error: the envelope's error.
        status: the envelope's status; ``None`` if it is not one of the six.
        kinds: the known error kinds; ``None`` to accept any.
    """
    out: list[Breach] = []
    kind = error.get("kind")
    if not isinstance(kind, str):
        out.append(wrong_type("/error/kind", "a string", kind))
        kind = None
    elif kinds is not None and kind not in kinds:
        out.append(Breach("envelope/error-kind", "/error/kind", kind))
    elif kind in facts.DISPATCH_KINDS:
        out.append(Breach("envelope/dispatch-kind", "/error/kind", kind))
    if kind is not None and status is not None:
        _refusal(kind, status, out)
    _message(error.get("message"), out)
    _recovery(error.get("recovery"), kind, out)
    _pii(error.get("pii_categories"), kind, out)
    anchor = error.get("anchor_entity")
    if anchor is not None and not isinstance(anchor, str):
        out.append(wrong_type("/error/anchor_entity", "a string or null", anchor))
    _others("error", error, facts.ERROR_KEYS, "/error", out)
    return out


def _others(part: str, given: dict[str, Any], known: Iterable[str], path: str, out: list[Breach]) -> None:
    """Keys that the charter does not define; a key that shows internals is reported as that instead."""
    for breach in unknown_keys(part, given, known, path):
        shows = leak(strings_of(given[breach.value]))
        if shows is None:
            out.append(breach)
        else:
            out.append(_shown(breach.path, given[breach.value], shows))


def _shown(path: str, value: Any, shows: str) -> Breach:
    field = path.rsplit("/", 1)[1]
    return Breach.of("envelope/message-leak", path, value, says="field", field=field, shown=shows)


def _refusal(kind: str, status: str, out: list[Breach]) -> None:
    if status == "refused" and kind not in facts.REFUSAL_KINDS:
        out.append(Breach("envelope/refused-kind", "/error/kind", kind))
    elif status == "error" and kind in facts.REFUSAL_KINDS:
        out.append(Breach("envelope/refusal-status", "/status", kind))


def _message(message: Any, out: list[Breach]) -> None:
    path = "/error/message"
    if not isinstance(message, str):
        out.append(wrong_type(path, "a string", message))
        return
    problem = sentence_problem(message)
    if problem is not None:
        out.append(Breach.of("envelope/message-sentence", path, message, problem=problem))
    shows = leak(message)
    if shows is not None:
        out.append(Breach.of("envelope/message-leak", path, message, says="message", shown=shows))


def _recovery(recovery: Any, kind: str | None, out: list[Breach]) -> None:
    path = "/error/recovery"
    if not isinstance(recovery, dict):
        out.append(wrong_type(path, "an object", recovery))
        return
    tool, args, fuzzy = (recovery.get(key) for key in ("suggested_tool", "suggested_args", "fuzzy_matches"))
    if tool is not None and not (isinstance(tool, str) and tool):
        out.append(wrong_type(f"{path}/suggested_tool", "a tool's name or null", tool))
    if args is not None and not isinstance(args, dict):
        out.append(wrong_type(f"{path}/suggested_args", "an object or null", args))
    if fuzzy is not None and not are_strings(fuzzy):
        out.append(wrong_type(f"{path}/fuzzy_matches", "a list of strings", fuzzy))
    for key, members in _REFUSAL_MEMBERS.items():
        _offer(recovery.get(key), f"{path}/{key}", members, kind, out)
    if kind != facts.NO_RETRY_KIND and not any(recovery.get(key) for key in facts.RECOVERY_KEYS):
        out.append(Breach("envelope/recovery-empty", path, recovery))
    _others("recovery", recovery, facts.RECOVERY_KEYS, path, out)


_REFUSAL_MEMBERS = {"suggested_rewrite": facts.REWRITE_MEMBERS, "widening_hint": facts.WIDENING_MEMBERS}


def _offer(value: Any, path: str, members: Mapping[str, str], kind: str | None, out: list[Breach]) -> None:
    """A suggestion in a refusal: an object, or a plain string, since the sources name no type."""
    if value is None:
        return
    key = path.rsplit("/", 1)[1]
    if isinstance(value, dict):
        _members(value, path, members, out)
        _others(key, value, members, path, out)
    elif not isinstance(value, str) or not value:
        out.append(wrong_type(path, "an object, a string or null", value))
    if kind is None:
        return
    if kind not in facts.REFUSAL_KINDS:
        out.append(_refusal_only(path, key, kind))
    elif key == "widening_hint" and kind != facts.WIDENING_KIND:
        out.append(Breach("envelope/widening-kind", path, kind))


def _members(value: dict[str, Any], path: str, members: Mapping[str, str], out: list[Breach]) -> None:
    for key, wanted in members.items():
        given = value.get(key)
        fits = isinstance(given, bool) if wanted == "a boolean" else isinstance(given, str) and bool(given)
        if not fits:
            out.append(wrong_type(f"{path}/{key}", wanted, given))
    shows = leak(reason) if isinstance(reason := value.get("reason"), str) else None
    if shows is not None:
        out.append(_shown(f"{path}/reason", value["reason"], shows))


def _pii(categories: Any, kind: str | None, out: list[Breach]) -> None:
    path = "/error/pii_categories"
    if not categories:
        if categories is not None and categories != []:
            out.append(wrong_type(path, "a list of strings", categories))
        return
    if not are_strings(categories):
        out.append(wrong_type(path, "a list of strings", categories))
        return
    for index, name in enumerate(categories):
        if name not in facts.PII_CATEGORIES:
            out.append(Breach("envelope/pii-category", f"{path}/{index}", name))
    if kind is not None and kind not in facts.REFUSAL_KINDS:
        out.append(_refusal_only(path, "pii_categories", kind))


def _refusal_only(path: str, key: str, kind: str) -> Breach:
    return Breach.of("envelope/refusal-fields", path, [key, kind], field=key, kind=kind)
