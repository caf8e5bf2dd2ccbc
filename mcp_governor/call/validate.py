"""Any response of any tool → findings, under a profile."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_governor.call.response import Response, read_response
from mcp_governor.call.results import (
    code_breaches,
    deprecation_breaches,
    mirror_breaches,
    protocol_breaches,
    schema_version_breaches,
    summary_breaches,
    text_only_breaches,
)
from mcp_governor.catalogue import LintSettings, select
from mcp_governor.catalogue.finding import finding
from mcp_governor.catalogue.governing import govern
from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.envelope import envelope_breaches, looks_like_envelope
from mcp_governor.charter.recovery import declared_kinds, misfit, surface_breaches
from mcp_governor.containment.validators import compiled
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.catalogue import Selection
    from mcp_governor.findings import Finding
    from mcp_governor.surface.model import Surface, Tool

_SIZE_RULE = "envelope/size"


class ResponseChecker:
    """Checks responses with the rules that a selection holds; made once, used for many responses.

    Args:
        selection: the rules that run, with their severities and options (:func:`mcp_governor.catalogue.select`).
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        packs = {rule_id.partition("/")[0] for rule_id in selection.active}
        self._envelope = "envelope" in packs
        self._packs = packs

    def check(
        self,
        raw: Any,
        *,
        tool: Tool | None = None,
        surface: Surface | None = None,
        dispatch: bool = False,
        about: str = "",
    ) -> list[Finding]:
        """Findings about one response; see :func:`validate_response`.

        Args:
            raw: the response.
            tool: the tool that answered.
            surface: what the server publishes.
            dispatch: the call itself was wrong (unknown tool, refused arguments), so an error outside of the
                tool's own channel is in order.
            about: the call, where findings are to name it.
        """
        response = raw if isinstance(raw, Response) else read_response(raw)
        name = tool.name if tool is not None else None
        return self.findings(self._breaches(response, tool, surface, dispatch), name, about)

    def findings(self, breaches: Iterable[Breach], tool: str | None, about: str = "") -> list[Finding]:
        """Breaches as findings; those of rules that do not run are left out.

        Args:
            breaches: what is wrong.
            tool: the published tool that is concerned.
            about: the call that it is said of, where there were several.
        """
        out = []
        for breach in breaches:
            active = self.selection.get(breach.rule)
            if active is None:
                continue
            made = finding(
                active.rule,
                breach.path,
                says=breach.says,
                about=about,
                tool=tool,
                value=breach.value,
                facts=breach.facts,
            )
            out.append(made)
        return out

    def runs(self, rule_id: str) -> bool:
        """Whether a rule was selected."""
        return rule_id in self.selection.active

    def _breaches(
        self, response: Response, tool: Tool | None, surface: Surface | None, dispatch: bool
    ) -> Iterator[Breach]:
        prefix = "/error" if response.error is not None else ""
        told = [breach.under(prefix) for breach in protocol_breaches(response, tool)]
        yield from told
        if any(breach.rule == "call/input-requested" for breach in told):
            return
        if self._envelope:
            yield from self._charter(response, tool, surface, dispatch, told)
        if "omni" in self._packs:
            yield from text_only_breaches(response)
        if "schema-md" in self._packs:
            yield from summary_breaches(response)
            yield from _rpc_only(response)
        if "surface" in self._packs:
            yield from schema_version_breaches(response, surface)
            yield from deprecation_breaches(response, tool, surface)
            yield from _flag_and_structure(response, dispatch)

    def _charter(
        self,
        response: Response,
        tool: Tool | None,
        surface: Surface | None,
        dispatch: bool,
        told: Sequence[Breach],
    ) -> Iterator[Breach]:
        envelope = response.envelope
        if not looks_like_envelope(envelope):
            yield from _no_envelope(response, dispatch, told)
            return
        prefix = "" if response.is_bare_envelope else "/structuredContent"
        for breach in envelope_breaches(envelope, kinds=_kinds(envelope, tool)):
            yield breach.under(prefix)
        if surface is not None:
            for breach in surface_breaches(envelope, surface, tool):
                yield breach.under(prefix)
        if response.is_error:
            yield Breach("envelope/is-error", "/isError", envelope.get("status"))
        yield from mirror_breaches(response)
        yield from self._size(response, tool)

    def _size(self, response: Response, tool: Tool | None) -> Iterator[Breach]:
        active = self.selection.get(_SIZE_RULE)
        if active is None:
            return
        cap = int(active.options["max"])
        tokens = facts.estimate_tokens(response.characters)
        if tokens < cap:
            return
        offers = tool is not None and "response_format" in str(tool.input_schema)
        says = "offered" if offers else "unoffered"
        yield Breach.of(_SIZE_RULE, "", offers, says=says, tokens=f"{tokens:,}", cap=f"{cap:,}")


