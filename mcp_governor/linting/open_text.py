"""Arguments that take any text, for rules that ask whether they should."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import hit
from mcp_governor.linting.corrections import narrowed
from mcp_governor.linting.schemas import closes, effective, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.linting.context import Context, Hit, SchemaPlace


class OpenText(NamedTuple):
    """An argument, or the items of a list, that takes any text.

    Attributes:
        node: the argument.
        schema: what it comes to, references followed.
        items: the values are those of the items.
    """

    node: SchemaPlace
    schema: Mapping[str, Any]
    items: bool

    @property
    def name(self) -> str:
        return self.node.argument or ""

    @property
    def default(self) -> str:
        """The text that stands for a value that is left out; empty where there is none."""
        default = self.schema.get("default")
        return default if isinstance(default, str) else ""

    def hit(self, keyword: str, value: Any, /, **facts: Any) -> Hit:
        """A hit at the argument, with the fragment that its schema lacks."""
        return hit(
            self.node.pointer,
            value,
            correction=narrowed(self.node, {keyword: value}, items=self.items),
            argument=self.name,
            fragment=self.fragment(keyword, value),
            **facts,
        )

    def fragment(self, keyword: str, value: Any) -> str:
        """The keyword as the schema of the argument would have it."""
        fragment: dict[str, Any] = {keyword: value}
        if self.items:
            fragment = {"items": {"type": "string", **fragment}}
        return json.dumps(fragment, ensure_ascii=False)[1:-1]


class _Last:
    """What was read last: several rules ask for the same argument, one after the other."""

    def __init__(self) -> None:
        self.node: SchemaPlace | None = None
        self.found: OpenText | None = None


def open_text(node: SchemaPlace, context: Context) -> OpenText | None:
    """The argument at a node, where it takes any text; through references and the one branch beside null."""
    schema = node.schema
    if node.side != "inputSchema" or not isinstance(schema, dict) or schema.get("type") in _NO_TEXT:
        return None
    last = context.facts.memo("open-text", _Last)
    if last.node is not node:
        last.node, last.found = node, _open(node, schema) if node.argument is not None else None
    found: OpenText | None = last.found
    return found


_NO_TEXT = ("integer", "number", "boolean", "object", "null")


def _open(node: SchemaPlace, schema: dict[str, Any]) -> OpenText | None:
    root = root_of(node)
    types = types_of(schema, root)
    if types is None or not types <= {"string", "array", "null"} or closes(root, schema):
        return None
    whole = effective(root, schema)
    if "string" in types and "array" not in types:
        return OpenText(node, whole, False)
    if "array" in types and "string" not in types and types_of(whole.get("items"), root) == frozenset({"string"}):
        return OpenText(node, whole, True)
    return None
