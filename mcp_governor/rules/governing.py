"""Applies a team's decisions about rules to findings: ignored, suppressed, known, and the severity of the rest.

Rules are suppressed for a tool in the configuration (``lint.per-tool-ignores``) or in the tool's ``_meta``.

A tool suppresses rules for itself with ``_meta["dev.mcp-governor/ignore"]``: an id, ``pack/*``, a list of those or of
``{"rule": …, "reason": …}``. A suppression without effect is itself a finding, because it would hide the next mistake.
"""

from __future__ import annotations

import fnmatch
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.documents import Wrong, read
from mcp_governor.errors import ConfigError, FileFormatError
from mcp_governor.files import read_bytes
from mcp_governor.rule_names import current_id, first_name, noted_name
from mcp_governor.rules.catalogue import load_catalogue, selects
from mcp_governor.rules.finding import finding
from mcp_governor.rules.rule import ALWAYS_RUN
from mcp_governor.rules.selection import Suppression
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.deprecations import META_PREFIX
from mcp_governor.surface.file import dump_json, parse_json
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from mcp_governor.findings import Finding
    from mcp_governor.rules.catalogue import Catalogue
    from mcp_governor.rules.selection import Selection
    from mcp_governor.surface.model import Surface, Tool


_WRITE = "Write it with: mcp-governor lint --baseline {} --write-baseline"


class LintBaseline(Struct, frozen=True, tag_field="format", tag="mcp-governor/lint-baseline-1"):
    """Known findings, which fail no run.

    Attributes:
        findings: Ids of findings, as reports print them, sorted.
    """

    findings: tuple[str, ...]


def dump_baseline(findings: Iterable[Finding]) -> str:
    """The content of a baseline file: the ids of findings, sorted, one per line, so that diffs are readable."""
    return dump_json(msgspec.to_builtins(LintBaseline(tuple(sorted({found.id for found in findings})))))


def load_baseline(path: Path, *, what: str = "") -> frozenset[str]:
    """The ids in a baseline file under current names; former names are reported.

    Args:
        path: the file.
        what: name of the file in messages; defaults to the path.

    Raises:
        FileFormatError: the file is missing or is not a baseline file.
    """
    shown = what or visible(str(path))
    try:
        data = read_bytes(path)
    except OSError as error:
        raise FileFormatError(
            f"{shown} cannot be read: {error.strerror}.",
            _WRITE.format(shown),
        ) from None
    return frozenset(noted_name(known, shown) for known in _listed(data, shown))


def parse_baseline(data: bytes, shown: str) -> frozenset[str]:
    """The ids in the content of a baseline file, under current names.

    Raises:
        FileFormatError: the content is not a baseline file.
    """
    return frozenset(map(current_id, _listed(data, shown)))


def _listed(data: bytes, shown: str) -> tuple[str, ...]:
    made = read(LintBaseline, parse_json(data, shown))
    if isinstance(made, Wrong):
        raise FileFormatError(f"{shown} is not a lint baseline: {made.problem}.", _WRITE.format(shown))
    return made.findings


META_KEY = f"{META_PREFIX}ignore"
"""The ``_meta`` key of inline suppressions."""

STALE_RULE = "lint/stale-suppression"


class _Ignored(Struct):
    """A selector that is not reported for some tools, where that is written, and if it had an effect.

    Attributes:
        rule: the selector.
        glob: over names of tools, for a suppression of the configuration.
        tool, path: the tool that says it in its ``_meta``, and where.
    """

    rule: str
    glob: str = ""
    tool: str | None = None
    path: str = ""
    used: bool = False


