"""The secrets of a run, known only to this module, and the functions that remove them from text.

Whatever passes a value to a server registers it here (:mod:`mcp_governor.secret_detection` decides which values are
secrets). Endpoints do so when they are created, so the secrets of every server are known. Text from a server is
redacted on arrival, before anything cuts or escapes it (``wire``); :mod:`mcp_governor.text` redacts text when it
escapes it for display; and the command line redacts again whatever it prints.

A secret is found in any letter case, escaped for JSON, Python, HTML, URLs and patterns, and in base64 and hexadecimal.
Values of four and five characters are found as whole words only, because they could be part of any word. A server that
splits, reverses or encrypts a value evades this.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REDACTED = "[redacted]"
"""The replacement for a secret."""

SHORTEST = 4
"""Minimum length of a secret in characters; shorter ones can be guessed, and occur in every text."""

_SHORTEST_PART = 6
"""Minimum length in characters for a secret to be found within other words, and in any letter case."""

_SHORTEST_CODED = 8
"""Minimum number of base64 characters to search for; fewer represent too little of a secret."""

_SMALLEST_NUMBER = 10 ** (_SHORTEST_PART - 1)
"""Smaller numbers never count as secrets: they are limits and sizes in schemas."""

_LONGEST = 65_536
"""Maximum number of characters registered per value; a longer one is found by its beginning."""

_LONGEST_PATTERN = 256
"""Maximum number of characters of a spelling in the regular expression, which takes over two kilobytes for each. The
rest is compared directly."""

_MAX_REMEMBERED = 50_000
"""Maximum number of cached strings without secrets; others are searched each time."""

_LONGEST_REMEMBERED = 100
"""Maximum length of a cached string in characters, so that the cache takes a few megabytes."""

MOST = 256
"""Maximum number of secrets in a run: every string is searched for each of them. With more, the run ends."""

# Values that mean a choice, not a secret. They include words of JSON Schema and of our own reports, so that the
# configuration in a stranger's pull request cannot remove those from a report.
COMMON = frozenset(
    (
        *("true", "false", "yes", "none", "null", "undefined", "auto", "default", "enabled", "disabled"),
        *("debug", "trace", "info", "warn", "warning", "error", "fatal", "critical", "verbose", "silent"),
        *("test", "tests", "testing", "staging", "stage", "production", "prod", "development", "develop"),
        *("local", "localhost", "remote", "main", "master", "latest", "stable", "json", "yaml", "toml", "text"),
        *("html", "http", "https", "stdio", "stdin", "stdout", "utf-8", "utf8", "ascii", "basic", "bearer"),
        *("oauth", "oauth2", "token", "password", "secret", "example", "changeme", "dummy", "placeholder"),
        *("redacted", "type", "string", "number", "integer", "boolean", "object", "array", "properties"),
        *("required", "items", "enum", "const", "description", "title", "format", "pattern"),
        *("additionalproperties", "tool", "tools", "name", "names", "path", "paths", "message", "severity"),
        *("findings", "finding", "changes", "change", "verdict", "pass", "passed", "fail", "failed", "kind"),
        *("rule", "rules", "baseline", "target", "server", "fingerprint", "summary", "report", "version"),
        *("minor", "major", "patch", "breaking", "compatible", "unknown", "surface", "witness", "level"),
        *("tier", "side", "fixed", "added", "changed", "removed", "deprecated", "accepted", "governor"),
    )
)


class Secrets:
    """Values that must not leave the process, each with its origin."""

    def __init__(self) -> None:
        self._origins: dict[str, str] = {}
        self._finder: _Finder | None = None

    def add(self, value: str, origin: str) -> None:
        """Register a value unconditionally, unless it is shorter than four characters."""
        value = value[:_LONGEST]
        parts = [value, value.strip()]
        lines = value.split("\n")
        if len(lines) > 1:
            # A key of several lines may come back as one of its lines, or joined.
            parts += [" ".join(value.split()), *(line.strip() for line in lines if len(line.strip()) >= 16)]
        for part in parts:
            known = part in self._origins or len(part) < SHORTEST or part in REDACTED
            if not known and part.lower() not in COMMON:
                if len(self._origins) >= MOST:
                    raise ConfigError(
                        f"The configuration gives servers more than {MOST} values to keep secret.",
                        "Configure fewer servers in one file, or fewer variables.",
                    )
                self._origins[part] = origin
                self._finder = None

    def clear(self) -> None:
        """Forget all secrets, for a new run in the same process."""
        self._origins.clear()
        self._finder = None

    @property
    def finder(self) -> _Finder | None:
        """The object that finds the secrets; ``None`` if there are none."""
        if self._finder is None and self._origins:
            self._finder = _Finder(self._origins)
        return self._finder


class _Finder:
    """Finds a set of secrets in text: first with a cheap test for any of them, then with an expression that replaces
    them."""

    def __init__(self, origins: Mapping[str, str]) -> None:
        self._origins: dict[str, str] = {}
        words = []
        for secret, origin in origins.items():
            if len(secret) < _SHORTEST_PART:
                words.append(secret)
                self._origins.setdefault(secret.lower(), origin)
                continue
            for spelling in _spellings(secret):
                self._origins.setdefault(spelling.lower(), origin)
        self._looks = tuple(self._origins)
        # Keywords and phrases of schemas occur thousands of times.
        self._clean: set[str] = set()
        self._shortest = min(map(len, self._looks))
        whole = sorted((spelling for spelling in self._looks if spelling not in map(str.lower, words)), key=len)
        # Beginning → its possible continuations, the longest first.
        self._rests: dict[str, list[str]] = {}
        for spelling in reversed(whole):
            self._rests.setdefault(spelling[:_LONGEST_PATTERN], []).append(spelling[_LONGEST_PATTERN:])
        beginnings = sorted(self._rests, key=len, reverse=True)
        patterns = [f"(?i:{re.escape(beginning)})" for beginning in beginnings]
        patterns += [rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])" for word in words]
        self._pattern = re.compile("|".join(patterns))

    def redact(self, text: str) -> str:
        """The text without the secrets."""
        if len(text) < self._shortest or text in self._clean:
            return text
        low = text.lower()
        for look in self._looks:
            if look in low:
                return self._replaced(text)
        if len(text) <= _LONGEST_REMEMBERED and len(self._clean) < _MAX_REMEMBERED:
            self._clean.add(text)
        return text

    def _replaced(self, text: str) -> str:
        """The text with each secret replaced; if a long one is incomplete, its beginning is replaced."""
        out: list[str] = []
        done = 0
        for match in self._pattern.finditer(text):
            start, end = match.span()
            if end <= done:
                continue
            for rest in self._rests.get(match[0].lower(), ()):
                if rest and text[end : end + len(rest)].lower() == rest:
                    end += len(rest)
                    break
            if start >= done:
                out += (text[done:start], REDACTED)
            done = end
        return "".join((*out, text[done:]))

    def origins(self, text: str) -> set[str]:
        """The origins of the secrets in a string."""
        if len(text) < self._shortest:
            return set()
        low = text.lower()
        hits = {self._origins[look] for look in self._looks if look in low}
        return hits if hits and self._pattern.search(text) else set()

    def end_of(self, text: str) -> int:
        """The number of characters at the beginning of ``text`` that belong to a secret whose start was cut off."""
        low = text[: max(map(len, self._looks))].lower()
        return max(
            (size for look in self._looks for size in range(SHORTEST, len(look)) if low[:size] == look[-size:]),
            default=0,
        )


def _spellings(secret: str) -> set[str]:
    """The forms in which a server could write a value without hiding it."""
    import html
    import json
    from urllib.parse import quote, quote_plus

    data = secret.encode("utf-8", "surrogatepass")
    escaped = json.dumps(secret)[1:-1]
    out = {secret, escaped, json.dumps(secret, ensure_ascii=False)[1:-1], json.dumps(escaped)[1:-1], repr(secret)[1:-1]}
    out |= {html.escape(secret), html.escape(secret, quote=False), quote(data), quote(data, safe=""), quote_plus(data)}
    out |= {*_base64(data), data.hex(), re.escape(secret)}
    return {spelling for spelling in out if len(spelling) >= _SHORTEST_PART}


def _base64(data: bytes) -> Iterator[str]:
    """The base64 characters common to all strings that contain ``data``, for each of its three alignments."""
    from base64 import b64encode

    for before in range(3):
        text = b64encode(b"\0" * before + data).decode()
        # Characters that depend on neighbours contain too little of the secret, and too much of the neighbours.
        first = (before * 8 + 5) // 6
        last = (before + len(data)) * 8 // 6
        for spelling in {text[first:last], text[first:last].replace("+", "-").replace("/", "_")}:
            if len(spelling) >= _SHORTEST_CODED:
                yield spelling


_KNOWN = Secrets()


def redact(text: str) -> str:
    """The text with every known secret replaced by :data:`REDACTED`. Redact first, cut and escape afterwards."""
    finder = _KNOWN.finder
    return text if finder is None else finder.redact(text)


def redact_tail(text: str) -> str:
    """Like :func:`redact`, for a string whose beginning was cut off, perhaps within a secret."""
    finder = _KNOWN.finder
    if finder is None:
        return text
    cut = finder.end_of(text)
    return finder.redact(f"{REDACTED}{text[cut:]}" if cut else text)


def redact_json(value: Any, found: set[str] | None = None) -> Any:
    """A JSON value without known secrets in its strings, including keys; the value itself if it has none.

    Args:
        value: not modified.
        found: receives the origins of the secrets in the value.
    """
    finder = _KNOWN.finder
    return value if finder is None else _redacted(value, finder, found)


def _redacted(value: Any, finder: _Finder, found: set[str] | None) -> Any:
    if isinstance(value, str):
        text = finder.redact(value)
        if found is not None and text != value:
            found |= finder.origins(value)
        return text
    if isinstance(value, list):
        items = [_redacted(item, finder, found) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        return _redacted_object(value, finder, found)
    if isinstance(value, int) and abs(value) >= _SMALLEST_NUMBER:
        # A number may be a secret. Replacing it with a string changes its type, but a leak would be worse.
        text = _redacted(str(value), finder, found)
        return value if text == str(value) else text
    return value


def _redacted_object(value: dict[Any, Any], finder: _Finder, found: set[str] | None) -> dict[Any, Any]:
    members: dict[Any, Any] = {}
    changed = False
    for key, item in value.items():
        name = wanted = _redacted(key, finder, found) if isinstance(key, str) else key
        number = 1
        # Two keys may differ only in the secret; both members are kept.
        while name in members:
            number += 1
            name = f"{wanted} {number}"
        members[name] = _redacted(item, finder, found)
        changed = changed or name is not key or members[name] is not item
    return members if changed else value


def forget() -> None:
    """Forget every secret, at the start of a new command-line run in the same process."""
    _KNOWN.clear()


def keep(value: str, origin: str) -> None:
    """Register a secret.

    Args:
        value: at least four characters and not a common word; anything else is ignored.
        origin: where a server got it from, in the words of a finding: ``the header X-Token``.

    Raises:
        ConfigError: there are too many secrets.
    """
    _KNOWN.add(value, origin)
