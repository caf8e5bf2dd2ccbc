"""docs/compatibility.md: the definition of a compatible change, with an example and a witness of each kind."""

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

_DEFINITION = """\
# Compatibility

{note}

What a compatible change of an MCP server is, precisely enough to be cited and to be checked by somebody else. The
revision of the protocol planned for December 2026 gives each definition an opaque identifier and leaves open which
changes are compatible, and who decides. This is our answer: containment of JSON Schemas decides where it can, a
published policy decides the rest, and what neither can decide is *unknown* and counts as a break.

## Definition

Let *I* and *O* be the input and the output schema of a tool in the old surface, *I'* and *O'* in the new one, each
read as the set of JSON values that are valid under it (JSON Schema, in the dialect that it names, else 2020-12).

1. An **input** is compatible if every value that callers send under *I* is in *I'*. Callers send declared arguments
   only, so *I* is read as closed: keys that it does not declare are not sent, where it says nothing about them.
2. An **output** is compatible if every value that servers return under *O'* is one that readers of *O* handle.
   Servers return declared fields only, so *O'* is read as closed; readers skip fields that they do not know, so *O*
   is read as open. A field that one of several results declares is known.
3. A **tool** is compatible if both are, it still exists under its name, is still listed, promises at least the
   stability (tier) and the safety (behaviour hints, resolved to the defaults of the specification) that it promised,
   and requires no capability of clients that it did not.
4. A **surface** is compatible if all its tools, prompts, resources, resource templates and skills are.

`--level strict` takes both sets as they are, without the readings of 1 and 2.

Three verdicts follow. **compatible**: shown. **breaking**: a value shows it, or the policy says so, since a schema
cannot (a removed optional parameter of an open object, a changed default). **unknown**: neither was shown within the
bounds.

## Witness

A break of a schema has a witness wherever one is found: for an input, arguments that are valid under *I* and invalid
under *I'*; for an output, a result that is valid under *O'* and invalid under *O*, in the readings above. Anybody can
check it with a validator. A break that the policy declares has none, because no schema refuses anything.

## Two digests

`mcp-governor fingerprint` prints them for a surface and for each tool. Both are SHA-256 over canonical JSON (RFC
8785).

- **Contract** (`v1:sha256:…`): what a program relies on. For a tool its name, tier, category, hints, if it is
  deprecated, the capabilities that it requires, and both schemas without wording; for a skill its URI and its
  frontmatter without the description.
- **Wording** (`w1:sha256:…`): what a model reads. Titles, descriptions, examples, instructions, the files of skills.

Equal contracts mean that no change in the table below with *contract* is there. Different ones mean that at least one
is, or one that could not be decided. So the two digests can serve as identifiers of a definition: a client that
caches one has to look again at the contract when the first differs, and at nothing but words when only the second
does.

## Who decides

The version step that a surface needs is the largest that one of its changes needs: *major* for a break, also an
unknown one, *minor* for an addition, *patch* for wording. Tools of the tier `advanced` may break in a minor version,
those of the tier `internal` promise nothing. A maintainer can overrule a verdict only in the open: `accept` writes
the change with its digest and the reason into the configuration, and another change is not covered by it.

## Members outside of schemas

What a change of these members is: *contract* needs a minor or a major version, *wording* a patch, and *noise* is no
change at all. A test makes each change. Descriptions are read in the language that a server uses when none is asked
for. A list that states its language (the draft SEP-2792) is recorded with it, and `content-language-changed` says when
two recordings differ in it, because then a new description is a translation.

The two digests above cover tools and skills; prompts, resources and the
server itself are compared member by member.

| of | member | is | kind |
| --- | --- | --- | --- |
{members}
## Kinds

Each kind with two fragments that differ by it and nothing else, and the witness that `diff` gives for them. A test
compares them on every run; [Changes](changes.md) says what each kind means for a client.

| kind | side | verdict | version | contract | before | after | witness |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


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
    Member("tool", "execution.taskSupport", "optional", "forbidden", CONTRACT),
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


def page(note: str) -> str:
    """The page; ``note`` says that it is generated."""
    rows = [_row(kind) for kind in sorted(catalogue().values(), key=lambda kind: (kind.side.value, kind.name))]
    members = "".join(map(_member_row, MEMBERS))
    return _DEFINITION.replace("{note}", note).replace("{members}", members) + "".join(row for row in rows if row)


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
