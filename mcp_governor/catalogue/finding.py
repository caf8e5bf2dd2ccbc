"""From a rule to a :class:`~mcp_governor.findings.Finding`: the one door, for every station.

The sentences is in the rule's file. A station gives the place and the facts; what a server or a file said is made
safe to show here, and no other place has to do it.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Finding
from mcp_governor.text import LONGEST_LINE, one_line, visible

if TYPE_CHECKING:
    from mcp_governor.catalogue.rule import Rule
    from mcp_governor.findings import Correction

_PLACE = re.compile(r"\{(\w+)(?:!([qt]))?(?::(\d{1,4}|all|lines))?\}")

_SHOWN = 120
"""Characters of a fact that a sentence shows where its place asks for no other number: a line on most screens."""

_QUOTED = 60
"""The same for what is in quotes: names, which are seldom half as long."""

_NO_FACTS: Mapping[str, Any] = {}


@functools.cache
def own_rule(rule_id: str) -> Rule:
    """One of our own rules, read from its own file: a run with one finding need not read the catalogue."""
    from mcp_governor.catalogue.rule_file import read_own_rule
    from mcp_governor.rule_names import rules_folder

    return read_own_rule(str(rules_folder() / f"{rule_id}.toml"))


def finding(
    rule: Rule | str,
    path: str,
    /,
    *,
    says: str = "",
    about: str = "",
    tool: str | None = None,
    value: Any = None,
    correction: Correction | None = None,
    facts: Mapping[str, Any] = _NO_FACTS,
    **named: Any,
) -> Finding:
    """A finding of a rule, with the rule's own severity; what a configuration makes of it is decided later.

    Args:
        rule: the rule, or the id of a built-in one.
        path: JSON pointer, or ``FILE:LINE``.
        says: which of the rule's ``messages`` it is, where it has several.
        about: what the sentence is said of, put in brackets at its end: the call that was made.
        tool: the tool in question, if there is one.
        value: the JSON value in question, which an acceptance is tied to.
        correction: the edits that make it go away, where they are known.
        facts, named: what the rule's sentences name in braces, besides ``tool``, ``path`` and ``value``.
    """
    rule = own_rule(rule) if isinstance(rule, str) else rule
    known = {"tool": tool, "path": path, "value": value, **facts, **named}
    message = sentence(rule, known, says)
    if about:
        message = f"{message.removesuffix('.')} ({one_line(about)})."
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        message=message,
        tool=tool,
        path=path,
        fix=fill(rule.fix, known),
        value=value,
        cause=_cause(rule, known),
        correction=correction,
    )


def _cause(rule: Rule, known: Mapping[str, Any]) -> str:
    """The grouped sentence of a rule; the tools are filled in where findings are put together."""
    if not rule.grouped:
        return ""
    return fill(rule.grouped, {name: fact for name, fact in known.items() if name not in ("tools", "places")})


def sentence(rule: Rule, facts: Mapping[str, Any], says: str = "") -> str:
    """What a rule says about one place.

    Raises:
        KeyError: the rule has no such message.
    """
    return fill(rule.messages[says] if says else rule.message, facts)


def fill(template: str, facts: Mapping[str, Any]) -> str:
    """A template with its facts, made safe to show; a name that is not a fact stays as it is.

    ``{name}`` is a fact on one line: text as it is, a list of strings with commas, anything else as JSON.
    ``{name!q}`` puts a string, and each string of a list, in quotes, and ``{name!t}`` shows the JSON type; what is not
    a string is shown by its type in both. ``{name:60}`` shows 60 characters at most, ``{name:all}`` a whole line,
    ``{name:lines}`` keeps its line feeds.
    """
    return "".join([part if how is None else _show(part, how, facts) for part, how in _parts(template)]).strip()


# the messages and fixes of all rules, some of which are filled in thousands of times
@functools.lru_cache(maxsize=1024)
def _parts(template: str) -> tuple[tuple[str, re.Match[str] | None], ...]:
    """The text of a template and its places, in order; a place is its text and its match."""
    parts: list[tuple[str, re.Match[str] | None]] = []
    end = 0
    for match in _PLACE.finditer(template):
        parts += [(template[end : match.start()], None), (match[0], match)]
        end = match.end()
    return (*parts, (template[end:], None))


def named(template: str) -> str:
    """A template for a reader: each fact by its name alone."""
    return _PLACE.sub(r"{\1}", template)


def _show(place: str, match: re.Match[str], facts: Mapping[str, Any]) -> str:
    name, how, size = match.groups()
    if name not in facts:
        return place
    fact = facts[name]
    if isinstance(fact, str) and not how and size != "lines":
        # A fact may be a sentence that is not always there, such as a guess: then it begins with its blank.
        limit = _SHOWN if size is None else LONGEST_LINE if size == "all" else int(size)
        return (" " if fact[:1] == " " else "") + one_line(fact, limit)
    if size == "lines":
        return visible(str(fact), keep_newlines=True)
    limit = LONGEST_LINE if size == "all" else int(size or (_QUOTED if how else _SHOWN))
    strings = [fact] if isinstance(fact, str) else fact
    if not isinstance(strings, (list, tuple)) or not all(isinstance(text, str) for text in strings):
        return json_type(fact) if how else one_line(json.dumps(fact, ensure_ascii=False, default=str), limit)
    if how == "t":
        return json_type(fact)
    return ", ".join(f'"{one_line(text, limit)}"' for text in strings) if how else one_line(", ".join(strings), limit)


def json_type(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None:
        return "null or absent"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, Mapping):
        return "an object"
    names = {str: "a string", list: "a list", int: "a number", float: "a number"}
    return names.get(type(value), "not a JSON value")
