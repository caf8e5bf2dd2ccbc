"""The configuration as values: one frozen dataclass per table. Defaults are declared only here."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from mcp_governor.findings import Tier


MOST_SECONDS = 86_400
"""The longest time that anything may be allowed to take, a day; the clocks of the system end somewhere beyond."""

MOST_RELEASES = 100
"""The longest deprecation window, in minor releases: a year of two a week. A longer one forbids removals, and is more
likely a number of days."""


@frozen
class ServerConfig:
    """``[tool.mcp-governor.servers.NAME]``: how to reach one server.

    Exactly one of ``command``, ``url``, ``object``, ``file`` and ``package`` is set. ``env`` and ``headers``
    may hold ``$NAME`` references, resolved from the environment when the server is reached; they are never
    shown. ``args`` and ``with_`` belong to a ``package``.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    object: str = ""
    file: str = ""
    package: str = ""
    transport: str = "auto"
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    bearer_token: str = field(default="", repr=False)
    cwd: str = ""
    args: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    timeout: float | None = None
    start_timeout: float | None = None
    list_params: tuple[Mapping[str, Any], ...] = ()


@frozen
class Launch:
    """What a command line adds to the way servers are started.

    Attributes:
        args: arguments of ``pypi:`` and ``npm:`` targets that it names.
        with_: packages to install with them.
        env: variables of every server that is started; never shown.
        named: those of which the command line says the name alone; the value is our environment's.
    """

    args: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    named: frozenset[str] = frozenset()


@frozen
class LintConfig:
    """``[tool.mcp-governor.lint]``: which rules run, and how.

    What is ignored is a rule id or ``pack/*``, or a table of ``rule`` and ``reason``.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str | Mapping[str, str], ...] = ()
    extend_select: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    per_tool_ignores: Mapping[str, tuple[str | Mapping[str, str], ...]] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    persona: str = "regular"
    baseline: str = ""


@frozen
class Windows:
    """``[tool.mcp-governor.policy.windows]``: minor releases that carry the warning before a removal, by tier.

    The defaults are those of the surface governance, "Deprecation policy", step 3.
    """

    facade: int = 2
    standard: int = 2
    advanced: int = 1
    internal: int = 0

    def of(self, tier: Tier) -> int:
        """The window of a tier."""
        window: int = getattr(self, tier.value)
        return window


@frozen
class PolicyConfig:
    """``[tool.mcp-governor.policy]``: what the schema cannot settle (docs/changes.md)."""

    gate: str = "change"
    zero_policy: str = "minor-may-break"
    calver: str = "minor"
    unknown: str = "breaking"
    windows: Windows = field(default_factory=Windows)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Every other key, as written: options of the change catalogue such as ``closed-output``."""


@frozen
class ChangelogConfig:
    """``[tool.mcp-governor.changelog-options]``: how the changelog is written."""

    date: bool = False
    surfaces: str = "docs/mcp-surface"


@frozen
class CallConfig:
    """One ``[[tool.mcp-governor.calls]]``: a call with its expected outcome."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    status: str = ""
    kind: str = ""


@frozen
class AcceptConfig:
    """One ``[[tool.mcp-governor.accept]]``: a finding that the team accepts, for a reason.

    ``released`` is the version that went out with it, empty before: ``changelog release`` writes it.
    """

    finding: str
    reason: str
    until: date | None = None
    released: str = ""


@frozen
class Config:
    """Everything that a run is configured with.

    Attributes:
        path: the file it came from, ``None`` where there is none.
        root: the folder that relative paths in it are relative to.
        start_timeout: seconds until a server has shaken hands; ``None`` for the default of its kind.
        searched: no file was found from ``root`` upwards.
        isolated: no file of the repository counts but what the command line names.
        launch: what the command line adds to the way servers are started; never from the file.
        lint_new_only: what the linter says of the baseline as well is left out; never from the file.
        trust_rules: rules may bring Python. No repository can say so (:mod:`mcp_governor.config.trust`).
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
    read_only_tools: tuple[str, ...] = ()
    servers: Mapping[str, ServerConfig] = field(default_factory=dict)
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lint: LintConfig = field(default_factory=LintConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    changelog_options: ChangelogConfig = field(default_factory=ChangelogConfig)
    calls: tuple[CallConfig, ...] = ()
    accept: tuple[AcceptConfig, ...] = ()
    searched: bool = field(default=False, compare=False)
    isolated: bool = False
    launch: Launch = field(default_factory=Launch)
    lint_new_only: bool = False
    trust_rules: bool = False

    @property
    def shown(self) -> str:
        """How messages name the file, relative to the folder it governs."""
        return self.path.name if self.path else "the defaults"

    def resolve(self, path: str) -> Path:
        """A path from the config, relative to the config's folder."""
        return (self.root / path) if path else self.root
