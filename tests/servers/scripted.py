"""A server that answers as it is told: ``python scripted.py SCRIPT.json``, on the standard library, in the older era.

The script is ``{"tools": […], "answers": {TOOL: ANSWER, …}, "log": FILE, "lax": BOOL}``. Each call is written to the
log, a line of JSON. An answer is a result; or one of the words of :func:`reply`; or a list of these, one for each call,
the last one for all that follow. A call whose arguments the input schema refuses (a required one is missing or not a
string) never reaches the answers, as with every framework, unless the server is lax.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

HANG = "hang"
DIE = "die"


def send(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(said: str, **more: object) -> dict:
    return {"content": [{"type": "text", "text": said}], "isError": False, **more}


def refusal(tool: dict, arguments: dict) -> str:
    schema = tool["inputSchema"]
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in arguments:
            return f"Invalid arguments: {name} is required"
    for name, value in arguments.items():
        if name not in properties:
            return f"Invalid arguments: unknown argument {name}"
        if properties[name].get("type") == "string" and not isinstance(value, str):
            return f"Invalid arguments: {name} must be a string"
    return ""


def reply(number: object, answer: object) -> None:
    if answer == DIE:
        sys.exit(3)
    if answer == HANG:
        time.sleep(600)
    send({"id": number, "result": answer if isinstance(answer, dict) else text(str(answer))})


def main() -> None:
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    tools = {tool["name"]: tool for tool in script["tools"]}
    made: dict[str, int] = {}
    for line in sys.stdin:
        message = json.loads(line)
        number, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if method == "initialize":
            info = {"name": "scripted", "version": "1.0.0"}
            send(
                {
                    "id": number,
                    "result": {
                        "protocolVersion": "2025-06-18",
                        "capabilities": {"tools": {}},
                        "serverInfo": info,
                    },
                }
            )
        elif method == "tools/list":
            send({"id": number, "result": {"tools": script["tools"]}})
        elif method == "tools/call":
            name, arguments = params["name"], params.get("arguments", {})
            with Path(script["log"]).open("a", encoding="utf-8") as log:
                log.write(json.dumps([name, arguments]) + "\n")
            refused = refusal(tools[name], arguments) if name in tools else f"Unknown tool {name}"
            if refused and not script["lax"]:
                send({"id": number, "result": {**text(refused), "isError": True}})
                continue
            answers = script["answers"][name]
            answers = answers if isinstance(answers, list) else [answers]
            turn = made[name] = made.get(name, 0) + 1
            reply(number, answers[min(turn, len(answers)) - 1])
        elif number is not None:
            send({"id": number, "error": {"code": -32601, "message": "Method not found"}})


if __name__ == "__main__":
    main()
