"""Tools, prompts, resources, templates and the server itself."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Change, Side, Verdict, compare
from mcp_governor.findings import Bump
from mcp_governor.surface import TierRules, build_surface
from mcp_governor.surface.fingerprint import fingerprint
from tests.change.conftest import Comparer

B, C, U = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


def tool(name: str, *arguments: str, description: str = "", **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in arguments}}
    words = {"description": description} if description else {}
    return {"name": name, "inputSchema": schema, **words, **more}


def reported(changes: list[Change]) -> list[tuple[str, str | None, Verdict]]:
    return [(change.kind, change.tool, change.verdict) for change in changes]


RENAMES: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "prefixed": (
        tool("search", "query", description="Searches the knowledge base for documents."),
        tool("kb_search", "query", description="Searches the knowledge base for documents."),
        True,
    ),
    "other name, same words, same arguments": (
        tool("add", "a", "b", description="Adds two numbers and returns the sum of both."),
        tool("get-sum", "a", "b", description="Adds two numbers and returns the sum of both."),
        True,
    ),
    "words swapped": (tool("files_list", "path", "depth"), tool("list_files", "path", "depth"), True),
    "sibling with other arguments": (tool("delete_entities", "names"), tool("delete_relations", "pairs"), False),
    "same arguments, another job": (
        tool("start_container", "id", description="Starts a stopped container."),
        tool("remove_image", "id", description="Deletes an image from the local store."),
        False,
    ),
    "opposites": (
        tool("lock_account", "user", description="Locks an account so that nobody can sign in."),
        tool("delete_account", "user", description="Deletes an account and all that belongs to it, for good."),
        False,
    ),
}


@pytest.mark.parametrize("name", RENAMES)
def test_renames_are_recognised_and_never_guessed(comparer: Comparer, name: str) -> None:
    old, new, renamed = RENAMES[name]
    changes = comparer.surfaces({"tools": [old]}, {"tools": [new]})
    if renamed:
        assert reported(changes) == [("tool-renamed", old["name"], B)]
        assert (changes[0].old, changes[0].new) == (old["name"], new["name"])
    else:
        assert [change.kind for change in changes] == ["tool-removed", "tool-added"]


def test_a_renamed_tool_keeps_being_compared(comparer: Comparer) -> None:
    changes = comparer.surfaces(
        {"tools": [tool("list_files", "path", "depth", "filter")]},
        {"tools": [tool("listFiles", "path", "depth", "filter", "order")]},
    )
    assert reported(changes) == [("tool-renamed", "list_files", B), ("argument-added", "list_files", C)]


def test_a_name_of_another_shape_is_a_rename_whatever_else_changed(comparer: Comparer) -> None:
    """What changed besides would be hidden by "is gone": tavily-mcp 0.2.12 and 0.2.22."""
    changes = comparer.surfaces(
        {
            "tools": [
                tool("files-search", "query", "days", description="A powerful search of files."),
                tool("files-map"),
            ]
        },
        {"tools": [tool("files_search", "text", "range", "depth", description="Finds text."), tool("files_map")]},
    )
    assert reported(changes)[:1] == [("tool-renamed", "files-map", B)]
    assert ("tool-renamed", "files-search", B) in reported(changes)
    assert {change.kind for change in changes}.isdisjoint({"tool-removed", "tool-added"})


@pytest.mark.parametrize(
    ("old", "new", "kind", "verdict", "bump"),
    [
        ("facade", "standard", "tier-lowered", B, Bump.MAJOR),
        ("standard", "internal", "tier-lowered", B, Bump.MAJOR),
        ("advanced", "internal", "tier-lowered", B, Bump.MINOR),
        ("advanced", "standard", "tier-raised", C, Bump.MINOR),
        ("internal", "facade", "tier-raised", C, Bump.MINOR),
    ],
)
def test_tiers(old: str, new: str, kind: str, verdict: Verdict, bump: Bump) -> None:
    recording = {"tools": [tool("t", "a")]}
    before = build_surface(recording, tiers=TierRules({old: ("t",)}))
    after = build_surface(recording, tiers=TierRules({new: ("t",)}))
    [change] = compare(before, after)
    assert (change.kind, change.verdict, change.bump) == (kind, verdict, bump)
    assert (change.old, change.new) == (old, new)


def test_deprecation_names_its_replacement(comparer: Comparer) -> None:
    notice = {"_meta": {"deprecated": {"replacement": "find", "since": "1.3.0"}}}
    [change] = comparer.tools({}, notice)
    assert (change.kind, change.verdict, change.bump) == ("tool-deprecated", C, Bump.MINOR)
    assert "`find`" in change.message
    [change] = comparer.tools(notice, {})
    assert change.kind == "deprecation-withdrawn"


def test_versions_tags_and_tooling_are_not_changes(comparer: Comparer) -> None:
    changes = comparer.surfaces(
        {"serverInfo": {"name": "s", "version": "1.0.0"}, "tools": [tool("t", _meta={"_fastmcp": {"tags": []}})]},
        {"serverInfo": {"name": "s", "version": "2.0.0"}, "tools": [tool("t", _meta={"fastmcp": {"tags": []}})]},
    )
    assert changes == []


def test_changes_come_breaking_first(comparer: Comparer) -> None:
    unreadable = {"type": "object", "properties": {"x": {"$ref": "#/$defs/None"}}}
    changes = comparer.surfaces(
        {"tools": [tool("a", "x", description="One."), tool("b", "x"), tool("c", "x"), tool("d", "x")]},
        {
            "tools": [
                tool("a", "x", description="Two."),
                tool("b", "x", "y"),
                {"name": "c", "inputSchema": unreadable},
                tool("d"),
            ]
        },
    )
    assert [change.verdict for change in changes] == [B, U, C, C]
    assert [change.bump for change in changes] == [Bump.MAJOR, Bump.MAJOR, Bump.MINOR, Bump.PATCH]


def test_what_is_equally_grave_comes_tool_first_then_its_input_then_its_output(comparer: Comparer) -> None:
    def version(word: str) -> dict[str, Any]:
        schema = {"type": "object", "description": word}
        return {"outputSchema": schema, "inputSchema": schema, "title": word}

    changes = comparer.tools(version("One."), version("Two."))
    assert [change.path for change in changes] == ["/title", "/inputSchema/description", "/outputSchema/description"]


def test_hostile_words_are_made_visible(comparer: Comparer) -> None:
    name = "bad\x1b[31m\u202ename"
    changes = comparer.surfaces({"tools": [tool(name, "a\x07")]}, {"tools": []})
    changes += comparer.surfaces({"tools": [tool(name, "a\x07")]}, {"tools": [tool(name)]})
    changes += comparer.surfaces({"prompts": [{"name": name}]}, {"prompts": []})
    assert len(changes) == 3
    for change in changes:
        assert change.message.isprintable()


def test_an_output_may_be_any_value_since_2026_07_28(comparer: Comparer) -> None:
    old, new = ({"outputSchema": {"type": types}} for types in ("object", ["object", "array"]))
    [change] = comparer.tools(old, new)
    assert (change.kind, change.verdict, change.side) == ("output-type-widened", B, Side.OUTPUT)


TASKS = [
    (None, "forbidden", None),
    (None, "optional", ("task-support-widened", C)),
    (None, "required", ("task-support-narrowed", B)),
    ("optional", "forbidden", ("task-support-narrowed", B)),
    ("optional", "required", ("task-support-narrowed", B)),
    ("required", "optional", ("task-support-widened", C)),
    ("forbidden", None, None),
]


@pytest.mark.parametrize(("old", "new", "expected"), TASKS)
def test_task_support(
    comparer: Comparer, old: str | None, new: str | None, expected: tuple[str, Verdict] | None
) -> None:
    one, other = ({} if value is None else {"execution": {"taskSupport": value}} for value in (old, new))
    changes = comparer.tools(one, other)
    assert [(change.kind, change.verdict) for change in changes] == ([expected] if expected else [])


def server(instructions: str | None = None, **capabilities: Any) -> dict[str, Any]:
    words = {"instructions": instructions} if instructions is not None else {}
    return {"serverInfo": {"name": "s"}, "capabilities": capabilities, **words}


def test_capabilities_are_one_change_that_names_them(comparer: Comparer) -> None:
    old = server(tools={"listChanged": True}, logging={}, resources={"subscribe": True})
    new = server(tools={}, extensions={"a/b": {}})
    [change] = comparer.surfaces(old, new)
    # a sub-capability goes with the one that it belongs to
    assert change.old == ["logging", "resources", "tools.listChanged"]
    assert change.new == ["extensions"]
    assert (change.bump, change.wording) == (Bump.PATCH, False)
    assert "SDK" in change.message


def test_a_gained_capability_never_breaks(comparer: Comparer) -> None:
    [gained] = comparer.surfaces(server(tools={}), server(tools={}, logging={}), capabilities="breaking")
    assert (gained.verdict, gained.bump) == (C, Bump.PATCH)


def test_task_support_is_compared_within_one_era(comparer: Comparer) -> None:
    """Tasks left the core protocol with 2026-07-28: a server that speaks it does not say what it did before."""
    with_tasks = {**tool("t"), "execution": {"taskSupport": "optional"}}
    old = {"tools": [with_tasks], "protocolVersion": "2025-11-25"}
    assert comparer.surfaces(old, {"tools": [tool("t")], "protocolVersion": "2026-07-28"}) == []
    [change] = comparer.surfaces(old, {"tools": [tool("t")], "protocolVersion": "2025-06-18"})
    assert change.kind == "task-support-narrowed"


def test_an_unknown_level_is_refused() -> None:
    empty = build_surface({})
    with pytest.raises(ValueError, match="lenient"):
        compare(empty, empty, level="lenient")


REQUIRED = "io.modelcontextprotocol/requiredCapabilities"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"sampling": {}}, {"capability-required": "`sampling`"}),
        ({"sampling": {}}, {}, {"capability-not-required": "`sampling`"}),
        ({"elicitation": {}}, {"elicitation": {"url": {}}}, {"capability-required": "`elicitation.url`"}),
        ({}, {"elicitation": {"url": {}}}, {"capability-required": "`elicitation.url`"}),
        (
            {"sampling": {}},
            {"extensions": {"io.modelcontextprotocol/tasks": {"a": 1}}},
            {
                "capability-required": "`extensions.io.modelcontextprotocol/tasks`",
                "capability-not-required": "`sampling`",
            },
        ),
        ({}, {"roots": False}, {"meta-changed": REQUIRED}),
        (None, "sampling", {"meta-changed": REQUIRED}),
    ],
)
def test_a_capability_that_a_tool_requires_hides_it_from_clients_without(
    old: object, new: object, expected: dict[str, str]
) -> None:
    before, after = (
        build_surface({"tools": [{"name": "a", "inputSchema": {"type": "object"}, "_meta": {REQUIRED: value}}]})
        for value in (old, new)
    )
    found = compare(before, after)
    assert {change.kind: change.facts.detail for change in found} == expected
    breaks = {change.kind for change in found if change.verdict is Verdict.BREAKING}
    assert breaks == {"capability-required"} & expected.keys()
    assert (fingerprint(before) == fingerprint(after)) is (expected.keys() == {"meta-changed"})
