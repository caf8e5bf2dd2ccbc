"""Decide containment: by equality, keyword by keyword, with the native engine, our own procedure, and two validators.

Our own procedure and the validators are loaded on demand, because most questions are answered before that.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mcp_governor.containment.enum_values import refused
from mcp_governor.containment.keyword_proof import Comparison
from mcp_governor.containment.model import Containment
from mcp_governor.containment.outcome import Empty, Found, StoppedError, Unknown
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.soundness import unreadable
from mcp_governor.schemas.values import text_of
from mcp_governor.schemas.weight import HEAVY

if TYPE_CHECKING:
    from mcp_governor.containment.outcome import Outcome
    from mcp_governor.containment.schema import Schema

SHORT = 16
"""String length up to which even a pattern with exponential backtracking is fast enough."""
LONG = 1_000
"""String length beyond which any pattern may be slow."""
LARGE_TEXT = 3_000_000
"""Total length of two schemas beyond which validators may take longer than a second for a small value."""
LARGE_VALUE = 50_000
"""Size of an instance, in values and characters, beyond which a validator may take longer than a second."""
YES = Containment("yes")


def contains(
    outer: Any, inner: Any, *, deadline: float = 1.0, default_dialect: int = LATEST, witness: bool = True
) -> Containment:
    """Decide if ``outer`` accepts every instance that ``inner`` accepts.

    Formats and content keywords are annotations, although a witness has its format if possible; it is also an example
    or a default of ``inner`` if one will do. The dialect is that of ``$schema``.

    Args:
        outer: the schema that should accept more.
        inner: the schema whose instances should be accepted.
        deadline: seconds after which the answer is ``unknown``.
        default_dialect: the draft of a schema that does not name one: 4, 6, 7, 19 or 20.
        witness: ``False`` if the verdict is enough. Then a ``no`` of the native engine is not checked, and a ``no`` of
            our own procedure is confirmed by one validator only.

    Returns:
        A proved ``yes``, a proved or witnessed ``no``, or ``unknown`` with a reason. Invalid schemas do not raise an
        error; for these see ``find_problem``.
    """
    until = time.monotonic() + deadline
    try:
        outer_text, inner_text = text_of(outer), text_of(inner)
    except ValueError as error:
        return Containment("unknown", reason=f"one of the schemas {unreadable(error)}")
    if outer_text == inner_text:
        return YES
    try:
        listed = _by_listing(outer, inner, (outer_text, inner_text), default_dialect, witness=witness)
        if listed is not None:
            return listed
        from mcp_governor.containment.schema import load

        one, other = load([(outer, outer_text), (inner, inner_text)], default_dialect)
        if one.plain and other.plain and Comparison(outer_text, inner_text).covers(outer, inner):
            return YES
        return _decide(one, other, until, deadline, witness=witness)
    except RecursionError:
        return Containment("unknown", reason="schemas that are nested too deeply")


def _decide(outer: Schema, inner: Schema, until: float, deadline: float, *, witness: bool) -> Containment:
    from mcp_governor.containment.schema import native_covers

    for side, schema in (("outer", outer), ("inner", inner)):
        if schema.problem is not None:
            return Containment("unknown", reason=f"the {side} schema {schema.problem}")
    quick = outer.cost.quick and inner.cost.quick
    native = native_covers(outer, inner) if quick else None
    if native == "yes":
        return YES
    if native == "no" and not witness:
        return Containment("no")
    outcome = _search(outer, inner, until - deadline / 3)
    if not quick and isinstance(outcome, Unknown):
        native = _ask("covers", outer, inner, None, until)
        if native is None and time.monotonic() >= until:
            outcome = Unknown(f"{outcome.reason}, and another procedure takes longer than the deadline")
    return _conclude(outer, inner, native, outcome, until=until, witness=witness)


def _by_listing(
    outer: Any, inner: Any, canonical: tuple[str, str], default_dialect: int, *, witness: bool
) -> Containment | None:
    """The answer if the inner schema lists its values, and validators can check each of them."""
    left = refused(outer, inner, *canonical, default_dialect)
    if left is None or isinstance(left, Empty):
        return None if left is None else YES
    if not witness:
        return Containment("no")
    from mcp_governor.containment.schema import opinion, second_validator

    wide, narrow = (
        second_validator(schema, dialect_of(schema, default_dialect) or LATEST) for schema in (outer, inner)
    )
    confirmed = opinion(lambda: narrow.is_valid(left.value)) is True
    confirmed = confirmed and opinion(lambda: wide.is_valid(left.value)) is False
    return Containment("no", left.value, has_witness=True) if confirmed else None


def _search(outer: Schema, inner: Schema, until: float, *, hinting: bool = False) -> Outcome:
    """Search for an instance of ``inner`` that ``outer`` refuses; hints of ``inner`` say which is the best."""
    from mcp_governor.containment.formulas import negate
    from mcp_governor.containment.solver import Solver

    try:
        promised = inner.formula(until, hinting=hinting)
        return Solver(until).solve([promised, negate(outer.formula(until))])
    except StoppedError as error:
        return Unknown(str(error))
    except RecursionError:
        return Unknown("schemas that are nested too deeply")


def _conclude(
    outer: Schema, inner: Schema, native: str | None, outcome: Outcome, *, until: float, witness: bool
) -> Containment:
    doubt = ""
    if isinstance(outcome, Found):
        confirmed = _confirmed(outer, inner, outcome, until, twice=witness)
        if confirmed:
            return _likely(outer, inner, outcome, until) if witness else Containment("no")
        doubt = outcome.doubt or ("two validators disagree" if confirmed is False else "a validator takes too long")
    if isinstance(outcome, Empty):
        if native == "no":
            return Containment("unknown", reason="two procedures disagree")
        return YES
    if native == "yes":
        return YES
    if native == "no":
        return Containment("no")
    return Containment("unknown", reason=outcome.reason if isinstance(outcome, Unknown) else doubt)


def _likely(outer: Schema, inner: Schema, found: Found, until: float) -> Containment:
    """A "no" with a witness that the author of the inner schema suggests, if there is one."""
    if inner.hints:
        suggested = _search(outer, inner, until, hinting=True)
        if isinstance(suggested, Found) and _confirmed(outer, inner, suggested, until, twice=True):
            found = suggested
    return Containment("no", found.value, has_witness=True)


def _confirmed(outer: Schema, inner: Schema, found: Found, until: float, *, twice: bool) -> bool | None:
    """True if the validators accept the value for ``inner`` and refuse it for ``outer``; ``None`` without an answer."""
    value, size = found.value, found.size
    canonical = _strings_in(value)
    longest = max(map(len, canonical), default=0)
    patterned = '"pattern' in outer.text or '"pattern' in inner.text
    risky = patterned and (longest > LONG or (longest > SHORT and (outer.may_backtrack or inner.may_backtrack)))
    large = len(outer.text) + len(inner.text) > LARGE_TEXT or size > LARGE_VALUE
    heavy = max(outer.weight, inner.weight) > HEAVY
    if risky or large or heavy or not (outer.cost.shallow and inner.cost.shallow):
        answer = _ask("accepts", outer, inner, value, until)
        return None if answer is None else bool(answer == [False, True])
    return inner.accepts(value, twice=twice) is True and outer.accepts(value, twice=twice) is False


def _ask(what: str, outer: Schema, inner: Schema, value: Any, until: float) -> Any:
    from mcp_governor.containment.worker import WORKER

    schemas = [[schema.text, schema.draft] for schema in (outer, inner)]
    return WORKER.ask({"ask": what, "schemas": schemas, "value": value}, until)


def _strings_in(value: Any) -> list[str]:
    """All strings in a JSON value, including member names."""
    found: list[str] = []
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict):
            found.extend(part)
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return found
