"""Parameters that apply only to some values of another one, according to prose: "for create/delete operations".

A tool that does several things has a parameter that selects one of them. Which other parameters belong to which choice
is in their descriptions, or in a list of choices in the tool's description.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_MAX_READ = 2_000
"""Maximum number of characters searched per description."""
_MAX_VALUES = 12
"""Maximum number of values in one list; cutting a longer one changes nothing."""

_OPENS = lazy_pattern(
    r"\b(?:(?:for|with|by|in|when using|used for|used in|used by|applies to|apply to|valid for|specific to|only)\s"
    r"(?:the\s)?)(?=[`'\"“\w])|^[(\[]?(?=[`'\"“\w])|[(\[](?=[`'\"“\w])",
    re.IGNORECASE,
)
_VALUE = lazy_pattern(r"(?P<open>[`'\"“])?(?P<value>[\w$][\w$.\-]{0,60})(?P<close>[`'\"”])?")
_ASSIGNED = lazy_pattern(r"[`'\"]?(?P<name>[A-Za-z_]\w{0,63})[`'\"]?(?:\s?==?\s?(?=[`'\"]?\w)|\s(?=[`'\"]\w))")
_ONLY = lazy_pattern(r"\sonly\s?(?=$|[:;,.)])", re.IGNORECASE)
_JOIN = lazy_pattern(r"\s?(?:,\s?(?:and|or|&)\s|,\s?|/|\s(?:and|or|&)\s|\|)\s?(?:the\s)?", re.IGNORECASE)
_OR = lazy_pattern(r"\bor\b|\|", re.IGNORECASE)
_FOR = lazy_pattern(r"\b(?:for|only|used with|applies to|apply to|specific to)\s(?:the\s)?$", re.IGNORECASE)
_GOES_ON = lazy_pattern(r"\s(?:that|which|are|is|can|to)\b", re.IGNORECASE)
_NOUN = lazy_pattern(
    r"\s(?:[a-z]{2,12}\s)?(?:operations?|actions?|modes?|commands?|subcommands?|methods?|requests?|calls?)\b"
    r"(?!\s(?:that|which|are|is|can|to)\b)",
    re.IGNORECASE,
)
_ENDS = lazy_pattern(r"\s(?:only\b|operations? only\b)?\s?(?=$|[)\].;:])|(?=$|[)\].;:,])|\sonly\b", re.IGNORECASE)
_ASSIGNED_ENDS = lazy_pattern(r"\s?(?:$|[:;,.)\]])|\s(?:only|with|and)\b", re.IGNORECASE)
_BRACKETS_END = lazy_pattern(r"(?:\sonly)?\s?[)\]:]", re.IGNORECASE)
_BEFORE = lazy_pattern(
    r"\b(?:except|not|other than|unless|besides|unlike|no)\s(?:for\s)?(?:the\s)?$"
    r"|\b(?:any|all|every|each|supported|available|following)\s(?:\w{1,20}\s){0,2}$",
    re.IGNORECASE,
)

_OPERATES = frozenset({"action", "cmd", "command", "op", "operation", "subcommand"})
"""Names of parameters that select what a tool does."""
_QUANTIFIERS = frozenset({"all", "any", "both", "each", "every", "none", "other", "some"})
"""Words that are values only in quotes: "for all actions except one"."""
_BRACKETS = ("(", "[")
_OF_A_WORD = lazy_pattern(r"(?:[`'\"”]|\b\w+_\w+|:)\s?$")
"""In front of a bracket that is about a word and not about the parameter: '"side" ("buy" or "sell")'."""

_ENTRY = lazy_pattern(
    r"(?:[-*•]\s|\d{1,2}[.)]\s)?[`'\"*]{0,3}(?P<value>[\w$][\w$.\-]{0,60})[`'\"*]{0,3}\s?(?::|–|—|-\s|\(|=)"
)
_ASKS = lazy_pattern(
    r"\b(?:requires?\b|needs?\b|required(?:\s(?:parameters?|arguments?|fields?))?\s?:|must (?:provide|specify|include))"
    r"\s?:?\s?"
    r"(?:the\s|an?\s|both\s|also\s)?",
    re.IGNORECASE,
)
_REQUIRED = lazy_pattern(
    r"(?:[-*•]\s)?[*_]{0,2}(?:requires?|required(?:\s(?:parameters?|arguments?|params?|fields?))?)\s?:[*_]{0,2}\s?(?=\S)",
    re.IGNORECASE,
)
_CHOSEN = lazy_pattern(
    r"[`*]{0,2}(?P<name>[A-Za-z_]\w{0,63})\s?=\s?[\"'`]{0,2}(?P<value>[\w$][\w$.\-]{0,60})[\"'`*]{0,2}(?:\s?,\s?(?:and\s)?)?"
)
# The text has single spaces.
_NEEDED = ("required", "mandatory", "needed", "provided", "specified")
_TRAILING = Guarded(
    r"\b(?:for|when|if)\s(?:the\s)?(?:[`'\"]?(?P<chooser>[A-Za-z_]\w{0,40})[`'\"]?\s?(?:=|==|is|:)\s?)?"
    r"[`'\"]?(?P<value>[\w$][\w$.\-]{0,60})[`'\"]?(?:\s(?:operations?|actions?|mode|command))?\s?[,:]\s(?:then\s|both\s)?"
    r"(?P<list>[`'\"]?[A-Za-z_][\w$\-,\s`'\"]{1,120}?)\s(?:is|are|must be)\s(?:also\s)?(?:required|mandatory|needed"
    r"|provided|specified)\b",
    *(f" {be} {needed}" for be in ("is", "are", "must be", "also") for needed in _NEEDED),
    starts="fiw",
)
_NEEDS = r"(?:requires?|needs?|must (?:have|include|provide|specify))\s(?:also\s)?(?:(?:an?|the|its)\s)?"
_ALL_BUT = Guarded(
    r"\b(?:every|each|all|any)\s(?:other\s)?(?:actions?|operations?|modes?|(?:sub)?commands?|methods?)\s"
    r"(?:except|but|other than|besides|apart from)\s(?:for\s)?(?P<spared>[`'\"\w$\-, ]{2,120}?),?\s"
    rf"(?:also\s)?{_NEEDS}",
    *(
        f"{noun}{plural} {but}"
        for noun in ("action", "operation", "mode", "command", "method")
        for plural in ("", "s")
        for but in ("except", "but", "other than", "besides", "apart from")
    ),
)
_BOTH = Guarded(
    rf"(?:^|[.;:]\s)(?P<clause>[^.;:]{{6,160}}?)\s(?:both|all|each)\s{_NEEDS}",
    *(f" {each} {needs}" for each in ("both", "all", "each") for needs in ("require", "need", "must ")),
)
_NOUN_BEHIND = lazy_pattern(
    r"[`'\"*]{0,3}(?:\s(?:parameter|argument|field|name|id|path|value|list|array|object))?\s?(?=$|[.;:,()]|—|\b(?:and|or|as)\b)"
)
"""What follows the name of a parameter where it stands for one: "the hook name;", not "name resolution"."""
_MARKED = lazy_pattern(
    r"(?<![\w\-])([A-Za-z_$][\w$\-]{0,63})[`'\"*]{0,3}\s?\((?:[\w\s]{1,20},\s?)?required\)", re.IGNORECASE
)
_NAME = lazy_pattern(r"[`'\"*]{0,3}(?P<name>[A-Za-z_$][\w$\-]{0,63})[`'\"*]{0,3}")


class Mode(NamedTuple):
    """A parameter that belongs to some values of another.

    Attributes:
        argument: the parameter.
        chooser: the parameter with these values.
        condition: as written.
        choices: the values, if they are listed.
    """

    argument: str
    chooser: str
    condition: str
    choices: tuple[str, ...] = ()


def modes_of_argument(text: str, subject: str, values: Mapping[str, str]) -> Mode | None:
    """The values of another parameter to which a parameter's description restricts it.

    Args:
        text: the description of the parameter.
        subject: its name.
        values: each value in lower case, with the parameter that has it.
    """
    flat = " ".join(text[:_MAX_READ].split())
    for match in _OPENS.finditer(flat):
        listed = _listed(flat, match.end(), subject, values)
        if listed is None or _BEFORE.search(flat[max(0, match.start() - 40) : match.start()]):
            continue
        chooser, choices, marked, end = listed
        if match[0] in _BRACKETS and is_of_a_word(flat, match.start()):
            continue
        noun = _noun_end(flat, end, chooser)
        leads = match[0].strip(" ([") == ""
        if leads:
            # "[create, update] The title": a marker, not the beginning of a sentence.
            bracket = match[0] != "" and _BRACKETS_END.match(flat, end)
            sure = bool(bracket) and (marked or len(choices) > 1 or " only" in flat[end : end + 6])
            # "Sandbox only: the key", "Only for sandbox" without a bracket.
            sure = sure or (match[0] == "" and _ONLY.match(flat, end) is not None)
            sure = sure or (noun > 0 and _ONLY.match(flat, noun) is not None)
        else:
            closed = _ASSIGNED_ENDS if "=" in flat[match.end() : end] else _ENDS
            lead = flat[max(0, match.start() - len("used ")) : match.end()]
            # "Second date for diff": nothing but an operation is meant where the whole description ends with its name.
            written = marked or (chooser.lower() in _OPERATES and not flat[end:].strip(" .)]"))
            plainly = written and _FOR.search(lead) is not None and closed.match(flat, end) is not None
            sure = noun > 0 or plainly
        if sure:
            said = flat[match.start() : noun if noun and not leads else end].strip(" ([")
            return Mode(subject, chooser, said if not leads else f"for {said}", choices)
    return None


def is_of_a_word(text: str, at: int) -> bool:
    """True if the bracket at a position is about the word in front of it: "'managed' (Linux only)"."""
    return at > 0 and _OF_A_WORD.search(text, max(0, at - 60), at) is not None


def _noun_end(text: str, at: int, chooser: str) -> int:
    """End of "operations", "mode" or the selecting parameter's name after its values; 0 if there is none."""
    noun = _NOUN.match(text, at)
    if noun is not None:
        return noun.end()
    end = at + 1 + len(chooser)
    if text[at + 1 : end].lower() != chooser.lower():
        return 0
    end += text[end : end + 1] == "s"
    return 0 if text[end : end + 1].isalnum() or _GOES_ON.match(text, end) else end


