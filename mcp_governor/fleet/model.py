"""The members of a fleet, the job for each, and the report: a row for each server, and findings about several."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from mcp_governor._version import __version__
from mcp_governor.documents import schema_of
from mcp_governor.errors import Exit
from mcp_governor.findings import Severity
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.findings import Finding


MAX_MEMBERS = 20_000
"""Most servers of a fleet, twice the public registry of today; a longer list is refused."""


class Member(Struct, frozen=True):
    """One server of a fleet.

    Attributes:
        name: its name in the list, unique there.
        target: a TARGET, absolute; empty for a server of the configuration.
        refused: why it is not read, if it cannot be.
        server: of which server it is a variant; empty for none.
        label: name of the variant.
        variant: settings of the variant, as JSON.
        with_: package that is installed with it.
        stranger: nobody here chose it, so it is not given a token.
    """

    name: str
    target: str = ""
    refused: str = ""
    server: str = ""
    label: str = ""
    variant: Mapping[str, Any] = field(default_factory=dict)
    with_: str = ""
    stranger: bool = False


class Job(Struct, frozen=True, omit_defaults=True):
    """What to do with one member.

    Attributes:
        name: of the member.
        work: what to do.
        target: a TARGET; empty for a server of the configuration.
        server, label, variant, with_, stranger: see :class:`Member`.
        refused: why it is not read.
        config: path of the configuration file; empty for none.
        root: folder of the configuration, if it has no file.
        settings: fields of the configuration, as the run has them.
        seconds: timeout from the command line, which replaces those of the configuration; ``None`` for none.
        trust: rules in Python run.
        surface: path of its recording; read by ``check``, written by ``snapshot``.
        page: path of the page about it; empty for none.
        today: the date at which acceptances and deprecations are judged.
        keeps: the answer has the text of the surface, for a store.
    """

    name: str
    work: Work
    target: str = ""
    server: str = ""
    label: str = ""
    variant: dict[str, Any] = {}
    with_: str = ""
    stranger: bool = False
    refused: str = ""
    config: str = ""
    root: str = ""
    settings: dict[str, Any] = {}
    seconds: float | None = None
    trust: bool = False
    surface: str = ""
    page: str = ""
    today: str = ""
    keeps: bool = False


Outcome = Literal["same", "changed", "drifted", "new", "read", "recorded", "unreachable"]
"""What became of a server. ``drifted``: a change breaks clients, or may; ``changed``: no change does; ``new``: there is
no recording to compare with; ``read``: nothing was to be compared; ``recorded``: its recording was written."""

Work = Literal["check", "lint", "snapshot"]
"""What is done with each server: compare it with its recording and lint it, only lint it, or record it."""

MAX_CHANGES = 100
"""Most changes of one server that a row lists, those that break first; it counts all of them."""

MAX_NAMES = 10_000
"""Most names of tools in a row: as many as the largest list that was ever seen."""

MAX_WORDS = 500
"""Most words of the descriptions of a server that may be tools of another."""


class RowChange(Struct, frozen=True, omit_defaults=True):
    """A change of a server since its recording.

    Attributes:
        id: Id of the change, as acceptances name it.
        kind: Kind of the change.
        verdict: breaking, unknown or compatible.
        message: What changed.
        tool: The tool in question.
        path: JSON pointer, relative to the tool.
        accepted: Why it is accepted, if it is.
    """

    id: str
    kind: str
    verdict: Literal["breaking", "unknown", "compatible"]
    message: str
    tool: str | None = None
    path: str = ""
    accepted: str | None = None


class Leaving(Struct, frozen=True, omit_defaults=True):
    """A deprecated tool.

    Attributes:
        tool: Its name.
        sunset: Version or day of its removal, if it is announced.
        days: Days that are left until that day; negative if it is over.
    """

    tool: str
    sunset: str | None = None
    days: int | None = None


class Row(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What is known of one server.

    Attributes:
        name: Its name in the list.
        target: How it was reached.
        outcome: What became of it.
        why: Why it could not be reached.
        version: Its version.
        since: Version of the recording that it was compared with.
        package: The package that it is started from, with the registry: pypi:NAME or npm:NAME.
        pinned: The version that the list fixes, of a package.
        fingerprint: Digest of its surface.
        tools: Names of its tools.
        tokens: Tokens of the definitions of its tools, estimated.
        counts: Changes by verdict, without accepted ones.
        changes: Changes since the recording, those that break first.
        deprecations: Its deprecated tools.
        findings: Findings of the linter by severity.
        failing: Findings at or above the lowest severity that fails a run.
        server: The server that it is a variant of.
        label: Name of the variant.
        definitions: Tool of a variant, and a digest of its definition.
        words: Word of a description that may be a tool of another server, and the tool that it describes.
    """

    name: str
    target: str
    outcome: Outcome
    why: str | None = None
    version: str | None = None
    since: str | None = None
    package: str | None = None
    pinned: str | None = None
    fingerprint: str | None = None
    tools: tuple[str, ...] = ()
    tokens: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    changes: tuple[RowChange, ...] = ()
    deprecations: tuple[Leaving, ...] = ()
    findings: Mapping[str, int] = field(default_factory=dict)
    failing: int = 0
    server: str | None = None
    label: str | None = None
    definitions: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def reached(self) -> bool:
        """True if its surface was read."""
        return self.outcome != "unreachable"


