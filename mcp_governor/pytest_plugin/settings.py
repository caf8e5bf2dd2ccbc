"""The configuration of a check: that of the project, changed by the ini file and then by the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.errors import UsageError
from mcp_governor.pytest_plugin import MODES
from mcp_governor.pytest_plugin.arguments import ROOT
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    import pytest

    from mcp_governor.config import Config

CHARTER = "charter"
CONFIGURED = "configured"
"""What ``--mcp-profile`` takes in the place of a name, for the profiles of the configuration alone."""


def target_of(options: pytest.Config) -> str | None:
    """The TARGET of the command line."""
    named: str | None = options.option.mcp_target
    return named


def command_to_repeat(options: pytest.Config, item: str) -> str:
    """The command that runs an item again: its id, and the options of the command line that change what is checked."""
    from mcp_governor.text import command_line

    words = ["pytest", "--mcp-charter"]
    words += [word for name in options.option.mcp_profile for word in ("--mcp-profile", name)]
    for name, value in (("--mcp-target", target_of(options)), ("--mcp-calls", options.option.mcp_calls)):
        words += [name, value] if value else []
    return command_line([*words, item] if item else words)


def not_configured(options: pytest.Config) -> str:
    """Why there is no server to check, if nobody has named one; empty otherwise."""
    from mcp_governor.config.load import find_config

    if target_of(options) is not None or options.getini("mcp_target") or find_config(options.rootpath.resolve()):
        return ""
    return (
        "no MCP server is configured: there is neither mcp-governor.toml nor [tool.mcp-governor] in pyproject.toml. "
        "Run mcp-governor init, or name a server with --mcp-target."
    )


def config_of(options: pytest.Config) -> Config:
    """The project's configuration as the ini file and the command line change it.

    Raises:
        ConfigError: the configuration is not valid.
    """
    from mcp_governor.checking.reading import permitted
    from mcp_governor.config import load_config
    from mcp_governor.target import resolve

    config = load_config(start=options.rootpath)
    if (typed := target_of(options)) is not None:
        config = permitted(config, resolve(typed, config))
    # The tests of the repository run its code; so may its rules.
    config = replace(config, trust_rules=True)
    if target := options.getini("mcp_target"):
        config = replace(config, target=target)
    calls = options.option.mcp_calls or options.getini("mcp_calls")
    if calls:
        if calls not in MODES:
            raise UsageError(
                f'mcp_calls of the pytest configuration is "{one_line(calls, 40)}".{did_you_mean(calls, MODES)}',
                f"Use one of: {', '.join(MODES)}.",
            )
        config = replace(config, calls_mode=calls)
    named = _named_profiles(options) or (CONFIGURED, *((CHARTER,) if _asks_for_charter(options) else ()))
    profiles = dict.fromkeys(one for name in named for one in (config.profile if name == CONFIGURED else (name,)))
    lint = config.lint
    if lint.select and {CONFIGURED, CHARTER} <= set(named) and CHARTER not in config.profile:
        # What is selected rule by rule takes the place of all profiles.
        lint = replace(lint, extend_select=(*lint.extend_select, "call/*", "charter/*", "envelope/*"))
    return replace(config, profile=tuple(profiles), lint=lint)


def _named_profiles(options: pytest.Config) -> tuple[str, ...]:
    return tuple(options.option.mcp_profile or options.getini("mcp_profile"))


def _asks_for_charter(options: pytest.Config) -> bool:
    """True if the command line names an item that only the charter has: an id that was printed can be given back."""
    asked = (word for word in options.invocation_params.args if isinstance(word, str) and f"{ROOT}::" in word)
    return any(word.rpartition("::")[2] in (CHARTER, "envelope") for word in asked)


def charter_left_out(options: pytest.Config, config: Config) -> str:
    """How to check the charter, too, if neither the configuration nor the run says which profiles count."""
    if CHARTER in config.profile or _named_profiles(options) or _asks_for_charter(options):
        return ""
    return (
        f"checked with the configured profile ({', '.join(config.profile)}). To add the house style of the charter: "
        "pytest --mcp-charter --mcp-profile configured --mcp-profile charter. To keep it as it is without this line: "
        "mcp_profile = configured in the pytest configuration."
    )
