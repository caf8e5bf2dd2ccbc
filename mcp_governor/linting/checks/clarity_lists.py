"""Parameters whose values are listed in a description or in another tool's schema, but not in their own schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.linting.closed_lists import ClosedList, values_in
from mcp_governor.linting.context import hit
from mcp_governor.linting.corrections import narrowed
from mcp_governor.linting.formats import names_other_form
from mcp_governor.linting.key_lists import key_lists
from mcp_governor.linting.list_items import items
from mcp_governor.linting.number_codes import number_codes
from mcp_governor.linting.open_text import open_text
from mcp_governor.linting.passages import passages_about
from mcp_governor.linting.schemas import effective, parent_of, root_of, types_of, values_of
from mcp_governor.linting.scope import about
from mcp_governor.linting.shapes import lacks_keys
from mcp_governor.linting.vocabulary import FREE, is_kind
from mcp_governor.linting.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.linting.context import Context, Hit, SchemaPlace
    from mcp_governor.linting.open_text import OpenText
    from mcp_governor.linting.passages import Passage

_SAMPLE = lazy_pattern(r"Y{2,4}|\d{4}-\d\d|^[\d.,:\-]+$|^[./~$<{]|[/@\\]\S*[/@\\.]|^https?:", re.NOFLAG)
_DATED = lazy_pattern(r"Y{2,4}|\d{4}-\d\d|^[~$<{]|[@\\]\S*[/@\\.]|^https?:", re.NOFLAG)
"""What is a sample even after "one of"."""
_ORDERED = lazy_pattern(r"(?:\w{0,20}(?:attribute|column|field|key|name|property))[: ](?:asc|desc)", re.IGNORECASE)
"""A column that stands for any, and a direction."""
_MENTIONED = lazy_pattern(
    r"(?:(?:list|argument|parameter|field|option|value|array)s?\s)?"
    r"(?:[(:=]|(?:is|to|must|should|can|may|either|as|accepts|takes|one of|values?)\b)",
    re.IGNORECASE,
)
_EXPLAINED = lazy_pattern(r"(?<=[\w`'\"])\s?(?::|=|–|—|-\s|→|\().*")
_DOTTED = lazy_pattern(r"[A-Za-z]\.[A-Za-z]")
_SHOWN = lazy_pattern(r"\s?[:=]\s?[\"'`]([\w.\-]{1,60})[\"'`]")
_NUMBERED = lazy_pattern(r"[A-Za-z].*[\d_]")
_NO_WORD = lazy_pattern(r"[A-Z0-9_/:.]")
"""What words of a phrase do not have."""
_CONSTANT = lazy_pattern(r"[A-Z][A-Z0-9_]+")
_MEASURE = lazy_pattern(r"\d{1,5}[A-Za-z]{1,3}")
"""A duration or a size: "15m", "480p"."""


@about(argument=True, types={"array", "integer", "number", "object", "string"})
def closed_list(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter whose values the description lists has an enum."""
    found = open_text(node, context)
    if found is None:
        yield from _listed_codes(node, context)
        yield from _listed_keys(node, context)
        return
    claim = _stated_list(found, context)
    if claim is None:
        codes = None if found.items else _codes(node, context)
        if codes is not None and found.default in ("", *map(str, codes)):
            yield found.hit("enum", [str(code) for code in codes], takes="text")
        return
    if not found.items and any(_is_joined(said.text, context) for said in passages_about(node, context)):
        said = " ".join(said.text for said in passages_about(node, context))
        if not _MODIFIED.search(said):
            yield found.hit("pattern", _several(claim.values, said), takes="text")
        return
    yield found.hit("enum", list(claim.values), takes="text")


def _is_joined(text: str, context: Context) -> bool:
    return context.facts.read(values_in, text).joined


def _several(values: tuple[str, ...], text: str) -> str:
    """The pattern for several of some values in one string, with the sign between them that a description names."""
    one = f"({'|'.join(map(re.escape, values))})"
    sign = ";" if "semicolon" in text.lower() else ","
    # "You can skip a coordinate": nothing may be between two signs.
    one += "?" if _SKIPPED.search(text) else ""
    return f"^{one}({sign} ?{one})*$"


