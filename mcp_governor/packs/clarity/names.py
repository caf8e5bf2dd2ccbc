"""Names of tools and parameters in descriptions that do not exist under that name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import Names, other_names
from mcp_governor.prose.asides import without_results
from mcp_governor.prose.claims import read_references
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.snippets import Call, Snippet, calls, misfit, missing, snippets
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import parameters_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.prose.claims import Claim
    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace, Text
    from mcp_governor.surface.model import Surface, Tool


_MAX_READ = 20_000
"""Maximum number of characters searched for names; a longer description is a manual, mostly about other things."""
_MAX_COMPARED = 2_000
"""Maximum number of comparisons of a word with a parameter per tool, which take 10 ms; see alike_names."""
_MANUAL = 2_500
"""Characters of a description per parameter that make it a manual of a language: of 148 servers, the long ones that
explain parameters have 1,500 at most, and two manuals of diagram languages have 3,500 and 5,700."""
_MAX_NAMED = 5
"""Maximum number of names quoted in a message."""


def unknown_tool(text: Text, context: Context) -> Iterator[Hit]:
    """A description calls tools by their names."""
    facts = context.facts
    claims = facts.read(read_references, text.value)
    listed = text.value.count("\n") > 1
    if not claims and not listed:
        return
    tools: Names = facts.memo("tool names", lambda: Names(facts.names))
    found: dict[str, str] = {}
    for claim in claims:
        if claim.kind == "tool" and (near := _misnamed_tool(claim, tools)) is not None:
            found[claim.said["name"]] = near
    found.update(_listed(text.value[:_MAX_READ], tools) if listed else ())
    known = other_names(facts) if found else frozenset()
    pairs = [(named, near) for named, near in found.items() if named not in known]
    if pairs:
        right = [f"{name} for {named}" for named, name in pairs[:_MAX_NAMED] if name]
        advice = f"Write {', '.join(right)}, if that is meant." if right else "Name a tool that this server has."
        named = " and ".join(", ".join(name for name, _ in pairs[:_MAX_NAMED]).rsplit(", ", 1))
        wrong, meant = (one_line(name, 60) for name in pairs[0])
        gist = f"{one_line(text.tool or 'the server', 60)} names {wrong}{f', not {meant}' if meant else ''}"
        yield hit(text.pointer, text.value, tool=text.tool, named=named, advice=advice, gist=gist)


def _misnamed_tool(claim: Claim, tools: Names) -> str | None:
    """The tool that a name seems to mean, empty if it resembles none; ``None`` if it is right, or no name of a tool."""
    word = claim.said["name"]
    if word in tools.names:
        return None
    near = tools.variant(word) or tools.close(word)
    quoted = re.search(rf"[`'\"“]{re.escape(word)}[`'\"”]", claim.sentence) is not None
    if "-" in word and not tools.hyphenated:
        return near if near is not None and quoted else None  # "the training-load tools"
    if near is not None:
        return None if word.isupper() else near
    parts = name_words(word)
    alike = tools.has_style(word) and parts[0] in tools.firsts | _VERBS
    verb = not _VERBS.isdisjoint(parts)
    if claim.sure and (quoted or alike or verb):
        return tools.nearest(word) or ""
    return tools.nearest(word) or "" if alike and verb else None


_VERBS = MUTATING_VERBS | READING_VERBS
_LINE = lazy_pattern(
    r"\s{0,12}(?:[-*+]|•|\d{1,2}[.)])\s{1,4}[`*'\"]{0,3}(?P<name>[A-Za-z][\w\-]{2,63})[`*'\"]{0,3}"
    r"\s?(?:\([^()\n]{0,80}\)\s?)?(?::|–|—|-\s)",
    re.NOFLAG,
)
_MIN_LISTED = 3
"""Minimum number of known tools in a list for it to be a list of tools."""


def _listed(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """The unknown names in lists of tools, each with the nearest tool."""
    group: list[str] = []
    for line in [*text.split("\n"), "."]:
        match = _LINE.match(line)
        if match is not None:
            group += [] if match["name"].istitle() else [match["name"]]
        elif line[:1].strip() and group:
            unknown = [name for name in group if name not in tools.names]
            if _MIN_LISTED <= len(group) - len(unknown) > len(unknown):
                yield from ((name, tools.variant(name) or tools.close(name) or "") for name in unknown)
            group = []
        elif not line.strip():
            continue


# -- parameters

_ARGS = Guarded(
    r"(?:args|arguments|parameters|params|(?:required|optional|input) (?:parameters|arguments))\s?:",
    *("args", "arguments", "param"),
)
_ENTRY = lazy_pattern(
    r"(?P<indent>\s*)(?:[-*]\s|•\s)?[`*\"']{0,3}(?P<name>[A-Za-z_]\w{0,63})[`*\"']{0,3}\s?(?:\([^()\n]{0,80}\)\s?)?(?::|\s[-–—])\s",
    re.NOFLAG,
)


def unknown_argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """The description of a tool calls parameters by their names."""
    facts, top = context.facts, parameters_of(tool)
    if not top:
        return
    nodes = [node for node in facts.nodes(tool) if node.side == "inputSchema" and node.argument is not None]
    arguments = Names({node.argument or "" for node in nodes}, _MAX_COMPARED)
    # A manual of a language that one parameter takes names the words of that language.
    manual = len(tool.description) > _MANUAL * len(top)
    capitals = any(name[:1].isupper() for name in arguments.names)
    seen: set[str] = set()
    for path, text, named, near in _misnamed(tool, nodes, arguments, facts):
        # InstanceType next to instance_fleet: a key of the API's own objects.
        if named in seen or (manual and not near) or (named[:1].isupper() and not capitals):
            continue
        seen.add(named)
        names = ", ".join(sorted(arguments.names)[:8])
        advice = f"Write {near}" if near else f"Name one of its parameters ({names})"
        if named in _INJECTED:
            advice = f"Remove {named}, if the framework passes it, or name one of its parameters ({names})"
        yield hit(path, text, named=named, advice=advice)


_INJECTED = ("context", "ctx", "self")
"""Parameters of a function in Python that are not parameters of the tool."""


def _misnamed(
    tool: Tool, nodes: list[SchemaPlace], arguments: Names, facts: Facts
) -> Iterator[tuple[str, str, str, str]]:
    """Pointer and text of each misspelled name, with the word and the nearest name."""
    text = tool.description
    for named, near in _undeclared(text[:_MAX_READ], arguments):
        yield "/description", text, named, near
    said = [("/description", text, True)]
    for node in nodes:
        own = node.schema.get("description") if isinstance(node.schema, dict) else None
        if isinstance(own, str):
            said.append((f"{node.pointer}/description", own, False))
    for path, text, whole in said:
        for claim in facts.read(read_references, text):
            word = claim.said["name"]
            if claim.kind != "argument" or word in arguments.names or word in facts.names:
                continue
            hyphens = "-" in word and not arguments.hyphenated
            if hyphens and f"{word}=" not in text and f"`{word}" not in text:
                continue  # "Use case-sensitive matching" says what it does, not what it is called.
            if word in other_names(facts):
                continue
            near = arguments.variant(word) or arguments.close(word) or ""
            if near or (claim.sure and whole):
                yield path, text, word, near


def _undeclared(description: str, arguments: Names) -> Iterator[tuple[str, str]]:
    """Entries of an "Args:" section that are missing in the schema, where another of its entries is present."""
    within, indent = False, -1
    entries: list[str] = []
    for line in description.splitlines() if _ARGS.search(description) else ():
        if _ARGS.fullmatch(line.strip(" #*")):
            within, indent = True, -1
            continue
        entry = _ENTRY.match(line) if within else None
        if entry is not None and (indent < 0 or len(entry["indent"]) == indent):
            indent = len(entry["indent"])
            entries.append(entry["name"])
        elif line.strip() and len(line) - len(line.lstrip()) <= max(indent, 0):
            within = False
    if sum(name in arguments.names for name in entries) * 2 >= len(entries):
        unknown = (name for name in entries if name not in arguments.names)
        yield from ((name, arguments.variant(name) or arguments.close(name) or "") for name in unknown)


_MAX_READ = 20_000
"""Maximum number of characters of a description searched for examples."""
_MAX_SHOWN = 2
"""Maximum number of problems quoted in a message."""
_DENIED = lazy_pattern(
    r"\b(?:not|wrong|bad|invalid|incorrect|avoid|don't|never)\b[^{}\[\]\n.]{0,60}$|❌[^\n]{0,60}$"
    r"|\b(?:returns?|returned|responses?|responds|outputs?|results?|yields|contains)\b[^{}\[\]]{0,200}$",
    re.IGNORECASE,
)
"""What is in front of an example that nobody should send, or of a result."""
_CALLED = lazy_pattern(
    r"\b(?:examples?|e\.g\.|usage|call|calls|calling|invoke|input|arguments?)\b[^{}\[\]\n]{0,60}$", re.IGNORECASE
)
_IN_A_LIST = lazy_pattern(
    r"\bexamples?\s?:?\*{0,2}\s?\n(?:[ \t]{0,8}(?:[-*]|•|\d{1,2}[.)])[^\n]{0,300}\n){0,6}"
    r"[ \t]{0,8}(?:[-*]|•|\d{1,2}[.)])[^{}\[\]\n]{0,80}$",
    re.IGNORECASE,
)
"""An item of a list under the heading "Examples:", up to what it shows."""


def broken_example(tool: Tool, context: Context) -> Iterator[Hit]:
    """An example written as JSON is valid JSON."""
    # A sketch of a result, with comments, is nothing that a model sends.
    sent = without_results(tool.description)
    said = [("/description", tool.description, sent)]
    for name, argument in parameters_of(tool).items():
        own = argument.get("description") if isinstance(argument, dict) else None
        if isinstance(own, str):
            said.append((join_pointer("/inputSchema/properties", name, "description"), own, own))
    for pointer, text, read in said:
        broken = [one for one in _snippets(read, context) if one.broken]
        if broken:
            more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
            yield hit(pointer, text, example=_short(broken[0].text), problem=broken[0].broken, more=more)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:80]}…"


def _snippets(text: str, context: Context) -> tuple[Snippet, ...]:
    return context.facts.read(_read, text) if "{" in text or "[" in text else ()


def _read(text: str) -> tuple[Snippet, ...]:
    return tuple(snippets(text[:_MAX_READ]))


def unfit_example(surface: Surface, context: Context) -> Iterator[Hit]:
    """The schema accepts every value and call that a description shows."""
    names = frozenset(name for name in surface.by_name if name.isidentifier())
    if surface.instructions:
        yield from _hits("/instructions", None, surface.instructions, _of_calls(surface, surface.instructions, names))
    for tool in surface.tools:
        text = tool.description
        found = [
            *_of_calls(surface, text, names),
            *_of_messages(surface, text, context),
            *_of_values(tool, without_results(text), context),
        ]
        yield from _hits("/description", tool.name, text, found)


def _hits(pointer: str, tool: str | None, text: str, found: Iterable[str]) -> Iterator[Hit]:
    problems = list(dict.fromkeys(found))
    if problems:
        more = f"; and {len(problems) - _MAX_SHOWN} more" if len(problems) > _MAX_SHOWN else ""
        gist = f"{one_line(tool, 64) if tool is not None else 'the instructions'}: {problems[0]}"
        yield hit(pointer, text, tool=tool, problems="; ".join(problems[:_MAX_SHOWN]) + more, gist=gist)


def _of_values(tool: Tool, text: str, context: Context) -> Iterator[str]:
    """Problems with objects whose keys are parameters of the tool."""
    found = _snippets(text, context)
    if not found:
        return
    arguments, schema = parameters_of(tool), tool.input_schema
    for one in found:
        value = one.value
        front = text[max(0, one.at - 200) : one.at]
        if not isinstance(value, dict) or not value or _DENIED.search(front):
            continue
        called = _CALLED.search(front) or _IN_A_LIST.search(text[max(0, one.at - 600) : one.at])
        # An object that shares only some names with the parameters may be unrelated.
        if not value.keys() <= arguments.keys() or not (len(value) > 1 or called):
            continue
        shown = _short(one.text)
        reason = misfit(schema, schema, value)
        absent = missing(schema, value) if called else []
        if reason:
            yield f"{reason} in {shown}"
        elif absent:
            yield f"{_named(absent)} required and not in {shown}"


def _of_messages(surface: Surface, text: str, context: Context) -> Iterator[str]:
    """Problems with calls as clients send them: ``{"name": "read", "arguments": {"path": "a"}}``."""
    for one in _snippets(text, context):
        value = one.value
        if not isinstance(value, dict) or not value.keys() <= _MESSAGE or _DENIED.search(text[: one.at][-200:]):
            continue
        tool = surface.by_name.get(str(value.get("name", value.get("tool"))))
        given = next((value[key] for key in _GIVEN if isinstance(value.get(key), dict)), None)
        # Of a tool with such parameters, these are its own.
        if tool is None or given is None or value.keys() <= parameters_of(tool).keys():
            continue
        reason = misfit(tool.input_schema, tool.input_schema, given)
        absent = missing(tool.input_schema, given)
        if reason or absent:
            yield f"{reason or f'{_named(absent)} required and not'} in {_short(one.text)}"


_GIVEN = ("arguments", "args", "input", "parameters", "params")
_MESSAGE = frozenset({"name", "tool", *_GIVEN})
"""Keys of a call."""


def _named(names: list[str]) -> str:
    return f"{' and '.join(names[:3])} {'is' if len(names) == 1 else 'are'}"


def _of_calls(surface: Surface, text: str, names: frozenset[str]) -> Iterator[str]:
    """Problems with calls of tools written in Python."""
    if "(" in text:
        for call in calls(text[:_MAX_READ], names):
            reason = _unfit_call(call, surface.by_name[call.name])
            if reason:
                yield f"{reason} in {_short(call.text)}"


def _unfit_call(call: Call, tool: Tool) -> str:
    arguments, schema = parameters_of(tool), tool.input_schema
    for name, value in call.named.items():
        if name not in arguments:
            return f"{name} is not declared"
        reason = misfit(schema, arguments[name], value, name, 1)
        if reason:
            return reason
    return ""
