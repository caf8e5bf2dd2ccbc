"""Words around a list of values: those that announce it, or say that it is not all or about something else.

A promise is built from a few parts: a word such as "valid" with any noun behind it, a verb such as "must be", "one of",
and the sign or bracket that opens the list. Descriptions in other languages have the same few forms.
"""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Cues, Guarded, lowered

MAX_TEXT = 8_000
"""Maximum number of characters read from a description: five hundred values, which some descriptions list."""

QUOTED = (
    r"(?:``[^`\n]{1,60}``|`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|‘[^’\n]{1,60}’|«[^»\n]{1,60}»"
    r"|「[^」\n]{1,60}」)"
)
_OPEN_QUOTE = r"['\"`“‘«「]"

_FIT = (
    r"(?:allowed|valid|possible|accepted|acceptable|supported|available|permitted|permissible|recogni[sz]ed|legal"
    r"|optional)"
)
_VALUES = r"(?:values?|options?|choices|inputs?)"
VALUE_WORD = lazy_pattern(_VALUES)
"""Words for values of any kind."""
_NOUN = rf"(?:{_VALUES}|types?|modes?|formats?|operations?|actions?|levels?)"
_ANY_OF = (
    r"(?:one or more of|(?:a\s)?subset of|(?:exactly\s)?(?:one|any|either) of)"
    rf"(?:\s(?:the|these|those))?(?:\sfollowing)?(?:\s{_FIT})?(?:\s(?:values|options|choices|strings))?"
)
_BE = r"(?:must|should|can|may|could|will|ha(?:s|ve) to|needs? to|shall)\s(?:only\s|also\s|always\s)?(?:be|equal)"
_VERB = r"(?:set (?:this |it )?to|use|pass|specify|provide|accepts?|takes?|supports?|expects?|choose|pick|select|enter)"
_FOR = r"(?:\s(?:for|of)\s(?:the\s|this\s)?[`'\"]?\w{1,40}[`'\"]?(?=\s(?:are|is|includes?)\b|\s?:))"
# A note on the values: "Allowed values (case-sensitive):".
_NOTED = (
    r"(?:\s\((?:case|any|all|complete|exhaustive|full|lower|upper|exact|required|optional|default)[^()\n]{0,40}\)"
    r"(?=\s?:))"
)
_SIGN = (
    r"(?:\*\*)?(?:\s(?:are|is|includes?|being)\b)?(?:\s(?:either|only)\b)?(?:\*\*)?\s?(?::|=|—|–|\s-|∈)?\s?[(\[{]?\s?"
)
_LABEL = rf"(?:[A-Z][\w ]{{0,20}}:\s(?={_OPEN_QUOTE}))?"

PROMISE = Guarded(
    rf"\b(?:(?:{_BE}\s)?(?:set to\s|given as\s)?{_ANY_OF}"
    rf"|{_FIT}\s(?:[a-z]{{1,16}}\s){{0,2}}(?P<kind>{_NOUN}){_FOR}?{_NOTED}?"
    # Any noun will do where the list certainly begins.
    rf"|{_FIT}\s(?:[a-z_\-]{{2,20}}\s){{0,2}}(?!are\b|includes?\b)(?P<noun>[a-z_\-]{{3,24}})(?:\s(?:are|include)\s?:?(?=\s)|\s?:(?=\s|$)|\sare(?=\s{_OPEN_QUOTE}))"
    rf"|(?!optional){_FIT}(?=\s?:)"
    rf"|(?:the\s)?following\s(?:{_FIT}\s)?(?P<of>[a-z_\-]{{3,24}})(?:\s(?:are|is)\s(?:currently\s)?{_FIT})?(?=\s?:)"
    rf"|{_VERB}(?:\seither|\sonly)?(?:\sthe)?(?=:?\s{_OPEN_QUOTE})"
    rf"|values(?:\srange)?|options|choices|accepts(?:\sthe\svalues)?|(?:only\s)?supports|enum|either"
    rf"|{_BE}(?:\seither|\sset to)?"
    r"|(?:consists?|made up|composed)\s(?:only\s|solely\s)?of|(?:limited|restricted)\sto(?:\seither)?"
    rf"|set\sto(?:\seither|\s{_ANY_OF})?|(?:choose|select|pick) (?:from|between|one)(?:\sof)?(?:\sthe\sfollowing)?"
    rf"|{_VERB}\s(?:either\s)?{_ANY_OF}"
    rf"|(?<=\s)in(?=\s[\[{{])|only)(?!\w)"
    rf"{_SIGN}{_LABEL}",
    *("allowed", "valid", "possible", "accept", "supported", "available", "permi", "optional", "legal", "recogni"),
    *("must ", "should ", "could ", "will be", "has to", "have to", "need", "shall ", "may ", "can ", "following"),
    *("one of", "any of", "more of", "subset", "value", "option", "choice"),
    *("type", "mode", "format", "operation", "action"),
    *("level", "takes", "supports", "expects", "enum", "either", "consist", "made up", "composed", "limited"),
    *("restricted", "choose", "pick", "select", "use", "only", " to ", "pass ", "specify", "provide", "enter", " in "),
    starts="acdefghilmnoprstuvw",
)
PLAINLY = lazy_pattern(
    rf"(?:(?:{_BE}|{_VERB})\s)?(?:set to\s|given as\s)?(?:either\s)?{_ANY_OF}.*"
    rf"|{_FIT}(?:\s(?:[a-z]{{1,16}}\s){{0,2}}{_VALUES}\b.*|\s?:.*)"
    rf"|(?:the\s)?following\s(?:{_FIT}\s)?{_VALUES}\b.*"
    rf"|(?:values|options|choices|enum|{_BE})\b.*[:=∈].*|(?:values|options|choices) (?:are|include)\b.*"
    r"|enum\s?[(\[{]\s?|(?:choose|pick|select) (?:from|between|one).*|accepts the values.*|in [\[{]\s?",
    re.IGNORECASE | re.DOTALL,
)
"""Words that announce values whatever the parameter's name is; "supports" and "only" often announce something else."""

