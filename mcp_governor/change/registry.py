"""Every kind of change, declared once: its meaning for a client, its mirrors, its defaults, an example.

The table in ARCHITECTURE.md ("A change kind") says which module has which. This module is how the rest of the project
asks for them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mcp_governor.change.behaviour_kinds import BEHAVIOUR_KINDS
from mcp_governor.change.manifest_kinds import MANIFEST_KINDS
from mcp_governor.change.schema_kinds import SCHEMA_KINDS
from mcp_governor.change.sibling_kinds import SIBLING_KINDS, SKILL_KINDS
from mcp_governor.change.surface_kinds import SERVER_KINDS, SURFACE_KINDS
from mcp_governor.change.vocabulary import Verdict
from mcp_governor.findings import Bump, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.change.kind_model import Kind


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
