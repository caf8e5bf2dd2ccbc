"""One local edit of a schema, and the containment questions about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_governor.change.budget import MAX_RENDERED, OverBudgetError
from mcp_governor.change.graph import Identities, SchemaNode
from mcp_governor.change.partial_schemas import WHOLE, Slicer, Step, lifted, way_to
from mcp_governor.change.reading import Reading, conjunction, render, stand_ins
from mcp_governor.change.vocabulary import MISSING, Level, Side
from mcp_governor.containment import Containment, contains
from mcp_governor.containment.validating import Validating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.change.budget import Budget
    from mcp_governor.change.graph import Graph
    from mcp_governor.change.partial_schemas import Replacement, Slice, Way
    from mcp_governor.change.partial_schemas import Side as Which

YES = Containment("yes")
_MAX_SHARPENED = 2_000_000
"""Maximum number of schema parts rendered to find a witness for each break that depends on that edit alone: some ten
seconds of work. Beyond it, a break keeps its current witness, and anything undecided stays unknown."""
_MAX_KEPT = 100_000
"""Maximum size of a document, in parts, whose readings are cached: some 20 MB each, at most four of them. Larger ones
are rendered for each question."""


@dataclass(eq=False, repr=False, slots=True)
class Edit:
    """One difference between two schemas, before its verdict.

    Attributes:
        family: what was edited: ``bound``, ``enum``, ``argument`` …; together with the direction it determines the
            kind.
        path: pointer into the new schema document, or into the old one for something that was removed.
        old, new: the values before and after; ``MISSING`` if there is none.
        forward: every client that worked still works (by containment alone).
        backward: the same with the two schemas exchanged; ``yes`` both ways means no change.
        with_it: a node of the old document, and its replacement to get this edit and no other; ``None`` if the edit
            cannot be isolated.
        without_it: a node of the new document, and its replacement to get every edit but this one; ``None`` as above.
        settled: it was decided for the whole documents, so a "no" stands even if the comparison stops.
        exact: each of the two nodes has one alternative, so that the answer for its own place is one for the nodes.
        step: how the walk reached the node.
        homes: pointers to the two alternatives of the node that contain it.
        here: asks again about the effect at its own place, with a witness.
        names: the properties that it concerns, by their old and new names.
        kind: the kind, if the family does not need a direction.
        name: the property, if the edit concerns one.
        note: facts for the policy: ``required``, ``default``, ``closed``, ``declares``, ``explicit``, ``bare`` (a root
            without properties), ``stated`` (the description gives the default), ``typed`` (undeclared keys
            had a schema).
        trusted: a result for its place also holds for the whole document.
        case: where it applies, if only to some alternatives: ``where `action` is "create"``.
        trail: the properties on the path to it, regardless of any ``$ref`` in between: ``/error/kind``.
    """

    family: str
    path: str
    old: Any = MISSING
    new: Any = MISSING
    forward: Containment = YES
    backward: Containment = YES
    with_it: Replacement | None = None
    without_it: Replacement | None = None
    kind: str | None = None
    name: str = ""
    case: str = ""
    note: frozenset[str] = frozenset()
    trusted: bool = True
    trail: str = ""
    step: Step | None = None
    names: tuple[str, ...] = ()
    settled: bool = False
    exact: bool = False
    homes: tuple[str, str] = ("", "")
    here: Callable[[], Containment] | None = None

    @property
    def is_set_change(self) -> bool:
        """True if it changes which instances are accepted, as far as known."""
        return self.forward.verdict != "yes" or self.backward.verdict != "yes"

    @property
    def needs_direction(self) -> bool:
        """True if its kind, or if it is an edit at all, depends on containment in both directions."""
        return self.kind in (None, "argument-optional", "argument-required")

    @property
    def is_change(self) -> bool:
        """True if there is something to report: a change of a declared key, a default or openness always is."""
        return self.is_set_change or not self.needs_direction


class Questions:
    """Containment questions about two documents, in the reading for a level and a side.

    The *promising* document says which values come, what callers send by the old one or servers return by the new one;
    the *receiving* one says which are taken.

    Args:
        old, new: the two documents.
        side: input or output.
        level: declared or strict.
        deadline: seconds per question.
        budget: of the whole comparison.
        assert_formats: the documents were parsed with formats as assertions.
    """

    def __init__(
        self,
        old: Graph,
        new: Graph,
        side: Side,
        level: Level,
        *,
        deadline: float,
        budget: Budget,
        assert_formats: bool = False,
    ) -> None:
        self.assert_formats = assert_formats
        self._hinting = False
        self.old = old
        self.new = new
        self.side = side
        self.deadline = deadline
        self.budget = budget
        # In the declared reading, nobody sends undeclared keys, and readers tolerate more: see `change.reading`.
        strict = level is Level.STRICT
        self._inputs = side is Side.INPUT
        self._closed = Reading.RAW if strict else Reading.CLOSED
        self._opened = Reading.RAW if strict or self._inputs else Reading.OPENED
        self._promising, self._receiving = (old.root, new.root) if self._inputs else (new.root, old.root)
        self.unreadable = next((node.opaque for node in (*new.opaque, *old.opaque)), "")
        self._rendered = 0
        self._sharpened = 0
        self._identities = Identities(budget.spend)
        self._slicer = Slicer()
        self._inhabited: dict[SchemaNode, bool] = {}
        self._documents: dict[tuple[SchemaNode, Reading, bool, bool], tuple[Any, int]] = {}
        self._validators: dict[tuple[SchemaNode, Reading], Validating] = {}

    def both(self, old: SchemaNode, new: SchemaNode, *, root: bool = False) -> tuple[Containment, Containment]:
        """Forward and backward for two nodes."""
        return self.forward(old, new, root=root), self.backward(old, new, root=root)

    def backward(self, old: SchemaNode, new: SchemaNode, *, root: bool = False) -> Containment:
        """The opposite of :meth:`forward`, without a witness: it shows compatibility and proves no break."""
        return self.forward(new, old, root=root, witness=False)

    def forward(self, old: SchemaNode, new: SchemaNode, *, root: bool = False, witness: bool = True) -> Containment:
        """Decide if ``new`` keeps the promise of ``old``: it accepts the same input, and produces no other output."""
        return self._in_time(lambda: self._forward(old, new, root=root, witness=witness))

    def _forward(self, old: SchemaNode, new: SchemaNode, *, root: bool, witness: bool) -> Containment:
        wider, narrower = (new, old) if self._inputs else (old, new)
        return self._ask(lambda: (self._wide(wider), self._narrow(narrower, root=root)), witness=witness)

    def _wide(self, node: SchemaNode, **more: Any) -> Any:
        """A node as the wider schema of a question."""
        return self._render(node, self._opened, **more)

    def _narrow(self, node: SchemaNode, *, root: bool = True, **more: Any) -> Any:
        """A node as the narrower schema of a question; by default the root of a document."""
        return self._render(node, self._closed, arguments=root and self._inputs, **more)

    def _render(self, node: SchemaNode, reading: Reading = Reading.RAW, *, arguments: bool = False, **more: Any) -> Any:
        """The node in a reading. Readings of whole documents, which every edit needs, are rendered once."""
        key = (node, reading, arguments, self._hinting)
        whole = node in (self.old.root, self.new.root) and not any(more.values())
        if whole and key in self._documents:
            schema, parts = self._documents[key]
            self._measure(parts)
            return schema
        before = self._rendered
        schema = render(node, reading, arguments=arguments, hints=self._hinting, spend=self._count, **more)
        parts = self._rendered - before
        if whole and parts <= _MAX_KEPT:
            self._documents[key] = schema, parts
        return schema

    def _count(self, work: int) -> None:
        self.budget.spend(work)
        self._measure(work)

    def _measure(self, parts: int) -> None:
        """Record the size of a question, even if its schemas are cached."""
        self._rendered += parts
        if self._rendered > MAX_RENDERED:
            raise _TooLargeError

    def keep(self, parts: int) -> None:
        """Count the values in a change before it is created.

        Raises:
            OverBudgetError: the changes contain too many values, or the budget is used up.
        """
        self.budget.spend(parts)
        self.budget.keep(parts)

    def _ask(self, schemas: Callable[[], tuple[Any, Any]], *, witness: bool = True) -> Containment:
        """The answer, unless it depends on an unreadable part that only one side has."""
        # Only the witness of a "no" shows if it depends on an unreadable part.
        witness = witness or bool(self.unreadable)
        self._hinting = witness and (self.old.suggests or self.new.suggests)
        try:
            outer, inner = schemas()
        finally:
            hinted, self._hinting = self._hinting, False
        answer = contains(outer, inner, deadline=self.deadline, witness=witness)
        if hinted and answer.verdict == "unknown":
            # Without what the authors suggest, more of the two schemas is the same text.
            outer, inner = schemas()
            answer = contains(outer, inner, deadline=self.deadline, witness=witness)
        if not self.unreadable:
            return answer
        theirs, ours = stand_ins(outer), stand_ins(inner)
        if theirs == ours:
            return answer
        shown = stand_ins(answer.witness) if answer.has_witness else ours
        if answer.verdict == "no" and not theirs - ours and not shown:
            return answer
        return Containment("unknown", reason=self.unreadable)

    def accepted(self, node: SchemaNode, values: Sequence[Any]) -> list[bool | None]:
        """If a node accepts each of some values; ``None`` where that is unknown, or beyond the budget."""
        if self.budget.over():
            return [None] * len(values)
        self._rendered = 0
        try:
            validator = Validating(self._render(node))
            self.budget.spend(len(values))
        except (_TooLargeError, OverBudgetError):
            return [None] * len(values)
        return [validator.accepts(value) for value in values]

    def takes_member(self, node: SchemaNode, name: str, value: Any) -> bool | None:
        """If a node accepts some object in which a member has this value; ``None`` where that is unknown."""
        never = {"not": {"type": "object", "required": [name], "properties": {name: {"const": value}}}}
        answer = self._in_time(lambda: contains(never, self._render(node), deadline=self.deadline, witness=False))
        return {"yes": False, "no": True}.get(answer.verdict)

    def covers(self, outer: Any, inner: Any) -> bool:
        """True if a node or a schema certainly accepts every instance that another one does."""

        def schemas() -> list[Any]:
            return [self._render(one) if isinstance(one, SchemaNode) else one for one in (outer, inner)]

        return self._in_time(lambda: contains(*schemas(), deadline=self.deadline, witness=False)).verdict == "yes"

    def _in_time(self, ask: Callable[[], Containment]) -> Containment:
        """The answer, as long as all questions together are within the budget."""
        enough = self.budget.over()
        if enough:
            return Containment("unknown", reason=enough)
        self._rendered = 0
        try:
            return ask()
        except _TooLargeError:
            return Containment(
                "unknown", reason=f"with references expanded, they have more than {MAX_RENDERED:,} parts"
            )

    def whole(self) -> tuple[Containment, Containment]:
        """Forward and backward for the documents."""
        return self.both(self.old.root, self.new.root, root=True)

    def alone(self, edit: Edit, *, witness: bool = True) -> Containment | None:
        """Forward with this edit alone; ``None`` if it cannot be isolated.

        For an input, compares the old document with the same one plus the edit; for an output, the new one with the
        same one minus the edit. So the witness for an input is a call that was valid, and that for an output is a
        response that is possible now.
        """
        place = edit.with_it if self._inputs else edit.without_it
        if place is None:
            return None
        asked: Which = "old" if self._inputs else "new"
        cut = self._cut(edit, asked)
        # It breaks at its own place, and some value gets there, so it breaks the document without another search.
        if not witness and edit.exact and edit.forward.verdict == "no" and cut.plain and self._is_reached(edit, asked):
            return edit.forward
        return self._in_time(lambda: self._sliced(cut, lambda cut: self._alone(place, cut), witness=witness))

    def is_kept(self, witness: Any) -> bool:
        """True if the documents keep their promise for a value that an edit alone breaks."""
        receiving = self._receiving, self._opened
        return self._in_time(lambda: _held(self._validator(*receiving).accepts(witness))).verdict == "yes"

    def without(self, others: Iterable[Edit]) -> Containment:
        """Forward between the documents, as far as some edits do not decide it."""
        undone = WHOLE.replaced(*(place for place in map(self._undone, others) if place is not None))
        return self._in_time(
            lambda: self._ask(lambda: (self._wide(self._receiving, replaced=undone), self._narrow(self._promising)))
        )

    def _undone(self, edit: Edit) -> Replacement | None:
        """What makes the receiving document take what it would without an edit."""
        return edit.without_it if self._inputs else edit.with_it

    def _is_reached(self, edit: Edit, document: Which) -> bool:
        """True if some instance of a document has a part at the place of an edit, provided that the path there is
        plain, so that any value that the node accepts can be there."""
        step = edit.step and edit.step.outer
        while step is not None:
            node: SchemaNode = getattr(step, document)
            if node not in self._inhabited:
                cut = self._slicer.cut(step, (), document)
                asked = self._in_time(
                    lambda node=node, cut=cut: self._ask(  # type: ignore[misc]
                        lambda: (False, self._narrow(node, root=False, replaced=cut.replaced())), witness=False
                    )
                )
                self._inhabited[node] = asked.verdict == "no"
            if not self._inhabited[node]:
                return False
            step = step.outer
        return True

    def _cut(self, edit: Edit, *documents: Which) -> Slice:
        return self._slicer.cut(edit.step, edit.names, *documents)

    def _alone(self, place: Replacement, cut: Slice) -> tuple[Any, Any]:
        wider = self._wide(self._promising, replaced=cut.replaced(place))
        return wider, self._narrow(self._promising, replaced=cut.replaced())

    def _sliced(self, cut: Slice, schemas: Callable[[Slice], tuple[Any, Any]], *, witness: bool = True) -> Containment:
        """The answer for the documents, from the parts that an edit touches if these are enough."""
        if cut.keeps:
            answer = self._ask(lambda: schemas(cut), witness=witness or not cut.plain)
            # A break of a slice is a break of the documents if its witness uses nothing that was left out, or if no
            # keyword could see the difference. A "yes" for a slice proves nothing about them.
            if (answer.has_witness and not cut.hides(answer.witness)) or (cut.plain and answer.verdict == "no"):
                return answer
        return self._ask(lambda: schemas(WHOLE), witness=witness)

    def decisive(self, edit: Edit) -> Containment | None:
        """A break that depends on this edit alone, if there is one; ``None`` if it cannot be decided within the budget.

        Its witness breaks, and would not break if this one edit were undone.
        """
        undone = self._undone(edit)
        if edit.with_it is None or undone is None or self._sharpened > _MAX_SHARPENED:
            return None
        answer = self._in_time(lambda: self._decide(edit, undone))
        self._sharpened += self._rendered
        return answer

    def _decide(self, edit: Edit, undone: Replacement) -> Containment:
        known = edit.forward
        cut = self._cut(edit, "old", "new")
        witness = known.witness
        if known.has_witness and not cut.hides(witness) and self._depends_on(witness, undone, cut):
            return known
        return self._sliced(cut, lambda cut: self._decisive(undone, cut))

    def lifted(self, edit: Edit) -> Containment | None:
        """A break that depends on this edit alone, constructed from its effect at its own place; ``None`` if there is
        none, or if it breaks in another way. For documents that are too large to search."""
        undone, here = self._undone(edit), edit.here
        if edit.with_it is None or undone is None or here is None or self._sharpened > _MAX_SHARPENED:
            return None
        local = here()
        if not local.has_witness:
            return None
        answer = self._in_time(lambda: self._lift(local.witness, edit, undone))
        self._sharpened += self._rendered
        return answer if answer.has_witness else None

    def _lift(self, value: Any, edit: Edit, undone: Replacement) -> Containment:
        inner: Which = "old" if self._inputs else "new"
        outer: Which = "new" if self._inputs else "old"
        way, other = (way_to(edit.step, edit.homes[which == "new"], which) for which in (inner, outer))
        cut = self._cut(edit, "old", "new")
        witness = lifted(value, way, lambda node: self._sample(node, way, inner))
        narrow = {**cut.replaced(), **way.narrowed}
        spared = cut.replaced(undone)
        if not other.one_of:
            spared = {**other.narrowed, **spared}
        # The value was constructed, not found by a search, so every property of a witness is checked.
        holds = (
            not cut.hides(witness)
            and self._validator(self._promising, Reading.RAW).accepts(witness) is True
            and self._validator(self._receiving, self._opened).accepts(witness) is False
            and _accepts(self._narrow(self._promising, replaced=narrow), witness)
            and _accepts(self._wide(self._receiving, replaced=spared), witness)
        )
        return Containment("no", witness, has_witness=True) if holds else Containment("unknown")

    def _sample(self, node: SchemaNode, way: Way, document: Which) -> Any:
        """A small value for a node on the path to an edit; ``None`` if there is none."""
        cut = self._slicer.cut(Step(None, node, node), (), document)
        replaced = {**cut.replaced(), **way.narrowed}
        return self._ask(lambda: (False, self._narrow(node, root=False, replaced=replaced))).witness

    def _depends_on(self, witness: Any, undone: Replacement, cut: Slice) -> bool:
        """True if a witness breaks, and would not break if one edit were undone."""
        promising = self._validator(self._promising, self._closed)
        receiving = self._validator(self._receiving, self._opened)
        spared = self._wide(self._receiving, replaced=cut.replaced(undone))
        return promising.accepts(witness) is True and receiving.accepts(witness) is False and _accepts(spared, witness)

    def _validator(self, root: SchemaNode, reading: Reading) -> Validating:
        key = (root, reading)
        if key not in self._validators:
            arguments = self._inputs and reading is Reading.CLOSED
            self._validators[key] = Validating(self._render(root, reading, arguments=arguments), foreign=True)
        return self._validators[key]

    def _decisive(self, undone: Replacement, cut: Slice) -> tuple[Any, Any]:
        rest = cut.replaced()
        promised = self._narrow(self._promising, replaced=rest)
        spared = self._wide(self._receiving, replaced=cut.replaced(undone), definition="e")
        return self._wide(self._receiving, replaced=rest), conjunction(promised, spared)

    def equal(self) -> bool | None:
        """If the two documents accept the same instances; ``None`` if that is unknown. If they do, they agree in every
        reading: a closed one accepts fewer, an opened one more."""

        def rendered(*nodes: SchemaNode) -> Any:
            return tuple(map(self._render, nodes))

        roots = self.old.root, self.new.root
        verdicts = {
            self._in_time(partial(self._ask, partial(rendered, *order), witness=False)).verdict
            for order in (roots, reversed(roots))
        }
        return False if "no" in verdicts else (None if "unknown" in verdicts else True)

    def signature(self, node: SchemaNode) -> int:
        """A number that is equal for nodes with the same content, apart from wording and the names in ``$defs``."""
        return self._identities.of(node)


def _held(accepted: bool | None) -> Containment:
    return YES if accepted else Containment("unknown")


def _accepts(schema: Any, value: Any) -> bool:
    return Validating(schema, foreign=True).accepts(value) is True


class _TooLargeError(Exception):
    """One question is too large to answer."""
