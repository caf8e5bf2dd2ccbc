"""Words that stand twice: copied descriptions, boilerplate, and twins among tools. Linear in the number of tools."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.effects import DESTROYING_VERBS, product_prefix, verb_of
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.words import STOP_WORDS, name_words, stem, words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool

_MOST_TEXT = 20_000
"""Characters of one text that are compared: far more than any client shows."""

# -- copied

_FEWEST_SAME = 12
"""Words, without the common ones and those of the names, from which on two descriptions that agree are a copy. Short
descriptions of one family agree for good reason ("Creates a branch in a repository")."""


def copied_description(surface: Surface, context: Context) -> Iterator[Hit]:
    """No description is that of another tool with only the name changed."""
    repeated = {line for line, tools in _lines(context).items() if len(tools) >= _FEWEST_TOOLS}
    first: dict[tuple[str, ...], Tool] = {}
    for tool in surface.tools:
        own = {stem(word) for word in name_words(tool.name)}
        text = tool.description[:_MOST_TEXT]
        if repeated:
            text = " ".join([line for line in _split(text) if line not in repeated])
        key = tuple(word for word in words(text) if word not in STOP_WORDS and stem(word) not in own)
        if len(key) < _FEWEST_SAME:
            continue
        other = first.setdefault(key, tool)
        if other is not tool:
            yield hit("/description", tool.description, tool=tool.name, sibling=other.name)


def copied_argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """No two arguments of one object are described by the same words."""
    first: dict[tuple[Any, ...], str] = {}
    for node in context.facts.nodes(tool):
        text = node.schema.get("description") if isinstance(node.schema, dict) else None
        if node.argument is None or node.side != "inputSchema" or not isinstance(text, str):
            continue
        said = tuple(words(text[:_MOST_TEXT]))
        if len([word for word in said if word not in STOP_WORDS]) < 2:
            continue
        other = first.setdefault((node.tokens[:-1], said), node.argument)
        if other != node.argument:
            yield hit(f"{node.pointer}/description", text, argument=node.argument, other=other)


# -- boilerplate

_FEWEST_TOOLS = 3
"""Tools that repeat a text from which on it is boilerplate; two may be a pair."""
_SHORTEST = 40
"""Characters of a text that is worth being said once only."""
_FEWEST_TOKENS = 1_000
"""Tokens that the repetitions of a server cost in every session: below, nobody would take the trouble."""
_FEWEST_OF_ONE = 300
"""Tokens of one text's copies from which on there is one to begin with; many small ones have to cost twice as much."""
_WORST = 3
"""Texts that a message quotes, the dearest first."""
_SPLIT = re.compile(r"\n|(?<=[.!?])\s+")


