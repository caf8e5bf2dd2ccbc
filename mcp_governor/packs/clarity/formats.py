"""Parameters whose format only the description gives, while the schema accepts any string."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.lists import closed_list, sibling_list
from mcp_governor.packs.clarity.open_text import OpenText, open_text
from mcp_governor.prose.alternatives import takes_more
from mcp_governor.prose.form import witness
from mcp_governor.prose.formats import stated_form
from mcp_governor.prose.guarded import Cues
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.shown_values import declared_values, shown_values
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, in_short
from mcp_governor.subjects.schemas import parent_of, root_of, values_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.form import Form
    from mcp_governor.prose.passages import Passage
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace
    from mcp_governor.surface.model import Surface, Tool


@about(argument=True, types={"array", "string"})
def stated_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A format that the description gives is a pattern."""
    found, form = _missing(context).get((node.tool.index, node.pointer), (None, None))
    if found is None or form is None or _is_easy(form, found, context):
        return
    wrong = _witness(found, form)
    place = f"{one_line(found.name, 64)} ({one_line(node.tool.name, 64)})"
    gist = f'{place} has to be {form.said}, and "{wrong}" is accepted'
    yield found.hit("pattern", form.pattern, form=form.said, witness=wrong, gist=gist)


def _missing(context: Context) -> Mapping[tuple[int, str], tuple[OpenText, Form]]:
    """The parameters whose schema lacks a format, each with it, by the index of the tool and the pointer: read once for
    both rules."""
    return context.facts.memo("missing formats", lambda: dict(_read_missing(context)))


def _read_missing(context: Context) -> Iterator[tuple[tuple[int, str], tuple[OpenText, Form]]]:
    for tool in context.surface.tools:
        for node in context.facts.nodes(tool):
            found = open_text(node, context) if node.argument is not None else None
            form = _form(found, context) if found is not None else None
            if found is None or form is None or _listed(node, context):
                continue
            if form.widespread or _witness(found, form):
                yield (tool.index, node.pointer), (found, form)


def _witness(found: OpenText, form: Form) -> str:
    schema = found.schema.get("items") if found.items else found.schema
    return witness(form, schema if isinstance(schema, dict) else {})


def _is_easy(form: Form, found: OpenText, context: Context) -> bool:
    """True if a model writes a format correctly without a pattern: it knows the format, or sees a value that has it."""
    return form.widespread or _KNOWN.search(form.said) is not None or any(_shown(found, form, context))


_KNOWN = lazy_pattern(
    r"^an? (?:BCP|CIDR|E\.164|MAC|hexadecimal colour|semantic)|\b(?:codes?|cron|dates?|times?|ISO|Unix)\b"
    r"|^(?:YY|yy|HH:|a key such as)|^text (?:that starts with \S$|without a leading )"
)
"""Layouts of dates and times, codes that have a standard, and one sign in front, which a model reads and does."""


def widespread_format(_surface: Surface, context: Context) -> Iterator[Hit]:
    """Formats that a model writes correctly (URL, date, UUID, one with an example) are patterns, too."""
    found = [(text, form) for text, form in _missing(context).values() if _is_easy(form, text, context)]
    if not found:
        return
    names: dict[str, str] = {}
    for text, form in found:
        names.setdefault(text.name, f"{one_line(text.name, 64)} ({one_line(text.node.tool.name, 64)}: {form.said})")
    listed = list(names.values())
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    first, form = found[0]
    alike = sum(other.said == form.said for _, other in found)
    others = counted(len(found) - alike, "more parameter")
    yield hit(
        join_pointer("/tools", first.node.tool.index) + first.node.pointer if len(found) == 1 else "/tools",
        sorted(names),
        spots=((text.node.tool.name, text.node.pointer) for text, _ in found),
        arguments=counted(len(found), "parameter"),
        tools=counted(len({text.node.tool.index for text, _ in found}), "tool"),
        names=", ".join(listed[:_MAX_NAMES]) + more,
        fragment=first.fragment("pattern", form.pattern),
        argument=first.name,
        parameters=in_short(first.name, first.node.tool.name, alike),
        form=form.said,
        others=f", and {others} may break other formats" if alike < len(found) else "",
    )


_MAX_NAMES = 12
"""Maximum number of parameters named in a message; the rest are counted."""


def _listed(node: SchemaPlace, context: Context) -> bool:
    """True if the values are listed: an enum says more than a pattern."""
    lists = (closed_list(node, context), sibling_list(node, context))
    return any(next(found, None) is not None for found in lists)


