"""Dependencies between parameters that prose states: exclusive ones, pairs, conditions.

Only sentences that certainly name parameters are read: in quotes, by a name that is not a common word, or by a common
word where only a parameter makes sense ("when query is not given"). A sentence is cut at 600 characters, so that time
is linear in the text.
"""

from __future__ import annotations

import itertools
import re
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.clause_forms import clause_needs
from mcp_governor.prose.conditions import clause_of, quoted_condition, state_of, values_named
from mcp_governor.prose.guarded import Cues, Guarded, has_any, lowered
from mcp_governor.prose.names_in_text import BETWEEN, IDENTIFIER, grouped, names_in, places
from mcp_governor.prose.need import Group, Kind, Need, Ways

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


_MAX_SENTENCE = 600
"""Maximum number of characters read from a sentence. A longer one is a listing, and its end is about its items."""
_MAX_SENTENCES = 2_000
"""Maximum number of sentences read. A longer text is not a description, and the rest is skipped."""
_MAX_CONDITIONS = 3
"""Maximum number of conditions in one sentence: "required for reports (and always required when kind is set)"."""
_MAX_SHORT = 4
"""Maximum number of letters of a name that people write in capitals: URL, ID, UUID."""

_GUARD = Cues(
    *("exclusive", "both", "either", "neither", "one of", "exactly one", "require", "mandatory", "must", "should be"),
    *("needed", "paired", "together", "combin", "conjunction", "incompatible", "compatible", "ignored", "only"),
    *(
        "no effect",
        "needs ",
        "supply ",
        "provide ",
        "optional if",
        "optional when",
        "identif",
        "specif",
        "locate",
        "none of",
        "one of",
        "precedence",
        "priority",
        "overrid",
        "provide",
        "unavailable",
        "without",
        "unsupported",
        "forbidden",
        "disallow",
        "if ",
        "when ",
        " with ",
        "for ",
    ),
    *(
        "not ",
        "n't ",
        "cannot",
        "conflict",
        "alternative",
        "instead",
        "along",
        "accompan",
        "combined",
        "omit",
        "used with",
        "this or ",
        "xor ",
        "it or ",
        "give ",
    ),
)
# The regex engine finds a leading set of characters fastest.
_ENDS = lazy_pattern(
    r"[\s\-](?:(?<=[.!?;]\s)\s*(?=[A-Z`*\"'(\[])|(?<=[.!?;*]-)\s(?=[A-Z])|(?<=\n)[^\S\n]*(?=\n|[-*•#|]|\d{1,2}[.)])"
    # "limit: how many" begins the description of the next parameter, on a line of its own or not.
    r"|(?:(?<=\n)|(?<=[.;]\s))\s*(?=[A-Za-z_$][\w$]{0,63}\s?(?:\([^()\n]{0,60}\))?:\s))"
)
_EXCLUSIVE = Guarded(
    r"\bmutually[\s-]exclusive\b|\b(?:cannot|can't|can not|must not|may not|should not) both be\b"
    r"|\bexclusive (?:with|of)\b|\b(?:but )?not both\b|\bincompatible with\b"
    r"|\bnot compatible with\b|\b(?:can ?not|can't|must not|may not|should not) be (?:used|combined|specified"
    r"|set|provided|given|passed)(?: together| along| in combination| at the same time)?(?: with\b|$|\.)"
    r"|\b(?:do not|don't|cannot|can't|never) (?:combine|(?:use|pass|provide|specify|set|give) both)\b",
    "exclusive",
    "not both",
    "compatible",
    "be ",
    "combine",
    "both",
)
_EXCLUSIVE_WITH = Guarded(
    r"\b(?:mutually[\s-])?(?:exclusive|incompatible|not compatible) (?:with|of)\b", "exclusive", "compatible"
)
_PAIRED = Guarded(
    r"\bpaired with\b"
    r"|\b(?:must|required|provided|specified|only|given)\b[^.]{0,30}\b(?:together|in (?:conjunction|combination))\b"
    r"|(?<!if )(?<!when )\bboth\b[^.]{0,80}\b(?:must be (?:required|provided|specified|set|given)|are required)\b"
    r"|\bmust both be\b|\brequires (?:also|both)\b|\bonly (?:when|if) both\b",
    "paired",
    "together",
    "junction",
    "combination",
    "both",
)
_CHOICE = Guarded(
    r"(?<!in )(?<!of )(?<!on )(?<!for )(?<!from )\beither\b|\bat least one\b|\bexactly one\b|\bonly one of\b|\bone of\b"
    r"|\b(?:must|have to|need to) (?:provide|specify|supply|pass|include|give)\b",
    *("either", "at least one", "exactly one", "one of", "must ", "have to ", "need to "),
)
_ONE_OF = Guarded(
    r"\b(?:at most|no more than|not more than|maximum) one of\b|\b(?:at least one|exactly one|only one) of\b"
    r"|\bone of\b",
    "one of",
)
_SOME = Guarded(
    r"(?:^|[,;:—–]\s|\b(?:and|but|plus)\s)(?:you must |please )?(?:(?:provide|specify|supply|pass|set|include)\s)?"
    r"at least one"
    r"(?:\s(?:other|optional|updatable))?\s(?:fields?|parameters?|arguments?|propert(?:y|ies)|attributes?|options?"
    r"|filters?|criteri(?:on|a))(?:\s(?:to (?:update|change)|other than \w+))?"
    r"\s?(?:$|\.|\((?:required|besides)|(?:must|has to|needs to|should) be\b|is (?:required|needed|mandatory))",
    "at least one",
)
"""Any of the optional parameters will do."""
_VALUE = lazy_pattern(r"[`'\"]?\s?==?\s?[`'\"]?(?!true\b)[\w\-]", re.IGNORECASE)
"""A value behind a name; with a flag, "a=true" is the flag itself."""
_ADVICE = lazy_pattern(r"\bto (?:scope|narrow|limit|restrict|filter|reduce)\b", re.IGNORECASE)
"""What a choice is for that a call may leave out: it gets more results then."""
_NEEDED = Guarded(
    r"\b(?:must|required?|requires|needs?|needed|mandatory|has to|have to|provide|specify|supply|pass|choose)\b",
)
_AT_MOST = lazy_pattern(r"\bonly\b|\bmost\b|\bmore than\b|\bmaximum\b", re.IGNORECASE)
_COUNTED = ("exactly one", "at least one")
_FREE = Guarded(r"\boptional|\bnot required\b|\bno need\b|\bnot needed\b|\bnot necessary\b", "optional", "no")
_NEITHER = Guarded(r"\b(?:with|if|when|without) (?:neither|either|none)\b", "neither", "either", "none")
_WHEN = Guarded(
    r"(?P<no>\bnot |n't |\bnever |\bonly )?\b(?:required|mandatory|needed|(?:must|should) (?:also )?be (?:set|provided"
    r"|specified|given|supplied|present|included))\s?,?\s?(?:only |(?:on its own|alone|standalone|by itself) and )?"
    r"(?P<word>when(?:ever)?|if|for|unless|with)\s(?P<cond>.{1,160})",
    "required",
    "mandatory",
    "needed",
    "must",
    starts="mnors",
)
_IF = Guarded(
    r"\b(?:if|when)\s(?P<cond>[^,]{1,120}),\s(?:then\s)?(?:the\s|an?\s)?[`'\"]?(?P<name>[A-Za-z_$][\w$\-]{0,63})[`'\"]?"
    # "If a is given, b is used" says what the tool does, not what a call has to contain.
    r"(?:\s(?:parameter|argument|field|option))?\s(?:is\s(?:also\s)?(?=required|ignored)"
    r"|(?:must|should|has to|needs to)\s(?:also\s)?(?:be\s)?)"
    r"(?:set to\s[`'\"]?(?=true\b|false\b|null\b))?(?P<then>set(?!\sto\b)|provided|specified|required|given|supplied"
    r"|included|passed|present|used|true|false|left|empty|omitted|null|ignored)\b",
    "if",
    "when",
)
_IGNORED = Guarded(
    r"(?P<no>\bnot |n't |\bnever )?\b(?P<what>ignored|no effect|only (?:applies|applied|used|applicable|valid|relevant"
    r"|works|effective|available|supported|meaningful|has (?:an )?effect)"
    r"|(?:applies|applied|used|applicable|valid|relevant|works|effective|available|supported) only)\s"
    r"(?P<word>when|if|for|unless|with)\s(?P<cond>.{1,160})",
    "ignored",
    "effect",
    "only",
)
_MAY = lazy_pattern(r"available|supported|(?<!in)valid", re.IGNORECASE)
"""Words for what fails elsewhere, rather than being of no use there."""
_SUBJECT = lazy_pattern(
    r"(?P<name>[A-Za-z_$][\w$\-]{0,63})[`'\"]?(?:\s(?:parameter|argument|field))?\s(?:is|are)\s(?:also\s)?$"
)
_WAYS = Guarded(
    r"\b(?:identif(?:y|ied)|specif(?:y|ied)|locate|target|select)\b[^.]{0,60}?\b(?:either )?by\s(?P<one>.{1,60}?)"
    r"\sor\s(?:by\s)?(?P<other>[^.;]{1,60})",
    " by ",
)
_LEFT_OUT = ("left", "empty", "omitted", "null")
_CASE = lazy_pattern(r"(?:when|if|for|in case of)\s[^,]{3,80},", re.IGNORECASE)
_ENTRY = lazy_pattern(r"[-*•]\s[`*\"']{0,3}(?P<value>[\w$][\w$.\-]{0,60})[`*\"']{0,3}\s?(?::|—|–|-\s)")
_REMARK = lazy_pattern(r"\s?\(([^()]{0,160})\)")
_CASE_BEHIND = lazy_pattern(r"\b(?:with|of)\s[^,.;]{1,120}?\s(?P<case>(?:for|when|if|unless)\s[^.;]{3,80})")
_LISTED = lazy_pattern(r"[\w\s\-]{3,60}\s\(([^()]{3,160})\)")
_CLAUSE = lazy_pattern(
    r"(?:^|[(,;:—–]|-|\b(?:is|are|this|it|and|but|also|parameter|argument|field))\s?$", re.IGNORECASE
)


