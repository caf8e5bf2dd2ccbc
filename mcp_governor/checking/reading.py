"""Turns the configuration into the settings of each station, compares surfaces as it says, and reads and completes the
governed surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.checking.model import Emit, silent
from mcp_governor.checking.token_cost import former_names
from mcp_governor.config import Config, load_config
from mcp_governor.config.load import TRUST_VARIABLE
from mcp_governor.config.model import SAFE
from mcp_governor.errors import NothingCheckedError
from mcp_governor.files import MAX_TEXT_BYTES, read_named
from mcp_governor.findings import Severity
from mcp_governor.rule_names import note
from mcp_governor.target import LiveSource, Source, read_source, resolve, tier_rules
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mcp_governor.change import Change, ChangeOptions
    from mcp_governor.config.model import IgnoredRule
    from mcp_governor.rules import LintSettings, Selection
    from mcp_governor.surface import Surface


OFF = "off"


def lint_settings(config: Config) -> LintSettings:
    """The ``lint`` table, profiles and clients as the linter expects them."""
    from mcp_governor.rules.rule import PERSONAS
    from mcp_governor.rules.selection import LintSettings, Suppression

    table = config.lint
    off = tuple(rule for rule, severity in table.severity.items() if severity == OFF)

    def ignored(entries: Iterable[str | IgnoredRule]) -> tuple[str | Suppression, ...]:
        return tuple(one if isinstance(one, str) else Suppression(one.rule, one.reason) for one in entries)

    return LintSettings(
        profiles=config.profile,
        select=table.select,
        ignore=(*ignored(table.ignore), *off),
        extend_select=table.extend_select,
        severity={rule: Severity(value) for rule, value in table.severity.items() if value != OFF},
        options=table.options,
        per_tool_ignores={glob: ignored(rules) for glob, rules in table.per_tool_ignores.items()},
        clients=config.clients,
        personas=PERSONAS if table.persona == "pedantic" else PERSONAS[:1],
        rule_paths=tuple(config.resolve(folder) for folder in table.rules),
        trusted=config.trust_rules,
    )


def selection_of(config: Config) -> Selection:
    """The rules that a run of the configuration selects.

    Raises:
        ConfigError: as :func:`mcp_governor.rules.select`.
    """
    from mcp_governor.rules import select

    return select(lint_settings(config))


def fail_on(config: Config) -> Severity | None:
    """The lowest severity that fails a run; ``None`` for none."""
    return None if config.fail_on == "never" else Severity(config.fail_on)


def full_config_schema() -> dict[str, Any]:
    """The configuration's JSON Schema with the known profiles."""
    from mcp_governor.config.load import config_schema
    from mcp_governor.rules import load_catalogue

    return config_schema(tuple(load_catalogue().profiles))


DEFAULT_CONFIG = Config()


def change_options(config: Config) -> ChangeOptions:
    """The policy of the comparison: from the configuration, then from its profiles.

    The profile ``charter`` leaves the charter's registries open.
    """
    from mcp_governor.change.options import CHARTER_OPEN_ENUMS, options_from

    chosen = {**_of_profiles(config), **config.policy.options}
    return options_from(chosen, open_enums=CHARTER_OPEN_ENUMS if "charter" in config.profile else ())


def _of_profiles(config: Config) -> dict[str, Any]:
    if config.profile == DEFAULT_CONFIG.profile:
        return {}  # without profiles there are none, and a comparison reads no rules
    from mcp_governor.rules.catalogue import policy_of

    return policy_of(config.profile)


def changes_between(old: Surface, new: Surface, config: Config, *, seconds: float | None = None) -> list[Change]:
    """Every change from one surface to another with the configured options, including the registry manifest.

    A surface that was recorded before there was a manifest does not count as one without a manifest. It takes at most
    so many ``seconds``, even if the options allow more.
    """
    from mcp_governor.change import compare

    options = change_options(config)
    if seconds is not None:
        options = replace(options, run_deadline=min(options.run_deadline, seconds))
    changes = compare(old, new, level=config.level, options=options)
    if old.manifest is not None and new.manifest is not None:
        from mcp_governor.policy.manifest import compare_manifests

        changes += compare_manifests(old.manifest, new.manifest)
    return changes


def trusting(config: Config, source: Source) -> Config:
    """The configuration with trust in its Python rules, if the run starts what it names anyway.

    A run over a recording, over a URL or over a command from the user does not import what a configuration names,
    unless the user trusts it (:mod:`mcp_governor.config.load`).
    """
    if config.trust_rules or not isinstance(source, LiveSource) or not source.configured:
        return config
    return replace(config, trust_rules=True) if source.endpoint.runs_code else config


