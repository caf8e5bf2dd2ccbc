"""A change as a changelog entry: one English sentence that names tool and field in backticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.changelog.subjects import subject_of
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.change.model import Change

PLACEHOLDER = "REPLACEMENT"
"""Stands where only the author knows the name; `changelog check` asks for it."""

_SENTENCES: Mapping[str, str] = {
    "tool-added": "{tool} is a new tool.",
    "tool-removed": "{tool} is gone; use {replacement} instead.",
    "tool-renamed": "{tool} is now called {successor}.",
    "tool-deprecated": "{tool} is deprecated; use {replacement} instead.",
    "tool-undeprecated": "{tool} is no longer deprecated.",
    "tier-raised": "{tool} moves up from the tier `{old}` to `{new}`.",
    "tier-lowered": "{tool} moves down from the tier `{old}` to `{new}`.",
    "argument-added": "{tool} takes an optional {field}.",
    "required-argument-added": "{tool} requires a new {field}.",
    "argument-required": "{tool} now requires {field}.",
    "argument-optional": "{tool} no longer requires {field}.",
    "argument-removed": "{tool} no longer takes {field}.",
    "argument-renamed": "{tool} takes {successor} instead of {field}.",
    "output-field-added": "{tool} returns a new field {field}.",
    "output-field-removed": "{tool} no longer returns {field}.",
    "output-field-renamed": "{tool} returns {successor} instead of {field}.",
    "output-field-guaranteed": "{tool} always returns {field}.",
    "output-field-optional": "{tool} may leave out {field}.",
    "enum-value-added": "{tool} accepts further values for {field}: {gained}.",
    "enum-value-removed": "{tool} no longer accepts these values for {field}: {lost}.",
    "output-enum-value-added": "{tool} may return new values in {field}: {gained}.",
    "output-enum-value-removed": "{tool} no longer returns these values in {field}: {lost}.",
    "default-changed": "{field} of {tool} defaults to `{new}`; it was `{old}`.",
    "default-added": "{field} of {tool} now has the default `{new}`.",
    "default-removed": "{field} of {tool} no longer has a default; it was `{old}`.",
    "description-changed": "The description of {tool} is rewritten.",
    "schema-description-changed": "{tool} describes {field} in new words.",
    "output-schema-description-changed": "{tool} describes {field} in its result in new words.",
}


def sentence(change: Change, *, replacement: str | None = None) -> str:
    """An entry for one change, without its bullet.

    Args:
        change: any change; kinds without a sentence of their own are told by their message.
        replacement: the tool to use instead, for tools that go.
    """
    return template(change, replacement=replacement).replace(TOOL, code(change.tool or ""))


TOOL = "\0tool\0"
"""Stands for the tool in :func:`template`, so that one sentence can speak of several."""


def template(change: Change, *, replacement: str | None = None) -> str:
    """The sentence with :data:`TOOL` in place of the tool; changes that share it can share an entry."""
    subject = subject_of(change)
    known = _SENTENCES.get(change.kind)
    if known is None or (not subject.fields and "{field}" in known):
        return _by_message(change)
    lost, gained = _values(change.old, change.new)
    return known.format(
        tool=TOOL,
        field=code(subject.fields[-1]) if subject.fields else "",
        successor=code(subject.successor or PLACEHOLDER),
        replacement=code(replacement or PLACEHOLDER),
        old=_plain(change.old),
        new=_plain(change.new),
        lost=lost,
        gained=gained,
    )


def _by_message(change: Change) -> str:
    """``TOOL: message.``, with the names that the message leaves out."""
    subject = subject_of(change)
    message = one_line(change.message, 400).rstrip(".")
    missing = [name for name in subject.fields[-1:] if f"`{visible(name)}`" not in message]
    if change.tool is None and not subject.fields:
        missing = [subject.name]
    names = [TOOL] if change.tool else []
    lead = ", ".join([*names, *map(code, missing)])
    return f"{lead}: {message}." if lead else f"{message[:1].upper()}{message[1:]}."


def code(text: str) -> str:
    """A code span that holds ``text``, whatever backticks are in it."""
    safe = one_line(text, 200)
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
