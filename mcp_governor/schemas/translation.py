"""Translate schemas to draft 2020-12.

Keywords that a dialect ignores are dropped, and so are ``contentEncoding`` and ``contentMediaType``, which are
annotations here, like ``format``. If a reference leads into a dropped part (``#/components/schemas/X`` in draft 7), the
part is kept under :data:`IGNORED`, which only references reach.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.keywords import (
    DEFINITIONS,
    KEYWORDS,
    REFERENCES,
    SCHEMA_KEYS,
    SCHEMA_LIST_KEYS,
    SCHEMA_MAP_KEYS,
    known_keywords,
)
from mcp_governor.schemas.pointers import step, unescape_pointer
from mcp_governor.schemas.walking import rebuilt

RECURSIVE = "$recursive"
"""The dynamic anchor that replaces ``$recursiveAnchor``."""

_KEPT_WITH_REF = frozenset(["$schema", "$ref", *DEFINITIONS])
_ALONE = _KEPT_WITH_REF | {"$id", "id"}
_RENAMED = {"additionalItems": "items", "dependencies": "dependentSchemas"}

DISPUTED = "dependencies"
"""A keyword that 2019-09 has dropped: some validators of later drafts assert it, and others ignore it."""
IGNORED = "$ignored"
"""Not a keyword. It contains the translation of parts that an old dialect ignores, as targets of references."""
UNRESOLVED = "#/$nowhere"
"""Prefix of references that do not lead to a schema; the original pointer follows."""
_UNMOVED = lazy_pattern(r"[^#]*#?(?:/(?:definitions|\$defs)/[^/%]*)?")
"""References that a translation does not change: to a resource, or to a definition at its root."""
_MAY_MOVE = lazy_pattern(r'"\$ref":"[^"#]*#/(?!(?:definitions|\$defs)/[^/%"]*")')

_ANYWHERE = {name for name, keyword in KEYWORDS.items() if keyword.since == 4 and keyword.until == LATEST}
_CHANGED = {*REFERENCES, "items", "exclusiveMaximum", "exclusiveMinimum", "contentEncoding", "contentMediaType"}
_DIFFERENT = tuple(f'"{name}"' for name in KEYWORDS if name in _CHANGED or name not in _ANYWHERE)
"""If a schema has none of these, it means the same in the newest dialect."""


def modern(schema: Any, draft: int, text: str) -> Any:
    """Translate a schema to draft 2020-12.

    Args:
        schema: a valid schema of the draft.
        draft: 4, 6, 7, 19 or 20.
        text: the JSON text of the schema, for a cheap check if anything must be translated.
    """
    if draft == LATEST or not isinstance(schema, dict):
        return schema
    if not any(word in text for word in _DIFFERENT):
        return {key: value for key, value in schema.items() if key != "$schema"}
    translated = Translation(draft, keep=_MAY_MOVE.search(text) is not None).schema(schema, schema)
    if isinstance(translated, dict):
        translated.pop("$schema", None)
    return translated


class Translation:
    """Translates schemas of an old dialect to the newest one.

    Args:
        draft: 4, 6, 7 or 19.
        keep: true to keep parts that the dialect ignores, because a reference may lead there.
    """

    def __init__(self, draft: int, *, keep: bool) -> None:
        self.draft = draft
        self.known = known_keywords(draft) or frozenset()
        self.keep = keep
        self.identity = "id" if draft == 4 else "$id"

    def schema(self, schema: Any, root: Any) -> Any:
        """Translate one schema; ``root`` is the resource at which its pointers start."""
        if not isinstance(schema, dict):
            return schema
        alone = self._alone(schema)
        if not alone and _names_a_resource(schema.get(self.identity)):
            root = schema
        known = self.known & _KEPT_WITH_REF if alone else self.known
        kept = known | {"$defs", *([DISPUTED] if self.draft > 7 else ())}
        read = {key: value for key, value in schema.items() if key in kept}
        result = rebuilt(read, lambda part: self.schema(part, root))
        if isinstance(result.get("$ref"), str):
            result["$ref"] = self._moved(result["$ref"], root)
        ignored = self._ignored(schema, result, root) if self.keep else {}
        rename_keywords(result, self.draft)
        # An empty `items` list has no effect, and an empty `prefixItems` is not valid.
        if result.get("prefixItems") == []:
            del result["prefixItems"]
        _translate_identity(result, self.draft)
        if result.pop("$recursiveAnchor", False) is True:
            result["$dynamicAnchor"] = RECURSIVE
        if ignored:
            result[IGNORED] = ignored
        return result

    def _alone(self, schema: dict[str, Any]) -> bool:
        """True if the dialect ignores the keywords next to the reference."""
        return self.draft <= 7 and isinstance(schema.get("$ref"), str)

    def _ignored(self, schema: dict[str, Any], kept: dict[str, Any], root: Any) -> Any:
        """The parts of a schema that the dialect ignores, each translated as a schema, as :meth:`_steps` expects."""
        if self._alone(schema):
            return self.schema({key: value for key, value in schema.items() if key not in _ALONE}, root)
        left = {key: value for key, value in schema.items() if key not in kept}
        if "additionalItems" in kept and not isinstance(kept.get("items"), list):
            left["additionalItems"] = schema["additionalItems"]
        return {
            key: [self.schema(part, root) for part in value] if isinstance(value, list) else self.schema(value, root)
            for key, value in left.items()
            if isinstance(value, dict | list | bool)
        }

    def _moved(self, reference: str, root: Any) -> str:
        """The same reference in the translation, or one that starts with :data:`UNRESOLVED`."""
        if _UNMOVED.fullmatch(reference):
            return reference
        uri, _, fragment = reference.partition("#")
        if not fragment.startswith("/"):
            return reference
        steps = None if uri else self._steps(unquote(fragment).split("/")[1:], root)
        if steps is None:
            return f"{UNRESOLVED}{fragment}"
        return "#" + "".join("/" + quote(step, safe="~$") for step in steps)

    def _steps(self, tokens: list[str], node: Any) -> list[str] | None:
        """The tokens of a pointer in the translation; ``None`` if they do not lead to a schema."""
        steps: list[str] = []
        tokens = tokens[::-1]
        while tokens:
            if not isinstance(node, dict):
                return None
            token = tokens.pop()
            key = unescape_pointer(token)
            # Keywords next to a reference were moved, see `_ignored`.
            if self._alone(node) and key not in _KEPT_WITH_REF:
                steps.append(IGNORED)
            value = node.get(key)
            known = key in self.known or key == "$defs"
            if key == "additionalItems" and not isinstance(node.get("items"), list):
                known = False
            steps += [_RENAMED.get(key, token)] if known else [IGNORED, token]
            if known and (key in SCHEMA_MAP_KEYS or key == "dependencies") and isinstance(value, dict):
                if not tokens:
                    return None
                steps.append(tokens[-1])
                node = value.get(unescape_pointer(tokens.pop()))
            elif isinstance(value, list) and (not known or key in SCHEMA_LIST_KEYS or key == "items"):
                index = tokens.pop() if tokens else ""
                try:
                    node = step(value, index)
                except KeyError:
                    return None
                steps[-1] = "prefixItems" if known and key == "items" else steps[-1]
                steps.append(index)
            elif not known or key in SCHEMA_KEYS:
                node = value
            else:
                return None
        return steps if isinstance(node, dict | bool) else None


def _names_a_resource(identity: Any) -> bool:
    return isinstance(identity, str) and not identity.startswith("#")


def rename_keywords(schema: dict[str, Any], draft: int) -> dict[str, str]:
    """Rename the keywords of one schema object to those of the newest draft, in place; inner schemas do not change.

    Args:
        schema: a schema object of an older draft, without parts that its dialect ignores.
        draft: the draft; 0 for a schema that does not name one. It is read as the newest one with lists of items, which
            many generators still write.

    Returns:
        Keyword → its old name, for renamed keywords.
    """
    spelled: dict[str, str] = {}
    beyond = schema.pop("additionalItems", None)
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        if beyond is not None:
            schema["items"] = beyond
        spelled.update(prefixItems="items", items="additionalItems")
    dependencies = schema.pop(DISPUTED, None) if 4 <= draft <= 7 else None
    for keyword, listed in (("dependentRequired", True), ("dependentSchemas", False)):
        # Other values are not valid, or are in a part that the dialect ignores.
        needs = dependencies.items() if isinstance(dependencies, dict) else ()
        found = {name: value for name, value in needs if isinstance(value, list) is listed}
        before = schema.get(keyword, {})
        if found and isinstance(before, dict):
            schema[keyword] = {**before, **found}
            spelled[keyword] = "dependencies"
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if draft == 4 and isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
            schema[exclusive] = schema.pop(bound)
    return spelled


def _translate_identity(schema: dict[str, Any], draft: int) -> None:
    """Translate ``id`` and plain-name fragments to the newest draft."""
    identity = schema.pop("id", None) if draft == 4 else schema.get("$id")
    if not isinstance(identity, str):
        return
    base, mark, fragment = identity.partition("#")
    schema.pop("$id", None)
    if base:
        schema["$id"] = base
    if mark and fragment:
        schema["$anchor"] = fragment
