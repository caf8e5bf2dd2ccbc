"""One difference between two surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.change.facts import NO_FACTS, Facts, names_on
from mcp_governor.change.registry import catalogue, required_bump
from mcp_governor.change.vocabulary import MISSING, Level, Side, Verdict, value_or_none
from mcp_governor.findings import Bump, Tier, value_hash
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change.kind_model import Kind
    from mcp_governor.change.wording import Words


def make(
    kind: str,
    tool: str | None,
    path: str,
    *,
    verdict: Verdict | None = None,
    side: Side | None = None,
    tier: Tier = Tier.STANDARD,
    level: Level = Level.DECLARED,
    old: Any = MISSING,
    new: Any = MISSING,
    facts: Facts = NO_FACTS,
    reason: str = "",
    witness: Any = MISSING,
) -> Change:
    """Create a change with the version step that it requires.

    Args:
        kind: its name in the catalogue.
        tool, path, tier, level, reason: as in :class:`Change`.
        verdict, side: by default those of the kind.
        old, new, witness: ``MISSING`` if there is none.
        facts: without ``fields``, the names in the path are the subject of a change to a tool.

    Raises:
        KeyError: there is no such kind.
    """
    meaning = catalogue()[kind]
    verdict = verdict or meaning.verdict
    if tool is not None and not facts.fields and (names := names_on(path)):
        facts = replace(facts, fields=names)
    return Change(
        kind=kind,
        tool=tool,
        path=path,
        side=side or meaning.side,
        verdict=verdict,
        bump=required_bump(verdict, kind, tier),
        facts=facts,
        tier=tier,
        level=level,
        old=value_or_none(old),
        new=value_or_none(new),
        has_old=old is not MISSING,
        has_new=new is not MISSING,
        witness=value_or_none(witness),
        has_witness=witness is not MISSING,
        reason=reason,
    )


class Change(Struct, frozen=True):
    """One difference, with its direction, its place and its verdict. Its kind and its facts determine its messages.

    Attributes:
        kind: a name of the change catalogue (``argument-required``, …).
        tool: the tool's name (the old one for a rename); ``None`` for changes to the surface.
        path: JSON pointer, relative to the tool (``/inputSchema/properties/q``), following ``$ref`` to the edit;
            relative to the surface document if ``tool`` is ``None``.
        side, verdict, level: see the enums.
        tier: tier of the tool whose promise is affected (the old tool's, or the new tool's for an addition).
        bump: the smallest version step that this change requires, for its tier.
        facts: its subject, as data.
        old, new: the values before and after at ``path``; only meaningful with ``has_old`` and ``has_new``.
        has_old, has_new: distinguish a missing value from the value ``null``.
        witness: a JSON value that proves the break; only meaningful with ``has_witness``. It is a statement about
            schemas, not about what the server does: for an input, a whole arguments object that was valid before and is
            invalid now; for an output, a result that is possible now and was not before.
        has_witness: distinguishes a missing witness from the witness ``null``.
        reason: for ``unknown``, why it could not be decided.
    """

    kind: str
    tool: str | None
    path: str
    side: Side
    verdict: Verdict
    bump: Bump
    facts: Facts = NO_FACTS
    tier: Tier = Tier.STANDARD
    level: Level = Level.DECLARED
    old: Any = None
    new: Any = None
    has_old: bool = False
    has_new: bool = False
    witness: Any = None
    has_witness: bool = False
    reason: str = ""

    @property
    def id(self) -> str:
        """``kind:tool:pointer:hash``: independent of wording, and tied to the values before and after."""
        return f"{self.kind}:{self.tool or '-'}:{self.path or '/'}:{value_hash([self.old, self.new])}"

    @property
    def meaning(self) -> Kind:
        """The catalogue entry of its kind."""
        from mcp_governor.change.registry import catalogue

        return catalogue()[self.kind]

    @property
    def wording(self) -> bool:
        """True if it changes only words or spelling, on which no client relies."""
        return self.verdict is Verdict.COMPATIBLE and self.meaning.wording

    @property
    def message(self) -> str:
        """One sentence for a report, safe to print, without a capital at the start or a full stop at the end."""
        return self._words.report()

    @property
    def full_message(self) -> str:
        """:attr:`message`, preceded by the tool if it does not name it."""
        named = self.tool is None or self._words.names_the_tool()
        return self.message if named else f"{one_line(self.tool or '', 80)}: {self.message}"

    def entry(self, *, replacement: str | None = None, tools: Sequence[str] = ()) -> str:
        """The entry for a changelog, without its bullet; tools and fields are in backticks.

        Args:
            replacement: the tool to use instead of a removed one; empty if there is no replacement.
            tools: all tools with the very same change, for one entry about all of them.
        """
        return self._words.entry(tools, replacement)

    @property
    def _words(self) -> Words:
        from mcp_governor.change.wording import Words

        old, new = self.old if self.has_old else MISSING, self.new if self.has_new else MISSING
        return Words(self.meaning, self.tool, self.path, self.facts, old=old, new=new, reason=self.reason)
