"""Which schemas a check can say something about, so that the engine does not ask it about all the others.

Most checks of schemas are about parameters with a description, or with a certain keyword. Asking each of them about
every schema took a fifth of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from mcp_governor.prose.passages import has_passages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from mcp_governor.rules.selection import ActiveRule
    from mcp_governor.subjects.context import Check, Context, Facts, SchemaPlace

Runner = tuple["ActiveRule", "Check", "Context"]
"""A rule with its check and what the check is given."""

_Marked = TypeVar("_Marked", bound="Callable[..., Any]")


class Scope(Struct, frozen=True):
    """The schemas that a check is about.

    Attributes:
        argument: only the schema objects of parameters.
        described: only parameters with a description, their own or an entry in the tool's.
        keys: only schemas with one of these keywords; all, if there are none.
        types: only these types, for a schema that names one type and has no reference or union.
    """

    argument: bool = False
    described: bool = False
    keys: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    def covers(self, node: SchemaPlace, kind: str | None) -> bool:
        """True if the check may have something to say about a schema, apart from its description.

        Args:
            node: the schema.
            kind: its only type, if it is known.
        """
        if self.argument and (node.argument is None or not isinstance(node.schema, dict)):
            return False
        if self.keys and (not isinstance(node.schema, dict) or self.keys.isdisjoint(node.schema)):
            return False
        return not self.types or kind is None or kind in self.types


_EVERYTHING = Scope()


def about(
    *, argument: bool = False, described: bool = False, keys: Iterable[str] = (), types: Iterable[str] = ()
) -> Callable[[_Marked], _Marked]:
    """A decorator that gives a check its :class:`Scope`; ``described`` implies ``argument``.

    The check must have nothing to say outside it. A check without a scope is asked about every schema.
    """
    scope = Scope(argument or described, described, frozenset(keys), frozenset(types))

    def marked(check: _Marked) -> _Marked:
        vars(check)["scope"] = scope
        return check

    return marked


def scope_of(check: Check) -> Scope:
    """The scope of a check: everything, unless it is marked."""
    found: Scope = getattr(check, "scope", _EVERYTHING)
    return found


_LEADS_ON = frozenset({"$ref", "anyOf", "oneOf"})
"""Keywords with which the type of a schema may be given elsewhere."""


class _Planned(Struct, frozen=True):
    """The checks of all schemas that look the same to every scope: all of them, and those that need no description."""

    every: tuple[Runner, ...]
    plain: tuple[Runner, ...]


class Plan:
    """The checks for each schema of a surface.

    Args:
        runners: by side, ``inputSchema`` and ``outputSchema``.
        facts: of the surface.
    """

    def __init__(self, runners: Mapping[str, Collection[Runner]], facts: Facts) -> None:
        self.facts = facts
        self._runners = {side: [(scope_of(one[1]), one) for one in given] for side, given in runners.items()}
        scopes = [scope for given in self._runners.values() for scope, _ in given]
        self._keys = frozenset[str]().union(*(scope.keys for scope in scopes))
        self._planned: dict[tuple[Any, ...], _Planned] = {}

    def checks(self, node: SchemaPlace) -> tuple[Runner, ...]:
        """The checks that may have something to say about a schema."""
        schema = node.schema
        keys = self._keys.intersection(schema) if isinstance(schema, dict) else None
        named = schema.get("type") if isinstance(schema, dict) and _LEADS_ON.isdisjoint(schema) else None
        kind = named if isinstance(named, str) else None
        look = (node.side, node.argument is None, kind, keys)
        planned = self._planned.get(look)
        if planned is None:
            covering = [one for one in self._runners[node.side] if one[0].covers(node, kind)]
            plain = tuple(runner for scope, runner in covering if not scope.described)
            planned = self._planned[look] = _Planned(tuple(runner for _, runner in covering), plain)
        if len(planned.every) > len(planned.plain) and has_passages(node, self.facts):
            return planned.every
        return planned.plain
