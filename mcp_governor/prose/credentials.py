"""Finds credentials in strings, by their published form or the label in front of them, and parameters for them."""

from __future__ import annotations

from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import name_words

KEY = Guarded(
    r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_\-]{24,}|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bAKIA(?![A-Z0-9]{9}EXAMPLE)[0-9A-Z]{16}\b"
    r"|\bxox[baprs]-[0-9A-Za-z\-]{20,}|\bAIza[0-9A-Za-z_\-]{35}\b|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
    r"|\beyJ[A-Za-z0-9_\-]{10,4096}\.eyJ[A-Za-z0-9_\-]{10,4096}\.[A-Za-z0-9_\-]{10,4096}",
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "akia",
    "xox",
    "aiza",
    "private key",
    "eyj",
    ignore_case=False,
)
_SHORTEST_KEY = 20
"""Characters of the shortest credential that the patterns know; a shorter text needs no search."""

_VALUE = r"[\"'`]?(?P<value>(?=[^\s\"'`]{0,64}[A-Za-z])(?=[^\s\"'`]{0,64}\d)[^\s\"'`<>{}()\[\]$*,;]{6,64})"
# A value follows a label. After "password" without a sign it has to look like a secret.
_LABELLED = Guarded(
    r"\b(?:pass(?:word|wd|phrase)|pwd|secret|api[ _-]?key|access[ _-]?key|(?:(?:access|auth|bearer|api)[ _-]?)?token)\b"
    rf"(?:\s*[:=]\s*|\s+is\s+){_VALUE}",
    "pass",
    "pwd",
    "secret",
    "key",
    "token",
)
_BARE = Guarded(rf"\b(?:password|passwd|passphrase)\s+{_VALUE.replace('value', 'bare')}", "pass")
_NO_VALUE = Guarded(
    r"^(?:sha|md|utf|base|hs|rs|es|aes|rsa|hmac|bcrypt|s?crypt|argon|pbkdf|oauth|oidc|uuid|int|float|rfc|iso|tls|ssl|v)"
    r"[-_.]?\d|example|your|placeholder|dummy|redacted|changeme|xxx|x{4,}|\.\.\.|…|://|^[\w.-]+@[\w.-]+$"
    r"|^\d+[- ]?\w{1,12}s?$"
)
"""Values after such a label that are not secrets: a scheme, a version, a placeholder, an address, ``8-character``."""
_READ = 10_000
"""Maximum number of characters searched for labels; descriptions and summaries are shorter."""


def key_in(text: str) -> str | None:
    """The first credential in a published form: a provider's key, a token, a private key."""
    match = KEY.search(text) if len(text) >= _SHORTEST_KEY else None
    return match.group() if match is not None else None


def credential_in(text: str) -> str | None:
    """The first credential, by its form or by the label in front of it ("password: …")."""
    found = key_in(text)
    if found is not None:
        return found
    for pattern, group in ((_LABELLED, "value"), (_BARE, "bare")):
        for match in pattern.finditer(text[:_READ]):
            value = match[group].rstrip(".:!?")
            if _NO_VALUE.search(value) is None:
                return value
    return None


def outline(credential: str) -> str:
    """A credential as a message shows it: its beginning, if that is a known prefix, and its length."""
    shown = credential[:4] if len(credential) >= _SHORTEST_KEY else credential[:1]
    return f"{shown}… ({len(credential)} characters)"


_PASSWORDS = frozenset({"passphrase", "passwd", "password", "pwd"})
_KEYS = frozenset({"accesstoken", "apikey", "apitoken", "authtoken", "mnemonic", "privatekey", "secret", "secretkey"})
_PAIRS = frozenset(
    [
        *((word, "key") for word in ("access", "api", "private", "secret")),
        *((word, "token") for word in ("access", "api", "auth", "bearer")),
    ]
)


def names_password(name: str) -> bool:
    """True if a parameter of this name takes a password."""
    return not _PASSWORDS.isdisjoint(name_words(name)[-1:])


def names_key(name: str) -> bool:
    """True if a parameter of this name takes a key, a token or a secret for a service: ``apiKey``, ``access_token``."""
    parts = name_words(name)
    return not _KEYS.isdisjoint(parts[-1:]) or parts[-2:] in _PAIRS
