"""Resolve the references of a schema: resources, anchors and pointers (2020-12 core, sections 8.2 and 9)."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens, step
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

Place = tuple[Any, str]
"""A subschema and the base URI around it. Its own references are relative to :meth:`Document.base_of` it."""


class Target(NamedTuple):
    """A subschema and its position.

    Attributes:
        schema: the subschema.
        base: the base URI around it.
        pointer: its place in the document.
    """

    schema: Any
    base: str
    pointer: str


_NAMING = ('"$id"', '"id"', '"$anchor"', '"$dynamicAnchor"', '"$recursiveAnchor"')


class Document:
    """A schema with its embedded resources and anchors.

    Args:
        schema: any JSON value.
        text: its JSON text, if known; it shows quickly that a schema has no names, as most schemas do.
        draft: its dialect, which determines how a schema gets a name.
        alone: true if the published meta-schemas, which every implementation includes, are not part of it.
    """

    def __init__(self, schema: Any, text: str = "", *, draft: int = LATEST, alone: bool = False) -> None:
        self.schema = schema
        self.resources: dict[str, Target] = {"": Target(schema, "", "")}
        self.anchors: dict[tuple[str, str], Target] = {}
        self.dynamic: dict[str, set[str]] = {}
        """The dynamic anchors of each resource."""
        self._alone = alone
        self._legacy = draft <= 7
        self._identity = "id" if draft == 4 else "$id"
        if _may_name(schema, text):
            self._index(Target(schema, "", ""))

    def parts(self, start: Target | None = None) -> Iterator[Target]:
        """All subschemas at and below a place, by default of the whole document, in document order."""
        pending = [start or self.resources[""]]
        while pending:
            part = pending.pop()
            yield part
            if isinstance(part.schema, dict):
                inside = self.base_of(part.schema, part.base)
                below = [
                    Target(child, inside, join_pointer(part.pointer, *tokens))
                    for tokens, child in subschemas(part.schema)
                ]
                pending.extend(reversed(below))

    def _index(self, start: Target) -> None:
        for part in self.parts(start):
            schema = part.schema
            if not isinstance(schema, dict):
                continue
            inside = self.base_of(schema, part.base)
            identity = self._name_of(schema)
            if identity is not None:
                self.resources.setdefault(inside, part)
                if self._legacy and identity.partition("#")[2]:
                    self.anchors.setdefault((inside, identity.partition("#")[2]), part)
            for keyword in ("$anchor", "$dynamicAnchor"):
                name = schema.get(keyword)
                if isinstance(name, str):
                    self.anchors.setdefault((inside, name), part)
                    if keyword == "$dynamicAnchor":
                        self.dynamic.setdefault(inside, set()).add(name)

    def _name_of(self, schema: dict[str, Any]) -> str | None:
        identity = schema.get(self._identity)
        if not isinstance(identity, str) or (self._legacy and "$ref" in schema):
            return None  # up to draft 7, keywords next to a reference are ignored
        return identity

    def base_of(self, schema: Any, base: str) -> str:
        """The base URI inside a schema; ``base`` is the one around it."""
        identity = self._name_of(schema) if isinstance(schema, dict) else None
        if identity is None:
            return base
        try:
            return urljoin(base, urldefrag(identity).url)
        except ValueError:  # not a URI
            return base

    def find(self, base: str, reference: str) -> Target | None:
        """The target of a reference, or ``None`` if it is not a schema of the document.

        Args:
            base: the base URI of the schema with the reference.
            reference: its value.
        """
        named = _uri_of(base, reference)
        if named is None:
            return None
        uri, fragment = named
        found = self.resources.get(uri) or self._published(uri)
        if found is None or not fragment:
            return found
        if not fragment.startswith("/"):
            return self.anchors.get((uri, fragment))
        return self._follow(found, fragment)

    def resolve(self, base: str, reference: str) -> Place | None:
        """:meth:`find` without the pointer."""
        found = self.find(base, reference)
        return None if found is None else found[:2]

    def leads_out(self, base: str, reference: str) -> bool:
        """True if a reference names another document."""
        named = _uri_of(base, reference)
        return named is None or (named[0] not in self.resources and self._published(named[0]) is None)

    def _follow(self, start: Target, pointer: str) -> Target | None:
        part, base, home = start
        try:
            for token in pointer_tokens(pointer):
                base = self.base_of(part, base)
                part = step(part, token)
        except KeyError:
            return None
        return Target(part, base, home + pointer) if isinstance(part, dict | bool) else None

    def _published(self, uri: str) -> Target | None:
        known = None if self._alone else _known(uri)
        if known is None:
            return None
        self._index(Target(known, uri, ""))
        return self.resources.setdefault(uri, Target(known, uri, ""))


def _may_name(schema: Any, text: str) -> bool:
    try:
        text = text or json.dumps(schema, default=str)
    except RecursionError:
        return True
    return any(word in text for word in _NAMING)


def _uri_of(base: str, reference: str) -> tuple[str, str] | None:
    """The document that a reference names, and the decoded fragment; ``None`` if it is not a URI."""
    if reference.startswith("#"):
        return base, unquote(reference[1:])
    try:
        uri, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        return None
    return uri, unquote(fragment)


@cache
def published() -> Any:
    """The registry of the published meta-schemas; it fetches nothing."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    return REGISTRY


# twenty meta-schemas are published, vocabularies included
@lru_cache(maxsize=32)
def _known(uri: str) -> Any | None:
    """A published meta-schema, which every implementation includes, translated to draft 2020-12."""
    if "json-schema.org/" not in uri:
        return None
    from mcp_governor.schemas.translation import modern
    from mcp_governor.schemas.values import text_of

    found = published()
    resource = found.get(uri) or found.get(uri + "#")
    if resource is None:
        return None
    return modern(resource.contents, dialect_of(resource.contents) or LATEST, text_of(resource.contents))
