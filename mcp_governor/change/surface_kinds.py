"""Kinds of changes outside of schemas: tools, hints, tiers, prompts, resources, templates, the server itself."""

from __future__ import annotations

from typing import Any, Literal

from mcp_governor.change.kind_model import Example, Kind
from mcp_governor.change.terms import Side, Verdict
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
    *,
    at: _At = "surface",
    side: Side = Side.SURFACE,
    bump: Bump | None = None,
    unmirrored: str = _NO_SIDES,
    wording: bool = False,
    contract: bool = False,
) -> Kind:
    example_pair = Example(at, *example)
    return Kind(name, side, explanation, verdict, reverse, None, unmirrored, example_pair, bump, wording, contract)


def _there_and_back(
    removed: str,
    added: str,
    told: tuple[str, str],
    with_it: dict[str, Any],
    without: dict[str, Any],
    *,
    at: _At = "surface",
    contract: bool = False,
) -> list[Kind]:
    """A thing that goes, and the same thing that comes."""
    return [
        _kind(removed, _BREAKING, told[0], added, (with_it, without), at=at, contract=contract),
        _kind(added, _COMPATIBLE, told[1], removed, (without, with_it), at=at, contract=contract),
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
    at: _At = "tool",
    *,
    wording: bool = False,
    contract: bool = False,
) -> Kind:
    both = (old, new)
    return _kind(name, _COMPATIBLE, explanation, name, both, at=at, bump=Bump.PATCH, wording=wording, contract=contract)


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
        contract=True,
    ),
    _kind(
        "tool-renamed",
        _BREAKING,
        "The tool goes by another name: every call of the old one fails.",
        "tool-renamed",
        ({"tools": [_tool("list_files", "path", "depth")]}, {"tools": [_tool("files_list", "path", "depth")]}),
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
        at="tool",
        contract=True,
    ),
    _patch(
        "category-changed", "The tool is filed elsewhere.", {"category": "read"}, {"category": "write"}, contract=True
    ),
    _kind(
        "tool-deprecated",
        _COMPATIBLE,
        "The tool still works and will be removed: clients should move to its replacement.",
        "deprecation-withdrawn",
        ({}, {"_meta": {"deprecated": {"since": "1.2.0", "replacement": "find"}}}),
        at="tool",
        contract=True,
    ),
    _kind(
        "deprecation-withdrawn",
        _COMPATIBLE,
        "The tool stays after all.",
        "tool-deprecated",
        ({"_meta": {"deprecated": {"since": "1.2.0", "replacement": "find"}}}, {}),
        at="tool",
        contract=True,
    ),
    _patch(
        "deprecation-changed",
        "The tool is still deprecated; since when, for what or until when reads otherwise.",
        {"_meta": {"deprecated": {"replacement": "find"}}},
        {"_meta": {"deprecated": {"replacement": "look_up"}}},
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
        at="tool",
    ),
    _patch("title-changed", "People see another title.", {"title": "Search"}, {"title": "Find"}, wording=True),
    _patch(
        "description-changed",
        "Models read other words; which calls are accepted did not change.",
        {"description": "Searches."},
        {"description": "Finds."},
        wording=True,
    ),
    _patch(
        "icons-changed",
        "People see another picture.",
        {},
        {"icons": [{"src": "data:image/png;base64,AA=="}]},
        wording=True,
    ),
    _patch(
        "meta-changed",
        "Metadata that the comparison knows no meaning of.",
        {"_meta": {"example.com/a": 1}},
        {"_meta": {"example.com/a": 2}},
        wording=True,
    ),
    Kind(
        "output-schema-removed",
        Side.OUTPUT,
        "Nothing is promised about answers any more: clients that read structured content may find none.",
        _BREAKING,
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
    ),
    Kind(
        "contract-undecided",
        Side.SURFACE,
        "Something in the contract of a tool changed that this comparison cannot name or read: treat it as a break.",
        _UNKNOWN,
        "contract-undecided",
        None,
        _NO_SIDES,
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
    ),
    _kind(
        "prompt-required-argument-added",
        _BREAKING,
        "A new argument must be passed: getting the prompt without it fails.",
        "prompt-argument-removed",
        (_prompt(), _prompt(_NEEDED)),
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
    ),
    _kind(
        "resource-media-type-changed",
        _BREAKING,
        "The resource is of another media type: clients that parse the old one fail.",
        "resource-media-type-changed",
        (_resource(mimeType="text/plain"), _resource(mimeType="application/json")),
    ),
    _patch(
        "resource-media-type-declared",
        "The media type is told now, or no longer told.",
        _resource(),
        _resource(mimeType="text/plain"),
        "surface",
    ),
    *_there_and_back(
        "template-removed",
        "template-added",
        ("Addresses of this form lead nowhere from now on.", "A new form of addresses."),
        _template("file:///{path}"),
        {"resourceTemplates": []},
    ),
    _kind(
        "template-variable-removed",
        _BREAKING,
        "Addresses that were built with the variable lead nowhere.",
        "template-variable-added",
        (_template("file:///{root}/{path}"), _template("file:///{path}")),
    ),
    _kind(
        "template-variable-added",
        _BREAKING,
        "Addresses that were built without the variable lead nowhere.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{root}/{path}")),
    ),
    _kind(
        "template-optional-variable-added",
        _COMPATIBLE,
        "A variable of the query may be given; addresses without it still work.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{path}{?limit}")),
    ),
    _kind(
        "template-widened",
        _COMPATIBLE,
        "Addresses that were built from the old template still lead somewhere, and further ones do.",
        "template-changed",
        (_template("file:///{path}"), _template("file:///{+path}")),
    ),
    _kind(
        "template-changed",
        _BREAKING,
        "Addresses have another form: those that were built from the old template lead nowhere.",
        "template-changed",
        (_template("file:///{path}"), _template("files:///{path}")),
    ),
    _kind(
        "template-media-type-changed",
        _BREAKING,
        "What the addresses lead to is of another media type: clients that parse the old one fail.",
        "template-media-type-changed",
        (_template("a:{x}", mimeType="text/plain"), _template("a:{x}", mimeType="text/html")),
    ),
    _patch(
        "template-media-type-declared",
        "The media type is told now, or no longer told.",
        _template("a:{x}"),
        _template("a:{x}", mimeType="text/plain"),
        "surface",
    ),
    _patch(
        "sibling-wording-changed",
        "Words about a prompt, a resource or a template changed.",
        _resource(description="Start here."),
        _resource(description="Begin here."),
        "surface",
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
        "surface",
    ),
    _patch(
        "instructions-changed",
        "Models read other instructions.",
        {**_handshake(), "instructions": "Be brief."},
        {**_handshake(), "instructions": "Be exact."},
        "surface",
        wording=True,
    ),
    _patch(
        "server-name-changed",
        "The server calls itself otherwise; clients know it by the name in their own configuration.",
        {"serverInfo": {"name": "old", "version": "1"}},
        {"serverInfo": {"name": "new", "version": "1"}},
        "surface",
    ),
    _patch(
        "server-wording-changed",
        "People see another title, description, picture or website of the server.",
        {"serverInfo": {"name": "s", "version": "1", "title": "Books"}},
        {"serverInfo": {"name": "s", "version": "1", "title": "Library"}},
        "surface",
        wording=True,
    ),
]

SURFACE_KINDS: tuple[Kind, ...] = (*_TOOLS, *_PROMPTS, *_RESOURCES, *_SERVER)
