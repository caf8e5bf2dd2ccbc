"""Parameters without a description, and identifiers without a source."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.packs.clarity.guessing import Argument, open_question
from mcp_governor.packs.clarity.unguessable import INDEXES
from mcp_governor.prose.asides import is_described
from mcp_governor.prose.declared import Declared, declared, one_hit
from mcp_governor.prose.words import name_words, stem, word_set
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface

# -- no description

_KNOWN = word_set("""
    author body bold comment comments content count cursor description directory email filename first_name font
    font_name font_size height italic keywords last_name latitude limit longitude message name offset owner page
    page_size pagesize password per_page perpage phone port prompt q query question repo repository search skip
    sql subject text title underline url username width x y
""")
"""Names that say what belongs there, in any server."""
_HALF_KNOWN = frozenset({"cursor", "directory", "filename", "owner", "repo", "repository"})
"""Those that leave a question all the same: a path or a name, the name alone or with the owner, from which call."""
_LOOKS = frozenset({"bold", "italic", "strike", "strikethrough", "underline"})
"""Switches that need no words."""
_SAYING_WHAT = word_set("""
    can display draw exclude has header hide ignore include is legend match print return show skip with without
""")
"""First words of names that say what the switch turns on."""
_OPAQUE = word_set("""
    anchor arn arns destination fn handle id identifier identifiers ids include key keys namespace namespaces
    pattern patterns ref reference refs revision sha template token where
""")
"""Last words of names for values that only somebody else can know, or whose syntax is open."""
_SILENT = 3
"""Minimum number of undescribed parameters of one tool that make a gap; one or two may be an oversight."""
_FEWEST = 2
"""Minimum number of tools with an undescribed parameter; one may be an oversight, or the only place where it is
plain."""


def shared_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """Parameters that several tools have, or with opaque names, are described; one hit for the server."""
    yield from _hits(surface, context, plain=False)


def plain_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """The same where most of their names say what belongs there."""
    yield from _hits(surface, context, plain=True)


class _Bare(Struct, frozen=True):
    """The parameters of a server without a description.

    Attributes:
        reported: names, those that are hard to guess first, each with its parameters.
        right: for some of them, a tool that describes it.
        plain: most of the names say what belongs there.
    """

    reported: list[tuple[str, list[Declared]]]
    right: dict[str, str]
    plain: bool


def _hits(surface: Surface, context: Context, *, plain: bool) -> Iterator[Hit]:
    bare: _Bare = context.facts.memo("bare parameters", lambda: _undescribed(surface, context))
    if bare.plain == plain:
        yield from one_hit(bare.reported, bare.right, "describes it")


def _undescribed(surface: Surface, context: Context) -> _Bare:
    bare: dict[str, list[Declared]] = defaultdict(list)
    lesser: dict[str, list[Declared]] = defaultdict(list)
    described: dict[tuple[str, bool], str] = {}
    for one in declared(surface, context):
        parts = name_words(one.name)
        if is_described(one):
            described.setdefault((one.name, one.nested), one.tool.name)
        elif parts and not _says_itself(one, parts) and not _asked(one, parts):
            bare[one.name].append(one)
        elif parts and _leaves_a_question(one):
            lesser[one.name].append(one)
    tools = {name: list({id(one.tool): one.tool for one in ones}.values()) for name, ones in bare.items()}
    sources = _sources(surface)
    hard = {name for name, ones in bare.items() if any(map(_top, ones)) and _is_opaque(name, described, sources)}
    reported = [
        name for name in bare if len(tools[name]) >= _FEWEST or name in hard or any(one.required for one in bare[name])
    ]
    if not any(len(tools[name]) >= _FEWEST or name in hard for name in reported):
        # No parameter is a gap by itself; several of one tool are.
        silent = _of_silent_tools(bare)
        reported = [name for name in bare if name in silent]
    if reported:
        # Whoever describes these describes the others as well.
        named = {name for name in bare if name_words(name)[-1] in _KNOWN - _HALF_KNOWN}
        reported += [name for name in bare if name not in named.union(reported)]
    asking = {name for name in reported if any(map(_top, bare[name])) and not _is_plain(name)}
    lasting = {name for name in asking if (name, False) not in described}
    reported.sort(key=lambda name: -(min(len(tools[name]), 4) + 2 * (name in hard) + 4 * (name in lasting)))
    if reported:
        for name in sorted(lesser, key=lambda name: -len(lesser[name])):
            reported += [] if name in bare else [name]
            bare[name] += lesser[name]
    # Within an object, the same name may mean something else.
    right = {name: described.get((name, not any(map(_top, bare[name])))) for name in reported}
    return _Bare(
        [(name, bare[name]) for name in reported],
        {name: tool for name, tool in right.items() if tool},
        plain=len(lasting) < _ASKING and len(hard) < _HARD,
    )


_ASKING = 3
"""Number of names at the top of a tool that leave a question and have no description, from which on describing them
is more than polish."""
_HARD = 2
"""The same for names that nobody can guess."""
_PLAIN = word_set("""
    base bottom branch cell cells col cols color colour column columns command company count destination dir end
    file files folder footer header headers label labels left length line lines names notes number path paths
    project range results right row rows sheet size source start stop tag tags timeout tooltip top uri urls
    users
