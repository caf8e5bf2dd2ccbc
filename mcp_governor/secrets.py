"""The secrets of a run: the one place that knows them, and the functions that take them out of text.

Whatever hands a value to a server registers it here: an endpoint does it when it is made, so there is no server
without its secrets being known. What a server says is redacted when it comes in, before anybody cuts or escapes it
(``wire``); :mod:`mcp_governor.text` redacts what it makes safe to show; and the command line redacts once more what it
prints.

What counts as a secret:

- under a name that says so (``API_KEY``, ``X-Auth-Token``, ``--password``), any value of at least four characters;
- a value that is taken from the environment (``$NAME``, ``${env:NAME}``), from six characters on, and a literal from
  eight characters on, unless it is plainly something else: a number, a path, a version, a host, a common word;
- of a URL, the user, the password, the values of its query and path segments that look like tokens.

What is found: the value itself in any case, also escaped for JSON, Python, HTML and URLs, and in base64 and in
hexadecimal. Values of four and five characters are found as whole words only, because they could be part of any word.
A server that splits, reverses or encrypts a value gets past this.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

REDACTED = "[redacted]"
"""What stands where a secret was."""

SHORTEST_NAMED = 4
"""Characters from which on a value counts as a secret if its name says that it is one; shorter ones are guessed."""

SHORTEST_REFERENCE = 6
"""The same for a value that the configuration takes from the environment, whatever its name."""

SHORTEST_LITERAL = 8
"""The same for a value that stands in the configuration itself."""

_SHORTEST_PART = 6
"""From here on a secret is found inside of other words, and in any case."""

_SMALLEST_NUMBER = 10 ** (_SHORTEST_PART - 1)
"""Numbers below are never taken for a secret: they are limits and sizes in schemas."""

_LONGEST = 65_536
"""Characters of a value that are registered; a longer one is redacted by its beginning."""

_LONGEST_SEGMENT = 512
"""Characters of a path segment that are looked at; looking costs the square of it."""

MOST = 256
"""Secrets that one run may have: every text is looked through for each of them. Beyond that the run ends."""

_MOST_VARIABLES = 1_000
"""Variables of our own environment that are looked at; real ones have a hundred."""

_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    (
        *("apikey", "apikeys", "auth", "authorization", "bearer", "cookie", "cookies", "credential"),
        *("credentials", "creds", "dsn", "hmac", "jwt", "key", "keys", "otp", "pass", "passcode", "passphrase"),
        *("passwd", "password", "passwords", "pat", "pin", "pwd", "salt", "secret", "secrets", "session"),
        *("sig", "signature", "token", "tokens", "webhook"),
    )
)
# What the last word of a name turns into something else than the secret: TOKEN_URL, KEY_FILE, AUTH_TYPE, MAX_TOKENS.
_KIND_WORDS = frozenset(
    (
        *("algorithm", "audience", "count", "dir", "directory", "enabled", "endpoint", "expiry", "file"),
        *("folder", "format", "header", "host", "id", "issuer", "length", "limit", "method", "mode", "name"),
        *("path", "port", "prefix", "provider", "realm", "required", "scope", "scopes", "size", "timeout"),
        *("ttl", "type", "uri", "url", "user", "username", "version"),
    )
)
_AMOUNT_WORDS = frozenset(["max", "min", "num", "limit", "count", "budget", "per"])
_HARMLESS_HEADERS = frozenset(
    (
        *("accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-type", "host"),
        *("mcp-protocol-version", "origin", "referer", "user-agent"),
    )
)
# Values that stand for a choice and not for a secret. Words of JSON Schema and of our own reports are among them: a
# configuration of a stranger's pull request must not be able to take those out of a report.
_COMMON = frozenset(
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
_PLAIN = lazy_pattern(
    r"[-+]?\d[\d_.,:]*[a-z%]{0,3}"  # numbers, times, amounts with a unit, IPv4 addresses, versions
    r"|v?\d+(?:\.\d+)+[a-z]{0,5}\d{0,6}(?:[-+.][0-9A-Za-z]+){0,4}"
    r"|\d{4}-\d\d-\d\d(?:[T ].{0,20})?"
    r"|(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w./\\ @~+-]*"
    r"|\.[\w.-]+"
    r"|(?=[^/]*[a-z.])[\w.-]+\.(?:com|org|net|io|dev|local|internal|localhost|json|toml|ya?ml|txt|py|js|ts|sh|db|pem)"
    r"(?::\d+)?"
    r"|localhost(?::\d+)?"
    r"|[a-z]{2}[_-][A-Z]{2}(?:\.[\w-]+)?"
)
_WORD = lazy_pattern(r"[a-z]{1,12}|[A-Z][a-z]{1,11}|[A-Z]{1,12}")
_URL = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_ASSIGNED = lazy_pattern(r"-{0,2}([A-Za-z_][\w.-]*)=(.+)", re.DOTALL)
_HEADER = lazy_pattern(r"([A-Za-z][\w-]*):\s*(.+)")
_TOKEN_RUN = lazy_pattern(
    r"(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4,}){3,}"
)


class Secrets:
    """Values that must not leave, and where each came from."""

    def __init__(self) -> None:
        self._origins: dict[str, str] = {}
        self._finder: _Finder | None = None

    def add(self, value: str, origin: str) -> None:
        """Register a value, whatever it looks like; one that is shorter than four characters is left out."""
        value = value[:_LONGEST]
        parts = [value, value.strip()]
        lines = value.split("\n")
        if len(lines) > 1:
            # A key in several lines may come back in one of them, or joined.
            parts += [" ".join(value.split()), *(line.strip() for line in lines if len(line.strip()) >= 16)]
        for part in parts:
            known = part in self._origins or len(part) < SHORTEST_NAMED or part in REDACTED
            if not known and part.lower() not in _COMMON:
                if len(self._origins) >= MOST:
                    raise ConfigError(
                        f"The configuration gives servers more than {MOST} values to keep secret.",
                        "Configure fewer servers in one file, or fewer variables.",
                    )
                self._origins[part] = origin
                self._finder = None

    def clear(self) -> None:
        """Forget all of them: a new run in the same process."""
        self._origins.clear()
        self._finder = None

    @property
    def finder(self) -> _Finder | None:
        """What finds them; ``None`` where there are none."""
        if self._finder is None and self._origins:
            self._finder = _Finder(self._origins)
        return self._finder


class _Finder:
    """Finds a set of secrets in text: a cheap look whether any is there, and an expression that replaces them."""

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
        self._shortest = min(map(len, self._looks))
        whole = sorted((spelling for spelling in self._looks if spelling not in map(str.lower, words)), key=len)
        patterns = [f"(?i:{re.escape(spelling)})" for spelling in reversed(whole)]
        patterns += [rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])" for word in words]
        self._pattern = re.compile("|".join(patterns))

    def redact(self, text: str) -> str:
        """The text without the secrets."""
        if len(text) < self._shortest:
            return text
        low = text.lower()
        return self._pattern.sub(REDACTED, text) if any(look in low for look in self._looks) else text

    def origins(self, text: str) -> set[str]:
        """Where the secrets in a text came from."""
        if len(text) < self._shortest:
            return set()
        low = text.lower()
        hits = {self._origins[look] for look in self._looks if look in low}
        return hits if hits and self._pattern.search(text) else set()

    def end_of(self, text: str) -> int:
        """How many characters at the beginning of ``text`` are the rest of a secret whose beginning was cut off."""
        low = text[: max(map(len, self._looks))].lower()
        return max(
            (size for look in self._looks for size in range(SHORTEST_NAMED, len(look)) if low[:size] == look[-size:]),
            default=0,
        )


def _spellings(secret: str) -> set[str]:
    """How a server could write a value without hiding it."""
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
    """The characters of the base64 of any text that holds ``data``, for each of its three places in a group."""
    from base64 import b64encode

    for before in range(3):
        text = b64encode(b"\0" * before + data).decode()
        # Characters that depend on neighbours say too little of the secret, and too much of the neighbours.
        first = (before * 8 + 5) // 6
        last = (before + len(data)) * 8 // 6
        for spelling in {text[first:last], text[first:last].replace("+", "-").replace("/", "_")}:
            if len(spelling) >= SHORTEST_LITERAL:
                yield spelling


_KNOWN = Secrets()


def redact(text: str) -> str:
    """The text with every known secret replaced by :data:`REDACTED`. Redact first, cut and escape afterwards."""
    finder = _KNOWN.finder
    return text if finder is None else finder.redact(text)


def redact_tail(text: str) -> str:
    """As :func:`redact`, for a text whose beginning was cut off, perhaps within a secret."""
    finder = _KNOWN.finder
    if finder is None:
        return text
    cut = finder.end_of(text)
    return finder.redact(f"{REDACTED}{text[cut:]}" if cut else text)


def redact_json(value: Any, found: set[str] | None = None) -> Any:
    """A JSON value whose strings hold no known secret, keys included; the value itself where there is none.

    Args:
        value: left as it is.
        found: gets the origins of the secrets that were there.
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
        # A number that is told as a secret: a text in its place is wrong, and a leak is worse.
        text = _redacted(str(value), finder, found)
        return value if text == str(value) else text
    return value


