"""What an agent can reach through our own server, and what it cannot."""

from __future__ import annotations

import json

import anyio
import pytest
from inprocess import ObjectEndpoint
from projects import repository, surface_text, tool
from support import REPO

from mcp_governor.errors import UsageError
from mcp_governor.server import build_server
from mcp_governor.server.address import LEAST, TOKEN, checked_token, read_address
from mcp_governor.server.pool import NESTED
from mcp_governor.server.project import MissingError, OutsideError, Project, inside, path_of
from mcp_governor.wire import connect

FOUND, GONE = tool("find"), tool("list")
CONFIG = """\
target = "stock"
profile = "recommended"
baseline = "mcp-surface.json"
[servers.stock]
file = "live.json"
"""


@pytest.fixture
def project(tmp_path):
    root = repository(
        tmp_path / "project",
        {
            "mcp-governor.toml": CONFIG,
            "mcp-surface.json": surface_text(FOUND, GONE),
            "live.json": surface_text(FOUND),
        },
    )
    return Project(root / "mcp-governor.toml", root)


def talk(project, *calls):
    """The results of calls in one session."""

    async def session():
        async with connect(ObjectEndpoint(build_server(project=project))) as opened:
            return [await opened.call_tool(name, arguments) for name, arguments in calls]

    return [one.get("structuredContent", one) for one in anyio.run(session)]


def test_a_check_its_findings_and_an_explanation(project):
    unchecked, checked, listed = talk(
        project, ("list_findings", {}), ("check_server", {}), ("list_findings", {"severity": "error", "pageSize": 1})
    )
    assert unchecked["error"]["kind"] == "index_not_ready"
    assert unchecked["error"]["recovery"]["suggested_tool"] == "check_server"
    assert (checked["data"]["verdict"], checked["data"]["required_bump"]) == ("fail", "major")
    assert checked["data"]["counts"]["breaking"] == 1
    assert checked["data"]["command"] == "mcp-governor check --no-calls"
    # The break is an item besides the findings about it.
    assert listed["data"]["total"] == checked["data"]["counts"]["errors"] + 1
    assert len(listed["data"]["findings"]) == 1
    found = next(item for item in checked["data"]["worst"] if item["rule"] == "tool-removed")
    _, told, unknown = talk(
        project,
        ("check_server", {"server": "stock"}),
        ("explain_finding", {"finding_id": found["id"]}),
        ("explain_finding", {"finding_id": found["id"] + "x"}),
    )
    assert told["data"]["finding"]["id"] == found["id"]
    assert told["data"]["why"]
    assert found["id"] in told["data"]["accept_command"]
    assert unknown["error"]["kind"] == "unknown_name"
    assert unknown["error"]["recovery"]["suggested_tool"] == "list_findings"


def test_a_server_is_a_name_of_the_configuration_and_nothing_else(project):
    calls = [("check_server", {"server": name}) for name in ("python:os:getcwd", "live.json", "\0")]
    for refused in talk(project, *calls, ("draft_changelog", {"server": "touch pwned"})):
        assert refused["error"]["kind"] == "unknown_name"
        assert refused["error"]["recovery"]["suggested_args"] == {"server": "stock"}


def test_without_a_project_nothing_is_read():
    checked, compared = talk(None, ("check_server", {}), ("compare_surfaces", {"old_uri": "a", "new_tools": []}))
    assert checked["error"]["kind"] == "index_not_ready"
    assert compared["status"] == "refused"


def test_files_of_the_project_are_compared_and_others_are_not(project):
    (project.root / "notes.txt").write_text("secret words")
    (project.root / "out.json").symlink_to(REPO / "mcp-surface.json")
    compared, outside, linked, other, missing, both = talk(
        project,
        *(
            ("compare_surfaces", {"old_uri": path, "new_tools": []})
            for path in ("mcp-surface.json", "../project/mcp-surface.json", "out.json", "notes.txt", "none.json")
        ),
        ("compare_surfaces", {"old_uri": "live.json", "old_tools": [], "new_tools": []}),
    )
    assert {change["kind"] for change in compared["data"]["changes"]} == {"tool-removed"}
    assert outside["error"]["kind"] == linked["error"]["kind"] == "allowlist_violation"
    assert (other["error"]["kind"], missing["error"]["kind"]) == ("malformed_name", "unknown_name")
    assert "secret" not in json.dumps(other)
    assert "both were given" in both["error"]["message"]


def test_pages_of_findings_follow_each_other(project):
    _, first, second, none, bad = talk(
        project,
        ("check_server", {}),
        ("list_findings", {"pageSize": 1}),
        ("list_findings", {"pageSize": 1, "cursor": "1"}),
        ("list_findings", {"cursor": "999999"}),
        ("list_findings", {"cursor": "first"}),
    )
    assert (first["data"]["next_cursor"], len(second["data"]["findings"])) == ("1", 1)
    assert first["data"]["findings"] != second["data"]["findings"]
    assert (none["status"], none["data"]["next_cursor"]) == ("empty", None)
    assert bad["content"][0]["text"].startswith("list_findings refuses the call: cursor does not fit")


def test_a_uri_names_a_file_of_the_project_or_nothing(project):
    file = (project.root / "mcp-surface.json").as_uri()
    wanted = [file, file.replace("file://", "file://localhost"), "file:mcp-surface.json", "mcp%2Dsurface.json"]
    for result in talk(project, *(("compare_surfaces", {"old_uri": uri, "new_tools": []}) for uri in wanted)):
        assert result["status"] == "success", result


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("file:///etc/passwd", OutsideError),
        ("file:///p/../etc/passwd", OutsideError),
        ("file:///project/x.json", OutsideError),
        ("file://host/p/x.json", OutsideError),
        ("//host/p/x.json", OutsideError),
        ("https://host/x.json", OutsideError),
        ("data:,x", OutsideError),
        ("C:/x.json", OutsideError),
        ("/etc/passwd", OutsideError),
        ("file:../x.json", OutsideError),
        ("%2e%2e/x.json", OutsideError),
        ("..%2fx.json", OutsideError),
        ("..%5cx.json", OutsideError),
        ("file:///p/%2e%2e/x.json", OutsideError),
        ("x.json%00", MissingError),
        ("x.json?a", MissingError),
        ("x.json#a", MissingError),
        ("%ff.json", MissingError),
        ("//[x", MissingError),
        ("", MissingError),
    ],
)
def test_a_uri_that_leads_elsewhere_is_refused_before_the_file_system_is_asked(uri, why):
    with pytest.raises(why):
        inside(path_of(uri, "/p"), "/p")


def test_a_check_in_a_check_in_a_check_is_refused(project, monkeypatch):
    monkeypatch.setenv(NESTED, "2")
    (refused,) = talk(project, ("check_server", {}))
    assert refused["error"]["message"] == "A server that is being checked does not check servers."


@pytest.mark.parametrize(
    "text", ["8765", "host:1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:x", "a@127.0.0.1:1", ""]
)
def test_an_address_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="an IP address and a port"):
        read_address(text)


def test_other_machines_need_a_token():
    token = "x" * LEAST
    for text in ("0.0.0.0:1", "[::]:1", "192.0.2.1:1"):
        with pytest.raises(UsageError, match=f"{TOKEN} sets no bearer token"):
            checked_token(read_address(text), "")
        assert checked_token(read_address(text), token) == token
        with pytest.raises(UsageError, match=f"not {LEAST} or more"):
            checked_token(read_address(text), token[1:])
    for text in ("127.0.0.1:1", "localhost:1", "[::1]:1", "127.9.9.9:1"):
        assert checked_token(read_address(text), "") == ""
