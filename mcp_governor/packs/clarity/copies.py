"""Repeated words: copied descriptions, boilerplate, and near-identical tools. Linear in the number of tools."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.effects import DESTROYING_VERBS, product_prefix, verb_of
from mcp_governor.prose.words import MUTATING_VERBS, STOP_WORDS, name_words, stem, words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted, first_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import SchemaPlace
    from mcp_governor.surface.model import Surface, Tool

_MAX_TEXT = 20_000
"""Maximum number of characters of one description that are compared: far more than any client shows."""

# -- copied

_MIN_SAME = 12
"""Number of words, apart from common ones and those of the names, from which on two equal descriptions are a copy.
Short descriptions of similar tools agree for good reason ("Creates a branch in a repository")."""


def copied_description(surface: Surface, context: Context) -> Iterator[Hit]:
    """No description equals that of another tool apart from the name."""
    repeated = {line for line, tools in _lines(context).items() if len(tools) >= _MIN_TOOLS}
    first: dict[tuple[str, ...], Tool] = {}
    for tool in surface.tools:
        own = {stem(word) for word in name_words(tool.name)}
        text = tool.description[:_MAX_TEXT]
        if repeated:
            text = " ".join([line for line in _split(text) if line not in repeated])
        key = tuple(word for word in words(text) if word not in STOP_WORDS and stem(word) not in own)
        if len(key) < _MIN_SAME:
            continue
        other = first.setdefault(key, tool)
        if other is not tool:
            yield hit("/description", tool.description, tool=tool.name, sibling=other.name)


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
        shown = [" and ".join(one_line(tool.name, 64) for tool in family[:_SHOWN]) for family in found[:_SHOWN]]
        more = f" and {counted(len(found) - _SHOWN, 'more pair')}" if len(found) > _SHOWN else ""
        spots = ((tool.name, "/description") for family in found for tool in family)
        named = [[tool.name for tool in family] for family in found]
        yield hit("/tools", named, spots=spots, twins="; ".join(shown) + more)


def copied_argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """No two parameters of one object have the same description.

    Three or more share one on purpose: it gives a format, such as "ISO 8601 date", and their names differ enough.
    """
    alike: dict[str, list[tuple[SchemaPlace, str]]] = {}
    for node in context.facts.nodes(tool):
        text = node.schema.get("description") if isinstance(node.schema, dict) else None
        if node.argument is not None and node.side == "inputSchema" and isinstance(text, str):
            alike.setdefault(_letters(text[:_MAX_TEXT]), []).append((node, text))
    yield from _of_the_tool(tool, alike)
    same: dict[tuple[Any, ...], list[tuple[SchemaPlace, str]]] = {}
    for node, text in (one for found in alike.values() if len(found) > 1 for one in found):
        said = tuple(words(text[:_MAX_TEXT]))
        if len([word for word in said if word not in STOP_WORDS]) < 2:
            continue
        same.setdefault((node.tokens[:-1], said), []).append((node, text))
    for found in same.values():
        if len(found) == _A_COPY:
            (first, _), (second, text) = found
            # Neither "Cloud only" nor "Colour without #" is about one of the two: what differs is in their names.
            one, other = ({stem(word) for word in name_words(node.argument or "")} for node in (first, second))
            if (one ^ other).isdisjoint(stem(word) for word in words(text[:_MAX_TEXT])):
                continue
            yield hit(f"{second.pointer}/description", text, argument=second.argument, other=first.argument)


def _of_the_tool(tool: Tool, said: dict[str, list[tuple[SchemaPlace, str]]]) -> Iterator[Hit]:
    """One of several parameters has the description of the tool."""
    own = tool.description[:_MAX_TEXT]
    several = sum(map(len, said.values())) > 1
    for node, text in said.get(_letters(own), ()) if several and len(words(own)) >= _MIN_WORDS else ():
        yield hit(f"{node.pointer}/description", text, says="tool", argument=node.argument)


_DROPPED = {code: None for code in range(128) if not chr(code).isalnum()}


def _letters(text: str) -> str:
    """The words of a string without what separates them: far cheaper than its words, and equal if they are."""
    return text.lower().translate(_DROPPED) if text.isascii() else "".join(words(text)).replace("'", "")


_A_COPY = 2
"""Number of parameters with the same description that suggests a mistake."""


# -- boilerplate

_MIN_TOOLS = 3
"""Number of tools from which on a repeated line is boilerplate; two may be a pair."""
_SHORTEST = 40
"""Minimum length in characters of a line that is worth saying only once."""
_SHORTEST_OF_PARAMETER = 60
"""The same for the description of a parameter, which belongs wherever the parameter is."""
_MIN_TOKENS = 1_000
"""Minimum cost of all repetitions in tokens per session; less is not worth the effort."""
_MIN_OF_ONE = 300
"""Minimum cost of one line's copies in tokens, so that there is one to begin with; without it the total must be twice
as high."""
_COMMON_TO = 8
"""Minimum number of tools for a line that half of the tools have."""
_MIN_OF_COMMON = 200
"""Minimum cost of the copies of such a line in tokens."""
_ENTRY = lazy_pattern(r"(?:[-*]\s)?`?[a-z_]\w{0,40}`?\s?(?:\([^()]{0,60}\))?\s?(?::|-\s)", re.NOFLAG)
"""A line of "Args:", which belongs wherever the parameter is."""
_WORST = 3
"""Maximum number of lines quoted in a message, the most expensive first."""
_SPLIT = lazy_pattern(r"\n|(?<=[.!?])\s+")


def boilerplate(surface: Surface, context: Context) -> Iterator[Hit]:
    """Repeated lines cost less than a thousand tokens; one hit for the server."""
    places: dict[str, list[tuple[str, str]]] = {}
    for line, tools in _lines(context).items():
        places[line] = [(name, "") for name in tools]
    for tool in surface.tools:
        for tokens, text in _arguments(tool.input_schema):
            if len(text) >= _SHORTEST_OF_PARAMETER:
                places.setdefault(text, []).append((tool.name, join_pointer("/inputSchema", *tokens)))
    costs = {text: len(text) * (len(at) - 1) // 4 for text, at in places.items() if len(at) >= _MIN_TOOLS}
    total = sum(costs.values())
    worst = sorted(costs, key=lambda text: -costs[text])[:_WORST]
    if total < _MIN_TOKENS or (total < 2 * _MIN_TOKENS and costs[worst[0]] < _MIN_OF_ONE):
        # What most tools say is about the server, however short it is.
        common = max(_COMMON_TO, (len(surface.tools) + 1) // 2)
        worst = [text for text in worst if costs[text] >= _MIN_OF_COMMON and _is_common(text, places[text], common)]
        total = sum(costs[text] for text in worst)
    if not worst:
        return
    shown = [_shown(text, places[text], costs[text]) for text in worst]
    spots = ((tool, f"{at}/description") for text in worst for tool, at in places[text])
    yield hit("/tools", spots=spots, tokens=f"{total:,}", worst="; ".join(shown))


def _is_common(text: str, places: list[tuple[str, str]], common: int) -> bool:
    """True if so many tools say something that is about none of their parameters."""
    return len(places) >= common and not any(at for _, at in places) and _ENTRY.match(text) is None


def _arguments(schema: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """The descriptions of parameters, nested ones included, each with its path."""
    stack: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while stack:
        tokens, held = stack.pop()
        properties = held.get("properties") if isinstance(held, dict) else None
        for name, argument in islice(properties.items() if isinstance(properties, dict) else (), _MAX_PROPERTIES):
            if isinstance(argument, dict):
                below = (*tokens, "properties", name)
                if isinstance(text := argument.get("description"), str):
                    yield below, text.strip()
                if len(below) < _MAX_DEPTH:
                    stack.append((below, argument))


_MAX_PROPERTIES = 1_000
"""Maximum number of parameters in one object; a larger object was not written by hand."""
_MAX_DEPTH = 8
"""Maximum length of the path to a parameter, in tokens: four nested objects."""


def _shown(text: str, places: list[tuple[str, str]], cost: int) -> str:
    names = ", ".join(one_line(tool, 64) for tool, _ in places[:_WORST])
    name = places[0][1].rpartition("/")[2]
    about = f"{one_line(name, 64)}, " if name else ""
    return f'{about}"{one_line(text, 40)}" in {counted(len(places), "tool")} ({names}, …: {cost:,} tokens)'


def _lines(context: Context) -> dict[str, list[str]]:
    """The lines and sentences of descriptions, each with the tools that contain it."""
    return context.facts.memo("lines of descriptions", lambda: _lines_of(context.surface))


def _lines_of(surface: Surface) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for tool in surface.tools:
        for line in dict.fromkeys(_split(tool.description)):
            if len(line) >= _SHORTEST:
                out.setdefault(line, []).append(tool.name)
    return out


def _split(text: str) -> list[str]:
    """The lines and sentences of a string; some may be empty."""
    text = text[:_MAX_TEXT]
    if not text.replace("\n", "").isprintable():
        return [line.strip() for line in _SPLIT.split(text)]
    # All white space is spaces and line feeds here; without a regular expression this takes a tenth of the time.
    for end in ".!?":
        text = text.replace(f"{end} ", f"{end}\n")
    return [line.strip() for line in text.split("\n")]


# -- repeats only the name

_EMPTY = {stem(word) for word in STOP_WORDS} | {
    stem(word)
    for word in (
        *("about", "all", "comprehensive", "current", "detailed", "details", "existing", "fetch", "id", "information"),
        *("info", "list", "new", "one", "retrieve", "return", "single", "specific"),
    )
}
_CHANGES = frozenset({"edit", "modify", "patch", "put", "set", "update"})
_FACTS = frozenset(
    ["data", "detail", "details", "health", "info", "information", "metrics", "settings", "stats", "status", "summary"]
)
"""Last words of names that promise facts but do not say which."""
_PROMISES = frozenset({"detail", "details", "info", "information"})
"""Words of descriptions that do the same."""
_SECTION = lazy_pattern(
    r"\n\s{0,20}(?:args|arguments|parameters|params|returns?|raises|error responses)\s?:", re.IGNORECASE
)
"""Where a description goes on about parameters and results."""
_FEWEST = 3
"""Minimum number of tools: alone, a plain "Deletes the branch" is a matter of taste, as judges of single ones said."""
_MAX_NAMED = 6
"""Maximum number of tools named per question; the rest are counted."""
_QUESTIONS = (
    "what is lost and if it can be undone",
    "if a call replaces the whole or changes only what it sends",
    "which facts come back",
)


def tautology(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Tools that remove or replace something, or that promise facts, say more than their names; one hit."""
    prefix, common = product_prefix(surface), _common(surface)
    asked: dict[str, list[str]] = {question: [] for question in _QUESTIONS}
    for tool in surface.tools:
        question = _question(tool, verb_of(tool, prefix))
        if question is not None and _says_its_name(tool, common):
            asked[question].append(tool.name)
    names = [name for found in asked.values() for name in found]
    if len(names) >= _FEWEST:
        shown = [f"{question} ({first_of(found, _MAX_NAMED)})" for question, found in asked.items() if found]
        yield hit("/tools", spots=((name, "/description") for name in names), questions="; ".join(shown))


