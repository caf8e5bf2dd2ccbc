"""Parameters that depend on each other according to a tool's description but not its schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mcp_governor.linting.call_arguments import call_object
from mcp_governor.linting.choices import quoted_choices, values_of
from mcp_governor.linting.closed_lists import values_in
from mcp_governor.linting.context import hit
from mcp_governor.linting.guarded import Guarded, has_any, lowered
from mcp_governor.linting.modes import modes_listed, modes_of_argument
from mcp_governor.linting.needs import Group, Need, stated_needs
from mcp_governor.linting.option_lists import stated_options
from mcp_governor.linting.passages import outline_of
from mcp_governor.linting.prose import without_name
from mcp_governor.linting.schemas import COMPOSITION, root_of, types_of
from mcp_governor.linting.vocabulary import is_kind
from mcp_governor.linting.words import name_words
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.linting.closed_lists import ClosedList
    from mcp_governor.linting.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool

_EXPRESSED_BY = (*COMPOSITION, "then", "else", "dependentRequired", "dependencies", "minProperties")
_FLAG = (frozenset({"boolean"}), frozenset({"boolean", "null"}))
_MAX_NAMED = 6
"""Maximum number of alternatives named one by one; more are all optional parameters of an object."""
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
    """The schema says so if a parameter has an effect only together with another."""
    yield from _hits(tool, context, ignored=True)


def _hits(tool: Tool, context: Context, *, ignored: bool) -> Iterator[Hit]:
    found = context.facts.recent(("needs", tool.index), lambda: tuple(_needs_of(tool, context)))
    strict = [one for one in found if one.need.kind != "ignored"]
    if ignored:
        tied = [set(one.need.arguments) for one in strict]
        strict = [
            one
            for one in found
            if one.need.kind == "ignored" and not any(set(one.need.arguments) <= other for other in tied)
        ]
    if not strict:
        return
    shown = [_shown(one.need) for one in strict[:_MAX_SHOWN]]
    named = {one.need.arguments[0] for one in strict[:_MAX_SHOWN]}
    rest = [name for name in dict.fromkeys(one.need.arguments[0] for one in strict) if name not in named]
    if rest:
        shown.append(f"and more of {', '.join(rest)}")
    first = strict[0]
    fragments = [
        fragment for one in strict if one.pointer == first.pointer and (fragment := _fragment(one.need, first.schema))
    ]
    advice = json.dumps(fragments[0], ensure_ascii=False)[1:-1] if fragments else 'a condition ("if" and "then")'
    pointer, value = first.pointer, first.schema
    if all(one.of_mode for one in strict):
        # The object as a whole is fine; the fault is in one parameter of a choice.
        name = first.need.arguments[0]
        pointer, value = join_pointer(pointer, "properties", name), value["properties"][name]
    yield hit(pointer, value, needs="; ".join(shown), advice=advice)


def _needs_of(tool: Tool, context: Context) -> Iterator[_Found]:
    """Every dependency that is stated and missing in the schema, each once."""
    seen: set[tuple[str, frozenset[str]]] = set()
    for found in _stated(tool, context):
        kind = "when" if found.need.kind == "when" else "ignored" if found.need.kind == "ignored" else "set"
        head = found.need.arguments[0] if kind != "set" else ""
        key = (kind + head, frozenset(found.need.arguments))
        if key not in seen and not _expressed(found.need, found.schema):
            seen.add(key)
            yield found


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
        unsaid += [_Found(Need("together", pair), node.pointer, schema) for pair in _coordinates(arguments)]
        if is_call:
            yield from _options(tool.description, node, group)
            for mode in modes_listed(tool.description, group.names, group.values):
                yield _Found(Need("when", mode[:2], mode.condition), node.pointer, schema, of_mode=True)
        for name, argument in arguments.items():
            own = argument.get("description") if isinstance(argument, dict) else None
            for said in (own, entries.get(name)):
                if isinstance(said, str):
                    yield from (_Found(need, node.pointer, schema) for need in stated_needs(said, group, name))
                    yield from _by_mode(said, name, group, node)
    # Last, since a message quotes the first ones: what a description says is the better reason.
    yield from unsaid


_OTHER_HALF = {
    "lat": ("lon", "lng", "long"),
    "latitude": ("longitude",),
    "x": ("y",),
}
"""Last word of a name → the last words of names that make it a position."""


def _coordinates(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The numbers that are one position: one without the other says nothing, whatever the description says."""
    for name in arguments:
        words = name_words(name)
        for last in _OTHER_HALF.get(words[-1], ()) if words else ():
            other = next((one for one in arguments if name_words(one) == (*words[:-1], last)), None)
            if other is not None and all(_is_bare_number(arguments[one]) for one in (name, other)):
                yield name, other


