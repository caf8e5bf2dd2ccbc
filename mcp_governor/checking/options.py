"""The configured comparison: options of the change catalogue, and the manifest together with the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.change.options import CHARTER_OPEN_ENUMS, ChangeOptions, options_from
from mcp_governor.config.model import Config

if TYPE_CHECKING:
    from mcp_governor.change import Change
    from mcp_governor.surface import Surface


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