def _listed(
    text: str, at: int, subject: str, values: Mapping[str, str]
) -> tuple[str, tuple[str, ...], bool, int] | None:
    """The list of values that begins at a position: the parameter that has them, the values, if they are written as
    such, and the end; ``None`` if there is no list of values of one parameter."""
    chooser, marked, end = "", False, at
    found: list[str] = []
    while len(found) < _MAX_VALUES:
        # "for mode=search": the name of the selecting parameter, and its value.
        assigned = _ASSIGNED.match(text, at)
        match = _VALUE.match(text, assigned.end() if assigned is not None else at)
        if match is None:
            break
        value = match["value"].rstrip(".")
        owner = values.get(value.casefold())
        if (assigned is not None and owner != assigned["name"]) or (
            not match["open"] and value.lower() in _QUANTIFIERS
        ):
            break
        if owner is None or owner == subject or (chooser and owner != chooser):
            break
        chooser = owner
        found.append(value)
        quoted = match["open"] is not None and match["close"] is not None
        marked = marked or assigned is not None or quoted or "-" in value or "_" in value
        end = match.end() if quoted else match.start("value") + len(value)
        step = _JOIN.match(text, end)
        if step is None:
            break
        at = step.end()
    return (chooser, tuple(found), marked, end) if found else None


