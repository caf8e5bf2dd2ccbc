"""Length of descriptions in words, characters and sentences."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.fixes.corrections import correction
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.effects import (
    DESTROYING_VERBS,
    READ_ONLY,
    SAVES,
    SURE_READS,
    UPDATING_VERBS,
    effect_of,
    losing_argument,
    opening_verb,
    operations,
    own_statement,
    product_prefix,
    saving_argument,
    stated_loss,
    verb_of,
)
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words, word_count, word_set, words
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.text import counted, first_of, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool


_SENTENCE_END = lazy_pattern(r"[.!?。！？](?:\s|$|[\"'`)\]*])|\n\s*\n|\n\s*[-*•]\s")


def length(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at least ``min-words`` words and at most ``max-characters`` code points (0: no limit)."""
    text = tool.description
    count = word_count(text)
    least, most = context.options["min-words"], context.options["max-characters"]
    value = tool.raw.get("description")
    if not text.strip():
        path = "/description" if "description" in tool.raw else ""
        yield hit(path, value, problem="is missing", fault="is missing")
    elif count < least:
        yield hit("/description", value, problem=f"has {counted(count, 'word')}, fewer than {least}", fault="is short")
    elif len(text) > most > 0:
        beyond = "of which Claude Code passes on 2,048" if len(text) > 2048 else f"more than {most:,}"
        fault = f"has more than {most:,} characters"
        yield hit("/description", value, problem=f"has {len(text):,} characters, {beyond}", fault=fault)


