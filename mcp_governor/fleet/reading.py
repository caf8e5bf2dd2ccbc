"""One member of a fleet: read, compared with its recording, linted or recorded; and the row about it."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from mcp_governor.change import Verdict
from mcp_governor.checking.against.baseline import Baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.decisions import lint_report
from mcp_governor.checking.diff import compare_surfaces
from mcp_governor.checking.reading import refuse_empty, selection_of, trusting
from mcp_governor.config import Config, load_config
from mcp_governor.config.model import LintConfig
from mcp_governor.findings import Bump, Severity
from mcp_governor.fleet.model import MAX_CHANGES, MAX_NAMES, MAX_WORDS, Leaving, Row, RowChange
from mcp_governor.fleet.variants import with_variant
from mcp_governor.lazy import lazy_pattern
from mcp_governor.policy.acceptance import apply_acceptances
from mcp_governor.secrets import redact
from mcp_governor.surface import dump_surface, fingerprint, load_surface
from mcp_governor.surface.tokens import token_costs
from mcp_governor.target import FileSource, LiveSource, read_source, tier_rules
from mcp_governor.target.forms import source_of_server
from mcp_governor.target.packages import package_parts, started_package
from mcp_governor.target.resolve import parse_target
from mcp_governor.text import one_line, sentence
from mcp_governor.wire.endpoint import StdioEndpoint
from mcp_governor.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.fleet.model import Job, Outcome
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source

_EXACT = lazy_pattern(r"v?\d+(?:\.\d+)*[0-9A-Za-z.+!-]*")
"""A version of a package that is one release, and no range or tag."""

_WORD = lazy_pattern(r"`([^`\s]{2,64})`|\b([A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[a-z]+[A-Z][A-Za-z0-9]*)\b")
"""A word that may be a tool: in backticks, or of several parts. ``search`` in a sentence is only a verb."""

_LONGEST_TEXT = 20_000
"""Characters of one description that are searched for words."""

_SETTINGS: dict[str, Config] = {}
_SELECTIONS: dict[str, Selection] = {}
"""What the jobs of one process share: the configuration, and the rules that it selects."""


class Reading:
    """The work on one member.

    Args:
        job: what to do.

    Attributes:
        is_live: a server was started or connected to.
        text: of its surface, if the job asks for it.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._source: Source | None = None
        self._today = date.fromisoformat(job.today) if job.today else date.today()
        self.is_live = False
        self.text: str | None = None

    def unreachable(self, why: str, output: str = "") -> Row:
        """The row of a member that could not be read.

        Args:
            why: the message of the error.
            output: the last lines that the server wrote.
        """
        head = self._head()
        # The row names the server.
        said = redact(why).removeprefix(f"{head['target']}: ").removeprefix(f"{head['name']}: ")
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
        words = f"{one_line(said, 300).removesuffix('.')}; its last line: {one_line(last, 120)}" if last else said
        return Row(**head, outcome="unreachable", why=one_line(words, 440))

    def row(self) -> Row:
        """Do the work.

        Raises:
            GovernorError: the member cannot be read.
        """
        job = self._job
        if job.refused:
            return self.unreachable(job.refused)
        config = _config_of(job)
        # The endpoint of a server knows its secrets from the moment on which it is made.
        self.is_live = not job.target or not job.target.endswith(".json")
        source = _source(job, config)
        self._source = source
        self.is_live = isinstance(source, LiveSource)
        if job.with_ and not _is_package(source):
            return self.unreachable(f"it is not started from a package, so it cannot be given {job.with_}")
        config = trusting(config, source)
        surface = read_source(source, tiers=tier_rules(config))
        refuse_empty(surface)
        if job.keeps:
            self.text = dump_surface(surface)
        facts = self._facts(surface)
        if job.work == "snapshot":
            return Row(**facts, outcome=self._record(surface))
        report, _ = lint_report(surface, config, _selection(config))
        outcome: Outcome = "read"
        if job.work == "check":
            outcome, more, report = self._compared(surface, config, report)
            facts |= more
        if job.page:
            self._write_page(report)
        counts = report.summary["findings"]
        return Row(
            **facts,
            outcome=outcome,
            findings={severity.value: counts[severity.value] for severity in Severity if counts[severity.value]},
            failing=len(report.failing_findings) if self._counts_findings(config) else 0,
        )

    def _counts_findings(self, config: Config) -> bool:
        """True if findings of the linter fail the run: if it lints, or if the command line says from which severity."""
        return config.fail_on != "never" and (self._job.work == "lint" or "fail_on" in self._job.settings)

    def _head(self) -> dict[str, Any]:
        """What is known of a member that is not read yet."""
        source = self._source
        package, pinned = _package_of(source) if source is not None else (None, None)
        target = source.endpoint.shown if isinstance(source, LiveSource) else self._job.target
        shown = target.rpartition("/")[2] if isinstance(source, FileSource) or source is None else target
        return {
            "name": one_line(self._job.name, 100),
            "target": one_line(redact(shown), 200),
            "package": package,
            "pinned": pinned,
            "server": one_line(self._job.server, 100) or None,
            "label": one_line(self._job.label, 100) or None,
        }

    def _facts(self, surface: Surface) -> dict[str, Any]:
        named = [one_line(tool.name, 200) for tool in surface.tools[:MAX_NAMES]]
        version = surface.version
        return {
            **self._head(),
            "version": one_line(version, 60) if version else None,
            "fingerprint": fingerprint(surface),
            "tools": tuple(named),
            "tokens": sum(token_costs(surface).values()),
            "deprecations": tuple(_leaving(surface, self._today)),
            "words": words_of(surface),
            "definitions": _definitions(surface) if self._job.server else {},
        }

    def _record(self, surface: Surface) -> Outcome:
        """Write the recording, unless it is what the server publishes already."""
        from mcp_governor.checking.against.stale_recording import staleness

        path = Path(self._job.surface)
        text = dump_surface(surface)
        if staleness(path, text, surface, _config_of(self._job), shown=path.name) is None:
            return "same"
        write_file(path, text, root=path.parent, shown=path.name)
        return "recorded"

    def _compared(self, surface: Surface, config: Config, report: Report) -> tuple[Outcome, dict[str, Any], Report]:
        path = Path(self._job.surface) if self._job.surface else None
        if path is None or not path.exists():
            return "new", {}, report
        old = load_surface(path, what=path.name)
        # A version and a changelog belong to one server, and a fleet has many.
        both = Comparison(
            surface,
            replace(config, changelog="", schema_version="serverInfo"),
            Baseline(path.name, old),
            today=self._today,
        )
        compared = compare_surfaces(both)
        accepted = dict(
            apply_acceptances(config.accept, (), compared.changes, today=self._today, complete=False).changes
        )
        report = replace(
            report,
            changes=compared.changes,
            accepted={**report.accepted, **accepted},
            baseline=compared.baseline,
            required_bump=compared.required_bump,
            declared_bump=compared.declared_bump,
            declared_versions=compared.declared_versions,
            forcing=compared.forcing,
            unknown_fails=compared.unknown_fails,
            breaking_fails=True,
        )
        fails = {Verdict.BREAKING} | ({Verdict.UNKNOWN} if compared.unknown_fails else set())
        # Tools of tier internal promise nothing: their changes ask for no version step.
        drifted = any(
            change.verdict in fails and change.bump is not Bump.NONE and change.id not in accepted
            for change in compared.changes
        )
        counts: dict[str, int] = {}
        for change in compared.changes:
            if change.id not in accepted:
                counts[change.verdict.value] = counts.get(change.verdict.value, 0) + 1
        order = sorted(compared.changes, key=lambda change: (_RANK[change.verdict], change.tool or "", change.path))
        facts = {
            "since": one_line(old.version, 60) if old.version else None,
            "counts": counts,
            "changes": tuple(
                RowChange(
                    one_line(change.id, 300),
                    change.kind,
                    change.verdict.value,
                    one_line(sentence(change.message), 400),
                    one_line(change.tool, 200) if change.tool is not None else None,
                    one_line(change.path, 300),
                    accepted.get(change.id),
                )
                for change in order[:MAX_CHANGES]
            ),
        }
        if drifted:
            return "drifted", facts, report
        return ("changed" if compared.changes else "same"), facts, report

    def _write_page(self, report: Report) -> None:
        from mcp_governor.report.html import render
        from mcp_governor.text import inert, visible

        text = visible(redact(render(report)), keep_newlines=True)
        page = Path(self._job.page)
        write_file(page, inert(text), root=page.parent, shown=page.name)


