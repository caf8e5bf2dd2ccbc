"""A process for one job that reads a server: ``python -m mcp_governor.server.job``, started by :mod:`.jobs`.

The request is a line of JSON, ``{"job": "check" | "draft", "config": PATH, "server": NAME | null, …}``. The reply is
another: ``{"done": …}``, ``{"refused": {"kind", "message", "names"}}`` where the request or the server is at fault,
``{"failed": "result"}`` where it is too large, or ``{"crashed": TRACE}``. The process has no limit on memory, because
servers inherit limits; its time is bounded by the one who starts it, and it ends when that one is gone.
"""

from __future__ import annotations

import difflib
import json
import queue
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.server.worker import end_group, private_streams, receive, say

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.report.items import Item

MAX_ITEMS = 2_000
"""Items of one report that agents can list, the worst first: a hundred pages of what a model reads at once. The
counts cover all of them."""

MAX_TEXT = 2_000
"""Characters of one message or fix. Those of real servers have hundreds; the middle of a longer one is left out."""

MAX_ID = 1_900
"""Characters of an id, a tool's name or a path. ``explain_finding`` takes 2,000, and the note of what is left out needs
some; real ones have a hundred."""

MAX_REPORT = 512 << 10
"""Bytes of a whole report that agents can read as a resource, as many as those of a result (``worker.RESULT_BYTES``).
Of a larger one they can list the items."""

MAX_DIFF = 100_000
"""Characters of a drafted diff: some two thousand entries. A longer one is cut, and says so."""

REPLY_BYTES = 16 << 20
"""Largest reply: 2,000 items of 2,000 characters, each of which JSON may escape, and a report of 512 KiB."""


class _RefusedError(Exception):
    """The request cannot be done; the arguments are a kind, one sentence, and names that would do."""


def main() -> None:
    """Do one job."""
    inward, outward = private_streams()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(inward, requests), daemon=True).start()
    reply = reply_to(json.loads(requests.get()))
    say(outward, reply if len(json.dumps(reply)) <= REPLY_BYTES else {"failed": "result"})
    end_group()


def reply_to(request: dict[str, Any]) -> dict[str, Any]:
    """What came of one request; see the module."""
    from mcp_governor.errors import GovernorError

    try:
        return {"done": _JOBS[request["job"]](request)}
    except _RefusedError as error:
        kind, message, names = error.args
        return {"refused": {"kind": kind, "message": message, "names": names}}
    except GovernorError as error:
        return {"refused": {"kind": "index_not_ready", "message": _sentence(error), "names": []}}
    except Exception:  # noqa: BLE001  (the client gets an envelope, the operator the trace)
        import traceback

        from mcp_governor.secrets import redact

        return {"crashed": redact(traceback.format_exc(limit=-8))[-4_000:]}


def _sentence(error: Any) -> str:
    """One sentence, which the contract demands of a message."""
    from mcp_governor.secrets import redact
    from mcp_governor.text import one_line

    return one_line(redact(error.message), 300)


def _configured(request: dict[str, Any]) -> tuple[Config, str | None, str]:
    """The configuration, the TARGET to read, and its name.

    An agent chooses among the names in the configuration and nothing else: a command, an address or a path that it
    sends is an unknown name.
    """
    from mcp_governor.config import load_config
    from mcp_governor.target.resolve import SURFACE_FILE
    from mcp_governor.text import visible

    config = load_config(Path(request["config"]))
    name = request["server"]
    names = sorted(config.servers)
    if name is None:
        if request.get("offline"):
            return config, None, visible(config.target or config.baseline or SURFACE_FILE)
        if not config.target:
            raise _RefusedError("index_not_ready", "The configuration names no default target.", names)
        return config, None, visible(config.target)
    if name not in config.servers:
        raise _RefusedError("unknown_name", "The configuration has no server of that name.", names)
    return config, name, visible(name)


def _check(request: dict[str, Any]) -> dict[str, Any]:
    from msgspec.structs import replace

    from mcp_governor.checking.model import Asked
    from mcp_governor.checking.run import checked

    config, target, name = _configured(request)
    if request["offline"]:
        if target is not None and target != config.target:
            # The surface that is recorded is that of the default target.
            message = "The recorded surface is not that of this server."
            raise _RefusedError("index_not_ready", message, [config.target] if config.target in config.servers else [])
        target = None
    elif not request["calls"]:
        config = replace(config, calls_mode="none")
    report = checked(Asked(target=target, offline=request["offline"]), config).report
    return {"server": name, **summary_of(report)}


def summary_of(report: Report) -> dict[str, Any]:
    """What agents can ask about a report: the verdict, the counts, the items, and the report itself if it is small."""
    from itertools import chain

    from mcp_governor.report.items import items
    from mcp_governor.report.json_report import render
    from mcp_governor.secrets import redact_json
    from mcp_governor.server.quoting import Quoter, names_in, prose_in
    from mcp_governor.text import shortened

    counts = report.summary
    names = (name for pair in report.definitions.values() for tool in pair for name in names_in(tool))
    quoted = Quoter(chain(names, *(prose_in(found.value) for found in report.findings)))

    def marked(item: Item, text: str) -> str:
        return shortened(quoted(text, item.tool, item.pointer), MAX_TEXT)

    listed = [
        {
            "id": shortened(item.id, MAX_ID),
            "rule": item.rule,
            "severity": item.severity.value,
            "tool": shortened(item.tool, MAX_ID) or None,
            "path": shortened(item.pointer, MAX_ID),
            "message": marked(item, item.message),
            "fix": marked(item, item.fix) or None,
            "accepted": item.accepted is not None,
        }
        for item in items(report)[:MAX_ITEMS]
    ]
    found = {f"{severity}s": number for severity, number in counts["findings"].items()}
    changed = {verdict: counts["changes"][verdict] for verdict in ("breaking", "unknown")}
    declared = report.declared_bump
    whole = render(report)
    return {
        "verdict": report.verdict,
        "required_bump": report.required_bump.value,
        "declared_bump": declared.value if declared is not None else None,
        "counts": {**found, **changed, "accepted": counts["accepted"]},
        "items": redact_json(listed),
        "report": whole if len(whole.encode()) <= MAX_REPORT else None,
    }


def _draft(request: dict[str, Any]) -> dict[str, Any]:
    from mcp_governor.checking.changelog_draft import draft_changelog, open_changelog
    from mcp_governor.secrets import redact
    from mcp_governor.target import resolve
    from mcp_governor.text import visible

    config, target, _ = _configured(request)
    opened = open_changelog(config, resolve(target, config), None)
    drafted = draft_changelog(opened, request["version"])
    name = opened.config.changelog
    before, after = (text.splitlines(keepends=True) for text in (opened.book.text, drafted.text))
    diff = visible("".join(difflib.unified_diff(before, after, name, name)), keep_newlines=True)
    if len(diff) > MAX_DIFF:
        diff = f"{diff[:MAX_DIFF]}\n… (the rest is left out)\n"
    return {
        "changelog": visible(name),
        "section": visible(drafted.version) or "Unreleased",
        "missing_entries": drafted.missing,
        "diff": redact(diff),
        "next_step": visible(drafted.advice),
    }


_JOBS = {"check": _check, "draft": _draft}


if __name__ == "__main__":
    main()
