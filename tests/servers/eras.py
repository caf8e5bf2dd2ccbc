"""A server that is strict about its era: ``python eras.py KIND [DELAY] [PLACE]``.

KIND: ``modern`` refuses ``initialize``; ``legacy`` refuses ``server/discover``; ``ignores`` is legacy and never answers
what it does not know; ``dies`` is legacy and ends at it; ``both`` takes the era of the first handshake, as the
TypeScript SDK does: ``initialize`` after ``server/discover`` makes it legacy, and it answers nothing modern any more.

DELAY: seconds, PLACE: ``start`` (before it reads) or, after it has read the first message, ``answer`` (it sleeps),
``work`` (it computes) or ``log`` (it writes to stderr).
With ``STAMP`` in the environment only the first process is slow, and leaves that file behind.
With ``LOG`` every process appends a line: the methods that it was sent.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

KIND = sys.argv[1]
DELAY = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
PLACE = sys.argv[3] if len(sys.argv) > 3 else "start"
MODERN = "io.modelcontextprotocol/protocolVersion"
TOOL = {"name": "t", "inputSchema": {"type": "object"}}
FOUND = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "e", "version": "1"}}
UNKNOWN = {"code": -32601, "message": "unknown method"}


def wait(place: str) -> None:
    stamp = os.environ.get("STAMP")
    if place == PLACE and not (stamp and Path(stamp).exists()):
        end = time.monotonic() + DELAY
        while (left := end - time.monotonic()) > 0:
            if place != "work":
                time.sleep(min(left, 0.05 if place == "log" else left))
            if place == "log":
                print("still starting", file=sys.stderr, flush=True)
        if stamp:
            Path(stamp).touch()


def note(word: str) -> None:
    if "LOG" in os.environ:
        with Path(os.environ["LOG"]).open("a", encoding="utf-8") as log:
            log.write(word)


def answer(method: str, modern: bool, era: str) -> tuple[str, object]:
    """``result`` or ``error`` and its value; an empty key for no answer."""
    if method == "server/discover":
        if KIND == "dies":
            sys.exit(1)
        if KIND == "ignores":
            return "", None
        return ("error", UNKNOWN) if era == "legacy" else ("result", FOUND)
    if method == "initialize":
        return ("result", HELLO) if era != "modern" or KIND == "both" else ("error", {**UNKNOWN, "code": -32022})
    if method == "tools/list" and modern == (era == "modern"):
        return "result", {"tools": [TOOL]}
    return "error", {**UNKNOWN, "message": f"{method} of the wrong era"}


def main() -> None:
    era = {"modern": "modern", "both": ""}.get(KIND, "legacy")
    note("start")
    wait("start")
    first = True
    for line in sys.stdin:
        message = json.loads(line)
        note(" " + message["method"])
        if first:
            for place in ("answer", "work", "log"):
                wait(place)
            first = False
        if "id" not in message:
            continue
        modern = MODERN in message.get("params", {}).get("_meta", {})
        key, value = answer(message["method"], modern, era)
        if KIND == "both" and message["method"] == "initialize":
            era = "legacy"
        elif KIND == "both" and not era:
            era = "modern" if modern else "legacy"
        if key:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], key: value}), flush=True)


if __name__ == "__main__":
    main()
