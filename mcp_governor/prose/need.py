"""One dependency between parameters that a description states, and the parameters it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["together", "exclusive", "any", "one", "when", "within", "mode", "only", "ignored"]

State = Literal["", "present", "absent", "="]
"""What a condition says about a parameter; empty for anything that the others do not say."""
Ways = tuple[tuple[str, ...], ...]
"""The parameters of each alternative, one or several together."""


class Group(NamedTuple):
    """Parameters that one object declares.

    Attributes:
        names: of the parameters.
        values: each enum value with the parameter that has it; a value of two parameters is omitted.
        optional: the parameters that may be left out.
    """

    names: frozenset[str]
    values: Mapping[str, str]
    optional: tuple[str, ...] = ()


class Need(NamedTuple):
    """One dependency that a description states.

    Attributes:
        kind: ``together``: all or none. ``exclusive``: the first excludes each of the others; if there are ``ways``,
            at most one of these. ``any``: at least one. ``one``: exactly one. Under a condition, the first is required
            or must have a value (``when``), has an effect (``only``), or has none (``ignored``); it can be given only
            then (``within``). ``mode``: the first names the thing that some choices of another are about.
        arguments: the parameters; for a condition, the dependent one first, then those that it depends on.
        condition: as written, for a condition; for the others, the only case to which it applies.
        state: the condition on the second parameter: ``present``, ``absent``, ``=`` for one of the ``values``, or empty
            for anything else.
        values: of the second parameter, as written.
        must: what the first must be under the condition: ``true``, ``false``, ``left out``; empty if it must be given.
        ways: for ``any`` and ``one``: the parameters of each alternative, one or several together.
    """

    kind: Kind
    arguments: tuple[str, ...]
    condition: str = ""
    state: State = ""
    values: tuple[str, ...] = ()
    must: str = ""
    ways: Ways = ()
