"""Closed lists in prose: the values that a parameter accepts, where the description clearly lists all of them.

People write such lists in few forms: after words that announce a list ("one of", "valid values"), as quoted
alternatives ("'before' or 'after'"), in brackets after a word for a kind ("Cloud provider (gcp, aws, azure)"), with
bars, as bullets, and as ``Literal[…]``. Examples ("e.g.", "such as") and open-ended lists ("etc.", "or a custom one")
are not closed lists.

All patterns are bounded, and at most :data:`_MAX_TEXT` characters of a description are read.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.linting.guarded import Cues, Guarded, lowered

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_TEXT = 4_000
"""Maximum number of characters read from a description; later text does not define a parameter's values."""
_MAX_VALUES = 60
"""Maximum number of values in a list; a longer one belongs in a document, and nobody would turn it into an enum by
hand."""

_QUOTED = r"(?:``[^`\n]{1,60}``|`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|‘[^’\n]{1,60}’)"
_BARE = r"[A-Za-z0-9_][\w.+\-]{0,49}"
_ITEM = re.compile(rf"(?P<quoted>{_QUOTED})|(?P<bare>{_BARE})")
# What may separate two items. A quoted item may have an explanation ("'bullet' for bullets or 'number' for …").
_NEXT = re.compile(r"\s?(?:[,;]\s?(?:(?:or|and)\s)?|\|\|?\s?|/\s?|(?:or|and|and/or)\s)")
_NOTE = re.compile(r"\s?\([^()\n]{0,160}\)|\s?=\s?[^,;|.()\n]{1,80}")
_EXPLAINED = re.compile(
    r"\s?(?:\([^()\n]{0,160}\)|(?::|=|-|–|—|for|to|if|when|means|meaning|is|will|returns?|only|in|with)(?=\s)"
    r"[^;|\n'\"`“]{1,120}?(?=[,;]\s(?:or\s|and\s)?['\"`“]|\.\s['\"`“]|\s(?:or|and)\s['\"`“]))"
)
_BRANCH = re.compile(
    rf"(?:^|[.;,:(]\s|\n)(?:(?:if|when|with|for|use|using|set to|pass|and|or)\s){{0,2}}(?P<item>{_QUOTED})"
    r"(?:\smode)?(?:,|:|\s(?:[a-z]{2,20}s\b|for\b|to\b|will\b|=|-|–|—|→))",
    re.IGNORECASE,
)
"""A value and its effect: "If 'full', everything comes back", "'open' lists open ones"."""
_BEHIND = re.compile(
    r"\s?(?:are|is)\s(?:currently\s|the\s)?(?:only\s)?(?:supported|allowed|accepted|valid|permitted|available|possible)\b",
    re.IGNORECASE,
)
_OR_SENTENCE = re.compile(r"\.?\s(?:or\s|and\s)(?=['\"`“])|\.\s(?=['\"`“])|\.\s(?:[A-Z][\w ]{0,20}:\s)(?=['\"`“])")
_MARK = re.compile(r"\bor\b|[|/]")
_ENDS = re.compile(
    r"\s?(?:$|[.)\]}>\n;]|[,:]\s|[,;(]?\s?(?:defaults?|optional|required|only|case)\b|[—–-]\s)", re.IGNORECASE
)

