"""A tool's deprecation as its server publishes it: in ``_meta``, tags, the schema, or plain words.

No revision of the protocol has a field for it, so people use whatever reaches the client:

- ``_meta``: our own key, ``deprecated`` (a flag, a sentence or an object), or any ``…/deprecated``; ``status``,
  ``lifecycle`` or ``stability`` of ``deprecated``. FastMCP 2 and 3 publish tags under ``_fastmcp`` and ``fastmcp``.
- ``deprecated`` on the tool, among its annotations, or as the keyword of JSON Schema at the root of ``inputSchema``.
- The description or the title: "DEPRECATED: use `y` instead", anywhere in it. Words about other things ("returns
    deprecated packages", "argument `x` is deprecated") are not about the tool.

Phrases for "there is no replacement" are the same in descriptions and changelogs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.model import Deprecation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


_ADJECTIVES = (
    r"(?:(?:direct|drop-?in|planned|exact|known|new|suitable|other|real|single|one-to-one|1:1|like-for-like|immediate"
    r"|viable|obvious|further)\s+){0,2}"
)
_NOUNS = r"(?:replacements?|successors?|substitutes?|alternatives?|equivalents?|counterparts?|migration(?:\s+path)?)\b"
_REPLACED = r"(?:replac(?:ed|es?|ing)|supersed(?:ed|es?|ing)|succeed(?:ed|s)?|substitut(?:ed|es?|ing))\b"
_IN_ITS_PLACE = (
    rf"(?:{_REPLACED}|instead\b|in\s+(?:its|their)\s+(?:place|stead)\b|tak(?:es?|ing)\s+(?:its|their|over)\b)"
)
_NONE = r"(?:none|nothing|nil|null|n/a|no)\b"

# "no alternative but to use …" names a replacement.
_NOTHING = lazy_pattern(
    rf"\b(?:no|without(?:\s+(?:an?|any))?)\s+{_ADJECTIVES}{_NOUNS}(?!\s+(?:but|than|other\s+than|except)\b)"
    rf"|(?:\bnot|n['’]t|\bnever)\s+(?:have|need|require|get|offer|provide|ha[ds])\s+(?:an?|any)\s+{_ADJECTIVES}{_NOUNS}"
    rf"|\b(?:nothing|nobody|no\s+(?:other\s+)?(?:tool|one|call|command))\b[^.;`\n]{{0,40}}?\b{_IN_ITS_PLACE}"
    rf"|\b(?:replaced|superseded|succeeded)\s+by\s+(?:nothing|nobody|no\s+(?:other\s+)?tool)\b|\buse\s+nothing\s+instead\b"
    rf"|(?:\b(?:not|never)|n['’]t)\s+(?:(?:be|been|being|get|going\s+to\s+be|directly)\s+){{0,2}}{_REPLACED}"
    rf"|\b(?:replacement|replaced\s+by|successor|alternative|migration|instead|use)(?:\s+tool)?[*_`]{{0,2}}"
    rf"\s*[:=]\s*[*_`]{{0,2}}{_NONE}|\bthere\s+(?:is|are)\s+none\b|\b(?:stop\s+(?:calling|using)\s+(?:it|them)\b)",
    re.IGNORECASE,
)


def nothing_instead(text: str) -> int | None:
    """Finds words that say that there is no replacement ("no replacement", "nothing replaces it").

    Returns:
        The position of the first such words; ``None`` if there are none.
    """
    found = _NOTHING.search(text)
    return found.start() if found is not None else None


META_PREFIX = "dev.mcp-governor/"
"""Our own ``_meta`` prefix (reverse DNS, as the specification recommends)."""

MAX_MENTIONS = 100
"""Maximum number of occurrences of "deprecated" that are read in a description; one with more lists other things."""

_FASTMCP = ("fastmcp", "_fastmcp")
_STATES = ("status", "lifecycle", "stability")
_SINCES = ("since", "deprecatedSince", "deprecatedIn", "deprecated_since", "deprecated_in", "version")
_REPLACEMENTS = (
    "replacement",
    "replacedBy",
    "replaced_by",
    "successor",
    "useInstead",
    "use_instead",
    "use",
    "alternative",
)
_SUNSETS = ("sunset", "removal", "removedIn", "removed_in", "removeIn", "remove_in", "sunsetDate", "sunset_date")
_REASONS = ("reason", "message", "note", "description")
_MESSAGES = ("deprecationMessage", "deprecationReason", "deprecation_message", "deprecation_reason")


def deprecation_of(entry: Mapping[str, Any], tools: Collection[str] = ()) -> Deprecation | None:
    """A tool's deprecation; ``None`` if there is none.

    Args:
        entry: the tool as published.
        tools: the names of all published tools: a plain word in a sentence is a replacement if it is one of them.
    """
    marked, prose = _marked(entry, tools), _of_words(entry, tools)
    if marked is None or prose is None:
        return marked or prose
    # The marker takes precedence; the description fills in what it leaves out.
    return replace(
        marked,
        since=marked.since or prose.since,
        replacement=marked.replacement or (None if marked.nothing else prose.replacement),
        sunset=marked.sunset or prose.sunset,
        reason=marked.reason or prose.reason,
        nothing=marked.nothing or (prose.nothing and marked.replacement is None),
    )


# -- markers


def _marked(entry: Mapping[str, Any], tools: Collection[str]) -> Deprecation | None:
    own = str(entry.get("name"))
    for source, table, value in _markers(entry):
        found = _read_marker(value, source, own, tools)
        if found is None:
            continue
        said = next((table[key] for key in _MESSAGES if isinstance(table.get(key), str)), None)
        if said is not None and found.replacement is None:
            stated = _from_text(said, source, own, tools)
            found = replace(found, replacement=stated.replacement, reason=stated.reason, nothing=stated.nothing)
        if found.replacement is None and not found.nothing:
            # The tool is marked as deprecated, so plain advice in its description is about that.
            found = replace(found, replacement=_advised(_description(entry), own, tools))
        return found
    return None


def _markers(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Every place that may have a flag, with the object around it; the first meaningful one counts."""
    meta = _object(entry.get("_meta"))
    keys = [f"{META_PREFIX}deprecated", "deprecated", *(key for key in meta if str(key).endswith("/deprecated"))]
    yield from (("_meta", meta, meta[key]) for key in keys if key in meta)
    own = [_object(meta.get(key)) for key in _FASTMCP]
    yield from (("_meta", table, table["deprecated"]) for table in own if "deprecated" in table)
    for source, table in (
        ("tool", entry),
        ("annotations", _object(entry.get("annotations"))),
        ("inputSchema", _object(entry.get("inputSchema"))),
    ):
        if "deprecated" in table:
            yield source, table, table["deprecated"]
    for table in (meta, *own):
        if any(str(table.get(key)).lower() == "deprecated" for key in _STATES):
            yield "_meta", table, True
    if any(tag.lower().rpartition(":")[2] == "deprecated" for tag in tags_of(entry)):
        yield "tags", {}, True


