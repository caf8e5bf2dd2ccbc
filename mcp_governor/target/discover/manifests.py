"""Read the names of the server's environment variables from files of a repository; values are never read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.target.discover.dockerfile import Dockerfile
from mcp_governor.target.discover.node import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_EXAMPLES = (".env.example", ".env.sample", ".env.template")
_MAX_VARIABLES = 40
"""Most variables of one file; a message names a few of them."""

# Variables that images and package managers set for themselves.
_NOT_ASKED = re.compile(r"PATH|.*_(?:HOME|VERSION)|(?:UV|PIP|LC|DEBIAN)_.*|PYTHON.*|NODE_ENV|LANG|TZ")


def variables_of(folder: Path) -> dict[str, str]:
    """Variable of the server → the file that mentions it; required ones from ``server.json`` come first."""
    found: dict[str, str] = {}
    for file, names in (
        ("server.json", _of_manifest(read_json(folder / "server.json"))),
        *((file, _of_example(folder / file)) for file in _EXAMPLES),
        ("README.md", _of_page(folder / "README.md")),
        ("Dockerfile", iter(Dockerfile(folder / "Dockerfile").variables)),
    ):
        for _, name in zip(range(_MAX_VARIABLES), names, strict=False):
            if _NAME.fullmatch(name) and not _NOT_ASKED.fullmatch(name):
                found.setdefault(name, file)
    return found


def _of_manifest(manifest: dict[str, Any]) -> Iterator[str]:
    packages = manifest.get("packages")
    entries: list[dict[str, Any]] = []
    for package in packages if isinstance(packages, list) else ():
        listed = package.get("environmentVariables") if isinstance(package, dict) else None
        entries += [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    for entry in sorted(entries, key=lambda entry: entry.get("isRequired") is not True):
        if isinstance(entry.get("name"), str):
            yield entry["name"]


_ENV_TABLE = re.compile(r"[\"']?\benv[\"']?\s*:\s*\{([^{}]{1,4000})\}")
_MEMBER = re.compile(r"[\"']?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[\"']?\s*:")

_LISTED = re.compile(
    r"^[ \t]{0,8}(?:export[ \t]{1,4}|[-*|][ \t]{1,4}(?:\*\*)?`)([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6})(?:[`=])",
    re.MULTILINE,
)


def _of_page(path: Path) -> Iterator[str]:
    """The variables in client configurations on a page, then those that it exports or lists one by one."""
    try:
        text = read_bytes(path, limit=MAX_TEXT_BYTES).decode()
    except (OSError, ValueError):
        return
    for table in _ENV_TABLE.finditer(text):
        yield from _MEMBER.findall(table[1])
    yield from _LISTED.findall(text)


def _of_example(path: Path) -> Iterator[str]:
    try:
        text = read_bytes(path, limit=MAX_TEXT_BYTES).decode()
    except (OSError, ValueError):
        return
    for line in text.splitlines():
        name, equals, _ = line.strip().removeprefix("export ").partition("=")
        if equals and not line.lstrip().startswith("#"):
            yield name.strip()
