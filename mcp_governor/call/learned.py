"""What the server itself has said: ids and names in the results of earlier calls, its resources and its prompts.

Results are foreign and can be of any size: a bounded part of each is looked at, and a bounded number of values kept.
"""

from __future__ import annotations

import json
import re
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.call.words import key_of, nouns, singular, word_set, words
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.call.response import Response
    from mcp_governor.surface.model import Surface

MOST_NODES = 5_000
"""So many values of one result are looked at: the first page of any list, and what it takes to get there."""

_MOST_ITEMS = 50
"""Items of a list, members of an object, and arguments of a call that are read: a page. Ids of the first page are
enough to call other tools with; the rest is left out."""
_MOST_VALUES = 5
"""Values that one tool may add to a name, and folders that are kept: a refused call is made again three times, so more
would not be used."""
_MOST_KEYS = 2_000
"""Names under which values are kept, 50 values each at most. The names of real results are dozens; names that come
later are not learned."""
_LONGEST_VALUE = 300
"""Characters of a value that is kept. Ids, paths and addresses are shorter; longer texts are content."""
_LONGEST_JSON = 1_000_000
"""A longer text is read line by line: parsing it costs more than its ids are worth."""

_MOST_LINES = 300
"""Lines of a text that are read, for the reason of ``_MOST_ITEMS``: some lines per item of the first page."""
_LONGEST_LINE = 500
"""Characters of a line: a label and a value of ``_LONGEST_VALUE``, with room for Markdown. The rest of a longer line is
not read."""
_PAIR = re.compile(
    r"^[\s\-*#>\d.]{0,12}[`*\"]{0,3}([A-Za-z][\w /.-]{0,60}?)[`*\"]{0,3}\s{0,3}[:=]\s{1,3}[`*\"]{0,3}(\S[^`*\"]{0,298})"
)
_ENTRY = re.compile(r"^\[(FILE|DIR)\] (\S.{0,200})$")
_BULLET = re.compile(r"^\s{0,8}(?:[-*\u2022]|\d{1,3}[.)])?\s{0,4}[`*\"]{0,3}([^\s`*\",:]{1,200})[`*\",]{0,3}$")
_SECRET = word_set("token secret password passwd passphrase apikey credential credentials authorization cookie cursor")
_REFERENCES = word_set(
    "id iid key name slug uuid guid handle identifier ref sha hash uri url number symbol label tag node collection "
    "table entity resource project repo repository issue channel space board bucket database schema model topic "
    "index dashboard file title prompt"
)
"""Last words of arguments that mean something that exists; other values of results are of no use as arguments."""

_IDENTIFY = ("id", "key", "name", "full_name", "slug", "uri", "uuid", "identifier", "number", "title")
_LONGEST_TEXT = 4_000
"""Characters of a refusal in which allowed folders are looked for: a page. Servers name them in the first lines."""
_ALLOWED = re.compile(
    r"\b(?:(?:allowed|permitted) [\w ]{0,40}:?|not in)\s{0,3}[`'\"]?(/[^\s'\"`,]{1,300})", 2
)  # re.IGNORECASE
_ROOTS = word_set("allowed root roots workspace workspaces")


@frozen
class Fact:
    """One value that the server has said.

    Attributes:
        value: a text or a whole number.
        tool: who said it; empty for the lists of the surface.
        about: what it is about: nouns of the tool's name and of the list it stood in.
    """

    value: str | int
    tool: str
    about: frozenset[str]


