"""Kinds of changes of skills: instructions for models that a server publishes (SEP-2640)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_making import BREAKING, CHANGED, UNKNOWN, kind, patch, there_and_back
from mcp_governor.change.vocabulary import Event

if TYPE_CHECKING:
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
