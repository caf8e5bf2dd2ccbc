"""The policy of the comparison, with one option for each line of the table in docs/changes.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mcp_governor.config.policy import ChangeOptions, Policy, option_schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CHARTER_OPEN_ENUMS",
    "DEFAULT_OPTIONS",
    "ChangeOptions",
    "Policy",
    "option_schemas",
    "options_from",
]

DEFAULT_OPTIONS = ChangeOptions()

CHARTER_OPEN_ENUMS = ("*/error/kind", "*/degradation_reason")
"""Enums that the charter leaves open: error kinds and degradation reasons."""


def options_from(table: Mapping[str, Any], *, open_enums: tuple[str, ...] = ()) -> ChangeOptions:
    """The options from a configuration table that :func:`option_schemas` accepts.

    Args:
        table: kebab-case names → values; other names are ignored.
        open_enums: additional open enums, from a profile.
    """
    names = {field.encode_name for field in msgspec.structs.fields(ChangeOptions)}
    chosen = {key: value for key, value in table.items() if key in names}
    chosen["open-enums"] = (*chosen.get("open-enums", ()), *open_enums)
    return msgspec.convert(chosen, ChangeOptions)
