"""Kinds of changes outside of schemas: tools, hints, tiers, prompts, resources, templates, the server itself."""

from __future__ import annotations

from typing import Any, Literal

from mcp_governor.change.kind_model import Example, Kind, Sentence
from mcp_governor.change.terms import Event, Side, Verdict
from mcp_governor.findings import Bump

_BREAKING, _COMPATIBLE, _UNKNOWN = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN
_NO_SIDES = "It is neither sent nor answered, so there is no other side."
_At = Literal["tool", "surface"]


def _kind(
    name: str,
    verdict: Verdict,
    explanation: str,
    reverse: str,
    example: tuple[dict[str, Any], dict[str, Any]],
    message: Sentence,
    entry: Sentence = "",
    event: Event = Event.CHANGED,
    *,
    at: _At = "surface",
    **more: Any,
) -> Kind:
    return Kind(
        *(name, Side.SURFACE, explanation, verdict, message, entry, event, reverse, None, _NO_SIDES),
        example=Example(at, *example),
        **more,
    )


def _there_and_back(
    removed: str,
    added: str,
    told: tuple[str, str],
    with_it: dict[str, Any],
    without: dict[str, Any],
    messages: tuple[Sentence, Sentence] = ("{thing} is gone", "{thing} is new"),
    entries: tuple[Sentence, Sentence] = ("", ""),
    events: tuple[Event, Event] = (Event.REMOVED, Event.ARRIVED),
    **more: Any,
) -> list[Kind]:
    """A thing that goes, and the same thing that comes."""
    return [
        _kind(removed, _BREAKING, told[0], added, (with_it, without), messages[0], entries[0], events[0], **more),
        _kind(added, _COMPATIBLE, told[1], removed, (without, with_it), messages[1], entries[1], events[1], **more),
    ]


def _tool(name: str, *properties: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in properties}}
    return {"name": name, "inputSchema": schema, **more}


def _hints(**hints: bool) -> dict[str, Any]:
    return {"annotations": hints}


def _tiers(value: str) -> dict[str, Any]:
    return {"_meta": {"tier": value}}


def _patch(
    name: str,
    explanation: str,
    old: dict[str, Any],
    new: dict[str, Any],
    message: Sentence,
    entry: Sentence = "",
    *,
    at: _At = "tool",
    **more: Any,
) -> Kind:
    return _kind(name, _COMPATIBLE, explanation, name, (old, new), message, entry, at=at, given_bump=Bump.PATCH, **more)


_CHANGED = (Event.CHANGED, Event.CHANGED)

