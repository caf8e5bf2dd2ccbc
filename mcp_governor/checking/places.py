"""Positions of findings in a recorded file: line, column, and the lines around them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.checking.model import Place, Report
from mcp_governor.errors import GovernorError
from mcp_governor.files import read_bytes, repository_of
from mcp_governor.surface import load_surface
from mcp_governor.target import FileSource, Source
from mcp_governor.target.resolve import baseline_file

if TYPE_CHECKING:
    from mcp_governor.change import Change
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface


_SEPARATOR = os.sep
_READABLE = 500
"""Maximum length of a readable line, in characters. A recording on one line is longer, and a column in it, or a hundred
characters around the position, add nothing to the pointer of the finding."""


def with_places(report: Report, surface: Surface, source: Source) -> Report:
    """The report with the positions of its findings and changes, if ``surface`` was read from a recorded file.

    The position of a removal is that of its surroundings; a removed tool has no position.
    """
    about: list[Finding | Change] = [*report.findings, *report.changes]
    if not isinstance(source, FileSource) or not about:
        return report
    from mcp_governor.fixes.positions import code_frame, finding_positions

    # Replacement characters appear only if the file is not UTF-8, and then it could not have been read.
    try:
        text = read_bytes(source.path).decode("utf-8-sig", errors="replace")
    except OSError:  # removed since the surface was read from it
        return report
    lines = text.split("\n")
    places = {}
    for item, position in zip(about, finding_positions(text, surface, about), strict=True):
        if position is not None:
            readable = len(lines[position.line - 1]) <= _READABLE
            frame = code_frame(lines, position, around=0) if readable else ""
            places[item.id] = Place(source.shown, position.line, position.column, frame)
    return replace(report, places=places)


def in_repository(report: Report, config: Config) -> Report:
    """The report for formats of code hosts: every finding has a file, named relative to the root of the repository.

    The recorded surface stands in for a live server that was compared with it, since one of its lines contains what the
    server published.
    """

    places = {item: replace(place, file=_with_slashes(place.file)) for item, place in report.places.items()}
    here = Path.cwd()
    top = repository_of(here)
    report = replace(report, folder="" if top == here else here.relative_to(top).as_posix(), places=places)
    name = baseline_file(config)
    path = config.resolve(name)
    # Of another server, or an older release, it is as good as none.
    compared = report.baseline is not None and report.baseline.source.endswith(name)
    if report.places or not compared or not path.is_file():
        return report
    shown = _from_here(path)
    report = replace(report, surface_file=shown)
    try:
        return with_places(report, load_surface(path), FileSource(shown, path))
    except GovernorError:  # An unreadable file has no lines; it is reported elsewhere.
        return report


def _from_here(path: Path) -> str:
    try:
        return _with_slashes(os.path.relpath(path))
    except ValueError:  # another drive on Windows
        return path.as_posix()


def _with_slashes(path: str) -> str:
    """A path as code hosts name files, which is not how Windows does."""
    return path.replace(_SEPARATOR, "/")
