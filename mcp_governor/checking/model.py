"""What the user asks of a run, which no configuration changes; and the report, the result of every kind of run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from mcp_governor.documents import Governor
from mcp_governor.findings import Bump, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.call.cases import GoodCallCounts
    from mcp_governor.change.model import Change
    from mcp_governor.checking.response_coverage import Seen
    from mcp_governor.checking.token_cost import TokenCost
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Pending, Stage
    from mcp_governor.surface import Surface


Station = Literal["read", "compare", "policy", "lint", "call", "load"]

Emit = Callable[[Station, str], None]
"""A station begins; the string is the thing that it works on, safe to print."""


def silent(_station: Station, _subject: str) -> None:
    """Ignore all events."""


class Asked(Struct, frozen=True, eq=False):
    """What was typed, or passed to :func:`mcp_governor.check`.

    Attributes:
        target: the TARGET; ``None`` for the one of the configuration.
        surface: what is checked instead of a target, already read.
        command: a stdio server to start instead of a target.
        against: the TARGET to compare with; ``None`` for the configured baseline.
        offline: the recorded surface is checked, and nothing is started.
        release: version and changelog are checked as those of a release, whatever ``policy.gate`` says.
        only_breaking: only breaking changes are looked for, without calls.
        calls: make the calls that the configuration asks for; if false, no statement is made about responses.
        places: find the lines of a recorded file for the report.
        base: the ref of the base branch of a pull request; empty for none.
        approval, approved: as for :class:`mcp_governor.checking.against.base_branch.Base`.
        config_typed: the configuration file was typed.
        options: names of the settings that were typed.
        emit: receives the events of the run.
        today: the date at which acceptances are evaluated.
    """

    target: str | None = None
    surface: Surface | None = None
    command: tuple[str, ...] = ()
    against: str | None = None
    offline: bool = False
    release: bool = False
    only_breaking: bool = False
    calls: bool = True
    places: bool = False
    base: str = ""
    approval: str = ""
    approved: frozenset[str] = frozenset()
    config_typed: bool = False
    options: frozenset[str] = frozenset()
    emit: Emit = silent
    today: date = field(default_factory=date.today)


FORMAT = "mcp-governor/report-1"
MAX_LISTED = 10_000
"""Maximum number of changes, and of findings, in a JSON report, the worst first: some 10 MB. The summary also counts
the rest."""


class ServerInfo(Struct, frozen=True):
    """The governed server, in its own words."""

    name: str | None = None
    version: str | None = None
    protocol: str | None = None

    @classmethod
    def of(cls, surface: Surface) -> ServerInfo:
        """The server behind a surface."""
        return cls(surface.name, surface.version, surface.protocol)


class BaselineInfo(Struct, frozen=True):
    """The baseline of the comparison."""

    source: str
    version: str | None
    fingerprint: str


class BaseInfo(Struct, frozen=True):
    """The base branch of a pull request, and what the pull request changes.

    Attributes:
        ref: the git ref, safe to print.
        new: ids of the changes that the base does not have yet.
        breaks: ids of those that break clients, or may break them.
        approval: ``required``, ``given``, or empty if breaks need none.
        keys: ids of breaks, and of findings that need the same approval → the key of each.
        asks: ids of those that wait for an approval.
        approved: ids of those that somebody approved.
        tokens: the cost of the tools compared with the surface that the base recorded; ``None`` if it has none.
    """

    ref: str
    new: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    approval: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    asks: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    tokens: TokenCost | None = None


class Place(Struct, frozen=True):
    """The position in a recorded file of the subject of a finding or a change.

    Attributes:
        file: as the user named it, safe to print.
        line, column: from 1.
        frame: the lines around it, numbered, safe to print; empty if the line is too long to read.
    """

    file: str
    line: int
    column: int
    frame: str


class Release(Struct, frozen=True):
    """One column of the picture.

    Attributes:
        tag: the release tag, as git has it; empty for the checked surface.
        version: the version in the tag, or that of the checked surface.
        tiers: tier → number of tools.
        tokens: estimated cost of the definitions to a model.
        changes: verdict → number of changes since the release before; ``None`` if they were not compared.
    """

    tag: str
    version: str
    tiers: Mapping[str, int]
    tokens: int
    changes: Mapping[str, int] | None = None


class History(Struct, frozen=True):
    """The releases of a server, oldest first, and what is missing among them.

    Attributes:
        releases: the latest releases with a recorded surface, and the checked surface if it is another one.
        older: number of older releases that were not read.
        unread: tags whose recording is not a surface, or too large to be read with the others.
        late: tags whose recording was not read because time was up.
        problem: why there are no releases, one sentence that is safe to print; empty if there are.
    """

    releases: tuple[Release, ...] = ()
    older: int = 0
    unread: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    problem: str = ""


class Report(Struct, frozen=True):
    """The result of one run; the JSON report uses these names.

    Attributes:
        target: what the user named, safe to print.
        server, fingerprint: of the governed surface; ``None`` if no surface was read (a changelog alone).
        baseline: ``None`` if there was none.
        required_bump: the smallest version step that the changes require.
        declared_bump: the step between the versions; ``None`` if they do not define one.
        declared_versions: the two versions behind ``declared_bump``.
        forcing: ids of the changes that require ``required_bump``.
        stage: between releases or at one; ``None`` if the run was not about a release.
        pending: changes that wait for the next release; ``None`` if there are none.
        only: ``breaking`` if the run looked for breaking changes only.
        changes, findings: all of them, accepted ones included.
        old_findings: findings of the linter that the baseline has as well, omitted because the run asked for new ones.
        accepted: ids of changes that the config accepts → the reason.
        counts: numbers of checked things (``tools``, ``rules``, ``calls``, …).
        tools: names of the checked tools.
        tokens: the cost of their definitions to a model; ``None`` if no tools were read.
        fail_on: the lowest severity that fails the run; ``None`` for none.
        unknown_fails: true if an undecided change fails the run.
        breaking_fails: true if a breaking change fails by itself (``diff``), false if it fails only through the policy
            (``check``).
        good_calls: result of the good calls; ``None`` if there were none.
        calls: the tools of which responses were checked; ``None`` if the run makes no statement about responses.
        nothing_checked: one sentence on why the run checked nothing, or not everything, although it has a report; such
            a run never passes.
        places: id of a finding or change → its position, if the surface was read from a recorded file.
        drafts: true if a configuration here names the server, so that its changelog can be drafted next.
        outright: ids of changes whose break fails the run whatever the policy says: changed behaviour of a call is
            acknowledged by recording it again, not by a version.
        skipped_rules: selected rules that did not run because their Python code is not trusted
            (:mod:`mcp_governor.config.load`).
        tiers: tool → its tier.
        definitions: tool → its definition in the baseline, ``None`` if it is new, and its definition now.
        surface_file: the recorded surface that stands for a live server in formats that need a file; may be empty.
        history: the releases of the recorded surface, for formats that draw them; ``None`` if there are none, or if
            nobody asked.
        folder: the folder for relative file names, relative to the root of the repository; empty for the root.
        base: the base branch of a pull request; ``None`` if the run knows none.
        reproduce: the command that repeats the run from the root of the repository, without secrets, safe to print;
            empty if the run was not made by a command.
    """

    target: str
    server: ServerInfo | None = None
    fingerprint: str | None = None
    baseline: BaselineInfo | None = None
    required_bump: Bump = Bump.NONE
    declared_bump: Bump | None = None
    declared_versions: tuple[str, str] | None = None
    forcing: tuple[str, ...] = ()
    stage: Stage | None = None
    pending: Pending | None = None
    only: str | None = None
    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()
    old_findings: int = 0
    accepted: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    tokens: TokenCost | None = None
    fail_on: Severity | None = Severity.ERROR
    unknown_fails: bool = True
    breaking_fails: bool = False
    drafts: bool = False
    outright: frozenset[str] = frozenset()
    places: Mapping[str, Place] = field(default_factory=dict)
    good_calls: GoodCallCounts | None = None
    calls: Seen | None = None
    nothing_checked: str = ""
    skipped_rules: tuple[str, ...] = ()
    tiers: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    surface_file: str = ""
    history: History | None = None
    folder: str = ""
    base: BaseInfo | None = None
    reproduce: str = ""

    @property
    def format(self) -> str:
        """The format of :meth:`as_json`."""
        return FORMAT

    @property
    def governor(self) -> Governor:
        """The tool that made the report."""
        return Governor()

    @property
    def failing_findings(self) -> tuple[Finding, ...]:
        """The findings that fail the run."""
        if self.fail_on is None:
            return ()
        return tuple(f for f in self.findings if f.accepted is None and f.severity.at_least(self.fail_on))

    @property
    def failing_changes(self) -> tuple[Change, ...]:
        """The changes that fail the run by themselves."""
        if self.fail_on is None:
            return ()
        return tuple(c for c in self.changes if self._fails(c) and c.id not in self.accepted)

    def _fails(self, change: Change) -> bool:
        if change.verdict is Verdict.UNKNOWN:
            return self.unknown_fails
        return change.verdict is Verdict.BREAKING and (self.breaking_fails or change.id in self.outright)

    @property
    def verdict(self) -> str:
        """``pass`` or ``fail``."""
        return "fail" if self.failing_findings or self.failing_changes or self.nothing_checked else "pass"

    @property
    def summary(self) -> dict[str, Any]:
        """Counts, by verdict and by severity."""
        verdicts = Counter(change.verdict.value for change in self.changes)
        severities = Counter(finding.severity.value for finding in self.findings if finding.accepted is None)
        accepted = sum(finding.accepted is not None for finding in self.findings) + len(self.accepted)
        return {
            **self.counts,
            **({"good_calls": self.good_calls} if self.good_calls is not None else {}),
            **({"rules_skipped": len(self.skipped_rules)} if self.skipped_rules else {}),
            "changes": {verdict.value: verdicts[verdict.value] for verdict in Verdict},
            "findings": {severity.value: severities[severity.value] for severity in Severity},
            **({"old_findings": self.old_findings} if self.old_findings else {}),
            "accepted": accepted,
            "forcing": list(self.forcing[:MAX_LISTED]),
        }
