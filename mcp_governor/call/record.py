"""Recorded calls: one JSON file per call, reviewed like a baseline, with secrets and volatile values masked.

A file says ``tool`` (or ``name``), ``arguments``, ``status`` and ``kind`` as a configured call does; a recording
adds ``channel`` and ``result``. A file may also hold a list of calls.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import GENERATED, Purpose
from mcp_governor.config import CallConfig
from mcp_governor.errors import FileFormatError
from mcp_governor.files import list_files, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.secrets import REDACTED, redact
from mcp_governor.surface.file import dump_json, parse_json
from mcp_governor.text import visible
from mcp_governor.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp_governor.call.report import CaseResult
    from mcp_governor.call.sandbox import Sandbox

_SECRET_KEY = lazy_pattern(
    r"pass(?:word|wd|phrase)|secret|token(?!_estimate|s?_count|s_estimate)|api[-_]?key|authorization|credential|cookie",
    re.IGNORECASE,
)
_VOLATILE_KEY = lazy_pattern(
    r"(?:^|_)(?:elapsed|duration|latency|took|uptime|pid|port|timestamp|ts|epoch|now|iat|nonce|etag|[acm]time)(?:$|_)"
    r"|_(?:ms|ns|us|seconds)$|^(?:created|updated|modified|expires|started|finished|generated|last_\w+)_at$"
    r"|^(?:request|trace|span|session|correlation|run)_id$"
)
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")

SECRETS: Mapping[str, re.Pattern[str]] = {
    "bearer": lazy_pattern(
        r"(?i:\bbearer)\s+[\w.~+/=-]{8,}|\bBasic\s+(?=[A-Za-z]*(?:[\d+/=]|[a-z][A-Z]))[A-Za-z0-9+/=]{8,}"
    ),
    "jwt": lazy_pattern(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    "key": lazy_pattern(
        r"\b(?:sk|pk|rk)[-_](?:live|test|ant|proj)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}"
        r"|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}"
        r"|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{16,}|\bya29\.[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    ),
    "private-key": lazy_pattern(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
    ),
    "url-password": lazy_pattern(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"),
    "secret": lazy_pattern(
        r"(?i)\b(?:pass(?:word|wd|phrase)|secret|(?:access_|refresh_|auth_)?token|api[-_]?key|signature)"
        r"(?:=|: ?)[\"']?(?!\[masked)[^\s\"'&,;)]{6,}"
    ),
}
"""What looks like a secret, by name."""

_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT)\b)?(?: ?[+-]\d\d:?\d\d)?(?: \([\w ]+\))?"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? "
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"

VOLATILE: Mapping[str, re.Pattern[str]] = {
    "time": lazy_pattern(
        r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
        rf"|\b{_DAY}\d{{1,2}} {_MONTH} \d{{4}} {_CLOCK}{_ZONE}"
        rf"|\b{_DAY}{_MONTH} +\d{{1,2}}(?: \d{{4}})? {_CLOCK}{_ZONE}(?: \d{{4}})?{_ZONE}"
        rf"|\b(?:\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}},? )?{_CLOCK}{_ZONE}"
    ),
    "uuid": lazy_pattern(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"),
    "digest": lazy_pattern(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{16})\b|\b0x[0-9a-fA-F]{6,}\b"),
    "temporary-path": lazy_pattern(
        r"(?:/private)?/(?:var/folders|(?:var/)?tmp)/[\w./-]+|\b[A-Za-z]:\\[^\s\"']*?\\Temp\\[^\s\"']+"
    ),
    "port": lazy_pattern(r"(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[::1\]):\d{2,5}\b"),
    "duration": lazy_pattern(r"\b\d+(?:\.\d+)? ?(?:ms|µs|ns)\b|\b\d+\.\d+ ?(?:s|secs?|seconds?)\b"),
    "process": lazy_pattern(r"(?i)\bpid[ =:]+\d+"),
}
"""What differs from run to run, by name."""


class Masker:
    """Replaces secrets and volatile values by ``[masked:NAME]``."""

    def mask(self, value: Any) -> Any:
        """The JSON value with everything masked that a pattern, a key or a known secret gives away."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.mask(item) for item in value]
        if isinstance(value, dict):
            return {self._text(key): self._member(key, item) for key, item in value.items()}
        return value

    def _member(self, key: str, value: Any) -> Any:
        word = _HUMP.sub("_", key).lower()
        if _SECRET_KEY.search(word) and isinstance(value, str | list):
            texts = value if isinstance(value, list) else [value]
            masked = ["[masked:secret]" if isinstance(text, str) else self.mask(text) for text in texts]
            return masked if isinstance(value, list) else masked[0]
        is_scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
        return "[masked:volatile]" if is_scalar and _VOLATILE_KEY.search(word) else self.mask(value)

    def _text(self, text: str) -> str:
        # The mirror of structured content is JSON in a string: its keys tell as much as those outside.
        if text.startswith(("{", "[")):
            try:
                inner = json.loads(text)
            except (ValueError, RecursionError):
                inner = None
            if isinstance(inner, dict | list):
                return json.dumps(self.mask(inner), ensure_ascii=False, separators=(",", ":"))
        text = redact(text).replace(REDACTED, "[masked:secret]")
        for name, pattern in (*SECRETS.items(), *VOLATILE.items()):
            text = pattern.sub(f"[masked:{name}]", text)
        return text


