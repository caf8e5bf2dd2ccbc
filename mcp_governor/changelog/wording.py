"""A change as a changelog entry: one English sentence that names tool and field in backticks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.changelog.subjects import subject_of
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.change.model import Change

PLACEHOLDER = "REPLACEMENT"
"""Stands where only the author knows the name; `changelog check` asks for it."""

# "[one|many]" is the form of the verb for one tool and for several.
_SENTENCES: Mapping[str, str] = {
    "tool-added": "{tool} [is a new tool|are new tools].",
    "tool-removed": "{tool} [is|are] gone; use {replacement} instead.",
    "tool-renamed": "{tool} [is|are] now called {successor}.",
    "tool-deprecated": "{tool} [is|are] deprecated; use {replacement} instead.",
    "deprecation-withdrawn": "{tool} [is|are] no longer deprecated.",
    "tier-raised": "{tool} [moves|move] up from the tier `{old}` to `{new}`.",
    "tier-lowered": "{tool} [moves|move] down from the tier `{old}` to `{new}`.",
    "hint-less-safe": "{tool} [moves|move] {field} from `{old}` to `{new}`.",
    "hint-safer": "{tool} [moves|move] {field} from `{old}` to `{new}`.",
    "title-changed": "{tool} [has|have] a new title.",
    "description-changed": "{tool} [is|are] described in new words.",
    "argument-added": "{tool} [takes|take] an optional {field}.",
    "required-argument-added": "{tool} now [requires|require] the new {field}.",
    "argument-required": "{tool} now [requires|require] {field}.",
    "argument-optional": "{tool} no longer [requires|require] {field}.",
    "argument-removed": "{tool} no longer [takes|take] {field}.",
    "argument-renamed": "{tool} [takes|take] {successor} instead of {field}.",
    "output-field-added": "{tool} [returns|return] a new field {field}.",
    "output-field-removed": "{tool} no longer [returns|return] {field}.",
    "output-field-renamed": "{tool} [returns|return] {successor} instead of {field}.",
    "output-field-guaranteed": "{tool} always [returns|return] {field}.",
    "output-field-optional": "{tool} may leave out {field}.",
    "enum-value-added": "{tool} [accepts|accept] further values for {field}: {gained}.",
    "enum-value-removed": "{tool} no longer [accepts|accept] these values for {field}: {lost}.",
    "output-enum-value-added": "{tool} may return further values in {field}: {gained}.",
    "output-enum-value-removed": "{tool} never [returns|return] these values in {field} any more: {lost}.",
    "default-changed": "{tool} [takes|take] `{new}` where {field} is left out; it was `{old}`.",
    "default-added": "{tool} [says|say] that {field} defaults to `{new}`.",
    "schema-description-changed": "{tool} [describes|describe] {field} in new words.",
    "output-schema-description-changed": "{tool} [describes|describe] {field} of the result in new words.",
}
_NUMBER = re.compile(r"\[([^\[\]|]+)\|([^\[\]|]+)\]")


def sentence(change: Change, *, replacement: str | None = None, tools: Sequence[str] = ()) -> str:
    """An entry for one change, without its bullet.

    Args:
        change: any change; kinds without a sentence of their own are told by their message.
        replacement: the tool to use instead, for tools that go.
        tools: the tools to which the very same happened, for one entry about all of them.
    """
    named = list(tools) or ([change.tool] if change.tool is not None else [])
    subject = subject_of(change)
    known = _SENTENCES.get(change.kind)
    if known is None or (not subject.fields and "{field}" in known):
        return _by_message(change, named)
    form = 2 if len(named) > 1 else 1
    lost, gained = _values(change.old, change.new)
    return _NUMBER.sub(lambda match: match[form], known).format(
        tool=enumeration([code(name) for name in named]),
        field=code(subject.fields[-1]) if subject.fields else "",
        successor=code(subject.successor or PLACEHOLDER),
        replacement=code(replacement or _replacement_in(change.new) or PLACEHOLDER),
        old=_plain(change.old),
        new=_plain(change.new),
        lost=lost,
        gained=gained,
    )


def _replacement_in(deprecation: Any) -> str | None:
    """What a deprecation names: the new value of ``tool-deprecated``."""
    told = deprecation.get("replacement") if isinstance(deprecation, dict) else None
    return told if isinstance(told, str) else None


def _by_message(change: Change, tools: Sequence[str]) -> str:
    """``TOOL: message.``, with the names that the message leaves out."""
    subject = subject_of(change)
    message = one_line(change.message, 400).rstrip(".")
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
