"""The ceiling of our load client next to those of hey and wrk, against the same null responder: ``make bench``.

Rounds are interleaved and the best of each client counts, because a busy machine only takes away. hey and wrk are
packages of Debian; a client that is not installed is left out, and the output says so.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcp_governor.load.engines import NullEngine, start_responder
from mcp_governor.load.model import SweepPlan
from mcp_governor.load.recipe import DIGITS, Address, http_job, recipe_of
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
JOB = http_job(HttpEndpoint("http://127.0.0.1:1/mcp"), Era.MODERN, "2026-07-28", SweepPlan())
PLAIN = recipe_of(JOB, Address("127.0.0.1", "127.0.0.1", 1, tls=False), longest=1 << 20, timeout=10.0)
RECIPE = replace(PLAIN, first=PARTS, kind=KIND)
BODY = (RECIPE.request[1] + b"1" * DIGITS + RECIPE.request[2]).decode()


def ours(workers: int, concurrency: int, *, parsed: bool = False) -> float:
    engine = NullEngine(replace(RECIPE, is_same=not parsed), workers)
    try:
        sample = engine.measure(SweepPlan(total=100_000), concurrency, seconds=SECONDS)
    finally:
        engine.close()
    assert set(sample.errors) <= {"unfinished"}, sample.errors
    return len(sample.latencies_ms) / sample.seconds


def hey(port: int, concurrency: int) -> float:
    command = ["hey", "-z", f"{SECONDS}s", "-c", str(concurrency), "-m", "POST", "-T", KIND, "-d", BODY]
    done = subprocess.run([*command, f"http://127.0.0.1:{port}/mcp"], capture_output=True, text=True, check=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def wrk(port: int, concurrency: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "post.lua"
        script.write_text(f"wrk.method = 'POST'\nwrk.body = [==[{BODY}]==]\n")
        command = ["wrk", "-t1", f"-c{concurrency}", f"-d{SECONDS}s", "-s", str(script)]
        done = subprocess.run([*command, f"http://127.0.0.1:{port}/mcp"], capture_output=True, text=True, check=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    responder, port = start_responder(RECIPE)
    others = {"hey": hey, "wrk": wrk}
    for name in others:
        if not shutil.which(name):
            print(f"load client: {name} is not installed (apt-get install {name})")
    try:
        for concurrency in (40, 200):
            clients: dict[str, Callable[[], float]] = {
                "ours": partial(ours, 1, concurrency),
                "ours, each response parsed": partial(ours, 1, concurrency, parsed=True),
                "ours, 2 workers": partial(ours, 2, concurrency),
                **{name: partial(other, port, concurrency) for name, other in others.items() if shutil.which(name)},
            }
            found = [{name: measure() for name, measure in clients.items()} for _ in range(rounds)]
            for name in clients:
                best = max(one[name] for one in found)
                print(f"load client, {concurrency} in flight: {name:<28} {best:9,.0f} requests/s")
    finally:
        responder.close()


if __name__ == "__main__":
    main()