def stated_needs(text: str, group: Group, subject: str = "") -> Iterator[Need]:
    """The dependencies between parameters that a description states.

    Args:
        text: a description.
        group: the parameters that it may name.
        subject: the parameter that it describes; empty for one about all of them.
    """
    if len(group.names) > _MANY:
        said = set(_WORD.findall(text))
        named = group.names & (said | {word.lower() for word in said})
        group = group._replace(names=named | ({subject} if subject else set()))
    lower = lowered(text)
    if len(group.names) < 2 or not _mentions(lower, group, subject) or not _GUARD.are_in(lower):
        return
    text = _spelled(text, group.names)
    if not _may_relate(text, group, subject):
        return
    last = ""
    advised = "by default, " in lowered(text)
    for sentence in _ENDS.split(text, maxsplit=_MAX_SENTENCES)[:_MAX_SENTENCES]:
        flat = " ".join(sentence[:_MAX_SENTENCE].split())
        if _may_relate(flat, group, subject) and _GUARD.are_in(lowered(flat)):
            sentence = _Sentence(flat, group, subject)
            found = list(sentence.needs(last))
            found += sentence.more(found)
            if advised and _ADVICE.search(flat):
                # The text says what a call without them gets.
                found = [need for need in found if need.kind not in ("any", "one")]
            yield from found
        last = flat


