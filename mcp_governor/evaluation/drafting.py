"""Drafts of queries from a surface: a start for people who edit them, not a query set.

One positive and one sibling query for each tool, and some that no tool answers. The sentences are made of words that
people say for the verb and the nouns of the tool's name; of several, the one that shares least with the description is
taken, because a query that repeats it measures copying. No model writes them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mcp_governor.evaluation.model import Kind, Query
from mcp_governor.evaluation.proxies import Bm25
from mcp_governor.evaluation.terms import split_identifier, stem, terms, tool_text
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.evaluation.terms import ToolText

# Several sentences for each verb, so that one of them can avoid the words of a description. {it} is the thing.
SENTENCES: Mapping[str, tuple[str, ...]] = {
    "read": ("What is in {it}?", "Can I see {it}?", "Open {it} and quote what it says."),
    "list": ("Which {them} are there?", "I need an overview of the {them}.", "What {them} do we have?"),
    "find": ("I am looking for {it}; where could it be?", "Can you look for {it}?", "Where would I find {it}?"),
    "create": ("I need a new {thing}.", "Set up a fresh {thing} for me.", "Could you make one more {thing}?"),
    "delete": ("Get rid of {it}, we do not need it.", "Throw {it} away.", "Please erase {it}."),
    "change": ("Something about {it} is wrong; please correct it.", "Could you adjust {it}?", "Rework {it} for me."),
    "send": ("Please pass {it} on.", "Can you get {it} out today?", "Forward {it} for me."),
    "add": ("Put {it} in as well.", "There is one more {thing} to go in.", "Could you include {it}?"),
    "move": ("{It} belongs somewhere else; bring it there.", "Relocate {it}, please."),
    "start": ("Can you get {it} going?", "Kick off {it} for me."),
    "stop": ("Put an end to {it}.", "Please halt {it}."),
    "run": ("Do {it} now and let me know how it went.", "Carry out {it} for me."),
    "compute": ("What does {it} come to?", "Work out {it} for me."),
    "compare": ("How does {it} differ?", "What is not the same about {it}?"),
    "check": ("Is everything in order with {it}?", "Take a look at {it}: any problems?"),
    "convert": ("I need {it} in another form.", "Turn {it} into something else I can use."),
    "toggle": ("Switch {it} over.", "Flip {it}, please."),
    "count": ("How many {them} do we have?", "What is the number of {them}?"),
    "": ("I need help with {it}.", "Can you take care of {it}?", "Something has to be done about {it}."),
}
"""Kind of verb → sentences; the last kind is for names without a known verb."""

VERBS: Mapping[str, str] = {
    verb: kind
    for kind, verbs in {
        "read": "get read fetch show view open retrieve describe inspect display return load download info status log",
        "list": "list enumerate browse ls all",
        "find": "search find query lookup look discover locate resolve grep",
        "create": "create new make generate build init initialize draft write compose render",
        "delete": "delete remove drop clear purge destroy erase uninstall reset",
        "change": "update edit set modify change patch rename replace configure assign put apply",
        "send": "send post publish submit share forward reply notify push upload",
        "add": "add append insert attach include register import commit",
        "move": "move copy transfer migrate switch checkout",
        "start": "start trigger launch open begin schedule enable activate deploy resume",
        "stop": "stop cancel abort close end disable pause terminate kill",
        "run": "run execute call invoke perform process simulate",
        "compute": "compute calculate sum estimate evaluate measure",
        "compare": "compare diff match",
        "check": "check validate verify test analyze analyse audit review lint ping",
        "convert": "convert transform translate parse format gzip compress extract export encode decode",
        "toggle": "toggle",
        "count": "count",
    }.items()
    for verb in verbs.split()
}
"""Verb of a name → kind of :data:`SENTENCES`."""

ELSEWHERE: tuple[str, ...] = (
    "Order me a large pizza with mushrooms.",
    "Which shoes go well with a grey suit?",
    "Sing me a lullaby.",
    "What should I plant on a shady balcony?",
    "Is this mole on my arm dangerous?",
    "Teach me three chords on the guitar.",
    "How long do I boil a soft egg?",
    "Recommend a novel for a rainy weekend.",
    "Who won the chess world championship in 1972?",
    "My dog refuses to eat; what now?",
    "Write a limerick about a lighthouse.",
    "What is a good name for a parrot?",
    "How do I fold a fitted sheet?",
    "Explain the offside rule to my grandmother.",
    "Which wine suits grilled trout?",
    "Help me get over a fear of flying.",
)
"""Requests that hardly any server serves; those that share a word with a tool are left out."""

MIN_ABSTAIN, MAX_ABSTAIN = 3, 12
"""Number of drafts that no tool answers: one for every five tools, and not fewer or more than this."""

_TOOLS_PER_ABSTAIN = 5
"""A fifth: enough to see a model that always calls something, without crowding out the tools."""

MAX_TOOLS = 500
"""Number of tools that are drafted for; nobody edits a thousand drafts."""

_MAX_NOUNS = 4
"""Words of a name that become part of a sentence; longer names are paths."""

_MIN_SHARING = 3
"""Number of tools from which a word that most of their names have is the name of the server."""

_PREPOSITIONS = frozenset(("as", "with", "by", "for", "to", "from", "of", "in", "on", "and"))


def drafts(tools: Sequence[Mapping[str, Any]], existing: Iterable[Query] = ()) -> Iterator[Query]:
    """Draft what a set lacks.

    Args:
        tools: the tools as published.
        existing: the queries that the set has; a tool with a query of a kind gets no other draft of it.
    """
    existing = tuple(existing)
    taken = {query.id for query in existing}
    has = {(query.kind, name) for query in existing for name in query.gold}
    said = {query.text for query in existing}
    found = [tool_text(tool) for tool in tools[:MAX_TOOLS]]
    index = Bm25(found)
    shared = _shared_words(found)
    for text in found:
        sentences = _sentences(text, shared)
        if (Kind.POSITIVE, text.name) not in has:
            sentence = next((one for one in sentences if one not in said), sentences[0])
            said.add(sentence)
            yield Query(_unused(taken, f"{text.name}-1"), sentence, (text.name,), draft=True)
        sibling = _nearest(text, found, index)
        if sibling is not None and (Kind.SIBLING, text.name) not in has:
            contrast = f"{sentences[-1]} {_unlike(text, sibling)}"
            note = f"easily taken for {one_line(sibling.name, 80)}; say what only {one_line(text.name, 80)} does"
            own = _unused(taken, f"{text.name}-2")
            yield Query(own, contrast, (text.name,), Kind.SIBLING, draft=True, note=note)
    wanted = min(MAX_ABSTAIN, max(MIN_ABSTAIN, len(found) // _TOOLS_PER_ABSTAIN))
    wanted -= sum(query.kind is Kind.ABSTAIN for query in existing)
    fitting = [text for text in ELSEWHERE if text not in said and not any(index.scores(text))]
    for number, sentence in enumerate(fitting[: max(0, wanted)], 1):
        yield Query(_unused(taken, f"none-{number}"), sentence, (), Kind.ABSTAIN, draft=True)


def _unused(taken: set[str], name: str) -> str:
    name = name[-90:]
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    taken.add(unique)
    return unique


def _shared_words(tools: Sequence[ToolText]) -> frozenset[str]:
    """Words that most names have (``git_status``, ``git_log``): they name the server, and nobody says them."""
    if len(tools) < _MIN_SHARING:
        return frozenset()
    counts = Counter(word for tool in tools for word in {part.lower() for part in split_identifier(tool.name)})
    return frozenset(word for word, count in counts.items() if 2 * count > len(tools) and word not in VERBS)


def _sentences(text: ToolText, shared: frozenset[str]) -> list[str]:
    """The sentences for a tool, the one with the fewest words of its description first."""
    words = [word.lower() for word in split_identifier(text.name)]
    words = [word for word in words if word not in shared and not word.isdigit()] or words
    verb = next((word for word in words if word in VERBS), "")
    end = next((place for place, word in enumerate(words) if place and word in _PREPOSITIONS), len(words))
    nouns = [word for word in words[:end] if word != verb][:_MAX_NOUNS]
    known = set(terms(text.description))
    # A name that is a verb alone (``git_add``) leaves the thing to the user.
    thing = " ".join(nouns) or "one"
    them = thing if thing.endswith("s") else f"{thing}s"
    it = f"the {thing}" if nouns else "this"
    filled = [
        sentence.format(it=it, It=it.capitalize(), them=them, thing=thing)
        for sentence in SENTENCES[VERBS.get(verb, "")]
    ]
    return sorted(filled, key=lambda sentence: len(set(terms(sentence)) & known))


def _nearest(text: ToolText, tools: Sequence[ToolText], index: Bm25) -> ToolText | None:
    """The tool that is most easily taken for another: the one that its name and first sentence find besides it."""
    scores = index.scores(f"{text.words_of_name} {text.first}")
    others = [(score, other) for score, other in zip(scores, tools, strict=True) if other.name != text.name]
    best = max(others, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] > 0 else None


def _unlike(text: ToolText, sibling: ToolText) -> str:
    """How a user excludes the sibling: by the words of its name that this one does not have."""
    own = {stem(word.lower()) for word in split_identifier(text.name)}
    words = [word.lower() for word in split_identifier(sibling.name)]
    end = next((place for place, word in enumerate(words) if place and word in _PREPOSITIONS), len(words))
    other = [word for word in words[:end] if stem(word) not in own and word not in VERBS]
    if other:
        return f"Not the {' '.join(other)}, though."
    verbs = [word for word in words if stem(word) not in own]
    return f"I do not want to {verbs[0]} anything." if verbs else "Nothing more than that."
