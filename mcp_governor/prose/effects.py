"""The effect of a tool by its words and its arguments: destroys, runs its input, writes, or reads.

What these leave open is unknown: a wrong "only reads" does harm, because a client then calls the tool without asking.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from mcp_governor.lazy import AnyCase, lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words, word_set, words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
SURE_READS = (READING_VERBS - {"check", "resolve"}) | {"retrieve", "return"}
"""Verbs that change nothing. Others that read, such as "scrape", may keep what they find."""
_WRITING_VERBS = MUTATING_VERBS | word_set("""
    acknowledge alter assign attach authorize ban close copy customize disable drag duplicate enable fill flush fork
    format import init initialize link logout manage mark mute pause protect register reopen reply restore resume
    rotate set start stop submit transact unarchive unassign unban unblock undo unlink unlock unmute unpin unprotect
    untrash wipe
""")
_WRITES_TOO = word_set("""
    accept activate allocate announce apply approve block book bootstrap borrow broadcast buy cast checkin checkout
    cherry click clone complete confirm connect consume deactivate decline demote deposit disarm disconnect
    dismiss dispatch donate eject enroll escalate follow grant highlight hover increment ingest interact invite launch
    lend like lock login migrate navigate notify pay pin place play populate press promote provision pull purchase
    quarantine react rebase reboot reconnect redeem refund reject remind repair repost rerun reschedule
    reserve resize retry revert rollback rsvp scale schedule scroll select share shutdown skip snooze store subscribe
    suspend switch sync tag tap toggle transfer trigger turn tweet type unblock unfollow unlike unmount unstake unstar
    unsubscribe untag unwatch upgrade vote watch withdraw
""")
"""Verbs for writing that have other meanings in names; they count only if nothing else is known."""
_LEAVES_OPEN = word_set("check download ensure export make refresh reindex resolve take")
"""Verbs that do not show if something is changed: "check_in", "resolve_thread"."""
_VERBS = READING_VERBS | _WRITING_VERBS | _LEAVES_OPEN
_OPENING = _VERBS | SURE_READS | _WRITES_TOO
"""All verbs with which a description may open."""
_NOUNS = word_set("archive comment commit copy deploy format link merge patch post")
"""Verbs for writing that are nouns after another word: "expand_link", "deploy" in "site_deploy_reader"."""
_ABOUT = word_set("count counts details history info list log logs stats status summary")
"""Last words of names that are about something, and do nothing to it: "deposit_history"."""
_CHANGES = word_set("""
    acknowledge append approve archive assign block book buy cancel charge clean clear close consume create delete
    demote deploy destroy disable discard drop enable erase execute grant insert install invite kill launch lock mark
    modify move mute notify order overwrite pause persist place post promote publish purchase purge reboot rebuild
    reject release remove rename replace reserve reset restart revoke save schedule select send share start stop store
    submit subscribe swap switch tag toggle transfer trigger truncate uninstall unlock update upload upsert wipe
    withdraw write written
""")
"""Verbs by which a description says that something is changed; others are about results, or about what was before."""
_THINGS = word_set("""
    archive block charge grant lock order place post release schedule share store switch tag transfer trigger update
    upload