_PROMISE = Guarded(
    r"\b(?:one or more of|(?:one|any|either) of(?:\sthe)?(?:\s(?:following|these|values|options)){0,2}"
    r"|(?:allowed|valid|possible|accepted|acceptable|supported|available|permitted|permissible|recogni[sz]ed"
    r"|optional|legal)\s(?:[a-z]{1,16}\s){0,2}(?:values?|options?|choices|types?|modes?|formats?|operations?|actions?|levels?"
    r"|[a-z]{3,20}(?=:\s['\"`“]))(?:\s(?:for|of)\s(?:the\s)?[`'\"]?\w{1,40}[`'\"]?(?=\s(?:are|is|include)\b|:))?"
    r"|(?:allowed|valid|accepted|supported|permitted)(?=\s?:)"
    r"|values(?:\srange)?|options|choices|accepts|supports|enum|either"
    r"|must (?:be|equal)(?:\seither|\sone of)?|(?:can|may) (?:only\s)?be(?:\seither)?"
    r"|(?:consists?|made up|composed)\s(?:only\s|solely\s)?of|(?:limited|restricted|set)\sto(?:\seither|\sone of)"
    r"|(?:limited|restricted)\sto|choose (?:from|between)|pick (?:from|one)|select (?:from|one)"
    r"|use(?:\seither)?(?=:?\s['\"`“])|only)"
    r"(?:\*\*)?(?:\s(?:are|is))?(?:\*\*)?\s?(?::|=|—|–|\s-)?\s?[(\[{]?\s?(?:[A-Z][\w ]{0,20}:\s(?=['\"`“]))?",
    *("allowed", "valid", "possible", "accept", "supported", "available", "permi", "optional", "legal", "recogni"),
    *(
        "must ",
        "may ",
        "one of",
        "any of",
        "more of",
        "value",
        "option",
        "choice",
        "type",
        "mode",
        "format",
        "operation",
        "action",
    ),
    *("level", "accepts", "supports", "enum", "can ", "either", "consist", "made up", "composed", "limited"),
    *("restricted", "choose", "pick", "select", "use", "only", " to "),
    starts="acelmoprsuv",
)
_PLAINLY = re.compile(
    r"(?:(?:must|can|may) (?:only )?be )?(?:one of|either of).*"
    r"|(?:allowed|valid|possible|accepted|acceptable|supported|available|permitted|permissible|legal)"
    r"(?:\s(?:[a-z]{1,16}\s){0,2}(?:values?|options?|choices)\b.*|\s?:.*)"
    r"|(?:values|options|choices|enum|(?:can|may|must) (?:only )?be)\b.*[:=].*|(?:values|options|choices) are.*"
    r"|(?:choose|pick|select) (?:from|between).*",
    re.IGNORECASE,
)
"""Words that announce values whatever the parameter's name is; "supports" and "only" often announce something else."""
_REST = re.compile(r"[.)]?(?:\s?[(,.]?\s?defaults?\b.{0,80})?", re.IGNORECASE)
_ALL_OF_IT = re.compile(
    r"\b(?:(?:allowed|valid|possible|accepted|supported|available|permitted|legal|following)(?:\s[a-z]{1,16}){0,3}"
    r"|one of(?:\sthe following)?|must be|values|options|choices)\s?:$",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"(?<=[.:;)]\s)(?:allowed|valid|possible|accepted|supported|permitted) (?:values|options)(?: are)?:", re.IGNORECASE
)
_LITERAL = Guarded(r"\b(?:literal|enum)\[([^\]\n]{1,400})\]", "literal[", "enum[")
_ONLY = re.compile(rf"^(?:must|should|has to)\s(?:always\s)?(?:be|equal)\s(?P<one>{_QUOTED})\.?$", re.IGNORECASE)
_ALONE = re.compile(
    rf"(?:^|[.;,(]\s?)(?:the\s)?(?:possible|allowed|valid|supported|accepted) values?(?: is| are)?:\s"
    rf"(?P<one>{_QUOTED}|[A-Za-z0-9][\w\-]{{0,40}})(?=\s?(?:$|[.)](?:\s|$)))"
    rf"|\bonly\s(?P<other>{_QUOTED})\s(?:is\s)?(?:currently\s)?(?:supported|allowed|accepted)\b",
    re.IGNORECASE,
)
"""A list of one value: "possible values: pdf"."""
# The lookbehind keeps a search from starting again at every letter of a word.
_OPENED = re.compile(r"(?<![A-Za-z_])(?P<noun>[A-Za-z_]++)\s?(?:\(|\[|\{|<|:\s|→\s|—\s|–\s|\s-\s)(?=[\w`'\"“])")
_BARS = re.compile(
    r"(?<![\w|'\"`.\-])(?P<open>[\[({<])?\s?(?P<values>[A-Za-z0-9_][\w.\-]{0,40}(?:\s?\|\s?[A-Za-z0-9_][\w.\-]{0,40}){1,59})"
    r"(?![\w|'\"`(\[])"
)
_MARKED = re.compile(
    r"([\w.\-]+)['\"`”]?\s?\((?:[^()\n]{0,40}\b)?default\b"
    r"|\bdefaults?(?:\sto|\sis|\svalue)?(?:\sis)?\s?[:=]?\s?['\"`“]?(\w[\w\-]*)",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"(?<![\w=])['\"`“‘](?=[A-Za-z0-9_*+\-])")
