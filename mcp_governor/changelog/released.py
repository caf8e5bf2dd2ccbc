"""Find the released sections of a changelog, which are history and must not be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.changelog.model import Section
    from mcp_governor.versions import Numbered


class Released(Struct, frozen=True):
    """What is known of the versions that are out.

    Attributes:
        versions: each of them → how that is known, as messages name it (``tag v1.2.0``).
        last: the version of the baseline, ``None`` if it is unknown.
        fingerprint: of the baseline; empty if there is none.
        kept: somebody keeps account of releases, with tags or recorded surfaces: a version that neither knows is not
            out.
    """

    versions: Mapping[Numbered, str] = field(default_factory=dict)
    last: Numbered | None = None
    fingerprint: str = ""
    kept: bool = False

    def evidence(self, section: Section) -> str:
        """The evidence that a section is released; empty if it is not."""
        number = section.numbered
        if section.unreleased:
            return ""
        if number is not None and number in self.versions:
            return self.versions[number]
        if section.date is not None:
            return f"dated {section.date}"
        # A later version with the same fingerprint is one that changes words only, and may be on its way.
        later = number is not None and self.last is not None and number > self.last
        if self.fingerprint and not later and any(one.value == self.fingerprint for one in section.fingerprints):
            return "it states the fingerprint of the baseline"
        return ""


NOTHING_RELEASED = Released()
