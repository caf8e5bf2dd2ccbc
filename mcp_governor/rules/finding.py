"""Turns a rule into a :class:`~mcp_governor.findings.Finding`, for every station.

The message is in the rule's file. A station provides the place and the facts. Values from a server or a file are
escaped for display here, so that nothing else has to do it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Finding, Spot
from mcp_governor.lazy import lazy_pattern
from mcp_governor.rules.catalogue import own_rule
from mcp_governor.schemas.pointers import unescape_pointer
from mcp_governor.text import LONGEST_LINE, kind_of, one_line, visible

if TYPE_CHECKING:
    import re

    from mcp_governor.findings import Correction
    from mcp_governor.rules.rule import Rule

_PLACE = lazy_pattern(r"\{(\w+)(?:!([qt]))?(?::(\d{1,4}|all|lines))?\}")

_SHOWN = 120
"""Maximum number of characters of a fact in a message, unless the placeholder sets another: a line on most screens."""

_QUOTED = 60
"""The same for quoted facts: names, which are seldom half as long."""

_NO_FACTS: Mapping[str, Any] = {}


def station_of(rule_id: str) -> str:
    """The station that reports the findings of one of our own rules."""
    return own_rule(rule_id).station


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
    spots: tuple[tuple[str | None, str], ...] = (),
    weight: int = 0,
    facts: Mapping[str, Any] = _NO_FACTS,
    **named: Any,
) -> Finding:
    """Create a finding with the rule's own severity; the configured severity is applied later.

    Args:
        rule: the rule, or the id of a built-in rule.
        path: JSON pointer, or ``FILE:LINE``.
        says: key of the message in the rule's ``messages``, if it has several.
        about: what the message is about, appended in brackets: the call.
        tool: the tool in question, if there is one.
        value: the JSON value in question; an acceptance applies to this value only.
        correction: the edits that fix it, if known.
        spots: its places, if it is about a whole server.
        weight: how much there is to repair, for the order among findings with the same cause.
        facts: named values for placeholders in the rule's messages, besides ``tool``, ``path`` and ``value``.
    """
    rule = own_rule(rule) if isinstance(rule, str) else rule
    known = {"tool": tool, "path": _shown_path(path), "value": value, **facts, **named}
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
        spots=tuple(Spot(*spot) for spot in spots),
        weight=weight,
        order=_ORDER.get(rule.order, 0),
        gist=_gist(rule, known),
    )


def _shown_path(path: str) -> str:
    """A pointer for a message: the text of a skill's file is known by its URI."""
    tokens = path.split("/")
    return unescape_pointer(tokens[2]) if tokens[:2] == ["", "skillFiles"] and len(tokens) > 2 else path


_ORDER = {"first": -1, "last": 1}


def _cause(rule: Rule, known: Mapping[str, Any]) -> str:
    """The message for several tools; the tools are filled in when findings are grouped."""
    if not rule.grouped:
        return ""
    # A fact is the server's text, and may hold the name of a placeholder in braces. No fact holds a NUL: it is escaped.
    said = fill(_LATER.sub("\0\\1\0", rule.grouped), known)
    return _KEPT.sub(r"{\1}", _LATER.sub(r"{ \1 }", said))


_LATER = lazy_pattern(r"\{(tools|places|gists)\}")
_KEPT = lazy_pattern("\0(tools|places|gists)\0")


def _gist(rule: Rule, known: Mapping[str, Any]) -> str:
    """What the finding adds to a sentence about several: in the rule's words, or in those of its check."""
    return fill(rule.gist, known) if rule.gist else visible(str(known.get("gist", "")))


def sentence(rule: Rule, facts: Mapping[str, Any], says: str = "") -> str:
    """The message of a rule for one place.

    Raises:
        KeyError: the rule has no message with this key.
    """
    return fill(rule.messages[says] if says else rule.message, facts)


def fill(template: str, facts: Mapping[str, Any]) -> str:
    """Fill a template with facts that are escaped for display; a name without a fact stays as it is.

    ``{name}`` is a fact on one line: a string as it is, a list of strings separated by commas, anything else as JSON.
    ``{name!q}`` quotes a string, or each string in a list, and ``{name!t}`` shows the JSON type; both show a value that
    is not a string by its type. ``{name:60}`` shows at most 60 characters, ``{name:all}`` a whole line, and
    ``{name:lines}`` keeps line feeds.
    """
    return "".join([part if how is None else _show(part, how, facts) for part, how in _parts(template)]).strip()


# The messages and fixes of all rules, some of which are used thousands of times.
@functools.lru_cache(maxsize=1024)
def _parts(template: str) -> tuple[tuple[str, re.Match[str] | None], ...]:
    """The text parts of a template with the placeholder that follows each, in order."""
    parts: list[tuple[str, re.Match[str] | None]] = []
    end = 0
    for match in _PLACE.finditer(template):
        parts += [(template[end : match.start()], None), (match[0], match)]
        end = match.end()
    return (*parts, (template[end:], None))


def named(template: str) -> str:
    """A template for readers, with each placeholder reduced to its name."""
    return _PLACE.sub(r"{\1}", template)


def is_placeholder(template: str) -> bool:
    """True if a template says nothing before it is filled in, as ``{way}``."""
    return _PLACE.fullmatch(template.strip()) is not None


def _show(place: str, match: re.Match[str], facts: Mapping[str, Any]) -> str:
    name, how, size = match.groups()
    if name not in facts:
        return place
    fact = facts[name]
    if isinstance(fact, str) and not how and size != "lines":
        # A fact may be an optional sentence, such as a guess, which begins with its own space.
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
    return "null or absent" if value is None else "an object" if isinstance(value, Mapping) else kind_of(value)
