"""Kinds of changes of a tool outside of its schemas: its existence, tier, hints, words and metadata."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.kind_making import (
    BREAKING,
    CHANGED,
    COMPATIBLE,
    NO_SIDES,
    UNKNOWN,
    kind,
    patch,
    there_and_back,
)
from mcp_governor.change.kind_model import Example, Kind
from mcp_governor.change.terms import Event, Side


def _tool(name: str, *properties: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in properties}}
    return {"name": name, "inputSchema": schema, **more}


def _hints(**hints: bool) -> dict[str, Any]:
    return {"annotations": hints}


def _tiers(value: str) -> dict[str, Any]:
    return {"_meta": {"tier": value}}


_TOOLS = [
    *there_and_back(
        "tool-removed",
        "tool-added",
        (
            "Every call of the tool fails from now on.",
            "A new tool; calls of the others are not touched.",
        ),
        {"tools": [_tool("search", "query"), _tool("delete", "id")]},
        {"tools": [_tool("search", "query")]},
        entries=("{tool} [is|are] gone; {instead}.", "{tool} [is a new tool|are new tools]."),
        thing="tool",
        contract=True,
    ),
    kind(
        "tool-renamed",
        BREAKING,
        "The tool goes by another name: every call of the old one fails.",
        "tool-renamed",
        ({"tools": [_tool("list_files", "path", "depth")]}, {"tools": [_tool("files_list", "path", "depth")]}),
        "{thing} is called {successor} now",
        "{tool} [is|are] now called {successor}.",
        Event.RENAMED,
        thing="tool",
        contract=True,
    ),
    *there_and_back(
        "tier-lowered",
        "tier-raised",
        (
            "The tool promises less stability than the one that clients chose.",
            "The tool promises more stability than before.",
        ),
        _tiers("facade"),
        _tiers("advanced"),
        messages=("{what} moved from {was} to {now}",) * 2,
        entries=(
            "{tool} [moves|move] down from the tier `{was}` to `{now}`.",
            "{tool} [moves|move] up from the tier `{was}` to `{now}`.",
        ),
        events=CHANGED,
        at="tool",
        contract=True,
    ),
    patch(
        "category-changed",
        "The tool is filed elsewhere.",
        {"category": "read"},
        {"category": "write"},
        "{what} changed from {old} to {new}",
        "{tool} <[joins|join] the category `{now}`|[leaves|leave] the category `{was}`"
        "|[moves|move] from the category `{was}` to `{now}`>.",
        contract=True,
    ),
    kind(
        "tool-deprecated",
        COMPATIBLE,
        "The tool still works and will be removed: clients should move to its replacement.",
        "deprecation-withdrawn",
        ({}, {"_meta": {"deprecated": {"since": "1.2.0", "replacement": "find"}}}),
        ("{thing} is deprecated; {instead}", "{thing} is deprecated; no replacement is named"),
        "{tool} [is|are] deprecated; {instead}.",
        Event.DEPRECATED,
        thing="tool",
        at="tool",
        contract=True,
    ),
    kind(
        "deprecation-withdrawn",
        COMPATIBLE,
        "The tool stays after all.",
        "tool-deprecated",
        ({"_meta": {"deprecated": {"since": "1.2.0", "replacement": "find"}}}, {}),
        "{thing} is no longer deprecated",
        "{tool} [is|are] no longer deprecated.",
        thing="tool",
        at="tool",
        contract=True,
    ),
    patch(
        "deprecation-changed",
        "The tool is still deprecated; since when, for what or until when reads otherwise.",
        {"_meta": {"deprecated": {"replacement": "find"}}},
        {"_meta": {"deprecated": {"replacement": "look_up"}}},
        "the deprecation says something else now",
        "{tool} [stays|stay] deprecated{until}; {instead}.",
        event=Event.POSTPONED,
    ),
    *there_and_back(
        "hint-less-safe",
        "hint-safer",
        (
            "A client that lets safe tools run unasked did so on a promise that is withdrawn.",
            "The tool promises more care than before.",
        ),
        _hints(readOnlyHint=True),
        _hints(readOnlyHint=False),
        messages=("{what} moved from {old} to {new}",) * 2,
        entries=("{tool} [moves|move] {field} from `{was}` to `{now}`.",) * 2,
        events=CHANGED,
        at="tool",
        contract=True,
    ),
    *there_and_back(
        "task-support-narrowed",
        "task-support-widened",
        (
            "A way of calling the tool (plainly, or as a task) is refused now.",
            "The tool may be called in one more way.",
        ),
        {"execution": {"taskSupport": "optional"}},
        {"execution": {"taskSupport": "required"}},
        messages=("{what} moved from {was} to {now}",) * 2,
        entries=("{tool} [moves|move] `taskSupport` from `{was}` to `{now}`.",) * 2,
        events=CHANGED,
        at="tool",
    ),
    patch(
        "title-changed",
        "People see another title.",
        {"title": "Search"},
        {"title": "Find"},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] a new title.",
        wording=True,
    ),
    patch(
        "description-changed",
        "Models read other words; which calls are accepted did not change.",
        {"description": "Searches."},
        {"description": "Finds."},
        "{what} <is new|is gone|changed>",
        "{tool} [is|are] described in new words.",
        wording=True,
    ),
    patch(
        "icons-changed",
        "People see another picture.",
        {},
        {"icons": [{"src": "data:image/png;base64,AA=="}]},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] other icons.",
        wording=True,
    ),
    patch(
        "meta-changed",
        "Metadata that the comparison knows no meaning of.",
        {"_meta": {"example.com/a": 1}},
        {"_meta": {"example.com/a": 2}},
        "_meta changed: {detail}",
        "{tool} [has|have] other metadata: {detail}.",
        wording=True,
    ),
    Kind(
        "output-schema-removed",
        Side.OUTPUT,
        "Nothing is promised about answers any more: clients that read structured content may find none.",
        BREAKING,
        "the output schema is gone",
        "{tool} no longer [declares|declare] what [it returns|they return].",
        Event.REMOVED,
        "output-schema-added",
        None,
        "A tool always has an input schema.",
        Example("tool", {"outputSchema": {"type": "object"}}, {}),
        contract=True,
    ),
    Kind(
        "output-schema-added",
        Side.OUTPUT,
        "The tool now says what its structured content holds; nobody relied on it before.",
        COMPATIBLE,
        "the tool declares its output now",
        "{tool} [declares|declare] what [it returns|they return].",
        Event.ADDED,
        "output-schema-removed",
        None,
        "A tool always has an input schema.",
        Example("tool", {}, {"outputSchema": {"type": "object"}}),
        contract=True,
    ),
    kind(
        "entry-undecided",
        UNKNOWN,
        "An entry of a list that cannot be read, or repeats a name, changed: nobody can tell what that does.",
        "entry-undecided",
        ({"tools": [{"name": ""}]}, {"tools": [{"name": 7}]}),
        "{what} changed",
    ),
    Kind(
        "contract-undecided",
        Side.SURFACE,
        "Something in the contract of a tool changed that this comparison cannot name or read: treat it as a break.",
        UNKNOWN,
        ("something in the {detail} of {thing} changed", "{thing} changed"),
        ("{tool} [has|have] another contract in {detail}.", "{tool} [has|have] another contract."),
        Event.CHANGED,
        "contract-undecided",
        None,
        NO_SIDES,
        thing="tool",
        contract=True,
    ),
]

SURFACE_KINDS: tuple[Kind, ...] = tuple(_TOOLS)
