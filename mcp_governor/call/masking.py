"""Mask secrets, and values that differ from run to run, before a result is recorded or compared."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.secrets import REDACTED, redact

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET_KEY = re.compile(
    r"pass(?:word|wd|phrase)|secret|token(?!_estimate|s?_count|s_estimate)|api[-_]?key|authorization|credential|cookie",
    re.IGNORECASE,
)
_VOLATILE_KEY = re.compile(
    r"(?:^|_)(?:elapsed|duration|latency|took|uptime|pid|port|timestamp|ts|epoch|now|iat|nonce|etag|[acm]time)(?:$|_)"
    r"|_(?:ms|ns|us|seconds)$|^(?:created|updated|modified|expires|started|finished|generated|last_\w+)_at$"
    r"|^(?:request|trace|span|session|correlation|run)_id$"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

SECRETS: Mapping[str, re.Pattern[str]] = {
    "bearer": re.compile(
        r"(?i:\bbearer)\s+[\w.~+/=-]{8,}|\bBasic\s+(?=[A-Za-z]*(?:[\d+/=]|[a-z][A-Z]))[A-Za-z0-9+/=]{8,}"
    ),
    "jwt": re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    "key": re.compile(
        r"\b(?:sk|pk|rk)[-_](?:live|test|ant|proj)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}"
        r"|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}"
        r"|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{16,}|\bya29\.[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    ),
    "private-key": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
    ),
    "url-password": re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"),
    "secret": re.compile(
        r"(?i)\b(?:pass(?:word|wd|phrase)|secret|(?:access_|refresh_|auth_)?token|api[-_]?key|signature)"
        r"(?:=|: ?)[\"']?(?!\[masked)[^\s\"'&,;)]{6,}"
    ),
}
"""Patterns of secrets, by name."""

_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT)\b)?(?: ?[+-]\d\d:?\d\d)?(?: \([\w ]+\))?"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? "
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"

VOLATILE: Mapping[str, re.Pattern[str]] = {
    "time": re.compile(
        r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
        rf"|\b{_DAY}\d{{1,2}} {_MONTH} \d{{4}} {_CLOCK}{_ZONE}"
        rf"|\b{_DAY}{_MONTH} +\d{{1,2}}(?: \d{{4}})? {_CLOCK}{_ZONE}(?: \d{{4}})?{_ZONE}"
        rf"|\b(?:\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}},? )?{_CLOCK}{_ZONE}"
    ),
    "uuid": re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"),
    "digest": re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{16})\b|\b0x[0-9a-fA-F]{6,}\b"),
    "temporary-path": re.compile(
        r"(?:/private)?/(?:var/folders|(?:var/)?tmp)/[\w./-]+|\b[A-Za-z]:\\[^\s\"']*?\\Temp\\[^\s\"']+"
    ),
    "port": re.compile(r"(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[::1\]):\d{2,5}\b"),
    "duration": re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|µs|ns)\b|\b\d+\.\d+ ?(?:s|secs?|seconds?)\b"),
    "process": re.compile(r"(?i)\bpid[ =:]+\d+"),
}
"""Patterns of values that differ from run to run, by name."""


def mask(value: Any) -> Any:
    """The JSON value with secrets and volatile values replaced with ``[masked:NAME]``.

    They are known by a pattern, by the name of their key, or because they are secrets of this run.
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [mask(item) for item in value]
    if isinstance(value, dict):
        return {_text(key): _member(key, item) for key, item in value.items()}
    return value


def _member(key: str, value: Any) -> Any:
    word = _HUMP.sub("_", key).lower()
    if _SECRET_KEY.search(word) and isinstance(value, str | list):
        items = value if isinstance(value, list) else [value]
        masked = ["[masked:secret]" if isinstance(item, str) else mask(item) for item in items]
        return masked if isinstance(value, list) else masked[0]
    is_scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    return "[masked:volatile]" if is_scalar and _VOLATILE_KEY.search(word) else mask(value)


def _text(text: str) -> str:
    # The text mirror of structured content is JSON in a string. Mask by its keys too.
    if text.startswith(("{", "[")):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            inner = None
        if isinstance(inner, dict | list):
            return json.dumps(mask(inner), ensure_ascii=False, separators=(",", ":"))
    text = redact(text).replace(REDACTED, "[masked:secret]")
    for name, pattern in (*SECRETS.items(), *VOLATILE.items()):
        text = pattern.sub(f"[masked:{name}]", text)
    return text
