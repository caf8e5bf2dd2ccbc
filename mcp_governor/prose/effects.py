"""The effect of a tool according to its own words: destroys, runs its input, writes, or reads.

What the words leave open is unknown: a wrong "only reads" does harm, because a client then calls the tool without
asking.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.operations import is_place_to_save, operations, saving_parameter, switch, takes_any_method
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words, word_set, words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface, Tool

Effect = Literal["destroys", "runs", "writes", "reads", "unknown"]

DESTROYING_VERBS = word_set("""
    clear delete destroy drop erase flush kill overwrite purge remove replace revoke terminate truncate uninstall wipe
""")
"""First words of names that promise to remove something."""
UPDATING_VERBS = word_set("""
    alter edit format modify move overwrite patch put rename replace reset restore revert rollback rotate set update
    upsert write
""")
"""Verbs for a change after which what was there before is gone; the specification calls only additions harmless."""
_WRITING_VERBS = MUTATING_VERBS | word_set("""
    acknowledge alter assign attach authorize ban close copy customize disable duplicate enable fill flush fork
    format import init initialize link logout manage mark mute pause protect register reopen reply restore resume
    rotate set start stop submit transact unarchive unassign unban unblock undo unlink unlock unmute unpin unprotect
    untrash wipe
""")
_VERBS = READING_VERBS | _WRITING_VERBS
_READS_TOO = word_set("""
    access analyse analyze assess browse calculate capture collect compute crawl detect diagnose discover download
    estimate examine explore extract forecast gather geocode grep identify introspect look measure obtain peek ping
    predict preview recommend render rerank retrieve return scan scrape screenshot snapshot suggest summarize tail trace
    translate verify wait whoami whois
""")
"""Verbs for reading that have other meanings in names, too; they count only if nothing else is known."""
_WRITES_TOO = word_set("""
    accept activate allocate announce apply approve block book bootstrap borrow broadcast buy cast checkin checkout
    cherry click clone complete confirm connect deactivate decline demote deposit disarm disconnect dismiss dispatch
    donate drag eject enroll escalate follow grant highlight hover increment ingest interact invite launch lend like
    lock login migrate navigate notify order pay pin place play populate press promote provision pull purchase
    quarantine react rebase reboot reconnect redeem refund reject remind repair repost rerun reschedule reserve resize
    retry revert rollback rsvp scale schedule scroll select share shutdown skip snooze subscribe suspend switch sync tap
    toggle transfer trigger turn tweet type unblock unfollow unlike unmount unstake unstar unsubscribe untag unwatch
    upgrade vote watch withdraw
