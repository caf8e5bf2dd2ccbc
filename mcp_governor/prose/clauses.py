"""The clauses in which prose relates parameters: "requires a", "use either a or b", "if a is set, provide b".

A sentence is first rewritten: names of parameters and lists of them become one mark each ("url, path or text" becomes
``<L3>``), and so do conditions ("`mode` is 'fast'" and "the driving profile" become ``<C1>``). What is left is the
grammar of the sentence, and each form in ``clause_words`` holds for every name, quotation and length of a list.

A word that is spelled like a parameter but may be a plain word counts in the forms that end where their clause ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Cues, has_any, lowered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcp_governor.prose.need import State, Ways

_MAX_MARKS = 60
"""Maximum number of names and values marked in a sentence; a longer one is a listing."""
_MAX_VALUES = 12
"""Maximum number of values in one list; cutting a longer one changes nothing."""


class Listed(NamedTuple):
    """One parameter, or a list of them.

    Attributes:
        ways: its items, each one parameter or several joined by "+".
        link: ``or``, ``and``, ``/``, ``,`` or empty for one item.
        sure: at least one of them is certainly the name of a parameter.
    """

    ways: Ways
    link: str = ""
    sure: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters in it, each once."""
        return tuple(dict.fromkeys(name for way in self.ways for name in way))


class Condition(NamedTuple):
    """What is said of one parameter in a condition.

    Attributes:
        name: of the parameter.
        state: ``present``, ``absent``, or ``=`` for one of the values.
        values: as written.
        sure: the words can only mean that.
    """

    name: str
    state: State
    values: tuple[str, ...] = ()
    sure: bool = True


class Marked(NamedTuple):
    """A sentence in which names and conditions are marks.

    Attributes:
        text: with ``<L0>``, ``<C0>`` and so on.
        lists: by number.
        conditions: by number.
    """

    text: str
    lists: list[Listed]
    conditions: list[Condition]