def _kinds(envelope: dict[str, Any], tool: Tool | None) -> frozenset[str]:
    """The registry, and what the tool's own output schema adds to it where the envelope uses that."""
    error = envelope.get("error")
    kind = error.get("kind") if isinstance(error, dict) else None
    if tool is None or not isinstance(kind, str) or kind in facts.KINDS:
        return facts.KINDS
    return facts.KINDS | declared_kinds(tool)


def _no_envelope(response: Response, dispatch: bool, told: Sequence[Breach]) -> Iterator[Breach]:
    """Charter: every response is an envelope; only a wrong call may fail outside of it."""
    if response.failure_text is not None:
        if not dispatch:
            path, says = ("/error", "error") if response.error is not None else ("/isError", "flag")
            yield Breach("envelope/error-channel", path, response.failure_text, says)
    elif not any(breach.rule in ("call/structured-missing", "call/result-shape") for breach in told):
        yield Breach("envelope/missing", "/structuredContent")


def _rpc_only(response: Response) -> Iterator[Breach]:
    """SCHEMA.md: a failure is a JSON-RPC error, never a result with the error flag."""
    if response.is_error:
        yield Breach("schema-md/error-channel", "/isError", one_line("\n".join(response.texts), 100))


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
    """Whether one response keeps the contract of a profile.

    Args:
        result: a ``tools/call`` result, a JSON-RPC response that holds one or an error, or the envelope itself.
        tool: the tool that answered; a name is looked up in ``surface``. Without it no output schema is checked
            and error kinds of the server's own count as unknown.
        surface: what the server publishes; without it follow-up hints and recovery are not carried out on paper.
        profile: name of a profile, or several that do not clash.
        arguments: what the tool was called with: where its input schema refuses them, as where the tool is not
            published, an error outside of the contract's own channel is in order, and its code is looked at.

    Returns:
        Findings; their paths are JSON pointers into the result (``/structuredContent/error/kind``), below
        ``/error`` for a JSON-RPC error, or into the envelope where that is what was given.

    Raises:
        ConfigError: there is no such profile, or two of them clash.
    """
    found = surface.by_name.get(tool) if isinstance(tool, str) and surface is not None else tool
    known = None if isinstance(found, str) else found
    wrong = _wrong_call(tool, known, surface, arguments)
    checker = _checker((profile,) if isinstance(profile, str) else tuple(profile))
    name = known.name if known is not None else None
    response = read_response(result)
    findings = checker.check(response, tool=known, surface=surface, dispatch=wrong is not None)
    if wrong:
        findings += checker.findings(code_breaches(response, wrong), name)
    findings = govern(findings, checker.selection, stations=("call",))
    if known is None and isinstance(tool, str):
        return [replace(finding, tool=tool) for finding in findings]
    return findings


def _wrong_call(
    tool: Tool | str | None, known: Tool | None, surface: Surface | None, arguments: Mapping[str, Any] | None
) -> str | None:
    """What is wrong with a call: ``None`` for nothing, empty where its schema is silent about it."""
    if known is None:
        return "unknown tool" if isinstance(tool, str) and surface is not None else None
    if arguments is None or not misfit(known, arguments):
        return None
    validator = compiled(known.input_schema)
    silent = validator is None or validator.accepts(dict(arguments)) is not False
    return "" if silent else "arguments that the input schema refuses"


def charter_step_findings(old: Surface, new: Surface, selection: Selection) -> list[Finding]:
    """Whether the charter version moved as far as the envelope between two surfaces (``envelope/version-step``)."""
    from mcp_governor.charter.evolution import version_step_breaches

    return ResponseChecker(selection).findings(version_step_breaches(old, new), None)