def _question(tool: Tool, verb: str | None) -> str | None:
    """What the name leaves open, if it does."""
    lost, replaced, facts = _QUESTIONS
    if verb in DESTROYING_VERBS:
        return lost
    if verb in _CHANGES:
        return replaced if _takes_a_whole(tool) and not _SECTION.search(tool.description[:_MAX_TEXT]) else None
    promised = _FACTS.intersection(name_words(tool.name)[-1:]) or _PROMISES.intersection(words(tool.description[:200]))
    return facts if promised and verb not in MUTATING_VERBS and not tool.output_schema else None


def _takes_a_whole(tool: Tool) -> bool:
    """True if a parameter is an object or a list, which may replace what was there."""
    properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
    values = properties.values() if isinstance(properties, dict) else ()
    return any(isinstance(one, dict) and one.get("type") in ("array", "object") for one in values)


def _says_its_name(tool: Tool, common: set[str]) -> bool:
    text = tool.description[:_MAX_TEXT]
    section = _SECTION.search(text) if "\n" in text else None
    said = {stem(word) for word in words(text[: section.start()] if section is not None else text)} - _EMPTY - common
    return bool(text.strip()) and said <= {stem(word) for word in (*name_words(tool.name), *words(tool.title or ""))}


def _common(surface: Surface) -> set[str]:
    """Stems that half of the descriptions contain: words about the product do not describe a single tool."""
    product = {stem(word) for word in name_words(surface.name or "")}
    openings = (words(tool.description[:400]) for tool in surface.tools)
    counts = Counter(root for said in openings for root in {stem(word) for word in said})
    return product | {root for root, count in counts.items() if count >= 4 and count * 2 >= len(surface.tools)}


