"""Arguments that take any text, for rules that ask whether they should."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import hit
from mcp_governor.linting.schemas import closes, effective, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.linting.context import Hit, SchemaPlace


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
        fragment: dict[str, Any] = {keyword: value}
        if self.items:
            fragment = {"items": {"type": "string", **fragment}}
        shown = json.dumps(fragment, ensure_ascii=False)[1:-1]
        return hit(self.node.pointer, value, argument=self.name, fragment=shown, **facts)


def open_text(node: SchemaPlace) -> OpenText | None:
    """The argument at a node, where it takes any text; through references and the one branch beside null."""
    if node.side != "inputSchema" or node.argument is None or not isinstance(node.schema, dict):
        return None
    root = root_of(node)
    types = types_of(node.schema, root)
    if types is None or not types <= {"string", "array", "null"} or closes(root, node.schema):
        return None
    schema = effective(root, node.schema)
    if "string" in types and "array" not in types:
        return OpenText(node, schema, False)
    if "array" in types and "string" not in types and types_of(schema.get("items"), root) == frozenset({"string"}):
        return OpenText(node, schema, True)
    return None
