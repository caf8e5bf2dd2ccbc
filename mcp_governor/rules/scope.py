"""Which schemas a check can say something about, so that the engine does not ask it about all the others.

Most checks of schemas are about parameters with a description, or with a certain keyword. Asking each of them about
every schema took a fifth of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mcp_governor.prose.passages import has_passages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from mcp_governor.rules.selection import ActiveRule
    from mcp_governor.subjects.context import Check, Context, Facts, SchemaPlace

Runner = tuple["ActiveRule", "Check", "Context"]
"""A rule with its check and what the check is given."""

_Marked = TypeVar("_Marked", bound="Callable[..., Any]")


class Scope(NamedTuple):
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
_MAX_KEYS = 20
"""Maximum number of keywords of a schema whose checks are remembered; hand-written ones have ten."""
_MAX_FORMS = 2_000
"""Maximum number of remembered sets of keywords, 1 MB; a server has a hundred."""


class Plan:
    """The checks for each schema of a surface.

    Schemas with the same keywords and the same type have the same checks, which are looked up once.

    Args:
        runners: by side, ``inputSchema`` and ``outputSchema``.
        facts: of the surface.
    """

    def __init__(self, runners: Mapping[str, Collection[Runner]], facts: Facts) -> None:
        self.facts = facts
        self._runners = {side: [(scope_of(one[1]), one) for one in given] for side, given in runners.items()}
        self._known: dict[tuple[str | bool | None, ...], tuple[Sequence[Runner], Sequence[Runner]]] = {}

    def checks(self, node: SchemaPlace) -> Sequence[Runner]:
        """The checks that may have something to say about a schema."""
        schema = node.schema
        if not isinstance(schema, dict) or len(schema) > _MAX_KEYS:
            plain, described = self._chosen(node, None)
        else:
            kind = schema.get("type")
            kind = kind if isinstance(kind, str) and _LEADS_ON.isdisjoint(schema) else None
            form = (node.side, node.argument is None, kind, *schema)
            known = self._known.get(form)
            if known is None:
                known = self._chosen(node, kind)
                if len(self._known) < _MAX_FORMS:
                    self._known[form] = known
            plain, described = known
        if not described or not has_passages(node, self.facts):
            return plain
        return [*plain, *described]

    def _chosen(self, node: SchemaPlace, kind: str | None) -> tuple[Sequence[Runner], Sequence[Runner]]:
        """The checks for schemas like this one, without a description and with one."""
        found = [(scope, runner) for scope, runner in self._runners[node.side] if scope.covers(node, kind)]
        return [one for scope, one in found if not scope.described], [one for scope, one in found if scope.described]
