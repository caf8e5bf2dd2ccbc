"""Names of tools and parameters in descriptions that do not exist under that name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import Names, plain
from mcp_governor.prose.argument_names import misassigned, named_arguments
from mcp_governor.prose.choices import values_of
from mcp_governor.prose.endpoints import endpoints, sends_requests
from mcp_governor.prose.guarded import Guarded, has_any, lowered
from mcp_governor.prose.likeness import (
    NOTES,
    absent_arguments,
    called_tools,
    listed_tools,
    misnamed_arguments,
    misnamed_tools,
    plainly_misnamed,
    titled_tools,
)
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import root_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.rules.strings import Text
    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool

_MAX_READ = 20_000
"""Maximum number of characters searched for names; a longer description is a manual, mostly about other things."""
_ARGS = lazy_pattern(
    r"(?:args|arguments|parameters|params|(?:required|optional|input) (?:parameters|arguments))\s?:", re.IGNORECASE
)
_ENTRY = lazy_pattern(
    r"(?P<indent>\s*)(?:[-*•]\s)?[`*\"']{0,3}(?P<name>[A-Za-z_]\w{0,63})[`*\"']{0,3}\s?(?:\([^()\n]{0,80}\)\s?)?(?::|\s[-–—])\s"
)
_ABOUT_ANSWERS = (
    r"\b(?:returns?|response|results?|outputs?|contains?|containing|examples?|e\.g\.|for example"
    r"|raises|yields|errors?|each with)\b"
)
_ANSWER = Guarded(
    _ABOUT_ANSWERS,
    *("return", "respon", "result", "output", "contain", "example", "e.g.", "raises", "yields", "error", "each with"),
    starts="cefory",
)
_FROM_HERE = lazy_pattern(_ABOUT_ANSWERS, re.IGNORECASE)
_MAX_COMPARED = 2_000
"""Maximum number of comparisons of a word with a parameter per tool, which take 10 ms; see alike_names."""
_MANUAL = 2_500
"""Characters of a description per parameter that make it a manual of a language: of 148 servers, the long ones that
explain parameters have 1,500 at most, and two manuals of diagram languages have 3,500 and 5,700."""
_MAX_NAMED = 5
"""Maximum number of names quoted in a message."""


def unknown_tool(text: Text, context: Context) -> Iterator[Hit]:
    """A description calls tools by their names."""
    tools = context.facts.memo("tool names", lambda: Names(context.facts.names))
    read = text.value[:_MAX_READ]
    found = dict(misnamed_tools(read, tools))
    # A name without a near one may be that of a tool that is not listed yet.
    if not all(found.values()) and _switches_tools_on(context.facts):
        found = {named: name for named, name in found.items() if name}
    if " tool" in read:
        found.update(plainly_misnamed(read, tools))
        found.update(titled_tools(read, tools))
    if "=" in read and "(" in read:
        found.update(called_tools(read, tools))
    if "\n" in read:
        found.update(listed_tools(read, tools))
    if found:
        known = context.facts.memo("other names", lambda: _other_names(context.facts))
        found = {named: name for named, name in found.items() if named not in known}
        titles = context.facts.memo("titles of tools", lambda: _titles(context.facts))
        for title in sorted(found.keys() & titles.keys()):
            name = titles[title]
            gist = _in_short(text, title, name)
            yield hit(
                text.pointer, text.value, tool=text.tool, says="title", named=title, advice=f"Write {name}.", gist=gist
            )
            del found[title]
    sent = dict(endpoints(read, tools))
    if sent and not context.facts.memo("sends requests", lambda: _sends_requests(context.facts)):
        near = list(dict.fromkeys(filter(None, sent.values())))
        advice = f"Name the tool instead: {_joined(near)}, if that is meant." if near else "Name the tool that does it."
        named = _joined(list(sent)[:_MAX_NAMED])
        gist = _in_short(text, *next(iter(sent.items())))
        yield hit(text.pointer, text.value, tool=text.tool, says="endpoint", named=named, advice=advice, gist=gist)
    if found:
        pairs = list(found.items())[:_MAX_NAMED]
        near = [f"{name} for {named}" for named, name in pairs if name]
        advice = f"Write {', '.join(near)}, if that is meant." if near else "Name a tool that this server has."
        named = _joined([named for named, _ in pairs])
        gist = _in_short(text, *pairs[0])
        yield hit(text.pointer, text.value, tool=text.tool, named=named, advice=advice, gist=gist)


def _switches_tools_on(facts: Facts) -> bool:
    """True if a tool of the server adds others to the list, which may be named before."""

    def does(tool: Tool) -> bool:
        named = {"tool", "tools", "toolset", "toolsets", "discover"} & set(name_words(tool.name))
        return bool(named) and _MORE_TOOLS.search(tool.description[:_MAX_READ]) is not None

    switches: bool = facts.memo("switches tools on", lambda: any(map(does, facts.surface.tools)))
    return switches


_MORE_TOOLS = lazy_pattern(
    # Not what is "enabled", and nothing that turns a tool into something else.
    r"\b(?:activat(?:es?|ing)|enabl(?:es?|ing)|(?:unlock|reveal)(?:s|ing)?|(?:switch|turn)(?:e?s|ing)?\son)"
    r"\s(?:[\w'-]{1,30}\s){0,4}?(?:tool|toolset)s?\b"
    r"|\bload(?:s|ing)?\s(?:[\w'-]{1,30}\s){0,4}?(?:tools|toolsets?)\b"
    r"|\b(?:switch|turn)(?:e?s|ing)?\s(?:[\w'-]{1,30}\s){0,3}?(?:tool|toolset)s?\son\b"
    r"|\btools?\s(?:that\s)?(?:are|is|stay)\s(?:hidden|disabled|not\slisted)\b|\bhidden\stools?\b",
    re.IGNORECASE,
)


def _in_short(text: Text, named: str, name: str) -> str:
    """What a line about several findings says of one, without a full stop."""
    where = one_line(text.tool, 60) if text.tool is not None else "the server"
    return f"{where} names {one_line(named, 60)}" + (f", not {one_line(name, 60)}" if name else "")


def _sends_requests(facts: Facts) -> bool:
    return any(sends_requests(tool.name, tool.input_schema) for tool in facts.surface.tools)


def _titles(facts: Facts) -> dict[str, str]:
    """The titles of the tools, which no call takes, with their names."""
    out: dict[str, str] = {}
    for tool in facts.surface.tools:
        notes = tool.raw.get("annotations")
        for holder in (tool.raw, notes if isinstance(notes, dict) else {}):
            if isinstance(title := holder.get("title"), str) and title not in facts.names:
                out.setdefault(title, tool.name)
    return out


def _joined(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def unknown_argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """The description of a tool calls parameters by their names."""
    declared = tool.raw.get("inputSchema")
    top = declared.get("properties") if isinstance(declared, dict) else None
    if not isinstance(top, dict) or not top:
        return
    nodes = [node for node in context.facts.nodes(tool) if node.side == "inputSchema"]
    names = {node.argument for node in nodes if node.argument is not None}
    arguments = Names(names, _MAX_COMPARED)
    seen: set[str] = set(context.facts.removed.get(tool.index, ()))
    # A manual of a language that one parameter takes names the words of that language.
    manual = len(tool.description) > _MANUAL * len(top)
    capitals = any(name[:1].isupper() for name in names)
    for path, text, (named, name) in _misnamed(tool, nodes, arguments, context.facts):
        # InstanceType next to instance_fleet: a key of the API's own objects.
        foreign = (manual and not name) or (named[:1].isupper() and not capitals)
        if named not in seen and not foreign:
            seen.add(named)
            advice = f"Write {name}" if name else f"Name one of its parameters ({', '.join(sorted(names)[:8])})"
            yield hit(path, text, named=named, advice=advice)


def _misnamed(
    tool: Tool, nodes: list[SchemaPlace], arguments: Names, facts: Facts
) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Pointer and text of each misspelled name, with the word and the nearest name."""
    description = tool.description[:_MAX_READ]
    # The heading's wording does not matter: the entry documents a parameter of this tool.
    yield from (("/description", tool.description, pair) for pair in _undeclared(description, arguments))
    parts = [("/description", tool.description, _asked(description))]
    for node in nodes:
        own = node.schema.get("description") if isinstance(node.schema, dict) else None
        if isinstance(own, str):
            parts.append((f"{node.pointer}/description", own, own[:_MAX_READ]))
    for path, value, text in parts:
        for pair in misnamed_arguments(text, arguments):
            known = facts.memo("other names", lambda: _other_names(facts))
            if pair[0] not in facts.names and (pair[0] not in known or _is_copied(pair[0], text, facts)):
                yield path, value, pair
    for pair in named_arguments(parts[0][2], arguments):
        known = facts.memo("other names", lambda: _other_names(facts))
        if pair[0] not in facts.names and pair[0] not in known:
            yield "/description", tool.description, pair
    if "='" in description or '="' in description:
        assigned = misassigned(parts[0][2], arguments, _values(nodes))
        yield from (("/description", tool.description, pair) for pair in assigned if pair[0] not in facts.names)
    if "f no " in description or "f the " in description:
        others = facts.memo("plain arguments", lambda: _plain_arguments(facts))
        yield from (
            ("/description", tool.description, pair)
            for pair in absent_arguments(parts[0][2], arguments, others)
            if not _is_part(pair[0], parts)
        )


