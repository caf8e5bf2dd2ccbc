"""Collect values that the server itself published: ids and names in earlier results, in resources and in prompts.

Results are not trusted and can have any size: a bounded part of each is read, and a bounded number of values is kept.
"""

from __future__ import annotations

import json
import re
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.words import key_of, nouns, singular, words
from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.call.outcome import Response
    from mcp_governor.surface.model import Surface

MAX_NODES = 5_000
"""Most values of one result that are read: enough for the first page of a list, however it is wrapped."""

_MAX_ITEMS = 50
"""Most items of a list, members of an object and arguments of a call that are read: a page. The ids of the first page
are enough to call other tools; the rest is ignored."""
_MAX_VALUES = 5
"""Most values that one tool adds to a name, and most folders that are kept: a refused call is retried three times, so
more would not be used."""
_MAX_KEYS = 2_000
"""Most names for which values are kept, with at most 50 values each. Real results have dozens of names; further names
are not learned."""
_MAX_VALUE_LENGTH = 300
"""Longest value that is kept, in characters. Ids, paths and addresses are shorter; longer strings are content."""
_MAX_JSON_LENGTH = 1_000_000
"""Longest text that is parsed as JSON, in characters. A longer one is read line by line, which is cheaper."""

_MAX_LINES = 300
"""Most lines that are read: a few lines per item of the first page (``_MAX_ITEMS``)."""
_MAX_LINE_LENGTH = 500
"""Longest line, in characters: a label, a value of ``_MAX_VALUE_LENGTH`` and some Markdown. The rest of a longer line
is not read."""
_PAIR = re.compile(
    r"^[\s\-*#>\d.]{0,12}[`*\"]{0,3}([A-Za-z][\w /.-]{0,60}?)[`*\"]{0,3}\s{0,3}[:=]\s{1,3}[`*\"]{0,3}(\S[^`*\"]{0,298})"
)
_ENTRY = re.compile(r"^\[FILE\] (\S.{0,200})$")
_BULLET = re.compile(r"^\s{0,8}(?:[-*\u2022]|\d{1,3}[.)])?\s{0,4}[`*\"]{0,3}([^\s`*\",:]{1,200})[`*\",]{0,3}$")
_SECRET = word_set("token secret password passwd passphrase apikey credential credentials authorization cookie cursor")
REFERENCES = word_set(
    "id iid key name slug uuid guid handle identifier ref sha hash uri url number symbol label tag node collection "
    "table entity resource project repo repository issue channel space board bucket database schema model topic "
    "index dashboard file title prompt"
)
"""Last words of parameter names that refer to something that exists. Other values of results are not used."""

_IDENTIFY = ("id", "key", "name", "full_name", "slug", "uri", "uuid", "identifier", "number", "title")
_MAX_TEXT_LENGTH = 4_000
"""Characters of a refusal that are searched for allowed folders: a page. Servers name them in the first lines."""
_ALLOWED = re.compile(
    r"\b(?:(?:allowed|permitted) [\w ]{0,40}:?|not in)\s{0,3}[`'\"]?(/[^\s'\"`,]{1,300})", 2
)  # re.IGNORECASE
_ROOTS = word_set("allowed root roots workspace workspaces")


class Fact(Struct, frozen=True):
    """One value from the server.

    Attributes:
        value: a string or an integer.
        tool: the tool that returned it; empty for the lists of the surface.
        about: nouns that describe it, from the name of the tool and of the list that contained it.
    """

    value: str | int
    tool: str
    about: frozenset[str]


