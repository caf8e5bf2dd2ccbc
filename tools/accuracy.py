"""Checks verdicts against labelled data next to the repository: ``make accuracy``. Says so if the data is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("accuracy_containment.py", "accuracy_changes.py")


def main() -> int:
    if not (HERE.parents[1] / "shared").is_dir():
        print("The labelled data (../shared/oracle, ../shared/corpus) is not here; nothing was measured.")
        return 0
    codes = [subprocess.run([sys.executable, str(HERE / part)], check=False).returncode for part in PARTS]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
