"""Checks that verdicts are reproducible: real servers with cold caches, with warm caches and on busy cores.

    python tools/steadiness.py [--list FILE] [--only WORD] [--out DIR] [--timeout SECONDS]

Each server of the list (``tools/registry_servers.json``) is checked three times by ``check --isolated``:

- *cold*: package caches are empty, so the start includes a download;
- *warm*: the same caches again;
- *load*: warm, with two busy processes per core.

Two reports are equal if their JSON is equal after removing values from a clock. A difference, or a server that answers
only sometimes, is printed and makes the exit code 1. A server that never starts is listed with the first line of its
output and does not count.
"""

from __future__ import annotations

import argparse
import difflib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
ROUNDS = ("cold", "warm", "load")
BUSY_PER_CORE = 2
"""Twice as many busy processes as cores: the server gets about a third of a core."""
CLOCK_KEYS = frozenset(["seconds", "duration", "elapsed", "started", "finished", "ms"])
"""Members of a report that contain values from a clock, at any depth."""


def main() -> int:
    """Run the rounds and print one line per server."""
    options = _options()
    servers = json.loads(options.list.read_text())
    servers = [server for server in servers if options.only in " ".join(server["command"])]
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="steadiness-") as caches:
        rows = {_name(server): {} for server in servers}
        for round_ in ROUNDS:
            print(f"round {round_}: {len(servers)} servers", flush=True)
            with _Busy(BUSY_PER_CORE * (os.cpu_count() or 1) if round_ == "load" else 0):
                for server in servers:
                    rows[_name(server)][round_] = _check(server, round_, Path(caches), options)
    return _table(rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, default=HERE / "registry_servers.json", help="the servers, as JSON")
    parser.add_argument("--only", default="", help="only servers whose command holds this word")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "steadiness", help="reports go here")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one check, downloads included")
    return parser.parse_args()


def _name(server: dict[str, Any]) -> str:
    """The package, without its runner, flags and arguments."""
    return next(word for word in server["command"][1:] if not word.startswith("-") and "<" not in word)


def _check(server: dict[str, Any], round_: str, caches: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One check; returns its report, or its output if there is none."""
    runner, *rest = server["command"]
    program = str(BIN / runner) if (BIN / runner).exists() else runner
    settings = {**server.get("env", {}), "UV_CACHE_DIR": str(caches / "uv"), "NPM_CONFIG_CACHE": str(caches / "npm")}
    wrapped = ["env", *(f"{key}={value}" for key, value in settings.items()), program, *rest]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [BIN / "mcp-governor", "check", "--isolated", "--format", "json", "--", *wrapped]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=options.timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return {"exit": None, "said": f"no end within {options.timeout} s", "seconds": options.timeout}
    seconds = time.monotonic() - started
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return {"exit": done.returncode, "said": done.stderr.strip(), "seconds": seconds}
    text = json.dumps(_timeless(report), indent=1, sort_keys=True).replace(str(caches), "CACHES")
    (options.out / f"{_name(server).replace('/', '__')}.{round_}.json").write_text(text)
    return {"exit": done.returncode, "text": text, "report": report, "seconds": seconds}


def _timeless(value: Any) -> Any:
    """A report without values from a clock."""
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in CLOCK_KEYS}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


class _Busy:
    """Processes that only use a core."""

    def __init__(self, count: int) -> None:
        self.processes = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(count)]

    def __enter__(self) -> None:
        for process in self.processes:
            process.start()

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.terminate()
            process.join()


def _spin() -> None:
    while True:
        pass


def _table(rows: dict[str, dict[str, dict[str, Any]]]) -> int:
    same, differ, never = [], [], []
    for name, rounds in rows.items():
        reports = [rounds[round_].get("text") for round_ in ROUNDS]
        seconds = " ".join(f"{rounds[round_]['seconds']:5.1f}" for round_ in ROUNDS)
        if not any(reports):
            never.append(name)
            said = next((line for line in rounds["warm"]["said"].splitlines() if line.strip()), "nothing")
            print(f"never   {seconds}  {name}: {said[:150]}")
        elif len(set(reports)) == 1:
            same.append(name)
            server, exit_code = rounds["warm"]["report"]["server"], rounds["warm"]["exit"]
            summary = f"{server['version']}, protocol {server['protocol']}, exit {exit_code}"
            print(f"same    {seconds}  {name} {summary}")
        else:
            differ.append(name)
            print(f"DIFFERS {seconds}  {name}")
            for round_ in ROUNDS[1:]:
                _difference(rounds["cold"], rounds[round_], round_)
    print(f"\n{len(same)} servers with three equal reports, {len(differ)} that differ, {len(never)} that never started")
    return 1 if differ else 0


def _difference(one: dict[str, Any], other: dict[str, Any], round_: str) -> None:
    before = (one.get("text") or one.get("said", "")).splitlines()
    after = (other.get("text") or other.get("said", "")).splitlines()
    for line in list(difflib.unified_diff(before, after, "cold", round_, lineterm="", n=0))[:12]:
        print(f"        {line[:160]}")


if __name__ == "__main__":
    if not shutil.which("npx"):
        print("npx is not on PATH: servers from npm will not start")
    sys.exit(main())
