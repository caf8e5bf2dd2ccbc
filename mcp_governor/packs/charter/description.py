"""The description rules of the charter (Principle 2 and Enforcement level 1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import looks_like_a_tool
from mcp_governor.prose.chains import chains
from mcp_governor.prose.mentions import NameIndex
from mcp_governor.subjects.context import Context, Hit, hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_MARKS = lazy_pattern(r"[*_]+")
_QUOTE = lazy_pattern(r"[\s>]*")
_SENTENCE = lazy_pattern(r"(?<=[.!?;])[\s*_]+|\n\s*\n")
_LEAD = "use this when"
# The description may call the tool this, it, or by its name.
_NOT_THIS = r"(?:don't|do not) use (?:(?:this|it|this tool|this one|the tool|`?{name}`?) )?when\b"
_INSTEAD = lazy_pattern(r"\binstead,? when\b")
_INSTEAD_OF = lazy_pattern(r"\buse\s((?:(?!\buse\s)(?:[^.;\n]|\.(?=\w))){1,160}?)\sinstead,?\swhen\b", re.IGNORECASE)
_WORD = lazy_pattern(r"(?<![\w:/.\-])_*([`'\"]?)([A-Za-z]\w*(?:[.\-]\w+)*)(?![\w:/])")


def _folded(text: str) -> str:
    """Lower case, without emphasis marks, with one kind of apostrophe and with white space collapsed."""
    return " ".join(_MARKS.sub("", text).lower().replace("\u2019", "'").split())


def use_this_when(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The description opens with "Use this when"; emphasis and block quote marks are ignored."""
    opening = _QUOTE.sub("", tool.description, count=1)
    if not _folded(opening[:200]).startswith(_LEAD):
        yield hit("/description", tool.raw.get("description"))


def _disambiguates(text: str, name: str) -> bool:
    folded = _folded(text)
    return (
        _INSTEAD.search(folded) is not None
        or re.search(_NOT_THIS.format(name=re.escape(_folded(name))), folded) is not None
    )


def disambiguation(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The description says when to use something else, or when not to use this tool."""
    if not _disambiguates(tool.description, tool.name):
        yield hit("/description", tool.raw.get("description"))


def neighbour(tool: Tool, context: Context) -> Iterator[Hit]:
    """The tool that the description recommends instead ("Use X instead when") exists on the server."""
    text = tool.description.replace("*", "")
    words = (word for sentence in _INSTEAD_OF.finditer(text) for word in _WORD.finditer(sentence[1]))
    named = {(word[2].rstrip("_"), bool(word[1])) for word in words}
    facts = context.facts
    unknown = {
        name for name, marked in named if name not in facts.names and looks_like_a_tool(name, facts, marked=marked)
    }
    if unknown:
        yield hit("/description", tool.raw.get("description"), unknown=sorted(unknown))


def _others(tool: Tool, context: Context) -> list[tuple[int, str]]:
    """Mentions of the server's other tools in the description."""
    index = context.facts.memo("name-index", lambda: NameIndex(context.facts.names))
    return [(start, name) for start, name in index.mentions(tool.description) if name != tool.name]


def composition(tool: Tool, context: Context) -> Iterator[Hit]:
    """The description names another tool of the same server, if there is one."""
    if len(context.facts.names) > 1 and not _others(tool, context):
        yield hit("/description", tool.raw.get("description"))


def _composed(tool: Tool, context: Context) -> list[tuple[int, str]]:
    """Mentions of other tools outside the sentences about when not to use this one."""
    text = tool.description
    bounds = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text) + 1]
    known: dict[int, bool] = {}
    out = []
    for start, name in _others(tool, context):
        number = bisect_right(bounds, start)
        if number not in known:
            known[number] = _disambiguates(text[bounds[number - 1] : bounds[number]], tool.name)
        if not known[number]:
            out.append((start, name))
    return out


def separate_composition(tool: Tool, context: Context) -> Iterator[Hit]:
    """At least one other tool is named outside the sentences about when not to use this one."""
    others = _others(tool, context)
    if others and not _composed(tool, context):
        yield hit("/description", tool.description, names=sorted({name for _, name in others}))


def composition_count(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at most as many compositions as the charter allows: each chain counts, and each tool outside
    chains."""
    spans = list(chains(tool.description))
    composed = _composed(tool, context)
    # A mention within a chain counts as the chain, any other as its tool.
    found: set[int | str] = set()
    for start, name in composed:
        number = bisect_right(spans, (start, len(tool.description)))
        found.add(number if number and start < spans[number - 1][1] else name)
    count = len(found)
    if count > context.options["max"]:
        yield hit("/description", tool.description, count=count, names=sorted({name for _, name in composed}))
