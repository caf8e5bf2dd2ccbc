"""At which rank a query finds its tool, among the tools of its server and among many others; and which words help.

Searches over tools rank by BM25 or by a pattern and return the first few; a tool that is not among them does not exist
for the model. A rank is the worst of equals: tools with the same score may come in any order.

A provider's search takes a pattern that the model writes (Anthropic's API: ``re.search`` of Python, at most 200
characters). What a model would write for a query is not known; the words of the query as alternatives are the most
generous guess. Matches have no order, so a tool's rank is the number of tools that match: the worst case.
"""

from __future__ import annotations

import gzip
import io
import itertools
import re
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.evaluation.offering import offered_tools, surface_in
from mcp_governor.evaluation.proxies import Bm25, index_of
from mcp_governor.evaluation.terms import STOP_WORDS, split_identifier, stem, terms, tool_text
from mcp_governor.files import MAX_BYTES, MEBIBYTE, list_files, read_bytes
from mcp_governor.surface.file import parse_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mcp_governor.evaluation.proxies import Index
    from mcp_governor.evaluation.terms import ToolText

MAX_FILES = 2_000
"""Maximum number of recordings in a folder: the public registry has about so many servers that start without a key."""

MAX_TOOLS = 50_000
"""Maximum number of tools; a search over them takes a second, and no host offers that many."""


def load_crowd(path: Path, own: Iterable[ToolText] = ()) -> tuple[ToolText, ...]:
    """The tools of a recorded surface, or of all in a folder and its subfolders: ``.json``, also as ``.json.gz``.

    Recordings of our own server, which share most of their names with it, are left out: another release of the server
    has nearly the same words, and would push each of its tools to the second place.

    Raises:
        FileFormatError: a file cannot be read or is not a recording, or there is none, or too many.
    """
    shown, names = visible(str(path)), {tool.name for tool in own}
    try:
        is_folder, endings = path.is_dir(), (".json", ".json.gz")
        files = [path]
        if is_folder:
            files = sorted(file for end in endings for file in list_files(path, end, most=MAX_FILES, deep=True))
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    found: list[ToolText] = []
    recorded = False
    for file in files:
        tools = _tools(file, alone=not is_folder)
        recorded = recorded or bool(tools)
        if tools and 2 * sum(one.name in names for one in tools) <= len(tools):
            found += tools
        if len(found) > MAX_TOOLS:
            raise FileFormatError(f"{shown} has more than {MAX_TOOLS:,} tools.", "Name a smaller folder.")
    if not recorded:
        raise FileFormatError(
            f"{shown} has no recorded surface.", "Record some: mcp-governor snapshot TARGET -o DIR/NAME.json"
        )
    return tuple(found)


