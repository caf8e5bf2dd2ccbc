"""The sentences about a change: the templates of its kind, filled with what it says.

A template (:class:`mcp_governor.change.kind_model.Kind`) is read before anything is put into it, and every name and
value of a server is made safe here: none of them can end a code span, begin a line or pass for a template.
"""

from __future__ import annotations

import re
from copy import copy
from typing import TYPE_CHECKING, Any

from mcp_governor.change.facts import owner, tokens_of
from mcp_governor.change.terms import MISSING
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change.facts import Facts
    from mcp_governor.change.kind_model import Kind

PLACEHOLDER = "REPLACEMENT"
"""Stands where only the author knows the name; `changelog check` asks for it."""

NOTHING = ""
"""The replacement of what nothing replaces."""

_FILLER = re.compile(r"\{(\w+)\}")
_NUMBER = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_FORMS = re.compile(r"<([^<>]+)>")
_NAME = re.compile(r"[^\W\d][\w-]*")
_MOST_NAMED, _MOST_VALUES = 8, 6
"""Members of a list that a sentence names; beyond, it says how many more there are."""

# What a person calls a keyword of JSON Schema; the others are named as they are.
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
    """What a change says, as the words that fill the templates of its kind.

    Args:
        kind: the entry of the catalogue.
        tool, path, facts: of the change.
        old, new: its values, ``MISSING`` where there is none.
        reason: what stopped the decision.

    :meth:`report` and :meth:`entry` are the sentences. Every other public method is a filler: ``{name}`` in a template
    is what :meth:`name` returns. An empty one makes the template unfit, and the next one is tried; what begins with a
    preposition may be empty.
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
        """The sentence of a report: no capital first, no full stop last."""
        filled = self._first(self._kind.message) or self._kind.name
        return f"{filled}: {visible(self._reason)}" if self._reason else filled

    def entry(self, tools: Sequence[str], replacement: str | None) -> str:
        """The sentence of a changelog, see :meth:`mcp_governor.change.model.Change.entry`."""
        copied = copy(self)
        copied._tools = tools or self._tools
        copied._replacement = PLACEHOLDER if replacement is None else replacement
        filled = copied._first(self._kind.entry)
        if filled:
            return filled
        # The words of the report serve, led by the names that they leave out.
        lead = [*copied._tools, *([] if self._names_the_field() else self._facts.fields[-1:])]
        named, message = ", ".join(map(code, lead)), self.report()
        return f"{named}: {message}." if named else f"{message[:1].upper()}{message[1:]}."

    def names_the_tool(self) -> bool:
        """True if the sentence of a report says which tool it is about."""
        return "tool" in self._fillers_used() or ("thing" in self._fillers_used() and not self._facts.fields)

    def _names_the_field(self) -> bool:
        around = {"of", "value"} if self._facts.fields[-1:] == (owner(self._path),) else set()
        return not self._fillers_used().isdisjoint({"name", "thing", *around})

    def _fillers_used(self) -> set[str]:
        """The words that the sentence of a report holds."""
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
        """The first template for which there are all words."""
        for template in (templates,) if isinstance(templates, str) else templates:
            plain = _FORMS.sub("", template)
            if all(self._word(name) or name in _MAY_BE_EMPTY for name in _FILLER.findall(plain)):
                return template
        return None

    def _word(self, name: str) -> str:
        word: str = getattr(self, name)()
        return word

    def _form(self, forms: list[str]) -> str:
        """Of ``is new|is gone|changed from … to …|changed`` what the values say; the last one for no values."""
        if self._old is not MISSING and self._new is not MISSING:
            return forms[-1] if self._only_alternatives() else forms[2]
        return forms[-1] if self._old is self._new else forms[self._new is MISSING]

    # whom it is about

    def tool(self) -> str:
        """The tools that it happened to."""
        return enumeration([code(name) for name in self._tools])

    def name(self) -> str:
        """What changed, by its old name; the tool, where it is the tool."""
        return code(self._facts.fields[-1]) if self._facts.fields else self.tool()

    def thing(self) -> str:
        """What changed, with its noun: ``argument `q```."""
        return f"{self._facts.thing or self._kind.thing} {self.name()}"

    def parent(self) -> str:
        """The prompt that an argument belongs to."""
        return code(self._facts.fields[-2]) if len(self._facts.fields) > 1 else ""

    def successor(self) -> str:
        """The new name."""
        return code(self._facts.successor) if self._facts.successor is not None else ""

    def field(self) -> str:
        """The path to a field (``filter.limit``), where its names can be distinguished in it."""
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
        """`` of `q```: the property or definition that the place belongs to."""
        name = owner(self._path)
        return f" of {code(name)}" if name else ""

    def value(self) -> str:
        """The same as the subject of a sentence."""
        return code(owner(self._path)) if owner(self._path) else "the value"

    # what happened to it

    def what(self) -> str:
        """What was edited: a keyword, or our words for it."""
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
        """What went from a list, in backticks."""
        return _named(self._facts.lost)

    def gained(self) -> str:
        """What came to a list, in backticks."""
        return _named(self._facts.gained)

    def lost_names(self) -> str:
        """What went from a list, in backticks, for a sentence that has an "and" of its own."""
        return ", ".join(map(code, self._facts.lost))

    def gained_names(self) -> str:
        """What came to a list, in backticks, for such a sentence."""
        return ", ".join(map(code, self._facts.gained))

    def lost_values(self) -> str:
        """What went from a list, as JSON."""
        return _listed(self._facts.lost)

    def gained_values(self) -> str:
        """What came to a list, as JSON."""
        return _listed(self._facts.gained)

    def detail(self) -> str:
        return one_line(self._facts.detail)

    def call(self) -> str:
        """The call that was made: the tool with its arguments."""
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
        """The advice for those who used a tool that goes."""
        none = self._replacement == NOTHING or (isinstance(self._new, dict) and self._new.get("nothing") is True)
        if none and not _of_deprecation(self._new, "replacement"):
            return f"nothing replaces {'it' if len(self._tools) < 2 else 'them'}"
        return f"use {self.replacement()} instead" if self.replacement() else ""

    def until(self) -> str:
        """When a deprecated tool goes."""
        sunset = _of_deprecation(self._new, "sunset")
        return f" until {code(sunset)}" if sunset else ""

    def _only_alternatives(self) -> bool:
        """True if the types are as before, so that it is the alternatives of one type that changed."""
        return self._kind.of_types and _types(self._old) == _types(self._new)

    def _json(self, value: Any) -> str:
        return _types(value) if self._kind.of_types else _shown(value)


_MAY_BE_EMPTY = frozenset({"of", "for_field", "in_field", "of_field", "until"})


def code(text: str) -> str:
    """A code span that holds ``text``, whatever backticks are in it."""
    safe = name_as_shown(text)
    ticks = "`"
    while ticks in safe:
        ticks += "`"
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{ticks}{pad}{safe}{pad}{ticks}"


def name_as_shown(name: str) -> str:
    """A name of a server as sentences spell it, and as an entry of a changelog has to: never empty."""
    return " ".join(visible(name).split()) or '""'


def enumeration(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named(values: Sequence[Any]) -> str:
    parts = [code(_plain(value)) for value in values[:_MOST_NAMED]]
    more = len(values) - len(parts)
    return enumeration([*parts, f"{more} more"] if more else parts)


def _listed(values: Sequence[Any]) -> str:
    shown = ", ".join(_shown(value, 40) for value in values[:_MOST_VALUES])
    more = len(values) - _MOST_VALUES
    return f"{shown} and {more} more" if more > 0 else shown


def _types(names: Any) -> str:
    if not isinstance(names, list):
        return _shown(names)
    return " | ".join(dict.fromkeys("anything" if name is None else visible(str(name)) for name in names)) or "nothing"


def _shown(value: Any, limit: int = 60) -> str:
    """A JSON value on one line, cut and safe."""
    return one_line(canonical_json(None if value is MISSING else value), limit)


def _plain(value: Any) -> str:
    text = one_line(value, 60) if isinstance(value, str) else ""
    return (text or _shown(value)).replace("`", "'")


def _of_deprecation(deprecation: Any, key: str) -> str | None:
    stated = deprecation.get(key) if isinstance(deprecation, dict) else None
    return stated if isinstance(stated, str) else None
