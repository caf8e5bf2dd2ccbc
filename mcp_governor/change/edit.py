"""One localised edit of a schema, and the questions asked about it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_governor.change.identity import Identities
from mcp_governor.change.model import Level, Side
from mcp_governor.change.reading import Reading, render, stand_ins
from mcp_governor.containment import Containment, contains

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.node import Document, Node

YES = Containment("yes")
_PATIENCE = 10
"""How many questions of one comparison may come to their deadline."""


@dataclass(eq=False, repr=False, slots=True)
class Edit:
    """One difference between two schemas, before its verdict.

    Attributes:
        family: what was edited: ``bound``, ``enum``, ``argument`` …; with the direction it gives the kind.
        path: pointer into the schema document, the new one's except for what was removed.
        old, new: the values before and after.
        forward: does every client that worked still work (by containment alone)?
        backward: the same question with the two schemas exchanged: ``yes`` both ways is no change.
        place: a node, and what to see in its stead for this edit alone; ``None`` where it cannot be singled
            out.
        kind: the kind, where the family does not need a direction.
        name: the property, where the edit is about one.
        note: what the policy needs to know: ``required``, ``default``, ``closed``, ``declares``, ``explicit``.
        trusted: what holds at its place holds for the whole document.
        trail: the properties on the way to it, whatever ``$ref`` lies between: ``/error/kind``.
    """

    family: str
    path: str
    old: Any = None
    new: Any = None
    forward: Containment = YES
    backward: Containment = YES
    place: tuple[Node, Node] | None = None
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
        strict = self.level is Level.STRICT
        if self.side is Side.INPUT:
            reading = Reading.RAW if strict else Reading.CLOSED
            outer = render(new)
            inner = render(old, reading, arguments=root)
        else:
            outer = render(old, Reading.RAW if strict else Reading.OPENED)
            inner = render(new, Reading.RAW if strict else Reading.CLOSED)
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

        An input asks the old document with the edit, an output the new one without it (``Spot.place`` in
        :mod:`mcp_governor.change.walk` says why).
        """
        place = edit.place
        return None if place is None else self._in_time(lambda: self._alone(place))

    def _alone(self, place: tuple[Node, Node]) -> Containment:
        strict = self.level is Level.STRICT
        replaced = dict([place])
        closed = Reading.RAW if strict else Reading.CLOSED
        if self.side is Side.INPUT:
            outer = render(self.old.root, replaced=replaced)
            inner = render(self.old.root, closed, arguments=True)
        else:
            outer = render(self.new.root, Reading.RAW if strict else Reading.OPENED, replaced=replaced)
            inner = render(self.new.root, closed)
        return self._ask(outer, inner)

    def signature(self, node: Node) -> int:
        """A number that two nodes share where they say the same; wording apart, names of ``$defs`` apart."""
        return self._identities.of(node)
