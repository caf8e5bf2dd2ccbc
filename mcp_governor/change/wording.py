"""The messages for a change: the templates of its kind, filled with its data.

A template (:class:`mcp_governor.change.kind_model.Kind`) is parsed before anything is inserted, and every name and
value from a server is escaped here: none of them can end a code span, begin a line or pass for a template.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from mcp_governor.change.vocabulary import MISSING, owner, tokens_of
from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change.kind_model import Kind
    from mcp_governor.change.vocabulary import Facts

PLACEHOLDER = "REPLACEMENT"
"""The placeholder for a name that only the author knows; `changelog check` asks for it."""

NOTHING = ""
"""The replacement of something without a replacement."""

_FILLER = lazy_pattern(r"\{(\w+)\}")
_NUMBER = lazy_pattern(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_FORMS = lazy_pattern(r"<([^<>]+)>")
_NAME = lazy_pattern(r"[^\W\d][\w-]*")
_MAX_NAMED, _MAX_VALUES = 8, 6
"""Maximum number of list members in a message; the rest are counted."""

# Words for JSON Schema keywords; keywords that are not listed appear by name.
_NOUNS = {
    "exclusiveMaximum": "the exclusive maximum",
    "exclusiveMinimum": "the exclusive minimum",
    "if/then/else": "the condition",
    "maxItems": "the maximum number of items",
    "maxLength": "the maximum length",
    "maxProperties": "the maximum number of keys",
    "maximum": "the maximum",
    "minItems": "the minimum number of items",
    "minLength": "the minimum length",
    "minProperties": "the minimum number of keys",
    "minimum": "the minimum",
    "multipleOf": "the step",
    "not": "the excluded schema",
    "pattern": "the pattern",
    "prefixItems": "the list of items",
    "propertyNames": "the schema of key names",
    "dependency": "the dependency between keys",
}


class Words:
    """The placeholders of templates, with their values for one change.

    Args:
        kind: the catalogue entry.
        tool, path, facts: of the change.
        old, new: its values; ``MISSING`` if there is none.
        reason: why it could not be decided.

    :meth:`report` and :meth:`entry` return the messages. Every other public method is a placeholder: ``{name}`` in a
    template is the result of :meth:`name`. If a result is empty, the template does not fit, and the next one is tried;
    results that begin with a preposition may be empty.
    """

    def __init__(
        self, kind: Kind, tool: str | None, path: str, facts: Facts, *, old: Any, new: Any, reason: str
    ) -> None:
        self._kind = kind
        self._tools: Sequence[str] = () if tool is None else (tool,)
        self._path = path
        self._facts = facts
        self._old, self._new = old, new
        self._reason = reason
        self._replacement: str | None = None

    def report(self) -> str:
        """The message for a report, without a capital at the start or a full stop at the end."""
        filled = self._first(self._kind.message) or self._kind.name
        return f"{filled}: {visible(self._reason)}" if self._reason else filled

    def entry(self, tools: Sequence[str], replacement: str | None) -> str:
        """The entry for a changelog, see :meth:`mcp_governor.change.model.Change.entry`."""
        copied = copy(self)
        copied._tools = tools or self._tools
        copied._replacement = PLACEHOLDER if replacement is None else replacement
        filled = copied._first(self._kind.entry)
        if filled:
            return filled
        # The report's message is used, preceded by the names that it leaves out.
        lead = [*copied._tools, *([] if self._names_the_field() else self._facts.fields[-1:])]
        named, message = ", ".join(map(code, lead)), self.report()
        return f"{named}: {message}." if named else f"{message[:1].upper()}{message[1:]}."

    def names_the_tool(self) -> bool:
        """True if the report's message names the tool."""
        return "tool" in self._fillers_used() or ("thing" in self._fillers_used() and not self._facts.fields)

    def _names_the_field(self) -> bool:
        around = {"of", "value"} if self._facts.fields[-1:] == (owner(self._path)[0],) else set()
        return not self._fillers_used().isdisjoint({"name", "thing", *around})

    def _fillers_used(self) -> set[str]:
        """The placeholders in the report's message."""
        return set(_FILLER.findall(self._fit(self._kind.message) or ""))

    def _first(self, templates: str | tuple[str, ...]) -> str | None:
        template = self._fit(templates)
        if template is None:
            return None
        number = 2 if len(self._tools) > 1 else 1
        template = _NUMBER.sub(lambda match: match[number], template)
        template = _FORMS.sub(lambda match: self._form(match[1].split("|")), template)
        return _FILLER.sub(lambda match: self._word(match[1]), template)

    def _fit(self, templates: str | tuple[str, ...]) -> str | None:
        """The first template whose placeholders all have values."""
        for template in (templates,) if isinstance(templates, str) else templates:
            plain = _FORMS.sub("", template)
            if all(self._word(name) or name in _MAY_BE_EMPTY for name in _FILLER.findall(plain)):
                return template
        return None

    def _word(self, name: str) -> str:
        word: str = getattr(self, name)()
        return word

    def _form(self, forms: list[str]) -> str:
        """The form of ``is new|is gone|changed from … to …|changed`` for the values; the last one for no values."""
        if self._old is not MISSING and self._new is not MISSING:
            return forms[-1] if self._only_alternatives() else forms[2]
        return forms[-1] if self._old is self._new else forms[self._new is MISSING]

    # -- the subject

    def tool(self) -> str:
        """The tools with this change."""
        return enumeration([code(name) for name in self._tools])

    def name(self) -> str:
        """The name of what changed, by its old name, or the tool's."""
        return code(self._facts.fields[-1]) if self._facts.fields else self.tool()

    def thing(self) -> str:
        """What changed, with its noun: ``argument `q```."""
        return f"{self._facts.thing or self._kind.thing} {self.name()}"

    def parent(self) -> str:
        """The prompt or the property to which the last name belongs."""
        return code(self._facts.fields[-2]) if len(self._facts.fields) > 1 else ""

    def successor(self) -> str:
        """The new name."""
        return code(self._facts.successor) if self._facts.successor is not None else ""

    def field(self) -> str:
        """The path to a field (``filter.limit``), if its names are unambiguous."""
        fields = self._facts.fields
        if not fields:
            return ""
        plain = bool(self._tools) and all(_NAME.fullmatch(name) for name in fields)
        return code(".".join(fields) if plain else fields[-1])

    def for_field(self) -> str:
        return f" for {self.field()}" if self._facts.fields else ""

    def in_field(self) -> str:
        return f" in {self.field()}" if self._facts.fields else ""

    def of_field(self) -> str:
        return f" of {self.field()}" if self._facts.fields else ""

    def of(self) -> str:
        """`` of `q```: the property or definition at the place."""
        name, part = owner(self._path)
        return f" of {part}{code(name)}" if name else ""

    def value(self) -> str:
        """What the place is about, as the subject of a sentence: ``q``, or an item of it."""
        name, part = owner(self._path)
        return f"{part}{code(name)}" if name else "the value"

    # -- the event

    def what(self) -> str:
        """What was edited: a keyword, or our term for it."""
        if self._only_alternatives():
            return "the alternatives"
        return self._facts.what or self._kind.what or visible((tokens_of(self._path) or [""])[-1])

    def keyword(self) -> str:
        """What was edited, in plain words."""
        what = self.what()
        return _NOUNS.get(what, what)

    def old(self) -> str:
        """The old value as JSON."""
        return self._json(self._old)

    def new(self) -> str:
        """The new value as JSON."""
        return self._json(self._new)

    def was(self) -> str:
        """The old value as plain text."""
        return _plain(self._old)

    def now(self) -> str:
        """The new value as plain text."""
        return _plain(self._new)

    def lost(self) -> str:
        """Removed items of a list, in backticks."""
        return _named(self._facts.lost)

    def gained(self) -> str:
        """Added items of a list, in backticks."""
        return _named(self._facts.gained)

    def lost_values(self) -> str:
        """Removed items of a list, as JSON."""
        return listed_values(self._facts.lost)

    def gained_values(self) -> str:
        """Added items of a list, as JSON."""
        return listed_values(self._facts.gained)

    def detail(self) -> str:
        return one_line(self._facts.detail)

    def call(self) -> str:
        """The call: the tool with its arguments."""
        tool = one_line("".join(self._tools), 60)
        return f"{tool} with {self.detail()}" if self._facts.detail else tool

    def path(self) -> str:
        """The pointer to the place."""
        return one_line(self._path, 100)

    def replacement(self) -> str:
        """The tool to use instead."""
        named = _of_deprecation(self._new, "replacement")
        if not self._replacement:
            return code(one_line(named, 80)) if named else ""
        return code(self._replacement if self._replacement != PLACEHOLDER else named or PLACEHOLDER)

    def instead(self) -> str:
        """The advice for users of a removed tool."""
        none = self._replacement == NOTHING or (isinstance(self._new, dict) and self._new.get("nothing") is True)
        if none and not _of_deprecation(self._new, "replacement"):
            return f"nothing replaces {'it' if len(self._tools) < 2 else 'them'}"
        return f"use {self.replacement()} instead" if self.replacement() else ""

    def until(self) -> str:
        """The time of removal of a deprecated tool."""
        sunset = _of_deprecation(self._new, "sunset")
        return f" until {code(sunset)}" if sunset else ""

    def _only_alternatives(self) -> bool:
        """True if the types are the same, so that only the alternatives of one type changed."""
        return self._kind.of_types and _types(self._old) == _types(self._new)

    def _json(self, value: Any) -> str:
        return _types(value) if self._kind.of_types else _shown(value)