""")
"""Verbs for writing that have other meanings in names, too."""
_VERBS_THAT_READ = READING_VERBS | _READS_TOO
_OPENING = _VERBS | _READS_TOO | _WRITES_TOO
"""All verbs with which a description may open."""
_NOUNS = word_set("archive comment commit copy deploy format link merge patch post")
"""Verbs for writing that are nouns after another word: "expand_link", "deploy" in "site_deploy_reader"."""
_AHEAD = word_set("plan prepare preview propose simulate")
"""Verbs for what is done before a change, and does not make it: "triage_plan_delete"."""
_ABOUT = word_set("count counts details history info list log logs stats status summary")
"""Last words of names that are about something, and do nothing to it: "deposit_history"."""
_RENEWS = word_set("refresh reindex sync")
"""Verbs of names for what reads from elsewhere and keeps it here."""
_SETTLED = word_set("alert comment conflict conversation discussion incident issue thread ticket todo")
"""Things that are closed by being resolved; anything else that is resolved is looked up."""
_TAKEN_OFF = word_set("bookmark favorite favourite label labels like reaction reactions star tag tags")
"""What loses nothing by being taken off, because it can be put on again as it was."""
_RUN_VERBS = word_set("eval evaluate exec execute run")
_CODE = word_set("apex cmd code command expression javascript js script sql")
_STATEMENT_NAMES = word_set("cypher query sql statement")
"""Names of parameters for statements, of which a tool without a description may run any."""
_STEERS = word_set("actions automation commands javascript js script")
"""Last words of parameters that say what a tool that reads does first: ``browserCommands``."""

_MAX_TEXT = 20_000
"""Maximum number of characters read from a description; what a tool does comes first."""
_MAX_STATED = 1500
"""Number of characters in which a description says what happens besides."""
_MAX_OPENING = 300
"""Number of characters in which a description says what a tool runs."""
_DENIES = r"\b(?:not|never|without|no|avoids?|prevents?|refuses? to|instead of)\b|n't\b"
_DENIAL = lazy_pattern(_DENIES, re.IGNORECASE)
_DOUBT = lazy_pattern(rf"{_DENIES}|\b(?:unless|if|whether)\b", re.IGNORECASE)
_REACH = 40
"""Number of characters in front of a phrase in which a negation counts: the words of one clause."""
_LOSSES = Guarded(
    r"\b(?:(?:cannot|can ?not|can't) be (?:undone|reversed|recovered)|irreversibl[ey]|"
    r"permanently (?:delet|remov|eras|destroy|los)\w*|overwrit(?:es|e|ing)\b"
    r"|replac(?:e|es|ing) (?:all|every|existing|the (?:entire|whole|existing|current|(?:full )?contents of))\b"
    r"|replac(?:e|es|ing) [\w ]{1,40}\((?:full|complete) (?:update|replacement)\))",
    *(" undone ", " reversed ", " recovered ", " irreversibl", " permanently ", " overwrit", " replac"),
)
_TAKEN = Guarded(
    r"\b(?:is|are|be|gets?)\s(?:then\s|also\s|automatically\s)?"
    r"(?:(?:deleted|erased|purged|removed|wiped|destroyed)\s(?:for\sgood|forever|permanently|after|once|afterwards)"
    r"|permanently\s(?:deleted|erased|purged|removed|wiped|destroyed))\b",
    *(" deleted ", " erased ", " purged ", " removed ", " wiped ", " destroyed "),
)
"""What is gone after a call, in the passive voice: "Entries past the given age are removed for good"."""
_STATEMENTS = Guarded(
    r"\b(?i:execut|run|perform)[a-z]{0,4}\s(?:(?:an?|any|the|raw|sql)\s|[A-Z]{4,8}(?:,|/|\s)\s{0,2}(?:(?:or|and)\s)?){0,8}"
    r"(?:DELETE|DROP|TRUNCATE|DDL|DML)\b",
    *(" delete ", " drop ", " truncate ", " ddl ", " dml "),
    also=(" execut", " run", " perform"),
    ignore_case=False,
)
"""A tool for statements that delete: "Execute an INSERT, UPDATE, or DELETE query"."""
_RUNS = Guarded(
    # "Ready-to-run code" is a result.
    r"(?<!ready-to-)\b(?:execut|run|evaluat)[a-z]{0,5}\s(?:\w+\s){0,3}"
    r"(?:sql|quer(?:y|ies)|code|scripts?|commands?|javascript|python|shell)\b",
    *(" execut", " run", " evaluat"),
    also=(" sql ", " quer", " code ", " script", " command", " javascript ", " python ", " shell "),
)
_HARMLESS = Guarded(
    r"\bread[- ]?only\b|\bonly select\b|\bselect[- ](?:only|statements?|quer(?:y|ies))\b|\bsandbox"
    r"|\bwithout (?:side effects|changing)"
    # Languages in which nothing can be changed.
    r"|\b(?:insta|log|prom|so|trace)ql\b|\b(?:jql|sosl)\b",
    *(" read only ", " readonly ", " select ", " sandbox", " without side effects ", " without changing "),
    *("ql ", " sosl "),
)
_UNLOCKED = Guarded(
    r"\b(?:allow|enable|permit)s?\b[^.\n]{0,40}\b(?:ddl|dml|delete|destructive|drop|insert|write)",
    *(" allow", " enable", " permit"),
)
"""A setting takes the protection away, so that the same tool runs anything."""
READ_ONLY = Guarded(r"\bread[- ]?only\b", " read only ", " readonly ")
"""The statement of a description that its tool changes nothing."""
_DOES = tuple(
    word_set("""
        appends creates deletes deploys drops inserts installs modifies overwrites removes renames replaces resets saves
        stores updates uploads writes
    """)
)
_CHANGES = (
    # A sentence or an item of a list that begins with what the tool does: "- Creates tables and inserts data". Only
    # with "s": without it, the sentence is advice for the caller.
    Guarded(
        r"(?:(?:\A|\n|[.!:;]\s)[ \t]{0,40}(?:[-*•]\s{0,4}|\d{1,2}[.)]\s{0,4})?"
        r"|\b(?:it|this\s(?:tool|function))\s(?:(?:will|also|then|automatically)\s){0,3})"
        rf"(?:{'|'.join(_DOES)}|cleans\sup|sets\sup)\s"
        # What a tool saves its caller, and what is about the result.
        r"(?!(?:you|tokens?|time|context|money|requests?|calls?|as|with)\b)",
        *(f" {verb} " for verb in (*_DOES, "cleans up", "sets up")),
    ),
    Guarded(r"\bauto(?:matically\s|-|\s)(?:mark|save|create|delete|update|store|start|install|pull)s?\s", " auto"),
    Guarded(
        r"\b(?:it|this\s(?:tool|function))\s(?:also\s|automatically\s)?will\s(?:also\s|automatically\s)?"
        r"(?:create|delete|remove|update|overwrite|save|store|modify|replace|rename|drop|insert|upload|install|write)\b",
        *(" it ", " this tool ", " this function "),
        also=(" will ",),
    ),
    Guarded(
        r"\b(?:generates|saves|writes|stores|downloads|exports)\s(?:[\w'/()-]+,?\s){0,6}?"
        r"(?:files?|disk|folders?|director(?:y|ies))\b",
        *(" generates ", " saves ", " writes ", " stores ", " downloads ", " exports "),
        also=(" file", " disk ", " folder", " director"),
    ),
    Guarded(
        r"\b(?:will\sbe|are|is|automatically)\s(?:saved|written|downloaded|appended|exported)\b",
        *(" saved ", " written ", " downloaded ", " appended ", " exported "),
    ),
    Guarded(
        r"\b(?:commands?|operations?|functions?)\s(?:to|for)\s(?:manag|creat|updat|delet|configur)\w{1,4}\b",
        *(f" {to} {verb}" for to in ("to", "for") for verb in ("manag", "creat", "updat", "delet", "configur")),
        also=(" command", " operation", " function"),
    ),
    # What a reading verb opens and a second one ends: "Fetch prices and write to the ledger".
    Guarded(
        r"\A[^.\n]{0,200}?\b(?:and|then)\s(?:writ|stor|sav|append|upload|insert|delet|updat|persist)(?:e|es|s|ing)?\s"
        r"(?!and\b|or\b|tokens?\b|time\b|context\b|money\b|you\b)\w",
        *(
            f" {joint} {verb}"
            for joint in ("and", "then")
            for verb in ("writ", "stor", "sav", "append", "upload", "insert", "delet", "updat", "persist")
        ),
    ),
    Guarded(
        r"\bwrite\soperations?\b|\bmodif(?:y|ies)\s(?:the\s|your\s|data|state)"
        r"|\b(?:tak|creat|mak)\w{1,3}\s(?:an?\s)(?:new\s)?snapshot\sof\b",
        *(" write operation", " modify ", " modifies ", " snapshot of "),
    ),
)
_SEVERAL_VERBS = lazy_pattern(r"\W{0,8}([A-Za-z]{2,20}(?:(?:,\s|,?\s(?:or|and)\s|/)[A-Za-z]{2,20}){1,6})\b")
_CHANGES_TOO = word_set("""
    alias assign bill bump cache calibrate charge clean consume decrement dequeue fix invalidate issue keep label
    lease leave make mutate pop redirect regenerate request ring spawn substitute swap tag tick unset
