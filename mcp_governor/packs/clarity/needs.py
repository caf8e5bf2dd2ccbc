"""Parameters that depend on each other according to a tool's description but not its schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.unsaid_needs import coordinates, identifiers, sources
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.choices import may_have_values, quoted_choices, values_of
from mcp_governor.prose.claims import read_values
from mcp_governor.prose.credentials import names_key, names_password
from mcp_governor.prose.flat_text import without_name
from mcp_governor.prose.guarded import Guarded, has_any, lowered
from mcp_governor.prose.modes import modes_listed, modes_of_argument
from mcp_governor.prose.need import Group, Need
from mcp_governor.prose.need_words import Worded, call_ruled_out, together
from mcp_governor.prose.needs import stated_needs
from mcp_governor.prose.option_lists import stated_options
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.vocabulary import is_kind
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import COMPOSITION, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool

_EXPRESSED_BY = (*COMPOSITION, "then", "else", "dependentRequired", "dependencies", "minProperties")
_NO_EFFECT = ("only", "ignored")
_MAX_REST = 12
"""Maximum number of other parameters named: two lines of a terminal."""
_MAX_CHOICES = 20
"""Maximum number of "one of" that are compared with the other dependencies: no schema has more alternatives."""
_MILD = ("mode", "together")
"""Kinds that a name suggests without a word, or half of which still means something."""
_FAILS = 100
"""Weight of a call that has not what it needs, more than that of all dependencies of a tool: such a call fails. Of two
that exclude each other, a server may just ignore one."""
_CONDITION = 'a condition ("if" and "then")'
_MAX_SHOWN = 3
"""Maximum number of dependencies quoted in a message; the others are counted."""


class _Found(NamedTuple):
    """A dependency, the object that declares its parameters, and if it is one of a choice."""

    need: Need
    pointer: str
    schema: Mapping[str, Any]
    of_mode: bool = False


def unstated_needs(tool: Tool, context: Context) -> Iterator[Hit]:
    """A dependency between parameters that a description states is in the schema."""
    yield from _hits(tool, context, ignored=False)


def unstated_ignoring(tool: Tool, context: Context) -> Iterator[Hit]:
    """The schema says so if a parameter has an effect only together with another, or only without it."""
    yield from _hits(tool, context, ignored=True)


def _hits(tool: Tool, context: Context, *, ignored: bool) -> Iterator[Hit]:
    found = context.facts.recent(("needs", tool.index), lambda: tuple(_needs_of(tool, context)))
    if not found:
        return
    tied = [one for one in found if one.need.kind not in _NO_EFFECT]
    only_apart = all(map(_is_plainly_apart, tied))
    stated = _ignoring(found, tied) if ignored else [] if only_apart else tied
    if ignored and only_apart:
        stated = [*tied, *stated]
    if not stated:
        return
    if not ignored and all(one.of_mode for one in stated):
        # The finding is shown at the first: what most choices are about.
        stated.sort(key=lambda one: -len(one.need.values))
    if not ignored:
        # The first is the example: one that a call shows.
        place = stated[0].pointer
        stated.sort(key=lambda one: (one.pointer != place, not call_ruled_out(one.need, one.schema)))
    first = stated[0]
    said: list[tuple[str, dict[str, Any] | None]] = []
    for pointer in dict.fromkeys(one.pointer for one in stated):
        here = [one for one in stated if one.pointer == pointer]
        sentences = Worded(here[0].schema).sentences(one.need for one in here)
        said += [(text, fragment if pointer == first.pointer else None) for text, fragment in sentences]
    shown = [text for text, _ in said[:_MAX_SHOWN]]
    named = "; ".join(shown)
    rest = list(dict.fromkeys(f"`{one.need.arguments[0]}`" for one in stated))
    rest = [name for name in rest if name not in named]
    if len(said) > len(shown):
        cut = ", …" if len(rest) > _MAX_REST else ""
        of = f" about {', '.join(rest[:_MAX_REST])}{cut}" if rest else ""
        shown.append(f"and {len(said) - len(shown)} more{of}")
    fragments = [fragment for _, fragment in said[:_MAX_SHOWN] if fragment is not None]
    fragments = fragments or [fragment for _, fragment in said if fragment is not None][:1]
    advice = json.dumps(together(fragments), ensure_ascii=False)[1:-1] if fragments else _CONDITION
    pointer = first.pointer
    # What is stated, not the object: a parameter that has nothing to do with it does not make this another finding.
    value: Any = sorted(_identity(one) for one in stated)
    former: Any = first.schema
    if not ignored and all(one.of_mode for one in stated):
        # The object as a whole is fine; the fault is in one parameter of a choice.
        name = first.need.arguments[0]
        pointer, value, former = join_pointer(pointer, "properties", name), former["properties"][name], None
    call = call_ruled_out(first.need, first.schema)
    weight = sum(one.need.kind not in _MILD for one in stated)
    weight += _FAILS if call and first.need.kind in ("any", "one", "when") else 0
    part = _part(first.pointer)
    within = f"{part} in {tool.name}" if part else tool.name
    gist = f"{within} takes {call}, but {shown[0]}" if call else f"{shown[0]} ({within})"
    yield hit(
        pointer,
        value,
        says="" if not call else "taken within" if part else "taken",
        weight=weight,
        former=former,
        needs="; ".join(shown),
        call=call,
        part=part,
        gist=gist,
        advice=advice,
    )


def _part(pointer: str) -> str:
    """The part of a tool's parameters to which a pointer leads: ``rows[]``; empty for the parameters as a whole."""
    path = ""
    tokens = iter(pointer_tokens(pointer))
    for keyword in tokens:
        if keyword == "properties":
            path += f".{one_line(next(tokens, ''), 64)}"
        elif keyword == "items":
            path += "[]"
    return path.removeprefix(".")


