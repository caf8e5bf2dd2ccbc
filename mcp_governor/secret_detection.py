"""Decides which of the values that a server receives are secrets: variables, headers, addresses and command lines.

The following count as secrets:

- any value of at least four characters under a name that says so (``API_KEY``, ``X-Auth-Token``, ``--password``);
- a value of at least six characters that comes from the environment (``$NAME``, ``${env:NAME}``) or is sent as a
    header, and a literal of at least eight characters (six, if it contains both letters and digits), unless it is
    plainly something else: a number, a path, a version, a host, a common word, or the value of a ``REGION``, a
    ``MODEL`` or the like;
- in a URL, the user, the password, path segments that look like tokens, and the values of the query, except for words
    and small numbers under harmless names;
- in a command line, the value of an option with such a name, and words that look like tokens;
- the parts of each of these: the members of JSON (also in base64), ``NAME=X``, ``Header: X``, addresses, and the words
    of a shell script.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.secrets import COMMON, SHORTEST, keep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SHORTEST_REFERENCE = 6
"""Minimum length in characters for a value from the environment to count as a secret, whatever its name."""

SHORTEST_LITERAL = 8
"""The same for a value in the configuration itself that consists of only letters or only digits."""

_LONGEST = 65_536
"""Maximum number of characters of a value that are searched for JSON."""

_LONGEST_SEGMENT = 512
"""Maximum length of a path segment that is examined, which takes quadratic time."""

_MAX_LISTED = 64
"""Maximum number of secrets from one list (``API_KEYS=a,b``) that are registered separately; the whole list is
registered, too."""

_MAX_INHERITED = 64
"""Maximum number of secrets registered from our own environment; no server was given the others anyway."""

_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    (
        *("apikey", "apikeys", "auth", "authorization", "bearer", "cookie", "cookies", "credential"),
        *("credentials", "creds", "dsn", "hmac", "jwt", "key", "keys", "otp", "pass", "passcode", "passphrase"),
        *("passwd", "password", "passwords", "pat", "pin", "pwd", "salt", "secret", "secrets", "session"),
        *("sig", "signature", "token", "tokens", "webhook"),
    )
)
# Last words that turn a name into something other than the secret: TOKEN_URL, KEY_FILE, AUTH_TYPE, MAX_TOKENS.
_KIND_WORDS = frozenset(
    (
        *("algorithm", "audience", "count", "dir", "directory", "enabled", "endpoint", "expiry", "file"),
        *("folder", "format", "header", "host", "id", "issuer", "length", "limit", "method", "mode", "name"),
        *("path", "port", "prefix", "provider", "realm", "required", "scope", "scopes", "size", "timeout"),
        *("ttl", "type", "uri", "url", "user", "username", "version"),
    )
)
# Names with these endings are settings, whose values are published and logged everywhere.
_SETTING_WORDS = frozenset(
    (
        *("branch", "channel", "env", "environment", "format", "lang", "language", "level", "locale"),
        *("log", "mode", "model", "profile", "region", "stage", "timezone", "title", "type", "tz", "version", "zone"),
    )
)
_AMOUNT_WORDS = frozenset(["max", "min", "num", "limit", "count", "budget", "per"])
_HARMLESS_HEADERS = frozenset(
    (
        *("accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-type", "host"),
        *("mcp-protocol-version", "origin", "referer", "user-agent"),
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
_HEADER = lazy_pattern(r"-{0,2}([A-Za-z][\w-]*):\s*(.+)", re.DOTALL)
_PAIRS = lazy_pattern(r"[&;]")
_NAMED = lazy_pattern(r"([\w.-]+)[=:](.+)")
_LIST = lazy_pattern(r"[^\s,]+(?:,[^\s,]+)+")
_BETWEEN = lazy_pattern(r"[\s;,&|]+")
_BASE64_OBJECT = lazy_pattern(r"e[yw][A-Za-z0-9+/_-]{10,}={0,2}")
_MAX_DEPTH = 4
"""Maximum depth of nested parts: a script contains an option, that one a header, and that one a scheme and a token."""
_BARE_TOKEN = lazy_pattern(r"[\w=~.+-]{20,}")
_TOKEN_RUN = lazy_pattern(
    r"(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4,}){3,}"
)


def learn(value: str, name: str, *, reference: bool = False, origin: str = "") -> None:
    """Register a value that a server receives if it is a secret by the rules of this module.

    Args:
        value: the value that the server receives.
        name: of the variable, header, parameter or option.
        reference: the configuration reads it from the environment.
        origin: its name in findings; defaults to the environment variable ``name``.
    """
    origin = origin or f"the environment variable {name}"
    text = value.strip()
    if _URL.fullmatch(text):
        learn_url(text, origin=origin)
        if _says_secret(name):
            keep(text, origin)
        return
    if len(text) <= _LONGEST:
        _learn_json(text, name, origin)
    if is_secret(text, name, reference=reference):
        keep(value, origin)
    _learn_part(text, name, origin, _MAX_DEPTH + 1)


def _learn_parts(text: str, name: str, origin: str, depth: int = _MAX_DEPTH) -> None:
    """Register the secrets that are part of a string.

    Args:
        text: a value that a server receives, or a part of one.
        name: of its variable, member, header or option.
        origin: its name in findings.
        depth: how many more levels of parts to examine.
    """
    if depth == 0 or len(text) > _LONGEST:
        return
    if _URL.fullmatch(text):
        learn_url(text, origin=origin)
        return
    document = _json_in(text)
    if document is not None:
        for member, leaf in _leaves(document, name):
            _learn_part(leaf, member, origin, depth)
        return
    scheme, _, rest = text.partition(" ")
    if scheme.lower() in ("bearer", "basic", "token", "apikey"):
        _learn_credentials(scheme, rest.strip(), origin)
    if assigned := _ASSIGNED.fullmatch(text):
        _learn_part(assigned[2], assigned[1], f"the option {assigned[1]}", depth)
    elif (header := _HEADER.fullmatch(text)) and _says_secret(header[1]):
        _learn_part(header[2], header[1], f"the header {header[1]}", depth)
    for item in text.split(",", _MAX_LISTED) if _says_secret(name) and _LIST.fullmatch(text) else ():
        if is_secret(item):
            keep(item, origin)
    words = _BETWEEN.split(text)
    if len(words) > 1:
        _learn_words(words, origin, depth)


def _learn_part(text: str, name: str, origin: str, depth: int) -> None:
    text = text.strip("\"'")
    if (_says_secret(name) and is_secret(text, name)) or (_BARE_TOKEN.fullmatch(text) and is_token(text)):
        keep(text, origin)
    _learn_parts(text, name, origin, depth - 1)


def _learn_words(words: Iterable[str], origin: str, depth: int) -> None:
    """Register the secrets in a command line, whose words may each be the value of the preceding option."""
    option = ""
    for word in words:
        source = f"the option {option}" if _says_secret(option) else origin
        _learn_part(word, "" if word.startswith("-") else option, source, depth)
        option = word.lstrip("-") if word.startswith("-") and "=" not in word else ""


def learn_reference(value: str, name: str) -> None:
    """Register the value of the environment variable ``name``, because a configuration refers to it."""
    learn(value, name, reference=True)


def learn_environment(environment: Mapping[str, str]) -> None:
    """Register the values in our own environment whose names are those of secrets.

    A server in this process sees all of it, and one that runs as the same user can find it.
    """
    named = (
        (name, value)
        for name, value in environment.items()
        if len(value) >= SHORTEST_LITERAL and _says_secret(name) and not _PLAIN.fullmatch(value)
    )
    for name, value in islice(named, _MAX_INHERITED):
        learn(value, name)


def learn_header(name: str, value: str) -> None:
    """Register the value of an HTTP header, except for a few that never contain a secret."""
    origin = f"the header {name}"
    text = value.strip()
    _learn_part(text, name, origin, _MAX_DEPTH)
    if name.lower() in _HARMLESS_HEADERS:
        return
    scheme, blank, rest = text.partition(" ")
    if name.lower() in ("cookie", "set-cookie"):
        for pair in text.split(";"):
            keep(pair.partition("=")[2].strip(), origin)
    if _says_secret(name) or is_secret(text, name, reference=True):
        keep(text, origin)
    if blank and scheme.isalpha():
        _learn_credentials(scheme, rest.strip(), origin)


def _learn_credentials(scheme: str, rest: str, origin: str) -> None:
    keep(rest, origin)
    if scheme.lower() == "basic":
        from base64 import b64decode

        try:
            pair = b64decode(rest, validate=True).decode()
        except ValueError:
            return
        keep(pair, origin)
        keep(pair.partition(":")[2], origin)


def learn_url(url: str, *, origin: str = "the address") -> None:
    """Register the secrets in a URL: credentials, values of its query, and path segments that look like tokens."""
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        # The host is misspelled, but the rest is where it belongs.
        scheme, _, rest = url.partition("://")
        parts = urlsplit(f"{scheme}://{rest.replace('[', '').replace(']', '')}")
    user, colon, password = parts.netloc.rpartition("@")[0].partition(":")
    for text in (password, unquote(password), f"{user}:{password}" if password else ""):
        keep(text, origin)
    if user and ((not colon and not parts.scheme.startswith("postgres")) or len(user) >= 16):
        # https://TOKEN@host, or a token with a fixed password such as x-oauth-basic. A database is given no tokens: the
        # user of postgresql://USER@HOST is a name, and its password is somewhere else.
        keep(user, origin)
        keep(unquote(user), origin)
    for pair in (*_PAIRS.split(parts.query), *_PAIRS.split(parts.fragment)):
        _learn_parameter(pair, origin)
    for segment in parts.path.split("/"):
        named = [
            found[2] for part in segment.split(";") if (found := _NAMED.fullmatch(part)) and _says_secret(found[1])
        ]
        for text in [segment, *named] if is_token(segment) else named:
            keep(text, origin)
            keep(unquote(text), origin)


_READABLE = lazy_pattern(r"[a-z]{0,20}|[A-Z][a-z]{1,19}|[A-Z]{1,20}|\d{1,4}")
_SEPARATORS = lazy_pattern(r"[,;:._+/| -]")


def _is_readable(value: str) -> bool:
    """True if a value is words and small numbers, such as the choices in an address: ``issues,pull_requests``."""
    return all(_READABLE.fullmatch(part) for part in _SEPARATORS.split(value))


def is_plain(value: str, name: str) -> bool:
    """True if a value may be written to a file because it is certainly not a secret: a number, a path, a version, a
    host, a common word or a setting, under a name that does not suggest a secret."""
    if _says_secret(name) or is_secret(value, name):
        return False
    common = len(value) < SHORTEST or value.lower() in COMMON
    return common or _says_setting(name) or _PLAIN.fullmatch(value) is not None


def _learn_parameter(pair: str, origin: str) -> None:
    """Register the value of a parameter in an address; a word without a name may be a secret or a switch."""
    from urllib.parse import unquote_plus

    name, equals, value = pair.partition("=") if "=" in pair else ("", "", pair)
    where = f"the parameter {name} of {origin}" if equals else origin
    for text in (value, unquote_plus(value)):
        chosen = equals and not _says_secret(name) and _is_readable(text)
        if not chosen and is_secret(text, name, reference=bool(equals)):
            keep(text, where)
    _learn_json(unquote_plus(value), name, where)


def learn_addresses(strings: Iterable[str]) -> None:
    """Register the secrets in every address in some strings, whatever their purpose: a message may quote them."""
    for text in strings:
        for word in text.split() if "://" in text else ():
            before, colon, rest = word.partition("://")
            if colon:
                scheme = "postgresql" if before.endswith(("postgres", "postgresql")) else "x"
                learn_url(f"{scheme}://{rest}")


def learn_anywhere(value: Any) -> None:
    """Register everything that looks like a secret in any value: addresses, and values whose name suggests a secret.

    For an invalid configuration, which does not show what a server would receive.
    """
    for name, text in _leaves(value):
        if _says_secret(name):
            learn(text, name)
        else:
            learn_addresses([text])


def is_token(segment: str) -> bool:
    """True if a path segment looks like a secret: a long run of letters and digits, or a UUID."""
    return _TOKEN_RUN.search(segment[:_LONGEST_SEGMENT]) is not None


def learn_command(command: Sequence[str]) -> None:
    """Register the secrets in a command line: ``--token X``, ``--token=X``, ``NAME=X``, ``Header: X``, addresses."""
    _learn_words(command[1:], "the command line", _MAX_DEPTH)


def learn_table(entry: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Register the secrets in a server's configuration before it is validated.

    Args:
        entry: its table, which may have any form.
        environment: the variables to which it refers.
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
    """Register the values of the environment variables to which a string in a configuration refers."""
    for match in _REFERENCE.finditer(text):
        name = match[1] or match[2]
        if name in environment:
            learn_reference(environment[name], name)


def _learn_json(text: str, name: str, origin: str) -> None:
    """The strings in a JSON value, each with the name of its member."""
    for here, leaf in _leaves(_json_in(text), name):
        if is_secret(leaf, here):
            keep(leaf, origin)


def _json_in(text: str) -> Any:
    """The object or list in a string of JSON, plain or in base64; ``None`` for any other string."""
    import json

    if _BASE64_OBJECT.fullmatch(text):
        from base64 import urlsafe_b64decode

        data = urlsafe_b64decode(
            text.replace("+", "-").replace("/", "_").rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        )
        text = data.decode("utf-8", "replace")
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Strings and numbers in any value, each with the name of its member."""
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
    """True if a value that a server receives is a secret by the rules of this module."""
    if value.lower() in COMMON:
        return False
    if _says_secret(name):
        return len(value) >= SHORTEST
    if _says_setting(name):
        return is_token(value)
    mixed = re.search("[0-9]", value) is not None and re.search("[A-Za-z]", value) is not None
    shortest = SHORTEST_REFERENCE if reference or mixed else SHORTEST_LITERAL
    if len(value) < shortest or _PLAIN.fullmatch(value):
        return False
    return reference or _WORD.fullmatch(value) is None


@cache
def _says_setting(name: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(name[:_LONGEST_SEGMENT])]
    return bool(words) and words[-1] in _SETTING_WORDS


@cache
def _says_secret(name: str) -> bool:
    """True if a name is that of a secret: one of its words says so, and the last one does not name another kind of
    thing."""
    words = [word.lower() for word in _WORDS.findall(name[:_LONGEST_SEGMENT])]
    if not words or words[-1] in _KIND_WORDS or not _AMOUNT_WORDS.isdisjoint(words):
        return False
    joined = "".join(words)
    return not _SECRET_WORDS.isdisjoint(words) or joined.endswith(("apikey", "password", "passwd", "token", "secret"))


def holds_credentials(value: str) -> bool:
    """True if one of the addresses in a string has a user or a password."""
    from urllib.parse import urlsplit

    try:
        return any("@" in urlsplit(word).netloc for word in value.split() if "://" in word)
    except ValueError:
        return True
