"""The ceiling of our load client next to those of hey and wrk, against the same null responder: ``make bench``.

Rounds are interleaved and the best of each client counts, because a busy machine only takes away. hey and wrk are
packages of Debian; a client that is not installed is left out, and the output says so.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcp_governor.load.http_engine import HttpEngine
from mcp_governor.load.model import SweepPlan
from mcp_governor.load.recipe import DIGITS, Address, Recipe, http_job, recipe_of
from mcp_governor.programs.helper import Helper
from mcp_governor.wire import Era, HttpEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 2
"""Seconds of one measurement: some ten thousand requests."""

TOOLS = [
    {"name": f"tool_{index}", "description": "d" * 120, "inputSchema": {"type": "object", "properties": {"a": {}}}}
    for index in range(12)
]
PARTS = (b'{"jsonrpc":"2.0","id":', b',"result":{"tools":' + json.dumps(TOOLS).encode() + b"}}")
KIND = "application/json"


def responders(count: int) -> list[tuple[Helper, int]]:
    """Null responders with their ports."""
    before, after = (base64.b64encode(part).decode("ascii") for part in PARTS)
    started = [Helper("-m", "mcp_governor.load.responder") for _ in range(count)]
    return [(one, one.ask({"kind": KIND, "before": before, "after": after})["port"]) for one in started]


def recipe(port: int, *, parsed: bool) -> Recipe:
    job = http_job(HttpEndpoint(f"http://127.0.0.1:{port}/mcp"), Era.MODERN, "2026-07-28", SweepPlan())
    made = recipe_of(job, Address("127.0.0.1", "127.0.0.1", port, tls=False), longest=1 << 20, timeout=10.0)
    return replace(made, expected=None if parsed else PARTS, kind=KIND)


def ours(ports: list[int], concurrency: int, *, parsed: bool = False) -> float:
    engine = HttpEngine([recipe(port, parsed=parsed) for port in ports])
    try:
        sample = engine.measure(SweepPlan(total=100_000), concurrency, seconds=SECONDS)
    finally:
        engine.close()
    assert set(sample.errors) <= {"unfinished"}, sample.errors
    return len(sample.latencies_ms) / sample.seconds


def body(port: int) -> str:
    _, before, after = recipe(port, parsed=False).request
    return (before + b"1" * DIGITS + after).decode()


def hey(port: int, concurrency: int) -> float:
    command = ["hey", "-z", f"{SECONDS}s", "-c", str(concurrency), "-m", "POST", "-T", KIND, "-d", body(port)]
    done = subprocess.run([*command, f"http://127.0.0.1:{port}/mcp"], capture_output=True, text=True, check=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def wrk(port: int, concurrency: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "post.lua"
        script.write_text(f"wrk.method = 'POST'\nwrk.body = [==[{body(port)}]==]\n")
        command = ["wrk", "-t1", f"-c{concurrency}", f"-d{SECONDS}s", "-s", str(script)]
        done = subprocess.run([*command, f"http://127.0.0.1:{port}/mcp"], capture_output=True, text=True, check=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    started = responders(2)
    first, second = (port for _, port in started)
    try:
        for concurrency in (40, 200):
            clients: dict[str, Callable[[], float]] = {
                "ours": lambda c=concurrency: ours([first], c),  # type: ignore[misc]
                "ours, each response parsed": lambda c=concurrency: ours([first], c, parsed=True),  # type: ignore[misc]
                "ours, 2 workers": lambda c=concurrency: ours([first, second], c),  # type: ignore[misc]
            }
            if shutil.which("hey"):
                clients["hey"] = lambda c=concurrency: hey(first, c)  # type: ignore[misc]
            if shutil.which("wrk"):
                clients["wrk"] = lambda c=concurrency: wrk(first, c)  # type: ignore[misc]
            found: dict[str, list[float]] = {name: [] for name in clients}
            for _ in range(rounds):
                for name, measure in clients.items():
                    found[name].append(measure())
            for name, rates in found.items():
                print(f"load client, {concurrency} in flight: {name:<28} {max(rates):9,.0f} requests/s")
            for name in {"hey", "wrk"} - set(clients):
                print(f"load client: {name} is not installed (apt-get install {name})")
    finally:
        for responder, _ in started:
            responder.close()


if __name__ == "__main__":
    main()