def _redacted_object(value: dict[Any, Any], finder: _Finder, found: set[str] | None) -> dict[Any, Any]:
    members: dict[Any, Any] = {}
    changed = False
    for key, item in value.items():
        name = wanted = _redacted(key, finder, found) if isinstance(key, str) else key
        number = 1
        # Two keys may differ in the secret only; both members stay.
        while name in members:
            number += 1
            name = f"{wanted} {number}"
        members[name] = _redacted(item, finder, found)
        changed = changed or name is not key or members[name] is not item
    return members if changed else value


def forget() -> None:
    """Forget every secret: what a new run of the command line in the same process begins with."""
    _KNOWN.clear()


def learn(value: str, name: str, *, reference: bool = False, origin: str = "") -> None:
    """Register a value that a server is given, if it is a secret by the rules of this module.

    Args:
        value: what the server gets.
        name: of the variable, header, parameter or option.
        reference: the configuration takes it from the environment.
        origin: how a finding calls it; default is the environment variable ``name``.
    """
    origin = origin or f"the environment variable {name}"
    text = value.strip()
    if _URL.fullmatch(text):
        learn_url(text, origin=origin)
        if _says_secret(name):
            _KNOWN.add(text, origin)
        return
    if text[:1] in "{[" and len(text) <= _LONGEST:
        _learn_json(text, name, origin)
    if is_secret(text, name, reference=reference):
        _KNOWN.add(value, origin)
        scheme, _, rest = text.partition(" ")
        if scheme.lower() in ("bearer", "basic", "token", "apikey"):
            _learn_credentials(scheme, rest.strip(), origin)