_MANY = 300
"""Number of parameters from which on only those that are words of a description are sought in it: each of 5,000 in
5,000 descriptions took seven seconds. Real objects have 200 at most."""
_WORD = lazy_pattern(r"[\w$][\w$\-]*")


def _spelled(text: str, names: Collection[str]) -> str:
    """The text with "URL" and "ID" in lower case where a parameter has that name."""
    for name in names:
        if len(name) <= _MAX_SHORT and name.islower() and (upper := name.upper()) in text and upper not in names:
            text = re.sub(rf"(?<![\w\-]){re.escape(upper)}(?![\w\-])", name, text)
    return text


def _mentions(lower: str, group: Group, subject: str) -> bool:
    """:func:`_may_relate` for the description of a parameter in lower case, before anything is known about names."""
    if not subject:
        return True
    for name in group.names:
        if name != subject and name.lower() in lower:
            return True
    return has_any(lower, group.values)


def _may_relate(text: str, group: Group, subject: str) -> bool:
    """True if a string contains the name of another parameter than its subject, or what stands for one: a value in the
    description of a parameter, "by ID or by text" or "at least one field" in that of a tool."""
    for name in group.names:
        if name in text and name != subject:
            return True
    if subject:
        return bool(group.values) and has_any(lowered(text), group.values)
    return has_any(lowered(text), _UNNAMED)


