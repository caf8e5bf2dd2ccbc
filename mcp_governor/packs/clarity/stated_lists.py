"""The closed list of values that the descriptions of one parameter give, read from everything that is said about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.closed_lists import ClosedList, values_in
from mcp_governor.prose.formats import names_other_form
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.list_samples import are_samples
from mcp_governor.prose.passages import Passage, passages_about
from mcp_governor.prose.vocabulary import FREE, is_kind
from mcp_governor.prose.words import name_words, stem
from mcp_governor.subjects.schemas import parent_of, root_of, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.packs.clarity.open_text import OpenText
    from mcp_governor.subjects.context import Context

_SIGNED = lazy_pattern(r"[+\-](?:[A-Z][A-Z_]{1,30}|(?i:\w{0,20}(?:attribute|column|field|key|metric|name|property)))")
"""A column that stands for any, and a sign for the direction: "+METRIC" or "-METRIC", but not "+date" or "-date"."""
_DIRECTED = lazy_pattern(r"(?<=\S)\s(?:asc|desc)$", re.IGNORECASE)
_ORDERED = lazy_pattern(r"(?:\w{0,20}(?:attribute|column|field|key|name|property))[: ](?:asc|desc)", re.IGNORECASE)
"""A column that stands for any, and a direction."""
_MENTIONED = lazy_pattern(
    r"(?:(?:list|argument|parameter|field|option|value|array)s?\s)?"
    r"(?:[(:=]|(?:is|to|must|should|can|may|either|as|accepts|takes|one of|values?)\b)",
    re.IGNORECASE,
)
_EXPLAINED = lazy_pattern(r"(?<=[\w`'\"])\s?(?::|=|–|—|-\s|→|\().*")
_DOTTED = lazy_pattern(r"[A-Za-z]\.[A-Za-z]")
_SHOWN = lazy_pattern(r"\s?[:=]\s?[\"'`]([\w.\-]{1,60})[\"'`]")
_NUMBERED = lazy_pattern(r"[A-Za-z].*[\d_]")
_NO_WORD = lazy_pattern(r"[A-Z0-9_/:.]")
"""What words of a phrase do not have."""
_CONSTANT = lazy_pattern(r"[A-Z][A-Z0-9_]+")
_COMPOUND = lazy_pattern(r"[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,8}")
_MEASURE = lazy_pattern(r"\d{1,5}[A-Za-z]{1,3}")
"""A duration or a size: "15m", "480p"."""


_BY_DEFAULT = lazy_pattern(r"by default \([^()]{0,200}\)", re.NOFLAG)
"""What happens without the parameter: "Cases ask for their links by default ('links' / 'link')"."""
_MAX_CLAIMS = 50
"""Maximum number of lists of one text that are tried; people write one or two."""
_SIZE = 400
"""Approximate size of a list with its key."""


def stated_list(found: OpenText, context: Context) -> ClosedList | None:
    """The list of values that the descriptions of a parameter give; ``None`` if another list there has more."""
    # Asked for about all parameters at once, and then by two rules and those about formats about each.
    key = ("closed list", found.node.tool.index, found.node.pointer)
    return context.facts.kept(key, lambda: _read(found, context), lambda _: _SIZE)


def _read(found: OpenText, context: Context) -> ClosedList | None:
    passages = passages_about(found.node, context, mentions=True)
    claims: list[tuple[Passage, ClosedList]] = []
    for said in passages:
        # A section whose heading announces a list has it as bullets.
        text = _headed(said.text) if said.where == "section" else said.text
        if "by default (" in text:
            text = _BY_DEFAULT.sub("by default", text)
        values = context.facts.read(values_in, text)
        if values.open and said.where in ("own", "entry"):
            return None
        claims += [(said, claim) for claim in values.lists[:_MAX_CLAIMS]]
    if not claims and (rule := _of_the_tool(found, context)) is not None:
        claims = [(rule, claim) for claim in context.facts.read(values_in, rule.text).lists[:_MAX_CLAIMS]]
    if not claims:
        return None
    stated = next(
        (claim for said, claim in claims if _is_about(said, claim) and _meant(claim, found, context)),
        None,
    )
    if stated is None:
        return None
    stated = _widest(stated, [claim for said, claim in claims if _is_as_own(said)], found)
    listed = set(stated.values)
    shown = {match[1] for said in passages if said.where == "mention" and (match := _SHOWN.match(said.text))}
    if not shown <= listed:
        return None  # An example call has another value: the list belongs to one case.
    own = [said.text for said in passages if said.where in ("own", "entry")]
    if any(names_other_form(text, stated.values, found.name) or _extends(text, stated, found) for text in own):
        return None
    more = any(_adds(claim, listed) and _trusted(claim, found) for said, claim in claims if said.where != "section")
    return None if more else stated


def _of_the_tool(found: OpenText, context: Context) -> Passage | None:
    """What the tool's description announces as values of the thing that only this parameter is named for: "Sets the
    status of a task. Valid: open, done."."""
    node = found.node
    last = name_words(found.name)[-1:]
    if len(node.tokens) != 2 or not last or not is_kind(last[0]):
        return None
    ruled = context.facts.memo(("values of the tool", node.tool.index), lambda: _announced(node.tool.description))
    if ruled is None:
        return None
    said, listed = ruled
    thing = stem(last[0])
    alike = [one for one in parent_of(node).get("properties", {}) if stem((name_words(one) or ("",))[-1]) == thing]
    if (len(alike) != 1 and name_words(found.name) != last) or thing not in {stem(word) for word in said}:
        return None
    return Passage(node, "/description", node.tool.description, listed, "entry")


