"""Parameters that accept any string, for rules that suggest a restriction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import closes, effective, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.subjects.context import Context, Hit, SchemaPlace


class OpenText(Struct, frozen=True):
    """A parameter, or the items of a list, that accepts any string.

    Attributes:
        node: the parameter.
        schema: its schema, with references resolved.
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
        """The string that an omitted value stands for; empty if there is none."""
        default = self.schema.get("default")
        return default if isinstance(default, str) else ""

    def hit(self, keyword: str, value: Any, /, *, listed: bool = False, weight: int = 0, **facts: Any) -> Hit:
        """A hit at the parameter, with the missing part of its schema.

        Args:
            keyword: the missing keyword.
            value: its value.
            listed: the description lists the values. Nothing else is evidence enough for a correction: a pattern is a
                guess at the form of values that nobody has seen, and the values of another tool are that tool's.
            weight: of the hit.
            facts: for the message.
        """
        return hit(
            self.node.pointer,
            value,
            correction=narrowed(self.node, {keyword: self.repaired(keyword, value)}, items=self.items)
            if listed
            else None,
            weight=weight,
            argument=self.name,
            fragment=self.fragment(keyword, value),
            **facts,
        )

    def repaired(self, keyword: str, value: Any) -> Any:
        """An ``enum`` or a ``pattern`` that takes the empty string as well if that is the declared default."""
        if self.items or self.schema.get("default") != "":
            return value
        if keyword == "pattern":
            return f"^$|{value}"
        return [*value, ""] if keyword == "enum" and "" not in value else value

    def fragment(self, keyword: str, value: Any) -> str:
        """The keyword as it would appear in the parameter's schema."""
        fragment: dict[str, Any] = {keyword: self.repaired(keyword, value)}
        if self.items:
            fragment = {"items": {"type": "string", **fragment}}
        return json.dumps(fragment, ensure_ascii=False)[1:-1]


def open_text(node: SchemaPlace, context: Context) -> OpenText | None:
    """The parameter at a node, if it accepts any string; sees through references and unions with null."""
    schema = node.schema
    if node.side != "inputSchema" or not isinstance(schema, dict) or schema.get("type") in _NO_TEXT:
        return None
    if node.argument is None:
        return None
    # Asked for about all parameters at once, and then by several rules about each.
    key = ("open text", node.tool.index, node.pointer)
    return context.facts.kept(key, lambda: _open(node, schema), lambda _: _SIZE)


_SIZE = 400
"""Approximate size of a parameter with its key, in characters."""
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