""")
"""Verbs that alone do not show if something is changed ("Makes a list of …")."""
_LEFT_OPEN = (
    # "… and marks it as seen"
    Guarded(
        r"\b(?:and|or|then|but)\s(?:(?:then|also|automatically|immediately|optionally)\s)?(?P<verb>[a-z]{2,20})\s"
        r"(?:it|them|its|the|a|an|this|that|these|those|all|each|any|one|comments)\b",
        *(" and ", " or ", " then ", " but "),
    ),
    # "…, tagging it with its owner"
    Guarded(r"[,;]\s(?:and\s|then\s|optionally\s|automatically\s)?(?P<doing>[a-z]{2,20})ing\s", "ing "),
    # "Reading clears the flag."
    Guarded(
        r"\b(?:calling|fetching|getting|opening|reading|viewing)\s(?:(?:it|this|them)\s)?(?P<does>[a-z]{2,20})s\s",
        *(" calling ", " fetching ", " getting ", " opening ", " reading ", " viewing "),
    ),
    # "Messages are marked as read.": a sentence about what happens, not about which ones are meant.
    Guarded(
        r"(?:\A|[.;]\s)(?!(?:only|use|returns?)\b)(?:(?!(?:if|that|when|where|whether|which|who)\b)[a-z'-]{1,20}\s){1,6}?"
        r"(?:is|are|gets?)\s(?:then\s|also\s|automatically\s)?(?:(?P<kept>kept|spent|lost)\b"
        r"|(?P<done>[a-z]{2,20})ed\b(?!\s(?:as an?|by|from|in|via|with|using|between)\b))",
        *(" is ", " are ", " get ", " gets "),
        also=("ed ", " kept ", " spent ", " lost "),
    ),
    Guarded(
        r"\b(?P<gone>no\slonger\s(?:exists?|available|valid|works?)|stops\sworking|off\s(?:a|the)\s(?:queue|stack))\b",
        *(" no longer ", " stops working ", " queue ", " stack "),
    ),
)
"""What happens besides a read, by words of any verb."""
_KEPT_AS_IT_IS = word_set("highlight scale schedule select share skip")
"""What is done to results: "Empty rows are skipped"."""
_MANNERS = word_set("in off out")
"""What makes another verb of one: "check in", "checks off"."""
_ON_A_SCREEN = word_set("alert dialog modal notification popup prompt toast window")
"""What is shown to a user, and not returned."""
_WHAT_IT_IS = Guarded(
    r"\W{0,8}(?:[A-Za-z]{1,20}\s\|\s(?!\W)|(?:this\s)?(?:(?:a|the)\s)?(?:tool|function)\s(?:(?:that|which|to|for|will)\s)?)",
    *(" tool ", " function ", "|"),
    head=40,
)
_FIRST_WORD = lazy_pattern(r"\W{0,8}(?:[A-Za-z]{2,20}ly\s)?([A-Za-z]{2,20})")
_SEVERAL = lazy_pattern(r"\s(?:between|by|from|of|per|with)\b|\s?[.,:;(]|\s?$", re.IGNORECASE)


def product_prefix(surface: Surface) -> str | None:
    """The first word that most of the names share: the name of the product; ``None`` if it is a verb."""
    named = [parts[0] for tool in surface.tools if len(parts := name_words(tool.name)) > 1]
    if len(named) < 3:
        return None
    word, count = Counter(named).most_common(1)[0]
    return word if count * 2 > len(surface.tools) and word not in _VERBS else None


def _named(tool: Tool, prefix: str | None) -> tuple[str, ...]:
    parts = name_words(tool.name)
    return parts[1:] if prefix is not None and parts[:1] == (prefix,) else parts


def verb_of(tool: Tool, prefix: str | None = None) -> str | None:
    """The verb of a tool's name: after the product's name, else the first of three words, else the last.

    For ``create_or_update`` and ``search_and_replace`` it is the second verb, which has the more serious effect.
    """
    parts = _named(tool, prefix)
    if "drag" in parts:
        parts = tuple(part for part in parts if part != "drop")  # "drag_and_drop" loses nothing.
    for joint in ("or", "and"):
        if joint in parts[1:-1] and (second := parts[parts.index(joint) + 1]) in _WRITING_VERBS:
            return second
    for at in (*range(len(parts[:3])), len(parts) - 1):
        word = parts[at] if parts else ""
        if word in _VERBS and (at == 0 or word not in _NOUNS or opening_verb(tool.description) == word):
            ahead = parts[at - 1] if at else ""
            destroys = opening_verb(tool.description) in DESTROYING_VERBS
            return ahead if ahead in _AHEAD and not destroys else word
    return None


def opening_verb(text: str) -> str | None:
    """The verb at the start of a description: ``delete`` for "Deletes the file"."""
    lead = _WHAT_IT_IS.match(text)
    first = _FIRST_WORD.match(text, lead.end() if lead is not None else 0)
    if first is None:
        return None
    word = first[1].lower()
    verb = next((form for form in (word, word.removesuffix("s"), word.removesuffix("es")) if form in _OPENING), None)
    # "Orders of today" are several things.
    several = verb in _WRITES_TOO and word != verb and _SEVERAL.match(text, first.end()) is not None
    return None if several else verb


def own_statement(pattern: re.Pattern[str] | Guarded, text: str, denial: re.Pattern[str] = _DENIAL) -> str | None:
    """The first words that match and are about this tool: not what it denies, nor what another tool is for."""
    for match in pattern.finditer(text, 0, _MAX_TEXT):
        before = _SENTENCE_END.split(text[max(0, match.start() - _SENTENCE) : match.start()])[-1]
        # "To save it to a file, use save_table instead."
        behind = _SENTENCE_END.split(text[match.end() : match.end() + _SENTENCE], 1)[0]
        leads_away = _PURPOSE.match(before) is not None and _OTHER_TOOL.search(behind) is not None
        denied = denial.search(_CLAUSE_END.split(before)[-1][-_REACH:]) is not None
        if not (denied or leads_away or _OTHER_TOOL.search(before)):
            return match[0]
    return None


_SENTENCE = 300
"""Maximum number of characters read of a sentence before the words in question."""
_PURPOSE = lazy_pattern(r"\W{0,8}(?:to|for|if|when)\s", re.IGNORECASE)
_CLAUSE_END = lazy_pattern(r";\s|,?\s(?:and\s)?then\s|,\sbut\s")
"""What was refused in the clause before does not deny what follows: "refuses to prompt; all is permanently deleted"."""
_SENTENCE_END = lazy_pattern(r"[.!?]\s|\n(?![^\S\n]{0,80}[a-z])")
"""A line that goes on in small letters belongs to the sentence before it."""
_OTHER_TOOL = lazy_pattern(
    r"\b(?:[Uu]se|[Uu]sing|[Cc]all|[Rr]un|[Tt]ry|[Pp]refer|with|via)\s(?:the\s)?[`'\"]?[A-Za-z]{2,30}(?:[_-][A-Za-z]|[a-z][A-Z])",
    re.NOFLAG,
)
"""Advice to take another tool for what follows: "use start_process to replace all of them"."""


def stated_loss(text: str) -> str | None:
    """The words that say that this tool loses something ("cannot be undone"); not what it denies, nor what another
    tool would do."""
    return own_statement(_LOSSES, text, _DOUBT)


def takes_off(tool: Tool, verb: str | None) -> bool:
    """True if a tool removes what can be put on again as it was: a label, a reaction."""
    taken = verb == "remove" and not _TAKEN_OFF.isdisjoint(name_words(tool.name)[-1:])
    return taken and stated_loss(tool.description[:_MAX_TEXT]) is None


def _renews(parts: tuple[str, ...]) -> bool:
    """True for "refresh_cache" and "cache_sync", but not for "get_sync_status"."""
    return not _RENEWS.isdisjoint(parts[:1] if READING_VERBS & set(parts[:1]) else parts[:2])


def says_change(text: str) -> bool:
    """True if a description says that its tool changes something: "It also deletes …", "List, create or close …"."""
    if READ_ONLY.search(text):
        return False
    if any(form.search(text) for form in _CHANGES):
        return True
    several = _SEVERAL_VERBS.match(text)
    verbs = re.findall(r"[a-z]{2,}", several[1].lower())[1:] if several is not None else []
    changing = (_WRITING_VERBS | _WRITES_TOO | _RUN_VERBS) - _NOUNS
    return any(form in changing for verb in verbs for form in (verb, verb.removesuffix("s")))


def _leaves_open(text: str, parts: tuple[str, ...]) -> bool:
    """True if words next to the verb for reading may be about a change: "read_barcode_and_order", "Gets the next job,
    removing it from the queue"."""
    if any(joint in ("and", "or", "then") and second in _CHANGING for joint, second in pairwise(parts)):
        return True
    if parts[:1] == ("show",) and not _ON_A_SCREEN.isdisjoint(parts):
        return True
    begins = words(text[:_MAX_OPENING])[:2]
    if any({"check", "checks"} & set(one[:1]) and _MANNERS & set(one[1:2]) for one in (parts, begins)):
        return True
    first = _bases(begins[0]) if begins else frozenset()
    if first & (_CHANGING - _NOUNS - _RUN_VERBS) and not first & _VERBS_THAT_READ:
        return True
    for match in (match for form in _LEFT_OPEN for match in form.finditer(text, 0, _MAX_STATED)):
        kind = match.lastgroup or ""
        known = _CHANGING - _KEPT_AS_IT_IS if kind == "done" else _CHANGING
        if kind in ("kept", "gone") or _bases(match[kind].lower()) & known:
            return True
    return False


