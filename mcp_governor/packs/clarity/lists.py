"""Parameters whose values are listed in a description or in another tool's schema, but not in their own schema."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.open_text import open_text
from mcp_governor.packs.clarity.shapes import lacks_keys
from mcp_governor.packs.clarity.stated_lists import stated_list
from mcp_governor.prose.closed_lists import values_in
from mcp_governor.prose.formats import names_other_form
from mcp_governor.prose.key_lists import key_lists
from mcp_governor.prose.list_items import items
from mcp_governor.prose.number_codes import is_share, number_codes
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.vocabulary import FREE, is_kind
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words, stem
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import effective, parent_of, root_of, types_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.packs.clarity.open_text import OpenText
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace

_VERBS = READING_VERBS | MUTATING_VERBS
_CONSTANT = lazy_pattern(r"[A-Z][A-Z0-9_]+")


@about(argument=True, types={"array", "integer", "number", "object", "string"})
def closed_list(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter whose values the description lists has an enum."""
    found = open_text(node, context)
    if found is None:
        yield from _listed_codes(node, context)
        yield from _listed_keys(node, context)
        return
    claim = stated_list(found, context)
    if claim is None:
        codes = None if found.items else _codes(node, context)
        more = any(context.facts.read(values_in, said.text).open for said in passages_about(node, context))
        if codes is not None and not more and found.default in ("", *map(str, codes)):
            yield found.hit("enum", [str(code) for code in codes], takes="text")
        return
    if set(claim.values) == {"true", "false"}:
        return  # clarity/stringly-typed asks for a boolean.
    if not found.items and any(_is_joined(said.text, context) for said in passages_about(node, context)):
        said = " ".join(said.text for said in passages_about(node, context))
        if len(claim.values) <= _MAX_JOINED and not _MODIFIED.search(said):
            yield found.hit("pattern", _several(claim.values, said), takes="text")
        return
    yield found.hit("enum", list(claim.values), takes="text")


_MAX_JOINED = 8
"""Maximum number of values in a pattern for several in one string; with more, nobody reads it."""


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
    found = effective(root, schema)
    if codes is not None and _has_exactly(found, codes):
        return
    default = found.get("default")
    if codes is not None and (default is None or default in codes):
        yield hit(
            node.pointer,
            codes,
            correction=narrowed(node, {"enum": codes}),
            argument=node.argument,
            fragment=f'"enum": {json.dumps(codes)}',
            takes="number",
        )


def _has_exactly(schema: Mapping[str, Any], codes: Sequence[int]) -> bool:
    """True if the bounds of an integer leave the codes and nothing else."""
    low, high = min(codes), max(codes)
    return (schema.get("minimum"), schema.get("maximum")) == (low, high) and high - low == len(set(codes)) - 1


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
    types = types_of(node.schema, root_of(node)) or frozenset()
    for said in passages_about(node, context):
        found = context.facts.read(number_codes, said.text)
        if found is None or ("number" in types and is_share(found.codes, said.text)):
            continue
        last = (name_words(node.argument or "") or ("",))[-1]
        kind = is_kind(last) and last not in _AMOUNTS
        # "Port: 80 (http), 443 (https)" and "appid: 730 = one game, 440 = another" show a few of all.
        if not found.promised and (last in FREE or _names_one(last)) and _are_few(found.codes):
            continue
        if found.promised or len(found.codes) > 2 or (kind and not found.in_words):
            return list(found.codes)
    return None


def _names_one(word: str) -> bool:
    return word.endswith("id")


def _are_few(codes: Sequence[int]) -> bool:
    """True if numbers are far apart: "730 = one game, 440 = another" names some of many."""
    return max(codes) - min(codes) >= 2 * len(codes)


_AMOUNTS = frozenset({"depth", "precision", "quality", "range", "resolution", "scale", "size", "speed", "weight"})
"""Words for kinds that are amounts as well: "0 = only this, 1 = its children" begins to count."""


