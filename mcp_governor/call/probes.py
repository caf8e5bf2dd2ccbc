"""Calls a read-only tool again, and compares its metadata with what the calls measured, and responses with each other.

The charter publishes what a call costs, how long it takes and if it is safe to repeat ("Per-tool metadata"). A claim is
a finding only if no noise explains the measurement: the fastest of several warm calls is still too slow, the smallest
response is still too large, and a difference repeats. What is better than its claim is none.

Structure, status and hints of a read-only tool are the same at once; data may differ, as the world changes. So values
count only if they move in equal steps, as a counter does that each call increments. What differs once and not again is
left alone, and so is what a recording would mask (times, identifiers, durations).
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.call.cases import Case, Purpose, Skipped
from mcp_governor.call.masking import mask
from mcp_governor.call.outcome import failure_message, read_response
from mcp_governor.call.words import words
from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.evolution import declared_properties, enumerated
from mcp_governor.prose.words import word_set
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from mcp_governor.call.cases import CaseResult
    from mcp_governor.call.validate import ResponseChecker
    from mcp_governor.surface.model import Surface, Tool

LATENCY, TOKENS = "charter/measured-latency", "charter/measured-tokens"
FORMAT, SIZE = "charter/measured-format", "charter/measured-size"
REPEATABLE, DETERMINISTIC = "charter/repeatable", "schema-md/deterministic"
_REPEATED = (LATENCY, REPEATABLE, DETERMINISTIC)
RULES = (*_REPEATED, TOKENS, FORMAT, SIZE)

_SLACK = 1.5
"""Factor by which a tool may exceed the bound of its hint: the bound is not exact, and a busy machine slows each call
down."""
_REPEATS = 2
"""Number of calls in a row: the two that are compared, which are also two warm measurements."""
_CONFIRMATIONS = 2
"""Further calls that confirm a suspicion: two differences in a row, and five measurements to take the fastest of."""
_LONGEST_MS = 2_000.0
"""How long a call may take to be repeated, in milliseconds: four more of longer ones would spend the time of all
others."""
_TOKEN_FACTOR = 3
"""How many times its estimate the smallest response may have: the sample may be larger than what is typical, and an
estimate of four characters per token is half off for other languages and numbers."""
_TOKEN_ROOM = 200
"""Tokens that a response may have beyond that: an envelope without data has about 60, and an estimate of 0 is a round
number."""
_FORMAT_FLOOR = 300
"""Tokens of a detailed response from which the concise one has to be smaller: in less there is little to leave out."""
_COMPARED = 1_000_000
"""Longest response that is compared, in characters, as masking reads each character some twenty times. Longer ones are
reported as not compared."""

_BUSY = word_set("rate limit limited quota throttled throttle busy many timeout unavailable overloaded exceeded")
_LIVE = word_set(
    "stats statistics status health metrics usage monitor uptime info version ping quota limits time clock now"
)
"""Words of tools that report on the server itself, whose state each call changes."""


def needs_probes(checker: ResponseChecker) -> bool:
    """True if a selected rule compares calls."""
    return any(map(checker.runs, RULES))


@dataclass
class Probes:
    """The probes of one run, made after its other calls.

    Attributes:
        surface: what the server publishes.
        checker: knows which rules run.
        make: makes one call and judges it.
        may_go_on: true if another call may be made.
        floor: how long an exchange without work takes, in milliseconds: what is not the tool's own time.
        breaches: what was found, with the tool.
        skipped: probes that were not made.
    """

    surface: Surface
    checker: ResponseChecker
    make: Callable[[Case], Awaitable[CaseResult]]
    may_go_on: Callable[[], bool]
    floor: Callable[[], Awaitable[float]]
    breaches: list[tuple[Breach, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    async def run(self, results: Sequence[CaseResult], may_call: Callable[[Tool], bool], *, again: bool = True) -> None:
        """Probe each tool that may be called again and of which a good call succeeded.

        Args:
            results: the calls so far.
            may_call: true for a tool that only reads.
            again: call again; if false, compare only what the calls so far have measured.
        """
        for tool in self.surface.tools:
            mine = [result for result in results if result.case.tool == tool.name and result.case.good]
            worked = [result for result in mine if not result.outcome.failed and result.response is not None]
            if worked and may_call(tool):
                self._sizes(tool, worked)
                if again:
                    await self._probe(tool, mine, worked)

    async def _probe(self, tool: Tool, mine: list[CaseResult], worked: list[CaseResult]) -> None:
        first = worked[0]
        free = not _price(tool)
        if first.milliseconds > _LONGEST_MS:
            self._slow(tool, worked)
        elif free and any(map(self.checker.runs, _REPEATED)):
            again = await self._repeat(first.case, _REPEATS)
            # The first call of a tool may load what later ones find loaded.
            warm = [result for result in [*mine, *again] if result is not mine[0] and not result.outcome.failed]
            await self._latency(tool, first.case, warm)
            await self._steady(tool, first, again)
        if free and self.checker.runs(FORMAT) and _offers_formats(tool):
            await self._formats(tool, first.case)

    async def _repeat(self, case: Case, times: int) -> list[CaseResult]:
        """The same call again; fewer results if the time is up."""
        same = Case(case.tool, case.arguments, Purpose.REPEAT, portable=case.portable)
        return [result for _ in range(times) if (result := await self._call(same)) is not None]

    async def _call(self, case: Case) -> CaseResult | None:
        if not self.may_go_on():
            self.skipped.append(Skipped(case.tool, "no time was left to compare it with its metadata", case))
            return None
        return await self.make(case)

    def _report(self, rule: str, path: str, value: Any, tool: Tool, says: str = "", **said: Any) -> None:
        self.breaches.append((Breach(rule, path, value, says, said), tool.name))

    # How long, and how much.

    async def _latency(self, tool: Tool, case: Case, warm: list[CaseResult]) -> None:
        hint, bound = _latency_hint(tool)
        if bound is None or not self.checker.runs(LATENCY):
            return
        for is_confirmed in (False, True):
            own = _fastest(warm)
            # The time of an exchange is asked for only where it matters.
            if own <= bound * _SLACK or (own := own - await self.floor()) <= bound * _SLACK:
                return
            if not is_confirmed:
                again = await self._repeat(case, _CONFIRMATIONS)
                warm = [*warm, *(result for result in again if not result.outcome.failed)]
        if len(warm) > 1:
            self._too_slow(tool, hint, bound, own, len(warm))

    def _slow(self, tool: Tool, worked: list[CaseResult]) -> None:
        """A tool that is too slow to be repeated, and does not say that it is slow."""
        hint, bound = _latency_hint(tool)
        own = _fastest(worked[1:])
        if bound is not None and own > _LONGEST_MS:
            self._too_slow(tool, hint, bound, own, len(worked) - 1)

    def _too_slow(self, tool: Tool, hint: str, bound: float, own: float, calls: int) -> None:
        deserved = facts.latency_hint(own)
        place = facts.metadata_place(tool.raw, "latency_hint")
        says = "one" if calls == 1 else "several"
        times = {"bound": f"{bound:,.0f} ms", "took": f"{own:,.0f} ms", "times": f"{own / bound:.1f}", "calls": calls}
        self._report(LATENCY, place, [hint, deserved], tool, says, hint=hint, deserved=deserved, **times)

    def _sizes(self, tool: Tool, worked: list[CaseResult]) -> None:
        smallest = min(_tokens(result) for result in worked)
        cost = facts.declared_metadata(tool.raw).get("cost_hint")
        estimate = cost.get("tokens_estimate") if isinstance(cost, dict) else None
        if not isinstance(estimate, int) or isinstance(estimate, bool) or estimate < 0:
            estimate = None
        if estimate is not None and smallest > estimate * _TOKEN_FACTOR + _TOKEN_ROOM:
            place = facts.metadata_place(tool.raw, "cost_hint")
            more = f"{smallest - estimate:,}"
            self._report(TOKENS, place, estimate, tool, estimate=f"{estimate:,}", tokens=f"{smallest:,}", more=more)
        active = self.checker.selection.get(SIZE)
        if active is not None and smallest > int(active.options["large"]) and "response_format" not in _declared(tool):
            self._report(SIZE, "/inputSchema", tool.name, tool, tokens=f"{smallest:,}")

    # The same again.

    async def _steady(self, tool: Tool, first: CaseResult, again: list[CaseResult]) -> None:
        if len(again) < _REPEATS or not (self.checker.runs(REPEATABLE) or self.checker.runs(DETERMINISTIC)):
            return
        if any(
            result.response is not None and read_response(result.response).characters > _COMPARED for result in again
        ):
            self.skipped.append(Skipped(tool.name, "its responses are too long to be compared", again[0].case))
            return
        outcomes = [_outcome(result) for result in again]
        if _outcome(first) == outcomes[0] == outcomes[1]:
            bodies = [_body(result) for result in again]
            if not any(True for _ in _differences(*bodies)):
                return  # more responses would confirm nothing
            more = await self._repeat(first.case, _CONFIRMATIONS)
            if len(more) == _CONFIRMATIONS and all(_outcome(result) == outcomes[0] for result in more):
                self._differs(tool, [*bodies, *map(_body, more)])
            return
        more = await self._repeat(first.case, _CONFIRMATIONS)
        failed = [result for result in more if _outcome(result) != _outcome(first)]
        # A flaky service succeeds now and then; a rate limit does not count as another outcome.
        if len(failed) == _CONFIRMATIONS and not any(map(_is_busy, [*again, *failed])) and _is_idempotent(tool):
            was, now = first.outcome.status, failed[-1].outcome
            self._report(
                REPEATABLE, "", [was, now.status, now.kind], tool, "outcome", was=was, now=now.kind or now.status
            )

    def _differs(self, tool: Tool, bodies: list[Any]) -> None:
        live = not _LIVE.isdisjoint(words(tool.name))
        for found in repeated_differences(bodies):
            place = f"/structuredContent{found.path}"
            if found.what == "shape":
                self._report(DETERMINISTIC, place, found.path, tool)
            if _is_idempotent(tool) and not (live and found.what == "step"):
                self._report(REPEATABLE, place, found.what, tool, found.what, step=f"{found.step:+d}")

    # Concise and detailed.

    async def _formats(self, tool: Tool, case: Case) -> None:
        sizes: dict[str, int] = {}
        for value in ("detailed", "concise"):
            sent = {**case.arguments, "response_format": value}
            portable = None if case.portable is None else {**case.portable, "response_format": value}
            result = await self._call(
                replace(case, arguments=sent, portable=portable, purpose=Purpose.FORMAT, detail=value)
            )
            if result is None or result.outcome.failed or result.response is None:
                return
            sizes[value] = _tokens(result)
        if sizes["detailed"] < _FORMAT_FLOOR and sizes["concise"] < _FORMAT_FLOOR:
            return
        if sizes["concise"] >= sizes["detailed"]:
            says = "same" if sizes["concise"] == sizes["detailed"] else "larger"
            shown = {name: f"{size:,}" for name, size in sizes.items()}
            self._report(FORMAT, "/inputSchema/properties/response_format", says, tool, says, **shown)


_BOUNDS = {"fast": facts.LATENCY_FAST_BELOW_MS, "moderate": facts.LATENCY_SLOW_FROM_MS}


def _latency_hint(tool: Tool) -> tuple[str, float | None]:
    """What a tool says of its latency, and the bound of that in milliseconds; ``None`` if it has none."""
    hint = facts.declared_metadata(tool.raw).get("latency_hint")
    return (hint, _BOUNDS.get(hint)) if isinstance(hint, str) else ("", None)


def _fastest(results: Sequence[CaseResult]) -> float:
    return min((result.milliseconds for result in results), default=0.0)


def _tokens(result: CaseResult) -> int:
    return facts.estimate_tokens(read_response(result.response).characters)


def _outcome(result: CaseResult) -> tuple[str, str, str]:
    return result.outcome.channel.value, result.outcome.status, result.outcome.kind


def _body(result: CaseResult) -> Any:
    return read_response(mask(result.response)).structured


def _is_busy(result: CaseResult) -> bool:
    """True if a call was not made for lack of room: then the next one says nothing of the first."""
    if not result.outcome.answered:
        return True
    said = words(result.outcome.kind) + words(failure_message(read_response(result.response)))
    return result.outcome.failed and not _BUSY.isdisjoint(said)


def _is_idempotent(tool: Tool) -> bool:
    declared = facts.declared_metadata(tool.raw).get("idempotent")
    return declared if isinstance(declared, bool) else tool.annotations.get("idempotentHint") is True


def _price(tool: Tool) -> float:
    cost = facts.declared_metadata(tool.raw).get("cost_hint")
    dollars = cost.get("dollars_estimate") if isinstance(cost, dict) else None
    return dollars if isinstance(dollars, int | float) and not isinstance(dollars, bool) else 0.0


def _declared(tool: Tool) -> dict[str, Any]:
    """The arguments that a tool declares, with their schemas."""
    return declared_properties(tool.input_schema, tool.input_schema)


def _offers_formats(tool: Tool) -> bool:
    choices = set(enumerated(tool.input_schema, _declared(tool).get("response_format")))
    return {"concise", "detailed"} <= choices


_SAME = frozenset({"status", "follow_up_hints", "confidence", "degradation_reason", "charter_version"})
"""Members of an envelope that must be equal in two responses to the same call."""
_NUMBER = re.compile(r"\d+")
_DIGITS = 9
"""Most digits of a number that may be a counter; longer numbers are times and identifiers."""


class Difference(NamedTuple):
    """One way in which two responses differ.

    Attributes:
        what: ``shape`` (names and types), ``order`` (the same items in another order), ``hints`` (a member that does
            not depend on the data), ``step`` (a number or a length).
        path: JSON pointer into the structured content.
        step: by how much a number or a length grew; 0 otherwise.
    """

    what: str
    path: str
    step: int = 0


def repeated_differences(responses: Sequence[Any]) -> list[Difference]:
    """What differs in the same way between a response and the next, again and again.

    Args:
        responses: structured contents of four responses to the same call, masked.

    Returns:
        The differences, in the order of the document.
    """
    pairs = [dict.fromkeys(_differences(one, other)) for one, other in itertools.pairwise(responses)]
    counted = {found: sum(found in pair for pair in pairs) for pair in pairs for found in pair}
    # A counter moves each time. Chance makes two responses alike now and then, and the world changes once.
    return [found for found, times in counted.items() if times >= (len(pairs) if found.step else 2)]


def _differences(one: Any, other: Any) -> Iterator[Difference]:
    stack: list[tuple[str, Any, Any]] = [("", one, other)]
    while stack:
        path, left, right = stack.pop()
        if left is None or right is None:
            continue
        if _kind(left) != _kind(right):
            yield Difference("shape", path)
        elif isinstance(left, dict):
            gone = (key for key in sorted(left.keys() ^ right.keys()) if left.get(key, right.get(key)) is not None)
            yield from (Difference("shape", join_pointer(path, key)) for key in gone)
            for key in reversed([key for key in left if key in right]):
                if path or key not in _SAME:
                    stack.append((join_pointer(path, key), left[key], right[key]))
                elif left[key] != right[key]:
                    yield Difference("hints", join_pointer(path, key))
        elif isinstance(left, list):
            if len(left) != len(right):
                yield Difference("step", path, len(right) - len(left))
            elif left != right and sorted(map(_as_text, left)) == sorted(map(_as_text, right)):
                yield Difference("order", path)
            else:
                indices = range(len(left) - 1, -1, -1)
                stack.extend((join_pointer(path, index), left[index], right[index]) for index in indices)
        elif step := _step(left, right):
            yield Difference("step", path, step)


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _step(left: Any, right: Any) -> int:
    """The increase of an integer, or of the only number that differs in a string; 0 for any other difference.

    Args:
        left, right: two values of one JSON type.
    """
    if isinstance(left, int) and isinstance(right, int):
        is_counter = not isinstance(left, bool) and max(abs(left), abs(right)) < 10**_DIGITS
        return right - left if is_counter else 0
    if not isinstance(left, str) or _NUMBER.sub("0", left) != _NUMBER.sub("0", right):
        return 0
    pairs = zip(_NUMBER.findall(left), _NUMBER.findall(right), strict=True)
    moved = [(was, now) for was, now in pairs if was != now]
    if len(moved) != 1 or max(map(len, moved[0])) > _DIGITS:
        return 0
    return int(moved[0][1]) - int(moved[0][0])


def _kind(value: Any) -> str:
    """The JSON type; whole numbers and others are one."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__