class Learned:
    """Facts, by the key that they stood under; those said first come first.

    Args:
        tools: names of the server's tools.
    """

    def __init__(self, tools: Iterable[str] = ()) -> None:
        names = [frozenset(map(singular, words(name))) for name in islice(tools, _MOST_KEYS)]
        # Words that the names of all tools share say which server it is.
        self._common = frozenset.intersection(*names) if len(names) > 2 else frozenset()
        self._nouns = frozenset(noun for name in islice(tools, _MOST_KEYS) for noun in nouns(name, self._common))
        self._facts: dict[str, list[Fact]] = {}
        self._worked: dict[str, str | int] = {}
        self.trusted: dict[str, str | int] = {}
        self.folders: list[str] = []
        self.entries: dict[str, list[str]] = {"FILE": [], "DIR": []}

    @classmethod
    def of_surface(cls, surface: Surface) -> Learned:
        """What the lists of a surface give: addresses of resources, names of resources and prompts."""
        out = cls([tool.name for tool in surface.tools])
        for items, kind in ((surface.resources, "resource"), (surface.prompts, "prompt")):
            about = frozenset({kind})
            for item in islice(items, _MOST_ITEMS):
                if isinstance(item, dict):
                    for key in ("uri", "name"):
                        out._keep(key, item.get(key), "", about)
                        out._keep(f"{kind}_{key}", item.get(key), "", about)
        return out

    def note(self, tool: str, arguments: Mapping[str, Any], response: Response) -> None:
        """Learn from one result.

        Args:
            tool: who answered.
            arguments: what it was called with.
            response: a result that is no failure.
        """
        about = nouns(tool, self._common)
        structured = response.structured
        texts = response.texts[:_MOST_ITEMS]
        if _only_text(structured):
            texts = list(structured.values())
        elif isinstance(structured, dict | list):
            self._walk(structured, tool, about)
            return
        for text in texts:
            value = _parsed(text)
            if isinstance(value, dict | list):
                self._walk(value, tool, about)
            else:
                self._lines(text, tool, about, arguments)

    def note_refusal(self, text: str, sent: Mapping[str, Any]) -> None:
        """Learn from a refusal which folders a server allows: "outside of the allowed directory '/srv/data'".

        Args:
            text: the words of the refusal.
            sent: the arguments that were refused, which it may quote.
        """
        refused = {value for value in islice(sent.values(), _MOST_ITEMS) if isinstance(value, str)}
        for found in islice(_ALLOWED.finditer(text[:_LONGEST_TEXT]), _MOST_VALUES):
            place = found[1].rstrip(".,;:")
            if place not in refused:
                self._folder(place)

    def worked(self, arguments: Mapping[str, Any], *, trusted: bool = False) -> None:
        """Remember what a call that succeeded was made with: other tools take the same for the same name.

        Args:
            arguments: of the call.
            trusted: the user wrote them.
        """
        for name, value in islice(arguments.items(), _MOST_ITEMS):
            fits = isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= _LONGEST_VALUE
            if fits and (name in self._worked or len(self._worked) < _MOST_KEYS):
                self._worked[name] = value
                if trusted:
                    self.trusted.setdefault(name, value)

    def used(self, argument: str, *, tool: str, creates: bool) -> Iterator[str | int]:
        """What other tools were called with successfully under the same name; not what a tool is to make anew."""
        if argument in self._worked and not (creates and self.is_about(argument, tool)):
            yield self._worked[argument]

    def is_about(self, argument: str, tool: str) -> bool:
        """Whether an argument names what the tool is about: ``branch_name`` of ``create_branch``."""
        return not nouns(tool, self._common).isdisjoint(map(singular, words(argument)))

    def candidates(self, argument: str, *, tool: str, mentioned: frozenset[str] = frozenset()) -> Iterator[str | int]:
        """Values that an argument may take, best first.

        Args:
            argument: its name; of a list for its items.
            tool: the tool that is to be called.
            mentioned: names of tools that the descriptions name as where the value comes from.
        """
        said = tuple(map(singular, words(argument)))
        if not said or not (mentioned or said[-1] in _REFERENCES or said[-1] in self._nouns):
            return
        about = nouns(tool, self._common)
        full = "_".join(said)
        subject = frozenset(said[:-1])
        # A bare `id` or `name` is of anything: it counts only where it is about what the tool is about.
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
            # A number or a title is what "name" and "id" of something may be called by its server.
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
        if isinstance(value, str) and not (0 < len(value.strip()) <= _LONGEST_VALUE):
            return
        name = key_of(key)
        parts = tuple(map(singular, name.split("_")))
        if not name or not _SECRET.isdisjoint(parts) or len(self._facts) >= _MOST_KEYS:
            return
        facts = self._facts.setdefault("_".join(parts), [])
        same = [fact for fact in facts if fact.tool == tool]
        if len(same) < _MOST_VALUES and len(facts) < _MOST_VALUES * 10 and all(f.value != value for f in same):
            facts.append(Fact(value, tool, about))

    def _walk(self, root: Any, tool: str, about: frozenset[str]) -> None:
        # Breadth first: what is near the top identifies things, and the limit cuts off the details.
        pending = deque([(root, "", about)])
        for _ in range(MOST_NODES):
            if not pending:
                return
            value, key, subject = pending.popleft()
            if isinstance(value, dict):
                self._entry(value)
                for name, item in islice(value.items(), _MOST_ITEMS):
                    inner = (
                        subject | {singular(word) for word in words(name)[-1:]}
                        if isinstance(item, dict | list)
                        else subject
                    )
                    pending.append((item, name, inner))
            elif isinstance(value, list):
                pending.extend((item, key, subject) for item in value[:_MOST_ITEMS])
            else:
                self._scalar(key, value, tool, subject)

    def _scalar(self, key: str, value: Any, tool: str, about: frozenset[str]) -> None:
        self._keep(key or "name", value, tool, about)
        if key in ("", "result", "results", "items", "data", "values"):
            # A bare list of texts holds names of what the tool is about.
            for noun in about:
                self._keep(noun, value, tool, about)
            self._keep("name", value, tool, about)
        if isinstance(value, str) and not _ROOTS.isdisjoint(words(tool)):
            self._folder(value)

    def _entry(self, item: Mapping[str, Any]) -> None:
        name, kind = item.get("name"), item.get("type")
        if isinstance(name, str) and kind in ("file", "directory"):
            self._listed("FILE" if kind == "file" else "DIR", name, "")

    def _lines(self, text: str, tool: str, about: frozenset[str], arguments: Mapping[str, Any]) -> None:
        place = next((value for value in arguments.values() if isinstance(value, str) and value.startswith("/")), "")
        for line in text[: _MOST_LINES * _LONGEST_LINE].splitlines()[:_MOST_LINES]:
            line = line[:_LONGEST_LINE]
            if not _ROOTS.isdisjoint(words(tool)):
                self._folder(line.strip())
            entry, pair, bullet = _ENTRY.match(line), _PAIR.match(line), _BULLET.match(line)
            if entry is not None:
                # Sizes and dates follow in columns of their own.
                self._listed(entry[1], entry[2].split("  ")[0], place)
            elif pair is not None:
                self._keep(pair[1], pair[2].strip(), tool, about)
            elif bullet is not None:
                self._scalar("", bullet[1], tool, about)

    def _folder(self, text: str) -> None:
        if text.startswith("/") and len(text) > 1 and ".." not in text and len(self.folders) < _MOST_VALUES:
            self.folders = list(dict.fromkeys([*self.folders, text.rstrip("/")]))

    def _listed(self, kind: str, name: str, place: str) -> None:
        names = self.entries[kind]
        path = f"{place.rstrip('/')}/{name}" if place else name
        if len(names) < _MOST_VALUES and path not in names and ".." not in path:
            names.append(path)


def _parsed(text: str) -> Any:
    if len(text) > _LONGEST_JSON or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _only_text(structured: Any) -> bool:
    """Whether structured content is a text in a wrapper, as frameworks make of a tool that returns a string."""
    return isinstance(structured, dict) and len(structured) == 1 and isinstance(next(iter(structured.values())), str)