_TOOLS = [
    *_there_and_back(
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
    _kind(
        "tool-renamed",
        _BREAKING,
        "The tool goes by another name: every call of the old one fails.",
        "tool-renamed",
        ({"tools": [_tool("list_files", "path", "depth")]}, {"tools": [_tool("files_list", "path", "depth")]}),
        "{thing} is called {successor} now",
        "{tool} [is|are] now called {successor}.",
        Event.RENAMED,
        thing="tool",
        contract=True,
    ),
    *_there_and_back(
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
        events=_CHANGED,
        at="tool",
        contract=True,
    ),
    _patch(
        "category-changed",
        "The tool is filed elsewhere.",
        {"category": "read"},
        {"category": "write"},
        "{what} changed from {old} to {new}",
        "{tool} <[joins|join] the category `{now}`|[leaves|leave] the category `{was}`"
        "|[moves|move] from the category `{was}` to `{now}`>.",
        contract=True,
    ),
    _kind(
        "tool-deprecated",
        _COMPATIBLE,
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
    _kind(
        "deprecation-withdrawn",
        _COMPATIBLE,
        "The tool stays after all.",
        "tool-deprecated",
        ({"_meta": {"deprecated": {"since": "1.2.0", "replacement": "find"}}}, {}),
        "{thing} is no longer deprecated",
        "{tool} [is|are] no longer deprecated.",
        thing="tool",
        at="tool",
        contract=True,
    ),
    _patch(
        "deprecation-changed",
        "The tool is still deprecated; since when, for what or until when reads otherwise.",
        {"_meta": {"deprecated": {"replacement": "find"}}},
        {"_meta": {"deprecated": {"replacement": "look_up"}}},
        "the deprecation says something else now",
        "{tool} [stays|stay] deprecated{until}; {instead}.",
        event=Event.POSTPONED,
    ),
    *_there_and_back(
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
        events=_CHANGED,
        at="tool",
        contract=True,
    ),
    *_there_and_back(
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
        events=_CHANGED,
        at="tool",
    ),
    _patch(
        "title-changed",
        "People see another title.",
        {"title": "Search"},
        {"title": "Find"},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] a new title.",
        wording=True,
    ),
    _patch(
        "description-changed",
        "Models read other words; which calls are accepted did not change.",
        {"description": "Searches."},
        {"description": "Finds."},
        "{what} <is new|is gone|changed>",
        "{tool} [is|are] described in new words.",
        wording=True,
    ),
    _patch(
        "icons-changed",
        "People see another picture.",
        {},
        {"icons": [{"src": "data:image/png;base64,AA=="}]},
        "{what} <is new|is gone|changed>",
        "{tool} [has|have] other icons.",
        wording=True,
    ),
    _patch(
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
        _BREAKING,
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
        _COMPATIBLE,
        "the tool declares its output now",
        "{tool} [declares|declare] what [it returns|they return].",
        Event.ADDED,
        "output-schema-removed",
        None,
        "A tool always has an input schema.",
        Example("tool", {}, {"outputSchema": {"type": "object"}}),
        contract=True,
    ),
    _kind(
        "entry-undecided",
        _UNKNOWN,
        "An entry of a list that cannot be read, or repeats a name, changed: nobody can tell what that does.",
        "entry-undecided",
        ({"tools": [{"name": ""}]}, {"tools": [{"name": 7}]}),
        "{what} changed",
    ),
    Kind(
        "contract-undecided",
        Side.SURFACE,
        "Something in the contract of a tool changed that this comparison cannot name or read: treat it as a break.",
        _UNKNOWN,
        ("something in the {detail} of {thing} changed", "{thing} changed"),
        ("{tool} [has|have] another contract in {detail}.", "{tool} [has|have] another contract."),
        Event.CHANGED,
        "contract-undecided",
        None,
        _NO_SIDES,
        thing="tool",
        contract=True,
    ),
]


def _prompt(*arguments: dict[str, Any]) -> dict[str, Any]:
    return {"prompts": [{"name": "review", "arguments": list(arguments)}]}


_FREE, _NEEDED = {"name": "depth"}, {"name": "depth", "required": True}

_PROMPTS = [
    *_there_and_back(
        "prompt-removed",
        "prompt-added",
        ("Getting the prompt fails from now on.", "A new prompt."),
        _prompt(),
        {"prompts": []},
        thing="prompt",
    ),
    *_there_and_back(
        "prompt-argument-removed",
        "prompt-argument-added",
        (
            "An argument of a prompt is gone: clients that pass it are refused or ignored.",
            "A new argument that may be left out.",
        ),
        _prompt(_FREE),
        _prompt(),
        messages=("{thing} of prompt {parent} is gone", "{thing} of prompt {parent} is new"),
        events=(Event.REMOVED, Event.ADDED),
        thing="argument",
    ),
    _kind(
        "prompt-required-argument-added",
        _BREAKING,
        "A new argument must be passed: getting the prompt without it fails.",
        "prompt-argument-removed",
        (_prompt(), _prompt(_NEEDED)),
        "{thing} of prompt {parent} is new",
        "Argument {name} of prompt {parent} is new and must be passed.",
        Event.EXTENDED,
        thing="argument",
    ),
    *_there_and_back(
        "prompt-argument-required",
        "prompt-argument-optional",
        (
            "An argument that could be left out must be passed now.",
            "An argument that had to be passed may be left out now.",
        ),
        _prompt(_FREE),
        _prompt(_NEEDED),
        messages=("{thing} of prompt {parent} must be passed now", "{thing} of prompt {parent} may be left out now"),
        events=_CHANGED,
        thing="argument",
    ),
]


def _resource(**more: Any) -> dict[str, Any]:
    return {"resources": [{"uri": "docs://start", "name": "start", **more}]}


def _template(uri: str, **more: Any) -> dict[str, Any]:
    return {"resourceTemplates": [{"uriTemplate": uri, "name": "file", **more}]}


_RESOURCES = [
    *_there_and_back(
        "resource-removed",
        "resource-added",
        ("Reading the resource fails from now on.", "A new resource."),
        _resource(),
        {"resources": []},
        thing="resource",
    ),
    _kind(
        "resource-unlisted",
        _COMPATIBLE,
        "The resource is not listed any more; a template still promises its address, so reading it may work.",
        "resource-added",
        (
            {**_resource(), "resourceTemplates": [{"uriTemplate": "docs://{page}", "name": "page"}]},
            {"resources": [], "resourceTemplates": [{"uriTemplate": "docs://{page}", "name": "page"}]},
        ),
        "{thing} is not listed any more, and is an address of template {successor}",
        thing="resource",
    ),
    _kind(
        "resource-media-type-changed",
        _BREAKING,
        "The resource is of another media type: clients that parse the old one fail.",
        "resource-media-type-changed",
        (_resource(mimeType="text/plain"), _resource(mimeType="application/json")),
        "{thing}: mimeType changed from {old} to {new}",
        thing="resource",
    ),
    _patch(
        "resource-media-type-declared",
        "The media type is told now, or no longer told.",
        _resource(),
        _resource(mimeType="text/plain"),
        "{thing}: mimeType <is new: {new}|is gone>",
        thing="resource",
        at="surface",
    ),
    *_there_and_back(
        "template-removed",
        "template-added",
        ("Addresses of this form lead nowhere from now on.", "A new form of addresses."),
        _template("file:///{path}"),
        {"resourceTemplates": []},
        thing="template",
    ),
    _kind(
        "template-variable-removed",
        _BREAKING,
        "Addresses that were built with the variable lead nowhere.",
        "template-variable-added",
        (_template("file:///{root}/{path}"), _template("file:///{path}")),
        "{thing} does not take {lost} any more: {successor}",
        event=Event.REMOVED,
        thing="template",
    ),
    _kind(
        "template-variable-added",
        _BREAKING,
        "Addresses that were built without the variable lead nowhere.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{root}/{path}")),
        "{thing} asks for {gained}: {successor}",
        event=Event.ADDED,
        thing="template",
    ),
    _kind(
        "template-optional-variable-added",
        _COMPATIBLE,
        "A variable of the query may be given; addresses without it still work.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{path}{?limit}")),
        "{thing} asks for {gained}: {successor}",
        event=Event.EXTENDED,
        thing="template",
    ),
    _kind(
        "template-widened",
        _COMPATIBLE,
        "Addresses that were built from the old template still lead somewhere, and further ones do.",
        "template-changed",
        (_template("file:///{path}"), _template("file:///{+path}")),
        "{thing} takes more addresses: {successor}",
        thing="template",
    ),
    _kind(
        "template-changed",
        _BREAKING,
        "Addresses have another form: those that were built from the old template lead nowhere.",
        "template-changed",
        (_template("file:///{path}"), _template("files:///{path}")),
        "{thing} is {successor} now",
        thing="template",
    ),
    _kind(
        "template-media-type-changed",
        _BREAKING,
        "What the addresses lead to is of another media type: clients that parse the old one fail.",
        "template-media-type-changed",
        (_template("a:{x}", mimeType="text/plain"), _template("a:{x}", mimeType="text/html")),
        "{thing}: mimeType changed from {old} to {new}",
        thing="template",
    ),
    _patch(
        "template-media-type-declared",
        "The media type is told now, or no longer told.",
        _template("a:{x}"),
        _template("a:{x}", mimeType="text/plain"),
        "{thing}: mimeType <is new: {new}|is gone>",
        thing="template",
        at="surface",
    ),
    _patch(
        "sibling-wording-changed",
        "Words about a prompt, a resource or a template changed.",
        _resource(description="Start here."),
        _resource(description="Begin here."),
        ("{thing} of prompt {parent}: {what} changed", "{thing}: {what} changed"),
        at="surface",
        wording=True,
    ),
]


