"""Words that descriptions say twice: in a docstring and a schema, or in two sentences."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.declared import declared
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.words import STOP_WORDS, name_words, stem, words
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.prose.declared import Declared
    from mcp_governor.surface.model import Surface, Tool

_MAX_TEXT = 20_000
"""Maximum number of characters of one description that are compared."""
_SHOWN = 6
"""Maximum number of places named in a message; the rest are counted."""


def _shown(places: list[str]) -> str:
    """The first places; behind a comma, because each may be a list with "and" of its own."""
    more = [f"and {len(places) - _SHOWN} more"] if len(places) > _SHOWN else []
    return ", ".join([*places[:_SHOWN], *more])


# -- only in the docstring

_FEWEST = 3
"""Minimum number of parameters; one or two are an oversight."""


_SHORTEST = 40
"""Minimum number of characters of a parameter's description that the tool's repeats word for word; shorter ones may
agree by chance."""
_FEWEST_WORDS = 3
"""Minimum number of words of an entry that say something."""
_LEAST = 2
"""The same for a sentence: "Powers off a server"."""
_MAX_SOUGHT = 60
"""Maximum number of parameters per tool whose words are searched for in the tool's description."""
_MIN_PARAMETERS = 3
"""Minimum number of repeated parameters of a server; one or two are emphasis."""
_MIN_COST = 300
"""Minimum number of repeated characters on a server without repeated sentences; less is not worth the effort."""
_NAMED = 3
"""Maximum number of parameters named per tool."""
_LONGEST_SENTENCE = 300
"""Maximum number of characters of a second sentence that may be the first one again."""
_FILL = frozenset(stem(word) for word in STOP_WORDS) | frozenset(
    stem(word)
    for word in (
        *("all", "array", "bool", "boolean", "default", "defaults", "dict", "existing", "float", "if", "int"),
        *("integer", "list", "name", "named", "new", "none", "null", "number", "object", "optional", "required"),
        *("specific", "str", "string", "these", "those", "true", "type", "value", "whether", "which"),
    )
)
_PARTS = lazy_pattern(r"\n\s{0,80}\n|\n(?=\s{0,80}[-*•#|\d])|(?<=[.!?])\s+")
_NO_SENTENCE = ("-", "*", "•", "#", "|", "`", "<", "{", "[", ">")
_THIS = lazy_pattern(r"(?:use )?(?:this|the) (?:tool|function|endpoint)\b|this [a-z]+s\b", re.IGNORECASE)
_IDENTIFIER = lazy_pattern(r"[a-z]_[a-z]|[`/]", re.IGNORECASE)
"""Names another tool, a parameter or an address, which the first sentence has at most in words."""
_READING = frozenset(stem(word) for word in ("fetch", "get", "list", "retrieve", "return", "returns", "show"))
_LABEL = lazy_pattern(r"\w[\w ]{0,30}:(?:\s|$)")


class _Twice(NamedTuple):
    """One repetition.

    Attributes:
        what: in words, for the message.
        tool: its tool.
        pointer: to the description to shorten.
        cost: repeated characters.
    """

    what: str
    tool: Tool
    pointer: str
    cost: int


def said_twice(surface: Surface, context: Context) -> Iterator[Hit]:
    """No description says twice what it says, or what its parameters say; one hit for the server."""
    found = [*_parameters_again(surface, context)]
    if len(found) < _MIN_PARAMETERS or sum(one.cost for one in found) < _MIN_COST:
        found = []
    of_tools: dict[int, list[_Twice]] = {}
    for one in found:
        of_tools.setdefault(one.tool.index, []).append(one)
    groups = sorted(of_tools.values(), key=lambda ones: -sum(one.cost for one in ones))
    shown = [f"{_listed(ones)} in the description of {one_line(ones[0].tool.name, 64)}" for ones in groups]
    lines = [twice for tool in surface.tools if (twice := _lines_again(tool)) is not None]
    shown = [*(one.what for one in lines), *shown]
    if shown:
        spots = ((one.tool.name, one.pointer) for one in (*lines, *found))
        yield hit("/tools", spots=spots, places=_shown(shown), first=shown[0])


