"""Which version a baseline had, by the source that says the version of now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.target.git_releases import version_of_tag
from mcp_governor.version_sources.model import SERVER_INFO, SchemaVersion
from mcp_governor.version_sources.reading import schema_version
from mcp_governor.versions import declared_step, same_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.changelog.model import Changelog, Section
    from mcp_governor.surface.model import Surface

__all__ = ["SERVER_INFO", "SchemaVersion", "baseline_version", "released_version", "schema_version"]


def baseline_version(spec: str, baseline: Surface, changelog: Changelog | None, expected: SchemaVersion) -> str | None:
    """The schema version of a baseline.

    The server said it in its time, where ``schema-version`` is ``serverInfo``. Any other source of then is not at
    hand. In this order: what was recorded with the baseline, if the source was the same; the package that was started;
    the release that states the baseline's fingerprint in the changelog; the tag that the baseline was read at; what
    the server said, if it says the same as the source now; the release before now.

    A version of another source is never used: after ``serverInfo`` has been replaced by ``pyproject.toml``, the
    version that the server reported then says nothing about the project's.

    Args:
        spec: the config's ``schema-version``.
        baseline: the surface of then.
        changelog: as read, ``None`` if there is none.
        expected: the version of now.

    Returns:
        ``None`` if nothing says it.
    """
    if spec == SERVER_INFO:
        said = baseline.server.get("version")  # then, where a target pins another release
        pinned = baseline.release is not None and isinstance(said, str) and said and expected.counts_like_server
        return said if pinned else baseline.version
    known = next(_known(baseline, changelog, expected), None)
    if known is not None or changelog is None:
        return known
    section = changelog.section(expected.text) if expected.text else None
    before = changelog.release_before(section) if section is not None else None
    return before.version_text if before is not None else expected.text


def released_version(surface: Surface, changelog: Changelog | None, expected: SchemaVersion) -> str | None:
    """The schema version of a surface that may be one of a project's releases.

    Args:
        surface: of then.
        changelog: as read, ``None`` if there is none.
        expected: the version of now, from any source other than the server.

    Returns:
        ``None`` if nothing says it: neither the recording, nor the changelog, nor a tag.
    """
    return next(_known(surface, changelog, expected), None)


def _known(baseline: Surface, changelog: Changelog | None, expected: SchemaVersion) -> Iterator[str]:
    """What says the version of a baseline, the surest first."""
    if baseline.stated is not None and baseline.stated[1] == expected.count:
        yield baseline.stated[0]
    if expected.counts_packages and baseline.release is not None:
        yield baseline.release
    if changelog is not None and (section := _release_of(baseline, changelog, expected)) is not None:
        yield section.version_text
    if expected.counts_packages and baseline.source.startswith("git:"):
        tagged = version_of_tag(baseline.source.removeprefix("git:").partition(":")[0])
        if tagged is not None:
            yield tagged.text
    if expected.counts_like_server and baseline.version is not None:
        yield baseline.version


def _release_of(baseline: Surface, changelog: Changelog, expected: SchemaVersion) -> Section | None:
    """The highest release that states the fingerprint of a baseline."""
    stated = fingerprint(baseline)
    known = [
        part
        for part in changelog.released
        if any(one.value == stated for one in part.fingerprints) and not _is_of_another(part, baseline, expected)
    ]
    ordered = [part for part in known if part.numbered is not None]
    return max(ordered, key=lambda part: part.numbered or 0) if ordered else (known[0] if known else None)


def _is_of_another(section: Section, baseline: Surface, expected: SchemaVersion) -> bool:
    """True if a section has a number from another source that is above the current version."""
    others = [baseline.version] if not expected.counts_like_server else []
    if baseline.stated is not None and baseline.stated[1] != expected.count:
        others.append(baseline.stated[0])
    if expected.text is None or not any(other and same_version(section.version_text, other) for other in others):
        return False
    return declared_step(section.version_text, expected.text).backwards
