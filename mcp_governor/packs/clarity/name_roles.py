"""Names that mean one thing in the tools of all servers, and the forms in which one name is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.prose.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Collection

LONG = {
    "app": "application",
    "attr": "attribute",
    "cfg": "configuration",
    "col": "column",
    "coll": "collection",
    "config": "configuration",
    "db": "database",
    "desc": "description",
    "dest": "destination",
    "dir": "directory",
    "doc": "document",
    "docs": "documents",
    "dst": "destination",
    "env": "environment",
    "idx": "index",
    "img": "image",
    "lang": "language",
    "lat": "latitude",
    "len": "length",
    "lng": "longitude",
    "lon": "longitude",
    "long": "longitude",
    "max": "maximum",
    "min": "minimum",
    "msg": "message",
    "ns": "namespace",
    "num": "number",
    "org": "organization",
    "repo": "repository",
    "repos": "repositories",
    "src": "source",
    "ts": "timestamp",
}
"""Abbreviations and the full words that mean the same."""
ID_WORDS = frozenset({"gid", "id", "identifier"})
"""Last words for the one identifier of a thing. Its uid, slug or key is often a second one."""
_UNITS = frozenset(
    ["hours", "millis", "milliseconds", "mins", "minutes", "ms", "sec", "seconds", "secs"],
)


def canonical(name: str) -> tuple[str, ...]:
    """The words of a name in the form in which all spellings of it are equal: "repoGid" and "repository_id".

    "projectIdOrKey" stays what it is: it says that it takes more than "projectId".
    """
    key = tuple(LONG.get(word, word) for word in name_words(name))
    if len(key) > 1 and key[-1] in ID_WORDS:
        key = (*key[:-1], "id")
    return key


def without_unit(key: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name without a unit of time at its end: "timeoutMs" and "timeout"."""
    return key[:-1] if len(key) > 1 and key[-1] in _UNITS else key


class Role(NamedTuple):
    """A part that a parameter plays in tools of many servers.

    Attributes:
        names: without marks and in small letters, which have this part alone.
        kinds: types that they have in it.
        unsure: names that have this part only if the words of the parameter say so.
        said: stems of such words; one is enough.
        never: stems that say that it is something else, whatever the name.
        reading: the tool reads; in another, the names are properties of what it makes.
        mixed: the types may differ.
        answered: calls answer with such a value, and the next takes it over.
        every: not one of the stems, but all of them have to be among the words and those of the name.
    """

    names: frozenset[str]
    kinds: frozenset[str]
    unsure: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    reading: bool = False
    mixed: bool = False
    every: bool = False
    answered: bool = False

    def may_have(self, flat: str) -> bool:
        """True if a parameter may play this part by its name, which is without marks and in small letters."""
        return flat in self.names or flat in self.unsure

    def has(self, name: str, kind: str, said: Collection[str], *, reads: bool) -> bool:
        """True if a parameter plays this part.

        Args:
            name: of the parameter.
            kind: its type.
            said: the stems of its words.
            reads: if its tool reads, by its name.
        """
        flat = "".join(name_words(name))
        if kind not in self.kinds or (self.reading and not reads) or not self.never.isdisjoint(said):
            return False
        if flat in self.names or flat not in self.unsure:
            return flat in self.names
        if self.every:
            return self.said <= {*said, *map(stem, name_words(name))}
        return not self.said.isdisjoint(said)


def _stems(*words: str) -> frozenset[str]:
    return frozenset(map(stem, words))


_NUMBER = frozenset({"number"})
_TEXT = frozenset({"string"})
_TIME = _stems("time", "date", "timestamp", "since", "until", "range", "period", "rfc3339", "iso")

