"""A change as a changelog entry: one English sentence that names tool and field in backticks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.change.terms import Side
from mcp_governor.changelog.subjects import subject_of
from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.change.model import Change

PLACEHOLDER = "REPLACEMENT"
"""Stands where only the author knows the name; `changelog check` asks for it."""

# "[one|many]" is the form of the verb for one tool and for several; a change without a tool has no {tool}.
_SENTENCES: Mapping[str, str] = {
    "tool-added": "{tool} [is a new tool|are new tools].",
    "tool-removed": "{tool} [is|are] gone; use {replacement} instead.",
    "tool-renamed": "{tool} [is|are] now called {successor}.",
    "tool-deprecated": "{tool} [is|are] deprecated; use {replacement} instead.",
    "deprecation-changed": "{tool} [stays|stay] deprecated{until}; use {replacement} instead.",
    "deprecation-withdrawn": "{tool} [is|are] no longer deprecated.",
    "tier-raised": "{tool} [moves|move] up from the tier `{old}` to `{new}`.",
    "tier-lowered": "{tool} [moves|move] down from the tier `{old}` to `{new}`.",
    "category-changed": "{tool} [moves|move] from the category `{old}` to `{new}`.",
    "hint-less-safe": "{tool} [moves|move] {field} from `{old}` to `{new}`.",
    "hint-safer": "{tool} [moves|move] {field} from `{old}` to `{new}`.",
    "title-changed": "{tool} [has|have] a new title.",
    "icons-changed": "{tool} [has|have] other icons.",
    "description-changed": "{tool} [is|are] described in new words.",
    "argument-added": "{tool} [takes|take] an optional {field}.",
    "required-argument-added": "{tool} now [requires|require] the new {field}.",
    "argument-required": "{tool} now [requires|require] {field}.",
    "argument-optional": "{tool} no longer [requires|require] {field}.",
    "argument-removed": "{tool} no longer [takes|take] {field}.",
    "argument-renamed": "{tool} [takes|take] {successor} instead of {field}.",
    "input-closed": "{tool} [refuses|refuse] keys of {field} that are not declared.",
    "input-opened": "{tool} [takes|take] keys of {field} that are not declared.",
    "output-schema-added": "{tool} [declares|declare] what [it returns|they return].",
    "output-schema-removed": "{tool} no longer [declares|declare] what [it returns|they return].",
    "output-field-added": "{tool} [returns|return] a new field {field}.",
    "output-field-removed": "{tool} no longer [returns|return] {field}.",
    "output-field-renamed": "{tool} [returns|return] {successor} instead of {field}.",
    "output-field-guaranteed": "{tool} always [returns|return] {field}.",
    "output-field-optional": "{tool} may leave out {field}.",
    "output-closed": "{tool} [returns|return] no fields of {field} but the declared ones.",
    "output-opened": "{tool} may return fields of {field} that are not declared.",
    "enum-value-added": "{tool} [accepts|accept] further values for {field}: {gained}.",
    "enum-value-removed": "{tool} no longer [accepts|accept] these values for {field}: {lost}.",
    "enum-changed": "{tool} [accepts|accept] {gained} for {field}, and no longer {lost}.",
    "enum-added": "{tool} [accepts|accept] only these values for {field}: {gained}.",
    "enum-dropped": "{tool} [accepts|accept] any value for {field}, and not only {lost}.",
    "output-enum-value-added": "{tool} may return further values in {field}: {gained}.",
    "output-enum-value-removed": "{tool} never [returns|return] these values in {field} any more: {lost}.",
    "output-enum-changed": "{tool} may return {gained} in {field}, and never {lost} any more.",
    "output-enum-added": "{tool} [returns|return] only these values in {field}: {gained}.",
    "output-enum-dropped": "{tool} may return any value in {field}, and not only {lost}.",
    "default-changed": "{tool} [takes|take] `{new}` where {field} is left out; it was `{old}`.",
    "default-added": "{tool} [says|say] that {field} defaults to `{new}`.",
    "default-removed": "{tool} no longer [says|say] that {field} defaults to `{old}`.",
    "output-default-changed": "{tool} [names|name] `{new}` as the usual {field} of the result; it was `{old}`.",
    "output-default-added": "{tool} [names|name] `{new}` as the usual {field} of the result.",
    "output-default-removed": "{tool} no longer [names|name] `{old}` as the usual {field} of the result.",
    "format-added": "{tool} [expects|expect] {field} in the format `{new}`.",
    "format-changed": "{tool} [expects|expect] {field} in the format `{new}`; it was `{old}`.",
    "format-removed": "{tool} no longer [expects|expect] {field} in the format `{old}`.",
    "output-format-added": "{tool} [returns|return] {field} in the format `{new}`.",
    "output-format-changed": "{tool} [returns|return] {field} in the format `{new}`; it was `{old}`.",
    "output-format-removed": "{tool} no longer [returns|return] {field} in the format `{old}`.",
    "schema-description-changed": "{tool} [describes|describe] {field} in new words.",
    "output-schema-description-changed": "{tool} [describes|describe] {field} of the result in new words.",
}
# What a schema keyword did to the values of a field: "maximum of `f` changed from 10 to 5".
_KEYWORD = lazy_pattern(r"(?P<noun>.+?)(?: of `[^`]+`)? (?P<verb>changed from .+|is gone, was .+|is new: (?P<new>.+))")
_EVENTS: Mapping[str, str] = {
    "tightened": "{tool} [accepts|accept] fewer values{place}: {detail}.",
    "loosened": "{tool} [accepts|accept] more values{place}: {detail}.",
    "changed": "{tool} [accepts|accept] other values{place}: {detail}.",
    "output-tightened": "{tool} [returns|return] fewer values{place}: {detail}.",
    "output-loosened": "{tool} may return more values{place}: {detail}.",
    "output-changed": "{tool} may return other values{place}: {detail}.",
}
_NOUNS = {
    "exclusiveMaximum": "the exclusive maximum",
    "exclusiveMinimum": "the exclusive minimum",
    "if/then/else": "the condition",
    "maxItems": "the greatest number of items",
    "maxLength": "the greatest length",
    "maxProperties": "the greatest number of keys",
    "maximum": "the maximum",
    "minItems": "the smallest number of items",
    "minLength": "the smallest length",
    "minProperties": "the smallest number of keys",
    "minimum": "the minimum",
    "multipleOf": "the step",
    "not": "what is excluded",
    "pattern": "the pattern",
    "prefixItems": "the list of items",
    "propertyNames": "the form of keys",
    "what needs what": "which keys need which",
}
_SAME = {"narrowed": "tightened", "widened": "loosened"}
_JSON_LIST = lazy_pattern(r'(?<=asks for )\["[^"\\]*"(?:,"[^"\\]*")*\]')
_NAME = lazy_pattern(r"[^\W\d][\w-]*")
_NUMBER = lazy_pattern(r"\[([^\[\]|]+)\|([^\[\]|]+)\]")


def sentence(change: Change, *, replacement: str | None = None, tools: Sequence[str] = ()) -> str:
    """An entry for one change, without its bullet.

    Args:
        change: any change; kinds without a sentence of their own are told by their message.
        replacement: the tool to use instead, for tools that go.
        tools: the tools to which the very same happened, for one entry about all of them.
    """
    named = list(tools) or ([change.tool] if change.tool is not None else [])
    subject = subject_of(change)
    lost, gained = _values(change.old, change.new)
    if change.kind == "capabilities-changed":
        moved = [f"{verb} {names}" for verb, names in (("without", lost), ("with", gained)) if names]
        return f"The server declares other `capabilities`: {', '.join(moved)}."
    words = {
        "tool": enumeration([code(name) for name in named]),
        "field": _field(change, subject.fields),
        "successor": code(subject.successor or PLACEHOLDER),
        "replacement": code(replacement or _of_deprecation(change.new, "replacement") or PLACEHOLDER),
        "until": f" until {code(sunset)}" if (sunset := _of_deprecation(change.new, "sunset")) else "",
        "old": _plain(change.old),
        "new": _plain(change.new),
        "lost": lost,
        "gained": gained,
    }
    known = _SENTENCES.get(change.kind, "")
    if not known or any(not words[name] and f"{{{name}}}" in known for name in ("field", "lost", "gained")):
        known, more = _of_keyword(change, words["field"])
        words |= more
    if not known:
        return _by_message(change, named)
    form = 2 if len(named) > 1 else 1
    return _NUMBER.sub(lambda match: match[form], known).format_map(words)


def _field(change: Change, fields: Sequence[str]) -> str:
    """The path to a field (``filter.limit``), where its names can be told apart in it."""
    if not fields:
        return ""
    plain = change.tool is not None and all(_NAME.fullmatch(name) for name in fields)
    return code(".".join(fields) if plain else fields[-1])


def _of_keyword(change: Change, field: str) -> tuple[str, dict[str, str]]:
    """The sentence about a schema keyword, and its words; empty where the change is about something else."""
    told = _KEYWORD.fullmatch(one_line(change.message, 400).rstrip("."))
    side = "output-" if change.side is Side.OUTPUT else ""
    event = change.kind.rpartition("-")[2]
    known = _EVENTS.get(f"{side}{_SAME.get(event, event)}", "")
    if told is None or change.tool is None or not known:
        return "", {}
    noun = _NOUNS.get(told["noun"], told["noun"])
    detail = f"{noun} {told['verb']}" if told["new"] is None else f"{noun} is {told['new']} now"
    preposition = "in" if side else "for"
    return known, {"place": f" {preposition} {field}" if field else "", "detail": detail}


def _of_deprecation(deprecation: Any, key: str) -> str | None:
    """What a deprecation says: the new value of ``tool-deprecated``."""
    told = deprecation.get(key) if isinstance(deprecation, dict) else None
    return told if isinstance(told, str) else None


def _by_message(change: Change, tools: Sequence[str]) -> str:
    """``TOOL: message.``, with the names that the message leaves out."""
    subject = subject_of(change)
    message = one_line(change.message, 400).rstrip(".")
    if change.kind == "instructions-changed":
        return f"{message[:1].upper()}{message[1:]}.".replace(" instructions ", " `instructions` ", 1)
    if change.kind == "prompt-required-argument-added":
        message += " and must be passed"
    message = _JSON_LIST.sub(lambda match: enumeration([code(name) for name in json.loads(match[0])]), message)
    missing = [name for name in subject.fields[-1:] if code(name) not in message]
    lead = ", ".join(code(name) for name in (*tools, *missing))
    return f"{lead}: {message}." if lead else f"{message[:1].upper()}{message[1:]}."


def code(text: str) -> str:
    """A code span that holds ``text``, whatever backticks are in it."""
    safe = visible(" ".join(text.split()))
    ticks = "`"
    while ticks in safe:
        ticks += "`"
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{ticks}{pad}{safe}{pad}{ticks}"


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return one_line(text, 60).replace("`", "'")


def _values(old: Any, new: Any) -> tuple[str, str]:
    """What a list lost and what it gained."""
    before = {canonical_json(value): value for value in old} if isinstance(old, list) else {}
    after = {canonical_json(value): value for value in new} if isinstance(new, list) else {}
    lost = [code(_plain(before[key])) for key in before if key not in after]
    gained = [code(_plain(after[key])) for key in after if key not in before]
    return _joined(lost), _joined(gained)


def _joined(parts: list[str], limit: int = 8) -> str:
    if len(parts) > limit:
        parts = [*parts[:limit], f"{len(parts) - limit} more"]
    return enumeration(parts)


def enumeration(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