_MAY_BE_EMPTY = frozenset({"of", "for_field", "in_field", "of_field", "until"})


def code(text: str) -> str:
    """A code span that contains ``text``, whatever backticks it has."""
    safe = name_as_shown(text)
    ticks = "`"
    while ticks in safe:
        ticks += "`"
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{ticks}{pad}{safe}{pad}{ticks}"


def name_as_shown(name: str) -> str:
    """A server's name as messages show it and changelog entries have to spell it; never empty."""
    return " ".join(visible(name).split()) or '""'


def enumeration(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named(values: Sequence[Any]) -> str:
    parts = [code(_plain(value)) for value in values[:_MAX_NAMED]]
    more = len(values) - len(parts)
    return enumeration([*parts, f"{more} more"] if more else parts)


def listed_values(values: Sequence[Any]) -> str:
    """Some values as JSON; the rest are counted."""
    shown = ", ".join(_shown(value, 40) for value in values[:_MAX_VALUES])
    more = len(values) - _MAX_VALUES
    return f"{shown} and {more} more" if more > 0 else shown


def _types(names: Any) -> str:
    if not isinstance(names, list):
        return _shown(names)
    return " | ".join(dict.fromkeys("anything" if name is None else visible(str(name)) for name in names)) or "nothing"


def _shown(value: Any, limit: int = 60) -> str:
    """A JSON value on one line, shortened and escaped."""
    return one_line(canonical_json(None if value is MISSING else value), limit)


def _plain(value: Any) -> str:
    text = one_line(value, 60) if isinstance(value, str) else ""
    return (text or _shown(value)).replace("`", "'")


def _of_deprecation(deprecation: Any, key: str) -> str | None:
    stated = deprecation.get(key) if isinstance(deprecation, dict) else None
    return stated if isinstance(stated, str) else None