ROLES = (
    # How many.
    Role(
        frozenset(
            [
                *("limit", "maxcount", "maximumresults", "maxitems", "maxresults", "nresults", "numresults"),
                *("pagesize", "perpage", "resultlimit", "resultsperpage", "topk", "numberofresults", "maxnumresults"),
            ]
        ),
        _NUMBER,
        frozenset(["commentlimit", "count", "first", "k", "max", "n", "num", "size", "take", "top", "topn"]),
        _stems("return", "returned", "results", "maximum", "max", "page", "fetch", "retrieve", "list"),
        _stems("byte", "character", "delete", "hint", "iteration", "nearest", "pixel", "remove", "stopping"),
    ),
    # The token of the next page.
    Role(
        frozenset(
            [
                *("continuationtoken", "cursor", "nextcursor", "nextpagetoken", "nexttoken", "pagecursor"),
                *("pagetoken", "startcursor", "startingtoken"),
            ]
        ),
        _TEXT,
        answered=True,
    ),
    # The number of the page.
    Role(frozenset(["page", "pageno", "pagenum", "pagenumber"]), _NUMBER),
    # How many to leave out.
    Role(
        frozenset(["offset", "resultoffset", "skip", "startindex"]),
        _NUMBER,
        frozenset({"from", "pageoffset", "start", "startat"}),
        _stems("offset", "skip", "paginate", "pagination"),
        _stems("character", "byte", "line"),
    ),
    # What is sought.
    Role(
        frozenset(),
        _TEXT,
        frozenset(
            [
                *("keyword", "keywords", "q", "query", "search", "searchkey", "searchkeyword", "searchphrase"),
                *("searchquery", "searchstring", "searchterm", "searchterms", "searchtext", "textquery", "texttofind"),
            ]
        ),
        _stems("search", "find"),
        _stems("sql", "graphql", "promql", "logql", "css"),
    ),
    # A statement in SQL.
    Role(frozenset({"sql", "sqlquery", "sqlstatement"}), _TEXT, frozenset({"query", "statement"}), _stems("sql")),
    # Where a range of time starts, and where it ends.
    Role(
        frozenset(["begindate", "begintime", "datefrom", "fromdate", "fromtime", "startdate", "starttime", "timefrom"]),
        frozenset({"string", "number"}),
        frozenset(["after", "begin", "from", "since", "start", "startat", "startsat", "startrfc3339"]),
        _TIME,
        reading=True,
    ),
    Role(
        frozenset(["dateto", "enddate", "endtime", "timeto", "todate", "totime"]),
        frozenset({"string", "number"}),
        frozenset(["before", "end", "endat", "endrfc3339", "endsat", "to", "until"]),
        _TIME,
        reading=True,
    ),
    # A file, by its path.
    Role(
        frozenset(["filepath", "inputfile", "inputfilepath"]),
        _TEXT,
        frozenset({"file", "fileabsolutepath", "filename", "path"}),
        _stems("file", "path"),
        _stems("directory", "folder", "repository", "url", "save", "json", "output", "endpoint", "write"),
        every=True,
        answered=True,
    ),
    # Where a file goes.
    Role(
        frozenset(["outputfile", "outputfilename", "outputfilepath", "outputpath", "savepath", "saveto"]),
        _TEXT,
        frozenset({"destination", "filename", "filepath", "output", "path"}),
        _stems("save"),
        _stems("directory", "folder"),
    ),
    Role(
        frozenset(["downloaddir", "downloadsdir", "outputdir", "outputdirectory", "outputfolder", "savedir"]),
        _TEXT,
    ),
    # The order of a list.
    Role(
        frozenset(["orderdirection", "sortdir", "sortdirection", "sortorder"]),
        _TEXT,
        frozenset({"direction", "order", "sort"}),
        _stems("asc", "ascending", "descending"),
    ),
    Role(
        frozenset(["orderby", "orderbyfield", "sortby", "sortfield"]),
        _TEXT,
        frozenset({"sort", "order"}),
        _stems("field", "column", "by"),
        _stems("asc", "ascending"),
    ),
    # A confirmation.
    Role(
        frozenset({"acknowledge", "acknowledgement", "confirm", "confirmation", "confirmed"}),
        frozenset({"string", "boolean"}),
        mixed=True,
    ),
)  # fmt: skip

ROLE_NAMES: frozenset[str] = frozenset().union(*(role.names | role.unsure for role in ROLES))
"""The names that have, or may have, any of these parts; most parameters have none of them."""