def _announced(description: str) -> tuple[tuple[str, ...], str] | None:
    """The words in front of the only "Valid: …" of a description, and the rest of the line; ``None`` otherwise."""
    text = description[:_MAX_TEXT]
    found = list(_VALID.finditer(text)) if _PROMISED.search(text) else []
    if len(found) != 1:
        return None
    line = description[found[0].start("promise") : found[0].end() + _MAX_TEXT].partition("\n")[0]
    return (*name_words(found[0]["said"]), found[0]["noun"] or ""), " ".join(line.split())


_PROMISE = (
    r"[.;,(—–\-]\s?(?P<promise>(?:valid|allowed|possible|accepted|permitted)"
    r"(?:\s(?:values|options|(?P<noun>[a-z]{3,20})))?(?:\sare)?:\s)"
)
# Searched for first: the words in front of it may begin anywhere.
_PROMISED = Guarded(_PROMISE, "valid", "allowed", "possible", "accepted", "permitted")
_VALID = lazy_pattern(rf"(?P<said>[^.\n]{{0,120}}){_PROMISE}", re.IGNORECASE)
_MAX_TEXT = 2_000
"""Maximum number of characters of a tool's description searched for announced values."""


def _extends(text: str, stated: ClosedList, found: OpenText) -> bool:
    """True if a description lets something else in front of a list, or combinations of its values, be accepted."""
    if not found.items and _COMBINED.search(text):
        return True
    if not stated.quoted or stated.promised:
        return False
    form = _FORM_FIRST.match(text)
    return form is not None and text.startswith(stated.values[0], form.end())


_COMBINED = Guarded(r"\b(?:combinations?\sof|or\scombinations?|combos?)\b", "combination", "combo")
_FORM_FIRST = lazy_pattern(
    r"(?:(?!by\b|of\b)[\w\-]{1,20}\s){0,4}(?:address|code|date|hash|id|identifier|integer|name|number|path|percentage"
    r"|sha|timestamp|ur[il]|user(?:name)?|uuid|YYYY\S{0,6})\)?(?:,|,?\sor)\s['\"`“]",
    re.IGNORECASE,
)
"""A form that a value may have as well: "Issue id, 'latest' or 'oldest'"."""


def _is_as_own(said: Passage) -> bool:
    """True if a passage is a description of the parameter: one of the tool may have it in a sentence, "mode: …"."""
    return said.where in ("own", "entry") or (said.where == "mention" and said.text.startswith(": "))


def _adds(claim: ClosedList, listed: set[str]) -> bool:
    """True if a list is about the same values and has more of them; "reset and merge" may explain one."""
    shared = len(listed.intersection(claim.values))
    surely = claim.quoted or claim.promised or claim.bullets
    return shared > (0 if surely else 1) and not listed.issuperset(claim.values)


