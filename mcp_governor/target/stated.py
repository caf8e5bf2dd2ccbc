"""The surface of a release that no tag marks: found by the fingerprint that the changelog states of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from mcp_governor.errors import GovernorError
from mcp_governor.files import read_bytes
from mcp_governor.frozen import frozen
from mcp_governor.surface import fingerprint, parse_surface
from mcp_governor.target.git import states_of
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.config import Config
    from mcp_governor.surface import Surface

_SHORT = 12
"""Digits of a commit's id that a report shows, as git does in large repositories."""


@frozen
class StatedRelease:
    """A release as a changelog states it.

    Attributes:
        version: of its section.
        fingerprint: of the surface that it published.
    """

    version: str
    fingerprint: str

    def states(self, surface: Surface) -> bool:
        """Whether a surface is the one that was published."""
        return fingerprint(surface) == self.fingerprint


def published_surface(config: Config, last: StatedRelease, places: tuple[str, str]) -> tuple[str, Surface] | None:
    """Where the surface of a release is recorded, as reports name it, and the surface.

    Looked for in what ``changelog release`` recorded, then in the history of the surface file.

    Args:
        config: its folder.
        last: the release.
        places: where a release records its surface, with ``{version}`` for its version; the surface file.

    Returns:
        ``None`` where neither holds it, such as in a shallow clone.
    """
    for shown, data in _candidates(config, last, places):
        try:
            surface = parse_surface(data, shown)
        except GovernorError:
            continue  # an older format, or a slip that was committed: not what is looked for
        if last.states(surface):
            return shown, surface
    return None


def _candidates(config: Config, last: StatedRelease, places: tuple[str, str]) -> Iterator[tuple[str, bytes]]:
    recorded, file = places
    own = recorded.replace("{version}", last.version)
    path = config.resolve(own)
    # The version is a word of the changelog: it leads to a file of the folder, or nowhere.
    if path.parent == config.resolve(recorded).parent and path.is_file():
        with contextlib.suppress(OSError):
            yield visible(own), read_bytes(path)
    for commit, data in states_of(config.root, file):
        yield f"git:{commit[:_SHORT]}", data
