"""The configuration as values: one frozen dataclass per table. Defaults are declared only here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from mcp_governor.findings import Tier


MAX_SECONDS = 86_400
"""Maximum time for anything, in seconds: a day. The clocks of the system have limits somewhere above."""

MAX_RELEASES = 100
"""Maximum deprecation window in minor releases: a year with two a week. A longer one forbids removals, and is more
likely a number of days."""


CALLS_MODES = ("none", "configured", "safe")
"""What ``check`` may call, the least first: nothing, what ``[[calls]]`` and recordings name, tools that only read."""

EVALUATION_RECORD = "mcp-evaluation.jsonl"
"""File of recorded answers, if a policy asks for one and the configuration does not name it."""

CALLS_BUDGET = 120.0
"""Seconds that all calls of one check may take: four that do not respond within the usual 30 s, or a hundred tools that
take half a second for each call. What is left then is not called, and the report says so."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """``[tool.mcp-governor.servers.NAME]``: how to reach one server.

    Exactly one of ``command``, ``url``, ``object``, ``file`` and ``package`` is set. ``env`` and ``headers`` may
    contain ``$NAME`` references, which are resolved from the environment when the server is reached; they are never
    shown. ``args`` and ``with_`` belong to a ``package``.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    object: str = ""
    file: str = ""
    package: str = ""
    transport: str = "auto"
    era: str = "auto"
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    bearer_token: str = field(default="", repr=False)
    cwd: str = ""
    args: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    timeout: float | None = None
    start_timeout: float | None = None
    list_params: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """Settings from the command line for starting servers.

    Attributes:
        args: arguments of ``pypi:`` and ``npm:`` targets on the command line.
        with_: packages to install with them.
        env: variables for every server that is started; never shown.
        resolves: start a package in another way if its first start says what it needs.
        headers: for every server at a URL, with ``$NAME`` for the values of variables, as in the configuration.
        named: those for which the command line has only the name; the value comes from our environment.
    """

    args: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    named: frozenset[str] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)
    resolves: bool = True