def _widest(stated: ClosedList, claims: list[ClosedList], found: OpenText) -> ClosedList:
    """The list that has all values of the others, where the descriptions of one parameter differ."""
    for claim in claims:
        if set(stated.values) < set(claim.values) and _trusted(claim, found):
            stated = claim
    return stated


def _headed(bullets: str) -> str:
    """The bullets of a section as a list of values, without their explanations."""
    return "\n".join(("Values:", *(_EXPLAINED.sub(":", bullet, count=1) for bullet in bullets.split("\n"))))


def _is_about(said: Passage, claim: ClosedList) -> bool:
    """True if a list belongs to its parameter: a sentence that names it may have only a quoted list before the name, or
    one in bullets."""
    if said.where == "section":
        return claim.bullets
    if said.where != "mention" or (claim.plainly and said.text.startswith("values ")):
        return True
    return (claim.quoted or claim.bullets) and _MENTIONED.match(said.text) is not None


def _meant(claim: ClosedList, found: OpenText, context: Context) -> bool:
    """True if a list gives the values of this parameter."""
    return _trusted(claim, found) and not _of_something_else(claim, found, context)


def _trusted(claim: ClosedList, found: OpenText) -> bool:
    """True if the form of a list and the words that introduce it make it a list of values."""
    words = name_words(found.name)
    last = words[-1] if words else ""
    # "sort_dir" is not a directory.
    last = "direction" if last == "dir" and words[-2:-1] in (("sort",), ("order",)) else last
    free = last in FREE
    # "Supported categories: …" is plain enough for a category, and "Supported formats: …" about a path is not.
    own = claim.promised and claim.noun != "" and stem(claim.noun) in {stem(word) for word in words}
    plainly = claim.plainly or own
    if _describes(claim, words, kind=is_kind(last)):
        return False
    if found.items and not claim.promised:
        listed = claim.quoted or (len(claim.values) > 2 and is_kind(last))
        return last.removesuffix("s") not in FREE and not free and listed and claim.ends and claim.noun != ""
    if claim.noun in _OF_CONTENT and not own and not is_kind(last) and _IN_AND_OUT.isdisjoint(words):
        return False
    if free and claim.promised and not own and (claim.noun or not plainly):
        return False
    if claim.promised and claim.quoted:
        return True
    values = claim.values
    constants = all(map(_CONSTANT.fullmatch, values))
    if free:
        return _closes_free(claim, last, plainly=plainly)
    names = sum(value.lower() in FREE or value.lower() in _GIVEN for value in values)
    given = names > 0
    # "Newer side: branch, tag or commit" of a head: each of them stands for names that people give.
    kind = is_kind(last) or (is_kind(claim.noun) and (claim.promised or names * 2 <= len(values)))
    # Two unquoted words may be a phrase.
    several = len(values) > 2 or claim.alternatives or all(map(_NO_WORD.search, values))
    certain = claim.marked or claim.explained
    identifiers = constants and (len(values) > 2 or any("_" in value for value in values))
    identifiers = identifiers or all(map(_MEASURE.fullmatch, values))
    if claim.promised:
        # Nobody writes "city|town|country" for any text, apart from names of forms ("id|slug|url").
        if kind or identifiers or claim.bullets or (claim.bars and len(values) > 2 and 2 * names < len(values)):
            return True
        return not given and (
            (plainly and (several or certain)) or (claim.alternatives and (len(values) > 2 or certain))
        )
    if claim.quoted:
        return kind or claim.alternatives or claim.bullets or certain or (len(values) > 2 and _is_opened(claim))
    plain = claim.noun != "" or claim.alternatives or certain
    if given and claim.noun == "" and not claim.whole and not claim.bracketed and _ORDERS.isdisjoint(words):
        return False  # "Search by name or email."
    if (kind and (plain or constants or claim.whole)) or (identifiers and (plain or claim.whole)):
        return True
    return not given and _is_enumeration(claim)


def _closes_free(claim: ClosedList, last: str, *, plainly: bool) -> bool:
    """True if a list has all values of something that everybody names freely, in most systems."""
    values = claim.values
    if claim.quoted and len(values) > 2 and (claim.alternatives or claim.explained):
        # "Region: 'north', 'south' or 'west'", "Region code: 'N' (North), …"
        return claim.noun == last or (last in _OFTEN_CLOSED and claim.noun in _NAMED_SO)
    # "The possible values are: v10, v11".
    return plainly and len(values) > 2 and (all(map(_CONSTANT.fullmatch, values)) or all(map(_NUMBERED.search, values)))


