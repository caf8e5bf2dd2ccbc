"""The minimum that a client does to list a server's tools: the yardstick for the live budget.

    python tools/bare_client.py COMMAND [ARGS…]

Standard library only, without timeouts, limits or checks: starts the server, calls ``server/discover`` (or
``initialize``, if the server rejects that), reads every page of ``tools/list``, prints the number of tools, closes
stdin and waits. Everything that governs a server has to be compared with this.
"""

from __future__ import annotations

import json
import subprocess
import sys

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "0"},
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare", "version": "0"}}


class Bare:
    """A connection to one child."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict) -> dict:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server is gone")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer

    def open(self) -> dict:
        """Shake hands; returns the parameters for every later request."""
        if "result" in self.ask("server/discover", {"_meta": META}):
            return {"_meta": META}
        answer = self.ask("initialize", INITIALIZE)
        if "error" in answer:
            raise SystemExit(answer["error"])
        self.send({"method": "notifications/initialized"})
        return {}

    def tools(self, base: dict) -> list:
        """All pages of the list."""
        tools: list = []
        params = base
        while True:
            result = self.ask("tools/list", params)["result"]
            tools += result["tools"]
            if result.get("nextCursor") is None:
                return tools
            params = {**base, "cursor": result["nextCursor"]}

    def close(self) -> None:
        """Close stdin, and wait for the child to exit."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def main() -> None:
    bare = Bare(sys.argv[1:])
    print(len(bare.tools(bare.open())))
    bare.close()


if __name__ == "__main__":
    main()
