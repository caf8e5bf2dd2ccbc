"""Parameters that a model cannot guess by name and type, and the words that settle them.

Only open questions count: ``filename`` and ``limit`` need no description, a ``status`` needs its values, a ``filter``
its syntax, and a free-form object its keys.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.asides import said_in_passing
from mcp_governor.prose.declared import Declared, declared, undescribed
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.words import STOP_WORDS, name_words, stem, word_count, word_set, words
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, about, hit
from mcp_governor.subjects.schemas import branches_of, effective, is_reached, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.surface.model import Surface


_CHOICES = word_set("""
    action align alignment behavior behaviour direction format frequency granularity horizontal kind layout level mode
    operation order orientation outcome placement policy position preset priority protocol quality rating resolution
    scheme scope severity sort state status strategy style tier type unit units until vertical visibility
""")
"""Last words of names for one of a few values that nobody can guess."""
_NUMBERED = word_set("action kind mode operation reason result state status strategy type")
"""Those of them whose values may be numbers, so that a number needs an explanation."""
_SEVERAL = word_set("""
    actions categories dimensions expand flags formats include kinds metrics operations permissions scopes states
    statuses types
""")
"""Last words of names for lists of such values."""
_FREE = word_set("content entity file font host media mime")
"""Words in front of these that make the value guessable or open: ``mime_type``; a font has styles of its own, and the
``hostScope`` of a database is any host."""
_WRITTEN = word_set("cell date datetime number time value")
"""Words in front of ``format`` that make it a form to write values in, such as ``0.00``, and no choice."""
_COUNTS = word_set("max min num number total")
_VAGUE = word_set("""
    args criteria expression geoloc info input key object options params payload ref rule spec target value
""")
"""Names that do not say what belongs there."""
_MAPS = word_set("""
    annotations attributes context env environment extra extras headers labels meta metadata properties schema tags
    variables vars
""")
"""Names of objects that accept any keys."""
_OF_THE_USER = word_set("document documents record records row rows")
"""Names of what users keep: its keys are theirs."""

_ENUM_ELSEWHERE = lazy_pattern(
    r"\(?\b(?:see|refer to|from|of|per)\s(?:the\s)?[`'\"]?[A-Z]\w{2,40}[`'\"]?\s(?:enum\w*|constants?)\b\)?", re.NOFLAG
)
_VALUES = lazy_pattern(
    r"['\"`|{=]|‘|“|\b(?:e\.\s?g|i\.\s?e|such as|like|for example|examples?|or|one of|options|supported|see|same as|"
    r"returned by|from|names?)\b|:\s?\S|\w/\w|\w, \w|(?-i:\b[A-Z][A-Z0-9_]{2,}\b)|\d|\((?!optional|required)\w+\)"
    r"|two-letter|abbreviations?\b",
    re.IGNORECASE,
)
_JSON = Guarded(
    r"\bJSON[- ](?:string|object|array|text|document|encoded|list|map|dict\w*|data|format)\b|"
    r"\b(?:as|in)\s(?:a\s)?JSON\b|\bstringified\s(?:an?\s)?(?:JSON|object|array|list|map|dict\w*|value)\b",
    *("json", "stringified"),
)
_SHAPE_GIVEN = lazy_pattern(
    r"[{<]|\[\s?[\"'{\[]|['\"`]|“|\b(?:keys?|fields?|columns?|properties|syntax|"
    r"(?:dictionary|keyed|maps?|mapping|pairs)\b[^.\n]{0,30}\b(?:names?|ids?|urls?|values?|languages?)|"
    r"e\.\s?g|such as|like|for example|examples?|schema|same as|returned|see|contain\w*|includ\w*|with|"
    r"format|arguments?)\b|:\s?\S",
    re.IGNORECASE,
)
_LONG = 16
"""Number of words from which on a description is assumed to say what belongs there, in a way that is not checked."""
_LONG_SHAPE = 24
"""The same for objects, which need a longer description."""
_MAX_TEXT = 4_000
"""Maximum number of characters read from a tool's description."""
_PASSED_ON = word_set("""
    attestation certificate content credential data document file filename filepath manifest path proof receipt
    signature token uri url value values voucher
""")
"""What the caller passes on as it is, whatever is in it."""
_GENERIC = frozenset(
    map(
        stem,
        STOP_WORDS
        | word_set("""
    additional applied apply array body condition config configuration criteria custom data dict dictionary expression
    filter filtering information input json list new object objects option optional options parameters params query
    required result results returned search set settings specific string value values
"""),
    )
)


class Argument(Struct, frozen=True):
    """Everything that is known about one parameter.

    Attributes:
        name: as published.
        parts: the words of the name.
        schema: its schema, with references resolved.
        types: its types without ``null``; empty if any type is accepted.
        text: everything that is said about it.
        nested: it is part of an object, whose name says what a ``value`` is.
    """

    name: str
    parts: tuple[str, ...]
    schema: Mapping[str, Any]
    types: frozenset[str]
    text: str
    nested: bool = False

    @property
    def has_default(self) -> bool:
        """True if a default shows what a value looks like."""
        return self.schema.get("default") not in (None, "")