# -- near-identical tools

_PRAISE = frozenset(
    [
        *("advanced", "basic", "better", "enhanced", "ex", "extended", "full", "improved", "legacy", "new", "old"),
        *("plus", "pro", "robust", "safe", "simple", "smart", "v2", "v3"),
    ]
)
"""Last words of names that say how good a tool is, not what it does."""
_WHEN = lazy_pattern(
    r"\b(?:use (?:this|it|when|for|only|if|instead)|instead of|rather than|prefer|unlike|when (?:you|the)|"
    r"only (?:for|if)|deprecated|also returns|in addition)\b",
    re.IGNORECASE,
)
_SHOWN = 3
"""Maximum number of other tools named in a message."""


def overlapping_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """The description of a better version of a tool says when to use which; one hit per family."""
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
        if (
            not twins
            or _explains(tool, twins)
            or any(_name(other) == base and _explains(other, [tool]) for other in twins)
        ):
            continue
        done.add(base)
        twins.sort(key=lambda other: (_name(other) != base, _name(other)[-1] not in _PRAISE))
        siblings = ", ".join(one_line(other.name, 64) for other in twins[:_SHOWN])
        yield hit("/description", tool.description, tool=tool.name, word=parts[-1], siblings=siblings)


def _name(tool: Tool) -> tuple[str, ...]:
    """The words of a name, with a version kept as one word."""
    parts = name_words(tool.name)
    if len(parts) > 2 and parts[-2] == "v" and parts[-1].isdigit():
        return (*parts[:-2], f"v{parts[-1]}")
    return parts


def _explains(tool: Tool, twins: list[Tool]) -> bool:
    text = tool.description[:_MAX_TEXT]
    if _WHEN.search(text) or any(other.name in text for other in twins):
        return True
    if _name(tool)[-1] not in _AMOUNTS:
        return False
    words = set(_WORD.findall(text.lower()))
    # A full version that lists what the light one lacks leaves no doubt.
    return all(len(words.difference(_WORD.findall(other.description[:_MAX_TEXT].lower()))) >= _ADDED for other in twins)


_WORD = lazy_pattern(r"[a-z]{3,}")
_ADDED = 6
"""Number of words that say what is added: "detailed and extensive, including all" has four."""
_AMOUNTS = frozenset({"basic", "extended", "full", "simple"})
"""Words of praise for an amount of output, which a description may spell out."""
