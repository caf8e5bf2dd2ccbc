"""Decide if the words of a tool contradict its ``readOnlyHint``, before a run calls it on its own.

Hints come from the server, and a wrong one is a known defect. Nobody watches a check, so it does not call a tool that
is named ``transfer_funds`` or described as "Wipes the disk", whatever its hints say. The verb counts, not the word:
``order_pizza`` orders, ``get_order`` and ``order_status`` do not. Beyond what the linter reports as a wrong hint, this
refuses in doubt: a tool that is not called costs one line in the configuration, a wrong call may cost money.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.call.words import singular, words
from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from mcp_governor.surface.model import Tool

_READS = word_set(
    "analyse analyze ask assess audit browse calculate check classify compare compute convert count decode "
    "describe detect diagnose diff discover dry encode estimate evaluate examine explain explore extract fetch "
    "filter find forecast generate geocode get has hash identify info inspect is list look lookup match measure "
    "monitor parse peek ping plan predict preview profile query quote read recommend render resolve retrieve "
    "return reveal review scan score search select show simulate suggest summarise summarize tail test track "
    "translate validate verify view watch whoami"
)
"""Verbs that promise to change nothing, "dry" (run) included; whatever follows them is their object."""

_CHANGES = word_set(
    "accept acknowledge activate add announce append approve assign attach authorise authorize ban blacklist "
    "borrow broadcast buy cancel chargeback chmod chown clean cleanup clear click clone configure confirm consume "
    "cordon create deactivate debit decline decommission delete delist demote deprovision dequeue destroy detach "
    "dial disable disburse discard dismiss dispatch dispose donate downgrade drag drain eject elevate emit "
    "enqueue enroll erase escalate evacuate evict exec expire fill flush forward freeze giveaway halt hibernate "
    "hire impersonate ingest initialise initialize inject instantiate kick lend liquidate logout migrate modify "
    "mv notify nuke obliterate onboard overwrite pause poweroff prescribe press promote provision prune purge put "
    "quarantine reassign rebase reboot recover recreate redeem redeploy reimburse reindex reject rekey remind "
    "remit remove rename repay replace reprovision reschedule resend resize restore resume retire revert revoke "
    "rm rmdir rollback rotate scramble sell send settle ship shred spawn submit subscribe suspend terminate "
    "toggle trash truncate tweet unassign unban unblock undeploy undo unenroll unfreeze uninstall unlink unlock "
    "unmount unpublish unregister unschedule unstake unsubscribe upload upsert wipe withdraw write zap"
)
"""Verbs that promise a change wherever they stand."""

_UNSURE = word_set("accept confirm consume emit expire fill")
"""Of these, the verbs that say nothing in a description: "Accepts a date"."""

_MAKES = word_set("add append clear create fill insert merge move replace save set update")
"""Verbs that also make what a tool returns: a description convicts a tool that is named ``get_queries`` of others."""

_EDITS = word_set("change edit insert move reset save set update upgrade")
"""Verbs that are nouns only before a few words: ``update_history``, but not ``update_status``."""

_ACTS = word_set(
    "burn checkout commit credit deploy deposit drop fork grant import install kill launch lock merge mint mute "
    "pay post publish pull push refund reserve restart rollout seed share shutdown sign spend stake stop swap "
    "sync transfer vote"
)
"""Verbs that are nouns before the last words of :data:`_REPORTS`: ``transfer_history``."""

_THINGS = word_set("archive bid block book charge exchange invite order patch purchase release reply sale trade")
"""Nouns that are verbs before an object, unless the description says that the tool reads: ``order_items``."""

_MILD = word_set(
    "backup bill close comment copy email follow invoice label like link mail mark message mount pin print "
    "register report scale schedule star start tag text trigger"
)
"""Words that are verbs only if the description begins with them as well, as in "Schedules a meeting"."""

_NOUNS_TOO = _EDITS | _ACTS | _THINGS | _MILD

_REPORTS = word_set(
    "age amount analysis analytics analyzer availability average balance base calculator category changelog "
    "checker conflict cost count criteria date deadline detail explorer fee finder forecast frequency health help "
    "history id index info information interval limit list log lookup metric note number overview percentage "
    "policy preview price pricing progress rate reason requirement score search size stat statistic statistics "
    "stats status suggestion summary term theory time timeline total tracker trend type url usage viewer"
)
"""Last words of names that make everything before them a noun: ``transfer_history`` is a history."""

_CHRONICLES = word_set(
    "availability count frequency history info interval log note stat statistic statistics stats theory"
)
"""The same after :data:`_EDITS`, which have an object otherwise: ``update_price``."""

_QUALIFIERS = word_set(
    "api async auto automatically batch bulk call can cmd command do easy emergency fast force forced forcibly "
    "handle hard immediately instant instantly mass mcp multi my now one perform permanently please quick rest "
    "safe safely self silent silently simple smart soft tool try v"
)
"""Words before the verb that do not change its meaning."""

_RUNNABLE = word_set(
    "bash cmd code command commands deploy deployment job migration migrations order payment payroll pipeline "
    "playbook script shell task trade transaction transfer workflow"
)
_OBJECTS = {
    "add": word_set("days hours integers minutes months numbers seconds two up"),
    "apply": word_set("change changes configuration manifest migration migrations patch patches update updates"),
    "cash": word_set("out"),
    "check": word_set("in out"),
    "close": word_set("account accounts issue issues position positions ticket tickets"),
    "execute": _RUNNABLE,
    "factory": word_set("reset"),
    "find": word_set("replace"),
    "flash": word_set("bios device disk firmware"),
    "format": word_set("card device disk disks drive drives flash hdd partition sd ssd storage usb volume volumes"),
    "log": word_set("off out"),
    "make": word_set("booking order payment purchase reservation transfer"),
    "open": word_set("account door doors gate garage position valve"),
    "place": word_set("bet bid bids order orders trade"),
    "power": word_set("cycle down off on"),
    "return": word_set("item items order product purchase"),
    "run": _RUNNABLE,
    "search": word_set("replace"),
    "shut": word_set("down off"),
    "start": word_set("container instance job server service vm"),
    "switch": word_set("off on"),
    "take": word_set("ownership over"),
    "tear": word_set("down"),
    "turn": word_set("off on"),
    "wire": word_set("funds money transfer"),
}
"""Verbs whose meaning the next word decides: ``format_disk`` changes something, ``format_date`` does not."""

_COMPUTES = frozenset({"add"})
"""Of these, the verbs that change nothing with such a word: ``add_numbers``."""

_ALONE = word_set("bash dd dropdb eval exec execute fdisk killall mkfs powershell sendmail shell ssh sudo terminal")
"""Whole names that run or change something."""

_INFLECTED = re.compile(r"(?:e?d|e?rs?|e?s|ions?|ings?|ments?|ors?|ables?|als?|ance|ures?|y)\Z")
"""Endings that make a noun of a verb. What else follows a verb in one word is its object: ``deleteuser``."""
_SHORTEST_RUN_ON = 5
"""Characters of a verb that is found at the start of a longer word: shorter ones start words of other meanings."""

_MAX_TEXT = 1_000
"""Characters of a description that are read: what a tool does is said in its first paragraph."""
_MAX_SENTENCES = 5
"""Sentences of that paragraph whose verbs are read; the later ones are about details."""

_LEAD = re.compile(
    r"(?:this |the )?(?:tool|function|method|endpoint|command|operation|action)?\s*(?:(?:that|which|to|for|will|can"
    r"|is used to|is for|lets you|lets the \w+|allows you to|allows the \w+ to|allows \w+ to|helps you|helps to)\s+)?",
    re.IGNORECASE,
)
_USE_WHEN = re.compile(
    r"(?:call|use) (?:this|it|me)(?: tool)?(?: only)? (?:when(?:ever)?|if)\s(?:[\w']+\s){1,4}?"
    r"(?:wants?|needs?|asks?|wishes|decides?|intends?|would like|has|have|asked|wanted)\s(?:you\s|us\s|me\s)?to\s",
    re.IGNORECASE,
)
_USE_TO = re.compile(r"(?:call|use) (?:this|it|me)(?: tool)?(?: only)? to\s", re.IGNORECASE)
_OPENING = re.compile(
    r"[\W_]{0,12}(?:(?:immediately|permanently|safely|irreversibly|instantly|securely)\s+)?([A-Za-z]{2,20})",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[\s*_`\"']{1,4}([A-Za-z]+)")
_SENTENCE = re.compile(r"[.!?:]\W{0,3}\s+")
_HEADINGS = re.compile(r"\A(?:#[^\n]*\n\s*)+")
_DETERMINERS = word_set(
    "a all an another any both each every everything it its my one our some the these this those your"
)
_NEGATIONS = word_set("no not nothing")
_PREPOSITIONS = word_set(
    "about across after and are as at available before between by during for from have if in into is matching of "
    "on or over per since that to until when where which whose with within without you"
)
"""Words after which what comes before them is a plural: "Orders of a customer"."""


def doubt(tool: Tool, prefix: str | None = None) -> str | None:
    """The word by which a tool says that it changes something; ``None`` if it does not.

    Args:
        tool: the tool, whatever its hints.
        prefix: what the names of all its server's tools begin with.
    """
    from mcp_governor.packs.clarity.tools import change_described

    text = _HEADINGS.sub("", tool.description.lstrip()[:_MAX_TEXT]).split("\n\n", 1)[0]
    title = tool.annotations.get("title")
    for name in (tool.name, title if isinstance(title, str) else "", str(tool.raw.get("title") or "")):
        if name and (word := _named(name, text, prefix)) is not None:
            return word
    reads = any(word in _READS for word in words(tool.name)[:3])
    return _described(text, _MAKES if reads else frozenset()) or change_described(tool, prefix)


def _named(name: str, text: str, prefix: str | None) -> str | None:
    """The verb of a name that promises a change."""
    parts = words(name)
    if prefix is not None and parts[:1] == (prefix,) and len(parts) > 1:
        parts = parts[1:]
    while len(parts) > 1 and parts[0] in _QUALIFIERS:
        parts = parts[1:]
    if len(parts) == 1 and parts[0] in _ALONE:
        return parts[0]
    for at, word in enumerate(parts):
        rest = parts[at + 1 :]
        if rest and rest[0] in _OBJECTS.get(word, ()):
            return None if word in _COMPUTES else f"{word} {rest[0]}"
        if word in _READS or (word in _COMPUTES and not rest):
            return _joined(rest)
        if at == 0 and word not in _CHANGES and (start := _run_on(word)) is not None:
            return start
        if word in _NOUNS_TOO:
            if _is_done(word, parts[:at], rest, text):
                return word
        elif word in _CHANGES:
            return word
    return None


def _joined(rest: tuple[str, ...]) -> str | None:
    """The second verb of ``get_or_create``, ``find_and_replace``, ``read_then_delete``."""
    for joint, word in itertools.pairwise(rest):
        if joint in ("or", "and", "then") and word in _CHANGES | _NOUNS_TOO and word not in _MILD:
            return word
    return None


def _run_on(word: str) -> str | None:
    """The verb at the start of a word that is two: ``deleteuser``."""
    for verb in _CHANGES:
        if len(verb) >= _SHORTEST_RUN_ON and len(word) > len(verb) + 2 and word.startswith(verb):
            rest = word[len(verb) :]
            if _INFLECTED.match(rest) is None and not word.startswith(verb + verb[-1]):
                return verb
    return None


def _is_done(word: str, before: tuple[str, ...], rest: tuple[str, ...], text: str) -> bool:
    """True if a word that may be a noun is the verb of a name.

    Args:
        word: the word.
        before, rest: what precedes and follows it in the name.
        text: the description.
    """
    opens = _opening(text)
    last = singular(rest[-1]) if rest else ""
    noun = last in (_CHRONICLES if word in _EDITS else _REPORTS)
    if opens is not None and opens.word == word and (opens.is_verb or (rest and not noun)):
        return True
    reads = opens is not None and opens.word in _READS
    if word in _MILD or noun or (reads and (word in _THINGS or before)):
        return False
    # A noun before it makes it one ("blog_post"), unless nothing else says what the tool does.
    return bool(rest) or not before or (not text and word not in _THINGS)


def _described(text: str, harmless: frozenset[str]) -> str | None:
    """The verb by which a description says that the tool changes something.

    Args:
        text: its first paragraph.
        harmless: verbs that do not count.
    """
    start = 0
    for number in range(_MAX_SENTENCES):
        opens = _opening(text[start:])
        if opens is not None:
            known = opens.word in (_CHANGES | _NOUNS_TOO) - _MILD - _UNSURE - harmless
            # After the first sentence, an imperative is for the reader: "Create a token first."
            if known and opens.is_verb and (opens.inflected or number == 0):
                return opens.word
        following = _SENTENCE.search(text, start)
        if following is None:
            return None
        start = following.end()
    return None


class _Opening(Struct, frozen=True):
    """How a sentence begins.

    Attributes:
        word: its first word in the base form.
        inflected: if the word had an "s".
        is_verb: if the word is a verb with an object: "Orders a pizza", but not "Orders of a customer".
    """

    word: str
    inflected: bool
    is_verb: bool


def _opening(text: str) -> _Opening | None:
    found = _USE_WHEN.match(text) or _USE_TO.match(text)
    asked = found is not None
    found = found or _LEAD.match(text)
    first = _OPENING.match(text, found.end() if found is not None else 0)
    if first is None:
        return None
    said = first[1].lower()
    forms = (said, said.removesuffix("s"), said.removesuffix("es"), singular(said))
    known = (form for form in forms if form in _READS or form in _CHANGES or form in _NOUNS_TOO)
    word = next(known, said)
    following = _NEXT.match(text, first.end())
    return _Opening(word, word != said, _is_verb(word, following[1].lower() if following else "", said, asked))


def _is_verb(word: str, following: str, said: str, asked: bool) -> bool:
    """True if the first word of a sentence is its verb.

    Args:
        word: in its base form.
        following: the next word, in lower case; empty if there is punctuation.
        said: as it is written, in lower case.
        asked: it follows a phrase such as "Use this when the user wants to".
    """
    if following in _NEGATIONS or (word in _COMPUTES and following in _OBJECTS[word]):
        return False
    if asked or word not in _NOUNS_TOO:
        return True
    if following in _DETERMINERS:
        return True
    if not following or following in _PREPOSITIONS:
        return False
    return said != word or (word not in _THINGS | _MILD and singular(following) not in _REPORTS)