_NOUN = (
    r"(?:\s(?:query\s|path\s|body\s|input\s|search\s)?(?:parameters?|arguments?|args?|fields?|options?|flags?"
    r"|propert(?:y|ies)|params?)\b)"
)
_ID = r"[A-Za-z_$][\w$]*+(?:-[\w$]++)*+"
_NAME = lazy_pattern(
    rf"(?:\b(?:the|an?|your|its|parameters?|arguments?|fields?)\s(?=[`'\"“‘*{{\w$])){{0,2}}"
    rf"(?:[`'\"“‘*]{{1,3}}(?P<quoted>{_ID})[`'\"”’*]{{1,3}}|[`'\"]?\{{\s?(?P<braced>{_ID})\s?\}}[`'\"]?"
    rf"|(?P<bare>{_ID}))"
    rf"(?P<noun>{_NOUN})?",
    re.IGNORECASE,
)
_WORD = r"[\w$][\w$.\-]{0,59}"
_VALUE = rf"(?:[`'\"“*]{{1,3}}[^`'\"”*,]{{1,60}}[`'\"”*]{{1,3}}|{_WORD})"
_VALUES = (
    rf"{_VALUE}(?:(?:\s?,\s?(?:or\s|and\s)?|\s(?:or|and)\s(?:the\s|for\s)?|/|\s?\|\s?){_VALUE}){{0,{_MAX_VALUES}}}"
)
_ITEM = lazy_pattern(rf"[`'\"“*]{{1,3}}(?P<quoted>[^`'\"”*,]{{1,60}})[`'\"”*]{{1,3}}|(?P<bare>{_WORD})")
_ASSIGNED = lazy_pattern(
    rf"(?P<name>[A-Za-z_$][\w$\-]{{0,63}})(?:[`'\"”*]{{0,3}}(?:{_NOUN})?"
    r"(?P<link>\s?==?\s?|\s?:\s?(?=[`'\"“]|true\b|false\b)|\s(?:is set to|are set to|set to|is one of|is|are"
    r"|equals|of)\s(?:either\s)?"
    rf"|\s(?=[`'\"“]))|(?P<inner>==?[`'\"]?))(?P<values>{_VALUES})",
    re.IGNORECASE,
)
_COMPARED = lazy_pattern(
    r"(?:\bthe\s)?[`'\"]?(?P<name>[A-Za-z_$][\w$\-]{0,63})[`'\"]?\s?(?:[‹›]=?|≥|≤|\sis (?:greater|more|less|larger"
    r"|smaller) than)"
    r"\s?\d{1,9}(?![\w.]*\d)",
    re.IGNORECASE,
)
_COMPARES = Cues("‹", "›", "≥", "≤", " than")
_GIVEN = r"(?:provided|specified|set(?!\sto)|given|used|present|supplied|passed|included|defined)"
_STATED = lazy_pattern(
    rf"(?P<no>\bno\s)?<L(?P<at>\d+)>(?:\s(?:is|are|has been|was))?(?P<aux>n't)?\s(?:also\s)?(?:(?P<not>not\s)"
    rf"?{_GIVEN}\b"
    r"|(?P<out>omitted|missing|absent|left out|left empty|unset|empty|null|none)\b|(?P<has>exists?|has a value)\b"
    r"|(?P<flag>enabled|disabled|active)\b)",
    re.IGNORECASE,
)
_OPERATION = lazy_pattern(
    r"(?:operation|action|mode|command|subcommand|method|request|call|type|format|kind|profile)s?", re.IGNORECASE
)
_OF_VALUES = lazy_pattern(rf"(?:\bthe\s)?(?P<values>{_VALUES})(?:\s(?P<noun>[A-Za-z]{{2,30}}))?", re.IGNORECASE)
_PLAIN = lazy_pattern(r"[a-z]+|[A-Z][a-z]*")
_LEADS = lazy_pattern(r"(?:^|\b(?:for|to|with|if|when|in|by|using|and|or)\s|[(\[,;/]\s?|[-—–•]\s)$", re.IGNORECASE)
_CLOSES = lazy_pattern(r"\s?(?:$|[.;:,)\]]|only\b|[-—–]\s|\()")
_PLUS = lazy_pattern(r"<L(\d+)>\s?(?:\+|&|combined with)\s?<L(\d+)>")
_JOINED = lazy_pattern(
    r"<L\d+>(?:(?:\s?,\s?(?:and/or\s|or\s|and\s|nor\s)?(?:also\s)?|\s(?:and/or|or|and|nor|xor|alternatively)\s"
    r"|\s(?:or|and),\s(?:alternatively,\s)?|\s?/\s?)<L\d+>)+",
    re.IGNORECASE,
)
_MARK = lazy_pattern(r"<L(\d+)>")
_NAME_FIRST = lazy_pattern(r"<L(\d+)> <C(\d+)>")
_SELF = lazy_pattern(
    r"\b(?:this|it)\b(?:\s(?:query\s|path\s)?(?:parameter|argument|field|option|property|value|flag)\b)?(?!\s?[-'’])",
    re.IGNORECASE,
)


def marked(text: str, names: Collection[str], values: Mapping[str, str], subject: str) -> Marked:
    """A sentence with marks.

    Args:
        text: with single spaces.
        names: of the parameters.
        values: each value in lower case, with the parameter that has it.
        subject: the parameter that the sentence describes; empty for one about all of them.
    """
    plain = text.replace("<", "‹").replace(">", "›").replace("\\`", "`")
    if "+" in plain and "{" in plain:
        plain = _BRACED.sub(r"\1", plain)
    return _Marker(names, values, subject).mark(plain)


_BRACED = lazy_pattern(r"\{\s?([A-Za-z_$][\w$]{0,63}(?:\s?\+\s?[A-Za-z_$][\w$]{0,63}){0,5})\s?\}", re.NOFLAG)
"""A group of parameters: "{a+b} or {c}"."""