def _is_bare_number(schema: Any) -> bool:
    types = types_of(schema) if isinstance(schema, dict) and "default" not in schema else None
    return types is not None and types - {"null"} in ({"number"}, {"integer"})


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
    kind: Literal["ignored", "when"] = "ignored" if spare or types_of(argument) in _FLAG else "when"
    yield _Found(Need(kind, mode[:2], mode.condition), node.pointer, node.schema, of_mode=True)


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
    return next((one.values for one in facts.read(values_in, without_name(text, "")).lists if _chooses(one, kind)), ())


_TEXT = (frozenset({"string"}), frozenset({"string", "null"}))


def _chooses(found: ClosedList, kind: bool) -> bool:
    """True if a list gives the values of a parameter, which may be named for a kind: "type", "mode"."""
    if found.whole or found.plainly:
        return True
    listed = found.quoted or found.bullets or found.alternatives or found.bracketed or found.noun != ""
    return (kind and listed and len(found.values) > 1) or (found.promised and (found.bullets or found.quoted))


def _expressed(need: Need, schema: Mapping[str, Any]) -> bool:
    """True if the schema relates these parameters to each other, or leaves no choice."""
    required = schema.get("required")
    required = (
        set(required) if isinstance(required, list) and all(isinstance(name, str) for name in required) else set()
    )
    if need.kind in ("when", "ignored"):
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


def _shown(need: Need) -> str:
    wording = _wording(need)
    return f'{wording} ("{need.condition}")' if need.condition else wording


def _wording(need: Need) -> str:
    names = need.arguments
    if need.kind == "when":
        return f"{names[0]} depends on {', '.join(names[1:])}"
    if need.kind == "ignored":
        return f"the effect of {names[0]} depends on {', '.join(names[1:])}"
    joined = f"{', '.join(names[:-1])} and {names[-1]}"
    if need.kind == "any" and len(names) > _MAX_NAMED:
        return f"at least one of the {len(names)} optional parameters is needed"
    if need.kind == "together":
        return f"{joined} go together"
    if need.kind == "exclusive":
        return f"{joined} exclude each other" if len(names) == 2 else f"{names[0]} excludes {', '.join(names[1:])}"
    joined = f"{', '.join(shown[:-1])} and {shown[-1]}" if (shown := [" + ".join(way) for way in need.ways]) else joined
    return f"{'exactly' if need.kind == 'one' else 'at least'} one of {joined} is needed"


def _fragment(need: Need, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keyword that would express a dependency; ``None`` if the words leave that open."""
    names = list(need.arguments)
    if need.condition and need.kind not in ("when", "ignored"):
        return None
    each = [{"required": list(way)} for way in need.ways or [(name,) for name in names]]
    if need.kind == "together":
        return {"dependentRequired": {names[0]: [names[1]], names[1]: [names[0]]}}
    if need.kind == "any" and len(names) > _MAX_NAMED:
        required = schema.get("required")
        return {"minProperties": (len(required) if isinstance(required, list) else 0) + 1}
    if need.kind == "any":
        return {"anyOf": each}
    if need.kind == "one":
        return {"oneOf": each}
    flags = [name for name in names if types_of(schema["properties"][name]) in _FLAG]
    if need.kind == "exclusive":
        names = names[:2]
        conditions = {"properties": {name: {"const": True} for name in flags}} if flags else {}
        return {"not": {**conditions, "required": names}}
    if need.kind != "when" or len(names) != 2 or not need.state:
        return None
    if need.state == "present":
        return {"dependentRequired": {names[1]: [names[0]]}}
    if need.state == "absent":
        return {"anyOf": each}
    value: Any = need.state[1:]
    value = {"true": True, "false": False}.get(value.lower(), value) if names[1] in flags else value
    return {
        "if": {"properties": {names[1]: {"const": value}}, "required": [names[1]]},
        "then": {"required": [names[0]]},
    }