def _listed(ones: list[_Twice]) -> str:
    more = f" and {counted(len(ones) - _NAMED, 'more parameter')}" if len(ones) > _NAMED else ""
    return " and ".join(one.what for one in ones[:_NAMED]) + more


def _parameters_again(surface: Surface, context: Context) -> Iterator[_Twice]:
    """The parameters whose description the tool's description repeats."""
    letters: dict[int, str] = {}
    sought: Counter[int] = Counter()
    for one in declared(surface, context):
        own = one.schema.get("description")
        if one.nested or not isinstance(own, str) or not one.tool.description:
            continue
        entry = outline_of(one.tool, context.facts).entries.get(one.name, "")
        if entry and _adds_nothing(entry, one, own):
            yield _Twice(one_line(one.name, 64), one.tool, "/description", len(entry))
        elif _SHORTEST <= len(own) <= len(one.tool.description) and sought[one.tool.index] < _MAX_SOUGHT:
            sought[one.tool.index] += 1
            if one.tool.index not in letters:
                letters[one.tool.index] = _letters(one.tool.description)
            if _letters(own) in letters[one.tool.index]:
                yield _Twice(one_line(one.name, 64), one.tool, "/description", len(own))


def _adds_nothing(entry: str, one: Declared, own: str) -> bool:
    """True if an entry of a docstring has no word that the parameter's description, name, default or type lacks."""
    said = _stems(entry)
    if len(said) < _FEWEST_WORDS:
        return False
    known = _stems(own) | {stem(word) for word in name_words(one.name)}
    more = (one.schema.get("default"), one.schema.get("minimum"), one.schema.get("maximum"), one.schema.get("enum"))
    return said <= known | _stems(" ".join(map(str, more))[:_MAX_TEXT])


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text[:_MAX_TEXT])} - _FILL


def _letters(text: str) -> str:
    """The words of a description without case, marks and line breaks."""
    return f" {' '.join(words(text[:_MAX_TEXT]))} "


def _lines_again(tool: Tool) -> _Twice | None:
    """The second sentence of a description that says the first again, or whole paragraphs that it has twice."""
    text = tool.description[:_MAX_TEXT]
    if len(text) < _SHORTEST:
        return None
    parts = [part.strip() for part in _PARTS.split(text)]
    parts = [part for part in parts if part]
    name = one_line(tool.name, 64)
    if len(parts) > 1 and _is_again(parts[0], parts[1]):
        return _Twice(f'"{one_line(parts[1], 60)}" ({name}) after its first sentence', tool, "/description", 0)
    if len(text) < 2 * _MIN_COST:
        return None
    counts = Counter(part for part in parts if len(part) >= _SHORTEST)
    twice = [part for part, count in counts.items() if count > 1]
    if len(twice) >= _FEWEST and sum(map(len, twice)) >= _MIN_COST:
        what = f'{counted(len(twice), "sentence")} of {name}, such as "{one_line(twice[0], 60)}"'
        return _Twice(what, tool, "/description", 0)
    return None


def _is_again(first: str, second: str) -> bool:
    """True if a sentence says no more than the one before it."""
    if len(second) > _LONGEST_SENTENCE or second.startswith(_NO_SENTENCE) or first.startswith(_NO_SENTENCE):
        return False
    if _LABEL.match(second) or _LABEL.match(first) or second.endswith(":") or not _begins_again(first, second):
        return False
    again = _stems(second) - _READING
    return len(again) >= _LEAST and again <= _stems(first) and _IDENTIFIER.search(second) is None


def _begins_again(first: str, second: str) -> bool:
    """True if a sentence begins as the one before it, or with "This tool"."""
    if _THIS.match(second):
        return True
    verbs = [next(iter(words(sentence[:60])), "") for sentence in (first, second)]
    return stem(verbs[0]) == stem(verbs[1]) or all(stem(verb) in _READING for verb in verbs)
