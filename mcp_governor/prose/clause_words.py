"""The forms of clauses that relate parameters, as expressions over marked sentences.

``<L0>`` stands for a parameter or a list of them, ``<C0>`` for a condition on one; what a form says of them is in
:mod:`~mcp_governor.prose.clause_forms`.
"""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

_BEGIN = r"(?:^|[.;:(\[]\s?|,\s(?:and\s|but\s|or\s)?|[—–]\s?|\s?-\s|\b(?:and|but|that|also|please|you)\s)"
_END = r"(?=\s?(?:$|[.;)\],:]|[—–]|-\s|\(|\b(?:but|otherwise|because|since|else)\b))"
STOP = r"(?=\s?(?:$|[.;)\]]|[—–]|-\s|\())"
_GIVEN = r"(?:provided|specified|set|given|used|present|supplied|passed|included|sent|populated|filled)"
_GIVE = r"(?:provide|specify|supply|pass|include|set|give|send|use)"
_MUST = r"(?:must|has to|have to|needs? to)"
_AS = r"(?:the\s|both\s|an?\s|either\s|also\s){0,2}"


def _condition(name: str) -> str:
    """A condition: one mark, two joined ones, or a list of parameters that are given."""
    return (
        rf"(?P<{name}k>if|when|whenever|unless|without|with|for|while|by|using|to|alongside|along with|together with"
        r"|in (?:combination|conjunction) with|in)\s"
        r"(?:(?:using|you (?:use|specify|provide|pass|set)|either|the|both|any of|setting|there is|creating|only)"
        r"\s){0,2}"
        rf"(?:<C(?P<{name}c>\d+)>(?:(?:\s(?:or|and)\s|/|,\s(?:or\s|and\s)?)(?:{_PREPOSITION}\s)?<C(?P<{name}d>\d+)>)?"
        rf"|<L(?P<{name}l>\d+)>)"
    )


_KIND = r"(?:\s(?!up\b|on\b|in\b|of\b|to\b|at\b|is\b|or\b|and\b|but\b|else\b|only\b)(?-i:[a-z]{2,14}))?"
"""A word behind a value, which says what it is: "for form authentication"."""
_PREPOSITION = "(?:if|when|for|with|in)"
_NOT_VERB = (
    r"(?:(?:must|can|may|should|do|does)\s?(?:not|n't)|cannot|can't|don't|never)\s(?:also\s)?(?:be\s)?"
    r"(?:used|combined|set|specified|provided|given|passed|included|mixed|sent|use|combine|set|provide|specify|pass"
    r"|include|supply|send|mix)"
    r"|(?:(?:is|are|be)\s)?not\s(?:allowed|supported|available|valid|applicable|accepted|compatible|permitted|usable)"
    r"|(?:(?:is|are)\s)?(?:unavailable|unsupported|invalid|forbidden|disallowed|incompatible)"
)
_WITH = r"(?:\s(?:together|simultaneously|at the same time|along|in combination|in conjunction))?"
_MAY = r"available|supported|valid|allowed|permitted|accepted|usable|possible"
_HAS_EFFECT = (
    r"used|useful|applies|applied|applicable|apply|relevant|effective|meaningful|works?|has (?:an |any )?[ea]ffect"
    r"|respected|hono[u]?red|considered|needed|read|sent|taken into account|takes effect"
)