def _is_part(name: str, parts: list[tuple[str, str, str]]) -> bool:
    """True if a parameter takes it with others: "A range (optionally with sheet name)"."""
    phrase = " ".join(name_words(name))
    return any(phrase in " ".join(lowered(text).split()) for _, _, text in parts[1:])


def _values(nodes: list[SchemaPlace]) -> dict[str, str]:
    """The values of the enums of a tool, each with its parameter; values of two parameters are left out."""
    out: dict[str, str] = {}
    twice: set[str] = set()
    for node in nodes:
        for value in values_of(root_of(node), node.argument, node.schema) if node.argument is not None else ():
            if out.setdefault(value, node.argument or "") != node.argument:
                twice.add(value)
    return {value: name for value, name in out.items() if value not in twice}


def _is_copied(name: str, text: str, facts: Facts) -> bool:
    """True if the description documents a parameter of another tool: it was copied with the rest of the description."""
    return name in facts.memo("plain arguments", lambda: _plain_arguments(facts)).values() and notes_on(name, text)


def notes_on(name: str, text: str) -> bool:
    """True if a description has a section about a parameter: "Hints for `name`"."""
    at = text.find(name)
    while at > 0:
        if NOTES.search(text[max(0, at - 40) : at]):
            return True
        at = text.find(name, at + 1)
    return False


