"""What results teach: which argument takes which value of which earlier result; bounded, and without secrets."""

from __future__ import annotations

import json
import time

import pytest

from mcp_governor.call.outcome import Response
from mcp_governor.call.server_values import Learned
from mcp_governor.surface import build_surface


def learned(*said, tools=("list_issues", "get_issue", "list_users", "get_user")):
    surface = build_surface({"tools": [{"name": name, "inputSchema": {}} for name in tools]})
    out = Learned.of_surface(surface)
    for tool, answer in said:
        structured = answer if isinstance(answer, dict) else None
        text = answer if isinstance(answer, str) else json.dumps(answer)
        content = [{"type": "text", "text": text}]
        out.note(tool, {}, Response.of_result({"content": content, "structuredContent": structured}))
    return out


ISSUES = {"issues": [{"id": 7, "title": "broken", "state": "open"}, {"id": 8, "title": "slow", "state": "open"}]}
USERS = {"users": [{"id": "u1", "login": "octocat"}]}


@pytest.mark.parametrize(
    ("said", "tool", "argument", "expected"),
    [
        ([("list_issues", ISSUES)], "get_issue", "issue_id", 7),
        ([("list_issues", ISSUES)], "get_issue", "issueId", 7),
        ([("list_issues", ISSUES)], "get_issue", "issueIds", 7),
        ([("list_issues", ISSUES)], "get_issue", "id", 7),
        ([("list_users", USERS), ("list_issues", ISSUES)], "get_issue", "id", 7),
        ([("list_users", USERS), ("list_issues", ISSUES)], "get_user", "user_id", "u1"),
        ([("list_users", USERS)], "get_issue", "issue_id", None),
        ([("list_users", USERS)], "get_issue", "id", None),
        ([("list_issues", ISSUES)], "get_issue", "limit", None),
        ([("list_issues", ISSUES)], "get_issue", "text", None),
        ([("list_tables", ["orders", "users"])], "describe_table", "table", "orders"),
        ([("list_tables", ["orders", "users"])], "describe_table", "table_name", "orders"),
        ([("list_tables", "orders\nusers")], "describe_table", "table_name", "orders"),
        ([("list_tables", "- orders\n- users")], "describe_table", "table", "orders"),
        ([("list_repos", [{"full_name": "a/b", "name": "b"}])], "get_repo", "repo", "b"),
        (
            [("search_library", "- Library ID: /vercel/next.js\n- Score: 9")],
            "get_docs",
            "library_id",
            "/vercel/next.js",
        ),
        ([("list_things", {"result": '[{"thing_id": 3}]'})], "get_thing", "thing_id", 3),
    ],
)
def test_an_argument_takes_what_an_earlier_result_says(said, tool, argument, expected):
    tools = dict.fromkeys(["list_issues", "list_users", "list_tables", tool, *(name for name, _ in said)])
    found = list(learned(*said, tools=tools).candidates(argument, tool=tool))
    assert (found[0] if found else None) == expected


def test_a_tool_that_the_description_names_comes_first():
    both = learned(("list_users", {"key": "u"}), ("list_projects", {"key": "p"}))
    assert next(both.candidates("item_key", tool="get_item", mentioned=frozenset({"list_projects"}))) == "p"


def test_a_tool_learns_nothing_of_itself():
    assert list(learned(("get_issue", {"issue_id": 9})).candidates("issue_id", tool="get_issue")) == []


def test_resources_and_prompts_are_known_from_the_start():
    lists = {"resources": [{"uri": "demo://1", "name": "one"}], "prompts": [{"name": "greet"}]}
    known = Learned.of_surface(build_surface({"tools": [], **lists}))
    assert next(known.candidates("resource_uri", tool="read_resource")) == "demo://1"
    assert next(known.candidates("uri", tool="read_resource")) == "demo://1"
    assert next(known.candidates("prompt_name", tool="run_it")) == "greet"


@pytest.mark.parametrize("key", ["token", "api_token", "sessionToken", "password", "secret_key", "nextCursor"])
def test_what_is_named_like_a_secret_is_not_kept(key):
    kept = learned(("list_keys", {key: "sesame", "token_id": "sesame"}), tools=("list_keys", "get_key"))
    assert "sesame" not in list(kept.candidates(key, tool="get_key", mentioned=frozenset({"list_keys"})))


def test_folders_that_a_server_publishes():
    known = learned(("list_allowed_directories", "Allowed directories:\n/srv/data\n/srv/../etc\n/\nrelative"))
    assert known.folders == ["/srv/data"]
    assert learned(("list_issues", "/srv/data")).folders == []


def test_files_of_a_listing_are_below_the_folder_that_was_listed():
    known = learned()
    listing = {"content": [{"type": "text", "text": "[DIR] sub\n[FILE] a.txt      3 B\n[FILE] .. /x\n[FILE] ../x"}]}
    known.note("list_directory", {"path": "/srv/data/"}, Response.of_result(listing))
    assert known.files == ["/srv/data/a.txt"]


@pytest.mark.parametrize(
    ("refusal", "folders"),
    [
        ("Repository path '/tmp/x' is outside the allowed repository '/srv/repo'", ["/srv/repo"]),
        ("Access denied - path outside allowed directories: /tmp/x not in /srv/data, /srv/more", ["/srv/data"]),
        ("'/etc' is not allowed", []),
        ("allowed " * 100_000, []),
    ],
)
def test_folders_that_a_refusal_names(refusal, folders):
    known = learned()
    known.note_refusal(refusal, {"path": "/tmp/x"})
    assert known.folders == folders


@pytest.mark.parametrize(
    "hostile",
    [
        {f"key{number}": number for number in range(200_000)},
        {"a": [[[[[[{"id": 1}] * 1000] * 10] * 10] * 10] * 10]},
        {"id": "x" * 1_000_000},
        {"issues": [{"id": number} for number in range(1_000_000)]},
        "id: 1\n" * 500_000,
        "[" * 100_000,
        "x" * 2_000_000,
        "-" * 1_000_000,
        "\ud800: \ud800",
    ],
)
def test_results_of_any_shape_are_read_in_bounded_time(hostile):
    known = learned()
    structured = hostile if isinstance(hostile, dict) else None
    text = hostile if isinstance(hostile, str) else ""
    begun = time.process_time()
    content = [{"type": "text", "text": text}] * 100
    known.note("list_issues", {}, Response.of_result({"content": content, "structuredContent": structured}))
    assert all(len(str(value)) <= 300 for value in known.candidates("issue_id", tool="get_issue"))
    assert time.process_time() - begun < 5
