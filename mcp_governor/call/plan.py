"""Which calls to make: configured, recorded, and derived from the schemas; and which tools to leave alone."""

from __future__ import annotations

import fnmatch
import itertools
from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.call.arguments import is_cancelled, sample_arguments
from mcp_governor.call.cases import (
    DESTRUCTIVE,
    GOOD,
    NOT_SELECTED,
    UNSAID,
    WRITES,
    Case,
    Purpose,
    Skipped,
    shown_arguments,
    with_portable,
)
from mcp_governor.call.settings import DEFAULT_SETTINGS, CallSettings
from mcp_governor.call.wrong import UNKNOWN, Wrong, unknown_argument, wrong_arguments
from mcp_governor.change.budget import Budget
from mcp_governor.charter.recovery import misfit
from mcp_governor.containment.validators import compiled
from mcp_governor.frozen import frozen
from mcp_governor.schemas.extent import count_values
from mcp_governor.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.call.supply import Supply
    from mcp_governor.config import CallConfig
    from mcp_governor.surface.model import Surface, Tool

_SECONDS = 20.0
"""Seconds of computing for the arguments of all tools: 200 real tools take one. What is left out then is told."""
_SECONDS_WRONG = 3.0
"""Seconds of computing for the wrong calls of one tool; those that were found by then are made."""
_MOST_PARTS = 500
"""Values and members of arguments with all optional ones: beyond, no client sends them, and what a validator says of
one wrong member repeats all the others."""


@frozen
class Plan:
    """What will be called and what will not.

    Attributes:
        cases: in the order of the calls: the good ones, then those that the schema refuses.
        skipped: tools and calls that are left alone.
        supply: where values for arguments come from, ``None`` for the schemas alone.
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
    """The calls of one run; tools that are not safe to call are left out.

    Good calls come first, those of tools that say what there is before those that need to know it; then the calls
    that the schema refuses, in the order of the surface.

    Args:
        surface: what the server publishes.
        configured: calls from the configuration; they replace the generated happy paths of their tools.
        settings: permissions and limits.
        recorded: calls that were recorded before (see :mod:`mcp_governor.call.record`).
        sandbox: files for arguments that mean a path; without it arguments come from the schemas alone.
    """
    supply = None
    if sandbox is not None:
        from mcp_governor.call.supply import Supply

        supply = Supply(surface, sandbox)
    skipped: list[Skipped] = []
    own = [_configured(call, surface, sandbox) for call in configured]
    own += [_recorded(call, surface, sandbox) for call in recorded]
    planned: dict[str, list[Case]] = {}
    budget = Budget(_SECONDS, f"to make arguments for the tools before it took {_SECONDS:g} s")
    for tool in surface.tools:
        mine = [case for case in own if case.tool == tool.name]
        reason = refusal(tool, settings)
        if reason is not None:
            skipped.append(Skipped(tool.name, reason))
            continue
        late = budget.over()
        generated = _generated(tool, settings, mine, supply) if settings.generate and not late else []
        if not mine and not generated:
            why = (
                (late or "no arguments could be made from its schema") if settings.generate else "no call is configured"
            )
            skipped.append(Skipped(tool.name, why))
        planned[tool.name] = [*mine, *generated]
    cases = _ordered(surface, planned, supply)
    for case in own:
        if case.tool in surface.by_name:
            continue
        # A tool that is not published has no hints: nobody knows what a call of it does.
        if settings.allow_writes and case.tool in settings.destructive:
            cases.append(case)
        else:
            reason = f"not a tool of this server.{did_you_mean(case.tool, surface.by_name)}"
            skipped.append(Skipped(case.tool, reason, case))
    if settings.generate and settings.unhappy and surface.tools:
        cases.append(Case(_stranger(surface), {}, Purpose.UNKNOWN_TOOL, valid=False))
    return Plan(tuple(cases), tuple(skipped), supply)


def _ordered(surface: Surface, planned: Mapping[str, list[Case]], supply: Supply | None) -> list[Case]:
    tools = [tool for tool in surface.tools if tool.name in planned]
    wrong = [case for tool in tools for case in planned[tool.name] if case.purpose not in GOOD]
    if supply is not None:
        from mcp_governor.call.order import called_first

        tools = called_first(tools, supply)
    return [case for tool in tools for case in planned[tool.name] if case.purpose in GOOD] + wrong


def refusal(tool: Tool, settings: CallSettings) -> str | None:
    """Why a tool must not be called, ``None`` where it may be.

    Its hints are resolved to the specification's defaults, so a tool without annotations counts as destructive.
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
    """Whether the user says that a tool only reads, and the tool does not say anything else."""
    return _says_nothing(tool) and any(fnmatch.fnmatchcase(tool.name, glob) for glob in settings.read_only)