def open_question(one: Argument) -> str | None:
    """The open question about a parameter, as a message key of clarity/parameter-described, or ``None``."""
    if not one.parts or _closes(one.schema):
        return None
    found = None
    if one.types <= {"string"}:
        found = _of_text(one)
    elif one.types <= {"integer", "number"}:
        found = _of_number(one)
    return found or _of_shape(one)


CLOSING = ("enum", "const", "pattern", "format", "examples", "x-enum", "$ref")
"""Keywords that define the possible values, and a reference that could not be resolved."""


def _closes(schema: Mapping[str, Any]) -> bool:
    return any(one.get(key) not in (None, []) for one in (schema, *branches_of(schema)) for key in CLOSING)


def _of_text(one: Argument) -> str | None:
    *front, last = one.parts
    before = front[-1] if front else ""
    if last in _CHOICES or (last == "filter" and before in _NUMBERED):
        known = {"format": before in _WRITTEN, "protocol": one.nested, "until": before != "wait"}
        open_ended = before in _FREE or known.get(last, False)
        return "values" if not open_ended and _lacks_values(one.text) else None
    asks = "form" if last in _FORMS else "syntax" if one.parts == _LANGUAGE else None
    if asks is None or one.has_default or (asks == "form" and _KNOWN_FORM.search(one.text)):
        return None
    return asks if _lacks_values(one.text) else None


_KNOWN_FORM = lazy_pattern(r"\b(?:css|epoch|hex\w*|iso|rfc|rgb\w*|unix)\b|yyyy", re.IGNORECASE)
_KNOWN_LANGUAGE = lazy_pattern(r"\b(?:cel|gaql|jql|kql|lucene|odata|search\stext|sql)\b", re.IGNORECASE)
"""Forms and languages that a model knows."""
_FORMS = word_set("color colour date")
"""Last words of names for values that may be written in several ways, with nothing that says which one is read."""
_LANGUAGE = ("filter",)
"""Words of the name for what is written in a language that each server has its own of."""


def _of_number(one: Argument) -> str | None:
    *front, last = one.parts
    value = front[-1] if last == "filter" and front else last
    counts = bool(front) and front[0] in _COUNTS
    return "numbers" if value in _NUMBERED and not counts and _lacks_values(one.text) else None


def _lacks_values(text: str) -> bool:
    text = _ENUM_ELSEWHERE.sub("", text) if "num" in text else text
    return not text.strip() or (word_count(text) < _LONG and not _VALUES.search(text))


def _of_shape(one: Argument) -> str | None:
    """The question about an object or list without a shape, or about a string with JSON or another language in it."""
    last, bare = one.parts[-1], not one.text.strip() and not one.has_default
    structured = bool(one.types) and one.types <= {"array", "object"}
    if (structured or not one.types) and not _has_shape(one.schema):
        if last in _MAPS or (last in _OF_THE_USER and not bare):
            return None
        if bare:
            # clarity/typed-argument reports what has not even a type.
            return "shape" if one.types or branches_of(one.schema) else None
        return "keys" if "object" in one.types and _lacks_keys(one) else None
    if one.types == {"array"} and last in _SEVERAL and one.text.strip() and _is_list_of_strings(one.schema):
        return "values" if _lacks_values(one.text) else None
    if structured:
        return None
    # Further down, the parent object says what a "value" is.
    vague = bare and not one.nested and len(one.parts) == 1 and last in _VAGUE
    return _of_json(one) or ("bare" if vague else None)


def _lacks_keys(one: Argument) -> bool:
    # "fields" as the description of "fields" does not name keys.
    text = re.sub(rf"(?<!\w){re.escape(one.name)}(?!\w)", "", one.text)
    return _is_thin(one) and not _SHAPE_GIVEN.search(text)


def _of_json(one: Argument) -> str | None:
    """The question about JSON in a string."""
    last = next((word for word in reversed(one.parts) if word != "json"), "")
    if "string" not in one.types or one.has_default or last in _PASSED_ON or not _JSON.search(one.text):
        return None
    explained = word_count(one.text) > _LONG_SHAPE or _SHAPE_GIVEN.search(_JSON.sub("JSON", one.text))
    return "json" if not explained else None


def _is_thin(one: Argument) -> bool:
    """True if a description adds at most two words to the name."""
    own = {stem(word) for word in one.parts} | {"map"}
    return len({root for root in map(stem, words(one.text[:400])) if root not in _GENERIC and root not in own}) <= 2


