"""Compare the outcome of a call with what its schema, configuration and profile lead to expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.call.cases import Case, Purpose
from mcp_governor.call.outcome import first_words, recovery_of
from mcp_governor.call.payloads import code_breaches
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.call.outcome import Outcome
    from mcp_governor.call.response import Response


BUG = "internal_error"
"""The kind of an error that stands for a bug of the server (charter, Principle 3, registry)."""
BUG_RULE = "envelope/internal-error"


def is_dispatch(case: Case, outcome: Outcome) -> bool:
    """True if the call itself was wrong, so that the protocol layer may answer instead of the tool."""
    return not case.valid or outcome.refused_arguments


def expectation_breaches(case: Case, outcome: Outcome, response: Response) -> Iterator[Breach]:
    """Drift between schema and runtime, unmet expectations, and codes on the JSON-RPC channel."""
    if not outcome.answered:
        return
    yield from _drift(case, outcome)
    yield from _configured(case, outcome, response)
    yield from _bug(case, outcome, response)
    if not case.valid and not case.open:
        yield from code_breaches(response, case.label)


def _drift(case: Case, outcome: Outcome) -> Iterator[Breach]:
    # The identity leaves out the purpose, so that a recorded call and a generated one with the same arguments give the
    # same finding.
    value = dict(case.portable_arguments)
    if case.purpose is Purpose.UNKNOWN_TOOL:
        if not outcome.failed:
            yield Breach("call/unknown-tool", "", value)
    elif case.open or case.purpose is Purpose.MISNAMED:
        return
    elif not case.valid:
        if not outcome.failed and not case.expects:
            yield Breach.of("call/drift-accepted", "/inputSchema", value, call=case.label, kind=_kind_of(case))
    elif outcome.failed and outcome.refused_arguments and not case.expects and not case.attempt:
        yield Breach.of("call/drift-refused", "/inputSchema", value, call=case.label)


def _bug(case: Case, outcome: Outcome, response: Response) -> Iterator[Breach]:
    """A good call in which the tool itself sees a bug of its server."""
    if case.good and not case.expects and outcome.kind == BUG and outcome.failed:
        # Once for a tool, however many arguments it fails with.
        path = "/structuredContent/error/kind"
        yield Breach.of(BUG_RULE, path, BUG, call=case.label, words=first_words(response) or outcome.status)


def _kind_of(case: Case) -> str:
    """What is wrong with a call, without its place: ``missing argument``, ``wrong bound``."""
    return case.label.removesuffix(case.detail).rstrip(" :")


def _configured(case: Case, outcome: Outcome, response: Response) -> Iterator[Breach]:
    recovery = recovery_of(response)
    matches = recovery.get("fuzzy_matches")
    found_matches = len(matches) if isinstance(matches, list) else 0
    # At least so many: what is compared is if there are fewer.
    fewer = str(found_matches) if found_matches < case.fuzzy_matches else str(case.fuzzy_matches)
    pairs = (
        ("status", case.status, outcome.status),
        ("error kind", case.kind, outcome.kind),
        ("suggested tool", case.suggested_tool, str(recovery.get("suggested_tool") or "")),
        ("number of fuzzy matches", str(case.fuzzy_matches or ""), fewer),
    )
    for what, expected, found in pairs:
        if expected and expected != found:
            facts = {"what": what, "call": case.label, "expected": expected, "found": found}
            value = [dict(case.portable_arguments), expected, found]
            yield Breach("call/expectation", "", value, "differs" if found else "none", facts)
            return
