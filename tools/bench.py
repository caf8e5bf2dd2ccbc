"""Speed as ratios, measured side by side in one run: ``make bench``.

Each row is the CPU time (user + system, children included) of one thing relative to another: the median of interleaved
rounds, so that a busy machine slows down both. Nothing is asserted here: budgets are printed next to the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench_serve import serve_latency

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
GOVERNOR = str(Path(PYTHON).parent / "mcp-governor")
DEMO = [PYTHON, "-m", "mcp_governor.demo.server"]
SDK_SERVER = [GOVERNOR, "serve"]


# Bytecode is cached, as in any installation: without it every start compiles what it imports.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def cpu_of(command: list[str], cwd: Path) -> float:
    """CPU seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def side_by_side(ours: Callable[[], float], theirs: Callable[[], float], rounds: int) -> tuple[float, float]:
    """Medians of both, measured alternately, after one round that fills caches."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def row(what: str, ours: float, theirs: float, against: str, budget: str) -> None:
    print(f"{what:<44} {ours:8.3f} s  {theirs:8.3f} s  {ours / theirs:6.2f} x {against:<28} budget {budget}")


def surface_of(count: int, *, edited: bool) -> dict[str, object]:
    """A surface with ``count`` tools; if edited, every tenth requires a parameter that was optional."""
    tools = []
    for index in range(count):
        properties = {
            "query": {"type": "string", "description": f"Words to look for in shelf {index}.", "minLength": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many to return."},
            "order": {"anyOf": [{"enum": ["newest", "oldest"]}, {"type": "null"}], "default": None},
        }
        required = ["query", "limit"] if edited and index % 10 == 0 else ["query"]
        tools.append(
            {
                "name": f"search_shelf_{index}",
                "description": f"Use this when the reader asks for shelf {index}. Returns titles. Use "
                f"search_shelf_{(index + 1) % count} instead when the next shelf is meant.",
                "inputSchema": {"type": "object", "properties": properties, "required": required},
                "outputSchema": {"type": "object", "properties": {"titles": {"type": "array", "items": {}}}},
            }
        )
    return {"tools": tools, "serverInfo": {"name": "shelves", "version": "1.1.0" if edited else "1.0.0"}}


def record(folder: Path, count: int) -> tuple[str, str]:
    names = (f"old-{count}.json", f"new-{count}.json")
    for name, edited in zip(names, (False, True), strict=True):
        (folder / name).write_text(json.dumps(surface_of(count, edited=edited)))
    return names


def cold_start(folder: Path, rounds: int) -> None:
    click = [PYTHON, "-c", "import click"]
    ours, theirs = side_by_side(lambda: cpu_of([GOVERNOR, "--version"], folder), lambda: cpu_of(click, folder), rounds)
    row("mcp-governor --version", ours, theirs, "import click", "2")
    old, new = record(folder, 30)
    wording = json.loads((folder / old).read_text())
    for tool in wording["tools"][::10]:
        tool["description"] += " Newest first."
    (folder / "wording.json").write_text(json.dumps(wording))
    wider = json.loads((folder / old).read_text())
    for tool in wider["tools"][::10]:
        tool["inputSchema"]["properties"]["language"] = {"type": "string", "description": "ISO 639-1."}
    (folder / "wider.json").write_text(json.dumps(wider))
    for what, other in (("reworded", "wording.json"), ("with new arguments", "wider.json"), ("with breaks", new)):
        diff = [GOVERNOR, "diff", old, other]
        ours, theirs = side_by_side(lambda diff=diff: cpu_of(diff, folder), lambda: cpu_of(click, folder), rounds)
        row(f"diff of 30 recorded tools, {what}", ours, theirs, "import click", "3")


def live_check(folder: Path, rounds: int) -> None:
    bare = [PYTHON, str(ROOT / "tools" / "bare_client.py")]
    for name, server in (("the demo server", DEMO), ("our own server (SDK)", SDK_SERVER)):
        check = [GOVERNOR, "check", "--isolated", "--", *server]
        ours, theirs = side_by_side(
            lambda check=check: cpu_of(check, folder),
            lambda server=server: cpu_of([*bare, *server], folder),
            rounds,
        )
        row(f"check of {name}", ours, theirs, "bare client, same server", "1.25")


def growth(folder: Path, rounds: int) -> None:
    for count in (1_000, 10_000):
        record(folder, count)
    for command in (["diff"], ["lint"]):

        def cost(count: int, command: list[str] = command) -> float:
            files = [f"old-{count}.json", f"new-{count}.json"] if command == ["diff"] else [f"new-{count}.json"]
            return cpu_of([GOVERNOR, *command, "-q", *files], folder)

        ours, theirs = side_by_side(lambda: cost(10_000), lambda: cost(1_000), rounds)
        row(f"{command[0]} of 10,000 tools", ours, theirs, "1,000 tools", "12")


def pytest_start(folder: Path, rounds: int) -> None:
    (folder / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    run = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nothing.py"]
    ours, theirs = side_by_side(
        lambda: cpu_of(run, folder), lambda: cpu_of([*run, "-p", "no:mcp_charter"], folder), rounds * 3
    )
    more = f"{(ours - theirs) * 1000:+.1f} ms, budget +10 ms"
    row("pytest with the plugin installed and off", ours, theirs, "pytest without it", f"1.03 ({more})")


LOAD = """
import time
from mcp_governor.rules.catalogue import load_catalogue
begun = time.process_time()
rules = load_catalogue().rules
print(len(list(rules.values())), time.process_time() - begun)
"""


def packs(rounds: int) -> None:
    """Time to read every rule of every pack, with cold caches."""
    load = [PYTHON, "-c", LOAD]
    loads = [
        subprocess.run(load, env=ENVIRONMENT, capture_output=True, text=True, check=True) for _ in range(rounds * 3)
    ]
    count = loads[0].stdout.split()[0]
    seconds = statistics.median(float(run.stdout.split()[1]) for run in loads)
    print(f"{f'loading all {count} rules':<44} {seconds * 1000:8.1f} ms{'':<40} budget 15 ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(f"CPU seconds, median of {rounds} rounds, ours and the other  ({time.strftime('%Y-%m-%d')})")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cold_start(folder, rounds)
        live_check(folder, rounds)
        growth(folder, rounds)
        pytest_start(folder, rounds)
        serve_latency(folder, 20 * rounds)
    packs(rounds)


if __name__ == "__main__":
    main()
