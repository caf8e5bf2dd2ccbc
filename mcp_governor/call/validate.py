"""Check any response of any tool under a profile."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.call.outcome import Response, read_response
from mcp_governor.call.results import (
    code_breaches,
    deprecation_breaches,
    payload_breaches,
    protocol_breaches,
    rpc_only_breaches,
    schema_version_breaches,
    summary_breaches,
    text_only_breaches,
    works_breaches,
)
from mcp_governor.call.words import words
from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, is_excerpt
from mcp_governor.charter.envelope import envelope_breaches, looks_like_envelope
from mcp_governor.charter.evolution import declared_kinds, declared_reasons
from mcp_governor.charter.fields import field_breaches
from mcp_governor.charter.meaning import meaning_breaches
from mcp_governor.charter.recovery import misfit, surface_breaches
from mcp_governor.containment.validators import compiled
from mcp_governor.rules import LintSettings, select
from mcp_governor.rules.finding import finding
from mcp_governor.rules.governing import govern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface.model import Surface, Tool


class ResponseChecker:
    """Checks responses with the rules of a selection; create it once and use it for many responses.

    Args:
        selection: the rules that run, with their severities and options (:func:`mcp_governor.rules.select`).
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._packs = {rule_id.partition("/")[0] for rule_id in selection.active}

    def check(
        self,
        raw: Any,
        *,
        tool: Tool | None = None,
        surface: Surface | None = None,
        arguments: Mapping[str, Any] | None = None,
        dispatch: bool = False,
        live: bool = False,
        trusted: bool = False,
        about: str = "",
    ) -> list[Finding]:
        """Findings about one response; see :func:`validate_response`.

        Args:
            raw: the response.
            tool: the tool that answered.
            surface: what the server publishes.
            arguments: the arguments of the call; ``None`` if unknown.
            dispatch: true if the call itself was wrong (unknown tool, refused arguments), so that an error outside of
                the tool's own channel is allowed.
            live: true if the server has just sent the response, which is then no excerpt
                (:func:`mcp_governor.charter.breach.is_excerpt`).
            trusted: true if somebody says that the call works.
            about: the call, if findings should name it.
        """
        response = raw if isinstance(raw, Response) else read_response(raw)
        prefix = "/error" if response.error is not None else ""
        protocol = surface.protocol if surface is not None else None
        breaches = [breach.under(prefix) for breach in protocol_breaches(response, tool, protocol)]
        reported = {breach.rule for breach in breaches}
        if "call/input-requested" not in reported:
            if "envelope" in self._packs:
                envelope = response.envelope
                if looks_like_envelope(envelope):
                    inside = "" if response.is_bare_envelope else "/structuredContent"
                    found = _envelope(envelope, response, tool, surface, arguments, live=live)
                    breaches += [breach.under(inside) for breach in found]
                    breaches += self._around(response, tool)
                else:
                    breaches += _no_envelope(response, dispatch, reported)
            breaches += self._others(response, tool, surface, reported, dispatch=dispatch, trusted=trusted)
        return self.findings(breaches, tool.name if tool is not None else None, about)

    def findings(self, breaches: Iterable[Breach], tool: str | None, about: str = "") -> list[Finding]:
        """Findings for breaches; breaches of rules that are not selected are dropped.

        Args:
            breaches: the breaches.
            tool: the published tool that they concern.
            about: the call that they concern, if there were several.
        """
        return [
            finding(
                active.rule,
                breach.path,
                says=breach.says,
                about=about,
                tool=tool,
                value=breach.value,
                facts=breach.facts,
            )
            for breach in breaches
            if (active := self.selection.get(breach.rule)) is not None
        ]

    def runs(self, rule_id: str) -> bool:
        """True if a rule was selected."""
        return rule_id in self.selection.active

    def _others(
        self,
        response: Response,
        tool: Tool | None,
        surface: Surface | None,
        reported: Set[str],
        *,
        dispatch: bool,
        trusted: bool,
    ) -> Iterator[Breach]:
        """The contracts that are not the charter's."""
        if "omni" in self._packs:
            yield from text_only_breaches(response)
            yield from rpc_only_breaches(response, "omni/error-channel")
        if "schema-md" in self._packs:
            yield from payload_breaches(response, reported, self._cap("schema-md/content-summary"))
            yield from summary_breaches(response, self._cap("schema-md/summary-text"))
        if "surface" in self._packs:
            yield from schema_version_breaches(response, surface)
            yield from deprecation_breaches(response, tool, surface)
            yield from works_breaches(response, tool, trusted=trusted)
            yield from _flag_and_structure(response, dispatch)

    def _cap(self, rule_id: str) -> int:
        """The option ``max`` of a rule; 0 if the rule is not selected, because then its findings are dropped."""
        active = self.selection.get(rule_id)
        return 0 if active is None else int(active.options["max"])

    def _around(self, response: Response, tool: Tool | None) -> Iterator[Breach]:
        """What is wrong with a result around its envelope: the flag, the mirror, the size."""
        if response.is_error:
            yield Breach("envelope/is-error", "/isError", response.envelope.get("status"))
        problem = response.mirror_problem
        if response.result is not None and response.structured is not None and problem is not None:
            # Charter, "Transport integration": the first text block is a JSON mirror of the structured content.
            yield Breach("envelope/text-mirror", "/content/0/text" if response.text_blocks else "/content", problem)
        cap, tokens = self._cap("envelope/size"), facts.estimate_tokens(response.characters)
        if tokens >= cap > 0:
            offers = tool is not None and "response_format" in str(tool.input_schema)
            says = "offered" if offers else "unoffered"
            yield Breach.of("envelope/size", "", offers, says=says, tokens=f"{tokens:,}", cap=f"{cap:,}")