def sentences(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at least ``min`` sentences; list items and paragraphs count as sentences."""
    count = sum(bool(part and part.strip()) for part in _SENTENCE_END.split(tool.description))
    if tool.description and count < context.options["min"]:
        yield hit("/description", tool.description, count=count)


_MAX_TEXT = 20_000
"""Maximum number of characters of one description that are compared: far more than any client shows."""

_MIN_WORDS = 3
"""Minimum number of words of a description that two tools share; shorter ones are labels."""


def twins(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two tools have the same description and the same input schema; one hit for the server."""
    said = [" ".join(tool.description.split()) for tool in surface.tools]
    copies = Counter(said)
    families: dict[tuple[str, str], list[Tool]] = {}
    for tool, text in zip(surface.tools, said, strict=True):
        if copies[text] > 1 and len(words(tool.description[:_MAX_TEXT])) >= _MIN_WORDS:
            schema = json.dumps(tool.raw.get("inputSchema"), sort_keys=True, default=str)
            families.setdefault((text, schema), []).append(tool)
    found = [family for family in families.values() if len({tool.name for tool in family}) > 1]
    if found:
        shown = [" and ".join(one_line(tool.name, 64) for tool in family[:3]) for family in found[:3]]
        more = f" and {counted(len(found) - 3, 'more pair')}" if len(found) > 3 else ""
        spots = ((tool.name, "/description") for family in found for tool in family)
        named = [[tool.name for tool in family] for family in found]
        yield hit("/tools", named, spots=spots, twins="; ".join(shown) + more)


def undescribed_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """More than half of the tools have a description; one hit for the server."""
    silent = [tool.name for tool in surface.tools if not tool.description.strip()]
    if silent and 2 * len(silent) >= len(surface.tools):
        spots = ((name, "/description") for name in silent)
        total, names = counted(len(surface.tools), "tool"), first_of(silent, 6)
        yield hit("/tools", None, spots=spots, count=len(silent), total=total, names=names)


_BARE = frozenset({"$schema", "type", "properties", "required", "additionalProperties", "title", "description"})


def only_in_words(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool whose description documents parameters has some."""
    schema = tool.raw.get("inputSchema")
    if not isinstance(schema, dict) or not schema.keys() <= _BARE or schema.get("properties"):
        return
    text = tool.description[:_MAX_DOCUMENTED]
    match = _ARGUMENTS.search(text) or _CALLED_WITH.search(text)
    if match is not None and match["name"].lower() not in _NO_ARGUMENT:
        yield hit("/inputSchema", tool.input_schema, name=match["name"])


_MAX_DOCUMENTED = 4_000
"""Maximum number of characters of a description that are read; parameters come after a paragraph or two."""
_ARGUMENTS = Guarded(
    r"(?:\A|\n)[ \t]{0,12}(?:[#*]{1,4}\s?)?(?:args|arguments|parameters|params|inputs)"
    r"(?:\*\*)?:?(?:\*\*)?[ \t]{0,4}\n{1,2}"
    r"[ \t]{0,16}(?:[-*]\s|•\s)?[`\"*]{0,3}(?P<name>[a-z_]\w{0,40})[`\"*]{0,3}\s?"
    r"(?:\([^()\n]{0,60}\))?\s?(?::|-|–|—)\s?\S",
    *(" args ", " arguments ", " parameters ", " params ", " inputs "),
)
_CALLED_WITH = Guarded(
    r"\b(?:example(?:\s(?:arguments|call|input|request|usage))?|arguments|input)\s?:\s{0,4}(?:\w{1,64}\()?"
    r"\{\s{0,8}[\"'](?P<name>[a-z_]\w{0,40})[\"']\s?:",
    "{",
)
_NO_ARGUMENT = frozenset({"context", "ctx", "n", "no", "none", "nothing", "returns", "self"})


_GROUPS = (
    ("loses", "these delete, overwrite, update or run"),
    ("unknown", "decide yourself"),
    ("adds", "these add or change"),
    ("reads", "these only read"),
)
"""What tools do by their own words, and how a message says it; the first ones do the most harm without a hint. Of the
second ones, the words say too little."""
_NAMES_WIDTH = 50
"""Characters for the names of one group: with four groups, the line has at most three screen lines."""
_SURE_READS = word_set("count describe fetch find get list lookup read search show view")
"""Verbs of names that mean nothing else: what is checked or scraped may be started or changed by that."""
_OF_A_VIEW = word_set("cursor focus selection selections viewport zoom")
"""What somebody sees or has selected; nothing that is kept is lost."""


def _group(tool: Tool, prefix: str | None) -> Literal["loses", "unknown", "adds", "reads"]:
    """What a tool does as far as its hints are concerned."""
    effect, verb = effect_of(tool, prefix), verb_of(tool, prefix)
    if effect == "writes":
        if verb == "set" and not _OF_A_VIEW.isdisjoint(name_words(tool.name)):
            return "unknown"
        return "loses" if verb in UPDATING_VERBS else "adds"
    return effect if effect in ("reads", "unknown") else "loses"


def hints_declared(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Every tool whose effect is known declares it in its hints; one hit for the server."""
    prefix = product_prefix(surface)
    groups: dict[str, list[Tool]] = {}
    for tool in surface.tools:
        if not any(isinstance(tool.annotations.get(key), bool) for key in ("readOnlyHint", "destructiveHint")):
            groups.setdefault(_group(tool, prefix), []).append(tool)
    if not groups:
        return
    bare, total = sum(map(len, groups.values())), len(surface.tools)
    some = f"{bare} of {counted(total, 'tool')} {'has' if bare == 1 else 'have'} no"
    # The surest ones are shown.
    groups.get("reads", []).sort(key=lambda tool: _SURE_READS.isdisjoint(name_words(tool.name)))
    known = [(kind, does, groups[kind]) for kind, does in _GROUPS if kind in groups]
    said = "; ".join(f"{does}: {_names_within(tools)}" for _, does, tools in known)
    yield hit(
        "/tools",
        # Kinds identify the finding, not tools, so adding a hint does not create a new finding.
        [kind for kind, _, _ in known],
        correction=correction([edit for tool in groups.get("loses", ()) for edit in _cautious(tool)], Effect.NEUTRAL),
        spots=[(tool.name, "/annotations") for _, _, tools in known for tool in tools],
        who="No tool has" if bare == total else some,
        groups=f"{said[0].upper()}{said[1:]}",
    )


def _names_within(tools: list[Tool]) -> str:
    """As many names as fit, and how many there are besides."""
    names = [one_line(tool.name, 40) for tool in tools]
    most = 1
    while most < len(names) and len(", ".join(names[: most + 1])) <= _NAMES_WIDTH:
        most += 1
    return first_of(names, most)


def _cautious(tool: Tool) -> list[Edit]:
    """The hints of a tool that loses something. A promise is never made for a tool: what only reads or only adds is
    for its author to say."""
    if not isinstance(tool.raw.get("annotations", {}), dict):
        return []
    pairs = (("readOnlyHint", False), ("destructiveHint", True))
    return [Edit(f"/annotations/{key}", value, tool=tool.name) for key, value in pairs]


def hints_complete(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A tool that declares that it changes something declares if it destroys; one hit for the server."""
    prefix = product_prefix(surface)
    adds: list[str] = []
    loses: list[str] = []
    for tool in surface.tools:
        hints = tool.annotations
        if hints.get("readOnlyHint") is not False or isinstance(hints.get("destructiveHint"), bool):
            continue
        # Of one that only reads, clarity/hints-contradict says that readOnlyHint is wrong.
        if not _reads_only(tool, prefix):
            (loses if _group(tool, prefix) == "loses" else adds).append(tool.name)
    # A missing hint means that a tool destroys, which is correct for those that do.
    if adds:
        more = f"; true is right for {first_of(loses, 3)}" if loses else ""
        yield hit(
            "/tools",
            len(adds) > 0,
            spots=((name, "/annotations") for name in adds),
            who=f"{counted(len(adds), 'tool')} {'says' if len(adds) == 1 else 'say'}",
            names=first_of(adds, 6),
            more=more,
        )


_MAKES_VALUES = word_set("add append archive commit create edit merge patch post put")
"""Verbs that also make what a tool returns: a sum, a merged string, a draft."""
_PRETENDS = lazy_pattern(r"\b(?:dry[- ]run|preview|simulat|draft|hypothetical|plan(?:s|ned)? only)", re.IGNORECASE)
_ANSWERS = word_set("checklist diff embedding embeddings estimate guide hash link outline plan preview snippet summary")
"""Things that a tool makes to return them: a plan that is created is perhaps not stored."""
_SAME_AGAIN = lazy_pattern(r"\b(?:idempoten|exist|already|ensure|upsert|same|twice|again|no effect)", re.IGNORECASE)
_MAKES = word_set("append create insert post send")
_MAX_TEXT = 20_000
"""Maximum number of characters read from a description; what a tool does comes first."""


def hints_true(tool: Tool, context: Context) -> Iterator[Hit]:
    """The name and the description of a tool agree with its hints."""
    hints = tool.annotations
    if not hints:
        return
    prefix = context.facts.memo("product prefix", lambda: product_prefix(context.surface))
    verb, text = verb_of(tool, prefix), tool.description[:_MAX_TEXT]
    reads, destroys = hints.get("readOnlyHint"), hints.get("destructiveHint")
    if reads is True:
        if said := _change_stated(tool, prefix):
            yield _wrong("readOnlyHint", True, said)
        return
    if destroys is False:
        if said := _loss_said(tool, verb, text):
            yield _wrong("destructiveHint", False, said)
    elif (reads is False or destroys is True) and _reads_only(tool, prefix):
        key, value = ("destructiveHint", True) if destroys is True else ("readOnlyHint", False)
        yield hit(
            f"/annotations/{key}",
            value,
            hint=f"{key}: {str(value).lower()}",
            said=f'the name and the description say "{verb}" and no change',
            right="readOnlyHint: true",
        )
    if hints.get("idempotentHint") is True and verb in _MAKES and not _SAME_AGAIN.search(text):
        yield _wrong("idempotentHint", True, f'the name says "{verb}": two calls {verb} two')


def _wrong(name: str, value: bool, said: str) -> Hit:
    """A hint that is wrong towards less caution. The correction sets it as the description has it: one promise less
    puts nobody at risk."""
    hint, right = (f"{name}: {str(one).lower()}" for one in (value, not value))
    pointer = f"/annotations/{name}"
    edit = Edit(pointer, not value)
    return hit(pointer, value, correction=Correction((edit,), Effect.NEUTRAL), hint=hint, said=said, right=right)


def _change_stated(tool: Tool, prefix: str | None) -> str | None:
    """The words of a tool that say that it changes something, for a sentence; ``None`` where none do."""
    verb, text = verb_of(tool, prefix), tool.description[:_MAX_TEXT]
    picked, opens = operations(tool), opening_verb(text)
    if change := next((one for one in picked if one.changes and verb not in READING_VERBS), None):
        return f'{one_line(change.argument, 64)} takes "{one_line(change.value, 60)}"'
    reads = opens in SURE_READS or READ_ONLY.search(text) or (picked and all(one.reads for one in picked))
    certain = verb not in _MAKES_VALUES or (opens == verb != "add" and _ANSWERS.isdisjoint(name_words(tool.name)))
    if verb in MUTATING_VERBS and certain and not reads and not _PRETENDS.search(text):
        return f'the name says "{verb}"'
    if said := change_described(tool, prefix):
        return said
    argument = losing_argument(tool) or saving_argument(tool)
    return f'{one_line(argument[0], 64)} is "{one_line(argument[1], 60)}"' if argument is not None else None


def change_described(tool: Tool, prefix: str | None) -> str | None:
    """The words of a description that say that its tool changes something: what is lost, or where something is saved.

    Args:
        tool: the tool, whatever its hints.
        prefix: what the names of all its server's tools begin with (:func:`product_prefix`).
    """
    text = tool.description[:_MAX_TEXT]
    # A tool that is called "get" may save on request, which later sentences speak of.
    reads = verb_of(tool, prefix) in SURE_READS
    first = _FIRST_SENTENCE.split(text.lstrip(), maxsplit=1)[0]
    said = stated_loss(text)
    if not said and not (reads and _ON_REQUEST.search(first)):
        said = own_statement(SAVES, first if reads else text)
    return f'the description says "{one_line(said, 60)}"' if said and not _PRETENDS.search(text) else None


_FIRST_SENTENCE = lazy_pattern(r"[.!?]\s|\n\s*\n")
_ON_REQUEST = lazy_pattern(r"\b(?:if|when|optional|optionally|or|can|may|unless)\b", re.IGNORECASE)


def _loss_said(tool: Tool, verb: str | None, text: str) -> str | None:
    if verb in DESTROYING_VERBS - {"clear", "replace", "terminate"}:
        return f'the name says "{verb}"'
    if deletes := next((one for one in operations(tool) if one.loses and verb not in READING_VERBS), None):
        return f'{one_line(deletes.argument, 64)} takes "{one_line(deletes.value, 60)}"'
    loss = stated_loss(text)
    return f'the description says "{one_line(loss, 60)}"' if loss else None


def _reads_only(tool: Tool, prefix: str | None) -> bool:
    verb, opens = verb_of(tool, prefix), opening_verb(tool.description)
    return verb in _SURE_READS and opens in SURE_READS and effect_of(tool, prefix) == "reads"