def _ignoring(found: Collection[_Found], tied: Collection[_Found]) -> list[_Found]:
    """The parameters that have no effect in some calls, without those about which more is said."""
    more = [set(one.need.arguments) for one in tied]
    return [
        one
        for one in found
        if one.need.kind in _NO_EFFECT
        # "Ignored when the query has its own clause": no schema can say it.
        and (one.need.kind == "only" or one.need.state)
        and not any(set(one.need.arguments) <= other for other in more)
    ]


def _is_plainly_apart(found: _Found) -> bool:
    """True if parameters of a call exclude each other, and only a call with both breaks that: the text says it, and few
    clients take the keywords for it at the root. Next to a default, the other one alone breaks it."""
    arguments = found.schema["properties"]
    return (
        found.need.kind == "exclusive"
        and found.pointer == "/inputSchema"
        and not any(_has_value(arguments.get(name)) for name in found.need.arguments)
    )


def _has_value(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("default") not in (None, False, "")


def _identity(found: _Found) -> list[Any]:
    """A dependency as JSON, without the wording where what it says was read."""
    need = found.need
    said = "" if need.state else need.condition
    return [found.pointer, need.kind, need.arguments, need.state, need.values, need.must, need.ways, said]


_ABOUT_ONE = {"when": "when", "mode": "when", "within": "within", "only": "ignored", "ignored": "ignored"}
"""Kinds of dependencies of one parameter → what is reported once for the same parameters."""


def _needs_of(tool: Tool, context: Context) -> list[_Found]:
    """Every dependency that is stated and missing in the schema, each once, without those that others imply."""
    stated = list(_unexpressed(tool, context))
    if not stated:
        return []
    found = list(_apart(stated))
    chosen = [one for one in found if one.need.kind in ("any", "one") and not one.need.condition]
    implied = [any(_implies(other, one) for other in chosen[:_MAX_CHOICES]) for one in found]
    paired = list(_paired([one for one, known in zip(found, implied, strict=True) if not known]))
    whole = [(one.pointer, set(one.need.arguments)) for one in paired if one.need.kind == "together"]
    return [one for one in paired if not (_is_mutual(one.need) and _is_part(one, whole))]


def _apart(found: list[_Found]) -> Iterator[_Found]:
    """Parameters each of which excludes all the others are one dependency: at most one of them."""
    heads: dict[tuple[str, frozenset[str]], int] = {}
    for one in found:
        if _excludes_several(one.need):
            key = (one.pointer, frozenset(one.need.arguments))
            heads[key] = heads.get(key, 0) + 1
    done: set[tuple[str, frozenset[str]]] = set()
    for one in found:
        key = (one.pointer, frozenset(one.need.arguments))
        # If all but one of them say so, each pair is excluded.
        if not _excludes_several(one.need) or heads[key] < len(key[1]) - 1:
            yield one
        elif key not in done:
            done.add(key)
            names = tuple(sorted(one.need.arguments))
            yield one._replace(need=Need("exclusive", names, ways=tuple((name,) for name in names)))


def _excludes_several(need: Need) -> bool:
    return need.kind == "exclusive" and len(need.arguments) > 2 and not need.ways


def _is_part(found: _Found, whole: list[tuple[str, set[str]]]) -> bool:
    """True if parameters that belong together say it already."""
    return any(pointer == found.pointer and names >= set(found.need.arguments) for pointer, names in whole)


def _implies(choice: _Found, found: _Found) -> bool:
    """True if "one of a and b" says what "a is required unless b is given" says, or "a and b exclude each other"."""
    need, ways = found.need, choice.need.ways
    unless = need.kind == "when" and need.state == "absent" and not need.must
    excludes = need.kind == "exclusive" and choice.need.kind == "one"
    if not unless and not excludes:
        return False
    of = [{position for position, way in enumerate(ways) if name in way} for name in need.arguments]
    apart = all(of) and all(of[0].isdisjoint(others) for others in of[1:])
    return apart and choice.pointer == found.pointer


def _paired(found: list[_Found]) -> Iterator[_Found]:
    """Two parameters that need each other, or each of which is required without the other, are one dependency."""
    done: set[tuple[str, frozenset[str], str]] = set()
    mutual = {(one.pointer, one.need.arguments, one.need.state) for one in found if _is_mutual(one.need)}
    for one in found:
        need = one.need
        if not _is_mutual(need) or (one.pointer, need.arguments[::-1], need.state) not in mutual:
            yield one
            continue
        key = (one.pointer, frozenset(need.arguments), need.state)
        if key not in done:
            done.add(key)
            ways = tuple((name,) for name in need.arguments)
            yield one._replace(
                need=Need("any", need.arguments, ways=ways)
                if need.state == "absent"
                else Need("together", tuple(sorted(need.arguments)))
            )


def _is_mutual(need: Need) -> bool:
    return need.kind == "when" and len(need.arguments) == 2 and need.state in ("present", "absent") and not need.must


def _unexpressed(tool: Tool, context: Context) -> Iterator[_Found]:
    seen: dict[tuple[str, frozenset[str]], _Found] = {}
    for found in _stated(tool, context):
        if _has_substitute(found.need, found.schema) or _serves_others(found.need, found.schema):
            continue
        kind = _ABOUT_ONE.get(found.need.kind, "set")
        head = found.need.arguments[0] if kind != "set" or _excludes_several(found.need) else ""
        key = (kind + head, frozenset(found.need.arguments))
        known = seen.get(key)
        if known is None:
            if not _expressed(found.need, found.schema):
                seen[key] = found
        elif known.pointer == found.pointer and known.need.kind == found.need.kind and _is_choice(known, found):
            # "- a: requires x", "- b: requires x": one dependency, for both.
            values = tuple(dict.fromkeys((*known.need.values, *found.need.values)))
            of_mode = known.of_mode or found.of_mode
            seen[key] = known._replace(need=known.need._replace(values=values), of_mode=of_mode)
    yield from seen.values()


_SUBSTITUTE = lazy_pattern(r"\bor\s(?:use|pass|provide|give|set|specify)\s[`'\"]?([A-Za-z_]\w{0,60})", re.IGNORECASE)


def _has_substitute(need: Need, schema: Mapping[str, Any]) -> bool:
    """True if what is required says that another parameter does as well: "Line of it (or use code_snippet)"."""
    if need.kind != "when" or need.must:
        return False
    argument = schema["properties"].get(need.arguments[0])
    text = argument.get("description") if isinstance(argument, dict) else None
    if not isinstance(text, str) or len(text) > _MAX_BRIEF:
        return False
    others = (match[1] for match in _SUBSTITUTE.finditer(text))
    return any(other in schema["properties"] and other not in need.arguments for other in others)


def _serves_others(need: Need, schema: Mapping[str, Any]) -> bool:
    """True if what is said of one value is said of others as well ("Term for 'search', exact name for 'info'"), or if
    the parameter is a credential, which servers take from their environment too."""
    name = need.arguments[0]
    if need.kind in ("when", "within") and not need.must and (names_key(name) or names_password(name)):
        return True
    if need.kind != "only" or need.state != "=":
        return False
    argument = schema["properties"].get(name)
    text = argument.get("description") if isinstance(argument, dict) else None
    if not isinstance(text, str) or len(text) > _MAX_BRIEF:
        return False
    purposes = {match[1] for match in _PURPOSE.finditer(text)}
    return len(purposes) > 1 and not purposes.issubset(need.values)


_PURPOSE = lazy_pattern(r"\w\sfor\s['\"`]([\w\-]{1,40})['\"`]")
_MAX_BRIEF = 1_000
"""Maximum number of characters of a description that is read for a substitute, which a short one names."""


def _is_choice(*found: _Found) -> bool:
    """True if each applies to values of the same parameter."""
    return all(one.need.state == "=" for one in found) and len({one.need.arguments for one in found}) == 1


def _stated(tool: Tool, context: Context) -> Iterator[_Found]:
    root = tool.raw.get("inputSchema")
    called = call_object(tool, context.facts).tokens
    unsaid: list[_Found] = []
    for node in context.facts.nodes(tool):
        schema = node.schema
        if node.side != "inputSchema" or not isinstance(schema, dict):
            continue
        arguments = schema.get("properties")
        if not isinstance(arguments, dict) or len(arguments) < 2:
            continue
        is_call = node.tokens == called
        entries = outline_of(tool, context.facts).entries if is_call else {}
        group = _group(node, entries, context.facts)
        about = [tool.description] if is_call else []
        about += [text for text in (schema.get("description"), _holder(root, node.tokens)) if isinstance(text, str)]
        for text in about:
            yield from (_Found(need, node.pointer, schema) for need in stated_needs(text, group))
        unsaid += [_Found(Need("together", pair), node.pointer, schema) for pair in coordinates(arguments)]
        if is_call:
            without_words = (*identifiers(tool, arguments, group), *sources(tool, arguments, group))
            unsaid += [_Found(need, node.pointer, schema) for need in without_words]
            yield from _options(tool.description, node, group)
            for mode in modes_listed(tool.description, group.names, group.values):
                need = Need("when", mode[:2], mode.condition, "=", mode.choices)
                yield _Found(need, node.pointer, schema, of_mode=True)
        for name, argument in arguments.items():
            own = argument.get("description") if isinstance(argument, dict) else None
            for said in (own, entries.get(name)):
                if isinstance(said, str):
                    for need in stated_needs(said, group, name):
                        yield _Found(need, node.pointer, schema)
                    if group.values:
                        yield from _by_mode(said, name, group, node)
    # Last, since a message quotes the first ones: what a description says is the better reason.
    yield from unsaid


def _options(description: str, node: SchemaPlace, group: Group) -> Iterator[_Found]:
    """Alternative ways to call a tool that its description lists."""
    options = stated_options(description, group.names) if "ption" in description or "ethod" in description else None
    if options is not None:
        names = tuple(dict.fromkeys(name for way in options.ways for name in way))
        need = Need("one" if options.exactly else "any", names, ways=options.ways)
        yield _Found(need, node.pointer, node.schema)


def _by_mode(said: str, name: str, group: Group, node: SchemaPlace) -> Iterator[_Found]:
    """Dependencies of a parameter that applies to some choices of another, or to one value of a flag."""
    mode = modes_of_argument(said, name, group.values) if has_any(lowered(said), group.values) else None
    if mode is None:
        return
    argument = node.schema["properties"][name]
    spare = "default" in argument and argument["default"] is not None
    words = name_words(name)
    named = not spare and types_of(argument) in _TEXT and bool(words) and words[-1] in _NAMING
    needed = len(mode.choices) > 1 or _is_the_thing_of(words, mode.choices)
    needed = needed and "optional" not in lowered(said)
    need = Need("mode" if named and needed else "only", mode[:2], mode.condition, "=", mode.choices)
    yield _Found(need, node.pointer, node.schema, of_mode=True)


_NAMING = frozenset({"arn", "branch", "id", "identifier", "key", "name", "path", "ref", "slug", "url", "uuid"})
"""Last words of parameters that say which thing an operation is about: it fails without."""


def _is_the_thing_of(words: Collection[str], choices: Collection[str]) -> bool:
    """True if an operation fails without a parameter that applies to it alone: the `url` of type "url", the new name of
    "rename". Of another operation it may be a filter: the name of "list"."""
    return any(name_words(choice) == tuple(words) or ("new" in words and choice in _TO_NEW) for choice in choices)


_TO_NEW = frozenset({"move", "rename"})


def _holder(root: Any, tokens: tuple[str | int, ...]) -> Any:
    """The description of the list whose items are this object."""
    if not tokens or tokens[-1] != "items":
        return None
    value = root
    for token in tokens[:-1]:
        value = value[token]
    return value.get("description") if isinstance(value, dict) else None


def _group(node: SchemaPlace, entries: Mapping[str, str], facts: Facts) -> Group:
    arguments, required = node.schema["properties"], node.schema.get("required", [])
    root = root_of(node)
    values: dict[str, str] = {}
    twice: set[str] = set()
    descriptions = {name: _text(argument, entries.get(name, "")) for name, argument in arguments.items()}
    said = "\n".join(descriptions.values())
    by_value = _BY_VALUE.search(said) is not None or _ONLY.search(said) is not None
    for name, argument in arguments.items():
        if not by_value and not may_have_values(name, argument):
            continue
        listed = _listed_choices(name, argument, descriptions[name], facts) if by_value else ()
        chosen = quoted_choices(name, argument, entries.get(name, ""))
        for value in (*values_of(root, name, argument), *chosen, *listed):
            if values.setdefault(value.casefold(), name) != name:
                twice.add(value.casefold())
    optional = tuple(name for name in arguments if name not in required) if isinstance(required, list) else ()
    return Group(frozenset(arguments), {value: name for value, name in values.items() if value not in twice}, optional)


_BY_VALUE = Guarded(r"\b(?:required|needed|only) (?:for|with|when)\b", " for", " with", " when", starts="nor")
_ONLY = Guarded(r"(?:^|\n)\W{0,2}\w{2,30} only\b", " only")
"""Words that relate a parameter to a value of another."""


def _text(argument: Any, entry: str) -> str:
    own = argument.get("description") if isinstance(argument, dict) else None
    return own if isinstance(own, str) and own else entry


def _listed_choices(name: str, argument: Any, text: str, facts: Facts) -> tuple[str, ...]:
    """The values that prose lists for a parameter without an enum: "hills, brooks or meadows"."""
    if not isinstance(argument, dict) or types_of(argument) not in _TEXT or "enum" in argument:
        return ()
    words = name_words(name)
    kind = bool(words) and is_kind(words[-1])
    claims = facts.read(read_values, without_name(text, ""))
    return next((one.listed.values for one in claims if one.sure or kind), ())


_TEXT = (frozenset({"string"}), frozenset({"string", "null"}))


def _expressed(need: Need, schema: Mapping[str, Any]) -> bool:
    """True if the schema relates these parameters to each other, or leaves no choice."""
    argument = schema["properties"].get(need.arguments[0])
    if need.kind in ("only", "ignored", "within") and _is_every_value(need, schema):
        return True
    if need.kind == "when" and need.condition.startswith("with ") and isinstance(argument, dict):
        # What has a default is there whenever another parameter needs it.
        return argument.get("default") is not None or _is_related(need, schema)
    return _is_related(need, schema)


def _is_every_value(need: Need, schema: Mapping[str, Any]) -> bool:
    """True if a condition names every value that its parameter takes: no call breaks it."""
    chooser = schema["properties"].get(need.arguments[1]) if need.state == "=" else None
    values = chooser.get("enum") if isinstance(chooser, dict) else None
    said = {value.casefold() for value in need.values}
    return isinstance(values, list) and all(isinstance(one, str) and one.casefold() in said for one in values)


def _is_related(need: Need, schema: Mapping[str, Any]) -> bool:
    required = schema.get("required")
    required = (
        set(required) if isinstance(required, list) and all(isinstance(name, str) for name in required) else set()
    )
    if need.kind in _ABOUT_ONE:
        given = need.arguments[0] in required
    elif need.kind == "together":
        given = required >= set(need.arguments)
    else:
        given = not required.isdisjoint(need.arguments)
    if given:
        return True
    said = [schema[key] for key in _EXPRESSED_BY if key in schema]
    # In the JSON of the keywords, the names appear in quotes, both as values and as keys.
    text = json.dumps(said, default=str, ensure_ascii=False) if said else ""
    return any(json.dumps(name, ensure_ascii=False) in text for name in need.arguments)