class LintConfig(Struct, frozen=True):
    """``[tool.mcp-governor.lint]``: the rules to run, and how.

    Ignored rules are ids or ``pack/*``, or tables of ``rule`` and ``reason``.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str | Mapping[str, str], ...] = ()
    extend_select: tuple[str, ...] = ()
    severity: Mapping[str, str] = msgspec.field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    per_tool_ignores: Mapping[str, tuple[str | Mapping[str, str], ...]] = msgspec.field(default_factory=dict)
    rules: tuple[str, ...] = ()
    persona: str = "regular"
    baseline: str = ""


class Windows(Struct, frozen=True):
    """``[tool.mcp-governor.policy.windows]``: number of minor releases with a warning before a removal, by tier.

    The defaults come from surface governance, "Deprecation policy", step 3.
    """

    facade: int = 2
    standard: int = 2
    advanced: int = 1
    internal: int = 0

    def of(self, tier: Tier) -> int:
        """The window of a tier."""
        window: int = getattr(self, tier.value)
        return window


class PolicyConfig(Struct, frozen=True):
    """``[tool.mcp-governor.policy]``: decisions that schemas cannot settle (docs/changes.md)."""

    gate: str = "change"
    evaluation: str = "none"
    zero_policy: str = "minor-may-break"
    calver: str = "minor"
    unknown: str = "breaking"
    windows: Windows = msgspec.field(default_factory=Windows)
    options: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """All other keys, as written: options of the change catalogue such as ``closed-output``."""


class ChangelogConfig(Struct, frozen=True):
    """``[tool.mcp-governor.changelog-options]``: how the changelog is written."""

    date: bool = False
    surfaces: str = "docs/mcp-surface"


class CallConfig(Struct, frozen=True):
    """One ``[[tool.mcp-governor.calls]]``: a call with its expected outcome.

    Attributes:
        status, kind: expected status and error kind, empty for any.
        suggested_tool: tool that the recovery of the error should suggest, empty for any.
        fuzzy_matches: minimum number of alternatives that the recovery should list.
    """

    tool: str
    arguments: Mapping[str, Any] = msgspec.field(default_factory=dict)
    status: str = ""
    kind: str = ""
    suggested_tool: str = ""
    fuzzy_matches: int = 0


class AcceptConfig(Struct, frozen=True):
    """One ``[[tool.mcp-governor.accept]]``: a finding that the team accepts, for a reason.

    ``released`` is the version that it was released with, empty before that; ``changelog release`` sets it.
    """

    finding: str
    reason: str
    until: date | None = None
    released: str = ""


class SchemaAllowance(Struct, frozen=True):
    """One ``[[tool.mcp-governor.schemas.allow]]``: a difference between a schema and its model, for a reason.

    ``parameter`` and ``rule`` are empty for any.
    """

    tool: str
    reason: str
    parameter: str = ""
    rule: str = ""


class SchemasConfig(Struct, frozen=True):
    """``[tool.mcp-governor.schemas]``: how ``schemas check --models`` finds models, and what it allows.

    Attributes:
        models: tool → ``package.module:NAME``, for models that are not named after their tool.
        injected: names of parameters that the server fills in, in addition to those that their types show.
        allow: allowed differences.
    """

    models: Mapping[str, str] = msgspec.field(default_factory=dict)
    injected: tuple[str, ...] = ()
    allow: tuple[SchemaAllowance, ...] = ()


LOAD_RECORD = "mcp-load.json"
"""The file of figures with which budgets are compared."""

GROWTH_RATIO = 1.25
"""Bytes or tokens relative to the record that are too many: a new tool among ten passes, a copied schema does not."""

SLOWER_RATIO = 2.0
"""Time of a list relative to the record that is too long. The fastest of 60 lists differs by 17 % between two runs on
a busy machine; twice as long is none of that."""


class LoadConfig(Struct, frozen=True):
    """``[tool.mcp-governor.load]``: budgets of the list of tools; a limit of ``None`` is not judged.

    Attributes:
        check: ``check`` measures without ``--load`` too.
        record: file with the figures to compare with.
        payload_bytes, payload_ratio: most bytes of the list, and relative to the record.
        tokens, tool_tokens, tokens_ratio: most tokens of all tools, of each one, and of all relative to the record.
        list_p95_ms, list_ratio: longest p95 of a list in milliseconds, and its time relative to the record.
    """

    check: bool = False
    record: str = LOAD_RECORD
    payload_bytes: int | None = None
    payload_ratio: float = GROWTH_RATIO
    tokens: int | None = None
    tool_tokens: int | None = None
    tokens_ratio: float = GROWTH_RATIO
    list_p95_ms: float | None = None
    list_ratio: float = SLOWER_RATIO


class EvaluationConfig(Struct, frozen=True):
    """``[tool.mcp-governor.evaluation]``: how models are asked, and what a team expects of them.

    The thresholds are knobs without a floor: none is set by default (MCP Charter 1.2, Enforcement, level 3).

    Attributes:
        queries: the query set; empty for the usual name.
        runners: names of runners.
        record: file of recorded answers; empty for none, unless ``policy.evaluation`` asks for one.
        split: the split to ask; empty for the whole set.
        seed: seed of the orders of the tools.
        max_cost: dollars that a run may spend at most; ``None`` for no limit.
        min_accuracy: least accuracy of each runner in percent; ``None`` for none.
        min_agreement: least agreement of the models, Krippendorff's alpha; ``None`` for none.
        tolerated_drop: drop of accuracy in points that a comparison has to be able to find.
        insensitive: ``fail`` or ``warn`` if it cannot.
    """

    queries: str = ""
    runners: tuple[str, ...] = ()
    record: str = ""
    split: str = ""
    seed: int = 0
    max_cost: float | None = None
    min_accuracy: float | None = None
    min_agreement: float | None = None
    # 100 queries find it with one model, 200 with several (docs/evaluation.md).
    tolerated_drop: float = 10.0
    insensitive: str = "fail"


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration of a run.

    Attributes:
        path: the file; ``None`` if there is none.
        root: the folder for relative paths.
        start_timeout: seconds for a server to complete the handshake; ``None`` for the default of its kind.
        calls_mode: one of :data:`CALLS_MODES`; empty for ``safe`` if the profile has a result contract, else
            ``configured``.
        calls_budget: time limit for all calls of a check together, in seconds.
        searched: no file was found in ``root`` and its parents.
        isolated: no files of the repository are used except those on the command line.
        launch: settings from the command line for starting servers; never from the file.
        lint_new_only: omit findings of the linter that the baseline has as well; never from the file.
        base: the commit of a base branch, whose files and releases a run compares with; never from the file.
        trust_rules: rules may run Python code. A repository cannot set this (:mod:`mcp_governor.config.trust`).
    """

    path: Path | None = None
    root: Path = field(default_factory=Path)
    target: str = ""
    baseline: str = ""
    changelog: str = ""
    schema_version: str = "serverInfo"
    profile: tuple[str, ...] = ("recommended",)
    level: str = "declared"
    fail_on: str = "error"
    clients: tuple[str, ...] = ()
    contract_doc: str = ""
    server_json: str = ""
    timeout: float = 30.0
    start_timeout: float | None = None
    calls_dir: str = ""
    calls_mode: str = ""
    calls_budget: float = CALLS_BUDGET
    read_only_tools: tuple[str, ...] = ()
    servers: Mapping[str, ServerConfig] = field(default_factory=dict)
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lint: LintConfig = field(default_factory=LintConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    changelog_options: ChangelogConfig = field(default_factory=ChangelogConfig)
    schemas: SchemasConfig = field(default_factory=SchemasConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    load: LoadConfig = field(default_factory=LoadConfig)
    calls: tuple[CallConfig, ...] = ()
    accept: tuple[AcceptConfig, ...] = ()
    searched: bool = field(default=False, compare=False)
    isolated: bool = False
    launch: Launch = field(default_factory=Launch)
    lint_new_only: bool = False
    base: str = ""
    trust_rules: bool = False

    @property
    def evaluation_record(self) -> Path | None:
        """The file of recorded answers; ``None`` if neither the configuration nor the policy asks for one."""
        asked = EVALUATION_RECORD if self.policy.evaluation != "none" else ""
        name = self.evaluation.record or asked
        return self.resolve(name) if name else None

    @property
    def shown(self) -> str:
        """The name of the file in messages, relative to the folder that it governs."""
        return self.path.name if self.path else "the defaults"

    def resolve(self, path: str) -> Path:
        """A path in the configuration, relative to its folder."""
        return (self.root / path) if path else self.root
