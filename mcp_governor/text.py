"""Escapes text from an untrusted server for display.

A governed server is hostile until proved otherwise (docs/trust.md): its text may contain ANSI sequences, bidirectional
overrides, invisible characters or lone surrogates, and secrets that it was given. Everything that shows such text to a
person passes it through here first; formats with a syntax of their own (Markdown, HTML) escape it further. Every line
that leaves the process passes through :func:`printable`.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from mcp_governor.errors import UsageError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.secrets import REDACTED, redact

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

_SUSPECT = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_PLAIN = str.maketrans("", "", "…—–→’“”")
"""Signs beyond ASCII that messages and descriptions are full of."""
_WORD = lazy_pattern(r"\S+")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def visible(text: str, *, keep_newlines: bool = False) -> str:
    """Replace characters that could deceive a terminal or a reader with visible escapes.

    Control characters, ANSI introducers, bidirectional controls, invisible and tag characters, variation selectors,
    lone surrogates, U+FFFE and U+FFFF (which XML forbids) become ``\\x1b`` or ``\\u{202e}``; known secrets become
    ``[redacted]``; everything else stays as it is.

    Args:
        text: any string, which may contain lone surrogates.
        keep_newlines: keep line feeds (for blocks of text that are shown as such).
    """
    text = redact(text)
    if keep_newlines:
        return "\n".join(map(visible, text.split("\n")))
    if text.isprintable() and text.translate(_PLAIN).isascii():
        return text
    return _SUSPECT.sub(_escape, text)


LONGEST_LINE = 4_000
"""Maximum number of characters shown per line: a screen full. A longer one is cut in the middle, and its length is
given."""

# GitHub runners obey a line that begins with "::", after any white space, and "##[" anywhere in a line; Azure Pipelines
# obeys "##vso[" and TeamCity "##teamcity[". The white space excludes line feeds: otherwise each blank line would be
# searched again for every one above it.
_COMMAND = lazy_pattern(r"(?m)^([^\S\n]*+):(?=:)|#(?=#\w*\[)")


def inert(text: str) -> str:
    """The text with everything escaped that a CI system would take for a command."""
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(lambda match: "\\x23" if match[1] is None else f"{match[1]}\\x3a", text)


def shortened(text: str, limit: int = LONGEST_LINE) -> str:
    """The text, cut in the middle if it is longer than ``limit`` characters, with its length in that place."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    return f"{text[:head]}… [{len(text):,} characters] …{text[-tail:]}"


def printable(text: str) -> str:
    """Text of one or more lines, safe to print.

    No line contains a known secret, a character that :func:`visible` escapes, or a command for a CI system, and none is
    longer than :data:`LONGEST_LINE`.
    """
    # Escapes make a line longer, so it is cut last; the text inserted at the cut cannot form a command.
    return "\n".join(map(shortened, inert(visible(text, keep_newlines=True)).split("\n")))


def escape_json(document: str) -> str:
    """JSON text with every character that :func:`visible` escapes as a JSON escape: safe to print, with the same value.

    Line feeds between values stay; within strings JSON escapes them anyway. Commands for CI systems are escaped, too.
    """
    return _JSON_COMMAND.sub(r"\\u0023", _SUSPECT.sub(_json_escape, document))


_JSON_COMMAND = lazy_pattern(r"#(?=#\w*\[)")


def ascii_json(document: str) -> str:
    """JSON text with every character outside ASCII as a JSON escape: the same value for a stream that lacks them."""
    return _NOT_ASCII.sub(_json_escape, document)


_NOT_ASCII = lazy_pattern(r"[^\x00-\x7f]")


def escape_toml(literal: str) -> str:
    """A TOML value with every character that :func:`visible` escapes as a TOML escape; the value stays the same.

    Args:
        literal: a value that contains such characters within basic strings only. Line feeds stay.
    """
    return _SUSPECT.sub(_toml_escape, literal)


def toml_value(value: Any) -> str:
    """A JSON value as TOML in one line; nulls, which TOML does not have, are left out of lists and objects."""
    import json

    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value if item is not None) + "]"
    if isinstance(value, dict):
        members = (f"{toml_key(name)} = {toml_value(item)}" for name, item in value.items() if item is not None)
        return "{ " + ", ".join(members) + " }"
    if not isinstance(value, str):
        return json.dumps(value)
    # A TOML basic string is a JSON string, but for what JSON does not have to escape.
    return escape_toml(json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False))


