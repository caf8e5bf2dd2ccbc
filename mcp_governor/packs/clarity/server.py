"""Problems with one cause in many places: titles, spelling, remains of web pages, lists without pagination."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Cues, Guarded
from mcp_governor.prose.misspellings import MISSPELT
from mcp_governor.prose.words import name_words
from mcp_governor.rules.strings import surface_prose
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, first_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.rules.strings import Text
    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface, Tool

_MAX_QUOTED_BEFORE = 6
"""Maximum number of places named in a message; the others are counted."""
_MAX_READ = 20_000
"""Maximum number of characters read from one string."""


_Spot = tuple[str | None, str]
"""A tool and a pointer into it."""


class _Place(NamedTuple):
    """One problem, with its tool and its parameter."""

    what: str
    tool: str
    argument: str

    def __str__(self) -> str:
        where = f"{self.argument} of {self.tool}" if self.argument else self.tool
        return f"{one_line(self.what, 60)} ({one_line(where, 120)})"


def _place(what: str, text: Text) -> _Place:
    tokens = [token for token in pointer_tokens(text.pointer) if token not in ("description", "title")]
    declared = [after for key, after in itertools.pairwise(tokens) if key == "properties"]
    return _Place(what, text.tool or "the server", declared[-1] if declared else "")


def _shown(places: Iterable[object]) -> str:
    found = [str(place) for place in places]
    more = [f"and {len(found) - _MAX_QUOTED_BEFORE} more"] if len(found) > _MAX_QUOTED_BEFORE else []
    return ", ".join([*found[:_MAX_QUOTED_BEFORE], *more])


# -- spelling


def misspelt(surface: Surface, context: Context) -> Iterator[Hit]:
    """No word is misspelled in a way that a program can be sure of; one hit for the server."""
    found: dict[str, _Place] = {}
    read: dict[str, list[str]] = {}
    spots: list[_Spot] = []
    for text in _prose(surface, context):
        if text.value not in read:
            read[text.value] = _misspelt(text.value[:_MAX_READ].lower())
        for word in read[text.value]:
            found.setdefault(word, _place(f"{word} for {MISSPELT[word]}", text))
            spots.append((text.tool, text.pointer))
    if found:
        yield hit("/tools", sorted(found), spots=spots, words=_shown(found.values()))


# A word in quotes or within an identifier is a name and keeps its spelling.
_WORD = lazy_pattern(r"(?<![\w\-`'\"./])[a-z]{4,20}(?![\w\-`'\"])")


_MISSPELT = Cues(*MISSPELT)


def _misspelt(value: str) -> list[str]:
    """The misspelled words in a string in lower case."""
    return sorted(MISSPELT.keys() & _WORD.findall(value)) if _MISSPELT.are_in(value) else []


def _prose(surface: Surface, context: Context) -> list[Text]:
    found: list[Text] = context.facts.memo("prose", lambda: list(surface_prose(surface)))
    return found


# -- remains of web pages

_LINK = lazy_pattern(
    r"\b(?:refer to|see|read|by|call|via|through|using|ref:|the)\s(?:the\s)?"
    r"(?P<link>\[[A-Z][\w'-]*(?:\s[\w'\-/&]+){1,10}\])(?![(\[:\w])"
)
_TAG_END = lazy_pattern(r"</(?P<name>[a-z][\w]*(?:-[\w]+)+)>")
_FOLLOWS = lazy_pattern(
    r"\b(?:(?:in|to|see) the (?:following (?:example|table|figure|image|screenshot)|(?:example|table|figure) below)"
    r"|as shown (?:below|in the (?:figure|image|table)))[^{}\[\]`|:]{0,100}$",
    re.IGNORECASE,
)


_REFERENCE = lazy_pattern(r"\[[^\[\]\n]{1,60}\]\(ref:[\w-]{1,60}\)")
_ESCAPED = 2
"""Number of backticks with a backslash from which on they do not stand for themselves."""


def leftovers(surface: Surface, context: Context) -> Iterator[Hit]:
    """No string contains links without an address, HTML tags, or a pointer to a missing example; one hit for the
    server."""
    found: dict[tuple[str, str], _Place] = {}
    spots: list[_Spot] = []
    for text in _prose(surface, context):
        for what in _left_over(text.value[:_MAX_READ]):
            found.setdefault((what, text.tool or ""), _place(what, text))
            spots.append((text.tool, text.pointer))
    if found:
        # The rarest come first: there are dozens of links.
        places = sorted(found.values(), key=lambda place: place.what.startswith("["))
        yield hit("/tools", len(found), spots=spots, places=_shown(places))


def _left_over(value: str) -> Iterator[str]:
    if "[" in value:
        yield from (f"{match['link']} without an address" for match in _LINK.finditer(value))
    if "](ref:" in value:
        yield from (f"{match[0]} leads to nothing" for match in _REFERENCE.finditer(value))
    if value.count("\\`") >= _ESCAPED and value.count("\\`") == value.count("`"):
        yield "backslashes before backticks"
    if "</" in value:
        for match in _TAG_END.finditer(value):
            if f"<{match['name']}" not in value:
                yield f"the tag {match[0]} left over"
    if "the following" in value or "below" in value or "shown" in value:
        points = _FOLLOWS.search(value.rstrip())
        if points is not None:
            yield f'no example follows "{one_line(points[0], 40)}"'


# -- prompts


def undescribed_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """More than half of the tools have a description; one hit for the server."""
    silent = [tool.name for tool in surface.tools if not tool.description.strip()]
    if silent and 2 * len(silent) >= len(surface.tools):
        spots = ((name, "/description") for name in silent)
        total, names = counted(len(surface.tools), "tool"), first_of(silent, 6)
        yield hit("/tools", None, spots=spots, count=len(silent), total=total, names=names)


def prompts(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Prompts and their arguments have descriptions; one hit for the server."""
    found: list[tuple[str, str]] = []
    for index, prompt in enumerate(surface.prompts):
        if isinstance(prompt, dict):
            found += [(name, f"/prompts/{index}{at}") for name, at in _silent(prompt)]
    if found:
        names = _shown(f"{name} (a prompt)" for name, _ in found)
        yield hit(found[0][1], len(found), spots=((None, at) for _, at in found), names=names)


