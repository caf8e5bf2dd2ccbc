"""docs/compatibility.md: the definition of a compatible change, with an example and a witness of each kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.change import Side, Verdict, catalogue, compare
from mcp_governor.surface import build_surface

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

## Kinds

Each kind with two fragments that differ by it and nothing else, and the witness that `diff` gives for them. A test
compares them on every run; [Changes](changes.md) says what each kind means for a client.

| kind | side | verdict | version | contract | before | after | witness |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


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
    return _DEFINITION.replace("{note}", note) + "".join(row for row in rows if row)


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
