"""An MCP server on the standard library whose tools behave as they are called: ``python talker.py [TOOL…]``.

It speaks the older era. A file named by ``TALKER_STARTS`` counts how often it was started.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

READ = {"readOnlyHint": True}
ANY = {"type": "object", "properties": {}}
ONE = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"], "additionalProperties": False}
NULL = dict.fromkeys(("error", "confidence", "provenance", "follow_up_hints", "degradation_reason"))
ENVELOPE = {"status": "success", "data": {"n": 1}, **NULL, "charter_version": "1.2"}


def result(text: str | None = "ok", **more: object) -> dict:
    content = [] if text is None else [{"type": "text", "text": text}]
    return {"content": content, **more}


def envelope(**fields: object) -> dict:
    whole = {**ENVELOPE, **fields}
    return result(json.dumps(whole), structuredContent=whole, isError=False)


def error(tool: str | None, arguments: object, kind: str = "unknown_name") -> dict:
    recovery = {"suggested_tool": tool, "suggested_args": arguments}
    reported = {"kind": kind, "message": "No such thing is known.", "recovery": recovery}
    return envelope(status="error", data=None, error=reported)


def send(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def raw(number: object, text: str) -> None:
    sys.stdout.write(f'{{"jsonrpc":"2.0","id":{number},"result":{text}}}\n')
    sys.stdout.flush()


def sized(size: int) -> str:
    """A result of so many bytes."""
    before, after = '{"content":[{"type":"text","text":"', '"}]}'
    return before + "x" * (size - len(before) - len(after)) + after


def lax(arguments: dict) -> dict:
    return result()


def strict(arguments: dict) -> dict:
    if len(arguments.get("q", "")) < 20:
        return result("Invalid arguments: q must be longer", isError=True)
    return result()


def exact(arguments: dict) -> dict:
    if set(arguments) != {"q"} or not isinstance(arguments["q"], str):
        return result("Invalid arguments: exactly q is expected", isError=True)
    return result()


def ask(number: object) -> None:
    send({"id": "s1", "method": "elicitation/create", "params": {"message": "really?", "requestedSchema": ANY}})
    send({"id": "s2", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}})
    answers = [json.loads(sys.stdin.readline()) for _ in range(2)]
    refused = all("error" in answer or answer.get("result", {}).get("action") == "decline" for answer in answers)
    send({"id": number, "result": result("refused" if refused else "answered")})


def chatter(number: object) -> None:
    for level in ("info", "error"):
        send({"method": "notifications/message", "params": {"level": level, "data": "working"}})
    send({"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    send({"method": "notifications/tools/list_changed"})
    send({"id": number, "result": result()})


ANSWERS = {
    "lax": lax,
    "strict": strict,
    "exact": exact,
    "good": lambda arguments: envelope(),
    "follows": lambda arguments: error("good", {}),
    "loops": lambda arguments: error("same", {}),
    "same": lambda arguments: error("good", {}),
    "itself": lambda arguments: error("itself", {}),
    "changed": lambda arguments: envelope() if arguments.get("q") == "b" else error(None, {"q": "b"}),
    "unchanged": lambda arguments: error(None, {"q": "b"}),
    "writes-next": lambda arguments: error("write", {}),
    "older": lambda arguments: envelope(charter_version="1.1"),
    "write": lambda arguments: result(),
    "destroy": lambda arguments: result(),
    "big": lambda arguments: result("x" * 200_000),
    "binary": lambda arguments: {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]},
    "textless": lambda arguments: result(None, structuredContent={"n": 1}),
    "hollow": lambda arguments: {},
    "naked": lambda arguments: ENVELOPE,
    "promised": lambda arguments: result(),
    "leaks": lambda arguments: result(f"KeyError: {os.environ.get('TALKER_SECRET')}", isError=True),
    "drops": lambda arguments: result(structuredContent={"n": os.environ.get("TALKER_N", "1")}),
}
SPEAKS = {
    "hang": lambda number: time.sleep(60),
    "die": lambda number: sys.exit(3),
    "ask": ask,
    "chatter": chatter,
    "null": lambda number: raw(number, "null"),
    "list": lambda number: raw(number, "[1]"),
    "nan": lambda number: raw(number, '{"content":[],"structuredContent":{"n":NaN}}'),
    "duplicate": lambda number: raw(number, '{"content":[],"content":[{"type":"text","text":"b"}]}'),
    "both": lambda number: send({"id": number, "result": result(), "error": {"code": 1, "message": "no"}}),
    "both-null": lambda number: send({"id": number, "result": None, "error": {"code": 1, "message": "no"}}),
    "error-null": lambda number: send({"id": number, "result": result(), "error": None}),
    "id-text": lambda number: send({"id": str(number), "result": result()}),
    "id-other": lambda number: send({"id": 4711, "result": result()}),
    "id-null": lambda number: send({"id": None, "result": result()}),
    "sized": lambda number: raw(number, sized(int(os.environ["TALKER_BYTES"]))),
    "noise": lambda number: (sys.stdout.write("starting up\n"), send({"id": number, "result": result()})),
    "fails": lambda number: send({"id": number, "error": {"code": -32603, "message": "KeyError: q"}}),
}


def tool(name: str) -> dict:
    schema = ONE if name in ("lax", "strict", "exact", "changed", "unchanged") else ANY
    out: dict = {"name": name, "inputSchema": schema, "annotations": READ}
    if name == "write":
        out["annotations"] = {"readOnlyHint": False, "destructiveHint": False}
    if name == "destroy":
        out["annotations"] = {}
    if name == "promised":
        out["outputSchema"] = {"type": "object"}
    return out


def answer(message: dict, names: list[str]) -> None:
    number, method = message["id"], message["method"]
    if method == "initialize":
        reported = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        send({"id": number, "result": {**reported, "serverInfo": {"name": "talker", "version": "1.0.0"}}})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": [tool(name) for name in names]}})
    elif method == "tools/call":
        name, arguments = message["params"]["name"], message["params"].get("arguments") or {}
        if name in SPEAKS and name in names:
            SPEAKS[name](number)
        elif name in ANSWERS and name in names:
            send({"id": number, "result": ANSWERS[name](arguments)})
        else:
            send({"id": number, "error": {"code": -32602, "message": f"Unknown tool: {name}"}})
    else:
        send({"id": number, "error": {"code": -32601, "message": "unknown method"}})


def main() -> None:
    if "TALKER_STARTS" in os.environ:
        counter = Path(os.environ["TALKER_STARTS"])
        counter.write_text(
            str(1 + int(counter.read_text(encoding="utf-8") if counter.exists() else 0)), encoding="utf-8"
        )
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(message, sys.argv[1:])


if __name__ == "__main__":
    main()
