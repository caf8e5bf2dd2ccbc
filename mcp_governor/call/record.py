"""Record calls: one JSON file per call, reviewed like a baseline, with secrets and volatile values masked.

A file has ``tool`` (or ``name``), ``arguments``, ``status`` and ``kind`` like a configured call; a recording adds
``channel`` and ``result``. A file may also contain a list of calls.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import GENERATED, Purpose
from mcp_governor.call.masking import mask
from mcp_governor.config import CallConfig
from mcp_governor.errors import FileFormatError
from mcp_governor.files import list_files, read_named
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.surface.file import dump_json, parse_json
from mcp_governor.text import visible
from mcp_governor.writing import write_below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp_governor.call.report import CaseResult
    from mcp_governor.call.sandbox import Sandbox


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
