"""Behaviour hints of tools: those that are missing, and those that the tool's own words contradict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.corrections import correction
from mcp_governor.linting.effects import DESTROYING_VERBS, effect_of, loss_told, opening_verb, product_prefix, verb_of
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.words import MUTATING_VERBS, READING_VERBS
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool

_GROUPS = (
    (("destroys", "runs"), "delete, overwrite or run what they are given", 12),
    (("writes",), "change something", 10),
    (("reads",), "only read", 6),
)
"""Effects, what a message says of them, and how many tools it names: the graver, the more; the rest is counted."""


def hints_declared(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Every tool whose effect is known says it in its hints; one hit for the server."""
    prefix = product_prefix(surface)
    groups: dict[str, list[str]] = {}
    edits: list[Edit] = []
    for tool in surface.tools:
        if not any(isinstance(tool.annotations.get(key), bool) for key in ("readOnlyHint", "destructiveHint")):
            effect = effect_of(tool, prefix)
            groups.setdefault(effect, []).append(tool.name)
            edits += _hints(tool, effect, verb_of(tool, prefix))
    bare = sum(map(len, groups.values()))
    parts, kinds = [], []
    for effects, does, most in _GROUPS:
        names = [name for effect in effects for name in groups.get(effect, ())]
        if names:
            parts.append(f"{does}: {_listed(names, most)}")
            kinds.append(effects[0])
    if parts:
        total = len(surface.tools)
        who = (
            "No tool has"
            if bare == total
            else f"{bare} of {counted(total, 'tool')} {'has' if bare == 1 else 'have'} no"
        )
        # The kinds, and not the tools, tell the finding: a hint that is added makes no new one.
        yield hit("/tools", kinds, correction=correction(edits, Effect.NEUTRAL), who=who, groups="; ".join(parts))


_ONLY_ADDS = frozenset({"add", "append", "create", "insert"})


def _hints(tool: Tool, effect: str, verb: str | None) -> Iterator[Edit]:
    """The hints that say what a tool does. What only changes something may overwrite it: that is the default of the
    specification, and saying it takes nothing from anybody."""
    if "annotations" in tool.raw and not isinstance(tool.raw["annotations"], dict):
        return
    if effect == "reads":
        yield Edit("/annotations/readOnlyHint", True, tool=tool.name)
    elif effect in ("destroys", "runs", "writes"):
        adds = effect == "writes" and verb in _ONLY_ADDS
        yield Edit("/annotations/readOnlyHint", False, tool=tool.name)
        yield Edit("/annotations/destructiveHint", not adds, tool=tool.name)


