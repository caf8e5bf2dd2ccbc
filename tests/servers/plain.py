"""A small MCP server on the standard library: ``python plain.py [JSON]``.

The JSON argument changes what it says. Keys: ``era`` ("modern", "legacy" or "both"), ``version``, ``tools`` (a
list), ``page`` (tools per page), ``tiers`` (tier → tools listed for ``{"tier": …}``), ``tiers_mode`` ("filter" or
"add"), ``capabilities``, ``lists`` (method → [key, items]), ``info``, ``instructions``, ``hints`` (what modern
results of lists and of ``server/discover`` say besides their items: one object, or one for each page).
"""

from __future__ import annotations

import json
import os
import sys

HOW = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
ERA = HOW.get("era", "both")
TOOLS = HOW.get("tools", [{"name": "add", "inputSchema": {"type": "object"}, "x-unknown": [1, None]}])
INFO = HOW.get("info", {"name": "plain", "version": "1.0.0"})
LEGACY = HOW.get("version", "2025-06-18")
CAPABILITIES = HOW.get("capabilities", {"tools": {}})
LISTS = HOW.get("lists", {})
HINTS = HOW.get("hints", {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
META = "io.modelcontextprotocol/"


class Refusal(Exception):
    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data is not None else {})}


def spoken(tool: dict) -> dict:
    """A tool whose description gives away what ``LEAK`` in the environment says."""
    if "LEAK" in os.environ:
        return {**tool, "description": f"Knows {os.environ['LEAK']} by heart."}
    return tool


def tools(params: dict) -> dict:
    tier = params.get("tier")
    listed = HOW.get("tiers", {}).get(tier, TOOLS) if tier else TOOLS
    size = HOW.get("page", len(listed) or 1)
    # "" is a valid cursor (2026-07-28), so the second page gets it.
    cursor = params.get("cursor")
    start = 0 if cursor is None else size if cursor == "" else int(cursor)
    result: dict = {"tools": [spoken(tool) for tool in listed[start : start + size]]}
    if start + size < len(listed):
        result["nextCursor"] = "" if start == 0 else str(start + size)
    return result


def hinted(method: str, params: dict) -> dict:
    result = answer(method, params)
    if f"{META}protocolVersion" not in params.get("_meta", {}) or method == "tools/call":
        return result
    hints = HINTS if isinstance(HINTS, dict) else HINTS[bool(params.get("cursor") is not None)]
    return {**hints, **result}


def answer(method: str, params: dict) -> dict:
    modern = f"{META}protocolVersion" in params.get("_meta", {})
    said = {"capabilities": CAPABILITIES}
    if "instructions" in HOW:
        said["instructions"] = HOW["instructions"]
    if method == "server/discover" and ERA != "legacy":
        return {"supportedVersions": ["2026-07-28"], "_meta": {f"{META}serverInfo": INFO}, **said}
    if method == "initialize" and ERA != "modern":
        return {"protocolVersion": LEGACY, "serverInfo": INFO, **said}
    if method in ("server/discover", "initialize"):
        raise Refusal(-32022 if method == "initialize" else -32601, "not in this era", {"supported": ["2026-07-28"]})
    if ERA == "modern" and not modern:
        raise Refusal(-32602, "envelope missing")
    if method == "tools/list":
        return tools(params)
    if method == "tools/call":
        return call(params)
    if method in LISTS:
        key, items = LISTS[method]
        return {key: items}
    raise Refusal(-32601, f"no method {method}")


def call(params: dict) -> dict:
    if params.get("name") == "environment":
        text = json.dumps(dict(os.environ))
    elif params.get("name") == "ask" and "inputResponses" not in params:
        asking = {"method": "elicitation/create", "params": {"message": "really?"}}
        return {"resultType": "input_required", "inputRequests": {"q": asking}, "requestState": "s1"}
    else:
        text = json.dumps(params, sort_keys=True)
    return {"content": [{"type": "text", "text": text}]}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = hinted(message["method"], message.get("params") or {})
        except Refusal as refusal:
            reply["error"] = refusal.error
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
