"""One localised edit of a schema, and the questions asked about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_governor.change.model import Level, Side
from mcp_governor.change.reading import Reading, render
from mcp_governor.containment import Containment, contains
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.vocabulary import UNORDERED_KEYS

if TYPE_CHECKING:
    from mcp_governor.change.node import Document, Node

YES = Containment("yes")


@dataclass(eq=False, slots=True)
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
    def is_change(self) -> bool:
        """Whether there is anything to tell: a declared key, a default or openness is, whatever containment says."""
        return self.is_set_change or self.kind not in (None, "argument-optional", "argument-required")


class Questions:
    """Containment questions about two documents, in the reading that a level and a side call for.

    Args:
        old, new: the two documents.
        side: input or output.
        level: declared or strict.
        deadline: seconds per question.
    """

    def __init__(self, old: Document, new: Document, side: Side, level: Level, deadline: float) -> None:
        self.old = old
        self.new = new
        self.side = side
        self.level = level
        self.deadline = deadline
        self._signatures: dict[Node, str] = {}

    def both(self, old: Node, new: Node, *, root: bool = False) -> tuple[Containment, Containment]:
        """Forward and backward for two nodes."""
        return self.forward(old, new, root=root), self.forward(new, old, root=root)

    def forward(self, old: Node, new: Node, *, root: bool = False) -> Containment:
        """Whether ``new`` keeps what ``old`` promised: takes what it took, answers only what it answered."""
        strict = self.level is Level.STRICT
        if self.side is Side.INPUT:
            reading = Reading.RAW if strict else Reading.CLOSED
            outer = render(new)
            inner = render(old, reading, arguments=root)
        else:
            outer = render(old, Reading.RAW if strict else Reading.OPENED)
            inner = render(new, Reading.RAW if strict else Reading.CLOSED)
        return contains(outer, inner, deadline=self.deadline)

    def accepts_anything(self, node: Node) -> bool:
        """Whether a node is the schema ``true`` in some spelling."""
        return contains(render(node), True, deadline=self.deadline).verdict == "yes"

    def whole(self) -> tuple[Containment, Containment]:
        """Forward and backward for the documents."""
        return self.both(self.old.root, self.new.root, root=True)

    def alone(self, edit: Edit) -> Containment | None:
        """Forward with one edit alone, ``None`` where it cannot be singled out.

        An input asks the old document with the edit, an output the new one without it (``Spot.place`` in
        :mod:`mcp_governor.change.walk` says why).
        """
        if edit.place is None:
            return None
        strict = self.level is Level.STRICT
        replaced = dict([edit.place])
        closed = Reading.RAW if strict else Reading.CLOSED
        if self.side is Side.INPUT:
            outer = render(self.old.root, replaced=replaced)
            inner = render(self.old.root, closed, arguments=True)
        else:
            outer = render(self.new.root, Reading.RAW if strict else Reading.OPENED, replaced=replaced)
            inner = render(self.new.root, closed)
        return contains(outer, inner, deadline=self.deadline)

    def signature(self, node: Node) -> str:
        """A text that two nodes share only where they say the same; wording apart, names of ``$defs`` apart."""
        text = self._signatures.get(node)
        if text is None:
            text = self._signatures[node] = canonical_json(_sorted(render(node, noted=True)))
        return text


def _sorted(schema: Any) -> Any:
    """Order-free lists in one order. Values of ``enum`` and ``default`` may be sorted too: both sides are."""
    if isinstance(schema, dict):
        out = {key: _sorted(value) for key, value in schema.items()}
        for key in UNORDERED_KEYS & out.keys():
            if isinstance(out[key], list):
                out[key] = sorted(out[key], key=canonical_json)
        if isinstance(out.get("type"), list) and len(out["type"]) == 1:
            out["type"] = out["type"][0]
        return out
    if isinstance(schema, list):
        return [_sorted(item) for item in schema]
    return schema
