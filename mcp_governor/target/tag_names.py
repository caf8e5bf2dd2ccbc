"""What the name of a release tag says: a version, and the package before it."""

from __future__ import annotations

from mcp_governor.lazy import lazy_pattern
from mcp_governor.versions import Numbered

_BOUNDARY = lazy_pattern(r"^|[/@_-]")


def version_of_tag(tag: str) -> Numbered | None:
    """The version in a tag: ``v1.2.3``, ``1.2.3``, ``name-1.2.3``, ``name@1.2.3``, ``name/v1.2``, ``2026.08``.

    A single number is not a version.
    """
    return _split(tag)[1]


def name_of_tag(tag: str) -> str:
    """The name of the package before the version in a tag; empty if there is none."""
    name = tag[: _split(tag)[0]].rstrip("/@_-")
    return "" if name in ("v", "version", "release", "releases") else name.rpartition("/")[2]


def _split(tag: str) -> tuple[int, Numbered | None]:
    """The start of the version in a tag, and the version."""
    for boundary in _BOUNDARY.finditer(tag):
        version = Numbered.parse(tag[boundary.end() :])
        if version is not None and len(version.numbers) > 1:
            return boundary.end(), version
    return len(tag), None