ABROAD = Guarded(
    r"(?:可选(?:值|项|参数|类型)?|取值(?:范围)?|枚举(?:值)?|(?:支持|允许|有效|合法|可用|可取)的?(?:值|格式|类型|模式|选项|操作)"
    r"|仅支持|支持(?=\s?[:：])|选项|(?:可以|必须|只能|可)[为是]|値は?|次のいずれか|以下のいずれか|選択肢|(?:指定可能|有効|使用可能)な値"
    r"|(?:mögliche|erlaubte|gültige|zulässige|unterstützte)\s(?:werte|optionen)|entweder"
    r"|(?:valores|opciones|opções)\s(?:posibles|permitidos|permitidas|válidos|válidas|aceptados|possíveis|aceitos)"
    r"|(?:valeurs|options)\s(?:possibles|autorisées|valides|acceptées)|valori\s(?:possibili|ammessi|validi)"
    r"|(?:uno de|um de|una de|uma de|l'un de|l'une de)(?=\s?:)"
    r"|(?:допустимые|возможные|доступные)\sзначения|один из|가능한 값|허용되는 값|사용 가능한 값|다음 중 하나)"
    r"\s?(?:[为是はが]|包括|有|sind|son|são|sont|sono|는|은)?\s?[:：=]?\s?[(\[{（【]?\s?",
    *("可", "取值", "枚举", "支持", "允许", "有效", "合法", "选项", "必须", "只能", "値", "いずれ", "選択肢"),
    *("werte", "optionen", "entweder", "valores", "opciones", "opções", "valeurs", "options ", "valori"),
    *("uno de", "um de", "una de", "uma de", "l'un", "значения", "один из", "값", "다음 중"),
)
"""The same words in other languages."""

EXAMPLE = lazy_pattern(
    r"\b(?:e\.?g|i\.e|such as|for example|for instance|like|examples?|sample|including|includes?|typically|usually"
    r"|commonly|often|similar to|recommended|suggested|common|popular|useful|try|not|never|instead of|unlike|than"
    r"|formerly|previously|older|deprecated|depend(?:s|ing) on|listed (?:by|in)|typical|same as|equivalent to"
    r"|formatted (?:as|like)|in (?:the )?form(?:at)?(?: of)?|us(?:e|ing) [^\s:/]{1,20}[:/]\S{1,20} form(?:at)?"
    r"|z\.\s?b|beispiel(?:e|sweise)?|por ejemplo|por exemplo|par exemple|например)\b|\bformat:\s?$"
    r"|推荐|常用|常见|建议|例如|比如|譬如|示例|例[:：えと]|[，,、(（]如|形如|等(?!于)|예:|예를",
    re.IGNORECASE,
)
CONDITION = lazy_pattern(
    r"\b(?:only (?:for|when|if|with)|required (?:for|when|if)|needed (?:for|when|if)|ignored|when|if|unless)\s"
    r"(?:the\s)?(?:[a-z_]{1,20}\s?[=]?\s?){0,2}$",
    re.IGNORECASE,
)
CASE = lazy_pattern(
    r"\b(?:if|when|unless|while)\s(?!(?:it is |this is )?(?:provided|specified|set|given|present|omitted|not)\b)"
    r"[^.,;\n]{2,60},\s(?:[\w ]{1,40}\s)?$",
    re.IGNORECASE,
)
"""What restricts a sentence to a case: "If the field is a box, the value should be …"."""
ABOUT_OTHERS = lazy_pattern(
    r"\b(?:only (?:for|when|if|with|valid)|required (?:for|when|if|by|with)|needed (?:for|when|if)|used (?:by|for|when)"
    r"|ignored|applies|when|if|unless|where|returned by|returns?|from|see|call)\s"
    r"(?:the\s)?(?:[a-z_]{1,20}\s?[=]?\s?){0,2}$"
    r"|\b(?:required|needed|only|ignored|used)\s(?:if|when|for|with)\s[^.:()\n—–]{0,60}$"
    r"|\b(?:suffix(?:es)?|prefix(?:es)?|operators?|combined?\swith)\s(?:of\s)?$",
    re.IGNORECASE,
)
GOES_ON = lazy_pattern(
    r"\s?[,;，、]?\s?(?:(?:and|or|plus|&)\s)?(?:etc\b|\.\.\.|…|more\b|others?\b|any\b|custom\b|an?\s|your\b|the\s"
    r"|all other|similar|so on|many|another|some|among|everything|anything|combination"
    r"|usw|u\.\s?a|等|など|之类|及其他)",
    re.IGNORECASE,
)
OTHERWISE = lazy_pattern(r"\b(?:otherwise|any other|anything else|else)\b", re.IGNORECASE)

