"""Find the surface of an untagged release by the fingerprint in the changelog."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.errors import GovernorError
from mcp_governor.files import read_bytes
from mcp_governor.surface import fingerprint, parse_surface
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.config import Config
    from mcp_governor.surface import Surface

_SHORT = 12
"""Digits of a commit id in reports, as in git's output for large repositories."""


class StatedRelease(Struct, frozen=True):
    """A release as the changelog states it.

    Attributes:
        version: version of its section.
        fingerprint: fingerprint of the surface that it published.
    """

    version: str
    fingerprint: str

    def states(self, surface: Surface) -> bool:
        """True if a surface is the published one."""
        return fingerprint(surface) == self.fingerprint


def published_surface(config: Config, last: StatedRelease, places: tuple[str, str]) -> tuple[str, Surface] | None:
    """Find the recorded surface of a release.

    The search includes files that ``changelog release`` recorded, and then the history of the surface file.

    Args:
        config: the configuration, for its folder.
        last: the release.
        places: path where a release records its surface, with ``{version}``; and the surface file.

    Returns:
        The place as reports name it, and the surface; ``None`` if it was not found, as in a shallow clone.
    """
    for shown, data in _candidates(config, last, places):
        try:
            surface = parse_surface(data, shown)
        except GovernorError:
            continue  # an older format, or a broken file that was committed by mistake
        if last.states(surface):
            return shown, surface
    return None


def _candidates(config: Config, last: StatedRelease, places: tuple[str, str]) -> Iterator[tuple[str, bytes]]:
    from mcp_governor.target.git import files_at, states_of

    recorded, file = places
    own = recorded.replace("{version}", last.version)
    path = config.resolve(own)
    # The version comes from the changelog, so make sure that it does not lead out of the folder.
    if path.parent != config.resolve(recorded).parent:
        pass
    elif config.base:
        # The fingerprint does not cover all that is compared, so the file of a pull request does not count.
        for name, data in files_at(config.root, config.base, [own]).items():
            yield visible(name), data
    elif path.is_file():
        with contextlib.suppress(OSError):
            yield visible(own), read_bytes(path)
    for commit, data in states_of(config.root, file, tip=config.base or "HEAD"):
        yield f"git:{commit[:_SHORT]}", data
