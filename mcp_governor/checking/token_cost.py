"""The token cost of the tools, and its growth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcp_governor.surface.tokens import token_costs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface

GROWTH = "surface/token-growth"

MAX_TOOLS = 1_000
"""Maximum number of tools in a JSON report, the most expensive first; the sum is of all tools."""


class TokenCost(Struct, frozen=True):
    """Estimated token cost of the tools.

    Attributes:
        tools: name → tokens.
        before: the same for the baseline; ``None`` if there is none.
        renamed: name → former name of tools that are the same as before under another name.
    """

    tools: Mapping[str, int]
    before: Mapping[str, int] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Total number of tokens."""
        return sum(self.tools.values())

    @property
    def growth(self) -> int | None:
        """Additional tokens compared with the baseline; ``None`` without one."""
        return None if self.before is None else self.total - sum(self.before.values())

    def before_of(self, tool: str) -> int | None:
        """Tokens of a tool in the baseline, under its former name if it has a new one; ``None`` for a new tool."""
        return None if self.before is None else self.before.get(tool, self.before.get(self.renamed.get(tool, "")))

    def growth_of(self, tool: str) -> int | None:
        """Additional tokens of a tool compared with the baseline, all of them for a new tool; ``None`` without a
        baseline."""
        return None if self.before is None else self.tools[tool] - (self.before_of(tool) or 0)

    def grown(self) -> list[str]:
        """The tools with additional tokens, those with the most first; new ones are among them."""
        grown = {name: self.growth_of(name) or 0 for name in self.tools}
        return sorted((name for name in grown if grown[name] > 0), key=lambda name: (-grown[name], name))

    def dearest(self, most: int) -> list[str]:
        """The most expensive tools, in that order."""
        return sorted(self.tools, key=lambda name: (-self.tools[name], name))[:most]


def token_cost(surface: Surface, baseline: Surface | None, changes: Iterable[Change] = ()) -> TokenCost | None:
    """The cost of the tools, compared with a baseline if there is one; ``None`` for a surface without tools."""
    if not surface.tools:
        return None
    before = token_costs(baseline) if baseline is not None else None
    return TokenCost(token_costs(surface), before, former_names(changes))


def former_names(changes: Iterable[Change]) -> dict[str, str]:
    """Name → former name of the tools that were renamed."""
    return {
        change.facts.successor: change.tool
        for change in changes
        if change.kind == "tool-renamed" and change.tool is not None and change.facts.successor is not None
    }


def growth_findings(surface: Surface, baseline: Surface, selection: Selection) -> Iterator[Finding]:
    """Findings about tools, and their sum, that grew by more than the ratio of the rule, if it is selected."""
    from mcp_governor.rules.finding import finding

    active = selection.get(GROWTH)
    if active is None:
        return
    now, before = token_costs(surface), token_costs(baseline)
    ratio, least = active.options["ratio"], active.options["least"]
    compared: list[tuple[str | None, int, int]] = [
        (name, tokens, before[name]) for name, tokens in now.items() if name in before
    ]
    compared.append((None, sum(now.values()), sum(before.values())))
    for tool, tokens, old in compared:
        if tokens - old >= least and tokens > ratio * old:
            yield finding(
                active.rule,
                "" if tool is not None else "/tools",
                says="" if tool is not None else "all",
                tool=tool,
                value=tokens,
                tokens=tokens,
                before=old,
                ratio=ratio,
            )