_FREE = Guarded(
    r"\b(?:(?:or|and|also|accepts?|supports?)\s(?:an?\s|your\s)?custom"
    r"|custom\s(?:(?:[a-z]{2,16}\s)?(?:values?|names?|types?|modes?|ones?|strings?|ids?|are|is|can|also))"
    r"|otherwise,?\s(?:an?|the|any)|arbitrary|any (?:string|value|valid|other)|free[- ]?(?:form|text)"
    r"|other (?:values?|names?|types?)|or (?:any )?other [A-Za-z]{2,30} [A-Za-z]{2,30}"
    r"|other\s[a-z]{3,20}\s(?:are|can be|may be)\s(?:also\s)?(?:accepted|supported|allowed|possible|used)|and more"
    r"|(?:as|valid|raw|optional|a) json"
    r"|json[- ](?:string|array|object|text|list|encoded|formatted|document|body)"
    r"|user[- ]defined\s(?!or\b|and\b)[a-z]{2,20}|and \d{1,4}\+? more|substring\s(?:match|of|search)"
    r"|regex|regular expression|glob|expression|wildcard|(?:filter|query|search)(?:'s)? syntax)\b"
    r"|\bor an? (?:positive |valid |specific )?(?:string|text|number|integer|float|url|path|date|timestamp)\b"
    r"|\b(?:can|may|could)\s(?:also|instead)\sbe\s(?:an?|the)\s|/\^\S"
    # "Descending order by appending 'desc' to it": every value has a second form.
    r"|\b(?:append|prefix|prepend)(?:ed|ing)?\s(?:it\swith\s|with\s|an?\s|the\s)?[`'\"]"
    # A tool lists them all: "Use list_kinds to see the options".
    r"|\buse\s`?[a-z]{2,20}_[a-z_]{2,40}`?\s(?:to|for)\s(?:see|get|list|find|discover)\s[^.\n]{0,40}\b(?:options|values|choices)\b(?!\s(?:for|mean|of))"
    # Numbers are accepted as well: "label or numeric ID (0=low, 1=high)".
    # "Sort by: name, title or id" are the values themselves.
    r"|\b(?:labels?|names?|slugs?|titles?),?\sor\s(?:(?:an?\s|its\s|the\s)?numeric\s(?:ids?|numbers?)\b"
    r"|(?:an?\s|its\s|the\s)(?:ids?|numbers?)\b|(?:ids?|numbers?)\s\(\d)"
    r"|\bor string for\b|\betc\b|[{(\[]\s?\{|\{\s?[\"']|自定义|任意",
    *("custom", "arbitrary", "other ", "and more", "json", "regex", "glob", "expression", "syntax"),
    *(f"any {what}" for what in ("string", "value", "valid", "other")),
    *(f"free{joint}{what}" for joint in ("-", " ", "") for what in ("form", "text")),
    *("substring", "user-defined", "user defined", " more"),
    *("wildcard", "otherwise", "etc", "{", "or a ", "or an ", "also be", "instead be", "/^", "string for"),
    *("append", "prefix", "prepend", "自定义", "任意"),
    *(f"or {what}{thing}" for what in ("", "a ", "an ", "its ", "the ") for thing in ("numeric", "id", "number")),
    *("to see", "to get", "to list", "to find", "to discover"),
)
_SYNTAX = ("json", "as json", "raw", "valid json", "optional json", "a json", "reg", "glob", "expr", "wild")
"""Beginnings of words for a syntax of its own; in the explanation of a quoted value they are about that value."""
_OF_A_VALUE = lazy_pattern(
    rf"{QUOTED}(?:\s\([^()\n]{{0,80}}\))?\s?(?:for|to|as|is|=|:|-|–|—|\(|→|[a-z]{{2,20}}s\b)[^'\"`.\n]{{0,80}}$"
)
_IN_QUOTES = frozenset({"''", '""', "``", "“”", "‘’", "«»"})
_ITEMS_BEFORE = lazy_pattern(
    r"\b(?:kind|match|matching|method|mode|strategy|syntax|type|one of|values|options)\s?[:(]\s?"
    r"(?:[\w\-]{1,30},?\s(?:or\s)?){1,8}$",
    re.IGNORECASE,
)
"""Other values in front of one, after a word for a kind: "Match mode: exact, prefix or regex"."""
_ITEM_ENDS = lazy_pattern(r"\s?(?:$|[,.)\n]|or\b|\()")


