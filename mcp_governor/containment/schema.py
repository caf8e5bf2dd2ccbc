"""A schema with everything that was worked out about it, kept for the next question."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from mcp_governor.containment.compiler import Compiler
from mcp_governor.containment.dialect import LATEST, dialect_of, modern
from mcp_governor.containment.document import Document
from mcp_governor.containment.problem import find_problem
from mcp_governor.containment.values import text_of

if TYPE_CHECKING:
    from mcp_governor.containment.nodes import Node

_VALIDATORS: dict[int, type[jsonschema_rs.Validator]] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}

CACHE_SIZE = 4_096
CACHE_TEXT = 64_000_000
"""Characters of schema text to keep at most: this bounds the memory of the cache."""


class Schema:
    """One schema in one dialect.

    Args:
        source: the schema as it was published.
        text: its canonical text.
        draft: the draft it is written in; ``None`` where it names an unknown one.
    """

    def __init__(self, source: Any, text: str, draft: int | None) -> None:
        self.source = source
        self.text = text
        self.draft = draft

    @cached_property
    def problem(self) -> str | None:
        """See :func:`~.problem.schema_problem`."""
        valid = self.draft is not None and self.canonical is not None
        return find_problem(self.source, self.text, self.draft, valid=valid)

    @cached_property
    def modern(self) -> Any:
        """The schema in draft 2020-12."""
        return modern(self.source, self.draft or LATEST, self.text)

    @cached_property
    def formula(self) -> Node:
        """What the own procedure works on."""
        return Compiler(Document(self.modern), self.text).root()

    @cached_property
    def validator(self) -> jsonschema_rs.Validator:
        """The native validator, formats being annotations."""
        draft = self.draft or LATEST
        source = self.modern if draft <= 7 and '"content' in self.text else self.source
        return _VALIDATORS[LATEST if source is self.modern else draft](source, validate_formats=False, offline=True)

    @cached_property
    def second_validator(self) -> Any:
        """The validator of the ``jsonschema`` package, formats being annotations."""
        import jsonschema
        from jsonschema_specifications import REGISTRY

        classes = {
            4: jsonschema.Draft4Validator,
            6: jsonschema.Draft6Validator,
            7: jsonschema.Draft7Validator,
            19: jsonschema.Draft201909Validator,
            20: jsonschema.Draft202012Validator,
        }
        # a registry of its own: the default one would fetch remote references
        return classes[self.draft or LATEST](self.source, registry=REGISTRY)

    def accepts(self, value: Any) -> bool | None:
        """Whether both validators accept the value; ``None`` where they differ or one cannot tell."""
        try:
            first = self.validator.is_valid(value)
            second = self.second_validator.is_valid(value)
        except Exception:  # noqa: BLE001 - validators raise what they like on schemas they cannot read
            return None
        return first if first is second else None

    @cached_property
    def canonical(self) -> jsonschema_rs.CanonicalSchema | None:
        """The native canonical form in the schema's own draft; ``None`` where it has none."""
        if self.draft is not None and self.draft <= 7 and '"content' in self.text:
            return self.canonical_modern
        return _canonical(self.source, self.draft)

    @cached_property
    def canonical_modern(self) -> jsonschema_rs.CanonicalSchema | None:
        """The native canonical form in draft 2020-12."""
        if '"$recursive' in self.text:
            return None
        return _canonical(self.modern, LATEST)


def _canonical(schema: Any, draft: int | None) -> jsonschema_rs.CanonicalSchema | None:
    named = isinstance(schema, dict) and "$schema" in schema
    try:
        return jsonschema_rs.canonicalize(schema, draft=None if named else draft, validate_formats=False, offline=True)
    except ValueError:
        return None


_cache: OrderedDict[tuple[str, int], Schema] = OrderedDict()
_cached_text = 0


def load(source: Any, default_dialect: int) -> Schema:
    """The schema, from the cache where its content was seen before.

    Raises:
        ValueError: the value is not JSON, or nested too deeply.
    """
    global _cached_text
    text = text_of(source)
    key = (text, default_dialect)
    found = _cache.get(key)
    if found is not None:
        _cache.move_to_end(key)
        return found
    # a copy: whoever asked may change theirs before the next question
    source = jsonschema_rs.canonical.schema.clone(source)
    found = _cache[key] = Schema(source, text, dialect_of(source, default_dialect))
    _cached_text += len(text)
    while _cached_text > CACHE_TEXT or len(_cache) > CACHE_SIZE:
        _, old = _cache.popitem(last=False)
        _cached_text -= len(old.text)
    return found
