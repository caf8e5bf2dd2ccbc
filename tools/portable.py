"""Run the tests that need neither a network, nor a server, nor POSIX, as every system can.

    python tools/portable.py [OPTION OF PYTEST…]

CI runs it on Linux, macOS and Windows with every supported Python. The rest (`make test`) starts servers as child
processes of a shell, and runs on Linux.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PLACES = (
    "tests/catalogue",
    "tests/change",
    "tests/changelog",
    "tests/charter",
    "tests/config",
    "tests/policy",
    "tests/report",
    "tests/schemas",
    "tests/surface",
    "tests/wire/test_wire_job.py",
    "tests/test_programs.py",
    "tests/test_publishing.py",
    "tests/test_versions.py",
    "tests/test_version_steps.py",
)


def main() -> None:
    """Exit with the status of pytest."""
    command = [sys.executable, "-m", "pytest", "-m", "not live", *PLACES, *sys.argv[1:]]
    sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