def _is_list_of_strings(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    return isinstance(items, dict) and items.get("type") == "string" and not any(key in items for key in CLOSING)


def _has_shape(schema: Mapping[str, Any]) -> bool:
    if any(key in schema for key in ("properties", "patternProperties", "prefixItems", "allOf")):
        return True
    if schema.get("additionalProperties") not in (None, True, {}):
        return True
    items = schema.get("items")
    if "items" in schema:
        return (
            isinstance(items, dict)
            and bool(items)
            and (items.get("type") not in ("array", "object") or _has_shape(items))
        )
    branches = branches_of(schema)
    if branches and "type" not in schema:
        # A string as the alternative to the object says just as little about its keys.
        return any(_has_shape(one) for one in branches if one.get("type") not in ("null", "string"))
    return "type" not in schema and schema != {}


@about(argument=True)
def parameter_described(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter whose value is hard to guess has a description that says what belongs there."""
    name, root = node.argument or "", root_of(node)
    parts = name_words(name)
    schema = effective(root, node.schema)
    types = (types_of(node.schema, root) or frozenset()) - {"null"}
    descriptions = [one.text for one in passages_about(node, context, mentions=True)]
    text, nested = " ".join(descriptions)[:_MAX_TEXT], len(node.tokens) > 2
    one = Argument(name, parts, schema, types, text, nested)
    says = open_question(one)
    if says is not None and not nested:
        # An entry of the tool's description is in the text already, and counts once.
        asides = [aside for aside in said_in_passing(name, node.tool.description) if aside not in text]
        says = open_question(replace(one, text=" ".join((text, *asides))[:_MAX_TEXT])) if asides else says
    if says is not None and f'"{name}": "' in node.tool.description[:_MAX_TEXT]:
        return  # An example of a call shows a value.
    if says == "syntax" and _KNOWN_LANGUAGE.search(f"{text} {node.tool.description[:_MAX_TEXT]}"):
        return
    # A definition that nothing refers to never receives a value.
    if says is not None and is_reached(node, context.facts):
        gist = f"{_LEFT_OPEN.get(says, '')}{one_line(name, 60)} ({one_line(node.tool.name, 60)})"
        yield hit(node.pointer, node.schema, says=says, argument=name, gist=gist)


_LEFT_OPEN = {
    "values": "the values of ",
    "numbers": "the meaning of the numbers of ",
    "json": "the content of the JSON in ",
    "keys": "the keys of ",
}
"""What is missing, for a line about several parameters; of the others everything is."""


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
_INDEXES = frozenset({"index", "idx", "position", "pos", "row", "col", "column"})
"""Last words of names for places in a row."""
_FEWEST = 2
"""Minimum number of tools with an undescribed parameter; one may be an oversight, or the only place where it is
plain."""


def shared_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """Parameters that several tools have, or with opaque names, are described; one hit for the server."""
    yield from _hits(surface, context, plain=False)


def plain_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """The same where most of their names say what belongs there."""
    yield from _hits(surface, context, plain=True)


def _hits(surface: Surface, context: Context, *, plain: bool) -> Iterator[Hit]:
    reported, right, is_plain = context.facts.memo("bare parameters", lambda: _undescribed(surface, context))
    if is_plain == plain:
        yield from undescribed(reported, right)


def _undescribed(surface: Surface, context: Context) -> tuple[list[tuple[str, list[Declared]]], dict[str, str], bool]:
    """The parameters of a server without a description by name, those that are hard to guess first; for some of them, a
    tool that describes it; and true if most of the names say what belongs there."""
    bare: dict[str, list[Declared]] = defaultdict(list)
    lesser: dict[str, list[Declared]] = defaultdict(list)
    described: dict[tuple[str, bool], str] = {}
    for one in declared(surface, context):
        parts = name_words(one.name)
        if one.described:
            described.setdefault((one.name, one.nested), one.tool.name)
        elif parts and not _says_itself(one, parts) and not _asked(one, parts):
            bare[one.name].append(one)
        elif parts and _leaves_a_question(one):
            lesser[one.name].append(one)
    tools = {name: list({id(one.tool): one.tool for one in ones}.values()) for name, ones in bare.items()}
    sources = _sources(surface)
    at_top = {name for name, ones in bare.items() if not all(one.nested for one in ones)}
    hard = {name for name in at_top if _is_opaque(name, described, sources)}
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
    asking = {name for name in reported if name in at_top and not _is_plain(name)}
    lasting = {name for name in asking if (name, False) not in described}
    reported.sort(key=lambda name: -(min(len(tools[name]), 4) + 2 * (name in hard) + 4 * (name in lasting)))
    if reported:
        for name in sorted(lesser, key=lambda name: -len(lesser[name])):
            reported += [] if name in bare else [name]
            bare[name] += lesser[name]
    # Within an object, the same name may mean something else.
    right = {name: described.get((name, all(one.nested for one in bare[name]))) for name in reported}
    return (
        [(name, bare[name]) for name in reported],
        {name: tool for name, tool in right.items() if tool},
        len(lasting) < _ASKING and len(hard) < _HARD,
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


def _asked(one: Declared, parts: tuple[str, ...]) -> bool:
    """True if another rule requires a description of the parameter."""
    types = (types_of(one.schema) or frozenset()) - {"null"}
    bare = Argument(one.name, parts, one.schema, types, "", one.nested)
    return parts[-1] in _INDEXES or open_question(bare) is not None


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
