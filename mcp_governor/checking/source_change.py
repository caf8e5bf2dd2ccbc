"""Changes the source of the version, together with the configuration, the changelog and the recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog.releases import renumber
from mcp_governor.checking.changelog import load_changelog
from mcp_governor.config.editing import set_text
from mcp_governor.config.load import config_table, config_text
from mcp_governor.errors import ConfigError, GovernorError, UsageError
from mcp_governor.files import is_regular, read_bytes
from mcp_governor.surface import dump_surface, fingerprint, parse_surface
from mcp_governor.target.git_releases import files_at_tags, release_tags
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import one_line, visible
from mcp_governor.version_sources import SERVER_INFO, SchemaVersion
from mcp_governor.versions import Numbered, same_version
from mcp_governor.writing import NewFile, checked_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mcp_governor.changelog import Changelog
    from mcp_governor.config import Config

_MAX_TAGS = 500
"""Maximum number of releases whose changelog is searched for their version, the newest first."""


class SourceChange(Struct, frozen=True, dict=True):
    """The effects of a new source.

    Attributes:
        files: to be written together.
        obsolete: recordings under their old names, to be removed afterwards.
        clauses: one clause for each changed file, without a full stop.
    """

    files: tuple[NewFile, ...]
    obsolete: tuple[Path, ...]
    clauses: tuple[str, ...]


def change_source(config: Config, now: SchemaVersion, *, renumbered: Mapping[str, str]) -> SourceChange:
    """Plan a change to another source of the version, which is ``now``.

    The current section of the changelog gets its number from the new source: that of the release tag whose changelog
    had it as its current section, else the current version. Older sections are renumbered by such tags as well; a
    number that would be out of order has to be given in ``renumbered``, as old version → new version.

    Raises:
        ConfigError: there is no configuration file, or it cannot be edited.
        UsageError: a section would be out of order, or a given version has no section.
        FileFormatError: the changelog or a recording cannot be read.
    """
    path = config.path
    if path is None:
        raise ConfigError(
            "There is no configuration file to set schema-version in.", "Create one with: mcp-governor init"
        )
    if now.text is None:
        raise UsageError(
            "The server does not report a version, so schema-version cannot be taken from it.",
            "Name a file with the version instead, such as: mcp-governor schema-version pyproject.toml",
        )
    old, shown = config_text(path), visible(path.name)
    new = set_text(old, "schema-version", now.spec, table=config_table(path), what=shown)
    files, obsolete, clauses = [], [], []
    if new != old:
        files.append(NewFile(path, new, path.parent, path.name, expected=old.encode()))
        clauses.append(f'{shown}: schema-version = "{visible(now.spec)}" (was "{visible(config.schema_version)}")')
    numbers: dict[str, str] = {}
    book = load_changelog(config) if config.changelog and is_regular(config.resolve(config.changelog)) else None
    if book is not None:
        numbers = _numbers(book, now.text, config, renumbered)
        text = renumber(book, numbers)
        if text != book.text:
            place = config.resolve(config.changelog)
            files.append(NewFile(place, text, config.root, config.changelog, expected=book.text.encode()))
            pairs = (f"{one_line(old, 40)} is now {one_line(new, 40)}" for old, new in numbers.items())
            clauses.append(f"{visible(config.changelog)}: {', '.join(pairs)}")
    name = baseline_file(config)
    if is_regular(config.resolve(name)):
        version = _version_of(config.resolve(name), now.text, numbers, book, name)
        if (made := _recorded(config, name, name, version, now)) is not None:
            files.append(made)
            clauses.append(f"{visible(name)}: recorded as {version}")
    for source, target, version in _renamed(config, numbers):
        if (made := _recorded(config, source, target, version, now)) is not None:
            files.append(made)
            obsolete.append(checked_place(config.resolve(source), config.root, source))
            clauses.append(f"{visible(source)}: is now {visible(target)}")
    return SourceChange(tuple(files), tuple(obsolete), tuple(clauses))


def _numbers(book: Changelog, now: str, config: Config, given: Mapping[str, str]) -> dict[str, str]:
    """Old version → new version, for the sections that change."""
    known = {section.version_text for section in book.released}
    for old in given:
        if old not in known:
            raise UsageError(
                f"{book.what} has no section for version {one_line(old, 60)}.",
                f"It has sections for: {', '.join(sorted(known)[:12]) or 'no version'}.",
            )
    numbers = _tagged(book, config)
    current = book.current
    if current is not None and not current.unreleased:
        numbers.setdefault(current.version_text, now)
    numbers |= given
    return {old: new for old, new in numbers.items() if not same_version(old, new)}


def _tagged(book: Changelog, config: Config) -> dict[str, str]:
    """The versions of release tags whose changelog had each section as its current one."""
    from mcp_governor.changelog import parse

    numbers: dict[str, str] = {}
    try:
        tags = sorted(release_tags(config.root), reverse=True)[:_MAX_TAGS]
        held = files_at_tags(config.root, config.changelog, set(tags))
    except GovernorError:  # without git there are no tags
        return numbers
    known = {section.version_text for section in book.released}
    for version in sorted(held):
        try:
            current = parse(held[version].decode("utf-8-sig"), book.what).current
        except (GovernorError, UnicodeDecodeError):
            continue
        if current is not None and current.version_text in known:
            numbers[current.version_text] = version.text
    return numbers


def _renamed(config: Config, numbers: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """The recordings of renumbered releases: the old name, the new one, and the new version."""
    folder = config.changelog_options.surfaces.rstrip("/")
    for old, new in numbers.items():
        before, after = Numbered.parse(old), Numbered.parse(new)
        if before is not None and after is not None and is_regular(config.resolve(f"{folder}/{before.text}.json")):
            yield f"{folder}/{before.text}.json", f"{folder}/{after.text}.json", new


def _version_of(path: Path, now: str, numbers: Mapping[str, str], book: Changelog | None, name: str) -> str:
    """The new version of a surface file: that of the release with its fingerprint, else the current one."""
    stated = fingerprint(parse_surface(read_bytes(path), name))
    for section in book.released if book is not None else ():
        if any(one.value == stated for one in section.fingerprints):
            return numbers.get(section.version_text, section.version_text)
    return now


def _recorded(config: Config, source: str, target: str, version: str, now: SchemaVersion) -> NewFile | None:
    """A surface file with another version; ``None`` if nothing changes."""
    data = read_bytes(config.resolve(source))
    surface = parse_surface(data, source)
    stated = None if now.spec == SERVER_INFO else (version, now.count)
    text = dump_surface(replace(surface, stated=stated))
    if source == target and text.encode() == data:
        return None
    return NewFile(config.resolve(target), text, config.root, target, expected=data if source == target else None)
