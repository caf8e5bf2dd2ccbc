"""Check that a published schema is usable, and explain why not."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import jsonschema_rs

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import LATEST, uri_of
from mcp_governor.schemas.flaws import UNLISTED, Flaw, meta_flaws, read_parts
from mcp_governor.schemas.keywords import JSON_TYPES, REFERENCES, SCHEMA_LIST_KEYS, SCHEMA_MAP_KEYS
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens
from mcp_governor.schemas.references import Circles, Document, Place, published
from mcp_governor.schemas.translation import UNRESOLVED, modern
from mcp_governor.schemas.values import is_finite
from mcp_governor.schemas.walking import MAX_NEGATED, children, in_place, negated, patterns_of
from mcp_governor.schemas.weight import HEAVY, MAX_WEIGHT, pattern_weight, weight
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_VALIDATORS: dict[int, type[jsonschema_rs.Validator]] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}


class TooLargeError(ValueError):
    """A validator for the schema would not fit into memory."""


class TooHeavyError(TooLargeError):
    """The validator is too large for this process, but :mod:`mcp_governor.containment.worker` may build it."""


class UnsoundError(ValueError):
    """The schema violates its meta-schema.

    Attributes:
        flaw: the error.
    """

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.message)
        self.flaw = flaw


def native_validator(schema: Any, text: str, draft: int, *, heaviest: int = HEAVY) -> jsonschema_rs.Validator:
    """Build the native validator of a schema. Formats are annotations, and nothing is fetched.

    Args:
        schema: any JSON value.
        text: the schema as JSON text.
        draft: its draft.
        heaviest: most memory that the validator may take, in bytes; higher in a process with its own memory limit.

    Raises:
        TooHeavyError: the validator would take more than that.
        ValueError: the schema violates its meta-schema, or a reference does not resolve.
        TooLargeError: the validator would not fit into memory.
    """
    _fits(schema, text, heaviest)
    if len(text) > _SMALL:
        _refuse_unsound(schema, text, draft)
    if "json-schema.org/" in text and '"$ref"' in text:
        # By default, it only has the meta-schema of its own draft.
        return _VALIDATORS[draft](schema, validate_formats=False, registry=_meta_registry())
    return _VALIDATORS[draft](schema, validate_formats=False, offline=True)


_SMALL = 10_000
"""Longest schema, in characters, that the engine itself validates against the meta-schema: it copies the schema once
per level, which takes 25 MB at most."""


def _refuse_unsound(schema: Any, text: str, draft: int) -> None:
    """Refuse schemas that the engine would refuse, without the copies in its own errors."""
    for flaw in meta_flaws(schema, draft):
        raise UnsoundError(flaw)
    if '"pattern' in text:
        for pattern in patterns_of(schema):
            if not compiles(pattern):
                raise UnsoundError(Flaw((), (), "format", "", f"{one_line(pattern, 80)!r} is not a regular expression"))
    if not jsonschema_rs.meta.is_valid(_named(schema, draft)):
        raise UnsoundError(UNLISTED)


def _named(schema: Any, draft: int) -> Any:
    """The schema with its dialect, because the engine's own check uses that."""
    if isinstance(schema, dict) and "$schema" not in schema and draft != LATEST:
        return {**schema, "$schema": uri_of(draft)}
    return schema


_WHOLE = "urn:mcp-governor:whole"


class NativeParts:
    """Native validators for the parts of one schema. The schema is parsed once; each validator compiles its own part.

    Args:
        schema: a schema object.
        text: the schema as JSON text.
        draft: its draft.
        heaviest: most memory that a validator of the whole schema may take, in bytes.

    Raises:
        ValueError: as for :func:`native_validator`.
    """

    def __init__(self, schema: dict[str, Any], text: str, draft: int, *, heaviest: int = HEAVY) -> None:
        _fits(schema, text, heaviest)
        whole = {**schema, "$schema": uri_of(draft), "id" if draft == 4 else "$id": _WHOLE}
        known = _meta_schemas() if "json-schema.org/" in text else []
        self._draft = draft
        self._registry = jsonschema_rs.Registry([(_WHOLE, whole), *known])

    def at(self, pointer: str) -> jsonschema_rs.Validator:
        """The validator of the part at a pointer.

        Raises:
            ValueError: the part violates its meta-schema.
        """
        part = {"$schema": uri_of(self._draft), "$ref": f"{_WHOLE}#{quote(pointer, safe='/~')}"}
        return _VALIDATORS[self._draft](part, validate_formats=False, offline=True, registry=self._registry)


def _fits(schema: Any, text: str, heaviest: int) -> None:
    if '"not"' in text and negated(schema) > MAX_NEGATED:
        raise TooLargeError('it nests "not" in "not" so often that its validator would not fit into memory')
    if weight(schema, text) > heaviest:
        raise TooHeavyError("it says so much that its validator would not fit into memory")


