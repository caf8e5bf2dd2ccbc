"""One localised edit of a schema, and the questions asked about it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from mcp_governor.change.identity import Identities
from mcp_governor.change.model import MISSING, Level, Side
from mcp_governor.change.reading import Reading, conjunction, render, stand_ins
from mcp_governor.containment import Containment, contains

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.node import Document, Node

    Stead = tuple[Node, Node]

YES = Containment("yes")
_PATIENCE = 10
"""How many questions of one comparison may come to their deadline."""


@dataclass(eq=False, repr=False, slots=True)
class Edit:
    """One difference between two schemas, before its verdict.

    Attributes:
        family: what was edited: ``bound``, ``enum``, ``argument`` …; with the direction it gives the kind.
        path: pointer into the schema document, the new one's except for what was removed.
        old, new: the values before and after, ``MISSING`` where there is none.
        forward: does every client that worked still work (by containment alone)?
        backward: the same question with the two schemas exchanged: ``yes`` both ways is no change.
        with_it: a node of the old document, and what to see in its stead to have this edit and no other; ``None``
            where it cannot be singled out.
        without_it: a node of the new document, and what to see in its stead to have every edit but this one;
            ``None`` as above.
        kind: the kind, where the family does not need a direction.
        name: the property, where the edit is about one.
        note: what the policy needs to know: ``required``, ``default``, ``closed``, ``declares``, ``explicit``.
        trusted: what holds at its place holds for the whole document.
        trail: the properties on the way to it, whatever ``$ref`` lies between: ``/error/kind``.
    """

    family: str
    path: str
    old: Any = MISSING
    new: Any = MISSING
    forward: Containment = YES
    backward: Containment = YES
    with_it: Stead | None = None
    without_it: Stead | None = None
    kind: str | None = None
    name: str = ""
    note: frozenset[str] = frozenset()
    trusted: bool = True
    trail: str = ""

    @property
    def is_set_change(self) -> bool:
        """Whether it changes which instances are accepted, as far as is known."""
        return self.forward.verdict != "yes" or self.backward.verdict != "yes"

    @property
    def needs_direction(self) -> bool:
        """Whether its kind, or whether it is one at all, depends on what containment says in both directions."""
        return self.kind in (None, "argument-optional", "argument-required")

    @property
    def is_change(self) -> bool:
        """Whether there is anything to tell: a declared key, a default or openness is, whatever containment says."""
        return self.is_set_change or not self.needs_direction


class Questions:
    """Containment questions about two documents, in the reading that a level and a side call for.

    Args:
        old, new: the two documents.
        side: input or output.
        level: declared or strict.
        deadline: seconds per question; all of them together may take ten times as long.
    """

    def __init__(self, old: Document, new: Document, side: Side, level: Level, deadline: float) -> None:
        self.old = old
        self.new = new
        self.side = side
        self.level = level
        self.deadline = deadline
        self._left = _PATIENCE * deadline
        self.unreadable = next((node.opaque for node in (*new.opaque, *old.opaque)), "")
        self._identities = Identities()

    def both(self, old: Node, new: Node, *, root: bool = False) -> tuple[Containment, Containment]:
        """Forward and backward for two nodes."""
        return self.forward(old, new, root=root), self.backward(old, new, root=root)

    def backward(self, old: Node, new: Node, *, root: bool = False) -> Containment:
        """The opposite of :meth:`forward`, without a witness: it tells what is compatible, and proves no break."""
        return self.forward(new, old, root=root, witness=False)

    def forward(self, old: Node, new: Node, *, root: bool = False, witness: bool = True) -> Containment:
        """Whether ``new`` keeps what ``old`` promised: takes what it took, answers only what it answered."""
        return self._in_time(lambda: self._forward(old, new, root=root, witness=witness))

    def _forward(self, old: Node, new: Node, *, root: bool, witness: bool) -> Containment:
        closed, opened = self._readings()
        if self.side is Side.INPUT:
            outer = render(new)
            inner = render(old, closed, arguments=root)
        else:
            outer = render(old, opened)
            inner = render(new, closed)
        return self._ask(outer, inner, witness=witness)

    def _ask(self, outer: Any, inner: Any, *, witness: bool = True) -> Containment:
        """The answer, as far as it does not hang on a part that cannot be read and that only one side has."""
        answer = contains(outer, inner, deadline=self.deadline, witness=witness or bool(self.unreadable))
        if not self.unreadable:
            return answer
        theirs, ours = stand_ins(outer), stand_ins(inner)
        if theirs == ours:
            return answer
        shown = stand_ins(answer.witness) if answer.has_witness else ours
        if answer.verdict == "no" and not theirs - ours and not shown:
            return answer
        return Containment("unknown", reason=self.unreadable)

    def accepts_anything(self, node: Node) -> bool:
        """Whether a node is the schema ``true`` in some spelling."""
        return self.covers(render(node), True)

    def covers(self, outer: Any, inner: Any) -> bool:
        """Whether one schema surely accepts all that another does."""
        answer = self._in_time(lambda: contains(outer, inner, deadline=self.deadline, witness=False))
        return answer.verdict == "yes"

    def _in_time(self, ask: Callable[[], Containment]) -> Containment:
        """The answer, as long as all the questions together have not taken too long."""
        if self._left <= 0:
            return Containment("unknown", reason="there is more to compare than its deadline allows")
        start = time.monotonic()
        answer = ask()
        self._left -= time.monotonic() - start
        return answer

    def whole(self) -> tuple[Containment, Containment]:
        """Forward and backward for the documents."""
        return self.both(self.old.root, self.new.root, root=True)

    def alone(self, edit: Edit) -> Containment | None:
        """Forward with one edit alone, ``None`` where it cannot be singled out.

        An input asks the old document with the edit, an output the new one without it: so the witness of an input
        is a call that was valid, and that of an output an answer that is possible now.
        """
        place = edit.with_it if self.side is Side.INPUT else edit.without_it
        return None if place is None else self._in_time(lambda: self._ask(*self._alone(place)))

    def _alone(self, place: Stead) -> tuple[Any, Any]:
        closed, opened = self._readings()
        replaced = dict([place])
        if self.side is Side.INPUT:
            return render(self.old.root, replaced=replaced), render(self.old.root, closed, arguments=True)
        return render(self.new.root, opened, replaced=replaced), render(self.new.root, closed)

    def _readings(self) -> tuple[Reading, Reading]:
        """How the narrower and the wider schema of a question are read."""
        strict = self.level is Level.STRICT
        return (Reading.RAW, Reading.RAW) if strict else (Reading.CLOSED, Reading.OPENED)

    def decisive(self, edit: Edit) -> Containment | None:
        """A break that hangs on this edit and on no other, if there is one; ``None`` where it cannot be asked.

        Its witness breaks, and would not if this one edit were undone.
        """
        if edit.with_it is None or edit.without_it is None:
            return None
        outer, inner = self._decisive(edit.with_it, edit.without_it)
        known = edit.forward
        if known.has_witness and _accepts(inner, known.witness) is True and _accepts(outer, known.witness) is False:
            return known
        return self._in_time(lambda: self._ask(outer, inner))

    def _decisive(self, with_it: Stead, without_it: Stead) -> tuple[Any, Any]:
        closed, opened = self._readings()
        if self.side is Side.INPUT:
            promised = render(self.old.root, closed, arguments=True)
            spared = render(self.new.root, replaced=dict([without_it]), definition="e")
            return render(self.new.root), conjunction(promised, spared)
        possible = render(self.new.root, closed)
        allowed = render(self.old.root, opened, replaced=dict([with_it]), definition="e")
        return render(self.old.root, opened), conjunction(possible, allowed)

    def equal(self) -> bool:
        """Whether the two documents surely accept the same instances. Then they mean the same in every reading: a
        closed one accepts fewer, an opened one more."""
        old, new = render(self.old.root), render(self.new.root)
        return self.covers(old, new) and self.covers(new, old)

    def signature(self, node: Node) -> int:
        """A number that two nodes share where they say the same; wording apart, names of ``$defs`` apart."""
        return self._identities.of(node)


def _accepts(schema: Any, value: Any) -> bool | None:
    """Whether a rendered schema accepts a value, ``None`` where no validator can tell."""
    try:
        return jsonschema_rs.is_valid(schema, value, validate_formats=False, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None