def hints_complete(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A tool that says that it changes something says if it destroys; one hit for the server."""
    prefix = product_prefix(surface)
    adds: list[str] = []
    destroys: list[str] = []
    for tool in surface.tools:
        hints = tool.annotations
        if hints.get("readOnlyHint") is False and not isinstance(hints.get("destructiveHint"), bool):
            effect = effect_of(tool, prefix)
            (destroys if effect in ("destroys", "runs") else adds).append(tool.name)
    # What is left out means that a tool destroys, which is right for those that do.
    if adds:
        more = f"; true is right for {_listed(destroys, 12)}" if destroys else ""
        yield hit(
            "/tools",
            len(adds) > 0,
            who=f"{counted(len(adds), 'tool')} {'says' if len(adds) == 1 else 'say'}",
            names=_listed(adds, 12),
            more=more,
        )


def _listed(names: list[str], most: int) -> str:
    shown = ", ".join(one_line(name, 64) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


_SURE_CHANGES = MUTATING_VERBS - {
    "add",
    "append",
    "archive",
    "commit",
    "create",
    "edit",
    "merge",
    "patch",
    "post",
    "put",
}
"""Verbs that change something outside of the answer. The rest also make values: a sum, a merged text, a draft."""
_SAVES = re.compile(
    r"\b(?:saves?|stores?|writes?)\s(?:[\w'-]+\s){0,5}?(?:to|into|in|on)\s(?:a\s|an\s|the\s)?(?:[\w'-]+\s){0,2}?(?:files?|disk|database)\b",
    re.IGNORECASE,
)
_MENTIONED_CHANGE = re.compile(
    r"\b(?:creat|delet|updat|remov|writ|modif|overwrit|replac|insert|send|sav|stor|mark|reset|clear|start|launch|"
    r"trigger|charg|download|log)(?:e|es|s|ed|ing|ies|y|ten)?\b",
    re.IGNORECASE,
)
_PRETENDS = re.compile(r"\b(?:dry[- ]run|preview|simulat|draft|hypothetical|plan(?:s|ned)? only)", re.IGNORECASE)
_SAME_AGAIN = re.compile(r"\b(?:idempoten|exist|already|ensure|upsert|same|twice|again|no effect)", re.IGNORECASE)
_MAKES = frozenset({"create", "send", "post", "append", "insert"})
_PURE_READS = frozenset(
    {"count", "describe", "fetch", "find", "get", "list", "lookup", "read", "search", "show", "view"}
)
_MOST_TEXT = 20_000
"""Characters of a description that are read; what a tool does stands in front."""


def hints_true(tool: Tool, context: Context) -> Iterator[Hit]:
    """The name and the description of a tool do not contradict its hints."""
    hints = tool.annotations
    if not hints:
        return
    prefix = context.facts.memo("product prefix", lambda: product_prefix(context.surface))
    verb, text = verb_of(tool, prefix), tool.description[:_MOST_TEXT]
    reads, destroys = hints.get("readOnlyHint"), hints.get("destructiveHint")
    if reads is True:
        if said := _change_told(verb, text):
            yield hit(
                "/annotations/readOnlyHint",
                True,
                correction=_hint("readOnlyHint", False),
                hint="readOnlyHint: true",
                said=said,
                right="readOnlyHint: false",
            )
        return
    if destroys is False:
        if said := _loss_said(verb, text):
            right = "destructiveHint: true"
            yield hit(
                "/annotations/destructiveHint",
                False,
                correction=_hint("destructiveHint", True),
                hint="destructiveHint: false",
                said=said,
                right=right,
            )
    elif (reads is False or destroys is True) and _reads_only(verb, text):
        key, value = ("destructiveHint", True) if destroys is True else ("readOnlyHint", False)
        yield hit(
            f"/annotations/{key}",
            value,
            hint=f"{key}: {'true' if value else 'false'}",
            said=f'the name and the description say "{verb}" and no change',
            right="readOnlyHint: true",
        )
    if hints.get("idempotentHint") is True and verb in _MAKES and not _SAME_AGAIN.search(text):
        said = f'the name says "{verb}": two calls {verb} two'
        right = "idempotentHint: false"
        yield hit(
            "/annotations/idempotentHint",
            True,
            correction=_hint("idempotentHint", False),
            hint="idempotentHint: true",
            said=said,
            right=right,
        )


def _hint(name: str, value: bool) -> Correction:
    """The hint as the words have it. Only towards more caution: a promise less is no risk to anybody."""
    return Correction((Edit(f"/annotations/{name}", value),), Effect.NEUTRAL)


def _change_told(verb: str | None, text: str) -> str | None:
    """The words that say that a tool changes something."""
    if _PRETENDS.search(text):
        return None
    if verb in _SURE_CHANGES:
        return f'the name says "{verb}"'
    if loss := loss_told(text):
        return f'the description says "{one_line(loss, 60)}"'
    if verb not in READING_VERBS and (saves := _SAVES.search(text)):
        return f'the description says "{one_line(saves[0], 60)}"'
    if verb in MUTATING_VERBS and verb != "add" and opening_verb(text) == verb:
        return f'name and description say "{verb}"'
    return None


def _loss_said(verb: str | None, text: str) -> str | None:
    if loss := loss_told(text):
        return f'the description says "{one_line(loss, 60)}"'
    return f'the name says "{verb}"' if verb in DESTROYING_VERBS and verb not in ("clear", "replace") else None


def _reads_only(verb: str | None, text: str) -> bool:
    opens = opening_verb(text)
    reads = opens in READING_VERBS or opens in ("retrieve", "return")
    return verb in _PURE_READS and reads and not _MENTIONED_CHANGE.search(text)
