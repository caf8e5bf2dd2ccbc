"""The effect of a tool according to its own words: destroys, writes, reads, or runs its input."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.guarded import Cues, lowered
from mcp_governor.prose.operations import operations, takes_any_method
from mcp_governor.prose.side_effects import saving_parameter, side_effect, switch
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface, Tool

Effect = Literal["destroys", "runs", "writes", "reads", "unknown"]

DESTROYING_VERBS = frozenset(
    [
        *("clear", "delete", "destroy", "drop", "erase", "kill", "overwrite", "purge", "remove", "replace"),
        *("flush", "revoke", "terminate", "truncate", "uninstall", "wipe"),
    ]
)
"""First words of names that promise to remove something."""

_WRITING_VERBS = MUTATING_VERBS | {
    *(
        "alter",
        "assign",
        "attach",
        "close",
        "copy",
        "customize",
        "disable",
        "duplicate",
        "enable",
        "fill",
        "fork",
        "format",
    ),
    *("import", "init", "initialize", "link", "manage", "pause", "protect", "register", "reply", "resume", "set"),
    *("acknowledge", "authorize", "ban", "flush", "logout", "mark", "mute", "reopen", "restore", "rotate", "start"),
    *("stop", "submit", "unarchive", "unassign", "unban", "unblock", "undo", "unlink", "unlock", "unmute", "unpin"),
    *("transact", "unprotect", "untrash", "wipe"),
}
_VERBS = READING_VERBS | _WRITING_VERBS
_READS_TOO = frozenset(
    [
        *("access", "analyse", "analyze", "assess", "browse", "calculate", "capture", "collect"),
        *("compute", "crawl", "detect", "diagnose", "discover", "download", "estimate", "examine"),
        *("explore", "extract", "forecast", "gather", "geocode", "grep", "identify", "introspect", "look", "measure"),
        *("obtain", "peek", "ping", "predict", "preview", "recommend", "render", "rerank", "retrieve"),
        *("return", "scan", "scrape", "screenshot", "snapshot", "suggest", "summarize", "tail", "trace"),
        *("translate", "verify", "wait", "whoami", "whois"),
    ]
)
"""Verbs for reading that have other meanings in names, too; they count only if nothing else is known."""
_WRITES_TOO = frozenset(
    [
        *("accept", "activate", "allocate", "announce", "apply", "approve", "block", "book"),
        *("bootstrap", "borrow", "broadcast", "buy", "cast", "checkin", "checkout", "cherry"),
        *("click", "clone", "complete", "confirm", "connect", "deactivate", "decline", "demote"),
        *("deposit", "disarm", "disconnect", "dismiss", "dispatch", "donate", "drag", "eject", "enroll", "escalate"),
        *("follow", "grant", "highlight", "hover", "increment", "ingest", "interact", "invite", "launch", "lend"),
        *("like", "lock", "login", "migrate", "navigate", "notify", "pay", "pin"),
        *("play", "populate", "press", "promote", "provision", "pull", "purchase", "quarantine", "react", "rebase"),
        *("reboot", "reconnect", "redeem", "refund", "reject", "remind", "repair", "repost", "rerun"),
        *("reschedule", "reserve", "resize", "retry", "revert", "rollback", "rsvp", "scale", "schedule", "scroll"),
        *("select", "share", "shutdown", "skip", "snooze", "subscribe", "suspend"),
        *("switch", "sync", "tap", "toggle", "transfer", "trigger", "turn", "tweet", "type", "unblock"),
        *("unfollow", "unlike", "unmount", "unstake", "unstar", "unsubscribe", "untag", "unwatch", "upgrade", "vote"),
        *("watch", "withdraw"),
    ]
)
"""Verbs for writing that have other meanings in names, too."""
_ALSO_THINGS = frozenset(
    [
        *("arm", "bid", "boot", "bridge", "charge", "mint", "mount", "order", "place", "release", "seed", "ship"),
        *("stake", "swap", "transition"),
    ]
)
"""Verbs for writing that are things in as many names, as in "order_history": a name with one says nothing."""
_OPENING = _VERBS | _READS_TOO | _WRITES_TOO | _ALSO_THINGS
"""All verbs with which a description may open."""
_LOSSES = lazy_pattern(
    r"\b(?:(?:cannot|can ?not|can't) be (?:undone|reversed|recovered)|irreversibl[ey]|"
    r"permanently (?:delet|remov|eras|destroy|los)\w*|overwrit(?:es|e|ing)\b"
    r"|replac(?:e|es|ing) (?:all|every|existing|the (?:entire|whole|existing|current|(?:full )?contents of))\b"
    r"|replac(?:e|es|ing) [\w ]{1,40}\((?:full|complete) (?:update|replacement)\))",
    re.IGNORECASE,
)
_LOSS_CUES = Cues(" be ", "irreversibl", "permanently ", "overwrit", "replac")
_DENIES = r"\b(?:not|never|without|no|avoids?|prevents?|refuses? to|instead of)\b|n't\b"
_DENIAL = lazy_pattern(_DENIES, re.IGNORECASE)
_DOUBT = lazy_pattern(rf"{_DENIES}|\b(?:unless|if|whether)\b", re.IGNORECASE)
_REACH = 40
"""Number of characters in front of a phrase in which a negation counts: the words of one clause."""
_RUNS = lazy_pattern(
    # "Ready-to-run code" is a result.
    r"(?<!ready-to-)\b(?:execut|run|evaluat)[a-z]{0,5}\s(?:\w+\s){0,3}"
    r"(?:sql|quer(?:y|ies)|code|scripts?|commands?|javascript|python|shell)\b",
    re.IGNORECASE,
)
_RUNS_IT = lazy_pattern(
    r"\W{0,8}(?:(?:execut|run|evaluat|start)e?s?)\s(?:\w+\s){0,3}(?:code|scripts?|commands?|javascript|python|shell)\b",
    re.IGNORECASE,
)
"""A description that opens so says more than the name: "nodejs_inspect", "run_background"."""
_RUNS_KEPT = lazy_pattern(
    r"\b(?:execut|run)[a-z]{0,5}\s(?:(?:an?|the|your)\s)?(?:saved|stored|named|predefined)\s(?:query|script|command)\b",
    re.IGNORECASE,
)
"""What was written before and is named now may do anything."""
_HARMLESS = lazy_pattern(
    r"\bread[- ]?only\b|\bonly select\b|\bselect[- ](?:only|statements?|quer(?:y|ies))\b|\bsandbox"
    r"|\bwithout (?:side effects|changing)"
    # Languages in which nothing can be changed.
    r"|\b(?:insta|log|prom|so|trace)ql\b|\b(?:jql|sosl)\b",
    re.IGNORECASE,
)
_UNLOCKED = lazy_pattern(
    r"\b(?:allow|enable|permit)s?\b[^.\n]{0,40}\b(?:ddl|dml|delete|destructive|drop|insert|write)", re.IGNORECASE
)
"""A setting takes the protection away, so that the same tool runs anything."""
_SAYS_WRITE = lazy_pattern(r"\bwrite operations?\b|\bmodif(?:y|ies) (?:the |your |data|state)", re.IGNORECASE)
_WHAT_IT_IS = lazy_pattern(
    r"\W{0,8}(?:[A-Za-z]{1,20}\s\|\s(?!\W)|(?:this\s)?(?:(?:a|the)\s)?(?:tool|function)\s(?:(?:that|which|to|for|will)\s)?)",
    re.IGNORECASE,
)
_FIRST_WORD = lazy_pattern(r"\W{0,8}([A-Za-z]{2,20})")
_SEVERAL = lazy_pattern(r"\s(?:between|by|from|of|per|with)\b|\s?[.,:;(]|\s?$", re.IGNORECASE)
_SETTLED = frozenset(
    ["alert", "comment", "conflict", "conversation", "discussion", "incident", "issue", "thread", "ticket", "todo"]
)
"""Things that are closed by being resolved; anything else that is resolved is looked up."""
_SETTING = lazy_pattern(
    r"\b(?:clear|reset|unset)s?\s(?:(?:the|your|current|active|default)\s){0,3}session(?:'s)?\s(?:\w+\s){0,3}?"
    r"(?:settings?|director(?:y|ies)|defaults?|context|variables?|preferences?)\b",
    re.IGNORECASE,
)
"""What is cleared is a setting of the session, which the next call can set again."""
_MAX_OPENING = 200
"""Number of characters in which a description says what the tool clears."""
_MAX_TEXT = 20_000
"""Maximum number of characters read from a description; what a tool does comes first."""


def product_prefix(surface: Surface) -> str | None:
    """The first word that most of the names share: the name of the product; ``None`` if it is a verb."""
    named = [parts[0] for tool in surface.tools if len(parts := name_words(tool.name)) > 1]
    if len(named) < 3:
        return None
    word, count = Counter(named).most_common(1)[0]
    return word if count * 2 > len(surface.tools) and word not in _VERBS else None


def verb_of(tool: Tool, prefix: str | None = None) -> str | None:
    """The verb of a tool's name: after the product's name, else the first of three words, else the last.

    For ``create_or_update`` and ``search_and_replace`` it is the second verb, which has the more serious effect.
    """
    parts = name_words(tool.name)
    parts = parts[1:] if prefix is not None and parts[:1] == (prefix,) else parts
    if "drag" in parts:
        parts = tuple(part for part in parts if part != "drop")  # "drag_and_drop" loses nothing.
    for joint in ("or", "and"):
        if joint in parts[1:-1] and (second := parts[parts.index(joint) + 1]) in _WRITING_VERBS:
            return second
    # "post-search" is the method of a request and what it does.
    if parts[:1] == ("post",) and parts[1:2] and parts[1] in READING_VERBS:
        return parts[1]
    # "format_validate" validates formats.
    second = parts[1] if len(parts) > 1 and parts[0] in _NOUNS else ""
    if second in READING_VERBS and opening_verb(tool.description) == second:
        return second
    for at in (*range(len(parts[:3])), len(parts) - 1):
        word = parts[at] if parts else ""
        if word in _VERBS and (at == 0 or word not in _NOUNS or opening_verb(tool.description) == word):
            # "triage_plan_delete" deletes nothing yet.
            ahead = parts[at - 1] if at else ""
            return ahead if ahead in _AHEAD and not _opens_with_loss(tool.description) else word
    return None


def _opens_with_loss(text: str) -> bool:
    """True for "Permanently delete a meal plan", where the plan is what is deleted."""
    verb = opening_verb(_ADVERBS.sub("", text[:_MAX_OPENING]))
    return verb in DESTROYING_VERBS


_ADVERBS = lazy_pattern(r"^\W{0,8}(?:[A-Za-z]{2,20}ly\s){1,2}")


_AHEAD = frozenset({"plan", "prepare", "preview", "propose", "simulate"})
"""Verbs for what is done before a change, and does not make it."""


_NOUNS = frozenset({"archive", "comment", "commit", "copy", "deploy", "format", "link", "merge", "patch", "post"})
"""Verbs for writing that are nouns after another word: "expand_link", "deploy" in "site_deploy_reader"."""


def opening_verb(text: str) -> str | None:
    """The verb at the start of a description: ``delete`` for "Deletes the file"."""
    lead = _WHAT_IT_IS.match(text)
    first = _FIRST_WORD.match(text, lead.end() if lead is not None else 0)
    if first is None:
        return None
    word = first[1].lower()
    verb = next((form for form in (word, word.removesuffix("s"), word.removesuffix("es")) if form in _OPENING), None)
    # "Orders of today" are several things.
    several = verb in _WRITES_TOO | _ALSO_THINGS and word != verb and _SEVERAL.match(text, first.end()) is not None
    return None if several else verb


def stated_loss(text: str) -> str | None:
    """The words that say that this tool loses something ("cannot be undone"); not what it denies, nor what another
    tool would do."""
    if not _LOSS_CUES.are_in(lowered(text)):
        return None
    return own_statement(_LOSSES, text, _DOUBT)


def own_statement(pattern: re.Pattern[str], text: str, denial: re.Pattern[str] = _DENIAL) -> str | None:
    """The first words that match and are about this tool: not what it denies, nor what another tool is for."""
    for match in pattern.finditer(text, 0, _MAX_TEXT):
        before = _SENTENCE_END.split(text[max(0, match.start() - _SENTENCE) : match.start()])[-1]
        # "To save it to a file, use save_table instead."
        behind = _SENTENCE_END.split(text[match.end() : match.end() + _SENTENCE], 1)[0]
        leads_away = _PURPOSE.match(before) is not None and _OTHER_TOOL.search(behind) is not None
        if (
            not denial.search(_CLAUSE_END.split(before)[-1][-_REACH:])
            and not _OTHER_TOOL.search(before)
            and not leads_away
        ):
            return match[0]
    return None


_PURPOSE = lazy_pattern(r"\W{0,8}(?:to|for|if|when)\s", re.IGNORECASE)


_CLAUSE_END = lazy_pattern(r";\s|,?\s(?:and\s)?then\s|,\sbut\s")
"""What was refused in the clause before does not deny what follows: "refuses to prompt; all is permanently deleted"."""
_SENTENCE = 300
"""Maximum number of characters read of a sentence before the words in question."""
_SENTENCE_END = lazy_pattern(r"[.!?]\s|\n(?![^\S\n]{0,80}[a-z])")
"""A line that goes on in small letters belongs to the sentence before it."""
_OTHER_TOOL = lazy_pattern(
    r"\b(?:[Uu]se|[Uu]sing|[Cc]all|[Rr]un|[Tt]ry|[Pp]refer|with|via)\s(?:the\s)?[`'\"]?[A-Za-z]{2,30}(?:[_-][A-Za-z]|[a-z][A-Z])",
    re.NOFLAG,
)
"""Advice to take another tool for what follows: "use start_process to replace all of them"."""


def _is_harmless(text: str) -> bool:
    return _HARMLESS.search(text) is not None and _UNLOCKED.search(text) is None


UPDATING_VERBS = frozenset(
    [
        *("alter", "edit", "format", "modify", "move", "overwrite", "patch", "put", "rename", "replace", "reset"),
        *("restore", "revert", "rollback", "rotate", "set", "update", "upsert", "write"),
    ]
)
"""Verbs for a change after which what was there before is gone; the specification calls only additions harmless."""
_TAKEN_OFF = frozenset(
    ["bookmark", "favorite", "favourite", "label", "labels", "like", "reaction", "reactions", "star", "tag", "tags"]
)
"""What loses nothing by being taken off, because it can be put on again as it was."""


def takes_off(tool: Tool, verb: str | None) -> bool:
    """True if a tool removes what can be put on again as it was: a label, a reaction."""
    taken = verb == "remove" and not _TAKEN_OFF.isdisjoint(name_words(tool.name)[-1:])
    return taken and _FOR_GOOD.search(tool.description[:_MAX_TEXT]) is None


_FOR_GOOD = lazy_pattern(r"\b(?:delet\w*|for good|irrevers\w*|lost|permanent\w*|undone)\b", re.IGNORECASE)


def effect_of(tool: Tool, prefix: str | None = None) -> Effect:
    """The effect of a tool, by its name, its description and what its parameters can make it do."""
    picked = operations(tool)
    if any(one.loses for one in picked):
        return "destroys"
    if picked and all(one.reads for one in picked):
        return "reads"
    said = _effect_said(tool, prefix)
    if said == "writes" and verb_of(tool, prefix) in _MAKES and is_returned(tool):
        return "unknown"
    if said == "reads" and _is_steered(tool):
        return "unknown"
    if said in ("reads", "unknown"):
        # What gets an input stream is a command that runs.
        if takes_any_method(tool) or "stdin" in call_properties(tool):
            return "runs"
        if (switched := switch(tool)) is not None and switched.effect != "writes":
            return switched.effect
        if any(one.changes for one in picked) or saving_parameter(tool) is not None or switched is not None:
            return "writes"
    return said


_MAKES = frozenset({"build", "compose", "create", "draft", "generate", "make"})
_ANSWERS = frozenset(
    [
        *("diff", "embedding", "embeddings", "estimate", "hash", "link", "outline", "plan", "preview", "summary"),
    ]
)
"""Things that a tool makes to return them: a plan that is created is perhaps not stored."""


_RETURNED = frozenset({"checklist", "guide", "instructions", "outline", "snippet"})
"""Things that nobody keeps where they are only generated."""


def makes_an_answer(tool: Tool, prefix: str | None) -> bool:
    """True if what a tool makes is, as far as its name says, what it returns: a plan, a guide."""
    if verb_of(tool, prefix) not in _MAKES:
        return False
    return not _ANSWERS.isdisjoint(name_words(tool.name)) or is_returned(tool)


def is_returned(tool: Tool) -> bool:
    """True if a tool generates what nobody keeps, and says nothing of a place where it goes."""
    returned = not _RETURNED.isdisjoint(name_words(tool.name)[-1:])
    text = tool.description[:_MAX_OPENING]
    return returned and _GENERATES.match(text) is not None and _GOES_SOMEWHERE.search(text) is None


_GENERATES = lazy_pattern(r"\W{0,8}(?:compose|draft|generate|produce)s?\b", re.IGNORECASE)
_GOES_SOMEWHERE = lazy_pattern(
    r"\b(?:save|store|publish|upload|send|e-?mail|post)(?:e?s)?\b|\b(?:in|on|into|to)\s(?:an?|the|your)\s",
    re.IGNORECASE,
)


def _is_named(tool: Tool) -> bool:
    """True if a tool takes the name of what it runs, and nothing that could be run itself."""
    given = call_properties(tool)
    return "name" in given and _GIVEN.isdisjoint(word for name in given for word in name_words(name))


def _is_given_code(tool: Tool) -> bool:
    """True if a parameter takes what a tool runs."""
    return any(not _CODE.isdisjoint(name_words(name)[-1:]) for name in call_properties(tool))


_RUN_VERBS = frozenset({"eval", "evaluate", "exec", "execute", "run"})
_CODE = frozenset({"apex", "sql", "cmd", "code", "command", "expression", "javascript", "js", "script"})
_GIVEN = frozenset({"code", "command", "cypher", "input", "query", "script", "sql", "statement", "text"})
_STEERS = frozenset({"actions", "automation", "commands", "javascript", "js", "script"})


def _is_steered(tool: Tool) -> bool:
    """True if a parameter of a tool that reads says what else it does first: ``browserCommands``, ``actions``."""
    steers = _STEERS.difference(name_words(tool.name))
    return any(
        not steers.isdisjoint(name_words(name)[-1:]) and "boolean" not in (types_of(schema) or ())
        for name, schema in call_properties(tool).items()
    )


def _runs_input(tool: Tool, verb: str | None, text: str) -> bool:
    """True if a tool runs what it is given: by its words, or by its name and a parameter for code, whatever its text
    says first."""
    if verb == "query" and not text:
        return not _STATEMENT_NAMES.isdisjoint(call_properties(tool))
    said = verb in (None, "query") and _RUNS.search(text[:300])
    named = not _RUN_VERBS.isdisjoint(name_words(tool.name)[:1])
    return bool(said or ((named or _RUNS_IT.match(text)) and _is_given_code(tool))) and not _is_harmless(text)


def _effect_said(tool: Tool, prefix: str | None) -> Effect:
    text = tool.description[:_MAX_TEXT]
    verb = verb_of(tool, prefix)
    if _runs_input(tool, verb, text):
        return "unknown" if _RUNS_KEPT.search(text[:300]) and _is_named(tool) else "runs"
    verb = verb or _inner_verb(tool, prefix) or opening_verb(text)
    if verb in _SHOWN and (opening_verb(text) in READING_VERBS or SHOWS.match(text)):
        return "writes" if _PUTS_BACK.search(text[:_MAX_OPENING]) else "reads"
    if verb in MUTATING_VERBS and (_STATED_READ.search(text[: 2 * _MAX_OPENING]) or _is_sum(tool, verb)):
        return "reads"
    if _STATEMENTS.search(text[:_MAX_OPENING]):
        return "destroys"
    if verb == "clear" and _SETTING.search(text[:_MAX_OPENING]):
        return "writes"
    if takes_off(tool, verb):
        return "writes"
    if own_statement(_TAKEN, text, _DOUBT):
        return "unknown" if verb in READING_VERBS | _READS_TOO else "destroys"
    if verb in DESTROYING_VERBS or (verb not in READING_VERBS and not _is_passing(tool) and stated_loss(text)):
        return "destroys"
    if _is_closed_by_resolving(verb, tool) or (verb in READING_VERBS and opening_verb(text) in _SENDING):
        return "writes"
    if verb in READING_VERBS | _READS_TOO:
        if verb in _READS_TOO and _SAYS_WRITE.search(text):
            return "writes"
        return side_effect(tool, verb) or "reads"
    return "writes" if verb is not None or _SAYS_WRITE.search(text) else "unknown"


_SHOWN = frozenset({"format", "push"})
"""Verbs for what a tool does with its result: formatted citations, nodes pushed to the frontend of a debugger."""
_PUTS_BACK = lazy_pattern(
    r"\b(?:in[- ]place|overwrites?|sav(?:es?|ing)|stor(?:es?|ing)|updat(?:es?|ing)|writ(?:es?|ing))\b",
    re.IGNORECASE,
)
"""What is kept as well: "reads a file, formats it and writes it back"."""
SHOWS = lazy_pattern(
    r"\W{0,8}push(?:es)?\s(?:[\w-]{1,20}\s){0,3}?(?:elements?|nodes?|objects?|outputs?|results?)\b[^.\n]{0,60}?"
    r"\sto\s(?:the\s)?(?:client|frontend)\b",
    re.IGNORECASE,
)
"""What a client is shown, and no firmware that it runs from then on."""


def _is_sum(tool: Tool, verb: str | None) -> bool:
    """True if a tool adds numbers up: "add" with two numbers and nothing else, which many examples of servers have."""
    given = call_properties(tool).values() if verb == "add" else ()
    return len(given) > 1 and all((types_of(one) or {""}) <= _NUMBERS for one in given)


_NUMBERS = frozenset({"integer", "number"})
_TAKEN = lazy_pattern(
    r"\b(?:is|are|be|gets?)\s(?:then\s|also\s|automatically\s)?"
    r"(?:(?:deleted|erased|purged|removed|wiped|destroyed)\s(?:for\sgood|forever|permanently|after|once|afterwards)"
    r"|permanently\s(?:deleted|erased|purged|removed|wiped|destroyed))\b",
    re.IGNORECASE,
)
"""What is gone after a call, in the passive voice: "Entries past the given age are removed for good"."""
_STATEMENT_NAMES = frozenset({"cypher", "query", "sql", "statement"})
"""Names of parameters for statements, of which a tool without a description may run any."""
_STATED_READ = lazy_pattern(
    r"(?:\A|[.!:;(\n])\s{0,4}(?:(?:it|this\s(?:tool|call|operation))\sis\s)?read[- ]only"
    r"(?:[.,;:!)]|\s(?:and|but|tool)\b)",
    re.IGNORECASE,
)
"""A sentence of its own says that nothing changes: a word of the name is a noun, as in "write_capabilities"."""
_STATEMENTS = lazy_pattern(
    r"\b(?i:execut|run|perform)[a-z]{0,4}\s(?:(?:an?|any|the|raw|sql)\s|[A-Z]{4,8}(?:,|/|\s)\s{0,2}(?:(?:or|and)\s)?){0,8}"
    r"(?:DELETE|DROP|TRUNCATE|DDL|DML)\b",
)
"""A tool for statements that delete: "Execute an INSERT, UPDATE, or DELETE query"."""


def _is_passing(tool: Tool) -> bool:
    """True if what a tool replaces was set for the time being: "emulate"."""
    return not _PASSING.isdisjoint(name_words(tool.name)[:2])


_PASSING = frozenset({"emulate", "preview", "simulate"})
_SENDING = frozenset({"create", "mark", "send", "submit", "subscribe", "unsubscribe", "update"})
"""Verbs that count only if the description starts with them: "search_feedback" sends feedback."""


def _is_closed_by_resolving(verb: str | None, tool: Tool) -> bool:
    """True if a tool resolves something that this closes: "resolve_thread", but not "resolve_name"."""
    return verb == "resolve" and not _SETTLED.isdisjoint(part.removesuffix("s") for part in name_words(tool.name))


_ABOUT = frozenset(
    {"count", "counts", "details", "history", "info", "list", "log", "logs", "stats", "status", "summary"}
)


def _inner_verb(tool: Tool, prefix: str | None) -> str | None:
    """The verb of a name whose first word is not its verb: "browser_click" clicks, "by_order" does not order."""
    parts = name_words(tool.name)
    parts = parts[1:] if prefix is not None and parts[:1] == (prefix,) else parts
    about = not _ABOUT.isdisjoint(parts[1:][-1:])  # "deposit_history" deposits nothing
    inner = next((word for word in parts[:1] if word in _READS_TOO | _WRITES_TOO and not about), None)
    # A noun that is a verb elsewhere: "type", which "Returns the type of a value".
    opens = opening_verb(tool.description)
    return opens if inner in _WRITES_TOO and opens in READING_VERBS | {"return", "retrieve"} else inner