def recording(result: CaseResult, masker: Masker, sandbox: Sandbox | None = None) -> dict[str, Any]:
    """One call as it is recorded. Arguments are kept as sent: they are sent again; paths of the sandbox by name."""
    outcome = result.outcome
    response = result.response if sandbox is None else sandbox.portable(result.response)
    return {
        "tool": result.case.tool,
        "arguments": dict(result.case.said),
        "status": outcome.status,
        "kind": outcome.kind,
        "channel": outcome.channel.value,
        "result": masker.mask(response),
    }


def write_recordings(folder: Path, results: Sequence[CaseResult], *, sandbox: Sandbox | None = None) -> list[Path]:
    """Record calls as files of a folder, one per call, named after tool and arguments.

    Calls that got no response, calls of a tool that is not there, calls whose arguments hold a secret, and good
    calls that were made again with other arguments, are not recorded.

    Args:
        folder: made where it is not there.
        results: the calls.
        sandbox: the files that the calls were made with.

    Returns:
        The files, in the order of the calls.

    Raises:
        FileFormatError: the folder or a file cannot be written.
    """
    masker = Masker()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFormatError(f"{visible(str(folder))} cannot be made: {error.strerror}.", "Check the path.") from None
    written = []
    # The last attempt of a purpose is the one that counts; those before it would be replayed as failures.
    last = {(result.case.tool, result.case.purpose): result for result in results if result.case.purpose in GENERATED}
    for result in results:
        arguments = dict(result.case.said)
        passed_over = last.get((result.case.tool, result.case.purpose), result) is not result
        if (
            result.case.purpose is Purpose.UNKNOWN_TOOL
            or passed_over
            or result.response is None
            or masker.mask(arguments) != arguments
        ):
            continue
        file = folder / f"{_slug(result.case.tool)}-{_digest(arguments)}.json"
        write_file(file, dump_json(recording(result, masker, sandbox)))
        written.append(file)
    return written


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip(".")[:80] or "tool"


def _digest(arguments: dict[str, Any]) -> str:
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def load_recordings(folder: Path) -> list[dict[str, Any]]:
    """The calls in the JSON files of a folder, sorted by file name; each says ``tool`` and ``arguments``.

    Raises:
        FileFormatError: a file is no JSON, or holds something that is no call; the message names it.
    """
    calls = []
    for file in _files(folder):
        shown = visible(file.name)
        try:
            document = parse_json(read_bytes(file), shown)
        except OSError as error:
            raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
        calls += [_call(item, shown) for item in (document if isinstance(document, list) else [document])]
    return calls


_MAX_RECORDINGS = 10_000


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    try:
        return list_files(folder, ".json", most=_MAX_RECORDINGS)
    except OSError as error:
        raise FileFormatError(f"{visible(str(folder))} cannot be read: {error.strerror}.", "Check the path.") from None


def _call(item: Any, shown: str) -> dict[str, Any]:
    if isinstance(item, dict):
        name = item.get("tool", item.get("name"))
        arguments = item.get("arguments", {})
        texts = (item.get(key, "") for key in ("status", "kind", "channel"))
        if isinstance(name, str) and name and isinstance(arguments, dict) and all(isinstance(t, str) for t in texts):
            return {**item, "tool": name, "arguments": arguments}
    raise FileFormatError(
        f"{shown} holds something that is no call.",
        'A call is {"tool": "NAME", "arguments": {…}, "status": "…", "kind": "…"}.',
    )


def split_recordings(calls: Sequence[Mapping[str, Any]]) -> tuple[list[CallConfig], list[Mapping[str, Any]]]:
    """Calls that only say what they expect, as configured calls, and those that hold a recorded result."""
    configured = [
        CallConfig(call["tool"], call["arguments"], call.get("status", ""), call.get("kind", ""))
        for call in calls
        if "result" not in call
    ]
    return configured, [call for call in calls if "result" in call]