@about(argument=True, types={"array", "string"})
def sibling_list(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter that has an enum in another tool has it here as well, if the descriptions agree."""
    enums = context.facts.memo("enums-by-name", lambda: _enums(context)).get(node.argument or "", ())
    found = open_text(node, context) if enums else None
    if found is None:
        return
    # Servers written in Python describe a parameter in the text of its tool.
    text = " ".join(said.text for said in passages_about(node, context) if said.where in ("own", "entry"))
    # closed_list reports values that the description lists; "etc." and "supported values" say that it has others.
    if stated_list(found, context) is not None or context.facts.read(values_in, text).open or _OWN.search(text):
        return
    shown = set(_QUOTED.findall(text)) - context.facts.names - parent_of(node).get("properties", {}).keys()
    for one in enums:
        if one.items is not found.items or one.tool == node.tool.name or _differ(one.holder, _holder(node)):
            continue
        # Values that the description shows, or the form that it names, are not those of the other tool.
        if (len(shown) > 1 and _adds_some(shown, one)) or names_other_form(text, one.values, found.name):
            continue
        if _lists_others(text, one.values):
            continue
        alike = _acts_on_the_same(found, one.tool, context)
        if (text and _same_thing(found, text, one, alike=alike)) or (alike and _is_only(one, enums, found, text)):
            yield found.hit("enum", list(_as_default(one.values, found.default)), sibling=one.tool)
            return
    yield from _as_its_twin(found, text, enums)


def _as_its_twin(found: OpenText, text: str, enums: tuple[_Enum, ...]) -> Iterator[Hit]:
    """A parameter of a tool that makes or changes a thing, which the other one of both has with an enum.

    It needs no description: what create_agent takes as a language, update_agent takes as well. A status is another
    matter, because a thing may begin in some, and come into others.
    """
    words = name_words(found.name)
    if not words or words[-1] in _OF_A_LIFE:
        return
    verb, thing = _verb_and_thing(found.node.tool.name)
    if verb not in _WRITES or not thing:
        return
    holder = _holder(found.node)
    twins = [
        (tool, one)
        for one in enums
        if one.declared and one.items is found.items and one.holder == holder
        for tool in one.tools
        if (other := _verb_and_thing(tool))[1] == thing and other[0] in _WRITES and other[0] != verb
    ]
    if len({one.values for _, one in twins}) != 1:
        return
    tool, one = twins[0]
    if (found.default and found.default not in one.values) or not _words(text) <= one.words | _COMMON | set(words):
        return
    yield found.hit("enum", list(one.values), sibling=tool)


def _verb_and_thing(tool: str) -> tuple[str, tuple[str, ...]]:
    """The verb in the name of a tool, and the other words: ("create", ("acme", "agent"))."""
    words = name_words(tool)
    verb = next((word for word in words if word in _WRITES), "")
    return verb, tuple(stem(word) for word in words if word != verb)


_WRITES = frozenset({"add", "change", "create", "edit", "modify", "new", "patch", "replace", "update", "upsert"})
_OF_A_LIFE = frozenset({"action", "op", "operation", "phase", "stage", "state", "status", "step"})
"""Last words of names whose values depend on how far a thing is, or on what is done to it."""


_OF_AN_OBJECT = frozenset(
    {
        *("action", "by", "category", "event", "field", "format", "kind", "level", "method", "mode", "model", "op"),
        *("operation", "order", "range", "reason", "role", "sort", "stage", "state", "status", "step", "type", "view"),
    }
)
"""Last words of names whose values depend on what the tool acts on: a task has other statuses than an invoice."""
_OF_ANYTHING = frozenset(
    {
        *("content", "data", "entity", "file", "group", "input", "item", "media", "object", "order", "output"),
        *("resource", "response", "result", "sort", "time"),
    }
)
"""Words in front of those that do not say what the tool acts on."""


def _acts_on_the_same(found: OpenText, tool: str, context: Context) -> bool:
    """True if the values of a parameter do not depend on the object of the tool, or both tools have one object."""
    *front, last = name_words(found.name) or ("",)
    if last not in _OF_AN_OBJECT or not _OF_ANYTHING.issuperset(front):
        return True
    usual = context.facts.memo("words of most tools", lambda: _usual_words(context))
    own, theirs = (
        {stem(word): None for word in name_words(name) if word not in _VERBS and stem(word) not in usual}
        for name in (found.node.tool.name, tool)
    )
    # In "render_image" and "render_text", the first word is a verb that is not known.
    if len(own) > 1 and len(theirs) > 1 and next(iter(own)) == next(iter(theirs)):
        own, theirs = (dict.fromkeys([*words][1:]) for words in (own, theirs))
    return not own or not theirs or not own.keys().isdisjoint(theirs)


def _usual_words(context: Context) -> frozenset[str]:
    """Words that the names of most tools have: the name of the server."""
    names = [{stem(word) for word in name_words(name)} for name in context.facts.names]
    counts = Counter(word for words in names for word in words)
    return frozenset(word for word, count in counts.items() if count > 2 and 2 * count > len(names))


def _adds_some(shown: set[str], one: _Enum) -> bool:
    """True if a description shows some values of an enum, and others."""
    known = {value.casefold() for value in one.values}
    return not known.isdisjoint(map(str.casefold, shown)) and not known.issuperset(map(str.casefold, shown))


def _lists_others(text: str, values: tuple[str, ...]) -> bool:
    """True if a description names many of the values but not all, or several between quotes and others with them: it
    has a list of its own."""
    said, quoted = set(_TOKEN.findall(text)), set(_QUOTED.findall(text))
    if _MANY <= sum(value in said for value in values) < len(values):
        return True
    return len(quoted.intersection(values)) > 1 and not quoted <= set(values)


_MANY = 4
"""Minimum number of values that make a list; fewer may be examples."""


def _as_default(values: tuple[str, ...], default: str) -> tuple[str, ...]:
    """The values in the letter case of a default that equals one of them apart from case."""
    if not default or default in values:
        return values
    return tuple(value.lower() if default.islower() else value.upper() for value in values)


def _in_prose(node: SchemaPlace, context: Context) -> tuple[str, ...] | None:
    """The values that the own description of a parameter lists."""
    found = open_text(node, context)
    claim = stated_list(found, context) if found is not None else None
    if claim is None or any(_is_joined(said.text, context) for said in passages_about(node, context)):
        return None
    return claim.values


_SHORT = 60
"""Maximum number of characters of a description that says nothing about the values: "The style to set"."""


def _is_only(one: _Enum, enums: tuple[_Enum, ...], found: OpenText, text: str) -> bool:
    """True if a name of several words stands for these values everywhere, and a short description says nothing else."""
    words = name_words(found.name)
    if not (text or one.declared):
        return False  # What one tool says of itself need not hold where nothing is said.
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
    declared: bool
    """False if only a description lists the values."""
    holder: str
    """The parameter that it is a part of; empty for one of the call itself."""
    tools: list[str]
    """All that have it."""


def _holder(node: SchemaPlace) -> str:
    """The parameter that a parameter is a part of; empty for one of the call itself."""
    outer = node.tokens[:-2]
    names = [str(name) for keyword, name in pairwise(outer) if keyword == "properties"]
    return names[-1] if names else ""


def _differ(one: str, other: str) -> bool:
    """True if two parameters are parts of different things: the provider of a voice, and that of a transcriber."""
    return bool(one and other) and one != other


def _enums(context: Context) -> Mapping[str, tuple[_Enum, ...]]:
    """The enums of all tools, by parameter name; of names that several tools have, since only these have siblings."""
    places: dict[str, list[SchemaPlace]] = {}
    for tool in context.surface.tools:
        for node in context.facts.nodes(tool):
            if node.side == "inputSchema" and node.argument is not None and isinstance(node.schema, dict):
                places.setdefault(node.argument, []).append(node)
    return {
        name: tuple(_enums_of(nodes, context))
        for name, nodes in places.items()
        if any(node.tool.name != nodes[0].tool.name for node in nodes)
    }


def _enums_of(nodes: list[SchemaPlace], context: Context) -> Iterable[_Enum]:
    """The different enums of the parameters of one name."""
    known: dict[tuple[str, ...], _Enum] = {}
    variants: dict[tuple[str | int, ...], list[str]] = {}
    for node in nodes:
        root = root_of(node)
        declared = values_of(root, node.schema)
        if declared is not None and len(declared) == 1:
            declared = _of_variants(variants, node, declared[0])
        values = declared or _in_prose(node, context)
        if values and len(values) > 1 and all(isinstance(value, str) for value in values):
            items = "array" in (types_of(node.schema, root) or ())
            words = _words(node.schema.get("description"))
            holder = _holder(node)
            one = _Enum(node.tool.name, items, tuple(values), words, declared is not None, holder, [])
            known.setdefault((*values, str(items), holder), one).tools.append(node.tool.name)
    return known.values()


def _of_variants(variants: dict[tuple[str | int, ...], list[str]], node: SchemaPlace, value: Any) -> list[Any]:
    """The values that distinguish the branches of a union, once the last branch is read; its own for any other place.

    Args:
        variants: the values of the branches that are read, by the tool and the place of the union.
        node: a parameter with only one value.
        value: that.
    """
    keyword, _ = node.tokens[-4:-2] if len(node.tokens) > 3 else ("", "")
    if keyword not in ("anyOf", "oneOf") or not isinstance(value, str):
        return [value]
    known = variants.setdefault((node.tool.index, *node.tokens[:-3]), [])
    known.append(value)
    union: Any = root_of(node)
    for token in node.tokens[:-3]:
        union = union[token]
    return list(dict.fromkeys(known)) if len(known) == len(union) else [value]


_QUOTED = lazy_pattern(r"['\"`]([\w\-]{1,60})['\"`]")
_TOKEN = lazy_pattern(r"[\w\-]+")
_WORD = lazy_pattern(r"[^\W_]+")


def _words(text: Any) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) if isinstance(text, str) else frozenset()


_READS = frozenset({"count", "fetch", "filter", "find", "get", "list", "query", "search"})


def _is_read(tool: str) -> bool:
    """True if the name of a tool says that it reads or filters."""
    return not _READS.isdisjoint(name_words(tool)[:2])


_SHOWN_LIST = lazy_pattern(r"\b(?:e\.g\.?,?|such\sas|for\sexample,?)\s(?=[\w`'\"])", re.IGNORECASE)
_MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""


def _same_thing(found: OpenText, text: str, other: _Enum, *, alike: bool) -> bool:
    """True if two parameters of one name mean the same: same words where the tools are ``alike``, only values of it in
    quotes, half of its values, or its default."""
    default = found.schema.get("default")
    if isinstance(default, str) and default:
        if default not in _as_default(other.values, default):
            return False
        if len(name_words(found.name)) > 1 and len(other.values) > 2:
            return True
    words = _words(text)
    shared, either = len(words & other.words), len(words | other.words)
    if alike and shared >= 4 and shared >= 0.6 * either:
        return True
    folded = {value.casefold() for value in other.values}
    if len(name_words(found.name)) == 1 and _is_read(other.tool) and not _is_read(found.node.tool.name):
        # A few statuses by which one tool filters may be those of another thing than the one that this tool writes.
        return len(words & other.words) > 0 and all(value in text.casefold() for value in folded)
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