def tags_of(entry: Mapping[str, Any]) -> Iterable[str]:
    """FastMCP's tags, under the key of FastMCP 3 and 4 or the older one."""
    meta = _object(entry.get("_meta"))
    for key in _FASTMCP:
        tags = _object(meta.get(key)).get("tags")
        if isinstance(tags, list):
            return [tag for tag in tags if isinstance(tag, str)]
    return []


def _read_marker(value: Any, source: str, own: str, tools: Collection[str]) -> Deprecation | None:
    if value is True:
        return Deprecation(source=source)
    if isinstance(value, str) and value.strip() and value.strip().lower() not in ("false", "no"):
        return _from_text(value, source, own, tools)
    if not isinstance(value, dict):
        return None
    replacement, reason = _first(value, _REPLACEMENTS), _first(value, _REASONS)
    if replacement is None and reason is not None:
        stated = _from_text(reason, source, own, tools)
        replacement, nothing = stated.replacement, stated.nothing
    else:
        nothing = replacement is not None and replacement.lower() in ("none", "nothing")
    return Deprecation(
        since=_first(value, _SINCES),
        replacement=None if nothing else replacement,
        sunset=_first(value, _SUNSETS),
        reason=reason,
        source=source,
        nothing=nothing,
    )


def _first(table: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((table[key] for key in keys if isinstance(table.get(key), str) and table[key]), None)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# -- words

_MENTION = lazy_pattern(r"(?<![\w-])deprecat(?:ed|ion)\b", re.IGNORECASE)
_ROOT = "deprecat"
_NEAR = 240
"""Number of characters around the word that show what it is about and contain the advice: two long sentences."""

_OWN_NOUN = (
    r"(?:tools?|alias|methods?|functions?|commands?|endpoints?|api|operation|actions?|version|variant|wrapper|shim"
    r"|feature|name|call|capability)"
)
_LEAD_IN = (
    r"(?:(?:please\s+)?(?:note|notice|warning|important|caution|attention|beware|status|info|nb)\b\W{0,6}(?:that\s+)?)?"
)
_SENTENCE = r"(?:^|\n|[.!?;)\]]\s|[—–|•·]\s?|\s-\s)"
# Only punctuation between the start of a sentence and the word: "**DEPRECATED**", "⚠️ [deprecated", "@deprecated".
_LABEL_BEFORE = lazy_pattern(
    rf"(?:{_SENTENCE}|[(\[{{])[^\w(\[{{.;!?\n]{{0,12}}[(\[]?[^\w\n]{{0,6}}{_LEAD_IN}$", re.IGNORECASE
)
_ADVICE_WORDS = (
    r"(?:please\s+)?(?:use|call|try|prefer|see|switch|migrate|move|replaced|superseded|renamed|merged|in\s+favou?r|instead"
    r"|will\s+be\s+removed|to\s+be\s+removed|scheduled|do\s+not\s+use|don['’]t\s+use|nothing|no\s+(?:longer|replacement)"
    r"|without|since|as\s+of|this|it\s+(?:will|is|has)|kept|alias)\b"
)
_LABEL_AFTER = lazy_pattern(
    rf"[*_`~]{{0,3}}(?:\s*(?:$|\n|[:.!,;)\]}}|]|[—–]|-+>?\s|→)|\s+[^\w\s`'\"“(\[{{<]|\s+(?:{_ADVICE_WORDS}|v?\d|(?:in|from|by|for)\b"
    rf"|{_OWN_NOUN}(?=\s*(?:$|[.,:;!—–)\]]|(?:for|of|in|since|and|which|that|kept|use)\b))))",
    re.IGNORECASE,
)
_DENIED_AFTER = lazy_pattern(r"[*_`]*\s*:\s*(?:false|no|none|n/a)\s*(?:$|[.,;\n])", re.IGNORECASE)
_ADVISED_AFTER = lazy_pattern(rf"[*_`~)\]]{{0,4}}\s*[:.,;!—–-]{{0,3}}\s*{_ADVICE_WORDS}", re.IGNORECASE)
_CONDITION = lazy_pattern(r"[*_`]{0,3}\s+(?:if|when|unless|where|whenever|only|or)\b", re.IGNORECASE)
_NOTICE_AFTER = lazy_pattern(r"(?:\s+(?:notice|warning|note))?[*_`]{0,3}\s*[:—–]", re.IGNORECASE)
_IS = (
    r"\s+(?:is|are|was|has\s+been|have\s+been)\s+(?:(?:now|currently|officially|already|considered|marked|as|hereby|being"
    r"|also|formally|an?|the)\s+){0,3}[*_`\"'(\[]{0,3}$"
)


def _of_words(entry: Mapping[str, Any], tools: Collection[str]) -> Deprecation | None:
    """The deprecation in the title or the description, if it is about the tool itself."""
    own = str(entry.get("name"))
    annotations = _object(entry.get("annotations"))
    for title in (entry.get("title"), annotations.get("title")):
        if isinstance(title, str) and _notice(title, own) is not None:
            return _from_text(f"{title}\n{_description(entry)}"[: 2 * _NEAR], "title", own, tools)
    described = _description(entry)
    # Few descriptions have the word, and the lines of the others need not be separated.
    if _ROOT not in described.lower():
        return None
    text = _without_arguments(described, _arguments(entry))
    at = _notice(text, own)
    if at is None:
        return None
    begin, end = _passage(text, at)
    notice = _from_text(text[at:end], "description", own, tools)
    if notice.replacement is None and not notice.nothing:
        before = _from_text(text[begin:at], "description", own, tools)
        notice = replace(notice, replacement=before.replacement, nothing=before.nothing)
    return replace(notice, reason=_sentence(text, at))


def _description(entry: Mapping[str, Any]) -> str:
    text = entry.get("description")
    return text if isinstance(text, str) else ""


def _notice(text: str, own: str) -> int | None:
    """Position at which a string says that the tool is deprecated."""
    if _ROOT not in text.lower():
        return None
    subject = None
    for number, match in enumerate(_MENTION.finditer(text)):
        if number == MAX_MENTIONS:
            break
        before, after = text[max(0, match.start() - _NEAR) : match.start()], text[match.end() : match.end() + _NEAR]
        if _is_label(before, match[0], after, first=not text[: match.start()].strip(" \t\r\n*_`[(#>!")):
            return match.start()
        if subject is None:
            subject = _subject(own)
        if match[0].lower() == "deprecated" and subject.search(before) and not _CONDITION.match(after):
            noun = re.search(r"\b(?:an?|the)\s+\W{0,3}$", before, re.IGNORECASE)
            if noun is None or re.match(rf"\W{{1,4}}{_OWN_NOUN}\b", after, re.IGNORECASE):
                return match.start()
    return None


def _is_label(before: str, word: str, after: str, *, first: bool) -> bool:
    if word.lower() == "deprecation":
        return _LABEL_BEFORE.search(before) is not None and _NOTICE_AFTER.match(after) is not None
    if _DENIED_AFTER.match(after) or _CONDITION.match(after):
        return False
    advised = _ADVISED_AFTER.match(after) is not None
    if _LABEL_BEFORE.search(before) is None:
        # In capitals and with advice it is a label anywhere, unless it is quoted.
        return word.isupper() and advised and not before.endswith(("'", '"', "`", "“"))
    if _LABEL_AFTER.match(after) is None:
        return False
    if before.rstrip(" *_`").endswith(("(", "[")) and after[:1] in ")]" and after[:1]:
        # "(deprecated)" in the middle of a sentence is about the word before it.
        alone = not before.strip(" *_`([⚠️")
        return alone or word.isupper() or re.match(r"[)\]][*_`]{0,3}\s*(?:$|[.:;!\n—–-])", after) is not None
    # A separate line that begins in lower case is more often a field of the result than a notice.
    return first or advised or word[0].isupper() or before.endswith(("@", ".. ", "(", "["))


def _subject(own: str) -> re.Pattern[str]:
    """Matches the end of the text before the word if the sentence is about the tool: "This tool is now "."""
    named = rf"(?:the\s+)?[`'\"*“]{{0,3}}{re.escape(own)}[`'\"*”]{{0,3}}(?:\(\))?(?:\s+{_OWN_NOUN})?"
    return re.compile(
        rf"(?:{_SENTENCE}|:\s)[^\w\n]{{0,8}}{_LEAD_IN}(?:(?:the\s+)?use\s+of\s+)?"
        rf"(?:this(?:\s+(?:[a-z]+\s+)?{_OWN_NOUN})?|the\s+{_OWN_NOUN}|it|{named}){_IS}",
        re.IGNORECASE,
    )


def _passage(text: str, at: int) -> tuple[int, int]:
    """The part of a paragraph around a position that may contain the advice."""
    begin = max(text.rfind("\n\n", 0, at), at - _NEAR, 0)
    end = text.find("\n\n", at)
    return begin, min(end if end >= 0 else len(text), at + 2 * _NEAR)


def _sentence(text: str, at: int) -> str:
    """The line that contains a position."""
    return text[text.rfind("\n", 0, at) + 1 : at + 2 * _NEAR].split("\n", 1)[0].strip()


_ARGUMENTS_HEAD = lazy_pattern(
    r"(?:#{1,6}\s*)?[*_]{0,2}(?:args|arguments?|parameters?|params|inputs?|options|returns?|raises|yields|output)[*_]{0,2}"
    r"\s*:?[*_]{0,2}:?",
    re.IGNORECASE,
)
_ENTRY = lazy_pattern(
    r"(?:[-*•+]\s+|[:@]param\s+(?:\w+\s+)?)?[`*_\"']{0,3}(?P<name>[A-Za-z_$][\w.$-]{0,63})[`*_\"']{0,3}\s?(?:\([^()\n]{0,80}\)\s?)?(?::|–|—|\s-\s)"
)


def _arguments(entry: Mapping[str, Any]) -> Collection[str]:
    return _object(_object(entry.get("inputSchema")).get("properties")).keys()


def _without_arguments(text: str, names: Collection[str]) -> str:
    """A description without code, and without the lines about parameters and results, all replaced with spaces."""
    out: list[str] = []
    section: int | None = None  # indentation of the heading whose entries are being read
    entry: int | None = None
    fenced = False
    for line in text.split("\n"):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        if stripped.startswith("```"):
            fenced, keep = not fenced, False
        elif _ARGUMENTS_HEAD.fullmatch(stripped) and stripped:
            section, entry, keep = indent, None, False
        else:
            if section is not None and stripped and indent <= section and not _ENTRY.match(stripped):
                section = None
            match = _ENTRY.match(stripped)
            if match is not None and match["name"] in names:
                entry = indent
            elif not stripped or (entry is not None and indent <= entry):
                entry = None
            keep = not fenced and section is None and entry is None
        out.append(line if keep else " " * len(line))
    return "\n".join(out)


_QUOTED = r"[`'\"“‘*]{1,3}(?P<quoted>[\w.\-/]+)(?:\(\))?[`'\"”’*]{1,3}"
_BARE = r"(?P<bare>[A-Za-z][\w.\-/]*\w)"
_ADVICE = lazy_pattern(
    r"(?:\b(?:use|using|call|calling|try|prefer|see|switch(?:ing)?\s+to|migrate\s+to|move(?:d)?\s+to|replaced\s+(?:by|with)"
    r"|superseded\s+by|in\s+favou?r\s+of|renamed\s+(?:to)?|merged\s+into|alias\s+(?:of|for)|replacement:?|successor:?)"
    rf"|→|->|=>)\s*(?:(?:the|our|its)\s+)?(?:new(?:er)?\s+)?(?:tools?\s+)?(?:{_QUOTED}|{_BARE})",
    re.IGNORECASE,
)
_CODE = lazy_pattern(r"`([\w.\-/]+)(?:\(\))?`")
_OF_A_PART = lazy_pattern(
    r"\s+(?:arguments?|parameters?|fields?|options?|flags?|propert(?:y|ies)|modes?)\b", re.IGNORECASE
)
_INSTEAD = lazy_pattern(r"[^.;\n]{0,40}?\binstead\b", re.IGNORECASE)
_VERSION = r"v?(?P<version>\d{4}-\d\d-\d\d|\d+\.\d+(?:\.\d+)?[\w.+-]*)"
_SINCE = lazy_pattern(
    rf"\b(?:since|as\s+of|in|from|version|deprecated)\s+(?:version\s+|release\s+)?{_VERSION}", re.IGNORECASE
)
_SUNSET = lazy_pattern(
    r"\b(?:(?:will\s+be|to\s+be|going\s+to\s+be)\s+(?:removed|dropped|deleted)|removal|sunset)\b[^.;\n\d]{0,30}?\b"
    + _VERSION,
    re.IGNORECASE,
)
_ENDING = lazy_pattern(r"\b(?:remov|drop|delet|gone|sunset|disappear)\w*[^.;\n]{0,25}$", re.IGNORECASE)


def _from_text(text: str, source: str, own: str, tools: Collection[str]) -> Deprecation:
    named = _named(text, own, tools)
    sunset = _SUNSET.search(text)
    since = next(
        (
            found
            for found in _SINCE.finditer(text)
            if not _ENDING.search(text[max(0, found.start() - 60) : found.start()])
        ),
        None,
    )
    # "There is no direct replacement; use `y`" still names one.
    nothing = nothing_instead(text) is not None and named not in tools
    return Deprecation(
        since=since["version"].rstrip(".-") if since else None,
        replacement=None if nothing else named,
        sunset=sunset["version"].rstrip(".-") if sunset else None,
        reason=text.split("\n", 1)[0].strip(),
        source=source,
        nothing=nothing,
    )


def _named(text: str, own: str, tools: Collection[str]) -> str | None:
    """The tool that a sentence recommends: an existing one, else a word that looks like a tool name."""
    advised = list(_ADVICE.finditer(text))
    named = [_name(match) for match in advised]
    quoted = _CODE.findall(text) if advised else []
    existing: str | None = next((name for name in (*named, *quoted) if name in tools and name != own), None)
    if existing is not None:
        return existing
    for match, name in zip(advised, named, strict=True):
        spelled = match["quoted"] is not None or re.search(r"\w[_.-]\w", name)
        if spelled and name != own and not _OF_A_PART.match(text, match.end()):
            return name
    return None


def _advised(text: str, own: str, tools: Collection[str]) -> str | None:
    """The replacement for a tool that is marked as deprecated, if the description recommends an existing one.

    "Use `search` results" says what the tool is for; "use `search` instead" and "replaced by `search`" are
    recommendations.
    """
    for match in _ADVICE.finditer(text[: 8 * _NEAR]):
        name = _name(match)
        plain = match[0].lower().startswith(("use", "using", "call", "see", "try", "prefer"))
        if name in tools and name != own and (not plain or _INSTEAD.match(text, match.end())):
            return name
    return None


def _name(match: re.Match[str]) -> str:
    name: str = match["quoted"] or match["bare"].rstrip(".")
    return name
