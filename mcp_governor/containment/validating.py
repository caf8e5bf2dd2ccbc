"""A validator that nothing can hang: in this process where a schema is harmless, else in a child that can be killed.

A native call cannot be interrupted, neither by a deadline nor by Ctrl-C, and a validator walks every way through the
references: forty pairs of them are 2**40 ways.
"""

from __future__ import annotations

import time
from typing import Any

import jsonschema_rs

from mcp_governor.containment.cost import Cost, estimate
from mcp_governor.containment.dialect import LATEST, dialect_of, modern
from mcp_governor.containment.document import patterns_of
from mcp_governor.containment.problem import native_validator
from mcp_governor.containment.regex import backtracks
from mcp_governor.containment.values import text_of


class Validating:
    """What one schema accepts, formats being annotations. Nothing is fetched.

    Args:
        schema: any JSON value.
    """

    def __init__(self, schema: Any) -> None:
        self._native: jsonschema_rs.Validator | None = None
        self._text = ""
        self._draft = dialect_of(schema, LATEST)
        self._backtracks = False
        self._cost = Cost(quick=False, shallow=False)
        draft = self._draft
        if draft is None:
            return
        try:
            self._text = text = text_of(schema)
            self._native = native_validator(schema, text, draft)
            self._cost = estimate(text, lambda: modern(schema, draft, text))
            self._backtracks = '"pattern' in text and any(map(backtracks, patterns_of(modern(schema, draft, text))))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError, jsonschema_rs.ReferencingError):
            self._native = None

    @property
    def readable(self) -> bool:
        """Whether a validator takes the schema."""
        return self._native is not None

    def accepts(self, value: Any, deadline: float = 1.0) -> bool | None:
        """Whether the schema accepts a value; ``None`` where no validator can tell within ``deadline`` seconds."""
        if self._native is None:
            return None
        if self._cost.shallow and not self._backtracks:
            try:
                return bool(self._native.is_valid(value))
            except (ValueError, jsonschema_rs.ReferencingError):
                return None
        from mcp_governor.containment.worker import WORKER

        question = {"ask": "accepts", "schemas": [[self._text, self._draft]], "value": value}
        try:
            answer = WORKER.ask(question, time.monotonic() + deadline)
        except ValueError:
            return None  # a value that is nested too deeply to be written
        return answer[0] if isinstance(answer, list) and answer and isinstance(answer[0], bool) else None
