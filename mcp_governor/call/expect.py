"""Did the call come to what its schema, its configuration and its profile let one expect?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.call.cases import Case, Purpose
from mcp_governor.call.results import code_breaches
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.call.outcome import Outcome
    from mcp_governor.call.response import Response


def is_dispatch(case: Case, outcome: Outcome) -> bool:
    """Whether the call itself was wrong, so that the protocol layer may answer instead of the tool."""
    return not case.valid or outcome.refused_arguments


def expectation_breaches(case: Case, outcome: Outcome, response: Response) -> Iterator[Breach]:
    """Drift between schema and runtime, unmet expectations, and codes on the JSON-RPC channel."""
    if not outcome.answered:
        return
    yield from _drift(case, outcome)
    yield from _configured(case, outcome)
    if not case.valid and not case.open:
        yield from code_breaches(response, case.label)


def _drift(case: Case, outcome: Outcome) -> Iterator[Breach]:
    # Tied to the call and not to why it is made: a recorded call is the same finding as a generated one.
    value = dict(case.said)
    if case.purpose is Purpose.UNKNOWN_TOOL:
        if not outcome.failed:
            yield Breach("call/unknown-tool", "", value)
    elif case.open:
        return
    elif not case.valid:
        if not outcome.failed and not case.status:
            yield Breach.of("call/drift-accepted", "/inputSchema", value, call=case.label)
    elif outcome.failed and outcome.refused_arguments and not case.status and not case.attempt:
        yield Breach.of("call/drift-refused", "/inputSchema", value, call=case.label)


def _configured(case: Case, outcome: Outcome) -> Iterator[Breach]:
    pairs = (("status", case.status, outcome.status), ("error kind", case.kind, outcome.kind))
    for what, expected, found in pairs:
        if expected and expected != found:
            facts = {"what": what, "call": case.label, "expected": expected, "found": found}
            value = [dict(case.said), expected, found]
            yield Breach("call/expectation", "", value, "differs" if found else "none", facts)
            return
