"""The tables of docs/compatibility.md: what a member is, and an example and a witness of each kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.change import Side, Verdict, catalogue, compare
from mcp_governor.surface import build_surface
from mcp_governor.surface.model import REQUIRED_CAPABILITIES

if TYPE_CHECKING:
    from mcp_governor.change.kind_model import Kind
    from mcp_governor.surface import Surface

_LONGEST = 90
"""Longest example in a cell, in characters."""

CONTRACT, WORDING, NOISE = "contract", "wording", "noise"
_ICONS = [{"src": "https://example.com/a.png"}]


class Member(NamedTuple):
    """What a change of a member is.

    Attributes:
        of: the object that has it.
        name: its path there, with dots; ``old`` and ``new`` are its values, ``None`` where it is left out.
        role: ``contract``, ``wording`` or ``noise``, decided by hand.
    """

    of: str
    name: str
    old: Any
    new: Any
    role: str


MEMBERS = (
    Member("server", "title", "A", "B", WORDING),
    Member("server", "icons", _ICONS, None, WORDING),
    Member("server", "websiteUrl", "https://example.com", "https://example.org", WORDING),
    Member("tool", "title", "A", "B", WORDING),
    Member("tool", "icons", _ICONS, None, WORDING),
    Member("tool", "annotations.title", "A", "B", WORDING),
    Member("tool", "annotations.readOnlyHint", True, False, CONTRACT),
    Member("tool", "execution.taskSupport", "optional", "required", CONTRACT),
    Member("tool", "outputSchema.type", "object", "array", CONTRACT),
    Member("tool", "_meta.ui.visibility", ["model", "app"], ["app"], CONTRACT),
    Member("tool", "_meta.ui.resourceUri", "ui://a", "ui://b", WORDING),
    Member("tool", f"_meta.{REQUIRED_CAPABILITIES}", {}, {"sampling": {}}, CONTRACT),
    Member("tool", "_meta, other keys", 1, 2, WORDING),
    Member("tool", "_meta._fastmcp", {"tags": ["a"]}, {"tags": ["b"]}, NOISE),
    Member("tool", "members that MCP does not define", 1, 2, NOISE),
    Member("prompt", "title", "A", "B", WORDING),
    Member("prompt", "icons", _ICONS, None, WORDING),
    Member("resource", "mimeType", "text/plain", "text/html", CONTRACT),
    Member("resource", "name", "a", "b", WORDING),
    Member("resource", "title", "A", "B", WORDING),
    Member("resource", "icons", _ICONS, None, WORDING),
    Member("resource", "size", 1, 2, WORDING),
    Member("resource", "annotations.audience", ["user"], ["assistant"], WORDING),
    Member("resource", "annotations.priority", 0.1, 0.9, WORDING),
    Member("resource", "annotations.lastModified", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", NOISE),
    Member("resource", "_meta.ui.csp", {}, {"connectDomains": ["https://example.com"]}, WORDING),
    Member("resource", "_meta.ui.permissions", {}, {"camera": {}}, WORDING),
    Member("template", "mimeType", "text/plain", "text/html", CONTRACT),
    Member("template", "icons", _ICONS, None, WORDING),
)
"""The rows of the table; the sources are the specification of 2026-07-28 and the MCP Apps extension (SEP-1865)."""

_PLACES = {
    "tool": ("tools", {"name": "t", "inputSchema": {"type": "object"}}),
    "prompt": ("prompts", {"name": "p"}),
    "resource": ("resources", {"uri": "file:///a", "name": "r"}),
    "template": ("resourceTemplates", {"uriTemplate": "file:///{a}", "name": "r"}),
}


def with_member(member: Member, value: Any) -> Surface:
    """The smallest surface whose member has a value."""
    path = {"_meta, other keys": "_meta.x", "members that MCP does not define": "x"}.get(member.name, member.name)
    # The key of a capability has dots of its own.
    keys = path.split(".") if REQUIRED_CAPABILITIES not in path else ["_meta", REQUIRED_CAPABILITIES]
    given: Any = value
    for key in reversed(keys):
        given = {key: given} if given is not None else {}
    server = {"name": "s", "version": "1.0.0"}
    if member.of == "server":
        return build_surface({"serverInfo": {**server, **given}})
    listing, entry = _PLACES[member.of]
    return build_surface({"serverInfo": server, listing: [{**entry, **given}]})


def _member_row(member: Member) -> str:
    kinds = sorted({one.kind for one in compare(with_member(member, member.old), with_member(member, member.new))})
    name = member.name if " " in member.name else f"`{member.name}`"
    return f"| {member.of} | {name} | {member.role} | {', '.join(f'`{kind}`' for kind in kinds)} |\n"


def surface_of(kind: Kind, fragment: Any) -> Surface:
    """The smallest surface that holds an example's fragment."""
    assert kind.example is not None
    at = kind.example.at
    if at == "surface":
        return build_surface(fragment)
    tool: dict[str, Any] = {"name": "t", "inputSchema": {"type": "object"}}
    if at == "tool":
        return build_surface({"tools": [{**tool, **fragment}]})
    schema = fragment if at == "schema" else {"type": "object", "properties": {"x": fragment}, "required": ["x"]}
    key = "outputSchema" if kind.side is Side.OUTPUT else "inputSchema"
    return build_surface({"tools": [{**tool, key: schema}]})


def tables() -> dict[str, str]:
    """The tables of the page by name."""
    rows = [_row(kind) for kind in sorted(catalogue().values(), key=lambda kind: (kind.side.value, kind.name))]
    kinds = "| kind | side | verdict | version | contract | before | after | witness |\n"
    kinds += "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    members = "| of | member | is | kind |\n| --- | --- | --- | --- |\n"
    return {"members": members + "".join(map(_member_row, MEMBERS)), "kinds": kinds + "".join(rows)}


def _row(kind: Kind) -> str:
    """The row of a kind; empty for kinds of calls and of the registry's manifest, which compare no surfaces."""
    example = kind.example
    if example is None or example.at not in ("value", "schema", "tool", "surface"):
        return ""
    [change] = compare(surface_of(kind, example.old), surface_of(kind, example.new))
    witness = _code(change.witness) if change.has_witness and change.verdict is Verdict.BREAKING else ""
    contract = "yes" if kind.contract else ""
    cells = (f"`{kind.name}`", kind.side.value, change.verdict.value, change.bump.value, contract)
    return "| " + " | ".join([*cells, _code(example.old), _code(example.new), witness]) + " |\n"


def _code(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return "`" + shown.replace("|", "\\|") + "`"