def modes_listed(text: str, names: Collection[str], values: Mapping[str, str]) -> Iterator[Mode]:
    """What each choice requires according to a tool's description: "- move: requires `goal`", a section with a line
    "Required: operation="move", goal", or a sentence "For move, goal is required", "every action except list requires
    goal", "move and turn change the way and both require goal".

    Args:
        text: the description of a tool.
        names: of its parameters.
        values: each value in lower case, with the parameter that has it.
    """
    if "equire" not in text and "need" not in text and "must " not in text:
        return
    reader = _Reader(names, values)
    read = text[: 10 * _MAX_READ]
    for line in read.splitlines():
        reader.line(" ".join(line.split()))
    reader.sentences(" ".join(read.split()))
    for (name, chooser), choices in reader.found.items():
        if name != chooser:
            yield Mode(name, chooser, f"for {', '.join(choices[:_MAX_VALUES])}", tuple(choices))


class _Reader:
    """Reads what each choice requires from a description.

    Attributes:
        found: a parameter and the one that selects → the choices to which it belongs.
    """

    def __init__(self, names: Collection[str], values: Mapping[str, str]) -> None:
        self.found: dict[tuple[str, str], list[str]] = {}
        self._names = names
        self._values = values
        self._choice = ""
        self._section = ""

    def line(self, flat: str) -> None:
        """Read a line of a list, or of a section about one choice."""
        entry = _ENTRY.match(flat)
        if entry is not None and entry["value"] not in self._names and entry["value"].casefold() in self._values:
            self._section, self._choice = entry["value"], self._values[entry["value"].casefold()]
            asks = _ASKS.search(flat, entry.end())
            if asks is None and "equired)" in flat:
                for name in _MARKED.findall(flat, entry.end()):
                    self._take(name)
        else:
            asks = _REQUIRED.match(flat)
        if asks is None:
            return
        chosen = _CHOSEN.match(flat, asks.end())
        if chosen is not None and chosen["name"] in self._names:
            self._section, self._choice = chosen["value"], chosen["name"]
        for name in _joined(flat, chosen.end() if chosen is not None else asks.end(), self._names):
            self._take(name)

    def sentences(self, flat: str) -> None:
        """Read "For move, goal and path are required", anywhere."""
        for match in _TRAILING.finditer(flat):
            self._section = match["value"]
            self._choice = self._values.get(match["value"].casefold(), match["chooser"] or "")
            if self._choice in self._names:
                for name in _joined(match["list"], 0, self._names):
                    self._take(name)
        for match in _ALL_BUT.finditer(flat):
            spared, owner = self._choices(match["spared"])
            if owner:
                others = [value for value, name in self._values.items() if name == owner and value not in spared]
                self._take_for(others, owner, flat, match.end())
        for match in _BOTH.finditer(flat):
            chosen, owner = self._choices(_leading(match["clause"]))
            if len(chosen) > 1:
                self._take_for(chosen, owner, flat, match.end())

    def _choices(self, text: str) -> tuple[list[str], str]:
        """The values in a list of nothing else, and the one parameter that has them."""
        found = [part.strip(" `'\"").casefold() for part in _JOIN.split(text, _MAX_VALUES)]
        owners = {self._values.get(value, "") for value in found}
        return (found, owners.pop()) if len(owners) == 1 and "" not in owners else ([], "")

    def _take_for(self, values: list[str], owner: str, flat: str, at: int) -> None:
        """The parameters in the list at a position, if they are named as such."""
        needed = _joined(flat, at, self._names)
        last = flat.find(needed[-1], at) + len(needed[-1]) if needed else -1
        if last > 0 and _NOUN_BEHIND.match(flat, last):
            for self._section in values:
                self._choice = owner
                for name in needed:
                    self._take(name)

    def _take(self, name: str) -> None:
        if self._choice and name in self._names:
            sections = self.found.setdefault((name, self._choice), [])
            if self._section not in sections:
                sections.append(self._section)


def _leading(clause: str) -> str:
    """The list with which a clause begins: "move and turn" of "move and turn change the way"."""
    at = 0
    while (item := _VALUE.match(clause, at)) is not None:
        step = _JOIN.match(clause, item.end())
        if step is None:
            return clause[: item.end()]
        at = step.end()
    return ""


def _joined(text: str, at: int, names: Collection[str]) -> list[str]:
    """The parameters in the list that begins at a position; none if one of them is enough."""
    found: list[str] = []
    while (name := _NAME.match(text, at)) is not None and name["name"] in names:
        found.append(name["name"])
        step = _JOIN.match(text, name.end())
        if step is None:
            break
        if _OR.search(step[0]):
            return []
        at = step.end()
    return found
