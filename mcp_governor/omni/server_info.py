"""The response to GET on an endpoint as the tool schema guide defines it (section 0a)."""

from __future__ import annotations

from mcp_governor.omni.shared_schema import SharedSchema

NAME = "omni.agent.server_info.v1"

_SCHEMA = SharedSchema(NAME)
get_schema_path, get_validator, validate = _SCHEMA.path, _SCHEMA.validator, _SCHEMA.validate


def build_server_info(name: str, version: str, protocol_version: str, message: str | None = None) -> dict[str, str]:
    """A valid server info; ``message`` is left out if there is none.

    Raises:
        ValueError: an argument is not a string.
    """
    info = {"name": name, "version": version, "protocolVersion": protocol_version}
    if message is not None:
        info["message"] = message
    validate(info)
    return info
