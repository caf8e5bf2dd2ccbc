"""Text that does not belong in a description. This is hygiene: regular expressions do not stop an attacker."""

from __future__ import annotations

import base64
import functools
import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.credentials import key_in, names_key, names_password, outline
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import name_words, word_set
from mcp_governor.rules.scope import about
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted, first_of
from mcp_governor.subjects.schemas import parameters_of
from mcp_governor.text import char_name, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcp_governor.rules.strings import Text
    from mcp_governor.subjects.context import SchemaPlace
    from mcp_governor.surface.model import Surface


_HIDDEN = lazy_pattern(
    "[\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]|(?<![^\x00-\x7f])[\u200c\u200d]"
)
"""Joiners belong to emoji and to the words of some scripts, and so follow what is not ASCII."""
_CONTROL = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_CONCEAL = Guarded(
    # As the end of a sentence, a line feed that is followed by a word in lower case is a blank.
    r"\b(?:do\s+not|don't|don’t|never)\s+(?:tell|inform|mention|reveal|disclose|notify|alert)\b"
    r"(?:[^.\n]|\n(?=[ \t]{0,40}[a-z])){0,40}\buser\b"
    r"|\bwithout\s+(?:telling|informing|notifying|alerting)\s+the\s+user\b"
    r"|\bthe\s+user\s+(?:must|should)\s+not\s+(?:know|see|notice)\b",
    " user ",
    also=("not ", "don't ", "don’t ", " never ", " without "),
)
_SENSITIVE_PATH = Guarded(
    r"~/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow|sudoers)\b",
    "~/",
    "id_",
    "/etc/",
)
_SENTENCE_END = lazy_pattern(r"[.!?;](?:\s|$)|\n(?![ \t]{0,40}[a-z])")
"""A line feed ends a sentence, unless the next line goes on in lower case: descriptions are often wrapped."""
_BLOCKED = lazy_pattern(
    r"\b(?:block(?:s|ed)?|den(?:y|ies|ied)|refuse[sd]?|reject(?:s|ed)?|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?"
    r"|exclude[sd]?|protect(?:s|ed)?|inaccessible|off[- ]limits|not (?:allowed|permitted|accessible|readable|exposed)"
    r"|(?:cannot|can't|can not|does not|doesn't|never|will not|won't) "
    r"(?:be )?(?:read|access|open|touch|write|reach)\w*)\b",
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
    also=(" before ", " always ", " must ", " for any ", " for all ", " for every ", " for each "),
)
"""No order to call a tool where a condition belongs."""
pseudo_tags = _without(
    # "IAM:<user>" is a placeholder.
    r"(?<![\w:/=.\-])</?(?:system|important|assistant|user|admin|secret|hidden)(?:\s[^<>\n]{0,80})?/?>",
    "<",
)
"""No markup that imitates the roles of a conversation."""
cross_tool_commands = _without(
    r"\b(?:before|after|when(?:ever)?|instead of|rather than)\s+(?:using\s+|calling\s+|invoking\s+)?"
    r"(?:any|all|every|each)\s+(?:of\s+the\s+)?(?:other|subsequent|further)\s+(?:tools?|tool calls?|functions?)\b",
    *(" other tool", " other function", " subsequent ", " further "),
)
"""No rule about all other tools."""


def hidden_characters(text: Text, _context: Context) -> Iterator[Hit]:
    """No character that readers cannot see and models can."""
    value = text.value
    if value.isascii():
        return
    found = _HIDDEN.findall(value)
    if found:
        yield hit(text.pointer, value, found=", ".join(map(char_name, dict.fromkeys(found))))


def control_characters(text: Text, _context: Context) -> Iterator[Hit]:
    """No control characters except tab and line endings, and so no terminal sequences."""
    if text.value.isprintable():
        return
    found = dict.fromkeys(_CONTROL.findall(text.value))
    if found:
        yield hit(text.pointer, text.value, found=", ".join(f"U+{ord(char):04X}" for char in found))


_DONE = lazy_pattern(r"\b(?:was|were|is|are|(?:has|have) been)\s(?:\w+ly\s)?(\w{4,20})ed\b", re.IGNORECASE)
_NOT_POSSIBLE = r"\b(?:cannot|can\s?not|can't|can’t|unable to)\s(?:be\s)?"
_MAX_DENIALS = 8
"""Maximum number of such sentences that are compared with the rest of the text; a benign text has one or two."""


def concealment(text: Text, _context: Context) -> Iterator[Hit]:
    """No phrase that asks to keep something from the user, unless it is something that never happens."""
    for number, match in enumerate(_CONCEAL.finditer(text.value)):
        if number == _MAX_DENIALS or not _never_happens(text.value, match.end()):
            yield hit(text.pointer, text.value, found=match.group())
            return


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
        before, after = text.value[max(0, match.start() - 200) : match.start()], text.value[match.end() :][:200]
        if not _BLOCKED.search(_SENTENCE_END.split(before)[-1] + _SENTENCE_END.split(after)[0]):
            yield hit(text.pointer, text.value, found=match.group())
            return


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
        # A digest, an address, a key and a path stand for no text, and a cursor for no words.
        said = _decoded(run)
        if _WORDS.search(said):
            yield hit(text.pointer, text.value, found=f"{run[:12]}…", length=len(run), said=one_line(said, 60))
            break


_MAX_RUNS = 5_000
"""Maximum number of long runs read in one string: what a description of the largest size that is read can hold."""
_MAX_DECODED = 200_000
"""Maximum number of characters decoded of one run: a picture of the size that a description may have."""
_READABLE = lazy_pattern(
    r"[ -~\n\t\u00c0-\u024f]{24,}|[\u0370-\u052f]{8,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{6,}"
)
"""Readable characters in a row: 24 with Latin letters, eight Greek or Cyrillic ones, six that stand for syllables or
words. None of 20,000 runs of 3,000 random bytes holds as many."""
_WORDS = lazy_pattern(r"[A-Za-z]{2,20}[\s_+-][A-Za-z]{2,20}|[^\x00-\x7f]{3}")


def _decoded(run: str) -> str:
    """The text for which base64 stands, wherever in the run it begins; empty if it stands for none."""
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
    # A line of ASCII has no other white space, and most strings are one.
    if value.isascii() and value.isprintable() and " " * most not in value:
        return
    match = _gap(most).search(value)
    if match is not None:
        yield hit(text.pointer, text.value, length=len(match.group()))


# One entry per value of the option `max`; a run has one value.
@functools.lru_cache(maxsize=8)
def _gap(most: int) -> re.Pattern[str]:
    """Blanks in front of text, as many as push it out of an editor's line; or empty lines."""
    return re.compile(rf"(?<![^\S\n])[^\S\n]{{{most + 1},}}+(?=\S)|\n(?:[^\S\n]*\n){{4,}}")


@about(argument=True, keys={"default"})
def default_credential(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No default of a parameter for a credential; its value is not shown either."""
    value, name = node.schema.get("default"), node.argument or ""
    named = names_password(name) or names_key(name)
    if named and isinstance(value, str) and len(value) >= _SHORTEST_CREDENTIAL and not _NO_CREDENTIAL.search(value):
        yield hit(f"{node.pointer}/default", value, argument=node.argument, found=outline(value))


_SHORTEST_CREDENTIAL = 8
"""Minimum number of characters of a default that is taken for a credential; a shorter one is a word or a code."""
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
        for name in parameters_of(tool):
            if names_key(name):
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