_BRACKETED = re.compile(rf"\(\s?({_QUOTED})\s?\)")
_BULLET = re.compile(
    rf"[-*•+]\s?(?P<item>{_QUOTED}|[A-Za-z0-9_][\w.+\-]{{0,49}})(?:\s\([^()\n]{{0,80}}\))?\s?(?::|=|–|—|-\s|→|$)"
)
_LONE = re.compile(_BARE)
_SPACED = re.compile(r":\s(?P<values>[A-Za-z][^\W_]{0,30}_\w{1,40}(?:\s[A-Za-z][^\W_]{0,30}_\w{1,40}){2,59})\s?$")
"""Identifiers at the end of a description that had a line each."""
_LINE = re.compile(rf"(?:(?<=\n)|^)(?:\d{{1,2}}[.)]\s)?(?P<item>{_QUOTED})\s{{0,4}}(?::|=|–|—|-\s|→)")
"""A value on a line of its own, without a bullet or after a number."""
_ANY_QUOTED = re.compile(rf"(?<![\w=]){_QUOTED}")
_OTHERWISE = re.compile(r"\b(?:otherwise|any other|anything else|else)\b", re.IGNORECASE)
_START = re.compile(r"(?:^|[.:;]\s|\n)(?:(?:currently|only|both)\s){0,2}(?=[\w`'\"“])", re.IGNORECASE)
_GLUED = re.compile(rf"-\s(?P<item>{_QUOTED}|[a-z][a-z_]{{1,30}}(?=-\s|:))(?=\s?:|\s?-\s|\s|$)")

# "e.g. a" does not end a sentence. The text keeps its length.
_ABBREVIATED = re.compile(r"\.(?:(?<=\be\.g\.)|(?<=\bi\.e\.)|(?<=\b(?:eg|ie|vs)\.)|(?<=\bincl\.))", re.IGNORECASE)
_SHORT_FORMS = Cues("e.g.", "i.e.", "eg.", "ie.", "vs.", "incl.")
_EXAMPLE = re.compile(
    r"\b(?:e\.?g|i\.e|such as|for example|for instance|like|examples?|sample|including|includes?|typically|usually"
    r"|commonly|often|similar to|recommended|suggested|common|popular|useful|try|not|never|instead of|unlike|than"
    r"|formatted (?:as|like)|in (?:the )?form(?:at)?(?: of)?)\b|\bformat:\s?$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:only (?:for|when|if|with)|required (?:for|when|if)|needed (?:for|when|if)|ignored|when|if|unless)\s"
    r"(?:the\s)?(?:[a-z_]{1,20}\s?[=]?\s?){0,2}$",
    re.IGNORECASE,
)
_ABOUT_OTHERS = re.compile(
    r"\b(?:only (?:for|when|if|with|valid)|required (?:for|when|if|by|with)|needed (?:for|when|if)|used (?:by|for|when)"
    r"|ignored|applies|when|if|unless|where|returned by|returns?|from|see|call)\s"
    r"(?:the\s)?(?:[a-z_]{1,20}\s?[=]?\s?){0,2}$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s?[,;]?\s?(?:(?:and|or|plus|&)\s)?(?:etc\b|\.\.\.|…|more\b|others?\b|any\b|custom\b|an?\s|your\b|the\s|all other"
    r"|similar|so on|many|another|some|among|everything|anything|combination)",
    re.IGNORECASE,
)
_FREE = Guarded(
    r"\b(?:custom|arbitrary|any (?:string|value|valid|other)|free[- ]?(?:form|text)|other (?:values?|names?|types?)"
    r"|and more|(?:as|valid|raw|optional|a) json"
    r"|json[- ](?:string|array|object|text|list|encoded|formatted|document|body)"
    r"|comma[- ]separated|regex|regular expression|glob|expression|wildcard)\b"
    r"|\bor an? (?:positive |valid |specific )?(?:string|text|number|integer|float|url|path|date|timestamp)\b"
    r"|\bor string for\b|\betc\b|[{(\[]\s?\{|\{\s?[\"']",
    *("custom", "arbitrary", "any ", "free", "other ", "and more", "json", "comma", "reg", "glob", "expression"),
    *("wildcard", "etc", "{", "or a ", "or an ", "string for"),
    starts=r"(\[acefgjorvw{",
)