def unread(name: str, why: str) -> Row:
    """The row of a server of which nothing is known but why.

    Args:
        name: in the list.
        why: it was not read.
    """
    return Row(name=one_line(name, 100), target="", outcome="unreachable", why=why)


class Difference(Struct, frozen=True):
    """A tool that the variants of a server publish differently.

    Attributes:
        server: The server.
        tool: The tool.
        definitions: Name of each variant that was reached, and a number for the definition that it publishes, the same
            for the same definition; 0 where it does not publish the tool.
    """

    server: str
    tool: str
    definitions: Mapping[str, int]


class PluralFinding(Struct, frozen=True):
    """A finding about several servers.

    Attributes:
        id: Its id.
        rule: The rule.
        severity: error, warning or info.
        message: What is wrong.
        fix: What to do.
    """

    id: str
    rule: str
    severity: Literal["error", "warning", "info"]
    message: str
    fix: str


class FleetDocument(Struct, frozen=True, tag_field="format", tag="mcp-governor/fleet-1"):
    """The result of one run over many servers.

    Attributes:
        governor: Version of mcp-governor.
        work: What was done with each server.
        fleet: The list of servers, as it was named.
        shard: Part of the list, I/N; empty for all of it.
        servers: A row for each server, in the order of the list.
        findings: Findings about several servers.
        differences: Tools that the variants of a server publish differently, if the run was asked for them.
        coverage: Percentage of the servers that were reached.
        verdict: clean, drifted, or unreachable if none drifted, but fewer were reached than the run asked for.
    """

    governor: str
    work: Work
    fleet: str
    shard: str
    servers: tuple[Row, ...]
    findings: tuple[PluralFinding, ...]
    differences: tuple[Difference, ...]
    coverage: float
    verdict: Literal["clean", "drifted", "unreachable"]


def fleet_schema() -> dict[str, Any]:
    """The JSON Schema of the report."""
    return schema_of(FleetDocument)


class Head(Struct, frozen=True):
    """What is common to the servers of a run, and what the report needs to know besides their rows.

    Attributes:
        named, together, left_out: see :class:`~.members.Members`.
        work, least, differences, judges_findings, today: see :class:`~.run.Wanted`.
        shard: part of the list, ``I/N``; empty for all of it.
        each: the variants are one server with several packages.
        common: fields that all jobs have in common, with paths relative to the folder of the run.
    """

    named: str
    work: Work
    together: bool
    left_out: Mapping[str, str]
    least: float
    differences: bool
    judges_findings: bool
    today: str
    shard: str
    each: bool
    common: dict[str, Any] = field(default_factory=dict)


class Fleet(Struct, frozen=True):
    """A run over many servers.

    Attributes:
        named: the list of servers, as the user named it, safe to print.
        work: what was done.
        rows: one for each server, in the order of the list.
        findings: about several of them.
        differences: between the variants of a server, if the run was asked for them.
        each: the variants are one server with several packages.
        left_out: names that the list has, and why each was not read: ``disabled``.
        shard: ``I/N``; empty for the whole list.
        least: percentage of the servers that must be reached.
        fail_on: the lowest severity of a finding about several servers that fails the run; ``None`` for none.
    """

    named: str
    work: Work
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...] = ()
    differences: tuple[Difference, ...] = ()
    each: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    shard: str = ""
    least: float = 100.0
    fail_on: Severity | None = Severity.ERROR

    def of(self, *outcomes: Outcome) -> list[Row]:
        """The rows with these outcomes."""
        return [row for row in self.rows if row.outcome in outcomes]

    @property
    def coverage(self) -> float:
        """Percentage of the servers that were reached."""
        return 100.0 * sum(row.reached for row in self.rows) / len(self.rows) if self.rows else 0.0

    @property
    def failing(self) -> Sequence[Finding]:
        """Findings about several servers that fail the run."""
        if self.fail_on is None:
            return ()
        return [one for one in self.findings if one.accepted is None and one.severity.at_least(self.fail_on)]

    @property
    def verdict(self) -> Literal["clean", "drifted", "unreachable"]:
        """A server that drifted says more than one that could not be reached."""
        if self.of("drifted") or self.failing or any(row.failing for row in self.rows):
            return "drifted"
        if not self.rows and self.shard:
            return "clean"  # Five parts of three servers: two parts are empty.
        # A run that read nothing never passes, whatever it was asked to be content with.
        return "unreachable" if self.coverage < self.least or not self.coverage else "clean"

    @property
    def exit_code(self) -> Exit:
        """The exit code of the run."""
        return {"clean": Exit.PASS, "drifted": Exit.FINDINGS, "unreachable": Exit.UNREACHABLE}[self.verdict]

    def document(self) -> FleetDocument:
        """The run as a document."""
        findings = tuple(
            PluralFinding(one.id, one.rule, one.severity.value, one.message, one.fix) for one in self.findings
        )
        return FleetDocument(
            __version__,
            self.work,
            self.named,
            self.shard,
            self.rows,
            findings,
            self.differences,
            round(self.coverage, 1),
            self.verdict,
        )
