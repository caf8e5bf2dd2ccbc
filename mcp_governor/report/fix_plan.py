"""A plan of fixes as a unified diff of the fragments."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

from mcp_governor.fixes.editing import ABSENT
from mcp_governor.report.lines import BLANK, line
from mcp_governor.text import counted, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.fix_plan import FixDocument, FixPlaceDocument, FixPlan
    from mcp_governor.report.lines import Line

_MAX_NAMES = 3
"""Most other tools with the same fix that a diff names; the plan in JSON has all of them."""
_WIDTH = 100
"""Characters up to which a list is on one line."""


def diff_lines(plan: FixPlan) -> Iterator[Line]:
    """Each corrected fragment as a unified diff, with what it is for and what it does, and a summary."""
    for fix in plan.fixes:
        yield from _diff(fix)
        yield BLANK
    yield from _closing(plan)


def _diff(fix: FixDocument) -> Iterator[Line]:
    first = fix.places[0]
    rules = ", ".join(dict.fromkeys(finding.rule for finding in fix.findings))
    more = ""
    if len(fix.places) > 1:
        names = ", ".join(one_line(place.tool, 64) for place in fix.places[1 : 1 + _MAX_NAMES])
        rest = len(fix.places) - 1 - _MAX_NAMES
        more = f"; the same in {names}" + (f" and {rest} more" if rest > 0 else "")
    yield line((f"# {rules}{more}", "bold"))
    yield line((f"# {_in_words(fix)}", "dim"))
    for place in fix.places[: 1 + _MAX_NAMES]:
        yield from _source(place)
    name = visible(f"{first.tool}{first.path}")
    old, new = _text(fix.before), _text(fix.after)
    for text in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=3):
        style = "green" if text.startswith("+") else "red" if text.startswith("-") else ""
        yield line((visible(text), style))


def _source(place: FixPlaceDocument) -> Iterator[Line]:
    if place.source is None:
        return
    where = f"{visible(place.source.file)}:{place.source.line}"
    likely = "" if place.source.certain else " (likely)"
    hint = f": {visible(place.code)}" if place.code else ""
    yield line((f"# {where}{likely}{hint}", "cyan"))


_VERDICTS = {
    "same": "It accepts the same values.",
    "wider": "It accepts all that it accepted before, and more.",
    "accepts-all": "It accepts all that it accepted before.",
    "no-schema": "It changes no schema.",
}


def _in_words(fix: FixDocument) -> str:
    proof = fix.proof
    if proof.verdict == "narrower":
        if proof.witness is ABSENT:
            return "Narrower by intent: it refuses some values that are accepted today."
        witness = one_line(json.dumps(proof.witness, ensure_ascii=False, default=str), 60)
        return f"Narrower by intent: it refuses {witness}, which is accepted today."
    if proof.verdict == "unknown":
        return f"Unknown what it accepts: {visible(proof.reason)}."
    return _VERDICTS[proof.verdict]


def _text(value: Any) -> list[str]:
    return [] if value is ABSENT else _pretty(value).split("\n")


def _pretty(value: Any, indent: str = "") -> str:
    """JSON in lines, with a short list in one."""
    inner = f"{indent}  "
    if isinstance(value, dict) and value:
        members = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_pretty(item, inner)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        flat = json.dumps(value, ensure_ascii=False)
        if len(flat) <= _WIDTH:
            return flat
        return "[\n" + ",\n".join(f"{inner}{_pretty(item, inner)}" for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _closing(made: FixPlan) -> Iterator[Line]:
    plan = made.plan
    for one in plan.withheld:
        tool = f" in {one_line(one.tool, 64)}" if one.tool else ""
        yield line((f"# Left out: {one.finding.rule}{tool}: {visible(one.reason)}.", "dim"))
    for finding in plan.brought:
        yield line((f"# The plan brings {finding.rule}: {visible(finding.message)}", "yellow"))
    if not made.fixes:
        yield line("# No finding has a fix that can be made without a decision.")
        return
    places = sum(len(fix.places) for fix in made.fixes)
    summary = f"# {counted(len(made.fixes), 'fix', 'fixes')} in {counted(places, 'place')}"
    summary += f"; {counted(len(plan.fixed), 'finding')} would be gone"
    if plan.partly:
        summary += f", {len(plan.partly)} partly"
    left = len(plan.unfixed)
    yield line((f"{summary}; {left} {'needs' if left == 1 else 'need'} a decision.", "bold"))