def toml_key(name: str) -> str:
    """The key of a TOML table, in quotes if it needs them."""
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else toml_value(name)


def _toml_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x0A:
        return "\n"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _json_escape(match: re.Match[str]) -> str:
    char = match.group()
    if char == "\n":
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def check_unicode(text: str, what: str) -> None:
    """Check that a file can contain a string: bytes of the command line that are not UTF-8 become lone surrogates.

    Raises:
        UsageError: it cannot; ``what`` names the string.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f'{what} is not UTF-8: "{one_line(text, 60)}".', "Write it in UTF-8.") from None


def char_name(char: str) -> str:
    """``U+202E RIGHT-TO-LEFT OVERRIDE``: the name of a character that cannot be shown."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}"


def one_line(text: str, limit: int = 160) -> str:
    """The text on one line, safe to print, cut with an ellipsis after ``limit`` characters."""
    # Redacted before and after joining the lines, because a secret may contain white space.
    text, enough = redact(text), limit + _LONGEST_SECRET
    flat = visible(" ".join(text.split() if len(text) <= enough else _words(text, enough)))
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _words(text: str, enough: int) -> Iterator[str]:
    """The words of a string up to ``enough`` characters: the words of a string of 30 MB would take 600 MB."""
    for word in _WORD.finditer(text):
        if enough <= 0:
            return
        yield text[word.start() : min(word.end(), word.start() + enough)]
        enough -= word.end() - word.start() + 1


def beginning(data: bytes, limit: int) -> str:
    """The first ``limit`` characters of data from a server, without secrets, even if the cut goes through one.

    The result is not escaped for display.
    """
    return redact(data[: limit + _LONGEST_SECRET].decode(errors="replace"))[:limit]


_LONGEST_SECRET = 8_192
"""Number of bytes after a cut that are searched; a longer secret is redacted where it is complete."""


_DIGEST = lazy_pattern(r"\b([vw]\d+:sha256:[0-9a-f]{12})[0-9a-f]{52}\b")


def short_digests(text: str) -> str:
    """The text with fingerprints cut to 12 digits, which two surfaces of one server do not share by chance."""
    return _DIGEST.sub(r"\1", text) if ":sha256:" in text else text


def command_line(words: Iterable[str], limit: int = 1_000) -> str:
    """A command as a person would type it, without secrets, safe to print."""
    import shlex

    # Quoting comes last: a quoted secret that contains a quote would not be found.
    redacted = map(redact, words)
    return one_line(" ".join(word if word == REDACTED else shlex.quote(word) for word in redacted), limit)


_CAMEL = lazy_pattern(r"[a-z]+[A-Z]")


def sentence(text: str) -> str:
    """The text as a sentence of its own, with a capital at the start and a full stop at the end.

    Code in backticks and names such as ``exclusiveMinimum`` keep their case, and nothing is added after punctuation.
    """
    capital = text if _CAMEL.match(text) else text[:1].upper() + text[1:]
    return capital if not capital or capital[-1] in ".!?:;…" else f"{capital}."


def capital(clause: str) -> str:
    """A clause as the start of a sentence; a file name at its start keeps its case."""
    return clause[:1].upper() + clause[1:] if clause.partition(" ")[0].isalpha() else clause


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant; ``None`` if none is close."""
    import difflib

    hits = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return hits[0] if hits else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` Did you mean "x"?`` with a leading space, or an empty string."""
    hit = nearest(word, known)
    return f' Did you mean "{hit}"?' if hit else ""


_KINDS: dict[type, str] = {
    bool: "a boolean",
    str: "a string",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind_of(value: Any) -> str:
    """The type of a JSON value, in words: ``a list``, ``null``, ``an object``."""
    return _KINDS.get(type(value), type(value).__name__)


def counted(number: int, one: str, many: str = "") -> str:
    """``1 tool``, ``2 tools``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def first_of(names: Sequence[str], most: int, width: int = 64) -> str:
    """The first names of several, each cut to a width, and how many there are besides: ``a, b and 3 more``."""
    shown = ", ".join(one_line(name, width) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
