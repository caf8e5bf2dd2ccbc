"""Text that does not belong in a description. This is hygiene: regular expressions do not stop an attacker."""

from __future__ import annotations

import functools
import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.credentials import key_in, names_key, names_password, outline
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import name_words, word_set
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, about, hit
from mcp_governor.subjects.schemas import parameters_of, types_of
from mcp_governor.text import char_name, counted, first_of, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcp_governor.subjects.context import SchemaPlace, Text
    from mcp_governor.surface.model import Surface


_HIDDEN = lazy_pattern(
    "[\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_JOINERS = "\u200c\u200d"
_CONTROL = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_PSEUDO_TAG = Guarded(
    # "IAM:<user>" is a placeholder.
    r"(?<![\w:/=.\-])</?(?:system|important|assistant|user|admin|secret|hidden|prompt)(?:\s[^<>\n]{0,80})?/?>",
    "<",
    also=("system", "important", "assistant", "user", "admin", "secret", "hidden", "prompt"),
)
_CONCEAL = Guarded(
    # As the end of a sentence, a line feed that is followed by a word in lower case is a blank.
    r"\b(?:do\s+not|don't|don’t|never)\s+(?:tell|inform|mention|reveal|disclose|notify|alert)\b"
    r"(?:[^.\n]|\n(?=[ \t]{0,40}[a-z])){0,40}\buser\b"
    r"|\bwithout\s+(?:telling|informing|notifying|alerting)\s+the\s+user\b"
    r"|\bthe\s+user\s+(?:must|should)\s+not\s+(?:know|see|notice)\b",
    " user ",
    also=(
        *(f" {no} {verb}" for no in ("not", "t", "never") for verb in ("tell", "inform", "mention", "alert", "notify")),
        *(" reveal ", " disclose ", " without telling ", " without in", " without no", " without al", " must not "),
        " should not ",
    ),
)
_SENSITIVE_PATH = Guarded(
    r"~/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow|sudoers)\b",
    "~/",
    "id_",
    "/etc/",
)
_SENTENCE_END = lazy_pattern(r"[.!?;](?:\s|$)|\n(?![ \t]{0,40}[a-z])")
"""A line feed ends a sentence, unless the next line goes on in lower case: descriptions are often wrapped."""
_HONEST = lazy_pattern(
    r"\b(?:unless|until)\b|\b(?:since|because|as)\b[^.\n]{0,60}(?:\bnot\b|n't\b|\bnever\b|\b(?:false|wrong|untrue)\b)"
    # What is not so yet: "… that a form is open before its result says so".
    r"|\b(?:is|was|are|were|has|have)\s[^.]{0,60}\bbefore\s(?:its|the|this)\s(?:\w{1,20}\s|\w{1,20}'s\s){0,2}"
    r"(?:call|output|response|result|status)\s(?:confirm|report|return|sa(?:id|y)|show|state)\w{0,3}\b"
    r"|\bif\b[^.\n]{0,40}(?:\bnot\b|n't\b|\b(?:fails?|failed)\b)",
    re.IGNORECASE,
)
_BLOCKED = lazy_pattern(
    r"\b(?:block(?:s|ed)?|den(?:y|ies|ied)|refuse[sd]?|reject(?:s|ed)?|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?"
    r"|exclude[sd]?|protect(?:s|ed)?|inaccessible|off[- ]limits|not (?:allowed|permitted|accessible|readable|exposed)"
    r"|(?:cannot|can't|can not|does not|doesn't|never|will not|won't) "
    r"(?:be )?(?:read|access|open|touch|write|reach)\w*)\b",
    re.IGNORECASE,
)
_TAKEN = lazy_pattern(
    r"\b(?:first|then|please|must|should|also|always|and)[\s,]+(?:read|send|cat|open|include|pass|attach|upload|post)\b"
    r"|^\s*(?:read|send|cat|open|include|pass|attach|upload|post)\b",
    re.IGNORECASE,
)
_SHORTEST_RUN = 40
"""Minimum length of a long run of base64, in characters."""
_BASE64 = lazy_pattern(rf"[A-Za-z0-9+/]{{{_SHORTEST_RUN},}}={{0,2}}")


def _without(
    pattern: str, *cues: str, also: tuple[str, ...] = (), ignore_case: bool = True
) -> Callable[[Text, Context], Iterable[Hit]]:
    """A check that a string has no match of a pattern: each match contains one of the cues, and one of ``also``."""
    guarded = Guarded(pattern, *cues, also=also, ignore_case=ignore_case)

    def check(text: Text, _context: Context) -> Iterable[Hit]:
        match = guarded.search(text.value)
        return () if match is None else (hit(text.pointer, text.value, found=match.group()),)

    return check


override_phrases = _without(
    r"\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|every)\s+){0,2}"
    r"(?:previous|prior|above|earlier|preceding|system)\s+(?:instructions?|prompts?|rules|messages|directives?)\b",
    "ignore",
    "disregard",
    "forget",
    "override",
    also=(" instruction", " prompt", " rules ", " messages ", " directive"),
)
"""No phrase that asks to ignore earlier instructions."""
_ALL = r"(?:any|all|every|each)"
mandatory_order = _without(
    # "before everything else"
    rf"\b(?:call|use|run|invoke)\s+(?:this|it)(?:\s+(?:tool|function))?\s+(?:first,?\s+)?before\s+"
    rf"(?:anything\s+else\b|doing\s+anything\b|{_ALL}\s+others?\b(?!\s+\w)|{_ALL}(?:\s+other)?\s+(?:tool|function|action|step|response|answer)s?\b)"
    # "whatever the user asks"
    rf"|\b(?:must|always)\s+(?:first\s+)?(?:call|use|run|invoke)\s+(?:this|it)\b[^.\n]{{0,60}}\b{_ALL}\s+(?:\w+\s+)?"
    r"(?:request|question|message|query|queries|prompt|conversation|session|turn|response|answer|task)s?\b"
    rf"|\bfor\s+{_ALL}\s+(?:\w+\s+)?(?:request|question|message|prompt|conversation|turn|task)s?,?\s+(?:you\s+)?(?:must\s+|always\s+)?(?:call|use|run|invoke)\s+(?:this|it)\b"
    # without a condition
    r"|\b(?:must\s+always|always|must)\s+(?:call|use|run|invoke)\s+(?:this|it)(?:\s+(?:tool|function))?(?:\s+first)?\s*(?:[.!](?:\s|$)|$)",
    *(f" {verb} {tool} " for verb in ("call", "use", "run", "invoke") for tool in ("this", "it")),
    also=(
        *(f" {word} {one}" for word in ("before", "for") for one in ("any", "all ", "every", "each ", "doing ")),
        *(f" {word} {verb} " for word in ("must", "always") for verb in ("first", "call", "use", "run", "invoke")),
    ),
)
"""No order to call a tool where a condition belongs."""
capitals = _without(
    r"\b(?:IMPORTANT|CRITICAL|MUST|MANDATORY|NEVER|ALWAYS|REQUIRED ACTION)\b",
    "important",
    "critical",
    "must",
    "mandatory",
    "never",
    "always",
    "required action",
    ignore_case=False,
)
"""No words in capitals that force a model to obey."""
cross_tool_commands = _without(
    r"\b(?:before|after|when(?:ever)?|instead of|rather than)\s+(?:using\s+|calling\s+|invoking\s+)?"
    r"(?:any|all|every|each)\s+(?:of\s+the\s+)?(?:other|subsequent|further)\s+(?:tools?|tool calls?|functions?)\b",
    *(" other tool", " other function", " subsequent ", " further "),
    also=(" any ", " all ", " every ", " each "),
)
"""No rule about all other tools."""


def hidden_characters(text: Text, _context: Context) -> Iterator[Hit]:
    """No character that readers cannot see and models can."""
    value = text.value
    if value.isascii():
        return
    found = [match.group() for match in _HIDDEN.finditer(value) if not _is_writing(value, match.start())]
    if found:
        yield hit(text.pointer, value, found=", ".join(char_name(char) for char in dict.fromkeys(found)))


def _is_writing(text: str, position: int) -> bool:
    """True for joiners within words of scripts that need them, and within emoji."""
    before = text[position - 1] if position else ""
    char = text[position]
    if char in _JOINERS:
        return bool(before) and not before.isascii()
    if 0xE0020 <= ord(char) <= 0xE007F:
        # The flag of a region is a black flag followed by tag letters.
        start = position
        while start and 0xE0020 <= ord(text[start - 1]) <= 0xE007F:
            start -= 1
            if position - start > 8:
                return False
        return start > 0 and text[start - 1] == "\U0001f3f4"
    return False


def control_characters(text: Text, _context: Context) -> Iterator[Hit]:
    """No control characters except tab and line endings, and so no terminal sequences."""
    if text.value.isprintable():
        return
    found = dict.fromkeys(_CONTROL.findall(text.value))
    if found:
        yield hit(text.pointer, text.value, found=", ".join(f"U+{ord(char):04X}" for char in found))


def pseudo_tags(text: Text, _context: Context) -> Iterable[Hit]:
    """No markup that imitates the roles of a conversation."""
    value = text.value
    unclosed = [name for name in _PLACEHOLDERS if name in value and f"</{name[1:]}" not in value]
    tags = _PSEUDO_TAG.finditer(value)
    found = next((tag for tag in tags if tag.group() not in unclosed or not _is_within(value, tag.start())), None)
    return () if found is None else (hit(text.pointer, value, found=found.group()),)


_PLACEHOLDERS = ("<prompt>", "<user>", "<secret>")
"""Tags that stand for a value in the middle of a line if nothing closes them, as in "run -p <prompt>"."""


def _is_within(text: str, at: int) -> bool:
    """True if there are words in front of a position on its line."""
    return bool(text[max(0, at - 40) : at].rpartition("\n")[2].strip(" -*>#`'\""))


def concealment(text: Text, _context: Context) -> Iterator[Hit]:
    """No phrase that asks to keep something from the user; asking not to claim what is untrue is fine."""
    for number, match in enumerate(_CONCEAL.finditer(text.value)):
        before, after = _sentence(text.value, match)
        if _is_about_else(before, match.group(), after):
            continue
        if not _HONEST.search(after) and not (number < _MAX_DENIALS and _never_happens(text.value, match.end())):
            yield hit(text.pointer, text.value, found=match.group())
            return


_SAYS_TO_USER = lazy_pattern(r"\btell\s+(?:the\s|a\s|your\s)?user", re.IGNORECASE)
_TO_DO = lazy_pattern(r"\s+to\s+[a-z]", re.IGNORECASE)
_INABILITY = lazy_pattern(
    r"\s+(?:that\s)?(?:you|we)\s(?:can\s?not|can't|can’t|are\sunable|aren't\sable|do\snot\shave|don't\shave|don’t\shave|lack)\b",
    re.IGNORECASE,
)
_CREDENTIAL = lazy_pattern(
    r"\b(?:reveal|disclose)\s[^.\n]{0,30}\b(?:keys?|tokens?|passwords?|passphrases?|credentials?|secrets?)\b",
    re.IGNORECASE,
)
_NOTIFIES = lazy_pattern(r"\b(?:notify|notifying|alert|alerting)\b", re.IGNORECASE)
_OPTION = lazy_pattern(r"\b(?:if|when|whether|set|true|false)\b", re.IGNORECASE)


def _is_about_else(before: str, said: str, after: str) -> bool:
    """True for what keeps no secret from the person at the client: what to ask of them ("never ask the user to run
    it"), not to claim that something is impossible, to keep credentials safe, and an option to send no mail."""
    asked = _SAYS_TO_USER.search(said)
    if asked is not None and asked.end() == len(said) and (_TO_DO.match(after) or _INABILITY.match(after)):
        return True
    if _CREDENTIAL.search(said):
        return True
    return _NOTIFIES.search(said) is not None and _OPTION.search(before) is not None


_DONE = lazy_pattern(r"\b(?:was|were|is|are|(?:has|have) been)\s(?:\w+ly\s)?(\w{4,20})ed\b", re.IGNORECASE)
_NOT_POSSIBLE = r"\b(?:cannot|can\s?not|can't|can’t|unable to)\s(?:be\s)?"


_MAX_DENIALS = 8
"""Maximum number of such sentences that are compared with the rest of the text; a benign text has one or two."""


def _never_happens(text: str, at: int) -> bool:
    """True if the event that the sentence forbids to report is impossible according to the rest of the text, for
    example the delay of a message by a tool that cannot schedule."""
    # Descriptions are often wrapped, so the sentence goes on behind a line feed.
    claim = " ".join(text[at : at + 200].split()).split(".")[0]
    done = _DONE.search(claim)
    return done is not None and re.search(_NOT_POSSIBLE + re.escape(done[1]), text, re.IGNORECASE) is not None


def sensitive_paths(text: Text, _context: Context) -> Iterator[Hit]:
    """No path to keys or passwords, unless the sentence says that it is out of reach."""
    for match in _SENSITIVE_PATH.finditer(text.value):
        before, after = _sentence(text.value, match)
        if not _BLOCKED.search(before + after) or _TAKEN.search(before):
            yield hit(text.pointer, text.value, found=match.group())
            return


def _sentence(text: str, match: re.Match[str]) -> tuple[str, str]:
    """The sentence before and after a match, at most 200 characters on each side."""
    before, after = text[max(0, match.start() - 200) : match.start()], text[match.end() : match.end() + 200]
    return _SENTENCE_END.split(before)[-1], _SENTENCE_END.split(after)[0]


def secret_literals(text: Text, _context: Context) -> Iterator[Hit]:
    """No literal credential; its value is not shown either."""
    found = key_in(text.value)
    if found is not None:
        yield hit(text.pointer, text.value, found=outline(found))


def published_secret(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No value that was given to the server as a secret; the wire has found and redacted it."""
    origins = surface.conversation.get("publishedSecrets")
    for origin in origins if isinstance(origins, list) else ():
        yield hit("/conversation/publishedSecrets", origin, origin=origin)


def base64_runs(text: Text, _context: Context) -> Iterator[Hit]:
    """No long run of base64 that stands for text, which a reviewer cannot read and a model may."""
    if len(text.value) < _SHORTEST_RUN or max(map(len, text.value.split()), default=0) < _SHORTEST_RUN:
        return
    for match in islice(_BASE64.finditer(text.value), _MAX_RUNS):
        run = match.group()
        said = "" if _IN_DIGITS.fullmatch(run) else _decoded(run)
        # A digest, an address, a key and a path stand for no text. A cursor in the URL of an example may.
        if said and (_WORDS.search(said) or not _in_url(text.value, match)):
            yield hit(text.pointer, text.value, found=f"{run[:12]}…", length=len(run), said=one_line(said, 60))
            break


_MAX_RUNS = 5_000
"""Maximum number of long runs read in one string: what a description of the largest size that is read can hold."""
_MAX_DECODED = 200_000
"""Maximum number of characters decoded of one run: a picture of the size that a description may have."""
_IN_DIGITS = lazy_pattern(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
"""A digest or a number, which could be decoded as well."""
_READABLE = lazy_pattern(
    r"[ -~\n\t\u00c0-\u024f]{24,}|[\u0370-\u052f]{8,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{6,}"
)
"""Readable characters in a row: 24 with Latin letters, eight Greek or Cyrillic ones, six that stand for syllables or
words. None of 20,000 runs of 3,000 random bytes holds as many."""


_WORDS = lazy_pattern(r"[A-Za-z]{2,20}[\s_+-][A-Za-z]{2,20}|[^\x00-\x7f]{3}")


_ENDS_URL = lazy_pattern(r"[\s\"'<>()]")
_MAX_URL = 2_000
"""Maximum number of characters in front of a run that are searched for the start of its URL: what browsers take."""


def _in_url(text: str, run: re.Match[str]) -> bool:
    before = text[max(0, run.start() - _MAX_URL) : run.start()]
    at = before.rfind("://")
    return at >= 0 and _ENDS_URL.search(before, at) is None


def _decoded(run: str) -> str:
    """The text for which base64 stands, wherever in the run it begins; empty if it stands for none."""
    import base64

    for start in range(4):
        part = run[start : start + _MAX_DECODED].rstrip("=")
        decoded = base64.b64decode(part[: len(part) - len(part) % 4])
        # In UTF-16, as a shell of Windows takes commands, every other byte of Latin text is 0.
        readable = _READABLE.search(decoded.replace(b"\0", b"").decode("utf-8", "replace"))
        if readable is not None:
            return readable[0]
    return ""


def white_space(text: Text, context: Context) -> Iterator[Hit]:
    """No run of white space that pushes text out of sight."""
    most, value = context.options["max"], text.value
    flat = value.expandtabs(1).replace("\r", " ")
    if value.isascii() and " " * min(most, 80) not in flat and "\n" * 5 not in flat.replace(" ", ""):
        return
    match = _gap(most).search(value)
    if match is not None:
        yield hit(text.pointer, text.value, length=len(match.group()))


# One entry per value of the option `max`; a run has one value.
@functools.lru_cache(maxsize=8)
def _gap(most: int) -> re.Pattern[str]:
    """Blanks within a line, except in front of a comment in code; as many as push text out of an editor's line; or
    empty lines."""
    within = rf"(?<=\S)[^\S\n]{{{most + 1},}}(?!#|//|--|/\*|\s|\Z)"
    return re.compile(rf"{within}|[^\S\n]{{81,}}|\n(?:[^\S\n]*\n){{4,}}")


@about(argument=True, keys={"default"})
def default_credential(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No default of a parameter for a credential; its value is not shown either."""
    value, name = node.schema.get("default"), node.argument or ""
    words = name_words(name)
    if not isinstance(value, str):
        return
    if names_password(name):
        shortest = _SHORTEST_PASSWORD
    elif names_key(name) or (words[-1:] == ("token",) and _OF_PAGES.isdisjoint(words)):
        shortest = _SHORTEST_CREDENTIAL
    else:
        return
    if len(value) >= shortest and not _NO_CREDENTIAL.search(value):
        yield hit(f"{node.pointer}/default", value, argument=node.argument, found=outline(value))


_OF_PAGES = frozenset({"next", "page"})
"""Words of tokens that say where a page begins."""
_SHORTEST_PASSWORD = 4
"""Minimum number of characters of a default that is taken for a password; a shorter one is a code such as "no"."""
_SHORTEST_CREDENTIAL = 16
"""Minimum number of characters of a default that is taken for a credential; a shorter token is a word or a position."""
_NO_CREDENTIAL = lazy_pattern(
    r"[<>${}\s]|\.\.\.|(?i:\b(?:your|my|change|default|dummy|enter|env|example|fake|insert|none|null|placeholder|test|xxx))"
    r"|(?i:changeme|xxxx)|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|://",
    re.NOFLAG,
)
"""A placeholder, or the name of a variable."""


_FEWEST = 3
"""Number of tools from which on it is the server that asks for a credential, and not one operation."""
_MAX_SHOWN = 6
"""Maximum number of tools named in a message; the others are counted."""
_ABOUT_IT = word_set("""
    auth authenticate configure connect credential credentials initialize key keys login secret secrets setup token
    wallet
""")
"""Words of tools that are about credentials, each of which has to take one."""


def shared_credential(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No credential is a parameter of three tools or more: the server is the one to hold it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for tool in surface.tools:
        if not _ABOUT_IT.isdisjoint(name_words(tool.name)):
            continue
        for name, schema in parameters_of(tool).items():
            if names_key(name) and "boolean" not in (types_of(schema) or ()):
                place = join_pointer("/inputSchema/properties", name)
                found.setdefault(name, []).append((tool.name, place))
    shared = {name: places for name, places in found.items() if len(places) >= _FEWEST}
    if not shared:
        return
    spots = [place for places in shared.values() for place in places]
    tools = list(dict.fromkeys(tool for tool, _ in spots))
    yield hit(
        "/tools",
        sorted(shared),
        spots=spots,
        arguments=first_of(list(shared), 2),
        tools=counted(len(tools), "tool"),
        names=first_of(tools, _MAX_SHOWN),
    )
