"""The configuration as values: one table, one type. What a key takes, means and defaults to is declared only here.

``mcp-governor schema config``, docs/configuration.md and the messages about a wrong file are made from these types
(:mod:`mcp_governor.documents`).
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from datetime import date  # noqa: TC003
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from mcp_governor.config.policy import Count, Importable, NonEmpty, PolicyConfig, Ratio, Seconds, Strings, Table
from mcp_governor.config.servers import SERVER_TABLE, Launch, ServerConfig
from mcp_governor.documents import ALSO

CallsMode = Literal["safe", "configured", "none"]
NONE, CONFIGURED, SAFE = CALLS_MODES = ("none", "configured", "safe")
"""What ``check`` may call, the least first: nothing, what ``[[calls]]`` and recordings name, tools that only read."""

EVALUATION_RECORD = "mcp-evaluation.jsonl"
"""File of recorded answers, if a policy asks for one and the configuration does not name it."""

CALLS_BUDGET = 120.0
"""Seconds that all calls of one check may take: four that do not respond within the usual 30 s, or a hundred tools that
take half a second for each call. What is left then is not called, and the report says so."""

LOAD_RECORD = "mcp-load.json"
"""The file of figures with which budgets are compared."""

GROWTH_RATIO = 1.25
"""Bytes or tokens relative to the record that are too many: a new tool among ten passes, a copied schema does not."""

SLOWER_RATIO = 2.0
"""Time of a list relative to the record that is too long. The fastest of 60 lists differs by 17 % between two runs on
a busy machine; twice as long is none of that."""


class TiersTable(Table, frozen=True):
    """``[tool.mcp-governor.tiers]``: globs over the names of tools.

    Attributes:
        facade: Globs over tool names: facade.
        standard: Globs over tool names: standard.
        advanced: Globs over tool names: advanced.
        internal: Globs over tool names: internal.
    """

    facade: Strings = ()
    standard: Strings = ()
    advanced: Strings = ()
    internal: Strings = ()


class IgnoredRule(Table, frozen=True):
    """A rule that is not reported, and why.

    Attributes:
        rule: pack/rule or pack/*.
        reason: Why it is not reported.
    """

    rule: NonEmpty
    reason: NonEmpty = ""


Ignored = tuple[NonEmpty | IgnoredRule, ...]


class LintConfig(Table, frozen=True):
    """``[tool.mcp-governor.lint]``: the rules to run, and how.

    Attributes:
        select: Rules to run instead of the profile's: pack/rule or pack/*.
        extend_select: Rules to run in addition to the profile's.
        ignore: Rules not to run: ids, pack/*, or tables of rule and reason.
        severity: Severity by rule or pack/*.
        options: Options by rule; see: mcp-governor rule NAME.
        per_tool_ignores: Rules not to report for some tools, by glob over their names: ids, pack/*, or tables of rule
            and reason.
        rules: Folders with your own rules; those in Python run only if you trust them.
        persona: Rules to run: regular leaves out pedantic rules.
        baseline: File of known findings, which do not fail a run.
    """

    select: Strings = ()
    extend_select: Strings = ()
    ignore: Ignored = ()
    severity: Mapping[str, Literal["error", "warning", "info", "off"]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    per_tool_ignores: Mapping[str, Ignored] = field(default_factory=dict)
    rules: Strings = ()
    persona: Literal["regular", "pedantic"] = "regular"
    baseline: NonEmpty = ""


class ChangelogConfig(Table, frozen=True):
    """``[tool.mcp-governor.changelog-options]``: how the changelog is written.

    Attributes:
        date: Write the release date into the heading.
        surfaces: Folder that a release records its surface in.
    """

    date: bool = False
    surfaces: NonEmpty = "docs/mcp-surface"


class CallConfig(Table, frozen=True):
    """A call with its expected outcome.

    One ``[[tool.mcp-governor.calls]]``; what is empty may be anything.

    Attributes:
        tool: Name of the tool.
        arguments: Arguments of the call; {sandbox} is the folder of sample files, {today} the date.
        status: Expected status, for example success or error.
        kind: Expected error kind.
        suggested_tool: Tool that the recovery of the error should suggest.
        fuzzy_matches: Minimum number of alternatives in the recovery.
    """

    tool: NonEmpty
    arguments: Mapping[str, Any] = field(default_factory=dict)
    status: NonEmpty = ""
    kind: NonEmpty = ""
    suggested_tool: NonEmpty = ""
    fuzzy_matches: Annotated[int, Meta(ge=0)] = 0


class AcceptConfig(Table, frozen=True):
    """An accepted finding.

    One ``[[tool.mcp-governor.accept]]``. ``released`` is the version that it was released with, empty before that;
    ``changelog release`` sets it.

    Attributes:
        finding: Id of the finding, as reports print it.
        reason: Why it is accepted.
        until: Last day of the acceptance, a TOML date.
        released: The version released with it; `changelog release` writes it. It applies up to that release.
    """

    finding: NonEmpty
    reason: NonEmpty
    # JSON Schema has no TOML dates, so the schema says nothing about the value.
    until: Annotated[date | None, Meta(extra_json_schema={ALSO: {"type": None, "format": None}})] = None
    released: NonEmpty = ""


class SchemaAllowance(Table, frozen=True, kw_only=True):
    """A difference between the schema of a tool and its model, and why it is allowed.

    One ``[[tool.mcp-governor.schemas.allow]]``. ``parameter`` and ``rule`` are empty for any.

    Attributes:
        tool: Name of the tool.
        parameter: Parameter, with those around it: filter.kind. Default: any.
        rule: Rule that reports it. Default: any.
        reason: Why it is allowed.
    """

    tool: NonEmpty
    parameter: NonEmpty = ""
    rule: Annotated[str, Meta(pattern="^schemas/.")] = ""
    reason: NonEmpty


class SchemasConfig(Table, frozen=True):
    """``[tool.mcp-governor.schemas]``: how ``schemas check --models`` finds models, and what it allows.

    Attributes:
        models: Tool and its model, package.module:NAME, where the model is not named after the tool; schemas check
            --models imports the module, which runs its code.
        injected: Names of parameters that the server fills in itself, so that no schema has them.
        allow: Allowed differences between schemas and models.
    """

    models: Mapping[str, Importable] = field(default_factory=dict)
    injected: Strings = ()
    allow: tuple[SchemaAllowance, ...] = ()


class LoadConfig(Table, frozen=True):
    """``[tool.mcp-governor.load]``: budgets of the list of tools; a limit of ``None`` is not judged.

    Attributes:
        check: Measure the list in every check, as with --load.
        record: File of figures to compare with, written by load probe --record. Default: mcp-load.json.
        payload_bytes: Most bytes of the result of tools/list, as compact JSON.
        payload_ratio: Most bytes relative to the record; 1.25 by default.
        tokens: Most tokens of all tools, estimated.
        tool_tokens: Most tokens of one tool, estimated.
        tokens_ratio: Most tokens relative to the record; 1.25 by default.
        list_p95_ms: Longest p95 of tools/list in milliseconds, on this machine.
        list_ratio: Longest time of tools/list relative to the record, both as multiples of a server that only answers;
            2 by default.
    """

    check: bool = False
    record: NonEmpty = LOAD_RECORD
    payload_bytes: Count | None = None
    payload_ratio: Ratio = GROWTH_RATIO
    tokens: Count | None = None
    tool_tokens: Count | None = None
    tokens_ratio: Ratio = GROWTH_RATIO
    list_p95_ms: Annotated[float, Meta(gt=0)] | None = None
    list_ratio: Ratio = SLOWER_RATIO


class EvaluationConfig(Table, frozen=True):
    """``[tool.mcp-governor.evaluation]``: how models are asked, and what a team expects of them.

    The thresholds are knobs without a floor: none is set by default (MCP Charter 1.2, Enforcement, level 3).

    Attributes:
        queries: Query set. Default: mcp-queries.jsonl.
        runners: Runners: bm25, minilm, anthropic:MODEL, openai:MODEL, google:MODEL. Default: bm25.
        record: File of recorded answers. Default: none, or mcp-evaluation.jsonl if policy.evaluation needs one.
        split: Ask only the queries of this split.
        seed: Seed for the order of the tools. Default: 0.
        max_cost: Dollars that a run may spend at most.
        min_accuracy: Least accuracy of each runner, in percent.
        min_agreement: Least agreement of the models, Krippendorff's alpha.
        tolerated_drop: Drop of accuracy that a comparison has to be able to find, in points.
        insensitive: What a comparison does that could not have found that drop.
    """

    queries: NonEmpty = ""
    runners: Strings = ()
    record: NonEmpty = ""
    split: Literal["dev", "test"] | None = None
    seed: Annotated[int, Meta(ge=0)] = 0
    max_cost: Annotated[float, Meta(ge=0)] | None = None
    min_accuracy: Annotated[float, Meta(ge=0, le=100)] | None = None
    min_agreement: Annotated[float, Meta(ge=-1, le=1)] | None = None
    # 100 queries find it with one model, 200 with several (docs/evaluation.md).
    tolerated_drop: Annotated[float, Meta(gt=0, le=100)] = 10.0
    insensitive: Literal["fail", "warn"] = "fail"


class ConfigFile(Table, frozen=True, kw_only=True):
    """[tool.mcp-governor] in pyproject.toml, or mcp-governor.toml with the same keys and no prefix.

    Attributes:
        target: Server that is checked by default: a name from servers, or any TARGET.
        baseline: What the server is compared with: any TARGET; for a recording, a recording. pypi:NAME and npm:NAME
            mean the newest release that is not newer than the server. Default: the latest release tag.
        changelog: The schema changelog. Default: docs/mcp-schema-changelog.md if it exists.
        schema_version: Where the version comes from: "serverInfo", "pyproject.toml", "package.json", "server.json"
            (also below a folder), "distribution:NAME", "git-tag", "pkg.module:CONSTANT", or the version itself.
        profile: Profiles, which select rules and the result contract; one name, or several that do not conflict.
        level: How schemas are compared.
        fail_on: Lowest severity that fails a run.
        clients: Clients whose limits apply.
        contract_doc: Document that must change with a tool's schemas.
        server_json: The registry manifest. Default: server.json if it exists.
        timeout: Timeout per response of a server, in seconds.
        start_timeout: Timeout for startup, until the first response, in seconds. Default: 60, or 180 for a package and
            a package runner, or timeout if that is longer.
        read_only_tools: Globs over names of tools without annotations that only read and may be called. Like calls and
            calls-dir, it counts for a server of the command line only with --trust.
        calls_dir: Folder of recorded calls, one JSON file each.
        calls_mode: What check calls: safe, also each tool with readOnlyHint, once with good arguments and once with
            bad ones; configured, only calls and calls-dir; none. Default: safe if the profile has a result contract,
            else configured.
        calls_budget: Time limit for all calls of a check, in seconds; 120 by default.
        servers: Servers by name.
        tiers: Tiers by glob; tools that match none are standard.
        lint: Which rules run, and how.
        policy: Decisions that a schema cannot make.
        changelog_options: How the changelog is written.
        schemas: Schema files, and the models behind them.
        evaluation: How models are asked for the right tool, and what is expected of them.
        load: Budgets of the list of tools, which check --load judges.
        calls: Calls that check makes, of any tool that they name; or a value of calls-mode.
        accept: Accepted findings.
    """

    target: NonEmpty = ""
    baseline: NonEmpty = ""
    changelog: NonEmpty = ""
    schema_version: NonEmpty = "serverInfo"
    profile: Annotated[Strings, Meta(extra_json_schema={ALSO: {"type": ["string", "array"]}})] = ("recommended",)
    level: Literal["declared", "strict"] = "declared"
    fail_on: Literal["error", "warning", "info", "never"] = "error"
    clients: Strings = ()
    contract_doc: NonEmpty = ""
    server_json: NonEmpty = ""
    timeout: Seconds = 30.0
    start_timeout: Seconds | None = None
    read_only_tools: Strings = ()
    calls_dir: NonEmpty = ""
    calls_mode: CallsMode | None = None
    calls_budget: Seconds = CALLS_BUDGET
    servers: Mapping[str, SERVER_TABLE] = field(default_factory=dict)
    tiers: TiersTable = field(default_factory=TiersTable)
    lint: LintConfig = field(default_factory=LintConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    changelog_options: ChangelogConfig = field(default_factory=ChangelogConfig)
    schemas: SchemasConfig = field(default_factory=SchemasConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    load: LoadConfig = field(default_factory=LoadConfig)
    calls: Annotated[
        tuple[CallConfig, ...],
        Meta(
            extra_json_schema={
                ALSO: {
                    "type": ["array", "string"],
                    "if": {"type": "string"},
                    "then": {"enum": [*reversed(CALLS_MODES)]},
                }
            }
        ),
    ] = ()
    accept: tuple[AcceptConfig, ...] = ()


class Config(ConfigFile, frozen=True, kw_only=True):
    """The whole configuration of a run: what the file says, and what only a run knows.

    Attributes:
        path: the file; ``None`` if there is none.
        root: the folder for relative paths.
        start_timeout: seconds for a server to complete the handshake; ``None`` for the default of its kind.
        calls_mode: one of :data:`CALLS_MODES`; empty for ``safe`` if the profile has a result contract, else
            ``configured``.
        tiers: tier → globs.
        searched: no file was found in ``root`` and its parents.
        isolated: no files of the repository are used except those on the command line.
        launch: settings from the command line for starting servers; never from the file.
        lint_new_only: omit findings of the linter that the baseline has as well; never from the file.
        base: the commit of a base branch, whose files and releases a run compares with; never from the file.
        trust_rules: rules may run Python code. A repository cannot set this (:mod:`mcp_governor.config.trust`).
    """

    path: Path | None = None
    root: Path = field(default_factory=Path)
    servers: Mapping[str, ServerConfig] = field(default_factory=dict)
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # type: ignore[assignment]
    searched: bool = False
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
