"""The options of the change catalogue as configuration: their JSON Schemas, and values from a table."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mcp_governor.change.options import ChangeOptions
from mcp_governor.errors import ConfigError
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCHEMAS: dict[str, dict[str, Any]] = {
    "Policy": {"enum": ["breaking", "compatible"]},
    "bool": {"type": "boolean"},
    "float": {"type": "number", "exclusiveMinimum": 0},
    "tuple[str, ...]": {"type": "array", "items": {"type": "string", "minLength": 1}},
}
_ATTRIBUTE = re.compile(r"^        (\w+): (.+(?:\n            .+)*)", re.MULTILINE)


def option_schemas() -> dict[str, dict[str, Any]]:
    """Option, as the ``policy`` table spells it → its JSON Schema; the words are those of the class."""
    told = {name: " ".join(text.split()) for name, text in _ATTRIBUTE.findall(ChangeOptions.__doc__ or "")}
    return {
        option.name.replace("_", "-"): {**_SCHEMAS[str(option.type)], "description": told.get(option.name, "")}
        for option in fields(ChangeOptions)
    }


def options_from(table: Mapping[str, Any], where: str) -> ChangeOptions:
    """The options that a ``policy`` table sets.

    Args:
        table: kebab-case keys.
        where: the file, for messages.

    Raises:
        ConfigError: an unknown key (the nearest is named), or a value that an option does not take.
    """
    if not table:
        return ChangeOptions()
    import jsonschema_rs

    schemas = option_schemas()
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in schemas:
            raise ConfigError(
                f'{where}: unknown key "policy.{visible(key)}".{did_you_mean(key, schemas)}',
                "See all keys with: mcp-governor schema config",
            )
        for error in jsonschema_rs.validator_for(schemas[key]).iter_errors(value):
            raise ConfigError(
                f'{where}: "policy.{key}" is wrong: {one_line(error.message)}.',
                "See what it takes with: mcp-governor schema config",
            )
        values[key.replace("-", "_")] = tuple(value) if isinstance(value, list) else value
    return ChangeOptions(**values)
