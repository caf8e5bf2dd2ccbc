"""A schema document: where its references lead."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.translation import modern
from mcp_governor.schemas.values import text_of
from mcp_governor.schemas.walking import children

Place = tuple[Any, str]
"""A subschema and the base URI that its references are relative to."""


_NAMING = ('"$id"', '"id"', '"$anchor"', '"$dynamicAnchor"', '"$recursiveAnchor"')


class Document:
    """A draft 2020-12 schema with its embedded resources and anchors.

    Args:
        schema: the schema, in the words of draft 2020-12 (see :func:`~.translation.modern`).
        text: its text as it was published, where that is known: most schemas name nothing, which it shows.
    """

    def __init__(self, schema: Any, text: str = "") -> None:
        self.schema = schema
        self.resources: dict[str, Place] = {"": (schema, "")}
        self.anchors: dict[tuple[str, str], Place] = {}
        self.dynamic: dict[str, set[str]] = {}
        """The dynamic anchors of each resource."""
        if not text or any(word in text for word in _NAMING):
            self._index(schema, "")

    def _index(self, schema: Any, base: str) -> None:
        pending: list[tuple[Any, str]] = [(schema, base)]
        while pending:
            part, base = pending.pop()
            if not isinstance(part, dict):
                continue
            if isinstance(part.get("$id"), str):
                base = self.base_of(part, base)
                self.resources.setdefault(base, (part, base))
            for keyword in ("$anchor", "$dynamicAnchor"):
                name = part.get(keyword)
                if isinstance(name, str):
                    self.anchors.setdefault((base, name), (part, base))
                    if keyword == "$dynamicAnchor":
                        self.dynamic.setdefault(base, set()).add(name)
            pending.extend((child, base) for child in children(part))

    def base_of(self, schema: dict[str, Any], base: str) -> str:
        """The base URI inside a schema object."""
        identity = schema.get("$id")
        return urljoin(base, urldefrag(identity).url) if isinstance(identity, str) else base

    def resolve(self, base: str, reference: str) -> Place | None:
        """What a reference leads to, or ``None`` where that is not in the document."""
        uri, fragment = urldefrag(urljoin(base, reference) if not reference.startswith("#") else base + reference)
        place = self.resources.get(uri)
        if place is None:
            known = _known(uri)
            if known is None:
                return None
            self._index(known, uri)
            place = self.resources.setdefault(uri, (known, uri))
        if not fragment:
            return place
        if not fragment.startswith("/"):
            return self.anchors.get((uri, unquote(fragment)))
        return follow(place, unquote(fragment))


def follow(place: Place, pointer: str) -> Place | None:
    """RFC 6901, keeping track of the base URI on the way."""
    part, base = place
    for index, step in enumerate(pointer.split("/")[1:]):
        token = step.replace("~1", "/").replace("~0", "~")
        if index and isinstance(part, dict) and isinstance(part.get("$id"), str):
            base = urljoin(base, urldefrag(part["$id"]).url)
        if isinstance(part, dict) and token in part:
            part = part[token]
        elif isinstance(part, list) and token.isascii() and token.isdecimal() and int(token) < len(part):
            part = part[int(token)]
        else:
            return None
    if not isinstance(part, dict | bool):
        return None
    return part, base


@lru_cache(maxsize=1)
def published() -> Any:
    """The registry of the published meta-schemas; it fetches nothing."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    return REGISTRY


@lru_cache(maxsize=32)
def _known(uri: str) -> Any | None:
    """A published meta-schema, which every implementation carries."""
    if "json-schema.org/" not in uri:
        return None
    found = published()
    resource = found.get(uri) or found.get(uri + "#")
    if resource is None:
        return None
    draft = dialect_of(resource.contents, LATEST) or LATEST
    return modern(resource.contents, draft, text_of(resource.contents))