""")
"""Of these, the ones that with "s" are mostly several things: "tags", "updates"."""

_MAX_TEXT = 20_000
"""Maximum number of characters read from a description; what a tool does comes first."""
_MAX_STATED = 1500
"""Number of characters in which a description says what happens besides."""
_MAX_OPENING = 300
"""Number of characters in which a description says what a tool runs."""
_MAX_ARGUMENT = 600
"""Maximum number of characters read from the description of an argument."""


# -- the verbs of names and descriptions


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
        return "drag"  # "drag_and_drop" loses nothing.
    for joint in ("or", "and"):
        if joint in parts[1:-1] and (second := parts[parts.index(joint) + 1]) in _WRITING_VERBS | _CHANGES:
            return second
    for at, word in enumerate((*parts[:3], *parts[-1:])):
        if word in _VERBS and (at == 0 or word not in _NOUNS or opening_verb(tool.description) == word):
            return word
    return None


_OPENS = AnyCase(
    r"\W{0,8}(?:[a-z]{1,20}\s\|\s|(?:this\s)?(?:(?:a|the)\s)?(?:tool|function)\s(?:(?:that|which|to|for|will)\s)?)?"
    r"\W{0,8}(?:[a-z]{2,20}ly\s)?([a-z]{2,20})"
)
"""The first word of a description, after "Tool that" or the name of a section."""


def opening_verb(text: str) -> str | None:
    """The verb at the start of a description: ``delete`` for "Deletes the file"."""
    first = _OPENS.match(text)
    word = first[1] if first is not None else ""
    return next((form for form in (word, word.removesuffix("s"), word.removesuffix("es")) if form in _OPENING), None)


# -- what descriptions say

_LOSSES = Guarded(
    r"\b(?:(?:cannot|can ?not|can't) be (?:undone|reversed|recovered)|irreversibl[ey]|"
    r"permanently (?:delet|remov|eras|destroy|los)\w*|overwrit(?:es|e|ing)\b"
    r"|(?:is|are|be|gets?) (?:deleted|erased|purged|removed|wiped|destroyed) (?:for good|forever|permanently|once)\b"
    r"|replac(?:e|es|ing) (?:all|every|existing|the (?:entire|whole|existing|current|(?:full )?contents of))\b"
    r"|replac(?:e|es|ing) [\w ]{1,40}\((?:full|complete) (?:update|replacement)\))",
    *(" undone ", " reversed ", " recovered ", " irreversibl", " permanently ", " overwrit", " replac"),
    *(" deleted ", " erased ", " purged ", " removed ", " wiped ", " destroyed "),
)
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
_DONE = AnyCase(
    r"\b(?:it|then|also|will|which|auto(?:matically)?)[\s-](?=(?P<does>[a-z]{2,20})(?![\w-]))"
    r"|(?:[.,;:!]\s|\n|\b(?:and|or|but|is|are|be|gets?)\s)[^\S\n]{0,40}(?:[-*]\s|•\s|\d+[.)]\s)?"
    r"(?=([a-z]{2,20})(?![\w-]))"
    r"|(?<![\w-])([a-z]{2,20}s)(?![\w-])"
)
"""A word where a verb may stand: after a joint, at the start of an item, or anywhere with "s"."""
_CHANGES_IN_CHINESE = lazy_pattern(
    r"\W{0,8}[\u3400-\u9fff]{0,4}?(?:提交|创建|新建|新增|添加|修改|更新|编辑|删除|移除|清空|发送|发布|上传|写入|执行|运行|启动|停止)"
)
"""A description that opens with a verb for a change: "提交 … 任务" submits a task, whatever its name says."""
_DOUBT = lazy_pattern(
    r"\b(?:not|never|without|no|avoids?|prevents?|refuses? to|instead of|unless|if|whether)\b|n't\b|\A\W{0,8}to\s\Z"
    # Another tool is for what follows: "use start_process to replace all of them".
    r"|\b(?:use|using|call|run|try|prefer|with|via)\s(?:the\s)?[`'\"]?[a-z]{2,30}(?:_[a-z]|(?-i:[a-z][A-Z]))",
    re.IGNORECASE,
)
_SENTENCE_END = lazy_pattern(r"[.!?;]\s|\sthen\s|\n(?![^\S\n]{0,80}[a-z])")
"""A line that goes on in small letters belongs to the sentence before it."""
_SENTENCE = 300
"""Maximum number of characters read of a sentence before the words in question."""


def own_statement(pattern: Guarded, text: str) -> str | None:
    """The first words that match and are about this tool: not what it denies, nor what another tool is for."""
    for match in pattern.finditer(text, 0, _MAX_TEXT):
        before = _SENTENCE_END.split(text[max(0, match.start() - _SENTENCE) : match.start()])[-1]
        if not _DOUBT.search(before):
            return match[0]
    return None


def stated_loss(text: str) -> str | None:
    """The words that say that this tool loses something ("cannot be undone")."""
    return own_statement(_LOSSES, text)


def _says_change(text: str) -> bool:
    """True if a word of a description may be about a change: "It also deletes …", "…, and marks it as read"."""
    if READ_ONLY.search(text):
        return False
    if not text.isascii() and _CHANGES_IN_CHINESE.match(text):
        return True
    return any(_is_change(match) for match in _DONE.finditer(text, 0, _MAX_STATED))


def _is_change(found: re.Match[str]) -> bool:
    """True if a word may be a form of a verb for a change."""
    form = found["does"] or found[2] or found[3]
    if form.endswith("s"):
        verbs = _CHANGES if found["does"] else _CHANGES - _THINGS
        return not verbs.isdisjoint((form.removesuffix("s"), form.removesuffix("es")))
    plain = next((form.removesuffix(end) for end in ("ing", "ed") if form.endswith(end)), form)
    once = plain[:-1] if plain[-2:-1] == plain[-1:] else plain
    return not _CHANGES.isdisjoint((form, plain, f"{plain}e", once))


# -- what arguments can make a tool do

_PICKS = frozenset({"action", "mode", "operation"})
"""Names of arguments whose values are operations, if one of them is a verb that says so; a mode is mostly a manner."""
_LOSE = word_set("delete destroy drop erase prune purge remove revoke uninstall wipe")
_CHANGE = MUTATING_VERBS | _LOSE | word_set("alter disable enable initialize rollback set start stop")
_READ = READING_VERBS | word_set("discover download status versions")
_MAX_VALUES = 200
"""Maximum number of values read of one argument; no tool has as many operations."""
_MAX_NODES = 300
"""Maximum number of objects looked at in one schema: more variants than any known tool has."""


class Operation(Struct, frozen=True):
    """One value of an argument that picks what a tool does.

    Attributes:
        argument: name of the argument.
        value: as the schema lists it, or a verb of the description where the schema takes any text.
    """

    argument: str
    value: str

    @property
    def verb(self) -> str:
        return next(iter(name_words(self.value)), "")

    @property
    def loses(self) -> bool:
        """True if it removes something."""
        return self.verb in _LOSE

    @property
    def changes(self) -> bool:
        """True if it changes something; one that removes does."""
        return self.verb in _CHANGE

    @property
    def reads(self) -> bool:
        """True if it only reads."""
        return self.verb in _READ


def operations(tool: Tool) -> list[Operation]:
    """The operations among which a call picks; empty if no value of the argument is a known verb."""
    found = [
        Operation(name, value)
        for name, schema in _arguments(tool)
        if name.lower() in _PICKS
        for value in _values(schema) or _verbs(_described(schema) or tool.description)
    ]
    return found if any(one.changes or one.reads for one in found) else []


def _described(schema: Any) -> str:
    said = schema.get("description") if isinstance(schema, dict) else None
    return said[:_MAX_ARGUMENT] if isinstance(said, str) else ""


def _values(schema: Any) -> list[str]:
    if not isinstance(schema, dict):
        return []
    branches = [schema, *(one for key in ("anyOf", "oneOf") for one in _listed(schema, key) if isinstance(one, dict))]
    values = [value for one in branches for value in (*_listed(one, "enum"), one.get("const"))]
    return [value for value in values if isinstance(value, str)]


def _listed(schema: dict[str, Any], key: str) -> list[Any]:
    value = schema.get(key)
    return value[:_MAX_VALUES] if isinstance(value, list) else []


def _verbs(text: str) -> list[str]:
    """The operations that prose lists: "What to do (list, delete)"."""
    return [word for word in words(text[:_MAX_ARGUMENT]) if word in _CHANGE or word in _READ]


def _arguments(tool: Tool) -> Iterator[tuple[str, Any]]:
    """The arguments of a call: those of the tool, of an object that wraps them all, and of its variants."""
    waiting: list[Any] = [tool.input_schema]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        schema = waiting.pop(0)
        if not isinstance(schema, dict):
            continue
        declared = schema.get("properties")
        if isinstance(declared, dict):
            yield from declared.items()
            # What an operation takes with it may hold an operation of its own; anything else is data.
            waiting += declared.values() if len(declared) == 1 else [declared.get("params")]
        for key in ("anyOf", "oneOf", "allOf"):
            waiting += _listed(schema, key)


SAVES = Guarded(
    r"\b(?:saves?|stores?|writes?|saved|written)\s(?:[\w'-]+\s){0,5}?(?:to|into|in|on)\s(?:an?\s|the\s|this\s)?"
    r"(?:[\w'-]+\s){0,2}?(?:files?|disk|database|director(?:y|ies)|folder|path)\b"
    r"|\b(?:path|file|folder|directory)\b(?:\s(?:path|name))?\s(?:to|where|in which|into which)\s"
    r"(?:[\w'-]+\s){0,4}?(?:save|write|saved|written)\b",
    *(" save", " store", " write", " written "),
)
"""Words by which a tool or its argument asks where to keep something."""


def saving_argument(tool: Tool) -> tuple[str, str] | None:
    """The argument that asks where to save a file, and the words by which it does."""
    found = ((name, SAVES.search(_described(schema))) for name, schema in call_properties(tool).items())
    return next(((name, match[0]) for name, match in found if match is not None), None)


_LEADS = word_set("also automatically enabled given if immediately not or set the then this to tool true when") | {
    "whether"
}
"""Words before the verb of a switch: "If true, also delete …"."""
_SWITCHES = _LOSE | word_set("""
    ack acknowledge apply archive autoack autofix clear commit create discard execute fix flush insert install mark
    move overwrite persist publish replace reset run save send store truncate update write
