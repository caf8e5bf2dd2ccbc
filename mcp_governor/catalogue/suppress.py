"""Findings that somebody decided not to see: per-tool ignores of the config, and ``_meta`` of a tool.

A tool suppresses rules for itself with ``_meta["dev.mcp-governor/ignore"]``: an id, ``pack/*``, a list of
those or of ``{"rule": …, "reason": …}``, or an object from id to reason. A suppression that suppresses
nothing is itself a finding: it would hide the next mistake.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_governor.catalogue.catalogue import load_catalogue
from mcp_governor.catalogue.finding import finding
from mcp_governor.catalogue.settings import Suppression
from mcp_governor.errors import ConfigError
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.read import META_PREFIX
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.catalogue.catalogue import Catalogue
    from mcp_governor.catalogue.selection import Selection
    from mcp_governor.findings import Finding
    from mcp_governor.surface.model import Surface, Tool

META_KEY = f"{META_PREFIX}ignore"
"""The ``_meta`` key of inline suppressions."""

STALE_RULE = "lint/stale-suppression"


@dataclass(eq=False, repr=False)
class _Inline:
    """One inline suppression of one tool, and whether it was of any use."""

    suppression: Suppression
    path: str
    used: bool = False


@dataclass(eq=False, repr=False)
class Suppressor:
    """Decides which findings are suppressed, and remembers which suppressions were needed."""

    selection: Selection
    surface: Surface
    _inline: dict[str, list[_Inline]] = field(default_factory=dict)
    _malformed: list[tuple[str, str, Any]] = field(default_factory=list)
    _used_globs: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.selection.settings.inline:
            for tool in self.surface.tools:
                if META_KEY in tool.meta:
                    self._read(tool)

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
                self._inline.setdefault(tool.name, []).append(_Inline(suppression, path))

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is suppressed."""
        if finding.tool is None:
            return False
        covered = False
        for glob, suppression, ids in self.selection.tool_ignores:
            if finding.rule in ids and fnmatch.fnmatchcase(finding.tool, glob):
                self._used_globs.add((glob, suppression.rule))
                covered = True
        for inline in self._inline.get(finding.tool, ()):
            if _means(inline.suppression.rule, finding.rule):
                inline.used = True
                covered = True
        return covered

    def stale(self) -> Iterator[Finding]:
        """A finding for every suppression that suppressed nothing, is malformed, or names no rule."""
        active = self.selection.get(STALE_RULE)
        if active is None:
            return
        for tool, path, value in self._malformed:
            yield self._finding(tool, path, value, "malformed")
        for tool, inlines in self._inline.items():
            for inline in inlines:
                rule = inline.suppression.rule
                says = "" if inline.used else self._problem(rule)
                if says:
                    hint = did_you_mean(rule, self._known.rules) if says == "unknown" else ""
                    yield self._finding(tool, inline.path, rule, says, hint=hint)
        for glob, suppression, ids in self.selection.tool_ignores:
            if (glob, suppression.rule) in self._used_globs or not ids & self._linted:
                continue
            # A place in the configuration, and so no pointer into the surface.
            place = f"lint.per-tool-ignores.{one_line(glob)}"
            yield self._finding(None, place, suppression.rule, "unused-glob", glob=glob)

    @property
    def _linted(self) -> frozenset[str]:
        return frozenset(active.id for active in self.selection.linted)

    @cached_property
    def _known(self) -> Catalogue:
        settings = self.selection.settings
        return load_catalogue(settings.rule_paths, trusted=settings.trusted)

    def _problem(self, rule: str) -> str:
        """What is wrong with an inline suppression that was not used; empty where its rules did not run."""
        if any(_means(rule, rule_id) for rule_id in self._linted):
            return "unused"
        return "" if self._known.unread or any(_means(rule, rule_id) for rule_id in self._known.rules) else "unknown"

    def _finding(self, tool: str | None, path: str, value: Any, says: str, **facts: str) -> Finding:
        active = self.selection.active[STALE_RULE]
        shown = value if isinstance(value, str) else repr(value)
        made = finding(active.rule, path, says=says, tool=tool, value=value, facts=facts, suppression=shown)
        return replace(made, severity=active.severity)


def _means(selector: str, rule_id: str) -> bool:
    return selector in ("*", rule_id) or (selector.endswith("/*") and rule_id.startswith(selector[:-1]))
