"""Which releases two surfaces are, and the step between them: for ``check``, ``diff`` and the tool of our server.

A server may report the version of its framework. So the source that ``schema-version`` names counts for a governed
server, and what a recording or a target states counts before what the server in it reports.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog.stating import baseline_version, released_version
from mcp_governor.checking.changelog import read_declared
from mcp_governor.errors import GovernorError
from mcp_governor.target.packages import is_package
from mcp_governor.version_sources.model import SERVER_INFO
from mcp_governor.version_steps import declared_step, same_version

if TYPE_CHECKING:
    from mcp_governor.config import Config
    from mcp_governor.findings import Bump
    from mcp_governor.surface import Surface


class Versions(Struct, frozen=True):
    """The versions of two surfaces.

    Attributes:
        old, new: ``None`` if unknown.
        alike: they are versions of the same thing, so that they make a step.
    """

    old: str | None
    new: str | None
    alike: bool = True

    @property
    def both(self) -> tuple[str, str] | None:
        """The two, if both are known."""
        return (self.old, self.new) if self.old and self.new else None

    def declared(self, config: Config) -> Bump | None:
        """The step between the versions; ``None`` if one is missing, or if they are not of the same thing."""
        if self.both is None or not self.alike:
            return None
        return declared_step(*self.both, calver=config.policy.calver).bump


def versions_between(old: Surface, new: Surface, config: Config, *, governed: bool) -> Versions:
    """The versions where nothing but the comparison is asked for, so that sources which cannot be read do not count.

    The surfaces need not be those of the project, unless ``new`` is that of the governed server.
    """
    known = Versions(None, None)
    if config.schema_version != SERVER_INFO:
        with contextlib.suppress(GovernorError):
            book, now = read_declared(config, new if governed else None)
            if governed:
                known = Versions(baseline_version(config.schema_version, old, book, now), now.text)
            else:
                known = Versions(released_version(old, book, now), released_version(new, book, now))
    return known if known.both is not None else _as_stated(old, new)


def _as_stated(old: Surface, new: Surface) -> Versions:
    """The versions that the surfaces themselves state.

    What one of them is pinned or recorded with is not a version of what the other's server reports, unless its own
    server reports the same.
    """
    if old.stated is not None and new.stated is not None and old.stated[1] == new.stated[1]:
        return Versions(old.stated[0], new.stated[0])
    if old.release is not None and new.release is not None:
        return Versions(old.release, new.release)
    alike = not (_is_foreign(old, new) or _is_foreign(new, old))
    then, now = (one.stated[0] if one.stated is not None else one.version for one in (old, new))
    return Versions(then, now, alike)


def _is_foreign(one: Surface, other: Surface) -> bool:
    """True if a surface has a version that is not one of what the server of the other reports."""
    stated = one.stated[0] if one.stated is not None else one.release
    if stated is None:
        return False
    reported = replace(one, release=None).version
    unpinned = is_package(other.source) and other.release is None
    return unpinned or reported is None or not same_version(reported, stated)
