"""Plan the calls: configured, recorded and derived from schemas; in which order; and which tools are skipped."""

from __future__ import annotations

import fnmatch
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_governor.call.arguments import is_cancelled, sample_arguments
from mcp_governor.call.cases import (
    CONTRADICTED,
    DEFAULT_SETTINGS,
    DESTRUCTIVE,
    GOOD,
    NO_ARGUMENTS,
    NOT_CONFIGURED,
    NOT_SELECTED,
    UNSAID,
    WRITES,
    CallSettings,
    Case,
    Purpose,
    Skipped,
    shown_arguments,
    with_portable,
)
from mcp_governor.call.words import CREATING, LISTING, READING, REMOVING, words
from mcp_governor.call.wrong import UNKNOWN, Wrong, unknown_argument, wrong_arguments
from mcp_governor.change.budget import Budget
from mcp_governor.charter.recovery import misfit
from mcp_governor.containment.validators import compiled
from mcp_governor.schemas.weight import count_values
from mcp_governor.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcp_governor.call.candidates import Supply, ToolSupply
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.config import CallConfig
    from mcp_governor.surface.model import Surface, Tool

_SECONDS = 20.0
"""Time limit for making the arguments of all tools, in seconds: 200 real tools take one second. Tools that are left out
are reported."""
_SECONDS_WRONG = 3.0
"""Time limit for the wrong calls of one tool, in seconds; those found by then are made."""
_MAX_PARTS = 500
"""Most values and members in arguments that include all optional parameters. No client sends more, and a validator's
message about one wrong member would repeat all the others."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls that will be made, and those that are skipped.

    Attributes:
        cases: the calls in order: good ones first, then those that the schema refuses.
        skipped: tools and calls that are skipped.
        supply: source of values for parameters; ``None`` if the schemas are the only source.
    """

    cases: tuple[Case, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    supply: Supply | None = field(default=None, compare=False, repr=False)


def plan_calls(
    surface: Surface,
    configured: Sequence[CallConfig] = (),
    *,
    settings: CallSettings = DEFAULT_SETTINGS,
    recorded: Sequence[Mapping[str, Any]] = (),
    sandbox: Sandbox | None = None,
) -> Plan:
    """Plan the calls of one run; tools that are not safe to call are skipped.

    Good calls come first, starting with tools that list things; then the calls that the schema refuses, in the order
    of the surface.

    Args:
        surface: what the server publishes.
        configured: calls from the configuration; they replace the generated good calls of their tools.
        settings: permissions and limits.
        recorded: calls from recordings (see :mod:`mcp_governor.call.record`).
        sandbox: files for parameters that take a path; without it, arguments come from the schemas alone.
    """
    supply = None
    if sandbox is not None:
        from mcp_governor.call.candidates import Supply

        supply = Supply(surface, sandbox)
    skipped: list[Skipped] = []
    expected = ("status", "kind", "suggested_tool", "fuzzy_matches")
    own = [
        _own(
            Purpose.CONFIGURED,
            call.tool,
            call.arguments,
            surface,
            sandbox,
            **{name: getattr(call, name) for name in expected},
        )
        for call in configured
    ]
    own += [
        _own(Purpose.RECORDED, str(call["tool"]), call.get("arguments", {}), surface, sandbox, recorded=call)
        for call in recorded
    ]
    planned: dict[str, list[Case]] = {}
    doubt = doubts(surface)
    budget = Budget(_SECONDS, f"to make arguments for the tools before it took {_SECONDS:g} s")
    for tool in surface.tools:
        mine = [case for case in own if case.tool == tool.name]
        reason = refusal(tool, settings) or (doubt(tool) if settings.quick else None)
        if reason is not None:
            # What the configuration itself calls; a recording was made under permissions of its own.
            named = [case for case in mine if case.purpose is Purpose.CONFIGURED]
            if named and settings.named and reason != NOT_SELECTED:
                planned[tool.name] = named
            else:
                skipped.append(Skipped(tool.name, reason))
            continue
        late = budget.over()
        generated = _generated(tool, settings, mine, supply) if settings.generate and not late else []
        if not mine and not generated:
            why = (late or NO_ARGUMENTS) if settings.generate else NOT_CONFIGURED
            skipped.append(Skipped(tool.name, why))
        planned[tool.name] = [*mine, *generated]
    tools = [tool for tool in surface.tools if tool.name in planned]
    wrong = [case for tool in tools for case in planned[tool.name] if case.purpose not in GOOD]
    if supply is not None:
        tools = called_first(tools, supply)
    cases = [case for tool in tools for case in planned[tool.name] if case.purpose in GOOD] + wrong
    for case in own:
        if case.tool in surface.by_name:
            continue
        # A tool that is not published has no hints, so a call of it may do anything.
        if settings.allow_writes and case.tool in settings.destructive:
            cases.append(case)
        else:
            reason = f"not a tool of this server.{did_you_mean(case.tool, surface.by_name)}"
            skipped.append(Skipped(case.tool, reason, case))
    if settings.generate and settings.unhappy and not settings.quick and surface.tools:
        names = (UNKNOWN + suffix for suffix in itertools.chain([""], map(str, itertools.count(2))))
        stranger = next(name for name in names if name not in surface.by_name)
        cases.append(Case(stranger, {}, Purpose.UNKNOWN_TOOL, valid=False))
    return Plan(tuple(cases), tuple(skipped), supply)


def doubts(surface: Surface) -> Callable[[Tool], str | None]:
    """Why a tool that says that it only reads is not believed; ``None`` if it is.

    Whoever asks for calls knows the server. A run that calls by itself does not, and a wrong hint is a known defect.
    """
    from mcp_governor.call.read_only_hint import doubt
    from mcp_governor.prose.effects import product_prefix

    prefix = product_prefix(surface)

    def reason(tool: Tool) -> str | None:
        return CONTRADICTED if tool.annotations.get("destructiveHint") is True or doubt(tool, prefix) else None

    return reason


def refusal(tool: Tool, settings: CallSettings) -> str | None:
    """The reason why a tool must not be called, or ``None`` if it may be called.

    Missing hints have the defaults of the specification, so a tool without annotations counts as destructive.
    """
    if settings.tools and not any(fnmatch.fnmatchcase(tool.name, glob) for glob in settings.tools):
        return NOT_SELECTED
    if tool.hints.read_only or _assumed(tool, settings):
        return None
    if not settings.allow_writes:
        return UNSAID if _says_nothing(tool) else WRITES
    if tool.hints.destructive and tool.name not in settings.destructive:
        return UNSAID if _says_nothing(tool) else DESTRUCTIVE
    return None


def _assumed(tool: Tool, settings: CallSettings) -> bool:
    """True if the user declares a tool read-only, and its annotations do not contradict."""
    return _says_nothing(tool) and any(fnmatch.fnmatchcase(tool.name, glob) for glob in settings.read_only)


def _says_nothing(tool: Tool) -> bool:
    """True if the annotations do not say if the tool writes."""
    return not any(isinstance(tool.annotations.get(name), bool) for name in ("readOnlyHint", "destructiveHint"))


def _generated(tool: Tool, settings: CallSettings, own: Sequence[Case], supply: Supply | None) -> list[Case]:
    known = [case.arguments for case in own]
    new = (case for case in _generate(tool, settings, own, supply) if case.arguments not in known)
    cases = list(itertools.islice(new, settings.cases_per_tool))
    return cases if supply is None else [with_portable(case, supply.sandbox) for case in cases]


def _generate(tool: Tool, settings: CallSettings, own: Sequence[Case], supply: Supply | None) -> Iterator[Case]:
    schema = tool.input_schema
    source = supply.of(tool) if supply is not None else None
    good = next((dict(case.arguments) for case in own if case.valid), None)
    if good is None:
        good = sample_arguments(schema, seed=settings.seed, source=source)
        if good is None:
            return
        yield Case(tool.name, good, Purpose.REQUIRED)
    # A tool that writes might accept a wrong call and act on it.
    may_be_wrong = settings.unhappy and (not tool.hints.destructive or _assumed(tool, settings))
    if settings.quick:
        # Of a schema that refuses nothing, one with an argument of no meaning.
        wrong = itertools.chain(_wrong(tool, good, source), [_case(tool, unknown_argument(good))])
        yield from itertools.islice(wrong, int(may_be_wrong))
        return
    full = {**(sample_arguments(schema, seed=settings.seed, optional=True, source=source) or {}), **good}
    if full == good or count_values(full) > _MAX_PARTS or misfit(tool, full):
        full = good
    else:
        yield Case(tool.name, full, Purpose.FULL)
    if may_be_wrong:
        yield _case(tool, unknown_argument(good))
        yield from _wrong(tool, full, source)


def _wrong(tool: Tool, good: dict[str, Any], source: ToolSupply | None) -> Iterator[Case]:
    budget = Budget(_SECONDS_WRONG, "")
    for wrong in wrong_arguments(tool.input_schema, good, late=lambda: is_cancelled() or bool(budget.over())):
        if source is None or source.confined(wrong.arguments):
            yield _case(tool, wrong)


def _case(tool: Tool, wrong: Wrong) -> Case:
    valid, is_open = _reading(tool, wrong.arguments)
    return Case(tool.name, wrong.arguments, Purpose(wrong.purpose), detail=wrong.detail, valid=valid, open=is_open)


def _reading(tool: Tool | None, arguments: Mapping[str, Any]) -> tuple[bool, bool]:
    """Two flags: the schema accepts the arguments as people read it; if not, it accepts them if read literally."""
    if tool is None:
        return False, False
    if not misfit(tool, arguments):
        return True, False
    validator = compiled(tool.input_schema)
    return False, validator is not None and validator.accepts(dict(arguments)) is True


def _own(
    purpose: Purpose,
    tool: str,
    written: Mapping[str, Any],
    surface: Surface,
    sandbox: Sandbox | None,
    **expected: Any,
) -> Case:
    """A configured or recorded call, its placeholders filled in."""
    filled = written if sandbox is None else sandbox.filled(dict(written))
    valid, is_open = _reading(surface.by_name.get(tool), filled)
    return Case(
        tool,
        filled,
        purpose,
        portable=written if filled != written else None,
        detail=shown_arguments(written),
        valid=valid,
        open=is_open,
        **expected,
    )


_LISTS, _MAKES, _SEARCHES, _READS, _CHANGES, _REMOVES = range(6)


def called_first(tools: Sequence[Tool], supply: Supply) -> list[Tool]:
    """The tools in the order of their good calls.

    Tools that list things and require no arguments come first, then those that create, search, read, change and
    remove. A tool that the descriptions of another tool mention comes before that tool. Among tools that remove
    something, those with the most required parameters remove the least, so they come first.

    Args:
        tools: in the order of the surface, which breaks ties.
        supply: knows which tools the descriptions of a tool mention.
    """
    ranked = sorted(tools, key=lambda tool: (_rank(tool), -_required_count(tool) if _rank(tool) == _REMOVES else 0))
    by_name = {tool.name: tool for tool in ranked}
    # Not recursive, because a server may publish a chain of a thousand tools that mention each other.
    placed: dict[str, Tool] = {}
    for tool in ranked:
        stack = [tool]
        waiting = {tool.name}
        while stack:
            here = stack[-1]
            before = [
                by_name[name]
                for name in sorted(supply.of(here).mentioned)
                if name in by_name
                and name not in placed
                and name not in waiting
                and _rank(by_name[name]) < _CHANGES
                # Two tools that mention each other stay in the order of their ranks.
                and here.name not in supply.of(by_name[name]).mentioned
            ]
            if before and _rank(here) != _LISTS:
                stack.append(before[0])
                waiting.add(before[0].name)
            else:
                placed.setdefault(here.name, stack.pop())
    return list(placed.values())


def _rank(tool: Tool) -> int:
    does = words(tool.name)
    verb = next((word for word in does if word in CREATING | READING | REMOVING), "")
    reads = tool.hints.read_only or verb in READING
    if verb in REMOVING and not tool.hints.read_only:
        return _REMOVES
    if reads:
        if not _required_count(tool):
            return _LISTS
        return _SEARCHES if verb in LISTING else _READS
    return _MAKES if verb in CREATING else _CHANGES


def _required_count(tool: Tool) -> int:
    schema = tool.input_schema
    required = schema.get("required") if isinstance(schema, dict) else None
    return len(required) if isinstance(required, list) else 0