def _plain_arguments(facts: Facts) -> dict[str, str]:
    """The parameters of all tools, by their names without case and marks."""
    out: dict[str, str] = {}
    for tool in facts.surface.tools:
        properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
        for name in properties if isinstance(properties, dict) else ():
            out.setdefault(plain(name), name)
    return out


def _asked(description: str) -> str:
    """A description without its lists of results and examples."""
    if _ANSWER.search(description) is None:
        return "\n".join(description.splitlines())
    out: list[str] = []
    apart = False
    for line in description.splitlines():
        flat = line.strip()
        if flat.endswith(":") and not flat.startswith(("-", "*")):
            apart = _ANSWER.search(flat) is not None
        elif not flat:
            apart = False
        elif _FROM_HERE.match(flat):
            apart = True
        if not apart:
            out.append(line)
    return "\n".join(out)


def _undeclared(description: str, arguments: Names) -> Iterator[tuple[str, str]]:
    """Entries of an "Args:" section that are missing in the schema, where another of its entries is present."""
    if ":" not in description or not has_any(lowered(description), ("args", "arguments", "param")):
        return
    within, indent = False, -1
    entries: list[str] = []
    for line in description.splitlines():
        if _ARGS.fullmatch(line.strip(" #*")):
            within, indent = True, -1
            continue
        entry = _ENTRY.match(line) if within else None
        if entry is not None and (indent < 0 or len(entry["indent"]) == indent):
            indent = len(entry["indent"])
            entries.append(entry["name"])
        elif line.strip() and len(line) - len(line.lstrip()) <= max(indent, 0):
            within = False
    if sum(name in arguments.names for name in entries) * 2 < len(entries):
        return
    for name in entries:
        if name not in arguments.names:
            yield name, arguments.variant(name) or arguments.close(name) or ""


def _other_names(facts: Facts) -> frozenset[str]:
    """Names of parameters, result fields, values and prompts; a word spelled like one of them is not a tool."""
    out: set[str] = set()
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.argument is not None:
                out.add(node.argument)
                out.update(values_of(tool.raw.get(node.side), node.argument, node.schema))
    for entry in (*facts.surface.prompts, *facts.surface.resources, *facts.surface.templates):
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str):
            out.add(name)
    return frozenset(out)
