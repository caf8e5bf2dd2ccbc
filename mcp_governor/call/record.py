"""Record calls: one JSON file per call, reviewed like a baseline, with secrets and volatile values masked.

A file has ``tool`` (or ``name``), ``arguments``, ``status`` and ``kind`` like a configured call; a recording adds
``channel`` and ``result``. A file may also contain a list of calls.

A call is compared with its recording: a changed status, channel or kind, or a missing field, breaks callers (Surface
governance, "What counts as a breaking change").
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.cases import GENERATED, Purpose, shown_arguments
from mcp_governor.call.masking import mask
from mcp_governor.call.outcome import read_response
from mcp_governor.change.model import make
from mcp_governor.change.vocabulary import MISSING, Facts
from mcp_governor.config import CallConfig
from mcp_governor.errors import FileFormatError
from mcp_governor.files import list_files, read_named
from mcp_governor.findings import Tier
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.file import dump_json, parse_json
from mcp_governor.text import visible
from mcp_governor.writing import write_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from mcp_governor.call.cases import CaseResult
    from mcp_governor.call.outcome import Outcome
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.change.model import Change

_ITEM = "*"
_MAX_WITNESS_LENGTH = 4_000
"""Longest witness, in characters of JSON: about a screen. A change with a longer witness is reported without it."""


def behaviour_changes(
    recorded: Mapping[str, Any],
    outcome: Outcome,
    response: Any,
    *,
    tier: Tier = Tier.STANDARD,
) -> list[Change]:
    """Differences between a call and its recording.

    Args:
        recorded: the recording (:func:`mcp_governor.call.record.recording`).
        outcome: the outcome of the call now.
        response: the ``tools/call`` result now.
        tier: tier of the tool, for the version step.

    Returns:
        If status, channel or error kind differ, the first of these changes only; otherwise one change per field.
        The items of a list are compared by the members that all of them have; an empty list says nothing about its
        items. The witness is both results, masked as in a recording. The identity of a change contains nothing that
        differs from run to run.
    """
    comparison = _Comparison(str(recorded["tool"]), shown_arguments(recorded.get("arguments", {})), tier)
    current = {"status": outcome.status, "channel": outcome.channel.value, "kind": outcome.kind}
    for key, new in current.items():
        old = recorded.get(key, "")
        if key in recorded and old != new:
            kind = "error-kind" if key == "kind" else key
            return [comparison.change(f"call-{kind}-changed", f"/{key}", old, new, (recorded.get("result"), response))]
    # Mask the response as the recording was masked, because keys can be volatile too.
    then, now = read_response(recorded.get("result")), read_response(mask(response))
    bodies = (each.structured if each.structured is not None else each.envelope for each in (then, now))
    return list(_fields(comparison, "/structuredContent", *bodies))


class _Comparison(Struct, frozen=True):
    """What all changes of one call share."""

    tool: str
    arguments: str
    tier: Tier

    def change(self, kind: str, path: str, old: Any, new: Any, both: tuple[Any, Any]) -> Change:
        witness = dict(zip(("then", "now"), map(mask, both), strict=True))
        return make(
            kind,
            self.tool,
            path,
            tier=self.tier,
            old=MISSING if old is None else old,
            new=MISSING if new is None else new,
            facts=Facts(detail=self.arguments),
            witness=witness if _length(witness) <= _MAX_WITNESS_LENGTH else MISSING,
        )


def _fields(comparison: _Comparison, path: str, old: Any, new: Any) -> Iterator[Change]:
    if old is None or new is None or (isinstance(old, str) and old.startswith("[masked:")):
        return
    was, now = _type(old), _type(new)
    if was != now:
        yield comparison.change("call-field-type-changed", path, was, now, (old, new))
    elif isinstance(old, dict):
        yield from _members(comparison, path, old, new)
    elif isinstance(old, list) and old and new:
        here = join_pointer(path, _ITEM)
        if all(isinstance(item, dict) for item in [*old, *new]):
            # A member was promised only if every item had it, and is gone only if no item has it.
            yield from _members(comparison, here, _shared(old), _union(new), known=_union(old))
        else:
            yield from _fields(comparison, here, old[0], new[0])


def _members(
    comparison: _Comparison, path: str, old: dict[str, Any], new: dict[str, Any], known: dict[str, Any] | None = None
) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        here = join_pointer(path, key)
        if key not in new:
            yield comparison.change("call-field-removed", here, _type(old[key]), None, (old, new))
        elif key in old:
            yield from _fields(comparison, here, old[key], new[key])
        elif known is None or key not in known:
            yield comparison.change("call-field-added", here, None, _type(new[key]), (old, new))


def _shared(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The members that all items have, with the values of the first item."""
    return {key: value for key, value in items[0].items() if all(key in item for item in items)}


