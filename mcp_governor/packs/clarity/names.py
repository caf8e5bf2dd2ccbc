"""Names of tools and parameters in descriptions that do not exist under that name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import Names, other_names
from mcp_governor.prose.claims import read_references
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words
from mcp_governor.subjects.context import hit
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.prose.claims import Claim
    from mcp_governor.rules.strings import Text
    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool

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
    # A name without a near one may be that of a tool that is not listed yet.
    if not all(found.values()) and facts.memo("switches tools on", lambda: _switches_tools_on(facts)):
        found = {named: near for named, near in found.items() if near}
    found.update(_listed(text.value[:_MAX_READ], tools) if listed else ())
    known = other_names(facts) if found else frozenset()
    pairs = [(named, near) for named, near in found.items() if named not in known]
    if pairs:
        right = [f"{name} for {named}" for named, name in pairs[:_MAX_NAMED] if name]
        advice = f"Write {', '.join(right)}, if that is meant." if right else "Name a tool that this server has."
        named = _joined([named for named, _ in pairs[:_MAX_NAMED]])
        yield hit(text.pointer, text.value, tool=text.tool, named=named, advice=advice, gist=_in_short(text, *pairs[0]))


def _misnamed_tool(claim: Claim, tools: Names) -> str | None:
    """The tool that a name seems to mean, empty if it resembles none; ``None`` if it is right, or no name of a tool."""
    word = claim.said["name"]
    if word in tools.names:
        return None
    near = tools.variant(word) or tools.close(word)
    quoted = re.search(rf"[`'\"“]{re.escape(word)}[`'\"”]", claim.sentence) is not None
    if "-" in word and "_" not in word and not tools.hyphenated:
        return near if near is not None and quoted else None  # "the training-load tools"
    if near is not None:
        return None if word.isupper() and not near.isupper() else near
    parts = name_words(word)
    alike = tools.has_style(word) and parts[0] in tools.firsts | _VERBS
    verb = not _VERBS.isdisjoint(parts)
    if claim.sure and (quoted or alike or verb or claim.form == "called-with-arguments"):
        return tools.nearest(word) or ""
    return tools.nearest(word) or "" if alike and verb else None


_VERBS = MUTATING_VERBS | READING_VERBS
_LINE = lazy_pattern(
    r"\s{0,12}(?:[-*•+]|\d{1,2}[.)])\s{1,4}[`*'\"]{0,3}(?P<name>[A-Za-z][\w\-]{2,63})[`*'\"]{0,3}"
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


def _switches_tools_on(facts: Facts) -> bool:
    """True if a tool of the server adds others to the list, which may be named before."""
    named = {"tool", "tools", "toolset", "toolsets", "discover"}
    return any(
        not named.isdisjoint(name_words(tool.name)) and _MORE_TOOLS.search(tool.description[:_MAX_READ]) is not None
        for tool in facts.surface.tools
    )


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


def _joined(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


# -- parameters

_ARGS = lazy_pattern(
    r"(?:args|arguments|parameters|params|(?:required|optional|input) (?:parameters|arguments))\s?:", re.IGNORECASE
)
_ENTRY = lazy_pattern(
    r"(?P<indent>\s*)(?:[-*•]\s)?[`*\"']{0,3}(?P<name>[A-Za-z_]\w{0,63})[`*\"']{0,3}\s?(?:\([^()\n]{0,80}\)\s?)?(?::|\s[-–—])\s",
    re.NOFLAG,
)


def unknown_argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """The description of a tool calls parameters by their names."""
    facts, declared = context.facts, tool.raw.get("inputSchema")
    top = declared.get("properties") if isinstance(declared, dict) else None
    if not isinstance(top, dict) or not top:
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
        yield hit(path, text, named=named, advice=f"Write {near}" if near else f"Name one of its parameters ({names})")


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
            variant = arguments.variant(word)
            hyphens = "-" in word and not arguments.hyphenated
            if hyphens and f"{word}=" not in text and f"`{word}" not in text:
                continue  # "Use case-sensitive matching" says what it does, not what it is called.
            if word in other_names(facts):
                continue
            near = variant or arguments.close(word) or ""
            if near or (claim.sure and (whole or claim.form == "marked-argument")):
                yield path, text, word, near


def _undeclared(description: str, arguments: Names) -> Iterator[tuple[str, str]]:
    """Entries of an "Args:" section that are missing in the schema, where another of its entries is present."""
    within, indent = False, -1
    entries: list[str] = []
    for line in description.splitlines() if ":" in description else ():
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
