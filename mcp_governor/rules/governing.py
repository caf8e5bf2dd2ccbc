"""Applies a team's decisions about rules to findings: ignored, suppressed, known, and the severity of the rest.

Rules are suppressed for a tool in the configuration (``lint.per-tool-ignores``) or in the tool's ``_meta``.

A tool suppresses rules for itself with ``_meta["dev.mcp-governor/ignore"]``: an id, ``pack/*``, a list of those or of
``{"rule": …, "reason": …}``, or an object from id to reason. A suppression without effect is itself a finding, because
it would hide the next mistake.
"""

from __future__ import annotations

import fnmatch
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.documents import Wrong, read
from mcp_governor.errors import ConfigError, FileFormatError
from mcp_governor.files import read_bytes
from mcp_governor.rule_names import current_id, first_name, noted_name
from mcp_governor.rules.catalogue import load_catalogue
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

    from mcp_governor.findings import Finding, Severity
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


class _Inline(Struct):
    """One inline suppression in one tool, and if it had an effect."""

    suppression: Suppression
    path: str
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
        self._by_rule: dict[str, tuple[bool, Severity | None]] = {}
        self._inline: dict[str, list[_Inline]] = {}
        self._malformed: list[tuple[str, str, Any]] = []
        self._used_globs: set[tuple[str, str]] = set()
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
            is_dropped, severity = self._chosen(found.rule)
            if is_dropped:
                continue
            if self._known:
                self._seen.add(found.id)
                if found.id in self._known:
                    continue
            yield found if severity in (None, found.severity) else replace(found, severity=severity)

    def gone(self) -> list[str]:
        """Known ids that no judged finding had."""
        return sorted(self._known - self._seen)

    def _chosen(self, rule_id: str) -> tuple[bool, Severity | None]:
        """Returns if a rule is dropped, and its configured severity; cached, because there are many findings."""
        if rule_id not in self._by_rule:
            is_dropped = rule_id in self._selection.ignored or self._is_reported_elsewhere(rule_id)
            self._by_rule[rule_id] = is_dropped, self._selection.severity_of(rule_id)
        return self._by_rule[rule_id]

    def _is_reported_elsewhere(self, rule_id: str) -> bool:
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
        """True if a finding is suppressed for its tool; records the use of every suppression that matches."""
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
        for tool, inlines in self._inline.items():
            for inline in inlines:
                rule = inline.suppression.rule
                ids = [] if inline.used else [rule_id for rule_id in self._catalogue.rules if _means(rule, rule_id)]
                if self._ran(ids):
                    yield _stale(tool, inline.path, rule, "unused")
                elif not (inline.used or ids):
                    yield _stale(tool, inline.path, rule, "unknown", hint=did_you_mean(rule, self._catalogue.rules))
        for glob, suppression, named in self._selection.tool_ignores:
            if (glob, suppression.rule) not in self._used_globs and self._ran(named):
                # A place in the configuration, so it is not a pointer into the surface.
                yield _stale(
                    None, f"lint.per-tool-ignores.{one_line(glob)}", suppression.rule, "unused-glob", glob=glob
                )

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


def _note(value: Any, file: str, key: str) -> None:
    """Report the former name in a suppression that was parsed."""
    noted_name(value if isinstance(value, str) else value["rule"], file, key)


def _stale(tool: str | None, path: str, value: Any, says: str, **facts: str) -> Finding:
    shown = value if isinstance(value, str) else repr(value)
    # Acceptances of this finding survive a new name of the suppressed rule.
    value = first_name(value) if isinstance(value, str) else value
    return finding(STALE_RULE, path, says=says, tool=tool, value=value, facts=facts, suppression=shown)


def _means(selector: str, rule_id: str) -> bool:
    return selector in ("*", rule_id) or (selector.endswith("/*") and rule_id.startswith(selector[:-1]))
