"""The comparison as a configuration sets it: the options of the change catalogue, and the manifest with the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.options import CHARTER_OPEN_ENUMS, ChangeOptions, option_schemas, options_from
from mcp_governor.errors import ConfigError
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from mcp_governor.change import Change
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


def change_options(config: Config) -> ChangeOptions:
    """The policy of the comparison; profile ``charter`` keeps the charter's registries open.

    Raises:
        ConfigError: an unknown key in the ``policy`` table (the nearest is named), or a value that an option does
            not take.
    """
    table = config.policy.options
    if table:
        _refuse(config)
    return options_from(table, open_enums=CHARTER_OPEN_ENUMS if "charter" in config.profile else ())


def _refuse(config: Config) -> None:
    import jsonschema_rs

    schemas = option_schemas()
    for key, value in config.policy.options.items():
        if key not in schemas:
            raise ConfigError(
                f'{config.shown}: unknown key "policy.{visible(key)}".{did_you_mean(key, schemas)}',
                "List all keys with: mcp-governor schema config",
            )
        try:
            # The first error only: the engine makes all of them at once.
            jsonschema_rs.validator_for(schemas[key]).validate(value)
        except jsonschema_rs.ValidationError as error:
            raise ConfigError(
                f'{config.shown}: "policy.{key}" is wrong: {one_line(error.message)}.',
                "See the accepted values with: mcp-governor schema config",
            ) from None


def changes_between(old: Surface, new: Surface, config: Config) -> list[Change]:
    """Every change from one surface to another under the configured options, of the registry manifest too.

    A surface recorded before there was a manifest says nothing about it.
    """
    from mcp_governor.change import compare

    changes = compare(old, new, level=config.level, options=change_options(config))
    if old.manifest is not None and new.manifest is not None:
        from mcp_governor.policy.manifest import compare_manifests

        changes += compare_manifests(old.manifest, new.manifest)
    return changes
