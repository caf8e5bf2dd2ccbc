"""The version step of a release: what its changes require, what the two versions make, and what is pending."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.findings import Bump
from mcp_governor.rules.finding import finding
from mcp_governor.stage import UNDER_DATE, UNDER_NEW, Pending, Stage
from mcp_governor.text import capital, one_line
from mcp_governor.versions import (
    Scheme,
    common_scheme,
    declared_step,
    is_development,
    leads_to,
    next_version,
    same_version,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.config.policy import PolicyConfig
    from mcp_governor.findings import Finding
    from mcp_governor.version_sources import SchemaVersion
    from mcp_governor.versions import Step

_PATH = "/serverInfo/version"
_SHOWN_CHANGES = 5
"""Most changes that a finding lists; it counts the others, and the report lists all."""

_ALLOWED = {Bump.MINOR: "additions", Bump.PATCH: "changes of wording"}


class VersionStep(Struct, frozen=True, dict=True):
    """The step from one version to another.

    Attributes:
        old, new: the versions; ``None`` if unknown.
        needed: the step that the changes require.
        forcing: the changes that require it.
        settings: the ``policy`` table of the configuration.
        stage: the stage of the run; between releases, the version may be unchanged.
        admitted_bump: the step that the changelog requires for changes that a surface does not show, such as a break
            of behaviour.
        source: where the version comes from, for advice on where to change it.
    """

    old: str | None
    new: str | None
    needed: Bump
    forcing: Sequence[Change]
    settings: PolicyConfig
    stage: Stage
    admitted_bump: Bump = Bump.NONE
    source: SchemaVersion | None = None

    @cached_property
    def made(self) -> Step | None:
        """The step that the versions make; ``None`` if one is unknown."""
        if self.old is None or self.new is None:
            return None
        return declared_step(self.old, self.new, calver=self.settings.calver)

    @cached_property
    def waits(self) -> bool:
        """True if the version is the one of the last release and need not change yet.

        A development version (``1.3.0.dev4``, as tools derive it from the last tag) counts as unchanged.
        """
        if self.stage.at_release and not self._to_be_tagged:
            return False
        return self.old is None or self.new is None or same_version(self.old, self.new) or is_development(self.new)

    @property
    def _to_be_tagged(self) -> bool:
        """True if the version comes from a tag, and the release is not tagged yet."""
        return self.source is not None and self.source.tagged and self.stage.tag is None

    @cached_property
    def _scheme(self) -> Scheme:
        return common_scheme(self.old or self.new or "", self.new or self.old or "")

    @cached_property
    def _stateless(self) -> bool:
        """True if the versions do not show what may break, so that ``policy.calver`` decides."""
        if not (self.old or self.new):
            return False
        refused = self._scheme is Scheme.NUMBERED and self.settings.calver == "refuse"
        return refused or self._scheme in (Scheme.CALENDAR, Scheme.OTHER)

    @property
    def pending(self) -> Pending | None:
        """What the next release will need; ``None`` at a release, and if nothing is pending."""
        step = Bump.highest([self.needed, self.admitted_bump])
        if not self.stage.between or step is Bump.NONE:
            return None
        return Pending(step, self.coming, calendar=self._scheme is Scheme.CALENDAR)

    @cached_property
    def coming(self) -> str | None:
        """The version to release the changes as; ``None`` if unknown, as for calendar versions.

        This is the current version if it has moved far enough. A development version stands for the release that it
        leads to.
        """
        step = Bump.highest([self.needed, self.admitted_bump])
        new = self.new if self.new is None or not is_development(self.new) else leads_to(self.new)
        if self.old is not None and new is not None:
            made = declared_step(self.old, new, calver=self.settings.calver)
            moved = not made.backwards and not same_version(self.old, new)
            if moved and (self._stateless or made.bump.rank >= step.rank):
                return new
        return None if self.old is None or self._stateless else next_version(self.old, step)

    @property
    def judged(self) -> str | None:
        """The version at which deprecation windows end: the current one, or the next one."""
        if self.waits and self.pending is not None:
            return self.pending.version
        return self.new

    def findings(self) -> Iterator[Finding]:
        """Findings about the versions."""
        if not self.waits:
            if self.made is None or self.old is None or self.new is None:
                if self.needed is not Bump.NONE:
                    who, required = "The server" if self.new is None else "The baseline", self.needed.value
                    yield finding("policy/version-missing", _PATH, value=self._value, who=who, required=required)
                return
            if self.made.backwards:
                yield self._backwards(self.old, self.new)
                return
            if self._scheme is Scheme.OTHER and self.old != self.new:
                counts = "no step" if self.made.bump is Bump.NONE else f"a {self.made.bump.value} step"
                facts = {"old": self.old, "new": self.new, "counts": counts}
                yield finding("policy/version-scheme", _PATH, value=self._scheme, facts=facts)
        if self._stateless and self.needed.rank > self._allowed.rank:
            yield self._not_allowed()
        elif not self.waits and self.made is not None and self.made.bump.rank < self.needed.rank:
            yield self._too_small(self.made.bump)

    @property
    def _value(self) -> list[object]:
        return [self.needed, sorted(change.id for change in self.forcing)]

    def _backwards(self, old: str, new: str) -> Finding:
        needed = Bump.highest([self.needed, Bump.PATCH])
        after = f"a version after {one_line(old, 40)}" if self._stateless else next_version(old, needed)
        return finding("policy/version-backwards", _PATH, value=[old, new], old=old, new=new, next=after)

    @property
    def _allowed(self) -> Bump:
        return Bump.NONE if self.settings.calver == "refuse" else Bump(self.settings.calver)

    def _not_allowed(self) -> Finding:
        """The changes require more than ``policy.calver`` allows in any release."""
        if self._scheme is Scheme.CALENDAR:
            subject = "Calendar versions do not state"
        else:
            subject = " → ".join(dict.fromkeys(one_line(text, 40) for text in (self.old, self.new) if text))
            subject += " does not state"
        return finding(
            "policy/calver-too-small",
            _PATH,
            says="refused" if self._allowed is Bump.NONE else "",
            value=self._value,
            subject=subject,
            calver=self.settings.calver,
            allowed=_ALLOWED.get(self._allowed, ""),
            required=self.needed.value,
            forcing=listed(self.forcing),
        )

    def _too_small(self, made: Bump) -> Finding:
        version = None if self._stateless else next_version(self.old or "", self.needed)
        under = UNDER_DATE if self._scheme is Scheme.CALENDAR else UNDER_NEW
        facts = {
            "old": self.old,
            "new": self.new,
            "declared": "no step" if made is Bump.NONE else f"a {made.value} step",
            "required": f"a {self.needed.value} one" if version else "a new version",
            "forcing": listed(self.forcing),
            "way": f"Release it as {version}" if version else f"Release it {under}",
        }
        if same_version(self.old or "", self.new or ""):
            facts["stands"] = capital(self.source.stands if self.source else f"the version still is {self.new}")
            facts["required"] = f"a {self.needed.value} step" if version else "a new one"
            if self.source is not None and version is not None:
                facts["way"] = capital(self.source.advice(version))
            return finding("policy/bump-too-small", _PATH, says="still", value=self._value, facts=facts)
        return finding("policy/bump-too-small", _PATH, value=self._value, facts=facts)


def listed(changes: Sequence[Change]) -> str:
    """The messages of the first changes, and the number of the others."""
    shown = [one_line(change.full_message, 120).rstrip(".") for change in changes[:_SHOWN_CHANGES]]
    more = len(changes) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