_CHANGING = (_WRITING_VERBS | _WRITES_TOO | _CHANGES_TOO | _RUN_VERBS | DESTROYING_VERBS) - _READS_TOO


def _bases(form: str) -> frozenset[str]:
    """The verbs of which a word may be a form; that of a participle comes without its ending ("tagg", "mov")."""
    single = form[:-1] if form[-2:-1] == form[-1:] else form
    plain = (form.removesuffix(ending) for ending in ("s", "es"))
    return frozenset((form, single, f"{form}e", *plain, *(f"{form.removesuffix(end)}y" for end in ("i", "ies"))))


def effect_of(tool: Tool, prefix: str | None = None) -> Effect:
    """The effect of a tool, by its name, its description and what its parameters can make it do."""
    picked = operations(tool)
    if any(one.loses for one in picked):
        return "destroys"
    if picked and all(one.reads for one in picked):
        return "reads"
    said = _effect_said(tool, prefix)
    if said not in ("reads", "unknown"):
        return said
    # What gets an input stream is a command that runs.
    if takes_any_method(tool) or "stdin" in call_properties(tool):
        return "runs"
    switched = switch(tool)
    if switched is not None:
        return switched.effect
    if any(one.changes for one in picked) or saving_parameter(tool) is not None:
        return "writes"
    steers = _STEERS.difference(name_words(tool.name))
    steered = any(not steers.isdisjoint(name_words(name)[-1:]) for name in call_properties(tool))
    return "unknown" if steered else said


