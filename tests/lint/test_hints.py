"""What a tool does by its words, and hints that say only half of it."""

from __future__ import annotations

import pytest

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.linting.effects import effect_of
from mcp_governor.surface import build_surface


def surface(*tools):
    return build_surface({"tools": [{"inputSchema": {"type": "object"}, **tool} for tool in tools]})


@pytest.mark.parametrize(
    ("name", "text", "effect"),
    [
        ("click", "Perform a click on a page", "writes"),
        ("press_key", "Press a key", "writes"),
        ("screenshot", "Take a picture of the page", "reads"),
        ("pricing", "Tool that retrieves prices", "reads"),
        ("costs", "This tool analyzes costs. WRITE OPERATION: starts one of 20 runs a day", "writes"),
        ("session-sql", "Execute SQL queries on the database. Example: SELECT 1", "runs"),
        ("sql", "Execute SQL queries. Only SELECT is allowed", "unknown"),
        ("clock", "The time.", "unknown"),
        ("mark_all_as_read", "Marks all messages as read", "writes"),
        ("mute_host", "Mute a host", "writes"),
        ("resolve_thread", "Resolve a thread of a review", "writes"),
        ("resolve_name", "Resolve a name", "reads"),
        ("search_feedback", "Send feedback on a search", "writes"),
        ("site_crawl", "Crawl a website", "reads"),
        ("get_block", "The newest block", "reads"),
        ("revoke_key", "Revoke a key", "destroys"),
        ("by_type", "The kinds.", "unknown"),
        ("delete_page", "Deletes a page", "destroys"),
        ("retrieve", "Retrieves a page. A copy overwrites the old one", "destroys"),
    ],
)
def test_what_a_tool_does(name, text, effect):
    (tool,) = surface({"name": name, "description": text}).tools
    assert effect_of(tool) == effect


def complete(*tools):
    found = lint(surface(*tools), LintSettings(select=("clarity/hints-complete",)))
    return [(one.path, one.message) for one in found]


def test_a_change_without_a_word_on_destruction_is_one_finding():
    writes = {"annotations": {"readOnlyHint": False}}
    ((path, message),) = complete({"name": "add", **writes}, {"name": "push", **writes}, {"name": "wipe", **writes})
    assert path == "/tools"
    assert message == (
        "2 tools say readOnlyHint: false without destructiveHint, which then counts as true: add, push; "
        "true is right for wipe."
    )
    assert complete({"name": "wipe", **writes}) == []
    assert complete({"name": "add", "annotations": {"readOnlyHint": False, "destructiveHint": False}}) == []
    assert complete({"name": "add"}) == []


def test_the_graver_tools_are_named_before_the_others():
    tools = [{"name": f"{verb}_{n}"} for verb in ("get", "add", "delete") for n in range(13)]
    (found,) = lint(surface(*tools), LintSettings(select=("clarity/hints-declared",)))
    assert [found.message.count(verb) for verb in ("delete_", "add_", "get_")] == [12, 10, 6]
