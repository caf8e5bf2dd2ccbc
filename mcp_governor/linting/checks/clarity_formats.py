"""Arguments whose form the prose gives, and whose schema takes any text."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.findings import Effect
from mcp_governor.linting.checks.clarity_lists import closed_list, sibling_list
from mcp_governor.linting.context import hit
from mcp_governor.linting.corrections import correction, in_tool, keyword_edits
from mcp_governor.linting.formats import stated_form
from mcp_governor.linting.open_text import OpenText, open_text
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.said import said_of
from mcp_governor.linting.words import name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.linting.context import Context, Hit, SchemaPlace
    from mcp_governor.linting.named_forms import Form
    from mcp_governor.linting.said import Said
    from mcp_governor.surface.model import Surface


def stated_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A form that the description gives is a pattern."""
    found = open_text(node, context)
    form = _form(found, context) if found is not None else None
    if found is not None and form is not None and not form.widespread and not _listed(node, context):
        yield found.hit("pattern", form.pattern, form=form.said)


def widespread_format(surface: Surface, context: Context) -> Iterator[Hit]:
    """Forms that everybody knows (URL, e-mail address, UUID), or that rule out a character, are patterns as well."""
    found: list[tuple[OpenText, Form]] = []
    for tool in surface.tools:
        for node in context.facts.nodes(tool):
            text = open_text(node, context)
            form = _form(text, context) if text is not None else None
            if text is not None and form is not None and form.widespread and not _listed(node, context):
                found.append((text, form))
    if not found:
        return
    names: dict[str, str] = {}
    for text, form in found:
        names.setdefault(text.name, f"{one_line(text.name, 64)} ({one_line(text.node.tool.name, 64)}: {form.said})")
    listed = list(names.values())
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    first, form = found[0]
    yield hit(
        join_pointer("/tools", first.node.tool.index) + first.node.pointer if len(found) == 1 else "/tools",
        sorted(names),
        correction=correction(
            [
                edit
                for text, form in found
                for edit in in_tool(
                    keyword_edits(text.node, {"pattern": form.pattern}, items=text.items), text.node.tool.name
                )
            ],
            Effect.NARROWER,
        ),
        arguments=counted(len(found), "argument"),
        tools=counted(len({text.node.tool.index for text, _ in found}), "tool"),
        names=", ".join(listed[:_MOST_NAMES]) + more,
        fragment=first.fragment("pattern", form.pattern),
        argument=first.name,
    )


_MOST_NAMES = 12
"""Arguments that a message names; the rest is counted."""


def _listed(node: SchemaPlace, context: Context) -> bool:
    """Whether the values are known: an enum says more than a pattern."""
    lists = (closed_list(node, context), sibling_list(node, context))
    return any(next(found, None) is not None for found in lists)


def _form(found: OpenText, context: Context) -> Form | None:
    """The form that the texts about an argument give: all that give one give the same."""
    forms = {
        form.pattern: form
        for said in said_of(found.node, context, mentions=True)
        if (text := _text(said)) and (form := stated_form(text, found.name)) is not None
    }
    if not forms and (text := _in_plain_words(found)) and (form := stated_form(text, found.name)) is not None:
        forms = {form.pattern: form}
    # "URL of the page" says less than "Must be from the example.com domain".
    told = {pattern: form for pattern, form in forms.items() if not form.widespread} or forms
    if len(told) != 1:
        return None
    form = next(iter(told.values()))
    return form if not found.default or re.search(form.pattern, found.default) else None


def _in_plain_words(found: OpenText) -> str:
    """What a sentence of the tool's description demands of the argument that it names in plain words: "The start day
    must be …" for ``start_day``."""
    words, description = name_words(found.name), found.node.tool.description
    if len(words) < 2 or found.node.tokens != ("properties", found.name) or " must " not in description:
        return ""
    flat = " ".join(description[:_MOST_DESCRIPTION].split())
    phrase = re.compile(rf"\b{' '.join(words)}\b", re.IGNORECASE)
    for match in islice(phrase.finditer(flat), _MOST_PHRASES):
        demand = _DEMAND.match(flat, match.end())
        if demand is not None:
            return demand["what"]
    return ""


_MOST_PHRASES = 8
"""Places of the phrase that are looked at."""
_DEMAND = re.compile(r"[^.]{0,80}?\s(?P<what>must\s[^.]{3,200})")
_MOST_DESCRIPTION = 4_000
"""Characters of a tool's description in which such a sentence is looked for."""
_RULES = re.compile(r"- (?:must|has to|have to|should|only|needs to|use)\b", re.IGNORECASE)


def _text(said: Said) -> str:
    """What a text says of the form: of a section ("URL requirements") those bullets that are rules."""
    if said.where == "section":
        return "\n".join(line[2:] for line in said.text.split("\n") if _RULES.match(line))
    return said.text if said.where != "mention" else ""
