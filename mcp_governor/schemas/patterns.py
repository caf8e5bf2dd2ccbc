"""JSON Schemas and regular expressions of rules, on an engine that cannot hang.

Both run in jsonschema-rs with its linear-time regular expressions (no look-around, no back-references), and
never fetch anything.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.pointers import resolve_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import jsonschema_rs

    from mcp_governor.schemas.flaws import Flaw

_SURROGATES = lazy_pattern("[\ud800-\udfff]")


_LINEAR = "Patterns run on a linear-time engine: no look-around, no back-references."


class Validator:
    """A native validator that describes the errors of a value in bounded memory.

    Args:
        native: the engine's validator.
        demands: returns what its schema demands at one place (:func:`~mcp_governor.schemas.flaws.demands_of`); called
            if a value is rejected.

    Attributes:
        is_valid: true if the value is valid; the engine's own method, which is almost free.
    """

    __slots__ = ("_demands", "_native", "is_valid")

    def __init__(self, native: jsonschema_rs.Validator, demands: Callable[[], int]) -> None:
        self.is_valid: Callable[[Any], bool] = native.is_valid
        self._native = native
        self._demands = functools.cache(demands)

    def flaws(self, value: Any) -> list[Flaw]:
        """All errors in a value, or a single one for everything if listing them would take too much memory."""
        from mcp_governor.schemas.flaws import LISTING, UNLISTED, flaw_of, listing_bytes

        # Most values are valid, and this check is cheaper than looking for errors.
        if self.is_valid(value):
            return []
        if listing_bytes(self._demands(), value) > LISTING:
            return [UNLISTED]
        return [flaw_of(error) for error in self._native.iter_errors(value)]


def compile_schema(schema: Mapping[str, Any] | bool) -> Validator:
    """A validator for a rule's schema.

    Raises:
        ConfigError: the schema or a pattern in it does not compile.
    """
    plain = schema if isinstance(schema, bool) else dict(schema)
    try:
        text = json.dumps(plain)
    except (TypeError, ValueError, RecursionError):
        return _compiled(plain)
    return _known_schema(text)


# The schemas and patterns of all declarative rules, ours and a user's, each requested several times in a run.
@functools.lru_cache(maxsize=512)
def _known_schema(text: str) -> Validator:
    return _compiled(json.loads(text))


def _compiled(plain: Any) -> Validator:
    import jsonschema_rs

    try:
        native = jsonschema_rs.Draft202012Validator(plain, offline=True, pattern_options=jsonschema_rs.RegexOptions())
    except (jsonschema_rs.ValidationError, ValueError) as error:
        reason = getattr(error, "message", str(error))
        raise ConfigError(f"the schema does not compile: {one_line(reason)}.", _LINEAR) from None
    return Validator(native, lambda: _demands(plain))


def _demands(schema: Any, draft: int = LATEST) -> int:
    from mcp_governor.schemas.flaws import demands_of

    return demands_of(schema, draft)


def published_validator(schema: dict[str, Any], draft: int, text: str = "") -> Validator:
    """A validator for a schema that a server publishes: it fetches nothing and treats formats as annotations.

    Args:
        schema: the schema.
        draft: its dialect.
        text: the schema as JSON, if known.

    Raises:
        ValueError: no validator can be built.
    """
    import jsonschema_rs

    from mcp_governor.schemas.soundness import native_validator
    from mcp_governor.schemas.weight import MAX_WEIGHT

    try:
        native = native_validator(schema, text or json.dumps(schema), draft, heaviest=MAX_WEIGHT)
    except UnicodeEncodeError:
        return published_validator(encodable(schema), draft)
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(error.message) from None
    return Validator(native, lambda: _demands(schema, draft))


def published_parts(schema: dict[str, Any], draft: int) -> Callable[[str], Validator]:
    """A function from pointers to validators for parts of a published schema, as :func:`published_validator`.

    Raises:
        ValueError: no validator can be built, now or when a part is requested.
    """
    import jsonschema_rs

    from mcp_governor.schemas.flaws import demands_of
    from mcp_governor.schemas.references import Document
    from mcp_governor.schemas.soundness import NativeParts
    from mcp_governor.schemas.weight import MAX_WEIGHT

    schema = encodable(schema)
    text = json.dumps(schema)
    try:
        parts = NativeParts(schema, text, draft, heaviest=MAX_WEIGHT)
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(error.message) from None

    @functools.cache
    def document() -> Document:
        """The schema, read once for all of its parts that refuse a value."""
        return Document(schema, text, draft=draft)

    def demands(pointer: str) -> int:
        part = resolve_pointer(schema, pointer) if pointer else None
        return demands_of(schema, draft, part=part, document=document())

    def at(pointer: str) -> Validator:
        pointer = encodable(pointer)
        return Validator(parts.at(pointer), lambda: demands(pointer))

    return at


def errors(validator: Validator, value: Any) -> list[tuple[list[str | int], str]]:
    """Path and message of every error in ``value``: empty if it is valid, and only the root if there may be too many to
    list."""
    try:
        return [(list(flaw.instance_path), flaw.message) for flaw in validator.flaws(value)]
    except UnicodeEncodeError:
        flaws = validator.flaws(encodable(value))
        return [(existing(value, flaw.instance_path), flaw.message) for flaw in flaws]


def existing(value: Any, way: Sequence[str | int]) -> list[str | int]:
    """The existing part of a path: a key with a lone surrogate was replaced in it."""
    out: list[str | int] = []
    for step in way:
        items: Any = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
        if step not in items:
            break
        value = items[step]
        out.append(step)
    return out


def first_error(validator: Validator, value: Any) -> tuple[list[str | int], str] | None:
    """Path and message of the first error in ``value`` in the order of :func:`errors`; ``None`` if it is valid."""
    return next(iter(errors(validator, value)), None)


def encodable(value: Any) -> Any:
    """``value`` with lone surrogates replaced, because the engine works on UTF-8."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    return value


def with_options(part: Any, options: Mapping[str, Any]) -> Any:
    """A schema or a pattern with the values of options in place of every ``"{option}"`` that is a whole string."""
    if not options:
        return part
    if isinstance(part, str):
        name = part[1:-1]
        return options[name] if part == f"{{{name}}}" and name in options else part
    if isinstance(part, dict):
        return {key: with_options(item, options) for key, item in part.items()}
    return [with_options(item, options) for item in part] if isinstance(part, list) else part


class LinearPattern:
    """A regular expression that searches in time linear in the text."""

    def __init__(self, pattern: str) -> None:
        try:
            self._validator = compile_schema({"pattern": pattern})
        except ConfigError:
            raise ConfigError(f"{one_line(pattern, 80)!r} is not a regular expression.", _LINEAR) from None

    def search(self, text: str) -> bool:
        """True if the expression matches anywhere in ``text``."""
        return self._validator.is_valid(encodable(text))


# The patterns of all declarative rules, ours and a user's.
@functools.lru_cache(maxsize=256)
def linear_pattern(pattern: str) -> LinearPattern:
    """The compiled expression, cached.

    Raises:
        ConfigError: it does not compile on the linear-time engine.
    """
    return LinearPattern(pattern)
