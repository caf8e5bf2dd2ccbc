"""Why something that is published as a schema cannot be used as one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import jsonschema_rs

from mcp_governor.containment.dialect import LATEST, REFERENCES, dialect_of, modern, uri_of
from mcp_governor.containment.document import Document, Place, children, patterns_of, published
from mcp_governor.containment.values import is_finite, text_of
from mcp_governor.text import one_line
from mcp_governor.vocabulary import SILENT_KEYS

_VALIDATORS: dict[int, type[jsonschema_rs.Validator]] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}
_SILENT = SILENT_KEYS | {"$id", "$anchor", "$dynamicAnchor"}
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_SAYS_LITTLE = frozenset((*REFERENCES, *_IN_PLACE))


def native_validator(schema: Any, text: str, draft: int) -> jsonschema_rs.Validator:
    """The native validator of a schema of this draft and text, formats being annotations; it fetches nothing.

    Raises:
        ValueError: the schema breaks its meta-schema, or a reference leads nowhere.
    """
    if "json-schema.org/" in text and '"$ref"' in text:
        # by itself it knows the meta-schema of its own draft only
        return _VALIDATORS[draft](schema, validate_formats=False, registry=_meta_schemas())
    return _VALIDATORS[draft](schema, validate_formats=False, offline=True)


@lru_cache(maxsize=1)
def _meta_schemas() -> jsonschema_rs.Registry:
    registry = published()
    return jsonschema_rs.Registry([(uri, registry[uri].contents) for uri in registry])


def is_plainly_valid(schema: Any, text: str, draft: int) -> bool:
    """Whether a schema is sound; cheaper than :func:`schema_problem`, and says no when unsure."""
    named = schema
    if isinstance(schema, dict) and "$schema" not in schema and draft != LATEST:
        named = {**schema, "$schema": uri_of(draft)}
    if not jsonschema_rs.meta.is_valid(named):
        return False
    if '"pattern' in text and not all(map(_compiles, patterns_of(schema))):
        return False
    return '"$re' not in text or _has_plain_references(schema, text) or _bad_reference(schema) is None


_REFERENCE = re.compile(r'"\$ref":"#/(\$defs|definitions)/([^"/~%\\]+)"')


def _has_plain_references(schema: Any, text: str) -> bool:
    """Whether all references lead to definitions that say something themselves, so that none goes in a circle."""
    found = _REFERENCE.findall(text)
    if len(found) != text.count('"$re') or any(word in text for word in ('"$id"', '"$dynamic', '"not"')):
        return False
    for place, name in set(found):
        target = schema.get(place, {}).get(name)
        if not isinstance(target, dict) or _SAYS_LITTLE.issuperset(target.keys() - _SILENT):
            return False
    return True


@lru_cache(maxsize=1_024)
def _compiles(pattern: str) -> bool:
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return False
    return True


def schema_problem(schema: Any, *, default_dialect: int = LATEST) -> str | None:
    """One clause that tells why ``schema`` is not a usable JSON Schema, or ``None`` where it is.

    The clause continues a sentence of which the schema is the subject: it *is neither an object nor a
    boolean*, *breaks its meta-schema at …*, *names an unknown dialect …*, *refers to … which does not exist*,
    *refers to another document …*, *refers only to itself …*, *is nested too deeply*. It is safe to show.

    Args:
        schema: anything at all.
        default_dialect: the draft of a schema that does not name one: 4, 6, 7, 19 or 20.
    """
    try:
        text = text_of(schema)
    except ValueError as error:
        return unreadable(error)
    return find_problem(schema, text, dialect_of(schema, default_dialect))


def find_problem(schema: Any, text: str, draft: int | None) -> str | None:
    """:func:`schema_problem` of a schema whose canonical text and dialect are known.

    Args:
        schema: a JSON value.
        text: its canonical text.
        draft: the dialect; ``None`` where it names an unknown one.
    """
    if not isinstance(schema, dict | bool):
        return "is neither an object nor a boolean"
    if draft is None:
        assert isinstance(schema, dict)
        return f"names an unknown dialect, {one_line(str(schema['$schema']), 80)}"
    finite = "null" not in text or is_finite(schema)
    if finite and draft >= 7 and is_plainly_valid(schema, text, draft):
        return None
    problem = _invalid(schema, text, draft)
    if problem is None and not finite:
        problem = "holds a number that JSON does not have"
    if problem is None and any(f'"{word}"' in text for word in REFERENCES):
        problem = _bad_reference(modern(schema, draft, text))
    return problem


def unreadable(error: ValueError) -> str:
    return "is nested too deeply" if "recursion" in str(error).lower() else f"is not JSON: {one_line(str(error))}"


def _invalid(schema: Any, text: str, draft: int) -> str | None:
    try:
        native_validator(schema, text, draft)
    except jsonschema_rs.ValidationError as error:
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Referencing):
            # looked at by _bad_reference, with words of our own
            return None
        where = "".join(f"/{step}" for step in error.instance_path) or "its root"
        return f"breaks its meta-schema at {one_line(where)}: {one_line(error.message)}"
    except jsonschema_rs.ReferencingError:
        return None
    except ValueError as error:
        return unreadable(error)
    return None


def _bad_reference(schema: Any) -> str | None:
    """The first reference that leads nowhere, or round in a circle without meeting any content."""
    document = Document(schema)
    pending: list[Place] = [(schema, "")]
    seen: set[tuple[int, str]] = set()
    settled: set[int] = set()
    while pending:
        part, base = pending.pop()
        if not isinstance(part, dict) or (id(part), base) in seen:
            continue
        seen.add((id(part), base))
        base = document.base_of(part, base)
        references = [part[word] for word in REFERENCES if isinstance(part.get(word), str)]
        for reference in references:
            if document.resolve(base, reference) is None:
                return _unresolved(reference)
        if references and _comes_back(document, part, base, settled):
            return f"refers only to itself at {one_line(references[0], 80)}"
        pending.extend((child, base) for child in children(part))
    return None


def _unresolved(reference: str) -> str:
    shown = one_line(reference, 80)
    if reference.startswith("#"):
        return f"refers to {shown}, which does not exist"
    return f"refers to another document, {shown}"


def _comes_back(document: Document, start: dict[str, Any], base: str, settled: set[int]) -> bool:
    """Whether a schema object is reached that says nothing but that it is itself, or not itself.

    Args:
        document: the document.
        start: where to begin.
        base: the base URI inside ``start``.
        settled: schema objects from which no circle can be reached; added to.
    """
    path = {id(start)}
    walk = [(id(start), iter(_in_place(document, start, base)))]
    while walk:
        number, steps = walk[-1]
        for part, outside in steps:
            if id(part) in path:
                return True
            if isinstance(part, dict) and id(part) not in settled:
                path.add(id(part))
                walk.append((id(part), iter(_in_place(document, part, document.base_of(part, outside)))))
                break
        else:
            settled.add(number)
            path.discard(number)
            walk.pop()
    return False


def _in_place(document: Document, part: dict[str, Any], base: str) -> list[Place]:
    """The subschemas that are all that a schema object says about its instance, and those it negates."""
    found = [(part["not"], base)] if "not" in part else []
    if len(part.keys() - _SILENT) == 1:
        for word in REFERENCES:
            if isinstance(part.get(word), str):
                target = document.resolve(base, part[word])
                found += [target] if target is not None else []
        for word in _IN_PLACE:
            branches = part.get(word, ())
            found += [(branches[0], base)] if len(branches) == 1 else []
    return found
