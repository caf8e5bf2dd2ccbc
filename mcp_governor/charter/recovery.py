"""Checks of an envelope against the server's surface: the hints exist, and the recovery can be carried out.

The recovery block is executed on paper (charter, principle 3; structured recovery, "A ready-to-pass arguments dict. The
agent fills the call and goes"): the suggested tool must exist, and its input schema must accept the suggested
arguments, as people read schemas, so an undeclared argument counts as rejected.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.charter import facts
from mcp_governor.charter.breach import MAX_BREACHES, Breach
from mcp_governor.charter.evolution import declared_version
from mcp_governor.containment.validators import compiled
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens
from mcp_governor.schemas.walking import declared_members
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.surface.model import Surface, Tool

_RECOVERY = "/error/recovery"
_SHOWN_PROBLEMS = 3
"""Maximum number of findings about suggested arguments; one cause often has several. The rest are dropped."""
_CLOSING = frozenset({"additionalProperties", "unevaluatedProperties", "falseSchema"})
"""Keywords with which a schema rejects undeclared names; the message names the arguments."""


def surface_breaches(
    envelope: Mapping[str, Any],
    surface: Surface,
    tool: Tool | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> list[Breach]:
    """References in an envelope to things that the server does not publish.

    Args:
        envelope: the envelope as JSON.
        surface: what the server publishes.
        tool: the tool that responded, with the charter version that it declares; a recovery may call it again.
        arguments: the arguments of the call; ``None`` if unknown.

    Returns:
        Breaches with pointers into the envelope.
    """
    out = _hints(envelope.get("follow_up_hints"), surface)
    error = envelope.get("error")
    recovery = error.get("recovery") if isinstance(error, dict) else None
    if isinstance(error, dict) and isinstance(recovery, dict):
        out += recovery_breaches(recovery, surface, tool, arguments)
        out += _retry(error, recovery, tool)
    if tool is not None:
        out += _declared_version(envelope.get("charter_version"), tool)
    return out


def retry_arguments(recovery: Mapping[str, Any], arguments: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """The arguments of a recovery without a tool: the same call with these arguments changed; ``None`` if there is
    none.

    Args:
        recovery: the recovery block.
        arguments: the arguments of the call; without them only the changed ones are known.
    """
    changed = recovery.get("suggested_args")
    if recovery.get("suggested_tool") is not None or not isinstance(changed, dict) or not changed:
        return None
    return {**(arguments or {}), **changed}


def _retry(error: Mapping[str, Any], recovery: Mapping[str, Any], tool: Tool | None) -> list[Breach]:
    """Registry, ``internal_error``: a bug, so the agent should not trigger it again."""
    if error.get("kind") != facts.NO_RETRY_KIND:
        return []
    again = retry_arguments(recovery) is not None
    if not again and (tool is None or recovery.get("suggested_tool") != tool.name):
        return []
    key = "suggested_args" if again else "suggested_tool"
    return [Breach("envelope/internal-retry", f"{_RECOVERY}/{key}", recovery.get(key))]


def _hints(hints: Any, surface: Surface) -> list[Breach]:
    if not isinstance(hints, list):
        return []
    known = surface.by_name
    unknown = ((at, hint) for at, hint in enumerate(hints) if isinstance(hint, str) and hint not in known)
    return [
        Breach.of("envelope/hint-exists", f"/follow_up_hints/{at}", hint, hint=did_you_mean(hint, known))
        for at, hint in itertools.islice(unknown, MAX_BREACHES)
    ]


def recovery_breaches(
    recovery: Mapping[str, Any],
    surface: Surface,
    tool: Tool | None = None,
    given: Mapping[str, Any] | None = None,
) -> list[Breach]:
    """Why a recovery block could not be carried out; pointers are relative to the envelope that contains it.

    Args:
        recovery: the recovery block.
        surface: what the server publishes.
        tool: the tool that responded; arguments without a tool change the failed call.
        given: the arguments of the call; ``None`` if unknown.
    """
    name = recovery.get("suggested_tool")
    arguments = recovery.get("suggested_args")
    if name is None and tool is not None and retry_arguments(recovery) is not None:
        return _changed_arguments(tool, recovery, given)
    if not isinstance(name, str) or not name:
        return []
    suggested = surface.by_name.get(name)
    if suggested is None:
        hint = did_you_mean(name, surface.by_name)
        return [Breach.of("envelope/recovery-tool", f"{_RECOVERY}/suggested_tool", name, hint=hint)]
    if arguments is None:
        return _without_arguments(suggested)
    return _with_arguments(suggested, misfit(suggested, arguments)) if isinstance(arguments, dict) else []


def _changed_arguments(tool: Tool, recovery: Mapping[str, Any], given: Mapping[str, Any] | None) -> list[Breach]:
    """Reasons why the same call cannot be repeated with changes; the defects of the failed call do not count."""
    changed = recovery["suggested_args"]
    found = misfit(tool, {**(given or {}), **changed})
    problems = tuple(problem for problem in found.problems if next(iter(pointer_tokens(problem[0])), "") in changed)
    return _with_arguments(tool, Misfit((), problems))


def _without_arguments(tool: Tool) -> list[Breach]:
    found = misfit(tool, {})
    if not found:
        return []
    needed = list(found.missing)
    path, says = f"{_RECOVERY}/suggested_args", "named" if needed else "unnamed"
    absent = "envelope/recovery-args-absent"
    return [Breach.of(absent, path, [tool.name, needed], says=says, suggested=tool.name, needed=needed)]


def _with_arguments(tool: Tool, found: Misfit) -> list[Breach]:
    path, missing = f"{_RECOVERY}/suggested_args", list(found.missing)
    required = Breach.of("envelope/recovery-required", path, [tool.name, missing], suggested=tool.name, missing=missing)
    return [required] * bool(missing) + [
        Breach.of(
            "envelope/recovery-args", path + pointer, [tool.name, pointer, text], suggested=tool.name, problem=text
        )
        for pointer, text in found.problems[:_SHOWN_PROBLEMS]
    ]


class Misfit(Struct, frozen=True):
    """Why a tool's input schema rejects arguments; false if it accepts them.

    Attributes:
        missing: required names that are missing at the root.
        problems: all others: pointers into the arguments, each with a printable message.
    """

    missing: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.problems)


def misfit(tool: Tool, arguments: Mapping[str, Any]) -> Misfit:
    """Compare arguments with a tool's input schema, as people read it: an undeclared name is rejected.

    Validation determines the required names, wherever references and composition put them. If a schema does not
    compile, its root still says which names it declares and requires.
    """
    declared = declared_members(tool.input_schema)
    undeclared = [] if declared is None else sorted(name for name in arguments if name not in declared)
    problems = [
        (join_pointer("", name), f"it declares no argument {_name(name)}{did_you_mean(name, declared or ()).rstrip()}")
        for name in undeclared
    ]
    missing: dict[str, None] = {}
    validator = compiled(tool.input_schema)
    if validator is None:
        missing = dict.fromkeys(name for name in _required(tool.input_schema) if name not in arguments)
        return Misfit(tuple(missing), tuple(problems))
    try:
        for flaw in validator.flaws(dict(arguments)):
            at_root = not flaw.instance_path
            if at_root and flaw.keyword == "required":
                missing[flaw.property] = None
            elif not (at_root and undeclared and flaw.keyword in _CLOSING):
                problems.append((join_pointer("", *flaw.instance_path), one_line(flaw.message, 120)))
    except (ValueError, RecursionError, OverflowError) as error:
        problems.append(("", f"it cannot be read: {one_line(str(error), 80)}"))
    return Misfit(tuple(missing), tuple(problems))


def _required(schema: Any) -> list[str]:
    names = schema.get("required") if isinstance(schema, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _declared_version(version: Any, tool: Tool) -> list[Breach]:
    declared = declared_version(tool)
    if declared is None or not isinstance(version, str) or version == declared:
        return []
    rule, path = "envelope/charter-version-consistent", "/charter_version"
    return [Breach.of(rule, path, [version, declared], version=version, declared=declared)]


def _name(name: str) -> str:
    return f'"{one_line(name, 60)}"'