def _effect_said(tool: Tool, prefix: str | None) -> Effect:
    text = tool.description[:_MAX_TEXT]
    verb = verb_of(tool, prefix)
    if _runs_input(tool, verb, text):
        return "runs"
    parts = _named(tool, prefix)
    inner = parts[0] if parts and parts[0] in _READS_TOO | _WRITES_TOO and _ABOUT.isdisjoint(parts[-1:]) else None
    opens = opening_verb(text)
    # "type", which "Returns the type of a value".
    inner = opens if inner in _WRITES_TOO and opens in READING_VERBS | {"return", "retrieve"} else inner
    verb = verb or inner or opens
    if verb in MUTATING_VERBS and (_STATED_READ.search(text[:_MAX_OPENING]) or _is_sum(tool, verb)):
        return "reads"
    if _STATEMENTS.search(text[:_MAX_OPENING]):
        return "destroys"
    if takes_off(tool, verb):
        return "writes"
    reads = verb in READING_VERBS | _READS_TOO
    if own_statement(_TAKEN, text, _DOUBT):
        return "unknown" if reads else "destroys"
    if verb in DESTROYING_VERBS or (verb not in READING_VERBS and stated_loss(text)):
        return "destroys"
    if not reads:
        return "writes" if verb is not None else "unknown"
    about = (*parts, *words(text[:_MAX_OPENING])[:5])
    closes = verb == "resolve" and not _SETTLED.isdisjoint(part.removesuffix("s") for part in about)
    if closes or (opens in _WRITING_VERBS and opens not in _NOUNS):
        return "writes"  # "search_feedback" sends feedback.
    if opens in _WRITES_TOO or _renews(parts) or says_change(text):
        return "unknown"
    if not READ_ONLY.search(text) and _leaves_open(text, parts):
        return "unknown"
    return "unknown" if any(is_place_to_save(name, verb) for name in call_properties(tool)) else "reads"