def _is_item(text: str, start: int, end: int) -> bool:
    """True if a word for a syntax is itself one of the listed values: "literal | regex", "'exact' or 'regex'"."""
    if text[max(0, start - 1) : start] + text[end : end + 1] in _IN_QUOTES:
        return True
    if "|" in (text[max(0, start - 2) : start].rstrip()[-1:], text[end : end + 2].lstrip()[:1]):
        return True
    return (
        _ITEM_ENDS.match(text, end) is not None and _ITEMS_BEFORE.search(text, max(0, start - 160), start) is not None
    )


_WITHIN = lazy_pattern(rf"(?:{QUOTED}|(?:^|\n)[-*•]\s[\w\-]{{1,40}}\s?[:–—-]\s)[^'\"`\n]{{2,80}}\([^()'\"`\n]{{0,80}}$")
"""What precedes "etc." in a bracket that explains a value: "'all' returns it (paths, etc.)", "- note: any (…)"."""
_CLEARLY = lazy_pattern(
    r"(?<=[.:;)]\s)(?:allowed|valid|possible|accepted|supported|permitted) (?:values|options)(?: are)?:", re.IGNORECASE
)
_ABBREVIATED = lazy_pattern(r"\.(?:(?<=\be\.g\.)|(?<=\bi\.e\.)|(?<=\b(?:eg|ie|vs)\.)|(?<=\bincl\.))", re.IGNORECASE)
_SHORT_FORMS = Cues("e.g.", "i.e.", "eg.", "ie.", "vs.", "incl.")


_JOINED = Guarded(
    r"\b(?:comma|semicolon)[- ](?:separated|delimited)\b|\bseparated by commas?\b"
    r"|\b(?:multiple|several) (?:values|types|options)\b[^.\n]{0,30}\b(?:combined|joined|separated|commas?)\b|逗号分隔",
    *("comma", "semicolon", "multiple", "several", "逗号分隔"),
)


def is_joined(text: str) -> bool:
    """True if the text says that one string has several values, with commas between them."""
    return _JOINED.search(text) is not None


def without_stops(text: str) -> str:
    """The same text, as long as before, in which "e.g." does not end a sentence."""
    return _ABBREVIATED.sub(",", text) if _SHORT_FORMS.are_in(lowered(text)) else text


_ONE_OF = lazy_pattern(r"\b(?:one|any|either) of\b|\ballowed\b|\bvalid\b", re.IGNORECASE)


def is_open(text: str) -> bool:
    """True if the text says that other values are accepted, or that the value has a syntax of its own."""
    text = text[:MAX_TEXT]
    promised: re.Match[str] | None = None
    for match in _FREE.finditer(text):
        word = match[0].lower()
        if word.startswith("use ") and _ONE_OF.search(text, 0, match.start()):
            continue  # The list is complete, and the tool says more about it.
        if word == "etc" and _WITHIN.search(text, max(0, match.start() - 160), match.start()):
            continue
        if word.startswith(_SYNTAX) and (
            _OF_A_VALUE.search(text, max(0, match.start() - 160), match.start()) or _is_item(text, *match.span())
        ):
            continue
        # Words that continue the sentence before all values are listed are about something else.
        promised = promised or (_CLEARLY.search(text) if word == "etc" else None)
        if promised is None or word != "etc" or match.start() > promised.start():
            return True
    return False


def is_example(text: str, start: int, end: int) -> bool:
    """True if the sentence before a promise, or the promise, introduces examples: "valid values include" does not."""
    if EXAMPLE.search(text, max(sentence(text, start), start - 60), start):
        return True
    found = EXAMPLE.search(text, start, end)
    while found is not None and found[0].lower() in ("include", "includes"):
        found = EXAMPLE.search(text, found.end(), end)
    return found is not None


def sentence(text: str, at: int) -> int:
    """The start of the sentence or line of a position."""
    return max(text.rfind(". ", 0, at) + 1, text.rfind("\n", 0, at), text.rfind("。", 0, at) + 1, 0)