def _describes(claim: ClosedList, words: Sequence[str], *, kind: bool) -> bool:
    """True if the word in front of a list makes it parts or properties of a value."""
    if claim.noun in _OF_PARTS:
        return stem(claim.noun) not in {stem(word) for word in words}
    if claim.noun == "order":
        return _DIRECTIONS.isdisjoint(words)  # "Order: north, south, west, east" about a box.
    # "Drug name (brand or generic)"
    return (claim.noun in FREE or claim.noun == "notation") and not (claim.quoted or claim.promised or kind)


_ORDERS = frozenset(["by", "direction", "group", "order", "sort"])
"""Words for what is sorted or grouped, by things that have any value themselves."""
_DIRECTIONS = frozenset(["dir", "direction", "order", "sort"])
_OF_CONTENT = frozenset(["extensions", "formats"])
_OF_PARTS = frozenset(["operators", "prefix", "prefixes", "suffix", "suffixes", "unit", "units"])
"""Words for parts of a value: "Supported units: s, m, h" about a duration."""
_IN_AND_OUT = frozenset(
    ["as", "content", "export", "in", "out", "output", "reply", "response", "result", "return", "to"]
)
"""Words for what has a format; "Supported formats: png" says nothing else about the values of an image."""


def _is_enumeration(claim: ClosedList) -> bool:
    """True if unquoted words that nothing announces are values: they are the whole description, each is explained, one
    is marked as the default, or they are alternatives after a colon or in brackets."""
    certain = claim.marked or claim.explained
    if len(claim.values) == 2 and claim.alternatives and claim.bracketed and all(map(str.islower, claim.values)):
        return True
    listed = claim.values
    if claim.whole and claim.alternatives and (all(map(_COMPOUND.fullmatch, listed)) or all(map(str.isupper, listed))):
        return True  # "size_of_file or size_of_text", "WIDE or NARROW": no phrase has such words.
    if len(claim.values) == 2:
        return claim.alternatives and claim.marked and (claim.whole or claim.bracketed or claim.noun != "")
    if claim.first and claim.ends and all(map(_COMPOUND.fullmatch, claim.values)):
        return True  # "Time window: last_hour, last_day, last_week"
    return (
        certain
        or (claim.alternatives and _is_opened(claim))
        or (claim.whole and (claim.alternatives or claim.noun != ""))
    )


def _is_opened(claim: ClosedList) -> bool:
    """True if a bracket or a colon behind a noun opens a list, and it ends there."""
    return claim.bracketed or (claim.noun != "" and claim.ends)


_OFTEN_CLOSED = frozenset({"code", "column", "currency", "field", "region", "table", "version"})
"""Words for things of which some systems have a handful: "Region: 'north', 'south' or 'west'"."""
_NAMED_SO = ("code", "name", "type")

_GIVEN = frozenset(
    [
        "city",
        "company",
        "country",
        "county",
        "domain",
        "ip",
        "person",
        "place",
        "province",
        "slug",
        "street",
        "town",
        "zip",
    ]
)
"""Words for free text, in addition to ``FREE``: "City, state or country"."""


def _is_listed_elsewhere(words: tuple[str, ...], context: Context) -> bool:
    """True if another tool returns the values ("get_priorities" for a priority): each site has its own."""
    thing = tuple(map(stem, words))
    return thing in context.facts.memo("listed things", lambda: _listed_things(context))


def _listed_things(context: Context) -> frozenset[tuple[str, ...]]:
    """The words for what tools list that are named so: "get_priorities", "site_list_regions"."""
    out: set[tuple[str, ...]] = set()
    for name in context.facts.names:
        words = name_words(name)
        for at in (0, 1):
            if len(words) > at + 1 and words[at] in _LISTERS and _PLURAL.search(words[-1]):
                out.add(tuple(map(stem, words[at + 1 :])))
    return frozenset(out)


