"""The JSON Schema of the configuration, which ``schema config`` prints."""

from __future__ import annotations

from typing import Any

from mcp_governor.config.model import ConfigFile
from mcp_governor.config.policy import option_schemas
from mcp_governor.documents import schema_of

FORMAT = "mcp-governor/config-1"


def config_schema(profiles: tuple[str, ...] = ()) -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``[tool.mcp-governor]``.

    Args:
        profiles: the known profiles, which the caller passes because the rules are on a floor above this one; empty for
            any name.
    """
    schema = schema_of(ConfigFile, FORMAT)
    policy, profile = (schema["properties"][name] for name in ("policy", "profile"))
    del policy["properties"]["options"]
    policy["properties"] |= option_schemas()
    if profiles:
        name = {"enum": list(profiles)}
        profile["anyOf"] = [name, {"type": "array", "items": name}]
        del profile["type"], profile["items"]
    return schema
