"""A validator that nothing can hang: in this process where a schema is harmless, else in a child that can be killed.

A native call cannot be interrupted, neither by a deadline nor by Ctrl-C, and a validator walks every way through the
references: forty pairs of them are 2**40 ways.
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
from mcp_governor.schemas.soundness import TooHeavyError, native_validator
from mcp_governor.schemas.translation import modern
from mcp_governor.schemas.values import text_of
from mcp_governor.schemas.walking import patterns_of

DEADLINE = 1.0
"""Seconds for one value. Honest values take milliseconds, and a process to ask in a third of a second to start."""
_MOST_TIMEOUTS = 2
"""Values that may take too long; after that the schema is not asked again."""


class UndecidedError(ValueError):
    """No validator could tell within its time."""


class Validating:
    """What one schema accepts, formats being annotations. Nothing is fetched.

    Args:
        schema: any JSON value.
    """

    def __init__(self, schema: Any) -> None:
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

    @property
    def readable(self) -> bool:
        """Whether a validator takes the schema, as far as that can be told."""
        return self._native is not None or self._heavy

    def accepts(self, value: Any) -> bool | None:
        """Whether the schema accepts a value; ``None`` where no validator could decide within :data:`DEADLINE`."""
        try:
            return self.is_valid(value)
        except (ValueError, RecursionError, OverflowError, jsonschema_rs.ReferencingError):
            return None

    def is_valid(self, value: Any) -> bool:
        """Whether the schema accepts a value.

        Raises:
            ValueError: nobody can tell: it takes too long (:class:`UndecidedError`), or the value is no JSON.
        """
        if not self.readable:
            raise UndecidedError("no validator can read the schema")
        if self._native is not None and self._harmless:
            return bool(self._native.is_valid(value))
        answer = self._ask("accepts", value)
        if not answer or not isinstance(answer[0], bool):
            raise UndecidedError("two validators disagree about it")
        return answer[0]

    def flaws(self, value: Any) -> list[Flaw]:
        """What is wrong with a value: nothing where it is valid, :data:`UNLISTED` alone where it is too large to say.

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
        # subprocess and threads are loaded where a schema may be slow, and few are
        from mcp_governor.containment.worker import WORKER

        if self._timeouts < _MOST_TIMEOUTS:
            question = {"ask": what, "schemas": [[self._text, self._draft]], "value": value}
            answer = WORKER.ask(question, time.monotonic() + DEADLINE)
            if isinstance(answer, list):
                return answer
            self._timeouts += 1
        raise UndecidedError(f"no validator could decide within {DEADLINE:g} s if the schema accepts a value")


def _is_harmless(schema: Any, text: str, draft: int) -> bool:
    """Whether a validator surely needs no longer than the schema and the value are large."""
    cost: Cost = estimate(text, lambda: modern(schema, draft, text))
    if not cost.shallow:
        return False
    return '"pattern' not in text or not any(map(backtracks, patterns_of(modern(schema, draft, text))))