def learn_reference(value: str, name: str) -> None:
    """Register what the environment variable ``name`` holds, because a configuration refers to it."""
    learn(value, name, reference=True)


def learn_environment(environment: Mapping[str, str]) -> None:
    """Register what our own environment holds under names of secrets.

    A server in this process sees all of it, and one that runs as the same user can find it.
    """
    for name, value in list(environment.items())[:_MOST_VARIABLES]:
        if len(value) >= SHORTEST_LITERAL and _says_secret(name) and not _PLAIN.fullmatch(value):
            learn(value, name)


def learn_header(name: str, value: str) -> None:
    """Register the value of an HTTP header: all of them but a few that hold no secret."""
    origin = f"the header {name}"
    if name.lower() in _HARMLESS_HEADERS:
        return
    text = value.strip()
    scheme, blank, rest = text.partition(" ")
    if name.lower() in ("cookie", "set-cookie"):
        for pair in text.split(";"):
            _KNOWN.add(pair.partition("=")[2].strip(), origin)
    if _says_secret(name) or is_secret(text, name):
        _KNOWN.add(text, origin)
    if blank and scheme.isalpha():
        _learn_credentials(scheme, rest.strip(), origin)


def _learn_credentials(scheme: str, rest: str, origin: str) -> None:
    _KNOWN.add(rest, origin)
    if scheme.lower() == "basic":
        from base64 import b64decode

        try:
            pair = b64decode(rest, validate=True).decode()
        except ValueError:
            return
        _KNOWN.add(pair, origin)
        _KNOWN.add(pair.partition(":")[2], origin)


def learn_url(url: str, *, origin: str = "the address") -> None:
    """Register what of a URL is a secret: credentials, values of its query, path segments that look like tokens."""
    from urllib.parse import unquote, unquote_plus, urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        # Misspelt around its host; the rest is where it belongs.
        scheme, _, rest = url.partition("://")
        parts = urlsplit(f"{scheme}://{rest.replace('[', '').replace(']', '')}")
    user, colon, password = parts.netloc.rpartition("@")[0].partition(":")
    for text in (password, unquote(password), f"{user}:{password}" if password else ""):
        _KNOWN.add(text, origin)
    if user and (not colon or len(user) >= 16):
        # https://TOKEN@host, and a token beside a password such as x-oauth-basic.
        _KNOWN.add(user, origin)
        _KNOWN.add(unquote(user), origin)
    for pair in (*parts.query.split("&"), *parts.fragment.split("&")):
        name, _, value = pair.partition("=")
        for text in (value, unquote_plus(value)):
            if is_secret(text, name, reference=True):
                _KNOWN.add(text, f"the parameter {name} of {origin}")
    for segment in parts.path.split("/"):
        if is_token(segment):
            _KNOWN.add(segment, origin)