_DEFAULT = Guarded(
    rf"\b[Dd]efault(?:s|ing)?(?:\sto|\sis|\svalue(?:\sis)?)?\s?[:=]?\s"
    rf"(?:(?P<quoted>{_QUOTED})|(?P<bare>[A-Z][A-Z_]{{2,40}}\b))",
    "default",
    ignore_case=False,
)
_TYPES = frozenset(
    ["string", "str", "integer", "int", "number", "float", "boolean", "bool", "array", "list", "object", "dict"]
)
_NO_VALUES = frozenset(
    {"null", "none", "empty", "omitted", "unset", "default", "defaults", "undefined", "optional", "required"}
    | {
        "e.g",
        "i.e",
        "eg",
        "ie",
        "the",
        "a",
        "an",
        "it",
        "this",
        "that",
        "and",
        "or",
        "not",
        "any",
        "nil",
        "inclusive",
        "exclusive",
    }
)
_REMARKS = frozenset({"default", "defaults", "optional", "required"})
_LEFT_OUT = frozenset({"null", "none", "empty", "unset"})


class ClosedList(NamedTuple):
    """A list of values that prose gives for a parameter.

    Attributes:
        values: as written, without quotes.
        quoted: every value is in quotes.
        promised: the words in front announce a list of values.
        noun: the word in front of the bracket or colon that opens the list, in lower case; empty if there is none.
        alternatives: an "or", a bar or a slash separates them.
        bullets: each value has a line.
        plainly: the words in front announce values and nothing else ("one of", "allowed values", "can be:").
        explained: an explanation in brackets follows most of the values.
        whole: the list is the whole text, apart from a default.
        bracketed: it is in brackets.
        marked: the text names one of the values as the default.
    """

    values: tuple[str, ...]
    quoted: bool
    promised: bool
    noun: str = ""
    alternatives: bool = False
    bullets: bool = False
    plainly: bool = False
    explained: bool = False
    whole: bool = False
    bracketed: bool = False
    marked: bool = False


def closed_lists(text: str) -> tuple[ClosedList, ...]:
    """The closed lists in the description of a parameter, with the clearest ones first."""
    return values_in(text).lists


class Values(NamedTuple):
    """What a description says about the values of a parameter.

    Attributes:
        open: other values are accepted, as in :func:`is_open`.
        lists: the closed lists, as in :func:`closed_lists`.
    """

    open: bool
    lists: tuple[ClosedList, ...]


def values_in(text: str) -> Values:
    """:func:`is_open` and :func:`closed_lists` in one reading."""
    found = is_open(text)
    return Values(found, tuple(_closed_lists(text, found)))


def _closed_lists(text: str, is_open_as_written: bool) -> Iterator[ClosedList]:
    text = text[:_MAX_TEXT]
    if _SHORT_FORMS.are_in(lowered(text)):
        text = _ABBREVIATED.sub(",", text)
        is_open_as_written = is_open(text)
    if is_open_as_written or not _JOINTS.are_in(text):
        return
    promises = list(_PROMISE.finditer(text))
    for found in (
        *_literals(text),
        *_promised(text, promises),
        *_bullets(text, promises),
        *_opened(text),
        *_bars(text),
        *_quotes(text),
        *_branches(text),
        *_supported(text),
    ):
        yield _with_default(text, found)


_JOINTS = Cues(",", "/", "\n", " or ", " and ", "'", '"', "`", ":", ";", "|", "[", "- ", "“", "‘", ")or ", ")and ")
"""What separates values or marks them; a third of all descriptions have none of it and no list."""


