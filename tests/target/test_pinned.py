"""The version of ``pypi:NAME==V`` and ``npm:NAME@V`` is V, whatever the server says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.checking.against.baseline import Baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.diff import compare_surfaces
from mcp_governor.config import Config
from mcp_governor.findings import Bump
from mcp_governor.report.diff_text import diff_lines
from mcp_governor.surface.file import dump_surface, parse_surface
from mcp_governor.target.model import LiveSource
from mcp_governor.target.packages import started_package
from mcp_governor.target.read import surface_of
from mcp_governor.wire import StdioEndpoint
from mcp_governor.wire.recording import Recording

PINNED = [
    ("uvx --from mcp-server-time==2025.8.4 mcp-server-time", "2025.8.4"),
    ("/opt/bin/uvx --with mcp<2 --from name[cli]==1.0rc1 script --flag", "1.0rc1"),
    ("uv tool run --from=name==1.2 name", "1.2"),
    ("uvx name==1.2", "1.2"),
    ("uvx name@1.2", "1.2"),
    ("npx --yes @scope/name@1.2.3", "1.2.3"),
    ("npx -y name@2.0.0-beta.1 /tmp", "2.0.0-beta.1"),
    ("npx --package=name@1.2.3 name", "1.2.3"),
    ("npx.cmd -y name@1.2.3", "1.2.3"),
]
OPEN = [
    "uvx name",
    "uvx name@latest",
    "uvx --from name>=1.2 name",
    "uvx --from name==1.* name",
    "uvx name --from other==1.2",
    "npx -y name",
    "npx -y @scope/name",
    "npx -y name@latest",
    "npx -y name@^1.2.3",
    "npx -y name@1",
    "npx -y name other@1.2.3",
    "python server.py name==1.2",
]


@pytest.mark.parametrize(("line", "version"), PINNED)
def test_a_pinned_release(line: str, version: str) -> None:
    started = started_package(line.split())
    assert started.version == version


@pytest.mark.parametrize("line", OPEN)
def test_no_release_is_pinned(line: str) -> None:
    started = started_package(line.split())
    assert started is None or not started.version
    assert started_package(()) is None


def test_the_pinned_version_outranks_what_the_server_says() -> None:
    """A FastMCP server without ``version=`` reports its framework's version."""
    raw: dict[str, Any] = {"serverInfo": {"name": "s", "version": "3.0.1"}, "tools": []}
    pinned = LiveSource("pypi:name==1.4.0", StdioEndpoint(("uvx", "--from", "name==1.4.0", "name")))
    free = LiveSource("pypi:name", StdioEndpoint(("uvx", "--from", "name", "name")))
    surface = surface_of(Recording(raw), pinned)
    assert (surface.version, surface.server["version"]) == ("1.4.0", "3.0.1")
    assert surface_of(Recording(raw), free).version == "3.0.1"
    # a recording of it keeps both
    again = parse_surface(dump_surface(surface), "file")
    assert (again.version, again.server["version"]) == ("1.4.0", "3.0.1")


def between(old: str, new: str, reported: str = "9.9.0") -> Any:
    """What ``diff`` says of two targets whose servers report one version, mostly that of their framework."""
    raw: dict[str, Any] = {"serverInfo": {"name": "s", "version": reported}, "tools": [{"name": "t"}]}

    def read(target: str) -> Any:
        package = target.removeprefix("pypi:")
        command = (target,) if package == target else ("uvx", "--from", package, "name")
        return surface_of(Recording(raw), LiveSource(target, StdioEndpoint(command)))

    one, other = read(old), read(new)
    return compare_surfaces(Comparison(other, Config(), Baseline(old, one)))


def test_a_release_makes_no_step_with_what_a_server_reports() -> None:
    assert between("pypi:name==1.4.0", "pypi:name==1.5.0").declared_bump is Bump.MINOR
    assert between("pypi:name", "pypi:name").declared_bump is Bump.NONE
    # A server that is started by a command is no package, and reports its framework's version as well.
    for pair in (("pypi:name==1.4.0", "pypi:name"), ("pypi:name", "pypi:name==1.4.0"), ("pypi:name==1.4.0", "name")):
        report = between(*pair)
        assert report.declared_bump is None
        said = "\n".join(str(line) for line in diff_lines(report))
        assert "declared: unknown, as the versions of the two targets come from different sources" in said
        assert "9.9.0" not in said
    assert between("pypi:name==1.4.0", "name", "1.4.0").declared_bump is Bump.NONE
