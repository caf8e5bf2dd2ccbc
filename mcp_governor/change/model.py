"""One difference between two surfaces, and every kind of change, declared once.

The table in ARCHITECTURE.md ("A change kind") says which module has which kinds. This one is how the rest of the
project asks for them, and the only one that makes changes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.change.outside_kinds import BEHAVIOUR_KINDS, MANIFEST_KINDS
from mcp_governor.change.schema_kinds import SCHEMA_KINDS
from mcp_governor.change.sibling_kinds import SIBLING_KINDS, SKILL_KINDS
from mcp_governor.change.surface_kinds import SERVER_KINDS, SURFACE_KINDS
from mcp_governor.change.vocabulary import MISSING, NO_FACTS, Facts, Level, Side, names_on, value_or_none
from mcp_governor.findings import Bump, Tier, Verdict, value_hash
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.change.kind_model import Kind
    from mcp_governor.change.wording import Words


@cache
def catalogue() -> Mapping[str, Kind]:
    """All kinds by name, schema edits first."""
    surface = (*SURFACE_KINDS, *SIBLING_KINDS, *SKILL_KINDS, *SERVER_KINDS)
    return {kind.name: kind for kind in (*SCHEMA_KINDS, *surface, *BEHAVIOUR_KINDS, *MANIFEST_KINDS)}


def kind(name: str) -> Kind:
    """One kind.

    Raises:
        KeyError: there is no kind with this name.
    """
    return catalogue()[name]


def required_bump(verdict: Verdict, kind: str, tier: Tier = Tier.STANDARD) -> Bump:
    """The smallest version step that a change requires (surface governance, "Schema versioning rules").

    A break, or a possible break, requires a major step on the tiers ``facade`` and ``standard``, and a minor one on
    ``advanced``; ``internal`` promises nothing. Additions require a minor step, wording a patch. The policy handles
    version schemes before 1.0.0, and the deprecation that must come first.

    Args:
        verdict: what the change does to clients.
        kind: its name in the catalogue.
        tier: of the tool whose promise is affected.
    """
    if tier is Tier.INTERNAL:
        return Bump.NONE
    if verdict is not Verdict.COMPATIBLE:
        return Bump.MINOR if tier is Tier.ADVANCED else Bump.MAJOR
    usual = catalogue()[kind]
    return usual.bump if usual.verdict is Verdict.COMPATIBLE else Bump.MINOR


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