def is_open(text: str) -> bool:
    """True if the text says that other values are accepted, or that the value has a syntax of its own."""
    text = text[:_MAX_TEXT]
    promised: re.Match[str] | None = None
    for match in _FREE.finditer(text):
        # Words that continue the sentence before all values are listed are about something else.
        promised = promised or (_VALUES.search(text) if match[0].lower() == "etc" else None)
        if promised is None or match[0].lower() != "etc" or match.start() > promised.start():
            return True
    return False


def _with_default(text: str, found: ClosedList) -> ClosedList:
    """Add the default to a list if the text gives it separately."""
    if "efault" not in text:
        return found
    values = {value.casefold() for value in found.values}
    if any(values.intersection(name.casefold() for name in match.groups() if name) for match in _MARKED.finditer(text)):
        found = found._replace(marked=True)
    match = _DEFAULT.search(text)
    default = _bare(match["quoted"] or match["bare"]) if match is not None else ""
    if not default or default.casefold() in values:
        return found
    return found._replace(values=(*found.values, default))


def _literals(text: str) -> Iterator[ClosedList]:
    only = _ONLY.match(text) or _ALONE.search(text)
    one = _bare(next(filter(None, only.groups()))) if only is not None else ""
    if one and _are_values([one]):
        yield ClosedList((one,), True, True)
    for match in _LITERAL.finditer(text):
        values = tuple(part.strip(" `'\"") for part in match[1].split(","))
        if len(values) <= _MAX_VALUES and all(values):
            yield ClosedList(values, True, True)


def _promised(text: str, promises: list[re.Match[str]]) -> Iterator[ClosedList]:
    for match in promises:
        # Matches "one of" without a list after it, and examples.
        if not _EXAMPLE.search(text, max(_sentence(text, match.start()), match.start() - 60), match.end()):
            found = _run(text, match.end())
            if found is not None:
                leads = match.start() == 0 and match[0].lower().startswith("either")
                yield found._replace(promised=True, plainly=leads or _PLAINLY.fullmatch(match[0]) is not None)


def _bullets(text: str, promises: list[re.Match[str]]) -> Iterator[ClosedList]:
    lines = text.split("\n")
    bullets = [_BULLET.match(line) for line in lines] if len(lines) > 1 else []
    if bullets and all(bullets) and len(bullets) <= _MAX_VALUES:
        items = [match["item"] for match in bullets if match is not None]
        yield ClosedList(tuple(map(_bare, items)), all(map(_is_quoted, items)), False, "list", bullets=True, whole=True)
    if len(lines) > 2:
        for position, line in enumerate(lines[:-1]):
            if line.endswith(":") and not _EXAMPLE.search(line):
                found = [_BULLET.match(item) for item in _following(lines, position + 1)]
                values = tuple(_bare(match["item"]) for match in found if match is not None)
                # Bullets that contain lists of their own are groups, and the names of groups are not values.
                groups = any(len(_QUOTE.findall(line)) > 2 for line in lines[position + 1 : position + 1 + len(found)])
                if not found and _ALL_OF_IT.search(line):
                    yield from _lines_alone(lines[position + 1 :])
                if len(values) == len(found) > 1 and not groups:
                    quoted = all(_is_quoted(match["item"]) for match in found if match)
                    yield ClosedList(values, quoted, _ALL_OF_IT.search(line) is not None, "list", bullets=True)
    if (spaced := _SPACED.search(text)) is not None and _ALL_OF_IT.search(text[: spaced.start("values")].rstrip()):
        yield ClosedList(tuple(dict.fromkeys(spaced["values"].split())), False, True, "list", bullets=True)
    for match in promises:
        # After conversion from HTML, bullets are on one line: "Optional values are:- `a`: …- `b`: …".
        if text.startswith("- ", match.end()) or text[match.end() - 2 : match.end()].endswith("- "):
            start = text.rfind("-", 0, match.end() + 1)
            items = [item["item"] for item in _GLUED.finditer(text, start)]
            values = tuple(dict.fromkeys(_bare(item) for item in items))
            # A list of one value has to quote it, and nothing else may be quoted.
            alone = len(values) == 1 and all(map(_is_quoted, items)) and len(_QUOTE.findall(text, start)) < 2
            if 1 < len(values) <= _MAX_VALUES or alone:
                yield ClosedList(values, all(map(_is_quoted, items)), True)


