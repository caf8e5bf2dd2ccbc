"""``pytest --mcp-charter``: one test item per tool and rule family, on the same engine and config as ``check``.

Items are named ``mcp::TOOL::FAMILY``, and these ids can be given to pytest as arguments. Fixtures for tests of the
project's own (``mcp_surface``, ``mcp_baseline``, ``mcp_check``, ``mcp_session``) work with and without the flag.

Every run of pytest imports this module, so it imports nothing of its package: that waits until a check is on or a
fixture is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.surface import Surface
    from mcp_governor.testing import McpSession

MODES = ("none", "configured", "safe")
"""What ``--mcp-calls`` takes: the same as ``calls-mode`` in the configuration."""
ITEMS = "mcp-governor-items"
"""The name under which the hooks of a run that checks the server are registered."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options; everything else waits for them."""
    group = parser.getgroup("mcp-charter", "MCP server governance")
    add = group.addoption
    on = {"dest": "mcp_charter", "default": None, "action": "store_const"}
    add("--mcp-charter", const=True, help="Check the MCP server of this project.", **on)
    add("--no-mcp-charter", const=False, help="Do not check it, whatever mcp_charter says.", **on)
    add("--mcp-target", metavar="TARGET", default=None, help="Check this server instead of the configured one.")
    add(
        "--mcp-profile",
        metavar="NAME",
        action="append",
        default=[],
        help="Check this profile; repeatable. Default: configured, the profile of the configuration. "
        "Both configured and charter: also the house style of the charter.",
    )
    add(
        "--mcp-calls",
        choices=MODES,
        default=None,
        help="Tools to call: none, those that the configuration names, or also those that only read (safe). "
        "Default: calls-mode in the configuration.",
    )
    add("--mcp-no-calls", dest="mcp_calls", action="store_const", const="none", help="Call no tool of the server.")
    # Two options without a value: an optional value would take the next path of the command line for it.
    update = {"dest": "mcp_update", "default": None, "action": "store_const"}
    add("--mcp-update", const="all", help="Record the server in the surface file, then check it.", **update)
    add("--mcp-update=new", const="new", help="Record only tools that the file does not have, then check.", **update)
    parser.addini("mcp_charter", "Check the MCP server in every run (as --mcp-charter).", type="bool", default=False)
    parser.addini("mcp_target", "Server to check (as --mcp-target).", default="")
    parser.addini("mcp_profile", "Profiles to check (as --mcp-profile).", type="args", default=[])
    parser.addini("mcp_calls", f"Tools to call (as --mcp-calls): {', '.join(MODES)}.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Take the ids of our items out of the arguments, and join the run if a check is on."""
    given = [argument for argument in config.args if argument.endswith("mcp") or "mcp::" in argument]
    on = config.option.mcp_charter
    if not given and on is None and not config.option.mcp_update and not config.getini("mcp_charter"):
        return
    from mcp_governor.pytest_plugin.arguments import take_ids

    asked = take_ids(config, given)
    if asked is not None:
        from mcp_governor.pytest_plugin.items import Items

        config.pluginmanager.register(Items(asked), ITEMS)


def _given(config: pytest.Config) -> Any:
    """What the fixtures are made of."""
    from mcp_governor.pytest_plugin.running import run_of

    return run_of(config)


@pytest.fixture(scope="session")
def mcp_surface(pytestconfig: pytest.Config) -> Surface:
    """What the MCP server of this project publishes: a mcp_governor.Surface."""
    surface: Surface = _given(pytestconfig).given("surface")
    return surface


@pytest.fixture(scope="session")
def mcp_baseline(pytestconfig: pytest.Config) -> Surface:
    """What it is compared with: the last release or the recorded surface, a mcp_governor.Surface."""
    surface: Surface = _given(pytestconfig).given("baseline")
    return surface


@pytest.fixture(scope="session")
def mcp_check(pytestconfig: pytest.Config) -> Report:
    """The result of checking the server: a mcp_governor.Report."""
    report: Report = _given(pytestconfig).given("report")
    return report


@pytest.fixture(scope="session")
def mcp_session(pytestconfig: pytest.Config) -> Iterator[McpSession]:
    """An open connection to the server: mcp_session.call_tool(name, arguments) returns the result as a dict."""
    session: McpSession = _given(pytestconfig).session()
    yield session
    session.close()
