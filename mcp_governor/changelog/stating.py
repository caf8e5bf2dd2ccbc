"""Which version a baseline had: the source of now says what is, and the changelog what was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.version_sources.model import SERVER_INFO, SchemaVersion
from mcp_governor.version_sources.reading import schema_version

if TYPE_CHECKING:
    from mcp_governor.changelog.model import Changelog
    from mcp_governor.surface.model import Surface

__all__ = ["SERVER_INFO", "SchemaVersion", "baseline_version", "schema_version"]


def baseline_version(spec: str, baseline: Surface, changelog: Changelog | None, expected: SchemaVersion) -> str | None:
    """The schema version of a baseline.

    The server said it in its time, where ``schema-version`` is ``serverInfo``. A constant or a literal of then is
    not at hand; the changelog is: the release that states the baseline's fingerprint, else the one before now.

    Args:
        spec: the config's ``schema-version``.
        baseline: the surface of then.
        changelog: as read, ``None`` where there is none.
        expected: the version of now.
    """
    if spec == SERVER_INFO or changelog is None:
        return baseline.version
    stated = fingerprint(baseline)
    known = [part for part in changelog.released if any(told.value == stated for told in part.fingerprints)]
    if known:
        ordered = [part.numbered for part in known if part.numbered is not None]
        return max(ordered).text if ordered else known[0].version_text
    section = changelog.section(expected.text) if expected.text else None
    before = changelog.release_before(section) if section is not None else None
    return before.version_text if before is not None else expected.text