def boilerplate(surface: Surface, context: Context) -> Iterator[Hit]:
    """What many descriptions repeat costs less than a thousand tokens; one hit for the server."""
    places: dict[str, list[tuple[str, str]]] = {}
    for line, tools in _lines(context).items():
        places[line] = [(name, "") for name in tools]
    for tool in surface.tools:
        for tokens, text in _arguments(tool.input_schema):
            if len(text) >= _SHORTEST:
                places.setdefault(text, []).append((tool.name, join_pointer("", *tokens)))
    costs = {text: len(text) * (len(at) - 1) // 4 for text, at in places.items() if len(at) >= _FEWEST_TOOLS}
    total = sum(costs.values())
    worst = sorted(costs, key=lambda text: -costs[text])[:_WORST]
    if total < _FEWEST_TOKENS or (total < 2 * _FEWEST_TOKENS and costs[worst[0]] < _FEWEST_OF_ONE):
        return
    shown = [_shown(text, places[text], costs[text]) for text in worst]
    yield hit("/tools", tokens=f"{total:,}", worst="; ".join(shown))


def _arguments(schema: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """The descriptions of arguments, of objects within arguments too, each with the way to it."""
    stack: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while stack:
        tokens, held = stack.pop()
        properties = held.get("properties") if isinstance(held, dict) else None
        for name, argument in islice(properties.items() if isinstance(properties, dict) else (), _MOST_PROPERTIES):
            if isinstance(argument, dict):
                below = (*tokens, "properties", name)
                if isinstance(text := argument.get("description"), str):
                    yield below, text.strip()
                if len(below) < _DEEPEST:
                    stack.append((below, argument))


_MOST_PROPERTIES = 1_000
"""Arguments of one object; one that has more was not written by hand."""
_DEEPEST = 8
"""Tokens of the way to an argument: four objects within each other."""


def _shown(text: str, places: list[tuple[str, str]], cost: int) -> str:
    names = ", ".join(one_line(tool, 64) for tool, _ in places[:_WORST])
    name = places[0][1].rpartition("/")[2]
    about = f"{one_line(name, 64)}, " if name else ""
    return f'{about}"{one_line(text, 40)}" in {counted(len(places), "tool")} ({names}, …: {cost:,})'


def _lines(context: Context) -> dict[str, list[str]]:
    """The lines and sentences of descriptions → the tools that have them, each once."""
    return context.facts.memo("lines of descriptions", lambda: _lines_of(context.surface))


def _lines_of(surface: Surface) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for tool in surface.tools:
        for line in dict.fromkeys(_split(tool.description)):
            if len(line) >= _SHORTEST:
                out.setdefault(line, []).append(tool.name)
    return out


def _split(text: str) -> list[str]:
    """The lines and sentences of a text; some may be empty."""
    text = text[:_MOST_TEXT]
    if not text.replace("\n", "").isprintable():
        return [line.strip() for line in _SPLIT.split(text)]
    # All white space is blanks and line feeds: without an expression it takes a tenth of the time.
    for end in ".!?":
        text = text.replace(f"{end} ", f"{end}\n")
    return [line.strip() for line in text.split("\n")]


# -- says only the name

_EMPTY = {stem(word) for word in STOP_WORDS} | {
    stem(word)
    for word in ("about", "all", "current", "details", "existing", "id", "information", "info", "new", "specific")
}
_GRAVE = DESTROYING_VERBS | {"pause", "reset", "stop"}
_FACTS = frozenset({"data", "details", "info", "information", "stats", "status", "summary"})
"""Last words of names that promise facts without saying which."""


def tautology(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A tool that takes something away, or that promises facts, says more than its name."""
    prefix = product_prefix(surface)
    common = _common(surface)
    for tool in surface.tools:
        parts = name_words(tool.name)
        grave = verb_of(tool, prefix) in _GRAVE
        facts = bool(parts) and parts[-1] in _FACTS and not tool.output_schema
        if not grave and not facts:
            continue
        said = {stem(word) for word in words(tool.description[:_MOST_TEXT])} - _EMPTY - common
        if tool.description.strip() and said <= {stem(word) for word in (*parts, *words(tool.title or ""))}:
            yield hit("/description", tool.description, tool=tool.name, says="" if facts else "grave")


def _common(surface: Surface) -> set[str]:
    """Stems that half of the descriptions have: the product's words say nothing of a single tool."""
    product = {stem(word) for word in name_words(surface.name or "")}
    openings = (words(tool.description[:400]) for tool in surface.tools)
    counts = Counter(root for said in openings for root in {stem(word) for word in said})
    return product | {root for root, count in counts.items() if count >= 4 and count * 2 >= len(surface.tools)}


# -- twins

_PRAISE = frozenset(
    [
        *("advanced", "basic", "better", "enhanced", "ex", "extended", "full", "improved", "legacy", "new", "old"),
        *("plus", "pro", "robust", "safe", "simple", "smart", "v2", "v3"),
    ]
)
"""Last words of names that say of a tool how good it is, not what it does."""
_WHEN = re.compile(
    r"\b(?:use (?:this|it|when|for|only|if|instead)|instead of|rather than|prefer|unlike|when (?:you|the)|"
    r"only (?:for|if)|deprecated|also returns|in addition)\b",
    re.IGNORECASE,
)
_SHOWN = 3
"""Other tools that a message names; what is more is left out."""


def overlapping_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Of a tool that is another one but better, the description says when to take which; one hit per family."""
    families: dict[tuple[str, ...], list[Tool]] = {}
    for tool in surface.tools:
        parts = _name(tool)
        for size in range(1, min(len(parts), 4) + 1):
            families.setdefault(parts[:size], []).append(tool)
    done: set[tuple[str, ...]] = set()
    for tool in surface.tools:
        parts = _name(tool)
        base = parts[:-1]
        if len(base) < 2 or parts[-1] not in _PRAISE or base in done or len(base) > 4:
            continue
        twins = [other for other in islice(families[base], 20) if other is not tool]
        if not twins or _tells(tool, twins) or any(_name(other) == base and _tells(other, [tool]) for other in twins):
            continue
        done.add(base)
        twins.sort(key=lambda other: (_name(other) != base, _name(other)[-1] not in _PRAISE))
        siblings = ", ".join(one_line(other.name, 64) for other in twins[:_SHOWN])
        yield hit("/description", tool.description, tool=tool.name, word=parts[-1], siblings=siblings)


def _name(tool: Tool) -> tuple[str, ...]:
    """The words of a name, a version in one piece."""
    parts = name_words(tool.name)
    if len(parts) > 2 and parts[-2] == "v" and parts[-1].isdigit():
        return (*parts[:-2], f"v{parts[-1]}")
    return parts


def _tells(tool: Tool, twins: list[Tool]) -> bool:
    text = tool.description[:_MOST_TEXT]
    return bool(_WHEN.search(text)) or any(other.name in text for other in twins)
