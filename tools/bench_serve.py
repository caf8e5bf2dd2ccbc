"""How fast the tools of a warm ``serve`` respond, for recorded surfaces of 100 tools: ``python tools/bench_serve.py``.

Wall clock of a client over stdio, from the line that it writes to the line that it reads, one call at a time. Nothing
is asserted: the last column is the 95th percentile as a part of the budget. On a busy machine every figure grows;
``ping``, which does nothing, is measured between the calls.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOOLS = 100
"""Tools of both surfaces: more than nearly all public servers have."""
BUDGET = 0.050
"""Seconds for the 95th percentile: a person does not notice it, and a model waits for its own tokens longer."""
CHECKS = 10
"""Fewest calls of a tool that does its work in a process of its own."""
PAUSE = 1.0
"""Seconds before each call of these, in which the next process gets ready. A model takes longer to write a call;
without the pause each call waits for the rest of a start, 0.3 s."""

CONFIG = """\
target = "shelves"
baseline = "mcp-surface.json"
changelog = "CHANGELOG.md"
[servers.shelves]
file = "live.json"
"""


class Client:
    """One session with ``mcp-governor serve`` in a folder."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "mcp_governor", "serve"]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._count = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)

    def ask(self, method: str, params: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """The result of a request, and its seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._count += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}).encode() + b"\n"
        begun = time.perf_counter()
        self._process.stdin.write(line)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        spent = time.perf_counter() - begun
        return json.loads(answer)["result"], spent

    def call(self, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """The envelope of a call, and its seconds."""
        result, spent = self.ask("tools/call", {"name": tool, "arguments": arguments})
        envelope = result.get("structuredContent")
        if envelope is None or envelope["status"] not in ("success", "empty"):
            raise SystemExit(f"{tool} did not succeed: {str(result)[:500]}")
        return envelope, spent

    def close(self) -> None:
        """End the session."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def project(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    """A governed server whose release and present are recorded."""
    (folder / "mcp-governor.toml").write_text(CONFIG)
    (folder / "mcp-surface.json").write_text(json.dumps(old))
    (folder / "live.json").write_text(json.dumps(new))
    versions = "".join(f"- Added `{tool['name']}`.\n" for tool in old["tools"])
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## [Unreleased]\n\n## [1.0.0]\n\n{versions}")


def measured(folder: Path, calls: int) -> list[tuple[str, list[float]]]:
    """The seconds of each tool's calls, after two that warm it up."""
    from bench import surface_of

    old: dict[str, Any] = surface_of(TOOLS, edited=False)
    new: dict[str, Any] = surface_of(TOOLS, edited=True)
    project(folder, old, new)
    client = Client(folder)
    client.call("check_server", {})
    found = client.call("list_findings", {"pageSize": 200})[0]["data"]["findings"]
    tool, names = old["tools"][0], [one["name"] for one in old["tools"]]
    data = {"titles": names}
    answer = {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data}
    described = {"name": names[0], "description": tool["description"], "other_tools": names}
    asked: list[tuple[str, str, dict[str, Any], int]] = [
        ("list_findings", "first page", {}, calls),
        ("list_findings", f"{len(found)} items", {"pageSize": 200}, calls),
        ("explain_finding", "", {"finding_id": found[0]["id"]}, calls),
        ("compare_surfaces", "two files", {"old_uri": "mcp-surface.json", "new_uri": "live.json"}, calls),
        ("compare_surfaces", "arguments", {"old_tools": old["tools"], "new_tools": new["tools"]}, calls),
        ("lint_description", "99 siblings", described, calls),
        ("validate_response", "", {"result": answer, "tool": tool}, calls),
        ("list_rules", "concise", {}, calls),
        ("list_rules", "detailed", {"response_format": "detailed"}, calls),
        ("draft_changelog", "", {}, max(CHECKS, calls // 5)),
        ("check_server", "recorded", {}, max(CHECKS, calls // 5)),
        ("check_server", "offline", {"offline": True}, max(CHECKS, calls // 5)),
    ]
    times: dict[str, list[float]] = {"ping": []}
    for name, how, arguments, count in asked:
        what = f"{name}, {how}" if how else name
        is_job = name in ("check_server", "draft_changelog")
        for number in range(2 + count):
            time.sleep(PAUSE if is_job else 0)
            spent = client.call(name, arguments)[1]
            if number >= 2:
                times.setdefault(what, []).append(spent)
                times["ping"].append(client.ask("ping", {})[1])
    client.close()
    return list(times.items())


def serve_latency(folder: Path, calls: int) -> None:
    """Print the median and the 95th percentile of every tool."""
    for what, seconds in measured(folder, calls):
        late = statistics.quantiles(seconds, n=20)[-1]
        row = f"p50 {1000 * statistics.median(seconds):7.1f} ms  p95 {1000 * late:7.1f} ms"
        print(f"serve: {what:<36} {row}  {late / BUDGET:6.2f} x budget p95 {1000 * BUDGET:.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100)
    with tempfile.TemporaryDirectory() as place:
        serve_latency(Path(place), parser.parse_args().calls)
