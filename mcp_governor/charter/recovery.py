"""Checks of an envelope against the server's surface: do hints exist, and could recovery be carried out?

The recovery block is executed on paper (charter, principle 3; structured recovery, "A ready-to-pass arguments
dict. The agent fills the call and goes"): the suggested tool must be there, and its input schema must accept
the suggested arguments, read as people read schemas, so an undeclared argument counts as refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach
from mcp_governor.containment.validators import compiled
from mcp_governor.frozen import frozen
from mcp_governor.schemas.branches import branches, declared_members
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.surface.model import Surface, Tool

_RECOVERY = "/error/recovery"
_SHOWN_PROBLEMS = 3
"""Problems of suggested arguments that become findings; one cause often has several. The rest is left out."""
_CLOSING = frozenset({"additionalProperties", "unevaluatedProperties", "falseSchema"})
"""Keywords by which a schema refuses undeclared names, which are told by name."""


def surface_breaches(envelope: Mapping[str, Any], surface: Surface, tool: Tool | None = None) -> list[Breach]:
    """What an envelope promises about the server that the server's surface does not hold.

    Args:
        envelope: the envelope as JSON.
        surface: what the server publishes.
        tool: the tool that answered, for the charter version it declares.

    Returns:
        Breaches with pointers into the envelope.
    """
    out = _hints(envelope.get("follow_up_hints"), surface)
    error = envelope.get("error")
    if isinstance(error, dict) and isinstance(error.get("recovery"), dict):
        out += recovery_breaches(error["recovery"], surface)
    if tool is not None:
        out += _declared_version(envelope.get("charter_version"), tool)
    return out


def _hints(hints: Any, surface: Surface) -> list[Breach]:
    if not isinstance(hints, list):
        return []
    known = surface.by_name
    return [
        Breach.of("envelope/hint-exists", f"/follow_up_hints/{index}", hint, hint=did_you_mean(hint, known))
        for index, hint in enumerate(hints)
        if isinstance(hint, str) and hint not in known
    ]


def recovery_breaches(recovery: Mapping[str, Any], surface: Surface) -> list[Breach]:
    """Why a recovery block could not be carried out; pointers are into the envelope that holds it."""
    name = recovery.get("suggested_tool")
    arguments = recovery.get("suggested_args")
    if not isinstance(name, str) or not name:
        return []
    tool = surface.by_name.get(name)
    if tool is None:
        hint = did_you_mean(name, surface.by_name)
        return [Breach.of("envelope/recovery-tool", f"{_RECOVERY}/suggested_tool", name, says="unknown", hint=hint)]
    if arguments is None:
        return _without_arguments(tool)
    return _with_arguments(tool, arguments) if isinstance(arguments, dict) else []


def _without_arguments(tool: Tool) -> list[Breach]:
    found = misfit(tool, {})
    if not found:
        return []
    needed = list(found.missing)
    path, says = f"{_RECOVERY}/suggested_args", "named" if needed else "unnamed"
    value = [tool.name, needed]
    return [
        Breach.of("envelope/recovery-args-absent", path, value, says=says, suggested=tool.name, needed=needed),
    ]


def _with_arguments(tool: Tool, arguments: dict[str, Any]) -> list[Breach]:
    path = f"{_RECOVERY}/suggested_args"
    found = misfit(tool, arguments)
    out = []
    if found.missing:
        missing = list(found.missing)
        value: list[Any] = [tool.name, missing]
        out.append(Breach.of("envelope/recovery-required", path, value, suggested=tool.name, missing=missing))
    for pointer, text in found.problems[:_SHOWN_PROBLEMS]:
        value = [tool.name, pointer, text]
        out.append(Breach.of("envelope/recovery-args", path + pointer, value, suggested=tool.name, problem=text))
    return out


@frozen
class Misfit:
    """Why a tool's input schema refuses arguments; false where it does not.

    Attributes:
        missing: names that must be there and are not, at the root.
        problems: everything else: pointers into the arguments, each with a safe text.
    """

    missing: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.problems)


def misfit(tool: Tool, arguments: Mapping[str, Any]) -> Misfit:
    """How arguments miss a tool's input schema, read as people read it: an undeclared name is refused.

    Required names are those that validation asks for, wherever references and composition put them. A schema that
    does not compile still says by its root which names it declares and needs.
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


def declared_version(tool: Tool) -> str | None:
    """The charter version a tool publishes: in its metadata, else as default or constant of its output schema."""
    version = facts.declared_metadata(tool.raw).get("charter_version")
    if isinstance(version, str):
        return version
    schema = _property(tool.output_schema, "charter_version")
    for key in ("const", "default"):
        if isinstance(schema.get(key), str):
            return str(schema[key])
    return None


def declared_kinds(tool: Tool) -> frozenset[str]:
    """The error kinds that a tool's output schema enumerates: how a server registers kinds of its own."""
    kinds: set[str] = set()
    root = tool.output_schema
    for error in branches(root, _property(root, "error")):
        for kind in branches(root, _property(error, "kind")):
            values = kind.get("enum", [kind.get("const")]) if kind is not None else None
            kinds.update(value for value in values or () if isinstance(value, str))
    return frozenset(kinds)


def _property(schema: Any, name: str) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    value = properties.get(name) if isinstance(properties, dict) else None
    return value if isinstance(value, dict) else {}


def _name(name: str) -> str:
    return f'"{one_line(name, 60)}"'