""")
"""Verbs of arguments that make a tool change something that reads without them."""
_CERTAIN_LOSSES = (_LOSE | {"clear", "overwrite"}) - {"remove"}
"""The verbs of switches by which something is lost; what is removed may be a part of the result."""
_LATER = Guarded(
    r"\b(?:is|are|be|gets?) (?:then |also |automatically )?(?:deleted|purged|erased|overwritten|wiped|destroyed)\b",
    *(" deleted ", " purged ", " erased ", " overwritten ", " wiped ", " destroyed "),
)
_EXECUTES = Guarded(
    r"\bEXPLAIN\s\(?ANALY[SZ]E\b|\b(?:actual(?:ly)?|real(?:ly)?)\s(?:run|execut)\w*", " explain ", " actual", " real"
)
"""What a statement does is done, whatever it is run for."""
_ANY_METHOD = lazy_pattern(r"\b(?:PUT|DELETE|PATCH)\b", re.NOFLAG)
_STEERS = word_set("actions automation commands javascript js script stdin")
"""Last words of arguments that say what a tool that reads does first: ``browserCommands``."""
_SAVING = word_set("dest destination download export output save")
_PLACES = word_set("dir directory file filename folder path")


def _by_argument(tool: Tool, name: str, schema: Any) -> Effect:
    """What an argument can make a tool do that reads without it."""
    parts, text = name_words(name), _described(schema)
    if isinstance(schema, dict) and "boolean" in (types_of(schema) or ()):
        said = next((word for word in words(text) if word not in _LEADS), "")
        verbs = {*parts[:1], said, said.removesuffix("s")}
        if verbs & _SWITCHES:
            return "destroys" if verbs & _CERTAIN_LOSSES else "unknown"
    any_method = parts[-1:] == ("method",) and any(map(_ANY_METHOD.search, (*_values(schema), text)))
    if any_method or _EXECUTES.search(text):
        return "runs"
    steers = not (_STEERS - {*name_words(tool.name)}).isdisjoint(parts[-1:])
    saves = (parts[:1] and parts[0] in _SAVING and parts[-1] in _PLACES) or SAVES.search(text)
    return "unknown" if steers or saves or _LATER.search(text) else "reads"


def losing_argument(tool: Tool) -> tuple[str, str] | None:
    """The argument by which a tool loses something, and what describes it: "Remove the messages after reading"."""
    given = call_properties(tool).items()
    lost = (name for name, schema in given if _by_argument(tool, name, schema) == "destroys")
    name = next(lost, None)
    return None if name is None else (name, _described(call_properties(tool)[name]) or name)


# -- the effect


_ANSWERS_WITH = lazy_pattern(
    r"\W{0,8}(?:generates?|provides?|suggests?)\s(?:[\w-]+\s){0,6}?"
    r"(?:checklists?|code|commands?|guides?|guidance|instructions?|prompts?|scripts?|snippets?|steps|templates?|tests?)\b",
    re.IGNORECASE,
)
"""A description of what a tool answers with: "Generates the migration command" migrates nothing, whatever its name."""


def effect_of(tool: Tool, prefix: str | None = None) -> Effect:
    """The effect of a tool, by its name, its description and what its arguments can make it do."""
    found = _effect(tool, prefix)
    return "unknown" if found != "reads" and _ANSWERS_WITH.match(tool.description) else found


def _effect(tool: Tool, prefix: str | None) -> Effect:
    said, picked = _effect_said(tool, prefix), operations(tool)
    # "list_audit_log" reports what was deleted.
    asks = said == "reads" or verb_of(tool, prefix) in READING_VERBS
    if not asks and any(one.loses for one in picked):
        return "destroys"
    if said not in ("reads", "unknown"):
        # "manage_page" with nothing but operations that read.
        return "unknown" if picked and all(one.reads for one in picked) else said
    given = {_by_argument(tool, name, schema) for name, schema in call_properties(tool).items()}
    if "destroys" in given:
        return "destroys"
    if said == "unknown":
        return "runs" if "runs" in given else said
    return "reads" if given <= {"reads"} and all(one.reads for one in picked) else "unknown"


def _effect_said(tool: Tool, prefix: str | None) -> Effect:
    text = tool.description[:_MAX_TEXT]
    verb, opens, parts = verb_of(tool, prefix), opening_verb(text), _named(tool, prefix)
    if _runs_input(tool, verb, text):
        return "runs"
    if verb is None:
        does = bool(parts) and parts[0] in _WRITES_TOO and parts[-1] not in _ABOUT and opens not in SURE_READS
        verb = parts[0] if does else opens
    if verb == "manage" and opens in DESTROYING_VERBS:
        verb = opens
    if verb in DESTROYING_VERBS or (verb not in SURE_READS and stated_loss(text)):
        return "destroys"
    if verb not in SURE_READS:
        # Of "write_capabilities", which says that it is read-only, the verb is a noun.
        unsure = verb is None or verb in _LEAVES_OPEN or READ_ONLY.search(text[:_MAX_OPENING])
        return "unknown" if unsure else "writes"
    # "search_feedback", which sends feedback.
    changes = opens in _OPENING - SURE_READS - _NOUNS
    return "unknown" if changes or _says_change(text) or stated_loss(text) else "reads"


def _runs_input(tool: Tool, verb: str | None, text: str) -> bool:
    """True if a tool runs what it is given: by its words, or by its name and a parameter for code."""
    said = verb in (None, "query") and _RUNS.search(text[:_MAX_OPENING])
    named = not _RUN_VERBS.isdisjoint(name_words(tool.name)[:1]) or _RUNS.match(text.lstrip(" *#`"))
    code = named and any(not _CODE.isdisjoint(name_words(name)[-1:]) for name in call_properties(tool))
    harmless = _HARMLESS.search(text) is not None and _UNLOCKED.search(text) is None
    return bool(said or code) and not harmless


_RUN_VERBS = word_set("eval evaluate exec execute run")
_CODE = word_set("apex cmd code command expression javascript js script sql")
