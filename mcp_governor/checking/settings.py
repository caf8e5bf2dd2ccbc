"""Turns the configuration into the settings of each station, and compares surfaces as it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.change.options import CHARTER_OPEN_ENUMS, ChangeOptions, options_from
from mcp_governor.config.model import Config
from mcp_governor.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.change import Change
    from mcp_governor.config.model import IgnoredRule
    from mcp_governor.rules import LintSettings, Selection
    from mcp_governor.surface import Surface

OFF = "off"


def lint_settings(config: Config) -> LintSettings:
    """The ``lint`` table, profiles and clients as the linter expects them."""
    from mcp_governor.rules.settings import PERSONAS, LintSettings, Suppression

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