_RANK = {Verdict.BREAKING: 0, Verdict.UNKNOWN: 1, Verdict.COMPATIBLE: 2}


def _config_of(job: Job) -> Config:
    """The configuration of a job, which is read once in a process."""
    key = f"{job.config}\0{job.root}\0{job.settings}\0{job.seconds}\0{job.trust}"
    if key not in _SETTINGS:
        base = load_config(Path(job.config)) if job.config else Config(root=Path(job.root), isolated=True)
        _SETTINGS[key] = settled(base, job.settings, job.seconds, trust=job.trust)
    return _SETTINGS[key]


def settled(config: Config, settings: dict[str, Any], seconds: float | None, *, trust: bool) -> Config:
    """A configuration with what the command line says over it.

    Args:
        config: from its file.
        settings: fields by name, as JSON.
        seconds: timeout of each answer and of the start.
        trust: rules in Python run.
    """
    fields = dict(settings)
    if "lint" in fields:
        fields["lint"] = msgspec.convert(fields["lint"], LintConfig)
    for name in ("profile", "clients"):
        if name in fields:
            fields[name] = tuple(fields[name])
    if seconds is not None:
        servers = {name: replace(one, timeout=None, start_timeout=None) for name, one in config.servers.items()}
        fields |= {"timeout": seconds, "start_timeout": seconds, "servers": servers}
    if trust:
        fields["trust_rules"] = True
    return replace(config, **fields)


