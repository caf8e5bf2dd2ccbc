"""Check that a tag names the version that everything in the repository states: ``release_tag.py vVERSION``.

A release is built from a tag; if one file still states the version before, it is published with it and cannot be
replaced.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PLACES = {
    "mcp_governor/_version.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (\S+)$",
    "Dockerfile": r"^ARG VERSION=(\S+)$",
    "CHANGELOG.md": r"^## (?!Unreleased)\[?([^\]\s]+)",
}
"""File → the line that states the version. In the changelog it is the newest section."""


def stated(root: Path = ROOT) -> dict[str, str]:
    """The version that each place states; empty if it states none."""
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (root / name).read_text("utf-8"), re.MULTILINE)
        found[name] = match[1] if match else ""
    (package,) = json.loads((root / "server.json").read_text("utf-8"))["packages"]
    return {**found, "server.json, packages": package["version"]}


def main() -> None:
    """Exit with 1 if a place states another version than the tag."""
    tag = sys.argv[1]
    wrong = {place: version for place, version in stated().items() if f"v{version}" != tag}
    for place, version in wrong.items():
        print(f"{place} states {version or 'no version'}, but the tag is {tag}.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