class _Marker:
    def __init__(self, names: Collection[str], values: Mapping[str, str], subject: str) -> None:
        self._names = names
        self._values = values
        self._subject = subject
        self._lists: list[Listed] = [Listed(((subject,),))] if subject else []
        self._conditions: list[Condition] = []

    def mark(self, text: str) -> Marked:
        """Conditions on values first, since they contain names; then names, lists, and what is given."""
        # Most steps find nothing in most sentences, and a look for what they need takes less time.
        names = has_any(text, self._names)
        if names:
            text = self._with_assigned(text)
            if _COMPARES.are_in(lowered(text)):
                text = _COMPARED.sub(self._compared, text)
        if self._values and has_any(text.casefold(), self._values):
            text = self._with_values(text)
        if names and has_any(text, self._names):
            text = _NAME.sub(self._named, text)
        if self._subject:
            text = _SELF.sub("<L0>", text)
        if text.count("<L") > 1:
            text = _PLUS.sub(self._plus, text)
            text = _JOINED.sub(self._joined, text)
        if "<L" in text:
            text = _STATED.sub(self._stated, text)
        if "> <C" in text:
            text = _NAME_FIRST.sub(self._one, text)
        return Marked(text, self._lists, self._conditions)

    def _condition(self, condition: Condition) -> str:
        self._conditions.append(condition)
        return f"<C{len(self._conditions) - 1}>"

    def _list(self, listed: Listed) -> str:
        self._lists.append(listed)
        return f"<L{len(self._lists) - 1}>"

    def _with_assigned(self, text: str) -> str:
        """A sentence in which parameters with their values are marks."""
        out, end = [], 0
        for word in _ID_AT.finditer(text):
            if word.start() < end or word[0] not in self._names:
                continue
            match = _ASSIGNED.match(text, word.start())
            said = self._assigned(match) if match is not None else ""
            if match is not None and said != match[0]:
                # The quote in front of the name and the article belong to it.
                front = _FRONT.search(text, end, word.start())
                out += [text[end : front.start() if front is not None else word.start()], said]
                end = match.end()
        return "".join((*out, text[end:])) if out else text

    def _assigned(self, match: re.Match[str]) -> str:
        name = match["name"]
        if name not in self._names or len(self._conditions) > _MAX_MARKS:
            return match[0]
        link = (match["link"] or match["inner"]).strip() or " "
        found: list[str] = []
        for item in _items(match["values"]):
            value = item["quoted"] or item["bare"].rstrip(".")
            known = (
                self._values.get(value.casefold()) == name or value.lower() in ("true", "false") or value.isdecimal()
            )
            plain = bool(item["quoted"]) and value not in self._names
            if not (known or (plain and link != " ") or (link.startswith("=") and not found)):
                # "mode='fast' or text": the list of values ended before.
                if not found:
                    return match[0]
                rest = match["values"][item.start() :]
                before = match["values"][: item.start()]
                joint = before[len(before.rstrip(" ,/|").removesuffix(" or").removesuffix(" and").rstrip(" ,")) :]
                return self._condition(Condition(name, "=", tuple(found))) + joint + rest
            found.append(value)
        dot = "." if match["values"].endswith(".") else ""
        return self._condition(Condition(name, "=", tuple(dict.fromkeys(found)))) + dot

    def _named(self, match: re.Match[str]) -> str:
        quoted = match["quoted"] or match["braced"]
        name = quoted or match["bare"]
        if name not in self._names or len(self._lists) > _MAX_MARKS:
            return match[0]
        if not quoted and self._is_part(match):
            return match[0]
        sure = bool(quoted or match["noun"]) or not _PLAIN.fullmatch(name)
        return self._list(Listed(((name,),), "", sure))

    def _is_part(self, match: re.Match[str]) -> bool:
        """True if a word belongs to a path, an address or a longer expression."""
        text, start, end = match.string, match.start("bare"), match.end("bare")
        before, after = text[start - 1 : start], text[end : end + 1]
        if (
            before in ("<", "‹", ".", "@", "$", "-")
            or after in ("@", "›", "(")
            or (after == "." and text[end + 1 : end + 2].isalnum())
        ):
            return True
        if "/" not in (before, after):
            return False
        near = _ID_AT.match(text, end + 1) if after == "/" else _ID_BEFORE.search(text, 0, start - 1)
        return near is None or near[0] not in self._names

    def _one(self, match: re.Match[str]) -> str:
        """ "profile driving": the parameter and its value are one condition."""
        named, case = self._lists[int(match[1])], self._conditions[int(match[2])]
        return f"<C{match[2]}>" if named.names == (case.name,) and case.state == "=" else match[0]

    def _plus(self, match: re.Match[str]) -> str:
        one, other = self._lists[int(match[1])], self._lists[int(match[2])]
        return self._list(Listed(((*one.names, *other.names),), "", one.sure or other.sure))

    def _joined(self, match: re.Match[str]) -> str:
        parts = [self._lists[int(number)] for number in _MARK.findall(match[0])]
        between = _MARK.sub("", match[0]).lower()
        link = next((word for word in ("xor", "nor", "or", "and") if word in between), "/" if "/" in between else ",")
        ways = tuple(dict.fromkeys(way for part in parts for way in part.ways))
        if len(ways) < 2:
            return match[0]
        return self._list(Listed(ways, "or" if link in ("xor", "nor", "or") else link, any(one.sure for one in parts)))

    def _stated(self, match: re.Match[str]) -> str:
        listed = self._lists[int(match["at"])]
        if len(listed.ways) != 1 or len(listed.names) != 1 or listed.names[0] == self._subject:
            return match[0]
        name = listed.names[0]
        if match["flag"]:
            value = "false" if match["flag"].lower() == "disabled" else "true"
            return self._condition(Condition(name, "=", (value,)))
        absent = bool(match["no"] or match["not"] or match["aux"] or match["out"])
        return self._condition(Condition(name, "absent" if absent else "present"))

    def _compared(self, match: re.Match[str]) -> str:
        if match["name"] not in self._names:
            return match[0]
        return self._condition(Condition(match["name"], "", (match[0],)))

    def _with_values(self, text: str) -> str:
        """A sentence in which lists of another parameter's values are marks."""
        out, end = [], 0
        for item in _ITEM.finditer(text):
            value = (item["quoted"] or item["bare"].rstrip(".")).casefold()
            if item.start() < end or (value not in self._values and value.removesuffix("s") not in self._values):
                continue
            at = item.start() - 4 if text[item.start() - 4 : item.start()].lower() == "the " else item.start()
            match = _OF_VALUES.match(text, max(at, end))
            if match is not None:
                out += [text[end : match.start()], self._chosen(match)]
                end = match.end()
        return "".join((*out, text[end:])) if out else text

    def _chosen(self, match: re.Match[str]) -> str:
        """Values of another parameter: "the driving and walking profiles", "'fast'"."""
        text = match[0]
        if (
            match.string[match.start() - 1 : match.start()] in ("<", ".", "/", "@")
            or len(self._conditions) > _MAX_MARKS
        ):
            return text
        items = _items(match["values"])
        values = [(item["quoted"] or item["bare"].rstrip(".")).casefold() for item in items]
        # "dashboards (requires an id)" is about the value "dashboard".
        values = [value if value in self._values else value.removesuffix("s") for value in values]
        owner = self._values.get(values[0], "") if values else ""
        if not owner or any(self._values.get(value) != owner for value in values):
            return text
        noun = match["noun"] or ""
        last = _LAST.split(owner)[-1].lower()
        fits = noun.lower().rstrip("s") == last.rstrip("s") or _OPERATION.fullmatch(noun) is not None
        written = all(item["quoted"] or not _PLAIN.fullmatch(item["bare"]) for item in items)
        bullet = _BULLET.fullmatch(match.string, 0, match.start()) is not None
        if owner == self._subject and not written and not bullet:
            return text
        if not fits and not written:
            # A plain word stands for a value only where nothing else makes sense: "(for create)", "Create only:".
            at = match.end("values")
            lead = _LEADS.search(match.string, max(0, match.start() - 8), match.start())
            closes = _CLOSES.match(match.string, at)
            if closes is None and lead is not None and lead[0].lower() == "for ":
                closes = _KIND_CLOSES.match(match.string, at)
            if any(value in self._names for value in values) or lead is None or closes is None:
                return text
        said = tuple(
            dict.fromkeys(
                bare if bare.casefold() in self._values else bare.removesuffix("s")
                for bare in (item["quoted"] or item["bare"].rstrip(".") for item in items)
            )
        )
        mark = self._condition(Condition(owner, "=", said, fits or written))
        dot = "." if match["values"].endswith(".") else ""
        return mark + dot if fits else mark + dot + match.string[match.end("values") : match.end()]


_BULLET = lazy_pattern(r"(?:[-*•]|\d{1,2}[.)])\s")
_KIND_CLOSES = lazy_pattern(r"\s(?!up\b|on\b|in\b|of\b|to\b|at\b)[a-z]{2,14}\s?(?:$|[.;:,)])")
"""A word behind a value, which says what it is: "for form authentication"."""


def _items(values: str) -> list[re.Match[str]]:
    """The values in a list, without the words that join them."""
    return [item for item in _ITEM.finditer(values) if item["quoted"] or item["bare"].lower() not in _JOINS]


_JOINS = frozenset({"and", "or", "the", "for"})
_FRONT = lazy_pattern(r"(?:\b[Tt]he\s)?[`'\"“*]{0,3}$")
_LAST = lazy_pattern(r"[_\-]|(?<=[a-z])(?=[A-Z])")
_ID_AT = lazy_pattern(r"(?<![\w$])[A-Za-z_$][\w$\-]{0,63}")
_ID_BEFORE = lazy_pattern(r"(?<![\w$\-])[A-Za-z_$][\w$\-]{0,63}$")
