"""A server that gives away what ``SECRET`` in its environment says: ``python leaker.py MODE [SPELLING]``.

Modes: ``everywhere`` (every field of every list, of results and of errors of calls), ``listing`` (tools/list is
refused), ``handshake`` (initialize is), ``noise`` (stdout), ``dies`` (stderr, cut within the secret), ``call-dies``.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import sys
import urllib.parse

MODE = sys.argv[1]
PLAIN = os.environ["SECRET"]
SPELLINGS = {
    "plain": PLAIN,
    "upper": PLAIN.upper(),
    "url": urllib.parse.quote(f"a/{PLAIN}", safe=""),
    "json": json.dumps(PLAIN),
    "html": html.escape(PLAIN),
    "base64": base64.b64encode(f"user:{PLAIN}".encode()).decode(),
    "hex": PLAIN.encode().hex(),
}
S = SPELLINGS[sys.argv[2] if len(sys.argv) > 2 else "plain"]


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def schema() -> dict:
    return {
        "type": "object",
        "title": S,
        "description": f"{'x' * 140} {S}",
        "properties": {
            S: {"type": "string", "default": S, "examples": [S], "description": f"{'y' * 70}{S}"},
            "choice": {"enum": [S, "b"], "const": S},
            "text": {"pattern": f"^{re.escape(S)}$", "$comment": S, "x-own": {S: [S]}},
        },
        "patternProperties": {f"^x-{S}": {}},
        "required": [S],
        "$defs": {S: {"const": S}},
    }


def tool(name: str) -> dict:
    return {
        "name": name,
        "title": S,
        "description": f"Use this when {'w' * 300} {S}.\n\n{S}",
        "inputSchema": schema(),
        "outputSchema": schema(),
        "annotations": {"title": S, "readOnlyHint": True, S: S},
        "icons": [{"src": f"https://h.example/{S}.png"}],
        "_meta": {S: S, "own.example/key": {S: [S]}},
        S: S,
    }


def everything(method: str, params: dict) -> dict:
    meta = {"_meta": {S: S}}
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}, "experimental": {S: {"a": S}}},
            "serverInfo": {"name": f"leaker {S}", "version": f"1.0.0+{S}", "title": S, S: S},
            "instructions": f"Remember {S}.",
            **meta,
        }
    if method == "tools/list":
        callable_tool = {"name": "call_me", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
        failing = {**callable_tool, "name": "fail_me"}
        if params.get("cursor") is None:
            return {"tools": [callable_tool, failing], "nextCursor": S, **meta}
        assert params["cursor"] == S, "a cursor has to come back as it was sent"
        # Two names that differ in nothing but the secret, and one that is no name at all.
        return {"tools": [tool(f"get_{S}"), tool(S), {S: S}, S], **meta}
    if method == "prompts/list":
        return {"prompts": [{"name": S, "description": S, "arguments": [{"name": S}]}], **meta}
    if method == "resources/list":
        return {"resources": [{"uri": f"x://{S}", "name": S, "mimeType": S}], **meta}
    if method == "resources/templates/list":
        return {"resourceTemplates": [{"uriTemplate": f"x://{S}/{{a}}", "name": S}], **meta}
    if method == "tools/call" and params["name"] == "call_me":
        return {
            "content": [{"type": "text", "text": f"{'z' * 150}{S}"}, {"type": S, S: S}],
            "structuredContent": {S: S, "nested": [{S: [S]}]},
            **meta,
        }
    raise LookupError(method)


def main() -> None:
    print(f"starting with {S}", file=sys.stderr, flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method", ""), message.get("params") or {}
        if "id" not in message:
            continue
        if MODE == "noise" and method == "initialize":
            print(f"{'n' * 190}{S}\n{S}", flush=True)
        if (MODE, method) in {("listing", "tools/list"), ("handshake", "initialize")}:
            error = {"code": -32000, "message": f"{'m' * 150}{S}", "data": {S: S}}
            say({"jsonrpc": "2.0", "id": message["id"], "error": error})
        elif (MODE, method) in {("dies", "tools/list"), ("call-dies", "tools/call")}:
            # What is kept of stderr, 4,096 bytes, begins within the secret.
            print(f"{'q' * 50}{S}{'r' * (4096 - 1 - len(S) + 4)}", end="\n", file=sys.stderr, flush=True)
            sys.exit(1)
        else:
            try:
                say({"jsonrpc": "2.0", "id": message["id"], "result": everything(method, params)})
            except LookupError:
                error = {"code": -32601, "message": f"no {method}: {S}", "data": S}
                say({"jsonrpc": "2.0", "id": message["id"], "error": error})


main()
