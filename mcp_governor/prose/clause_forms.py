"""The needs that the clauses of a sentence state, in whatever words: see :mod:`~mcp_governor.prose.clauses`.

A form ends where its clause ends: "requires `a` to load" says what something is for, "requires `a`." what a call needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose import clause_words as words
from mcp_governor.prose.clause_parts import Clause
from mcp_governor.prose.clauses import Listed, marked
from mcp_governor.prose.guarded import Guards
from mcp_governor.prose.modes import is_of_a_word
from mcp_governor.prose.need import Need

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from mcp_governor.prose.guarded import Guarded
    from mcp_governor.prose.need import Group, Kind, State


class _Clauses(Clause):
    """Reads the clauses of one sentence."""

    def needs(self) -> Iterator[Need]:
        """What the sentence states, form by form; the caller drops repetitions."""
        # One parameter alone depends on nothing.
        if self._conditions or len(self._lists) > 1:
            for form, reader in _GUARDS.possible(self.text):
                for match in form.finditer(self.text):
                    yield from reader(self, match)

    # -- readers

    def excluded(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Cannot be used with a", "not supported for the fast mode"."""
        if match["wk"].lower() == "to":
            return
        if match["wl"] is not None and match["wk"].lower() in ("with", "if", "when", "alongside", "in", "while"):
            others = self._lists[int(match["wl"])]
            if others.link == "and" and match["wk"].lower() in ("if", "when", "while"):
                return  # All of them together exclude it, one does not.
            for head in self._heads(match, "s", "o"):
                if others.sure or match.end() == len(match.string):
                    yield from _excluded(head, others)
            return
        under = self._under(match)
        if under is None or match["wk"].lower() == "unless":
            return
        (other,), state, values, said = under
        for head in self._heads(match, "s", "o"):
            if head != other and (state != "present" or values):
                yield Need("exclusive", (head, other), said, state, values)
            elif head != other:
                yield Need("exclusive", (head, other))

    def instead(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Alternative to a"."""
        others = self._list(match, "o", "p")
        ends = words.ENDS.match(self.text, match.end()) is not None
        if self._subject and others is not None and (others.sure or ends):
            yield from _excluded(self._subject, others)

    def conflicts(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Conflicts with a"."""
        others = self._list(match, "o")
        if others is not None and self._subject:
            yield from _excluded(self._subject, others)

    def omit(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Omit if a is given"."""
        under = self._under(match)
        if self._subject and under is not None and len(under[0]) == 1 and match["wk"].lower() in ("if", "when", "for"):
            (other,), state, values, said = under
            sure = match["wc"] is None or self._conditions[int(match["wc"])].sure
            if other != self._subject and state and sure:
                whole = Need("exclusive", (self._subject, other))
                given = state == "present" or values == ("true",)
                yield whole if given else whole._replace(condition=said, state=state, values=values)

    def spared(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Not needed when using a"."""
        under = self._under(match)
        if self._subject and under is not None and under[1] == "present" and match["wk"].lower() in ("if", "when"):
            (other,) = under[0]
            if other != self._subject:
                yield Need("any", (self._subject, other), ways=((self._subject,), (other,)))

    def otherwise(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If omitted, a is required"."""
        others = self._list(match, "o")
        if self._subject and others is not None and len(others.ways) == 1 and self._subject not in others.names:
            yield Need("any", (self._subject, *others.names), ways=((self._subject,), *others.ways))

    def this_or(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Use this or a"."""
        listed = self._list(match, "o")
        if listed is not None and listed.link == "or" and self._subject in listed.names:
            yield from self._any(match, listed)

    def precedes(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Takes precedence over a"."""
        others = self._list(match, "o")
        for head in self._heads(match, "s")[:1]:
            for name in others.names if others is not None else ():
                if name != head:
                    yield Need("ignored", (name, head), f"if {head} is given", "present")

    def ignored(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If a is given, b is ignored", "ignored without a"."""
        under = self._under(match)
        if under is None:
            return
        (other,), state, values, said = under
        for head in self._heads(match, "s"):
            if head != other:
                # "No effect unless a is set" and "only with a" are the same.
                only = match["wk"].lower() in ("unless", "without") and state == "absent"
                yield Need("only" if only else "ignored", (head, other), said, "present" if only else state, values)

    def ignored_by_this(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If given, b is ignored"."""
        others = self._list(match, "o")
        for name in others.names if others is not None and self._subject else ():
            if name != self._subject:
                yield Need("ignored", (name, self._subject), f"if {self._subject} is given", "present")

    def requires(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Requires a"."""
        heads = self._heads(match, "s")
        # Of a parameter with choices, each choice needs what it needs: "(start: …; requires a)".
        if len(heads) != 1 or (self._chooses and match["s"] is None):
            return
        (head,) = heads
        if match["c"] is not None:
            case = self._conditions[int(match["c"])]
            if case.name == head:
                return
            if case.state == "=" and case.values in (("true",), ("false",)):
                yield Need("when", (case.name, head), f"with {head}", "present", (), case.values[0])
            elif case.state == "=":
                yield Need("within", (head, case.name), f"with {case.name}", "=", case.values)
            elif case.state == "present":
                yield Need("when", (case.name, head), f"with {head}", "present")
            return
        others = self._list(match, "o")
        if others is None or others.link == "or":
            return
        if match["s"] is not None and not (self._lists[int(match["s"])].sure and others.sure):
            return
        for name in others.names:
            if name != head:
                yield Need("when", (name, head), f"with {head}", "present")

    def choice_requires(self, match: re.Match[str]) -> Iterator[Need]:
        """ "'fast' mode requires a", "- fast: quick (requires a)"."""
        case, others = self._conditions[int(match["c"])], self._list(match, "o")
        if others is None or case.state != "=" or "not " in match["gap"] or "n't " in match["gap"]:
            return
        said = f"for {', '.join(case.values)}"
        names = [name for name in others.names if name != case.name]
        if others.link == "or" and len(names) > 1:
            yield Need("any", tuple(names), said, ways=tuple((name,) for name in names))
        elif others.link != "or":
            for name in names:
                yield Need("when", (name, case.name), said, "=", case.values)

    def excludes_all(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Mutually exclusive with the other filters (a, b and c)"."""
        others = self._list(match, "o")
        if others is not None and self._subject:
            yield from _excluded(self._subject, others)

    def without_fails(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Passing a without b fails"."""
        heads, others = self._list(match, "s"), self._list(match, "o")
        if heads is not None and others is not None and len(heads.names) == 1 and others.link != "or":
            for name in others.names:
                if name != heads.names[0]:
                    yield Need("when", (name, heads.names[0]), f"with {heads.names[0]}", "present")

    def must_be(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Must be true when a is set"."""
        (other,), state, values, said = self._of(int(match["c"]))
        if self._subject and other != self._subject and state:
            yield Need("when", (self._subject, other), said, state, values, match["must"].lower())

    def one_wins(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If a and b are given, a is used"."""
        both, one = self._list(match, "a"), self._list(match, "o")
        # "a is used" looks like a condition.
        case = self._conditions[int(match["c"])] if match["c"] is not None else None
        one = Listed(((case.name,),)) if case is not None and case.state == "present" else one
        if both is None or one is None or len(both.names) != 2 or len(one.names) != 1 or one.names[0] not in both.names:
            return
        (other,) = (name for name in both.names if name != one.names[0])
        loser, winner = (other, one.names[0]) if match["wins"] or case is not None else (one.names[0], other)
        yield Need("ignored", (loser, winner), f"if {winner} is given", "present")

    def requires_if_true(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Requires a and b when true"."""
        others = self._list(match, "o")
        if self._subject and others is not None and others.link != "or":
            for name in others.names:
                if name != self._subject:
                    yield Need("when", (name, self._subject), f"with {self._subject}", "present")

    def along(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Must be used together with a", "use with a"."""
        others = self._list(match, "o", "t")
        if self._subject and others is not None and others.link != "or":
            for name in others.names:
                if name != self._subject:
                    yield Need("when", (name, self._subject), f"with {self._subject}", "present")

    def also(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If you pass this, you must also pass a"."""
        others = self._list(match, "o", "p")
        if self._subject and others is not None and others.link != "or":
            for name in others.names:
                if name != self._subject:
                    yield Need("when", (name, self._subject), f"with {self._subject}", "present")

    def then_give(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If a is set, provide b"."""
        group = "w" if match["s"] is not None else "v"
        if match[f"{group}k"].lower() in ("to", "by", "in"):
            return
        yield from self._needed(self._list(match, "s", "t"), self._under(match, group))

    def needed_when(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Requires a when b is set", "a and b are required for the fast mode"."""
        if match["wk"].lower() in ("to", "by", "in"):
            return
        named = self._list(match, "s", "o")
        if named is None and not self._subject:
            return
        if (
            "not " in self.text[max(0, match.start() - 10) : match.start() + 4].lower()
            or "only " in match[0].lower()[:30]
        ):
            return
        yield from self._needed(named or Listed(((self._subject,),)), self._under(match))

    def _needed(
        self, named: Listed | None, under: tuple[tuple[str, ...], State, tuple[str, ...], str] | None
    ) -> Iterator[Need]:
        if named is None or under is None or len(under[0]) != 1:
            return
        (other,), state, values, said = under
        names = [name for name in named.names if name != other]
        if named.link == "or" and len(names) > 1:
            yield Need("any", tuple(names), said, ways=tuple((name,) for name in names))
        elif named.link != "or":
            for name in names:
                yield Need("when", (name, other), said, state, values)

    def must_specify(self, match: re.Match[str]) -> Iterator[Need]:
        """ "If you need more than one, you must specify one of these in a"."""
        others = self._list(match, "o")
        if not self._subject or others is None or not others.sure or len(others.names) != 1:
            return
        (name,) = others.names
        if name == self._subject:
            return
        if match["c"] is not None:
            yield from self._needed(others, self._of(int(match["c"])))
        else:
            yield Need("when", (name, self._subject), f"if {match['free'].strip()}")

    def only(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Only available for the fast mode", "used only with a"."""
        under = self._under(match)
        if under is None or match["wk"].lower() in ("unless", "by") or self._denied(match):
            return
        (other,), state, values, said = under
        kind: Kind = "within" if match["v"] or match["v2"] else "only"
        named = any(match[group] for group in ("v", "u", "v2", "u2"))
        if match["wk"].lower() == "to" and not named:
            return
        if match["s"] is not None and not named:
            return
        for head in self._heads(match, "s"):
            if head != other:
                yield Need(kind, (head, other), said, state, values)

    def _denied(self, match: re.Match[str]) -> bool:
        return self.text[: match.start()].rstrip().lower().endswith((" not", "n't", "never", "not"))

    def only_behind(self, match: re.Match[str]) -> Iterator[Need]:
        """ "(fast mode only)", but not of one of its values: "'managed' (Linux only)"."""
        if is_of_a_word(self.text, self.text.rfind("(", 0, match.end())):
            return
        case = self._conditions[int(match["c"])]
        if self._subject and case.name != self._subject and case.state == "=":
            yield Need("only", (self._subject, case.name), f"for {', '.join(case.values)}", "=", case.values)

    def accepted_by(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Only fast and slow accept a"."""
        case, heads = self._conditions[int(match["c"])], self._list(match, "s")
        for head in heads.names if heads is not None else ():
            if head != case.name and case.state == "=":
                yield Need("within", (head, case.name), f"for {', '.join(case.values)}", "=", case.values)

    def case(self, match: re.Match[str]) -> Iterator[Need]:
        """ "When mode is 'fast'": all that a description says, or a remark in it."""
        case = self._conditions[int(match["c"])]
        if self._subject and case.name != self._subject and case.state == "=" and case.sure:
            yield Need("only", (self._subject, case.name), f"for {', '.join(case.values)}", "=", case.values)

    def of_list(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Use either a + b or c", "exactly one of a and b is required"."""
        listed, how = self._list(match, "o"), match["how"].lower()
        if listed is None or len(listed.ways) < 2 or self._is_free(match):
            return
        start = match.start("how")
        imperative = match["before"] is not None or start == 0 or self.text[start - 2 : start] in (". ", ": ", "; ")
        if how in ("either", "one of") and match["after"] is None and match["before"] is None:
            return
        if not imperative and match["after"] is None:
            return
        if how == "either" and listed.link not in ("or", "/"):
            return
        kind: Kind = "any"
        if how.startswith("exactly") or "not both" in self.text.lower():
            kind = "one"
        elif how.startswith(("only", "at most")):
            kind = "exclusive"
        yield Need(kind, listed.names, ways=listed.ways)

    def neither(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Fails if neither a nor b is given"."""
        yield from self._any(match, self._list(match, "o") if words.FAILS.search(self.text) else None)

    def one_required(self, match: re.Match[str]) -> Iterator[Need]:
        """ "a or b (one is required)"."""
        yield from self._any(match, self._list(match, "o"), exact=match["exact"] is not None)

    def give_one(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Provide a or b"."""
        listed = self._list(match, "o")
        if listed is not None and listed.link in ("or", "/") and listed.sure:
            yield from self._any(match, listed, exact=match["both"] is not None)

    def give_either(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Give a with …, or b with …", "give a or a list b"."""
        ways = (*self._lists[int(match["a"])].ways, *self._lists[int(match["b"])].ways)
        if self._lists[int(match["a"])].sure and len(ways) == 2 and ways[0] != ways[1] and not self._subject:
            yield from self._any(match, Listed(ways, "or"))

    def given_one(self, match: re.Match[str]) -> Iterator[Need]:
        """ "a or b must be given"."""
        listed = self._list(match, "o")
        front = self.text[max(0, match.start() - 9) : match.start()].lower()
        if (
            listed is not None
            and listed.link == "or"
            and listed.sure
            and not front.endswith(("if ", "when ", "hether "))
        ):
            yield from self._any(match, listed)

    def by(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Identify the page by a or b"."""
        listed = self._list(match, "o")
        if listed is not None and listed.link == "or" and listed.sure:
            yield from self._any(match, listed)

    def _any(self, match: re.Match[str], listed: Listed | None, *, exact: bool = False) -> Iterator[Need]:
        if listed is not None and len(listed.ways) > 1 and not self._is_free(match):
            yield Need("one" if exact else "any", listed.names, ways=listed.ways)

    def all_of(self, match: re.Match[str]) -> Iterator[Need]:
        """ "Always pass both a and b together"."""
        listed = self._list(match, "o", "p")
        if (
            listed is not None
            and len(listed.ways) == len(listed.names) == 2
            and listed.link == "and"
            and not self._is_free(match)
        ):
            yield Need("together", listed.names)


def _excluded(head: str, others: Listed) -> Iterator[Need]:
    names = tuple(name for name in others.names if name != head)
    if names:
        yield Need("exclusive", (head, *names))


_FORMS: tuple[tuple[Guarded, Callable[[_Clauses, re.Match[str]], Iterator[Need]]], ...] = (
    (words.OF_LIST, _Clauses.of_list),
    (words.NEITHER, _Clauses.neither),
    (words.ONE_REQUIRED, _Clauses.one_required),
    (words.GIVE_ONE, _Clauses.give_one),
    (words.GIVE_EITHER, _Clauses.give_either),
    (words.GIVEN_ONE, _Clauses.given_one),
    (words.BY, _Clauses.by),
    (words.ALL_OF, _Clauses.all_of),
    (words.EXCLUDED, _Clauses.excluded),
    (words.INSTEAD, _Clauses.instead),
    (words.CONFLICTS, _Clauses.conflicts),
    (words.OMIT, _Clauses.omit),
    (words.SPARED, _Clauses.spared),
    (words.ELSE, _Clauses.otherwise),
    (words.THIS_OR, _Clauses.this_or),
    (words.THEN_GIVE, _Clauses.then_give),
    (words.NEEDED_WHEN, _Clauses.needed_when),
    (words.ALSO, _Clauses.also),
    (words.MUST_SPECIFY, _Clauses.must_specify),
    (words.REQUIRES, _Clauses.requires),
    (words.CHOICE_REQUIRES, _Clauses.choice_requires),
    (words.EXCLUDES_ALL, _Clauses.excludes_all),
    (words.WITHOUT_FAILS, _Clauses.without_fails),
    (words.MUST_BE, _Clauses.must_be),
    (words.ONE_WINS, _Clauses.one_wins),
    (words.REQUIRES_IF_TRUE, _Clauses.requires_if_true),
    (words.ALONG, _Clauses.along),
    (words.ACCEPTED_BY, _Clauses.accepted_by),
    (words.ONLY, _Clauses.only),
    (words.ONLY_BEHIND, _Clauses.only_behind),
    (words.CASE, _Clauses.case),
    (words.IGNORED_THEN, _Clauses.ignored),
    (words.IGNORED_BY_THIS, _Clauses.ignored_by_this),
    (words.IGNORED, _Clauses.ignored),
    (words.PRECEDES, _Clauses.precedes),
)
_GUARDS = Guards(_FORMS)


def clause_needs(text: str, group: Group, subject: str) -> Iterator[Need]:
    """The needs that the clauses of a sentence state, possibly several times.

    Args:
        text: one sentence with single spaces.
        group: the parameters that it may name.
        subject: the parameter that it describes; empty for one about all of them.
    """
    if not _names_something(text, group, subject):
        return
    chooses = subject in group.values.values()
    yield from _Clauses(marked(text, group.names, group.values, subject), subject, chooses=chooses).needs()


def _names_something(text: str, group: Group, subject: str) -> bool:
    """True if a word of a sentence is another parameter or a value: most sentences contain such words only in part."""
    words = set(_WORDS.findall(text))
    if not words.isdisjoint(group.names) and (len(words.intersection(group.names)) > 1 or subject not in words):
        return True
    return bool(group.values) and any(word.lower() in group.values for word in words)


_WORDS = lazy_pattern(r"[\w$]+(?:[.\-]+[\w$]+)*")
