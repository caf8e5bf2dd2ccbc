"""Kinds of changes of server.json, the registry's manifest: packages, remotes, and what an installation must set.

They are found by :mod:`mcp_governor.policy.manifest`, and stand here because a client that reads a change asks one
catalogue what it means.
"""

from __future__ import annotations

from typing import Any

from mcp_governor.change.kind_model import Example, Kind, Sentence
from mcp_governor.change.terms import Event, Side, Verdict

_BREAKING, _COMPATIBLE = Verdict.BREAKING, Verdict.COMPATIBLE
_PACKAGE = {"registryType": "pypi", "identifier": "notes", "transport": {"type": "stdio"}}
_REMOTE = {"type": "streamable-http", "url": "https://notes.example/mcp"}
_NAMED, _SET = {"name": "a"}, {"name": "a", "isRequired": True}
_CHOICES = {"name": "a", "choices": ["x", "y"]}


def _kind(
    name: str,
    thing: str,
    verdict: Verdict,
    explanation: str,
    message: Sentence,
    reverse: str,
    example: tuple[dict[str, Any], dict[str, Any]],
    event: Event = Event.CHANGED,
) -> Kind:
    return Kind(
        name,
        Side.SURFACE,
        explanation,
        verdict,
        message,
        event=event,
        reverse=reverse,
        unmirrored="A manifest is neither sent nor answered, so there is no other side.",
        example=Example("manifest", *example),
        thing=thing,
    )


def _setting(stem: str, noun: str, place: tuple[str, str, dict[str, Any]]) -> list[Kind]:
    """The kinds of one list of settings.

    Args:
        stem: of the names of the kinds.
        noun: for one setting.
        place: where the manifest lists them: ``packages`` or ``remotes``, the key there, and the rest of that entry.
    """
    family, key, rest = place

    def holding(*settings: dict[str, Any]) -> dict[str, Any]:
        return {family: [{**rest, key: list(settings)}]}

    def kind(
        step: str,
        verdict: Verdict,
        meaning: str,
        message: Sentence,
        reverse: str,
        *,
        old: dict[str, Any],
        new: dict[str, Any],
        event: Event = Event.CHANGED,
    ) -> Kind:
        explanation = f"{noun[:1].upper()}{noun[1:]}: {meaning}"
        return _kind(step.format(stem), noun, verdict, explanation, message, reverse.format(stem), (old, new), event)

    none, free, needed = holding(), holding(_NAMED), holding(_SET)
    two, three = holding(_CHOICES), holding({**_CHOICES, "choices": ["x", "y", "z"]})
    return [
        kind(
            "{}-removed",
            _BREAKING,
            "an installation that sets it sets nothing any more.",
            "{thing} is gone",
            "{}-added",
            old=free,
            new=none,
            event=Event.REMOVED,
        ),
        kind(
            "{}-added",
            _COMPATIBLE,
            "a new one that may be left out.",
            "{thing} is new",
            "{}-removed",
            old=none,
            new=free,
            event=Event.ADDED,
        ),
        kind(
            "required-{}-added",
            _BREAKING,
            "a new one that every installation must set.",
            "{thing} is new and must be set",
            "{}-removed",
            old=none,
            new=needed,
            event=Event.EXTENDED,
        ),
        kind(
            "{}-renamed",
            _BREAKING,
            "it goes by another name; installations still set the old one.",
            "{thing} is called {successor} now",
            "{}-renamed",
            old=holding({"name": "notes_folder"}),
            new=holding({"name": "notes_folders"}),
            event=Event.RENAMED,
        ),
        kind(
            "{}-required",
            _BREAKING,
            "one that could be left out must be set now.",
            "{thing} must be set now",
            "{}-optional",
            old=free,
            new=needed,
        ),
        kind(
            "{}-optional",
            _COMPATIBLE,
            "one that had to be set may be left out now.",
            "{thing} may be left out now",
            "{}-required",
            old=needed,
            new=free,
        ),
        kind(
            "{}-default-changed",
            _BREAKING,
            "an installation that leaves it out now means something else.",
            ("the default of {thing} changed {detail}", "the default of {thing} changed"),
            "{}-default-changed",
            old=holding({**_NAMED, "default": "x"}),
            new=holding({**_NAMED, "default": "y"}),
        ),
        kind(
            "{}-choice-removed",
            _BREAKING,
            "a value that installations may have set is not taken any more.",
            ("{thing} no longer takes {lost_values}", "{thing} takes only {gained_values}", "{thing} takes no value"),
            "{}-choice-added",
            old=three,
            new=two,
        ),
        kind(
            "{}-choice-added",
            _COMPATIBLE,
            "a further value is taken.",
            ("{thing} takes {gained_values} too", "{thing} takes any value"),
            "{}-choice-removed",
            old=two,
            new=three,
            event=Event.EXTENDED,
        ),
    ]


MANIFEST_KINDS: tuple[Kind, ...] = (
    _kind(
        "package-removed",
        "package",
        _BREAKING,
        "The package is no longer offered: installations of it get no update.",
        "{thing} is no longer offered",
        "package-added",
        ({"packages": [_PACKAGE]}, {"packages": []}),
        Event.REMOVED,
    ),
    _kind(
        "package-added",
        "package",
        _COMPATIBLE,
        "A further package of the server.",
        "{thing} is new",
        "package-removed",
        ({"packages": []}, {"packages": [_PACKAGE]}),
        Event.ADDED,
    ),
    _kind(
        "package-transport-changed",
        "package",
        _BREAKING,
        "The package speaks another transport: clients that start it as before do not understand it.",
        "{thing} speaks {now} now, was {was}",
        "package-transport-changed",
        ({"packages": [_PACKAGE]}, {"packages": [{**_PACKAGE, "transport": {"type": "sse"}}]}),
    ),
    _kind(
        "remote-removed",
        "remote",
        _BREAKING,
        "The address is no longer offered.",
        "{thing} is no longer offered",
        "remote-added",
        ({"remotes": [_REMOTE]}, {"remotes": []}),
        Event.REMOVED,
    ),
    _kind(
        "remote-added",
        "remote",
        _COMPATIBLE,
        "A further address of the server.",
        "{thing} is new",
        "remote-removed",
        ({"remotes": []}, {"remotes": [_REMOTE]}),
        Event.ADDED,
    ),
    *_setting("env", "environment variable", ("packages", "environmentVariables", _PACKAGE)),
    *_setting("package-argument", "package argument", ("packages", "packageArguments", _PACKAGE)),
    *_setting("runtime-argument", "runtime argument", ("packages", "runtimeArguments", _PACKAGE)),
    *_setting("remote-header", "header", ("remotes", "headers", _REMOTE)),
)
"""All of them; each example is two manifests."""