class Learned:
    """Facts by key, in the order in which they came.

    Args:
        tools: names of the server's tools.
    """

    def __init__(self, tools: Iterable[str] = ()) -> None:
        names = [frozenset(map(singular, words(name))) for name in islice(tools, _MAX_KEYS)]
        # Words that all tool names share are the name of the server.
        self._common = frozenset.intersection(*names) if len(names) > 2 else frozenset()
        self._nouns = frozenset(noun for name in islice(tools, _MAX_KEYS) for noun in nouns(name, self._common))
        self._facts: dict[str, list[Fact]] = {}
        self._worked: dict[str, str | int] = {}
        self.trusted: dict[str, str | int] = {}
        self.folders: list[str] = []
        self.files: list[str] = []

    @classmethod
    def of_surface(cls, surface: Surface) -> Learned:
        """Learn from the lists of a surface: resource URIs, and names of resources and prompts."""
        out = cls([tool.name for tool in surface.tools])
        for items, kind in ((surface.resources, "resource"), (surface.prompts, "prompt")):
            about = frozenset({kind})
            for item in islice(items, _MAX_ITEMS):
                if isinstance(item, dict):
                    for key in ("uri", "name"):
                        out._keep(key, item.get(key), "", about)
                        out._keep(f"{kind}_{key}", item.get(key), "", about)
        return out

    def note(self, tool: str, arguments: Mapping[str, Any], response: Response) -> None:
        """Learn from one result.

        Args:
            tool: the tool that responded.
            arguments: the arguments of the call.
            response: a result that is not a failure.
        """
        about = nouns(tool, self._common)
        structured = response.structured
        blocks = response.text_blocks[:_MAX_ITEMS]
        if _only_text(structured):
            blocks = list(structured.values())
        elif isinstance(structured, dict | list):
            self._walk(structured, tool, about)
            return
        for text in blocks:
            value = _parsed(text)
            if isinstance(value, dict | list):
                self._walk(value, tool, about)
            else:
                self._lines(text, tool, about, arguments)

    def note_refusal(self, text: str, sent: Mapping[str, Any]) -> None:
        """Learn the allowed folders from a refusal such as "outside of the allowed directory '/srv/data'".

        Args:
            text: the text of the refusal.
            sent: the refused arguments, which the text may quote.
        """
        refused = {value for value in islice(sent.values(), _MAX_ITEMS) if isinstance(value, str)}
        for found in islice(_ALLOWED.finditer(text[:_MAX_TEXT_LENGTH]), _MAX_VALUES):
            place = found[1].rstrip(".,;:")
            if place not in refused:
                self._folder(place)

    def worked(self, arguments: Mapping[str, Any], *, trusted: bool = False) -> None:
        """Remember the arguments of a successful call; other tools often take the same value under the same name.

        Args:
            arguments: the arguments of the call.
            trusted: true if the user wrote them.
        """
        for name, value in islice(arguments.items(), _MAX_ITEMS):
            fits = isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= _MAX_VALUE_LENGTH
            if fits and (name in self._worked or len(self._worked) < _MAX_KEYS):
                self._worked[name] = value
                if trusted:
                    self.trusted.setdefault(name, value)

    def used(self, argument: str, *, tool: str, creates: bool) -> Iterator[str | int]:
        """Values of successful calls of other tools under the same name, unless this tool creates such a thing."""
        if argument in self._worked and not (creates and self.is_about(argument, tool)):
            yield self._worked[argument]

    def is_about(self, argument: str, tool: str) -> bool:
        """True if a parameter names what the tool is about, as ``branch_name`` of ``create_branch`` does."""
        return not nouns(tool, self._common).isdisjoint(map(singular, words(argument)))

    def candidates(self, argument: str, *, tool: str, mentioned: frozenset[str] = frozenset()) -> Iterator[str | int]:
        """Values that may fit a parameter, best first.

        Args:
            argument: name of the parameter; for the items of a list, the name of the list.
            tool: the tool that will be called.
            mentioned: names of tools from which the value comes, according to the descriptions.
        """
        said = tuple(map(singular, words(argument)))
        if not said or not (mentioned or said[-1] in REFERENCES or said[-1] in self._nouns):
            return
        about = nouns(tool, self._common)
        full = "_".join(said)
        subject = frozenset(said[:-1])
        # A bare `id` or `name` can belong to anything, so it must share a noun with the tool.
        if full not in ("id", "name", "key", "title", "uri", "number"):
            yield from self._of(full, tool, mentioned, lambda _: True)
        elif mentioned:
            yield from self._of(full, tool, mentioned, lambda fact: fact.tool in mentioned)
        if subject:
            yield from self._of(said[-1], tool, mentioned, lambda fact: not subject.isdisjoint(fact.about))
        else:
            yield from self._of(full, tool, mentioned, lambda fact: not about.isdisjoint(fact.about))
        named = frozenset(said)
        for key in _IDENTIFY:
            # A server may call the "id" or "name" of a thing its number or title.
            if key != said[-1]:
                yield from self._of(key, tool, mentioned, lambda fact: not named.isdisjoint(fact.about))
        for key in mentioned and _IDENTIFY:
            yield from self._of(key, tool, mentioned, lambda fact: fact.tool in mentioned)

    def _of(self, key: str, tool: str, mentioned: frozenset[str], fits: Any) -> Iterator[str | int]:
        facts = [fact for fact in self._facts.get(key, ()) if fact.tool != tool and fits(fact)]
        facts.sort(key=lambda fact: fact.tool not in mentioned)
        yield from (fact.value for fact in facts)

    def _keep(self, key: str, value: Any, tool: str, about: frozenset[str]) -> None:
        if isinstance(value, bool) or not isinstance(value, str | int):
            return
        if isinstance(value, str) and not (0 < len(value.strip()) <= _MAX_VALUE_LENGTH):
            return
        name = key_of(key)
        parts = tuple(map(singular, name.split("_")))
        if not name or not _SECRET.isdisjoint(parts) or len(self._facts) >= _MAX_KEYS:
            return
        facts = self._facts.setdefault("_".join(parts), [])
        same = [fact for fact in facts if fact.tool == tool]
        if len(same) < _MAX_VALUES and len(facts) < _MAX_VALUES * 10 and all(f.value != value for f in same):
            facts.append(Fact(value, tool, about))

    def _walk(self, root: Any, tool: str, about: frozenset[str]) -> None:
        # Breadth first: ids are near the top, so the limit cuts off details only.
        pending = deque([(root, "", about)])
        for _ in range(MAX_NODES):
            if not pending:
                return
            value, key, subject = pending.popleft()
            if isinstance(value, dict):
                if value.get("type") == "file" and isinstance(value.get("name"), str):
                    self._listed(value["name"], "")
                for name, item in islice(value.items(), _MAX_ITEMS):
                    inner = (
                        subject | {singular(word) for word in words(name)[-1:]}
                        if isinstance(item, dict | list)
                        else subject
                    )
                    pending.append((item, name, inner))
            elif isinstance(value, list):
                pending.extend((item, key, subject) for item in value[:_MAX_ITEMS])
            else:
                self._scalar(key, value, tool, subject)

    def _scalar(self, key: str, value: Any, tool: str, about: frozenset[str]) -> None:
        self._keep(key or "name", value, tool, about)
        if key in ("", "result", "results", "items", "data", "values"):
            # A bare list of strings contains names of what the tool is about.
            for noun in about:
                self._keep(noun, value, tool, about)
            self._keep("name", value, tool, about)
        if isinstance(value, str) and not _ROOTS.isdisjoint(words(tool)):
            self._folder(value)

    def _lines(self, text: str, tool: str, about: frozenset[str], arguments: Mapping[str, Any]) -> None:
        place = next((value for value in arguments.values() if isinstance(value, str) and value.startswith("/")), "")
        for line in text[: _MAX_LINES * _MAX_LINE_LENGTH].splitlines()[:_MAX_LINES]:
            line = line[:_MAX_LINE_LENGTH]
            if not _ROOTS.isdisjoint(words(tool)):
                self._folder(line.strip())
            entry, pair, bullet = _ENTRY.match(line), _PAIR.match(line), _BULLET.match(line)
            if entry is not None:
                # The name ends at two spaces; columns for size and date follow.
                self._listed(entry[1].split("  ")[0], place)
            elif pair is not None:
                self._keep(pair[1], pair[2].strip(), tool, about)
            elif bullet is not None:
                self._scalar("", bullet[1], tool, about)

    def _folder(self, text: str) -> None:
        if text.startswith("/") and len(text) > 1 and ".." not in text and len(self.folders) < _MAX_VALUES:
            self.folders = list(dict.fromkeys([*self.folders, text.rstrip("/")]))

    def _listed(self, name: str, place: str) -> None:
        path = f"{place.rstrip('/')}/{name}" if place else name
        if len(self.files) < _MAX_VALUES and path not in self.files and ".." not in path:
            self.files.append(path)


def _parsed(text: str) -> Any:
    if len(text) > _MAX_JSON_LENGTH or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _only_text(structured: Any) -> bool:
    """True if structured content is a single wrapped string, as frameworks make it for tools that return strings."""
    return isinstance(structured, dict) and len(structured) == 1 and isinstance(next(iter(structured.values())), str)
