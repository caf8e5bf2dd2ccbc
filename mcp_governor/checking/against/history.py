"""What did earlier releases record? For a picture of how the server grew."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.checking.model import History, Release
from mcp_governor.errors import GovernorError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.change import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface
    from mcp_governor.target.git_releases import ReleasedFile

MAX_RELEASES = 12
"""Latest releases that are read: as many columns as a page of 75 rem shows with readable labels. The picture says how
many older ones there are."""

SECONDS = 8.0
"""Time for reading and comparing all releases. Twelve releases with 100 tools take a second; what is left then is not
compared, and the picture says so."""


def with_history(report: Report, config: Config) -> Report:
    """The report with the history of the recorded surface, if the run compared with a recording of it.

    Reads git, so that only a format that draws the history asks for it. Never raises: what cannot be read is said in
    the history.
    """
    from mcp_governor.checking.against.last_release import recordings
    from mcp_governor.target.git import is_shallow
    from mcp_governor.target.git_door import one_look
    from mcp_governor.target.git_releases import released_files

    if report.baseline is None or not report.tools or config.isolated:
        return report
    try:
        with one_look():
            found, older = released_files(config.root, *recordings(config), most=MAX_RELEASES)
            if not found and is_shallow(config.root):
                way = "This clone has no release tags. Fetch them: git fetch --unshallow --tags"
                return replace(report, history=History(problem=way))
    except GovernorError as error:
        return replace(report, history=History(problem=str(error)))
    return replace(report, history=_history(found, older, report, config))


def _history(found: list[ReleasedFile], older: int, report: Report, config: Config) -> History | None:
    """The history; ``None`` with fewer than two releases, or if the run did not compare with a recording of them."""
    from mcp_governor.checking.reading import changes_between
    from mcp_governor.surface import fingerprint, parse_surface
    from mcp_governor.surface.tokens import token_costs
    from mcp_governor.target.resolve import baseline_file

    assert report.baseline is not None
    end = time.monotonic() + SECONDS
    releases: list[Release] = []
    unread: list[str] = []
    late: list[str] = []
    prints: list[str] = []
    before: Surface | None = None
    for one in found:
        if time.monotonic() >= end:
            late.append(one.tag)
            continue
        try:
            surface = parse_surface(one.content, one.tag) if one.content is not None else None
        except GovernorError:
            surface = None
        if surface is None:
            unread.append(one.tag)
            continue
        tiers = Counter(tool.tier.value for tool in surface.tools)
        tokens = sum(token_costs(surface).values())
        changes = None
        if before is not None and (left := end - time.monotonic()) > 0:
            changes = _counted(changes_between(before, surface, config, seconds=left))
        releases.append(Release(one.tag, one.version, tiers, tokens, changes))
        prints.append(fingerprint(surface))
        before = surface  # only one at a time is held: a recording may be large
    ours = report.baseline.fingerprint in prints or report.baseline.source.endswith(baseline_file(config))
    if len(releases) < 2:
        what = f"{len(unread) + len(late)} recordings at release tags could not be read."
        return History(unread=tuple(unread), late=tuple(late), problem=what) if unread or late else None
    if not ours:
        return None
    if report.fingerprint != prints[-1]:
        since = _counted(report.changes) if report.baseline.fingerprint == prints[-1] else None
        version = report.server.version if report.server is not None else None
        tokens = report.tokens.total if report.tokens is not None else 0
        releases.append(Release("", version or "", Counter(report.tiers.values()), tokens, since))
    return History(tuple(releases), older, tuple(unread), tuple(late))


def _counted(changes: Sequence[Change]) -> Mapping[str, int]:
    """Number of changes by verdict."""
    return Counter(change.verdict.value for change in changes)