def _selection(config: Config) -> Selection:
    """The rules of a configuration, which are selected once in a process."""
    key = str((config.profile, config.clients, config.lint, config.trust_rules))
    if key not in _SELECTIONS:
        _SELECTIONS[key] = selection_of(config)
    return _SELECTIONS[key]


def _source(job: Job, config: Config) -> Source:
    if job.with_:
        config = replace(config, launch=replace(config.launch, with_=(job.with_,)))
    if not job.target:
        server = config.servers[job.server or job.name]
        return source_of_server(with_variant(server, job.variant), config)
    return parse_target(job.target, config, base=Path(job.root or "."), typed=False)


def _definitions(surface: Surface) -> dict[str, str]:
    """Tool → a digest of its definition, as it was sent."""
    return {
        one_line(tool.name, 200): hashlib.sha256(json.dumps(tool.raw, sort_keys=True).encode()).hexdigest()[:16]
        for tool in surface.tools[:MAX_NAMES]
    }


def _is_package(source: Source) -> bool:
    endpoint = source.endpoint if isinstance(source, LiveSource) else None
    return isinstance(endpoint, StdioEndpoint) and bool(endpoint.package)


def _package_of(source: Source) -> tuple[str | None, str | None]:
    """The package that a source is started from, and the one release that is named; ``None`` for no package."""
    endpoint = source.endpoint if isinstance(source, LiveSource) else None
    if not isinstance(endpoint, StdioEndpoint):
        return None, None
    if endpoint.package:
        parts = package_parts(endpoint.package)
        exact = parts.version if _EXACT.fullmatch(parts.version) and not _is_range(parts.scheme, parts.version) else ""
        return f"{parts.scheme}:{_normal(parts.name, parts.scheme)}", exact or None
    started = started_package(endpoint.command)
    if started is None:
        return None, None
    return f"{started.scheme}:{_normal(started.name, started.scheme)}", started.version or None


def _is_range(scheme: str, version: str) -> bool:
    """True for an npm version of fewer than three numbers, which is a range: ``1.2`` or ``1.x``."""
    return scheme == "npm" and re.fullmatch(r"v?\d+\.\d+\.\d+(?:[-+].*)?", version) is None


def _normal(name: str, scheme: str) -> str:
    """The name by which a package is known: on PyPI without extras, in lower case, with hyphens (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name.partition("[")[0]).lower() if scheme == "pypi" else name


def _leaving(surface: Surface, today: date) -> Iterator[Leaving]:
    """The deprecated tools of a surface."""
    for tool in surface.tools:
        if tool.deprecation is None:
            continue
        sunset = tool.deprecation.sunset
        days = None
        if sunset and re.fullmatch(r"\d{4}-\d\d-\d\d", sunset):
            try:
                days = (date.fromisoformat(sunset) - today).days
            except ValueError:
                days = None
        yield Leaving(one_line(tool.name, 100), one_line(sunset, 60) if sunset else None, days)


def words_of(surface: Surface) -> dict[str, str]:
    """Words of the descriptions of tools that may be tools of another server, and the tool that each describes.

    Names of the server's own tools and of their parameters are none of them.
    """
    own = {tool.name for tool in surface.tools}
    for tool in surface.tools:
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        own.update(properties if isinstance(properties, dict) else ())
    found: dict[str, str] = {}
    for tool in surface.tools:
        for match in _WORD.finditer(tool.description[:_LONGEST_TEXT]):
            word = match[1] or match[2]
            if word not in own and len(found) < MAX_WORDS:
                found.setdefault(one_line(word, 64), one_line(tool.name, 100))
    return found