def is_token(segment: str) -> bool:
    """Whether a segment of a path looks like a secret: a long run of letters and digits, or a UUID."""
    return _TOKEN_RUN.search(segment[:_LONGEST_SEGMENT]) is not None


def learn_command(command: Sequence[str]) -> None:
    """Register the secrets in a command line: ``--token X``, ``--token=X``, ``NAME=X``, ``Header: X``, addresses."""
    option = ""
    for word in command[1:]:
        origin = f"the option {option}" if option else "the command line"
        assigned = _ASSIGNED.fullmatch(word)
        header = _HEADER.fullmatch(word)
        if _URL.fullmatch(word):
            learn_url(word, origin="the command line")
        elif assigned is not None:
            if _says_secret(assigned[1]) or _URL.fullmatch(assigned[2]):
                learn(assigned[2], assigned[1], origin=f"the option {assigned[1]}")
        elif header is not None and _says_secret(header[1]):
            learn_header(header[1], header[2])
        elif option and _says_secret(option) and not word.startswith("-"):
            learn(word, option, origin=origin)
        option = word.lstrip("-") if word.startswith("-") and "=" not in word else ""


def learn_table(entry: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Register the secrets of a server as a configuration writes it, before anything in it is known to be right.

    Args:
        entry: its table, of any shape.
        environment: where the variables are that it refers to.
    """
    for key in ("env", "headers"):
        table = entry.get(key)
        for name, text in _leaves(table):
            if key == "env":
                learn(text, name)
            else:
                learn_header(name, text)
            learn_references(text, environment)
    for key in ("bearer-token", "url", "serverUrl"):
        value = entry.get(key)
        if isinstance(value, str):
            learn(value, key, origin=f"the {key}")
            learn_references(value, environment)
    command = entry.get("command")
    words = [command] if isinstance(command, str) else command
    more = entry.get("args")
    words = [word for part in (words, more) if isinstance(part, list) for word in part if isinstance(word, str)]
    learn_command(("", *words))


_REFERENCE = lazy_pattern(r"\$(?:\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}|([A-Za-z_]\w*))")


def learn_references(text: str, environment: Mapping[str, str]) -> None:
    """Register the values of the environment variables that a text of a configuration refers to."""
    for match in _REFERENCE.finditer(text):
        name = match[1] or match[2]
        if name in environment:
            learn_reference(environment[name], name)


def _learn_json(text: str, name: str, origin: str) -> None:
    """The strings in a value that is JSON, each by the name of its member."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for here, leaf in _leaves(value, name):
        if is_secret(leaf, here):
            _KNOWN.add(leaf, origin)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Texts and numbers of a value of any shape, each with the name of the member that holds it."""
    todo: list[tuple[str, Any]] = [(name, value)]
    while todo:
        here, item = todo.pop()
        if isinstance(item, dict):
            todo += [(str(key), member) for key, member in item.items()]
        elif isinstance(item, list):
            todo += [(here, member) for member in item]
        elif isinstance(item, str | int | float):
            yield here, str(item)


def is_secret(value: str, name: str = "", *, reference: bool = False) -> bool:
    """Whether a value that a server is given is one that nobody else may see; the module says by which rules."""
    if value.lower() in _COMMON:
        return False
    if _says_secret(name):
        return len(value) >= SHORTEST_NAMED
    if len(value) < (SHORTEST_REFERENCE if reference else SHORTEST_LITERAL) or _PLAIN.fullmatch(value):
        return False
    return reference or _WORD.fullmatch(value) is None


@cache
def _says_secret(name: str) -> bool:
    """Whether a name is that of a secret: one of its words says so, and the last one names no other kind of thing."""
    words = [word.lower() for word in _WORDS.findall(name[:_LONGEST_SEGMENT])]
    if not words or words[-1] in _KIND_WORDS or not _AMOUNT_WORDS.isdisjoint(words):
        return False
    joined = "".join(words)
    return not _SECRET_WORDS.isdisjoint(words) or joined.endswith(("apikey", "password", "passwd", "token", "secret"))


def holds_credentials(value: str) -> bool:
    """Whether an address among the words of a text has a user or a password in it."""
    from urllib.parse import urlsplit

    try:
        return any("@" in urlsplit(word).netloc for word in value.split() if "://" in word)
    except ValueError:
        return True
