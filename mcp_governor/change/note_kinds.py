"""Annotations with a practical effect, and the kinds of their changes.

They do not restrict values, so containment does not cover them: the verdict is the kind's own, or that of an option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_model import KEYWORD, Kind, both_sides, value
from mcp_governor.change.vocabulary import Event, Side
from mcp_governor.findings import Bump, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

NOTE_FAMILIES: Mapping[str, str] = {
    "contentEncoding": "format",
    "contentMediaType": "format",
    "default": "default",
    "format": "format",
    "x-mcp-header": "header",
}
"""Annotation → the family of its changes: family ``f`` has the kinds ``f-added``, ``f-removed``, ``f-changed``.

The order determines that of the parts in a node's identity, and only has to be the same throughout one run.
"""

_BREAKING, _COMPATIBLE = Verdict.BREAKING, Verdict.COMPATIBLE
_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}


def _default(value: Any) -> dict[str, Any]:
    return {"type": "integer", "default": value}


_DEFAULTS_AND_FORMATS = [
    *both_sides(
        "default-changed",
        "output-default-changed",
        (
            "Calls that omit the parameter now have a different meaning.",
            "The schema states a different default; the possible results are the same.",
        ),
        (_BREAKING, _COMPATIBLE),
        value(_default(10), _default(20)),
        (None, Bump.PATCH),
        entries=(
            "{tool} [uses|use] `{now}` where {field} is omitted; it was `{was}`.",
            "{tool} [names|name] `{now}` as the default of {field} in the result; it was `{was}`.",
        ),
    ),
    *both_sides(
        "default-added",
        "output-default-added",
        (
            "The schema now states the default of the parameter.",
            "The schema now states a default; the possible results are the same.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value(_INTEGER, _default(10)),
        (Bump.PATCH, Bump.PATCH),
        reverse="default-removed",
        entries=(
            "{tool} [says|say] that {field} defaults to `{now}`.",
            "{tool} [names|name] `{now}` as the default of {field} in the result.",
        ),
        event=Event.EXTENDED,
    ),
    *both_sides(
        "default-removed",
        "output-default-removed",
        (
            "The schema no longer states the default of the parameter.",
            "The schema no longer states a default; the possible results are the same.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value(_default(10), _INTEGER),
        (Bump.PATCH, Bump.PATCH),
        reverse="default-added",
        entries=(
            "{tool} no longer [says|say] that {field} defaults to `{was}`.",
            "{tool} no longer [names|name] `{was}` as the default of {field} in the result.",
        ),
    ),
    *both_sides(
        "format-added",
        "output-format-added",
        (
            "A format is an annotation; a server that asserts it refuses strings that it accepted before.",
            "The schema states a format for strings; clients that handle any string still work.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value(_STRING, {"type": "string", "format": "uri"}),
        reverse="format-removed",
        entries=(
            "{tool} [expects|expect] {field} in the format `{now}`.",
            "{tool} [returns|return] {field} in the format `{now}`.",
        ),
        event=Event.EXTENDED,
    ),
    *both_sides(
        "format-removed",
        "output-format-removed",
        (
            "Strings of any form are now accepted.",
            "A format is an annotation; a client that relied on it may receive strings of another form.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value({"type": "string", "format": "uri"}, _STRING),
        reverse="format-added",
        entries=(
            "{tool} no longer [expects|expect] {field} in the format `{was}`.",
            "{tool} no longer [returns|return] {field} in the format `{was}`.",
        ),
    ),
    *both_sides(
        "format-changed",
        "output-format-changed",
        (
            "A format is an annotation; a server that asserts it refuses strings of the old form.",
            "A format is an annotation; a client that relied on it may receive strings of another form.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value({"type": "string", "format": "uri"}, {"type": "string", "format": "email"}),
        entries=(
            "{tool} [expects|expect] {field} in the format `{now}`; it was `{was}`.",
            "{tool} [returns|return] {field} in the format `{now}`; it was `{was}`.",
        ),
    ),
]

_HEADER_OUTPUT = "Headers are sent with calls only; an output schema has none."


def _header(name: str | None) -> dict[str, Any]:
    return {"type": "string"} | ({"x-mcp-header": name} if name else {})


_HEADERS = [
    Kind(
        "header-added",
        Side.INPUT,
        "The parameter must also be sent as an HTTP header: a client that still has the old list does not send "
        "it, and the server refuses the call.",
        _BREAKING,
        reverse="header-removed",
        unmirrored=_HEADER_OUTPUT,
        example=value(_header(None), _header("Region")),
        contract=True,
        message=KEYWORD,
        entry="{tool} also [expects|expect] {field} as the HTTP header `{now}`.",
        event=Event.EXTENDED,
    ),
    Kind(
        "header-removed",
        Side.INPUT,
        "The parameter is no longer sent as an HTTP header; one that is sent anyway is ignored.",
        _COMPATIBLE,
        reverse="header-added",
        unmirrored=_HEADER_OUTPUT,
        example=value(_header("Region"), _header(None)),
        contract=True,
        message=KEYWORD,
        entry="{tool} no longer [expects|expect] {field} as the HTTP header `{was}`.",
    ),
    Kind(
        "header-changed",
        Side.INPUT,
        "The parameter is sent as another HTTP header: a client that still has the old list sends the wrong one.",
        _BREAKING,
        reverse="header-changed",
        unmirrored=_HEADER_OUTPUT,
        example=value(_header("Region"), _header("Zone")),
        contract=True,
        message=KEYWORD,
        entry="{tool} [expects|expect] {field} as the HTTP header `{now}`; it was `{was}`.",
    ),
]

NOTE_KINDS: tuple[Kind, ...] = (*_DEFAULTS_AND_FORMATS, *_HEADERS)