_PERMITTING = {
    "calls": "[[calls]]",
    "calls_dir": "calls-dir",
    "calls_mode": "calls-mode",
    "read_only_tools": "read-only-tools",
}
"""Fields of a configuration that have more called than a server allows by its annotations, and their keys."""


def permitted(config: Config, source: Source, *fields: str) -> Config:
    """The configuration without what permits calls (``fields`` of it), if it does not say how the server is reached.

    A server that the user typed may be their own, and the configuration a stranger's. Its keys count if the user trusts
    the repository; a note says which ones do not.
    """
    if config.trust_rules or not isinstance(source, LiveSource) or source.configured:
        return config
    # Another mode calls less.
    unused = "" if config.calls_mode == SAFE else "calls_mode"
    dropped = [field for field in fields or _PERMITTING if field != unused and getattr(config, field)]
    if dropped:
        keys = ", ".join(_PERMITTING[field] for field in dropped)
        note(
            f"for a server that you type, {one_line(config.shown, 60)} does not set {keys}; to make it count, "
            f"add --trust or set {TRUST_VARIABLE}=1."
        )
    return replace(config, **{field: type(getattr(config, field))() for field in dropped})


def read_governed(source: Source, config: Config, *, emit: Emit = silent) -> Surface:
    """The surface of a source, with the additions of the configuration."""
    emit("read", source.shown)
    return with_manifest(read_source(source, tiers=tier_rules(config)), config)


def with_manifest(surface: Surface, config: Config) -> Surface:
    """The surface with the repository's registry manifest, if the configuration names one.

    Raises:
        FileFormatError: the manifest cannot be read.
    """
    if not config.server_json:
        return surface
    from mcp_governor.policy.manifest import parse_manifest

    data = read_named(config.resolve(config.server_json), config.server_json, limit=MAX_TEXT_BYTES)
    return replace(surface, manifest=parse_manifest(data, config.server_json))


def with_schema_version(surface: Surface, config: Config, *, version: str | None = None) -> Surface:
    """A surface as it is recorded: with the version from the configured source, if that is not the server.

    ``version`` is the one that is being released, for a source that has it only afterwards (a git tag).
    """
    from mcp_governor.version_sources import SERVER_INFO, schema_version

    if config.schema_version == SERVER_INFO:
        return surface
    stated = schema_version(config.schema_version, surface, config.root, config=config.path)
    if version is not None:
        stated = stated.for_release(version)
    return replace(surface, stated=(stated.text, stated.count)) if stated.text else surface


def read_surface(
    target: str | Path | None = None, *, config: Config | None = None, command: Sequence[str] = ()
) -> Surface:
    """The surface of a TARGET, or of the configured target.

    Args:
        target: a TARGET string or a path.
        config: by default the nearest file in the folder and its parents.
        command: a stdio server to start instead of a target.

    Raises:
        GovernorError: the surface cannot be read.
    """
    config = config if config is not None else load_config()
    return read_governed(resolve(None if target is None else str(target), config, command=command), config)


def refuse_empty(surface: Surface) -> None:
    """Refuse an empty surface, which never passes.

    Raises:
        NothingCheckedError: the surface publishes nothing.
    """
    if not (surface.entries or surface.prompts or surface.resources or surface.templates or surface.skills):
        raise NothingCheckedError(
            f"{surface.source or 'The server'} publishes no tools, prompts or resources to check.",
            "Check that the server registers its tools before it starts.",
        )


def counts_of(surface: Surface) -> dict[str, int]:
    """Number of things to check."""
    return {
        "tools": len(surface.entries),
        "prompts": len(surface.prompts),
        "resources": len(surface.resources),
        "templates": len(surface.templates),
        # most servers have none
        **({"skills": len(surface.skills)} if surface.skills else {}),
    }


def definitions_of(
    surface: Surface, before: Surface | None, changes: Iterable[Change] = ()
) -> dict[str, tuple[Any, Any]]:
    """Tool → what the surface ``before`` publishes of it (``None`` where it does not), and what this one does.

    The changes say which tools were renamed.
    """
    old = {tool.name: tool.raw for tool in before.tools} if before is not None else {}
    names = former_names(changes)
    return {tool.name: (old.get(names.get(tool.name, tool.name)), tool.raw) for tool in surface.tools}