def _form(found: OpenText, context: Context) -> Form | None:
    """The format that the descriptions of a parameter give, if those that give one agree."""
    forms = {
        form.pattern: form
        for said in passages_about(found.node, context, mentions=True)
        if (text := _text(said))
        and (form := context.facts.read(stated_form, text, found.name)) is not None
        and (found.items or not _IN_A_ROW.match(text))
    }
    if (
        not forms
        and (text := _in_plain_words(found))
        and (form := context.facts.read(stated_form, text, found.name)) is not None
    ):
        forms = {form.pattern: form}
    # "URL of the page" says less than "Must be from the example.com domain".
    specific = {pattern: form for pattern, form in forms.items() if not form.widespread} or forms
    if len(specific) != 1:
        return None
    form = next(iter(specific.values()))
    return (
        None
        if _takes_more(found, context)
        or any(not re.search(form.pattern, value) for value in _shown(found, form, context))
        else form
    )


def _takes_more(found: OpenText, context: Context) -> bool:
    """True if the parameter's own description allows other forms than the tool's gives: relative paths, for one."""
    own = [said.text for said in passages_about(found.node, context)]
    if any(context.facts.read(stated_form, text, found.name) is not None for text in own):
        return False
    return any(takes_more(text[:_MAX_DESCRIPTION], ()) for text in own)


_IN_A_ROW = lazy_pattern(r"(?:an?\s|the\s|optional\s){0,2}(?:array|list)\sof\s", re.IGNORECASE)
"""Several values in one string, each of which has the form."""


def _shown(found: OpenText, form: Form, context: Context) -> Iterator[str]:
    """The values that the schema of a parameter and the words about it show, except names and the form itself."""
    yield from declared_values(found.schema)
    tool = found.node.tool
    others = context.facts.recent(("quotable", tool.index), lambda: _quotable(tool, context))
    for said in passages_about(found.node, context):
        for value in shown_values(said.text):
            if value.removesuffix("()") not in others and value not in form.said:
                yield value


def _quotable(tool: Tool, context: Context) -> set[str]:
    """What else the descriptions of a tool's parameters may quote: names of tools and parameters, and listed values."""
    words = set(context.facts.names)
    for node in context.facts.nodes(tool):
        if node.argument is not None:
            listed = values_of(root_of(node), node.schema) if isinstance(node.schema, dict) else None
            words.update((node.argument, *(value for value in listed or () if isinstance(value, str))))
    return words


def _in_plain_words(found: OpenText) -> str:
    """What sentences of the description around a parameter demand of it, which they name in plain words: "The start
    day must be …" for ``start_day``, "Paths should end with …" for ``path``."""
    words = name_words(found.name)
    top = found.node.tokens == ("properties", found.name)
    outer = found.node.tool.description if top else parent_of(found.node).get("description")
    description = outer if isinstance(outer, str) else ""
    if not words or not _DEMANDS.are_in(description):
        return ""
    begin = description[:_MAX_DESCRIPTION]
    lower = begin.lower()
    # Most names are not there, and need no expression. Without case, letters that are not ASCII may equal others.
    if (begin + found.name).isascii() and not all(word in lower for word in words):
        return ""
    flat = " ".join(begin.split())
    phrase = re.compile(rf"\b{' '.join(map(re.escape, words))}s?\b", re.IGNORECASE)
    demands = []
    for match in islice(phrase.finditer(flat), _MAX_PHRASES):
        demand = _DEMAND.match(flat, match.end())
        # One word may be any word, unless the sentence is about it.
        if demand is not None and (
            len(words) > 1 or (not demand["between"] and _LEADS.search(flat, max(0, match.start() - 20), match.start()))
        ):
            demands.append(demand["what"])
    return ". ".join(dict.fromkeys(demands))


_MAX_PHRASES = 8
"""Maximum number of occurrences of the phrase that are tried."""
_DEMANDS = Cues(" must ", " should ", " has to ", " have to ")
_DEMAND = lazy_pattern(
    r"(?P<between>[^.]{0,80}?)\s(?P<what>(?:must|should|has to|have to)\s(?:[^.]|\.(?=[^\s\"'`)])){3,200})"
)
_LEADS = lazy_pattern(r"(?:^|[.:]\s|[-*•]\s)(?:(?:the|all|each|every|any)\s)?$", re.IGNORECASE)
"""What stands between the start of a sentence and its subject."""
_MAX_DESCRIPTION = 4_000
"""Maximum number of characters of a tool's description searched for such a sentence."""
_RULES = lazy_pattern(r"- (?:must|has to|have to|should|only|needs to|use)\b", re.IGNORECASE)


def _text(said: Passage) -> str:
    """The part of a description about the format; of a section ("URL requirements") only bullets that are rules."""
    if said.where == "section":
        return "\n".join(line[2:] for line in said.text.split("\n") if _RULES.match(line))
    if said.where == "mention":
        # Brackets right after the name are about this parameter: "fill (hex, by default white)".
        return said.text[1:].partition(")")[0] if said.text.startswith("(") else ""
    return said.text
