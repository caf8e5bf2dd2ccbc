"""An MCP server on the standard library whose tools work only with what fits: ``python archive.py [TOOL…]``.

Ids come from its lists, days are today, paths exist, time zones are known. It notes every call in the file that
``ARCHIVE_CALLS`` names, one JSON object per line. It speaks the older era.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

READ = {"readOnlyHint": True}
WRITE = {"readOnlyHint": False, "destructiveHint": False}


class Refusal(Exception):
    """What a tool answers as an error."""


def get_issue(issue_id):
    if issue_id != "ISS-17":
        raise Refusal(f"No issue {issue_id}")
    return "It is open."


def get_item(item_id):
    if item_id not in range(100_000):
        raise Refusal("No such item")
    return "An item."


def get_day(day):
    if day != date.today().isoformat():
        raise Refusal("Nothing is known about that day")
    return "Today."


def get_clock(timezone):
    try:
        ZoneInfo(timezone)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise Refusal(f"Invalid timezone: {timezone}") from None
    return "Noon."


def read_report(path):
    if not Path(path).is_file():
        raise Refusal("No such file")
    return Path(path).read_text(encoding="utf-8")


def get_history(repo_path):
    if not (Path(repo_path) / ".git").is_dir():
        raise Refusal("Not a git repository")
    return "One commit."


def get_speed(mode):
    if mode not in ("fast", "slow"):
        raise Refusal("mode must be one of: fast, slow")
    return mode


def save_note(path, text):
    Path(path).write_text(text, encoding="utf-8")
    return "Saved."


def refuse(text):
    def answer(**_):
        raise Refusal(text)

    return answer


def crash(**_):
    os._exit(3)


TEXT = {"type": "string"}
TOOLS = {
    # name: (function, properties, hints)
    "get_issue": (get_issue, {"issue_id": {**TEXT, "description": "From list_issues, e.g. 'ISS-1'"}}, READ),
    "list_issues": (lambda: {"issues": [{"id": "ISS-17", "state": "open"}]}, {}, READ),
    "get_item": (get_item, {"item_id": {"type": "integer"}}, READ),
    "list_items": (lambda: {"items": [{"id": number} for number in range(20_000)]}, {}, READ),
    "get_day": (get_day, {"day": {**TEXT, "description": "YYYY-MM-DD, e.g. '2020-01-01'"}}, READ),
    "get_clock": (get_clock, {"timezone": TEXT}, READ),
    "read_report": (read_report, {"path": {**TEXT, "description": "e.g. '/etc/passwd'"}}, READ),
    "get_history": (get_history, {"repo_path": TEXT}, READ),
    "get_speed": (get_speed, {"mode": TEXT}, READ),
    "save_note": (save_note, {"path": {**TEXT, "default": "../../x"}, "text": TEXT}, WRITE),
    "never": (refuse("There is no\nsuch thing"), {"thing": {**TEXT, "description": "'a', 'b', 'c', 'd', 'e'"}}, READ),
    "picky": (refuse("Invalid argument"), {"thing": {**TEXT, "description": "'a', 'b', 'c'"}}, READ),
    "locked": (refuse("Missing API key"), {"thing": {**TEXT, "description": "'a', 'b', 'c'"}}, READ),
    "crash": (crash, {"thing": {**TEXT, "description": "'a', 'b', 'c'"}}, READ),
}


def called(name, arguments):
    if "ARCHIVE_CALLS" in os.environ:
        with Path(os.environ["ARCHIVE_CALLS"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, arguments]) + "\n")
    function, properties, _ = TOOLS[name]
    try:
        if set(arguments) != set(properties):
            raise Refusal(f"Invalid arguments: expected {sorted(properties)}")
        reported = function(**arguments)
    except Refusal as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(reported, dict):
        return {"content": [{"type": "text", "text": json.dumps(reported)}], "structuredContent": reported}
    return {"content": [{"type": "text", "text": reported}]}


def answer(method, params, names):
    if method == "initialize":
        reported = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        return {"result": {**reported, "serverInfo": {"name": "archive", "version": "1.0.0"}}}
    if method == "tools/list":
        return {
            "result": {
                "tools": [
                    {
                        "name": name,
                        "inputSchema": {
                            "type": "object",
                            "properties": TOOLS[name][1],
                            "required": list(TOOLS[name][1]),
                            "additionalProperties": False,
                        },
                        "annotations": TOOLS[name][2],
                    }
                    for name in names
                ]
            }
        }
    if method == "tools/call" and params["name"] in names:
        return {"result": called(params["name"], params.get("arguments") or {})}
    return {"error": {"code": -32602 if method == "tools/call" else -32601, "message": "unknown"}}


def main():
    names = sys.argv[1:] or list(TOOLS)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            reported = answer(message["method"], message.get("params", {}), names)
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reported}), flush=True)


if __name__ == "__main__":
    main()