def _lines_alone(lines: list[str]) -> Iterator[ClosedList]:
    """Values that have a line each, without a mark; two words may be the rest of a sentence."""
    values = list(itertools.takewhile(_LONE.fullmatch, lines[:_MAX_VALUES]))
    if len(values) > 2 and _are_values(values):
        yield ClosedList(tuple(dict.fromkeys(values)), False, True, "list", bullets=True)


def _following(lines: list[str], start: int) -> list[str]:
    out = []
    for line in lines[start : start + _MAX_VALUES]:
        if not line.startswith(("-", "*", "•", "+")):
            break
        out.append(line)
    return out


def _opened(text: str) -> Iterator[ClosedList]:
    """Lists after a bracket, a colon or a dash, with the word in front, and a list at the start of the text."""
    # The name of the parameter, which led the text, was taken off: "(tcp, udp)".
    bracketed = text[:1] == "("
    first, end = _scan(text, 1 if bracketed else 0)
    if first is not None and not first.quoted:
        yield first._replace(whole=_REST.fullmatch(text, end) is not None, bracketed=bracketed)
    for match in _OPENED.finditer(text):
        start = match.start("noun")
        # After a bracket or a colon, only an example or a condition shows that the list is about something else.
        lead = text[max(_sentence(text, start), start - 60) : match.end()]
        example = _EXAMPLE.search(lead)
        form = example is not None and example[0][:7].lower() == "format:"
        if not (
            (example and not form) or _CONDITION.search(text[max(0, start - 60) : start]) or _in_bullet(text, start)
        ):
            found = _run(text, match.end())
            # "Format: YYYY-MM-DD" is one format; only alternatives are a list of formats.
            if found is not None and (found.alternatives or not form):
                yield found._replace(noun=match["noun"].lower(), bracketed=match[0][-1] in "([")


def _bars(text: str) -> Iterator[ClosedList]:
    """Values between bars, wherever they are: "(red|green|blue)"."""
    for match in _BARS.finditer(text) if "|" in text else ():
        line = text.rfind("\n", 0, match.start()) + 1
        values = tuple(dict.fromkeys(value.strip() for value in match["values"].split("|")))
        tight = " " not in match["values"] or match["open"] is not None
        if len(values) <= (1 if tight else 2) or not _are_values(list(values)) or text.startswith("|", line):
            continue
        if not _led_by_example(text, match.start(), match.start()):
            yield ClosedList(values, False, True, alternatives=True, plainly=True)


def _quotes(text: str) -> Iterator[ClosedList]:
    """Quoted alternatives anywhere in a sentence, and alternatives in brackets after their explanation."""
    at = 0
    while match := _QUOTE.search(text, at):
        found, at = _scan(text, match.start())
        at = max(at, match.end())
        if found is not None and found.quoted and not _led_by_example(text, match.start(), match.start()):
            yield found
    explained = list(_BRACKETED.finditer(text))
    if 1 < len(explained) <= _MAX_VALUES:
        between = text[explained[0].start() : explained[-1].end()]
        sentence = text[_sentence(text, explained[0].start()) : explained[0].start()]
        if " or " in between and ". " not in between and not _EXAMPLE.search(sentence + between):
            yield ClosedList(tuple(match[1][1:-1] for match in explained), True, False, alternatives=True)


def _branches(text: str) -> Iterator[ClosedList]:
    """Values that each have an explanation, if nothing else in the text is quoted."""
    if text.count("'") + text.count('"') + text.count("`") + text.count("“") < 4 or _EXAMPLE.search(text):
        return
    explained = sorted((*_BRANCH.finditer(text), *_LINE.finditer(text)), key=lambda match: match.start("item"))
    values = dict.fromkeys(_bare(match["item"]) for match in explained)
    quoted = {_bare(match[0]) for match in _ANY_QUOTED.finditer(text)}
    if 1 < len(values) <= _MAX_VALUES and quoted == values.keys() and not _OTHERWISE.search(text):
        yield ClosedList(tuple(values), True, False, "list", explained=True)


