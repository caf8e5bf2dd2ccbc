"""Sweeps of servers whose behaviour is known, three times each: is what they conclude the truth?

    python tools/bench_sweep.py

One server works 50 ms for each request and on 20 at a time: it is saturated at 20, has no knee, and 20 is right. The
other works on any number, but each takes four times as long while there are more than 30: its knee is at 40.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "load")]

from serving import loaded  # type: ignore[import-not-found]  # noqa: E402

from mcp_governor.load.model import SweepPlan  # noqa: E402
from mcp_governor.load.sweep import run_sweep  # noqa: E402
from mcp_governor.target import LiveSource  # noqa: E402
from mcp_governor.wire import HttpEndpoint  # noqa: E402

SERVICE = 0.05
POINTS = (10, 20, 40, 80)
SERVERS = {
    "capacity 20": ({"service": SERVICE, "capacity": 20}, None, 20, 20),
    "degrades above 30": ({"service": SERVICE, "degrades": 30, "slower": 4}, 40, 20, 20),
}
"""Options of the server, its knee, its saturation and the right recommendation."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    plan = SweepPlan(concurrencies=POINTS, total=400, timeout=20.0)
    for name, (options, knee, saturation, recommended) in SERVERS.items():
        for run in range(1, runs + 1):
            with loaded(**options) as there:
                source = LiveSource(shown=there.url, endpoint=HttpEndpoint(there.url))
                sweep = run_sweep(source, plan)
                # Handshake and trials are a handful; the first point has the next 400.
                truth = statistics.median(there.seen["took"][: plan.total]) * 1000
            p50 = sweep.points[0].p50_ms or 0.0
            off = p50 / truth - 1
            right = (sweep.knee, sweep.saturation, sweep.recommended) == (knee, saturation, recommended)
            found = f"knee {sweep.knee}, saturated {sweep.saturation}, recommended {sweep.recommended}"
            verdict = "right" if right else "WRONG"
            print(f"{name}, run {run}: p50 {p50:.1f} ms, {truth:.1f} by the server ({off:+.1%}); {found}: {verdict}")


if __name__ == "__main__":
    main()
