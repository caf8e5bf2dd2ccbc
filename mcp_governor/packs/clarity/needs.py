"""Parameters that depend on each other according to a tool's description but not its schema.

The sentence that says so is quoted: what exactly it means is left to the reader, who has it before the eyes. It counts
if it names another parameter of the same object, or a value of one.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.claims import read_defaults, read_needs, read_values
from mcp_governor.prose.credentials import names_key, names_password
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.passages import outline_of, without_name
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import COMPOSITION, root_of, types_of, values_of
from mcp_governor.text import first_of, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.claims import Claim
    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool

_EXPRESSED_BY = (*COMPOSITION, "then", "else", "dependentRequired", "dependencies", "minProperties")
_MAX_SHOWN = 3
"""Maximum number of sentences quoted in a message; the parameters of the others are named."""
_MAX_REST = 12
"""Maximum number of parameters named besides."""
_MAX_QUOTED = 160
"""Maximum number of characters of a quoted sentence."""
_MAX_CHOICES = 40
"""Maximum number of values of one parameter that are looked for in sentences."""


class _Need(Struct, frozen=True):
    """A sentence that ties parameters of one object to each other.

    Attributes:
        names: the parameters, first the one that the sentence is said of.
        quote: the sentence.
        pointer: of the object.
        bars: one has no effect next to the other, or without it.
        by_name: the names say it, and the quote is made of them.
    """

    names: tuple[str, ...]
    quote: str
    pointer: str
    bars: bool = False
    by_name: bool = False


def unstated_needs(tool: Tool, context: Context) -> Iterator[Hit]:
    """A dependency between parameters that a description states is in the schema."""
    yield from _hits(tool, context, bars=False)


def unstated_ignoring(tool: Tool, context: Context) -> Iterator[Hit]:
    """The schema says so if a parameter has an effect only together with another, or only without it."""
    yield from _hits(tool, context, bars=True)


def _hits(tool: Tool, context: Context, *, bars: bool) -> Iterator[Hit]:
    every = context.facts.kept(("needs", tool.index), lambda: tuple(_needs_of(tool, context)))
    found = [one for one in every if one.bars is bars]
    if bars:
        more = [set(one.names) for one in every if not one.bars]
        found = [one for one in found if not any(set(one.names) <= other for other in more)]
    if not found:
        return
    quotes: dict[str, list[str]] = {}
    for one in found:
        names = quotes.setdefault(one.quote, [])
        names += [name for name in one.names[:1] if name not in names and not one.by_name]
    shown = [_shown(names, quote) for quote, names in list(quotes.items())[:_MAX_SHOWN]]
    named = "; ".join(shown)
    if len(quotes) > len(shown):
        rest = dict.fromkeys(f"`{name}`" for names in list(quotes.values())[_MAX_SHOWN:] for name in names)
        names = [name for name in rest if name not in named]
        of = f" about {first_of(names, _MAX_REST)}" if names else ""
        named += f"; and {len(quotes) - len(shown)} more{of}"
    yield hit(
        found[0].pointer,
        # What is said, not the object: a parameter that has nothing to do with it does not make this another finding.
        sorted([one.pointer, *one.names, "" if one.by_name else one.quote] for one in found),
        weight=len(found),
        needs=named,
        gist=f"{shown[0]} ({tool.name})",
    )


def _shown(names: list[str], quote: str) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:_MAX_REST])
    return f'{listed}: "{one_line(quote, _MAX_QUOTED)}"' if names else quote


def _needs_of(tool: Tool, context: Context) -> Iterator[_Need]:
    """Every dependency that is stated and missing in the schema, each once."""
    seen: set[tuple[str, frozenset[str], bool]] = set()
    quoted: set[tuple[str, str, str]] = set()
    for need, schema in _stated(tool, context):
        key = (need.pointer, frozenset(need.names), need.bars)
        place = (need.pointer, need.names[0], need.quote)
        if key not in seen and place not in quoted and not _expressed(need, schema):
            seen.add(key)
            quoted.add(place)
            yield need


def _stated(tool: Tool, context: Context) -> Iterator[tuple[_Need, Mapping[str, Any]]]:
    root = tool.raw.get("inputSchema")
    called = call_object(tool, context.facts).tokens
    for node in context.facts.nodes(tool):
        schema = node.schema
        arguments = schema.get("properties") if isinstance(schema, dict) and node.side == "inputSchema" else None
        if not isinstance(arguments, dict) or len(arguments) < 2:
            continue
        is_call = node.tokens == called
        entries = outline_of(tool, context.facts).entries if is_call else {}
        group = _Group(node, entries, context.facts)
        for name, argument in arguments.items():
            own = argument.get("description") if isinstance(argument, dict) else None
            for said in (own, entries.get(name)):
                if isinstance(said, str):
                    yield from _read(without_name(said, name), group, context.facts, name)
        about = [schema.get("description"), _holder(root, node.tokens), tool.description if is_call else None]
        for said in about:
            if isinstance(said, str):
                yield from _read(without_name(said, ""), group, context.facts)
        for need in _by_name(node, group.optional, is_call=is_call):
            yield need, schema


def _by_name(node: SchemaPlace, optional: set[str], *, is_call: bool) -> Iterator[_Need]:
    """Optional parameters that only make sense together, or of which a tool cannot do without one, by their names."""
    arguments, does = node.schema["properties"], name_words(node.tool.name)
    of_thing: dict[tuple[str, ...], list[str]] = {}
    for name in arguments:
        *thing, last = name_words(name) or ("",)
        if name in optional and last in (*_LATITUDE, *_LONGITUDE):
            of_thing.setdefault((*thing, "coordinates"), []).append(name)
        elif last in _WAYS and thing and thing[-1] in does and is_call and does[0] not in _MANY:
            of_thing.setdefault((*thing,), []).append(name)
    for (*_, last), names in of_thing.items():
        shown = " and ".join(f"`{one_line(name, 60)}`" for name in names)
        if last == "coordinates" and len({name_words(name)[-1] in _LATITUDE for name in names}) == len(names) == _PAIR:
            yield _Need((*names,), f"{shown} only together", node.pointer, by_name=True)
        elif last != "coordinates" and len(names) == _PAIR and optional.issuperset(names):
            own = [arguments[name] for name in names if isinstance(arguments[name], dict)]
            said = [node.tool.description, *(str(argument.get("description")) for argument in own)]
            if not any(map(_SPARE.search, said)):
                yield _Need((*names,), f"at least one of {shown}", node.pointer, by_name=True)


_PAIR = 2
"""Number of parameters that are one thing, or two ways to say it; of three, nobody knows which go together."""
_LATITUDE = ("lat", "latitude")
_LONGITUDE = ("lng", "lon", "long", "longitude")
_WAYS = ("id", "key", "number", "slug", "uid", "url", "uuid")
"""Last words of names for ways to say which one is meant: "issue_id", "issue_key"."""
_MANY = ("count", "create", "find", "list", "query", "search")
"""First words of names of tools that need no particular one."""
_SPARE = lazy_pattern(r"\b(?:all|current|defaults?|either|filter|omit\w*|optional\w*|unless|without)\b", re.IGNORECASE)
"""Says what happens without any."""


def _read(said: str, group: _Group, facts: Facts, name: str = "") -> Iterator[tuple[_Need, Mapping[str, Any]]]:
    """What a description says of one parameter, or, without a name, of those of an object."""
    for claim in facts.read(read_needs, said):
        if name and claim.form == "required-when" and facts.read(read_defaults, said):
            continue  # Left out, it has a value all the same.
        part = said[slice(*claim.span)]
        names = group.tied(claim, name, said)
        if names:
            quote = claim.sentence if len(claim.sentence) <= _MAX_QUOTED else " ".join(part.strip(".;: \n").split())
            # "Name for create and drop operations" does not say that they fail without it.
            bars = claim.sure or claim.form == "for-a-choice"
            yield _Need(names, quote, group.node.pointer, bars), group.node.schema


class _Group:
    """The parameters of one object, and the values by which sentences mean one of them."""

    def __init__(self, node: SchemaPlace, entries: Mapping[str, str], facts: Facts) -> None:
        arguments, required = node.schema["properties"], node.schema.get("required")
        self.node = node
        self.optional = {name for name in arguments if not isinstance(required, list) or name not in required}
        # By its first word, since a large tool has thousands, each of which would be sought in every sentence.
        self._words: dict[str, list[tuple[str, str]]] = {}
        for name in arguments:
            if "_" in name.strip("_"):
                words = name.lower().replace("_", " ")
                self._words.setdefault(words.split()[0], []).append((words, name))
        self._arguments = arguments
        self._entries, self._facts = entries, facts

    @cached_property
    def _values(self) -> dict[str, str]:
        """Each value of an enum or a list in the prose, in small letters → its parameter; empty if several have it."""
        found: dict[str, str] = {}
        root = root_of(self.node)
        for name, argument in self._arguments.items():
            if isinstance(argument, dict):
                values = values_of(root, argument) or _listed(argument, self._entries.get(name, ""), self._facts)
                for value in values[:_MAX_CHOICES]:
                    if isinstance(value, str) and found.setdefault(value.lower(), name) != name:
                        found[value.lower()] = ""
        return found

    def tied(self, claim: Claim, name: str, text: str) -> tuple[str, ...]:
        """The parameters that a sentence ties to each other; nothing if it is about none or one of them.

        Args:
            claim: the sentence.
            name: of the parameter that it is said of; empty if it is about the object.
            text: in which it stands.
        """
        part = text[slice(*claim.span)]
        condition = next(iter(claim.said.values()), claim.sentence)
        if claim.form == "for-a-choice":
            # "Term for 'look', name for 'show'" is for both.
            named, chosen = [], self._chosen(condition, strict=True) if " for " not in condition else []
        elif claim.form == "in-brackets-for":
            if not name:
                return ()
            named, chosen = self._named(condition), self._chosen(condition)
        elif claim.form in ("one-of-several", "one-or-other", "give-one-or-other", "one-of-ways"):
            named, chosen = self._several(claim, condition, part, text), []
            if name and len(named) < 2 and _THIS.search(part) is None:
                return ()
        else:
            # "Only with a and b; not compatible with other orders": what is excluded is named next to these words.
            # "Needs an empty row; the last column is counted": what comes next needs nothing.
            apart = claim.form == "exclusive" or (claim.form == "requires" and not self._named(f"of {condition}"))
            clauses = claim.sentence.split(";") if apart else []
            said = next((clause for clause in clauses if " ".join(part.split()) in clause), claim.sentence)
            named = self._named(said, condition if claim.form == "required-when" else "")
            # "Requires Grafana 12.4": what follows is not a case.
            chosen = self._chosen(condition if name else said, case=bool(name) and claim.form != "requires")
        names = tuple(dict.fromkeys([*([name] if name else []), *named, *chosen]))
        # What is always given, whatever its value, neither needs nor is needed.
        if not any(one in self.optional or one in chosen for one in names if one != name):
            return ()
        if len(names) < 2 or self.optional.isdisjoint(names):
            return ()
        # Servers take credentials from their environment too.
        return () if names_key(names[0]) or names_password(names[0]) else names

    def _several(self, claim: Claim, condition: str, part: str, said: str) -> list[str]:
        """The parameters of which a sentence requires one: "Fails if ids is empty or if none of a and b is given"."""
        if claim.form == "one-of-ways":
            return self._worded(condition)
        named = self._named(condition)
        if len(named) < 2 and _OPTIONS.match(condition):
            # "Exactly one of these options must be used:", and then a list of them.
            behind = said[claim.span[1] - len(condition) :][:_MAX_OPTIONS]
            named = [match[1] for match in _OPTION.finditer(behind) if match[1] in self.optional]
        return named if len(named) > 1 else self._named(part)

    def _worded(self, said: str) -> list[str]:
        """The parameters whose names are written as words on both sides of "or": "by ID or by the text near it"."""
        found = []
        for part in _OR.split(said):
            words = set(name_words(part))
            named = [name for name in self.optional if _is_worded(name_words(name), words)]
            found += named if len(named) == 1 else []
        return found if len(found) > 1 else []

    def _named(self, said: str, condition: str = "") -> list[str]:
        """The parameters that a sentence certainly names, in order of appearance.

        A condition that begins with a word that is spelled like one means it: "required for every action but list".
        """
        found = [match for match in _WORD.finditer(said) if match[0] in self._arguments]
        every = _EVERY.match(condition)
        begin = said.find(condition) + every.end() if every else -1
        sure = [_is_name(said, match) or match.start() == begin for match in found]
        # A word joined to a name by "or" is a name as well. One pass in each direction.
        for order in (range(1, len(found)), range(len(found) - 2, -1, -1)):
            for at in order:
                left, right = sorted((at, at - order.step))
                if sure[at - order.step] and _BETWEEN.fullmatch(said, found[left].end(), found[right].start()):
                    sure[at] = True
        places = [(match.start(), match[0]) for match, certain in zip(found, sure, strict=True) if certain]
        lower = said.lower()
        places += [
            (lower.index(words), name)
            for first in set(lower.split())
            for words, name in self._words.get(first.strip(_AROUND), ())
            if words in lower
        ]
        return list(dict.fromkeys(name for _, name in sorted(places)))

    def _chosen(self, said: str, *, strict: bool = False, case: bool = False) -> list[str]:
        """The parameters whose values a condition names; a common word has to be all of it, or be followed by
        "operation" and the like, or, unless it is strict, end a phrase, or, in a case, begin it ("for form auth")."""
        found = []
        for match in _WORD.finditer(said):
            name = self._values.get(match[0].lower(), "")
            alone = match.start() == 0 and match.end() == len(said) and name_words(name)[-1:] in _ACTS
            if name and (
                said[max(0, match.start() - 1) : match.start()] in _QUOTES
                or alone
                or said[: match.start()].endswith(f"{name}=")
                or _CONSTANT.fullmatch(match[0])
                or _OF_CHOICE.match(said, match.end())
                or _IS_CHOICE.search(said, 0, match.start())
                or said[match.end() :].lower().startswith(f" {' '.join(name_words(name))}")
                or (not strict and _ENDS.match(said, match.end()))
                or (case and match.start() == 0 and _NOUN.match(said, match.end()))
            ):
                found.append(name)
        return found


_OPTIONS = Guarded(
    r"\s?(?:of\s)?(?:(?:these|the following)\s)?(?:(?:two|three|four|\d)\s)?"
    r"(?:option|mode|way|method|parameter|argument|input)s?\b",
    *("option", "mode", "way", "method", "parameter", "argument", "input"),
    head=40,
)
_OPTION = lazy_pattern(r"(?:^|[\s`'\"(])([A-Za-z_]\w{0,60})[`'\"]?\s?[:=]")
_MAX_OPTIONS = 1_000
"""Number of characters read behind "exactly one of these options"."""
_THIS = lazy_pattern(r"\b(?:this|it)\b", re.IGNORECASE)
_EVERY = lazy_pattern(r"(?:every|each|any|all)\s", re.IGNORECASE)
_OR = lazy_pattern(r"\bor\b", re.IGNORECASE)
_AROUND = "\"'`(),.:;[]"
"""Signs around a word."""
_WORD = lazy_pattern(r"[A-Za-z_$][\w$]*+(?:-[\w$]++)*+", re.NOFLAG)
_QUOTES = tuple("`'\"“”‘’{}\\")
_CONSTANT = lazy_pattern(r"[A-Z][A-Z\d_]+|[a-z]+(?:[_-][a-z\d]+)+|[A-Z][a-z]+[A-Z]\w*")
_ACTS = (("action",), ("command",), ("method",), ("mode",), ("operation",))
"""Last words of names for what a tool does: "Array of numbers for statistics" is for one of them."""
_OF_CHOICE = lazy_pattern(
    r"['\"`]?(?:\s?(?:/|,|or\b|and\b)\s?['\"`]?[\w-]{1,40}['\"`]?){0,6}\s"
    r"(?:operations?|actions?|modes?|commands?|types?|methods?|requests?|only)\b",
    re.IGNORECASE,
)
_IS_CHOICE = lazy_pattern(r"\b(?:operation|action|mode|command|type|method)s?\s?(?:=|:|is)?\s?$", re.IGNORECASE)
_NOUN = lazy_pattern(r"\s[\w-]{1,20}\)")
"""Behind a value with which a condition in brackets begins: "(required for form auth)"."""
_ENDS = lazy_pattern(r"\s?(?:$|[.,;:)/]|(?:and|or)\b)")
_BETWEEN = lazy_pattern(
    r"\s?[`'\"}\\]?\s?(?:,\s?(?:or|and)?|or|and|/|\+|&)\s?(?:the\s)?(?:combination of\s)?[`'\"{\\]?\s?", re.IGNORECASE
)
_IN_FRONT = lazy_pattern(
    r"\b(?:when|if|unless|with|without|using|both|either|neither|requires?|of|than|ignores?|overrides?|from|this or)"
    r"\s(?:the\s|no\s)?$",
    re.IGNORECASE,
)
_IS_SUBJECT = lazy_pattern(
    r"\s(?P<noun>parameter|argument|field|option|flag|property)\b|\s(?:is|must|has to)\b[^,.;]{0,20}\brequired\b",
    re.IGNORECASE,
)
"""Behind a word at the beginning: "server is required for each action but list"."""
_BEHIND = lazy_pattern(
    r"\s?(?:=|(?:parameters?|arguments?|fields?|options?|flags?|property)\b|(?:is|are|was|must|should|cannot|has|have)\b"
    r"|(?:not\s)?(?:provided|specified|omitted|supplied|given|set)\b|[,/.;:)]|(?:or|and|when|if)\s|$)",
    re.IGNORECASE,
)


def _is_worded(name: tuple[str, ...], words: set[str]) -> bool:
    """True if words contain the end of a name: the last of two of its words, the last two of more."""
    return bool(name) and words.issuperset(name[-1:] if len(name) == 2 else name[-2:])


def _is_name(said: str, match: re.Match[str]) -> bool:
    """True if a word that is spelled like a parameter is one: it is in quotes or no word of a language, or stands where
    only a parameter makes sense."""
    before, after = said[max(0, match.start() - 1) : match.start()], said[match.end() : match.end() + 1]
    if before in _QUOTES and after in _QUOTES:
        return True
    if "_" in match[0].strip("_") or not (match[0].islower() or match[0].istitle()):
        return True
    front = said[max(0, match.start() - 40) : match.start()]
    if not front.strip() or front.lower().endswith("the "):
        subject = _IS_SUBJECT.match(said, match.end())
        if subject and (subject["noun"] or not front.strip()):
            return True
    return _IN_FRONT.search(front) is not None and _BEHIND.match(said, match.end()) is not None


def _listed(argument: Mapping[str, Any], entry: str, facts: Facts) -> list[Any]:
    """The values that prose lists for a parameter without an enum: "hills, brooks or meadows"."""
    said = argument.get("description")
    text = said if isinstance(said, str) and said else entry
    if not text or types_of(argument) not in _TEXT:
        return []
    claims = facts.read(read_values, without_name(text, ""))
    sure = (one.listed for one in claims if one.sure or one.listed.quoted or _is_constants(one.listed.values))
    return list(next((listed.values for listed in sure), ()))


def _is_constants(values: tuple[str, ...]) -> bool:
    """True if no value is a plain word: "create-group, drop-group"."""
    return all(map(_CONSTANT.fullmatch, values))


_TEXT = (frozenset({"string"}), frozenset({"string", "null"}), None)


def _holder(root: Any, tokens: tuple[str | int, ...]) -> Any:
    """The description of the list whose items are this object."""
    if not tokens or tokens[-1] != "items":
        return None
    value = root
    for token in tokens[:-1]:
        value = value[token]
    return value.get("description") if isinstance(value, dict) else None


def _expressed(need: _Need, schema: Mapping[str, Any]) -> bool:
    """True if the schema relates these parameters to each other, or leaves no choice."""
    required = schema.get("required")
    given = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    if (need.names[0] in given and not need.bars) or given.issuperset(need.names):
        return True
    said = [schema[key] for key in _EXPRESSED_BY if key in schema]
    # In the JSON of the keywords, the names appear in quotes, both as values and as keys.
    text = json.dumps(said, default=str, ensure_ascii=False) if said else ""
    return any(json.dumps(name, ensure_ascii=False) in text for name in need.names)