""")
"""Last words of names that say what belongs there, but not how exactly: absolute or relative, from 0 or from 1."""


def _is_plain(name: str) -> bool:
    last = name_words(name)[-1]
    return last in _PLAIN or last in _KNOWN


def _of_silent_tools(bare: Mapping[str, list[Declared]]) -> set[str]:
    """Undescribed parameters of tools that have several of them."""
    of_tool: dict[int, set[str]] = defaultdict(set)
    for name, ones in bare.items():
        for one in ones:
            if not one.nested:
                of_tool[one.tool.index].add(name)
    return {name for names in of_tool.values() if len(names) >= _SILENT for name in names}


def _is_opaque(
    name: str, described: Mapping[tuple[str, bool], str], sources: list[tuple[set[str], Collection[Any]]]
) -> bool:
    """True if only somebody else knows the value, and no tool of the server describes or returns it."""
    *front, last = name_words(name)
    if last not in _IDENTIFIERS and not (front and last in _KEYS):
        return last in _OPAQUE
    thing = {stem(word) for word in front} - _ROLES
    return (name, False) not in described and not any(
        thing <= stems and name not in needed for stems, needed in sources
    )


def _sources(surface: Surface) -> list[tuple[set[str], Collection[Any]]]:
    """The words of each tool's name, and what the tool requires: what it needs, it does not return."""
    found: list[tuple[set[str], Collection[Any]]] = []
    for tool in surface.tools:
        required = tool.input_schema.get("required") if isinstance(tool.input_schema, dict) else None
        needed = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        found.append(({stem(word) for word in name_words(tool.name)}, needed))
    return found


def _top(one: Declared) -> bool:
    return not one.nested


def _asked(one: Declared, parts: tuple[str, ...]) -> bool:
    """True if another rule requires a description of the parameter."""
    types = (types_of(one.schema) or frozenset()) - {"null"}
    bare = Argument(one.name, parts, one.schema, types, "", one.tool.description, one.nested)
    return parts[-1] in INDEXES or open_question(bare) is not None


def _says_itself(one: Declared, parts: tuple[str, ...]) -> bool:
    """True if the name and the type say it all, or the nested properties do."""
    if one.name.lower() in _KNOWN or (one.nested and parts[-1] in _KNOWN):
        return True
    inner: Any = one.schema.get("items")
    shaped = bool(one.schema.get("properties")) or (isinstance(inner, dict) and bool(inner.get("properties")))
    return shaped or one.schema.get("type") == "boolean"


def _leaves_a_question(one: Declared) -> bool:
    """True for a switch, and for a name that only half says what belongs there, at the top of a tool."""
    if one.nested:
        return False
    first = name_words(one.name)[0]
    switch = one.schema.get("type") == "boolean" and one.name not in _LOOKS and first not in _SAYING_WHAT
    return one.name in _HALF_KNOWN or switch


_IDENTIFIERS = word_set("""
    arn arns guid guids handle id identifier identifiers ids token uid uids uuid uuids
""")
_KEYS = frozenset({"key", "keys"})
"""The same after the name of a thing: "item_key"."""
_ROLES = frozenset(
    map(
        stem,
        word_set("""
    add child from linked new old other parent related remove root source target to
"""),
    )
)
"""Words in front that say which of several, but not of what."""
