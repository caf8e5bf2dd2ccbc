"""Kinds of changes of prompts, resources and resource templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_making import BREAKING, CHANGED, COMPATIBLE, kind, patch, there_and_back
from mcp_governor.change.terms import Event

if TYPE_CHECKING:
    from mcp_governor.change.kind_model import Kind


def _prompt(*arguments: dict[str, Any]) -> dict[str, Any]:
    return {"prompts": [{"name": "review", "arguments": list(arguments)}]}


_FREE, _NEEDED = {"name": "depth"}, {"name": "depth", "required": True}

_PROMPTS = [
    *there_and_back(
        "prompt-removed",
        "prompt-added",
        ("Getting the prompt fails from now on.", "A new prompt."),
        _prompt(),
        {"prompts": []},
        thing="prompt",
    ),
    *there_and_back(
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
    kind(
        "prompt-required-argument-added",
        BREAKING,
        "A new argument must be passed: getting the prompt without it fails.",
        "prompt-argument-removed",
        (_prompt(), _prompt(_NEEDED)),
        "{thing} of prompt {parent} is new",
        "Argument {name} of prompt {parent} is new and must be passed.",
        Event.EXTENDED,
        thing="argument",
    ),
    *there_and_back(
        "prompt-argument-required",
        "prompt-argument-optional",
        (
            "An argument that could be left out must be passed now.",
            "An argument that had to be passed may be left out now.",
        ),
        _prompt(_FREE),
        _prompt(_NEEDED),
        messages=("{thing} of prompt {parent} must be passed now", "{thing} of prompt {parent} may be left out now"),
        events=CHANGED,
        thing="argument",
    ),
]


def _resource(**more: Any) -> dict[str, Any]:
    return {"resources": [{"uri": "docs://start", "name": "start", **more}]}


def _template(uri: str, **more: Any) -> dict[str, Any]:
    return {"resourceTemplates": [{"uriTemplate": uri, "name": "file", **more}]}


_RESOURCES = [
    *there_and_back(
        "resource-removed",
        "resource-added",
        ("Reading the resource fails from now on.", "A new resource."),
        _resource(),
        {"resources": []},
        thing="resource",
    ),
    kind(
        "resource-unlisted",
        COMPATIBLE,
        "The resource is not listed any more; a template still promises its address, so reading it may work.",
        "resource-added",
        (
            {**_resource(), "resourceTemplates": [{"uriTemplate": "docs://{page}", "name": "page"}]},
            {"resources": [], "resourceTemplates": [{"uriTemplate": "docs://{page}", "name": "page"}]},
        ),
        "{thing} is not listed any more, and is an address of template {successor}",
        thing="resource",
    ),
    kind(
        "resource-media-type-changed",
        BREAKING,
        "The resource is of another media type: clients that parse the old one fail.",
        "resource-media-type-changed",
        (_resource(mimeType="text/plain"), _resource(mimeType="application/json")),
        "{thing}: mimeType changed from {old} to {new}",
        thing="resource",
    ),
    patch(
        "resource-media-type-declared",
        "The media type is told now, or no longer told.",
        _resource(),
        _resource(mimeType="text/plain"),
        "{thing}: mimeType <is new: {new}|is gone>",
        thing="resource",
        at="surface",
    ),
    *there_and_back(
        "template-removed",
        "template-added",
        ("Addresses of this form lead nowhere from now on.", "A new form of addresses."),
        _template("file:///{path}"),
        {"resourceTemplates": []},
        thing="template",
    ),
    kind(
        "template-variable-removed",
        BREAKING,
        "Addresses that were built with the variable lead nowhere.",
        "template-variable-added",
        (_template("file:///{root}/{path}"), _template("file:///{path}")),
        "{thing} does not take {lost} any more: {successor}",
        event=Event.REMOVED,
        thing="template",
    ),
    kind(
        "template-variable-added",
        BREAKING,
        "Addresses that were built without the variable lead nowhere.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{root}/{path}")),
        "{thing} asks for {gained}: {successor}",
        event=Event.ADDED,
        thing="template",
    ),
    kind(
        "template-optional-variable-added",
        COMPATIBLE,
        "A variable of the query may be given; addresses without it still work.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{path}{?limit}")),
        "{thing} asks for {gained}: {successor}",
        event=Event.EXTENDED,
        thing="template",
    ),
    kind(
        "template-widened",
        COMPATIBLE,
        "Addresses that were built from the old template still lead somewhere, and further ones do.",
        "template-changed",
        (_template("file:///{path}"), _template("file:///{+path}")),
        "{thing} takes more addresses: {successor}",
        thing="template",
    ),
    kind(
        "template-changed",
        BREAKING,
        "Addresses have another form: those that were built from the old template lead nowhere.",
        "template-changed",
        (_template("file:///{path}"), _template("files:///{path}")),
        "{thing} is {successor} now",
        thing="template",
    ),
    kind(
        "template-media-type-changed",
        BREAKING,
        "What the addresses lead to is of another media type: clients that parse the old one fail.",
        "template-media-type-changed",
        (_template("a:{x}", mimeType="text/plain"), _template("a:{x}", mimeType="text/html")),
        "{thing}: mimeType changed from {old} to {new}",
        thing="template",
    ),
    patch(
        "template-media-type-declared",
        "The media type is told now, or no longer told.",
        _template("a:{x}"),
        _template("a:{x}", mimeType="text/plain"),
        "{thing}: mimeType <is new: {new}|is gone>",
        thing="template",
        at="surface",
    ),
    patch(
        "sibling-wording-changed",
        "Words about a prompt, a resource or a template changed.",
        _resource(description="Start here."),
        _resource(description="Begin here."),
        ("{thing} of prompt {parent}: {what} changed", "{thing}: {what} changed"),
        at="surface",
        wording=True,
    ),
]

SIBLING_KINDS: tuple[Kind, ...] = (*_PROMPTS, *_RESOURCES)