_UNNAMED = (" by ", "at least one")


class _Sentence:
    """One sentence and the parameters that it names."""

    def __init__(self, text: str, group: Group, subject: str) -> None:
        self.text = text
        self.group = group
        self.subject = subject

    @cached_property
    def named(self) -> tuple[str, ...]:
        return names_in(self.text, self.group.names)

    @cached_property
    def both(self) -> tuple[str, ...]:
        """The parameters that it names, after the one that it describes."""
        return tuple(dict.fromkeys((self.subject, *self.named) if self.subject else self.named))

    def needs(self, last: str) -> Iterator[Need]:
        """The dependencies that it states, at most one of each kind.

        Args:
            last: the previous sentence, for "with neither".
        """
        case = self._case()
        for need in () if self._has_no_subject() else self._sets(last):
            yield need._replace(condition=case) if case else need
        conditional = self._when() or self._if()
        if conditional is not None:
            yield conditional
        ignored = self._ignored()
        if ignored is not None:
            yield ignored

    def more(self, found: list[Need]) -> Iterator[Need]:
        """What its clauses state besides what was found."""
        known = {frozenset(need.arguments) for need in found}
        # No clause states anything but these.
        possible = self._possible()
        if len(possible) < 2 or any(possible <= other for other in known):
            return
        for one in clause_needs(self.text, self.group, self.subject):
            arguments = frozenset(one.arguments)
            if len(arguments) > 1 and not any(arguments <= other for other in known):
                known.add(arguments)
                yield one

    def _possible(self) -> set[str]:
        """The parameters that the sentence may be about: those whose name or value is a part of it."""
        found = {name for name in self.group.names if name in self.text}
        if self.subject:
            found.add(self.subject)
        if self.group.values:
            folded = self.text.casefold()
            found.update(owner for value, owner in self.group.values.items() if value in folded)
        return found

    def _case(self) -> str:
        """The only case of which a sentence speaks: "when moving, …", "- move: …", "… for panels"; empty if none."""
        front = _CASE.match(self.text)
        if front is not None:
            return front[0].rstrip(",").lower()
        entry = _ENTRY.match(self.text)
        if entry is not None and self.group.values.get(entry["value"].casefold(), self.subject) != self.subject:
            return f"for {entry['value']}"
        behind = _CASE_BEHIND.search(self.text) if _EXCLUSIVE_WITH.search(self.text) else None
        return behind["case"] if behind is not None else ""

    def _sets(self, last: str) -> Iterator[Need]:
        choice = _ONE_OF.search(self.text) or _CHOICE.search(self.text)
        ways = self._chosen(choice) if choice is not None else ()
        needed = choice is not None and not _AT_MOST.search(choice[0]) and _FREE.search(self.text) is None
        if _EXCLUSIVE.search(self.text):
            names = tuple(way[0] for way in ways) if len(ways) > 1 else self._excluded()
            if len(names) == 2 or (2 < len(names) < 5 and (self.subject or self._side_by_side())):
                ways = ways if len(ways) > 1 or self.subject else tuple((name,) for name in names)
                yield Need("one" if needed and len(ways) > 1 else "exclusive", names, ways=ways)
        elif len(ways) > 1 and choice is not None and _FREE.search(self.text) is None:
            first = choice[0].lower()
            most = _AT_MOST.search(first) is not None
            if not most and not first.startswith(_COUNTED) and not _NEEDED.search(self.text):
                return
            kind: Kind = "exclusive" if most else "one" if "exactly" in first else "any"
            yield Need(kind, tuple(name for way in ways for name in way), ways=ways)
        elif _NEITHER.search(self.text) and self.named and "required" in self.text:
            ways = tuple(
                dict.fromkeys((*((name,) for name in self.named), *grouped(last, self.group.names, listed=False)))
            )
            if len(ways) > 1:
                yield Need("any", tuple(name for way in ways for name in way), ways=ways)
        elif self._is_paired() and len(self.both) == 2 and _FREE.search(self.text) is None:
            yield Need("together", self.both)
        else:
            yield from self._ways()

    def _excluded(self) -> tuple[str, ...]:
        """The parameters that exclude each other. "Only with a=1; not compatible with tables" says a value of `a`."""
        exclusive = _EXCLUSIVE_WITH.search(self.text) if self.subject else None
        if exclusive is None:
            return self.both
        found = places(self.text, self.group.names)
        names = (place[0] for place in found if not _VALUE.match(self.text, place.end()))
        return tuple(dict.fromkeys((self.subject, *names)))

    def _is_paired(self) -> bool:
        """True if parameters belong together; "only used together with a" is about one of them."""
        paired = _PAIRED.search(self.text)
        return paired is not None and not (
            self.subject and paired[0].lower().startswith("only") and "both" not in paired[0]
        )

    def _has_no_subject(self) -> bool:
        """True if "mutually exclusive with a and b" has no subject; the bullet that it ends is read separately."""
        exclusive = _EXCLUSIVE_WITH.search(self.text) if not self.subject else None
        if exclusive is None:
            return False
        named = places(self.text, self.group.names)
        return not any(place.start() < exclusive.start() for place in named)

    def _side_by_side(self) -> bool:
        """True if all named parameters are in one list: "a, b and c are mutually exclusive"."""
        found = places(self.text, self.group.names)
        return all(BETWEEN.fullmatch(self.text, one.end(), other.start()) for one, other in itertools.pairwise(found))

    def _chosen(self, choice: re.Match[str]) -> Ways:
        """The parameters after "either" or "one of", including "this"."""
        rest = self._listed_after(choice.end())
        if " or " not in rest.lower() and "one" not in choice[0].lower():
            return ()
        ways = grouped(rest, self.group.names, listed="one" in choice[0].lower(), after="choice")
        if self.subject and re.search(r"\bthis\b", rest[:40], re.IGNORECASE):
            ways = ((self.subject,), *(way for way in ways if self.subject not in way))
        return ways

    def _listed_after(self, at: int) -> str:
        """The text behind a position, without remarks in brackets, up to the end of the brackets around it."""
        names = self.group.names
        rest = _REMARK.sub(
            lambda match: match[0] if any(word[0] in names for word in IDENTIFIER.finditer(match[1])) else "",
            self.text[at:],
        )
        end = rest.find(")")
        return rest if end < 0 or "(" in rest[:end] else rest[:end]

    def _when(self) -> Need | None:
        match = _WHEN.search(self.text)
        for _ in range(_MAX_CONDITIONS):
            if match is None or match["no"]:
                return None
            need = self._conditional("when", self._subject_before(match.start()), match["word"], match["cond"])
            if need is not None:
                return need
            match = _WHEN.search(self.text, match.start("cond"))
        return None

    def _subject_before(self, at: int) -> str:
        """The parameter in front of "is required", or the one that the text describes."""
        front = _SUBJECT.search(self.text[max(0, at - 100) : at])
        return front["name"] if front is not None and front["name"] in self.group.names else self.subject

    def _if(self) -> Need | None:
        match = _IF.search(self.text)
        if match is None or match["name"] not in self.group.names:
            return None
        then = match["then"].lower()
        kind: Kind = "ignored" if then == "ignored" else "when"
        need = self._conditional(kind, match["name"], "if", match["cond"])
        if need is None:
            return None
        if then == "false" and need.values and need.values[0].lower() == "true":
            return Need("exclusive", need.arguments)
        if then in _LEFT_OUT:
            return need._replace(kind="exclusive") if need.state else need._replace(must="left out")
        return need._replace(must=then) if then in ("true", "false") else need

    def _ignored(self) -> Need | None:
        match = _IGNORED.search(self.text)
        if match is None or match["no"] or not _CLAUSE.search(self.text[max(0, match.start() - 20) : match.start()]):
            return None
        word = match["word"].lower()
        # "Ignored unless a is set" and "only used when a is set" are the same.
        kind: Kind = "only" if "only" in match["what"].lower() or word == "unless" else "ignored"
        if kind == "only" and word == "unless":
            word = "if"
        if kind == "only" and _MAY.search(match["what"]):
            kind = "within"
        return self._conditional(kind, self._subject_before(match.start()), word, match["cond"])

    def _conditional(self, kind: Kind, subject: str, word: str, condition: str) -> Need | None:
        """A dependency under a condition, if the condition is about another parameter."""
        if not subject:
            return None
        condition = clause_of(condition.split(" (and ", 1)[0])
        others = [name for name in names_in(condition, self.group.names, after=word.lower()) if name != subject]
        if others:
            found = state_of(condition, others[0], word)
            if found is None:
                return None
            state, values = found if len(others) == 1 else ("", ())
        else:
            others, state, values = values_named(condition, subject, word, self.group.values)
            if not others and kind == "when" and (listed := _LISTED.match(condition)) is not None:
                # "Required for all surfaces (web, app)": the values in brackets say which.
                others, state, values = values_named(listed[1], subject, word, self.group.values)
                others = others if state == "=" else []
        if not others:
            return None
        return Need(kind, (subject, *others[:3]), quoted_condition(word, condition), state, values)

    def _ways(self) -> Iterator[Need]:
        """ "Identify it by ID or by text": each way has a word from one parameter's name, and from no other. At least
        one field means any of the optional ones."""
        if not self.subject and len(self.group.optional) > 1 and _SOME.search(self.text):
            yield Need("any", self.group.optional, ways=tuple((name,) for name in self.group.optional))
            return
        match = _WAYS.search(self.text)
        if match is None or self.subject:
            return
        ways = [self._meant(match["one"]), self._meant(match["other"])]
        if all(len(way) == 1 for way in ways) and ways[0] != ways[1]:
            yield Need("any", (*ways[0], *ways[1]), ways=(tuple(ways[0]), tuple(ways[1])))

    def _meant(self, way: str) -> list[str]:
        said = [word.lower() for word in re.findall(r"[A-Za-z]{2,30}", way)]
        said = said[:4]

        def shared(name: str) -> bool:
            parts = [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
            return any(part == word or (len(part) > 3 and word.startswith(part)) for part in parts for word in said)

        return [name for name in self.group.names if shared(name)]
