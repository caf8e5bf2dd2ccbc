"""Kinds of changes that other stations detect: answers to one call, and server.json, the registry's manifest.

:mod:`mcp_governor.call.record` compares the previous response with the current one, and
:mod:`mcp_governor.policy.manifest` packages, remotes, and settings of an installation. Their kinds are defined here so
that a client that reads a change can look up its meaning in one catalogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_model import BREAKING, COMPATIBLE, Kind, Sentence, kind
from mcp_governor.change.vocabulary import Event, Side

if TYPE_CHECKING:
    from mcp_governor.findings import Verdict


def _of_answers(
    name: str,
    verdict: Verdict,
    explanation: str,
    example: tuple[dict[str, Any], dict[str, Any]],
    what_happened: str,
    reverse: str = "",
    event: Event = Event.CHANGED,
) -> Kind:
    return kind(
        *(name, verdict, explanation, reverse or name, example),
        f"The recorded call of {{call}} {what_happened}.",
        event=event,
        at="result",
        side=Side.OUTPUT,
        unmirrored="Both runs send the same arguments.",
    )


def _answer(**fields: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": "See the structured content."}], "structuredContent": fields}


_FAILED = {"content": [{"type": "text", "text": "There is no such name."}], "isError": True}

BEHAVIOUR_KINDS: tuple[Kind, ...] = (
    _of_answers(
        "call-status-changed",
        BREAKING,
        "The same call has a different status: callers branch on it.",
        (_answer(hits=1), _FAILED),
        "had the {what} {old} and now has {new}",
    ),
    _of_answers(
        "call-channel-changed",
        BREAKING,
        "The same failure is reported through another channel: callers look for it elsewhere.",
        (_FAILED, {"error": {"code": -32602, "message": "There is no such name."}}),
        "had the {what} {old} and now has {new}",
    ),
    _of_answers(
        "call-error-kind-changed",
        BREAKING,
        "The same failure has a different kind: callers switch on it.",
        (
            {**_FAILED, "structuredContent": {"kind": "unknown_name"}},
            {**_FAILED, "structuredContent": {"kind": "gone"}},
        ),
        "had the {what} {old} and now has {new}",
    ),
    _of_answers(
        "call-field-removed",
        BREAKING,
        "The result of the same call lacks a field that it had.",
        (_answer(hits=1, page=1), _answer(hits=1)),
        "returned the field {path} and no longer does",
        "call-field-added",
    ),
    _of_answers(
        "call-field-added",
        COMPATIBLE,
        "The result of the same call has a new field.",
        (_answer(hits=1), _answer(hits=1, page=1)),
        "returns the new field {path}",
        "call-field-removed",
        Event.EXTENDED,
    ),
    _of_answers(
        "call-field-type-changed",
        BREAKING,
        "A field of the same call's result has a different JSON type.",
        (_answer(hits=1), _answer(hits="1")),
        "returned {path} as {was} and now returns {now}",
    ),
)
"""All kinds; each example consists of two responses to one call."""


_PACKAGE = {"registryType": "pypi", "identifier": "notes", "transport": {"type": "stdio"}}
_REMOTE = {"type": "streamable-http", "url": "https://notes.example/mcp"}
_BOTH, _ONE_PACKAGE = {"packages": [_PACKAGE], "remotes": [_REMOTE]}, {"packages": [_PACKAGE], "remotes": []}
_ONE_REMOTE = {"packages": [], "remotes": [_REMOTE]}


def _kind(
    name: str,
    reverse: str,
    thing: str,
    verdict: Verdict,
    event: Event,
    example: tuple[dict[str, Any], dict[str, Any]],
    message: Sentence,
    explanation: str,
    entry: Sentence = "",
) -> Kind:
    unmirrored = "A manifest is part of neither calls nor results, so there is no other side."
    return kind(
        *(name, verdict, explanation, reverse, example, message, entry, event),
        at="manifest",
        unmirrored=unmirrored,
        thing=thing,
    )


def _settings(stem: str, noun: str, family: str, key: str, rest: dict[str, Any]) -> list[Kind]:
    """The kinds for one list of settings.

    Args:
        stem: of the names of the kinds.
        noun: for one setting.
        family, key: where a manifest lists them.
        rest: of the entry of ``family`` that lists them.
    """

    def with_a(**setting: Any) -> dict[str, Any]:
        return {family: [{**rest, key: [{"name": "notes_folder", **setting}]}]}

    def one(
        step: str, reverse: str, verdict: Verdict, event: Event, example: Any, message: Sentence, meaning: str
    ) -> Kind:
        explanation = f"{noun[:1].upper()}{noun[1:]}: {meaning}"
        return _kind(step.format(stem), reverse.format(stem), noun, verdict, event, example, message, explanation)

    none, free, needed = {family: [{**rest, key: []}]}, with_a(), with_a(isRequired=True)
    renamed = {family: [{**rest, key: [{"name": "notes_folders"}]}]}
    two, three = with_a(choices=["x", "y"]), with_a(choices=["x", "y", "z"])
    gone, changed = "setting it no longer has an effect.", Event.CHANGED
    other = "installations that do not set it now behave differently."
    default = ("the default of {thing} changed {detail}", "the default of {thing} changed")
    fewer = (
        "{thing} no longer accepts {lost_values}",
        "{thing} accepts only {gained_values}",
        "{thing} accepts no value",
    )
    more = ("{thing} also accepts {gained_values}", "{thing} accepts any value")
    return [
        one("{}-removed", "{}-added", BREAKING, Event.REMOVED, (free, none), "{thing} is gone", gone),
        one(
            *("{}-added", "{}-removed", COMPATIBLE, Event.ADDED, (none, free), "{thing} is new"),
            "a new optional one.",
        ),
        one(
            *("required-{}-added", "{}-removed", BREAKING, Event.EXTENDED, (none, needed)),
            "{thing} is new and must be set",
            "a new one that every installation must set.",
        ),
        one(
            *("{}-renamed", "{}-renamed", BREAKING, Event.RENAMED, (free, renamed)),
            "{thing} was renamed to {successor}",
            "it was renamed; existing installations set the old name.",
        ),
        one(
            *("{}-required", "{}-optional", BREAKING, changed, (free, needed), "{thing} is now required"),
            "an optional one became required.",
        ),
        one(
            *("{}-optional", "{}-required", COMPATIBLE, changed, (needed, free), "{thing} is now optional"),
            "a required one became optional.",
        ),
        one(
            *("{}-default-changed", "{}-default-changed", BREAKING, changed),
            *((with_a(default="x"), with_a(default="y")), default, other),
        ),
        one(
            *("{}-choice-removed", "{}-choice-added", BREAKING, changed, (three, two), fewer),
            "a value that installations may have set is no longer accepted.",
        ),
        one(
            *("{}-choice-added", "{}-choice-removed", COMPATIBLE, Event.EXTENDED, (two, three), more),
            "an additional value is accepted.",
        ),
    ]


MANIFEST_KINDS: tuple[Kind, ...] = (
    _kind(
        *("package-removed", "package-added", "package", BREAKING, Event.REMOVED, (_BOTH, _ONE_REMOTE)),
        "{thing} is no longer offered",
        "The package is no longer offered: installations of it get no update.",
    ),
    _kind(
        *("package-added", "package-removed", "package", COMPATIBLE, Event.ADDED, (_ONE_REMOTE, _BOTH)),
        "{thing} is new",
        "An additional package of the server.",
    ),
    _kind(
        *("package-transport-changed", "package-transport-changed", "package", BREAKING, Event.CHANGED),
        ({"packages": [_PACKAGE]}, {"packages": [{**_PACKAGE, "transport": {"type": "sse"}}]}),
        "{thing} now uses {now}; it used {was}",
        "The package uses a different transport: clients that start it as before cannot communicate with it.",
    ),
    _kind(
        *("remote-removed", "remote-added", "remote", BREAKING, Event.REMOVED, (_BOTH, _ONE_PACKAGE)),
        "{thing} is no longer offered",
        "The remote endpoint is no longer offered.",
    ),
    _kind(
        *("remote-added", "remote-removed", "remote", COMPATIBLE, Event.ADDED, (_ONE_PACKAGE, _BOTH)),
        "{thing} is new",
        "An additional remote endpoint of the server.",
    ),
    _kind(
        *("server-deprecated", "server-deprecation-withdrawn", "server", COMPATIBLE, Event.DEPRECATED),
        ({"status": "active"}, {"status": "deprecated"}),
        "the manifest says that the server is {now}",
        "The registry shows the server as deprecated or deleted: clients should move to another one.",
        "The {name} in the manifest says that the server is {now}.",
    ),
    _kind(
        *("server-deprecation-withdrawn", "server-deprecated", "server", COMPATIBLE, Event.CHANGED),
        ({"status": "deprecated"}, {"status": "active"}),
        "the manifest no longer says that the server is {was}",
        "The registry no longer shows the server as deprecated or deleted.",
        "The {name} in the manifest no longer says that the server is {was}.",
    ),
    *_settings("env", "environment variable", "packages", "environmentVariables", _PACKAGE),
    *_settings("package-argument", "package argument", "packages", "packageArguments", _PACKAGE),
    *_settings("runtime-argument", "runtime argument", "packages", "runtimeArguments", _PACKAGE),
    *_settings("remote-header", "header", "remotes", "headers", _REMOTE),
)
"""All kinds; each example consists of two manifests."""
