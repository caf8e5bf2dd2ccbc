"""Examples in descriptions: they parse, and the schema accepts them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.asides import without_results
from mcp_governor.prose.snippets import Call, Snippet, calls, misfit, missing, snippets
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import effective, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface, Tool

_MAX_READ = 20_000
"""Maximum number of characters of a description searched for examples."""
_MAX_SHOWN = 2
"""Maximum number of problems quoted in a message."""
_ANSWER = lazy_pattern(
    r"\b(?:returns?|returned|response|responds|outputs?|results?|yields|answers?|stored|contains)\b[^{}\[\]]{0,200}$",
    re.IGNORECASE,
)
_DENIED = lazy_pattern(
    r"\b(?:not|wrong|bad|invalid|incorrect|avoid|don't|never)\b[^{}\[\]\n.]{0,60}$|❌[^\n]{0,60}$", re.IGNORECASE
)
_CALLED = lazy_pattern(
    r"\b(?:examples?|e\.g\.|usage|call|calls|calling|invoke|input|arguments?)\b[^{}\[\]\n]{0,60}$", re.IGNORECASE
)
_IN_A_LIST = lazy_pattern(
    r"\bexamples?\s?:?\*{0,2}\s?\n(?:[ \t]{0,8}(?:[-*•]|\d{1,2}[.)])[^\n]{0,300}\n){0,6}"
    r"[ \t]{0,8}(?:[-*•]|\d{1,2}[.)])[^{}\[\]\n]{0,80}$",
    re.IGNORECASE,
)
"""An item of a list under the heading "Examples:", up to what it shows."""


def broken_example(tool: Tool, context: Context) -> Iterator[Hit]:
    """An example written as JSON is valid JSON."""
    # A sketch of a result, with comments, is nothing that a model sends.
    sent = without_results(tool.description)
    said = [("/description", tool.description, sent), *((_pointer(name), text, text) for name, _, text in _shown(tool))]
    for pointer, text, read in said:
        broken = [one for one in _snippets(read, context) if one.broken]
        if broken:
            more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
            yield hit(pointer, text, example=_short(broken[0].text), problem=broken[0].broken, more=more)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:80]}…"


def _shown(tool: Tool) -> Iterator[tuple[str, Any, str]]:
    """The parameters whose descriptions may show a value, which most do not: name, schema and description."""
    for name, argument in _arguments(tool).items():
        own = argument.get("description") if isinstance(argument, dict) else None
        if isinstance(own, str) and _may_show(own):
            yield name, argument, own


def _may_show(text: str) -> bool:
    return "{" in text or "[" in text


def _pointer(name: str) -> str:
    return join_pointer("/inputSchema/properties", name, "description")


def _arguments(tool: Tool) -> Mapping[str, Any]:
    schema = tool.input_schema
    arguments = schema.get("properties") if isinstance(schema, dict) else None
    return arguments if isinstance(arguments, dict) else {}


def _snippets(text: str, context: Context) -> tuple[Snippet, ...]:
    return context.facts.read(_read, text) if _may_show(text) else ()


def _read(text: str) -> tuple[Snippet, ...]:
    return tuple(snippets(text[:_MAX_READ]))


def unfit_example(surface: Surface, context: Context) -> Iterator[Hit]:
    """The schema accepts every value and call that a description shows."""
    names = frozenset(name for name in surface.by_name if name.isidentifier())
    if surface.instructions:
        yield from _hits("/instructions", None, surface.instructions, _of_calls(surface, surface.instructions, names))
    for tool in surface.tools:
        text = tool.description
        found = [
            *_of_calls(surface, text, names),
            *_of_messages(surface, text, context),
            *_of_values(tool, text, context),
        ]
        yield from _hits("/description", tool.name, text, found)
        for name, schema, said in _shown(tool):
            unfit = _of_argument(tool.input_schema, name, schema, said, context)
            yield from _hits(_pointer(name), tool.name, said, unfit)


def _hits(pointer: str, tool: str | None, text: str, found: Iterable[str]) -> Iterator[Hit]:
    problems = list(dict.fromkeys(found))
    if problems:
        more = f"; and {len(problems) - _MAX_SHOWN} more" if len(problems) > _MAX_SHOWN else ""
        gist = f"{one_line(tool, 64) if tool is not None else 'the instructions'}: {problems[0]}"
        yield hit(pointer, text, tool=tool, problems="; ".join(problems[:_MAX_SHOWN]) + more, gist=gist)


def _of_values(tool: Tool, text: str, context: Context) -> Iterator[str]:
    """Problems with objects whose keys are parameters of the tool."""
    found = _snippets(text, context)
    if not found:
        return
    arguments, schema = _arguments(tool), tool.input_schema
    for one in found:
        value = one.value
        front = text[max(0, one.at - 200) : one.at]
        if not isinstance(value, dict) or not value or _DENIED.search(front):
            continue
        known = sum(name in arguments for name in value)
        called = _CALLED.search(front) or _IN_A_LIST.search(text[max(0, one.at - 600) : one.at])
        # An object that shares only a name or two with the parameters may be unrelated.
        if known < 2 and not (known == len(value) and called):
            continue
        if known * 2 <= len(value) or (known < len(value) and not called) or _is_answer(front):
            continue
        shown = _short(one.text)
        reason = misfit(schema, schema, value)
        absent = missing(schema, value) if known == len(value) and called else []
        if reason:
            yield f"{reason} in {shown}"
        elif absent:
            yield f"{_named(absent)} required and not in {shown}"


def _of_messages(surface: Surface, text: str, context: Context) -> Iterator[str]:
    """Problems with calls as clients send them: ``{"name": "read", "arguments": {"path": "a"}}``."""
    for one in _snippets(text, context):
        value = one.value
        if not isinstance(value, dict) or not value.keys() <= _MESSAGE or _DENIED.search(text[: one.at][-200:]):
            continue
        tool = surface.by_name.get(str(value.get("name", value.get("tool"))))
        given = next((value[key] for key in _GIVEN if isinstance(value.get(key), dict)), None)
        # Of a tool with such parameters, these are its own.
        if tool is None or given is None or value.keys() <= _arguments(tool).keys():
            continue
        reason = misfit(tool.input_schema, tool.input_schema, given)
        absent = missing(tool.input_schema, given)
        if reason or absent:
            yield f"{reason or f'{_named(absent)} required and not'} in {_short(one.text)}"


_GIVEN = ("arguments", "args", "input", "parameters", "params")
_MESSAGE = frozenset({"name", "tool", *_GIVEN})
"""Keys of a call."""


def _named(names: list[str]) -> str:
    return f"{' and '.join(names[:3])} {'is' if len(names) == 1 else 'are'}"


def _is_answer(front: str) -> bool:
    """True if the words in front of an example call it a result."""
    return _ANSWER.search(front.rsplit("\n\n", 1)[-1]) is not None


def _of_argument(root: Mapping[str, Any], name: str, schema: Any, text: str, context: Context) -> Iterator[str]:
    """Problems with lists and objects in the description of a parameter of such a type."""
    found = _snippets(text, context)
    types = types_of(effective(root, schema), root) if found else None
    if not types or types.isdisjoint({"array", "object"}) or "string" in types:
        return
    for one in found:
        front = text[max(0, one.at - 200) : one.at]
        if _DENIED.search(front) or _is_answer(front) or not isinstance(one.value, list | dict) or not one.value:
            continue
        # An object may be one of the list's items.
        if isinstance(one.value, dict) and "object" not in types:
            continue
        if isinstance(one.value, list) and "array" not in types:
            continue
        # A list of words in the description of a list of objects shows something else, or only a part of one.
        if (
            isinstance(one.value, list)
            and not all(isinstance(item, dict) for item in one.value)
            and _of_objects(root, schema)
        ):
            continue
        reason = misfit(root, schema, one.value, name, 1)
        if reason:
            yield f"{reason} in {_short(one.text)}"


def _of_objects(root: Mapping[str, Any], schema: Any) -> bool:
    types = types_of(effective(root, effective(root, schema).get("items")), root)
    return types is None or "object" in types


def _of_calls(surface: Surface, text: str, names: frozenset[str]) -> Iterator[str]:
    """Problems with calls of tools written in Python."""
    if "(" in text:
        for call in calls(text[:_MAX_READ], names):
            reason = _unfit_call(call, surface.by_name[call.name])
            if reason:
                yield f"{reason} in {_short(call.text)}"


def _unfit_call(call: Call, tool: Tool) -> str:
    arguments, schema = _arguments(tool), tool.input_schema
    for name, value in call.named.items():
        if name not in arguments:
            outer = _wrapper(name, tool)
            return f"{name} is a key of {outer}, but not" if outer else f"{name} is not declared"
        reason = misfit(schema, arguments[name], value, name, 1)
        if reason:
            return reason
    # "For notes, use edit_note(action='add')" is short for the rest of the call.
    whole = call.whole and call.shown and isinstance(schema, dict)
    absent = missing(schema, call.named) if whole else []
    return f"{_named(absent)} required and not" if absent else ""


def _wrapper(name: str, tool: Tool) -> str:
    """The only parameter of a tool, if it is an object that declares this name: ``params`` of Pydantic models."""
    arguments = _arguments(tool)
    (outer, schema), *others = arguments.items() or (("", None),)
    inner = effective(tool.input_schema, schema).get("properties") if not others else None
    return outer if isinstance(inner, dict) and name in inner else ""
