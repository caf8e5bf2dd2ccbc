"""Time of the linter against another checkout: ``python tools/bench_lint.py DIR``, DIR a checkout of an older commit.

Lints the newest release of every recorded server (``../shared/corpus``) with both, in turns, and prints ratios of CPU
time: of whole ``mcp-governor lint`` processes, and of the rules alone in one process that is warm. Of several rounds
the best counts, because other work on the machine only adds time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from quality_corpus import CORPUS, ROOT, releases

_RULES = """
import gc, json, sys, time
from mcp_governor.rules import select
from mcp_governor.rules.settings import LintSettings
from mcp_governor.rules.run import run_rules
from mcp_governor.surface import build_surface

gc.set_threshold(100_000)  # As the command does, in both checkouts.
selection, raws = select(LintSettings()), [json.load(open(file)) for file in sys.argv[1:]]
best = 9e9
for _ in range(4):
    surfaces = [build_surface(raw, source="bench") for raw in raws]
    start = time.process_time()
    for surface in surfaces:
        run_rules(surface, selection)
    best = min(best, time.process_time() - start)
print(best / sum(len(raw["tools"]) for raw in raws) * 1e3)
"""


def main() -> int:
    """Print both ratios; the exit code is 1 without recordings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="a checkout to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    if not CORPUS.is_dir():
        print("bench_lint: the recordings are not here; nothing was measured.")
        return 1
    roots = (ROOT, asked.other.resolve())
    with tempfile.TemporaryDirectory() as folder:
        files = [_written(Path(folder), one.server, one.raw) for one in releases()]
        whole = _whole(files, roots, asked.rounds)
        warm = [min(_warm(files, root) for _ in range(asked.rounds)) for root in roots]
    print(f"{len(files)} servers, each linted by a process: {_compared(whole)} s of CPU")
    print(f"rules alone, warm: {_compared(warm)} ms a tool")
    return 0


def _compared(times: list[float]) -> str:
    ours, other = times
    return f"{ours:.2f} against {other:.2f} ({ours / other:.2f} x)"


def _written(folder: Path, server: str, raw: object) -> str:
    file = folder / f"{server}.json"
    file.write_text(json.dumps(raw), "utf-8")
    return str(file)


def _environment(root: Path) -> dict[str, str]:
    # Bytecode is written: a user's second run is what counts.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(root)}


def _whole(files: list[str], roots: tuple[Path, ...], rounds: int) -> list[float]:
    """For each root, the sum over the files of the best time of a process."""
    best: dict[tuple[Path, str], float] = {}
    for _ in range(rounds + 1):  # The first one fills caches.
        for file in files:
            for root in roots:
                before = _children()
                command = [sys.executable, "-m", "mcp_governor", "lint", file]
                subprocess.run(command, cwd=Path(file).parent, env=_environment(root), capture_output=True, check=False)
                best[root, file] = min(best.get((root, file), 9e9), _children() - before)
    return [sum(best[root, file] for file in files) for root in roots]


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _warm(files: list[str], root: Path) -> float:
    command = [sys.executable, "-c", _RULES, *files]
    return float(subprocess.run(command, env=_environment(root), capture_output=True, check=True, cwd=root).stdout)


if __name__ == "__main__":
    started = time.monotonic()
    code = main()
    print(f"({time.monotonic() - started:.0f} s)")
    sys.exit(code)
