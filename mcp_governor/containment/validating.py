"""A validator that cannot hang: it runs in this process if the schema is harmless, or else in a child process.

A deadline or Ctrl-C cannot interrupt a native call, and a validator follows all combinations of references: forty pairs
of them are 2**40 combinations.
"""

from __future__ import annotations

import json
import time
from functools import cached_property
from typing import Any

import jsonschema_rs

from mcp_governor.containment.regex import backtracks
from mcp_governor.schemas.cost import Cost, estimate
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.flaws import LISTING, UNLISTED, Flaw, demands_of, flaw_of, listing_bytes
from mcp_governor.schemas.foreign import readings
from mcp_governor.schemas.soundness import TooHeavyError, native_validator
from mcp_governor.schemas.translation import modern
from mcp_governor.schemas.values import text_of
from mcp_governor.schemas.walking import patterns_of

DEADLINE = 1.0
"""Timeout for one value, in seconds. Ordinary values take milliseconds, and starting a process a third of a second."""
_MAX_TIMEOUTS = 2
"""Most timeouts per schema; after that, the schema is not used again."""


class UndecidedError(ValueError):
    """No validator could decide in time."""


class Validating:
    """The validator of one schema. Formats are annotations, and nothing is fetched.

    Args:
        schema: any JSON value.
        foreign: true if patterns that are not ECMA-262 leave a value undecided only if it depends on them; otherwise
            such a schema has no validator.
    """

    def __init__(self, schema: Any, *, foreign: bool = False) -> None:
        self._readings: tuple[Validating, ...] = ()
        self._native: jsonschema_rs.Validator | None = None
        self._text = ""
        self._draft = draft = dialect_of(schema, LATEST)
        self._harmless = self._heavy = False
        self._timeouts = 0
        if draft is None:
            return
        try:
            self._text = text = text_of(schema)
            self._native = native_validator(schema, text, draft)
            self._harmless = _is_harmless(schema, text, draft)
        except TooHeavyError:
            self._heavy = True
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError, jsonschema_rs.ReferencingError):
            self._native = None
            if foreign and self._text:
                self._readings = tuple(map(Validating, readings(schema, self._text)))

    @property
    def readable(self) -> bool:
        """True if a validator accepts the schema, as far as known."""
        return self._native is not None or self._heavy or any(reading.readable for reading in self._readings)

    def accepts(self, value: Any) -> bool | None:
        """True if the schema accepts a value; ``None`` if no validator could decide within :data:`DEADLINE`."""
        try:
            return self.is_valid(value)
        except (ValueError, RecursionError, OverflowError, jsonschema_rs.ReferencingError):
            return None

    def is_valid(self, value: Any) -> bool:
        """True if the schema accepts a value.

        Raises:
            ValueError: validation takes too long (:class:`UndecidedError`), or the value is not JSON.
        """
        if not self.readable:
            raise UndecidedError("no validator can read the schema")
        if self._readings:
            first, second = (reading.is_valid(value) for reading in self._readings)
            if first is not second:
                raise UndecidedError("it depends on a pattern that is not ECMA-262")
            return first
        if self._native is not None and self._harmless:
            return bool(self._native.is_valid(value))
        answer = self._ask("accepts", value)
        if not answer or not isinstance(answer[0], bool):
            raise UndecidedError("two validators disagree about it")
        return answer[0]

    def flaws(self, value: Any) -> list[Flaw]:
        """The errors of a value: empty if it is valid, only :data:`UNLISTED` if the value is too large to list them.

        Raises:
            ValueError: as for :meth:`is_valid`.
        """
        if self.is_valid(value):
            return []
        if self._native is not None and self._harmless and listing_bytes(self._demands, value) <= LISTING:
            return list(map(flaw_of, self._native.iter_errors(value)))
        try:
            answer = self._ask("errors", value)
        except UndecidedError:
            return [UNLISTED]
        return [Flaw(tuple(path), tuple(place), *rest) for path, place, *rest in answer]

    @cached_property
    def _demands(self) -> int:
        return demands_of(json.loads(self._text), self._draft or LATEST)

    def _ask(self, what: str, value: Any) -> list[Any]:
        # Imported late, because subprocess and threads are needed only for the few schemas that may be slow.
        from mcp_governor.containment.worker import WORKER

        if self._timeouts < _MAX_TIMEOUTS:
            question = {"ask": what, "schemas": [[self._text, self._draft]], "value": value}
            answer = WORKER.ask(question, time.monotonic() + DEADLINE)
            if isinstance(answer, list):
                return answer
            self._timeouts += 1
        raise UndecidedError(f"no validator could decide within {DEADLINE:g} s if the schema accepts a value")


def _is_harmless(schema: Any, text: str, draft: int) -> bool:
    """True if the time of a validator is certainly linear in the size of the schema and the value."""
    cost: Cost = estimate(text, lambda: modern(schema, draft, text))
    if not cost.shallow:
        return False
    return '"pattern' not in text or not any(map(backtracks, patterns_of(modern(schema, draft, text))))