@cache
def _meta_registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry(_meta_schemas())


@cache
def _meta_schemas() -> list[tuple[str, Any]]:
    registry = published()
    return [(uri, registry[uri].contents) for uri in registry]


def is_plainly_valid(schema: Any, text: str, draft: int) -> bool:
    """True if a schema is certainly sound; cheaper than :func:`find_problem`."""
    if not jsonschema_rs.meta.is_valid(_named(schema, draft)):
        return False
    if '"pattern' in text and (pattern_weight(schema) > MAX_WEIGHT or not all(map(compiles, patterns_of(schema)))):
        return False
    if '"$re' not in text and '"$dynamicRef"' not in text:
        return True
    if _has_plain_references(schema, text, draft):
        return True
    return _bad_reference(schema, text) is None and _unread(schema, text, draft) is None


# A property may have the name of a keyword; it is a keyword here if its value is a string.
_UNSURE = ('"id": "', '"id":"', '"pattern": "', '"pattern":"', '"patternP', '"not"', "\\ud", "NaN", "Infinity")


def surely_compiles(schema: Any, text: str, draft: int) -> bool:
    """True if :func:`native_validator` certainly builds a validator; much cheaper than trying.

    Args:
        schema: a schema object.
        text: the schema as ASCII JSON text.
        draft: its draft.
    """
    # Leave identifiers, inner dialects, patterns, negations, lone surrogates and values that are not JSON to the
    # engine.
    if draft < 7 or len(text) > _SMALL or any(map(text.__contains__, _UNSURE)):
        return False
    if text.count('"$') != ("$schema" in schema) + text.count('"$comment"'):
        return False
    return bool(jsonschema_rs.meta.is_valid(_named(schema, draft)))


_REFERENCE = lazy_pattern(r'"\$ref":"#/(\$defs|definitions)/([^"/~%\\]+)"')


def _has_plain_references(schema: Any, text: str, draft: int) -> bool:
    """True if all references lead to definitions without further references for the same value, so without circles."""
    found = _REFERENCE.findall(text)
    if draft <= 7 and any(place == "$defs" for place, _ in found):
        return False  # which the meta-schema does not check
    if len(found) != text.count('"$re') or any(word in text for word in ('"$id"', '"$dynamic')):
        return False
    return all(_ends_here(schema.get(place, {}).get(name)) for place, name in dict.fromkeys(found))


def _ends_here(target: Any) -> bool:
    """True if a definition only has references in members and items."""
    pending = [target]
    while pending:
        part = pending.pop()
        if not isinstance(part, dict) or "$ref" in part:
            return isinstance(part, bool)
        pending.extend(child for _, child in in_place(part) if isinstance(child, dict))
    return True


# enough for the patterns of two surfaces, which often repeat in many schemas
@lru_cache(maxsize=1_024)
def compiles(pattern: str) -> bool:
    """True if a pattern is a regular expression of ECMA-262, as far as the native engine knows."""
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return False
    return True


def find_problem(schema: Any, text: str, draft: int | None) -> str | None:
    """The reason why ``schema`` is not a usable JSON Schema, as a clause, or ``None`` if it is usable.

    The clause continues a sentence whose subject is the schema: it *is neither an object nor a
    boolean*, *breaks its meta-schema at …*, *names an unknown dialect …*, *refers to … which does not exist*,
    *refers to another document …*, *applies itself to the same value …*, *is nested too deeply*. It is safe to show.

    Args:
        schema: a JSON value.
        text: its canonical text.
        draft: its dialect; ``None`` if unknown.
    """
    if not isinstance(schema, dict | bool):
        return "is neither an object nor a boolean"
    if isinstance(schema, bool) and draft == 4:
        return "is a boolean, which draft 4 does not have as a schema"
    if draft is None:
        assert isinstance(schema, dict)
        return f"names an unknown dialect, {one_line(str(schema['$schema']), 80)}"
    finite = "null" not in text or is_finite(schema)
    if finite and draft >= 7 and is_plainly_valid(schema, text, draft):
        return None
    problem = _invalid(schema, text, draft)
    if problem is None and not finite:
        problem = "contains a number that JSON cannot represent"
    if problem is None and any(f'"{word}"' in text for word in REFERENCES):
        problem = _bad_reference(modern(schema, draft, text), text) or _unread(schema, text, draft)
    return problem


def unreadable(error: ValueError) -> str:
    """Why a value has no JSON text, as a clause about it."""
    if "recursion" in str(error).lower():
        return "is nested too deeply"
    if "surrogates not allowed" in str(error):
        return "has half of a surrogate pair (\\ud800 to \\udfff), which is not a character"
    return f"is not JSON: {one_line(str(error))}"