_STATED_READ = lazy_pattern(
    r"(?:\A|[.!:;(\n])\s{0,4}(?:(?:it|this\s(?:tool|call|operation))\sis\s)?read[- ]only"
    r"(?:[.,;:!)]|\s(?:and|but|tool)\b)",
    re.IGNORECASE,
)
"""A sentence of its own says that nothing changes: a word of the name is a noun, as in "write_capabilities"."""


def _is_sum(tool: Tool, verb: str | None) -> bool:
    """True if a tool adds numbers up: "add" with two numbers and nothing else, which many examples of servers have."""
    given = call_properties(tool).values() if verb == "add" else ()
    return len(given) > 1 and all((types_of(one) or {""}) <= {"integer", "number"} for one in given)


def _runs_input(tool: Tool, verb: str | None, text: str) -> bool:
    """True if a tool runs what it is given: by its words, or by its name and a parameter for code."""
    given = call_properties(tool)
    if verb == "query" and not text:
        return not _STATEMENT_NAMES.isdisjoint(given)
    said = verb in (None, "query") and _RUNS.search(text[:_MAX_OPENING])
    named = not _RUN_VERBS.isdisjoint(name_words(tool.name)[:1]) or _RUNS.match(text.lstrip(" *#`"))
    code = named and any(not _CODE.isdisjoint(name_words(name)[-1:]) for name in given)
    harmless = _HARMLESS.search(text) is not None and _UNLOCKED.search(text) is None
    return bool(said or code) and not harmless
