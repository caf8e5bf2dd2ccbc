"""A server whose list behaves in a known way: ``python listing.py JSON``.

Keys: ``tools`` (how many), ``size`` (characters of each description), ``order`` ("turning": another one each time),
``stamp`` (a counter in a description), ``growing`` (one more tool each time), ``dies_at`` and ``fails_at`` (the list at
which the process ends, or answers with an error), ``first_ms`` (the first list), ``each_ms`` (every list), ``cache_ms``
(lists within this time of the last build take no ``build_ms``), ``ttl`` (ttlMs), ``era`` ("modern", "legacy", "both"),
``seen`` (a file that gets a byte for each list that is asked for).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

HOW = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
ERA = HOW.get("era", "both")


class Lists:
    count = 0
    built = float("-inf")


def tools() -> list:
    count = HOW.get("tools", 3) + (Lists.count if HOW.get("growing") else 0)
    made = [
        {"name": f"tool_{index}", "description": "x" * HOW.get("size", 10), "inputSchema": {"type": "object"}}
        for index in range(count)
    ]
    if HOW.get("stamp"):
        made[0]["description"] = f"Asked {Lists.count} times."
    if HOW.get("order") == "turning":
        turn = Lists.count % len(made)
        made = made[turn:] + made[:turn]
    return made


def listed() -> dict:
    Lists.count += 1
    if HOW.get("seen"):
        with Path(HOW["seen"]).open("ab") as seen:
            seen.write(b".")
    if Lists.count == HOW.get("dies_at"):
        sys.exit(3)
    if Lists.count == HOW.get("fails_at"):
        raise ValueError("no list today")
    pause = HOW.get("each_ms", 0) + (HOW.get("first_ms", 0) if Lists.count == 1 else 0)
    if time.monotonic() - Lists.built > HOW.get("cache_ms", 0) / 1_000:
        pause += HOW.get("build_ms", 0)
        Lists.built = time.monotonic() + pause / 1_000
    time.sleep(pause / 1_000)
    return {"resultType": "complete", "ttlMs": HOW.get("ttl", 0), "cacheScope": "private", "tools": tools()}


def answer(method: str) -> dict:
    if method == "tools/list":
        return listed()
    if method == "server/discover" and ERA != "legacy":
        info = {"name": "listing", "version": "1.0.0"}
        known = {
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "public",
            "resultType": "complete",
        }
        return {**known, "_meta": {"io.modelcontextprotocol/serverInfo": info}}
    if method == "initialize" and ERA != "modern":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "l", "version": "1"},
        }
    raise ValueError("not in this era")


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = answer(message["method"])
        except ValueError as error:
            reply["error"] = {"code": -32601, "message": str(error)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