_LISTERS = frozenset({"get", "list"})
_PLURAL = lazy_pattern(r"(?<![suai])s$|(?:ie|e)s$", re.NOFLAG)


def _may_name(claim: ClosedList, named: int, *, kind: bool) -> bool:
    """True if so many values of a list may be the names of tools as well: fewer than half, or one of a kind."""
    if claim.promised and claim.quoted:
        return 2 * named < len(claim.values)
    return kind and named == 1 and len(claim.values) > 2


def _are_parts_of_syntax(values: set[str]) -> bool:
    """True for a condition, for a column that stands for any, or a value with its direction: "columnName:asc" or
    "columnName:desc", "<field> asc|desc", e.g. "name desc"."""
    if any(map(_PREDICATE.fullmatch, values)) or any(map(_CUSTOM.search, values)):
        return True
    if all(map(_SIGNED.fullmatch, values)) and len({value[1:] for value in values}) == 1:
        return True
    directed = {_DIRECTED.sub("", value) for value in values if _DIRECTED.search(value)}
    return all(map(_ORDERED.fullmatch, values)) or not directed.isdisjoint(values)


def _are_of_a_chooser(claim: ClosedList, found: OpenText, said: str) -> bool:
    """True if a description begins with the values of another parameter: 'action: "add" / "remove" — what to edit'."""
    siblings, root, first = parent_of(found.node).get("properties", {}), root_of(found.node), re.escape(claim.values[0])
    return any(
        set(claim.values) <= {value for value in values_of(root, schema) or () if isinstance(value, str)}
        for name, schema in siblings.items()
        if name in said and re.match(rf"\W{{0,4}}{re.escape(name)}s?\s?[:=]?\s?[\"'`]{first}[\"'`]", said)
    )


_ANY_THING = {"existing", "new"}
"""What a name may be of: "Domain (existing or new)"."""
_CUSTOM = lazy_pattern(r"\.custom|custom(?:_|-)?(?:field|key|name)", re.IGNORECASE)
"""A value that stands for what users have named: "meta.customField"."""
_PREDICATE = lazy_pattern(r"\w+\s?[<>=~!]{1,2}\s?\w+")
"""A sample of a condition: 'cfg>7', 'name=euler'."""


def _of_something_else(claim: ClosedList, found: OpenText, context: Context) -> bool:
    """True if the values are parameters, tools, another parameter's values or samples, or lack the default."""
    values = set(claim.values)
    default = found.schema.get("default")
    if isinstance(default, str) and default and default not in values:
        return True
    words = name_words(found.name)
    said = " ".join(one.text for one in passages_about(found.node, context))
    if words[-1:] == ("model",) and not claim.plainly:
        return True  # A service gets new ones: 'Use "m:4b" for speed or "m:27b" for quality'.
    if are_samples(claim.values, words, said, promised=claim.promised):
        return True
    elsewhere = not claim.promised and _is_listed_elsewhere(words, context)
    if elsewhere or values == _ANY_THING or _are_of_a_chooser(claim, found, said) or _are_parts_of_syntax(values):
        return True
    # "Use format: '2h', '90m' or '2h30m'" shows how any duration is written.
    kind = bool(words) and is_kind(words[-1])
    if claim.noun == "format" and not kind and all(value[:1].isdigit() for value in values):
        return True
    siblings = parent_of(found.node).get("properties", {})
    others = siblings.keys() - {found.name}
    named = values & context.facts.names
    if named and not _may_name(claim, len(named), kind=kind):
        return True
    if found.name in values and values <= siblings.keys():
        return True  # "Provide exactly one of `path` or `url`."
    if claim.promised and claim.quoted:
        return False
    if not claim.promised and claim.alternatives and all(map(_DOTTED.search, values)):
        return True  # Two examples of qualified names: "base.http" or "chain.agent".
    if claim.quoted and kind and claim.alternatives and not values <= siblings.keys():
        return False  # "Level: 'state', 'city' or 'all'" says which of the other parameters counts.
    if 2 * len(values & others) >= len(values):
        return True
    root = root_of(found.node)
    return any(
        (values <= set(closed) if kind else 2 * len(values.intersection(closed)) >= len(values))
        for name in others
        if (closed := [value for value in values_of(root, siblings[name]) or () if isinstance(value, str)])
    )