def _handshake(**capabilities: Any) -> dict[str, Any]:
    return {"serverInfo": {"name": "s", "version": "1"}, "capabilities": {"tools": {}, **capabilities}}


_SERVER = [
    _patch(
        "capabilities-changed",
        "The server declares other capabilities. Many come and go with the SDK, and clients learn of them on every "
        "connection; what a lost list held is told entry by entry. Compared within one protocol era; "
        '`capabilities = "breaking"` makes a lost one a break.',
        _handshake(completions={}, logging={}),
        _handshake(completions={}, extensions={"io.modelcontextprotocol/ui": {}}),
        tuple(
            f"the server {moved}; capabilities often come and go with the SDK"
            for moved in (
                "no longer declares {lost_names} and now declares {gained_names}",
                "no longer declares {lost_names}",
                "now declares {gained_names}",
            )
        ),
        tuple(
            f"The server declares other `capabilities`: {moved}."
            for moved in ("without {lost}, with {gained}", "without {lost}", "with {gained}")
        ),
        at="surface",
    ),
    _patch(
        "instructions-changed",
        "Models read other instructions.",
        {**_handshake(), "instructions": "Be brief."},
        {**_handshake(), "instructions": "Be exact."},
        "the {what} <are new|are gone|are reworded>",
        "The `instructions` <are new|are gone|are reworded>.",
        at="surface",
        wording=True,
    ),
    _patch(
        "server-name-changed",
        "The server calls itself otherwise; clients know it by the name in their own configuration.",
        {"serverInfo": {"name": "old", "version": "1"}},
        {"serverInfo": {"name": "new", "version": "1"}},
        "the server calls itself {new}, was {old}",
        "The {name} of the server is {new}; it was {old}.",
        at="surface",
    ),
    _patch(
        "server-wording-changed",
        "People see another title, description, picture or website of the server.",
        {"serverInfo": {"name": "s", "version": "1", "title": "Books"}},
        {"serverInfo": {"name": "s", "version": "1", "title": "Library"}},
        "{what} of the server changed",
        "The {name} of the server changed.",
        at="surface",
        wording=True,
    ),
]

SURFACE_KINDS: tuple[Kind, ...] = (*_TOOLS, *_PROMPTS, *_RESOURCES, *_SERVER)