EXCLUDED = Guarded(
    rf"(?:<L(?P<s>\d+)>\s)?\b(?:{_NOT_VERB})(?:\s<L(?P<o>\d+)>)?{_WITH}\s{_condition('w')}{_END}",
    *("not", "n't", "cannot", "never", "unavailable", "unsupported", "invalid", "forbidden", "disallowed", "incompat"),
)
INSTEAD = Guarded(
    rf"{_BEGIN}(?:an? )?alternative(?:ly)? to\s<L(?P<o>\d+)>(?=\s?(?:$|[.,;:)(]|for\b|when\b|if\b|[-—–]\s))"
    r"|\b(?:use|provide|pass|set|specify|give|send|supply)\s(?:<L0>\s)?(?:instead of|in place of|rather than)"
    r"\s<L(?P<p>\d+)>",
    *("alternative", "instead", "place of", "rather"),
)
CONFLICTS = Guarded(rf"\b(?:conflicts? with|xor(?: with)?)\s<L(?P<o>\d+)>{_END}", "conflict", "xor")
OMIT = Guarded(rf"{_BEGIN}(?:omit|leave out|leave empty)\s(?:<L0>\s)?{_condition('w')}{_END}", "omit", "leave")
SPARED = Guarded(
    rf"\b(?:(?:can|may) be (?:omitted|left out|skipped)|not needed|not necessary|unnecessary|optional)"
    rf"\s{_condition('w')}"
    rf"{_END}",
    *("omitted", "left out", "skipped", "needed", "necessary", "optional"),
)
ELSE = Guarded(
    rf"\bif\s(?:<L0>\s)?(?:is\s)?(?:omitted|left out|missing|not {_GIVEN}),\s<L(?P<o>\d+)>\s(?:is required"
    rf"|{_MUST}\sbe\s{_GIVEN})",
    "if ",
)
THIS_OR = Guarded(
    rf"\b(?:use|provide|pass|specify|set|give|supply|send)\s(?:either\s)?<L(?P<o>\d+)>{_END}",
    *("use ", "provide", "pass ", "specify", "set ", "give ", "supply", "send"),
)
PRECEDES = Guarded(
    r"(?:<L(?P<s>\d+)>\s)?\b(?:takes?|has|have|will take|taking)\s(?:precedence|priority)\sover\s"
    r"(?:the\s|both\s)?<L(?P<o>\d+)>(?=\s?(?:$|[.;),\]]|if\b|when\b|for\b))",
    *("precedence", "priority"),
)
IGNORED_THEN = Guarded(
    rf"{_condition('w')}(?:\s(?:is|are)\s{_GIVEN})?,\s(?:then\s)?<L(?P<s>\d+)>\s(?:is|are|will be)\s"
    r"(?:ignored|disregarded|skipped|not used)\b",
    *("ignored", "disregarded", "skipped", "not used"),
)
IGNORED_BY_THIS = Guarded(
    rf"\b(?:if|when)\s(?:<L0>\s(?:is\s)?)?(?:{_GIVEN}|true|enabled),\s(?:then\s)?<L(?P<o>\d+)>\s"
    r"(?:is|are|will be)\s(?:ignored|disregarded|not used)\b",
    *("ignored", "disregarded", "not used"),
)
IGNORED = Guarded(
    rf"(?:<L(?P<s>\d+)>\s(?:is|are|will be|has|have)\s|{_BEGIN}(?:is\s|are\s)?)(?:ignored|disregarded|not used"
    rf"|has no effect|have no effect|no effect)"
    rf"\s{_condition('w')}{_END}",
    *("ignored", "disregarded", "not used", "no effect"),
)
REQUIRES = Guarded(
    rf"(?:<L(?P<s>\d+)>\s|{_BEGIN})(?:also\s|only\s)?(?:requires|needs)\s"
    rf"(?:also\s|both\s|that\s|the\s)?"
    rf"(?:<L(?P<o>\d+)>(?:\sto\sbe\s(?:{_GIVEN}|true|enabled|defined)|\sas well)?|<C(?P<c>\d+)>){_END}",
    *("requires", "needs"),
)
CHOICE_REQUIRES = Guarded(
    r"<C(?P<c>\d+)>(?P<gap>[^<>.;]{0,100}?)(?:\(|\b)(?:requires?|needs?|must (?:include|have|provide|specify"
    r"|contain))\s"
    rf"(?:also\s|both\s|the\s|at least one\s|an?\s(?:non-empty\s)?|:\s?)?<L(?P<o>\d+)>"
    rf"(?:\s(?:array|entry|entries|items?|list|values?))?{_END}",
    *("require", "need", "must "),
)
ALONG = Guarded(
    rf"(?:{_MUST}|can only|may only)\s(?:also\s)?be\s(?:(?:used|combined|specified|provided|given|passed|set|sent"
    r"|included)\s(?:together\s|along\s|in (?:conjunction|combination)\s)?with|accompanied by|paired with)\s"
    rf"(?:the\s|both\s)?<L(?P<o>\d+)>{_END}"
    rf"|{_BEGIN}(?:for use|use|intended for use|(?:set|give|pass|provide|specify)(?=\s(?:<L0>\s)?together))"
    rf"\s(?:<L0>\s)?(?:(?:together|along|in conjunction|in combination)\s)?with\s"
    rf"(?:the\s|both\s)?<L(?P<t>\d+)>{STOP}",
    "with",
    "accompanied",
)
EXCLUDES_ALL = Guarded(
    r"\bmutually exclusive with (?:all |any )?(?:the )?(?:other )?[a-z]{2,20}(?: [a-z]{2,20})?\s?\(<L(?P<o>\d+)"
    r">\)",
    "exclusive",
)
WITHOUT_FAILS = Guarded(
    r"\b(?:providing|passing|using|specifying|giving|setting)\s<L(?P<s>\d+)>\swithout\s(?:the\s)?<L(?P<o>\d+)>\s"
    r"(?:will fail|fails|is an error|(?:returns|raises|is) an error|is (?:not allowed|invalid|refused|rejected))",
    "without",
)
MUST_BE = Guarded(
    rf"\bmust be (?:set to )?(?P<must>true|false)\s(?:if|when)\s<C(?P<c>\d+)"
    rf">{_END}",
    "must be true",
    "must be false",
    "set to",
)
ONE_WINS = Guarded(
    rf"\b(?:if|when)\s(?:both\s)?<L(?P<a>\d+)>\s(?:is|are)\s(?:both\s)?{_GIVEN},\s(?:then\s)?(?:only\s)?"
    r"(?:<C(?P<c>\d+)>|<L(?P<o>\d+)>\s(?:(?P<wins>takes (?:precedence|priority)|wins|is preferred|will be used"
    r"|has priority)"
    r"|(?:is|will be) ignored))",
    *("if both", "when both", "precedence", "priority", "wins", "preferred", "will be used", "ignored"),
)
REQUIRES_IF_TRUE = Guarded(
    rf"{_BEGIN}(?:also\s)?requires\s(?:the\s|both\s)?<L(?P<o>\d+)>\s(?:when|if)\s(?:<L0>\s(?:is\s)?)?(?:true|set"
    rf"|enabled|given)\b",
    "requires",
)
ALSO = Guarded(
    rf"\b(?:if|when|whenever)\s(?:you\s)?(?:(?:use|using|pass|passing|provide|providing|specify|specifying|set"
    rf"|setting)\s<L0>"
    rf"|<L0>\s(?:is|was)\s{_GIVEN}|{_GIVEN}),?\s(?:then\s)?"
    rf"(?:(?:you\s)?{_MUST}\s(?:also\s)?{_GIVE}\s(?:the\s|a\s)?<L(?P<o>\d+)>"
    rf"|<L(?P<p>\d+)>\s(?:(?:is|are)\s(?:also\s)?(?:required|mandatory|needed)|{_MUST}\s(?:also\s)?be\s{_GIVEN}))",
    *("must", "has to", "have to", "need", "required", "mandatory"),
)
THEN_GIVE = Guarded(
    rf"\b{_condition('w')}(?:,|:)?\s(?:then\s)?(?:(?:you\s)?{_MUST}\s(?:also\s)?|(?<=[,:]\s)|(?<=then\s))"
    rf"(?:also\s)?{_GIVE}\s{_AS}<L(?P<s>\d+)>{_END}"
    rf"|\b{_condition('v')}(?:,|:)\s(?:then\s)?(?:both\s)?<L(?P<t>\d+)>\s(?:(?:is|are)\s(?:also\s)?(?:required"
    rf"|mandatory|needed)"
    rf"|{_MUST}\s(?:also\s)?be\s{_GIVEN})(?!\s(?:if|when|for|unless|to)\b)",
    *(
        "provide",
        "specify",
        "supply",
        "pass",
        "include",
        "set",
        "give",
        "send",
        "use",
        "required",
        "mandatory",
        "need",
        "must",
    ),
)
NEEDED_WHEN = Guarded(
    rf"(?:(?:\b(?:requires?|{_MUST}\s{_GIVE}|needs?|{_GIVE})\s{_AS}<L(?P<o>\d+)>|<L(?P<s>\d+)>\s(?:(?:is|are)\s)"
    rf"?(?:also\s|only\s)?"
    rf"(?:required|mandatory|needed|{_MUST}\s(?:also\s)?be\s{_GIVEN})|\b(?:required|mandatory))\s{_condition('w')})"
    rf"{_KIND}{_END}",
    *("require", "must", "need", "mandatory", "has to", "have to", "provide", "specify"),
)
MUST_SPECIFY = Guarded(
    rf"\b(?:if|when)\s(?P<free>[^,.;<>]{{3,80}}|<C(?P<c>\d+)>),?\s(?:then\s)?you\s{_MUST}\s(?:also\s)"
    rf"?{_GIVE}\s[^<>.;,]{{0,50}}?"
    r"<L(?P<o>\d+)>",
    *("must ", "have to", "need to"),
)
ONLY = Guarded(
    rf"(?:<L(?P<s>\d+)>\s(?:(?:is|are|can be|may be)\s)?)?(?:\b(?:only|exclusively)\s(?:be\s)?(?:(?P<v>{_MAY})"
    rf"|(?P<u>{_HAS_EFFECT}))?"
    rf"|\b(?:(?P<v2>{_MAY})|(?P<u2>{_HAS_EFFECT}))\s(?:only|exclusively))\s?{_condition('w')}{_END}",
    "only",
    "exclusively",
)
ONLY_BEHIND = Guarded(
    rf"{_BEGIN}(?:(?:{_HAS_EFFECT}|{_MAY}|for)\s(?:(?:to|for|with|in|when|if)\s)?)?<C(?P<c>\d+)"
    rf">(?:\s[A-Za-z]{{2,20}})?\sonly\b"
    rf"(?=\s?(?:$|[.;)\],]|[—–]|-\s))",
    " only",
)
ACCEPTED_BY = Guarded(
    r"\bonly\s<C(?P<c>\d+)>\s(?:accepts?|supports?|takes?|uses?|allows?)\s(?:the\s)?<L(?P<s>\d+)>", "only"
)
CASE = Guarded(
    rf"{_BEGIN}(?:used |applies |relevant )?(?:for|when|if|with|to|in)\s<C(?P<c>\d+)>(?:\s(?:operations?|actions?"
    rf"|mode|type))?(?=\s?(?:$|[.;)\]]))",
    *("for ", "when ", "if ", "with ", "to ", "in "),
)
OF_LIST = Guarded(
    r"(?P<before>\b(?:use|provide|pass|specify|supply|set|give|include|choose|requires?|needs?|must|need|expects?"
    r"|with)\b[^.;<>]{0,40}?)?"
    r"\b(?P<how>exactly one of|only one of|at most one of|at least one of|one or more of|any one of|one of"
    r"|(?<!in )(?<!of )(?<!on )(?<!for )(?<!from )either)\s"
    r"(?:(?:the following|these|the)\s?:?\s?){0,2}<L(?P<o>\d+)>"
    r"(?P<after>\s(?:parameters?\s)?(?:must|is required|are required|has to|have to|needs? to|is needed"
    r"|is mandatory|required))?",
    *("one of", "either", "or more"),
)
NEITHER = Guarded(
    rf"\b(?:neither|none of)\s<L(?P<o>\d+)>\s(?:(?:is|are|was|were)\s)?{_GIVEN}\b",
    "neither",
    "none of",
)
FREE = lazy_pattern(r"\boptional|\bnot required\b|\bno need\b|\bnot needed\b|\bnot necessary\b", re.IGNORECASE)
FAILS = lazy_pattern(
    r"error\b|\b(?:errors?|fails?|raises?|invalid|must|required|throws?|refused|rejected)\b", re.IGNORECASE
)
ONE_REQUIRED = Guarded(
    r"<L(?P<o>\d+)>\s?(?:\(|:\s|,\s|[—–-]\s)(?:(?P<exact>exactly|only)\s|at least\s)?one (?:of (?:them|these"
    r"|the two|which)\s)?"
    r"(?:is\s|must be\s)?(?:required|needed|provided|mandatory)",
    "one ",
)
GIVE_ONE = Guarded(
    rf"(?:^|^[-*•]\s|[.:]\s|\byou\s)(?:{_MUST}\s)?(?:provide|specify|supply|pass|give|requires?|(?:must|should)"
    rf" (?:have|include|contain))\s(?:the\s|an?\s|either\s)?<L(?P<o>\d+)>(?P<both>\s?[(,]\s?(?:but )?not both)?"
    rf"{STOP}",
    *("provide", "specify", "supply", "pass", "give", "require", "must ", "should "),
)
GIVE_EITHER = Guarded(
    r"(?:^|^[-*•]\s|[.:]\s|\byou\s)(?:must\s)?(?:provide|specify|supply|pass|give)\s(?:either\s)?<L(?P<a>\d+)>"
    r"(?:\s?\([^()<>]{1,80}\)|\s(?:as|for|with)\s[^<>.;:]{1,60}?)?,?\sor\s"
    r"(?:(?:an?|the)\s(?:[A-Za-z-]{2,20}\s){0,3}?)?<L(?P<b>\d+)>(?=\s?(?:$|[.;)(]|[—–])|\s(?:as|for|with)\s)",
    " or ",
)
GIVEN_ONE = Guarded(
    rf"<L(?P<o>\d+)>\s(?:(?:(?:is|are)\s)?required|{_MUST}\sbe\s{_GIVEN})(?!\s(?:if|when|for|unless|together|with"
    rf"|to)\b)",
    "required",
    "must",
    "has to",
    "needs to",
)
BY = Guarded(
    rf"{_BEGIN}(?:specify|identify|select|locate|look up|address|target|provide)\s[^<>.;,]{{1,40}}\s(?:either\s)"
    rf"?(?:by|using|via|with)\s"
    rf"(?:either\s)?<L(?P<o>\d+)>{_END}",
    *(" by ", "using", "via", "with"),
)
ALL_OF = Guarded(
    rf"\bboth\s<L(?P<o>\d+)>\s(?:together|are required together|{_MUST}\sbe\s{_GIVEN}\stogether)"
    rf"|\bboth\s<L(?P<p>\d+)>\s(?:must|are required|have to|need to)\b(?!\snot\b)",
    "both",
)

ENDS = lazy_pattern(STOP)
"""The end of a clause."""