def _silent(prompt: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A prompt without a description, and its arguments without one; of one without any words, only the prompt."""
    name = one_line(str(prompt.get("name")), 64)
    if not prompt.get("description"):
        yield name, ""
        return
    arguments = prompt.get("arguments")
    for index, argument in enumerate(arguments if isinstance(arguments, list) else ()):
        if isinstance(argument, dict) and not argument.get("description"):
            yield f"{one_line(str(argument.get('name')), 64)} of {name}", f"/arguments/{index}"


# -- the history of the code

_HISTORY = Guarded(
    r"(?P<number>\(#\d{2,6}\)|\b(?:fixes|fixed in|bug|since)\s#\d{2,6}\b)"
    r"|\bunchanged from (?:prior|previous|earlier) \w{1,20}|\b(?:prior|previous|old|former) behaviou?r\b"
    r"|\bin prior (?:versions|releases)\b|\bthis (?:patch|pull request) (?:only|adds|address\w*|allows|fixes|makes)\b"
    r"|\bfor backwards?[- ]compatibility\b|\bsometimes (?:emitted|sent) by (?:clients|models|LLMs)\b",
    # A heading has a "#" as well, and every second description says how something behaves.
    *("(#", "fixes", "fixed in", "bug", "since", "unchanged from", "prior ", "previous behav", "old behav"),
    *("former behav", "this patch", "this pull", "for backward", "sometimes emitted", "sometimes sent"),
)
_COLOUR = lazy_pattern(r"\b(?:colou?rs?|hex|rgb)\b", re.IGNORECASE)
_QUOTED_BEFORE = lazy_pattern(r"[`'\"][^`'\"\n]{0,80}$")


def history(surface: Surface, context: Context) -> Iterator[Hit]:
    """No description reports how the code came to be as it is; one hit for the server."""
    found: dict[tuple[str, str], _Place] = {}
    spots: list[_Spot] = []
    for text in _prose(surface, context):
        for what in _history_in(text.value[:_MAX_READ]):
            found.setdefault((what.lower(), text.tool or ""), _place(f'"{what}"', text))
            spots.append((text.tool, text.pointer))
    if found:
        places = list(found.values())
        yield hit("/tools", len(found), spots=spots, places=_shown(places), first=str(places[0]))


def _history_in(value: str) -> Iterator[str]:
    for match in _HISTORY.finditer(value):
        # "#333" is a colour as well, and "see #12" in quotes an example of a message.
        quoted = _QUOTED_BEFORE.search(value, max(0, match.start() - 80), match.start())
        if not match["number"] or not (quoted or _COLOUR.search(value)):
            yield match[0]


# -- lists without pagination

_PAGES = frozenset(
    ["cursor", "page", "offset", "skip", "after", "before", "start", "token", "continuation", "since", "until"]
)
_LIMITS = frozenset(["limit", "top", "count", "results", "first", "size", "per"])
_LISTS = frozenset(["list", "history"])
_MIN_PAGED = 2
"""Number of paginated tools from which on a tool without pagination is an oversight."""


def unpaged(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list with a limit has pagination if other lists of the server have it; one hit for the server."""
    paged = [tool.name for tool in surface.tools if _words_of(tool) & _PAGES]
    if len(paged) < _MIN_PAGED:
        return
    found = [
        (tool.name, limit)
        for tool in surface.tools
        if _is_list(tool.name) and (limit := _limit_of(tool)) is not None and not _words_of(tool) & _PAGES
    ]
    if found:
        # Lists show best what is meant.
        shown = sorted(paged, key=lambda name: not _is_list(name))[:_MIN_PAGED]
        spots = ((tool, limit) for tool, limit in found)
        named = _shown(_Place(pointer_tokens(limit)[-1], tool, "") for tool, limit in found)
        yield hit("/tools", [tool for tool, _ in found], spots=spots, names=named, paged=", ".join(shown))


def _is_list(name: str) -> bool:
    return not _LISTS.isdisjoint(name_words(name))


def _limit_of(tool: Tool) -> str | None:
    """A pointer to the parameter that says how many a list may have, nested or not; ``None`` without one."""
    pointers: list[tuple[Any, str]] = [(tool.input_schema, "/inputSchema")]
    # It grows meanwhile.
    for schema, at in itertools.islice(pointers, _MAX_STEPS):
        arguments = schema.get("properties") if isinstance(schema, dict) else None
        for name, argument in arguments.items() if isinstance(arguments, dict) else ():
            below = join_pointer(at, "properties", name)
            if not _LIMITS.isdisjoint(name_words(name)):
                return below
            pointers.append((argument, below))
    return None


def _words_of(tool: Tool) -> set[str]:
    """The words of the names of a tool's parameters, nested ones included."""
    out: set[str] = set()
    stack, steps = [tool.input_schema], 0
    while stack and steps < _MAX_STEPS:
        schema, steps = stack.pop(), steps + 1
        arguments = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(arguments, dict):
            parts = map(name_words, arguments)
            # "startTime" is a point in time, not the first of a page.
            out.update(word for part in parts if part[-1:] not in _TIMES for word in part)
            stack.extend(arguments.values())
    return out


_TIMES = frozenset([("date",), ("time",), ("timestamp",)])
_MAX_STEPS = 500
"""Maximum number of schemas visited per tool."""