def _invalid(schema: Any, text: str, draft: int) -> str | None:
    try:
        native_validator(schema, text, draft)
    except UnsoundError as error:
        return _broken(error.flaw.instance_path, str(error))
    except jsonschema_rs.ValidationError as error:
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Referencing):
            # `_bad_reference` checks references, with our own messages.
            return None
        return _broken(error.instance_path, error.message)
    except jsonschema_rs.ReferencingError:
        return None
    except TooLargeError as error:
        return str(error).removeprefix("it ")
    except ValueError as error:
        return unreadable(error)
    return None


def _broken(way: Sequence[str | int], message: str) -> str:
    where = join_pointer("", *way) or "its root"
    return f"breaks its meta-schema at {one_line(where)}: {one_line(message)}"


def _bad_reference(schema: Any, text: str) -> str | None:
    """The problem with the first reference that does not resolve, or that is part of a meaningless circle."""
    document = Document(schema, text)
    pending: list[Place] = [(schema, "")]
    seen: set[tuple[int, str]] = set()
    circles = Circles(document)
    while pending:
        part, base = pending.pop()
        if not isinstance(part, dict) or (id(part), base) in seen:
            continue
        seen.add((id(part), base))
        inside = document.base_of(part, base)
        references = [part[word] for word in REFERENCES if isinstance(part.get(word), str)]
        for reference in references:
            if document.resolve(inside, reference) is None:
                return _unresolved(reference, document.leads_out(inside, reference))
        if references and circles.hold(part, base):
            return f"applies itself to the same value, without end, at {one_line(references[0], 80)}"
        pending.extend((child, inside) for child in children(part))
    return None


def _unread(schema: Any, text: str, draft: int) -> str | None:
    """The problem with the first target of a reference that the meta-schema did not check, because the dialect ignores
    the keyword around it: ``#/$defs/a`` in draft 4, ``#/components/schemas/a`` in any."""
    document = Document(schema, text, draft=draft)
    read = {id(part) for part in read_parts(schema, draft)}
    pending = list(document.parts())
    while pending:
        part = pending.pop()
        inside = document.base_of(part.schema, part.base) if isinstance(part.schema, dict) else part.base
        references = [part.schema.get(word) for word in REFERENCES] if isinstance(part.schema, dict) else ()
        for reference in references:
            target = document.find(inside, reference) if isinstance(reference, str) else None
            if target is None or id(target.schema) in read or not isinstance(target.schema, dict):
                continue
            for flaw in meta_flaws(target.schema, draft):
                return _broken((*pointer_tokens(target.pointer), *flaw.instance_path), flaw.message)
            read.update(map(id, read_parts(target.schema, draft)))
            pending.extend(document.parts(target))
    return None


def _unresolved(reference: str, leads_out: bool) -> str:
    if reference.startswith(UNRESOLVED):
        return f"refers to {one_line('#' + reference.removeprefix(UNRESOLVED), 80)}, which is not the place of a schema"
    shown = one_line(reference, 80)
    return f"refers to another document, {shown}" if leads_out else f"refers to {shown}, which does not exist"


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in JSON_TYPES for name in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value) and value >= 0 and value == int(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_TAKES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "type": (_is_type, "a JSON Schema type"),
    "enum": (lambda value: isinstance(value, list), "a list"),
    "required": (_is_names, "a list of names"),
    "dependentRequired": (
        lambda value: isinstance(value, dict) and all(map(_is_names, value.values())),
        "a map of lists of names",
    ),
    "uniqueItems": (lambda value: isinstance(value, bool), "a boolean"),
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    **dict.fromkeys(("pattern", "format", "$ref"), (lambda value: isinstance(value, str), "a string")),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), (_is_number, "a number")),
    **dict.fromkeys(
        [f"{end}{what}" for end in ("max", "min") for what in ("Contains", "Items", "Length", "Properties")],
        (_is_count, "a count"),
    ),
    **dict.fromkeys(SCHEMA_LIST_KEYS, (lambda value: isinstance(value, list) and bool(value), "a list of schemas")),
    **dict.fromkeys(SCHEMA_MAP_KEYS, (lambda value: isinstance(value, dict), "a map of schemas")),
}
"""Keyword of draft 2020-12 → check for the type of its value, and the name of this type."""


def wrong_keyword(schema: Mapping[str, Any]) -> str:
    """The first keyword of a schema object whose value has the wrong type, as a clause; empty if there is none.

    Inner schemas are not checked. Checking each schema separately shows which parts are usable, while a meta-schema
    only shows if the whole schema is.

    Args:
        schema: a schema object in draft 2020-12.
    """
    for key, value in schema.items():
        takes = _TAKES.get(key)
        if takes is not None and not takes[0](value):
            return f"its {key} {one_line(str(value), 40)} is not {takes[1]}"
    return ""
