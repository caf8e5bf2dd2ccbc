"""What came of calls against what schema, configuration and profile expect; tools of which no good call succeeded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import Case, Purpose, shown_arguments
from mcp_governor.call.outcome import first_words, read_response, recovery_of
from mcp_governor.call.results import code_breaches
from mcp_governor.charter.breach import Breach
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line, toml_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.call.cases import CallReport
    from mcp_governor.call.outcome import Outcome, Response
    from mcp_governor.call.validate import ResponseChecker
    from mcp_governor.findings import Finding

BUG = "internal_error"
"""The kind of an error that stands for a bug of the server (charter, Principle 3, registry)."""
BUG_RULE = "envelope/internal-error"


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


RULE = "call/no-good-call-succeeded"

_MAX_SNIPPET_LENGTH = 1_000
"""Longest arguments in a suggested configuration, in characters: people edit them by hand. Longer ones are left out,
and the table stays empty."""


def unanswered_findings(report: CallReport, checker: ResponseChecker) -> Iterator[Finding]:
    """One finding per tool without a successful good call.

    Calls without a response (timeout, exit, protocol error), and calls that end in a bug of the server, have findings
    of their own already.
    """
    bugs = {found.tool for result in report.results for found in result.findings if found.rule == BUG_RULE}
    for result in report.never_answered:
        tool = result.case.tool
        if not result.outcome.answered or tool in bugs:
            continue
        made = sum(other.case.tool == tool and other.case.good for other in report.results)
        sent = shown_arguments(result.case.portable_arguments)
        words = (first_words(read_response(result.response)) or result.outcome.status).rstrip(".")
        breach = Breach.of(
            RULE,
            "",
            says="one" if made == 1 else "several",
            made=made,
            tool=tool,
            sent=f"with {sent}" if sent else "without arguments",
            words=words,
            advice=_advice(words, call_snippet(tool, result.case.portable_arguments)),
        )
        yield from checker.findings([breach], tool)


def _advice(words: str, snippet: str) -> str:
    """What to do about good calls that fail: other arguments help only if the arguments are to blame."""
    if _UNREACHED.search(words):
        return f'The server does not reach its service ("{one_line(words, 80)}"): call it where it does.'
    if _REFUSED.search(words):
        variable = _VARIABLE.search(words)
        how = f"set {variable[0]} and add --env {variable[0]}" if variable else "give it one with --env"
        return f'The server needs a credential ("{one_line(words, 80)}"): {how}.'
    return (
        "Write examples into the schema or the descriptions, or name a call that works in the configuration:\n"
        + snippet
    )


_UNREACHED = lazy_pattern(
    r"name or service not known|name resolution|getaddrinfo|\bE(?:NOTFOUND|AI_AGAIN|CONNREFUSED|NETUNREACH|TIMEDOUT)\b"
    r"|fetch failed|network is unreachable|connect(?:ion)? (?:error|refused|timed out)"
    r"|(?:cannot|failed to) connect",
    re.IGNORECASE,
)
"""What the resolvers and clients of Python, Node.js, Go and .NET say of a service that is not reached."""
_REFUSED = lazy_pattern(
    r"\b401\b|unauthori[sz]ed|unauthenticated|(?:api|access)[ _-]?(?:key|token) (?:must|is|required|missing|not)"
    r"|(?:missing|invalid|no) (?:api|access)[ _-]?(?:key|token)",
    re.IGNORECASE,
)
_VARIABLE = lazy_pattern(r"\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:KEY|TOKEN|SECRET|PASSWORD|PAT)\b")


def call_snippet(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call for the configuration, as TOML, for the user to complete; very long values are left out."""
    body = toml_value(dict(arguments))
    body = body if len(body) <= _MAX_SNIPPET_LENGTH else "{  }"
    return f"[[tool.mcp-governor.calls]]\ntool = {toml_value(tool)}\narguments = {body}"
