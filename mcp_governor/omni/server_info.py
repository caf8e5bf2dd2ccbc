"""The response to GET on an endpoint as the tool schema guide defines it (section 0a)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.omni import shared_schema

if TYPE_CHECKING:
    from pathlib import Path

NAME = "omni.agent.server_info.v1"


def get_schema_path() -> Path:
    """The path of the schema file."""
    return shared_schema.path_of(NAME)


def get_validator() -> Any:
    """A ``jsonschema`` validator of the schema file."""
    return shared_schema.validator_of(NAME)


def validate(payload: Any) -> None:
    """Validate a server info.

    Raises:
        ValueError: it does not conform.
    """
    shared_schema.check(NAME, payload)


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
