"""Kinds of changes to a tool outside its schemas, and to what the server publishes about itself."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.kind_model import (
    BREAKING,
    CHANGED,
    COMPATIBLE,
    NO_SIDES,
    UNKNOWN,
    Kind,
    kind,
    patch,
    there_and_back,
)
from mcp_governor.change.vocabulary import Event, Side
from mcp_governor.surface.model import REQUIRED_CAPABILITIES


def _handshake(**capabilities: Any) -> dict[str, Any]:
    return {"serverInfo": {"name": "s", "version": "1"}, "capabilities": {"tools": {}, **capabilities}}


_SERVER = [
    patch(
        "capabilities-changed",
        "The server declares different capabilities. Many come and go with the SDK, and clients receive them on every "
        "connection; the entries of a list that disappears are reported one by one. Capabilities are compared within "
        'one protocol era; with `capabilities = "breaking"`, a dropped one is a break.',
        _handshake(completions={}, logging={}),
        _handshake(completions={}, extensions={"io.modelcontextprotocol/ui": {}}),
        tuple(
            f"the server {moved}; capabilities often come and go with the SDK"
            for moved in (
                "no longer declares {lost}, and now declares {gained}",
                "no longer declares {lost}",
                "now declares {gained}",
            )
        ),
        tuple(
            f"The server declares different `capabilities`: {moved}."
            for moved in ("without {lost}, with {gained}", "without {lost}", "with {gained}")
        ),
        at="surface",
    ),
    patch(
        "content-language-changed",
        "A list says that its descriptions are in another language than before. They are compared all the same, so "
        "record both sides in one language: what differs between them is a translation.",
        {**_handshake(), "listings": {"tools": {"contentLanguage": "en"}}},
        {**_handshake(), "listings": {"tools": {"contentLanguage": "de"}}},
        "the {what} are in {new} now, and were in {old}",
        "The {what} are in {new}; they were in {old}.",
        at="surface",
        wording=True,
    ),
    patch(
        "instructions-changed",
        "Models read different instructions.",
        {**_handshake(), "instructions": "Be brief."},
        {**_handshake(), "instructions": "Be exact."},
        "the {what} <are new|are gone|are reworded>",
        "The `instructions` <are new|are gone|are reworded>.",
        at="surface",
        wording=True,
    ),
    patch(
        "server-name-changed",
        "The name of the server changed; clients use the name in their own configuration.",
        {"serverInfo": {"name": "old", "version": "1"}},
        {"serverInfo": {"name": "new", "version": "1"}},
        "the name of the server changed from {old} to {new}",
        "The {name} of the server is {new}; it was {old}.",
        at="surface",
    ),
    patch(
        "server-wording-changed",
        "Users see a different title, description, icon or website of the server.",
        {"serverInfo": {"name": "s", "version": "1", "title": "Books"}},
        {"serverInfo": {"name": "s", "version": "1", "title": "Library"}},
        "{what} of the server changed",
        "The {name} of the server changed.",
        at="surface",
        wording=True,
    ),
]

SERVER_KINDS: tuple[Kind, ...] = tuple(_SERVER)


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
            "Every call of the tool fails.",
            "A new tool; calls of other tools are not affected.",
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
        "The tool was renamed: every call of the old name fails.",
        "tool-renamed",
        ({"tools": [_tool("list_files", "path", "depth")]}, {"tools": [_tool("files_list", "path", "depth")]}),
        "{thing} was renamed to {successor}",
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
    *there_and_back(
        "tool-unlisted",
        "tool-listed",
        (
            "Clients that list tools without parameters do not see the tool any more.",
            "Clients see the tool without asking for it.",
        ),
        {"tools": [_tool("search", "query"), _tool("delete", "id")]},
        {"tools": [_tool("search", "query"), _tool("delete", "id")], "optIn": {"delete": {"catalog": "all"}}},
        messages=("{thing} is no longer in the default list", "{thing} is now in the default list"),
        entries=(
            "{tool} [leaves|leave] the default list.",
            "{tool} [joins|join] the default list.",
        ),
        events=CHANGED,
        thing="tool",
        contract=True,
    ),
    *there_and_back(
        "capability-required",
        "capability-not-required",
        (
            "The tool requires a capability of the client: clients without it leave the tool out, or every call fails.",
            "The tool no longer requires a capability of the client.",
        ),
        {"_meta": {}},
        {"_meta": {REQUIRED_CAPABILITIES: {"sampling": {}}}},
        messages=("clients now need {detail}", "clients no longer need {detail}"),
        entries=("{tool} [requires|require] {detail} of the client.", "{tool} no longer [requires|require] {detail}."),
        events=CHANGED,
        at="tool",
        contract=True,
    ),
    *there_and_back(
        "visibility-narrowed",
        "visibility-widened",
        (
            "The model, or the server's app, no longer gets the tool (`_meta.ui.visibility` of MCP Apps).",
            "The model, or the server's app, gets the tool as well.",
        ),
        {"_meta": {"ui": {"visibility": ["model", "app"]}}},
        {"_meta": {"ui": {"visibility": ["app"]}}},
        messages=("{detail} no longer gets the tool", "{detail} gets the tool as well"),
        entries=("{tool} [is|are] no longer visible to {detail}.", "{tool} [is|are] visible to {detail} as well."),
        events=CHANGED,
        at="tool",
        contract=True,
    ),
    patch(
        "category-changed",
        "The tool moved to another category.",
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
        "The tool is no longer deprecated.",
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
        "The tool is still deprecated; the start, the replacement or the end changed.",
        {"_meta": {"deprecated": {"replacement": "find"}}},
        {"_meta": {"deprecated": {"replacement": "look_up"}}},
        "the deprecation notice changed",
        "{tool} [stays|stay] deprecated{until}; {instead}.",
        event=Event.POSTPONED,
    ),
    *there_and_back(
        "hint-less-safe",
        "hint-safer",
        (
            "Clients that run safe tools without asking relied on a promise that is now withdrawn.",
            "The tool promises to be safer than before.",
        ),
        _hints(readOnlyHint=True),
        _hints(readOnlyHint=False),
        # The first ones: only one side states the hint.
        messages=(("{what} {detail}", "{what} changed from {old} to {new}"),) * 2,
        entries=(
            (
                "{tool} [changes|change] {field}, which {detail}.",
                "{tool} [changes|change] {field} from `{was}` to `{now}`.",
            ),
        )
        * 2,
        events=CHANGED,
        at="tool",
        contract=True,
    ),
    *there_and_back(
        "task-support-narrowed",
        "task-support-widened",
        (
            "A way of calling the tool (plainly, or as a task) is now refused.",
            "The tool may be called in one more way.",
        ),
        {"execution": {"taskSupport": "optional"}},
        {"execution": {"taskSupport": "required"}},
        messages=("{what} moved from {was} to {now}",) * 2,
        entries=("{tool} [changes|change] `taskSupport` from `{was}` to `{now}`.",) * 2,
        events=CHANGED,
        at="tool",
        contract=True,
    ),
    patch(
        "title-changed",
        "Users see a different title.",
        {"title": "Search"},
        {"title": "Find"},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] a new title.",
        wording=True,
    ),
    patch(
        "description-changed",
        "Models read a different description; the accepted calls are the same.",
        {"description": "Searches."},
        {"description": "Finds."},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] a new description.",
        wording=True,
    ),
    patch(
        "icons-changed",
        "Users see different icons.",
        {},
        {"icons": [{"src": "data:image/png;base64,AA=="}]},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] different icons.",
        wording=True,
    ),
    patch(
        "meta-changed",
        "Metadata changed whose meaning the comparison does not know.",
        {"_meta": {"example.com/a": 1}},
        {"_meta": {"example.com/a": 2}},
        "_meta changed: {detail}",
        "{tool} [has|have] different metadata: {detail}.",
        wording=True,
    ),
    *there_and_back(
        "output-schema-removed",
        "output-schema-added",
        (
            "Results are no longer described: clients that read structured content may find none.",
            "The tool now says what its structured content holds; nobody relied on it before.",
        ),
        {"outputSchema": {"type": "object"}},
        {},
        ("the output schema is gone", "the tool now declares its output"),
        (
            "{tool} no longer [declares|declare] what [it returns|they return].",
            "{tool} [declares|declare] what [it returns|they return].",
        ),
        (Event.REMOVED, Event.ADDED),
        at="tool",
        side=Side.OUTPUT,
        unmirrored="A tool always has an input schema.",
        contract=True,
    ),
    kind(
        "entry-undecided",
        UNKNOWN,
        "A list entry that cannot be read, or repeats a name, changed; the effect is unknown.",
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
        ("{tool} [has|have] a different contract in {detail}.", "{tool} [has|have] a different contract."),
        Event.CHANGED,
        "contract-undecided",
        None,
        NO_SIDES,
        thing="tool",
        contract=True,
    ),
]

SURFACE_KINDS: tuple[Kind, ...] = tuple(_TOOLS)