def _says_nothing(tool: Tool) -> bool:
    """Whether the annotations leave open whether the tool writes."""
    return not any(isinstance(tool.annotations.get(name), bool) for name in ("readOnlyHint", "destructiveHint"))


def _stranger(surface: Surface) -> str:
    names = (UNKNOWN + suffix for suffix in itertools.chain([""], map(str, itertools.count(2))))
    return next(name for name in names if name not in surface.by_name)


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
    full = sample_arguments(schema, seed=settings.seed, optional=True, source=source)
    if full is not None and count_values(full) > _MOST_PARTS:
        full = None
    fullest = {**full, **good} if full is not None and not misfit(tool, {**full, **good}) else good
    if fullest != good:
        yield Case(tool.name, fullest, Purpose.FULL)
    # A wrong call of a tool that writes may be accepted after all.
    if settings.unhappy and (not tool.hints.destructive or _assumed(tool, settings)):
        yield _case(tool, unknown_argument(good))
        budget = Budget(_SECONDS_WRONG, "")
        for wrong in wrong_arguments(schema, fullest, late=lambda: is_cancelled() or bool(budget.over())):
            if source is None or source.confined(wrong.arguments):
                yield _case(tool, wrong)


def _case(tool: Tool, wrong: Wrong) -> Case:
    valid, is_open = _reading(tool, wrong.arguments)
    return Case(tool.name, wrong.arguments, Purpose(wrong.purpose), detail=wrong.detail, valid=valid, open=is_open)


def _reading(tool: Tool | None, arguments: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether an input schema accepts arguments as people read it; and if not, whether it does to the letter."""
    if tool is None:
        return False, False
    if not misfit(tool, arguments):
        return True, False
    validator = compiled(tool.input_schema)
    return False, validator is not None and validator.accepts(dict(arguments)) is True


def _filled(
    arguments: Mapping[str, Any], sandbox: Sandbox | None
) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The arguments to send, and as they were written where that is something else."""
    filled = arguments if sandbox is None else sandbox.filled(dict(arguments))
    return (filled, arguments) if filled != arguments else (arguments, None)


def _configured(call: CallConfig, surface: Surface, sandbox: Sandbox | None) -> Case:
    arguments, portable = _filled(call.arguments, sandbox)
    valid, is_open = _reading(surface.by_name.get(call.tool), arguments)
    return Case(
        call.tool,
        arguments,
        Purpose.CONFIGURED,
        portable=portable,
        detail=shown_arguments(call.arguments),
        valid=valid,
        open=is_open,
        status=call.status,
        kind=call.kind,
    )


def _recorded(call: Mapping[str, Any], surface: Surface, sandbox: Sandbox | None) -> Case:
    tool, written = str(call["tool"]), call.get("arguments", {})
    arguments, portable = _filled(written, sandbox)
    valid, is_open = _reading(surface.by_name.get(tool), arguments)
    return Case(
        tool,
        arguments,
        Purpose.RECORDED,
        portable=portable,
        detail=shown_arguments(written),
        valid=valid,
        open=is_open,
        recorded=call,
    )
