"""Kinds of changes to server.json, the registry's manifest: packages, remotes, and settings of an installation.

:mod:`mcp_governor.policy.manifest` detects them. They are defined here so that a client that reads a change can look up
its meaning in one catalogue.
"""

from __future__ import annotations

from typing import Any

from mcp_governor.change.kind_model import Example, Kind, Sentence
from mcp_governor.change.vocabulary import Event, Side, Verdict

_BREAKING, _COMPATIBLE = Verdict.BREAKING, Verdict.COMPATIBLE
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
    return Kind(
        *(name, Side.SURFACE, explanation, verdict, message, entry, event, reverse, None),
        "A manifest is part of neither calls nor results, so there is no other side.",
        Example("manifest", *example),
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

    def kind(
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
        kind("{}-removed", "{}-added", _BREAKING, Event.REMOVED, (free, none), "{thing} is gone", gone),
        kind(
            *("{}-added", "{}-removed", _COMPATIBLE, Event.ADDED, (none, free), "{thing} is new"),
            "a new optional one.",
        ),
        kind(
            *("required-{}-added", "{}-removed", _BREAKING, Event.EXTENDED, (none, needed)),
            "{thing} is new and must be set",
            "a new one that every installation must set.",
        ),
        kind(
            *("{}-renamed", "{}-renamed", _BREAKING, Event.RENAMED, (free, renamed)),
            "{thing} was renamed to {successor}",
            "it was renamed; existing installations set the old name.",
        ),
        kind(
            *("{}-required", "{}-optional", _BREAKING, changed, (free, needed), "{thing} is now required"),
            "an optional one became required.",
        ),
        kind(
            *("{}-optional", "{}-required", _COMPATIBLE, changed, (needed, free), "{thing} is now optional"),
            "a required one became optional.",
        ),
        kind(
            *("{}-default-changed", "{}-default-changed", _BREAKING, changed),
            *((with_a(default="x"), with_a(default="y")), default, other),
        ),
        kind(
            *("{}-choice-removed", "{}-choice-added", _BREAKING, changed, (three, two), fewer),
            "a value that installations may have set is no longer accepted.",
        ),
        kind(
            *("{}-choice-added", "{}-choice-removed", _COMPATIBLE, Event.EXTENDED, (two, three), more),
            "an additional value is accepted.",
        ),
    ]


MANIFEST_KINDS: tuple[Kind, ...] = (
    _kind(
        *("package-removed", "package-added", "package", _BREAKING, Event.REMOVED, (_BOTH, _ONE_REMOTE)),
        "{thing} is no longer offered",
        "The package is no longer offered: installations of it get no update.",
    ),
    _kind(
        *("package-added", "package-removed", "package", _COMPATIBLE, Event.ADDED, (_ONE_REMOTE, _BOTH)),
        "{thing} is new",
        "An additional package of the server.",
    ),
    _kind(
        *("package-transport-changed", "package-transport-changed", "package", _BREAKING, Event.CHANGED),
        ({"packages": [_PACKAGE]}, {"packages": [{**_PACKAGE, "transport": {"type": "sse"}}]}),
        "{thing} now uses {now}; it used {was}",
        "The package uses a different transport: clients that start it as before cannot communicate with it.",
    ),
    _kind(
        *("remote-removed", "remote-added", "remote", _BREAKING, Event.REMOVED, (_BOTH, _ONE_PACKAGE)),
        "{thing} is no longer offered",
        "The remote endpoint is no longer offered.",
    ),
    _kind(
        *("remote-added", "remote-removed", "remote", _COMPATIBLE, Event.ADDED, (_ONE_PACKAGE, _BOTH)),
        "{thing} is new",
        "An additional remote endpoint of the server.",
    ),
    _kind(
        *("server-deprecated", "server-deprecation-withdrawn", "server", _COMPATIBLE, Event.DEPRECATED),
        ({"status": "active"}, {"status": "deprecated"}),
        "the manifest says that the server is {now}",
        "The registry shows the server as deprecated or deleted: clients should move to another one.",
        "The {name} in the manifest says that the server is {now}.",
    ),
    _kind(
        *("server-deprecation-withdrawn", "server-deprecated", "server", _COMPATIBLE, Event.CHANGED),
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
