"""What a team decided about rules, applied to findings: what is ignored, suppressed, known, and how grave the rest is.

Rules are suppressed for a tool by the configuration (``lint.per-tool-ignores``), or by ``_meta`` of the tool.

A tool suppresses rules for itself with ``_meta["dev.mcp-governor/ignore"]``: an id, ``pack/*``, a list of
those or of ``{"rule": …, "reason": …}``, or an object from id to reason. A suppression that suppresses
nothing is itself a finding: it would hide the next mistake.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_governor.catalogue.catalogue import load_catalogue
from mcp_governor.catalogue.finding import finding
from mcp_governor.catalogue.rule import ALWAYS_RUN
from mcp_governor.catalogue.settings import Suppression
from mcp_governor.errors import ConfigError
from mcp_governor.rule_names import first_name, noted_name
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.deprecations import META_PREFIX
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcp_governor.catalogue.catalogue import Catalogue
    from mcp_governor.catalogue.selection import Selection
    from mcp_governor.findings import Finding, Severity
    from mcp_governor.surface.model import Surface, Tool

META_KEY = f"{META_PREFIX}ignore"
"""The ``_meta`` key of inline suppressions."""

STALE_RULE = "lint/stale-suppression"


@dataclass(eq=False, repr=False)
class _Inline:
    """One inline suppression of one tool, and the use that it was of."""

    suppression: Suppression
    path: str
    used: bool = False


class Governor:
    """Applies what a team decided about rules to the findings of one run, of whatever station.

    A finding is left out where its rule is ignored, where it is suppressed for its tool, where another station of the
    run says the same (``twin``), and where it was known before; else it gets the severity that was chosen.

    Args:
        selection: the rules as selected, with what is ignored.
        surface: whose tools may suppress rules for themselves; without it none does.
        stations: those that take part in the run.
        known: ids of findings that do not count.
    """

    def __init__(
        self,
        selection: Selection,
        surface: Surface | None = None,
        *,
        stations: Collection[str] = ("lint",),
        known: frozenset[str] = frozenset(),
    ) -> None:
        self._selection = selection
        self._stations = stations
        self._known = known
        self._seen: set[str] = set()
        self._by_rule: dict[str, tuple[bool, Severity | None]] = {}
        self._inline: dict[str, list[_Inline]] = {}
        self._malformed: list[tuple[str, str, Any]] = []
        self._used_globs: set[tuple[str, str]] = set()
        if surface is not None and selection.settings.inline:
            for tool in surface.tools:
                if META_KEY in tool.meta:
                    self._read(tool)

    def judge(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that count, in their order, each with its severity."""
        # Suppressions are asked first: it is remembered which were of use.
        return self._counted(found for found in findings if not self._covers(found))

    def _counted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        for found in findings:
            is_dropped, severity = self._chosen(found.rule)
            if is_dropped:
                continue
            if self._known:
                self._seen.add(found.id)
                if found.id in self._known:
                    continue
            yield found if severity in (None, found.severity) else replace(found, severity=severity)

    def gone(self) -> list[str]:
        """Ids of known findings that nothing had that was judged."""
        return sorted(self._known - self._seen)

    def _chosen(self, rule_id: str) -> tuple[bool, Severity | None]:
        """If a rule is left out, and the severity that was chosen for it; kept, because findings are many."""
        if rule_id not in self._by_rule:
            is_dropped = rule_id in self._selection.ignored or self._is_said_elsewhere(rule_id)
            self._by_rule[rule_id] = is_dropped, self._selection.severity_of(rule_id)
        return self._by_rule[rule_id]

    def _is_said_elsewhere(self, rule_id: str) -> bool:
        active = self._selection.get(rule_id)
        if active is None or not active.rule.twin:
            return False
        twin = self._catalogue.rules.get(active.rule.twin)
        return twin is not None and twin.station in self._stations

    def _read(self, tool: Tool) -> None:
        given = tool.meta[META_KEY]
        base = join_pointer("/_meta", META_KEY)
        pairs: list[tuple[str, Any]]
        if isinstance(given, dict):
            pairs = [(join_pointer(base, key), {"rule": key, "reason": value}) for key, value in given.items()]
        elif isinstance(given, list):
            pairs = [(join_pointer(base, index), value) for index, value in enumerate(given)]
        else:
            pairs = [(base, given)]
        for path, value in pairs:
            try:
                suppression = Suppression.parse(value, path)
            except ConfigError:
                self._malformed.append((tool.name, path, value))
            else:
                _note(value, f"Tool {one_line(tool.name, 80)}", path)
                self._inline.setdefault(tool.name, []).append(_Inline(suppression, path))

    def _covers(self, found: Finding) -> bool:
        """True if a finding is suppressed for its tool; every suppression that does is of use."""
        if found.tool is None or not (self._selection.tool_ignores or self._inline):
            return False
        covered = False
        for glob, suppression, ids in self._selection.tool_ignores:
            if found.rule in ids and fnmatch.fnmatchcase(found.tool, glob):
                self._used_globs.add((glob, suppression.rule))
                covered = True
        for inline in self._inline.get(found.tool, ()):
            if _means(inline.suppression.rule, found.rule):
                inline.used = True
                covered = True
        return covered

    def stale(self) -> Iterator[Finding]:
        """A finding for every suppression that suppressed nothing that was judged, is malformed, or names no rule.

        Only where the linter took part. What other stations say depends on the changes and the calls of the day, so
        that a suppression of their rules is needed tomorrow, though it was not today.
        """
        if "lint" in self._stations and self._selection.get(STALE_RULE) is not None:
            # None is suppressed: `*` would hide that it suppresses nothing.
            yield from self._counted(self._stale())

    def _stale(self) -> Iterator[Finding]:
        for tool, path, value in self._malformed:
            yield _stale(tool, path, value, "malformed")
        for tool, inlines in self._inline.items():
            for inline in inlines:
                rule = inline.suppression.rule
                ids = [] if inline.used else [rule_id for rule_id in self._catalogue.rules if _means(rule, rule_id)]
                if self._ran(ids):
                    yield _stale(tool, inline.path, rule, "unused")
                elif not (inline.used or ids or self._catalogue.unread):
                    yield _stale(tool, inline.path, rule, "unknown", hint=did_you_mean(rule, self._catalogue.rules))
        for glob, suppression, named in self._selection.tool_ignores:
            if (glob, suppression.rule) not in self._used_globs and self._ran(named):
                # A place in the configuration, and so no pointer into the surface.
                yield _stale(
                    None, f"lint.per-tool-ignores.{one_line(glob)}", suppression.rule, "unused-glob", glob=glob
                )

    @cached_property
    def _catalogue(self) -> Catalogue:
        settings = self._selection.settings
        return load_catalogue(settings.rule_paths, trusted=settings.trusted)

    def _ran(self, ids: Collection[str]) -> bool:
        """True if the linter ran one of these rules, and no other station would run one if it took part."""
        linted = {active.id for active in self._selection.linted}
        return not linted.isdisjoint(ids) and not any(map(self._may_speak_later, ids))

    def _may_speak_later(self, rule_id: str) -> bool:
        station = self._catalogue.get(rule_id).station
        if station in ("lint", *self._stations):
            return False
        return station in ALWAYS_RUN or self._selection.get(rule_id) is not None


def govern(
    findings: Iterable[Finding], selection: Selection, surface: Surface | None = None, *, stations: Collection[str]
) -> list[Finding]:
    """What a selection makes of the findings of one run, and what is to be said of suppressions at the end."""
    governor = Governor(selection, surface, stations=stations)
    return [*governor.judge(findings), *governor.stale()]


def _note(value: Any, file: str, key: str) -> None:
    """Note the former name in a suppression that was parsed."""
    noted_name(value if isinstance(value, str) else value["rule"], file, key)


def _stale(tool: str | None, path: str, value: Any, says: str, **facts: str) -> Finding:
    shown = value if isinstance(value, str) else repr(value)
    # Acceptances of this finding outlive a new name of the rule that is suppressed.
    value = first_name(value) if isinstance(value, str) else value
    return finding(STALE_RULE, path, says=says, tool=tool, value=value, facts=facts, suppression=shown)


def _means(selector: str, rule_id: str) -> bool:
    return selector in ("*", rule_id) or (selector.endswith("/*") and rule_id.startswith(selector[:-1]))