class Governor:
    """Applies a team's decisions to the findings of one run, from every station.

    A finding is dropped if its rule is ignored, if it is suppressed for its tool, if another station in the run reports
    the same (``twin``), or if it was known before. Otherwise it gets the configured severity.

    Args:
        selection: the selected rules, with ignored ones.
        surface: the tools whose inline suppressions apply; without it, there are none.
        stations: the stations that take part in the run.
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
        active = selection.active.values()
        self._dropped = selection.ignored | {one.id for one in active if self._is_reported_elsewhere(one.rule.twin)}
        self._globs = [_Ignored(item.rule, glob) for glob, item, _ in selection.tool_ignores]
        self._inline: dict[str, list[_Ignored]] = {}
        self._malformed: list[tuple[str, str, Any]] = []
        if surface is not None and selection.settings.inline:
            for tool in surface.tools:
                if META_KEY in tool.meta:
                    self._read(tool)

    def judge(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that count, in order, each with its severity."""
        # Suppressions are checked first, because their use is recorded.
        return self._counted(found for found in findings if not self._covers(found))

    def _counted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        for found in findings:
            if found.rule in self._dropped:
                continue
            if self._known:
                self._seen.add(found.id)
                if found.id in self._known:
                    continue
            severity = self._selection.severity_of(found.rule)
            yield found if severity in (None, found.severity) else replace(found, severity=severity)

    def gone(self) -> list[str]:
        """Known ids that no judged finding had."""
        return sorted(self._known - self._seen)

    def _is_reported_elsewhere(self, twin: str) -> bool:
        rule = self._catalogue.rules.get(twin) if twin else None
        return rule is not None and rule.station in self._stations

    def _read(self, tool: Tool) -> None:
        given, base = tool.meta[META_KEY], join_pointer("/_meta", META_KEY)
        for index, value in enumerate(given if isinstance(given, list) else [given]):
            path = join_pointer(base, index) if isinstance(given, list) else base
            try:
                rule = Suppression.parse(value, path).rule
            except ConfigError:
                self._malformed.append((tool.name, path, value))
            else:
                noted_name(value if isinstance(value, str) else value["rule"], f"Tool {one_line(tool.name, 80)}", path)
                self._inline.setdefault(tool.name, []).append(_Ignored(rule, tool=tool.name, path=path))

    def _covers(self, found: Finding) -> bool:
        """True if a finding is suppressed for its tool; records the use of every suppression that matches."""
        covered = False
        for one in (*self._globs, *self._inline.get(found.tool, ())) if found.tool is not None else ():
            if selects(one.rule, found.rule) and (one.tool is not None or fnmatch.fnmatchcase(found.tool, one.glob)):
                one.used = covered = True
        return covered

    def stale(self) -> Iterator[Finding]:
        """A finding for every suppression that had no effect, is malformed, or names an unknown rule.

        Reported only if the linter took part. Findings of other stations depend on the day's changes and calls, so a
        suppression of their rules may be needed tomorrow even if it was not today.
        """
        if "lint" in self._stations and self._selection.get(STALE_RULE) is not None:
            # None of these can be suppressed: `*` would hide its own uselessness.
            yield from self._counted(self._stale())

    def _stale(self) -> Iterator[Finding]:
        for tool, path, value in self._malformed:
            yield _stale(tool, path, value, "malformed")
        for one in (*chain.from_iterable(self._inline.values()), *self._globs):
            if one.used:
                continue
            ids = [rule_id for rule_id in self._catalogue.rules if selects(one.rule, rule_id)]
            if not ids:
                yield _stale(
                    one.tool, one.path, one.rule, "unknown", hint=did_you_mean(one.rule, self._catalogue.rules)
                )
            elif self._ran(ids) and one.tool is not None:
                yield _stale(one.tool, one.path, one.rule, "unused")
            elif self._ran(ids):
                # A place in the configuration, so it is not a pointer into the surface.
                place = f"lint.per-tool-ignores.{one_line(one.glob)}"
                yield _stale(None, place, one.rule, "unused-glob", glob=one.glob)

    @cached_property
    def _catalogue(self) -> Catalogue:
        settings = self._selection.settings
        return load_catalogue(settings.rule_paths)

    def _ran(self, ids: Collection[str]) -> bool:
        """True if the linter ran one of these rules, and no other station could have run one."""
        linted = {active.id for active in self._selection.linted}
        return not linted.isdisjoint(ids) and not any(map(self._may_report_later, ids))

    def _may_report_later(self, rule_id: str) -> bool:
        station = self._catalogue.get(rule_id).station
        # `schemas check` is a command of its own, and so are `load probe` and `fleet check`: a suppression of
        # everything is not kept for them alone, and one that names their rules is not judged here, because the linter
        # runs none of them.
        if station in ("lint", "schemas", "load", "fleet", *self._stations):
            return False
        return station in ALWAYS_RUN or self._selection.get(rule_id) is not None


def govern(
    findings: Iterable[Finding], selection: Selection, surface: Surface | None = None, *, stations: Collection[str]
) -> list[Finding]:
    """Apply a selection to the findings of one run, and add the findings about suppressions."""
    governor = Governor(selection, surface, stations=stations)
    return [*governor.judge(findings), *governor.stale()]


def _stale(tool: str | None, path: str, value: Any, says: str, **facts: str) -> Finding:
    shown = value if isinstance(value, str) else repr(value)
    # Acceptances of this finding survive a new name of the suppressed rule.
    value = first_name(value) if isinstance(value, str) else value
    return finding(STALE_RULE, path, says=says, tool=tool, value=value, facts=facts, suppression=shown)
