"""Which tools a run has seen a response of, and why not of the others: what a report may say about a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, field

from mcp_governor.config.model import CONFIGURED, NONE, SAFE
from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.call.cases import CallReport
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface

RULE = "call/no-response-checked"

UNHINTED, WRITES, DOUBTED = "no-read-only-hint", "writes", "contradicts-hint"
UNNAMED, NO_ARGUMENTS, RECORDING, OFF, TIME, GONE = (
    "not-configured",
    "no-arguments",
    "recording",
    "calls-off",
    "time-limit",
    "server-gone",
)
REFUSED, SILENT, ASKED = "arguments-refused", "no-response", "asked-back"
CALLED = (REFUSED, SILENT, ASKED)
"""Why there is no response of a tool that was called."""
WHYS = (UNHINTED, WRITES, DOUBTED, UNNAMED, NO_ARGUMENTS, RECORDING, OFF, TIME, GONE, *CALLED)
"""Every reason why there is no response of a tool, in the order of reports."""


def _growing(values: tuple[str, ...]) -> Meta:
    """One of a list that may grow without a new version of the format: readers have to expect other values."""
    return Meta(description=f"Now one of {', '.join(values)}; others may come.")


class Unseen(Struct, frozen=True):
    """Tools of which no response was checked, for one reason, in the order of the surface."""

    why: Annotated[str, _growing(WHYS)]
    tools: tuple[str, ...]


class Seen(Struct, frozen=True):
    """How far the responses of a server were checked.

    Attributes:
        contracts: Packs of rules that results are checked against; none where the profile has none.
        tools: How many there are.
        count: How many of them gave at least one response of their own.
        unseen: The others, by reason.
    """

    mode: Annotated[str, _growing((SAFE, CONFIGURED, NONE))]
    contracts: tuple[str, ...]
    tools: Count
    count: Count = field(name="seen")
    unseen: tuple[Unseen, ...] = ()


def calls_mode(config: Config, selection: Selection) -> str:
    """What a check may call: as configured, else ``safe`` under a contract of results."""
    return config.calls_mode or (SAFE if selection.contracts else CONFIGURED)


def seen_of(surface: Surface, config: Config, selection: Selection, called: CallReport | None, why: str) -> Seen | None:
    """What a run saw; ``None`` where it was not to see anything, so that there is nothing to say.

    Where no calls were made (``called``), ``why`` is the reason that all tools share.
    """
    mode = calls_mode(config, selection)
    if not surface.tools or not (selection.contracts or called is not None):
        return None
    names = list(dict.fromkeys(tool.name for tool in surface.tools))
    heard = called.heard if called is not None else frozenset[str]()
    reasons = _reasons(called) if called is not None else {}
    by_why: dict[str, list[str]] = {}
    for name in names:
        if name not in heard:
            by_why.setdefault(reasons.get(name, why or UNNAMED), []).append(name)
    unseen = tuple(Unseen(why, tuple(by_why[why])) for why in WHYS if why in by_why)
    return Seen(mode, selection.contracts, len(names), sum(name in heard for name in names), unseen)


def _reasons(called: CallReport) -> dict[str, str]:
    """Why there is no response, by tool; of tools that have one it says nothing that counts."""
    from mcp_governor.call.cases import CONTRADICTED, DESTRUCTIVE, NOT_CONFIGURED, UNSAID
    from mcp_governor.call.cases import WRITES as WRITING
    from mcp_governor.call.outcome import ASKED_BACK, CUT

    known = {UNSAID: UNHINTED, WRITING: WRITES, DESTRUCTIVE: WRITES, CONTRADICTED: DOUBTED, NOT_CONFIGURED: UNNAMED}
    out: dict[str, str] = {}
    for skipped in called.skipped:
        if skipped.case is None:
            out[skipped.tool] = known.get(skipped.reason, NO_ARGUMENTS)
        else:
            out.setdefault(skipped.tool, TIME if called.out_of_time else GONE)
    for result in called.results:
        outcome = result.outcome
        if outcome.status == CUT:
            out[result.case.tool] = TIME
        elif out.get(result.case.tool) != SILENT:
            answer = ASKED if outcome.status == ASKED_BACK else REFUSED
            out[result.case.tool] = answer if outcome.answered else SILENT
    return out


def unseen_findings(seen: Seen | None) -> Iterator[Finding]:
    """The finding of a live run under a contract that no response was checked against."""
    if seen is None or not seen.contracts or seen.count or any(part.why == RECORDING for part in seen.unseen):
        return
    from mcp_governor.rules.finding import finding

    yield finding(
        RULE,
        "/tools",
        says="off" if seen.mode == NONE else "unseen",
        value=list(seen.contracts),
        contracts=list(seen.contracts),
        tools=f"its {seen.tools} tools" if seen.tools > 1 else "its tool",
        way=_way(seen),
    )


def _way(seen: Seen) -> str:
    if seen.mode == NONE:
        return 'Remove --no-calls, or set calls-mode = "safe".'
    if any(part.why == UNHINTED for part in seen.unseen):
        return "Declare readOnlyHint: true on each tool that only reads, or name calls in [[calls]]."
    return "Name calls that work in [[calls]]."