def _supported(text: str) -> Iterator[ClosedList]:
    """Lists in front of the words that close them: "json, yaml and toml are supported"."""
    if " supported" not in text and " a" not in text and " valid" not in text and " p" not in text:
        return
    for match in _START.finditer(text):
        values, quoted, _, _, end = _items(text, match.end())
        # "Names and ids are accepted" is a sentence: only its first word is capitalised.
        words = not quoted and len({value[:1].isupper() for value in values}) > 1
        if 1 < len(values) <= _MAX_VALUES and not words and _BEHIND.match(text, end):
            yield ClosedList(tuple(dict.fromkeys(values)), quoted, True, alternatives=True)


def _led_by_example(text: str, at: int, end: int) -> bool:
    """True if the words before a list introduce examples, or are about another parameter."""
    lead = text[max(_sentence(text, at), at - 60) : end]
    others = _ABOUT_OTHERS.search(text[max(0, at - 60) : at])
    return _EXAMPLE.search(lead) is not None or others is not None or _in_bullet(text, at)


def _in_bullet(text: str, at: int) -> bool:
    """True if a position is inside a bullet, which contains only some of the values."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + 2] in {"- ", "* ", "• ", "+ "}


def _sentence(text: str, at: int) -> int:
    return max(text.rfind(". ", 0, at) + 1, text.rfind("\n", 0, at), 0)


def _run(text: str, at: int) -> ClosedList | None:
    return _scan(text, at)[0]


def _scan(text: str, at: int) -> tuple[ClosedList | None, int]:
    """The list that begins at a position, and its end; ``None`` if it continues or its items are words of a phrase."""
    values, quoted, alternatives, explained, end = _items(text, at)
    # After an unquoted word the phrase may continue; "or a custom one" makes any list open.
    if _GOES_ON.match(text, end) or not (quoted or _ENDS.match(text, end)):
        return None, end
    values = [value for value in values if quoted or value.lower() not in _LEFT_OUT]
    if not 1 < len(values) <= _MAX_VALUES or not (quoted or _are_values(values)):
        return None, end
    values = list(dict.fromkeys(values))
    return ClosedList(tuple(values), quoted, False, alternatives=alternatives, explained=explained), end


def _are_values(words: list[str]) -> bool:
    """True if unquoted words can be values: not words of a sentence, and not types. A view may be a "list"."""
    types = sum(word.lower() in _TYPES for word in words)
    return 2 * types < len(words) and not any(word.lower() in _NO_VALUES for word in words)


def _items(text: str, at: int) -> tuple[list[str], bool, bool, bool, int]:
    """The items at a position and their end, with three flags: quoted, alternatives, and explained in brackets."""
    values: list[str] = []
    quoted = alternatives = False
    explained = 0
    end = at
    while len(values) <= _MAX_VALUES and (match := _ITEM.match(text, at)):
        if values and (quoted is not (match["quoted"] is not None) or match[0].lower() in _REMARKS):
            break
        quoted = match["quoted"] is not None
        value = _bare(match[0])
        end = match.end()
        if not quoted and value.endswith("."):
            # A full stop after an unquoted word ends the sentence.
            values.append(value.rstrip("."))
            return values, quoted, alternatives, 2 * explained > len(values), end - 1
        values.append(value)
        note = (_EXPLAINED if quoted else _NOTE).match(text, end)
        explained += note is not None and note[0].lstrip().startswith("(")
        end = note.end() if note else end
        step = _NEXT.match(text, end) or (_OR_SENTENCE.match(text, end) if quoted else None)
        if step is None or _GOES_ON.match(text, end):
            break
        alternatives = alternatives or not {"or", "|", "/"}.isdisjoint(_MARK.findall(step[0]))
        at = step.end()
    return values, quoted, alternatives, 2 * explained > len(values), end


def _bare(item: str) -> str:
    return item.strip("`'\"“”‘’")


def _is_quoted(item: str) -> bool:
    return item[0] in "`'\"“‘"