def _envelope(
    envelope: dict[str, Any],
    response: Response,
    tool: Tool | None,
    surface: Surface | None,
    arguments: Mapping[str, Any] | None,
    *,
    live: bool,
) -> Iterator[Breach]:
    """What is wrong with an envelope; paths point into it."""
    about = words(tool.name) if tool is not None else ()
    yield from envelope_breaches(
        envelope,
        kinds=_declared(facts.KINDS, _kind_of(envelope), tool, declared_kinds),
        reasons=_declared(facts.DEGRADATION_REASONS, envelope.get("degradation_reason"), tool, declared_reasons),
        excerpt=not live and is_excerpt(envelope),
    )
    # What further blocks of the content say may be the caveat of a partial result.
    if envelope.get("status") != "partial" or len(response.text_blocks) <= 1:
        yield from meaning_breaches(envelope, about)
    yield from field_breaches(envelope, about)
    if surface is not None:
        yield from surface_breaches(envelope, surface, tool, arguments)


def _kind_of(envelope: dict[str, Any]) -> Any:
    error = envelope.get("error")
    return error.get("kind") if isinstance(error, dict) else None


def _declared(
    registry: frozenset[str], said: Any, tool: Tool | None, own: Callable[[Tool], frozenset[str]]
) -> frozenset[str]:
    """The values of a registry, plus those that the tool's own output schema declares if one of these is said."""
    return registry if tool is None or not isinstance(said, str) or said in registry else registry | own(tool)


def _no_envelope(response: Response, dispatch: bool, reported: Set[str]) -> Iterator[Breach]:
    """Charter: every response is an envelope; only a wrong call may fail without one."""
    if response.failure_text is not None:
        if not dispatch:
            path, says = ("/error", "error") if response.error is not None else ("/isError", "flag")
            yield Breach("envelope/error-channel", path, response.failure_text, says)
    elif not reported & {"call/structured-missing", "call/result-shape"}:
        yield Breach("envelope/missing", "/structuredContent")


def _flag_and_structure(response: Response, dispatch: bool) -> Iterator[Breach]:
    """Surface governance: a failure is a result with the error flag and a structured error."""
    if dispatch:
        return
    if response.error is not None:
        yield Breach("surface/error-channel", "/error", response.error.get("code"), "error")
    elif response.is_error and not isinstance(response.structured, dict):
        yield Breach("surface/error-channel", "/structuredContent", None, "unstructured")


# one for each set of profiles, of which a test suite uses one or two
@functools.lru_cache(maxsize=16)
def _checker(profiles: tuple[str, ...]) -> ResponseChecker:
    return ResponseChecker(select(LintSettings(profiles=profiles)))


def validate_response(
    result: Any,
    *,
    tool: Tool | str | None = None,
    surface: Surface | None = None,
    profile: str | Sequence[str] = "charter",
    arguments: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Check one response against the contract of a profile.

    Args:
        result: a ``tools/call`` result, a JSON-RPC response with a result or an error, or a bare envelope.
        tool: the tool that responded, or its name in ``surface``. Without it, the output schema is not checked, and
            the server's own error kinds count as unknown.
        surface: what the server publishes. Without it, follow-up hints and recovery are not checked against it.
        profile: name of a profile, or several that do not conflict.
        arguments: the arguments of the call. If the input schema refuses them, or if the tool is not published, an
            error outside of the contract's own channel is allowed, and its code is checked.

    Returns:
        Findings. Their paths are JSON pointers into the result (``/structuredContent/error/kind``); for a JSON-RPC
        error they start with ``/error``, and for a bare envelope they point into the envelope.

    Raises:
        ConfigError: the profile does not exist, or two profiles conflict.
    """
    found = surface.by_name.get(tool) if isinstance(tool, str) and surface is not None else tool
    known = None if isinstance(found, str) else found
    wrong = _wrong_call(tool, known, surface, arguments)
    checker = _checker((profile,) if isinstance(profile, str) else tuple(profile))
    name = known.name if known is not None else None
    response = read_response(result)
    findings = checker.check(response, tool=known, surface=surface, arguments=arguments, dispatch=wrong is not None)
    if wrong:
        findings += checker.findings(code_breaches(response, wrong), name)
    findings = govern(findings, checker.selection, stations=("call",))
    if known is None and isinstance(tool, str):
        return [replace(finding, tool=tool) for finding in findings]
    return findings


def _wrong_call(
    tool: Tool | str | None, known: Tool | None, surface: Surface | None, arguments: Mapping[str, Any] | None
) -> str | None:
    """What is wrong with a call: ``None`` if nothing is, empty if the schema does not forbid it."""
    if known is None:
        return "unknown tool" if isinstance(tool, str) and surface is not None else None
    if arguments is None or not misfit(known, arguments):
        return None
    validator = compiled(known.input_schema)
    silent = validator is None or validator.accepts(dict(arguments)) is not False
    return "" if silent else "arguments that the input schema refuses"


def charter_step_findings(old: Surface, new: Surface, selection: Selection) -> list[Finding]:
    """Check that the charter version changed as much as the envelope did (``envelope/version-step``)."""
    from mcp_governor.charter.evolution import version_step_breaches

    return ResponseChecker(selection).findings(version_step_breaches(old, new), None)
