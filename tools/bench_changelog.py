"""CPU seconds to read and check a changelog with 500 releases, each time in a new process.

Run: python tools/bench_changelog.py [RELEASES]
"""

from __future__ import annotations

import statistics
import subprocess
import sys

RUNS = 5
_ONCE = """
import sys, time
start = time.process_time()
from mcp_governor.changelog import check, parse
loaded = time.process_time()
text = sys.stdin.read()
changelog = parse(text, "log.md")
read = time.process_time()
findings = check(changelog, None)
done = time.process_time()
print(loaded - start, read - loaded, done - read, len(changelog.sections), len(findings))
"""


def text(releases: int, *, plain: bool) -> str:
    """A changelog with five entries in each release; unless plain, every tenth release contains a fenced block."""
    parts = ["# MCP schema changelog\n"]
    for number in range(releases, 0, -1):
        marker = " (current)" if number == releases else ""
        parts.append(
            f"## 1.{number}.0{marker}\n\nFingerprint: `v1:sha256:{number:064x}`\n\n"
            f"**Added**\n\n- `tool_{number}` is a new tool.\n- `search` takes an optional `limit_{number}`.\n\n"
            f"**Changed**\n\n- `search` accepts further values for `order`: `by_{number}`,\n"
            f"  and lists them in the order of `limit_{number}`.\n- `fetch` may leave out `size`.\n\n"
            "**Fixed**\n\n- `fetch` is described in new words.\n"
        )
        if not plain and number % 10 == 0:
            parts.append('```json\n{"name": "search"}\n```\n')
    return "\n".join(parts)


def measure(document: str) -> tuple[float, ...]:
    """Medians of imports, reading, checking, and everything but imports; then numbers of sections and findings."""
    rows = []
    for _ in range(RUNS):
        command = [sys.executable, "-c", _ONCE]
        done = subprocess.run(command, input=document, capture_output=True, text=True, check=True)
        rows.append([float(value) for value in done.stdout.split()])
    return tuple(statistics.median(column) for column in zip(*rows, strict=True))


def main() -> None:
    """Print one row for a changelog in the plain grammar, one for a mixed one."""
    releases = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print(f"{'':<22}{'import':>9}{'read':>9}{'check':>9}{'total':>9}  sections findings  (CPU seconds)")
    for name, plain in (("plain", True), ("a fence in each tenth", False)):
        loaded, read, checked, sections, findings = measure(text(releases, plain=plain))
        total = loaded + read + checked
        print(f"{name:<22}{loaded:>9.3f}{read:>9.3f}{checked:>9.3f}{total:>9.3f}  {sections:>8.0f} {findings:>8.0f}")


if __name__ == "__main__":
    main()
