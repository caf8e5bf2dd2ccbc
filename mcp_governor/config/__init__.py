"""The configuration: ``[tool.mcp-governor]`` in pyproject.toml, or mcp-governor.toml.

This package contains the configuration as values, its schema, how it is found and read, and how far it is trusted.
Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.config.load import (
        DEFAULT_CHANGELOG,
        DEFAULT_MANIFEST,
        OWN_FILE,
        find_config,
        load_config,
        parse_config,
        with_found_files,
    )
    from mcp_governor.config.model import AcceptConfig, CallConfig, ChangelogConfig, Config, LintConfig
    from mcp_governor.config.policy import PolicyConfig
    from mcp_governor.config.servers import Launch, ServerConfig

__all__ = [
    "DEFAULT_CHANGELOG",
    "DEFAULT_MANIFEST",
    "OWN_FILE",
    "AcceptConfig",
    "CallConfig",
    "ChangelogConfig",
    "Config",
    "Launch",
    "LintConfig",
    "PolicyConfig",
    "ServerConfig",
    "find_config",
    "load_config",
    "parse_config",
    "with_found_files",
]

__getattr__ = lazy_names(
    __name__,
    {
        "load": (
            "DEFAULT_CHANGELOG",
            "DEFAULT_MANIFEST",
            "OWN_FILE",
            "find_config",
            "load_config",
            "parse_config",
            "with_found_files",
        ),
        "model": ("AcceptConfig", "CallConfig", "ChangelogConfig", "Config", "LintConfig"),
        "servers": ("Launch", "ServerConfig"),
        "policy": ("PolicyConfig",),
    },
)