def _tools(file: Path, *, alone: bool) -> list[ToolText]:
    """The tools of one recording; none if a file of a folder is something else."""
    shown = visible(str(file))
    try:
        data = read_bytes(file)
        if file.suffix == ".gz":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                data = stream.read(MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                raise OSError(0, f"it is larger than {MAX_BYTES // MEBIBYTE} MiB when unpacked")
        document = parse_json(data, shown)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is not a whole gzip file"
        raise FileFormatError(f"{shown} cannot be read: {reason}.", "Check the file.") from None
    try:
        return [tool_text(tool) for tool in offered_tools(surface_in(document, shown))]
    except FileFormatError:
        if alone:
            raise
        return []


MAX_PATTERN = 200
"""Maximum length of a pattern in characters, as Anthropic's API has it."""

_SHORTEST = 3
"""Characters of a word that becomes part of a pattern; shorter ones ("to", "me") are found within most others."""


class RegexSearch:
    """An index over tools.

    Args:
        tools: the tools, in the order of the scores.
        pattern: the pattern to search, instead of one that is made of each query.

    Raises:
        UsageError: the pattern is not a regular expression of Python, or longer than :data:`MAX_PATTERN`.
    """

    def __init__(self, tools: Sequence[ToolText], pattern: str | None = None) -> None:
        self._documents = ["\n".join((tool.name, tool.description, *tool.parameters, *tool.details)) for tool in tools]
        self._pattern = None
        if pattern is None:
            return
        if len(pattern) > MAX_PATTERN:
            raise UsageError(
                f"The pattern has {len(pattern)} characters; a tool search takes {MAX_PATTERN} at most.", "Shorten it."
            )
        try:
            self._pattern = re.compile(pattern)
        except re.error as error:
            raise UsageError(
                f"{one_line(pattern, 80)} is not a regular expression: {error}.",
                "Correct it, or search by --method bm25.",
            ) from None

    def scores(self, query: str) -> list[float]:
        """1 for each tool that matches, else 0."""
        pattern = self._pattern or pattern_of(query)
        return [float(pattern is not None and pattern.search(document) is not None) for document in self._documents]


def pattern_of(query: str) -> re.Pattern[str] | None:
    """The words of a query as alternatives, as many as a pattern holds; ``None`` if it has none."""
    words = (word.lower() for word in split_identifier(query))
    kept: list[str] = []
    for word in dict.fromkeys(words):
        if word not in STOP_WORDS and len(word) >= _SHORTEST and len("|".join((*kept, word))) <= MAX_PATTERN:
            kept.append(word)
    return re.compile("|".join(map(re.escape, kept)), re.IGNORECASE) if kept else None


Method = Literal["bm25", "regex", "minilm"]
METHODS: tuple[Method, ...] = ("bm25", "regex", "minilm")

RETURNED = 5
"""Number of tools that a search returns to the model: three to five in Anthropic's API, five to ten elsewhere."""

MAX_WORDS = 4
"""Number of words that are tried together. A description that needs five words of one sentence is of another tool."""

_MAX_CANDIDATES = 12
"""Number of words of a query that are tried: 793 combinations of up to four. Of more, the longest."""


class Rank(Struct, frozen=True):
    """The place of a tool in a ranking.

    Attributes:
        rank: from 1, the worst of equals; ``None`` if the search does not find the tool at all.
        count: number of tools that were ranked.
        above: names of tools that come before it or are equal to it, the best first, at most :data:`RETURNED`.
    """

    rank: int | None
    count: int = field(name="of")
    above: tuple[str, ...] = ()


class Lift(Struct, frozen=True):
    """Words of the query that change the rank if the description has them.

    Attributes:
        words: as the query spells them, as few as possible.
        own: rank with them among the tools of the server.
        among: rank with them among all; the same as ``own`` without others.
        lost: other queries that find their tool first now, and would not any more.
    """

    words: tuple[str, ...]
    own: Rank
    among: Rank
    lost: tuple[str, ...] = ()


class Searched:
    """The tools of a server, and others, under one search.

    Args:
        method: how it ranks.
        own: the tools of the server.
        others: the tools of other servers.
        pattern: for ``regex``, the pattern instead of one made of each query.

    Raises:
        GovernorError: the pattern is invalid, or an extra is missing.
    """

    def __init__(
        self, method: Method, own: Sequence[ToolText], others: Sequence[ToolText] = (), pattern: str | None = None
    ) -> None:
        self.method: Method = method
        self.own = tuple(own)
        known = set(own)
        # A folder of many servers may have this one, too.
        self.all = (*own, *(tool for tool in others if tool not in known))

        def index(tools: Sequence[ToolText]) -> Index:
            return RegexSearch(tools, pattern) if method == "regex" else index_of(method, tools)

        self._own_index = index(self.own)
        self._index = index(self.all) if len(self.all) > len(self.own) else self._own_index

    def order(self, query: str) -> list[tuple[ToolText, float]]:
        """The tools of the server that are found, the best first, with their scores."""
        scores = self._own_index.scores(query)
        places = sorted(range(len(scores)), key=lambda place: (-scores[place], self.own[place].name))
        return [(self.own[place], scores[place]) for place in places if self.method == "minilm" or scores[place] > 0]

    def ranks(self, query: str, gold: Sequence[str]) -> tuple[str, Rank, Rank]:
        """The tool of ``gold`` that comes first, with its rank in its server, and among all."""
        scores = self._own_index.scores(query)
        own = self._ranked(scores, self.own, gold)
        among = own if self._index is self._own_index else self._ranked(self._index.scores(query), self.all, gold)
        return self.own[self._best(scores, gold)].name, own, among

    def _best(self, scores: Sequence[float], gold: Sequence[str]) -> int:
        places = [place for place, tool in enumerate(self.own) if tool.name in gold]
        return max(places, key=lambda place: (scores[place], -place))

    def _ranked(self, scores: Sequence[float], tools: Sequence[ToolText], gold: Sequence[str]) -> Rank:
        """The rank of the first right tool of the server."""
        best = self._best(scores, gold)
        if scores[best] <= 0 and self.method != "minilm":
            return Rank(None, len(tools))
        # Tools of the server that are right as well do not push this one away; others of the same name do.
        above = [
            place
            for place, score in enumerate(scores)
            if score >= scores[best] and place != best and not (place < len(self.own) and tools[place].name in gold)
        ]
        above.sort(key=lambda place: (-scores[place], tools[place].name))
        return Rank(len(above) + 1, len(tools), tuple(tools[place].name for place in above[:RETURNED]))

    def lift(
        self, query: str, tool: str, gold: Sequence[str], others: Sequence[tuple[str, Sequence[str]]] = ()
    ) -> Lift | None:
        """The fewest words of a query that bring a tool to the first place if its description has them.

        The first place among all tools and among those of the server; if no words do both, among those of the server.

        Args:
            query: the query.
            tool: name of the tool.
            gold: the tools that are right.
            others: the other queries of the set, with their tools, of which none should lose its first place.

        Returns:
            ``None`` if no :data:`MAX_WORDS` words of the query do that, or the search is not ``bm25``.
        """
        if not isinstance(self._index, Bm25) or not isinstance(self._own_index, Bm25):
            return None
        place = next(number for number, one in enumerate(self.own) if one.name == tool)
        found: Lift | None = None
        for words in _combinations(query, self.own[place]):
            added = [stem(word.lower()) for word in words]
            own = self._ranked(self._own_index.scores_with(query, place, added), self.own, gold)
            if own.rank != 1:
                # The same word may say less in a server that is about it than among all.
                continue
            among = own
            if self._index is not self._own_index:
                among = self._ranked(self._index.scores_with(query, place, added), self.all, gold)
            if found is None or among.rank == 1:
                found = Lift(words, own, among, tuple(self._lost(query, place, added, others)))
            if among.rank == 1:
                break
        return found

    def _lost(
        self, query: str, place: int, added: Sequence[str], others: Sequence[tuple[str, Sequence[str]]]
    ) -> Iterator[str]:
        """The other queries that find their tool first, and would not with these words."""
        assert isinstance(self._own_index, Bm25)
        for text, gold in others:
            if text != query and self.ranks(text, gold)[1].rank == 1:
                scores = self._own_index.scores_with(text, place, added)
                if self._ranked(scores, self.own, gold).rank != 1:
                    yield text


def _combinations(query: str, tool: ToolText) -> Iterator[tuple[str, ...]]:
    """Words of the query that the tool does not have, fewer first: to repeat its words would only be louder."""
    by_stem: dict[str, str] = {}
    has = set(terms(" ".join((tool.name, tool.description, *tool.parameters, *tool.details))))
    for word in split_identifier(query):
        if word.lower() not in STOP_WORDS and stem(word.lower()) not in has:
            by_stem.setdefault(stem(word.lower()), word)
    words = sorted(by_stem.values(), key=len, reverse=True)[:_MAX_CANDIDATES]
    for count in range(1, MAX_WORDS + 1):
        yield from itertools.combinations(words, count)