_SKIPPED = lazy_pattern(r"\b(?:skip|leave\s\w+\sempty|empty)\b", re.IGNORECASE)
_MODIFIED = lazy_pattern(r"\b(?:modifiers?|prefix\w*|suffix\w*|(?:de|a)scending|desc|sort\w*)\b", re.IGNORECASE)
"""Words for values that are more than one of a list: "name desc"."""


def _listed_codes(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The numbers that a parameter accepts, if its description gives the meaning of each."""
    schema = node.schema
    if node.argument is None or node.side != "inputSchema" or not isinstance(schema, dict):
        return
    root = root_of(node)
    types = (types_of(schema, root) or frozenset()) - {"null"}
    if not types or not types <= {"integer", "number"} or values_of(root, schema) is not None:
        return
    codes = _codes(node, context)
    default = effective(root, schema).get("default")
    if codes is not None and (default is None or default in codes):
        yield hit(
            node.pointer,
            codes,
            correction=narrowed(node, {"enum": codes}),
            argument=node.argument,
            fragment=f'"enum": {json.dumps(codes)}',
            takes="number",
        )


def _listed_keys(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The values of the keys of an object that declares no keys."""
    if node.argument is None or node.side != "inputSchema" or not isinstance(node.schema, dict):
        return
    schema = effective(root_of(node), node.schema)
    if not lacks_keys(schema):
        return
    listed = [one for said in passages_about(node, context) for one in context.facts.read(key_lists, said.text)]
    if listed:
        properties = {"properties": {key: {"enum": list(values)} for key, values in listed}}
        shown = {"items": properties} if schema.get("type") == "array" else properties
        yield hit(
            node.pointer,
            [key for key, _ in listed],
            argument=f"{node.argument}.{listed[0].key}",
            fragment=json.dumps(shown, ensure_ascii=False)[1:-1],
            takes="value",
        )


def _codes(node: SchemaPlace, context: Context) -> list[int] | None:
    """The numbers that the description of a parameter lists, with words that announce them or a meaning for each."""
    words = name_words(node.argument or "")
    kind = bool(words) and is_kind(words[-1])
    for said in passages_about(node, context):
        found = context.facts.read(number_codes, said.text)
        if found is not None and (found.promised or len(found.codes) > 2 or (kind and not found.in_words)):
            return list(found.codes)
    return None


@about(argument=True, types={"array", "string"})
def sibling_list(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter that has an enum in another tool has it here as well, if the descriptions agree."""
    found = open_text(node, context)
    if found is None:
        return
    enums = context.facts.memo("enums-by-name", lambda: _enums(context)).get(found.name, ())
    text = node.schema.get("description") or ""
    if not enums or not isinstance(text, str):
        return
    # closed_list reports values that the description lists; "etc." and "supported values" say that it has others.
    if _stated_list(found, context) is not None or context.facts.read(values_in, text).open or _OWN.search(text):
        return
    for one in enums:
        if one.items is not found.items or one.tool == node.tool.name:
            continue
        if (text and _same_thing(found, text, one)) or _is_only(one, enums, found, text):
            yield found.hit("enum", list(_as_default(one.values, found.default)), sibling=one.tool)
            return


def _as_default(values: tuple[str, ...], default: str) -> tuple[str, ...]:
    """The values in the letter case of a default that equals one of them apart from case."""
    if not default or default in values:
        return values
    return tuple(value.lower() if default.islower() else value.upper() for value in values)


_SIZE = 400
"""Approximate size of a list with its key."""


def _stated_list(found: OpenText, context: Context) -> ClosedList | None:
    """The list of values that the descriptions of a parameter give; ``None`` if another list there has more."""
    # Asked for about all parameters at once, and then by two rules and those about formats about each.
    key = ("closed list", found.node.tool.index, found.node.pointer)
    return context.facts.kept(key, lambda: _read(found, context), lambda _: _SIZE)


def _read(found: OpenText, context: Context) -> ClosedList | None:
    passages = passages_about(found.node, context, mentions=True)
    claims: list[tuple[Passage, ClosedList]] = []
    for said in passages:
        # A section whose heading announces a list has it as bullets.
        values = context.facts.read(values_in, _headed(said.text) if said.where == "section" else said.text)
        if values.open and said.where in ("own", "entry"):
            return None
        claims += [(said, claim) for claim in values.lists]
    if not claims:
        return None
    stated = next(
        (claim for said, claim in claims if _is_about(said, claim) and _meant(claim, found, context)),
        None,
    )
    if stated is None:
        return None
    stated = _widest(stated, [claim for said, claim in claims if said.where in ("own", "entry")], found)
    listed = set(stated.values)
    shown = {match[1] for said in passages if said.where == "mention" and (match := _SHOWN.match(said.text))}
    if not shown <= listed:
        return None  # An example call has another value: the list belongs to one case.
    own = (said.text for said in passages if said.where in ("own", "entry"))
    if any(names_other_form(text, stated.values, found.name) for text in own):
        return None
    more = any(_adds(claim, listed) and _trusted(claim, found) for said, claim in claims if said.where != "section")
    return None if more else stated


def _adds(claim: ClosedList, listed: set[str]) -> bool:
    """True if a list is about the same values and has more of them; "reset and merge" may explain one."""
    shared = len(listed.intersection(claim.values))
    surely = claim.quoted or claim.promised or claim.bullets
    return shared > (0 if surely else 1) and not listed.issuperset(claim.values)


def _widest(stated: ClosedList, claims: list[ClosedList], found: OpenText) -> ClosedList:
    """The list that has all values of the others, where the descriptions of one parameter differ."""
    for claim in claims:
        if set(stated.values) < set(claim.values) and _trusted(claim, found):
            stated = claim
    return stated


def _headed(bullets: str) -> str:
    """The bullets of a section as a list of values, without their explanations."""
    return "\n".join(("Values:", *(_EXPLAINED.sub(":", bullet, count=1) for bullet in bullets.split("\n"))))


def _is_about(said: Passage, claim: ClosedList) -> bool:
    """True if a list belongs to its parameter: a sentence that names it may have only a quoted list before the name, or
    one in bullets."""
    if said.where == "section":
        return claim.bullets
    if said.where != "mention" or (claim.plainly and said.text.startswith("values ")):
        return True
    return (claim.quoted or claim.bullets) and _MENTIONED.match(said.text) is not None


def _meant(claim: ClosedList, found: OpenText, context: Context) -> bool:
    """True if a list gives the values of this parameter."""
    return _trusted(claim, found) and not _of_something_else(claim, found, context)


def _trusted(claim: ClosedList, found: OpenText) -> bool:
    """True if the form of a list and the words that introduce it make it a list of values."""
    words = name_words(found.name)
    last = words[-1] if words else ""
    # "sort_dir" is not a directory.
    last = "direction" if last == "dir" and words[-2:-1] in (("sort",), ("order",)) else last
    free = last in FREE
    # "Supported categories: …" is plain enough for a category, and "Supported formats: …" about a path is not.
    own = claim.promised and claim.noun != "" and stem(claim.noun) in {stem(word) for word in words}
    plainly = claim.plainly or own
    if found.items and not claim.promised:
        listed = claim.quoted or (len(claim.values) > 2 and is_kind(last))
        return not free and listed and claim.ends and claim.noun != ""
    if claim.noun in _OF_CONTENT and not own and not is_kind(last) and _IN_AND_OUT.isdisjoint(words):
        return False
    if free and claim.promised and not own and (claim.noun or not plainly):
        return False
    if claim.promised and claim.quoted:
        return True
    values = claim.values
    constants = all(map(_CONSTANT.fullmatch, values))
    if free:
        # "The possible values are: v10, v11".
        return plainly and len(values) > 2 and (constants or all(map(_NUMBERED.search, values)))
    kind = is_kind(last) or is_kind(claim.noun)
    given = any(value.lower() in FREE or value.lower() in _GIVEN for value in values)
    # Two unquoted words may be a phrase.
    several = len(values) > 2 or claim.alternatives or all(map(_NO_WORD.search, values))
    certain = claim.marked or claim.explained
    identifiers = constants and (len(values) > 2 or any("_" in value for value in values))
    identifiers = identifiers or all(map(_MEASURE.fullmatch, values))
    if claim.promised:
        if kind or identifiers or claim.bullets:
            return True
        return not given and (
            (plainly and (several or certain)) or (claim.alternatives and (len(values) > 2 or certain))
        )
    if claim.quoted:
        return kind or claim.alternatives or claim.bullets or certain or (len(values) > 2 and _is_opened(claim))
    plain = claim.noun != "" or claim.alternatives or certain
    if given and claim.noun == "" and not claim.whole and not claim.bracketed and _ORDERS.isdisjoint(words):
        return False  # "Search by name or email."
    if (kind and (plain or constants or claim.whole)) or (identifiers and (plain or claim.whole)):
        return True
    return not given and _is_enumeration(claim)


_ORDERS = frozenset(["by", "direction", "group", "order", "sort"])
"""Words for what is sorted or grouped, by things that have any value themselves."""
_OF_CONTENT = frozenset(["extensions", "formats"])
_IN_AND_OUT = frozenset(
    ["as", "content", "export", "in", "out", "output", "reply", "response", "result", "return", "to"]
)
"""Words for what has a format; "Supported formats: png" says nothing else about the values of an image."""


def _is_enumeration(claim: ClosedList) -> bool:
    """True if unquoted words that nothing announces are values: they are the whole description, each is explained, one
    is marked as the default, or they are alternatives after a colon or in brackets."""
    certain = claim.marked or claim.explained
    if len(claim.values) == 2 and claim.alternatives and claim.bracketed and all(map(str.islower, claim.values)):
        return True
    if len(claim.values) == 2:
        return claim.alternatives and claim.marked and (claim.whole or claim.bracketed or claim.noun != "")
    return (
        certain
        or (claim.alternatives and _is_opened(claim))
        or (claim.whole and (claim.alternatives or claim.noun != ""))
    )


def _is_opened(claim: ClosedList) -> bool:
    """True if a bracket or a colon behind a noun opens a list, and it ends there."""
    return claim.bracketed or (claim.noun != "" and claim.ends)


_GIVEN = frozenset(
    [
        "city",
        "company",
        "country",
        "county",
        "domain",
        "ip",
        "person",
        "place",
        "province",
        "slug",
        "street",
        "town",
        "zip",
    ]
)
"""Words for free text, in addition to ``FREE``: "City, state or country"."""


def _of_something_else(claim: ClosedList, found: OpenText, context: Context) -> bool:
    """True if the values are parameters, tools, another parameter's values or samples, or lack the default."""
    values = set(claim.values)
    default = found.schema.get("default")
    if isinstance(default, str) and default and default not in values:
        return True
    sample = _SAMPLE if not claim.promised else _DATED
    if any(sample.search(value) for value in values):
        return True
    if all(map(_ORDERED.fullmatch, values)):
        return True  # "columnName:asc" or "columnName:desc"
    # "Use format: '2h', '90m' or '2h30m'" shows how any duration is written.
    words = name_words(found.name)
    kind = bool(words) and is_kind(words[-1])
    if claim.noun == "format" and not kind and all(value[:1].isdigit() for value in values):
        return True
    siblings = parent_of(found.node).get("properties", {})
    others = siblings.keys() - {found.name}
    named = values & context.facts.names
    # One value of several may be the name of a tool as well.
    if named and not (claim.promised and claim.quoted and 2 * len(named) < len(values)):
        return True
    if found.name in values and values <= siblings.keys():
        return True  # "Provide exactly one of `path` or `url`."
    if claim.promised and claim.quoted:
        return False
    if not claim.promised and claim.alternatives and all(map(_DOTTED.search, values)):
        return True  # Two examples of qualified names: "base.http" or "chain.agent".
    if 2 * len(values & others) >= len(values):
        return True
    root = root_of(found.node)
    return any(
        2 * len(values.intersection(closed)) >= len(values)
        for name in others
        if (closed := [value for value in values_of(root, siblings[name]) or () if isinstance(value, str)])
    )


def _in_prose(node: SchemaPlace, context: Context) -> tuple[str, ...] | None:
    """The values that the own description of a parameter lists."""
    found = open_text(node, context)
    claim = _stated_list(found, context) if found is not None else None
    if claim is None or any(_is_joined(said.text, context) for said in passages_about(node, context)):
        return None
    return claim.values


_SHORT = 60
"""Maximum number of characters of a description that says nothing about the values: "The style to set"."""


def _is_only(one: _Enum, enums: tuple[_Enum, ...], found: OpenText, text: str) -> bool:
    """True if a name of several words stands for these values everywhere, and a short description says nothing else."""
    words = name_words(found.name)
    if len(words) < 2 or words[-1] in FREE or len(text) > _SHORT or not _SAYS_NOTHING.fullmatch(text):
        return False
    known = {stem(word) for word in (*words, *one.words)}
    if not {stem(word) for word in _words(text)} <= known | _COMMON:
        return False
    constants = all(map(_CONSTANT.fullmatch, one.values))
    if not (is_kind(words[-1]) or constants) or (found.default and found.default not in one.values):
        return False
    return all(set(other.values) <= set(one.values) for other in enums)


_SAYS_NOTHING = lazy_pattern(r"[A-Za-z ,_'`]*\.?")
"""Words without values, examples and forms."""
_COMMON = frozenset(
    stem(word)
    for word in (
        *("a", "and", "by", "filter", "for", "in", "new", "of", "on", "optional", "or", "parameter", "set", "the"),
        *("this", "to", "type", "updated", "use", "value", "which", "with"),
    )
)
"""Words that a description of anything may have."""
_OWN = lazy_pattern(r"\b(?:supported|allowed|valid|possible|accepted)\svalues?\b", re.IGNORECASE)


class _Enum(NamedTuple):
    """A parameter of some tool that has an enum of strings."""

    tool: str
    items: bool
    values: tuple[str, ...]
    words: frozenset[str]


def _enums(context: Context) -> Mapping[str, tuple[_Enum, ...]]:
    """The enums of all tools, by parameter name."""
    out: dict[str, dict[tuple[str, ...], _Enum]] = {}
    for tool in context.surface.tools:
        for node in context.facts.nodes(tool):
            if node.side == "inputSchema" and node.argument is not None and isinstance(node.schema, dict):
                root = root_of(node)
                values = values_of(root, node.schema) or _in_prose(node, context)
                if values and len(values) > 1 and all(isinstance(value, str) for value in values):
                    known = out.setdefault(node.argument, {})
                    items = "array" in (types_of(node.schema, root) or ())
                    words = _words(node.schema.get("description"))
                    known.setdefault((*values, str(items)), _Enum(tool.name, items, tuple(values), words))
    return {name: tuple(enums.values()) for name, enums in out.items()}


_QUOTED = lazy_pattern(r"['\"`]([\w\-]{1,60})['\"`]")
_TOKEN = lazy_pattern(r"[\w\-]+")
_WORD = lazy_pattern(r"[^\W_]+")


def _words(text: Any) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) if isinstance(text, str) else frozenset()


_SHOWN_LIST = lazy_pattern(r"\b(?:e\.g\.?,?|such\sas|for\sexample,?)\s(?=[\w`'\"])", re.IGNORECASE)
_MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""


def _same_thing(found: OpenText, text: str, other: _Enum) -> bool:
    """True if two parameters of one name mean the same: same words, only values of it in quotes, half of its
    values, or its default."""
    default = found.schema.get("default")
    if isinstance(default, str) and default:
        if default not in _as_default(other.values, default):
            return False
        if len(name_words(found.name)) > 1 and len(other.values) > 2:
            return True
    words = _words(text)
    shared, either = len(words & other.words), len(words | other.words)
    if shared >= 4 and shared >= 0.6 * either:
        return True
    folded = {value.casefold() for value in other.values}
    quoted = {value.casefold() for value in _QUOTED.findall(text)}
    # Two values of a long list may be those of something else.
    if len(quoted) > 1 and quoted <= folded and 4 * len(quoted) >= len(folded):
        return True
    # "(e.g. iOS, watchOS)": the examples are values.
    shown = _SHOWN_LIST.search(text[:_MAX_TEXT])
    samples = {value.casefold() for value in items(text, shown.end()).values} if shown is not None else set()
    if len(samples) > 1 and samples <= folded:
        return True
    named = {word.casefold() for word in _TOKEN.findall(text)} & folded
    return len(named) > 1 and len(named) >= 0.5 * len(folded)
