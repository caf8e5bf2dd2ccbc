"""A schema with everything that was computed for it, cached for the next question.

Our own procedure is loaded on demand, because the native engine answers most questions.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections import OrderedDict
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from mcp_governor.containment.regex import backtracks
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.cost import Cost, estimate
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.foreign import readings
from mcp_governor.schemas.plain import is_plain
from mcp_governor.schemas.references import Document, published
from mcp_governor.schemas.soundness import find_problem, native_validator
from mcp_governor.schemas.translation import DISPUTED, modern
from mcp_governor.schemas.values import is_finite, text_of
from mcp_governor.schemas.walking import patterns_of, walk
from mcp_governor.schemas.weight import HEAVY, MAX_WEIGHT, weight

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.containment.formulas import Formula

CACHE_SIZE = 1_024
"""Most cached schemas: the input and output schemas of 500 tools. The oldest one is dropped first, and recomputed if
needed."""
MAX_NODES = 200_000
"""Most formulas of all cached schemas: about 50 MB. With more, all of them are dropped before the next question and
recomputed."""
CACHE_TEXT = 8_000_000
"""Largest total size of the cached schemas, in characters or in tenths of their validators' weight. It limits the
memory of the cache."""


_HINTS = ('"format"', '"default"', '"example"', '"examples"')


class Schema:
    """One schema in one dialect.

    Args:
        given: the published schema, which may be changed after the question.
        text: its canonical text.
        draft: its draft; ``None`` if unknown.
        trusted: true if the schema is known to be sound and its cost does not matter, because this process can be
            killed.

    Attributes:
        given: the schema as the current question has it; quicker to read than ``source``, but not to be kept.
        plain: true if it is certainly sound, and means the same in every draft from 7 on.
        problem: why it is not usable, as a clause; ``None`` if it is.
    """

    def __init__(self, given: Any, text: str, draft: int | None, *, trusted: bool = False) -> None:
        self.given = given
        self.text = text
        self.draft = draft
        self.weight = weight(given, text)
        self._trusted = trusted
        self._formulas: dict[bool, Formula] = {}
        finite = "null" not in text or is_finite(given)
        self.plain = finite and draft is not None and draft > 6 and is_plain(given)
        sound = trusted or self.plain or self._surely_sound
        self.problem = None if sound else find_problem(given, text, draft)
        self._readings = self._without_foreign(given) if self.problem or trusted else ()

    def _without_foreign(self, given: Any) -> tuple[Schema, ...]:
        """The schema with patterns that match everything, and nothing, if some are foreign; then it is usable."""
        try:
            made = [(schema, text_of(schema)) for schema in readings(given, self.text)]
        except (ValueError, TypeError, AttributeError, RecursionError):
            return ()
        found = tuple(Schema(schema, text, self.draft, trusted=self._trusted) for schema, text in made)
        if found:
            self.problem = next((schema.problem for schema in found if schema.problem), None)
        return found

    @cached_property
    def cost(self) -> Cost:
        """Which engines may run in this process."""
        if self._trusted:
            return Cost(quick=True, shallow=True)
        try:
            return estimate(self.text, lambda: self.modern)
        except (TypeError, AttributeError, KeyError, ValueError, RecursionError):
            # A valid schema does not have this shape; `find_problem` gives the reason.
            return Cost(quick=False, shallow=False)

    @property
    def _disputed(self) -> bool:
        """True if the native engine asserts a keyword that others ignore."""
        late = self.draft is None or self.draft > 7
        return (
            late
            and f'"{DISPUTED}"' in self.text
            and any(isinstance(part, dict) and DISPUTED in part for _, part in walk(self.source))
        )

    @cached_property
    def canonical(self) -> jsonschema_rs.CanonicalSchema | None:
        """The native canonical form; ``None`` if the engine cannot or may not compare the schema."""
        if not self.cost.quick or self._disputed:
            return None
        if self.contents_matter:
            return _canonical(self.modern, LATEST)
        return _canonical(self.given, self.draft)

    @property
    def size(self) -> int:
        """Its size in the cache, including its validators."""
        return max(len(self.text), self.weight // 10)

    @property
    def _surely_sound(self) -> bool:
        """True if the native engine has parsed it, and it has no reference that might fail."""
        known = self.draft is not None and self.canonical is not None
        if self.draft == 4 and self.text in ("true", "false"):
            return False
        return known and '"$re' not in self.text and '"$dynamicRef"' not in self.text

    @property
    def contents_matter(self) -> bool:
        """True if the native validator would check content keywords, which are annotations here."""
        return self.draft is not None and self.draft <= 7 and '"content' in self.text

    @property
    def written(self) -> bool:
        """True if integers must be written without a fraction, so that ``1.0`` is not one."""
        return self.draft == 4 and '"integer"' in self.text

    @cached_property
    def source(self) -> Any:
        """The schema, parsed from its canonical text."""
        return json.loads(self.text)

    @cached_property
    def modern(self) -> Any:
        """The schema in draft 2020-12."""
        return modern(self.source, self.draft or LATEST, self.text)

    def formula(self, until: float = float("inf"), *, hinting: bool = False) -> Formula:
        """The formula for our own procedure.

        Args:
            until: the time (of :func:`time.monotonic`) at which to stop.
            hinting: with hints.

        Raises:
            StoppedError: this time has passed, or the schema is too large.
        """
        found = self._formulas.get(hinting)
        if found is None:
            from mcp_governor.containment.compiler import Compiler

            document = Document(self.modern, self.text)
            found = Compiler(document, self.text, written=self.written, hinting=hinting).root(until)
            self._formulas[hinting] = found
        return found

    @property
    def hints(self) -> bool:
        """True if the author may have suggested values, as examples, a default or a format."""
        return any(word in self.text for word in _HINTS)

    @cached_property
    def canonical_modern(self) -> jsonschema_rs.CanonicalSchema | None:
        """The native canonical form in draft 2020-12."""
        unsuitable = not self.cost.quick or self._disputed or '"$recursive' in self.text
        return None if unsuitable else _canonical(self.modern, LATEST)

    @cached_property
    def may_backtrack(self) -> bool:
        """True if a pattern could take a backtracking engine more than polynomial time."""
        return '"pattern' in self.text and any(map(backtracks, patterns_of(self.modern)))

    @cached_property
    def validator(self) -> jsonschema_rs.Validator:
        """The native validator; formats are annotations."""
        heaviest = MAX_WEIGHT if self._trusted else HEAVY
        if self.contents_matter:
            return native_validator(self.modern, self.text, LATEST, heaviest=heaviest)
        return native_validator(self.source, self.text, self.draft or LATEST, heaviest=heaviest)

    @cached_property
    def second_validator(self) -> Any:
        """See :func:`second_validator`."""
        return second_validator(self.source, self.draft or LATEST)

    def _second_opinion(self, value: Any) -> bool:
        with warnings.catch_warnings():
            # Python's `re` warns about patterns that may change their meaning.
            warnings.simplefilter("ignore", FutureWarning)
            return bool(self.second_validator.is_valid(value))

    def accepts(self, value: Any, *, twice: bool = True) -> bool | None:
        """True if both validators accept the value; ``None`` if they differ or one of them fails.

        Without ``twice``, only the native validator is used.
        """
        if self._readings:
            from mcp_governor.containment.evaluate import evaluate

            answers = [reading.accepts(value, twice=twice) for reading in self._readings]
            known = evaluate(self.formula(), value)
            return known if all(answer is known for answer in answers) else None
        first = opinion(lambda: self.validator.is_valid(value))
        if first is None or not twice:
            return first
        return first if first is opinion(lambda: self._second_opinion(value)) else None


def opinion(ask: Callable[[], bool]) -> bool | None:
    """The verdict of a validator; ``None`` if it fails.

    Validators raise all kinds of errors for schemas that they cannot read and numbers beyond a float, and panics in
    Rust are not ``Exception``s. Only exceptions that end the program on purpose are passed on.
    """
    try:
        return bool(ask())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001
        return None


def second_validator(schema: Any, draft: int) -> Any:
    """The validator of the ``jsonschema`` package; formats are annotations.

    It gets a registry, because its default registry would fetch remote references.
    """
    return _second_class(draft)(schema, registry=published())


@cache
def _second_class(draft: int) -> Any:
    import jsonschema

    known = {
        4: jsonschema.Draft4Validator,
        6: jsonschema.Draft6Validator,
        7: jsonschema.Draft7Validator,
        19: jsonschema.Draft201909Validator,
        20: jsonschema.Draft202012Validator,
    }[draft]
    usual = known.VALIDATORS["pattern"]

    def pattern(validator: Any, source: str, value: Any, schema: Any) -> Any:
        try:
            yield from usual(validator, source, value, schema) or ()
        except re.error:
            from mcp_governor.containment.evaluate import evaluate
            from mcp_governor.containment.strings import pattern_node

            # Python has no \p{…}, and other names for groups.
            truth = evaluate(pattern_node(source), value)
            if truth is None:
                raise
            if not truth:
                yield jsonschema.ValidationError(f"{value!r} does not match {source!r}")

    return jsonschema.validators.extend(known, {"pattern": pattern})  # type: ignore[no-untyped-call]


_BEYOND_64_BITS = lazy_pattern(r"[0-9]{20}|[eE]\+?[0-9]{2}")
"""A number that may be longer than those of 64 bits, which have 19 digits; strings that look like one count too."""


def native_covers(outer: Schema, inner: Schema) -> str | None:
    """The answer of the native engine: ``yes``, ``no``, ``unknown``, or ``None`` if it refuses.

    It is not asked about multiples beyond 64 bits. The canonical text writes a float of that size with the digits of
    the binary number, and the engine divides those, while validators divide floats.
    """
    if any('"multipleOf"' in side.text and _BEYOND_64_BITS.search(side.text) for side in (outer, inner)):
        return None
    if outer.draft == inner.draft:
        one, other = outer.canonical, inner.canonical
    else:
        if outer.written or inner.written:
            # It would compare them all by value.
            return None
        one, other = outer.canonical_modern, inner.canonical_modern
    if one is None or other is None:
        return None
    try:
        return one.covers(other).value
    except jsonschema_rs.canonical.CanonicalizationError:
        return None


def _canonical(schema: Any, draft: int | None) -> jsonschema_rs.CanonicalSchema | None:
    named = isinstance(schema, dict) and "$schema" in schema
    try:
        return jsonschema_rs.canonicalize(schema, draft=None if named else draft, validate_formats=False, offline=True)
    except ValueError:
        return None


_cache: OrderedDict[tuple[str, int], Schema] = OrderedDict()
_cached_text = 0


def clear() -> None:
    """Clear the cache of all schemas.

    Clearing a part is not possible, because formulas from before and after would not be equal.
    """
    global _cached_text
    from mcp_governor.containment.automaton import automaton
    from mcp_governor.containment.compiler import forget_shared
    from mcp_governor.containment.formulas import forget
    from mcp_governor.containment.strings import pattern_node

    _cache.clear()
    _cached_text = 0
    pattern_node.cache_clear()
    automaton.cache_clear()
    forget_shared()
    forget()


def load(given: list[tuple[Any, str]], default_dialect: int) -> list[Schema]:
    """Load the schemas of one question, from the cache if possible.

    They are loaded together, so that the cache is not cleared in between: their formulas must share nodes.

    Args:
        given: JSON values, each with its canonical text.
        default_dialect: the draft of a schema that does not name one.
    """
    formulas = sys.modules.get("mcp_governor.containment.formulas")
    if formulas is not None and formulas.pool_size() > MAX_NODES:
        clear()
    return [_load(schema, text, default_dialect) for schema, text in given]


def _load(given: Any, text: str, default_dialect: int) -> Schema:
    global _cached_text
    key = (text, default_dialect)
    found = _cache.get(key)
    if found is not None:
        found.given = given
        return found
    found = _cache[key] = Schema(given, text, dialect_of(given, default_dialect))
    _cached_text += found.size
    while _cached_text > CACHE_TEXT or len(_cache) > CACHE_SIZE:
        _, old = _cache.popitem(last=False)
        _cached_text -= old.size
    return found