def _union(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The members that at least one item has, with the value of the first such item."""
    out: dict[str, Any] = {}
    for item in items:
        out = {**item, **out}
    return out


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    names: tuple[tuple[type, str], ...] = ((str, "a string"), (dict, "an object"), (list, "a list"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def _length(value: Any) -> int:
    try:
        return len(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return _MAX_WITNESS_LENGTH + 1


FORMAT = "mcp-governor/call-1"
"""The files do not state their format."""


def recording_schema() -> dict[str, Any]:
    """A 2020-12 schema of the files in ``calls-dir``."""
    text = {"type": "string"}
    call = {
        "type": "object",
        "properties": {
            "tool": {**text, "minLength": 1, "description": "Name of the tool."},
            "name": {**text, "minLength": 1, "description": "Name of the tool, if there is no `tool`."},
            "arguments": {"type": "object", "description": "Sent as they are; none if absent."},
            "status": {**text, "description": "Expected status, for example success or error."},
            "kind": {**text, "description": "Expected error kind; empty on success."},
            "channel": {**text, "description": "Where the response reported the outcome."},
            "result": {"description": "The recorded response, secrets and volatile values masked; any JSON value."},
        },
        "anyOf": [{"required": ["tool"]}, {"required": ["name"]}],
    }
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        "anyOf": [call, {"type": "array", "items": call}],
    }


def recording(result: CaseResult, sandbox: Sandbox | None = None) -> dict[str, Any]:
    """One call as it is recorded. Arguments are not masked, because they are sent again; sandbox paths are portable."""
    outcome = result.outcome
    response = result.response if sandbox is None else sandbox.portable(result.response)
    return {
        "tool": result.case.tool,
        "arguments": dict(result.case.portable_arguments),
        "status": outcome.status,
        "kind": outcome.kind,
        "channel": outcome.channel.value,
        "result": mask(response),
    }


_NOT_RECORDED = frozenset({Purpose.UNKNOWN_TOOL, Purpose.REPEAT, Purpose.FORMAT})


def write_recordings(folder: Path, results: Sequence[CaseResult], *, sandbox: Sandbox | None = None) -> list[Path]:
    """Record calls in a folder, one file per call, named after the tool and the arguments.

    These calls are not recorded: calls without a response, calls of unknown tools, calls whose arguments contain a
    secret, good calls that were retried with other arguments, and calls that only measure.

    Args:
        folder: the folder; created if missing.
        results: the calls.
        sandbox: the files that the calls used.

    Returns:
        The files, in the order of the calls.

    Raises:
        FileFormatError: the folder or a file cannot be written.
    """
    written = []
    # Only the last attempt for each purpose counts; earlier ones would be replayed as failures.
    last = {(result.case.tool, result.case.purpose): result for result in results if result.case.purpose in GENERATED}
    for result in results:
        arguments = dict(result.case.portable_arguments)
        passed_over = last.get((result.case.tool, result.case.purpose), result) is not result
        if (
            result.case.purpose in _NOT_RECORDED
            or passed_over
            or result.response is None
            or mask(arguments) != arguments
        ):
            continue
        name = f"{_slug(result.case.tool)}-{_digest(arguments)}.json"
        written.append(write_below(folder, name, dump_json(recording(result, sandbox))))
    return written


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip(".")[:80] or "tool"


def _digest(arguments: dict[str, Any]) -> str:
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def load_recordings(folder: Path) -> list[dict[str, Any]]:
    """The calls in the JSON files of a folder, sorted by file name; each has ``tool`` and ``arguments``.

    Raises:
        FileFormatError: a file is not JSON, or contains something that is not a call; the message names it.
    """
    try:
        files = list_files(folder, ".json", most=_MAX_RECORDINGS) if folder.is_dir() else []
    except OSError as error:
        raise FileFormatError(f"{visible(str(folder))} cannot be read: {error.strerror}.", "Check the path.") from None
    calls = []
    for file in files:
        shown = visible(file.name)
        document = parse_json(read_named(file, shown), shown)
        calls += [_call(item, shown) for item in (document if isinstance(document, list) else [document])]
    return calls


_MAX_RECORDINGS = 10_000
"""Most files in a folder of recorded calls: ten for each of a thousand tools. A folder with more is refused."""


def _call(item: Any, shown: str) -> dict[str, Any]:
    if isinstance(item, dict):
        name = item.get("tool", item.get("name"))
        arguments = item.get("arguments", {})
        values = (item.get(key, "") for key in ("status", "kind", "channel"))
        if isinstance(name, str) and name and isinstance(arguments, dict) and all(isinstance(v, str) for v in values):
            return {**item, "tool": name, "arguments": arguments}
    raise FileFormatError(
        f"{shown} contains an entry that is not a call.",
        'A call is {"tool": "NAME", "arguments": {…}, "status": "…", "kind": "…"}.',
    )


def split_recordings(calls: Sequence[Mapping[str, Any]]) -> tuple[list[CallConfig], list[Mapping[str, Any]]]:
    """Split calls into those that only state expectations, as configured calls, and those with a recorded result."""
    configured = [
        CallConfig(call["tool"], call["arguments"], call.get("status", ""), call.get("kind", ""))
        for call in calls
        if "result" not in call
    ]
    return configured, [call for call in calls if "result" in call]
