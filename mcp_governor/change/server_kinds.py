"""Kinds of changes to what the server publishes about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_making import patch

if TYPE_CHECKING:
    from mcp_governor.change.kind_model import Kind


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
                "no longer declares {lost_names} and now declares {gained_names}",
                "no longer declares {lost_names}",
                "now declares {gained_names}",
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
