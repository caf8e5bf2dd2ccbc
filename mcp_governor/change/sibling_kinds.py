"""Kinds of changes of prompts, resources, resource templates, and skills (SEP-2640)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_model import BREAKING, CHANGED, COMPATIBLE, UNKNOWN, kind, patch, there_and_back
from mcp_governor.change.vocabulary import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.kind_model import Kind


_URI, _FORMS = "skill://refunds/SKILL.md", "skill://refunds/FORMS.md"
_ONE, _TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"


def _skill(uri: str = _URI, digest: str = _ONE, *more: str, **frontmatter: Any) -> dict[str, Any]:
    """A surface with one skill, whose other files are ``more``."""
    files = [{"uri": name, "digest": digest if name == uri else _ONE, "size": 9} for name in (uri, *more)]
    names = {"name": uri.split("/")[-2], "description": "Refund an order.", **frontmatter}
    return {"skills": [{"uri": uri, "frontmatter": names, "resources": files}]}


def _dynamic() -> dict[str, Any]:
    return {"skills": [{**_skill()["skills"][0], "resources": "dynamic"}]}


def _served(promised: str) -> dict[str, Any]:
    """A skill whose file is read with the digest ``_ONE``."""
    return {**_skill(digest=promised), "skillFiles": {_URI: {"digest": _ONE, "size": 9}}}


_NO_SKILLS: dict[str, Any] = {"skills": []}

SKILL_KINDS: tuple[Kind, ...] = (
    *there_and_back(
        "skill-removed",
        "skill-added",
        (
            "The skill is gone; an approval of it, or a prompt that names it, refers to nothing.",
            "A new skill; hosts ask their users before they load it.",
        ),
        _skill(),
        _NO_SKILLS,
        thing="skill",
        contract=True,
    ),
    kind(
        "skill-renamed",
        BREAKING,
        "The skill has another URI and the same text. Its URI is its identity: what users approved is for the old one.",
        "skill-renamed",
        (_skill(), _skill("skill://refund-orders/SKILL.md")),
        "{thing} was renamed to {successor}",
        event=Event.RENAMED,
        thing="skill",
        contract=True,
    ),
    *there_and_back(
        "skill-tools-widened",
        "skill-tools-narrowed",
        (
            "The skill asks for more tools that run without a question. Hosts ignore them until their users approve "
            "again, and a user who trusts the skill gives away more than before.",
            "The skill asks for fewer tools that run without a question.",
        ),
        _skill(**{"allowed-tools": "search"}),
        _skill(**{"allowed-tools": "search refund"}),
        ("{thing} may now use {gained} without a question", "{thing} no longer uses {lost} without a question"),
        events=(Event.EXTENDED, Event.CHANGED),
        thing="skill",
        contract=True,
    ),
    *there_and_back(
        "skill-digests-dropped",
        "skill-digests-published",
        (
            "The content of the skill has no digests any more. Hosts cannot verify it, and may refuse to load it.",
            "The content of the skill has digests now, so that hosts can verify it.",
        ),
        _skill(),
        _dynamic(),
        (
            "{thing} no longer publishes digests: its content is dynamic",
            "{thing} publishes digests of its files",
        ),
        events=CHANGED,
        thing="skill",
        contract=True,
    ),
    *there_and_back(
        "skill-digest-wrong",
        "skill-digest-corrected",
        (
            "A file is served with another size or digest than its entry promises. Hosts refuse to load it; where they "
            "do not verify it, a model reads what no user has approved.",
            "The entry promises again what is served, so that hosts load the file.",
        ),
        _served(_ONE),
        _served(_TWO),
        (
            "{thing}, {what}: {detail}",
            "{thing}, {what}: it is again what the entry promises",
        ),
        events=CHANGED,
        thing="skill",
    ),
    patch(
        "skill-frontmatter-changed",
        "A field of the frontmatter changed that is neither the description nor the allowed tools; the name counts as "
        "one where the URI is the same.",
        _skill(license="MIT"),
        _skill(license="Apache-2.0"),
        "{thing}: {what} <is new: {new}|is gone, was {old}|changed from {old} to {new}|changed>",
        at="surface",
        thing="skill",
        contract=True,
    ),
    patch(
        "skill-description-changed",
        "The description of the skill changed, by which models choose it.",
        _skill(),
        _skill(description="Refund one order."),
        "{thing}: the description is reworded",
        at="surface",
        thing="skill",
        wording=True,
    ),
    patch(
        "skill-text-changed",
        "The instructions of the skill changed: models that load it act differently. Hosts ask their users to approve "
        "it again.",
        _skill(),
        _skill(digest=_TWO),
        ("the text of {thing} changed: {detail}", "the text of {thing} changed"),
        at="surface",
        thing="skill",
    ),
    patch(
        "skill-file-changed",
        "A file of the skill was added, removed or changed. Hosts ask their users to approve the skill again.",
        _skill(_URI, _ONE, _FORMS),
        _skill(),
        "{thing} of skill {parent} <is new|is gone|changed|changed>",
        at="surface",
        thing="file",
    ),
    kind(
        "skill-undecided",
        UNKNOWN,
        "What hosts load is not known: a file that was read before cannot be read or verified, or several entries have "
        "the URI.",
        "skill-undecided",
        (_skill(), {"skills": _skill()["skills"] + _skill(license="MIT")["skills"]}),
        "{thing} cannot be compared",
        thing="skill",
    ),
    kind(
        "skills-undecided",
        UNKNOWN,
        "One side has skills, and the skills of the other are not known: they could not be read, or an earlier version "
        "recorded it.",
        "skills-undecided",
        (_skill(), {"capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}}}),
        "the skills cannot be compared",
    ),
)


def _prompt(*arguments: dict[str, Any]) -> dict[str, Any]:
    return {"prompts": [{"name": "review", "arguments": list(arguments)}]}


_FREE, _NEEDED = {"name": "depth"}, {"name": "depth", "required": True}

_PROMPTS = [
    *there_and_back(
        "prompt-removed",
        "prompt-added",
        ("Requests for the prompt fail.", "A new prompt."),
        _prompt(),
        {"prompts": []},
        thing="prompt",
    ),
    *there_and_back(
        "prompt-argument-removed",
        "prompt-argument-added",
        (
            "An argument of a prompt was removed: clients that pass it are refused or ignored.",
            "A new optional argument.",
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
        "A new argument is required: requests for the prompt without it fail.",
        "prompt-argument-removed",
        (_prompt(), _prompt(_NEEDED)),
        "{thing} of prompt {parent} is new",
        "Argument {name} of prompt {parent} is new and required.",
        Event.EXTENDED,
        thing="argument",
    ),
    *there_and_back(
        "prompt-argument-required",
        "prompt-argument-optional",
        (
            "An optional argument became required.",
            "A required argument became optional.",
        ),
        _prompt(_FREE),
        _prompt(_NEEDED),
        messages=("{thing} of prompt {parent} is now required", "{thing} of prompt {parent} is now optional"),
        events=CHANGED,
        thing="argument",
    ),
]


def _resource(**more: Any) -> dict[str, Any]:
    return {"resources": [{"uri": "docs://start", "name": "start", **more}]}


def _template(uri: str, **more: Any) -> dict[str, Any]:
    return {"resourceTemplates": [{"uriTemplate": uri, "name": "file", **more}]}


def _media_types(thing: str, subject: str, made: Callable[..., dict[str, Any]]) -> list[Kind]:
    return [
        kind(
            f"{thing}-media-type-changed",
            BREAKING,
            f"{subject} a different media type: clients that parse the old one fail.",
            f"{thing}-media-type-changed",
            (made(mimeType="text/plain"), made(mimeType="text/html")),
            "{thing}: mimeType changed from {old} to {new}",
            thing=thing,
        ),
        patch(
            f"{thing}-media-type-declared",
            "The media type was added or removed.",
            made(),
            made(mimeType="text/plain"),
            "{thing}: mimeType <is new: {new}|is gone>",
            thing=thing,
            at="surface",
        ),
    ]


_RESOURCES = [
    *there_and_back(
        "resource-removed",
        "resource-added",
        ("Reading the resource fails.", "A new resource."),
        _resource(),
        {"resources": []},
        thing="resource",
    ),
    kind(
        "resource-unlisted",
        COMPATIBLE,
        "The resource is no longer listed; a template still covers its URI, so reading it may work.",
        "resource-added",
        (
            {**_resource(), "resourceTemplates": [{"uriTemplate": "docs://{page}", "name": "page"}]},
            {"resources": [], "resourceTemplates": [{"uriTemplate": "docs://{page}", "name": "page"}]},
        ),
        "{thing} is now covered by template {successor} instead of being listed",
        thing="resource",
    ),
    *_media_types("resource", "The resource has", _resource),
    *there_and_back(
        "template-removed",
        "template-added",
        ("URIs of this form no longer lead to a resource.", "A new form of URIs."),
        _template("file:///{path}"),
        {"resourceTemplates": []},
        thing="template",
    ),
    kind(
        "template-variable-removed",
        BREAKING,
        "URIs that were built with the variable no longer lead to a resource.",
        "template-variable-added",
        (_template("file:///{root}/{path}"), _template("file:///{path}")),
        "{thing} no longer accepts {lost}: {successor}",
        event=Event.REMOVED,
        thing="template",
    ),
    kind(
        "template-variable-added",
        BREAKING,
        "URIs that were built without the variable no longer lead to a resource.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{root}/{path}")),
        "{thing} asks for {gained}: {successor}",
        event=Event.ADDED,
        thing="template",
    ),
    kind(
        "template-optional-variable-added",
        COMPATIBLE,
        "A query variable may be given; URIs without it still work.",
        "template-variable-removed",
        (_template("file:///{path}"), _template("file:///{path}{?limit}")),
        "{thing} asks for {gained}: {successor}",
        event=Event.EXTENDED,
        thing="template",
    ),
    kind(
        "template-widened",
        COMPATIBLE,
        "URIs that were built from the old template still work, and additional ones are valid.",
        "template-changed",
        (_template("file:///{path}"), _template("file:///{+path}")),
        "{thing} accepts more URIs: {successor}",
        thing="template",
    ),
    kind(
        "template-changed",
        BREAKING,
        "The form of the URIs changed: those that were built from the old template may no longer lead to a resource.",
        "template-changed",
        (_template("file:///{path}"), _template("files:///{path}")),
        "{thing} is now {successor}",
        thing="template",
    ),
    kind(
        "template-variables-renamed",
        BREAKING,
        "The URIs have the same form as before; the variables have other names. A client that fills them by name, or "
        "asks for completions of one (completion/complete), uses the old names.",
        "template-variables-renamed",
        (_template("file:///{path}"), _template("file:///{file}")),
        "{thing} has other names for its variables: {successor}; the URIs are the same",
        thing="template",
    ),
    *_media_types("template", "The resources of the template have", partial(_template, "a:{x}")),
    patch(
        "prompt-or-resource-wording-changed",
        "The wording of a prompt, a resource or a template changed.",
        _resource(description="Start here."),
        _resource(description="Begin here."),
        ("{thing} of prompt {parent}: {what} changed", "{thing}: {what} changed"),
        at="surface",
        wording=True,
    ),
    patch(
        "prompt-or-resource-meta-changed",
        "Metadata of a prompt, a resource or a template changed, for example what an app may load and do.",
        _resource(_meta={"ui": {"permissions": {}}}),
        _resource(_meta={"ui": {"permissions": {"camera": {}}}}),
        ("{thing} of prompt {parent}: _meta changed: {detail}", "{thing}: _meta changed: {detail}"),
        at="surface",
        wording=True,
    ),
]

SIBLING_KINDS: tuple[Kind, ...] = (*_PROMPTS, *_RESOURCES)
